"""Base of operators that export a level to a file of one kind."""

import os
from typing import Any

from bpy.props import StringProperty
from bpy.types import Context, Event, Operator
from bpy_extras.io_utils import ExportHelper

from ...formats import ExportError
from ...scene.properties.kinds import CONTEXT
from .browsing import browse, path_to_export
from .levels import chosen_level, file_name, scene_levels
from .operators import file_path
from .reports import explain, report_line


def level_names(_self: Operator, context: Context, text: str) -> list[str]:
    """Return the names of the scene's levels that contain a text."""
    return sorted(level.name for level in scene_levels(context) if text.lower() in level.name.lower())


class LevelExporter(Operator, ExportHelper):
    """Base of exports of a level to a file with one suffix, by default next to the .blend."""

    filename_ext = ""
    filepath: file_path("File to write")
    collection: StringProperty(
        name="Level",
        translation_context=CONTEXT,
        description="Collection of the level. Empty: the active level, or the only one",
        search=level_names,
        search_options=set(),
        options={"SKIP_SAVE", "SKIP_PRESET"},
    )

    def invoke(self, context: Context, _event: Event) -> Any:
        try:
            level = chosen_level(context, self.collection)
        except ExportError as error:
            report_line(self, "ERROR", explain(error))
            return {"CANCELLED"}
        self.collection = level.name
        if not self.filepath:
            name = os.path.splitext(file_name(level))[0] + self.filename_ext
            self.filepath = path_to_export(level, name)
        return browse(self, context)

    def check(self, _context: Context) -> bool:
        before = self.filepath
        if os.path.basename(before) and not before.lower().endswith(self.filename_ext):
            self.filepath = before + self.filename_ext
        return bool(self.filepath != before)

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.use_property_split, layout.use_property_decorate = True, False
        layout.prop(self, "collection", icon="OUTLINER_COLLECTION")
