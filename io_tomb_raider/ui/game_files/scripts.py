"""Operators that import, check and export scripts and strings of the games."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import IntProperty, StringProperty
from bpy.types import Collection, Context, Event, Operator, Text

from ...formats import ExportError
from ...formats.base import N_, T, TextError, about, joined, replace_file
from ...scene.core import is_local, require_local
from ..base.files.browsing import browse
from ..base.files.file_tools import FileExport, FileImport, file_filter
from ..base.layout.panels import split_layout
from ..base.levels import file_name, level_with, meant_level
from ..base.modes import UserMode
from ..base.operators import LevelTool
from ..base.progress import ProgressBar
from ..base.reports import Outcome, ToolError, explain, report_line, report_result
from ..base.text.i18n import translate

if TYPE_CHECKING:
    from ...scene.core import Work

_SUFFIX = ".dat"


class TOMB_RAIDER_OT_import_script(FileImport, Operator):
    """Import scripts (TOMBPC.DAT, SCRIPT.DAT) and strings (ENGLISH.DAT) as texts (TR2 to TR5)"""

    bl_idname = "tomb_raider.import_script"
    bl_label = "Import Tomb Raider Script"
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: file_filter(_SUFFIX)

    def steps(self, context: Context, bar: ProgressBar) -> "Work[Outcome]":
        from ..base.text.texts import show_text

        self._imported: list[Text] = []
        outcome = yield from super().steps(context, bar)
        if self._imported:
            show_text(context, self._imported[0])
            names = ", ".join(dict.fromkeys(text.name for text in self._imported))
            report_line(self, "INFO", T("Texts: {names}", names=names))
        return outcome

    def load(self, _context: Context, path: str) -> None:
        from ...scene.interop.game_files import import_script

        self._imported += import_script(Path(path))


def _scripts(_self: Operator, _context: Context, typed: str) -> list[str]:
    return [
        text.name
        for text in bpy.data.texts
        if text.tomb_raider.kind != "NONE" and typed.lower() in text.name.lower()
    ]


class _ScriptTool(Operator):
    """Base of operators on one text: the named one, the edited one, or the only script."""

    text: StringProperty(
        name="Text",
        search=_scripts,
        search_options=set(),
        description="Text of the script",
        options={"SKIP_SAVE"},
    )

    def chosen(self, context: Context) -> Text:
        """Return the text. Raises ToolError if there is none."""
        if self.text:
            if self.text not in bpy.data.texts:
                raise ToolError(T("There is no text named {text}", text=self.text))
            return bpy.data.texts[self.text]
        edited = getattr(context, "edit_text", None)
        if edited is not None:
            return edited
        scripts = [text for text in bpy.data.texts if text.tomb_raider.kind != "NONE"]
        if len(scripts) == 1:
            return scripts[0]
        raise ToolError(T("Choose the text") if scripts else T("There is no script: import one first"))

    def compiled(self, text: Text) -> Any:
        """Return the compiled text. Raises ToolError after moving the cursor to an error."""
        from ...scene.interop.game_files import export_script

        try:
            return export_script(text)
        except TextError as error:
            text.cursor_set(error.line - 1)
            raise ToolError(about(text.name, explain(error))) from error
        except ExportError as error:
            raise ToolError(explain(error)) from error


class TOMB_RAIDER_OT_check_script(_ScriptTool):
    """Compile the text without writing a file, and go to the first error"""

    bl_idname = "tomb_raider.check_script"
    bl_label = "Check Tomb Raider Script"

    def execute(self, context: Context) -> Outcome:
        text = self.chosen(context)
        compiled = self.compiled(text)
        report_line(
            self,
            "INFO",
            T("{text} can be compiled: {count} bytes", text=text.name, count=len(compiled.content)),
        )
        return {"FINISHED"}


class TOMB_RAIDER_OT_export_script(_ScriptTool, FileExport):
    """Compile a script or strings into the file that the game reads"""

    bl_idname = "tomb_raider.export_script"
    bl_label = "Export Tomb Raider Script"
    bl_options = {"REGISTER", "UNDO"}

    failure = N_("{file} was not written: {error}")
    filename_ext = _SUFFIX
    check_extension = None
    filter_glob: file_filter(_SUFFIX)

    def invoke(self, context: Context, _event: Event) -> Any:
        text = self.chosen(context)
        self.text = text.name
        self.filepath = self.filepath or text.tomb_raider.source or text.name
        return browse(self, context)

    def write(self, context: Context, path: Path, _mode: UserMode) -> tuple[str, Sequence[str]]:
        from ...scene.interop.game_files import write_back

        text = self.chosen(context)
        if not path.name:
            raise ToolError(T("No file was chosen to export to"))
        compiled = self.compiled(text)
        require_local(text if compiled.written else None)
        replace_file(path, compiled.content)
        if is_local(text):
            write_back(text, compiled)
            text.tomb_raider.source = str(path)
        outcome = T("{file}: {count} bytes", file=path.name, count=len(compiled.content))
        if compiled.written:
            changes = joined("; ", compiled.written)
            outcome = T("{outcome}, with changes of {written}", outcome=outcome, written=changes)
            bpy.ops.ed.undo_push(message=translate(self.bl_label))
        return outcome, compiled.report.warnings


class TOMB_RAIDER_OT_script_entry(LevelTool):
    """Write the script entry of this level to a text: title, track, items, secrets"""

    bl_idname = "tomb_raider.script_entry"
    bl_label = "Write Script Entry"

    edits_level = False

    title: StringProperty(
        name="Title",
        description="Title of the level in the game. Empty: its name here",
        options={"SKIP_SAVE"},
    )
    track: IntProperty(
        name="Track",
        min=0,
        max=0xFFFF,
        description="Number of the track that plays at the start of the level",
    )

    def invoke(self, context: Context, _event: Event) -> Outcome:
        return context.window_manager.invoke_props_dialog(self, confirm_text=translate("Write"))

    def draw(self, context: Context) -> None:
        layout = split_layout(self)
        level = level_with(bpy.data.collections.get(self.collection)) or meant_level(context)
        layout.prop(self, "title", placeholder="" if level is None else _title_of(level))
        layout.prop(self, "track")

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import Report
        from ...scene.interop.game_files import write_script_entry
        from ..base.text.texts import show_text

        level, report = self.level(context), Report()
        file = file_name(level)
        text = write_script_entry(level, self.title or _title_of(level), file, self.track, report)
        show_text(context, text, in_new_window=True)
        report_result(self, T("Text: {text}", text=text.name), report.warnings)
        return {"FINISHED"}


def _title_of(level: Collection) -> str:
    """Return the title of a level from the game's script, or else from the file name."""
    return level.tomb_raider.title or os.path.splitext(level.name)[0]


_CLASSES = (
    TOMB_RAIDER_OT_import_script,
    TOMB_RAIDER_OT_check_script,
    TOMB_RAIDER_OT_export_script,
    TOMB_RAIDER_OT_script_entry,
)


register, unregister = bpy.utils.register_classes_factory(_CLASSES)
