"""Temporary bisection of faces that show more of a picture than a page holds, during an export.

Repetitions that fit on one page together become one tile. If they do not fit, faces are cut in temporary
copies of the meshes, so that no pixels are lost; the user's meshes are not changed. A material has the
setting whether a picture larger than a page is shrunk or its faces are cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bmesh
import bpy
import numpy as np
from bpy.types import Mesh, Object
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.levels.textures import PAGE_SIZE
from ...core.blender.evaluated import ShownMeshes
from ...core.membership import LevelObjects
from ...core.subjects import OF_ROOMS, Kind
from ...mesh.blender_mesh import material_slots, read_shape
from ..meshes.layers import read_uvs, shown_uv_map
from ..textures.materials import image_node
from .repeats import Repeat, RepeatCut, repeats_of

_WRITTEN = frozenset({*OF_ROOMS, Kind.STATIC_MESH, Kind.MODEL_MESH, Kind.SKIN})


@contextmanager
def cut_pictures(objects: LevelObjects, shown: ShownMeshes) -> Iterator[None]:
    """Substitute cut copies for meshes whose pictures do not fit on pages, during this block."""
    copies: list[Mesh] = []
    cut: dict[Mesh, Mesh | None] = {}
    try:
        for obj in objects.of(_WRITTEN):
            mesh = shown.of(obj)
            if mesh is None:
                continue
            if mesh not in cut:
                cut[mesh] = _cut(obj, mesh, shown, copies)
            cut_copy = cut[mesh]
            if cut_copy is not None:
                shown.note(obj, cut_copy)
        yield
    finally:
        if copies:  # Blender searches the whole file even for an empty list
            bpy.data.batch_remove(copies)


def _cut(obj: Object, mesh: Mesh, shown: ShownMeshes, copies: list[Mesh]) -> Mesh | None:
    """Return a copy of a mesh with its faces cut, also added to `copies`, or None if nothing is cut."""
    materials: list[Any] = shown.materials(obj)
    repeats = repeats_of(materials, whole_pages=True)
    uv_map: Any = shown_uv_map(mesh)
    if not repeats or uv_map is None:
        return None
    sizes = {slot: tuple(image_node(materials[slot]).image.size) for slot in repeats}
    faces = np.flatnonzero(_too_large(mesh, repeats, sizes))
    if not len(faces):
        return None
    bm = bmesh.new()
    try:
        bm.from_mesh(mesh)
        bm.faces.ensure_lookup_table()
        RepeatCut(bm, repeats, uv_map.name).cut([bm.faces[each] for each in faces], obj.name, move=False)
        copy: Any = mesh.copy()
        copies.append(copy)
        bm.to_mesh(copy)
    except ExportError:
        return None  # the pictures are shrunk then, with a warning
    finally:
        bm.free()
    for index, material in enumerate(materials):
        if copy.materials[index] != material:
            copy.materials[index] = material
    return copies[-1]


def _too_large(
    mesh: Mesh, repeats: dict[int, Repeat], sizes: dict[int, tuple[int, ...]]
) -> NDArray[np.bool_]:
    """Return whether each face, (f,), shows more pixels of a divisible picture than a page has."""
    count, corners = len(mesh.polygons), len(mesh.loops)
    result = np.zeros(count, bool)
    if not count:
        return result
    slots, starts = material_slots(mesh), read_shape(mesh).starts
    for slot, repeat in repeats.items():
        in_slot = slots == slot
        if not in_slot.any():
            continue
        name = repeat.placed.uv_map
        layer = (mesh.uv_layers.get(name) if name else None) or shown_uv_map(mesh)
        uvs = repeat.placed.apply(read_uvs(layer, corners))
        spans = np.maximum.reduceat(uvs, starts) - np.minimum.reduceat(uvs, starts)
        with np.errstate(invalid="ignore"):
            large = (spans > np.minimum(repeat.steps, 1)) & (spans * sizes[slot] > PAGE_SIZE)
        result |= in_slot & large.any(axis=1)
    return result
