"""One cut through some faces of a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bmesh
from bmesh.types import BMesh, BMFace
from mathutils import Vector


def bisect(bm: BMesh, faces: Sequence[BMFace], point: Vector, normal: Vector, near: float) -> list[BMFace]:
    """Cut faces by a plane, and return what they are then.

    Args:
        bm: the mesh.
        faces: what is cut.
        point: on the plane.
        normal: of the plane.
        near: how far from the plane a vertex may be to stand on it.
    """
    parts: dict[Any, None] = {}
    for face in faces:
        for part in (*face.verts, *face.edges, face):
            parts[part] = None
    found = bmesh.ops.bisect_plane(bm, geom=list(parts), dist=near, plane_co=point[:], plane_no=normal[:])
    return [part for part in found["geom"] if isinstance(part, BMFace)]
