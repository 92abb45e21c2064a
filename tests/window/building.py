"""Chapters about building: new levels, rooms from users' meshes, light, pieces of other levels, scripts."""

from __future__ import annotations

from typing import Any

from .levels_of_games import NAMES
from .walk import CUBE, ENEMY, HALL, LARA, Walk, chapter, expect

_ROOM = 8.0  # meters: size of the cube that becomes a room
_HOUSE = 48.0


@chapter
def started(walk: Walk) -> None:
    """Start an empty level, make a cube a room of it, light it, connect all, and bake."""
    blender, screen = walk.blender, walk.screen
    walk.new_file()
    first = start_level(walk, "new-level-dialog")
    blender.shot("new-level")
    _add_cube(walk)
    _make_large(walk, _ROOM)
    _move_next_to(walk, first)
    blender.shot("cube-beside-room")
    blender.press("Make Room")
    blender.wait("The cube is a room", lambda state: state["kind"] == "ROOM")
    screen.move((screen.middle[0], 3))
    blender.shot("made-room")
    portals = _count(blender.state(), "Portal")
    blender.press("Connect All")
    blender.wait("There are portals", lambda state: _count(state, "Portal") == portals + 2)
    blender.shot("connected-all")
    blender.press("Bake Light")
    walk.confirm("OK", "bake-dialog")
    blender.still()
    left, top, width, height = blender.open_view()
    screen.move((left + width // 2, top + height // 2))
    screen.key("z")
    blender.still()
    blender.click("Material Preview", (left, top, width, height))
    screen.move((screen.middle[0], 3))
    blender.still(300)
    blender.shot("baked")
    screen.move((left + width // 2, top + height // 2))
    screen.key("z")
    blender.still()
    blender.click("Solid", (left, top, width, height))


def start_level(walk: Walk, picture: str = "", game: str = "") -> str:
    """Start a level by the menu, of a game or of the first one, and return the name of its room."""
    blender = walk.blender
    blender.click("File")
    blender.click("New")
    blender.find("Sculpting")
    blender.click("Tomb Raider Level")
    if game:
        blender.click("Tomb Raider I", walk.dialog())
        blender.click(game)
        blender.still()
    walk.confirm("OK", picture)
    state = blender.wait("A level is started", lambda state: state["levels"] and state["kind"] == "ROOM")
    expect("Blender's cube is gone", CUBE not in state["names"])
    return str(state["active"])


@chapter
def kit(walk: Walk) -> None:
    """Start a level with a kit, from the sidebar of a file without a level."""
    blender = walk.blender
    walk.new_file()
    _open_tab(walk)
    blender.shot("no-level")
    blender.press("New Level from Kit")
    walk.browse(walk.levels / NAMES["TR4"], "New Tomb Raider", "kit-browser")
    state = blender.wait("A level with Lara is started", lambda state: state["levels"])
    expect("It is of the kit's game", [each["game"] for each in state["levels"]] == ["TR4"])
    expect("Lara is active", str(state["active"]).startswith("Lara"))
    blender.shot("kit")


@chapter
def appended(walk: Walk) -> None:
    """Append a model from another game's level."""
    blender, screen = walk.blender, walk.screen
    walk.open_level(walk.level)
    before = blender.ask("collections")
    walk.choose("File", "Import", "Tomb Raider", "Append from Level")
    walk.browse(walk.levels / NAMES["TR2"], "Append from Tomb", "append-browser")
    blender.find("Cancel")
    blender.still()
    blender.shot("append-dialog")
    blender.click("Sprites", walk.dialog())
    blender.still()
    blender.shot("append-sprites")
    blender.click("Models", walk.dialog())
    blender.still()
    x, y = blender.find("Sounds", walk.dialog())
    walk.write((x - 150, y + 25), "dober")
    blender.still()
    x, y = blender.find("Doberman", walk.dialog())
    screen.click((x - 68, y))
    blender.still()
    blender.shot("append-chosen")
    walk.confirm("Append")
    state = blender.wait("Something is appended", lambda _: blender.ask("collections") != before)
    expect("It is selected", state["selected"])
    blender.shot("appended")
    blender.press("Add Entity of This Model")
    blender.wait("An entity of it is added", lambda state: state["kind"] == "ENTITY")
    blender.shot("appended-entity")


@chapter
def replaced(walk: Walk) -> None:
    """Replace Lara's outfit by another game's, and an enemy's model by another one."""
    blender = walk.blender
    walk.open_level(walk.level)
    walk.choose("File", "Import", "Tomb Raider", "Other", "Lara's Outfit from")
    before = blender.ask("meshes", name=LARA)
    walk.browse(walk.levels / NAMES["TR4"], "Replace Lara's", "outfit-browser")
    blender.wait("Lara wears it", lambda _: blender.ask("meshes", name=LARA) != before)
    blender.shot("outfit")
    walk.select_enemy()
    before = blender.ask("meshes", name=ENEMY)
    blender.press("Replace")
    blender.press("Replace Model")
    blender.find("Model", walk.dialog())
    blender.shot("replace-dialog")
    blender.click("Another File", walk.dialog())
    blender.click("This Scene")
    blender.still()
    rows = sorted(blender.words("Model", walk.dialog()), key=lambda place: place[1])
    walk.write((rows[-1][0] + 150, rows[-1][1]), "Door 1")
    walk.confirm("OK", "replace-chosen")
    blender.wait("It looks as a door", lambda _: blender.ask("meshes", name=ENEMY) != before)
    blender.shot("replaced-model")


@chapter
def drawn(walk: Walk) -> None:
    """Draw a room from its sectors, and raise a block, which the drawing follows."""
    blender, screen = walk.blender, walk.screen
    walk.open_level(walk.level)
    blender.click_floor(HALL)
    blender.shot("hall")
    before = blender.obj(HALL)["vertices"]
    blender.open_panel("Mesh and Sectors", "Room from Sectors")
    blender.press("Room from Sectors")
    blender.wait("The room is drawn anew", lambda _: blender.obj(HALL)["vertices"] != before)
    blender.shot("drawn")
    blender.press("Cut to Sectors")
    blender.still()
    blender.shot("cut")
    blender.hover_view()
    screen.key("ctrl+z", "ctrl+z")
    blender.wait("Ctrl+Z takes both back", lambda _: blender.obj(HALL)["vertices"] == before)


@chapter
def split(walk: Walk) -> None:
    """Split a large mesh into rooms, without a level."""
    blender, screen = walk.blender, walk.screen
    walk.new_file()
    _open_tab(walk)
    screen.click(blender.point(CUBE))
    blender.wait("A click selects the cube", lambda state: state["selected"] == [CUBE])
    _make_large(walk, _HOUSE)
    blender.press("Split into Rooms")
    walk.confirm("OK", "split-dialog")
    state = blender.wait("There are rooms", lambda state: state["levels"] and state["kind"] == "ROOM", 180)
    expect("There are several", len(state["selected"]) > 3)
    screen.move((screen.middle[0], 3))
    blender.shot("split")
    blender.press("Make Level Material")
    blender.still()
    expect("It says nothing of materials any more", not blender.words("Make Level Material", _sidebar(walk)))
    blender.shot("level-materials")


@chapter
def objects(walk: Walk) -> None:
    """Open the lists of *Add*: doors, switches, enemies, traps, each with search."""
    blender, screen = walk.blender, walk.screen
    walk.open_level(walk.levels / NAMES["TR4"])
    for label in ("Door", "Switch", "Enemy", "Trap", "Static Mesh", "Sprite"):
        view = left, top, width, height = blender.open_view()
        screen.move((left + width // 3, top + height // 3))
        before = set(blender.state()["names"])
        screen.key("shift+a")
        blender.find("Armature", view)
        blender.still()
        blender.click("Tomb Raider", view)
        blender.find("Trigger", view)
        blender.still()
        if label == "Door":
            blender.shot("add-menu")
        blender.click(label, view)
        blender.still()
        blender.shot(f"add-{label.lower().replace(' ', '-')}")
        if set(blender.state()["names"]) == before:
            screen.key("Return")
            blender.still()
        blender.shot(f"added-{label.lower().replace(' ', '-')}")


@chapter
def script(walk: Walk) -> None:
    """Write the script entry of a level."""
    blender = walk.blender
    walk.open_level(walk.levels / NAMES["TR4"])
    walk.choose_tool("Write Script Entry")
    walk.confirm("Write", "script-dialog")
    blender.wait("A window shows the text", lambda state: "TEXT_EDITOR" in state["windows"])
    blender.shot("script-entry")


def _sidebar(walk: Walk) -> Any:
    return walk.blender.area("VIEW_3D", "UI")


def _open_tab(walk: Walk) -> None:
    """Open the sidebar, and the extension's tab."""
    blender, screen = walk.blender, walk.screen
    blender.hover("VIEW_3D", "WINDOW")
    if not blender.state()["views"][0]["sidebar"]:
        screen.key("n")
        blender.wait("N opens the sidebar", lambda state: state["views"][0]["sidebar"])
    blender.still()
    left, top, width, _ = _sidebar(walk)
    screen.click((left + width - 10, top + 180))  # tabs are written sideways; this is the fourth one
    blender.wait("A click opens the tab", lambda state: state["views"][0]["tab"] == "Tomb Raider")
    blender.still()


def _add_cube(walk: Walk) -> None:
    blender, screen = walk.blender, walk.screen
    view = left, top, width, height = blender.open_view()
    screen.move((left + width // 3, top + height // 3))
    screen.key("shift+a")
    blender.find("Armature", view)
    blender.still()
    blender.click("Mesh", view)
    blender.find("Ico Sphere", view)
    blender.still()
    blender.click(CUBE, view)
    blender.wait("A cube is added", lambda state: state["active"] == CUBE)


def _make_large(walk: Walk, size: float) -> None:
    """Scale the selected cube of 2 m to a size."""
    blender, screen = walk.blender, walk.screen
    name = blender.state()["active"]
    blender.hover_view()
    screen.key("s")
    screen.type(f"{size / 2:g}")
    screen.key("Return")
    blender.wait("S makes it larger", lambda _: abs(_length(walk, name) - size) < 0.1)


def _move_next_to(walk: Walk, room: str) -> None:
    """Move the selection to the end of a room along x, on its floor."""
    blender, screen = walk.blender, walk.screen
    name = blender.state()["active"]
    low, (low_room, high_room) = _box(walk, name)[0], _box(walk, room)
    goal = (high_room[0], low_room[1], low_room[2])
    for axis in range(3):
        blender.hover_view()
        screen.key("g", "xyz"[axis])
        screen.type(f"{goal[axis] - low[axis]:.4f}")
        screen.key("Return")
        blender.still()
    low = _box(walk, name)[0]
    expect("It stands there", all(abs(low[axis] - goal[axis]) < 0.01 for axis in range(3)))
    screen.key("Home")
    blender.still()


def _box(walk: Walk, name: str) -> tuple[list[float], list[float]]:
    """Return the minimum and maximum of x, y and z of a mesh in world space."""
    axes = list(zip(*walk.blender.obj(name)["vertices"], strict=True))
    return [min(axis) for axis in axes], [max(axis) for axis in axes]


def _length(walk: Walk, name: str) -> float:
    low, high = _box(walk, name)
    return high[0] - low[0]


def _count(state: dict[str, Any], start: str) -> int:
    return sum(name.startswith(start) for name in state["names"])
