"""Properties of TR4's and TR5's cutscenes, on their collections, and of their actors."""

from collections.abc import Mapping

import bpy
from bpy.props import IntProperty, PointerProperty, StringProperty
from bpy.types import PropertyGroup

from ..core.membership import level_holding
from ..core.subjects import Kind
from .views.named import by_catalogue, named


def _is_model(_group: PropertyGroup, other: bpy.types.Object) -> bool:
    return other.tomb_raider.kind == Kind.MODEL


def _tracks(group: PropertyGroup) -> Mapping[int, str]:
    from ..subjects.level.names import track_names

    level = level_holding(group)
    return {-1: "None", **({} if level is None else track_names(level))}


class TombRaiderCutscene(PropertyGroup):
    """A cutscene of CUTSEQ.PAK or CUTSEQ.BIN. The frame ranges of its actions are its length."""

    number: IntProperty(
        name="Number", min=1, default=1, description="Number of the cutscene in triggers, from 1"
    )
    audio_track: IntProperty(
        name="Audio Track", default=-1, description="Sound track of the cutscene, -1 for none"
    )
    audio_track_name: named(
        "audio_track",
        _tracks,
        lambda _group: "Track",
        "Audio Track",
        "Sound track of the cutscene, by name or number",
    )
    quarter_turns: IntProperty(
        name="Quarter Turns",
        min=0,
        max=3,
        description="Quarter turns about the origin by the game during playback; not in the file",
    )
    frames: IntProperty(name="Imported Frames", min=0, description="Number of frames when imported, 0 if new")
    source: StringProperty(
        name="Source", subtype="FILE_PATH", description="Name of the imported cutscene file"
    )


class TombRaiderActor(PropertyGroup):
    """An actor of a cutscene."""

    model: PointerProperty(
        name="Model", type=bpy.types.Object, poll=_is_model, description="Armature of the actor's model"
    )
    slot: IntProperty(
        name="Model Id", min=-0x8000, max=0x7FFF, description="Id of the model, if it is not in the scene"
    )
    slot_name: by_catalogue("slot", "model", "Model Id", "Model that is not in the scene, by its name or id")


GROUPS = (TombRaiderCutscene, TombRaiderActor)
