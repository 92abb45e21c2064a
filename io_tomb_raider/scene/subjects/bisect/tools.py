"""Tools for users that bisect faces of meshes."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor
from typing import NamedTuple

import bmesh
from bmesh.types import BMesh, BMFace
from bpy.types import Collection, Mesh, Object
from mathutils import Matrix, Vector

from ....formats import ExportError
from ....formats.base import SECTOR_SIZE, T
from ...core.blender.material_slots import shown_materials
from ...core.space import Space
from ..meshes.layers import shown_uv_map
from .planes import bisect
from .repeats import MOST_PIECES, RepeatCut, repeats_of

_NEAR = 1 / 256  # sectors within which a vertex counts as on a line


class CutReport(NamedTuple):
    """The result of cutting."""

    by_grid: int  #: number of faces added by cuts between sectors.
    by_repeats: int  #: number of faces added by cuts where pictures repeat.


def cut_mesh(root: Collection, obj: Object, *, grid: bool, repeats: bool) -> CutReport:
    """Cut the faces of a mesh, which other objects may have too; in edit mode only selected faces.

    Faces are cut along the grid of sectors, or where their pictures repeat; then UVs of pieces are moved into
    the picture.

    Raises:
        ExportError: if it is no mesh, or there would be too many pieces. The mesh is not changed then.
    """
    mesh = obj.data
    if not isinstance(mesh, Mesh):
        raise ExportError(obj.name, T("only faces of meshes can be cut"))
    if mesh.shape_keys is not None:
        raise ExportError(obj.name, T("it has shape keys, which cannot be cut: apply them first"))
    if mesh.is_editmode:
        # Try on a copy: an error halfway must not leave the mesh half cut.
        edited = bmesh.from_edit_mesh(mesh)
        trial = edited.copy()
    else:
        trial = bmesh.new()
        trial.from_mesh(mesh)
    try:
        result = _cut(root, obj, mesh, trial, grid=grid, repeats=repeats)
        if not mesh.is_editmode:
            trial.to_mesh(mesh)
            mesh.update()
    finally:
        trial.free()
    if mesh.is_editmode:
        result = _cut(root, obj, mesh, edited, grid=grid, repeats=repeats)
        bmesh.update_edit_mesh(mesh)
    return result


def _cut(root: Collection, obj: Object, mesh: Mesh, bm: BMesh, *, grid: bool, repeats: bool) -> CutReport:
    # Pieces of selected faces are selected too, so this finds them after the first cut.
    def chosen() -> list[BMFace]:
        return [face for face in bm.faces if face.select or not mesh.is_editmode]

    by_repeats = by_grid = 0
    slot_repeats = repeats_of(shown_materials(obj), whole_pages=False) if repeats else {}
    uv_map = shown_uv_map(mesh)
    if slot_repeats and uv_map is not None:
        by_repeats = RepeatCut(bm, slot_repeats, uv_map.name).cut(chosen(), obj.name, move=True)
    if grid:
        space = Space.of(root)
        by_grid = cut_along_grid(bm, chosen(), space.matrix_of(obj), SECTOR_SIZE * space.scale)
    if len(bm.faces) > MOST_PIECES:
        raise ExportError(obj.name, T("it would have too many faces"), count=len(bm.faces), limit=MOST_PIECES)
    return CutReport(by_grid, by_repeats)


def cut_along_grid(bm: BMesh, faces: Iterable[BMFace], matrix: Matrix, side: float) -> int:
    """Cut faces along the lines between sectors, and return the number of added faces.

    UVs, colors and all attributes are interpolated. The matrix is from the mesh to the space of the grid, in
    which a sector's side is given.
    """
    before = len(bm.faces)
    pieces = list(faces)
    for axis in (0, 1):
        row = matrix[axis]
        normal, offset = Vector(row[:3]), row[3]
        if normal.length_squared == 0:
            continue
        spans = [_span(face, normal, offset) for face in pieces]
        first = floor(min((low for low, _ in spans), default=0) / side)
        last = ceil(max((high for _, high in spans), default=0) / side)
        # Line by line, because the pieces of one cut are cut again by the next.
        for number in range(first, last + 1):
            position, near = number * side, _NEAR * side
            crossing = []
            for face in pieces:
                low, high = _span(face, normal, offset)
                if low < position - near and high > position + near:
                    crossing.append(face)
            if crossing:
                point = normal * ((position - offset) / normal.length_squared)
                cut = set(crossing)
                pieces = [face for face in pieces if face not in cut]
                pieces += bisect(bm, crossing, point, normal, near / normal.length)
    return len(bm.faces) - before


def _span(face: BMFace, normal: Vector, offset: float) -> tuple[float, float]:
    distances = [normal.dot(vert.co) + offset for vert in face.verts]
    return min(distances), max(distances)
