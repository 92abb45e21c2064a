"""Rooms whose light can be measured."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Collection
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.new_levels.new import new_level

from ...scenes import UNIT, edit_bmesh, export_scene, objects


def divided_room(game: Game, height: int = 512) -> tuple[Collection, Any, Any]:
    """Create a level whose room, 6 by 6 sectors, has a one-sided wall with a light in front of it.

    The wall is on the floor in the middle, from side to side, and faces away from the light.

    Returns:
        The level, the room and the light, which is above the floor one sector before the wall.
    """
    root = new_level(game, "Level").root
    (room,), (light,) = objects(root, "ROOM"), objects(root, "LIGHT")
    corners = np.array(room.bound_box)
    low, high = corners.min(axis=0), corners.max(axis=0)
    middle, top = (low[1] + high[1]) / 2, low[2] + height * UNIT

    def divide(bm: Any) -> None:
        places = [(low[0], low[2]), (low[0], top), (high[0], top), (high[0], low[2])]
        # In Blender the front has counterclockwise corners: +y.
        bm.faces.new([bm.verts.new((x, middle, z)) for x, z in places])

    edit_bmesh(room.data, divide)
    light.location = ((low[0] + high[0]) / 2, middle - 1024 * UNIT, low[2] + 256 * UNIT)
    bpy.context.view_layer.update()
    return root, room, light


def exported_light(root: Collection) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return the vertices of each exported room in the world, (n, 3), and their light, (n,)."""
    level = export_scene(root)
    name = "color" if level.game.traits.has_color_light else "light"
    found = []
    for room in level.rooms:
        places = np.stack([room.vertices[axis] for axis in "xyz"], axis=1).astype(np.int64)
        found.append((places + np.array((room.x, 0, room.z)), room.vertices[name].astype(np.int64)))
    return found
