"""Operators that export the edits of a level as a patch, and import a patch as a level."""

import os
from functools import partial
from typing import Any

import bpy
from bpy.props import BoolProperty, CollectionProperty, StringProperty
from bpy.types import Collection, Context, Event, Operator, OperatorFileListElement

from ...formats import ExportError, FormatError
from ...formats.base.messages import T, about
from ...scene.properties.kinds import CONTEXT
from ..base.browsing import FileBrowser
from ..base.exporting import LevelExporter, level_names
from ..base.file_kinds import explain_chosen
from ..base.importing import import_each
from ..base.levels import chosen_level, scene_levels
from ..base.modes import UserMode
from ..base.operators import SceneEditingTool
from ..base.paths import check_path
from ..base.progress import ProgressBar
from ..base.reconciling import prepare
from ..base.reports import Outcome, contents, explain, report_line, report_result
from ..level.first_view import present
from ..preferences.preferences import first_view, game_folder, import_defaults

_SUFFIX = ".trpatch"
_ERRORS = (ExportError, FormatError, OSError)


class EXPORT_SCENE_OT_tomb_raider_patch(LevelExporter):
    """Export the edits of a level as a patch, a small text that makes it of the file it was imported from"""

    bl_idname = "export_scene.tomb_raider_patch"
    bl_label = "Export Patch"

    filename_ext = _SUFFIX
    filter_glob: StringProperty(default=f"*{_SUFFIX}", options={"HIDDEN"})

    def execute(self, context: Context) -> Outcome:
        from ...formats.base.files import replace_file
        from ...scene.core.report import Report
        from ...scene.interop.patches import export_patch

        path = bpy.path.abspath(self.filepath)
        name = os.path.basename(path)
        mode, report = UserMode(context), Report()
        try:
            check_path(self.filepath)
            root = chosen_level(context, self.collection)
            if not name:
                raise ExportError(root.name, T("no file was chosen to export to"))
            prepare(context, mode, root, report)
            with ProgressBar(context, T("Exporting {file}", file=name)) as bar:
                patch = export_patch(root, report=report, listener=bar)
                data = patch.to_bytes()
                replace_file(path, data)
        except _ERRORS as error:
            report_line(self, "ERROR", T("{file} was not exported: {error}", file=name, error=explain(error)))
            return {"CANCELLED"}
        finally:
            mode.enter_again()
        if patch.is_whole:
            report.warn(name, T("the patch holds the whole level"))
        text = T("{size} bytes for {file}", size=len(data), file=patch.base_name)
        if patch.is_empty:
            text = T("the level was not edited: the patch is empty")
        report_result(self, about(name, text), report.warnings)
        return {"FINISHED"}


class IMPORT_SCENE_OT_tomb_raider_patch(SceneEditingTool, Operator, FileBrowser):
    """Apply a patch to the file that a level was imported from, and import the result next to it"""

    bl_idname = "import_scene.tomb_raider_patch"
    bl_label = "Import Patch"
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: StringProperty(default=f"*{_SUFFIX}", options={"HIDDEN"})
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    files: CollectionProperty(type=OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})
    collection: StringProperty(
        name="Level",
        translation_context=CONTEXT,
        description="Collection of the level. Empty: the level that the patch was made for, else the "
        "active one",
        search=level_names,
        search_options=set(),
        options={"SKIP_SAVE"},
    )
    without_conflicts: BoolProperty(
        name="Leave Out Conflicts",
        description="Import a patch for another version of the level without the changes that conflict "
        "with it",
        default=False,
        options={"SKIP_SAVE"},
    )

    def invoke(self, context: Context, _event: Event) -> Any:
        return self.invoke_popup(context)

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.use_property_split, layout.use_property_decorate = True, False
        layout.prop(self, "collection", icon="OUTLINER_COLLECTION")
        layout.prop(self, "without_conflicts")

    def execute(self, context: Context) -> Outcome:
        return import_each(self, context, T("No patch was chosen to import"), partial(self._import, context))

    def _import(self, context: Context, path: str, bar: ProgressBar) -> bool:
        from ...formats.base.files import read_file
        from ...formats.patches.patch import read_patch
        from ...scene.core.context import ImportOptions
        from ...scene.interop.patches import import_patch, is_edited, level_for

        name, parts = os.path.basename(path), first_view(context)
        options = ImportOptions(
            **import_defaults(context),
            set_up_frames="frames" in parts,
            game_folder=partial(game_folder, context),
        )
        try:
            patch = read_patch(read_file(path))
            root = self._level(context, None if self.collection else level_for(patch, scene_levels(context)))
            warnings = []
            if is_edited(root):
                warnings.append(
                    T("{level} has edits, which the patched level does not contain", level=root.name)
                )
            made, applied = import_patch(
                root, patch, options, without_conflicts=self.without_conflicts, listener=bar
            )
        except _ERRORS as error:
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
        present(context, made.root, parts, set_up_scene=options.set_up_scene)
        if applied.is_merged:
            warnings.append(
                T("the patch was made for another version of {level}, and merged", level=root.name)
            )
        warnings += [T("left out: {conflict}", conflict=each) for each in applied.conflicts]
        lines = [about(name, text) for text in (*warnings, *made.report.warnings)]
        report_result(self, about(name, contents(made.level)), lines)
        return True

    def _level(self, context: Context, found: Collection | None) -> Collection:
        return chosen_level(context, self.collection) if found is None else found


register, unregister = bpy.utils.register_classes_factory(
    (EXPORT_SCENE_OT_tomb_raider_patch, IMPORT_SCENE_OT_tomb_raider_patch)
)
