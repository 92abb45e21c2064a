"""Sidebar lists of the findings of the last check and of the last export."""

from __future__ import annotations

from collections import Counter
from typing import Any

from bpy.types import Collection, Context, UILayout

from ...formats.base import T, about, as_message, unpack
from ...scene.core import levels
from ...scene.properties import BY_CHECK, BY_EXPORT, entry_of, level_of_entry, open_findings
from ..base.layout.panels import LevelSidebar, Rows, listing
from ..base.layout.sidebar import CHECK
from ..base.levels import meant_level
from ..base.text.fitting import panel_width, shortened, wrapped
from ..base.text.i18n import translate
from .counts import counts_in_words, same_kind, with_count

_RESERVED = 66.0  # pixels of a row that its icon, the frame of the list and its buttons take
_MOST_OBJECTS = 8  # buttons for single objects of a kind of findings
_ICONS: dict[str, Any] = {"ERROR": "CANCEL", "WARNING": "ERROR", "INFO": "INFO"}


class _Findings(Rows):
    """Base of lists of findings, most severe first: one row for each kind, which shows its objects."""

    found_by = ""

    def draw_row(self, layout: UILayout, item: Any) -> None:
        level = next((root for root in levels() if item in open_findings(root)), None)
        if level is not None:
            draw_finding(layout, level, item)

    def filter_items(self, context: Context | None, data: Any, name: str) -> Any:
        """Hide findings of other lists and mended ones, and of each kind all but the first one."""
        from ...scene.pipeline.checks import kinds_of

        findings, level = list(getattr(data, name)), level_of_entry(data)
        flags = [0] * len(findings)
        listed = [] if level is None else open_findings(level)
        indices = {finding.uid: index for index, finding in enumerate(findings)}
        for numbers in kinds_of(listed):
            first = listed[numbers[0]]
            if first.found_by == self.found_by:
                flags[indices[first.uid]] = self.bitflag_filter_item
        return flags, []


class TOMB_RAIDER_UL_findings(_Findings):
    """List of the findings of the last check."""

    found_by = BY_CHECK


class TOMB_RAIDER_UL_export_findings(_Findings):
    """List of the findings of the last export."""

    found_by = BY_EXPORT


def draw_finding(layout: UILayout, level: Collection, item: Any) -> None:
    """Draw the row of a finding of a level, which stands for all of its kind."""
    from ...scene.pipeline.checks import text_of

    findings = open_findings(level)
    number = next((index for index, finding in enumerate(findings) if finding == item), None)
    if number is None:  # mended while the list was drawn
        return
    count = len(same_kind(findings, number))
    subject = with_count(item.subject, count)
    text = shortened(translate(about(subject, text_of(item))), panel_width() - _RESERVED)
    icon: Any = _ICONS[item.severity]
    _button(layout, "tomb_raider.show_finding", level, number, text=text, icon=icon, emboss=False)


def _button(layout: UILayout, operator: str, level: Collection, number: int, **looks: Any) -> Any:
    button: Any = layout.operator(operator, **looks)
    button.collection, button.number = level.name, number
    return button


def _fix_buttons(layout: UILayout, level: Collection, item: Any, number: int, count: int) -> None:
    from ...scene.authoring.mesh_and_sectors import FIXES

    for key in item.fix.split():
        if key in FIXES:
            label = translate(FIXES[key].label)
            if count > 1:
                label = translate(T("{fix} ({count})", fix=label, count=count))
            looks: dict[str, Any] = {"text": label, "icon": "TOOL_SETTINGS", "translate": False}
            button = _button(layout, "tomb_raider.fix_finding", level, number, **looks)
            button.fix, button.every = key, count > 1


class VIEW3D_PT_tomb_raider_check(LevelSidebar):
    """Panel of level checks: closed, one line with the button and the number of findings by severity."""

    bl_label = "Check"
    bl_order = CHECK
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header_preset(self, context: Context) -> None:
        level = meant_level(context)
        if level is None:
            return
        entry, row = entry_of(level), self.layout.row(align=True)
        if entry is None or not (entry.checked or entry.exported):
            row.operator("tomb_raider.check_level").collection = level.name
            return
        counts = Counter(finding.severity for finding in open_findings(level))
        for severity, icon in _ICONS.items():
            if counts[severity]:
                row.label(text=str(counts[severity]), icon=icon, translate=False)
        if not counts:
            row.label(text="No Findings")
        row.operator("tomb_raider.check_level", text="", icon="CHECKMARK").collection = level.name

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        from ..base.error_report import last_report

        row = layout.row(align=True)
        row.operator("tomb_raider.check_level").collection = level.name
        button = row.operator("tomb_raider.check_level", text="Find Seams")
        button.collection, button.seams = level.name, True
        button = layout.operator("tomb_raider.check_level", text="Compare All Rooms", icon="MOD_SHRINKWRAP")
        button.collection, button.all_rooms = level.name, True
        layout.operator("tomb_raider.repair_level", text="Repair Level...", icon="TOOL_SETTINGS")
        if last_report():
            layout.operator("tomb_raider.copy_report", icon="COPYDOWN")
        entry = entry_of(level)
        if entry is None:
            return
        for source, kind in (
            (entry.checked, TOMB_RAIDER_UL_findings),
            (entry.exported, TOMB_RAIDER_UL_export_findings),
        ):
            if source:
                _draw_list(layout, level, entry, source, kind)


def _draw_list(layout: UILayout, level: Collection, entry: Any, source: str, kind: type[_Findings]) -> None:
    """Draw the findings of the last check or export below their heading, and the whole active one."""
    findings = open_findings(level)
    severities = [finding.severity for finding in findings if finding.found_by == kind.found_by]
    count, text = len(severities), counts_in_words(severities, T("no findings"))
    layout.label(text=translate(about(as_message(unpack(source)), text)))
    if not count:
        return
    buttons = listing(layout, kind, entry, "findings", "active", rows=min(count, 6), heading="")
    button = buttons.operator("tomb_raider.clear_findings", text="", icon="X")
    button.collection, button.found_by = level.name, kind.found_by
    active = entry.findings[entry.active] if entry.active < len(entry.findings) else None
    for number, item in enumerate(findings):
        if item == active and item.found_by == kind.found_by:
            _draw_whole(layout, level, findings, number)


def _draw_whole(layout: UILayout, level: Collection, findings: list[Any], number: int) -> None:
    """Draw the full text of the active finding, since a row is too short, and its buttons."""
    from ...scene.pipeline.checks import text_of

    item, numbers = findings[number], same_kind(findings, number)
    column = layout.column(align=True)
    if len(numbers) == 1:
        column.label(text=shortened(item.subject, panel_width()), translate=False)
    for line in wrapped(translate(text_of(item))):
        column.label(text=line, translate=False)
    if len(numbers) > 1:
        _draw_kind(column, level, [findings[other].subject for other in numbers], numbers)
    _fix_buttons(column, level, item, number, len(numbers))


def _draw_kind(layout: UILayout, level: Collection, subjects: list[str], numbers: list[int]) -> None:
    """Draw a button for each object of a kind of findings, and one that selects all."""
    text = translate(T("Select All {count}", count=len(numbers)))
    looks: dict[str, Any] = {"text": text, "icon": "RESTRICT_SELECT_OFF", "translate": False}
    _button(layout, "tomb_raider.show_finding", level, numbers[0], **looks).every = True
    for number, subject in list(zip(numbers, subjects, strict=True))[:_MOST_OBJECTS]:
        name = shortened(subject, panel_width())
        _button(layout, "tomb_raider.show_finding", level, number, text=name, translate=False)
    if len(numbers) > _MOST_OBJECTS:
        layout.label(text=f"+ {len(numbers) - _MOST_OBJECTS}", translate=False)


CLASSES = (TOMB_RAIDER_UL_findings, TOMB_RAIDER_UL_export_findings, VIEW3D_PT_tomb_raider_check)
