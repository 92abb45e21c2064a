"""Script panel of the text editor."""

from __future__ import annotations

from bpy.types import Context, Panel

from ..base.panels import fields, split_columns


class TEXT_PT_tomb_raider_script(Panel):
    bl_label = "Tomb Raider Script"
    bl_space_type = "TEXT_EDITOR"
    bl_region_type = "UI"
    bl_category = "Tomb Raider"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return getattr(context, "edit_text", None) is not None

    def draw(self, context: Context) -> None:
        text = context.edit_text
        settings = text.tomb_raider
        column = split_columns(self)
        fields(column, settings, "kind", *(("language",) if settings.kind == "SCRIPT" else ()))
        below = column.column()
        below.active = settings.kind != "NONE"
        below.operator("tomb_raider.check_script", text="Check", icon="CHECKMARK").text = text.name
        below.operator("tomb_raider.export_script", text="Export", icon="EXPORT").text = text.name


CLASSES = (TEXT_PT_tomb_raider_script,)
