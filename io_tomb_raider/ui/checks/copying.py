"""Copy Report: the last error as text for the developers."""

from __future__ import annotations

from bpy.types import Context, Menu, Operator

from ...formats.base import T
from ..base.conditions import ConditionalTool, condition
from ..base.layout.menu_entries import Entries, with_entries
from ..base.reports import Outcome, report_line


def _reported() -> str:
    from ..base.error_report import last_report

    return last_report()


class TOMB_RAIDER_OT_copy_report(ConditionalTool, Operator):
    """Copy the last error with versions and counts to the clipboard, without folders or content of files"""

    bl_idname = "tomb_raider.copy_report"
    bl_label = "Copy Report"
    requires = condition(lambda _context: _reported(), T("No error was reported since Blender was started"))

    def execute(self, context: Context) -> Outcome:
        manager = context.window_manager
        assert manager is not None  # Blender always has one
        manager.clipboard = _reported()
        report_line(self, "INFO", T("Copied the report. Paste it where you report the error"))
        return {"FINISHED"}


def _draw_help(menu: Menu, _context: Context) -> None:
    menu.layout.operator("tomb_raider.copy_report", text="Copy Tomb Raider Report", icon="COPYDOWN")


def _draw_info(menu: Menu, _context: Context) -> None:
    if _reported():
        menu.layout.separator()
        _draw_help(menu, _context)


_ENTRIES: Entries = (("TOPBAR_MT_help", _draw_help), ("INFO_MT_context_menu", _draw_info))

register, unregister = with_entries((TOMB_RAIDER_OT_copy_report,), _ENTRIES)
