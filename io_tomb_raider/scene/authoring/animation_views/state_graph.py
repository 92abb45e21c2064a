"""The state machine of a model as a node tree: one node per animation, one frame per state.

The tree is a view: actions hold the data, and exports never read the tree. Blender draws links in cycles as
errors, and state machines consist of cycles. So an animation has two nodes: links end at the one where it
begins, and leave the other, next to it. Nodes refer to animations by numbers in a list of the tree, since
Blender's clipboard would copy whole levels along with pointers of nodes.

By default, a tree has only the animation in focus, and those that lead to it or follow it: Lara's animations
have too many links to read them all.

Each output of a node knows the node to which it led when both were last compared. So a link that the user
changes differs from one that is outdated, and from one that is missing because its node was deleted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Action, Object

from ....catalogue import names
from ...subjects.animations.changes.chains import length
from ...subjects.animations.changes.transitions import set_next, set_target
from ...subjects.animations.names import game_of_action
from .graph import BEGIN_LEFT, BEGIN_WIDTH, NONE, WIDTH, Graph, GraphAnimation

TREE, SOCKET = "TombRaiderStateGraph", "TombRaiderTransitionSocket"
NODE, BEGIN = "TombRaiderAnimationNode", "TombRaiderBeginNode"
INPUT, NEXT, NEW = -3, -1, -2  # instead of the place of a state change, in sockets
_OUTPUTS = (NEXT, NEW)  # state changes follow, so that more of them need no moving
_STATE = "tomb_raider_state"  # custom property of frames
_MANY = 4095  # links to one input

_APART = 1.0


class _Filling:
    """State of :func:`fill`, during which changes of a tree are no edits of the user."""

    depth = 0  #: the number of calls.
    #: graph, arrange: what to fill a tree with within Blender's next update of it, if that is to happen.
    graph: Graph | None = None
    arrange = False


@contextmanager
def _filling() -> Iterator[None]:
    _Filling.depth += 1
    try:
        yield
    finally:
        _Filling.depth -= 1
        _Filling.graph = None


def update(tree: Any) -> bool:
    """Handle a change of a tree's nodes or links; called by Blender's update of the tree.

    Returns:
        Whether the tree has to be filled again, later: Blender may still hold the link that has been drawn.
    """
    if not _Filling.depth:
        return take_over(tree)
    if _Filling.graph is not None:
        graph, _Filling.graph = _Filling.graph, None
        _fill(tree, graph, arrange=_Filling.arrange)
        _Filling.arrange = False
    return False


# --- Trees ----------------------------------------


def find_tree(model: Object) -> Any | None:
    """Return the tree of a model, or None."""
    for tree in bpy.data.node_groups:
        if tree.bl_idname == TREE and getattr(tree, "model", None) == model:
            return tree
    return None


def make_tree(model: Object, focus: Action | None = None) -> Any:
    """Return the tree of a model, made if there is none, and filled, with an animation in focus."""
    tree = find_tree(model)
    if tree is None:
        trees: Any = bpy.data.node_groups
        tree = trees.new(f"{model.name} States", TREE)
        tree.model = model
    set_focus(tree, focus)
    return tree


def set_focus(tree: Any, action: Action | None) -> None:
    """Show what leads to and from an animation. Without one, the focus stays."""
    moves = action is not None and tree.focus != action
    if moves:
        tree.focus = action
    fill(tree, arrange=moves and not tree.shows_all)


def _focus(tree: Any, graph: Graph) -> int:
    """Return the number of the animation in focus, NONE if the tree shows all."""
    if tree.shows_all or tree.focus not in graph.actions:
        return NONE
    return graph.actions.index(tree.focus)


def _signature(tree: Any, graph: Graph) -> str:
    """Return a text that differs where two trees of a model show other nodes or links."""
    return f"{_focus(tree, graph)}|{graph.signature}"


def is_outdated(tree: Any) -> bool:
    """Return whether a tree shows other animations or transitions than its model has, or has torn nodes."""
    if tree.model is None:
        return False
    graph = Graph.of(tree.model)
    return (
        bool(tree.signature != _signature(tree, graph))
        or [row.action for row in tree.actions] != graph.actions
        or _is_torn(tree)
    )


def _is_torn(tree: Any) -> bool:
    """Return whether a node where an animation begins is not beside the animation's other node."""
    places: dict[int, tuple[float, float]] = {}
    for node in tree.nodes:
        if node.bl_idname in (NODE, BEGIN) and node.number >= 0:
            x, y = node.location
            left, top = places.setdefault(node.number, _beside(node.bl_idname, x, y))
            here = _beside(node.bl_idname, x, y)
            if abs(here[0] - left) + abs(here[1] - top) > _APART:
                return True
    return False


def _beside(kind: str, x: float, y: float) -> tuple[float, float]:
    """Return the place of an animation from that of one of its nodes."""
    return (x + BEGIN_LEFT, y) if kind == BEGIN else (x, y)


def fill(tree: Any, *, arrange: bool = False) -> None:
    """Make the nodes and links of a tree those of its model. Nodes that are there stay in their places.

    Args:
        tree: a state graph. Without a model, it becomes empty.
        arrange: put all nodes into place.
    """
    graph = Graph([], []) if tree.model is None else Graph.of(tree.model)
    with _filling():
        # Blender updates a tree after each change, but not within an update: a tenth of the time.
        _Filling.graph, _Filling.arrange = graph, arrange
        active = tree.nodes.active
        active = "" if active is None else active.name
        helper = tree.nodes.new("NodeFrame")
        if tree.signature != _signature(tree, graph) or _Filling.graph is not None:
            _fill(tree, graph, arrange=arrange)  # the update did not come or has failed
        tree.nodes.remove(helper)
        if active in tree.nodes:
            tree.nodes.active = tree.nodes[active]


def _fill(tree: Any, graph: Graph, *, arrange: bool) -> None:
    tree.signature = ""
    focus = _focus(tree, graph)
    shown = graph.shown(focus)
    nodes, begins, new = _nodes(tree, graph, shown)
    frames = _frames(tree, graph if focus == NONE else Graph([], []))
    places = dict(enumerate(graph.places())) if focus == NONE else graph.places_around(focus)
    names_of = _state_names(tree.model, graph) if graph.actions else {}
    known = _links(tree)
    for number in shown:
        each = graph.animations[number]
        frame = frames.get(each.state)
        for part in (nodes[number], begins[number]):
            if part.parent != frame:
                part.parent = frame
        if arrange or number in new:
            nodes[number].hide = focus not in (NONE, number)
        _set_outputs(nodes[number], each, names_of)
    _set_places(tree, nodes, begins, {n: places[n] for n in shown if arrange or n in new})
    for state, frame in frames.items():
        frame.label = names_of.get(state, str(state))
        if arrange:
            frame.location = (0.0, 0.0)
    for number in shown:
        _set_links(tree, nodes[number], graph.animations[number], begins, known.get(number, {}), focus)
    tree.signature = _signature(tree, graph)


def _nodes(tree: Any, graph: Graph, shown: Sequence[int]) -> tuple[dict[int, Any], dict[int, Any], set[int]]:
    """Return both nodes of each animation that is shown, and those of which the first is new.

    Copies, and nodes of other animations or none, are removed.
    """
    rows = [row.action for row in tree.actions]
    known: dict[tuple[str, Action], Any] = {}
    present = {graph.actions[number] for number in shown}
    for node in [each for each in tree.nodes if each.bl_idname in (NODE, BEGIN)]:
        action = rows[node.number] if 0 <= node.number < len(rows) else None
        if action is None or (node.bl_idname, action) in known or action not in present:
            tree.nodes.remove(node)
        else:
            known[node.bl_idname, action] = node
    if rows != graph.actions:
        tree.actions.clear()
        for action in graph.actions:
            tree.actions.add().action = action
    nodes, begins, new = dict[int, Any](), dict[int, Any](), set[int]()
    for number in shown:
        action = graph.actions[number]
        node, begin = known.get((NODE, action)), known.get((BEGIN, action))
        if node is None:
            new.add(number)
            node = tree.nodes.new(NODE)
            node.width, node.select = WIDTH, False  # Blender draws links of selected nodes brightly
        if begin is None:
            begin = tree.nodes.new(BEGIN)
            begin.width, begin.hide, begin.select = BEGIN_WIDTH, True, False
            made = begin.inputs.new(SOCKET, "Begin")
            made.row, made.link_limit = INPUT, _MANY
        node.number = begin.number = number
        nodes[number], begins[number] = node, begin
    return nodes, begins, new


def _frames(tree: Any, graph: Graph) -> dict[int, Any]:
    """Return the frame of each state. Frames of states without animations are removed, users' own stay."""
    result: dict[int, Any] = {}
    for frame in [each for each in tree.nodes if each.bl_idname == "NodeFrame" and _STATE in each]:
        if frame[_STATE] in graph.states and frame[_STATE] not in result:
            result[frame[_STATE]] = frame
        else:
            tree.nodes.remove(frame)
    for state in graph.states:
        if state not in result:
            result[state] = tree.nodes.new("NodeFrame")
            result[state].select = False
            result[state][_STATE] = state
    return result


def _set_places(
    tree: Any, nodes: dict[int, Any], begins: dict[int, Any], places: Mapping[int, tuple[float, float]]
) -> None:
    """Move animations by number to places, and all nodes where they begin beside the others.

    Blender 5.2 takes long to move one node.
    """
    order = {node.as_pointer(): row for row, node in enumerate(tree.nodes)}
    before = np.empty((len(order), 2), np.float32)
    tree.nodes.foreach_get("location", before.ravel())
    after = before.copy()
    rows = {number: order[node.as_pointer()] for number, node in nodes.items()}
    for number, place in places.items():
        after[rows[number]] = place
    for number, begin in begins.items():
        after[order[begin.as_pointer()]] = after[rows[number]] - (BEGIN_LEFT, 0.0)
    if (after != before).any():
        tree.nodes.foreach_set("location", after.ravel())


def _set_outputs(node: Any, animation: GraphAnimation, names_of: dict[int, str]) -> None:
    """Give a node the outputs of its animation. Each change makes Blender update the tree."""
    titles = ["Next", "New State Change", *(names_of.get(state, str(state)) for state, _ in animation.rows)]
    while len(node.outputs) > len(titles):
        node.outputs.remove(node.outputs[-1])
    for socket, title in zip(node.outputs, titles, strict=False):
        if socket.name != title:
            socket.name = title
    for place in range(len(node.outputs), len(titles)):
        made = node.outputs.new(SOCKET, titles[place])
        made.row = _OUTPUTS[place] if place < len(_OUTPUTS) else place - len(_OUTPUTS)
        made.link_limit = 1


def _links(tree: Any) -> dict[int, dict[int, Any]]:
    """Return the links that leave each node, by the number of the node and the row of the output."""
    result: dict[int, dict[int, Any]] = {}
    for link in tree.links:
        if link.from_node.bl_idname == NODE:
            result.setdefault(link.from_node.number, {})[link.from_socket.row] = link
    return result


def _set_links(
    tree: Any, node: Any, animation: GraphAnimation, begins: dict[int, Any], known: dict[int, Any], focus: int
) -> None:
    """Make the links that leave a node those of its animation: all, or to and from the one in focus."""
    targets = [animation.next, NONE, *(target for _, target in animation.rows)]
    if focus not in (NONE, node.number):
        targets = [target if target == focus else NONE for target in targets]
    for socket, target in zip(node.outputs, targets, strict=True):
        # Collapsed nodes are as tall as their visible sockets.
        socket.hide = target == NONE and focus not in (NONE, node.number)
        link = known.get(socket.row)
        at = NONE if link is None else _target(link)
        if at != target:
            if link is not None:
                tree.links.remove(link)
            if target != NONE:
                tree.links.new(begins[target].inputs[0], socket)
        socket.known = target
    node.signature = animation.signature


def _state_names(model: Object, graph: Graph) -> dict[int, str]:
    """Return the names of states of a model."""
    game = game_of_action(graph.actions[0], model)
    known = {} if game is None else names(game).known("state", model.tomb_raider.model.id)
    states = {each.state for each in graph.animations}
    states |= {state for each in graph.animations for state, _ in each.rows}
    return {state: known.get(state, f"State {state}") for state in states}


# --- Edits of the user ----------------------------------------


def _target(link: Any) -> int:
    """Return the number of the node to which a link leads, through reroutes; NONE for none."""
    node, steps = link.to_node, 0
    while node.bl_idname == "NodeReroute" and steps < 64:
        following = node.outputs[0].links
        if not following:
            return NONE
        node, steps = following[0].to_node, steps + 1
    return int(node.number) if node.bl_idname == BEGIN else NONE


class LinkEdit(NamedTuple):
    """A link that the user has changed."""

    node: Any  #: the node that it leaves.
    socket: Any  #: the output that it leaves.
    target: int  #: the number of the node to which it leads now, NONE for none.


def edits_of(tree: Any) -> list[LinkEdit]:
    """Return the links of a tree that the user has changed since it was filled."""
    present = {node.number for node in tree.nodes if node.bl_idname == BEGIN}
    targets = {key: {row: _target(link) for row, link in each.items()} for key, each in _links(tree).items()}
    result = []
    for node in tree.nodes:
        if node.bl_idname != NODE or not 0 <= node.number < len(tree.actions):
            continue
        own = targets.get(node.number, {})
        for socket in node.outputs:
            target = own.get(socket.row, NONE)
            # A link to a deleted node is missing without being cut.
            if target != socket.known and (target != NONE or socket.known in present):
                result.append(LinkEdit(node, socket, target))
    return result


def take_over(tree: Any) -> bool:
    """Write links that the user has changed into the actions of the model.

    Cutting a link of *Next* makes the animation play again; of a state change, it leads to no action until it
    is linked again. Only nodes that show what their actions have are taken over.

    Returns:
        Whether the tree has to be filled again.
    """
    edits = edits_of(tree)
    if not edits or tree.model is None:
        return False
    graph = Graph.of(tree.model)
    if [row.action for row in tree.actions] != graph.actions:
        return True
    is_outdated = False
    for node, socket, target in edits:
        action, other = graph.actions[node.number], graph.actions[target] if target != NONE else None
        if node.signature != graph.animations[node.number].signature or not action.is_editable:
            is_outdated = True
            continue
        dispatches = action.tomb_raider.dispatches
        if socket.row == NEXT:
            set_next(action, other)
        elif socket.row == NEW and other is not None:
            _add_row(action, other)
            is_outdated = True  # it lacks the output of the new row
        elif 0 <= socket.row < len(dispatches):
            set_target(dispatches[socket.row], other)
            dispatches[socket.row].is_empty &= other is None
        socket.known = target
    written = Graph.of(tree.model)
    for node in {edit.node.name: edit.node for edit in edits}.values():
        if node.signature == graph.animations[node.number].signature:
            node.signature = written.animations[node.number].signature
    if not is_outdated:
        tree.signature = _signature(tree, written)
    return is_outdated


def _add_row(action: Action, target: Action) -> None:
    """Add a state change to an action: at any of its frames, to the state and the start of another."""
    row = action.tomb_raider.dispatches.add()
    row.state = target.tomb_raider.state
    row.low, row.high = 0, length(action)
    set_target(row, target)
    action.tomb_raider.active_dispatch = len(action.tomb_raider.dispatches) - 1
