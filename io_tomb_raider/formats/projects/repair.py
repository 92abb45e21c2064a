"""Repair of the textures of walls in projects from before 2024."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..base.distinct import sorted_rows
from .joined import JoinedSectors
from .openings import UNLINKED, Ints, ProjectRooms
from .rooms import Room
from .shape import Face, RoomShape, Surface, face_keys
from .walls import SIDES


def _floor(shape: RoomShape) -> Surface:
    return shape.floor


def _ceiling(shape: RoomShape) -> Surface:
    return shape.ceiling


_SURFACES = (_floor, _ceiling)
# Of floors and ceilings, the part at the edge and the second one.
_PARTS = ((Face.QA, Face.FLOOR_2), (Face.WS, Face.CEILING_2))


def repaired_rooms(rooms: Sequence[Room]) -> list[Room]:
    """Return rooms with the faces that the editor shows: those of old files are repaired copies.

    Before January 2024, the editor named the parts of a wall by another rule if a split is beyond the space
    in front of the wall. As it does when it opens such a project, the texture of the part at the edge is
    copied to the second part, or removed there if the first has none.

    Args:
        rooms: the project's rooms. They are not changed.
    """
    old = [room for room in rooms if room.shape.old_walls]
    repaired = iter(_repaired(ProjectRooms(rooms), old) if old else ())
    return [
        replace(room, shape=replace(room.shape, faces=next(repaired))) if room.shape.old_walls else room
        for room in rooms
    ]


def _repaired(rooms: ProjectRooms, some: Sequence[Room]) -> list[NDArray[np.void]]:
    """Return the faces of rooms whose sectors are stored in the old form."""
    behind = rooms.behind_rooms(some)
    every = {id(room): room for room in some}
    every |= {id(each.room): each.room for _, each in behind if each.room is not None}
    joined = JoinedSectors(list(every.values()))
    count = sum(room.shape.wall.size for room in some)
    starts = dict(zip(every, joined.starts.tolist(), strict=False))
    at, there = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for room, each in behind:
        if each.room is not None:
            exists = each.others != UNLINKED
            at.append(each.sectors[exists] + starts[id(room)])
            there.append(each.others[exists] + starts[id(each.room)])
    through = np.arange(len(joined.wall))
    through[np.concatenate(at)] = np.concatenate(there)
    heights = [_heights(joined, surface) for surface in _SURFACES]
    pairs: list[NDArray[np.int64]] = []  # (sector, first face, second face)
    for surface, own_heights, against, sign, (first, second) in zip(
        _SURFACES, heights, reversed(heights), (1, -1), _PARTS, strict=True
    ):
        counts, splits, diagonals = _splits(joined, surface)
        split = np.flatnonzero(counts[:count] > 0)
        lines, diagonal = sign * splits[split], diagonals[split]
        opposite = (diagonal + 1) % 4
        level = sign * np.take_along_axis(own_heights[split], opposite[:, None], axis=1)
        for side, ((step_x, step_z), own_corners, corners) in SIDES.items():
            x, z = joined.x[split] + step_x, joined.z[split] + step_z
            exists = (x >= 0) & (z >= 0) & (x < joined.x_sectors[split]) & (z < joined.z_sectors[split])
            neighbor = np.where(exists, split + step_x + step_z * joined.x_sectors[split], 0)
            limits = sign * against[through[neighbor]][:, list(corners)]
            edges = lines[:, list(own_corners)]
            flat = (diagonal != 0) & ((opposite == own_corners[0]) | (opposite == own_corners[1]))
            beyond = (edges > limits).any(axis=1) | (flat & (edges > level).any(axis=1))
            chosen = split[exists & beyond]
            pairs.append(
                np.stack([chosen, np.full_like(chosen, first + side), np.full_like(chosen, second + side)], 1)
            )
    return _copied(some, joined.starts, np.concatenate(pairs))


def _heights(joined: JoinedSectors, surface: Callable[[RoomShape], Surface]) -> Ints:
    return joined.of(lambda shape: surface(shape).heights)


def _splits(joined: JoinedSectors, surface: Callable[[RoomShape], Surface]) -> tuple[Ints, Ints, Ints]:
    """Return the number of splits of sectors, the first one, (n, 4), and the diagonals."""
    return (
        joined.of(lambda shape: surface(shape).split_count),
        joined.of(lambda shape: surface(shape).splits[:, :, 0]),
        joined.of(lambda shape: surface(shape).diagonal),
    )


def _copied(some: Sequence[Room], starts: Ints, pairs: Ints) -> list[NDArray[np.void]]:
    """Return the faces of rooms with the texture of some faces copied to others.

    Args:
        some: the rooms.
        starts: the first sector of each.
        pairs: (n, 3): sector, of all rooms in a row, face, and the other face there.
    """
    records = np.concatenate([room.shape.faces for room in some])
    counts = [len(room.shape.faces) for room in some]
    room = np.repeat(np.arange(len(some)), counts)
    # Sectors that the room does not have stay as they are.
    sector = np.where(
        (records["sector"] >= 0) & (records["sector"] < np.diff(starts)[room]),
        records["sector"] + starts[room],
        UNLINKED,
    )
    key = face_keys(sector, records["face"])
    sources, targets = (face_keys(pairs[:, 0], pairs[:, column]) for column in (1, 2))
    # The last of equal faces counts.
    order = sorted_rows(key - key.min(initial=0))

    def last(keys: Ints) -> Ints:
        """Return the last face with each key, -1 for none."""
        if not len(order):
            return np.full(len(keys), UNLINKED)
        found = order[np.searchsorted(key[order], keys, side="right") - 1]
        return np.where(key[found] == keys, found, UNLINKED)

    source, target = last(sources), last(targets)
    result = records.copy()
    is_replaced, is_new = (source >= 0) & (target >= 0), (source >= 0) & (target < 0)
    result[target[is_replaced]] = records[source[is_replaced]]
    result["face"][target[is_replaced]] = pairs[is_replaced, 2]
    new = records[source[is_new]]
    new["face"] = pairs[is_new, 2]
    kept = ~np.isin(key, targets[source < 0])
    result = np.concatenate([result[kept], new])
    room = np.concatenate([room[kept], room[source[is_new]]])
    order = np.lexsort([result["sector"], room])
    ends = np.searchsorted(room[order], np.arange(len(some) + 1)).tolist()
    result = result[order]
    return [result[low:high] for low, high in pairwise(ends)]
