"""Chapters about rooms that are built by Blender's tools: their textures, and where Lara can walk."""

from __future__ import annotations

from collections.abc import Sequence
from math import dist
from pathlib import Path
from typing import Any

from .building import start_level
from .levels_of_games import NAMES, SHADES, TILE, TILE_COLORS, TILES
from .screen import SIZE
from .walk import HALL, Walk, chapter, expect

Point = Sequence[float]
_MOST_ACTIONS = 40  # for the textures of a room
_CLICK, _SIDE = 0.5, 2.0  # meters: a step of the game, a sector
_HIGH = 4  # clicks: the height of a wall's face, which Lara can stand in
# The new room of 6 by 6 sectors begins here. It is 4 sectors high.
_CORNER = (96.0, 96.0)
# What is built in it.
_BLOCK, _SLOPE = (103.0, 99.0), 106.0  # the middle of a block; the place along y where a slope begins
_DOOR = (_CORNER[0], 101.0)  # the middle of a door in the wall
# A wall of the hall of the generated level, and the direction to its back.
_WALL, _BACK = (42.0, 45.0, 1.0), (-1, 0)
_SHIFT_10 = 230  # pixels by which the area below the 3D view grows
_NEAR = 16  # between colors
# Corners of a tile: shades by place from the lower left.
_CORNER_SHADES = {(0, 1): SHADES[0], (1, 1): SHADES[1], (0, 0): SHADES[2], (1, 0): SHADES[3]}


@chapter
def texturing(walk: Walk) -> None:
    """Texture a room with a step, a slope and a door, in few actions, and export it."""
    blender, screen = walk.blender, walk.screen
    walk.new_file()
    room = start_level(walk, game="The Last Revelation")
    _build(walk, room)
    blender.shot("built")
    begun = screen.actions
    _open_tiles(walk)
    _texture(walk)
    used = screen.actions - begun
    print(f"texturing: {used} actions", flush=True)
    expect(f"The room is textured in under {_MOST_ACTIONS} actions, not {used}", used < _MOST_ACTIONS)
    screen.key("n")
    blender.shot("textured")
    for face in blender.ask("faces", name=room):
        name, is_mirrored = _wanted(face["middle"], face["normal"])
        where = f"{name} at {face['middle']}"
        left = TILE * list(TILE_COLORS).index(name)
        expect(f"The tile is the {where}", (face["image"], face["pixels"]) == (TILES, [left, 0, TILE, TILE]))
        expect(f"It is upright, {where}", _is_upright(face, is_mirrored=is_mirrored))
    (found,) = _exported(walk, "textured.tr4")
    shown = found["quads"]
    expect("All faces are in the file", len(shown) == len(blender.ask("faces", name=room)))
    for quad in shown:
        _check_colors(quad)
    floors, walls = found["floors"], found["walls"]
    at = _cell(found, _BLOCK)
    expect("Lara stands on the block", floors[at[0]][at[1]] == [1] * 4)
    at = _cell(found, (_DOOR[0] - 1, _DOOR[1]))
    expect("Lara can walk into the door", not walls[at[0]][at[1]] and floors[at[0]][at[1]] == [0] * 4)
    at = _cell(found, (_BLOCK[0], _SLOPE + 1))
    expect("She can walk up the slope", sorted(floors[at[0]][at[1]]) == [0, 0, 2, 2])
    _look(walk)
    blender.shot("room")


@chapter
def niche(walk: Walk) -> None:
    """Carve a niche into a wall of an imported room, and find it in the exported level."""
    blender, screen = walk.blender, walk.screen
    walk.open_level(walk.levels / NAMES["TR1"])
    blender.click_floor(HALL)
    blender.open_panel("Mesh and Sectors", "Room from Sectors")
    _, title = blender.in_sidebar("Show Differences")
    sidebar = blender.area("VIEW_3D", "UI")
    field = max(place for place in blender.words("Independent", sidebar) if place[1] < title)
    screen.click(field)
    blender.still()
    blender.shot("mesh-and-sectors")
    blender.click("Sectors Follow Mesh")
    blender.find("Sectors Follow Mesh", sidebar)
    before = walk.blender.ask("level", path=str(walk.levels / NAMES["TR1"]))[0]
    enter_faces(walk)
    _select_face(walk, HALL, _WALL)
    blender.shot("wall")
    screen.key("e")
    screen.type(f"{-_SIDE:g}")
    screen.key("Return")
    blender.still()
    blender.shot("differences")
    screen.key("alt+h", "Tab")
    blender.wait("Tab leads back to object mode", lambda state: state["mode"] == "OBJECT")
    _wait_for_sectors(walk, HALL)
    blender.shot("niche")
    after = _exported(walk, "niche.phd")[0]
    inside = (_WALL[0] + _BACK[0], _WALL[1] + _BACK[1])
    _compare(before, after, inside)
    blender.open_panel("Check", "Compare All Rooms")  # its title has the findings of the export
    blender.press("Check Level")
    blender.still()
    blender.shot("niche-checked")
    expect("Nothing is apart", not blender.words("mesh and sectors", blender.area("VIEW_3D", "UI")))


# --- Building --------------------------------------------------------------------------------------


def _build(walk: Walk, room: str) -> None:
    """Build a step, a door without a leaf, and a slope along a wall, in edit mode."""
    blender, screen = walk.blender, walk.screen
    enter_faces(walk)
    _select_face(walk, room, (*_BLOCK, 0.0))
    type_after(walk, "e", f"{_CLICK:g}")
    _select_face(walk, room, (*_DOOR, 1.0))
    type_after(walk, "e", f"{-_SIDE:g}")
    screen.key("2")
    blender.still()
    screen.click(place_of(walk, (_BLOCK[0], _SLOPE + _SIDE, 0.0)), held="alt")
    blender.still(5)
    expect("A click with Alt selects the edges along the wall", blender.obj(room)["selected_vertices"] == 7)
    screen.key("g")
    type_after(walk, "z", f"{2 * _CLICK:g}")
    screen.key("alt+h", "Tab")
    blender.wait("Tab leads back to object mode", lambda state: state["mode"] == "OBJECT")
    _wait_for_sectors(walk, room)
    # 168 faces, 4 sides of the block and 4 of the door.
    expect("All is built", len(blender.ask("faces", name=room)) == 176)


def enter_faces(walk: Walk) -> None:
    """Edit faces of the active object, without those that face away, which clicks would select."""
    blender, screen = walk.blender, walk.screen
    blender.hover_view()
    screen.key("Tab")
    blender.wait("Tab leads to edit mode", lambda state: state["mode"] == "EDIT")
    screen.key("3", "alt+a")
    name = blender.state()["active"]
    for _ in range(3):  # the sidebar may still move
        blender.press("Hide Backfaces")
        blender.hover_view()
        blender.still()
        if blender.obj(name)["hidden_faces"]:
            return
    expect("Faces that face away are hidden", False)


def _select_face(walk: Walk, room: str, middle: Point) -> None:
    walk.screen.click(place_of(walk, middle))
    walk.blender.still(5)
    chosen = [face["middle"] for face in walk.blender.ask("faces", name=room) if face["selected"]]
    expect(f"A click selects the face at {middle}", len(chosen) == 1 and dist(chosen[0], middle) < 0.01)


def type_after(walk: Walk, key: str, text: str) -> None:
    """Press a key, type a number, and confirm it."""
    walk.screen.key(key)
    walk.screen.type(text)
    walk.screen.key("Return")
    walk.blender.still()


def place_of(walk: Walk, place: Point) -> tuple[int, int]:
    """Return the position of a point of the world in the 3D view. Raises StepError."""
    found = walk.blender.ask("place", place=list(place), height=SIZE[1])
    expect(f"{tuple(place)} is seen in the 3D view", found)
    return found[0], found[1]


def _wait_for_sectors(walk: Walk, room: str) -> None:
    """Wait until the timer has read the sectors of a room."""
    known: list[Any] = []

    def is_same(_: object) -> bool:
        known.append(walk.blender.obj(f"{room} Collision")["vertices"])
        return len(known) > 5 and known[-1] == known[-5]

    walk.blender.wait("Sectors follow the mesh", is_same)


# --- Texturing -------------------------------------------------------------------------------------


def _open_tiles(walk: Walk) -> None:
    """Turn the timeline into an Image Editor, open a tile set in it, and start the brush."""
    blender, screen = walk.blender, walk.screen
    left, top, width, _ = blender.area("TIMELINE")
    screen.drag((left + width // 3, top - 1), (left + width // 3, top - _SHIFT_10))
    blender.hover("TIMELINE")
    screen.key("shift+F10")
    blender.still()
    blender.click("Image", blender.area("IMAGE_EDITOR", "HEADER"))
    blender.click("Open Tile Set...")
    blender.wait("A file browser opens", lambda state: "FILE_BROWSER" in state["windows"])
    blender.still()
    left, top, width, height = blender.area("FILE_BROWSER", "UI")
    walk.write((left + width * 45 // 100, top + height // 2), str(walk.levels))
    blender.still()
    files = blender.area("FILE_BROWSER", "WINDOW")
    screen.double_click(blender.find(Path(TILES).name, files))
    blender.still()
    if "FILE_BROWSER" in blender.state()["windows"]:  # a slow Blender sees two clicks
        blender.click("Open Tile Set", blender.area("FILE_BROWSER", "EXECUTE"))
    blender.wait("The file browser closes", lambda state: "FILE_BROWSER" not in state["windows"])
    blender.still()
    expect("The tile set is shown", blender.ask("pixel", x=0, y=0, height=SIZE[1]))
    # The brush is the last tool.
    left, top, width, height = blender.area("VIEW_3D", "TOOLS")
    screen.click((left + 28, last_tool(walk)))
    blender.hover_view()
    blender.still()
    screen.key("n")  # the sidebar would cover a part of the room
    blender.shot("tile-set")


def last_tool(walk: Walk) -> int:
    """Return the height on the screen of the last button of the 3D view's toolbar in object mode."""
    return walk.blender.area("VIEW_3D")[1] + 424


def _texture(walk: Walk) -> None:
    """Put tiles on all faces: groups first, then what is different."""
    screen = walk.screen
    _choose(walk, "floor")
    _paint(walk, (99.0, 103.0, 0.0), "shift+ctrl")
    _choose(walk, "wall")
    _paint(walk, (_CORNER[0], 105.0, 3.0), "shift+ctrl")
    _choose(walk, "slope")
    _paint(walk, (_BLOCK[0], _SLOPE + 1, 0.5), "shift")
    _choose(walk, "top")
    _paint(walk, (*_BLOCK, _CLICK))
    _choose(walk, "side")
    _paint(walk, (_BLOCK[0] + 1, _BLOCK[1], 0.25))
    walk.blender.shot("painted")
    for view, x, y in (("ctrl+KP_Next", -1, 0), ("ctrl+KP_End", 0, 1), ("KP_End", 0, -1)):
        _view(walk, view)
        _paint(walk, (_BLOCK[0] + x, _BLOCK[1] + y, 0.25))
    _choose(walk, "frame")
    _paint(walk, (_DOOR[0] - 1, _DOOR[1] + 1, 1.0))
    screen.key("m")
    _view(walk, "ctrl+KP_End")
    _paint(walk, (_DOOR[0] - 1, _DOOR[1] - 1, 1.0))
    walk.blender.shot("mirrored")
    _choose(walk, "ceiling")
    _view(walk, "ctrl+KP_Home")
    _paint(walk, (101.0, 101.0, 8.0), "shift+ctrl")
    _choose(walk, "lintel")
    _paint(walk, (_DOOR[0] - 1, _DOOR[1], _SIDE))
    walk.blender.shot("ceiling")


def _choose(walk: Walk, name: str) -> None:
    """Click a tile in the Image Editor."""
    middle = TILE * (list(TILE_COLORS).index(name) + 0.5)
    place = walk.blender.ask("pixel", x=middle, y=TILE / 2, height=SIZE[1])
    expect(f"The tile {name} is seen", place)
    walk.screen.click((place[0], place[1]))
    walk.blender.still(5)


def _paint(walk: Walk, place: Point, held: str = "") -> None:
    """Click a face with the brush."""
    walk.screen.click(place_of(walk, place), held=held)
    walk.blender.still(5)


def _view(walk: Walk, key: str) -> None:
    walk.blender.hover_view()
    walk.screen.key(key)
    walk.blender.still()


def _look(walk: Walk) -> None:
    """Look at the room from above again."""
    walk.press_icon("Overview")
    walk.screen.move((walk.screen.middle[0], 3))
    walk.blender.still()


# --- What is expected ------------------------------------------------------------------------------


def _wanted(middle: Point, normal: Point) -> tuple[str, bool]:
    """Return the tile of a face of the room, and whether it is mirrored."""
    x, y, z = middle
    is_wall = abs(normal[2]) < 0.3
    if x < _CORNER[0]:  # in the door
        if is_wall and abs(normal[1]) > 0.9:
            return "frame", normal[1] > 0
        return ("wall" if is_wall else "lintel" if normal[2] < 0 else "floor"), False
    is_block = abs(x - _BLOCK[0]) < 1.01 and abs(y - _BLOCK[1]) < 1.01
    if is_wall:
        return ("side" if is_block and z < _CLICK else "wall"), False
    if normal[2] < 0:
        return "ceiling", False
    return ("top" if is_block else "slope" if y > _SLOPE else "floor"), False


def _is_upright(face: dict[str, Any], *, is_mirrored: bool) -> bool:
    """Return whether the top of a face's tile is up, and the tile is not mirrored, or is."""
    corners, z = face["corners"], face["normal"][2]
    winding = sum(
        one[3] * other[4] - other[3] * one[4]
        for one, other in zip(corners, [*corners[1:], corners[0]], strict=True)
    )
    if (winding < 0) != is_mirrored:  # corners go counterclockwise
        return False
    if abs(z) > 0.99:
        return True
    above, below = ([each[2] for each in corners if each[4] == end] for end in (1.0, 0.0))
    # Walls above the slope have a slanted edge.
    return min(above) > min(below)


def _check_colors(quad: dict[str, Any]) -> None:
    """Raise StepError unless a face of the file shows the colors of its tile at its corners."""
    corners = quad["corners"]
    middle = [sum(axis) / 4 for axis in zip(*corners, strict=True)]
    one, other = ([a - b for a, b in zip(corners[n], corners[0], strict=True)] for n in (1, 3))
    # Corners go clockwise in the file.
    normal = [other[a] * one[b] - other[b] * one[a] for a, b in ((1, 2), (2, 0), (0, 1))]
    length = dist(normal, (0, 0, 0))
    name, _ = _wanted(middle, [each / length for each in normal])
    shades = sorted(_CORNER_SHADES.values())
    wanted = [tuple(round(part * shade) for part in TILE_COLORS[name]) for shade in shades]
    found = sorted(quad["colors"], key=sum)
    where = f"{name} at {middle} has its tile's colors in the file, not {found}"
    expect(where, all(dist(a, b) < _NEAR for a, b in zip(wanted, found, strict=True)))


def _exported(walk: Walk, name: str) -> list[dict[str, Any]]:
    """Export the level by the sidebar, and return the rooms of the file."""
    target = walk.blender.folder / name
    target.unlink(missing_ok=True)
    walk.press_icon("Export")
    walk.browse(target, "Export Tomb Raider")
    walk.blender.wait("The exported file is there", lambda _: target.exists(), 120)
    walk.blender.still()
    rooms: list[dict[str, Any]] = walk.blender.ask("level", path=str(target))
    return rooms


def _cell(room: dict[str, Any], place: Point) -> tuple[int, int]:
    """Return the sector of a room at a place."""
    x, y = (int((place[axis] - room["place"][axis]) // _SIDE) for axis in (0, 1))
    return x, y


def _compare(before: dict[str, Any], after: dict[str, Any], inside: Point) -> None:
    """Raise StepError unless one sector more of a room is open: a niche that Lara can walk into."""
    x, y = _cell(after, inside)
    expect("The niche is open", not after["walls"][x][y])
    expect("Its floor is level with that of the room", after["floors"][x][y] == [0] * 4)
    expect("Lara can stand in it", after["ceilings"][x][y] == [_HIGH] * 4)
    opened = 0
    for column, walls in enumerate(after["walls"]):
        for row, is_wall in enumerate(walls):
            old = _cell(
                before, [after["place"][0] + (column + 0.5) * _SIDE, after["place"][1] + (row + 0.5) * _SIDE]
            )
            known = 0 <= old[0] < len(before["walls"]) and 0 <= old[1] < len(before["walls"][0])
            was_wall = not known or before["walls"][old[0]][old[1]]
            opened += was_wall and not is_wall
            expect(f"Sector {column}, {row} is no new wall", was_wall or not is_wall)
            if not was_wall:
                for kind in ("floors", "ceilings"):
                    same = after[kind][column][row] == before[kind][old[0]][old[1]]
                    expect(f"The {kind} of sector {column}, {row} are as before", same)
    expect("It is the only new one", opened == 1)
