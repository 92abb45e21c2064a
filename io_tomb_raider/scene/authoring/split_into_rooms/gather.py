"""The visible faces of mesh objects as arrays, with modifiers, materials, UV maps and colors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from bpy.types import Material, Mesh, Object
from numpy.typing import NDArray

from ....formats.base import SECTOR_SIZE
from ...core.blender.color import bytes_to_linear
from ...core.space import Space, world_matrix
from ...mesh.blender_mesh import material_slots, read_shape, read_triangles, read_values
from ...mesh.poly_mesh import MATERIAL_INDEX, PolyMesh, join
from ...subjects.meshes.arrays import COLOR, UV_MAP
from ...subjects.meshes.layers import read_uvs, shown_color, shown_uv_map
from ...subjects.meshes.placed import world_vertices
from ...subjects.meshes.shown import shown_by
from .soup import NO_FACES

_FLAT = 1e-3  # how far a quad may be bent, relative to the root of its area
_HALF_LIGHT = (128, 128, 128, 255)  # leaves textures unchanged


class GatheredFaces:
    """Faces of several objects."""

    def __init__(self) -> None:
        self.soup = NO_FACES  #: the faces.
        self.materials: list[Material | None] = []  #: their materials by number; None for faces without one.
        self.without_material: list[str] = []  #: the names of objects with such faces.
        self.without_uvs: list[str] = []  #: the names of objects without a UV map, which get one.

    def number(self, material: Material | None) -> int:
        """Return the number of a material, and add it to the list if necessary."""
        if material not in self.materials:
            self.materials.append(material)
        return self.materials.index(material)


def gather(objects: Sequence[Object], space: Space) -> GatheredFaces:
    """Return the visible faces of mesh objects, in the file's space.

    Raises:
        ExportError: if a vertex is at no finite place.
    """
    result, parts = GatheredFaces(), [NO_FACES]
    with shown_by(objects) as shown:
        for obj in objects:
            mesh = shown.of(obj)
            if mesh is not None and len(mesh.polygons):
                parts.append(_read(obj, mesh, shown.materials(obj), space, result))
    result.soup = join(parts)
    return result


def _read(
    obj: Object, mesh: Mesh, materials: Sequence[Material | None], space: Space, result: GatheredFaces
) -> PolyMesh:
    shape, uv_map = read_shape(mesh), shown_uv_map(mesh)
    shape.positions = space.to_file(world_vertices(obj, mesh), obj.name, "a vertex")
    layers = [(each, each.name) for each in mesh.uv_layers if each.name != UV_MAP]
    for layer, name in [*layers, (uv_map, UV_MAP)]:
        shape.corner[name] = read_uvs(layer, len(shape.corners)).astype(np.float64)
    shape.corner[COLOR] = _colors(mesh, shape.corners)
    shape.face[MATERIAL_INDEX] = _materials(obj, mesh, materials, result)
    soup = _divided(mesh, shape)
    if world_matrix(obj).is_negative:
        soup = soup.flipped()
    if uv_map is None:
        result.without_uvs.append(obj.name)
        soup.corner[UV_MAP] = _projected(soup)
    return soup


def _divided(mesh: Mesh, shape: PolyMesh) -> PolyMesh:
    """Return flat, convex quads, then Blender's triangles of all other faces of a mesh."""
    quads = np.flatnonzero(shape.sizes == 4)
    quads = quads[_is_plain(shape.positions[shape.vertex_rows()[quads]])]
    loops, faces = read_triangles(mesh)
    is_other = ~np.isin(faces, quads)
    corners = np.concatenate([shape.rows[quads].ravel(), loops[is_other].ravel()])
    result = shape.take(corners=corners, faces=np.concatenate([quads, faces[is_other]]))
    return replace(result, sizes=np.repeat([4, 3], [len(quads), int(is_other.sum())]))


def _is_plain(corners: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which quads, (n, 4, 3), are flat and convex."""
    normal = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    size = np.linalg.norm(normal, axis=1)
    unit = normal / np.maximum(size, 1e-12)[:, None]
    bend = np.abs(((corners[:, 1] - corners[:, 0]) * unit).sum(axis=1))
    bend += np.abs(((corners[:, 3] - corners[:, 0]) * unit).sum(axis=1))
    edges = np.roll(corners, -1, axis=1) - corners
    turns = (np.cross(edges, np.roll(edges, -1, axis=1)) * unit[:, None]).sum(axis=2)
    return np.asarray((bend <= _FLAT * np.sqrt(np.maximum(size, 1e-12))) & (turns > 0).all(axis=1))


def _materials(
    obj: Object, mesh: Mesh, materials: Sequence[Material | None], result: GatheredFaces
) -> NDArray[np.int64]:
    """Return the numbers of the materials of faces, (f,)."""
    listed = materials or [None]
    numbers = np.array([result.number(material) for material in listed])
    slots = np.clip(material_slots(mesh), 0, len(numbers) - 1)
    if any(listed[slot] is None for slot in np.unique(slots).tolist()):
        result.without_material.append(obj.name)
    return numbers[slots].astype(np.int64)


def _colors(mesh: Mesh, corners: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the rendered colors of corners, (k, 4) linear; half light without a color attribute."""
    layer = shown_color(mesh)
    if layer is None:
        return np.tile(
            bytes_to_linear(np.array([_HALF_LIGHT], np.uint8)).astype(np.float64), (len(corners), 1)
        )
    colors = read_values(layer, len(layer.data)).astype(np.float64)
    return colors[corners] if layer.domain == "POINT" else colors


def _projected(soup: PolyMesh) -> NDArray[np.float64]:
    """Return projected UVs for all corners, (k, 2): the image fills a sector, and is upright on walls."""
    axis = np.abs(soup.normals_by_area).argmax(axis=1)[soup.face_of_corner]
    positions = soup.positions[soup.corners] / SECTOR_SIZE
    u = np.where(axis == 0, positions[:, 2], positions[:, 0])
    v = np.where(axis == 1, positions[:, 2], -positions[:, 1])
    return np.stack([u, v], axis=1)
