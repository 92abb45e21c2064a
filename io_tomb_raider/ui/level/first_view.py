"""How viewports show the first level of a scene: textured, all of it in sight, and open to look into."""

from __future__ import annotations

from typing import Any

import numpy as np
from bpy.types import Collection, Context
from mathutils import Vector
from numpy.typing import NDArray

from ...scene.base.members import members
from ..base.levels import scene_levels

_MARGIN = 2.2  # view distance per radius of what is looked at


def turn_viewports(context: Context, root: Collection) -> None:
    """Turn all viewports to a level that was just imported, if it is the only one in the scene.

    Levels lie far from the origin, where nobody would look for them, and are closed boxes from outside.
    """
    if scene_levels(context) != [root]:
        return
    context.view_layer.update()  # places are known only then
    corners = _corners(root)
    if not len(corners):
        return
    low, high = corners.min(axis=0), corners.max(axis=0)
    radius = max(float(np.linalg.norm(high - low)) / 2, 1e-3)
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            for space in area.spaces:
                if space.type == "VIEW_3D":
                    _turn(space, Vector((low + high) / 2), radius)


def _corners(root: Collection) -> NDArray[np.float64]:
    """Return (n, 3) the corners of the boxes around the rooms, in the world."""
    rooms = [thing for thing in members(root) if thing.tomb_raider.kind == "ROOM" and thing.data]
    corners = [[thing.matrix_world @ Vector(corner) for corner in thing.bound_box] for thing in rooms]
    return np.array(corners, np.float64).reshape(-1, 3)


def _turn(space: Any, center: Vector, radius: float) -> None:
    view = space.region_3d
    if view is not None and view.view_perspective != "CAMERA":
        view.view_location, view.view_distance = center, _MARGIN * radius
    space.clip_end = max(space.clip_end, 2 * (1 + _MARGIN) * radius)
    if space.shading.color_type == "MATERIAL":  # as Blender has it; users who chose another keep it
        space.shading.color_type = "TEXTURE"
        space.shading.show_backface_culling = True
