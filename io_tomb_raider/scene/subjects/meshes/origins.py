"""Vertices that Blender created or mixed from others, and the treatment of their attributes.

Joining meshes fills missing attributes with zeros; subdividing, cutting and merging average them. Both are
wrong for numbers such as flags. Every imported vertex therefore has a seal, a unit vector that differs from
those of the other vertices: the seal of a created vertex is zero, that of a mixed vertex is shorter than 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...mesh.blender_mesh import read_values
from ...mesh.poly_mesh import PolyMesh
from .normals import NORMAL_LENGTH, automatic_normals

SEAL = "tr_seal"

_ROUNDING = 1e-6  # of the squared length of a seal, in 32-bit floats
_CHUNK = 1 << 12
_seals = np.zeros((0, 3), np.float32)


def seals(count: int) -> NDArray[np.float32]:
    """Return the seals of the vertices of a mesh, (count, 3): unit vectors in random directions."""
    global _seals
    if count > len(_seals):
        # Equal in all meshes and sessions, so that saved files compress well.
        drawn = np.random.default_rng(1).normal(size=(-(-count // _CHUNK) * _CHUNK, 3))
        _seals = (drawn / np.linalg.norm(drawn, axis=1)[:, None]).astype(np.float32)
    return _seals[:count]


class Origins:
    """The origins of the vertices of a mesh."""

    shape: PolyMesh  #: the mesh.
    created: NDArray[np.bool_]  #: (n,), vertices whose attributes Blender filled with defaults.
    mixed: NDArray[np.bool_]  #: (n,), vertices whose attributes are averages of others.
    #: (n,), created or mixed vertices; without seals, where all may be new, all vertices.
    new: NDArray[np.bool_]
    has_new: bool  #: whether there are new vertices: most meshes have none, and need no treatment.

    def __init__(self, layer: Any | None, shape: PolyMesh) -> None:
        """Read the attribute :data:`SEAL`; None or another type counts all vertices as neither."""
        self.shape, count = shape, len(shape.positions)
        if layer is None or (layer.domain, layer.data_type) != ("POINT", "FLOAT_VECTOR"):
            self.created = self.mixed = np.zeros(count, np.bool_)
            self.new, self.has_new = np.ones(count, np.bool_), count > 0
            return
        vectors = read_values(layer, count)
        squared = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
        self.new = ~(np.abs(squared - 1) <= _ROUNDING)
        self.has_new = bool(self.new.any())
        self.created = squared == 0
        self.mixed = self.new & ~self.created

    def _neighbors(self, of: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return pairs of some vertices and their neighbors along edges, sorted by vertex and distance."""
        shape = self.shape
        end = shape.starts + shape.sizes - 1
        after = np.arange(1, len(shape.corners) + 1)
        after[end] = shape.starts
        a, b = shape.corners, shape.corners[after]
        first, second = np.concatenate([a, b]), np.concatenate([b, a])
        first, second = first[of[first]], second[of[first]]
        lengths = np.linalg.norm(shape.positions[first] - shape.positions[second], axis=1)
        order = np.lexsort((second, lengths, first))
        return first[order], second[order]

    @cached_property
    def _around_mixed(self) -> tuple[NDArray[Any], NDArray[Any]]:
        return self._neighbors(self.mixed)

    @cached_property
    def nearest(self) -> NDArray[np.int64]:
        """The vertex itself, or of a mixed vertex the nearest along edges that is not mixed, (n,)."""
        source, is_resolved = np.arange(len(self.mixed)), ~self.mixed
        first, second = self._around_mixed
        while True:
            usable = is_resolved[second] & ~is_resolved[first]
            vertices, rows = np.unique(first[usable], return_index=True)
            if not len(vertices):
                return source
            source[vertices] = source[second[usable][rows]]
            is_resolved[vertices] = True

    def spread(
        self, values: NDArray[Any], among: NDArray[np.bool_], of: np.ufunc = np.minimum
    ) -> NDArray[Any]:
        """Return the least (or greatest) value that connected vertices and their neighbors have, (n,).

        Only vertices of a mask take values of their neighbors; ``of`` is `numpy.minimum` or `numpy.maximum`.
        """
        first, second = self._around_mixed if among is self.mixed else self._neighbors(among)
        result = values.copy()
        while True:
            before = result.copy()
            of.at(result, first, before[second])
            if np.array_equal(before, result):
                return result


class Attribute(NamedTuple):
    """An attribute of meshes of levels, and the treatment of values that users did not set.

    A treatment changes values in place. None means that Blender's value is right: zero where nobody set one,
    or a value that exports compare with the displayed one before they use it.
    """

    name: str
    domain: str  #: its domain: vertices, faces, or both. Blender copies values of faces and never mixes them.
    #: the treatment of values of created vertices.
    unset: Callable[[NDArray[Any], Origins], None] | None = None
    #: the treatment of values of mixed vertices.
    mixed: Callable[[NDArray[Any], Origins], None] | None = None

    def treat(self, values: NDArray[Any], origins: Origins) -> NDArray[Any]:
        """Return values of vertices or faces, (n, …), with created and mixed ones treated in place."""
        if not origins.has_new:
            return values
        for rows, treatment in ((origins.created, self.unset), (origins.mixed, self.mixed)):
            if treatment is not None and rows.any():
                treatment(values, origins)
        return values


def treat_points(layer: Any | None, shape: PolyMesh, attributes: Iterable[Attribute]) -> Origins:
    """Treat all attributes of a mesh's vertices in place; return the origins, from the layer :data:`SEAL`."""
    origins = Origins(layer, shape)
    for attribute in attributes:
        if attribute.domain == "POINT" and attribute.name in shape.point:
            attribute.treat(shape.point[attribute.name], origins)
    return origins


def unknown(values: NDArray[Any], origins: Origins) -> None:
    """Mark numbers of created and mixed vertices as unknown."""
    values[origins.created | origins.mixed] = -1


def copied(values: NDArray[Any], origins: Origins, named: int = 0) -> None:
    """Replace averages by the value of the nearest vertex that is not mixed, or else by zero.

    An average is between the values around it. Other values were set after the mesh was divided, if another
    vertex has them too, or all their bits have a meaning (are ``named``).
    """
    mixed = origins.mixed
    is_kept = ~mixed | np.isin(values, values[~mixed]) | (values & ~named == 0)
    limits = np.iinfo(values.dtype)
    low = origins.spread(np.where(mixed, limits.max, values), mixed)
    high = origins.spread(np.where(mixed, limits.min, values), mixed, np.maximum)
    averaged = ~is_kept | mixed & (low < values) & (values < high)
    source = origins.nearest[averaged]
    values[averaged] = np.where(mixed[source], 0, values[source])


def smooth(values: NDArray[Any], origins: Origins) -> None:
    """Set missing normals of created vertices from their faces, as long as the others."""
    missing = origins.created & ~values.any(axis=1)
    lengths = np.linalg.norm(values[~origins.created & ~origins.mixed], axis=1)
    length = np.median(lengths[lengths > 0]) if (lengths > 0).any() else NORMAL_LENGTH
    values[missing] = automatic_normals(origins.shape)[missing] * length


def lengthened(values: NDArray[Any], origins: Origins) -> None:
    """Lengthen averaged normals to the length of the nearest normal that is not averaged."""
    length = np.linalg.norm(values, axis=1)
    target_length = length[origins.nearest]
    rows = origins.mixed & (length < target_length)
    opposite = rows & (length < target_length / 1e3)
    rows &= ~opposite
    values[rows] *= (target_length[rows] / length[rows])[:, None]
    if opposite.any():
        values[opposite] = automatic_normals(origins.shape)[opposite] * target_length[opposite, None]
