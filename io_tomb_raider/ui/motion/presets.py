"""Presets of the bones of other programs' skeletons, saved by Blender as files."""

import bpy
from bl_operators.presets import AddPresetBase
from bpy.types import Menu, Operator

_FOLDER = "tomb_raider/motion"


class TOMB_RAIDER_MT_motion_presets(Menu):
    bl_label = "Bone Presets"
    preset_subdir = _FOLDER
    preset_operator = "script.execute_preset"
    draw = Menu.draw_preset  # type: ignore[assignment]


class TOMB_RAIDER_OT_motion_preset(AddPresetBase, Operator):  # type: ignore[misc]
    """Save the list of bones as a preset, or remove one"""

    bl_idname = "tomb_raider.motion_preset"
    bl_label = "Bone Preset"
    preset_menu = "TOMB_RAIDER_MT_motion_presets"
    preset_defines = ("settings = bpy.context.scene.tomb_raider.motion",)
    preset_values = ("settings.rows",)
    preset_subdir = _FOLDER


register, unregister = bpy.utils.register_classes_factory(
    (TOMB_RAIDER_MT_motion_presets, TOMB_RAIDER_OT_motion_preset)
)
