"""Exclusive selection of objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bpy.types import Collection, Context, LayerCollection, Object, ViewLayer

from .active import active_layer


def in_layer(layer: ViewLayer, objects: Iterable[Object]) -> list[Object]:
    """Return the objects that are in a view layer. Names are ambiguous: linked objects may share them."""
    inside = set(layer.objects)
    return [obj for obj in objects if obj in inside]


def select_only(context: Context, objects: Iterable[Object], active: Object | None = None) -> None:
    """Select only the given objects that are in the view layer, reveal them, and make one active.

    By default, this is the first one. If none is in the view layer, the active object is kept.
    """
    from ...scene.core import reveal

    layer = active_layer(context)
    for obj in context.selected_objects:
        obj.select_set(False)
    selectable = in_layer(layer, objects)
    reveal(layer, selectable)
    for obj in selectable:
        obj.select_set(True)
    if selectable:
        layer.objects.active = active if active in selectable else selectable[0]


def reveal_only(context: Context, objects: Sequence[Object]) -> None:
    """Select only the given objects, and show excluded and hidden ones."""
    layer = active_layer(context)
    if len(in_layer(layer, objects)) < len(objects):
        collections = {collection for obj in objects for collection in obj.users_collection}
        _include(layer.layer_collection, collections)
        layer.update()
    for obj in in_layer(layer, objects):
        obj.hide_set(False)
    select_only(context, objects)


def _include(layer: LayerCollection, collections: set[Collection]) -> bool:
    """Unhide the given collections and their parents; return whether any is inside."""
    inside = [_include(child, collections) for child in layer.children]
    is_needed = layer.collection in collections or any(inside)
    if is_needed:
        layer.exclude = layer.hide_viewport = False
    return is_needed
