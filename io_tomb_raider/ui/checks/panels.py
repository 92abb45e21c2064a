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
_ICONS = {"ERROR": "CANCEL", "WARNING": "ERROR", "INFO": "INFO"}


class TOMB_RAIDER_UL_findings(Rows):
    """List of findings, most severe first, with buttons that show them."""

    def draw_row(self, layout: UILayout, item: Any) -> None:
        from ...scene.pipeline.checks.notes import text_of

        number = next(at for at, each in enumerate(item.id_data.tomb_raider.findings) if each == item)
        text = shortened(f"{item.subject}: {translate(text_of(item))}", panel_width() - _BESIDE)
        icon: Any = _ICONS[item.severity]
        _button(layout, "tomb_raider.show_finding", item, number, text=text, icon=icon, emboss=False)


def _button(layout: UILayout, operator: str, item: Any, number: int, **looks: Any) -> Any:
    button: Any = layout.operator(operator, **looks)
    button.collection, button.number = item.id_data.name, number
    return button


def _fix_buttons(layout: UILayout, item: Any, number: int) -> None:
    from ...scene.authoring.mesh_and_sectors.fixes import FIXES

    for key in item.fix.split():
        if key in FIXES:
            looks: dict[str, Any] = {"text": FIXES[key].label, "icon": "TOOL_SETTINGS"}
            _button(layout, "tomb_raider.fix_finding", item, number, **looks).fix = key


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
            column.label(text=shortened(item.subject, panel_width()), translate=False)
            for line in wrapped(translate(text_of(item))):
                column.label(text=line, translate=False)
            _fix_buttons(column, item, place)


CLASSES = (TOMB_RAIDER_UL_findings, VIEW3D_PT_tomb_raider_check)
