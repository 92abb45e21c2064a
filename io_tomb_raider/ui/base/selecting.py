"""Exclusive selection of objects."""

from __future__ import annotations

from collections.abc import Iterable

from bpy.types import Context, Object

from .active import active_layer


def select_only(context: Context, objects: Iterable[Object], active: Object | None = None) -> None:
    """Select only the given objects that are in the view layer, reveal them, and make one active.

    Args:
        context: has the view layer.
        objects: objects to select; if none is in the view layer, the active object is kept.
        active: the object to make active, by default the first one.
    """
    from ...scene.core.level_visibility import reveal

    layer = active_layer(context)
    for obj in context.selected_objects:
        obj.select_set(False)
    seen = [obj for obj in objects if obj.name in layer.objects]
    reveal(layer, seen)
    for obj in seen:
        obj.select_set(True)
    if seen:
        layer.objects.active = active if active in seen else seen[0]
