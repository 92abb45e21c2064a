"""Requirements of a generated level, checked in its file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.base.units import CLICK, SECTOR_SIZE
from io_tomb_raider.formats.levels.floor.floor_data import decode
from io_tomb_raider.formats.levels.floor.functions import ActionType, Trigger, TriggerType
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from tests.level_rules import (
    broken_indices,
    lonely_portals,
    lost_openings,
    one_way_openings,
    one_way_overlaps,
    sectors_without_box,
)

from .building import BLOCK_CLICKS

_ROOMS = 4
_WATER = 1
_RULES: tuple[tuple[str, Callable[[Level], Any]], ...] = (
    ("numbers that name nothing", broken_indices),
    ("portals without one back", lonely_portals),
    ("openings that lead nowhere", lost_openings),
    ("openings that lead one way only", one_way_openings),
    ("floors without a box", sectors_without_box),
    ("overlaps that go one way only", one_way_overlaps),
)


def broken_rules(level: Level) -> list[str]:
    """Return the broken rules of levels, and where."""
    return [f"{what}: {broken}" for what, rule in _RULES if (broken := rule(level))]


def problems(level: Level, missing: list[str]) -> list[str]:
    """Return the problems of a level of :class:`.building.LevelBuilder`.

    Args:
        level: the exported level.
        missing: the parts that its kit did not have.
    """
    found = broken_rules(level)
    expected = [
        ("rooms", _ROOMS, len(level.rooms)),
        ("rooms with water", 1, sum(bool(room.flags & _WATER) for room in level.rooms)),
        ("Laras", 1, int((level.entities["type"] == 0).sum())),
        ("portals", 6, sum(len(room.portals) for room in level.rooms)),
        ("lights", _ROOMS, sum(len(room.lights) for room in level.rooms)),
        ("flat shaded rooms", 0, sum(is_flat(room) for room in level.rooms)),
        ("blocks", 1, sum(_blocks(room) for room in level.rooms if _is_home(room))),
        ("sides of blocks", 4, sum(_sides(level, room) for room in level.rooms if _is_home(room))),
        ("faces of the water's surface", 2 * 9, sum(_surface(level, room) for room in level.rooms)),
    ]
    has_door = not {"a door", "a switch"} & set(missing)
    has_enemy = "an enemy" not in missing
    has_pickup = "a pickup" not in missing
    expected.append(("entities", 1 + 2 * has_door + has_enemy + has_pickup, len(level.entities)))
    triggers = _triggers(level)
    actions = [action for each in triggers for action in each.actions]
    switches = [each for each in triggers if each.type == TriggerType.SWITCH]
    expected += [
        ("triggers", 2 + has_door + has_enemy, len(triggers)),
        ("switches", int(has_door), len(switches)),
        ("actions on entities", has_door + has_enemy, sum(a.type == ActionType.OBJECT for a in actions)),
        ("secrets", 1, sum(a.type == ActionType.SECRET for a in actions)),
        ("ends", 1, sum(a.type == ActionType.END_LEVEL for a in actions)),
    ]
    return found + [f"{what}: {real}, not {wanted}" for what, wanted, real in expected if wanted != real]


def _is_home(room: Any) -> bool:
    return bool(room.x == room.z == 47 * SECTOR_SIZE)


def _blocks(room: Any) -> int:
    """Return the number of sectors of a room that are as high as the block."""
    return int((room.sectors["floor"] == -BLOCK_CLICKS).sum())


def _faces(level: Level, room: Any) -> NDArray[np.float64]:
    """Return the corners of the quads of a room in world coordinates, (n, 4, 3)."""
    quads, _ = decode_faces(level.game, room)
    places = np.stack([room.vertices[axis].astype(np.float64) for axis in "xyz"], axis=1)
    return np.asarray(places[quads.corners] + [room.x, room.y if level.game is Game.TR5 else 0, room.z])


def _sides(level: Level, room: Any) -> int:
    """Return the number of vertical faces between the floor of a room and the height of the block."""
    heights = _faces(level, room)[..., 1]
    return int(((heights.max(axis=1) == 0) & (heights.min(axis=1) == -BLOCK_CLICKS * CLICK)).sum())


def _surface(level: Level, room: Any) -> int:
    """Return the number of faces of a room at the surface of the pool."""
    low, high = (np.array(each) * SECTOR_SIZE for each in ((55, 0, 49), (58, 0, 52)))
    points = _faces(level, room)
    return int(((points >= low) & (points <= high)).all(axis=(1, 2)).sum())


def is_flat(room: Any) -> bool:
    """Return whether all vertices of a room have the same light, as without baking."""
    names = room.vertices.dtype.names
    light = room.vertices[next(each for each in ("color", "light", "light1") if each in names)]
    return len(np.unique(light, axis=0)) < 2


def _triggers(level: Level) -> list[Trigger]:
    lists = (
        decode(level.floor_data, start)
        for room in level.rooms
        for start in room.sectors["floor_data"].tolist()
    )
    return [function for each in lists for function in each if isinstance(function, Trigger)]
