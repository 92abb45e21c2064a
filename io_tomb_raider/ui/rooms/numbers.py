"""Overlay of the numbers of rooms and entities in 3D views."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
from bpy.props import EnumProperty
from bpy.types import Object
from mathutils import Vector

from ...formats import ExportError
from ...scene.core import Kind, world_matrix
from ..base.layout.drawing import ViewDrawing, redraw_views

_KINDS = [
    ("ROOM", "Rooms", "The numbers of rooms in the file", "MESH_CUBE", 1),
    ("ENTITY", "Entities", "The numbers of entities in the file", "ARMATURE_DATA", 2),
]
_COLORS: dict[str, tuple[float, ...]] = {Kind.ROOM: (1.0, 0.85, 0.3, 1.0), Kind.ENTITY: (0.5, 0.9, 1.0, 1.0)}
_SIZE = 13  # points
_NEW = "new"


def labels_of(objects: Iterable[Object], kinds: Iterable[str]) -> list[tuple[str, str, Vector]]:
    """Return the labels of objects of some kinds: kind, text, and position in world space.

    New and duplicated objects have no number before they are exported.
    """
    kinds, result = set(kinds), []
    for obj in objects:
        settings = obj.tomb_raider
        if settings.kind not in kinds:
            continue
        try:
            matrix = world_matrix(obj)
        except ExportError:  # transforms that are not numbers have no position
            continue
        text = str(settings.index) if settings.index >= 0 and not settings.is_copy else _NEW
        result.append((settings.kind, text, matrix @ _middle(obj)))
    return result


def _middle(obj: Object) -> Vector:
    """Return the middle of a room's box in object space; for entities, the origin."""
    if obj.tomb_raider.kind != Kind.ROOM:
        return Vector()
    corners = obj.bound_box
    return (Vector(corners[0]) + Vector(corners[6])) / 2


def _draw() -> None:
    """Draw the labels in a 3D view. Nothing is stored between calls, since undo invalidates references."""
    context: Any = bpy.context
    kinds = context.window_manager.tomb_raider_numbers
    if not kinds or not context.space_data.overlay.show_overlays:
        return
    import blf
    from bpy_extras.view3d_utils import location_3d_to_region_2d

    blf.size(0, _SIZE * context.preferences.system.ui_scale)
    blf.enable(0, blf.SHADOW)
    blf.shadow(0, 3, 0.0, 0.0, 0.0, 1.0)
    for kind, text, position in labels_of(context.visible_objects, kinds):
        point = location_3d_to_region_2d(context.region, context.space_data.region_3d, position)
        if point is not None:
            blf.color(0, *_COLORS[kind])
            blf.position(0, point.x - blf.dimensions(0, text)[0] / 2, point.y, 0)
            blf.draw(0, text)
    blf.disable(0, blf.SHADOW)


_drawing = ViewDrawing(_draw, "POST_PIXEL")


def register() -> None:
    bpy.types.WindowManager.tomb_raider_numbers = EnumProperty(
        name="Numbers",
        items=_KINDS,
        options={"ENUM_FLAG"},
        description="Show the numbers of rooms and entities in the 3D view",
        update=redraw_views,
    )
    _drawing.register()


def unregister() -> None:
    _drawing.unregister()
    del bpy.types.WindowManager.tomb_raider_numbers
