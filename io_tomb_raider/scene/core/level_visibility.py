"""Visibility of the parts of a level, without effect on exports.

Visibility is read from Blender: collections of the level are excluded or hidden in the view layer, and
objects in the rooms' collections are hidden one by one. Flipped rooms are hidden by other means
(:mod:`..subjects.rooms.flipping`), so the two do not interfere.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from bpy.types import Collection, LayerCollection, Object, ViewLayer

from .membership import members
from .subjects import SUBJECTS, Kind

# Parts in the collections of rooms, by the kind of their objects.
_IN_ROOMS = {
    "ROOMS": "ROOM",
    "PLACEMENTS": "PLACEMENT",
    "ROOM_SPRITES": "SPRITE",
    "LIGHTS": "LIGHT",
    "LIGHT_RANGES": "LIGHT",
}
_PARTS = {kind: part for part, kind in _IN_ROOMS.items() if part != "LIGHT_RANGES"}
_PARTS[Kind.IMPORTED_GEOMETRY] = "ROOMS"
# Collections that an import excludes from the view layer; others are only hidden.
_EXCLUDED = {
    each.collections[0].identifier
    for each in SUBJECTS
    if each.collections and each.view in ("library", "hidden")
}


def has_part(root: Collection, part: str) -> bool:
    """Return whether a level has a part."""
    if part in _IN_ROOMS:
        return next(_in_rooms(root, part), None) is not None
    return any(child.tomb_raider.kind == part for child in root.children)


def is_shown(root: Collection, layer: ViewLayer, part: str) -> bool:
    """Return whether a view layer shows a part of a level."""
    if part in _IN_ROOMS:
        obj = next(_in_rooms(root, part), None)
        return obj is not None and not obj.hide_get(view_layer=layer)
    layers = _layers(root, layer, part)
    return bool(layers) and not (layers[0].exclude or layers[0].hide_viewport)


def show_part(root: Collection, layer: ViewLayer, part: str, show: bool) -> bool:
    """Show or hide a part of a level. Return whether the view layer contains it.

    Args:
        part: a key of ``_IN_ROOMS``, or the kind of one of the level's collections.
    """
    if part in _IN_ROOMS:
        in_layer = set(layer.objects)
        objects = [obj for obj in members(root) if _part_of(obj) == part and obj in in_layer]
        for obj in objects:
            obj.hide_set(not show, view_layer=layer)
        return bool(objects)
    layers = _layers(root, layer, part)
    for each in layers:
        if part in _EXCLUDED:
            each.exclude = not show
        if show or part not in _EXCLUDED:
            each.hide_viewport = not show
        if show and part == Kind.COLLISION:  # Isolate Collision hides those of other rooms one by one
            for obj in members(each.collection):
                obj.hide_set(False, view_layer=layer)
    return bool(layers)


def _in_rooms(root: Collection, part: str) -> Iterator[Object]:
    """Yield the objects of a part without looking at more than necessary."""
    for collection in root.children:
        if collection.tomb_raider.kind == Kind.ROOMS:
            for room in collection.children:
                yield from (obj for obj in room.objects if _part_of(obj) == part)


def _part_of(obj: Object) -> str:
    """Return the part of rooms that an object belongs to, or "". Light ranges have no light data."""
    kind = obj.tomb_raider.kind
    return "LIGHT_RANGES" if kind == Kind.LIGHT and obj.data is None else _PARTS.get(kind, "")


def reveal(layer: ViewLayer, objects: Iterable[Object]) -> None:
    """Unhide objects and the collections that hold them, so that they can be selected."""
    hidden = [obj for obj in objects if not obj.visible_get(view_layer=layer)]
    if not hidden:
        return
    collections = {collection for obj in hidden for collection in obj.users_collection}
    for obj in hidden:
        obj.hide_set(False, view_layer=layer)
    _open(layer.layer_collection, collections)


def _open(layer: LayerCollection, collections: Container[Collection]) -> bool:
    """Unhide collections and the collections that hold them. Return whether any was found."""
    result = any([_open(child, collections) for child in layer.children]) or layer.collection in collections
    if result and layer.hide_viewport:
        layer.hide_viewport = False
    return result


def layer_of(collection: Collection, layer: ViewLayer) -> LayerCollection | None:
    """Return the layer collection of a collection in a view layer, or None."""
    return next((each for each in _walk(layer.layer_collection) if each.collection == collection), None)


def _layers(root: Collection, layer: ViewLayer, part: str) -> list[LayerCollection]:
    root_layer = layer_of(root, layer)
    return (
        []
        if root_layer is None
        else [child for child in root_layer.children if child.collection.tomb_raider.kind == part]
    )


def _walk(layer: LayerCollection) -> Iterator[LayerCollection]:
    yield layer
    for child in layer.children:
        yield from _walk(child)
