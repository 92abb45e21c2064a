"""Panels *Edit Keys* and *Layer* in pose mode."""

from typing import Any

from bpy.types import Context, Panel

from ..base.layout.sidebar import SELECTION, TAB
from .actors import is_on_actor
from .operators import has_layer, target_of


class VIEW3D_PT_tomb_raider_edit_keys(Panel):
    """Panel of the tools that edit keys."""

    bl_label = "Edit Keys"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB
    bl_parent_id = "VIEW3D_PT_tomb_raider_animate"
    bl_order = SELECTION + 3
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return target_of(context) is not None or is_on_actor(context)

    def draw(self, context: Context) -> None:
        layout: Any = self.layout
        layout.operator("tomb_raider.apply_pose", icon="POSE_HLT")
        column = layout.column(align=True)
        column.operator("tomb_raider.mirror_animation", icon="MOD_MIRROR")
        column.operator("tomb_raider.reverse_animation", icon="ARROW_LEFTRIGHT")
        column.operator("tomb_raider.smooth_keys", icon="SMOOTHCURVE")
        if is_on_actor(context):
            return
        column = layout.column(align=True)
        column.operator("tomb_raider.retime_animation", icon="TIME")
        column.operator("tomb_raider.resample_animation", icon="KEYFRAME")
        column.operator("tomb_raider.split_animation", icon="SNAP_MIDPOINT")
        row = layout.row(align=True)
        row.operator("tomb_raider.check_loops", icon="FILE_REFRESH")
        row.operator("tomb_raider.close_loop")
        column = layout.column(align=True)
        column.operator("tomb_raider.replace_events", icon="SOUND")
        column.operator("tomb_raider.fix_animations")


class VIEW3D_PT_tomb_raider_layer(Panel):
    """Panel of the layer of an animation, in *Edit Keys*."""

    bl_label = "Layer"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB
    bl_parent_id = "VIEW3D_PT_tomb_raider_edit_keys"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return target_of(context) is not None and not is_on_actor(context)

    def draw(self, context: Context) -> None:
        layout: Any = self.layout
        target = target_of(context)
        if target is None or not has_layer(context):
            layout.operator("tomb_raider.add_layer", icon="ADD")
            return
        layout.prop(target[0].animation_data, "action_influence", text="Influence", slider=True)
        layout.operator("tomb_raider.key_rest", icon="KEYFRAME")
        row = layout.row(align=True)
        row.operator("tomb_raider.bake_layer", icon="CHECKMARK")
        row.operator("tomb_raider.bake_layer", text="Discard", icon="TRASH").discard = True


CLASSES = (VIEW3D_PT_tomb_raider_edit_keys, VIEW3D_PT_tomb_raider_layer)
