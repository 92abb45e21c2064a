"""Chapter about a cutscene: two actors, three shots, and a sound."""

from __future__ import annotations

import wave
from pathlib import Path

from .animating import go_to
from .blender import Place
from .screen import SIZE
from .walk import Walk, chapter, expect

_MOST = 60  # steps
_CUTS = (26, 52, 78)  # frames
_FAR, _WALKED = 1.0, 2.0  # meters
_BESIDE, _ROWS = 145, (83, 57)  # pixels from the button Cancel to the two fields above
_ACTOR = 122  # pixels from the top of the outliner to an actor that was searched
_TURN = 150  # pixels by which the view is turned for a shot


@chapter
def scene(walk: Walk) -> None:
    """Make a cutscene of the example: the explorer walks, a bat flies, three shots, and a sound."""
    blender, screen = walk.blender, walk.screen
    walk.new_file()
    begun = screen.steps
    walk.open_example("The Last Revelation")
    blender.shot("scene-opened")
    _find_in_outliner(walk, "Bat 1", held="ctrl")
    blender.wait("Both are selected", lambda state: state["selected"] == ["Bat 1", "Lara 0"])
    _choose(walk, "Add", "Tomb Raider Cutscene")
    blender.wait("Lara is active", lambda state: state["active"] == "Cutscene 01 Lara")
    _act(walk, "Lara 001 Walk forward", 4)
    blender.shot("scene-acted")
    _find_in_outliner(walk, "Cutscene 01 Bat", row=_ACTOR)
    blender.wait("The bat is active", lambda state: state["active"] == "Cutscene 01 Bat")
    go_to(walk, 0)
    _act(walk, "Bat 001 Animation 1", 9)
    for frame in _CUTS:
        go_to(walk, frame)
        left, top, width, height = blender.open_view()
        middle = left + width // 2, top + height // 2
        screen.drag(middle, (middle[0] + _TURN, middle[1]), button=2)
        blender.press("Cut to New Camera")
        blender.still()
    blender.shot("scene-cut")
    blender.press("Set Sound")
    _browse(walk, "Set Sound", _sound(blender.folder / "scene.wav"))
    target = blender.folder / "CUTSEQ.PAK"
    walk.choose("File", "Export", "Tomb Raider", "Other", "Cutscenes")
    target.unlink(missing_ok=True)
    _browse(walk, "Export Tomb Raider", target.parent)
    blender.wait("The exported file is there", lambda _: target.exists())
    used = screen.steps - begun
    print(f"{used} steps of {_MOST}", flush=True)
    blender.shot("scene-exported")
    (cutscene,) = blender.ask("cutscenes", path=str(target))
    cuts = [frame for frame, step in enumerate(cutscene["camera"], 1) if step > _FAR]
    expect(f"The camera jumps at the cuts, not at {cuts}", cuts == list(_CUTS))
    walked = sum(cutscene["actors"][0])
    expect(f"She walks: {walked} m", walked > _WALKED)
    expect("The bat flaps", cutscene["turns"][1] > 0)
    expect(f"At most {_MOST} steps are needed, not {used}", used <= _MOST)


def _act(walk: Walk, animation: str, count: int) -> None:
    """Add an animation to the active actor at the current frame."""
    blender, screen = walk.blender, walk.screen
    blender.press("Add Animation to Actor")
    x, y = blender.find("Cancel")
    screen.click((x + _BESIDE, y - _ROWS[0]))
    blender.still()
    screen.type(animation)
    blender.still(5)
    screen.key("Return")
    blender.still(5)
    walk.write((x + _BESIDE, y - _ROWS[1]), str(count))
    blender.shot("scene-dialog")
    walk.confirm("OK")
    blender.still()


def _write(walk: Walk, field: Place, text: str) -> None:
    """Replace the text of a field, which a click selects."""
    walk.screen.click(field)
    walk.blender.still(5)
    walk.screen.type(text)
    walk.screen.key("Return")
    walk.blender.still(5)


def _browse(walk: Walk, button: str, place: Path) -> None:
    """Enter a file, or the folder for a new one, in the file browser, and press its button."""
    blender = walk.blender
    blender.wait("A file browser opens", lambda state: "FILE_BROWSER" in state["windows"])
    blender.still()
    left, top, width, height = blender.area("FILE_BROWSER", "UI")
    _write(walk, (left + width * 45 // 100, top + height // 2), str(place))
    blender.click(button, blender.area("FILE_BROWSER", "EXECUTE"))
    blender.wait("The file browser closes", lambda state: "FILE_BROWSER" not in state["windows"])
    blender.still()


def _find_in_outliner(walk: Walk, name: str, held: str = "", row: int = 0) -> None:
    """Search an object in the outliner, and click it, by its row if its name is cut off there."""
    blender = walk.blender
    left, top, width, height = blender.area("OUTLINER")
    field = left + width * 6 // 10, top + 12
    walk.screen.move(field)
    blender.still()
    _write(walk, field, name)
    blender.still()
    place = (field[0], top + row)
    if not row:
        place = blender.find(name, (left, top + 26, width, height - 26))
    walk.screen.click(place, held=held)
    blender.still()


def _choose(walk: Walk, *entries: str) -> None:
    """Choose an entry of a menu in the header of the 3D view."""
    blender = walk.blender
    left, top, width, height = blender.area("VIEW_3D", "HEADER")
    blender.click(entries[0], (left, top, width, height))
    for entry in entries[1:]:
        blender.still()
        blender.click(entry, (0, top + height, *SIZE))
    blender.still()


def _sound(path: Path) -> Path:
    """Write a second of silence."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(22050)
        file.writeframes(bytes(2 * 22050))
    return path
