"""Users' meshes in the library as new static meshes."""

from __future__ import annotations

from collections.abc import Container

import numpy as np
from bpy.types import Collection, Mesh, Object
from numpy.typing import NDArray

from ....formats.base import T
from ...core.membership import members_of
from ...core.reporting.report import Report
from ...core.space import Space
from ...core.subjects import Kind
from ...mesh.blender_mesh import vertices_of

_DRAWN = 2  # games do not draw static meshes without this flag


def adopt_static_mesh(root: Collection, obj: Object) -> bool:
    """Make a user's mesh a static mesh with the first free id; return whether it is one now.

    Meshes without faces or material are skipped, as their export would fail. Boxes are left empty, as the
    shape may still change: exports compute them.
    """
    mesh = obj.data
    if not isinstance(mesh, Mesh) or obj.parent_type == "BONE" or not (mesh.polygons or obj.modifiers):
        return False
    if not obj.material_slots or any(slot.material is None for slot in obj.material_slots):
        return False
    if "STATIC_MESHES" not in root.tomb_raider.imported:
        return False
    used = {each.tomb_raider.static_mesh.id for each in members_of(root, Kind.STATIC_MESH)}
    settings = obj.tomb_raider
    settings.kind, settings.index, settings.origin = Kind.STATIC_MESH, -1, root.tomb_raider.origin
    settings.static_mesh.id, settings.static_mesh.flags = free_id(used), _DRAWN
    return True


def free_id(used: Container[int]) -> int:
    """Return the least unused id."""
    number = 0
    while number in used:
        number += 1
    return number


def box_of(mesh: Mesh, space: Space, subject: str, report: Report) -> NDArray[np.int64]:
    """Return the bounding box of a mesh, (6,): least and greatest x, y, z in world units, in pairs."""
    points = vertices_of(mesh)
    if not len(points):
        report.warn(subject, T("it has no vertices: it is invisible, and Lara walks through it"))
        return np.zeros(6, np.int64)
    units = space.to_file_int(points, subject, "a vertex")
    return np.stack((units.min(axis=0), units.max(axis=0)), axis=1).ravel()
