"""Sidebar list of findings of the last check or export."""

from __future__ import annotations

from typing import Any

from bpy.types import Collection, Context, UILayout

from ...formats.base.messages import T, about
from ..base.error_report import last_report
from ..base.fitting import panel_width, shortened, wrapped
from ..base.i18n import translate
from ..base.panels import LevelSidebar, Rows, listing
from ..base.sidebar import CHECK

_BESIDE = 66.0  # pixels of a row that its icon, the frame of the list and its buttons take
_MOST_OBJECTS = 8  # buttons for single objects of a kind of findings
_ICONS = {"ERROR": "CANCEL", "WARNING": "ERROR", "INFO": "INFO"}


class TOMB_RAIDER_UL_findings(Rows):
    """List of findings, most severe first: one row for each kind, with a button that shows its objects."""

    def draw_row(self, layout: UILayout, item: Any) -> None:
        from ...scene.pipeline.checks.notes import text_of

        findings = item.id_data.tomb_raider.findings
        number = next(at for at, each in enumerate(findings) if each == item)
        count = len(_same_kind(findings, number))
        problem = translate(text_of(item))
        text = f"{item.subject}: {problem}" if count == 1 else f"{count}x {problem}"
        text = shortened(text, panel_width() - _BESIDE)
        icon: Any = _ICONS[item.severity]
        _button(layout, "tomb_raider.show_finding", item, number, text=text, icon=icon, emboss=False)

    def filter_items(self, context: Context | None, data: Any, name: str) -> Any:
        """Hide all findings of a kind but the first one."""
        from ...scene.pipeline.checks.notes import kinds_of

        findings = getattr(data, name)
        flags = [0] * len(findings)
        for numbers in kinds_of(findings):
            flags[numbers[0]] = self.bitflag_filter_item
        return flags, []


def _same_kind(findings: Any, number: int) -> list[int]:
    from ...scene.pipeline.checks.notes import kinds_of

    return next(numbers for numbers in kinds_of(findings) if number in numbers)


def _button(layout: UILayout, operator: str, item: Any, number: int, **looks: Any) -> Any:
    button: Any = layout.operator(operator, **looks)
    button.collection, button.number = item.id_data.name, number
    return button


def _fix_buttons(layout: UILayout, item: Any, number: int, count: int) -> None:
    from ...scene.authoring.mesh_and_sectors.fixes import FIXES

    for key in item.fix.split():
        if key in FIXES:
            label = translate(FIXES[key].label)
            if count > 1:
                label = translate(T("{fix} ({count})", fix=label, count=count))
            looks: dict[str, Any] = {"text": label, "icon": "TOOL_SETTINGS", "translate": False}
            button = _button(layout, "tomb_raider.fix_finding", item, number, **looks)
            button.fix, button.every = key, count > 1


class VIEW3D_PT_tomb_raider_check(LevelSidebar):
    """Panel of level checks."""

    bl_label = "Check"
    bl_context = ""
    bl_order = CHECK

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        from ...scene.pipeline.checks.notes import source_of

        button = layout.operator("tomb_raider.check_level", icon="CHECKMARK")
        button.collection = level.name
        button = layout.operator("tomb_raider.check_level", text="Compare All Rooms", icon="MOD_SHRINKWRAP")
        button.collection, button.all_rooms = level.name, True
        if last_report():
            layout.operator("tomb_raider.copy_report", icon="COPYDOWN")
        button = layout.operator("tomb_raider.check_level", text="Find Seams", icon="SNAP_EDGE")
        button.collection, button.seams = level.name, True
        layout.operator("tomb_raider.repair_level", text="Repair Level...", icon="TOOL_SETTINGS")
        settings = level.tomb_raider
        if not settings.findings_of:
            return
        count = len(settings.findings)
        text = (
            T("no findings") if not count else T("1 line") if count == 1 else T("{count} lines", count=count)
        )
        layout.label(text=translate(about(source_of(level), text)))
        if count:
            buttons = listing(
                layout, TOMB_RAIDER_UL_findings, settings, "findings", "active_finding", rows=6, heading=""
            )
            button = buttons.operator("tomb_raider.clear_findings", text="", icon="X")
            button.collection = level.name
            self._draw_whole(layout, settings)

    def _draw_whole(self, layout: UILayout, settings: Any) -> None:
        """Draw the full text of the active finding, since a row is too short, and its buttons."""
        from ...scene.pipeline.checks.notes import text_of

        place = settings.active_finding
        if place < len(settings.findings):
            item = settings.findings[place]
            column = layout.column(align=True)
            numbers = _same_kind(settings.findings, place)
            if len(numbers) == 1:
                column.label(text=shortened(item.subject, panel_width()), translate=False)
            for line in wrapped(translate(text_of(item))):
                column.label(text=line, translate=False)
            if len(numbers) > 1:
                self._draw_kind(column, settings, numbers)
            _fix_buttons(column, item, place, len(numbers))

    def _draw_kind(self, layout: UILayout, settings: Any, numbers: list[int]) -> None:
        """Draw a button for each object of a kind of findings, and one that selects all."""
        item = settings.findings[numbers[0]]
        text = translate(T("Select All {count}", count=len(numbers)))
        looks: dict[str, Any] = {"text": text, "icon": "RESTRICT_SELECT_OFF", "translate": False}
        _button(layout, "tomb_raider.show_finding", item, numbers[0], **looks).every = True
        for number in numbers[:_MOST_OBJECTS]:
            name = shortened(settings.findings[number].subject, panel_width())
            _button(layout, "tomb_raider.show_finding", item, number, text=name, translate=False)
        if len(numbers) > _MOST_OBJECTS:
            layout.label(text=f"+ {len(numbers) - _MOST_OBJECTS}", translate=False)


CLASSES = (TOMB_RAIDER_UL_findings, VIEW3D_PT_tomb_raider_check)
