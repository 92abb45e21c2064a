"""Footstep materials of sectors, by the textures of their floors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...geometry.openings import lowest
from ...model.settings import STONE, TILE, LevelTexture
from ...model.shape import Face, RoomShape
from .areas import signed_areas


def footsteps(shapes: Sequence[RoomShape], textures: Sequence[LevelTexture]) -> list[NDArray[np.uint8]]:
    """Return the material of each sector, (z, x), by the tile under the upper left corner of its floor.

    `textures`: the level textures whose images exist.
    """
    if not shapes:
        return []
    sizes = [shape.wall.size for shape in shapes]
    ends = np.cumsum([0, *sizes])
    result = np.full(ends[-1], STONE, np.uint8)
    faces_by_room = [shape.faces for shape in shapes]
    starts = np.repeat(ends[:-1], list(map(len, faces_by_room)))
    number, texture_number = (
        np.concatenate([faces[name] for faces in faces_by_room]) for name in ("face", "texture")
    )
    sector = np.concatenate([faces["sector"] for faces in faces_by_room]) + starts
    all_corners = np.concatenate([faces["corners"] for faces in faces_by_room])
    for face in (Face.FLOOR_TRIANGLE_2, Face.FLOOR):
        for texture in textures:
            rows = np.flatnonzero((number == face) & (texture_number == texture.number))
            corners = all_corners[rows].astype(np.float64)
            inside = signed_areas(corners) != 0
            tile = np.floor(lowest(corners.swapaxes(1, 2)) / TILE).astype(np.int64)
            inside &= (tile >= 0).all(axis=1) & (tile < texture.footsteps.shape[::-1]).all(axis=1)
            x, y = tile[inside].T
            result[sector[rows[inside]]] = texture.footsteps[y, x] & 0xF
    parts = np.split(result, ends[1:-1])
    return [part.reshape(shape.wall.shape) for part, shape in zip(parts, shapes, strict=True)]
