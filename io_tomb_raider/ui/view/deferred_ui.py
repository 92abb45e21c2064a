"""Settings that require a drawn window: the sidebar's tab, and expanded rows of the outliner.

Blender creates the tabs of a sidebar and the rows of an outliner when it draws them, so a timer retries until
they exist; in other workspaces, when these are opened for the first time. Only names are stored, and windows
are looked up on each call.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
from bpy.types import Area, Screen, Window

from ..base.layout.sidebar import TAB

_PAUSE = 0.1  # seconds
_MAX_ATTEMPTS = 100  # large files take seconds until they are drawn
_MAX_DEPTH = 8  # nested levels of an outliner that are collapsed


class _Progress:
    """State of the timer: attempts so far, whether it waits for tabs, and screens that are not done yet."""

    attempts = 0
    with_tabs = True
    waiting: frozenset[str] = frozenset()


_progress = _Progress()


def arrange_window(*, with_tabs: bool = True) -> None:
    """Activate the tab in all sidebars, if wanted, and collapse rooms in outliners, once both are drawn."""
    _progress.with_tabs = with_tabs
    _progress.waiting = frozenset(screen.name for screen in bpy.data.screens)
    bpy.msgbus.clear_by_owner(_progress)
    key: Any = (Window, "workspace")  # Blender's stubs expect an instance
    bpy.msgbus.subscribe_rna(key=key, owner=_progress, args=(), notify=_start, options={"PERSISTENT"})
    _start()


def _start() -> None:
    """Start the timer if the screen shown is not done yet."""
    screens = {screen.name for _, screen, _ in _areas("VIEW_3D")}
    if not screens & _progress.waiting:
        return
    _progress.attempts, _progress.waiting = 0, _progress.waiting - screens
    if not bpy.app.background and not bpy.app.timers.is_registered(_retry):
        bpy.app.timers.register(_retry, first_interval=_PAUSE)


def _retry() -> float | None:
    _progress.attempts += 1
    if _progress.with_tabs and not choose_tabs() and _progress.attempts < _MAX_ATTEMPTS:
        return _PAUSE
    close_rooms()
    return None


def _areas(kind: str) -> Iterator[tuple[Window, Screen, Area]]:
    """Yield the visible areas of a type."""
    manager = bpy.context.window_manager
    for window in manager.windows:
        for area in window.screen.areas:
            if area.type == kind:
                yield window, window.screen, area


def choose_tabs() -> bool:
    """Activate the tab in all visible sidebars; return whether all of them had it."""
    return all([choose_tab(area) for _, _, area in _areas("VIEW_3D")])


def choose_tab(area: Area) -> bool:
    """Activate the tab in the sidebar of an area; return whether it is there."""
    sidebar: Any = next(region for region in area.regions if region.type == "UI")
    try:
        sidebar.active_panel_category = TAB
    except (AttributeError, TypeError):  # the tabs are created when the sidebar is drawn
        return False
    finally:
        sidebar.tag_redraw()
    return True


def close_rooms() -> None:
    """Expand each outliner to the collections of levels, and collapse the contents of rooms and libraries.

    Blender expands every new collection, and only operators can collapse them.
    """
    operator: Any = bpy.ops.outliner.show_one_level
    for window, screen, area in _areas("OUTLINER"):
        region = next(region for region in area.regions if region.type == "WINDOW")
        with bpy.context.temp_override(window=window, screen=screen, area=area, region=region):
            if area.spaces.active.display_mode != "VIEW_LAYER" or not operator.poll():
                continue
            for _ in range(_MAX_DEPTH):
                operator(open=False)
            for _ in range(2):  # the scene, and the level
                operator(open=True)


def unregister() -> None:
    bpy.msgbus.clear_by_owner(_progress)
    if bpy.app.timers.is_registered(_retry):
        bpy.app.timers.unregister(_retry)


def register() -> None:
    """Do nothing: the timer is started by the import of a level."""
