"""Properties of triggers (documentation, chapters 4.4.4 to 4.6)."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
)
from bpy.types import Context, Object, PropertyGroup

from ...formats import Game
from ...formats.base import Bits, T
from ...formats.levels.floor import EXTRA_MOVE, EXTRA_ONCE, EXTRA_TIMER
from ..core.membership import level_of
from ..core.subjects import Kind
from ..core.targets import chosen_target
from ..subjects.triggers.unset import NO_EXTRA, NO_NUMBER, NO_SOURCE
from .base.pointers import is_entity, is_room
from .views.named import named
from .views.switches import bits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..subjects.triggers.trng import LabeledValue
    from ..subjects.triggers.values import Item


def _is_target(group: "TombRaiderTriggerAction", other: Object) -> bool:
    from ..subjects.triggers.values import CAMERA_ACTIONS, ENTITY_ACTIONS

    kind = other.tomb_raider.kind
    if group.type in ENTITY_ACTIONS:
        return kind == Kind.ENTITY
    return kind in (Kind.CAMERA, Kind.SINK) if group.type in CAMERA_ACTIONS else kind == Kind.FLYBY


def _game(obj: Any) -> Game:
    """Return the game of an object's level, TR5 for objects without a level."""
    level = level_of(obj)
    return Game.TR5 if level is None else Game[level.tomb_raider.game]


def _is_trng(group: PropertyGroup) -> bool:
    from ..subjects.triggers.trng import is_trng

    owner: Any = group.id_data
    return is_trng(level_of(owner), owner.tomb_raider.trigger)


def _types(group: PropertyGroup, _context: Context | None) -> "list[Item]":
    from ..subjects.triggers.values import type_items

    owner: Any = group.id_data
    return type_items(_game(owner), chosen_target(level_of(owner)), trng=_is_trng(group))


def _actions(group: PropertyGroup, _context: Context | None) -> "list[Item]":
    from ..subjects.triggers.values import action_items

    owner: Any = group.id_data
    return action_items(_game(owner), chosen_target(level_of(owner)), trng=_is_trng(group))


def _change_action(action: "TombRaiderTriggerAction", kind: int) -> None:
    from ..subjects.triggers.new_meaning import change_action

    change_action(action, kind)


def _change_trigger(trigger: "TombRaiderTrigger", kind: int) -> None:
    from ..subjects.triggers.new_meaning import change_trigger

    owner: Any = trigger.id_data
    change_trigger(level_of(owner), trigger, kind)


def _choice(
    items: Callable[[PropertyGroup, Context | None], "list[Item]"],
    name: str,
    description: str,
    change: Callable[[Any, int], None],
) -> object:
    """Declare an enumeration for the integer property ``type``, which ``change`` sets to another value."""

    def get(group: "TombRaiderTrigger | TombRaiderTriggerAction") -> int:
        from ..subjects.triggers.values import OTHER

        known = any(item[3] == group.type for item in items(group, None))
        return group.type if known else OTHER

    def put(group: "TombRaiderTrigger | TombRaiderTriggerAction", value: int) -> None:
        from ..subjects.triggers.values import OTHER

        if value not in (OTHER, group.type):
            change(group, value)

    return EnumProperty(name=name, description=description, items=items, get=get, set=put)


def _part(part: Bits, name: str, description: str) -> object:
    """Declare a view of some bits of the integer property ``extra``."""

    def get(group: "TombRaiderTriggerAction") -> int:
        return part.of(max(group.extra, 0))

    def put(group: "TombRaiderTriggerAction", value: int) -> None:
        group.extra = part.put(max(group.extra, 0), value)

    return IntProperty(name=name, description=description, min=0, max=part.largest, get=get, set=put)


def _once() -> object:
    def get(group: "TombRaiderTriggerAction") -> bool:
        return bool(EXTRA_ONCE.of(max(group.extra, 0)))

    def put(group: "TombRaiderTriggerAction", value: bool) -> None:
        group.extra = EXTRA_ONCE.put(max(group.extra, 0), int(value))

    text = T("Show the camera or flyby only the first time the trigger is set off")
    return BoolProperty(name="Once", description=text, get=get, set=put)


def _number_names(group: Any) -> "Mapping[int, str]":
    from ..subjects.triggers.numbers import number_names

    return number_names(level_of(group.id_data), group.type)


def _number_title(group: Any) -> str:
    from ..subjects.triggers.values import NUMBER_LABELS

    return next((label for kind, label in NUMBER_LABELS.items() if kind == group.type), "Number")


def _value(field: str, function: str, name: str, description: str) -> object:
    """Declare a view of a number by the names of a value of TRNG.

    Args:
        function: the function of `subjects/triggers/trng.py` that returns the value.
    """

    def value_of(group: Any) -> "LabeledValue | None":
        from ..subjects.triggers import trng

        level = level_of(group.id_data)
        # The parameter of a condition belongs to an action, and depends on the condition.
        owner = group.id_data.tomb_raider.trigger if function.startswith("condition") else group
        result: LabeledValue | None = getattr(trng, function)(level, owner)
        return result

    def known(group: Any) -> "Mapping[int, str]":
        found = value_of(group)
        return {} if found is None else found.names

    def title(group: Any) -> str:
        found = value_of(group)
        return name if found is None else found.label

    return named(field, known, title, name, description)


def _conditions(_group: Any) -> "Mapping[int, str]":
    from ..subjects.triggers.trng import condition_names

    return condition_names()


def _timer(meaning: str, name: str, description: str) -> object:
    """Declare a view of the timer by the names of its values with a meaning, see `TimerMeaning`."""

    def known(group: Any) -> "Mapping[int, str]":
        from ..subjects.triggers.numbers import TimerMeaning, timer_names

        return timer_names(level_of(group.id_data), TimerMeaning[meaning])

    return named("timer", known, lambda _group: name, name, description)


def _fog_color(group: "TombRaiderTrigger") -> tuple[float, ...]:
    from ...catalogue import FOG_COLORS

    _, color = FOG_COLORS.get(group.timer, ("", (0, 0, 0)))
    return tuple(part / 255 for part in color)


class TombRaiderTriggerAction(PropertyGroup):
    """One action of a trigger."""

    type: IntProperty(name="Type", min=0, max=31, description="Type of the action as a number")
    kind: _choice(_actions, "Action", "Type of the action", _change_action)
    target: PointerProperty(
        name="Target", type=bpy.types.Object, poll=_is_target, description="Object that the action affects"
    )
    raw_target: IntProperty(
        name="Number of Target",
        default=NO_NUMBER,
        min=NO_NUMBER,
        max=0x3FF,
        description="Number of the target in the file, if the scene has no object for it. -1 for none",
    )
    number: IntProperty(
        name="Number",
        min=0,
        max=0x3FF,
        description="Number of the flip map, track, flipeffect, secret, level, cutscene or sequence",
    )
    number_name: named(
        "number",
        _number_names,
        _number_title,
        "Number",
        "Flipeffect, track, level or cutscene, by name or number",
    )
    extra: IntProperty(
        name="Extra Word",
        min=NO_EXTRA,
        max=0x7FFF,
        description="Word after cameras, flybys and, in levels of TRNG, flipeffects. -1 for none",
    )
    timer: _part(EXTRA_TIMER, "Seconds", "Duration of the camera. 0: as long as the trigger is set off")
    once: _once()
    move: _part(EXTRA_MOVE, "Move", "Slowness of the movement from Lara to the camera. 0: cut")
    first: _part(Bits(0, 8), "First Value", "First value of the effect, or the action on an object (TRNG)")
    first_name: _value("first", "first_value", "First Value", "First value, by name or number (TRNG)")
    second: _part(Bits(8, 7), "Second Value", "Second value of the effect, or the action's value (TRNG)")
    second_name: _value("second", "second_value", "Second Value", "Second value, by name or number (TRNG)")
    raw_target_name: _value(
        "raw_target", "condition_parameter", "Parameter", "Parameter of the condition, by name or number"
    )
    parameter_name: _value(
        "number", "condition_parameter", "Parameter", "Parameter of the condition, by name or number"
    )
    stray_end: BoolProperty(name="Stray End", description="The file wrongly marks it as the last action")


class TombRaiderTrigger(PropertyGroup):
    """A trigger: its activation and its actions."""

    type: IntProperty(name="Type Number", min=0, max=0x7F, description="Type of the trigger as a number")
    kind: _choice(_types, "Type", "Event that sets off the trigger", _change_trigger)
    room: PointerProperty(name="Room", type=bpy.types.Object, poll=is_room, description="Room of the trigger")
    source: PointerProperty(
        name="Set Off By",
        type=bpy.types.Object,
        poll=is_entity,
        description="Switch, keyhole, puzzle hole or item that sets off the trigger",
    )
    raw_source: IntProperty(
        name="Number of Source",
        default=NO_NUMBER,
        min=NO_SOURCE,
        max=0x3FF,
        description="Number of that entity in the file, if the scene has no object for it. -1 for none",
    )
    timer: IntProperty(
        name="Timer",
        min=-128,
        max=255,
        description="Seconds until targets stop. 0: never. Below 0: start delay (TR4, TR5). Or a value "
        "of the action",
    )
    timer_sound: _timer("SOUND", "Sound", "Sound that the flipeffect plays, by name or number")
    timer_fog: _timer("FOG", "Fog Color", "Color of the level's fog bulbs, by name or number")
    timer_waypoint: _timer("WAYPOINT", "OCB of AI Follow", "AI object that the guide goes to, by name or OCB")
    fog_color: FloatVectorProperty(
        name="Fog Color",
        subtype="COLOR_GAMMA",
        size=3,
        min=0,
        max=1,
        get=_fog_color,
        description="Color of the level's fog bulbs, set by the timer",
    )
    condition_name: named(
        "timer",
        _conditions,
        lambda _group: "Condition",
        "Condition",
        "Condition of the other triggers of the sector, by name or number (TRNG)",
    )
    mask_name: _value("mask", "condition_value", "Value", "Value of the condition, by name or number (TRNG)")
    one_shot: BoolProperty(
        name="One Shot",
        description="Activated objects stay active. Only antitriggers deactivate them (TR3 to TR5); nothing"
        " does (TR1, TR2). TR3 locks them even before their mask is full",
    )
    mask: IntProperty(
        name="Mask", default=0x1F, min=0, max=0x1F, description="The five bits of the mask as one number"
    )
    activation: bits(
        "mask",
        (1, 2, 4, 8, 16),
        "Activation Mask",
        "Bits to set on the targets. Objects are active once all five bits are set",
    )
    actions: CollectionProperty(
        name="Actions", type=TombRaiderTriggerAction, description="Actions of the trigger, in order"
    )
    active_action: IntProperty(
        name="Active Action", options={"SKIP_SAVE"}, description="Index of the active action"
    )
    rest: IntProperty(
        name="Unknown Bits", min=0, max=0xE0, description="Trigger bits that the games do not use"
    )
    setup_rest: IntProperty(
        name="Unknown Bits of the Setup",
        min=0,
        max=3,
        description="Bits next to timer and mask that the games do not use",
    )
    source_rest: IntProperty(
        name="Unknown Bits of the Source",
        min=0,
        max=0x1F,
        description="Bits next to the number of the source that the games do not use",
    )


GROUPS = (TombRaiderTriggerAction, TombRaiderTrigger)
