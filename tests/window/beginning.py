"""Chapters about imports: the menu, all games, and the first view."""

from __future__ import annotations

from .levels_of_games import NAMES
from .walk import CUBE, LARA, Walk, chapter, expect


@chapter
def games(walk: Walk) -> None:
    """Import a level of each game into a file with the default cube, by *File > Import*."""
    blender = walk.blender
    for game, name in NAMES.items():
        walk.new_file()
        blender.click("File")
        blender.click("Import")
        blender.find("Tomb Raider")
        blender.click("Tomb Raider")
        blender.find("Level (.phd")
        if game == "TR1":
            blender.shot("import-menu")
        blender.click("Level (.phd")
        walk.browse(walk.levels / name, "Import Tomb Raider", "browser" if game == "TR1" else "")
        state = blender.wait(f"The level of {game} is there", lambda state: state["levels"])
        expect("The file is of its game", [each["game"] for each in state["levels"]] == [game])
        expect("Blender's cube is gone", CUBE not in state["names"])
        expect("Lara is active and selected", (state["active"], state["selected"]) == (LARA, [LARA]))
        blender.wait("The sidebar shows its tab", lambda state: state["views"][0]["tab"] == "Tomb Raider")
        expect("Ceilings are left out", state["views"][0]["culling"])
        blender.in_sidebar("Check Level")
        expect("Lara is seen", blender.point(LARA))
        blender.shot(f"imported-{game.lower()}")


@chapter
def dropped(walk: Walk) -> None:
    """Drop two levels."""
    blender = walk.blender
    walk.new_file()
    walk.drop(walk.level)
    blender.shot("dropped")
    walk.drop(walk.levels / NAMES["TR2"])
    state = blender.state()
    expect("Both levels are there", len(state["levels"]) == 2)
    expect("The second one is seen", blender.point(state["active"]))
    blender.shot("second-level")
    blender.hover("VIEW_3D", "WINDOW")
    walk.screen.key("Home")
    blender.shot("two-levels")


@chapter
def exported(walk: Walk) -> None:
    """Export an unchanged level from the sidebar: the file is identical."""
    blender = walk.blender
    walk.open_level(walk.level)
    target = blender.folder / f"again{walk.level.suffix}"
    target.unlink(missing_ok=True)
    walk.press_icon("Export")
    walk.browse(target, "Export Tomb Raider")
    blender.wait("The exported file is there", lambda _: target.exists())
    blender.still()
    expect("The exported file has the same bytes", target.read_bytes() == walk.level.read_bytes())
    blender.shot("exported")
