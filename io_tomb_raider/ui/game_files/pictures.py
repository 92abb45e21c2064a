"""Operators that import and export pictures of PAK files, and their entries in the image editor's menu."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
from bpy.props import StringProperty
from bpy.types import Context, Event, Image, Menu, Operator

from ...formats import ExportError
from ...formats.base import T, about, read_file, replace_file
from ..base.files.browsing import browse, path_to_export
from ..base.files.file_tools import FileExport, FileImport, file_filter
from ..base.layout.menu_entries import Entries, with_entries
from ..base.layout.panels import split_layout
from ..base.levels import meant_level
from ..base.modes import UserMode
from ..base.reports import plain, report_line


def shown_image(context: Context) -> Image | None:
    """Return the image of the context's editor, or else of any image editor in the screen."""
    image = getattr(context, "edit_image", None) or getattr(context.space_data, "image", None)
    if image is not None or context.screen is None:
        return image
    spaces = (area.spaces.active for area in context.screen.areas if area.type == "IMAGE_EDITOR")
    return next((space.image for space in spaces if space.image is not None), None)


def _size(image: Image) -> str:
    size = image.size
    return T("{width} by {height} pixels", width=size[0], height=size[1])


class IMPORT_IMAGE_OT_tomb_raider_picture(FileImport, Operator):
    """Import a logo or screen of The Last Revelation or Chronicles as an image"""

    bl_idname = "import_image.tomb_raider_picture"
    bl_label = "Import Tomb Raider Picture"
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: file_filter(".pak")

    def load(self, context: Context, path: str) -> None:
        from ...scene.interop.game_files import import_picture

        name = os.path.basename(path)
        image = import_picture(read_file(path), plain(name))
        if context.area is not None and context.area.type == "IMAGE_EDITOR":
            context.space_data.image = image
        report_line(self, "INFO", about(name, _size(image)))


class EXPORT_IMAGE_OT_tomb_raider_picture(FileExport):
    """Export an image as a picture that The Last Revelation and Chronicles show"""

    bl_idname = "export_image.tomb_raider_picture"
    bl_label = "Export Tomb Raider Picture"

    filename_ext = ".PAK"
    filter_glob: file_filter(".pak")
    image: StringProperty(
        name="Image",
        description="Image of 512 by 256 or 640 by 480 pixels. Empty: the one in an Image Editor",
        search=lambda _self, _context, text: sorted(
            image.name for image in bpy.data.images if text.lower() in image.name.lower()
        ),
        search_options=set(),
        options={"SKIP_SAVE"},
    )

    def invoke(self, context: Context, _event: Event) -> Any:
        image = shown_image(context)
        if not self.image and image is not None:
            self.image = image.name
        if not self.filepath and self.image:
            name = os.path.splitext(self.image)[0] + self.filename_ext
            self.filepath = path_to_export(meant_level(context), name)
        return browse(self, context)

    def draw(self, _context: Context) -> None:
        split_layout(self).prop(self, "image", icon="IMAGE_DATA")

    def write(self, context: Context, path: Path, _mode: UserMode) -> tuple[str, Sequence[str]]:
        from ...scene.interop.game_files import export_picture

        image = bpy.data.images.get(self.image) if self.image else shown_image(context)
        if image is None:
            raise ExportError(self.image or T("Export"), T("there is no such image: choose one"))
        if not path.name:
            raise ExportError(image.name, T("no file was chosen to export to"))
        replace_file(path, export_picture(image))
        return about(path.name, _size(image)), ()


def _editor_entries(menu: Menu, context: Context) -> None:
    menu.layout.separator()
    menu.layout.operator("import_image.tomb_raider_picture", text="Open Tomb Raider Picture...")
    if shown_image(context) is not None:
        menu.layout.operator("export_image.tomb_raider_picture", text="Save as Tomb Raider Picture...")


_CLASSES = (IMPORT_IMAGE_OT_tomb_raider_picture, EXPORT_IMAGE_OT_tomb_raider_picture)
_ENTRIES: Entries = (("IMAGE_MT_image", _editor_entries),)


register, unregister = with_entries(_CLASSES, _ENTRIES)
