"""What actions are in the game."""

from __future__ import annotations

import bpy
from bpy.props import CollectionProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty
from bpy.types import PropertyGroup

from .pointers import is_of_same_model, pointer_set


class TombRaiderEvent(PropertyGroup):
    """What happens at the pose markers of one name (documentation, chapter 6.2.6)."""

    command: EnumProperty(
        name="Command",
        items=[
            ("SOUND", "Sound", "A sound is played", 5),
            ("EFFECT", "Effect", "An effect of the game happens", 6),
        ],
    )
    number: IntProperty(name="Number", min=0, max=0x3FFF, description="Of the sound or effect")
    flags: IntProperty(
        name="Flags",
        min=0,
        max=3,
        description="Sounds: 1 on land only, 2 in water only. Effects (from TR3): 1 left foot, 2 right foot",
    )


class TombRaiderAction(PropertyGroup):
    """What an animation is beyond its keys."""

    model: PointerProperty(
        name="Model",
        type=bpy.types.Object,
        update=pointer_set,
        description="The armature that it belongs to",
    )
    index: IntProperty(name="Index", default=-1, description="Where it stood in the file, -1 for new")
    frame_rate: IntProperty(
        name="Frame Rate", default=1, min=1, max=255, description="Ticks (1/30 s) per key"
    )
    state: IntProperty(
        name="State", min=0, max=0xFFFF, description="The state that the model is in while this plays"
    )
    next_action: PointerProperty(
        name="Next Action",
        type=bpy.types.Action,
        poll=is_of_same_model,
        update=pointer_set,
        description="What plays after this one. Empty: this one again",
    )
    next_frame: IntProperty(
        name="Next Frame", description="Where the next action begins to play, in frames from its start"
    )
    speed: FloatProperty(name="Speed", description="Units per tick forward, as this begins")
    acceleration: FloatProperty(name="Acceleration", description="How much the speed grows per tick")
    lateral_speed: FloatProperty(
        name="Lateral Speed", description="Units per tick to the right, as this begins (TR4, TR5)"
    )
    lateral_acceleration: FloatProperty(
        name="Lateral Acceleration", description="How much the lateral speed grows per tick (TR4, TR5)"
    )
    events: CollectionProperty(
        name="Events",
        type=TombRaiderEvent,
        description="Sounds and effects; each happens wherever the action has a pose marker of its name",
    )


GROUPS = (
    TombRaiderEvent,
    TombRaiderAction,
)
