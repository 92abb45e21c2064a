"""Files dropped into Blender, and the exporters that collections can have."""

from __future__ import annotations

import bpy
from bpy.types import Context, FileHandler
from bpy_extras.io_utils import poll_file_object_drop

from ..base.levels import IMPORT_SUFFIXES


class IO_FH_tomb_raider(FileHandler):
    bl_idname = "IO_FH_tomb_raider"
    bl_label = "Tomb Raider Level"
    bl_import_operator = "import_scene.tomb_raider"
    bl_export_operator = "export_scene.tomb_raider"
    bl_file_extensions = ";".join(IMPORT_SUFFIXES)

    @classmethod
    def poll_drop(cls, context: Context | None) -> bool:
        return context is not None and bool(poll_file_object_drop(context))


register, unregister = bpy.utils.register_classes_factory((IO_FH_tomb_raider,))
