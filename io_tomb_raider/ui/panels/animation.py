"""What an animation is beyond its keys, beside the dope sheet."""

from __future__ import annotations

from bpy.types import Action, Context, Panel

from .layout import fields, number_in_file, split_columns


def shown_action(context: Context) -> Action | None:
    """Return the action that an animation editor shows."""
    return getattr(context, "active_action", None) or getattr(context.space_data, "action", None)


class DOPESHEET_PT_tomb_raider_animation(Panel):
    bl_label = "Tomb Raider Animation"
    bl_space_type = "DOPESHEET_EDITOR"
    bl_region_type = "UI"
    bl_category = "Tomb Raider"

    @classmethod
    def poll(cls, context: Context) -> bool:
        action, thing = shown_action(context), context.object
        if action is None:
            return False
        is_model = thing is not None and thing.tomb_raider.kind == "MODEL"
        return action.tomb_raider.model is not None or is_model

    def draw(self, context: Context) -> None:
        action = shown_action(context)
        column = split_columns(self)
        number_in_file(column, action.tomb_raider.index)
        fields(column, action.tomb_raider, "model", "frame_rate", "state")
        fields(column, action.tomb_raider, "next_action", "next_frame")
        fields(column, action.tomb_raider, "speed", "acceleration")
        fields(column, action.tomb_raider, "lateral_speed", "lateral_acceleration")
        for event in action.tomb_raider.events:
            row = fields(column, event, "command", "number", "flags", heading=event.name)
            row.active = event.name in action.pose_markers


CLASSES = (DOPESHEET_PT_tomb_raider_animation,)
