"""View of a state graph when it is opened: the state of the animation in use, and its settings.

Blender creates the tabs of a sidebar, and the size of an editor, when it draws them. So a timer waits for
both. Only a number is stored, and editors are looked up on each call.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Action, Area, Screen, Window

from ..animations.active_animation import action_of, shown_graph
from ..view.deferred_ui import choose_tab
from .refreshing import editors

_PAUSE = 0.1  # seconds
_LEFT, _RIGHT = -200.0, 400.0  # positions of the nodes in focus, and where those after it begin
_FIRST, _LAST = 2, 100  # attempts: after the nodes are drawn, and until the tab has to be there


class _Progress:
    """State of the timer: the graph, and the attempts so far."""

    tree = 0
    attempts = 0
    drawn = 0  # attempts since all nodes were drawn, and have a size


def choose_node(tree: Any, action: Action | None) -> None:
    """Make the node of an animation the active one, and the only one that is selected."""
    for node in tree.nodes:
        node.select = action is not None and len(node.outputs) > 0 and action_of(node) == action
        if node.select:
            tree.nodes.active = node


def arrange_soon(tree: Any) -> None:
    """Frame the state of the active node, and choose the sidebar's tab, as soon as Blender has drawn both."""
    _Progress.tree, _Progress.attempts, _Progress.drawn = tree.session_uid, 0, 0
    if not bpy.app.background and not bpy.app.timers.is_registered(_arrange):
        bpy.app.timers.register(_arrange, first_interval=_PAUSE)


def _arrange() -> float | None:
    _Progress.attempts += 1
    is_done = True
    for window, screen, area in editors():
        tree = shown_graph(area.spaces.active)
        if tree is None or tree.session_uid != _Progress.tree:
            continue
        _Progress.drawn += all(node.dimensions[0] > 0 for node in tree.nodes)
        if _Progress.drawn == _FIRST:
            _frame_state(window, screen, area, tree)
        is_done &= choose_tab(area) and _Progress.drawn >= _FIRST
    return _PAUSE if not is_done and _Progress.attempts < _LAST else None


def _frame_state(window: Window, screen: Screen, area: Area, tree: Any) -> None:
    """Frame the nodes around the one in focus that are readable together; of all, those of one state."""
    active = tree.nodes.active
    region = next(region for region in area.regions if region.type == "WINDOW")
    selected = {node.name for node in tree.nodes if node.select}
    framed = _near(tree, region) if not tree.shows_all else set()
    state = None if active is None else active.parent
    for node in tree.nodes:
        node.select = node.name in framed if framed else state is None or node.parent == state
    with bpy.context.temp_override(window=window, screen=screen, area=area, region=region):
        bpy.ops.node.view_selected()
    for node in tree.nodes:
        node.select = node.name in selected


def _near(tree: Any, region: Any) -> set[str]:
    """Return the names of the nodes in focus and beside it that fit into a region with readable text.

    Blender leaves room around them, in which those are that lead to it.
    """
    height = region.height / bpy.context.preferences.system.ui_scale / 2
    return {
        node.name for node in tree.nodes if _LEFT < node.location.x < _RIGHT and abs(node.location.y) < height
    }


def unregister() -> None:
    if bpy.app.timers.is_registered(_arrange):
        bpy.app.timers.unregister(_arrange)


def register() -> None:
    """Do nothing: the operator starts the timer."""
