"""Edits of meshes for an injection: other textures of faces, and moved vertices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.arrays.typing import Ints
from ...base.schema.fields import Record
from ...levels.injections.kinds import ReferenceKind
from ...levels.level.level import Level
from ...levels.meshes.meshes import Mesh
from .baking import FACES

# By type of faces and texture word: model, mesh and face.
_Sources = dict[tuple[int, int], tuple[int, int, int]]


def mesh_sources(level: Level, before: Any, after: Any) -> _Sources:
    """Return faces of models whose texture is the same in both levels."""
    result: _Sources = {}
    for model in level.models:
        for number in range(int(model["meshes"])):
            pointer = int(model["first_mesh"]) + number
            old, new = (block.meshes[block.pointers[pointer]] for block in (before, after))
            for kind, name in enumerate(FACES):
                old_words, new_words = getattr(old, name)["texture"], getattr(new, name)["texture"]
                count = min(len(old_words), len(new_words))
                for row in np.flatnonzero(old_words[:count] == new_words[:count]).tolist():
                    result.setdefault((kind, int(old_words[row])), (int(model["id"]), number, row))
    return result


def mesh_edit(old: Mesh, new: Mesh, sources: _Sources) -> Record | None:
    """Return the edit of a mesh whose faces have the same corners, None for other changes."""
    if len(old.vertices) != len(new.vertices):
        return None
    faces: list[Record] = []
    for kind, name in enumerate(FACES):
        old_faces, new_faces = getattr(old, name), getattr(new, name)
        if not np.array_equal(old_faces["vertices"], new_faces["vertices"]):
            return None
        words: dict[int, list[int]] = {}
        for row in np.flatnonzero(old_faces["texture"] != new_faces["texture"]).tolist():
            words.setdefault(int(new_faces["texture"][row]), []).append(row)
        for word, rows in words.items():
            source = sources.get((kind, word))
            if source is not None:
                faces.append(
                    {
                        "source": {"kind": ReferenceKind.MODEL, "id": source[0]},
                        "source_mesh": source[1],
                        "face_type": kind,
                        "source_face": source[2],
                        "targets": rows,
                    }
                )
    steps: Ints = new.vertices.astype(np.int64) - old.vertices
    vertices = [
        {"vertex": row, **{axis: int(steps[row][column]) for column, axis in enumerate("xyz")}}
        for row in np.flatnonzero(steps.any(axis=1)).tolist()
    ]
    return {"center": list(new.center), "radius": new.radius, "faces": faces, "vertices": vertices}
