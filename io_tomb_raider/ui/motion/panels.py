"""Panel *Motion* below *Animate*, in pose mode."""

from typing import Any

from bpy.types import Context, Panel, UILayout

from ..base.active import active_scene
from ..base.layout.panels import Rows, listing
from ..base.layout.sidebar import SELECTION, TAB
from .choices import draw_found
from .presets import TOMB_RAIDER_MT_motion_presets


class TOMB_RAIDER_UL_bone_pairs(Rows):
    """List of the model's bones with those of the source that they follow."""

    def draw_row(self, layout: UILayout, item: Any) -> None:
        row = layout.split(factor=0.45)
        row.label(text=item.bone, icon="BONE_DATA", translate=False)
        row.prop(item, "source", text="")


class VIEW3D_PT_tomb_raider_motion(Panel):
    """Panel of the tools that bring motions of other skeletons."""

    bl_label = "Motion"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB
    bl_parent_id = "VIEW3D_PT_tomb_raider_animate"
    bl_order = SELECTION + 4
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        settings = active_scene(context).tomb_raider.motion
        layout: Any = self.layout
        layout.use_property_split, layout.use_property_decorate = True, False
        layout.operator("tomb_raider.import_motion", icon="IMPORT")
        layout.prop(settings, "source")
        row = layout.row(align=True)
        row.menu("TOMB_RAIDER_MT_motion_presets", text=TOMB_RAIDER_MT_motion_presets.bl_label)
        row.operator("tomb_raider.motion_preset", text="", icon="ADD")
        row.operator("tomb_raider.motion_preset", text="", icon="REMOVE").remove_active = True
        buttons = listing(
            layout, TOMB_RAIDER_UL_bone_pairs, settings, "rows", "active_row", rows=5, heading="Bones"
        )
        buttons.operator("tomb_raider.list_bones", text="", icon="FILE_REFRESH")
        draw_found(settings, layout)
        layout.operator("tomb_raider.retarget", icon="MOD_ARMATURE")
        column = layout.column(align=True)
        column.operator("tomb_raider.find_loop", icon="FILE_REFRESH")
        column.operator("tomb_raider.plant_feet", icon="CON_FLOOR")
        column.operator("tomb_raider.footsteps", icon="SOUND")


CLASSES = (TOMB_RAIDER_UL_bone_pairs, VIEW3D_PT_tomb_raider_motion)
