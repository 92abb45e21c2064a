"""Operators on the edits that TRX makes when it loads a level, and on injection files."""

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty
from bpy.types import Collection, Context, Event, Operator

from ...formats import ExportError
from ...formats.base import N_, T, about, joined, plural, read_file, replace_file
from ..base.conditions import ONLY_OBJECT_MODE
from ..base.files.browsing import FileBrowser
from ..base.files.file_tools import FileImport, LevelExport, file_filter
from ..base.files.paths import check_path
from ..base.layout.panels import draw_settings
from ..base.levels import chosen_level, game_of, level_of
from ..base.modes import UserMode, object_mode
from ..base.operators import LevelTool, SceneEditingTool, file_path, level_name
from ..base.progress import ProgressBar
from ..base.reconciling import prepare
from ..base.reports import Outcome, ToolError, report_line, report_result
from ..base.selecting import reveal_only
from ..preferences.preferences import game_folder, import_defaults

if TYPE_CHECKING:
    from ...scene.core import Report, Work

_SUFFIX = ".bin"
_SCOPES: Any = [
    ("ACTIVE", "Active", "The active edit of the list", 0),
    ("ALL", "All", "All edits of the list", 1),
    ("ENABLED", "Enabled", "All edits that are exported", 2),
    ("DISABLED", "Disabled", "All edits that are not exported", 3),
]


class TOMB_RAIDER_OT_show_edit(LevelTool):
    """Select the object of this edit, and show it in the view"""

    bl_idname = "tomb_raider.show_edit"
    bl_label = "Show"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    edits_level = False

    number: IntProperty(name="Line", min=0, description="Index of the line in the list")

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.injections import subject_of
        from ..view.first_view import look_at_selection

        level = self.level(context)
        settings = level.tomb_raider
        if self.number >= len(settings.edits):
            raise ToolError(T("The list has no line {number}", number=self.number))
        settings.active_edit = self.number
        item: Any = settings.edits[self.number]
        if item.target is None or level_of(item.target) != level:
            report_line(self, "INFO", T("{subject} has no place in the scene", subject=subject_of(item)))
            return {"FINISHED"}
        if context.mode != "OBJECT":
            UserMode(context).leave()
        reveal_only(context, [item.target])
        look_at_selection(context)
        return {"FINISHED"}


class _EditsTool(LevelTool):
    """Base of operators on edits of the list."""

    scope: EnumProperty(name="Edits", items=_SCOPES, description="Edits to change")

    requires = ONLY_OBJECT_MODE

    def chosen(self, level: Collection) -> list[str]:
        """Return the keys of the chosen edits. Raises ExportError if there are none."""
        settings = level.tomb_raider
        items: list[Any] = list(settings.edits)
        if self.scope == "ACTIVE":
            items = items[settings.active_edit : settings.active_edit + 1]
        elif self.scope != "ALL":
            items = [item for item in items if item.is_enabled == (self.scope == "ENABLED")]
        if not items:
            raise ExportError(level.name, T("there are no such edits"))
        return [item.key for item in items]


class TOMB_RAIDER_OT_delete_edits(_EditsTool):
    """Delete edits that TRX makes when it loads the level. The level itself stays as it is"""

    bl_idname = "tomb_raider.delete_edits"
    bl_label = "Delete TRX Edits"
    failure = N_("Nothing was deleted: {error}")

    def execute(self, context: Context) -> Outcome:
        from ...scene.interop import delete_edits

        level = self.level(context)
        count = delete_edits(level, self.chosen(level))
        text = plural("one edit was deleted", "{count} edits were deleted", count)
        report_line(self, "INFO", about(level.name, text))
        return {"FINISHED"}


class TOMB_RAIDER_OT_apply_edits(SceneEditingTool, _EditsTool):
    """Change the level as TRX would when it loads it, and delete the edits. The level is imported again"""

    bl_idname = "tomb_raider.apply_edits"
    bl_label = "Apply TRX Edits"
    failure = N_("Nothing was applied: {error}")

    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.mode == "OBJECT" and super().poll(context)

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import Report
        from ...scene.interop import apply_edits

        level = self.level(context)
        report = Report()
        keys = self.chosen(level)
        prepare(context, UserMode(context), level, report)
        with ProgressBar(context, T("Applying edits")) as bar:
            changed = apply_edits(level, keys, _options(context), report=report, listener=bar)
        _report(self, changed, report.warnings)
        return {"FINISHED"}


class TOMB_RAIDER_OT_refresh_edits(LevelTool):
    """List the edits of the level's file again, for levels that older versions imported"""

    bl_idname = "tomb_raider.refresh_edits"
    bl_label = "List TRX Edits"
    failure = N_("Nothing was listed: {error}")

    def execute(self, context: Context) -> Outcome:
        from ...scene.interop import refresh_edits

        level = self.level(context)
        count = refresh_edits(level)
        text = plural("one edit", "{count} edits", count) if count else T("no edits")
        report_line(self, "INFO", about(level.name, text))
        return {"FINISHED"}


def _options(context: Context) -> Any:
    from ...scene.core import ImportOptions

    return ImportOptions(**import_defaults(context), game_folder=partial(game_folder, context))


def _report(operator: Operator, changed: Any, warnings: list[str], *, applied: bool = True) -> None:
    """Report the result of a change of edits."""
    from ...formats.edits.injections import catalog_slot

    lines = [
        *warnings,
        *(
            T("{edit} was not applied: {problem}", edit=problem.edit.label, problem=problem.text)
            for problem in changed.problems
        ),
    ]
    game = game_of(changed.root)
    lines += [
        T(
            "{name} is {number} here: TRX needs the row {row} in catalog_objects.csv",
            name=name,
            number=slot,
            row=f"{slot}, {name}",
        )
        for name, slot in changed.slots.items()
        if catalog_slot(name, game) is None
    ]
    if changed.removed:
        lines.append(
            plural(
                "one edit was left out, as its element was deleted or edited",
                "{count} edits were left out, as their elements were deleted or edited",
                changed.removed,
            )
        )
    text = (
        plural("one edit was applied", "{count} edits were applied", changed.number)
        if applied
        else plural("one edit was added", "{count} edits were added", changed.number)
    )
    report_result(operator, about(changed.root.name, text), lines)


class IMPORT_SCENE_OT_tomb_raider_injection(SceneEditingTool, FileBrowser, Operator):
    """Change a level by an injection file of TRX, or add its edits to those of the level"""

    bl_idname = "import_scene.tomb_raider_injection"
    bl_label = "Import Injection"
    bl_options = {"REGISTER", "UNDO"}

    failure = FileImport.failure
    filter_glob: file_filter(_SUFFIX)
    filepath: file_path("Injection to import")
    collection: level_name("Collection of the level. Empty: the active level, or the only one")
    use: EnumProperty(
        name="Use",
        items=[
            ("APPLY", "Apply", "Change the level as TRX would", 0),
            ("KEEP", "Keep as Edits", "Add the edits to those that TRX makes when it loads the level", 1),
        ],
        description="What to do with the edits",
        default="APPLY",
    )
    ignore_tests: BoolProperty(
        name="Ignore Conditions",
        description="Import an injection although the level does not fulfill its conditions",
        options={"SKIP_SAVE"},
    )

    def invoke(self, context: Context, event: Event) -> Any:
        if self.filepath:
            return self.invoke_popup(context)
        return FileBrowser.invoke(self, context, event)

    def draw(self, _context: Context) -> None:
        draw_settings(self, "collection", "use", "ignore_tests")

    def execute(self, context: Context) -> Outcome:
        from ...formats.edits.injections import read_for_level
        from ...scene.core import Report
        from ...scene.interop import block_to_edit, import_injection

        path = bpy.path.abspath(self.filepath)
        name, report = os.path.basename(path), Report()
        if not name:
            raise ToolError(T("No injection was chosen to import"))
        with object_mode(context) as mode:
            level = chosen_level(context, self.collection)
            decoded, _ = block_to_edit(level)
            fitting = read_for_level(read_file(path), decoded.level)
            if fitting.failed and not self.ignore_tests:
                reasons = joined(", ", fitting.failed[:3])
                problem = T(
                    "it is for another level ({reasons}). "
                    "Turn on Ignore Conditions to import it nevertheless",
                    reasons=reasons,
                )
                raise ExportError(level.name, problem)
            prepare(context, mode, level, report)
            apply = self.use == "APPLY"
            with ProgressBar(context, T("Importing {file}", file=name)) as bar:
                changed = import_injection(
                    level, fitting, _options(context), apply=apply, report=report, listener=bar
                )
        lost = [T("{part} of an old injection cannot be imported", part=part) for part in fitting.lost]
        lost += [T("the level's block of edits cannot hold {part}", part=part) for part in changed.lost]
        _report(self, changed, [*report.warnings, *lost], applied=apply)
        return {"FINISHED"}


class EXPORT_SCENE_OT_tomb_raider_injection(LevelExport):
    """Export the difference between the level and an unmodified one as an injection for TRX"""

    bl_idname = "export_scene.tomb_raider_injection"
    bl_label = "Export Injection"

    filename_ext = _SUFFIX
    filter_glob: file_filter(_SUFFIX)
    base: StringProperty(
        name="Unmodified Level",
        subtype="FILE_PATH",
        description="Level that players have, which the injection is for. Empty: the file that the level "
        "was imported from",
        options={"SKIP_SAVE"},
    )
    engine: EnumProperty(
        name="For",
        items=[
            ("TRXI", "TRX 1.11 and Newer", "Write TRXI, which older versions do not read", 0),
            (
                "TRXJ",
                "TRX 1.10 and Older",
                "Write TRXJ. Newer versions read its edits and sounds only",
                1,
            ),
        ],
        description="Versions of TRX that read the file",
        default="TRXI",
    )

    def draw(self, context: Context) -> None:
        super().draw(context)
        draw_settings(self, "base", "engine")

    def export(self, level: Collection, path: Path, report: "Report", bar: ProgressBar) -> "Work[str]":
        from ...formats.edits.injections import remarks
        from ...formats.levels.views import Severity
        from ...scene.interop import export_injection
        from ...scene.pipeline.checks import Note, keep_export

        check_path(self.base)
        base = bpy.path.abspath(self.base) if self.base else None
        is_old = self.engine == "TRXJ"
        result = export_injection(level, base, trxj=is_old, report=report, listener=bar)
        forms = [each.text for each in remarks(result.injection) if each.severity is Severity.WARNING]
        yield T("Writing"), 1.0
        if result.number:
            replace_file(path, result.injection.to_bytes())
        notes = [
            Note("WARNING", subject, T("an injection cannot hold this change ({change})", change=text))
            for subject, text in result.lost
        ]
        notes += [Note("WARNING", os.path.basename(path), text) for text in forms if result.number]
        keep_export(level, T("Export Injection"), notes)
        for note in notes:
            report.warn(note.subject, note.text)
        if not result.number:
            return T("nothing to export")
        return plural("exported one edit", "exported {count} edits", result.number)


register, unregister = bpy.utils.register_classes_factory(
    (
        TOMB_RAIDER_OT_show_edit,
        TOMB_RAIDER_OT_delete_edits,
        TOMB_RAIDER_OT_apply_edits,
        TOMB_RAIDER_OT_refresh_edits,
        IMPORT_SCENE_OT_tomb_raider_injection,
        EXPORT_SCENE_OT_tomb_raider_injection,
    )
)
