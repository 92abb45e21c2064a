"""Panels of the state machine of animations, in the dope sheet and in the armature's data tab."""

from __future__ import annotations

from typing import Any

from bpy.types import Action, Context, Panel, UILayout

from ...formats import Game
from ...formats.base import N_, T, joined
from ...scene.core import Kind, level_of
from ...scene.subjects.animations import game_of_action
from ..base.layout.panels import Rows, box, draw_note, fields, number_in_file, split_columns
from ..base.text.i18n import translate
from .active_animation import active_graph_action
from .library import without_model
from .operators import ACTIVE, LISTS, armature_of, shown_action

_ARGUMENTS = {"POSITION": ("position",), "JUMP": ("vertical", "horizontal"), "OTHER": ("number",)}

# The points of a blending curve, and the index of each in its numbers.
_POINTS = ((N_("Start"), 0), (N_("Start Handle"), 4), (N_("End Handle"), 6), (N_("End"), 2))

# --- Rows of lists ----------------------------------------


class TOMB_RAIDER_UL_dispatches(Rows):
    """List of state changes: state, frames and target action."""

    def draw_row(self, layout: UILayout, item: Any) -> None:
        row = layout.row(align=True)
        row.label(text=item.state_name)
        if item.is_empty:
            row.label(text="no target")
            return
        row.label(text=translate(T("{ways} to {is_there}", ways=item.low, is_there=item.high)))
        if item.action:
            row.label(text=without_model(item.action), icon="ACTION", translate=False)
        else:
            text = T("Animation {target}", target=item.target) if item.target >= 0 else T("No action")
            row.label(text=translate(text), icon="ERROR")


class TOMB_RAIDER_UL_commands(Rows):
    """List of commands without a frame, with their arguments."""

    def draw_row(self, layout: UILayout, item: Any) -> None:
        row = layout.row(align=True)
        row.prop(item, "command", text="", emboss=False)
        values = [getattr(item, name) for name in _ARGUMENTS.get(item.command, ())]
        numbers = values[0] if item.command == "POSITION" else values
        row.label(text=joined(", ", (str(number) for number in numbers)))


class TOMB_RAIDER_UL_events(Rows):
    """List of sounds and effects, with their frames."""

    def draw_row(self, layout: UILayout, item: Any) -> None:
        frames = sorted(marker.frame for marker in item.id_data.pose_markers if marker.name == item.name)
        row = layout.row(align=True)
        row.active = bool(frames)
        row.label(text=item.name, icon="SOUND" if item.command == "SOUND" else "SHADERFX", translate=False)
        row.label(text=joined(", ", (str(frame) for frame in frames)) or T("no marker"))


# --- Panels ----------------------------------------


class _Panel(Panel):
    """Base of panels about the shown action."""

    @classmethod
    def poll(cls, context: Context) -> bool:
        action, obj = shown_action(context), context.object
        if action is None or not cls.suits(action):
            return False
        is_model = obj is not None and obj.tomb_raider.kind == Kind.MODEL
        return action.tomb_raider.model is not None or is_model

    @classmethod
    def suits(cls, action: Action) -> bool:
        """Return whether an animation can have what the panel shows."""
        return True

    def draw(self, context: Context) -> None:
        action = shown_action(context)
        assert action is not None
        self.draw_action(split_columns(self), action, game_of_action(action, context.object), context)

    def draw_action(self, column: UILayout, action: Action, game: Game | None, context: Context) -> None:
        """Draw an action of a game; the game is None where it is unknown."""
        raise NotImplementedError


class _Animation(_Panel):
    bl_label = "Tomb Raider Animation"

    def draw_action(self, column: UILayout, action: Action, game: Game | None, context: Context) -> None:
        from ...scene.subjects.animations import is_playing

        settings = action.tomb_raider
        number_in_file(column, settings.index)
        fields(column, settings, "model", "frame_rate")
        fields(column, settings, "state")
        fields(column, settings, "next_action", "next_frame")
        if not settings.next_action:
            column.label(text="Repeats", icon="FILE_REFRESH")
        column.operator("tomb_raider.go_to_animation", text="Go to Next", icon="FORWARD")
        armature = armature_of(context)
        row = column.row(align=True)
        row.operator("tomb_raider.play_chain", icon="PLAY")
        if armature is not None and is_playing(armature):
            row.operator("tomb_raider.stop_chain", icon="CANCEL")


class _Motion(_Panel):
    bl_label = "Root Motion"

    def draw_action(self, column: UILayout, action: Action, game: Game | None, context: Context) -> None:
        fields(column, action.tomb_raider, "speed", "acceleration")
        if game is None or game.traits.has_lateral_speed:
            fields(column, action.tomb_raider, "lateral_speed", "lateral_acceleration")

        if _has_blending(action):
            for name in ("root_motion_x", "root_motion_y", "root_motion_z", "root_rotation"):
                column.prop(action.tomb_raider, name)


def _has_blending(action: Action) -> bool:
    """Return whether an animation is of a .wad2, which can hold blending."""
    model = action.tomb_raider.model
    level = None if model is None else level_of(model)
    return level is not None and level.tomb_raider.level.has_extras


def _draw_blending(column: UILayout, settings: Any) -> None:
    column.prop(settings, "blend_frames")
    if not settings.blend_frames:
        return
    for label, at in _POINTS:
        row = column.row(align=True, heading=label)
        row.prop(settings, "blend_curve", index=at, text="")
        row.prop(settings, "blend_curve", index=at + 1, text="")


class _Blending(_Panel):
    bl_label = "Blending"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def suits(cls, action: Action) -> bool:
        return _has_blending(action)

    def draw_action(self, column: UILayout, action: Action, game: Game | None, context: Context) -> None:
        _draw_blending(column, action.tomb_raider)


class _Boxes(_Panel):
    bl_label = "Boxes"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_action(self, column: UILayout, action: Action, game: Game | None, context: Context) -> None:
        column.prop(context.window_manager, "tomb_raider_boxes")
        box(column, action.tomb_raider, "key_box_measure")
        row = column.row(align=True)
        row.operator("tomb_raider.fit_key_boxes", icon="SHADING_BBOX").frames = "CURRENT"
        row.operator("tomb_raider.fit_key_boxes", text="Fit All").frames = "ALL"
        column.operator("tomb_raider.reset_key_boxes", icon="LOOP_BACK")
        armature = armature_of(context)
        if armature is not None and armature.tomb_raider.kind == Kind.MODEL:
            column.prop(armature.tomb_raider.model, "fit_boxes")


class _List(_Panel):
    """Base of panels with a list, buttons that edit it, and the active row."""

    bl_options = {"DEFAULT_CLOSED"}
    which = ""

    def draw_action(self, column: UILayout, action: Action, game: Game | None, context: Context) -> None:
        settings = action.tomb_raider
        name, active = LISTS[self.which], ACTIVE[self.which]
        row = column.row()
        row.template_list(
            f"TOMB_RAIDER_UL_{name}", self.bl_space_type, settings, name, settings, active, rows=4
        )
        buttons = row.column(align=True)
        icons: Any = {"ADD": "ADD", "REMOVE": "REMOVE", "UP": "TRIA_UP", "DOWN": "TRIA_DOWN"}
        for change, icon in icons.items():
            button = buttons.operator("tomb_raider.edit_animation_list", text="", icon=icon)
            button.which, button.change = self.which, change
        rows, index = getattr(settings, name), getattr(settings, active)
        if 0 <= index < len(rows):
            self.draw_row(column, rows[index], index, game)
        self.draw_buttons(column)

    def draw_buttons(self, column: UILayout) -> None:
        """Draw further buttons below the list."""

    def draw_row(self, column: UILayout, row: object, index: int, game: Game | None) -> None:
        """Draw the active row."""
        raise NotImplementedError


class _StateChanges(_List):
    bl_label = "State Changes"
    which = "DISPATCHES"

    def draw_row(self, column: UILayout, row: Any, index: int, game: Game | None) -> None:
        fields(column, row, "state", "is_empty")
        if row.is_empty:
            return
        fields(column, row, "low", "high")
        fields(column, row, "action", "frame")
        if not row.action:
            fields(column, row, "target")
        if _has_blending(row.id_data):
            column.prop(row, "last_target")
            _draw_blending(column, row)
        buttons = column.row(align=True)
        buttons.operator("tomb_raider.go_to_animation", text="Go There", icon="FORWARD").dispatch = index
        buttons.operator("tomb_raider.play_chain", icon="PLAY").dispatch = index


class _Commands(_List):
    bl_label = "Commands"
    which = "COMMANDS"

    def draw_row(self, column: UILayout, row: Any, index: int, game: Game | None) -> None:
        fields(column, row, "command", *_ARGUMENTS.get(row.command, ()))


class _Events(_List):
    bl_label = "Sounds and Effects"
    which = "EVENTS"

    def draw_buttons(self, column: UILayout) -> None:
        buttons = column.row(align=True)
        buttons.operator("tomb_raider.add_event", text="Add Sound", icon="SOUND").kind = "SOUND"
        buttons.operator("tomb_raider.add_event", text="Add Effect", icon="SHADERFX").kind = "EFFECT"

    def draw_row(self, column: UILayout, row: Any, index: int, game: Game | None) -> None:
        from ...catalogue import names

        fields(column, row, "kind", "label", "number")
        if row.command == "SOUND" and (game is None or game.traits.has_sound_conditions or row.flags):
            fields(column, row, "place")
        if row.command == "EFFECT" and game is not None:
            draw_note(column, names(game).note("flipeffect", row.number))
        if row.command == "EFFECT" and (game is None or game.traits.has_foot_conditions or row.flags):
            fields(column, row, "foot")


class _InDopeSheet(_Panel):
    bl_space_type = "DOPESHEET_EDITOR"
    bl_region_type = "UI"
    bl_category = "Tomb Raider"


class _InData(_Panel):
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "data"


class _InNodes(_Panel):
    """Base of the panels about the animation of the active node of a state graph."""

    bl_space_type = "NODE_EDITOR"
    bl_region_type = "UI"
    bl_category = "Tomb Raider"

    @classmethod
    def poll(cls, context: Context) -> bool:
        action = active_graph_action(context.space_data)
        return action is not None and cls.suits(action)


# The names of panels by their bases. The first is the parent of the others.
_PARTS: dict[str, type[Any]] = {
    "animation": _Animation,
    "motion": _Motion,
    "blending": _Blending,
    "boxes": _Boxes,
    "state_changes": _StateChanges,
    "commands": _Commands,
    "events": _Events,
}
_EDITORS: dict[str, type[Any]] = {"DOPESHEET": _InDopeSheet, "DATA": _InData, "NODE": _InNodes}


def _panel(editor: str, part: str) -> type[Panel]:
    """Return a panel of one of the editors."""
    content: dict[str, Any] = {"__module__": __name__}
    if part != "animation":
        content["bl_parent_id"] = f"{editor}_PT_tomb_raider_animation"
    if (editor, part) == ("NODE", "state_changes"):
        content["bl_options"] = set()  # open
    return type(f"{editor}_PT_tomb_raider_{part}", (_EDITORS[editor], _PARTS[part]), content)


CLASSES: tuple[type[Any], ...] = (
    TOMB_RAIDER_UL_dispatches,
    TOMB_RAIDER_UL_commands,
    TOMB_RAIDER_UL_events,
    *(
        _panel(editor, part)
        for editor in _EDITORS
        for part in _PARTS
        if (editor, part) != ("NODE", "boxes")  # a graph shows no key frames
    ),
)
