"""File handlers: dropped files, and exporters of collections."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import FileHandler
from bpy_extras.io_utils import poll_file_object_drop

from ..base.file_kinds import KINDS
from ..base.levels import IMPORT_SUFFIXES

_EDITORS = ("TEXT_EDITOR", "IMAGE_EDITOR")  # of scripts and of pictures, besides 3D views and outliners


class IO_FH_tomb_raider(FileHandler):
    """Takes all files, since kinds share suffixes: its operator opens each as what its content says."""

    bl_idname = "IO_FH_tomb_raider"
    bl_label = "Tomb Raider"
    bl_import_operator = "import_scene.tomb_raider"
    bl_export_operator = "export_scene.tomb_raider"
    bl_file_extensions = ";".join(
        dict.fromkeys(
            (*IMPORT_SUFFIXES, *(suffix for kind in KINDS if kind.opens for suffix in kind.suffixes))
        )
    )

    @classmethod
    def poll_drop(cls, context: Any) -> bool:
        if context is None or context.area is None:
            return False
        return context.area.type in _EDITORS or bool(poll_file_object_drop(context))


class _OnlyExporter:
    """Base of handlers for collections that export themselves."""

    @classmethod
    def poll_drop(cls, _context: Any) -> bool:
        return False


class IO_FH_tomb_raider_project(_OnlyExporter, FileHandler):
    bl_idname = "IO_FH_tomb_raider_project"
    bl_label = "Tomb Editor Project"
    bl_export_operator = "export_scene.tomb_raider_project"
    bl_file_extensions = ".prj2"


class IO_FH_tomb_raider_cutscenes(_OnlyExporter, FileHandler):
    bl_idname = "IO_FH_tomb_raider_cutscenes"
    bl_label = "Tomb Raider Cutscenes"
    bl_export_operator = "export_scene.tomb_raider_cutscenes"
    bl_file_extensions = ".pak;.bin"


HANDLERS: tuple[type[FileHandler], ...] = (
    IO_FH_tomb_raider,
    IO_FH_tomb_raider_project,
    IO_FH_tomb_raider_cutscenes,
)

register, unregister = bpy.utils.register_classes_factory(HANDLERS)
