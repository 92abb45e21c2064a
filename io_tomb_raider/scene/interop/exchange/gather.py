"""Joining of meshes of a level into one mesh for other programs, with vertex light."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from bpy.types import Collection, Mesh, Object
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats import Game
from ....formats.base import T
from ....formats.levels.lights import texture_factor
from ...core.blender.color import to_linear
from ...core.blender.material_slots import shown_materials
from ...core.reporting.report import Report
from ...core.subjects import OF_ROOMS, Kind
from ...subjects.meshes.arrays import COLOR, LIGHT, MeshArrays, build_mesh
from ...subjects.meshes.joining import join_meshes
from ...subjects.meshes.layers import shown_color
from ...subjects.meshes.placed import transform
from ...subjects.meshes.read import read_mesh
from ...subjects.meshes.shown import shown_mesh
from .pictures import PreparedMaterials


class Placed(NamedTuple):
    """A mesh object and the target matrix of its mesh."""

    obj: Object
    matrix: Matrix


class JoinedMeshes(NamedTuple):
    """Joined meshes."""

    mesh: Mesh  #: the new mesh.
    source: NDArray[np.int64]  #: (n,) int64, the input mesh of each vertex.
    vertex: NDArray[np.int64]  #: (n,) int64, the vertex in that mesh.


def gather(
    root: Collection,
    name: str,
    placed: Sequence[Placed],
    pictures: PreparedMaterials,
    report: Report,
    *,
    light: bool = True,
) -> JoinedMeshes:
    """Join several meshes into a new one, without the extension's own attributes.

    Args:
        placed: the objects, at least one.
        light: add vertex light, if any of the meshes has some.
    """
    parts: list[MeshArrays] = []
    factors: list[NDArray[np.float64]] = []
    has_light = False
    for obj, matrix in placed:
        with _shape(obj) as mesh:
            arrays = read_mesh(mesh, pictures.keys, shown_materials(obj))
            is_lit = obj.tomb_raider.kind in OF_ROOMS or LIGHT in mesh.attributes  # else by the room
        if len(arrays.parked):
            report.warn(
                obj.name,
                T("{count} faces that only the game can draw are left out", count=len(arrays.parked)),
            )
        arrays = transform(arrays, np.array(matrix, np.float64))
        has_light |= is_lit
        factors.append(_factors(Game[root.tomb_raider.game], arrays, is_lit))
        arrays.point, arrays.face, arrays.normals = {}, {}, None
        arrays.parked = arrays.parked[:0]
        parts.append(arrays)
    joined = join_meshes(parts)
    source = np.repeat(np.arange(len(parts)), [len(each.positions) for each in parts])
    vertices = _with_own_backs(joined)
    materials = pictures.show(joined)
    _avoid_false_quads(joined)
    mesh = build_mesh(name, joined, materials)
    _set_light(mesh, np.concatenate(factors)[vertices] if light and has_light else None)
    indices = np.concatenate([np.arange(len(each.positions)) for each in parts])
    return JoinedMeshes(mesh, source[vertices], indices[vertices])


@contextmanager
def _shape(obj: Object) -> Iterator[Mesh]:
    """Yield the mesh that an object shows; of figures, the mesh without the modifiers that weld it."""
    if obj.tomb_raider.kind == Kind.FIGURE:
        assert isinstance(obj.data, Mesh)
        yield obj.data
        return
    with shown_mesh(obj) as mesh:
        yield mesh


def _factors(game: Game, arrays: MeshArrays, is_lit: bool) -> NDArray[np.float64]:
    """Return the factors of the texture's screen color at each vertex, (n, 3)."""
    if not is_lit:
        return np.ones((len(arrays.positions), 3))
    return np.asarray(texture_factor(game, arrays.colors[:, :3] / 255.0), np.float64)


def _set_light(mesh: Mesh, factors: NDArray[np.float64] | None) -> None:
    if factors is None:
        mesh.attributes.remove(mesh.attributes[COLOR])
        return
    values = np.ones((len(factors), 4), np.float32)
    values[:, :3] = to_linear(factors)
    layer = mesh.attributes[COLOR]
    layer.data.foreach_set("color", values.ravel())
    mesh.attributes.default_color_name = mesh.attributes.active_color_name = shown_color(mesh).name


def _with_own_backs(arrays: MeshArrays) -> NDArray[np.int64]:
    """Duplicate the vertices of faces on the corners of others, such as backs, as importers drop such faces.

    Returns:
        (n,) the original vertex of each one: all in their order, then the copies.
    """
    rows = np.sort(arrays.vertex_rows(), axis=1)
    _, first = np.unique(rows, axis=0, return_index=True)
    doubles = np.setdiff1d(np.arange(len(rows)), first)
    corner = np.isin(arrays.face_of_corner, doubles)
    count = len(arrays.positions)
    vertices = np.concatenate([np.arange(count), arrays.corners[corner]])
    arrays.corners = arrays.corners.copy()
    arrays.corners[corner] = np.arange(count, len(vertices))
    arrays.positions, arrays.colors = arrays.positions[vertices], arrays.colors[vertices]
    return vertices


def _avoid_false_quads(arrays: MeshArrays) -> None:
    """Rotate the corners of triangles that look like halves of a quad, so quads can be restored later.

    glTF exporters split a quad a, b, c, d into a, b, c and a, c, d, or into a, b, d and b, c, d. They write
    faces material by material. If the corners of two consecutive triangles have such an order, those of the
    second one are rotated.
    """
    slots = arrays.slots[1]
    triangles = np.flatnonzero(arrays.sizes == 3)
    triangles = triangles[np.argsort(slots[triangles], kind="stable")]
    starts = arrays.starts
    for first, second in zip(triangles[:-1].tolist(), triangles[1:].tolist(), strict=True):
        corners = arrays.corners[starts[first] : starts[first] + 3].tolist()
        for _ in range(3):
            rows = slice(int(starts[second]), int(starts[second]) + 3)
            if not are_halves(corners, arrays.corners[rows].tolist()):
                break
            arrays.corners[rows] = np.roll(arrays.corners[rows], 1)
            arrays.uvs[rows] = np.roll(arrays.uvs[rows], 1, axis=0)


def are_halves(first: Sequence[int], second: Sequence[int]) -> bool:
    """Return whether two triangles have the corner order of a split quad."""
    return (first[0] == second[0] and first[2] == second[1]) or (
        first[1] == second[0] and first[2] == second[2]
    )
