"""Operator fields that name a model of the scene."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

import bpy
from bpy.types import Context, Object

from ...formats import ExportError
from ...formats.base import T
from ...scene.core import Kind, level_of, members


def model_names(_tool: object, context: Context, text: str) -> Iterator[str]:
    """Yield the names of the scene's models that contain a text; search callback of a field."""
    objects = [] if context.scene is None else members(context.scene.collection)
    names = (obj.name for obj in objects if obj.tomb_raider.kind == Kind.MODEL)
    yield from (name for name in names if text.casefold() in name.casefold())


def rig_names(context: Context, text: str) -> Iterator[str]:
    """Yield the names of the scene's armatures that are not part of a level and contain a text."""
    objects: Iterable[Object] = () if context.scene is None else context.scene.objects
    names = (obj.name for obj in objects if obj.type == "ARMATURE" and obj.tomb_raider.kind == Kind.NONE)
    yield from (name for name in names if text.casefold() in name.casefold())


def rig_named(name: str) -> Object:
    """Return an armature that is not part of a level by its name. Raises ExportError if there is none."""
    rig: Any = bpy.data.objects.get(name) if name else None
    if rig is None or rig.type != "ARMATURE" or rig.tomb_raider.kind != Kind.NONE:
        text = T("choose an armature that is not part of a level: import a file with one")
        raise ExportError(name or T("Imported Rig"), text)
    return cast(Object, rig)


def model_named(name: str) -> Object:
    """Return the armature of a model, by its name, the name of a mesh of it, or of an entity that shows it.

    Raises ExportError if the scene has no such model.
    """
    from ...scene.subjects.models import armature_of_model

    model = armature_of_model(bpy.data.objects.get(name) if name else None)
    if model is None or level_of(model) is None:
        raise ExportError(name or T("Model"), T("the scene has no model of this name"))
    return model
