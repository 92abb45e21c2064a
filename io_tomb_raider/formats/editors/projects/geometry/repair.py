"""Repair of the textures of walls in projects from before 2024."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ....base.arrays.typing import Ints, Records
from ..model.objects import Direction
from ..model.rooms import ProjectRoom
from ..model.shape import Diagonal, Face, SectorSide, face_keys
from .joined import JoinedSectors
from .openings import ProjectRooms
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
    behind = [
        (room, each)
        for (room, _, _), each in zip(portals, sectors_behind(portals), strict=True)
        if each.room is not None
    ]
    all_rooms = {id(room): room for room in [*rooms, *(each.room for _, each in behind if each.room)]}
    joined = JoinedSectors(list(all_rooms.values()))
    pairs = _beyond(joined, int(joined.starts[len(rooms)]), _through_walls(joined, behind))
    owner = np.searchsorted(joined.starts, pairs[:, 0], "right") - 1
    pairs[:, 0] -= joined.starts[owner]
    return [pairs[owner == number] for number in range(len(rooms))]


def _beyond(joined: JoinedSectors, count: int, behind: _Behind) -> Ints:
    """Return the pairs of all rooms, whose sectors are in a row. `count`: of the sectors that have some."""
    pairs: list[Ints] = []
    for is_floor, (first, second) in ((True, (Face.QA, Face.FLOOR_2)), (False, (Face.WS, Face.CEILING_2))):
        sign = 1 if is_floor else -1
        against = behind.ceilings if is_floor else behind.floors
        surfaces = [room.shape.floor if is_floor else room.shape.ceiling for room in joined.rooms]
        sector = np.flatnonzero(joined.join([each.split_count for each in surfaces])[:count])
        splits = sign * joined.join([each.splits[:, :, 0] for each in surfaces])[sector]
        heights = sign * joined.join([each.heights for each in surfaces])[sector]
        x_sectors, z_sectors = joined.x_sectors[sector], joined.z_sectors[sector]
        for side in _ORDER:
            (step_x, step_z), corners, facing_corners = SIDES[side]
            at_x, at_z = joined.x[sector] + step_x, joined.z[sector] + step_z
            rows = np.flatnonzero((at_x >= 0) & (at_z >= 0) & (at_x < x_sectors) & (at_z < z_sectors))
            limits = sign * against[(sector + step_x + step_z * x_sectors)[rows]]
            beyond = [
                splits[rows, corner] > limits[:, other]
                for corner, other in zip(corners, facing_corners, strict=True)
            ]
            pairs.append(_pairs(sector[rows[beyond[0] | beyond[1]]], first + side, second + side))
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
    """The sectors of rooms, (n, ...), on wall portals those at the same place of the other base room."""

    floors: Ints
    ceilings: Ints
    floor_diagonals: Ints
    ceiling_diagonals: Ints


def _through_walls(joined: JoinedSectors, behind: Sequence[tuple[ProjectRoom, Behind]]) -> _Behind:
    """Return what is behind wall portals. `behind`: for each portal, with its room; the last one counts."""
    heights = (joined.of(lambda shape: shape.floor.heights), joined.of(lambda shape: shape.ceiling.heights))
    values = _Behind(*heights, *joined.diagonals())
    starts = {id(room): start for room, start in zip(joined.rooms, joined.starts.tolist(), strict=False)}
    none = np.zeros(0, np.int64)
    sectors = np.concatenate([none, *(each.sectors + starts[id(room)] for room, each in behind)])
    others = [
        np.where(each.others == UNLINKED, UNLINKED, each.others + starts[id(each.room)]) for _, each in behind
    ]
    sources = np.concatenate([none, *others])
    exists = sources != UNLINKED
    for each in values:
        each[sectors[exists]] = each[sources[exists]]
    return values


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
