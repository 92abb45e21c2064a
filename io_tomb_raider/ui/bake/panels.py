"""Bake Light panel in the sidebar."""

from __future__ import annotations

from bpy.types import Collection, Context, UILayout

from ..base.panels import LevelSidebar, is_tool_of_selection


class VIEW3D_PT_tomb_raider_baking(LevelSidebar):
    """Panel about the light of the level."""

    bl_label = "Light"
    bl_order = 13

    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and not is_tool_of_selection(context, "bake_light")

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        layout.operator("tomb_raider.bake_light", icon="LIGHT").collection = level.name


CLASSES = (VIEW3D_PT_tomb_raider_baking,)
