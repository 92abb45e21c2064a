"""What the cutscenes of TR4 and TR5 are in the game, on their collections, and what their actors are."""

from __future__ import annotations

import bpy
from bpy.props import IntProperty, PointerProperty, StringProperty
from bpy.types import PropertyGroup


def _is_model(_group: PropertyGroup, other: bpy.types.Object) -> bool:
    return other.tomb_raider.kind == "MODEL"


class TombRaiderCutscene(PropertyGroup):
    """A cutscene of CUTSEQ.PAK or CUTSEQ.BIN. How long it is, the frame ranges of its actions say."""

    number: IntProperty(
        name="Number", min=1, default=1, description="Under which triggers of the level play it, from 1"
    )
    audio_track: IntProperty(
        name="Audio Track", default=-1, description="The sound track that goes with it, -1 for none"
    )
    quarter_turns: IntProperty(
        name="Quarter Turns",
        min=0,
        max=3,
        description="By which the game turns it about its origin when it plays. The file does not have them",
    )
    frames: IntProperty(
        name="Imported Frames", min=0, description="How many frames it had when it was imported, 0 for new"
    )
    source: StringProperty(
        name="Source", subtype="FILE_PATH", description="The file of cutscenes that it was imported from"
    )


class TombRaiderActor(PropertyGroup):
    """An actor of a cutscene."""

    model: PointerProperty(
        name="Model", type=bpy.types.Object, poll=_is_model, description="The armature of the model it shows"
    )
    slot: IntProperty(
        name="Model Id",
        min=-0x8000,
        max=0x7FFF,
        description="Of an actor whose model is not in the scene",
    )


GROUPS = (TombRaiderCutscene, TombRaiderActor)
