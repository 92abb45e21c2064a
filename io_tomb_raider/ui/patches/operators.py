"""Operators that export the edits of a level as a patch, and import a patch as a level."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty
from bpy.types import Collection, Context, Operator

from ...formats.base import N_, T, about, read_file, replace_file
from ..base.files.file_tools import FileImport, LevelExport, file_filter
from ..base.layout.panels import draw_settings
from ..base.levels import chosen_level, scene_levels
from ..base.operators import SceneEditingTool, level_name
from ..base.progress import ProgressBar
from ..base.reports import contents, report_result
from ..preferences.preferences import first_view, import_defaults, import_options

if TYPE_CHECKING:
    from ...scene.core import Report, Work

_SUFFIX = ".trpatch"


class EXPORT_SCENE_OT_tomb_raider_patch(LevelExport):
    """Export the edits of a level as a patch, a small text that makes it of the file it was imported from"""

    bl_idname = "export_scene.tomb_raider_patch"
    bl_label = "Export Patch"

    filename_ext = _SUFFIX
    filter_glob: file_filter(_SUFFIX)

    def export(self, level: Collection, path: Path, report: "Report", bar: ProgressBar) -> "Work[str]":
        from ...scene.interop import export_patch

        patch = export_patch(level, report=report, listener=bar)
        data = patch.to_bytes()
        yield T("Writing"), 1.0
        replace_file(path, data)
        if patch.is_whole:
            report.warn(path.name, T("the patch holds the whole level"))
        if patch.is_empty:
            return T("the level was not edited: the patch is empty")
        return T("{size} bytes for {file}", size=len(data), file=patch.base_name)


class IMPORT_SCENE_OT_tomb_raider_patch(SceneEditingTool, FileImport, Operator):
    """Apply a patch to the file that a level was imported from, and import the result next to it"""

    bl_idname = "import_scene.tomb_raider_patch"
    bl_label = "Import Patch"
    bl_options = {"REGISTER", "UNDO"}

    none_chosen = N_("No patch was chosen to import")
    filter_glob: file_filter(_SUFFIX)
    collection: level_name(
        "Collection of the level. Empty: the level that the patch was made for, else the active one"
    )
    without_conflicts: BoolProperty(
        name="Leave Out Conflicts",
        description="Import a patch for another version of the level without the changes that conflict "
        "with it",
        options={"SKIP_SAVE"},
    )

    def draw(self, _context: Context) -> None:
        draw_settings(self, "collection", "without_conflicts")

    def load(self, context: Context, path: str) -> "Work[None]":
        from ...formats.edits.patches import read_patch
        from ...scene.interop import import_patch_steps, is_edited, level_for
        from ..view.first_view import present

        name, options = os.path.basename(path), import_options(context, **import_defaults(context))
        yield T("Reading"), 0.0
        patch = read_patch(read_file(path))
        root = None if self.collection else level_for(patch, scene_levels(context))
        root = chosen_level(context, self.collection) if root is None else root
        warnings = []
        if is_edited(root):
            warnings.append(T("{level} has edits, which the patched level does not contain", level=root.name))
        imported, applied = yield from import_patch_steps(
            root, patch, options, without_conflicts=self.without_conflicts
        )
        present(context, imported.root, first_view(context), set_up_scene=options.set_up_scene)
        if applied.is_merged:
            warnings.append(
                T("the patch was made for another version of {level}, and merged", level=root.name)
            )
        warnings += [T("left out: {conflict}", conflict=conflict) for conflict in applied.conflicts]
        lines = [about(name, text) for text in (*warnings, *imported.report.warnings)]
        report_result(self, about(name, contents(imported.level)), lines)


register, unregister = bpy.utils.register_classes_factory(
    (EXPORT_SCENE_OT_tomb_raider_patch, IMPORT_SCENE_OT_tomb_raider_patch)
)
