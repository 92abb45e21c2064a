"""File handlers: dropped files, and exporters of collections.

If several handlers accept a file, such as a .pak of pictures or of cutscenes, Blender asks the user.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import FileHandler
from bpy_extras.io_utils import poll_file_object_drop

from ..base.levels import IMPORT_SUFFIXES


class _Dropped:
    """Base of handlers for files dropped into 3D views, outliners, and further editors."""

    editors: tuple[str, ...] = ()

    @classmethod
    def poll_drop(cls, context: Any) -> bool:
        if context is None or context.area is None:
            return False
        return context.area.type in cls.editors or bool(poll_file_object_drop(context))


class IO_FH_tomb_raider(_Dropped, FileHandler):
    bl_idname = "IO_FH_tomb_raider"
    bl_label = "Tomb Raider Level"
    bl_import_operator = "import_scene.tomb_raider"
    bl_export_operator = "export_scene.tomb_raider"
    bl_file_extensions = ";".join(IMPORT_SUFFIXES)


class IO_FH_tomb_raider_project(_Dropped, FileHandler):
    bl_idname = "IO_FH_tomb_raider_project"
    bl_label = "Tomb Editor Project"
    bl_import_operator = "import_scene.tomb_raider_project"
    bl_export_operator = "export_scene.tomb_raider_project"
    bl_file_extensions = ".prj2;.prj"


class IO_FH_tomb_raider_animation(_Dropped, FileHandler):
    bl_idname = "IO_FH_tomb_raider_animation"
    bl_label = "Tomb Raider Animation"
    bl_import_operator = "import_anim.tomb_raider"
    bl_file_extensions = ".anim;.trw"


class IO_FH_tomb_raider_script(_Dropped, FileHandler):
    bl_idname = "IO_FH_tomb_raider_script"
    bl_label = "Tomb Raider Script"
    bl_import_operator = "tomb_raider.import_script"
    bl_file_extensions = ".dat"
    editors = ("TEXT_EDITOR",)


class IO_FH_tomb_raider_sounds(_Dropped, FileHandler):
    bl_idname = "IO_FH_tomb_raider_sounds"
    bl_label = "Tomb Raider Sounds"
    bl_import_operator = "import_scene.tomb_raider_sounds"
    bl_file_extensions = ".sfx;.wad;.db"


class IO_FH_tomb_raider_cutscenes(_Dropped, FileHandler):
    bl_idname = "IO_FH_tomb_raider_cutscenes"
    bl_label = "Tomb Raider Cutscenes"
    bl_import_operator = "import_scene.tomb_raider_cutscene"
    bl_export_operator = "export_scene.tomb_raider_cutscenes"
    bl_file_extensions = ".pak;.bin"


class IO_FH_tomb_raider_picture(_Dropped, FileHandler):
    bl_idname = "IO_FH_tomb_raider_picture"
    bl_label = "Tomb Raider Picture"
    bl_import_operator = "import_image.tomb_raider_picture"
    bl_file_extensions = ".pak"
    editors = ("IMAGE_EDITOR",)


class IO_FH_tomb_raider_patch(_Dropped, FileHandler):
    bl_idname = "IO_FH_tomb_raider_patch"
    bl_label = "Tomb Raider Patch"
    bl_import_operator = "import_scene.tomb_raider_patch"
    bl_file_extensions = ".trpatch"


HANDLERS: tuple[type[FileHandler], ...] = (
    IO_FH_tomb_raider,
    IO_FH_tomb_raider_project,
    IO_FH_tomb_raider_animation,
    IO_FH_tomb_raider_script,
    IO_FH_tomb_raider_sounds,
    IO_FH_tomb_raider_cutscenes,
    IO_FH_tomb_raider_picture,
    IO_FH_tomb_raider_patch,
)

register, unregister = bpy.utils.register_classes_factory(HANDLERS)
