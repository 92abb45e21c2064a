"""Operators that import projects of level editors, and export levels as projects."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy.types import Collection, Context, Event, Operator

from ...formats import ExportError
from ...formats.base import N_, PROJECT_TARGETS, T
from ..base.files.file_tools import FileImport, LevelExport, file_filter
from ..base.layout.panels import split_layout
from ..base.levels import IMPORT_SUFFIXES, check_suffix, is_of_other_game, scene_levels, with_suffix
from ..base.operators import SceneEditingTool
from ..base.progress import ProgressBar
from ..preferences.options import ImportSettings, draw_switches
from ..preferences.preferences import apply_defaults

if TYPE_CHECKING:
    from ...scene.core import Report, Work

SUFFIXES = (".prj2", ".prj")
OF_PROJECT = "PROJECT"
_NEWEST = "TR3X"  # offered for numbers of targets that are not known
TARGETS = [
    (OF_PROJECT, "Of the Project", "The target of the project; TRNG for TombEngine", 0),
    *((name, name, "", number) for number, name in enumerate(PROJECT_TARGETS, 1)),
]


def _has_known_target(path: str) -> bool:
    from ...scene.interop.projects import has_known_target

    return has_known_target(Path(path))


class IMPORT_SCENE_OT_tomb_raider_project(SceneEditingTool, Operator, ImportSettings, FileImport):
    """Build the level of a Tomb Editor project, and import it. Edits can be saved in the project"""

    bl_idname = "import_scene.tomb_raider_project"
    bl_label = "Import Tomb Editor Project"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    none_chosen = N_("No project was chosen to import")
    filter_glob: file_filter(*SUFFIXES)
    search: StringProperty(
        name="Missing Files",
        description="Folder in which textures and object files are searched that are not where the project "
        "names them",
        options={"SKIP_SAVE", "SKIP_PRESET"},
    )

    target: EnumProperty(
        name="Target",
        items=TARGETS,
        description="Game and engine that the level is compiled for",
        options={"SKIP_SAVE"},
    )

    cinematic: BoolProperty(
        name="Flybys as Cutscene",
        description="For TRX: make a cutscene of the flyby cameras, as for the original games",
    )

    def invoke(self, context: Context, _event: Event) -> Any:
        apply_defaults(self, context)
        if self.filepath and self.target == OF_PROJECT and not _has_known_target(self.filepath):
            self.target = _NEWEST
        return self.invoke_popup(context)

    def draw(self, _context: Context) -> None:
        layout = split_layout(self)
        layout.prop(self, "search")
        layout.prop(self, "target")
        layout.prop(self, "cinematic")
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

    def load(self, context: Context, path: str) -> "Work[bool]":
        from .opening import open_project

        search = Path(bpy.path.abspath(self.search)) if self.search else None
        target = "" if self.target == OF_PROJECT else self.target
        return open_project(self, context, path, search, target, cinematic=self.cinematic)


class EXPORT_SCENE_OT_tomb_raider_project(LevelExport):
    """Save the edits of a Tomb Editor project, or make a project from any level"""

    bl_idname = "export_scene.tomb_raider_project"
    bl_label = "Export Tomb Editor Project"
    bl_options = {"PRESET"}

    filename_ext = SUFFIXES[0]
    filter_glob: file_filter(SUFFIXES[0])
    keep_light: BoolProperty(
        name="Keep Light",
        description="Of a level that is no project: keep the light of its rooms, by an effect light at each "
        "vertex. Otherwise, the editor lights rooms by the level's lights",
        default=True,
    )

    def draw(self, context: Context) -> None:
        from ...scene.interop.projects import is_project

        super().draw(context)
        level = next((level for level in scene_levels(context) if level.name == self.collection), None)
        if level is None or not is_project(level):
            self.layout.prop(self, "keep_light")

    def check_level(self, level: Collection, path: Path) -> None:
        if path.suffix.lower() != SUFFIXES[0]:
            raise ExportError(level.name, T("projects are written as .prj2"))

    def export(self, level: Collection, path: Path, report: "Report", bar: ProgressBar) -> "Work[str]":
        from ...scene.interop.projects import export_project_steps, notes_of
        from ...scene.pipeline.checks import keep_export, of_report

        saved = yield from export_project_steps(
            level, path, report=report, keep_light=self.keep_light, listener=bar
        )
        title = T("Export of {name}", name=path.name)
        keep_export(level, title, [*of_report(report), *notes_of(saved.rooms)])
        return saved.summary()


class EXPORT_SCENE_OT_tomb_raider_compiled(LevelExport):
    """Build the level of a Tomb Editor project with your edits, with the light of its lights"""

    bl_idname = "export_scene.tomb_raider_compiled"
    bl_label = "Compile Tomb Editor Project"

    filter_glob: file_filter(*IMPORT_SUFFIXES)

    def invoke(self, context: Context, event: Event) -> Any:
        outcome = super().invoke(context, event)
        self.check(context)
        return outcome

    def check(self, context: Context) -> bool:
        """Give the path a suffix of the game."""
        before = self.filepath
        level = next((level for level in scene_levels(context) if level.name == self.collection), None)
        if level is not None and os.path.basename(before) and not is_of_other_game(before, level):
            self.filepath = with_suffix(before, level)
        return bool(self.filepath != before)

    def check_level(self, level: Collection, path: Path) -> None:
        check_suffix(str(path), level)

    def export(self, level: Collection, path: Path, report: "Report", bar: ProgressBar) -> "Work[str]":
        from ...scene.interop.projects import compile_edited_steps
        from ...scene.pipeline.checks import Note, keep_export, of_report

        log = yield from compile_edited_steps(level, path, report=report, listener=bar)
        lines = [Note("INFO", path.name, line) for line in log]
        keep_export(level, T("Export of {name}", name=path.name), [*of_report(report), *lines])
        return T("compiled")


register, unregister = bpy.utils.register_classes_factory(
    (
        IMPORT_SCENE_OT_tomb_raider_project,
        EXPORT_SCENE_OT_tomb_raider_project,
        EXPORT_SCENE_OT_tomb_raider_compiled,
    )
)
