"""Placement of entities that are dropped on a 3D view, such as assets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import bpy
from bpy.types import Area, Collection, Object, Region
from bpy_extras.view3d_utils import region_2d_to_origin_3d, region_2d_to_vector_3d

from ...scene.core import Kind

if TYPE_CHECKING:
    from mathutils import Vector

    Ray = tuple[Vector, Vector]  # origin and direction in world space

# Blender's operators that add a collection instance at the depth of the 3D cursor.
_DROPS = frozenset({"OBJECT_OT_collection_instance_add", "OBJECT_OT_collection_external_asset_drop"})


def place_dropped(root: Collection, adopted: Iterable[Object], ray: Ray | None) -> None:
    """Place dropped entities among the adopted objects of a level on the floor under the mouse.

    Without a ray of :func:`ray_of_drop`, entities are not moved.
    """
    entities = [obj for obj in adopted if obj.tomb_raider.kind == Kind.ENTITY]
    if ray is not None and entities:
        from ...scene.authoring.new import drop_to_floor

        for obj in entities:
            drop_to_floor(root, obj, *ray)


def ray_of_drop() -> Ray | None:
    """Return the line of sight at which the last operator dropped an object, or None."""
    position = _drop_position()
    view = None if position is None else _view_at(position)
    if position is None or view is None:
        return None
    area, region = view
    space: Any = area.spaces.active
    inside = (position[0] - region.x, position[1] - region.y)
    eye = region_2d_to_origin_3d(region, space.region_3d, inside)
    return eye, region_2d_to_vector_3d(region, space.region_3d, inside)


def _drop_position() -> tuple[int, int] | None:
    """Return the window position at which the last operator dropped an object, or None."""
    operators = bpy.context.window_manager.operators
    last: Any = operators[-1] if operators else None
    if last is None or last.bl_idname not in _DROPS or not last.properties.is_property_set("drop_x"):
        return None
    return last.properties.drop_x, last.properties.drop_y


def _view_at(position: tuple[int, int]) -> tuple[Area, Region] | None:
    """Return the 3D view at a position in the active window, or None."""
    window = bpy.context.window
    for area in window.screen.areas if window is not None else ():
        region = next((region for region in area.regions if region.type == "WINDOW"), None)
        if area.type == "VIEW_3D" and region is not None and _is_inside(region, position):
            return area, region
    return None


def _is_inside(region: Region, position: tuple[int, int]) -> bool:
    x, y = position[0] - region.x, position[1] - region.y
    return 0 <= x < region.width and 0 <= y < region.height
