"""A chapter about projects of level editors."""

from __future__ import annotations

from pathlib import Path

from .levels_of_games import NAMES
from .walk import LARA, Walk, chapter, expect

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
    blender.press("Overview")
    blender.still()
    blender.shot("project-opened")
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


def _export(walk: Walk, name: str, picture: str = "") -> Path:
    """Export the level as a project by the menu; return the file."""
    target = walk.blender.folder / name
    target.unlink(missing_ok=True)
    walk.choose("File", "Export", "Tomb Raider", "Tomb Editor Project (.prj2")
    walk.browse(target, "Export Tomb Editor", picture)
    walk.blender.wait("The project is there", lambda _: target.exists(), 120)
    walk.blender.still()
    return target
