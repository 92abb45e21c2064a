"""Pictures of users on faces, and the texels that a game shows there."""

from __future__ import annotations

from typing import Any

import numpy as np
from bpy.types import Collection, Material
from numpy.typing import NDArray

from io_tomb_raider.formats import Level
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from io_tomb_raider.formats.levels.textures.face_words import room_texture_mask
from io_tomb_raider.formats.levels.textures.textiles import decode_pages

from ...scenes import objects


def show(mesh: Any, face: int, material: Any, uvs: Any = None) -> None:
    """Give a face a material, and the whole picture unless other UVs are given, upper left corner first."""
    mesh.materials.append(material)
    mesh.polygons[face].material_index = len(mesh.materials) - 1
    corners = np.array([(0, 1), (0, 0), (1, 0), (1, 1)]) if uvs is None else uvs
    for corner, uv in zip(mesh.polygons[face].loop_indices, corners, strict=True):
        mesh.uv_layers[0].uv[corner].vector = uv


def show_in_first_room(root: Collection, material: Material, *, last: bool = False) -> int:
    """Show the whole picture of a material on the first, or last, quad of the first room; return the quad."""
    mesh = objects(root, "ROOM")[0].data
    quads = [face.index for face in mesh.polygons if face.loop_total == 4]
    face = quads[-1 if last else 0]
    show(mesh, face, material, ((0, 0), (1, 0), (1, 1), (0, 1)))
    return face


def shown_texels(level: Level, room: int, face: int) -> NDArray[np.uint8]:
    """Return the texels that a quad of a room shows, from its upper left to its lower right corner."""
    word = int(decode_faces(level.game, level.rooms[room])[0].texture[face])
    texture = level.object_textures[word & room_texture_mask(level.game)]
    raw = texture["uv"].astype(int)
    low, high = raw.min(axis=0) + 127 >> 8, raw.max(axis=0) + 128 >> 8
    return decode_pages(pages_of(level))[int(texture["page"]) & 0x7FFF, low[1] : high[1], low[0] : high[0]]


def first_quad(mesh: Any) -> int:
    return next(face.index for face in mesh.polygons if face.loop_total == 4)
