"""Damage to files, rooms, floor data and boxes."""

from __future__ import annotations

from functools import partial

import numpy as np

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.levels.floor.functions import ActionType
from io_tomb_raider.formats.levels.level.level import PROTECTED_TR4

from .edits import add_list, breaks, put, trigger

_OLD, _NEW = (Game.TR1, Game.TR2, Game.TR3), (Game.TR4, Game.TR5)
_MOST_BULBS = 20
_FOG = 4


# --- Files ---------------------------------------------------------------------------------------------

breaks("bright palette", Game.TR1)(lambda level: setattr(level, "palette", level.palette | 0x40))
breaks("form for TRX", Game.TR4)(lambda level: setattr(level, "version", PROTECTED_TR4))
breaks("data after the end", Game.TR4)(lambda level: setattr(level, "footer", np.zeros(8, np.uint8)))
breaks("sample indices for TRX", Game.TR4)(
    lambda level: setattr(level, "sample_indices", np.append(level.sample_indices, level.sample_indices[:1]))
)
breaks("bump pages", Game.TR4, also="page counts")(lambda level: setattr(level, "bump_textiles", 1))
breaks("level settings", Game.TR5)(lambda level: setattr(level, "weather", 9))


def _end(level: Level, data: bytes) -> None:
    level.footer = np.frombuffer(data, np.uint8)


breaks("end of file", *_OLD, keep=lambda level: _end(level, b"TRXJ block"))(lambda level: _end(level, b"TR"))
breaks("black entry", Game.TR3)(lambda level: setattr(level, "palette16", level.palette16 | 4))
breaks("page forms", Game.TR2, Game.TR3)(lambda level: setattr(level, "textiles8", level.textiles8[:-1]))
breaks("page forms", Game.TR2, Game.TR3)(lambda level: setattr(level, "textiles16", level.textiles16[:-1]))


@breaks("room words", Game.TR1, Game.TR4)
def _miscounted(level: Level) -> None:
    stored, words = level.rooms[0].geometry_words
    level.rooms[0].geometry_words = (stored + 1, words)


# --- Rooms and portals ---------------------------------------------------------------------------------


@breaks("room on the grid", *Game)
def _off_grid(level: Level) -> None:
    level.rooms[0].x += 1


@breaks("world size", Game.TR3, *_NEW, also="box of a sector, column target, static mesh outside")
def _far_away(level: Level) -> None:
    level.rooms[0].x = 200 * 1024


@breaks("portal direction", *Game, also="corner sense")
def _slanted(level: Level) -> None:
    put(level.rooms[0], "portals", 0, normal=(1, 1, 0))


@breaks("flat portal", *Game)
def _bent(level: Level) -> None:
    portals = level.rooms[0].portals.copy()
    axis = int(np.abs(portals["normal"][0]).argmax())
    portals["vertices"][0, 0, axis] += 100
    level.rooms[0].portals = portals


@breaks("corner sense", *Game)
def _reversed(level: Level) -> None:
    put(level.rooms[0], "portals", 0, vertices=level.rooms[0].portals["vertices"][0, ::-1])


def _begin_with_least_corners(level: Level) -> None:
    for room in level.rooms:
        portals = room.portals.copy()
        for row in np.flatnonzero(portals["normal"][:, 1] < 0).tolist():
            corners = portals["vertices"][row]
            first = int(corners[:, [0, 2]].sum(axis=1).argmin())
            portals["vertices"][row] = np.roll(corners, -first, axis=0)
        room.portals = portals


@breaks("first corner of floor portals", Game.TR5, keep=_begin_with_least_corners)
def _begin_with_another_corner(level: Level) -> None:
    portals = level.rooms[0].portals.copy()
    row = int(portals["normal"][:, 1].argmin())
    portals["vertices"][row] = np.roll(portals["vertices"][row], 1, axis=0)
    level.rooms[0].portals = portals


breaks("reverberation", *_NEW, keep=lambda level: setattr(level.rooms[0], "reverb", 4))(
    lambda level: setattr(level.rooms[0], "reverb", 5)
)


def _have_bulbs(level: Level, count: int) -> None:
    for room in level.rooms:
        room.lights = room.lights[room.lights["type"] != _FOG]
    bulbs = np.repeat(level.rooms[0].lights[:1], count)
    bulbs["type"] = _FOG
    level.rooms[1].lights = bulbs


breaks("fog bulbs", Game.TR4, keep=lambda level: _have_bulbs(level, _MOST_BULBS))(
    lambda level: _have_bulbs(level, _MOST_BULBS + 1)
)


@breaks("vertex count of rooms", Game.TR5)
def _no_vertex_count(level: Level) -> None:
    put(level.rooms[0], "header", (), vertices=0)


@breaks("room position", Game.TR5)
def _moved_header(level: Level) -> None:
    header = level.rooms[0].header
    put(level.rooms[0], "header", (), position=header["position"] + np.array([0, 0, 1024], np.float32))


@breaks("layer bounds", Game.TR5)
def _low_bounds(level: Level) -> None:
    bounds = level.rooms[0].layers["bounds"][1].copy()
    bounds[0] += 1024
    put(level.rooms[0], "layers", 1, bounds=bounds)


@breaks("water vertices", Game.TR5)
def _all_wet(level: Level) -> None:
    layers = level.rooms[0].layers
    put(level.rooms[0], "layers", 0, water_vertices=layers["vertices"][0], shore_vertices=1)


def _add_room(level: Level, size: tuple[int, int]) -> None:
    """Add a room of walls."""
    room = level.rooms[0].copy()
    for name in ("portals", "static_meshes", "lights", "sprites", "quads", "triangles", "vertices", "layers"):
        if room.has(name):
            setattr(room, name, getattr(room, name)[:0])
    sectors = room.sectors
    room.sectors = np.repeat(sectors[sectors["floor"] == -127][:1], size[0] * size[1])
    room.x_sectors, room.z_sectors = size
    level.rooms = [*level.rooms, room]


for _size in ((2, 3), (3, 2)):
    breaks("least room", *Game, keep=partial(_add_room, size=(3, 3)))(partial(_add_room, size=_size))


# --- Floor data and triggers ---------------------------------------------------------------------------

_TRACKS = {Game.TR1: 64, Game.TR2: 64, Game.TR3: 128, Game.TR4: 128, Game.TR5: 136}
_CAMERAS, _SECRETS = 128, 16


def _action(kind: ActionType, parameter: int) -> int:
    return int(kind) << 10 | parameter


def _play(level: Level, track: int) -> None:
    add_list(level, *trigger(_action(ActionType.SOUNDTRACK, track)))


def _look(level: Level, camera: int) -> None:
    add_list(level, *trigger(_action(ActionType.CAMERA, camera), 0))


def _find(level: Level, *secrets: int) -> None:
    add_list(level, *trigger(*(_action(ActionType.SECRET, secret) for secret in secrets)))


breaks("one trigger", *Game, keep=lambda level: add_list(level, *trigger(_action(ActionType.OBJECT, 1))))(
    lambda level: add_list(level, 0x0004, 0x3F00, 0x8001, *trigger(_action(ActionType.OBJECT, 1)))
)
breaks("tracks", *Game, keep=lambda level: _play(level, _TRACKS[level.game] - 1))(
    lambda level: _play(level, _TRACKS[level.game])
)
breaks("cameras of triggers", *Game, keep=lambda level: _look(level, _CAMERAS - 1))(
    lambda level: _look(level, _CAMERAS)
)
_GAMES_OF_SECRETS = (Game.TR1, Game.TR3, *_NEW)
breaks("secrets", *_GAMES_OF_SECRETS, keep=lambda level: _find(level, 0, 1))(lambda level: _find(level, 3))
breaks("secrets", *_GAMES_OF_SECRETS, keep=lambda level: _find(level, *range(_SECRETS)))(
    lambda level: _find(level, _SECRETS)
)


# --- Boxes ---------------------------------------------------------------------------------------------

breaks("boxes", *Game)(lambda level: setattr(level, "boxes", level.boxes[:0]))
_MOST_BOXES = 2047


@breaks("box of a sector", *Game)
def _box_of_another_room(level: Level) -> None:
    row, other = (int(np.flatnonzero(room.sectors["floor"] != -127)[0]) for room in level.rooms[:2])
    put(level.rooms[0], "sectors", row, box=level.rooms[1].sectors["box"][other])


@breaks("mutual overlaps", *Game, places=2)  # there, and back from the former neighbor
def _one_way(level: Level) -> None:
    stays = level.overlaps[0] & 0x8000
    others = set(range(len(level.boxes))) - {int(level.overlaps[0] & 0x7FF)}
    level.overlaps = np.append(stays | max(others), level.overlaps[1:]).astype(np.uint16)


def _have_boxes(level: Level, count: int) -> None:
    """Add boxes without neighbors."""
    box = level.boxes[:1].copy()
    box["overlap"] = 0x7FF
    level.boxes = np.append(level.boxes, np.repeat(box, count - len(level.boxes)))


breaks("reserved box", Game.TR3, *_NEW, keep=lambda level: _have_boxes(level, _MOST_BOXES))(
    lambda level: _have_boxes(level, _MOST_BOXES + 1)
)


@breaks("boxes of walls", *Game)
def _box_of_wall(level: Level) -> None:
    """Make a wall of the last open sector, and leave it its box."""
    sectors = level.rooms[0].sectors
    is_open = (sectors["floor"] != -127) & (sectors["room_below"] == 255) & (sectors["floor_data"] == 0)
    put(level.rooms[0], "sectors", int(np.flatnonzero(is_open)[-1]), floor=-127, ceiling=-127)
