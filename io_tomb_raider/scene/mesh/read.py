"""Reading of Blender meshes into arrays, without loops over elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import bmesh
import bpy
import numpy as np
from bpy.types import Mesh
from numpy.typing import NDArray

from .poly_mesh import MATERIAL_INDEX, Columns, PolyMesh

# By attribute type: the property that holds the values, their number per element, and their type.
VALUES: dict[str, tuple[str, int, Any]] = {
    "FLOAT": ("value", 1, np.float32),
    "INT": ("value", 1, np.int32),
    "INT8": ("value", 1, np.int8),
    "BOOLEAN": ("value", 1, np.bool_),
    "FLOAT_VECTOR": ("vector", 3, np.float32),
    "FLOAT2": ("vector", 2, np.float32),
    "FLOAT_COLOR": ("color", 4, np.float32),
    "BYTE_COLOR": ("color", 4, np.float32),
    "INT32_2D": ("value", 2, np.int32),
    "QUATERNION": ("value", 4, np.float32),
}


def vertices_of(mesh: Mesh) -> NDArray[np.float32]:
    """Return the positions of a mesh's vertices in its object's space, (v, 3)."""
    positions = np.empty((len(mesh.vertices), 3), np.float32)
    if len(positions):
        mesh.attributes["position"].data.foreach_get("vector", positions.ravel())
    return positions


def read_shape(mesh: Mesh, layers: Mapping[str, Any] | None = None) -> PolyMesh:
    """Return the vertices and faces of a mesh that is not in edit mode, without attributes.

    Args:
        mesh: the mesh.
        layers: its attributes by name, if known: Blender searches all attributes for each name.
    """
    found: Any = mesh.attributes if layers is None else layers
    positions = np.empty((len(mesh.vertices), 3), np.float32)
    if len(positions):
        found["position"].data.foreach_get("vector", positions.ravel())
    corners, sizes = np.empty(len(mesh.loops), np.int32), np.empty(len(mesh.polygons), np.int32)
    if len(sizes):
        found[".corner_vert"].data.foreach_get("value", corners)
        mesh.polygons.foreach_get("loop_start", sizes)
        np.subtract(np.append(sizes[1:], np.int32(len(corners))), sizes, out=sizes)
    return PolyMesh(positions, corners, sizes)


def read_all(mesh: Mesh) -> PolyMesh:
    """Return a mesh, in edit mode or not, with all attributes except hidden ones.

    It always has the attribute :data:`MATERIAL_INDEX`.
    """
    with readable(mesh) as plain:
        return _read_all(plain)


def _read_all(mesh: Mesh) -> PolyMesh:
    found = read_shape(mesh)
    domains: dict[str, tuple[Columns, int]] = {
        "POINT": (found.point, len(found.positions)),
        "CORNER": (found.corner, len(found.corners)),
        "FACE": (found.face, len(found.sizes)),
    }
    for attribute in mesh.attributes:
        name, kind, domain = attribute.name, attribute.data_type, attribute.domain
        if name != "position" and not name.startswith(".") and domain in domains and kind in VALUES:
            columns, count = domains[domain]
            columns[name] = read_values(attribute, count)
    found.face.setdefault(MATERIAL_INDEX, np.zeros(len(found.sizes), np.int32))
    return found


def read_ints(attribute: Any, domain: str, count: int) -> NDArray[np.int32] | None:
    """Return the values of an ``INT`` attribute with ``count`` elements on a domain, None for others."""
    if attribute is None or (attribute.domain, attribute.data_type) != (domain, "INT"):
        return None
    return read_values(attribute, count)


def read_values(attribute: Any, count: int) -> NDArray[Any]:
    """Return the values of an attribute of ``count`` elements, (count,) or (count, n)."""
    values, width, kind = VALUES[attribute.data_type]
    found = np.zeros((count, width) if width > 1 else count, kind)
    if count:
        attribute.data.foreach_get(values, found.ravel())
    return found


def material_slots(mesh: Mesh) -> NDArray[np.int32]:
    """Return the material slot of every face, (f,), not limited to existing slots."""
    slots = np.zeros(len(mesh.polygons), np.int32)
    if mesh.is_editmode:  # attributes have no values in edit mode
        mesh.polygons.foreach_get(MATERIAL_INDEX, slots)
    elif len(slots) and MATERIAL_INDEX in mesh.attributes:
        attribute: Any = mesh.attributes[MATERIAL_INDEX]
        attribute.data.foreach_get("value", slots)
    return slots


def read_triangles(mesh: Mesh) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return Blender's triangulation of a mesh: corners, (t, 3), and faces, (t,), of the triangles."""
    mesh.calc_loop_triangles()
    corners, faces = (
        np.empty((len(mesh.loop_triangles), 3), np.int32),
        np.empty(len(mesh.loop_triangles), np.int32),
    )
    if len(corners):
        mesh.loop_triangles.foreach_get("loops", corners.ravel())
        mesh.loop_triangles.foreach_get("polygon_index", faces)
    return corners, faces


def triangles_of(mesh: Mesh) -> NDArray[np.int32]:
    """Return the vertices of Blender's triangulation of a mesh, (t, 3)."""
    mesh.calc_loop_triangles()
    triangles = np.empty((len(mesh.loop_triangles), 3), np.int32)
    if len(triangles):
        mesh.loop_triangles.foreach_get("vertices", triangles.ravel())
    return triangles


@contextmanager
def readable(mesh: Mesh) -> Iterator[Mesh]:
    """Yield a mesh whose attributes can be read: in edit mode a temporary copy."""
    if not mesh.is_editmode:
        yield mesh
        return
    scratch = bpy.data.meshes.new("Edited")
    try:
        bmesh.from_edit_mesh(mesh).to_mesh(scratch)
        yield scratch
    finally:
        bpy.data.meshes.remove(scratch)
