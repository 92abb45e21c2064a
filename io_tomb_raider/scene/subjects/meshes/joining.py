"""Joining of separated meshes, as arrays, in the file's original order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from bpy.types import Material
from numpy.typing import NDArray

from ...mesh.poly_mesh import join
from ..textures.keys import has_kind
from .arrays import VERTEX, MeshArrays

_LAST = -(1 << 40)


def join_meshes(parts: Sequence[MeshArrays], order: MeshArrays | None = None) -> MeshArrays:
    """Return one mesh of several parts in a common space, with vertices that are equal in all parts merged.

    Unrepresentable faces that several have are those of the first one. Vertices and faces have the order of
    the file's mesh, if that is given.
    """
    joined = _concatenated(parts)
    numbers = joined.point.get(VERTEX)
    if numbers is None:
        return joined
    welded = _welded(joined, numbers)
    return welded if order is None else _in_order(welded, order)


def _concatenated(parts: Sequence[MeshArrays]) -> MeshArrays:
    """Join meshes with only the attributes that all of them have."""
    point, face = (
        set.intersection(*(set(getattr(part, domain)) for part in parts)) for domain in ("point", "face")
    )
    alike: list[MeshArrays] = []
    own_materials: list[Material] = []
    for part in parts:
        keys = part.keys.copy()
        keys["page"][has_kind(keys, "OWN")] += len(own_materials)
        own_materials += part.own_materials
        both = (part.point, point), (part.face, face)
        common = [{name: values[name] for name in values if name in names} for values, names in both]
        alike.append(replace(part, keys=keys, point=common[0], face=common[1]))
    return replace(join(alike), own_materials=own_materials, parked=_parked(parts))


def _parked(parts: Sequence[MeshArrays]) -> NDArray[np.void]:
    """Return the unrepresentable faces of all parts in the order of the file."""
    parked = np.concatenate([part.parked for part in parts])
    if len(parked) == len(parts[0].parked):
        return parts[0].parked
    _, first = np.unique(parked[["kind", "place"]], return_index=True)
    return parked[first]


def _welded(arrays: MeshArrays, numbers: NDArray[np.int32]) -> MeshArrays:
    """Merge vertices with equal numbers and values, in the order of their numbers."""
    count = len(numbers)
    columns: list[NDArray[Any]] = [arrays.positions, arrays.colors, *arrays.point.values()]
    if arrays.normals is not None:
        columns.append(arrays.normals)
    rows = np.concatenate(
        [np.ascontiguousarray(c).reshape(count, -1).view(np.uint8) for c in columns], axis=1
    )
    # New vertices, without a number, are not merged.
    new_numbers = np.where(numbers >= 0, 0, np.arange(1, count + 1)).astype("<i8")
    rows = np.ascontiguousarray(np.concatenate([rows, new_numbers[:, None].view(np.uint8)], axis=1))
    _, first, group = np.unique(
        rows.view(f"V{rows.shape[1]}").ravel(), return_index=True, return_inverse=True
    )
    has_number = numbers[first] >= 0
    rank = np.lexsort((first, np.where(has_number, numbers[first], 0), ~has_number))
    position = np.empty(len(first), np.int32)
    position[rank] = np.arange(len(first))
    return arrays.merge(first[rank], position[group.ravel()])


def _in_order(arrays: MeshArrays, order: MeshArrays) -> MeshArrays:
    """Sort faces into the order of another mesh; new ones are last."""
    rows = arrays.vertex_rows(arrays.point[VERTEX])
    by_corners: dict[bytes, list[int]] = {}
    # Faces with equal vertices and winding take their places in turn.
    for index, row in enumerate(order.vertex_rows()):
        by_corners.setdefault(row.tobytes(), []).append(-index)
    for indices in by_corners.values():
        indices.sort()
    ranks = np.array([-(by_corners.get(row.tobytes()) or [_LAST]).pop() for row in rows], np.int64)
    return arrays.take_faces(np.argsort(ranks, kind="stable"))
