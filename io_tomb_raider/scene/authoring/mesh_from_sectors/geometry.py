"""The vertices, faces and layers of a mesh as arrays, and another mesh that takes its layers over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import bmesh
import bpy
import numpy as np
from bpy.types import Mesh
from numpy.typing import NDArray

from ...subjects.meshes.arrays import add_geometry

_MATERIAL = "material_index"
_MOST_DISTINCT = float(1 << 62)
_SHAPE = ("position", ".corner_vert", ".corner_edge", ".edge_verts")
# By the type of a layer: the property that holds its values, and how many these are.
_VALUES: dict[str, tuple[str, int, Any]] = {
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


class Layer(NamedTuple):
    """A layer of a mesh: its type, ``POINT``, ``CORNER`` or ``FACE``, and its values, (n, k)."""

    type: str
    domain: str
    values: NDArray[Any]


@dataclass(eq=False)
class Geometry:
    """A mesh as arrays.

    Attributes:
        positions: (v, 3) float32.
        corners: (k,) int32, the vertex of every corner, face after face.
        starts: (f,) int32, the first corner of every face.
        slots: (f,) int32, the slot of the material of every face.
        layers: by name all others that vertices, corners and faces have.
    """

    positions: NDArray[np.float32]
    corners: NDArray[np.int32]
    starts: NDArray[np.int32]
    slots: NDArray[np.int32]
    layers: dict[str, Layer]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many corners each face has, (f,)."""
        return np.diff(np.append(self.starts, len(self.corners)))

    @property
    def faces(self) -> NDArray[np.int64]:
        """The vertices of each face as far as its fourth corner, -1 where it has fewer, (f, 4)."""
        at = self.starts[:, None] + np.arange(4)
        inside = np.arange(4) < self.sizes[:, None]
        known = self.corners[np.where(inside, at, 0)] if len(self.corners) else np.zeros(at.shape, np.int32)
        return np.where(inside, known, -1)

    def column(self, name: str, domain: str) -> NDArray[Any] | None:
        """Return the values of a layer, (n, k), or None where there is none of that domain."""
        layer = self.layers.get(name)
        return layer.values if layer is not None and layer.domain == domain else None

    def join(self, other: Geometry) -> Geometry:
        """Return this with the vertices and faces of another one that has the same layers."""
        layers = {
            name: layer._replace(values=np.concatenate([layer.values, other.layers[name].values]))
            for name, layer in self.layers.items()
        }
        return Geometry(
            np.concatenate([self.positions, other.positions]),
            np.concatenate([self.corners, other.corners + np.int32(len(self.positions))]),
            np.concatenate([self.starts, other.starts + np.int32(len(self.corners))]),
            np.concatenate([self.slots, other.slots]),
            layers,
        )

    def take_faces(self, which: NDArray[np.bool_]) -> Geometry:
        """Return some of the faces, with the vertices that they have."""
        sizes = self.sizes
        in_face = np.repeat(which, sizes)
        used, corners = np.unique(self.corners[in_face], return_inverse=True)
        rows: dict[str, NDArray[Any]] = {
            "POINT": used,
            "CORNER": np.flatnonzero(in_face),
            "FACE": np.flatnonzero(which),
        }
        kept = sizes[which]
        return Geometry(
            self.positions[used],
            corners.ravel().astype(np.int32),
            (np.cumsum(kept) - kept).astype(np.int32),
            self.slots[which],
            {
                name: layer._replace(values=layer.values[rows[layer.domain]])
                for name, layer in self.layers.items()
            },
        )


def distinct_rows(rows: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each of the distinct rows (n, k) of whole numbers comes first, and which of them each is.

    As `numpy.unique` does along an axis, but by one number for each row, where that is large enough.
    """
    if not len(rows):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    low, high = rows.min(axis=0), rows.max(axis=0)
    if np.isfinite(low).all() and np.isfinite(high).all() and np.prod(high - low + 1.0) < _MOST_DISTINCT:
        spans = (high - low).astype(np.int64) + 1
        steps = np.append(np.cumprod(spans[:0:-1])[::-1], 1)
        packed = (rows - low).astype(np.int64) @ steps
        _, first, group = np.unique(packed, return_index=True, return_inverse=True)
    else:
        _, first, group = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, group.reshape(-1)


def read_geometry(mesh: Mesh) -> Geometry:
    """Read a mesh, in edit mode or not."""
    with _plain(mesh) as plain:
        return _read(plain)


@contextmanager
def _plain(mesh: Mesh) -> Iterator[Mesh]:
    """Yield a mesh whose layers can be read: in edit mode that is a copy."""
    if not mesh.is_editmode:
        yield mesh
        return
    scratch = bpy.data.meshes.new("Drawing")
    try:
        bmesh.from_edit_mesh(mesh).to_mesh(scratch)
        yield scratch
    finally:
        bpy.data.meshes.remove(scratch)


def _read(mesh: Mesh) -> Geometry:
    positions = np.zeros((len(mesh.vertices), 3), np.float32)
    corners, starts = np.zeros(len(mesh.loops), np.int32), np.zeros(len(mesh.polygons), np.int32)
    slots = np.zeros(len(starts), np.int32)
    if len(positions):
        mesh.attributes["position"].data.foreach_get("vector", positions.ravel())
    if len(starts):
        mesh.attributes[".corner_vert"].data.foreach_get("value", corners)
        mesh.polygons.foreach_get("loop_start", starts)
        mesh.polygons.foreach_get("material_index", slots)
    counts = {"POINT": len(positions), "CORNER": len(corners), "FACE": len(starts)}
    layers: dict[str, Layer] = {}
    for attribute in mesh.attributes:
        name = attribute.name
        if name in _SHAPE or name.startswith(".") or name == _MATERIAL:
            continue
        if attribute.domain not in counts or attribute.data_type not in _VALUES:
            continue
        field, width, kind = _VALUES[attribute.data_type]
        values = np.zeros((counts[attribute.domain], width), kind)
        if len(values):
            attribute.data.foreach_get(field, values.ravel())
        layers[name] = Layer(attribute.data_type, attribute.domain, values)
    return Geometry(positions, corners, starts, slots, layers)


def write_geometry(mesh: Mesh, geometry: Geometry) -> None:
    """Give a mesh, in edit mode or not, other vertices and faces. Its materials stay as they are."""
    kept = _Active(mesh)
    if mesh.is_editmode:
        scratch = bpy.data.meshes.new("Drawing")
        try:
            _fill(scratch, geometry)
            edited = bmesh.from_edit_mesh(mesh)
            edited.clear()
            edited.from_mesh(scratch)
            bmesh.update_edit_mesh(mesh)
        finally:
            bpy.data.meshes.remove(scratch)
        return
    mesh.clear_geometry()
    _fill(mesh, geometry)
    kept.restore(mesh)


def _fill(mesh: Any, geometry: Geometry) -> None:
    add_geometry(mesh, geometry.positions, geometry.corners, geometry.starts)
    slots = Layer("INT", "FACE", geometry.slots[:, None])
    layers = {_MATERIAL: slots, **geometry.layers}
    for name, layer in layers.items():
        if name not in mesh.attributes:
            mesh.attributes.new(name, layer.type, layer.domain)
    for name, layer in layers.items():
        if len(layer.values):
            values = np.ascontiguousarray(layer.values).ravel()
            mesh.attributes[name].data.foreach_set(_VALUES[layer.type][0], values)
    mesh.update(calc_edges=True)


class _Active:
    """Which UV map and which colors of a mesh are edited and rendered: names, as layers come and go."""

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
