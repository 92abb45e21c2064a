"""Operators that import, check and export scripts and strings of the games."""

import os
from pathlib import Path
from typing import Any

import bpy
from bpy.props import CollectionProperty, IntProperty, StringProperty
from bpy.types import Collection, Context, Event, Operator, OperatorFileListElement, Text
from bpy_extras.io_utils import ExportHelper

from ...formats import ExportError, FormatError
from ...formats.base.messages import T, about, joined
from ...formats.errors import TextError
from ...scene.core.members import is_local, require_local
from ..base.browsing import FileBrowser, browse
from ..base.file_kinds import explain_chosen
from ..base.i18n import translate
from ..base.levels import file_name, level_with, meant_level
from ..base.operators import LevelTool, file_path
from ..base.paths import check_path, chosen_paths
from ..base.reports import Outcome, explain, report_line, report_result
from ..base.texts import show_text

_FILTER = "*.dat"


class TOMB_RAIDER_OT_import_script(Operator, FileBrowser):
    """Import scripts (TOMBPC.DAT, SCRIPT.DAT) and strings (ENGLISH.DAT) as texts (TR2 to TR5)"""

    bl_idname = "tomb_raider.import_script"
    bl_label = "Import Tomb Raider Script"
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: StringProperty(default=_FILTER, options={"HIDDEN"})
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    files: CollectionProperty(type=OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context: Context, _event: Event) -> Any:
        return self.invoke_popup(context)

    def execute(self, context: Context) -> Outcome:
        from ...scene.interop.game_files.scripts import import_script

        imported: list[Text] = []
        for path in map(Path, chosen_paths(self)):
            try:
                imported += import_script(path)
            except (FormatError, OSError) as error:
                report_line(
                    self,
                    "ERROR",
                    T(
                        "{file} was not imported: {error}",
                        file=path.name,
                        error=explain_chosen(error, path, self.bl_idname),
                    ),
                )
        if not imported:
            return {"CANCELLED"}
        show_text(context, imported[0])
        report_line(
            self, "INFO", T("Texts: {names}", names=", ".join(dict.fromkeys(text.name for text in imported)))
        )
        return {"FINISHED"}


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

    def chosen(self, context: Context) -> Text | None:
        """Return the text, or None after reporting an error."""
        if self.text:
            found = bpy.data.texts.get(self.text)
            if found is None:
                report_line(self, "ERROR", T("There is no text named {text}", text=self.text))
            return found
        edited = getattr(context, "edit_text", None)
        if edited is not None:
            return edited
        scripts = [text for text in bpy.data.texts if text.tomb_raider.kind != "NONE"]
        if len(scripts) == 1:
            return scripts[0]
        report_line(
            self, "ERROR", T("Choose the text") if scripts else T("There is no script: import one first")
        )
        return None

    def compiled(self, text: Text) -> Any:
        """Return the compiled text, or None after reporting an error and moving the cursor."""
        from ...scene.interop.game_files.scripts import export_script

        try:
            return export_script(text)
        except TextError as error:
            text.cursor_set(error.line - 1)
            report_line(self, "ERROR", about(text.name, explain(error)))
        except ExportError as error:
            report_line(self, "ERROR", explain(error))
        return None


class TOMB_RAIDER_OT_check_script(_ScriptTool):
    """Compile the text without writing a file, and go to the first error"""

    bl_idname = "tomb_raider.check_script"
    bl_label = "Check Tomb Raider Script"

    def execute(self, context: Context) -> Outcome:
        text = self.chosen(context)
        compiled = None if text is None else self.compiled(text)
        if text is None or compiled is None:
            return {"CANCELLED"}
        report_line(
            self,
            "INFO",
            T("{text} can be compiled: {count} bytes", text=text.name, count=len(compiled.content)),
        )
        return {"FINISHED"}


class TOMB_RAIDER_OT_export_script(_ScriptTool, ExportHelper):
    """Compile a script or strings into the file that the game reads"""

    bl_idname = "tomb_raider.export_script"
    bl_label = "Export Tomb Raider Script"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ".dat"
    check_extension = None
    filter_glob: StringProperty(default=_FILTER, options={"HIDDEN"})
    filepath: file_path("File to write")

    def invoke(self, context: Context, _event: Event) -> Any:
        text = self.chosen(context)
        if text is None:
            return {"CANCELLED"}
        self.text = text.name
        self.filepath = self.filepath or text.tomb_raider.source or text.name
        return browse(self, context)

    def execute(self, context: Context) -> Outcome:
        from ...formats.base.files import replace_file
        from ...scene.interop.game_files.scripts import write_back

        path = bpy.path.abspath(self.filepath)
        text = self.chosen(context)
        if not os.path.basename(path):
            report_line(self, "ERROR", T("No file was chosen to export to"))
            return {"CANCELLED"}
        compiled = None if text is None else self.compiled(text)
        if text is None or compiled is None:
            return {"CANCELLED"}
        try:
            require_local(text if compiled.written else None)
            check_path(self.filepath)
            replace_file(path, compiled.content)
        except (ExportError, OSError) as error:
            report_line(
                self,
                "ERROR",
                T("{file} was not written: {error}", file=os.path.basename(path), error=explain(error)),
            )
            return {"CANCELLED"}
        if is_local(text):
            write_back(text, compiled)
            text.tomb_raider.source = path
        outcome = T("{file}: {count} bytes", file=os.path.basename(path), count=len(compiled.content))
        if compiled.written:
            outcome = T(
                "{outcome}, with changes of {written}",
                outcome=outcome,
                written=joined("; ", compiled.written),
            )
            bpy.ops.ed.undo_push(message=translate(self.bl_label))
        report_result(self, outcome, compiled.report.warnings)
        return {"FINISHED"}


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
        layout = self.layout
        layout.use_property_split, layout.use_property_decorate = True, False
        level = level_with(bpy.data.collections.get(self.collection)) or meant_level(context)
        layout.prop(self, "title", placeholder="" if level is None else _title_of(level))
        layout.prop(self, "track")

    def execute(self, context: Context) -> Outcome:
        from ...scene.core.report import Report
        from ...scene.interop.game_files.script_entry import write_script_entry

        level, report = self.level(context), Report()
        if level is None:
            return {"CANCELLED"}
        try:
            file = file_name(level)
            text = write_script_entry(level, self.title or _title_of(level), file, self.track, report)
        except ExportError as error:
            report_line(self, "ERROR", explain(error))
            return {"CANCELLED"}
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
