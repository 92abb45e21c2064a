"""Writing of arrays into Blender meshes, without loops over elements."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import bmesh
import bpy
import numpy as np
from bpy.types import Mesh
from numpy.typing import NDArray

from .poly_mesh import PolyMesh
from .read import VALUES

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
        mesh: the mesh.
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
        mesh: the mesh.
        arrays: its new content.
        types: Blender's types of attributes by name; by default they follow from the values.
    """
    add_geometry(mesh, arrays.positions, arrays.corners, arrays.starts)
    known = {each.name: each.data_type for each in mesh.attributes}
    columns: list[tuple[str, Any, NDArray[Any]]] = [
        (name, domain, values)
        for domain, named in (("POINT", arrays.point), ("FACE", arrays.face), ("CORNER", arrays.corner))
        for name, values in named.items()
    ]
    for name, domain, values in columns:
        if name not in known:
            known[name] = _type_of(values, types.get(name) if types else None)
            mesh.attributes.new(name, known[name], domain)
    # A new attribute invalidates references to earlier ones.
    for name, _, values in columns:
        if len(values):
            attribute: Any = mesh.attributes[name]
            field, _, kind = VALUES[known[name]]
            attribute.data.foreach_set(field, _plain(values, kind))
    mesh.update(calc_edges=True)


def _type_of(values: NDArray[Any], before: str | None) -> Any:
    """Return the type of a new attribute: the previous type if it holds the values."""
    width = math.prod(values.shape[1:])
    if before in VALUES and VALUES[before][1:] == (width, values.dtype):
        return before
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
