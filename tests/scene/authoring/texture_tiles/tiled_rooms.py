"""Rooms, pictures and faces for tests of tiles."""

from __future__ import annotations

from typing import Any

import numpy as np
from bpy.types import Collection
from numpy.typing import NDArray

from tests.scene.page_levels import user_image
from tests.scene.scenes import objects


def room(root: Collection, number: int = 0) -> Any:
    return objects(root, "ROOM")[number]


def quads(mesh: Any) -> list[int]:
    """Return the numbers of quads of a mesh."""
    return [face.index for face in mesh.polygons if face.loop_total == 4]


def tiles_of(count: int, side: int = 8) -> tuple[Any, NDArray[np.uint8]]:
    """Return a picture of a column of tiles, with texels that all differ, and its texels from the top."""
    texels = np.full((count * side, side, 4), 255, np.uint8)
    number = np.arange(count * side * side).reshape(count * side, side)
    texels[..., 0], texels[..., 1] = number % 32 * 8, number // 32 % 32 * 8
    return user_image(texels, "Tiles"), texels


def uvs_of(mesh: Any) -> NDArray[np.float32]:
    found = np.zeros((len(mesh.loops), 2), np.float32)
    mesh.uv_layers.active.uv.foreach_get("vector", found.ravel())
    return found


def is_upright(mesh: Any, face: int) -> bool:
    """Return whether a face shows a rectangle with corners where those of a tile are."""
    at = uvs_of(mesh)[list(mesh.polygons[face].loop_indices)]
    if len(at) == 3:
        return False
    return all(len(np.unique(column.round(6))) == 2 for column in at.T)
