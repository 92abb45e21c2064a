"""Export Tomb Raider Level operator, also used as the exporter of a level's collection."""

import os
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy.types import Collection, Context, Event, Operator
from bpy_extras.io_utils import ExportHelper

from ...formats import ExportError, FormatError
from ...formats.base import T, about
from ...scene.core import is_local
from ..base.files.browsing import browse, path_to_export
from ..base.files.file_tools import file_filter
from ..base.files.paths import check_path
from ..base.layout.panels import split_layout
from ..base.levels import (
    IMPORT_SUFFIXES,
    check_suffix,
    chosen_level,
    file_name,
    is_of_other_game,
    scene_levels,
    with_suffix,
)
from ..base.modes import UserMode
from ..base.operators import level_name
from ..base.progress import ProgressBar
from ..base.reconciling import prepare
from ..base.reports import Outcome, ToolError, explain, note_tracebacks, report_line, report_result
from ..base.stepped import SteppedTool

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...formats import Level
    from ...scene.core import ExportResult, Report, Work
    from ...scene.pipeline.checks import Note


class EXPORT_SCENE_OT_tomb_raider(SteppedTool, Operator, ExportHelper):
    """Export a level to a file for the game. Unedited parts stay the same, byte for byte"""

    bl_idname = "export_scene.tomb_raider"
    bl_label = "Export Tomb Raider Level"
    bl_options = {"PRESET"}

    _shown = ""  # name of the level shown in the file browser

    filter_glob: file_filter(*IMPORT_SUFFIXES)
    # Not remembered by Blender, since each level has its own file.
    filepath: StringProperty(
        name="File Path",
        maxlen=1024,
        subtype="FILE_PATH",
        description="File to write",
        options={"SKIP_SAVE", "SKIP_PRESET"},
    )
    # The name is required by Blender's exporters of collections.
    collection: level_name("Collection of the level. Empty: the active level, or the only one")
    rebuild: BoolProperty(
        name="Rebuild Everything",
        description="Rebuild every part of the level from the scene, including unedited parts",
        options={"SKIP_SAVE"},
    )
    bake_constraints: EnumProperty(
        name="Bake Constraints",
        items=(
            (
                "IN_USE",
                "Action in Use",
                "The action that a model shows, new actions, and those with keys of controls or influences",
            ),
            ("ALL", "All", "All actions of the model"),
            ("NONE", "None", "No action: all are exported as keyed"),
        ),
        description="Actions to export as posed by constraints, inverse kinematics and drivers",
        default="IN_USE",
    )
    # Scripts, presets and collections of earlier versions set it.
    bake: BoolProperty(
        name="Bake Constraints",
        description="Export poses from constraints, inverse kinematics and drivers. The scene is unchanged",
        default=True,
        options={"HIDDEN", "SKIP_SAVE"},
    )
    apply_modifiers: BoolProperty(
        name="Apply Modifiers",
        description="Export meshes as shown in the viewport, with modifiers and shape keys",
        default=True,
    )

    def invoke(self, context: Context, _event: Event) -> Any:
        try:
            level = chosen_level(context, self.collection)
        except ExportError as error:
            # With several levels, the user chooses in the file browser.
            if not scene_levels(context):
                raise ToolError(explain(error)) from error
            level = scene_levels(context)[0]
        self.collection = self._shown = level.name
        if not self.filepath:
            self.filepath = _default_path(level)
        return browse(self, context)

    def check(self, context: Context) -> bool:
        """Update the path when another level is chosen, and give it a suffix of the game."""
        try:
            level = chosen_level(context, self.collection)
        except ExportError:
            return False
        before = self.filepath
        if level.name != self._shown:
            self._shown, self.filepath = level.name, _default_path(level)
        elif os.path.basename(before) and not is_of_other_game(before, level):  # which is reported
            self.filepath = with_suffix(before, level)
        return bool(self.filepath != before)

    def draw(self, _context: Context) -> None:
        from ...scene.interop.projects import is_project

        layout = split_layout(self)
        layout.prop(self, "collection", icon="OUTLINER_COLLECTION")
        if any(is_project(level) for level in bpy.data.collections if level.name == self.collection):
            layout.label(text="Writes a level. Save Project writes the project", icon="INFO")
        layout.prop(self, "apply_modifiers")
        layout.prop(self, "rebuild")
        layout.prop(self, "bake_constraints" if self.bake else "bake")

    def steps(self, context: Context, bar: ProgressBar) -> "Work[Outcome]":
        # Loaded late, to keep Blender's start fast.
        from ...scene.core import Bake, Report
        from ...scene.interop.projects import is_project
        from ...scene.pipeline.checks import keep_export, of_report

        path = bpy.path.abspath(self.filepath)
        if not os.path.basename(path):
            raise ToolError(T("No file was chosen to export to"))
        name = os.path.basename(path)
        root, report = None, Report()
        try:
            check_path(self.filepath)
            root = chosen_level(context, self.collection)
            check_suffix(path, root)
            result = yield from write_steps(
                context,
                root,
                path,
                report,
                bar,
                rebuild=self.rebuild,
                bake=Bake(self.bake_constraints) if self.bake else Bake.NONE,
                apply_modifiers=self.apply_modifiers,
            )
        except (ExportError, FormatError, OSError) as error:
            report_line(self, "ERROR", T("{file} was not exported: {error}", file=name, error=explain(error)))
            if root is not None:
                keep_export(
                    root,
                    T("Export of {name}, which failed", name=name),
                    [_note(root, error), *of_report(report)],
                )
            return {"CANCELLED"}
        keep_export(root, T("Export of {name}", name=name), of_report(report))
        note_tracebacks(self, report)
        if is_local(root):
            root.tomb_raider.target = path
        summary = result.rebuilt.summary()
        if is_project(root):
            summary = T("{summary}. This is a level: Save Project writes the project", summary=summary)
        report_result(self, about(name, summary), report.warnings)
        return {"FINISHED"}


def write_steps(
    context: Context,
    root: Collection,
    path: str,
    report: "Report",
    bar: ProgressBar,
    *,
    change: "Callable[[Level], None] | None" = None,
    **options: Any,
) -> "Work[ExportResult]":
    """Export a level to a file step by step, in any mode. The last step writes the file.

    Args:
        change: changes the exported level before it is written; arrays are replaced, not written to.
        options: see :func:`~...scene.pipeline.exporter.export_level`.
    Raises:
        ExportError: the scene contains something that the game does not support.
        FormatError: the stored original is damaged.
        OSError: the file cannot be written.
    """
    from ...formats import write_level
    from ...formats.editors.wads import WAD2, is_object_file
    from ...scene.interop.wads import write_objects
    from ...scene.pipeline import export_level
    from ...scene.pipeline.checks import notes_of_files

    bar.title = T("Exporting {file}", file=os.path.basename(path))
    with UserMode(context) as mode:
        prepare(context, mode, root, report)
        options["with_skins"] = path.lower().endswith(WAD2)
        result = export_level(root, with_hooks=True, report=report, listener=bar, **options)
        yield T("Writing"), 1.0
        level = result.level
        if change is not None:
            level = level.copy()  # the original may share it
            change(level)
        if is_object_file(path):
            write_objects(root, level, path, report, result.extras)
        else:
            write_level(level, path)
            for note in notes_of_files(os.path.dirname(path), level.game):
                if note.severity == "WARNING":
                    report.warn(note.subject, note.text)
            report.forget({(each.subject, each.text) for each in root.tomb_raider.known_findings})
        return result


def _default_path(level: Collection) -> str:
    """Return the path of a level's last export, or else its own name next to the .blend file."""
    return level.tomb_raider.target or path_to_export(level, file_name(level))


def _note(root: Collection, error: ExportError | FormatError | OSError) -> "Note":
    """Return the note about a failed export."""
    from ...scene.pipeline.checks import Note, of_error

    return of_error(error) if isinstance(error, ExportError) else Note("ERROR", root.name, explain(error))


register, unregister = bpy.utils.register_classes_factory((EXPORT_SCENE_OT_tomb_raider,))
