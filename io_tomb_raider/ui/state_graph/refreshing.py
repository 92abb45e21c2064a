"""State graphs stay in step with their models.

Drawing only compares, and notes outdated graphs for a timer, which fills them. It pushes no undo step, since
a graph is only a view: one that undo makes outdated is filled again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import bpy
from bpy.types import Action, Area, Object, Screen, Window

from ..animations.active_animation import TREE, action_of, shown_graph
from ..base import stepped
from ..base.layout.drawing import ViewDrawing, draw_batch, flat_points

_REDRAW = 0.02  # seconds within which nodes are drawn together
_PAUSE = 0.5  # seconds between comparisons while a graph is drawn
_LIT = (1.0, 0.75, 0.2, 1.0)
_AROUND = 4.0  # pixels between a node and the line around it


class _State:
    """Numbers between calls, since undo replaces data-blocks."""

    compared = 0.0  #: the time of the last comparison.
    lit: tuple[int, ...] = ()  #: the animations that are lit.
    #: asked, answer: tree, frame and time of the last question for the shown animation, and the answer.
    asked: tuple[int, int, float] = (0, 0, 0.0)
    answer = 0


def graphs() -> Iterator[Any]:
    """Yield all state graphs of the file."""
    for tree in bpy.data.node_groups:
        if tree.bl_idname == TREE:
            yield tree


def refresh_soon() -> None:
    """Fill outdated graphs as soon as Blender is idle."""
    if not bpy.app.background and not bpy.app.timers.is_registered(refresh):
        bpy.app.timers.register(refresh, first_interval=0.0)


def refresh() -> float | None:
    """Fill outdated graphs; called by the timer."""
    from ...scene.authoring.animation_views import fill, is_outdated

    if stepped.is_operator_running():
        return stepped.OPERATOR_PAUSE
    for tree in graphs():
        if tree.is_editable and is_outdated(tree):
            fill(tree)
    _redraw()
    return None


# --- The animation that is shown ----------------------------------------


def shown_animation(model: Object | None) -> Action | None:
    """Return the animation that a model shows at the current frame, or None."""
    from ...scene.authoring.animation_views import Timeline, seen_armature

    timeline = None if model is None else Timeline.of(seen_armature(model))
    if timeline is None:
        return None
    current = timeline.shown(bpy.context.scene.frame_current)
    return current[0] if current is not None else timeline.links[0].action


def is_lit(tree: Any, action: Action) -> bool:
    """Return whether the model of a graph shows an animation. Each node of a redraw asks for it."""
    frame, now = bpy.context.scene.frame_current, time.monotonic()
    if _State.asked[:2] != (tree.session_uid, frame) or now - _State.asked[2] > _REDRAW:
        current = shown_animation(tree.model)
        _State.answer = 0 if current is None else current.session_uid
        _State.asked = tree.session_uid, frame, now
    return action.session_uid == _State.answer


def note_frame() -> None:
    """Redraw graphs whose model shows another animation than before; called when the frame changes."""
    trees = (shown_graph(area.spaces.active) for _, _, area in editors())
    actions = (shown_animation(tree.model) for tree in trees if tree is not None)
    lit = tuple(action.session_uid for action in actions if action is not None)
    if lit != _State.lit:
        _State.lit = lit
        _redraw()


def editors() -> Iterator[tuple[Window, Screen, Area]]:
    """Yield the areas that show state graphs, with their windows and screens."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "NODE_EDITOR" and shown_graph(area.spaces.active) is not None:
                yield window, window.screen, area


def _redraw() -> None:
    for _, _, area in editors():
        area.tag_redraw()


def node_corners(node: Any, scale: float) -> tuple[float, float, float, float]:
    """Return left, bottom, right and top of a node in the view of its editor.

    The location of a node counts from that of the frame around it. The scale is in pixels per unit of the
    interface.
    """
    left = top = 0.0
    above = node
    while above is not None:
        left, top = left + above.location.x, top + above.location.y
        above = above.parent
    width, height = node.dimensions
    return left * scale, top * scale - height, left * scale + width, top * scale


def _draw() -> None:
    """Draw a line around the node of the animation that is shown, and note whether the graph is outdated."""
    context: Any = bpy.context
    tree = shown_graph(context.space_data)
    if tree is None:
        return
    now = time.monotonic()
    if now - _State.compared > _PAUSE:
        from ...scene.authoring.animation_views import is_outdated

        _State.compared = now
        if is_outdated(tree):
            refresh_soon()
    action = shown_animation(tree.model)
    for node in tree.nodes if action is not None else ():
        if action_of(node) == action and node.outputs:
            left, bottom, right, top = node_corners(node, context.preferences.system.ui_scale)
            left, bottom, right, top = left - _AROUND, bottom - _AROUND, right + _AROUND, top + _AROUND
            outline = [(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)]
            draw_batch("LINE_STRIP", flat_points(outline), _LIT, 3.0)


_drawing = ViewDrawing(_draw, "POST_VIEW", bpy.types.SpaceNodeEditor)


def register() -> None:
    _drawing.register()


def unregister() -> None:
    _drawing.unregister()
    if bpy.app.timers.is_registered(refresh):
        bpy.app.timers.unregister(refresh)
