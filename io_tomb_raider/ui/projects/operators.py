"""Operators that import projects of level editors, and export levels as projects."""

import os
from functools import partial
from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, CollectionProperty, StringProperty
from bpy.types import Context, Event, Operator, OperatorFileListElement

from ...formats import ExportError, FormatError
from ...formats.base.messages import T, about
from ..base.browsing import FileBrowser
from ..base.exporting import LevelExporter
from ..base.importing import import_each
from ..base.levels import (
    IMPORT_SUFFIXES,
    check_suffix,
    chosen_level,
    is_of_other_game,
    scene_levels,
    with_suffix,
)
from ..base.modes import UserMode
from ..base.operators import SceneEditingTool
from ..base.paths import check_path
from ..base.progress import ProgressBar
from ..base.reconciling import prepare
from ..base.reports import Outcome, explain, note_tracebacks, report_line, report_result
from ..preferences.options import ImportSettings, draw_switches
from ..preferences.preferences import apply_defaults
from .opening import open_project

SUFFIXES = (".prj2", ".prj")
_ERRORS = (ExportError, FormatError, OSError)


class IMPORT_SCENE_OT_tomb_raider_project(SceneEditingTool, Operator, ImportSettings, FileBrowser):
    """Build the level of a Tomb Editor project, and import it. Edits can be saved in the project"""

    bl_idname = "import_scene.tomb_raider_project"
    bl_label = "Import Tomb Editor Project"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    filter_glob: StringProperty(
        default=";".join(f"*{suffix}" for suffix in SUFFIXES), options={"HIDDEN", "SKIP_PRESET"}
    )
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"})
    files: CollectionProperty(type=OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"})
    search: StringProperty(
        name="Missing Files",
        description="Folder in which textures and object files are searched that are not where the project "
        "names them",
        options={"SKIP_SAVE", "SKIP_PRESET"},
    )

    def invoke(self, context: Context, _event: Event) -> Any:
        apply_defaults(self, context)
        return self.invoke_popup(context)

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.use_property_split, layout.use_property_decorate = True, False
        layout.prop(self, "search")
        header, body = layout.panel("tomb_raider_project_include", default_closed=True)
        header.label(text="Include")
        if body:
            draw_switches(self, body)
        header, body = layout.panel("tomb_raider_project_scene", default_closed=True)
        header.label(text="Scene")
        if body:
            body.prop(self, "scale")
            body.prop(self, "set_up_scene")
            body.prop(self, "beside")

    def execute(self, context: Context) -> Outcome:
        search = Path(bpy.path.abspath(self.search)) if self.search else None
        return import_each(
            self,
            context,
            T("No project was chosen to import"),
            partial(open_project, self, context, search=search),
        )


class EXPORT_SCENE_OT_tomb_raider_project(LevelExporter):
    """Save the edits of a Tomb Editor project, or make a project from any level"""

    bl_idname = "export_scene.tomb_raider_project"
    bl_label = "Export Tomb Editor Project"
    bl_options = {"PRESET"}

    filename_ext = SUFFIXES[0]
    filter_glob: StringProperty(default=f"*{SUFFIXES[0]}", options={"HIDDEN", "SKIP_PRESET"})
    keep_light: BoolProperty(
        name="Keep Light",
        description="Of a level that is no project: keep the light of its rooms, by an effect light at each "
        "vertex. Otherwise, the editor lights rooms by the level's lights",
        default=True,
    )

    def draw(self, context: Context) -> None:
        from ...scene.interop.projects.details import is_project

        super().draw(context)
        level = next((each for each in scene_levels(context) if each.name == self.collection), None)
        if level is None or not is_project(level):
            self.layout.prop(self, "keep_light")

    def execute(self, context: Context) -> Outcome:
        from ...scene.core.report import Report
        from ...scene.interop.projects.project import export_project, notes_of
        from ...scene.pipeline.checks.notes import keep_export, of_report

        path = Path(bpy.path.abspath(self.filepath))
        name = path.name
        mode, report = UserMode(context), Report()
        try:
            check_path(self.filepath)
            root = chosen_level(context, self.collection)
            if path.suffix.lower() != SUFFIXES[0]:
                raise ExportError(root.name, T("projects are written as .prj2"))
            prepare(context, mode, root, report)
            with ProgressBar(context, T("Exporting {file}", file=name)) as bar:
                saved = export_project(root, path, report=report, keep_light=self.keep_light, listener=bar)
        except _ERRORS as error:
            report_line(self, "ERROR", T("{file} was not exported: {error}", file=name, error=explain(error)))
            return {"CANCELLED"}
        finally:
            mode.enter_again()
        keep_export(root, T("Export of {name}", name=name), [*of_report(report), *notes_of(saved.rooms)])
        note_tracebacks(self, report)
        report_result(self, about(name, saved.summary()), report.warnings)
        return {"FINISHED"}


class EXPORT_SCENE_OT_tomb_raider_compiled(LevelExporter):
    """Build the level of a Tomb Editor project with your edits, with the light of its lights"""

    bl_idname = "export_scene.tomb_raider_compiled"
    bl_label = "Compile Tomb Editor Project"

    filter_glob: StringProperty(
        default=";".join(f"*{suffix}" for suffix in IMPORT_SUFFIXES), options={"HIDDEN", "SKIP_PRESET"}
    )

    def invoke(self, context: Context, event: Event) -> Any:
        done = super().invoke(context, event)
        self.check(context)
        return done

    def check(self, context: Context) -> bool:
        """Give the path a suffix of the game."""
        before = self.filepath
        level = next((each for each in scene_levels(context) if each.name == self.collection), None)
        if level is not None and os.path.basename(before) and not is_of_other_game(before, level):
            self.filepath = with_suffix(before, level)
        return bool(self.filepath != before)

    def execute(self, context: Context) -> Outcome:
        from ...scene.core.report import Report
        from ...scene.interop.projects.project import compile_edited
        from ...scene.pipeline.checks.notes import Note, keep_export, of_report

        path = Path(bpy.path.abspath(self.filepath))
        name = path.name
        mode, report = UserMode(context), Report()
        try:
            check_path(self.filepath)
            root = chosen_level(context, self.collection)
            check_suffix(str(path), root)
            prepare(context, mode, root, report)
            with ProgressBar(context, T("Exporting {file}", file=name)) as bar:
                log = compile_edited(root, path, report=report, listener=bar)
        except _ERRORS as error:
            report_line(self, "ERROR", T("{file} was not exported: {error}", file=name, error=explain(error)))
            return {"CANCELLED"}
        finally:
            mode.enter_again()
        lines = [Note("INFO", name, line) for line in log]
        keep_export(root, T("Export of {name}", name=name), [*of_report(report), *lines])
        note_tracebacks(self, report)
        report_result(self, about(name, T("compiled")), report.warnings)
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory(
    (
        IMPORT_SCENE_OT_tomb_raider_project,
        EXPORT_SCENE_OT_tomb_raider_project,
        EXPORT_SCENE_OT_tomb_raider_compiled,
    )
)
