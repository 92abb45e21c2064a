"""Repair of the textures of walls in projects from before 2024."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ....base.arrays.typing import Ints, Records
from ..model.objects import Direction
from ..model.rooms import ProjectRoom
from ..model.shape import Diagonal, Face, RoomShape, SectorSide, face_keys
from .openings import ProjectRooms, diagonals
from .portal_sectors import UNLINKED, Behind, sectors_behind
from .walls import SIDES

# The order in which the editor repairs the sides of a sector: it is that of new faces.
_ORDER = (SectorSide.NEGATIVE_X, SectorSide.POSITIVE_X, SectorSide.NEGATIVE_Z, SectorSide.POSITIVE_Z)
# The sides that have the flat triangle of each diagonal.
_FLAT_SIDES: dict[int, tuple[SectorSide, SectorSide]] = {
    Diagonal.XNZP: (SectorSide.NEGATIVE_Z, SectorSide.POSITIVE_X),
    Diagonal.XPZN: (SectorSide.NEGATIVE_X, SectorSide.POSITIVE_Z),
    Diagonal.XPZP: (SectorSide.NEGATIVE_Z, SectorSide.NEGATIVE_X),
    Diagonal.XNZN: (SectorSide.POSITIVE_Z, SectorSide.POSITIVE_X),
}


def repaired_rooms(rooms: Sequence[ProjectRoom]) -> list[ProjectRoom]:
    """Return rooms with the faces that the editor shows: those of old files are repaired copies.

    Before January 2024, the editor named the parts of a wall by another rule if a split is beyond the space
    in front of the wall. As it does when it opens such a project, the texture of the part at the edge is
    copied to the second part, or removed there if the first has none. The given rooms are not changed.
    """
    old = [
        room
        for room in rooms
        if room.shape.old_walls
        and (room.shape.floor.split_count.any() or room.shape.ceiling.split_count.any())
    ]
    if not old:
        return list(rooms)
    parts = parts_beyond(ProjectRooms(rooms), old)
    pairs = {id(room): each for room, each in zip(old, parts, strict=True) if len(each)}
    return [
        replace(room, shape=replace(room.shape, faces=_copied(room.shape.faces, pairs[id(room)])))
        if id(room) in pairs
        else room
        for room in rooms
    ]


def parts_beyond(project: ProjectRooms, rooms: Sequence[ProjectRoom]) -> list[Ints]:
    """Return the wall parts that the old rule names otherwise: their splits are beyond the space in front.

    Returns:
        For each room (n, 3): a sector, the face of the part at the edge, and that of the second part, which
        shows the texture of the first by the new rule.
    """
    portals = [
        (room, portal, project.by_number.get(portal.room))
        for room in rooms
        for portal in project.links(room).portals
        if portal.direction not in (Direction.FLOOR, Direction.CEILING)
    ]
    behind: dict[int, list[Behind]] = {id(room): [] for room in rooms}
    for (room, _, _), each in zip(portals, sectors_behind(portals), strict=True):
        behind[id(room)].append(each)
    return [_beyond(room, behind[id(room)]) for room in rooms]


def _beyond(room: ProjectRoom, portals: Sequence[Behind]) -> Ints:
    """Return the pairs of one room. `portals`: the sectors behind its wall portals, of base rooms."""
    shape = room.shape
    behind = _through_walls(room, portals)
    pairs = [np.zeros((0, 3), np.int64)]
    for is_floor, (first, second) in ((True, (Face.QA, Face.FLOOR_2)), (False, (Face.WS, Face.CEILING_2))):
        sign = 1 if is_floor else -1
        surface, against = (shape.floor, behind.ceilings) if is_floor else (shape.ceiling, behind.floors)
        sector = np.flatnonzero(surface.split_count)
        if not len(sector):
            continue
        splits, heights = (
            sign * each.reshape(-1, 4)[sector] for each in (surface.splits[:, :, 0], surface.heights)
        )
        z, x = np.divmod(sector, shape.x_sectors)
        for side in _ORDER:
            (step_x, step_z), corners, facing_corners = SIDES[side]
            at_x, at_z = x + step_x, z + step_z
            rows = np.flatnonzero(
                (at_x >= 0) & (at_z >= 0) & (at_x < shape.x_sectors) & (at_z < shape.z_sectors)
            )
            limits = sign * against[(at_x + at_z * shape.x_sectors)[rows]]
            beyond = [
                splits[rows, corner] > limits[:, other]
                for corner, other in zip(corners, facing_corners, strict=True)
            ]
            chosen = rows[beyond[0] | beyond[1]]
            if len(chosen):
                pairs.append(_pairs(sector[chosen], first + side, second + side))
        diagonal = (behind.floor_diagonals if is_floor else behind.ceiling_diagonals)[sector]
        for number in sorted(_FLAT_SIDES.keys() & set(diagonal.tolist())):
            opposite = (number + 1) % 4
            for side in _FLAT_SIDES[number]:
                (corner,) = set(SIDES[side][1]) - {opposite}
                above = (diagonal == number) & (splits[:, corner] > heights[:, opposite])
                pairs.append(_pairs(sector[above], first + side, second + side))
    return _without_repeats(np.concatenate(pairs))


def _pairs(sectors: Ints, first: int, second: int) -> Ints:
    return np.stack([sectors, np.full_like(sectors, first), np.full_like(sectors, second)], axis=1)


def _without_repeats(pairs: Ints) -> Ints:
    """Return pairs without those that name the same sector and second face again."""
    rows = np.unique(face_keys(pairs[:, 0], pairs[:, 2]), return_index=True)[1]
    return pairs[np.sort(rows)]


class _Behind(NamedTuple):
    """The sectors of a room, (n, ...), on wall portals those at the same place of the other base room."""

    floors: Ints
    ceilings: Ints
    floor_diagonals: Ints
    ceiling_diagonals: Ints


def _through_walls(room: ProjectRoom, portals: Sequence[Behind]) -> _Behind:
    result = _Behind(*(each.copy() for each in _parts(room.shape)))
    for behind in portals:
        if behind.room is None:
            continue
        exists = behind.others != UNLINKED
        for values, other_values in zip(result, _parts(behind.room.shape), strict=True):
            values[behind.sectors[exists]] = other_values[behind.others[exists]]
    return result


def _parts(shape: RoomShape) -> tuple[Ints, Ints, Ints, Ints]:
    floor, ceiling = diagonals(shape)
    return (
        shape.floor.heights.reshape(-1, 4),
        shape.ceiling.heights.reshape(-1, 4),
        floor.reshape(-1),
        ceiling.reshape(-1),
    )


def _copied(records: Records, pairs: Ints) -> Records:
    """Return records with the texture of some faces copied to others: pairs (n, 3) of sector, from, to."""
    key = face_keys(records["sector"], records["face"])
    sources, targets = (face_keys(pairs[:, 0], pairs[:, column]) for column in (1, 2))
    unique, last = np.unique(key[::-1], return_index=True)
    index = dict(zip(unique.tolist(), (len(key) - 1 - last).tolist(), strict=True))
    kept = np.ones(len(records), np.bool_)
    result = records.copy()
    new = []
    for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
        if source not in index:
            kept[key == target] = False
            continue
        changed = records[index[source]].copy()
        changed["face"] = target % 256
        if target in index:
            result[index[target]] = changed
        else:
            new.append(changed)
    result = np.concatenate([result[kept], np.array(new, records.dtype)]) if new else result[kept]
    return result[np.argsort(result["sector"], kind="stable")]
