"""What can be set only once Blender has drawn: the sidebar's tab, and what the outliner shows open.

Blender makes the tabs of a sidebar and the rows of an outliner as it draws them, so a timer asks again
until they are there; in other workspaces, once they are opened for the first time. It holds names alone: it
looks up windows whenever it is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
from bpy.types import Area, Screen, Window

from ..base.sidebar import TAB

_PAUSE = 0.1  # seconds
_MOST_TURNS = 30
_MOST_LEVELS = 8  # that an outliner has open; more are closed in another round


class _Settling:
    """How often the timer has asked already, whether it waits for tabs, and in which screens it will."""

    turns = 0
    with_tabs = True
    waiting: frozenset[str] = frozenset()


_settling = _Settling()


def arrange_window(*, with_tabs: bool = True) -> None:
    """Choose the tab in all sidebars, and close rooms in the outliner, as soon as both are drawn.

    Args:
        with_tabs: whether sidebars are to show the tab.
    """
    _settling.with_tabs = with_tabs
    _settling.waiting = frozenset(screen.name for screen in bpy.data.screens)
    bpy.msgbus.clear_by_owner(_settling)
    key: Any = (Window, "workspace")  # which Blender's stubs want an instance for
    bpy.msgbus.subscribe_rna(key=key, owner=_settling, args=(), notify=_start, options={"PERSISTENT"})
    _start()


def _start() -> None:
    """Begin to ask, where a screen is shown that has not been settled."""
    seen = {screen.name for _, screen, _ in _areas("VIEW_3D")}
    if not seen & _settling.waiting:
        return
    _settling.turns, _settling.waiting = 0, _settling.waiting - seen
    if not bpy.app.background and not bpy.app.timers.is_registered(_try):
        bpy.app.timers.register(_try, first_interval=_PAUSE)


def _try() -> float | None:
    _settling.turns += 1
    if _settling.with_tabs and not choose_tabs() and _settling.turns < _MOST_TURNS:
        return _PAUSE
    close_rooms()
    return None


def _areas(kind: str) -> Iterator[tuple[Window, Screen, Area]]:
    """Yield the areas of a kind that are on the screen."""
    manager = bpy.context.window_manager
    for window in manager.windows:
        for area in window.screen.areas:
            if area.type == kind:
                yield window, window.screen, area


def choose_tabs() -> bool:
    """Show the tab in the sidebars that are on the screen; tell whether all have it."""
    done = True
    for _, _, area in _areas("VIEW_3D"):
        sidebar: Any = next(region for region in area.regions if region.type == "UI")
        try:
            sidebar.active_panel_category = TAB
        except (AttributeError, TypeError):  # it has no tabs, or not this one, before it is drawn
            done = False
        sidebar.tag_redraw()
    return done


def close_rooms() -> None:
    """Show in every outliner the level and what it is made of, but not what rooms and libraries hold.

    Blender opens every new collection. Its operators are the only way to close them.
    """
    operator: Any = bpy.ops.outliner.show_one_level
    for window, screen, area in _areas("OUTLINER"):
        region = next(each for each in area.regions if each.type == "WINDOW")
        with bpy.context.temp_override(window=window, screen=screen, area=area, region=region):
            if area.spaces.active.display_mode != "VIEW_LAYER" or not operator.poll():
                continue
            for _ in range(_MOST_LEVELS):
                operator(open=False)
            for _ in range(2):  # the scene, and the level
                operator(open=True)


def unregister() -> None:
    bpy.msgbus.clear_by_owner(_settling)
    if bpy.app.timers.is_registered(_try):
        bpy.app.timers.unregister(_try)


def register() -> None:
    """There is nothing to do before a level is imported."""
