"""Sidebar copies of the object panels of the properties editor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bpy.types import Context, Panel

TAB = "Tomb Raider"
# Order of the panels: those of the level stand on top and never move; those of the selection follow.
LEVEL, CHECK, SELECTION, TOOLS = 0, 1, 4, 10
MODES = ("OBJECT",)
BRUSH = "tomb_raider.texture_brush"  # the tool


def is_local(context: Context) -> bool:
    """Return whether the 3D view shows some objects only: those of an opened model, or of isolated rooms."""
    return getattr(context.space_data, "local_view", None) is not None


def is_painting(context: Context) -> bool:
    """Return whether the texture brush is the active tool of the 3D view."""
    workspace = getattr(context, "workspace", None)
    if workspace is None:
        return False
    tool = workspace.tools.from_space_view3d_mode(context.mode, create=False)
    return tool is not None and tool.idname == BRUSH


def has_selection(context: Context) -> bool:
    """Return whether the tab shows the tools of the selection: not while one paints with the brush."""
    return not is_nothing_selected(context) and not is_painting(context)


def is_nothing_selected(context: Context) -> bool:
    """Return whether no object is selected. Hidden objects cannot be selected, but may be active."""
    if context.mode != "OBJECT" or context.selected_objects:
        return False
    return context.object is None or bool(context.object.visible_get())


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
        # In other modes, the tools for the edited mesh or the pose have priority.
        is_shown = context.mode in getattr(panel, "modes", MODES) and has_selection(context)
        return is_shown and panel.poll(context)

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
    if hasattr(panel, "bl_parent_id"):
        settings["bl_parent_id"] = panel.bl_parent_id.replace("OBJECT_PT_", "VIEW3D_PT_")
    return type(f"VIEW3D_PT_{panel.__name__.split('_PT_')[1]}", (panel,), settings)
