"""Overlays in 3D views and other editors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
from bpy.types import Context


def redraw_views(_manager: object, context: Context) -> None:
    """Redraw all 3D views; update callback of settings of the window manager."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


class ViewDrawing:
    """An overlay in all editors of a type while the extension is enabled. Not drawn without windows.

    Args:
        draw: draws into the view of the context.
        when: POST_VIEW for world coordinates, POST_PIXEL for screen coordinates.
        space: the type of the editors' spaces, by default that of 3D views.
    """

    def __init__(self, draw: Callable[[], None], when: str, space: type[Any] = bpy.types.SpaceView3D) -> None:
        self._draw, self._when, self._space = draw, when, space
        self._handler: Any = None

    @property
    def is_drawn(self) -> bool:
        """Whether the draw handler is registered."""
        return self._handler is not None

    def register(self) -> None:
        if not bpy.app.background:
            self._handler = self._space.draw_handler_add(self._draw, (), "WINDOW", self._when)

    def unregister(self) -> None:
        if self._handler is not None:
            self._space.draw_handler_remove(self._handler, "WINDOW")
        self._handler = None
