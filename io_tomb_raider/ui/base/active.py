"""Active data-blocks after a poll: Blender's own attributes may be None for type checkers."""

from __future__ import annotations

from bpy.types import Collection, Context, Object, Scene, ViewLayer


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
