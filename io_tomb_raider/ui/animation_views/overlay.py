"""Overlay of ghosts, tick preview and treadmill in 3D views. Nothing is held but numbers."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ..animations.watched import Watched, watched, watching
from ..base.layout.drawing import ViewDrawing, draw_batch

_GRID = (0.75, 0.85, 1.0)


class _State:
    belt: Any = None


def ghost_triangles(context: Any, model: Watched) -> Any:
    """Return the corners of the triangles of all ghosts in the world, and their colors."""
    from ...scene.authoring.animation_views import GhostMaker, triangles_of

    scene = context.scene
    maker = GhostMaker(model.armature, watching(context), scene.frame_current_final, model.scale)
    return triangles_of(maker.all(), model.matrix)


def treadmill_lines(context: Any, model: Watched) -> tuple[Any, Any] | None:
    """Return the ends of the treadmill's lines in the world, and their colors; None without an action."""
    from ...scene.authoring.animation_views import Belt, Timeline, grid_lines

    timeline = Timeline.of(model.armature)
    if timeline is None:
        return None
    if _State.belt is None:
        _State.belt = Belt()
    key = model.armature.session_uid, timeline.links[0].action.session_uid
    place = _State.belt.place(key, timeline, context.scene.frame_current)
    points, opacity = grid_lines(place)
    world = points * model.scale @ model.matrix[:3, :3].T + model.matrix[:3, 3]
    return world, np.column_stack([np.tile(_GRID, (len(opacity), 1)), opacity])


def _draw() -> None:
    """Draw in a 3D view. Nothing is read where nothing is switched on."""
    context: Any = bpy.context
    settings = watching(context)
    is_running = settings.motion == "TREADMILL"
    if not (settings.ghosts or settings.ticks or is_running):
        return
    model = watched(context) if context.space_data.overlay.show_overlays else None
    if model is None:
        return
    import gpu

    gpu.state.depth_test_set("LESS_EQUAL")
    lines = treadmill_lines(context, model) if is_running else None
    if lines is not None:
        draw_batch("LINES", *lines)
    positions, colors = ghost_triangles(context, model)
    if len(positions):
        # Each ghost hides its own back, and those that are farther in time.
        gpu.state.depth_mask_set(True)
        gpu.state.face_culling_set("BACK")
        draw_batch("TRIS", positions, colors)
        gpu.state.face_culling_set("NONE")
        gpu.state.depth_mask_set(False)
    gpu.state.depth_test_set("NONE")


_drawing = ViewDrawing(_draw, "POST_VIEW")


def register() -> None:
    _drawing.register()


def unregister() -> None:
    _drawing.unregister()
    _State.belt = None
