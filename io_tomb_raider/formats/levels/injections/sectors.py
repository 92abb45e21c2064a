"""Edits of an injection that are properties of sectors: rooms, climbing, split surfaces, turns of mine carts.

The level itself has an approximation, for engines that do not read injections: a plane for split surfaces,
and no opening to rooms above 254.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.errors import ExportError, FormatError
from ...base.games import Game
from ...base.messages import T
from ...base.schema.fields import Record
from ...base.units import CLICK
from ..collision.sectors import NO_ROOM, Sectors, supports
from ..collision.surfaces import Split, Surface, decode_surface, flatten, split_shape
from ..floor.columns import columns_of
from ..floor.floor_data import decode, encode
from ..floor.functions import Triangulation
from ..floor.grammar import END
from ..level.level import Level
from .kinds import BlockId, FloorEdit
from .trxj import Injection

# Sectors by the room and their index in it, with their edits in order.
SectorEdits = Mapping[int, Mapping[int, list[Record]]]
SECTOR_EDITS = frozenset(
    {FloorEdit.SECTOR, FloorEdit.PORTALS, FloorEdit.CLIMB, FloorEdit.SPLIT, FloorEdit.MINE_CART}
)
_MONKEY_SWING = 16
_TO_ROOMS = {"room_below": "room_below", "room_above": "room_above", "room_beyond": "portal"}
_CART = ("deferred", "beetle")  # the bits of turns
_LOWEST_SHIFT, _HIGHEST_SHIFT = 15, 16  # clicks from the plane down and up to a triangle of an edit


def level_edits(level: Level, injection: Injection | None) -> dict[int, dict[int, list[Record]]]:
    """Return the edits of sectors in a level's injection, without rooms that do not exist."""
    result: dict[int, dict[int, list[Record]]] = {}
    count = len(level.rooms)
    for record in [] if injection is None else injection.records(BlockId.FLOOR):
        edits = [edit for edit in record["edits"] if edit["type"] in SECTOR_EDITS]
        edits = renumbered(edits, lambda number: number if number < count else -1)
        if not edits or not 0 <= record["room"] < count:
            continue
        room = level.rooms[record["room"]]
        if record["x"] < room.x_sectors and record["z"] < room.z_sectors:
            index = record["x"] * room.z_sectors + record["z"]
            result.setdefault(record["room"], {}).setdefault(index, []).extend(edits)
    return result


def renumbered(edits: Sequence[Record], number: Callable[[int], int]) -> list[Record]:
    """Return edits with new numbers of rooms, -1 for none."""
    result = copy.deepcopy(list(edits))
    for edit in result:
        for name in _TO_ROOMS.keys() & edit.keys():
            edit[name] = number(edit[name]) if edit[name] >= 0 else -1
    return result


def with_edits(sectors: Sectors, records: NDArray[np.void], edits: Mapping[int, Sequence[Record]]) -> Sectors:
    """Return sectors as an engine sees them after edits.

    Args:
        sectors: of one or more rooms.
        records: (n,) their :data:`.records.SECTOR`.
        edits: by index of the sector.
    """
    if not edits:
        return sectors
    result = _copied(sectors)
    splits: dict[bool, dict[int, Triangulation]] = {False: {}, True: {}}
    for index, sector_edits in edits.items():
        for edit in sector_edits:
            _apply(result, index, edit, splits)
    for ceiling, shapes in splits.items():
        _apply_splits(result, records, ceiling, shapes)
    return result


def _copied(sectors: Sectors) -> Sectors:
    columns: dict[str, Any] = {}
    for field in fields(Sectors):
        column = getattr(sectors, field.name)
        is_surface = isinstance(column, Surface)
        columns[field.name] = copy.deepcopy(column) if is_surface else column.copy()
    return Sectors(**columns)


def _apply(
    sectors: Sectors, index: int, edit: Record, splits: Mapping[bool, dict[int, Triangulation]]
) -> None:
    kind = edit["type"]
    if kind in (FloorEdit.SECTOR, FloorEdit.PORTALS):
        for name, column in _TO_ROOMS.items():
            if name in edit:
                getattr(sectors, column)[index] = max(edit[name], -1)
    elif kind == FloorEdit.CLIMB:
        sectors.climb[index] = edit["climb"] % _MONKEY_SWING
        sectors.monkey_swing[index] = bool(edit["climb"] & _MONKEY_SWING)
    elif kind == FloorEdit.MINE_CART:
        for bit, name in enumerate(_CART):
            getattr(sectors, name)[index] = bool(edit["mine_cart"] >> bit & 1)
    else:
        for ceiling, name in ((False, "floor"), (True, "ceiling")):
            shape = None if edit[name] is None else _triangulation(edit[name], ceiling)
            if shape is not None:
                splits[ceiling][index] = shape


def _triangulation(words: Sequence[int], ceiling: bool) -> Triangulation | None:
    """Return the shape of words as in floor data, or None if they are none."""
    try:
        (function,) = decode(np.array([0, words[0] | END, words[1]], np.uint16), 1)
    except FormatError:
        return None
    return function if isinstance(function, Triangulation) and function.ceiling == ceiling else None


def _apply_splits(
    sectors: Sectors, records: NDArray[np.void], ceiling: bool, shapes: Mapping[int, Triangulation]
) -> None:
    indices = np.array([index for index in shapes if not sectors.wall[index]], np.int64)
    if not len(indices):
        return
    columns = columns_of([(shapes[index],) for index in indices.tolist()])
    name = "ceiling" if ceiling else "floor"
    numbers, walls = np.arange(len(indices)), np.zeros(len(indices), np.bool_)
    decoded = decode_surface(records[name][indices], numbers, len(indices), columns, walls, ceiling)
    surface: Surface = getattr(sectors, name)
    surface.heights[indices] = decoded.heights
    surface.split[indices], surface.open_triangle[indices] = decoded.split, decoded.open_triangle


# --- Export ----------------------------------------


def native_sectors(sectors: Sectors, game: Game) -> Sectors:
    """Return the nearest sectors that a level of a game can store without edits."""
    result = _copied(sectors)
    for name in ("room_below", "room_above"):
        column = getattr(result, name)
        column[column >= NO_ROOM] = -1
    for name in ("climb", "monkey_swing", *_CART):
        if not supports(game, name):
            getattr(result, name)[:] = 0
    if not game.traits.has_triangulated_floors:
        flatten(result.floor, result.room_below)
        flatten(result.ceiling, result.room_above)
        _bring_near(result.floor, sectors.floor, result.wall, ceiling=False)
        _bring_near(result.ceiling, sectors.ceiling, result.wall, ceiling=True)
    return result


def _bring_near(plane: Surface, surface: Surface, wall: NDArray[np.bool_], *, ceiling: bool) -> None:
    """Move planes of split surfaces so far that edits reach both triangles from there."""
    edge = np.max if ceiling else np.min
    tops = edge(surface.heights, axis=2) // CLICK
    base = edge(plane.heights[:, 0], axis=1) // CLICK
    low, high = tops.max(axis=1) - _LOWEST_SHIFT, tops.min(axis=1) + _HIGHEST_SHIFT
    moves = (surface.split != Split.NONE) & ~wall & (low <= high)
    shift = np.where(moves, np.clip(base, low, np.maximum(low, high)) - base, 0)
    plane.heights += (shift * CLICK)[:, None, None].astype(plane.heights.dtype)


def needs_edits(sectors: Sectors, native: Sectors) -> NDArray[np.bool_]:
    """Return which sectors, (n,), may need edits next to those that the level stores."""
    differs = (sectors.floor.split != native.floor.split) | (sectors.ceiling.split != native.ceiling.split)
    for name in ("room_below", "room_above", "climb", "monkey_swing", *_CART):
        differs |= getattr(sectors, name) != getattr(native, name)
    return differs


def edits_of(
    sectors: Sectors, native: Sectors, records: NDArray[np.void], index: int, subject: str
) -> list[Record]:
    """Return the edits that a sector needs.

    Args:
        sectors: the sectors, rounded.
        native: those that the level stores, see :func:`native_sectors`.
        records: (n,) their records in the level. Edits of whole sectors repeat their heights.

    Raises:
        ExportError: if a split surface has no edit.
    """
    result: list[Record] = []
    record = records[index]
    rooms = {name: int(getattr(sectors, name)[index]) for name in ("room_below", "room_above")}
    if any(number != getattr(native, name)[index] for name, number in rooms.items()):
        result.append(
            {
                "type": FloorEdit.SECTOR,
                "floor_data": int(record["floor_data"]),
                "box": int(record["box"].astype(np.int16)),
                "room_below": rooms["room_below"],
                "floor": int(record["floor"]) * CLICK,
                "room_above": rooms["room_above"],
                "ceiling": int(record["ceiling"]) * CLICK,
            }
        )
    marks = ("climb", "monkey_swing")
    if any(getattr(sectors, name)[index] != getattr(native, name)[index] for name in marks):
        bits = int(sectors.climb[index]) + _MONKEY_SWING * int(sectors.monkey_swing[index])
        result.append({"type": FloorEdit.CLIMB, "climb": bits})
    splits = {
        name: _split_words(getattr(sectors, name), getattr(native, name), record, name, index, subject)
        for name in ("floor", "ceiling")
    }
    if any(splits.values()):
        result.append({"type": FloorEdit.SPLIT, **splits})
    if any(getattr(sectors, name)[index] != getattr(native, name)[index] for name in _CART):
        turns = sum(int(getattr(sectors, name)[index]) << bit for bit, name in enumerate(_CART))
        result.append({"type": FloorEdit.MINE_CART, "mine_cart": turns})
    return result


def _split_words(
    surface: Surface, native: Surface, record: Any, name: str, index: int, subject: str
) -> list[int] | None:
    """Return the words of a split surface relative to the height of the level's plane; None for planes."""
    if surface.split[index] == Split.NONE or surface.split[index] == native.split[index]:
        return None
    shape = split_shape(surface, index, name == "ceiling", subject, int(record[name]))
    if shape is None:
        return None
    try:
        words = encode([shape])
    except ExportError:
        what = T("floor") if name == "floor" else T("ceiling")
        problem = T("the triangles of its {what} are too far apart", what=what)
        raise ExportError(subject, problem) from None
    return [words[0] % END, words[1]]
