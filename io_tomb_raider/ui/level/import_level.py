"""Import Tomb Raider Level operator, also used for dropped levels."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import StringProperty
from bpy.types import Context, Event, Operator

from ...formats import ExportError, FormatError
from ...formats.base import N_, T, about, as_message
from ..base.file_kinds import kind_of_file, other_kind
from ..base.files.file_tools import FileImport, file_filter
from ..base.layout.panels import split_layout
from ..base.levels import IMPORT_SUFFIXES
from ..base.operators import SceneEditingTool
from ..base.reports import contents, note_tracebacks, report_line, report_result
from ..preferences.options import SETTINGS, ImportSettings, below, draw_switches
from ..preferences.preferences import apply_defaults, first_view, import_options

if TYPE_CHECKING:
    from ...scene.core import Work

# Parent folder of presets/operator/import_scene.tomb_raider, registered with Blender.
_PRESETS = str(Path(__file__).parent.parent)
_PROJECTS = "import_scene.tomb_raider_project"


class IMPORT_SCENE_OT_tomb_raider(SceneEditingTool, Operator, ImportSettings, FileImport):
    """Import levels of Tomb Raider 1 to 5, or other files, which are opened with their own tools"""

    bl_idname = "import_scene.tomb_raider"
    bl_label = "Import Tomb Raider Level"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    none_chosen = N_("No level was chosen to import")
    filter_glob: file_filter(*IMPORT_SUFFIXES)

    main_sfx: StringProperty(
        name="MAIN.SFX",  # a browse button would not work in the file browser
        description="Path of the samples of TR2 and TR3. Empty: next to the level or in the installed game",
        options={"SKIP_SAVE", "SKIP_PRESET"},
    )
    script: StringProperty(
        name="Script",
        options={"SKIP_SAVE", "SKIP_PRESET"},
        description="Path of the game's script, TOMBPC.DAT or SCRIPT.DAT, if it is somewhere else",
    )

    def invoke(self, context: Context, _event: Event) -> Any:
        apply_defaults(self, context)
        opens = "" if len(self.files) > 1 or not self.filepath else _opens_other(self.filepath)
        if opens:  # which asks for its own settings
            return _operator(opens)("INVOKE_DEFAULT", filepath=self.filepath)
        return self.invoke_popup(context)

    def draw(self, _context: Context) -> None:
        layout = split_layout(self)
        header, body = layout.panel("tomb_raider_import_include", default_closed=False)
        header.label(text="Include")
        if body:
            draw_switches(self, body)
        header, body = layout.panel("tomb_raider_import_scene", default_closed=False)
        header.label(text="Scene")
        if body:
            body.prop(self, "scale")
            body.prop(self, "set_up_scene")
            body.prop(self, "beside")
            body.prop(self, "names_from_script")
            below(self, body, "names_from_script").prop(self, "script")

    def load(self, context: Context, path: str) -> "Work[bool | None]":
        # Loaded late, to keep Blender's start fast.
        from ...scene.pipeline import import_steps
        from ..projects.opening import open_project
        from ..view.first_view import present

        name = os.path.basename(path)
        settings = {name: getattr(self, name) for name in (*SETTINGS, "main_sfx", "script")}
        options = import_options(context, **settings)
        try:
            imported = yield from import_steps(path, options, with_hooks=True)
        except (FormatError, ExportError, OSError) as error:
            kind = other_kind(error, path, self.bl_idname)
            if kind is None or not kind.opens:
                raise
            text = T("this is {kind}: opened as one", kind=as_message(kind.name))
            report_line(self, "INFO", about(name, text))
            if kind.opens != _PROJECTS:
                return self._open(kind.opens, name, path)
            return (yield from open_project(self, context, path))  # with the settings of this import
        present(context, imported.root, first_view(context), set_up_scene=options.set_up_scene)
        note_tracebacks(self, imported.report)
        for note in imported.report.notes:
            report_line(self, "INFO", about(name, note))
        warnings = [about(name, text) for text in imported.report.warnings]
        report_result(self, about(name, contents(imported.level)), warnings)
        return True

    def _open(self, operator: str, name: str, path: str) -> bool:
        """Open a file of another kind with its own operator, and return whether it was opened."""
        asks = self.options.is_invoke and not bpy.app.background
        try:
            outcome = _operator(operator)("INVOKE_DEFAULT" if asks else "EXEC_DEFAULT", filepath=path)
        except RuntimeError as error:  # its report, which users see only of the operator that they called
            report_line(self, "ERROR", about(name, str(error).strip().removeprefix("Error: ")))
            return False
        return "CANCELLED" not in outcome


def _operator(name: str) -> Any:
    group, operator = name.split(".")
    return getattr(getattr(bpy.ops, group), operator)


def _opens_other(path: str) -> str:
    """Return the operator for a file that is surely of another kind than levels, or ""."""

    kind = kind_of_file(path)
    return kind.opens if kind is not None and kind.opens != IMPORT_SCENE_OT_tomb_raider.bl_idname else ""


def register() -> None:
    bpy.utils.register_class(IMPORT_SCENE_OT_tomb_raider)
    bpy.utils.register_preset_path(_PRESETS)


def unregister() -> None:
    bpy.utils.unregister_preset_path(_PRESETS)
    bpy.utils.unregister_class(IMPORT_SCENE_OT_tomb_raider)
