"""Operators for triggers: add them, edit their actions, select related objects."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import EnumProperty
from bpy.types import Collection, Context, Menu, Object, Operator

from ...formats import Game
from ...formats.base import T, Target
from ...scene.core import Kind, chosen_target
from ...scene.properties import CONTEXT
from ..base.active import active_layer
from ..base.conditions import ConditionalTool, condition
from ..base.layout.drawing import redraw_views
from ..base.levels import game_of, level_of
from ..base.operators import AddingTool, EditingTool
from ..base.reports import Outcome, report_line
from ..base.rows import move_row, remove_row
from ..base.selecting import in_layer, select_only
from . import lines as trigger_lines

if TYPE_CHECKING:
    from ...scene.properties import TombRaiderTriggerAction
    from ...scene.subjects.triggers import Item


def is_trigger(obj: Object | None) -> bool:
    """Return whether an object is a trigger."""
    return obj is not None and obj.tomb_raider.kind == Kind.TRIGGER


def action_label(action: "TombRaiderTriggerAction", game: Game) -> str:
    """Return a text about an action and its target, by name if known."""
    from ...formats.levels.floor import ActionType
    from ...scene.subjects.triggers import NUMBER_LABELS, TARGET_ACTIONS, action_items, has_names, is_trng

    owner: Any = action.id_data
    trng = is_trng(level_of(owner), owner.tomb_raider.trigger)
    items = action_items(game, Target.TRX, trng=trng)
    kind = next((label for _, label, _, number in items if number == action.type), "")
    if not kind or kind == "Other":
        return T("Action {type}: {number}", type=action.type, number=action.number)
    if action.target is not None and action.type in TARGET_ACTIONS:
        return T("{kind}: {target}", kind=kind, target=action.target.name)
    if trng and action.type == ActionType.CLEAR_BODIES:
        return T("{kind}: {number_name}", kind=kind, number_name=action.first_name)
    if has_names(action.type, game):
        return T("{kind}: {number_name}", kind=kind, number_name=action.number_name)
    if action.type == ActionType.FLYBY:
        return T("{kind}: Sequence {number}", kind=kind, number=action.number)
    if action.type in TARGET_ACTIONS:
        number = action.raw_target
        text = T("Nothing") if number < 0 else T("Number {number}", number=number)
        return T("{kind}: {number}", kind=kind, number=text)
    return T("{kind}: {number}", kind=kind, number=action.number) if action.type in NUMBER_LABELS else kind


class _TriggerTool(EditingTool):
    """Base of operators on the active trigger."""

    requires = condition(lambda context: is_trigger(context.object), T("Make a trigger the active object"))


class TOMB_RAIDER_OT_add_trigger(AddingTool):
    """Add a trigger to the sector under the 3D cursor, acting on the selected objects"""

    bl_idname = "tomb_raider.add_trigger"
    bl_label = "Add Trigger"

    place: EnumProperty(
        name="Place",
        items=[
            ("CURSOR", "3D Cursor", "On the sector at the 3D cursor", 0),
            ("ACTIVE", "Active Object", "On the sector of the active object", 1),
        ],
        description="Sector to add it to",
    )

    def add(self, context: Context, level: Collection) -> Object:
        from ...scene.authoring.new import add_trigger

        at_active = self.place == "ACTIVE" and context.object is not None
        location = context.object.matrix_world.translation if at_active else context.scene.cursor.location
        return add_trigger(level, location, context.selected_objects)


def _items(self: object, context: Context | None) -> "list[Item]":
    from ...scene.subjects.triggers import action_items

    level = level_of(context.object) if context is not None else None
    if level is None:
        return action_items(Game.TR5)
    game = game_of(level)
    trng = level.tomb_raider.has_trng and game.traits.has_trng
    return action_items(game, chosen_target(level), trng=trng)


class TOMB_RAIDER_OT_add_trigger_action(_TriggerTool):
    """Add an action to the active trigger, on the other selected objects"""

    bl_idname = "tomb_raider.add_trigger_action"
    bl_label = "Add Action"

    kind: EnumProperty(name="Action", items=_items, description="Type of the action", options={"SKIP_SAVE"})

    def execute(self, context: Context) -> Outcome:
        from ...formats.levels.floor import ActionType
        from ...scene.authoring.new import ACTIONS_ON

        settings = context.object.tomb_raider.trigger
        kind = ActionType[self.kind]
        target_kind = ActionType.OBJECT if kind == ActionType.LOOK_AT else kind
        targets: list[Object | None] = [
            obj for obj in context.selected_objects if ACTIONS_ON.get(obj.tomb_raider.kind) == target_kind
        ]
        for target in targets or [None]:
            action = settings.actions.add()
            action.type, action.target = kind, target
            if target is not None and kind == ActionType.FLYBY:
                action.number = target.tomb_raider.flyby.sequence
        settings.active_action = len(settings.actions) - 1
        redraw_views(self, context)  # the lines
        return {"FINISHED"}


class TOMB_RAIDER_OT_remove_trigger_action(_TriggerTool):
    """Remove the active action from the list"""

    bl_idname = "tomb_raider.remove_trigger_action"
    bl_label = "Remove Action"

    def execute(self, context: Context) -> Outcome:
        settings = context.object.tomb_raider.trigger
        if not 0 <= settings.active_action < len(settings.actions):
            return {"CANCELLED"}
        settings.active_action = remove_row(settings.actions, settings.active_action)
        redraw_views(self, context)
        return {"FINISHED"}


class TOMB_RAIDER_OT_move_trigger_action(_TriggerTool):
    """Move the active action within the list; actions happen in its order"""

    bl_idname = "tomb_raider.move_trigger_action"
    bl_label = "Move Action"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    direction: EnumProperty(
        name="Direction",
        translation_context=CONTEXT,
        items=[("UP", "Up", "Make it happen sooner", 0), ("DOWN", "Down", "Make it happen later", 1)],
        description="Where to move the action",
        options={"SKIP_SAVE"},
    )

    def execute(self, context: Context) -> Outcome:
        settings = context.object.tomb_raider.trigger
        step = -1 if self.direction == "UP" else 1
        target = move_row(settings.actions, settings.active_action, step)
        if target is None:
            return {"CANCELLED"}
        settings.active_action = target
        return {"FINISHED"}


class TOMB_RAIDER_OT_select_trigger_targets(ConditionalTool, Operator):
    """Select the targets of the selected triggers, and the objects that set them off"""

    bl_idname = "tomb_raider.select_trigger_targets"
    bl_label = "Select Targets"
    bl_options = {"REGISTER", "UNDO"}
    requires = condition(
        lambda context: context.mode == "OBJECT" and any(map(is_trigger, context.selected_objects)),
        T("Select triggers in Object Mode"),
    )

    def execute(self, context: Context) -> Outcome:
        targets = [target for obj in context.selected_objects for target in trigger_lines.ends_of(obj)]
        return _select_or_warn(self, context, targets, T("These triggers have no visible targets"))


class TOMB_RAIDER_OT_select_triggers(ConditionalTool, Operator):
    """Select the triggers that act on the selected objects, or are set off by them"""

    bl_idname = "tomb_raider.select_triggers"
    bl_label = "Select Triggers"
    bl_options = {"REGISTER", "UNDO"}
    requires = condition(
        lambda context: context.mode == "OBJECT" and context.selected_objects,
        T("Select entities, cameras, sinks or flyby cameras in Object Mode"),
    )

    def execute(self, context: Context) -> Outcome:
        triggers = trigger_lines.triggers_acting_on(context.selected_objects)
        return _select_or_warn(self, context, triggers, T("No visible trigger acts on these"))


def _select_or_warn(operator: Operator, context: Context, objects: Iterable[Object], text: str) -> Outcome:
    visible = in_layer(active_layer(context), dict.fromkeys(objects))
    if not visible:
        report_line(operator, "WARNING", text)
        return {"CANCELLED"}
    select_only(context, visible, active=visible[-1])
    return {"FINISHED"}


class TOMB_RAIDER_MT_add_trigger_action(Menu):
    """Menu of the actions that the game supports."""

    bl_idname = "TOMB_RAIDER_MT_add_trigger_action"
    bl_label = "Add Action"

    def draw(self, context: Context | None) -> None:
        for name, label, _, _ in _items(self, context):
            if name != "OTHER":
                self.layout.operator("tomb_raider.add_trigger_action", text=label).kind = name


_CLASSES = (
    TOMB_RAIDER_OT_add_trigger,
    TOMB_RAIDER_OT_add_trigger_action,
    TOMB_RAIDER_OT_remove_trigger_action,
    TOMB_RAIDER_OT_move_trigger_action,
    TOMB_RAIDER_OT_select_trigger_targets,
    TOMB_RAIDER_OT_select_triggers,
    TOMB_RAIDER_MT_add_trigger_action,
)


_register, _unregister = bpy.utils.register_classes_factory(_CLASSES)


def register() -> None:
    _register()
    trigger_lines.register()


def unregister() -> None:
    trigger_lines.unregister()
    _unregister()
