"""Chambers of floors and ceilings, from which tests make rooms with collision."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Collection

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.core.space import Space
from io_tomb_raider.scene.subjects.collision.edit import CollisionEdit

SECTOR = 2.0
STEP = 0.5


def add_chamber(floor: Any = 0.0, ceiling: float = 4.0, sectors: int = 3) -> Any:
    """Add a floor, with heights in steps by sector, and a ceiling, two sectors from the world's origin."""
    heights = np.broadcast_to(np.asarray(floor, float), (sectors, sectors, 4))
    points: list[tuple[float, float, float]] = []
    faces: list[list[int]] = []
    for x, y in np.ndindex(sectors, sectors):
        for level, order in ((heights[x, y], (0, 2, 3, 1)), ([ceiling] * 4, (0, 1, 3, 2))):
            first = len(points)
            for corner in range(4):
                at = (x + corner // 2 + 2, y + corner % 2 + 2)
                points.append((at[0] * SECTOR, at[1] * SECTOR, level[corner] * STEP))
            faces.append([first + each for each in order])
    mesh = bpy.data.meshes.new("Chamber")
    mesh.from_pydata(points, [], faces)
    mesh.materials.append(bpy.data.materials.new("Plain"))
    obj = bpy.data.objects.new("Chamber", mesh)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def collision_of(room: Any) -> Any:
    (found,) = [child for child in room.children if child.tomb_raider.kind == "COLLISION"]
    return found


def edit_of(root: Collection, room: Any) -> CollisionEdit:
    return CollisionEdit(collision_of(room), Game[root.tomb_raider.game], Space(root.tomb_raider.scale))
