"""Footstep materials of sectors, as the textures of their floors say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .....base.arrays.typing import Bools, Floats
from ...geometry.openings import lowest
from ...model.settings import STONE, TILE, LevelTexture
from ...model.shape import Face, RoomShape


def footsteps(shapes: Sequence[RoomShape], textures: Sequence[LevelTexture]) -> list[NDArray[np.uint8]]:
    """Return the material of each sector, (z, x), by the tile under the upper left corner of its floor.

    Args:
        shapes: the sectors of rooms.
        textures: the level textures whose images exist.
    """
    if not shapes:
        return []
    sizes = [shape.wall.size for shape in shapes]
    ends = np.cumsum([0, *sizes])
    result = np.full(ends[-1], STONE, np.uint8)
    every = [shape.faces for shape in shapes]
    starts = np.repeat(ends[:-1], list(map(len, every)))
    number, shown = (np.concatenate([faces[name] for faces in every]) for name in ("face", "texture"))
    sector = np.concatenate([faces["sector"] for faces in every]) + starts
    every_corner = np.concatenate([faces["corners"] for faces in every])
    for face in (Face.FLOOR_TRIANGLE_2, Face.FLOOR):
        for texture in textures:
            rows = np.flatnonzero((number == face) & (shown == texture.number))
            corners = every_corner[rows].astype(np.float64)
            inside = _has_area(corners)
            tile = np.floor(lowest(corners.swapaxes(1, 2)) / TILE).astype(np.int64)
            inside &= (tile >= 0).all(axis=1) & (tile < texture.footsteps.shape[::-1]).all(axis=1)
            x, y = tile[inside].T
            result[sector[rows[inside]]] = texture.footsteps[y, x] & 0xF
    parts = np.split(result, ends[1:-1])
    return [part.reshape(shape.wall.shape) for part, shape in zip(parts, shapes, strict=True)]


def _has_area(corners: Floats) -> Bools:
    after = np.roll(corners, -1, axis=1)
    area = ((after[..., 0] - corners[..., 0]) * (after[..., 1] + corners[..., 1])).sum(axis=1)
    has: Bools = area != 0
    return has
