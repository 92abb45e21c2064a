"""Properties of actions: states, transitions, commands, sounds and effects."""

from collections.abc import Iterator, Sequence
from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    IntVectorProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Context, Object, PropertyGroup

from ..subjects.animations.changes import transitions
from ..subjects.animations.names import TITLES, known_names, rename_event
from .base.kinds import CONTEXT
from .base.pointers import pointer_set
from .views.measures import acceleration, box, offset, speed
from .views.named import named
from .views.switches import bit


def _is_armature(_settings: Any, obj: Object) -> bool:
    return obj.type == "ARMATURE"


def _bones_of_source(row: Any, _context: Context, text: str) -> Iterator[str]:
    """Yield the names of the source's bones that contain a text; search callback."""
    source = row.id_data.tomb_raider.motion.source
    searched = text.casefold()
    bones = () if source is None or source.type != "ARMATURE" else source.data.bones
    yield from (bone.name for bone in bones if searched in bone.name.casefold())


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


def _kind_of_names(event: Any) -> str:
    # A function, since a Python property in such a class crashes Blender 4.2 at exit.
    return "sound" if event.command == "SOUND" else "flipeffect"


def _named(field: str, kind: str, name: str, description: str) -> object:
    """Declare a view of an integer property by the names of the game's catalogue.

    Args:
        kind: of the names, see `Catalogue.known`; "event" is the kind of the group's command.
    """

    def kind_of_group(group: PropertyGroup) -> str:
        return _kind_of_names(group) if kind == "event" else kind

    return named(
        field,
        lambda group: known_names(group.id_data, kind_of_group(group)),
        lambda group: TITLES[kind_of_group(group)],
        name,
        description,
    )


# --- Sounds and effects ----------------------------------------


def _event_changed(event: "TombRaiderEvent", _context: Context) -> None:
    rename_event(event)


def _flags_view(name: str, description: str, items: list[tuple[str, str, str, int]]) -> object:
    """Declare an enumeration for the two flags of a sound or effect."""

    def get(event: "TombRaiderEvent") -> int:
        return event.flags

    def put(event: "TombRaiderEvent", value: int) -> None:
        event.flags = value

    return EnumProperty(name=name, description=description, items=items, get=get, set=put)


_EVENTS = [("SOUND", "Sound", "Play a sound", 5), ("EFFECT", "Effect", "Start an effect of the game", 6)]


def _event_kind(event: "TombRaiderEvent") -> int:
    return next(number for name, *_, number in _EVENTS if name == event.command)


def _change_event(event: "TombRaiderEvent", value: int) -> None:
    """Change a sound to an effect or back. Numbers and flags of the other have another meaning."""
    if value != _event_kind(event):
        event.number = event.flags = 0
        event.command = next(name for name, *_, number in _EVENTS if number == value)


class TombRaiderEvent(PropertyGroup):
    """A sound or effect at the pose markers of one name (documentation, chapter 6.2.6)."""

    command: EnumProperty(
        name="Command", items=_EVENTS, description="Type of the event", update=_event_changed
    )
    kind: EnumProperty(
        name="Command",
        items=_EVENTS,
        get=_event_kind,
        set=_change_event,
        description="Type of the event. Another type starts at number 0",
    )
    number: IntProperty(
        name="Number", min=0, max=0x3FFF, update=_event_changed, description="Number of the sound or effect"
    )
    flags: IntProperty(
        name="Flags",
        min=0,
        max=3,
        update=_event_changed,
        description="Sounds: 1 on land only, 2 in water only. Effects (from TR3): 1 left foot, 2 right foot",
    )
    label: _named("number", "event", "Name", "Sound or effect, by name or number")
    place: _flags_view(
        "Where",
        "Where the sound is heard (TR2 to TR5)",
        [
            ("ANYWHERE", "Anywhere", "Heard on land and in water", 0),
            ("LAND", "On Land", "Heard on land only", 1),
            ("WATER", "In Water", "Heard in water only", 2),
            ("BOTH", "Both Flags", "Has the flags of both land and water", 3),
        ],
    )
    foot: _flags_view(
        "Foot",
        "Foot where the effect happens (TR3 to TR5)",
        [
            ("NONE", "None", "Not tied to a foot", 0),
            ("LEFT", "Left", "Happens at the left foot", 1),
            ("RIGHT", "Right", "Happens at the right foot", 2),
            ("BOTH", "Both Flags", "Has the flags of both feet", 3),
        ],
    )


# --- Commands ----------------------------------------


class TombRaiderCommand(PropertyGroup):
    """A command of an animation without a frame (documentation, chapter 6.2.6)."""

    command: EnumProperty(
        name="Command",
        translation_context=CONTEXT,
        items=[
            ("NOTHING", "Nothing", "Does nothing", 0),
            ("POSITION", "Set Position", "Move the model when the animation ends", 1),
            ("JUMP", "Jump", "Launch the model into a jump when the animation ends", 2),
            ("HANDS", "Empty Hands", "Free Lara's hands to draw a weapon when the animation ends", 3),
            ("KILL", "Kill", "End the entity or activate a switch when the animation ends", 4),
            ("OTHER", "Other", "Command unknown to the games, by number", 7),
        ],
        description="Command at the end of the animation",
    )
    position: IntVectorProperty(
        name="Position",
        size=3,
        min=-0x8000,
        max=0x8000,
        description="Offset of the model to the right, forward and up, in game units",
    )
    vertical: IntProperty(
        name="Vertical Speed",
        min=-0x7FFF,
        max=0x8000,
        description="Upward speed of the jump in units per tick; 0 keeps the current fall speed",
    )
    horizontal: IntProperty(
        name="Horizontal Speed",
        min=-0x8000,
        max=0x7FFF,
        description="Forward speed of the jump in units per tick",
    )
    position_measure: offset("position", "Position", "Offset of the model to the right, forward and up")
    vertical_measure: speed(
        "vertical", "Vertical Speed", "Upward speed of the jump; 0 keeps the current fall speed"
    )
    horizontal_measure: speed("horizontal", "Horizontal Speed", "Forward speed of the jump")
    number: IntProperty(name="Number", min=-0x8000, max=0x7FFF, description="Number of the command")


# --- State changes ----------------------------------------


def _action_view(name: str, description: str, *, on: bool = False) -> object:
    """Declare a view by name of a following action, with the actions of the model as choices.

    Args:
        on: whether it is the next action, not the target of a state change.
    """

    def get(group: Any) -> str:
        action = transitions.next_of(group.id_data) if on else transitions.target_of(group)
        return "" if action is None else action.name

    def put(group: Any, text: str) -> None:
        other = bpy.data.actions.get(text)
        if other is None and text:
            return
        if on:
            transitions.set_next(group.id_data, other)
        else:
            transitions.set_target(group, other)

    def search(group: Any, context: Context, text: str) -> list[str]:
        # A new action may have no model yet: then it will be the active object's.
        model, searched = group.id_data.tomb_raider.model or context.object, text.casefold()
        actions = (each for each in bpy.data.actions if model is not None and each.tomb_raider.model == model)
        return [each.name for each in actions if searched in each.name.casefold()]

    return StringProperty(name=name, description=description, get=get, set=put, search=search)


_LINEAR = (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0)


def _curve() -> object:
    """Declare a blending curve."""
    return FloatVectorProperty(
        name="Blending Curve",
        size=8,
        default=_LINEAR,
        description="Start, end, and the handles of both: time and share of the next pose (TombEngine)",
    )


class TombRaiderDispatch(PropertyGroup):
    """A transition to another state within a range of frames (chapters 6.2.4 and 6.2.5)."""

    state: IntProperty(name="Wanted State", min=0, max=0xFFFF, description="Number of the state to change to")
    state_name: _named("state", "state", "Wanted State", "State to change to, by name or number")
    low: IntProperty(
        name="First Frame",
        description="First frame where the change can start, from the start of this action",
    )
    high: IntProperty(
        name="Last Frame", description="Last frame where the change can start, from the start of this action"
    )
    action: _action_view("Action", "Action that plays after the change, by name")
    number: IntProperty(
        name="Number", default=-1, description="Index of that action in the lists of the model, -1 for none"
    )
    target: IntProperty(
        name="Animation Number",
        default=-1,
        min=-1,
        max=0xFFFF,
        description="Number of the next animation in the file, if the scene has no action for it",
    )
    frame: IntProperty(name="Target Frame", description="Frame of that action to start at")
    last_target: IntProperty(
        name="Last Target Frame",
        default=-1,
        min=-1,
        max=0xFFFF,
        description="Frame to start at if the change starts at its last frame (TombEngine). -1: Target Frame",
    )
    blend_frames: IntProperty(
        name="Blend Frames",
        max=0xFFFF,
        min=0,
        description="Ticks in which the pose blends into that action (TombEngine)",
    )
    blend_curve: _curve()
    is_empty: BoolProperty(name="No Target", description="The state is listed without a target animation")
    is_separate: BoolProperty(
        name="Separate", description="Stored separately from the entry above for the same state"
    )


# --- Actions ----------------------------------------


def _shown_box(settings: Any) -> tuple[int, ...]:
    from ..subjects.animations.keys.boxes import box_at

    return box_at(settings.id_data, bpy.context.scene.frame_current) or (0,) * 6


def _edit_box(settings: Any, value: Sequence[int]) -> None:
    from ..subjects.animations.keys.boxes import edit_boxes, key_frame_at

    frame = key_frame_at(settings.id_data, bpy.context.scene.frame_current)
    edit_boxes(settings.id_data, {frame: tuple(value)})


class TombRaiderAction(PropertyGroup):
    """The properties of an animation besides its keys."""

    model: PointerProperty(
        name="Model", type=bpy.types.Object, update=pointer_set, description="Armature of the action"
    )
    index: IntProperty(name="Index", default=-1, description="Index in the imported file, -1 if new")
    origin: IntProperty(name="Origin", description="Level of origin, 0 if unknown")
    automatic_range: IntVectorProperty(
        name="Automatic Range",
        size=3,
        default=(0, -1, -1),
        description="Start, end and last key of the Manual Frame Range that was set automatically",
    )
    is_helper: BoolProperty(name="Helper", description="Helper for playback; never exported")
    layer: PointerProperty(
        name="Layer",
        type=bpy.types.Action,
        update=pointer_set,
        description="Action with the poses that are added to this animation",
    )
    frame_rate: IntProperty(
        name="Frame Rate", default=1, min=1, max=255, description="Ticks (1/30 s) per key"
    )
    state: IntProperty(
        name="State", min=0, max=0xFFFF, description="State of the model during this animation"
    )
    state_name: _named(
        "state", "state", "State", "State of the model during this animation, by name or number"
    )
    home: PointerProperty(
        name="Home",
        type=bpy.types.Object,
        update=pointer_set,
        description="Armature with the lists of its target actions",
    )
    next_action: _action_view(
        "Next Action", "Action that plays after this one, by name. Empty: repeat this one", on=True
    )
    next_number: IntProperty(
        name="Next Number",
        default=-1,
        description="Index of the next action in the lists of the model, -1 for none",
    )
    next_frame: IntProperty(name="Next Frame", description="Frame of the next action to start at")
    speed: FloatProperty(
        name="Speed", translation_context=CONTEXT, description="Forward speed at the start, in units per tick"
    )
    speed_measure: speed("speed", "Speed", "Forward speed at the start")
    acceleration: FloatProperty(name="Acceleration", description="Increase of the speed per tick")
    acceleration_measure: acceleration("acceleration", "Acceleration", "Increase of the speed")
    lateral_speed: FloatProperty(
        name="Lateral Speed", description="Speed to the right at the start, in units per tick (TR4, TR5)"
    )
    lateral_acceleration: FloatProperty(
        name="Lateral Acceleration", description="Increase of the lateral speed per tick (TR4, TR5)"
    )
    lateral_speed_measure: speed("lateral_speed", "Lateral Speed", "Speed to the right (TR4, TR5)")
    lateral_acceleration_measure: acceleration(
        "lateral_acceleration", "Lateral Acceleration", "Increase of the lateral speed (TR4, TR5)"
    )
    blend_frames: IntProperty(
        name="Blend Frames",
        max=0xFFFF,
        min=0,
        description="Ticks in which the last pose blends into the next action (TombEngine)",
    )
    blend_curve: _curve()
    root_motion: IntProperty(
        name="Root Motion", min=0, max=0xFFFF, description="All axes of the root motion as one number"
    )
    root_motion_x: bit("root_motion", 1, "Root Motion X", "The first bone moves the object sideways")
    root_motion_y: bit("root_motion", 2, "Root Motion Y", "The first bone moves the object up and down")
    root_motion_z: bit("root_motion", 4, "Root Motion Z", "The first bone moves the object forward")
    root_rotation: bit("root_motion", 8, "Root Rotation", "The first bone turns the object")
    seam: FloatProperty(
        name="Step at the End",
        default=-1.0,
        description="Distance from the last pose to the next one in units, from Loop Check; -1 if unknown",
    )
    is_jump: BoolProperty(
        name="Jumps at the End",
        description="Loop Check found a larger step at the end than inside the animation",
    )
    key_box: IntVectorProperty(
        name="Box of the Key Frame",
        size=6,
        min=-0x8000,
        max=0x7FFF,
        get=_shown_box,
        set=_edit_box,
        description="Min x, max x, min y, max y, min z, max z in game units, at the current frame",
    )
    key_box_measure: box(
        "key_box", "Box", "Box of the key frame at or before the current frame, for collision"
    )
    events: CollectionProperty(
        name="Events",
        type=TombRaiderEvent,
        description="Sounds and effects. Each happens at every pose marker of its name",
    )
    commands: CollectionProperty(
        name="Commands", type=TombRaiderCommand, description="Command at the end of the animation"
    )
    dispatches: CollectionProperty(
        name="State Changes",
        type=TombRaiderDispatch,
        description="Animations for other wanted states; games take the first match",
    )
    active_event: IntProperty(name="Active Event", options={"HIDDEN"})
    active_command: IntProperty(name="Active Command", options={"HIDDEN"})
    active_dispatch: IntProperty(name="Active State Change", options={"HIDDEN"})


class TombRaiderChain(PropertyGroup):
    """The settings that playing a chain of animations replaced, to be restored."""

    is_playing: BoolProperty(name="Plays a Chain", description="A chain of animations is playing")
    influence: FloatProperty(name="Influence", description="Influence of the action in use before playback")
    delta: FloatVectorProperty(
        name="Delta Location", size=3, description="Delta location of the armature before playback"
    )
    use_preview_range: BoolProperty(
        name="Preview Range", description="The scene had a preview range before playback"
    )
    preview_start: IntProperty(name="Preview Start", description="Start of the preview range before playback")
    preview_end: IntProperty(name="Preview End", description="End of the preview range before playback")
    frame: IntProperty(name="Frame", description="Frame of the scene before playback")


GROUPS = (
    TombRaiderEvent,
    TombRaiderCommand,
    TombRaiderDispatch,
    TombRaiderAction,
    TombRaiderChain,
    TombRaiderBonePair,
    TombRaiderMotion,
)
