"""Polygon meshes as arrays, and operations on them without Blender."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

AttributeArrays = dict[str, NDArray[Any]]

POINT, CORNER, FACE = ({"domain": domain} for domain in ("POINT", "CORNER", "FACE"))
MATERIAL_INDEX = "material_index"  # the face attribute with the slot of the material
_COUNTED = {"point": "positions", "corner": "corners", "face": "sizes"}
_Mesh = TypeVar("_Mesh", bound="PolyMesh")


@dataclass(eq=False)
class PolyMesh:
    """A polygon mesh as arrays.

    Every field with a row per vertex, corner or face names its domain, so all operations include the fields
    that subclasses add. A field holds an array, a dictionary of arrays, or None.
    """

    positions: NDArray[Any] = field(metadata=POINT)  #: (v, 3), in any space.
    corners: NDArray[Any] = field(metadata=CORNER)  #: (k,) the vertex of every corner, face after face.
    sizes: NDArray[Any] = field(metadata=FACE)  #: (f,) corners per face.
    #: attributes of vertices by name, (v, …) each.
    point: AttributeArrays = field(default_factory=dict, metadata=POINT)
    #: attributes of corners by name, (k, …) each.
    corner: AttributeArrays = field(default_factory=dict, metadata=CORNER)
    #: attributes of faces by name, (f, …) each.
    face: AttributeArrays = field(default_factory=dict, metadata=FACE)

    @property
    def starts(self) -> NDArray[Any]:
        """The first corner of every face, (f,)."""
        return self.sizes.cumsum(dtype=self.sizes.dtype) - self.sizes

    @property
    def face_of_corner(self) -> NDArray[np.int64]:
        """The face of every corner, (k,)."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def rows(self) -> NDArray[np.int64]:
        """The first four corners of every face, (f, 4), -1 for the fourth of triangles."""
        indices = np.arange(4)
        return np.where(indices < self.sizes[:, None], self.starts[:, None] + indices, -1)

    def vertex_rows(self, numbers: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return the vertices at :attr:`rows`, (f, 4), -1 for the fourth of triangles.

        Args:
            numbers: (v,) the numbers of the vertices, by default their indices.
        """
        vertices = self.corners if numbers is None else numbers[self.corners]
        return np.append(vertices, np.array([-1], vertices.dtype))[self.rows]

    @property
    def normals_by_area(self) -> NDArray[np.float64]:
        """The normals of all faces, (f, 3), twice as long as their areas. Every face needs corners."""
        points = self.positions[self.corners].astype(np.float64)
        points -= np.repeat(points[self.starts], self.sizes, axis=0)
        # The first corner of each face is zero now, so products across two faces are zero.
        products = cross(points[:-1], points[1:])
        return np.add.reduceat(products, self.starts) if len(products) else np.zeros((0, 3))

    def means(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the mean of the vertices' values, (v, n), over the corners of every face, (f, n)."""
        return np.asarray(np.add.reduceat(values[self.corners], self.starts) / self.sizes[:, None])

    def span(self, axis: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the least and the greatest coordinate of every face along an axis, (f,) each."""
        coordinates = self.positions[self.corners, axis]
        return np.minimum.reduceat(coordinates, self.starts), np.maximum.reduceat(coordinates, self.starts)

    def equals(self, other: PolyMesh) -> bool:
        """Return whether both meshes have equal fields and attributes."""
        arrays, other_arrays = self._arrays(), other._arrays()
        return arrays.keys() == other_arrays.keys() and all(
            same_arrays(arrays[key], other_arrays[key]) for key in arrays
        )

    def put(self, domain: str, name: str, values: NDArray[Any]) -> None:
        """Set an attribute of ``point``, ``corner`` or ``face``, and remove it from the other domains."""
        for columns in (self.point, self.corner, self.face):
            columns.pop(name, None)
        getattr(self, domain)[name] = values

    # --- Other vertices, corners and faces

    def take(
        self,
        *,
        points: NDArray[Any] | None = None,
        corners: NDArray[Any] | None = None,
        faces: NDArray[Any] | None = None,
    ) -> Self:
        """Return a mesh with other rows for its vertices, corners or faces; None leaves them unchanged.

        The values of :attr:`corners`, :attr:`sizes` and all others stay: see :meth:`take_faces` and
        :meth:`merge` for operations that keep them consistent.
        """
        rows = {
            domain: np.flatnonzero(selection)
            if selection is not None and selection.dtype == np.bool_
            else selection
            for domain, selection in (("POINT", points), ("CORNER", corners), ("FACE", faces))
        }

        def select(domain: str, values: NDArray[Any]) -> NDArray[Any]:
            selection = rows[domain]
            return values if selection is None else values.take(selection, axis=0)

        return self._changed(select)

    def take_faces(self, faces: NDArray[np.bool_] | NDArray[np.int64]) -> Self:
        """Return some of the faces, in this order, with all vertices."""
        if faces.dtype == np.bool_:
            faces = np.flatnonzero(faces)
        sizes = self.sizes[faces]
        offset = self.starts[faces] - (sizes.cumsum() - sizes)
        return self.take(corners=np.repeat(offset, sizes) + np.arange(int(sizes.sum())), faces=faces)

    def merge(self, kept: NDArray[Any], numbers: NDArray[Any]) -> Self:
        """Return a mesh with some of the vertices, which corners name by new numbers.

        Args:
            kept: the vertices, in their new order.
            numbers: (v,) which of these each vertex becomes.
        """
        return replace(self.take(points=kept), corners=numbers[self.corners].astype(self.corners.dtype))

    def without_loose(self) -> Self:
        """Return a mesh with only the vertices that faces use."""
        used, corners = np.unique(self.corners, return_inverse=True)
        return replace(self.take(points=used), corners=corners.reshape(-1).astype(self.corners.dtype))

    def flipped(self) -> Self:
        """Return a mesh whose faces show their other side: corners in reverse, from the same first one."""
        starts = np.repeat(self.starts, self.sizes)
        order = starts + (starts - np.arange(len(self.corners))) % np.repeat(self.sizes, self.sizes)
        return self.take(corners=order)

    # --- All columns at once

    def _changed(self, change: Callable[[str, NDArray[Any]], NDArray[Any]]) -> Self:
        """Return a mesh whose arrays are changed by a function of domain and array."""
        changed: dict[str, Any] = {}
        for each in fields(self):
            domain, value = each.metadata.get("domain"), getattr(self, each.name)
            if isinstance(value, dict) and domain:
                changed[each.name] = {name: change(domain, values) for name, values in value.items()}
            elif value is not None and domain:
                changed[each.name] = change(domain, value)
        return replace(self, **changed)

    def _arrays(self) -> dict[tuple[str, str], NDArray[Any]]:
        """Return all arrays by field and name."""
        result: dict[tuple[str, str], NDArray[Any]] = {}
        for field_name in self.__dataclass_fields__:  # several times faster than fields()
            value = getattr(self, field_name)
            if isinstance(value, dict):
                for name, values in value.items():
                    result[field_name, name] = values
            elif isinstance(value, np.ndarray):
                result[field_name, ""] = value
        return result


def join(parts: Sequence[_Mesh]) -> _Mesh:
    """Join several meshes into one.

    An attribute has the type of the first mesh that has it; meshes without it get zeros. It is ignored in
    meshes that have it on another domain. A field that is None in one mesh is None in the result. Fields
    without a domain are those of the first mesh.
    """
    offset = 0
    moved: list[_Mesh] = []
    joined: dict[str, Any] = {}
    types: dict[str, dict[str, NDArray[Any]]] = {domain: {} for domain in _COUNTED}
    for part in parts:
        moved.append(replace(part, corners=part.corners + offset))
        offset += len(part.positions)
        names = {name for own in types.values() for name in own}
        for domain, own in types.items():
            for name, values in getattr(part, domain).items():
                if name not in names:
                    own[name] = values[:0]
    for each in fields(parts[0]):
        columns = [getattr(part, each.name) for part in moved]
        if each.name in _COUNTED:
            counts = [len(getattr(part, _COUNTED[each.name])) for part in parts]
            joined[each.name] = {
                name: np.concatenate(
                    [_column(own.get(name), count, like) for own, count in zip(columns, counts, strict=True)]
                )
                for name, like in types[each.name].items()
            }
        elif "domain" in each.metadata:
            joined[each.name] = None if any(own is None for own in columns) else np.concatenate(columns)
    return replace(parts[0], **joined)


def _column(values: NDArray[Any] | None, length: int, like: NDArray[Any]) -> NDArray[Any]:
    """Return the values if they have the type of ``like``, otherwise zeros of its type and the length."""
    if values is None or (values.dtype, values.shape[1:]) != (like.dtype, like.shape[1:]):
        return np.zeros((length, *like.shape[1:]), like.dtype)
    return values


def same_arrays(first: NDArray[Any], second: NDArray[Any]) -> bool:
    """Return whether two arrays are equal. Comparing bytes first is fastest for many small equal arrays."""
    if first.dtype == second.dtype and first.shape == second.shape and first.tobytes() == second.tobytes():
        return True
    return first.dtype.names is None and np.array_equal(first, second)


def transformed(points: NDArray[Any], matrix: Any) -> NDArray[np.float64]:
    """Return points, (n, 3), transformed by a matrix, (4, 4)."""
    values = np.array(matrix, np.float64)
    return np.asarray(points @ values[:3, :3].T + values[:3, 3], np.float64)


def cross(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cross products, (…, 3). For few vectors, NumPy's function takes several times as long."""
    ax, ay, az, bx, by, bz = (each[..., axis] for each in (a, b) for axis in range(3))
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)
