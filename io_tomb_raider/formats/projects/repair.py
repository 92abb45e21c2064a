"""Repair of the textures of walls in projects from before 2024."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .openings import UNLINKED, Ints, ProjectRooms
from .rooms import Room
from .shape import Face, RoomShape, face_keys
from .walls import SIDES


def repaired_rooms(rooms: Sequence[Room]) -> list[Room]:
    """Return rooms with the faces that the editor shows: those of old files are repaired copies."""
    project = ProjectRooms(rooms)
    return [
        replace(room, shape=replace(room.shape, faces=repaired_faces(project, room)))
        if room.shape.old_walls
        else room
        for room in rooms
    ]


def repaired_faces(rooms: ProjectRooms, room: Room) -> NDArray[np.void]:
    """Return the faces of a room whose sectors are stored in the form of before January 2024.

    The editor then named the parts of a wall by another rule if a split is beyond the space in front of the
    wall. As it does when it opens such a project, the texture of the part at the edge is copied to the second
    part, or removed there if the first has none.

    Args:
        rooms: the project's rooms.
        room: the room. It is not changed.
    """
    shape = room.shape
    surfaces = ((shape.floor, shape.ceiling, 1), (shape.ceiling, shape.floor, -1))
    parts = ((Face.QA, Face.FLOOR_2), (Face.WS, Face.CEILING_2))
    pairs: list[NDArray[np.int64]] = []  # (sector, first face, second face)
    for (surface, against, sign), (first, second) in zip(surfaces, parts, strict=True):
        splits = sign * surface.splits[:, :, 0].reshape(-1, 4)
        own_heights, diagonal = sign * surface.heights.reshape(-1, 4), surface.diagonal.reshape(-1)
        for side, ((step_x, step_z), own_corners, corners) in SIDES.items():
            z, x = np.divmod(np.arange(shape.wall.size), shape.x_sectors)
            x, z = x + step_x, z + step_z
            sector = np.flatnonzero(
                (surface.split_count.reshape(-1) > 0)
                & (x >= 0)
                & (z >= 0)
                & (x < shape.x_sectors)
                & (z < shape.z_sectors)
            )
            opposing = sign * _through_walls(rooms, room, against is shape.ceiling)
            limits = opposing[(x + z * shape.x_sectors)[sector]][:, list(corners)]
            lines = splits[sector][:, list(own_corners)]
            beyond = (lines > limits).any(axis=1)
            opposite = (diagonal[sector] + 1) % 4
            flat = (diagonal[sector] != 0) & np.isin(opposite, own_corners)
            level = np.take_along_axis(own_heights[sector], opposite[:, None], axis=1)
            beyond |= flat & (lines > level).any(axis=1)
            chosen = sector[beyond]
            pairs.append(
                np.stack([chosen, np.full_like(chosen, first + side), np.full_like(chosen, second + side)], 1)
            )
    return _copied(shape.faces, np.concatenate(pairs))


def _through_walls(rooms: ProjectRooms, room: Room, ceiling: bool) -> Ints:
    """Return the heights of floors or ceilings, (n, 4), on wall portals those of the sectors behind."""

    def heights(shape: RoomShape) -> Ints:
        return (shape.ceiling if ceiling else shape.floor).heights.reshape(-1, 4)

    result = heights(room.shape).copy()
    for behind in rooms.behind(room):
        if behind.room is not None:
            exists = behind.others != UNLINKED
            result[behind.sectors[exists]] = heights(behind.room.shape)[behind.others[exists]]
    return result


def _copied(records: NDArray[np.void], pairs: Ints) -> NDArray[np.void]:
    """Return records with the texture of some faces copied to others: pairs (n, 3) of sector, from, to."""
    key = face_keys(records["sector"], records["face"])
    sources, targets = (face_keys(pairs[:, 0], pairs[:, column]) for column in (1, 2))
    unique, last = np.unique(key[::-1], return_index=True)
    place = dict(zip(unique.tolist(), (len(key) - 1 - last).tolist(), strict=True))
    kept = np.ones(len(records), np.bool_)
    result = records.copy()
    new = []
    for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
        if source not in place:
            kept[key == target] = False
            continue
        changed = records[place[source]].copy()
        changed["face"] = target % 256
        if target in place:
            result[place[target]] = changed
        else:
            new.append(changed)
    result = np.concatenate([result[kept], np.array(new, records.dtype)]) if new else result[kept]
    return result[np.argsort(result["sector"], kind="stable")]
