"""Bisection of faces by one plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bmesh
from bmesh.types import BMesh, BMFace
from mathutils import Vector


def bisect(bm: BMesh, faces: Sequence[BMFace], point: Vector, normal: Vector, near: float) -> list[BMFace]:
    """Cut faces by a plane, and return the resulting faces; vertices as near count as on the plane."""
    parts: dict[Any, None] = {}
    for face in faces:
        for part in (*face.verts, *face.edges, face):
            parts[part] = None
    result = bmesh.ops.bisect_plane(bm, geom=list(parts), dist=near, plane_co=point[:], plane_no=normal[:])
    return [part for part in result["geom"] if isinstance(part, BMFace)]
