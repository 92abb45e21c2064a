"""Exclusive selection of objects."""

from __future__ import annotations

from collections.abc import Iterable

from bpy.types import Context, Object, ViewLayer

from .active import active_layer


def in_layer(layer: ViewLayer, objects: Iterable[Object]) -> list[Object]:
    """Return the objects that are in a view layer. Names are ambiguous: linked objects may share them."""
    inside = set(layer.objects)
    return [obj for obj in objects if obj in inside]


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
    seen = in_layer(layer, objects)
    reveal(layer, seen)
    for obj in seen:
        obj.select_set(True)
    if seen:
        layer.objects.active = active if active in seen else seen[0]
