"""Several meshes as one, as arrays: what was separated comes together again as it was in the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from bpy.types import Material
from numpy.typing import NDArray

from ..textures.keys import KeyArray, has_kind, join_keys
from .arrays import VERTEX, MeshArrays

_NONE = -1
_LAST = -(1 << 40)


def face_rows(arrays: MeshArrays, numbers: NDArray[np.int32] | None = None) -> NDArray[np.int32]:
    """Return the vertices of every face in their order, (f, 4), -1 where a triangle has none.

    Args:
        arrays: without faces of more than four corners.
        numbers: (n,) what vertices are called; their places without.
    """
    rows = np.full((len(arrays.sizes), 4), _NONE, np.int32)
    corners = arrays.corners if numbers is None else numbers[arrays.corners]
    face = np.repeat(np.arange(len(arrays.sizes)), arrays.sizes)
    rows[face, np.arange(len(corners)) - np.repeat(arrays.starts, arrays.sizes)] = corners
    return rows


def join_meshes(parts: Sequence[MeshArrays], order: MeshArrays | None = None) -> MeshArrays:
    """Return one mesh of several that were one: vertices that are alike in all are one again.

    Args:
        parts: in one space. What is kept of faces that Blender cannot hold, the first one says.
        order: the mesh of the file, whose order vertices and faces take up as far as they are from there.
    """
    joined = _concatenated(parts)
    numbers = joined.point.get(VERTEX)
    if numbers is None:
        return joined
    welded = _welded(joined, numbers)
    return welded if order is None else _in_order(welded, order)


def _concatenated(parts: Sequence[MeshArrays]) -> MeshArrays:
    starts = np.cumsum([0, *(len(part.positions) for part in parts)])
    keys: list[KeyArray] = []
    own: list[Material] = []
    for part in parts:
        rows = part.keys.copy()
        rows["page"][has_kind(rows, "OWN")] += len(own)
        keys.append(rows)
        own += part.own_materials
    normals = [part.normals for part in parts if part.normals is not None]
    return replace(
        parts[0],
        positions=np.concatenate([part.positions for part in parts]),
        corners=np.concatenate([part.corners + start for part, start in zip(parts, starts, strict=False)]),
        sizes=np.concatenate([part.sizes for part in parts]),
        uvs=np.concatenate([part.uvs for part in parts]),
        keys=join_keys(keys),
        colors=np.concatenate([part.colors for part in parts]),
        point=_columns([part.point for part in parts], [len(part.positions) for part in parts]),
        face=_columns([part.face for part in parts], [len(part.sizes) for part in parts]),
        normals=np.concatenate(normals) if len(normals) == len(parts) else None,
        own_materials=own,
    )


def _columns(
    parts: Sequence[dict[str, NDArray[np.int32]]], counts: Sequence[int]
) -> dict[str, NDArray[np.int32]]:
    """Join attributes that all have; what a part lacks says nothing of it."""
    names = [name for name in parts[0] if all(name in part for part in parts)]
    return {name: np.concatenate([part[name] for part in parts]) for name in names}


def _welded(arrays: MeshArrays, numbers: NDArray[np.int32]) -> MeshArrays:
    """Make one of vertices of the same number that are alike in everything, in the order of their numbers."""
    count = len(numbers)
    columns: list[NDArray[Any]] = [arrays.positions, arrays.colors, *arrays.point.values()]
    if arrays.normals is not None:
        columns.append(arrays.normals)
    rows = np.concatenate(
        [np.ascontiguousarray(c).reshape(count, -1).view(np.uint8) for c in columns], axis=1
    )
    # New vertices, of no number, stay what they are.
    own = np.where(numbers >= 0, 0, np.arange(1, count + 1)).astype("<i8")
    rows = np.ascontiguousarray(np.concatenate([rows, own[:, None].view(np.uint8)], axis=1))
    _, first, group = np.unique(
        rows.view(f"V{rows.shape[1]}").ravel(), return_index=True, return_inverse=True
    )
    known = numbers[first] >= 0
    rank = np.lexsort((first, np.where(known, numbers[first], 0), ~known))
    place = np.empty(len(first), np.int32)
    place[rank] = np.arange(len(first))
    kept = first[rank]
    return replace(
        arrays,
        positions=arrays.positions[kept],
        corners=place[group.ravel()][arrays.corners],
        colors=arrays.colors[kept],
        point={name: values[kept] for name, values in arrays.point.items()},
        normals=None if arrays.normals is None else arrays.normals[kept],
    )


def _in_order(arrays: MeshArrays, order: MeshArrays) -> MeshArrays:
    """Put faces into the order of another mesh; those that it does not have come last."""
    rows = face_rows(arrays, arrays.point[VERTEX])
    wanted: dict[bytes, list[int]] = {}
    # Faces on the same vertices the same way round take their places one after the other.
    for place, row in enumerate(face_rows(order)):
        wanted.setdefault(row.tobytes(), []).append(-place)
    for places in wanted.values():
        places.sort()
    ranks = np.array([-(wanted.get(row.tobytes()) or [_LAST]).pop() for row in rows], np.int64)
    turn = np.argsort(ranks, kind="stable")
    sizes = arrays.sizes[turn]
    starts = np.cumsum(sizes) - sizes
    corner = np.arange(int(sizes.sum())) - np.repeat(starts, sizes) + np.repeat(arrays.starts[turn], sizes)
    return replace(
        arrays,
        corners=arrays.corners[corner],
        sizes=sizes,
        uvs=arrays.uvs[corner],
        keys=arrays.keys[turn],
        face={name: values[turn] for name, values in arrays.face.items()},
    )
