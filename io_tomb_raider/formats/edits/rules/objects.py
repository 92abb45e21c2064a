"""Rules of entities, AI objects and cameras."""

from __future__ import annotations

import numpy as np

from ...base.arrays.typing import Ints
from ...base.games import LARA
from ...base.messages import N_
from ...base.units import SECTOR_SIZE
from ...levels.views.decoded import Decoded
from . import needs
from .rule import (
    ALL,
    ENGINES,
    EVERYONE,
    OPENTOMB,
    ORIGINAL,
    TR3,
    TR4,
    TR5,
    Harm,
    Places,
    Rule,
    once_if,
    where,
)
from .view import actions_of

_SEQUENCES, _FLYBYS = {4: 8, 5: 16}, {4: 128, 5: 256}
_MOST_TRACKING, _TRACKS, _LOOKS = 16, 8, 2
_AI_TR3 = range(74, 82)
_MOST_ROPES = {4: (146, 5), 5: (146, 8)}
_QUARTER = 0x4000
_FIRST_AI = {4: range(398, 403), 5: range(378, 383)}


def _apart(checked: Decoded) -> Places:
    cameras = checked.level.flyby_cameras
    sequence, index = cameras["sequence"].astype(np.int64), cameras["index"].astype(np.int64)
    starts = np.append(True, np.diff(sequence) != 0)[: len(sequence)]
    is_split = len(np.unique(sequence)) != int(starts.sum())
    goes_back = (np.diff(index) <= 0) & ~starts[1:]
    return once_if(is_split or bool(goes_back.any()))


def _long_tracking(checked: Decoded) -> Places:
    cameras, result = checked.level.flyby_cameras, []
    for number in np.unique(cameras["sequence"]).tolist():
        rows = cameras[cameras["sequence"] == number]
        if rows["flags"][0] & _TRACKS and len(rows) > _MOST_TRACKING:
            result.append(number)
    return np.array(result, np.int64)


def _looked_at(checked: Decoded) -> Places:
    cameras = checked.level.flyby_cameras
    has_target = cameras["flags"] & _LOOKS != 0
    return once_if(bool((has_target & (cameras["timer"] >= len(checked.level.entities))).any()))


def _places(checked: Decoded) -> Ints:
    entities = checked.level.entities
    room, x, z = (entities[name].astype(np.int64) for name in ("room", "x", "z"))
    return checked.sector_at(room, x, z)


def _ai_objects(checked: Decoded) -> Places:
    level = checked.level
    objects, entities = level.ai_objects, level.entities
    positions = np.stack([entities[name].astype(np.int64) for name in ("x", "z", "room")], axis=1)
    taken = set(map(tuple, positions.tolist()))
    first = _FIRST_AI[level.game]
    lonely = [
        row
        for row, record in enumerate(objects)
        if int(record["type"]) in first
        and (int(record["x"]), int(record["z"]), int(record["room"])) not in taken
    ]
    return np.array(lonely, np.int64)


def _start(checked: Decoded) -> Places:
    level = checked.level
    rows = np.flatnonzero(level.entities["type"] == LARA)
    sectors = _places(checked)[rows]
    y = level.entities["y"][rows].astype(np.int64)
    inside = sectors >= 0
    in_wall = np.zeros(len(rows), np.bool_)
    in_wall[inside] = checked.sectors.wall[sectors[inside]]
    # Rooms above and below may continue the space.
    outside = np.zeros(len(rows), np.bool_)
    has_floor = inside & ~in_wall
    picked, feet = sectors[has_floor], y[has_floor]
    below = (checked.sectors.room_below[picked] < 0) & (feet > checked.floor_bottom[picked] + SECTOR_SIZE)
    above = (checked.sectors.room_above[picked] < 0) & (feet < checked.ceiling_top[picked] - SECTOR_SIZE)
    outside[has_floor] = below | above
    return rows[in_wall | outside]


def _called_ai(checked: Decoded) -> Places:
    actions, entities = actions_of(checked), checked.level.entities
    is_object = actions.kind == 0
    numbers = np.unique(actions.parameter[is_object])
    numbers = numbers[numbers < len(entities)]
    return numbers[np.isin(entities["type"][numbers], list(_AI_TR3))]


def _ropes(checked: Decoded) -> Places:
    slot, most = _MOST_ROPES[checked.level.game]
    return once_if(int((checked.level.entities["type"] == slot).sum()) > most)


def _turned_doors(checked: Decoded) -> Places:
    entities = checked.level.entities
    is_door = np.isin(entities["type"], needs.DOORS[checked.level.game])
    return where(is_door & (entities["angle"] % _QUARTER != 0))


def _off_center(checked: Decoded) -> Places:
    entities = checked.level.entities
    is_block = np.isin(entities["type"], needs.PUSHABLES[checked.level.game])
    middle = SECTOR_SIZE // 2
    is_off = (entities["x"] % SECTOR_SIZE != middle) | (entities["z"] % SECTOR_SIZE != middle)
    return where(is_block & is_off)


RULES = (
    Rule(
        "rooms of flybys",
        Harm.WRONG,
        TR4 | TR5,
        (ORIGINAL,),
        "flyby cameras are in rooms that do not exist",
        None,
    ),
    Rule(
        "order of flybys",
        Harm.WRONG,
        TR4 | TR5,
        (ORIGINAL, OPENTOMB),
        N_("the camera jumps: the cameras of a flyby sequence are not next to each other, in their order"),
        _apart,
    ),
    Rule(
        "number of flybys",
        Harm.CRASH,
        TR4 | TR5,
        (ORIGINAL,),
        "the original game overwrites other memory: there are too many flyby cameras or sequences",
        None,
        holds_in_trng=False,
    ),
    Rule(
        "tracking flybys",
        Harm.CRASH,
        TR4 | TR5,
        (ORIGINAL,),
        N_("the original game overwrites other memory: flyby sequences that follow Lara have 16 cameras"),
        _long_tracking,
    ),
    Rule(
        "target of flybys",
        Harm.CRASH,
        TR4 | TR5,
        (ORIGINAL,),
        N_("the original game reads other memory: a flyby camera looks at an entity that does not exist"),
        _looked_at,
    ),
    Rule("one Lara", Harm.WRONG, ALL, EVERYONE, "there is more than one Lara", None),
    Rule(
        "number of entities",
        Harm.CRASH,
        ALL,
        (ORIGINAL,),
        "the original game overwrites other memory: it has room for 256 entities",
        None,
        holds_in_trng=False,
    ),
    Rule(
        "entity outside",
        Harm.CRASH,
        ALL,
        EVERYONE,
        "engines read other memory: it is outside of the grid of its room",
        None,
        "entity",
    ),
    Rule(
        "entity type",
        Harm.CRASH,
        ALL,
        EVERYONE,
        "engines read other memory: the game has no such type of entity",
        None,
        "entity",
        holds_in_trng=False,
    ),
    Rule(
        "place of AI objects",
        Harm.COSMETIC,
        TR4 | TR5,
        (ORIGINAL,),
        N_("{count} AI objects have no effect: they are at the place of no enemy"),
        _ai_objects,
    ),
    Rule(
        "start of Lara",
        Harm.CRASH,
        ALL,
        EVERYONE,
        N_("Lara dies or falls at once: she is in a wall or below the floor"),
        _start,
        "entity",
    ),
    Rule(
        "triggered AI objects",
        Harm.CRASH,
        TR3,
        (ORIGINAL,),
        N_("the original game ends: a trigger activates it, and it is an AI object"),
        _called_ai,
        "entity",
    ),
    Rule(
        "ropes",
        Harm.CRASH,
        TR4 | TR5,
        (ORIGINAL,),
        N_("the original game overwrites other memory: there are too many ropes"),
        _ropes,
    ),
    Rule(
        "rooms of cameras",
        Harm.WRONG,
        ALL,
        EVERYONE,
        "the camera is in a room that does not exist",
        None,
        "camera",
    ),
    Rule(
        "boxes of sinks",
        Harm.CRASH,
        ALL,
        (ORIGINAL,),
        "the original game reads other memory: the sink has a box that does not exist",
        None,
        "camera",
    ),
    Rule(
        "Lara",
        Harm.MISSING,
        ALL,
        EVERYONE,
        "there is no Lara to play. A cutscene needs none",
        None,
    ),
    Rule(
        "look of entities",
        Harm.CRASH,
        ALL,
        EVERYONE,
        "its code runs with the animations of Lara: the level has no model and no sprite of its type",
        None,
        "entity",
    ),
    Rule(
        "direction of doors",
        Harm.WRONG,
        ALL,
        EVERYONE,
        N_("the door shuts another sector: it is not rotated by quarter turns"),
        _turned_doors,
        "entity",
        holds_in_trng=False,
    ),
    Rule(
        "place of pushable blocks",
        Harm.WRONG,
        ALL,
        ENGINES,
        N_("Lara cannot push the block: it is not in the middle of a sector. Use Snap to Grid"),
        _off_center,
        "entity",
    ),
)
