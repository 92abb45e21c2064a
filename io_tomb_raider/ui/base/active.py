"""Active objects and other active data-blocks."""

from __future__ import annotations

from bpy.types import Collection, Context, Object, Scene, ViewLayer

from ...scene.core import Kind

# Blender declares that these may be None: call them only after a poll.


def active_object(context: Context) -> Object:
    """Return the active object."""
    assert context.object is not None
    return context.object


def active_collection(context: Context) -> Collection:
    """Return the active collection."""
    assert context.collection is not None
    return context.collection


def active_scene(context: Context) -> Scene:
    """Return the scene."""
    assert context.scene is not None
    return context.scene


def active_layer(context: Context) -> ViewLayer:
    """Return the view layer."""
    assert context.view_layer is not None
    return context.view_layer


def room_of(obj: Object | None) -> Object | None:
    """Return the room that an object is or has among its parents, or None."""
    while obj is not None and obj.tomb_raider.kind != Kind.ROOM:
        obj = obj.parent
    return obj
