"""Sidebar copies of the object panels of the properties editor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bpy.types import Context, Panel

TAB = "Tomb Raider"
# Order of the panels: those of the level stand on top and never move; those of the selection follow.
LEVEL, CHECK, VISIBILITY, SELECTION, TOOLS = 0, 1, 2, 4, 10
MODES = ("OBJECT", "POSE")


def in_sidebar(panels: Iterable[type[Any]]) -> tuple[type[Panel], ...]:
    """Return a sidebar copy of each panel in the object tab of the properties editor."""
    return tuple(
        _like(panel)
        for panel in panels
        if issubclass(panel, Panel)
        and panel.bl_space_type == "PROPERTIES"
        and getattr(panel, "bl_context", "") == "object"
    )


def _like(panel: type[Panel]) -> type[Panel]:
    def poll(cls: type[Panel], context: Context) -> bool:
        # In edit mode, the tools for the edited mesh have priority.
        return context.mode in MODES and panel.poll(context)

    settings: dict[str, Any] = {
        "__module__": panel.__module__,
        "__doc__": panel.__doc__,
        "bl_space_type": "VIEW_3D",
        "bl_region_type": "UI",
        "bl_category": TAB,
        "bl_context": "",
        "bl_label": panel.bl_label.removeprefix("Tomb Raider "),
        "bl_order": SELECTION + getattr(panel, "bl_order", 0),
        "poll": classmethod(poll),
    }
    return type(f"VIEW3D_PT_{panel.__name__.split('_PT_')[1]}", (panel,), settings)
