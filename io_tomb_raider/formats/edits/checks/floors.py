"""Check for differences between visible floors and collision."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...base.arrays.typing import Floats, Ints
from ...base.games import Game
from ...base.messages import plural
from ...base.units import CLICK, SECTOR_SIZE
from ...levels.collision.surfaces import Surface
from ...levels.rooms.geometry import decode_faces
from ...levels.rooms.rooms import Room
from ...levels.views.decoded import Decoded
from ...levels.views.findings import Element, Finding, Severity

APART = "floor apart"  # the name of the check
_UPRIGHT = 0.3  # the minimum upward component of a floor face's normal
_APART = CLICK // 2


def check_floors(checked: Decoded) -> Iterator[Finding]:
    """Find collision floors above or below the visible floor."""
    for number, room in enumerate(checked.level.rooms):
        points = _floor_points(checked.level.game, room)
        start, end = checked.grid.starts[number : number + 2]
        if not len(points) or start == end:
            continue
        cells = np.floor(points[:, [0, 2]] / SECTOR_SIZE).astype(np.int64)
        inside = ((cells >= 0) & (cells < (room.x_sectors, room.z_sectors))).all(axis=1)
        points, cells = points[inside], cells[inside]
        sector = start + cells[:, 0] * room.z_sectors + cells[:, 1]
        # Faces of divided floors follow either of their planes.
        heights = heights_at(checked.sectors.floor, sector, points[:, [0, 2]] % SECTOR_SIZE).mean(axis=1)
        away = np.abs(points[:, 1] - heights)
        nearest = np.full(end - start, np.inf)
        np.minimum.at(nearest, sector - start, away)
        stands = checked.is_open[start:end] & (checked.sectors.room_below[start:end] < 0)
        apart = np.flatnonzero(stands & (nearest > _APART) & np.isfinite(nearest))
        if len(apart):
            text = plural(
                "the floor of one sector differs from its collision",
                "the floors of {count} sectors differ from their collision",
                len(apart),
            )
            place = checked.middle(int(start + apart[0]))
            obj = Element("room", number)
            yield Finding(APART, Severity.INFO, obj, text, count=len(apart), place=place)


def _floor_points(game: Game, room: Room) -> Floats:
    """Return the centers of all walkable faces, (n, 3), relative to the room's corner, y absolute."""
    vertices = np.stack([room.vertices[axis] for axis in "xyz"], axis=1).astype(np.float64)
    centers = []
    for faces in decode_faces(game, room):
        if not len(faces) or not len(vertices):
            continue
        corners = vertices[np.minimum(faces.corners, len(vertices) - 1)]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, -1] - corners[:, 0])
        length = np.linalg.norm(normals, axis=1)
        up = np.abs(normals[:, 1]) > _UPRIGHT * np.maximum(length, 1)
        centers.append(corners[up].mean(axis=1))
    return np.concatenate([np.zeros((0, 3)), *centers])


def heights_at(surface: Surface, sector: Ints, inside: Floats) -> Floats:
    """Return the heights of floors or ceilings, (n, 2), by each of the planes of divided ones.

    Args:
        sector: (n,) the sectors.
        inside: (n, 2) positions from their corners: x, z.
    """
    heights = surface.heights[sector].astype(np.float64)  # (n, 2, 4): -x-z, -x+z, +x-z, +x+z
    x, z = (inside / SECTOR_SIZE).T[..., None]
    low, high = (heights[..., side] + (heights[..., side + 1] - heights[..., side]) * z for side in (0, 2))
    return np.asarray(low + (high - low) * x)
