"""Overlays in 3D views and other editors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.types import Context

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def redraw_views(_manager: object, context: Context) -> None:
    """Redraw all 3D views; update callback of settings of the window manager."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def draw_batch(kind: Any, points: ArrayLike, color: ArrayLike, width: float = 1.0) -> None:
    """Draw lines or triangles over a view, blended by their opacity.

    Args:
        kind: LINES, LINE_STRIP or TRIS.
        points: (n, 3).
        color: (4,), linear with opacity, or one for each point, (n, 4).
        width: of lines, in pixels.
    """
    import gpu

    positions, colors = np.asarray(points, np.float32), np.asarray(color, np.float32)
    is_flat = colors.ndim == 1
    shader = gpu.shader.from_builtin("UNIFORM_COLOR" if is_flat else "FLAT_COLOR")
    vertices: Any = gpu.types.GPUVertBuf(shader.format_calc(), len(positions))
    vertices.attr_fill("pos", positions)
    if not is_flat:
        vertices.attr_fill("color", colors)
    batch = gpu.types.GPUBatch(type=kind, buf=vertices)
    gpu.state.blend_set("ALPHA")
    gpu.state.line_width_set(width)
    shader.bind()
    if is_flat:
        shader.uniform_float("color", colors.tolist())
    batch.draw(shader)
    gpu.state.line_width_set(1.0)
    gpu.state.blend_set("NONE")


def flat_points(points: Sequence[Any] | Any) -> Any:
    """Return points of the screen, (n, 2), as points to draw, (n, 3)."""
    coordinates = np.asarray(points, np.float32).reshape(-1, 2)
    return np.column_stack([coordinates, np.zeros(len(coordinates), np.float32)])


class ViewDrawing:
    """An overlay in all editors of a type while the extension is enabled. Not drawn without windows.

    It is drawn at POST_VIEW in world coordinates, or at POST_PIXEL in screen coordinates.
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
