"""Chapters about sharing: the asset browser, and files for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .blender import Place
from .levels_of_games import NAMES
from .looking import press_eye
from .screen import SIZE
from .walk import HALL, Walk, chapter, expect

_PICTURES_OF_ASSETS = 600  # seconds for previews with software rendering
_ARROW = 46  # pixels from the middle of a catalog's name to the arrow that expands it
_HALF = 45  # pixels from an asset's name up to the middle of its preview


@chapter
def assets(walk: Walk) -> None:
    """Save a level, mark its pieces as assets, and drag one from the asset browser into it."""
    blender = walk.blender
    walk.open_level(walk.level)
    file = _save(walk, "level", "save-browser")
    _mark(walk, file)
    blender.shot("marked-as-assets")
    _open_assets(walk)
    blender.shot("asset-browser")
    _open_models(walk)
    blender.shot("asset-models")
    before = blender.state()
    _drag_to_floor(walk, blender.find("Wolf", blender.area("ASSETS", "WINDOW")))
    state = blender.wait(
        "What was dragged is in the level", lambda state: state["objects"] == before["objects"] + 1
    )
    expect("It is an entity", state["kind"] == "ENTITY")
    expect("It is active", state["active"] not in before["names"])
    expect("It stands on the floor", abs(blender.obj(state["active"])["place"][2]) < 0.01)
    blender.shot("asset-dragged")
    dragged, place = state["active"], blender.obj(state["active"])["place"]
    blender.hover_view()
    walk.screen.key("ctrl+z", "ctrl+z")  # the claim is a separate undo step
    blender.wait("Ctrl+Z takes it back", lambda state: dragged not in state["names"])
    walk.screen.key("ctrl+shift+z", "ctrl+shift+z")
    blender.wait("Ctrl+Shift+Z brings it again", lambda state: state["kind"] == "ENTITY")
    expect("It stands there again", blender.obj(dragged)["place"] == place)
    blender.shot("asset-again")


@chapter
def dragged(walk: Walk) -> None:
    """Drag a model from the library of another game's level onto the floor."""
    blender = walk.blender
    walk.open_level(walk.levels / NAMES["TR1"])
    _mark(walk, _save(walk, "library"))
    blender.hover_view()
    walk.screen.key("ctrl+s")
    blender.wait("The assets are saved", lambda state: state["saved"])
    walk.open_level(walk.levels / NAMES["TR2"])
    blender.ask("library", folder=str(blender.folder / "library"))
    _open_assets(walk)
    _open_models(walk)
    blender.shot("library-models")
    before, models = blender.state(), set(blender.ask("collections"))
    _drag_to_floor(walk, blender.find("Wolf", blender.area("ASSETS", "WINDOW")))
    state = blender.wait(
        "What was dragged is in the level", lambda state: state["kind"] == "ENTITY" and _is_new(state, before)
    )
    expect("It stands on the floor", abs(blender.obj(state["active"])["place"][2]) < 0.01)
    expect(
        "Its model is in the level", any("Wolf" in each for each in set(blender.ask("collections")) - models)
    )
    blender.shot("library-dragged")


def _is_new(state: dict[str, Any], before: dict[str, Any]) -> bool:
    return state["active"] not in before["names"]


@chapter
def exchanged(walk: Walk) -> None:
    """Export an enemy for other programs, by *File > Export*."""
    blender = walk.blender
    walk.open_level(walk.level)
    walk.select_enemy()
    target = blender.folder / "enemy.glb"
    target.unlink(missing_ok=True)
    before = blender.state()["names"]
    walk.choose("File", "Export", "Tomb Raider", "Other", "Selection to Other Programs (.glb")
    walk.browse(target, "Export to Other", "exchange-browser")
    blender.wait("The file is there", lambda _: target.exists(), 120)
    blender.still()
    expect("It is a glTF file", target.read_bytes()[:4] == b"glTF")
    expect("The scene is as it was", blender.state()["names"] == before)
    blender.shot("exchanged")


@chapter
def addon(walk: Walk) -> None:
    """Export an enemy as an addon for TRX, and paste the lines that a mod needs from the clipboard."""
    blender = walk.blender
    walk.open_level(walk.levels / NAMES["TR1"])
    walk.select_enemy()
    target = blender.folder / "mymod.bin"
    target.unlink(missing_ok=True)
    walk.choose("File", "Export", "Tomb Raider", "Other", "Addon for TRX (.bin")
    walk.browse(target, "Export Addon", "addon-browser")
    blender.wait("The file is there", lambda _: target.exists(), 60)
    blender.still()
    expect("It is an injection of TRX 1.11", target.read_bytes()[:4] == b"TRXI")
    blender.shot("addon-exported")


@chapter
def outfit(walk: Walk) -> None:
    """Make a skin of the example's explorer, smooth its weights, pose it, write it for WadTool, split it."""
    blender = walk.blender
    walk.new_file()
    walk.open_example("The Last Revelation")
    blender.press("Edit Model")
    blender.wait("Her model is shown alone", lambda state: state["kind"] == "MODEL_MESH")
    blender.open_panel("Replace", "Make Skin")
    blender.press("Make Skin")
    state = blender.wait("The skin is active", lambda state: state["kind"] == "SKIN")
    skin = state["active"]
    blender.hover_view()
    walk.screen.key("KP_Decimal")  # look at all of it
    blender.shot("skin-made")
    _choose_mode(walk, "Weight Paint")
    blender.wait("Weights are painted", lambda state: state["mode"] == "WEIGHT_PAINT")
    blender.click("Weights", blender.area("VIEW_3D", "HEADER"))
    blender.still()
    blender.click("Smooth", blender.open_view())
    blender.shot("skin-weights")
    _choose_mode(walk, "Object Mode")
    blender.wait("Object mode again", lambda state: state["mode"] == "OBJECT")
    blender.press("008 Run to stand left")
    blender.shot("skin-posed", blender.area("VIEW_3D"))
    target = blender.folder / "outfit.wad2"
    target.unlink(missing_ok=True)
    walk.choose("File", "Export", "Tomb Raider", "Object File")
    walk.browse(target, "Put Model", "outfit-browser")
    blender.wait("The file is there", lambda _: target.exists(), 60)
    blender.still()
    written = blender.ask("objects", path=str(target))
    expect(f"It is for TombEngine, with her skin in its slot: {written}", written == [18, [12], [12]])
    blender.shot("outfit-written")
    blender.press("Split Skin")
    blender.wait("The skin became meshes again", lambda state: skin not in state["names"])
    blender.shot("skin-split")


def _choose_mode(walk: Walk, name: str) -> None:
    """Choose a mode in the pie menu of Ctrl+Tab."""
    walk.blender.hover_view()
    walk.screen.key("ctrl+Tab")
    walk.blender.still()
    walk.blender.click(name, walk.blender.open_view())
    walk.blender.still()


@chapter
def clouds(walk: Walk) -> None:
    """Enable the clouds of a TR4 level, and show its sky."""
    blender = walk.blender
    walk.open_level(walk.levels / NAMES["TR4"])
    eyes = walk.open_eyes()
    blender.shot("clouds-off")
    blender.click("Clouds", eyes)
    blender.still()
    blender.click("Second Clouds", eyes)
    blender.find("Speed", eyes)
    blender.shot("clouds-on")
    walk.close_eyes()
    press_eye(walk, "Sky")
    blender.shot("clouds-seen")


def _save(walk: Walk, name: str, picture: str = "") -> Path:
    """Save the scene in its own folder; return the file."""
    blender = walk.blender
    file = blender.folder / name / f"{name}.blend"
    file.parent.mkdir(exist_ok=True)
    blender.hover_view()
    walk.screen.key("ctrl+s")
    walk.browse(file, "Save Blender File", picture)
    blender.wait("The file is saved", lambda state: state["saved"])
    return file


def _mark(walk: Walk, file: Path) -> None:
    """Mark all pieces of the level as assets."""
    blender = walk.blender
    walk.choose_tool("Mark as Assets")
    walk.confirm("OK", "assets-dialog")
    catalogs = file.with_name("blender_assets.cats.txt")
    blender.wait("The catalogs stand beside the file", lambda _: catalogs.exists(), _PICTURES_OF_ASSETS)
    blender.wait("All previews are drawn", lambda state: not state["running"], _PICTURES_OF_ASSETS)


def _open_assets(walk: Walk) -> None:
    """Enlarge the timeline, and turn it into an asset browser."""
    blender, screen = walk.blender, walk.screen
    left, top, width, _ = blender.area("TIMELINE")
    screen.drag((left + width // 3, top - 1), (left + width // 3, top - 260))
    blender.hover("TIMELINE")
    # The key toggles between file browser and asset browser, starting with either.
    screen.key("shift+F1")
    blender.still()
    if "ASSETS" not in [each["ui"] for each in blender.ask("areas", height=SIZE[1])]:
        screen.key("shift+F1")
    blender.still(60)


def _open_models(walk: Walk) -> None:
    """Open the catalog of the first game's models."""
    blender = walk.blender
    catalogs = blender.area("ASSETS", "TOOLS")
    x, y = blender.find("Tomb Raider I", catalogs)
    walk.screen.click((x - _ARROW, y))
    blender.click("Models", catalogs)
    blender.still()


def _drag_to_floor(walk: Walk, name: Place) -> None:
    """Drag an asset, given the position of its name, onto a floor in the 3D view."""
    _, floor = walk.blender.floors(HALL)[0]
    walk.screen.drag((name[0], name[1] - _HALF), floor)
    walk.blender.still()
