"""Bisection of faces along the grid of sectors."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor

from bmesh.types import BMesh, BMFace
from mathutils import Matrix, Vector

from .planes import bisect

_NEAR = 1 / 256  # sectors within which a vertex counts as on a line


def cut_along_grid(bm: BMesh, faces: Iterable[BMFace], matrix: Matrix, side: float) -> int:
    """Cut faces along the lines between sectors, and return the number of added faces.

    UVs, colors and all attributes are interpolated.

    Args:
        faces: faces that may be cut.
        matrix: from the mesh to the space of the grid.
        side: length of a sector in the space of the grid.
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
            place, near = number * side, _NEAR * side
            crossing = []
            for face in pieces:
                low, high = _span(face, normal, offset)
                if low < place - near and high > place + near:
                    crossing.append(face)
            if crossing:
                point = normal * ((place - offset) / normal.length_squared)
                cut = set(crossing)
                pieces = [face for face in pieces if face not in cut]
                pieces += bisect(bm, crossing, point, normal, near / normal.length)
    return len(bm.faces) - before


def _span(face: BMFace, normal: Vector, offset: float) -> tuple[float, float]:
    places = [normal.dot(vert.co) + offset for vert in face.verts]
    return min(places), max(places)
