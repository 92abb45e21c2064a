"""Whether a level has already what would be brought."""

from __future__ import annotations

import numpy as np
from bpy.types import Collection, Mesh

from ....formats import Level
from ....formats.meshes.meshes import decode_meshes
from ...core.members import members_of
from ...core.space import Space
from ...mesh.read import vertices_of

_NEAR = 0.5  # units


def same_static_mesh(root: Collection, level: Level, number: int) -> int | None:
    """Return the id of a static mesh of a level of the scene that has the shape of one of a file, or None.

    Args:
        root: the level of the scene.
        level: the file.
        number: the static mesh's id there; only one by the same id counts.
    """
    (row, *_) = np.flatnonzero(level.static_meshes["id"] == number).tolist()
    entry = int(level.static_meshes["mesh"][row])
    if entry >= len(level.mesh_pointers):
        return None
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    points = block.meshes[block.pointers[entry]].vertices
    space = Space(root.tomb_raider.scale)
    for thing in members_of(root, "STATIC_MESH"):
        if thing.tomb_raider.static_mesh.id != number:
            continue
        found = vertices_of(thing.data) if isinstance(thing.data, Mesh) else np.zeros((0, 3))
        if found.shape == points.shape:
            away = np.abs(found - space.to_blender(points)).max(initial=0.0)
            return number if away < _NEAR * space.scale else None
    return None
