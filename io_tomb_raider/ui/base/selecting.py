"""Selecting what a tool has made or found, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable

from bpy.types import Context, Object

from .active import active_layer


def select_alone(context: Context, objects: Iterable[Object], active: Object | None = None) -> None:
    """Select nothing but the objects that are in the view layer, show them, and make one of them active.

    Args:
        context: says which view layer.
        objects: what to select; where the view layer has none of it, what was active stays.
        active: which of them is active then; the first one without.
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
