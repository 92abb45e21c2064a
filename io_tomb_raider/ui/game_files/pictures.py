"""Operators that import and export pictures of PAK files, and their entries in the image editor's menu."""

import os
from typing import Any

import bpy
from bpy.props import CollectionProperty, StringProperty
from bpy.types import (
    Context,
    Event,
    Image,
    Menu,
    Operator,
    OperatorFileListElement,
)
from bpy_extras.io_utils import ExportHelper

from ...formats import ExportError, FormatError
from ...formats.base.messages import T, about
from ..base.browsing import FileBrowser, browse, path_to_export
from ..base.file_kinds import explain_chosen
from ..base.levels import meant_level
from ..base.menu_entries import Entries, with_entries
from ..base.operators import file_path
from ..base.paths import check_path, chosen_paths
from ..base.reports import Outcome, explain, plain, report_line


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


class IMPORT_IMAGE_OT_tomb_raider_picture(Operator, FileBrowser):
    """Import a logo or screen of The Last Revelation or Chronicles as an image"""

    bl_idname = "import_image.tomb_raider_picture"
    bl_label = "Import Tomb Raider Picture"
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: StringProperty(default="*.pak", options={"HIDDEN"})
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    files: CollectionProperty(type=OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context: Context, _event: Event) -> Any:
        return self.invoke_popup(context)

    def execute(self, context: Context) -> Outcome:
        imported = 0
        for path in chosen_paths(self):
            imported += self._import(context, path)
        return {"FINISHED"} if imported else {"CANCELLED"}

    def _import(self, context: Context, path: str) -> bool:
        from ...formats.base.files import read_file
        from ...scene.interop.game_files.pictures import import_picture

        name = os.path.basename(path)
        try:
            image = import_picture(read_file(path), plain(name))
        except (FormatError, OSError) as error:
            report_line(
                self,
                "ERROR",
                T(
                    "{file} was not imported: {error}",
                    file=name,
                    error=explain_chosen(error, path, self.bl_idname),
                ),
            )
            return False
        if context.area is not None and context.area.type == "IMAGE_EDITOR":
            context.space_data.image = image
        report_line(self, "INFO", about(name, _size(image)))
        return True


class EXPORT_IMAGE_OT_tomb_raider_picture(Operator, ExportHelper):
    """Export an image as a picture that The Last Revelation and Chronicles show"""

    bl_idname = "export_image.tomb_raider_picture"
    bl_label = "Export Tomb Raider Picture"

    filename_ext = ".PAK"
    filter_glob: StringProperty(default="*.pak", options={"HIDDEN"})
    filepath: file_path("File to write")
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

    def check(self, _context: Context) -> bool:
        before = self.filepath
        if os.path.basename(before) and not before.lower().endswith(".pak"):
            self.filepath = before + self.filename_ext
        return bool(self.filepath != before)

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.use_property_split, layout.use_property_decorate = True, False
        layout.prop(self, "image", icon="IMAGE_DATA")

    def execute(self, context: Context) -> Outcome:
        from ...formats.base.files import replace_file
        from ...scene.interop.game_files.pictures import export_picture

        path = bpy.path.abspath(self.filepath)
        try:
            check_path(self.filepath)
            image = bpy.data.images.get(self.image) if self.image else shown_image(context)
            if image is None:
                raise ExportError(self.image or T("Export"), T("there is no such image: choose one"))
            if not os.path.basename(path):
                raise ExportError(image.name, T("no file was chosen to export to"))
            replace_file(path, export_picture(image))
        except (ExportError, FormatError, OSError) as error:
            report_line(
                self,
                "ERROR",
                T("{file} was not exported: {error}", file=os.path.basename(path), error=explain(error)),
            )
            return {"CANCELLED"}
        report_line(self, "INFO", about(os.path.basename(path), _size(image)))
        return {"FINISHED"}


def _editor_entries(menu: Menu, context: Context) -> None:
    menu.layout.separator()
    menu.layout.operator("import_image.tomb_raider_picture", text="Open Tomb Raider Picture...")
    if shown_image(context) is not None:
        menu.layout.operator("export_image.tomb_raider_picture", text="Save as Tomb Raider Picture...")


_CLASSES = (IMPORT_IMAGE_OT_tomb_raider_picture, EXPORT_IMAGE_OT_tomb_raider_picture)
_ENTRIES: Entries = (("IMAGE_MT_image", _editor_entries),)


register, unregister = with_entries(_CLASSES, _ENTRIES)
