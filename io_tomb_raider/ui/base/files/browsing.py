"""The folder in which a file browser starts: beside the level, or beside the .blend."""

from __future__ import annotations

import os
from typing import Any

import bpy
from bpy.types import Collection, Context
from bpy_extras.io_utils import ImportHelper

from ..levels import level_folder, meant_level


def browse(operator: Any, context: Context) -> Any:
    """Open the file browser of an operator; without a path, in the folder of the level's file."""
    if not operator.filepath:
        level = meant_level(context)
        folders = ("" if level is None else level_folder(level), _blend_folder() if level else "")
        folder = next((path for path in folders if path and os.path.isdir(path)), "")
        if folder:
            operator.filepath = os.path.join(folder, "")
    context.window_manager.fileselect_add(operator)
    return {"RUNNING_MODAL"}


def path_to_export(level: Collection | None, name: str) -> str:
    """Return a path for a new file: next to the .blend, or next to the level's file before it is saved."""
    folder = _blend_folder() or ("" if level is None else level_folder(level))
    return os.path.join(folder, name) if os.path.isdir(folder) else name


def _blend_folder() -> str:
    return os.path.dirname(bpy.data.filepath)


class FileBrowser(ImportHelper):
    """Base of operators that read files chosen in the file browser. Dropped files open a dialog instead."""

    reads = True  # files of other kinds are reported with their tools

    def invoke(self, context: Context, event: Any) -> Any:
        return browse(self, context)

    def invoke_popup(self, context: Context, confirm_text: str = "") -> Any:
        properties: Any = getattr(self, "properties", None)
        if properties.is_property_set("filepath"):
            if not hasattr(self, "files"):  # which Blender's dialog would count
                operator: Any = self
                return context.window_manager.invoke_props_dialog(operator)
            return ImportHelper.invoke_popup(self, context, confirm_text)
        return browse(self, context)
