"""Bases of operators that import or export files."""

import os
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import CollectionProperty, StringProperty
from bpy.types import Collection, Context, Event, Operator, OperatorFileListElement
from bpy_extras.io_utils import ExportHelper

from ....formats import ExportError, FormatError
from ....formats.base import N_, T, about, as_message
from ..conditions import ConditionalTool
from ..guard import failure
from ..layout.panels import draw_settings
from ..levels import chosen_level, file_name
from ..modes import UserMode, object_mode
from ..operators import file_path, level_name
from ..progress import ProgressBar
from ..reconciling import prepare
from ..reports import Outcome, ToolError, explain, note_tracebacks, report_line, report_result
from ..stepped import SteppedTool
from .browsing import FileBrowser, browse, path_to_export
from .paths import check_path, chosen_paths

if TYPE_CHECKING:
    from ....scene.core import Report, Work


def file_filter(*suffixes: str) -> object:
    """Declare the property with the files that the file browser shows."""
    patterns = ";".join(f"*{suffix}" for suffix in suffixes)
    return StringProperty(default=patterns, options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"})


class FileImport(SteppedTool, FileBrowser):
    """Base of operators that import the chosen files one by one, and continue after failures."""

    none_chosen = N_("No file was chosen to import")  #: the error if no file was chosen.
    failure = N_("{file} was not imported: {error}")  #: words around the error about a file.

    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"})
    files: CollectionProperty(type=OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"})

    def load(self, context: Context, path: str) -> Any:
        """Import a file, and report the result. Return False if it was not imported, though without an error.

        The method may be a generator of steps.
        """
        raise NotImplementedError

    def invoke(self, context: Context, _event: Event) -> Any:
        return self.invoke_popup(context)

    def steps(self: Any, context: Context, bar: ProgressBar) -> "Work[Outcome]":
        paths = chosen_paths(self)
        if not paths:
            raise ToolError(as_message(self.none_chosen))
        imported = 0
        bar.parts = len(paths)
        with object_mode(context) as mode:
            for path in paths:
                bar.title = T("Importing {file}", file=os.path.basename(path))
                try:
                    result = self.load(context, path)
                    if isinstance(result, Generator):
                        result = yield from result
                    imported += result is not False
                except (ExportError, FormatError, OSError) as error:
                    report_line(self, "ERROR", failure(self, error, path))
                bar.next_part()
            if not imported:
                mode.enter_again()
        return {"FINISHED"} if imported else {"CANCELLED"}


class FileExport(ConditionalTool, Operator, ExportHelper):
    """Base of operators that write a file. A path without the suffix gets it."""

    filename_ext = ""
    failure = N_("{file} was not exported: {error}")  #: words around an error.

    filepath: file_path("File to write")

    def invoke(self, context: Context, _event: Event) -> Any:
        return browse(self, context)

    def check(self, _context: Context) -> bool:
        before = self.filepath
        if os.path.basename(before) and not before.lower().endswith(self.filename_ext.lower()):
            self.filepath = before + self.filename_ext
        return bool(self.filepath != before)

    def write(self, context: Context, path: Path, mode: UserMode) -> tuple[str, Sequence[str]]:
        """Write the file, and return the result and warnings to report. The mode is restored afterwards."""
        raise NotImplementedError

    def execute(self, context: Context) -> Outcome:
        with UserMode(context) as mode:
            check_path(self.filepath)
            text, warnings = self.write(context, Path(bpy.path.abspath(self.filepath)), mode)
        report_result(self, text, warnings)
        return {"FINISHED"}


class LevelExport(SteppedTool, FileExport):
    """Base of exports of a level to a file with one suffix, by default next to the .blend."""

    collection: level_name("Collection of the level. Empty: the active level, or the only one")

    def invoke(self, context: Context, _event: Event) -> Any:
        try:
            level = chosen_level(context, self.collection)
        except ExportError as error:
            raise ToolError(explain(error)) from error
        self.collection = level.name
        if not self.filepath:
            name = os.path.splitext(file_name(level))[0] + self.filename_ext
            self.filepath = path_to_export(level, name)
        return browse(self, context)

    def draw(self, _context: Context) -> None:
        draw_settings(self, "collection")

    def check_level(self, level: Collection, path: Path) -> None:
        """Raise ExportError if a level cannot be exported to a path."""
        if not path.name:
            raise ExportError(level.name, T("no file was chosen to export to"))

    def export(self, level: Collection, path: Path, report: "Report", bar: ProgressBar) -> "Work[str]":
        """Export the level step by step, and return the result for the report. Write files in the last step.

        The level is prepared for the export. The bar listens to steps of work that cannot be canceled.
        """
        raise NotImplementedError

    def steps(self, context: Context, bar: ProgressBar) -> "Work[Outcome]":
        from ....scene.core import Report

        path, report = Path(bpy.path.abspath(self.filepath)), Report()
        with UserMode(context) as mode:
            check_path(self.filepath)
            level = chosen_level(context, self.collection)
            self.check_level(level, path)
            prepare(context, mode, level, report)
            bar.title = T("Exporting {file}", file=path.name)
            text = yield from self.export(level, path, report, bar)
        note_tracebacks(self, report)
        report_result(self, about(path.name, text), report.warnings)
        return {"FINISHED"}
