"""Settings of the tools that bring motions of other skeletons."""

from collections.abc import Iterator
from typing import Any

import bpy
from bpy.props import CollectionProperty, FloatProperty, IntProperty, PointerProperty, StringProperty
from bpy.types import Context, Object, PropertyGroup

from .pointers import pointer_set


def _is_armature(_settings: Any, obj: Object) -> bool:
    return obj.type == "ARMATURE"


def _bones_of_source(row: Any, _context: Context, text: str) -> Iterator[str]:
    """Yield the names of the source's bones that contain a text; search callback."""
    source = row.id_data.tomb_raider.motion.source
    wanted = text.casefold()
    bones = () if source is None or source.type != "ARMATURE" else source.data.bones
    yield from (bone.name for bone in bones if wanted in bone.name.casefold())


class TombRaiderBonePair(PropertyGroup):
    """A bone of a model and the bone of a motion's skeleton that it follows."""

    bone: StringProperty(name="Bone", description="Bone of the model")
    source: StringProperty(
        name="Source Bone",
        search=_bones_of_source,
        description="Bone of the motion's skeleton to follow. Empty: follow the parent",
    )


class TombRaiderMotion(PropertyGroup):
    """The source of motions, and the bones that belong together."""

    source: PointerProperty(
        name="Source",
        type=bpy.types.Object,
        poll=_is_armature,
        update=pointer_set,
        description="Armature with the motion: an imported one, or a model of any level",
    )
    rows: CollectionProperty(
        name="Bones", type=TombRaiderBonePair, description="Bones of the model and the bones that they follow"
    )
    found_name: StringProperty(name="Found Source", options={"HIDDEN"})
    found_up: StringProperty(name="Found Up Axis", options={"HIDDEN"})
    found_forward: StringProperty(name="Found Forward", options={"HIDDEN"})
    found_size: FloatProperty(name="Found Size", options={"HIDDEN"})
    found_bones: IntProperty(name="Found Bones", options={"HIDDEN"})
    active_row: IntProperty(name="Active Bone", options={"HIDDEN"})


GROUPS = (TombRaiderBonePair, TombRaiderMotion)
