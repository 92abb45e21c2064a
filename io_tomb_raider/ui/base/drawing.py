"""Drawing into 3D views on top of what Blender shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
from bpy.types import Context, WindowManager


def redraw_views(_manager: WindowManager, context: Context) -> None:
    """Draw all 3D views again: what a setting of the window manager calls when it was changed."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


class ViewDrawing:
    """Something that is drawn into all 3D views while the extension is enabled, where there are windows.

    Args:
        draw: draws it into the view of the context.
        when: POST_VIEW to draw in the world, POST_PIXEL on the screen.
    """

    def __init__(self, draw: Callable[[], None], when: str) -> None:
        self._draw, self._when = draw, when
        self._handler: Any = None

    @property
    def is_drawn(self) -> bool:
        """Whether Blender calls it."""
        return self._handler is not None

    def register(self) -> None:
        if not bpy.app.background:
            self._handler = bpy.types.SpaceView3D.draw_handler_add(self._draw, (), "WINDOW", self._when)

    def unregister(self) -> None:
        if self._handler is not None:
            bpy.types.SpaceView3D.draw_handler_remove(self._handler, "WINDOW")
        self._handler = None
