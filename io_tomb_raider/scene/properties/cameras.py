"""Properties of cameras, sinks, flyby cameras, the camera of a cutscene level, and AI objects."""

from collections.abc import Mapping

import bpy
from bpy.props import FloatProperty, FloatVectorProperty, IntProperty, PointerProperty
from bpy.types import PropertyGroup

from ..core.subjects import Kind
from .base.kinds import CONTEXT
from .base.pointers import is_entity, is_room
from .views.measures import duration, length
from .views.named import catalogue_of, named
from .views.switches import bit, bits


def _is_flyby(group: "TombRaiderFlyby", other: bpy.types.Object) -> bool:
    settings = other.tomb_raider
    return settings.kind == Kind.FLYBY and settings.flyby.sequence == group.sequence


class TombRaiderCamera(PropertyGroup):
    """A fixed camera (documentation, chapter 9.5). It has no direction, as the game aims it at Lara."""

    room: PointerProperty(name="Room", type=bpy.types.Object, poll=is_room, description="Room of the camera")
    flags: IntProperty(name="All Flags", description="All flags of the camera as one number")
    is_persistent: bit("flags", 0x1, "Persistent", "The player cannot leave this camera by looking around")
    is_sniper: bit("flags", 0x2, "Sniper", "Shows the view of a sniper who shoots at Lara (TR5)")


class TombRaiderSink(PropertyGroup):
    """The target of a current that pulls Lara (documentation, chapter 9.5)."""

    strength: IntProperty(
        name="Strength", min=-0x8000, max=0x7FFF, default=5, description="Strength of the current"
    )
    box: IntProperty(
        name="Box",
        min=0,
        max=0xFFFF,
        description="Pathfinding box at its position. Updated when the sink is moved",
    )


def _timer_changed(flyby: "TombRaiderFlyby") -> None:
    """Reset a number that was of a camera, of an entity, or a duration."""
    flyby.timer = 0


class TombRaiderFlyby(PropertyGroup):
    """One camera of a flyby sequence (documentation, chapter 9.6)."""

    room: PointerProperty(name="Room", type=bpy.types.Object, poll=is_room, description="Room of the camera")
    sequence: IntProperty(
        name="Sequence", min=0, max=255, description="Number of the flyby sequence, which triggers start"
    )
    number: IntProperty(
        name="Number", min=0, max=255, description="Position in the sequence; gaps are allowed"
    )
    distance: FloatProperty(
        name="Target Distance",
        default=1024,
        min=0,
        description="Distance of the target in units. The target also moves along a curve",
    )
    distance_measure: length("distance", "Target Distance", "Distance of the target")
    timer: IntProperty(
        name="Timer",
        min=-0x8000,
        max=0xFFFF,
        description="Length of stops: 16 per frame (TR4). Has other meanings for some flags",
    )
    speed: IntProperty(
        name="Speed",
        translation_context=CONTEXT,
        min=0,
        max=0xFFFF,
        default=655,
        description="655: 100 frames to the next camera; a doubled value halves the time",
    )
    speed_measure: duration("speed", 65536, "Time to Next", "Time to the next camera")
    cut_to: PointerProperty(
        name="Cut to",
        type=bpy.types.Object,
        poll=_is_flyby,
        description="Camera of the same sequence to cut to, in place of the number in Timer",
    )
    tracks: PointerProperty(
        name="Tracks",
        type=bpy.types.Object,
        poll=is_entity,
        description="Entity to look at, in place of the number in Timer (TR4)",
    )
    preview: PointerProperty(
        name="Preview", type=bpy.types.Object, description="Camera of the last preview of the flyby"
    )
    flags: IntProperty(name="All Flags", description="All flags of the camera as one number")
    cuts_in: bit("flags", 0x1, "Cut In", "First camera: starts with a cut. Off: glides from Lara's camera")
    tracks_entity: bit("flags", 0x2, "Track Entity", "Looks at the entity chosen below (TR4)", _timer_changed)
    vignette: bit("flags", 0x2, "Vignette", "Darkens the edges of the picture (TR5)")
    loops: bit("flags", 0x4, "Loop", "First camera: repeats the sequence")
    follows_lara: bit("flags", 0x8, "Follow Lara", "First camera: moves along the path next to Lara")
    looks_at_start: bit("flags", 0x10, "Look at Lara's Start", "Looks at Lara's position at the start (TR4)")
    hides_lara: bit("flags", 0x10, "Hide Lara", "Lara is invisible (TR5)")
    looks_at_lara: bit("flags", 0x20, "Look at Lara", "First camera: looks at Lara all the time")
    cuts_out: bit("flags", 0x40, "Cut Out", "First camera: ends with a cut back to Lara. Off: glides back")
    cuts: bit("flags", 0x80, "Cut", "Cuts here to another camera of the sequence", _timer_changed)
    stops: bit("flags", 0x100, "Stop", "Waits here for the time in Timer (TR4)")
    shakes: bit(
        "flags", 0x100, "Shake", "The picture shakes until the next camera, by the timers of both (TR5)"
    )
    locks_view: bit(
        "flags", 0x200, "No Look", "First camera: the player cannot leave the flyby by looking around"
    )
    locks_lara: bit("flags", 0x400, "Lock Lara", "The player loses control of Lara; shows black bars")
    unlocks_lara: bit("flags", 0x800, "Unlock Lara", "The player regains control of Lara")
    fades_in: bit("flags", 0x1000, "Fade In", "The picture fades in (TR5)")
    fades_out: bit("flags", 0x2000, "Fade Out", "The picture fades out (TR5)")
    triggers: bit("flags", 0x4000, "Heavy Triggers", "Sets off the heavy triggers below it")
    is_one_shot: bit("flags", 0x8000, "One Shot", "Ignored by the games: triggers decide")


class TombRaiderCinematic(PropertyGroup):
    """The camera of a cutscene level (documentation, chapter 9.7)."""

    target: PointerProperty(
        name="Target", type=bpy.types.Object, description="Object that the camera looks at, frame by frame"
    )
    roll: FloatProperty(
        name="Roll", subtype="ANGLE", description="Rotation of the camera about its line of sight"
    )


def _ai_kinds(group: PropertyGroup) -> Mapping[int, str]:
    catalogue = catalogue_of(group)
    return {number: catalogue.model(number) for number in catalogue.game.traits.ai_marks}


class TombRaiderAIObject(PropertyGroup):
    """A mark that affects characters (TR4 and TR5; documentation, chapter 7.4)."""

    type: IntProperty(name="Type", min=0, max=0xFFFF, description="Behavior that it causes in characters")
    type_name: named(
        "type",
        _ai_kinds,
        lambda _group: "Entity",
        "Type",
        "Behavior that it causes in characters, by name or number",
    )
    room: PointerProperty(name="Room", type=bpy.types.Object, poll=is_room, description="Room of the object")
    ocb: IntProperty(name="OCB", min=-0x8000, max=0x7FFF, description="Object code bits")
    flags: IntProperty(name="All Flags", description="All flags as one number")
    activation: bits(
        "flags", (0x2, 0x4, 0x8, 0x10, 0x20), "Activation Mask", "The five bits of the activation mask"
    )
    box: IntProperty(
        name="Box", min=-0x8000, max=0x7FFF, description="Pathfinding box. The game finds it automatically"
    )


class TombRaiderScriptObject(PropertyGroup):
    """What the script places in a level (TR4, TR5; documentation, chapter 12.1.6)."""

    room: PointerProperty(
        name="Room", type=bpy.types.Object, poll=is_room, description="Room that is mirrored or looked at"
    )
    color: FloatVectorProperty(
        name="Color",
        subtype="COLOR_GAMMA",
        size=3,
        min=0,
        max=1,
        default=(1, 1, 1),
        description="Color of the lens flare",
    )
    distance: FloatProperty(
        name="Target Distance", default=1024, min=0, description="Distance of the target, in units"
    )
    distance_measure: length("distance", "Target Distance", "Distance of the target")


GROUPS = (
    TombRaiderScriptObject,
    TombRaiderCamera,
    TombRaiderSink,
    TombRaiderFlyby,
    TombRaiderCinematic,
    TombRaiderAIObject,
)
