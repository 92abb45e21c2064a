"""Operators that check a level, and show, fix or clear its findings."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty
from bpy.types import Collection, Context

from ...formats import ExportError, FormatError
from ...formats.base import T, about
from ...scene.properties import BY_CHECK, BY_EXPORT, make_active, note_mended, open_findings
from ..base.active import active_scene
from ..base.modes import UserMode
from ..base.operators import LevelTool
from ..base.progress import ProgressBar
from ..base.reconciling import prepare
from ..base.reports import Outcome, ToolError, explain, report_line
from ..base.selecting import reveal_only
from ..base.stepped import SteppedTool
from ..base.text.i18n import translate
from .counts import counts_in_words, same_kind, with_count

if TYPE_CHECKING:
    from ...scene.core import Work


class TOMB_RAIDER_OT_check_level(SteppedTool, LevelTool):
    """List what would fail in the game, and what an export would refuse or change"""

    bl_idname = "tomb_raider.check_level"
    bl_label = "Check Level"
    bl_options = {"REGISTER"}

    edits_level = False

    all_rooms: BoolProperty(
        name="Compare All Rooms",
        description="Compare mesh and sectors of all rooms, not only of edited ones",
        options={"SKIP_SAVE"},
    )
    seams: BoolProperty(
        name="Find Seams",
        description="Find gaps between faces that nearly meet, turned textures and faces without light, too",
        options={"SKIP_SAVE"},
    )

    def steps(self, context: Context, bar: ProgressBar) -> "Work[Outcome]":
        from ...scene.core import Report
        from ...scene.interop.projects import check_edited
        from ...scene.pipeline.checks import check_scene, keep

        level, report = self.level(context), Report()
        bar.title = T("Checking {level}", level=level.name)
        with UserMode(context) as mode:
            try:
                prepare(context, mode, level, report)
                yield T("Original"), 0.0
                notes = check_scene(
                    level,
                    all_rooms=self.all_rooms,
                    seams=self.seams,
                    report=report,
                    listener=bar,
                    more=check_edited,
                )
            except (ExportError, FormatError) as error:
                problem = T("{level} was not checked: {error}", level=level.name, error=explain(error))
                raise ToolError(problem) from error
            yield T("Findings"), 1.0
        keep(level, T("Check"), notes)
        severities = {note.severity for note in notes}
        text = counts_in_words((note.severity for note in notes), T("no problems found"))
        report_line(self, "WARNING" if severities & {"ERROR", "WARNING"} else "INFO", about(level.name, text))
        return {"FINISHED"}


class _FindingTool(LevelTool):
    """Base of operators on a finding in the list."""

    number: IntProperty(name="Line", min=0, description="Index of the line in the list")
    every: BoolProperty(
        name="All of This Kind",
        description="All findings of the same kind, not only this one",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    def numbers(self, level: Collection) -> list[int]:
        """Return the indices of the findings to work on."""
        return same_kind(open_findings(level), self.number) if self.every else [self.number]

    def finding(self, context: Context) -> tuple[Collection, Any]:
        """Return the level and the finding. Raises ToolError if the list is shorter."""
        level = self.level(context)
        findings = open_findings(level)
        if self.number >= len(findings):
            raise ToolError(T("The list has no line {number}: check the level again", number=self.number))
        return level, findings[self.number]


class TOMB_RAIDER_OT_show_finding(_FindingTool):
    """Select the object of this finding, and show it in the view"""

    bl_idname = "tomb_raider.show_finding"
    bl_label = "Show"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    edits_level = False

    @classmethod
    def description(cls, context: Context, properties: Any) -> str:
        from ...scene.pipeline.checks import text_of

        level = bpy.data.collections.get(properties.collection)
        findings: list[Any] = open_findings(level) if level is not None else []
        if properties.number < len(findings):
            item: Any = findings[properties.number]
            return translate(
                T(
                    "{subject}: {text}.\nSelects it, and shows it in the view",
                    subject=item.subject,
                    text=text_of(item),
                )
            )
        return translate("Select the object of this finding, and show it in the view")

    def execute(self, context: Context) -> Outcome:
        from ...scene.pipeline.checks import objects_of_note, text_of
        from ..view.first_view import look_at_selection

        level, item = self.finding(context)
        make_active(level, item)
        if context.mode != "OBJECT":
            UserMode(context).leave()
        listed = open_findings(level)
        subjects = [listed[number].subject for number in self.numbers(level)]
        objects = list(dict.fromkeys(obj for name in subjects for obj in objects_of_note(level, name)))
        if item.has_place:
            active_scene(context).cursor.location = item.place
        if not objects and not item.has_place:
            text = T("{subject} has no place in the scene: {text}", subject=item.subject, text=text_of(item))
            report_line(self, "INFO", text)
            return {"CANCELLED"}
        if objects:
            reveal_only(context, objects)
        look_at_selection(context, or_cursor=not objects)
        return {"FINISHED"}


class TOMB_RAIDER_OT_fix_finding(_FindingTool):
    """Fix this problem. Undo reverts it"""

    bl_idname = "tomb_raider.fix_finding"
    bl_label = "Fix"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    fix: StringProperty(
        name="Fix", description="Fix to apply, if there are several", options={"HIDDEN", "SKIP_SAVE"}
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.mesh_and_sectors import FIXES
        from ...scene.pipeline.checks import text_of

        level, item = self.finding(context)
        offered = [key for key in item.fix.split() if key in FIXES and self.fix in ("", key)]
        if not offered:
            raise ToolError(
                T("{subject}: choose a remedy yourself: {text}", subject=item.subject, text=text_of(item))
            )
        fix, findings = FIXES[offered[0]], open_findings(level)
        subject, fixed = str(item.subject), 0
        for number in reversed(self.numbers(level)):
            finding = findings[number]
            try:
                fix.run(level, finding.subject, finding.place if finding.has_place else None)
            except (ExportError, FormatError) as error:
                report_line(self, "ERROR", explain(error))
                break
            note_mended(level, finding)
            fixed += 1
        if not fixed:
            return {"CANCELLED"}
        report_line(self, "INFO", about(with_count(subject, fixed), fix.done))
        return {"FINISHED"}


class TOMB_RAIDER_OT_clear_findings(LevelTool):
    """Clear the list"""

    bl_idname = "tomb_raider.clear_findings"
    bl_label = "Clear"
    bl_options = {"REGISTER"}

    edits_level = False

    found_by: EnumProperty(
        name="Findings",
        items=[
            ("ALL", "All", "Findings of the last check and of the last export", 0),
            (BY_CHECK, "Check", "Findings of the last check", 1),
            (BY_EXPORT, "Export", "Findings of the last export", 2),
        ],
        description="Findings to clear",
        options={"SKIP_SAVE"},
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.pipeline.checks import clear

        level = self.level(context)
        clear(level, (BY_CHECK, BY_EXPORT) if self.found_by == "ALL" else (self.found_by,))
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory(
    (
        TOMB_RAIDER_OT_check_level,
        TOMB_RAIDER_OT_show_finding,
        TOMB_RAIDER_OT_fix_finding,
        TOMB_RAIDER_OT_clear_findings,
    )
)
