"""Plain meshes that people put into the library become static meshes, with ids and boxes of their own."""

from __future__ import annotations

from collections.abc import Container

import numpy as np
from bpy.types import Collection, Mesh, Object
from numpy.typing import NDArray

from ...core.members import members_of
from ...core.report import Report
from ...core.space import Space
from ...core.subjects import Kind
from ...mesh.read import vertices_of

_DRAWN = 2  # the flag without which games draw nothing


def adopt_static_mesh(root: Collection, obj: Object) -> bool:
    """Make a mesh of the user's own a static mesh with the next free id. Tells whether it is one now.

    One without faces or without material is not: nothing could be drawn of it yet, and its export would fail.
    Its boxes stay empty, as its shape may still change: an export finds out what they hold.
    """
    mesh = obj.data
    if not isinstance(mesh, Mesh) or obj.parent_type == "BONE" or not (mesh.polygons or obj.modifiers):
        return False
    if not obj.material_slots or any(slot.material is None for slot in obj.material_slots):
        return False
    if "STATIC_MESHES" not in root.tomb_raider.imported:
        return False
    taken = {each.tomb_raider.static_mesh.id for each in members_of(root, Kind.STATIC_MESH)}
    settings = obj.tomb_raider
    settings.kind, settings.index, settings.origin = Kind.STATIC_MESH, -1, root.tomb_raider.origin
    settings.static_mesh.id, settings.static_mesh.flags = free_id(taken), _DRAWN
    return True


def free_id(taken: Container[int]) -> int:
    """Return the first id that nothing has."""
    number = 0
    while number in taken:
        number += 1
    return number


def box_of(mesh: Mesh, space: Space, subject: str, report: Report) -> NDArray[np.int64]:
    """Return the box around a mesh as records have it: (6,), least and most x, y and z in units."""
    points = vertices_of(mesh)
    if not len(points):
        report.warn(subject, "it has no vertices: Lara walks through it, and nothing of it is seen")
        return np.zeros(6, np.int64)
    units = space.to_file_int(points, subject, "a vertex")
    return np.stack((units.min(axis=0), units.max(axis=0)), axis=1).ravel()
