"""Hiding of many objects at once."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np
from bpy.types import Object

_FEW = 4


def hide_objects(hidden: Mapping[Object, bool]) -> None:
    """Hide objects in viewports, or show them.

    Each assignment makes Blender search its view layers, about a millisecond in a file of ten levels. So all
    but the last change are set at once, without updates.
    """
    changes = {obj: hide for obj, hide in hidden.items() if obj.hide_viewport != hide}
    if len(changes) > _FEW:
        objects = bpy.data.objects
        values = np.zeros(len(objects), np.bool_)
        objects.foreach_get("hide_viewport", values)
        indices = {obj: index for index, obj in enumerate(objects) if obj in changes}
        for obj, index in indices.items():
            values[index] = changes[obj]
        objects.foreach_set("hide_viewport", values)
        changes = dict(list(changes.items())[-1:])
    for obj, hide in changes.items():
        obj.hide_viewport = hide
