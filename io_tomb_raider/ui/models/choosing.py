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
    found = [] if context.scene is None else members(context.scene.collection)
    wanted = text.casefold()
    models = (each.name for each in found if each.tomb_raider.kind == Kind.MODEL)
    yield from (each for each in models if wanted in each.casefold())


def rig_names(context: Context, text: str) -> Iterator[str]:
    """Yield the names of the scene's armatures that are not part of a level and contain a text."""
    found: Iterable[Object] = () if context.scene is None else context.scene.objects
    wanted = text.casefold()
    rigs = (each.name for each in found if each.type == "ARMATURE" and each.tomb_raider.kind == Kind.NONE)
    yield from (each for each in rigs if wanted in each.casefold())


def rig_named(name: str) -> Object:
    """Return an armature that is not part of a level by its name.

    Raises:
        ExportError: the file has no such armature.
    """
    found: Any = bpy.data.objects.get(name) if name else None
    if found is None or found.type != "ARMATURE" or found.tomb_raider.kind != Kind.NONE:
        text = T("choose an armature that is not part of a level: import a file with one")
        raise ExportError(name or T("Imported Rig"), text)
    return cast(Object, found)


def model_named(name: str) -> Object:
    """Return the armature of a model, by its name, the name of a mesh of it, or of an entity that shows it.

    Raises:
        ExportError: the scene has no such model.
    """
    from ...scene.subjects.models import armature_of_model

    model = armature_of_model(bpy.data.objects.get(name) if name else None)
    if model is None or level_of(model) is None:
        raise ExportError(name or T("Model"), T("the scene has no model of this name"))
    return model
