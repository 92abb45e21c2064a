"""Panels of triggers: conditions and list of actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bpy.types import Collection, Context, Object, UILayout

from ...formats import Game
from ...scene.core import Kind
from ..base.layout.panels import ObjectPanel, Rows, SubjectTools, draw_note, fields, listing, switches, tool
from ..base.layout.sidebar import TOOLS
from ..base.levels import game_of, level_of
from ..base.text.fitting import panel_width, shortened
from .operators import action_label

if TYPE_CHECKING:
    from ...scene.properties import TombRaiderTrigger, TombRaiderTriggerAction
    from ...scene.subjects.triggers import LabeledValue


_ICONS = {  # by name of action
    "OBJECT": "OBJECT_DATA",
    "CAMERA": "CAMERA_DATA",
    "SINK": "FORCE_FORCE",
    "FLIP_MAP": "FILE_REFRESH",
    "FLIP_ON": "FILE_REFRESH",
    "FLIP_OFF": "FILE_REFRESH",
    "LOOK_AT": "HIDE_OFF",
    "END_LEVEL": "EVENT_ESC",
    "SOUNDTRACK": "PLAY_SOUND",
    "FLIPEFFECT": "SHADERFX",
    "SECRET": "SOLO_ON",
    "CLEAR_BODIES": "TRASH",
    "FLYBY": "CON_FOLLOWPATH",
    "CUTSCENE": "SEQUENCE",
}


_RESERVED = 58.0  # pixels of a row that its icon, the frame of the list and its buttons take


class TOMB_RAIDER_UL_trigger_actions(Rows):
    """List of the actions of a trigger, in order."""

    bl_idname = "TOMB_RAIDER_UL_trigger_actions"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        level = level_of(item.id_data)
        game = Game.TR5 if level is None else game_of(level)
        text = shortened(action_label(item, game), panel_width() - _RESERVED)
        layout.label(text=text, icon=_icon_of(item.type))


def _icon_of(kind: int) -> Any:
    from ...formats.levels.floor import ActionType

    return next((_ICONS[action.name] for action in ActionType if action == kind), "QUESTION")


_TIMERS = {"FOG": "timer_fog", "SOUND": "timer_sound", "WAYPOINT": "timer_waypoint"}  # views by meaning


def draw_trigger(layout: UILayout, obj: Object, game: Game) -> None:
    """Draw all settings of a trigger."""
    from ...scene.subjects.triggers import is_condition, is_trng, refers

    settings, level = obj.tomb_raider.trigger, level_of(obj)
    layout.prop(settings, "kind")
    if settings.kind == "OTHER":
        layout.prop(settings, "type")
    if refers(settings.type):
        layout.prop(settings, "source")
        if settings.source is None:
            layout.prop(settings, "raw_source")
    if is_condition(level, settings):
        _draw_condition(layout, settings, level)
    else:
        switches(layout, settings, "activation")
        _draw_timer(layout, settings, game, is_trng=is_trng(level, settings))
    layout.prop(settings, "one_shot")
    sides = layout.column(align=True)
    sides.prop(obj, "scale", index=0, text="Sectors X")
    sides.prop(obj, "scale", index=1, text="Y")
    _draw_list(layout, settings)
    if 0 <= settings.active_action < len(settings.actions):
        action = settings.actions[settings.active_action]
        if settings.active_action == 0 and is_condition(level, settings):
            _draw_parameter(layout, settings, action, level)
        else:
            _draw_action(layout, action, game, level, is_trng=is_trng(level, settings))


def _draw_condition(layout: UILayout, settings: TombRaiderTrigger, level: Collection | None) -> None:
    """Draw the condition of a trigger for TRNG, and its value."""
    from ...scene.subjects.triggers import condition_value

    row = layout.row(align=True)
    row.prop(settings, "condition_name")
    row.prop(settings, "timer", text="")
    _draw_value(layout, settings, "mask", condition_value(level, settings))


def _draw_parameter(
    layout: UILayout, settings: TombRaiderTrigger, action: TombRaiderTriggerAction, level: Collection | None
) -> None:
    """Draw the first action of a condition, whose number is its parameter."""
    from ...formats.levels.floor import ActionType
    from ...scene.subjects.triggers import condition_parameter

    column, value = layout.column(), condition_parameter(level, settings)
    if action.type == ActionType.OBJECT and action.target is None:
        _draw_value(column, action, "raw_target", value)
    elif action.type == ActionType.OBJECT:
        column.prop(action, "target", text=value.label, translate=False)
    else:
        _draw_value(column, action, "number", value, view="parameter_name")


def _draw_value(
    layout: UILayout, settings: Any, name: str, value: LabeledValue | None, *, view: str = ""
) -> None:
    """Draw a value of TRNG, after its name if it has names."""
    if value is None:
        return
    row = layout.row(align=True)
    if value.names:
        row.prop(settings, view or f"{name}_name", text=value.label, translate=False)
        row.prop(settings, name, text="")
    else:
        row.prop(settings, name, text=value.label, translate=False)


def _draw_timer(layout: UILayout, settings: TombRaiderTrigger, game: Game, *, is_trng: bool) -> None:
    """Draw the timer once for each of its meanings for the actions, by names where it has any."""
    from ...scene.subjects.triggers import TimerMeaning, timer_meanings

    meanings = timer_meanings(settings, game, is_trng=is_trng)
    if not meanings:
        layout.prop(settings, "timer", text="Timer (Unused)" if len(settings.actions) else "Timer")
    for meaning in meanings:
        view = _TIMERS.get(meaning.name)
        if view is None:
            label = "Timer" if meaning is TimerMeaning.SECONDS else meaning.value
            layout.prop(settings, "timer", text=label)
            continue
        row = layout.row(align=True)
        row.prop(settings, view)
        row.prop(settings, "timer", text="")
        if meaning is TimerMeaning.FOG:
            row.prop(settings, "fog_color", text="")


def _draw_list(layout: UILayout, settings: TombRaiderTrigger) -> None:
    buttons = listing(
        layout,
        TOMB_RAIDER_UL_trigger_actions,
        settings,
        "actions",
        "active_action",
        rows=4,
        heading="Actions",
    )
    buttons.menu("TOMB_RAIDER_MT_add_trigger_action", text="", icon="ADD")
    buttons.operator("tomb_raider.remove_trigger_action", text="", icon="REMOVE")
    buttons.separator()
    buttons.operator("tomb_raider.move_trigger_action", text="", icon="TRIA_UP").direction = "UP"
    buttons.operator("tomb_raider.move_trigger_action", text="", icon="TRIA_DOWN").direction = "DOWN"


def _draw_action(
    layout: UILayout, action: TombRaiderTriggerAction, game: Game, level: Collection | None, *, is_trng: bool
) -> None:
    from ...formats.levels.floor import ActionType
    from ...scene.subjects.triggers import NUMBER_LABELS, TARGET_ACTIONS, first_value, second_value

    column = layout.column()
    column.prop(action, "kind")
    if action.kind == "OTHER":
        fields(column, action, "type", "number", "extra")
        return
    if action.type in TARGET_ACTIONS:
        column.prop(action, "target")
        if action.target is None:
            column.prop(action, "number" if action.type == ActionType.FLYBY else "raw_target")
    elif action.type in NUMBER_LABELS:
        _draw_number(column, action, game, NUMBER_LABELS[ActionType(action.type)])
    if action.type == ActionType.CAMERA:
        has_move = game.traits.has_move_timer or action.move
        fields(column, action, "timer", *(("move",) if has_move else ()), "once")
    elif action.type == ActionType.FLYBY:
        column.prop(action, "once")
    elif is_trng and action.type in (ActionType.FLIPEFFECT, ActionType.CLEAR_BODIES):
        if action.type == ActionType.CLEAR_BODIES:
            _draw_object(column, action, level)
        _draw_value(column, action, "first", first_value(level, action))
        _draw_value(column, action, "second", second_value(level, action))
    elif action.extra > 0:
        column.prop(action, "extra")


def _draw_object(column: UILayout, action: TombRaiderTriggerAction, level: Collection | None) -> None:
    """Draw the number of the object of an action of TRNG, and the name of the entity with that number."""
    from ...scene.subjects.triggers import object_names

    column.prop(action, "number", text="Object")
    name = object_names(level).get(action.number)
    if name is not None:
        column.label(text=name, icon="OBJECT_DATA", translate=False)


def _draw_number(column: UILayout, action: TombRaiderTriggerAction, game: Game, label: str) -> None:
    """Draw the number of an action, after its name where the game has names of such numbers."""
    from ...catalogue import names
    from ...formats.levels.floor import ActionType
    from ...scene.subjects.triggers import has_names

    if not has_names(action.type, game):
        unused = action.type == ActionType.END_LEVEL
        column.prop(action, "number", text="Level (Unused)" if unused else label)
        return
    row = column.row(align=True)
    row.prop(action, "number_name", text=label)
    row.prop(action, "number", text="")
    if action.type == ActionType.FLIPEFFECT:
        draw_note(column, names(game).note("flipeffect", action.number))


class OBJECT_PT_tomb_raider_trigger(ObjectPanel):
    bl_label = "Tomb Raider Trigger"
    kind = Kind.TRIGGER
    tools = ("select_trigger_targets",)

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        draw_trigger(layout, obj, game)


class VIEW3D_PT_tomb_raider_triggers(SubjectTools):
    """Panel of tools for triggers."""

    bl_label = "Triggers"
    bl_order = TOOLS + 4
    kinds = (Kind.TRIGGER,)

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        layout.operator("tomb_raider.add_trigger", icon="CUBE")
        tool(layout, context, "select_trigger_targets")
        tool(layout, context, "select_triggers")


CLASSES = (
    TOMB_RAIDER_UL_trigger_actions,
    OBJECT_PT_tomb_raider_trigger,
    VIEW3D_PT_tomb_raider_triggers,
)
