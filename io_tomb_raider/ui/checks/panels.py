"""Sidebar list of findings of the last check or export."""

from __future__ import annotations

from typing import Any

from bpy.types import Collection, Context, UILayout

from ..base.i18n import translate
from ..base.panels import LevelSidebar, Rows, listing

_ICONS = {"ERROR": "CANCEL", "WARNING": "ERROR", "INFO": "INFO"}


class TOMB_RAIDER_UL_findings(Rows):
    """List of findings, most severe first, with buttons that show them."""

    def draw_row(self, layout: UILayout, item: Any) -> None:
        number = next(at for at, each in enumerate(item.id_data.tomb_raider.findings) if each == item)
        row = layout.row(align=True)
        text = f"{item.subject}: {translate(item.text)}"
        icon: Any = _ICONS[item.severity]
        _button(row, "tomb_raider.show_finding", item, number, text=text, icon=icon, emboss=False)
        _fix_button(row, item, number)


def _button(layout: UILayout, operator: str, item: Any, number: int, **looks: Any) -> None:
    button: Any = layout.operator(operator, **looks)
    button.collection, button.number = item.id_data.name, number


def _fix_button(layout: UILayout, item: Any, number: int) -> None:
    from ...scene.pipeline.checks.fixes import FIXES

    if item.fix in FIXES:
        label = FIXES[item.fix].label
        _button(layout, "tomb_raider.fix_finding", item, number, text=label, icon="TOOL_SETTINGS")


class VIEW3D_PT_tomb_raider_check(LevelSidebar):
    """Panel of level checks."""

    bl_label = "Check"
    bl_order = 10

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        button = layout.operator("tomb_raider.check_level", icon="CHECKMARK")
        button.collection = level.name
        settings = level.tomb_raider
        if not settings.findings_of:
            return
        count = len(settings.findings)
        text = "nothing to tell" if not count else "1 line" if count == 1 else f"{count} lines"
        layout.label(text=translate(f"{settings.findings_of}: {text}"))
        if count:
            buttons = listing(layout, TOMB_RAIDER_UL_findings, settings, "findings", "active_finding", rows=6)
            button = buttons.operator("tomb_raider.clear_findings", text="", icon="X")
            button.collection = level.name
            self._draw_whole(layout, settings)

    def _draw_whole(self, layout: UILayout, settings: Any) -> None:
        """Draw the full text of the active finding, since a row is too short, and its buttons."""
        place = settings.active_finding
        if place < len(settings.findings):
            item = settings.findings[place]
            column = layout.column(align=True)
            column.label(text=item.subject)
            for line in _lines(translate(item.text)):
                column.label(text=line, translate=False)
            row = column.row(align=True)
            _button(row, "tomb_raider.show_finding", item, place, text="Select", icon="RESTRICT_SELECT_OFF")
            _fix_button(row, item, place)


_WIDTH = 44  # characters that fit into a sidebar


def _lines(text: str) -> list[str]:
    """Return a text wrapped into lines, since labels do not wrap."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + len(word) >= _WIDTH:
            lines.append("")
        lines[-1] += f"{' ' if lines[-1] else ''}{word}"
    return lines


CLASSES = (TOMB_RAIDER_UL_findings, VIEW3D_PT_tomb_raider_check)
