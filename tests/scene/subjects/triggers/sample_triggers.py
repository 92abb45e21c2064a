"""Triggers of levels, and sample levels with chosen triggers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from bpy.types import Collection

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.levels.floor.editing import edit as edit_floor_data
from io_tomb_raider.formats.levels.floor.floor_data import decode, parse
from io_tomb_raider.formats.levels.floor.functions import Action, Function, Trigger, TriggerType
from io_tomb_raider.formats.levels.floor.grammar import RETAIL_RULES, Rules
from io_tomb_raider.formats.levels.level.footer import FLOOR_DATA_PLUGINS, split_footer
from io_tomb_raider.formats.levels.level.level import Variant
from tests.sample_levels import sample_bytes

from ...scenes import UNIT, objects

Place = tuple[int, int, int]
Triggers = dict[Place, tuple[Trigger, ...]]
SECTOR = 1024 * UNIT
WOLF, GUARD, SWITCH, DOOR = 1, 2, 3, 4  # entities of the sample levels
PAD = Trigger(TriggerType.PAD, timer=5, mask=21, actions=(Action(0, WOLF), Action(8, 9), Action(0, DOOR)))
FREE = (0, 4, 3)  # a sector without floor data


def rules_of(level: Level) -> Rules:
    return Rules(trng=True) if level.has_trng_footer else RETAIL_RULES


def functions_of(level: Level) -> dict[Place, tuple[Function, ...]]:
    """Return the functions of all sectors that have any, by room, x and z."""
    found = {}
    for number, room in enumerate(level.rooms):
        for place, index in enumerate(room.sectors["floor_data"].tolist()):
            if index:
                key = (number, *divmod(place, room.z_sectors))
                found[key] = decode(level.floor_data, index, rules_of(level))
    return found


def triggers_of(level: Level) -> Triggers:
    """Return the triggers of all sectors that have any, by room, x and z."""
    found = {}
    for place, functions in functions_of(level).items():
        triggers = tuple(each for each in functions if isinstance(each, Trigger))
        if triggers:
            found[place] = triggers
    return found


def with_functions(data: bytes, lists: Mapping[Place, Sequence[Function]], **fields: int) -> bytes:
    """Return a level with other functions on sectors (room, x, z), and other fields of their records."""
    level = read_level(data)
    sectors = [room.sectors["floor_data"].reshape(room.x_sectors, room.z_sectors) for room in level.rooms]
    edited = edit_floor_data(parse(level.floor_data, sectors, trng=level.has_trng_footer), sectors, lists)
    for number, (room, indices) in enumerate(zip(level.rooms, edited.sectors, strict=True)):
        room.sectors = room.sectors.copy()
        room.sectors["floor_data"] = indices.ravel()
        for x, z in (place[1:] for place in lists if place[0] == number):
            for name, value in fields.items():
                room.sectors[name][x * room.z_sectors + z] = value
    level.floor_data = edited.words
    return level.to_bytes()


def sample_with(game: Game, trigger: Trigger = PAD, place: Place = FREE) -> bytes:
    return with_functions(sample_bytes(game), {place: [trigger]})


def box_at(root: Collection, place: Place) -> Any:
    """Return the trigger object on a sector."""
    room = objects(root, "ROOM")[place[0]]
    for obj in objects(root, "TRIGGER"):
        if obj.parent == room:
            low = [round(obj.location[axis] / SECTOR - obj.scale[axis] / 2) for axis in (0, 1)]
            inside = (low[axis] <= place[1 + axis] < low[axis] + round(obj.scale[axis]) for axis in (0, 1))
            if all(inside):
                return obj
    raise AssertionError(f"no trigger at {place}")


def trng_level() -> bytes:
    """Return a TRNG level in which each word of the floor data has its own plugin number."""
    data = sample_bytes(Game.TR4, Variant.RETAIL, trng=True)
    effect = Trigger(0, actions=(Action(9, 46, 0x101), Action(11, 5, 0x22), Action(0, WOLF)))
    condition = Trigger(12, mask=3, actions=(Action(0, 6), Action(9, 3, 7)))
    data = with_functions(data, {FREE: [effect], (0, 5, 3): [condition]})
    level = read_level(data)
    head, footer = split_footer(level.footer.tobytes())
    assert footer is not None
    plugins = bytes(number % 251 for number in range(len(level.floor_data)))
    content = head + footer.with_chunk(FLOOR_DATA_PLUGINS, plugins).to_bytes()
    level.footer = np.frombuffer(content, np.uint8)
    return level.to_bytes()
