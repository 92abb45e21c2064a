"""The state graph that a node editor shows, and the animation of its active node."""

from __future__ import annotations

from typing import Any

from bpy.types import Action

TREE = "TombRaiderStateGraph"


def shown_graph(space: Any) -> Any | None:
    """Return the state graph that a space shows, or None."""
    if getattr(space, "type", "") != "NODE_EDITOR" or getattr(space, "tree_type", "") != TREE:
        return None
    tree = space.edit_tree
    return tree if tree is not None and tree.bl_idname == TREE else None


def action_of(node: Any) -> Action | None:
    """Return the animation of a node of a state graph, or None."""
    rows, number = getattr(node.id_data, "actions", ()), getattr(node, "number", -1)
    result: Action | None = rows[number].action if 0 <= number < len(rows) else None
    return result


def active_graph_action(space: Any) -> Action | None:
    """Return the animation of the active node of the graph that a space shows, or None."""
    tree = shown_graph(space)
    node = None if tree is None else tree.nodes.active
    return None if node is None else action_of(node)
