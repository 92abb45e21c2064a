"""Edits of meshes for an injection: other textures of faces, and moved vertices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.schema.fields import Record
from ...levels.level.level import Level
from ...levels.meshes.meshes import Mesh

_FACES = ("quads", "triangles", "colored_quads", "colored_triangles")


# By type of faces and texture word: model, mesh and face.
_Sources = dict[tuple[int, int], tuple[int, int, int]]


def mesh_sources(level: Level, one: Any, other: Any) -> _Sources:
    """Return faces of models whose texture is the same in both levels."""
    result: _Sources = {}
    for model in level.models:
        for number in range(int(model["meshes"])):
            pointer = int(model["first_mesh"]) + number
            before, after = (block.meshes[block.pointers[pointer]] for block in (one, other))
            for kind, name in enumerate(_FACES):
                a, b = getattr(before, name)["texture"], getattr(after, name)["texture"]
                count = min(len(a), len(b))
                for row in np.flatnonzero(a[:count] == b[:count]).tolist():
                    result.setdefault((kind, int(a[row])), (int(model["id"]), number, row))
    return result


def mesh_edit(one: Mesh, other: Mesh, sources: _Sources) -> Record | None:
    """Return the edit of a mesh whose faces have the same corners, None for other changes."""
    if len(one.vertices) != len(other.vertices):
        return None
    faces: list[Record] = []
    for kind, name in enumerate(_FACES):
        a, b = getattr(one, name), getattr(other, name)
        if len(a) != len(b) or not np.array_equal(a["vertices"], b["vertices"]):
            return None
        words: dict[int, list[int]] = {}
        for row in np.flatnonzero(a["texture"] != b["texture"]).tolist():
            words.setdefault(int(b["texture"][row]), []).append(row)
        for word, rows in words.items():
            source = sources.get((kind, word))
            if source is not None:
                faces.append(
                    {
                        "source": {"kind": 0, "id": source[0]},
                        "source_mesh": source[1],
                        "face_type": kind,
                        "source_face": source[2],
                        "targets": rows,
                    }
                )
    steps: NDArray[np.int64] = other.vertices.astype(np.int64) - one.vertices
    vertices = [
        {"vertex": row, **{axis: int(steps[row][place]) for place, axis in enumerate("xyz")}}
        for row in np.flatnonzero(steps.any(axis=1)).tolist()
    ]
    return {"center": list(other.center), "radius": other.radius, "faces": faces, "vertices": vertices}
