"""Where the sidebar offers to bake light."""

from __future__ import annotations

from bpy.types import Collection, Context, UILayout

from ..base.panels import LevelSidebar


class VIEW3D_PT_tomb_raider_baking(LevelSidebar):
    """Light of the level that the user works on."""

    bl_label = "Light"
    bl_order = 13

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        layout.operator("tomb_raider.bake_light", icon="LIGHT").collection = level.name


CLASSES = (VIEW3D_PT_tomb_raider_baking,)
