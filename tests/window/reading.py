"""Rooms of an exported level, as the formats library reads them: sectors, and pixels that faces show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from io_tomb_raider.formats import read_level
from io_tomb_raider.formats.base.units import CLICK, SECTOR_SIZE
from io_tomb_raider.formats.level.decoded import Decoded
from io_tomb_raider.formats.rooms.geometry import decode_faces
from io_tomb_raider.formats.textures.face_words import room_texture_mask
from io_tomb_raider.formats.textures.level_pages import pages_of
from io_tomb_raider.formats.textures.object_textures import decode_object_textures
from io_tomb_raider.formats.textures.textiles import PAGE_SIZE, decode_pages

_METERS = 2 / SECTOR_SIZE  # of the scene
_INWARD = 0.2  # from corners of pictures to their middle


def rooms_of_file(path: str) -> list[dict[str, Any]]:
    """Return the rooms of a level file.

    Each has `place` (x and y of its first sector, meters), `walls` by x and y, `floors` and `ceilings` by x
    and y with the heights of the four corners in clicks, up, and `quads`: their `corners` in meters, and
    `colors` of pixels near these.
    """
    level = read_level(Path(path))
    decoded, mask = Decoded(level), room_texture_mask(level.game)
    pages = decode_pages(pages_of(level))
    textures = decode_object_textures(level.object_textures, level.game)
    found = []
    for number, room in enumerate(level.rooms):
        start, end = decoded.grid.starts[number : number + 2].tolist()
        size = room.x_sectors, room.z_sectors
        floors, ceilings = (
            np.round(-surface.heights[start:end, 0] / CLICK, 3).reshape(*size, -1).tolist()
            for surface in (decoded.sectors.floor, decoded.sectors.ceiling)
        )
        quads = decode_faces(level.game, room)[0]
        vertices = np.stack([room.vertices[axis].astype(np.int64) for axis in "xyz"], axis=1)
        points = np.column_stack([vertices[:, 0] + room.x, vertices[:, 2] + room.z, -vertices[:, 1]])
        uvs = textures.uv[quads.texture.astype(np.int64) & mask]
        uvs = uvs + (uvs.mean(axis=1, keepdims=True) - uvs) * _INWARD
        columns = (uvs[..., 0] * PAGE_SIZE).astype(np.int64)
        rows = ((1 - uvs[..., 1]) * PAGE_SIZE).astype(np.int64)
        page = textures.page[quads.texture.astype(np.int64) & mask, None]
        found.append(
            {
                "place": [room.x * _METERS, room.z * _METERS],
                "walls": decoded.sectors.wall[start:end].reshape(size).tolist(),
                "floors": floors,
                "ceilings": ceilings,
                "quads": [
                    {"corners": corners, "colors": colors}
                    for corners, colors in zip(
                        (points[quads.corners] * _METERS).tolist(),
                        pages[page, rows, columns, :3].astype(int).tolist(),
                        strict=True,
                    )
                ],
            }
        )
    return found
