"""The active tile and the grid of cells, drawn over the image of Image Editors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.types import Context

from ..base.layout.drawing import ViewDrawing, draw_batch, flat_points
from .choosing import TOOL, grid_size, tile_image
from .settings import texturing

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TILE, _OUTLINE, _GRID = (1.0, 0.85, 0.3, 1.0), (0.0, 0.0, 0.0, 0.8), (1.0, 1.0, 1.0, 0.25)
_NARROW = 6  # pixels of the screen between lines, below which no grid is drawn
_MOST_LINES = 2048


def tile_outline(context: Context) -> NDArray[np.float32] | None:
    """Return the corners of the active tile on the image that an editor shows, (4, 2).

    They are in parts of the image, from its lower left; None if it shows another image.
    """
    tile, image = texturing(context).tile, tile_image(context)
    left, top, width, height = tile.area
    if image is None or tile.image != image or not (width > 0 and height > 0):
        return None
    x, y = np.array([left, left + width]), np.array([top, top + height])
    u, v = x / image.size[0], 1 - y / image.size[1]
    return np.array([(u[0], v[0]), (u[1], v[0]), (u[1], v[1]), (u[0], v[1])], np.float32)


def grid_lines(size: tuple[int, int], grid: int) -> NDArray[np.float32]:
    """Return the ends of the lines between the cells of an image in parts of it, (n, 2)."""
    columns, rows = (np.arange(grid, side, grid) / side for side in size)
    ends = [(x, end) for x in columns.tolist() for end in (0.0, 1.0)]
    ends += [(end, 1 - y) for y in rows.tolist() for end in (0.0, 1.0)]
    return np.array(ends, np.float32).reshape(-1, 2)


def _is_choosing(context: Context) -> bool:
    space: Any = context.space_data
    workspace: Any = context.workspace
    tool = workspace.tools.from_space_image_mode(space.mode, create=False) if workspace is not None else None
    return tool is not None and tool.idname == TOOL


def _draw() -> None:
    """Draw in an Image Editor. Nothing is stored between calls, since undo invalidates references."""
    context = bpy.context
    region, image = context.region, tile_image(context)
    if image is None or region is None:
        return
    view = region.view2d
    low, high = (np.array(view.view_to_region(end, end, clip=False), np.float64) for end in (0.0, 1.0))
    outline = tile_outline(context)
    is_choosing = _is_choosing(context)
    if not is_choosing and outline is None:
        return
    size, grid = image.size, grid_size(context)
    narrow = min(abs(high - low) / (size[0], size[1])) * grid
    if is_choosing and grid > 1 and narrow >= _NARROW:
        ends = grid_lines((size[0], size[1]), grid)
        if len(ends) <= 2 * _MOST_LINES:
            draw_batch("LINES", flat_points(low + ends * (high - low)), _GRID)
    if outline is not None:
        corners = (low + outline * (high - low))[[0, 1, 2, 3, 0]]
        for width, color in ((3.0, _OUTLINE), (1.0, _TILE)):
            draw_batch("LINE_STRIP", flat_points(corners), color, width)


_drawing = ViewDrawing(_draw, "POST_PIXEL", bpy.types.SpaceImageEditor)


def register() -> None:
    _drawing.register()


def unregister() -> None:
    _drawing.unregister()
