"""Waterfall objects of TR4 and TR5 (documentation, chapter 9.4), which scroll without an animated texture.

The engines scroll the object texture of the first quad of the first mesh of these models, and of the first
four models also the one after it, wherever faces show them.
"""

from __future__ import annotations

import re

import numpy as np
from bpy.types import Mesh

from ....catalogue import names
from ....formats.levels.textures import mesh_texture_mask, room_texture_mask
from ...core.context import ImportContext
from ..meshes.arrays import MESH_ARRAYS, MESHES, ROOM_MESHES, TEXTURE, MeshArrays
from ..textures.waterfall_nodes import attach_waterfall, set_waterfalls, windows

_NAME = re.compile(r"Waterfall (\d)")
_WITH_SECOND = 4  # the models up to this one


def show_waterfalls(context: ImportContext) -> None:
    """Scroll the faces that show the textures of waterfall objects."""
    game = context.level.game
    if not game.traits.has_scrolling_textures:
        return
    scrolling = np.unique([*_scrolling(context)]).astype(np.int64)
    if not len(scrolling):
        return
    meshes = zip(MESHES.of(context).values(), MESH_ARRAYS.of(context), strict=True)
    for mesh, arrays in meshes:
        _scroll(mesh, arrays, scrolling, mesh_texture_mask(game))
    for mesh, arrays in ROOM_MESHES.of(context):
        _scroll(mesh, arrays, scrolling, room_texture_mask(game))


def _scrolling(context: ImportContext) -> set[int]:
    """Return the numbers of the scrolling object textures of a level."""
    level, result = context.level, set()
    model_names = names(level.game).known("model")
    arrays = dict(zip(MESHES.of(context), MESH_ARRAYS.of(context), strict=True))
    for model in level.models:
        name = _NAME.fullmatch(model_names.get(int(model["id"]), ""))
        if name is None or not model["meshes"]:
            continue
        first = int(model["first_mesh"])
        pointers = context.decoded.meshes.pointers
        mesh = arrays.get(int(pointers[first])) if first < len(pointers) else None
        if mesh is None:
            continue
        quads = np.flatnonzero(mesh.sizes == 4)
        if len(quads):
            texture = int(mesh.face[TEXTURE][quads[0]]) & mesh_texture_mask(level.game)
            result |= {texture, texture + 1} if int(name[1]) <= _WITH_SECOND else {texture}
    return result


def _scroll(mesh: Mesh, arrays: MeshArrays, scrolling: np.ndarray, mask: int) -> None:
    faces = np.flatnonzero(np.isin(arrays.face[TEXTURE].astype(np.int64) & mask, scrolling))
    if not len(faces):
        return
    rows = arrays.rows[faces]
    corners = np.where(rows < 0, rows[:, :1], rows)  # the fourth of triangles is their first
    set_waterfalls(mesh, faces, windows(arrays.uvs[corners]))
    slots = {mesh.polygons[face].material_index for face in faces.tolist()}
    for material in (mesh.materials[slot] for slot in slots if slot < len(mesh.materials)):
        if material is not None:
            attach_waterfall(material)
