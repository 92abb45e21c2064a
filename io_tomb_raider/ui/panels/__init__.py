"""Panels for what Blender itself has no place for, one module per editor or tab that they stand in."""

from __future__ import annotations

import bpy

from . import (
    animation,
    cameras,
    collision,
    cutscenes,
    image,
    level,
    material,
    mesh,
    objects,
    pathfinding,
    rooms,
    sounds,
    texts,
    textures,
    triggers,
)

_CLASSES = (
    *level.CLASSES,
    *rooms.CLASSES,
    *objects.CLASSES,
    *mesh.CLASSES,
    *material.CLASSES,
    *textures.CLASSES,
    *animation.CLASSES,
    *image.CLASSES,
    *cameras.CLASSES,
    *collision.CLASSES,
    *triggers.CLASSES,
    *cutscenes.CLASSES,
    *pathfinding.CLASSES,
    *texts.CLASSES,
    *sounds.CLASSES,
)


def register() -> None:
    for panel in _CLASSES:
        bpy.utils.register_class(panel)


def unregister() -> None:
    for panel in reversed(_CLASSES):
        bpy.utils.unregister_class(panel)
