"""Reading and writing of Blender meshes as arrays, without loops over elements."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import bmesh
import bpy
import numpy as np
from bmesh.types import BMesh
from bpy.types import Mesh
from numpy.typing import NDArray

from .poly_mesh import MATERIAL_INDEX, AttributeArrays, PolyMesh

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


@contextmanager
def edited_mesh(mesh: Mesh) -> Iterator[BMesh]:
    """Provide a mesh that is not in edit mode as a BMesh, which is written back at the end."""
    edited = bmesh.new()
    try:
        edited.from_mesh(mesh)
        yield edited
        edited.to_mesh(mesh)
        mesh.update()
    finally:
        edited.free()


def vertices_of(mesh: Mesh) -> NDArray[np.float32]:
    """Return the positions of a mesh's vertices in its object's space, (v, 3)."""
    positions = np.empty((len(mesh.vertices), 3), np.float32)
    if len(positions):
        mesh.attributes["position"].data.foreach_get("vector", positions.ravel())
    return positions


def read_shape(mesh: Mesh, layers: Mapping[str, Any] | None = None) -> PolyMesh:
    """Return the vertices and faces of a mesh that is not in edit mode, without attributes.

    Args:
        layers: its attributes by name, if known: Blender searches all attributes for each name.
    """
    attributes: Any = mesh.attributes if layers is None else layers
    positions = np.empty((len(mesh.vertices), 3), np.float32)
    if len(positions):
        attributes["position"].data.foreach_get("vector", positions.ravel())
    corners, sizes = np.empty(len(mesh.loops), np.int32), np.empty(len(mesh.polygons), np.int32)
    if len(sizes):
        attributes[".corner_vert"].data.foreach_get("value", corners)
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
    result = read_shape(mesh)
    domains: dict[str, tuple[AttributeArrays, int]] = {
        "POINT": (result.point, len(result.positions)),
        "CORNER": (result.corner, len(result.corners)),
        "FACE": (result.face, len(result.sizes)),
    }
    for attribute in mesh.attributes:
        name, kind, domain = attribute.name, attribute.data_type, attribute.domain
        if name != "position" and not name.startswith(".") and domain in domains and kind in VALUES:
            columns, count = domains[domain]
            columns[name] = read_values(attribute, count)
    result.face.setdefault(MATERIAL_INDEX, np.zeros(len(result.sizes), np.int32))
    return result


def read_ints(attribute: Any, domain: str, count: int) -> NDArray[np.int32] | None:
    """Return the values of an ``INT`` attribute with ``count`` elements on a domain, None for others."""
    if attribute is None or (attribute.domain, attribute.data_type) != (domain, "INT"):
        return None
    return read_values(attribute, count)


def read_values(attribute: Any, count: int) -> NDArray[Any]:
    """Return the values of an attribute of ``count`` elements, (count,) or (count, n)."""
    values, width, kind = VALUES[attribute.data_type]
    result = np.zeros((count, width) if width > 1 else count, kind)
    if count:
        attribute.data.foreach_get(values, result.ravel())
    return result


def material_slots(mesh: Mesh) -> NDArray[np.int32]:
    """Return the material slot of every face, (f,), not limited to existing slots."""
    slots = np.zeros(len(mesh.polygons), np.int32)
    if mesh.is_editmode:  # attributes have no values in edit mode
        mesh.polygons.foreach_get(MATERIAL_INDEX, slots)
    elif len(slots) and MATERIAL_INDEX in mesh.attributes:
        attribute: Any = mesh.attributes[MATERIAL_INDEX]
        attribute.data.foreach_get("value", slots)
    return slots


def write_material_slots(mesh: Mesh, slots: NDArray[np.integer[Any]]) -> None:
    """Write the material slot of every face, (f,), of a mesh that is not in edit mode."""
    if len(slots):
        attributes: Any = mesh.attributes
        if MATERIAL_INDEX not in attributes:
            attributes.new(MATERIAL_INDEX, "INT", "FACE")
        # Writing it as a property of faces takes 300 times as long.
        attributes[MATERIAL_INDEX].data.foreach_set("value", _plain(slots, np.int32))


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


# --- Writing ----------------------------------------

# Attribute types by kind and number of values per element.
_TYPES = {
    ("f", 1): "FLOAT",
    ("f", 2): "FLOAT2",
    ("f", 3): "FLOAT_VECTOR",
    ("f", 4): "FLOAT_COLOR",
    ("i", 1): "INT",
    ("i", 2): "INT32_2D",
    ("b", 1): "BOOLEAN",
}


def add_geometry(mesh: Mesh, positions: NDArray[Any], corners: NDArray[Any], starts: NDArray[Any]) -> None:
    """Add vertices and faces to an empty mesh.

    Args:
        positions: (v, 3).
        corners: (k,) the vertex of every corner, face after face.
        starts: (f,) the first corner of every face.
    """
    if not len(positions):
        return
    mesh.vertices.add(len(positions))
    mesh.attributes["position"].data.foreach_set("vector", _plain(positions, np.float32))
    if not len(corners):
        return
    mesh.loops.add(len(corners))
    mesh.polygons.add(len(starts))
    mesh.attributes[".corner_vert"].data.foreach_set("value", _plain(corners, np.int32))
    mesh.polygons.foreach_set("loop_start", starts.tolist())  # a list takes half the time here


def write_mesh(mesh: Mesh, arrays: PolyMesh, types: Mapping[str, str] | None = None) -> None:
    """Write vertices, faces and attributes into an empty mesh, without validation.

    Args:
        types: Blender's types of attributes by name; by default they follow from the values.
    """
    add_geometry(mesh, arrays.positions, arrays.corners, arrays.starts)
    types_by_name = {each.name: each.data_type for each in mesh.attributes}
    columns: list[tuple[str, Any, NDArray[Any]]] = [
        (name, domain, values)
        for domain, attributes in (("POINT", arrays.point), ("FACE", arrays.face), ("CORNER", arrays.corner))
        for name, values in attributes.items()
    ]
    for name, domain, values in columns:
        if name not in types_by_name:
            types_by_name[name] = _type_of(values, types.get(name) if types else None)
            mesh.attributes.new(name, types_by_name[name], domain)
    # A new attribute invalidates references to earlier ones.
    for name, _, values in columns:
        if len(values):
            attribute: Any = mesh.attributes[name]
            field, _, kind = VALUES[types_by_name[name]]
            attribute.data.foreach_set(field, _plain(values, kind))
    mesh.update(calc_edges=True)


def _type_of(values: NDArray[Any], old_type: str | None) -> Any:
    """Return the type of a new attribute: the previous type if it holds the values."""
    width = math.prod(values.shape[1:])
    if old_type in VALUES and VALUES[old_type][1:] == (width, values.dtype):
        return old_type
    return _TYPES[values.dtype.kind, width]


def _plain(values: NDArray[Any], kind: Any) -> NDArray[Any]:
    return values.ravel() if values.dtype == kind else values.astype(kind).ravel()


def rewrite_mesh(mesh: Mesh, arrays: PolyMesh) -> None:
    """Replace the vertices, faces and attributes of a mesh, in edit mode or not, and keep its materials.

    Attributes keep their types. The active and rendered UV maps and colors stay so.
    """
    types = {each.name: each.data_type for each in mesh.attributes}
    if mesh.is_editmode:
        scratch = bpy.data.meshes.new("Edited")
        try:
            write_mesh(scratch, arrays, types)
            edited = bmesh.from_edit_mesh(mesh)
            edited.clear()
            edited.from_mesh(scratch)
            bmesh.update_edit_mesh(mesh)
        finally:
            bpy.data.meshes.remove(scratch)
        return
    kept = _Active(mesh)
    mesh.clear_geometry()
    write_mesh(mesh, arrays, types)
    kept.restore(mesh)


class _Active:
    """The names of the active and rendered UV maps and colors of a mesh."""

    def __init__(self, mesh: Mesh) -> None:
        uvs = mesh.uv_layers
        self._edited = uvs.active.name if uvs.active is not None else ""
        self._rendered = next((each.name for each in uvs if each.active_render), "")
        self._color = mesh.attributes.active_color_name
        self._default = mesh.attributes.default_color_name

    def restore(self, mesh: Mesh) -> None:
        uvs = mesh.uv_layers
        if self._edited in uvs:
            uvs.active = uvs[self._edited]
        if self._rendered in uvs:
            uvs[self._rendered].active_render = True
        for name, value in (("active_color_name", self._color), ("default_color_name", self._default)):
            if value and value in mesh.color_attributes:
                setattr(mesh.attributes, name, value)
