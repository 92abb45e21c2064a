"""Presets of the bones of other programs' skeletons, saved by Blender as files."""

from pathlib import Path
from typing import Any

import bpy
from bl_operators.presets import AddPresetBase
from bpy.types import Context, Menu, Operator

_FOLDER = "tomb_raider/motion"  # of presets: those of the extension are in ui/presets


class TOMB_RAIDER_MT_motion_presets(Menu):
    """Menu of the presets; Blender gives it the name of the last chosen one."""

    bl_label = "Bone Presets"

    def draw(self, _context: Context | None) -> None:
        found = {
            path.stem: path
            for folder in bpy.utils.preset_paths(_FOLDER)
            for path in sorted(Path(folder).glob("*.py"))
        }
        for name in sorted(found):
            label = bpy.path.display_name(name, title_case=False)
            button: Any = self.layout.operator("script.execute_preset", text=label, translate=False)
            button.filepath, button.menu_idname = str(found[name]), "TOMB_RAIDER_MT_motion_presets"


class TOMB_RAIDER_OT_motion_preset(AddPresetBase, Operator):  # type: ignore[misc]
    """Save the list of bones as a preset, or remove one"""

    bl_idname = "tomb_raider.motion_preset"
    bl_label = "Bone Preset"
    bl_options = {"REGISTER", "INTERNAL"}
    preset_menu = "TOMB_RAIDER_MT_motion_presets"
    preset_defines = ("settings = bpy.context.scene.tomb_raider.motion",)
    preset_values = ("settings.rows",)
    preset_subdir = _FOLDER


register, unregister = bpy.utils.register_classes_factory(
    (TOMB_RAIDER_MT_motion_presets, TOMB_RAIDER_OT_motion_preset)
)
