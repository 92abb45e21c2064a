"""Properties of assets: objects that are copied into other files with them."""

import bpy
from bpy.props import PointerProperty
from bpy.types import PropertyGroup

from .pointers import pointer_set


class TombRaiderAlong(PropertyGroup):
    """An object that is copied with an asset."""

    thing: PointerProperty(
        name="Object",
        type=bpy.types.Object,
        update=pointer_set,
        description="Object that is added with the asset",
    )


GROUPS = (TombRaiderAlong,)
