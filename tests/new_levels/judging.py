"""What is asked of a level that was built from nothing, by its file alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from io_tomb_raider.formats import Level
from io_tomb_raider.formats.floor.floor_data import decode
from io_tomb_raider.formats.floor.functions import ActionType, Trigger, TriggerType
from tests.level_rules import (
    broken_indices,
    lonely_portals,
    lost_openings,
    one_way_openings,
    one_way_overlaps,
    sectors_without_box,
)

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
    """Return which rules a level breaks that every level has to keep, and where."""
    return [f"{what}: {broken}" for what, rule in _RULES if (broken := rule(level))]


def problems(level: Level, missing: list[str]) -> list[str]:
    """Return what is wrong with a level that :class:`.building.LevelBuilder` has built.

    Args:
        level: as it was read back.
        missing: what its kit did not have.
    """
    found = broken_rules(level)
    expected = [
        ("rooms", _ROOMS, len(level.rooms)),
        ("rooms with water", 1, sum(bool(room.flags & _WATER) for room in level.rooms)),
        ("Laras", 1, int((level.entities["type"] == 0).sum())),
        ("portals", 6, sum(len(room.portals) for room in level.rooms)),
        ("lights", _ROOMS, sum(len(room.lights) for room in level.rooms)),
        ("flat shaded rooms", 0, sum(is_flat(room) for room in level.rooms)),
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


def is_flat(room: Any) -> bool:
    """Tell whether the light of all vertices of a room is the same, as where none was baked."""
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
