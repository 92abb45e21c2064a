"""Recording of node trees as plain data, and building them from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import bpy

_SETTINGS = (
    "operation",
    "use_clamp",
    "interpolation",
    "extension",
    "layer_name",
    "width",
    "label",
)


@dataclass(frozen=True)
class NodeRecord:
    kind: str
    settings: tuple[tuple[str, Any], ...]
    inputs: tuple[tuple[int, Any], ...]  # values of unlinked sockets
    group: int  # its node group, -1 for none


@dataclass(frozen=True)
class TreeRecord:
    sockets: tuple[tuple[str, str, str], ...]  # of a group: name, direction, type
    nodes: tuple[NodeRecord, ...]
    links: tuple[tuple[int, int, int, int], ...]  # node and output, node and input
    active: int
    kind: str  # Blender's type of the tree
    places: tuple[float, ...]  # x and y of all nodes

    def structure(self) -> Any:
        """Return all data except the values of sockets."""
        nodes = tuple((node.kind, node.settings, node.group) for node in self.nodes)
        return self.kind, self.sockets, nodes, self.links, self.active, self.places


def record_tree(tree: Any, places: dict[Any, int]) -> TreeRecord:
    """Record a tree; ``places`` has the number of each node group. Images are left out.

    Values that equal those of a new node are omitted, since they need not be set.
    """
    numbers = {node.name: number for number, node in enumerate(tree.nodes)}
    nodes = []
    for node in tree.nodes:
        usual_settings, usual_inputs = _usual(tree.bl_idname, node.bl_idname)
        settings = tuple(
            (name, _plain(getattr(node, name)))
            for name in _SETTINGS
            if hasattr(node, name) and _plain(getattr(node, name)) != usual_settings[name]
        )
        inputs = tuple(
            (place, _plain(socket.default_value))
            for place, socket in enumerate(node.inputs)
            if not socket.is_linked
            and getattr(socket, "default_value", None) is not None
            and usual_inputs.get(place) != _plain(socket.default_value)
        )
        group = places.get(getattr(node, "node_tree", None), -1)
        nodes.append(NodeRecord(node.bl_idname, settings, inputs, group))
    links = tuple(
        (
            numbers[link.from_node.name],
            list(link.from_node.outputs).index(link.from_socket),
            numbers[link.to_node.name],
            list(link.to_node.inputs).index(link.to_socket),
        )
        for link in tree.links
    )
    sockets = tuple(
        (item.name, item.in_out, item.socket_type)
        for item in tree.interface.items_tree
        if item.item_type == "SOCKET"
    )
    active = numbers[tree.nodes.active.name] if tree.nodes.active else -1
    places_of_nodes = tuple(part for node in tree.nodes for part in node.location)
    return TreeRecord(sockets, tuple(nodes), links, active, tree.bl_idname, places_of_nodes)


@cache
def _usual(of: str, kind: str) -> tuple[dict[str, Any], dict[int, Any]]:
    """Return the settings and the input values of a new node in a type of tree."""
    tree: Any = bpy.data.node_groups.new("Usual", of)  # type: ignore[arg-type]
    try:
        node = tree.nodes.new(kind)
        settings = {name: _plain(getattr(node, name)) for name in _SETTINGS if hasattr(node, name)}
        inputs = {
            place: _plain(socket.default_value)
            for place, socket in enumerate(node.inputs)
            if getattr(socket, "default_value", None) is not None
        }
        return settings, inputs
    finally:
        bpy.data.node_groups.remove(tree)


def build_tree(tree: Any, record: TreeRecord, groups: list[Any]) -> None:
    """Build a recorded tree, replacing the nodes of an empty material or group."""
    tree.nodes.clear()
    for name, direction, kind in record.sockets:
        tree.interface.new_socket(name, in_out=direction, socket_type=kind)
    made = []
    for node in record.nodes:
        new = tree.nodes.new(node.kind)
        if node.group >= 0:
            new.node_tree = groups[node.group]
        for name, value in node.settings:
            setattr(new, name, value)
        for place, value in node.inputs:
            new.inputs[place].default_value = value
        made.append(new)
    for source, output, target, socket in record.links:
        tree.links.new(made[source].outputs[output], made[target].inputs[socket])
    tree.nodes.foreach_set("location", record.places)  # each single location makes Blender search the tree
    if record.active >= 0:
        tree.nodes.active = made[record.active]


def plan_trees(records: Sequence[TreeRecord]) -> list[int]:
    """Return for each tree the number of the first with the same structure, -1 if that is itself."""
    first: dict[Any, int] = {}
    found = [first.setdefault(record.structure(), number) for number, record in enumerate(records)]
    return [-1 if source == number else source for number, source in enumerate(found)]


def adjust_tree(tree: Any, source: TreeRecord, wanted: TreeRecord) -> None:
    """Set the values of another tree of the same structure on a copy of a tree."""
    for node, one, other in zip(tree.nodes, source.nodes, wanted.nodes, strict=True):
        for place, value in set(other.inputs) - set(one.inputs):
            node.inputs[place].default_value = value


def _plain(value: Any) -> Any:
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
