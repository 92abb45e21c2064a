"""A chapter about projects of level editors."""

from __future__ import annotations

from pathlib import Path

from .levels_of_games import NAMES
from .walk import HALL, LARA, Walk, chapter, expect

_STEPS = 3
_MOST_CHANGED = 8  # bytes of the file: an object's position


@chapter
def project(walk: Walk) -> None:
    """Make a project from a level, open it, move Lara, and save it."""
    blender = walk.blender
    walk.open_level(walk.levels / NAMES["TR4"])
    made = _export(walk, "castle.prj2", "project-browser")
    names = {path.name for path in blender.folder.iterdir()}
    expect("Its textures and objects are next to it", {"castle_textures.png", "castle_objects.tr4"} <= names)
    blender.shot("project-made")
    walk.new_file()
    walk.choose("File", "Import", "Tomb Raider", "Tomb Editor Project (.prj2")
    walk.browse(made, "Import Tomb Editor")
    state = blender.wait("The project is a level", lambda state: state["levels"])
    expect("It is of its game", [each["game"] for each in state["levels"]] == ["TR4"])
    walk.press_icon("Overview")
    blender.still()
    blender.shot("project-opened")
    _raise_block(walk, made)
    same = _export(walk, "same.prj2")
    expect("An untouched project has the same bytes", same.read_bytes() == made.read_bytes())
    walk.screen.click(blender.point(LARA))
    blender.wait("A click selects Lara", lambda state: state["selected"] == [LARA])
    blender.hover_view()
    walk.screen.key("g", "x")
    walk.screen.type("1")
    walk.screen.key("Return")
    blender.still(5)
    moved = _export(walk, "moved.prj2").read_bytes()
    before = made.read_bytes()
    changed = sum(one != other for one, other in zip(before, moved, strict=True))
    expect("Only its position differs in the file", 0 < changed <= _MOST_CHANGED)
    blender.shot("project-saved")
    level = blender.folder / "compiled.tr4"
    walk.choose("File", "Export", "Tomb Raider", "Other", "Compiled Tomb Editor")
    walk.browse(level, "Compile Tomb Editor")
    blender.wait("The level is compiled", lambda _: level.exists(), 120)
    blender.still()
    blender.shot("project-compiled")


def _raise_block(walk: Walk, made: Path) -> None:
    """Raise a floor of a room whose mesh follows its sectors, save, and lower it again."""
    blender, screen = walk.blender, walk.screen
    blender.click_floor(HALL)
    before = blender.obj(HALL)
    blender.open_panel("Mesh and Sectors", "Room from Sectors")
    blender.press("Room from Sectors")
    blender.still()
    blender.shot("project-follows")
    places = [sorted(map(tuple, state["vertices"])) for state in (before, blender.obj(HALL))]
    expect("An untouched room looks the same", set(places[0]) == set(places[1]))
    blender.press("Isolate Collision")
    blender.still()
    blender.hover_view()
    screen.key("Tab")
    blender.still()
    blender.hover_view()
    screen.key("alt+a")
    blender.press("Hide Backfaces")
    blender.still()
    screen.click(blender.floors(f"{HALL} Collision")[0][1])
    blender.wait(
        "A sector is selected", lambda _: len(blender.obj(f"{HALL} Collision")["selected_faces"]) == 1
    )
    faces = len(blender.obj(HALL)["vertices"])
    for _ in range(_STEPS):
        blender.press("Raise")
    blender.wait("The room follows", lambda _: len(blender.obj(HALL)["vertices"]) != faces)
    blender.still()
    blender.shot("project-raised")
    raised = _export(walk, "raised.prj2").read_bytes()
    expect("The block is in the project", raised != made.read_bytes())
    beside = {path.name for path in blender.folder.iterdir() if path.name.startswith("raised")}
    expect(f"Nothing is imported: {beside}", beside == {"raised.prj2"})
    for _ in range(_STEPS):
        blender.press("Lower")
    blender.still()
    blender.hover_view()
    screen.key("Tab")
    blender.still()


def _export(walk: Walk, name: str, picture: str = "") -> Path:
    """Export the level as a project by the menu; return the file."""
    target = walk.blender.folder / name
    target.unlink(missing_ok=True)
    walk.choose("File", "Export", "Tomb Raider", "Tomb Editor Project (.prj2")
    walk.browse(target, "Export Tomb Editor", picture)
    walk.blender.wait("The project is there", lambda _: target.exists(), 120)
    walk.blender.still()
    return target
