"""A chapter about the first ten minutes: the example is opened, edited as on the screen, and exported.

A step is a click, a drag, a key, or a typed text. Scrolling and zooming are none.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from .animating import go_to, move_bones, select_bones, show_animation
from .texturing import enter_faces, last_tool, type_after
from .walk import LARA, Walk, chapter, expect

_MOST = 60
_ROOM = "Gorge"
_CLICK, _LIFT = 0.5, 0.15  # meters
_TICK = 4  # of the run
_FILE = "ruin.tr4"
_FIRST_TOOL = 22  # pixels below the top of the toolbar
# Of the moving picture.
_WIDTH, _BAR, _SECONDS, _QUALITY = 960, 36, 1.6, 72


@chapter
def ten_minutes(walk: Walk) -> None:
    """Open the example, raise a floor, texture it, lift a foot in the run, and export: in few steps."""
    blender, screen, film = walk.blender, walk.screen, _Film(walk)
    walk.new_file()
    film.show("Blender, with the extension")
    begun = screen.steps
    walk.open_example("The Last Revelation")
    expect("Lara is selected", blender.state()["selected"] == [LARA])
    film.show("File > New > Tomb Raider Example")
    _raise_floor(walk, film)
    _texture(walk, film)
    _lift_foot(walk, film)
    target = blender.folder / _FILE
    target.unlink(missing_ok=True)
    walk.choose("File", "Export", "Tomb Raider", "Level (.tr4)")
    walk.browse(target, "Export Tomb Raider")
    blender.wait("The exported file is there", lambda _: target.exists())
    film.show("Export: a level for the game")
    used = screen.steps - begun
    print(f"ten_minutes: {used} steps", flush=True)
    expect(f"It takes at most {_MOST} steps, not {used}", used <= _MOST)
    film.save()


def _raise_floor(walk: Walk, film: _Film) -> None:
    blender = walk.blender
    blender.click_floor(_ROOM, at=None)
    enter_faces(walk)
    for _face, place in blender.floors(_ROOM, None)[:8]:
        walk.screen.click(place)
        blender.still(5)
        if [each for each in blender.ask("faces", name=_ROOM) if each["selected"]]:
            break
    film.show("A floor is selected in Edit Mode")
    count = len(blender.ask("faces", name=_ROOM))
    type_after(walk, "e", f"{_CLICK:g}")
    expect("It has four sides", len(blender.ask("faces", name=_ROOM)) == count + 4)
    film.show("E extrudes it by a click: collision follows")
    walk.screen.key("Tab")
    blender.wait("Tab leads back to object mode", lambda state: state["mode"] == "OBJECT")


def _texture(walk: Walk, film: _Film) -> None:
    """Pick the tile of a face with the brush, and paint the floor beside it."""
    blender, screen = walk.blender, walk.screen
    left, top, _, _ = blender.area("VIEW_3D", "TOOLS")
    screen.click((left + 28, last_tool(walk)))
    blender.still()
    first, *_, last = blender.floors(_ROOM, None)
    screen.click(last[1], held="ctrl")
    blender.still()
    film.show("The texture brush takes a tile with Ctrl and a click")
    before = blender.ask("faces", name=_ROOM)
    screen.click(first[1])
    blender.still()
    after = blender.ask("faces", name=_ROOM)
    shown = [
        (one["image"], one["pixels"]) != (other["image"], other["pixels"])
        for one, other in zip(before, after, strict=True)
    ]
    expect(f"One face shows another tile, not {sum(shown)}", sum(shown) == 1)
    film.show("A click puts it on another face")
    screen.click((left + 28, top + _FIRST_TOOL))
    blender.still()


def _lift_foot(walk: Walk, film: _Film) -> None:
    blender = walk.blender
    walk.screen.click(blender.point(LARA))
    blender.wait("A click selects Lara", lambda state: state["selected"] == [LARA])
    blender.press("Animate")
    blender.wait("Lara is posed", lambda state: state["mode"] == "POSE")
    show_animation(walk, "Lara 000 Run")
    blender.press("Add Control Rig")
    film.show("Animate: Lara's run, with controls")
    go_to(walk, _TICK)
    select_bones(walk, "IK Foot.L")
    move_bones(walk, "z", _LIFT)
    film.show("G lifts her foot")
    blender.press("Spread Edit")
    film.show("Spread Edit changes the keys around it, too")


class _Film:
    """Pictures of the chapter with what is done, which become one moving picture of the documentation."""

    def __init__(self, walk: Walk) -> None:
        self._blender = walk.blender
        self._pictures: list[Image.Image] = []

    def show(self, text: str) -> None:
        """Take a picture of the screen."""
        blender = self._blender
        blender.shot(f"ten-minutes-{len(self._pictures)}")
        shot = Image.open(blender.output / blender.pictures[-1]).convert("RGB")
        height = round(shot.height * _WIDTH / shot.width)
        picture = Image.new("RGB", (_WIDTH, height + _BAR), (28, 28, 30))
        picture.paste(shot.resize((_WIDTH, height), Image.Resampling.LANCZOS))
        font = ImageFont.load_default(18)
        ImageDraw.Draw(picture).text((14, height + 8), text, (235, 225, 205), font)
        self._pictures.append(picture)

    def save(self) -> None:
        """Write the moving picture, if pictures of the documentation are wanted."""
        folder: Path | None = self._blender.docs
        if folder is not None:
            first, *others = self._pictures
            first.save(
                folder / "ten-minutes.webp",
                save_all=True,
                append_images=others,
                duration=round(_SECONDS * 1000),
                loop=0,
                quality=_QUALITY,
                method=6,
            )
