"""Hiding many objects at once."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np
from bpy.types import Object

_FEW = 4


def hide_objects(hidden: Mapping[Object, bool]) -> None:
    """Hide objects from the viewport, or show them.

    Set by itself, each makes Blender look through all that the file shows, which takes about a millisecond in
    a file of ten levels. So all but the last one of many are set in one go, of which nobody is told.
    """
    changes = {thing: hide for thing, hide in hidden.items() if thing.hide_viewport != hide}
    if len(changes) > _FEW:
        things = bpy.data.objects
        values = np.zeros(len(things), np.bool_)
        things.foreach_get("hide_viewport", values)
        places = {thing: place for place, thing in enumerate(things) if thing in changes}
        for thing, place in places.items():
            values[place] = changes[thing]
        things.foreach_set("hide_viewport", values)
        changes = dict(list(changes.items())[-1:])
    for thing, hide in changes.items():
        thing.hide_viewport = hide
