"""Building of node trees, column by column, and geometry nodes that only change the display."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

import bpy
from bpy.types import NodeSocket, NodeTree, Object

from . import compat

COLUMN = 180
_GEOMETRY = "Geometry"


class NodeBuilder:
    """Adds nodes to a tree, one column after another.

    For use as a context manager: the nodes get their places at its end, since Blender updates the whole tree
    for each node that is moved.
    """

    def __init__(self, tree: NodeTree) -> None:
        self.tree = tree
        self._column = 0
        self._places: list[float] = []  # x and y of each node that was added

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        nodes: Any = self.tree.nodes
        places = [0.0] * (2 * len(nodes))
        nodes.foreach_get("location", places)
        places[len(places) - len(self._places) :] = self._places  # new nodes are last
        nodes.foreach_set("location", places)
        self._places = []

    def node(self, kind: str, label: str = "", row: int = 0, **settings: Any) -> Any:
        node = self.tree.nodes.new(kind)
        if label:  # Blender updates the whole tree whenever a setting of a node changes
            node.label = label
        self._places += (COLUMN * self._column, -COLUMN * row)
        self._column += 1
        for name, value in settings.items():
            setattr(node, name, value)
        return node

    def link(self, source: NodeSocket, target: NodeSocket) -> None:
        self.tree.links.new(source, target)

    def vector(
        self, operation: str, first: object, *others: Any, label: str = "", row: int = 0
    ) -> NodeSocket:
        """Add a vector operation; operands are sockets, or numbers for all three components."""
        node = self.node("ShaderNodeVectorMath", label, row, operation=operation)
        for socket, value in zip(node.inputs, (first, *others), strict=False):
            if isinstance(value, NodeSocket):
                self.link(value, socket)
            else:
                socket.default_value = (value, value, value)
        return node.outputs[0]

    def power(self, base: NodeSocket, exponent: float, row: int = 0) -> NodeSocket:
        node = self.node("ShaderNodeGamma", row=row)
        self.link(base, node.inputs[0])
        node.inputs[1].default_value = exponent
        return node.outputs[0]

    def to_screen(self, linear: NodeSocket, row: int) -> NodeSocket:
        """Add the sRGB curve: the maximum of its power segment and its clipped linear segment."""
        bent = self.vector("MULTIPLY_ADD", self.power(linear, 1 / 2.4, row), 1.055, -0.055, row=row)
        straight = self.vector("MINIMUM", self.vector("MULTIPLY", linear, 12.92, row=row), 0.04045, row=row)
        return self.vector("MAXIMUM", bent, straight, label="screen value", row=row)

    def to_linear(self, screen: NodeSocket) -> NodeSocket:
        """Add the inverse curve: above the linear segment a steep line exceeds the power segment."""
        bent = self.power(self.vector("MULTIPLY_ADD", screen, 1 / 1.055, 0.055 / 1.055), 2.4)
        straight = self.vector("MULTIPLY", screen, 1 / 12.92)
        steep = self.vector("MULTIPLY_ADD", screen, 3.0, 0.04045 / 12.92 - 3.0 * 0.04045)
        return self.vector("MINIMUM", bent, self.vector("MAXIMUM", straight, steep), label="linear")

    def math(self, operation: str, *operands: Any, label: str = "", row: int = 0) -> NodeSocket:
        """Add an operation on numbers; operands are sockets or numbers."""
        node = self.node("ShaderNodeMath", label, row, operation=operation)
        for socket, value in zip(node.inputs, operands, strict=False):
            if isinstance(value, NodeSocket):
                self.link(value, socket)
            else:
                socket.default_value = value
        return node.outputs[0]

    def constant(self, value: float, name: str, row: int = 0) -> Any:
        """Add and return a value node that can be found by its name."""
        node = self.node("ShaderNodeValue", name, row)
        node.name = name
        node.outputs[0].default_value = value
        return node

    def picked(self, chosen: Sequence[NodeSocket], table: Any, row: int = 0, name: str = "") -> NodeSocket:
        """Add a choice among constant vectors: the sum of the rows (n, 3) whose socket is 1.

        The nodes of the rows are named ``name`` and the row's number, if a name is given.
        """
        total = 0.0
        for index, (switch, vector) in enumerate(zip(chosen, table, strict=True)):
            node = self.node("ShaderNodeVectorMath", row=row, operation="MULTIPLY_ADD")
            if name:
                node.name = f"{name} {index}"
            self.link(switch, node.inputs[0])
            node.inputs[1].default_value = [float(part) for part in vector]
            if isinstance(total, NodeSocket):
                self.link(total, node.inputs[2])
            total = node.outputs[0]
        return total if isinstance(total, NodeSocket) else self.node("ShaderNodeCombineXYZ").outputs[0]


_Fill = Callable[[NodeBuilder, Sequence[NodeSocket]], Iterable[NodeSocket]]


def shader_nodes(name: str, inputs: Mapping[str, str], outputs: Mapping[str, str], fill: _Fill) -> Any:
    """Return the shader node group of a name, created if the file has none of its own with these sockets.

    Args:
        inputs: their types, such as ``Float``, by name; likewise ``outputs``.
        fill: adds the nodes, from the input sockets to the returned ones, which are linked to the outputs.
    """
    sockets = sorted([*((each, "INPUT") for each in inputs), *((each, "OUTPUT") for each in outputs)])
    group = _local_group(name, "ShaderNodeTree")
    if group is None or sorted((item.name, item.in_out) for item in group.interface.items_tree) != sockets:
        group = new_group(name, "ShaderNodeTree", inputs, outputs, fill)
    return group


def geometry_nodes(
    name: str, inputs: Mapping[str, str], fill: Callable[[NodeBuilder, Sequence[NodeSocket]], NodeSocket]
) -> NodeTree:
    """Return the geometry node group of a name, created if the file has none of its own.

    Args:
        inputs: the types of the inputs besides the mesh, such as ``Float``, by name.
        fill: adds the nodes, from the input sockets, the mesh first, to the returned output mesh.
    """
    group: Any = _local_group(name, "GeometryNodeTree")
    if group is None:
        mesh = {_GEOMETRY: _GEOMETRY}
        group = new_group(
            name, "GeometryNodeTree", {**mesh, **inputs}, mesh, lambda build, sockets: [fill(build, sockets)]
        )
        group.is_modifier = True
    result: NodeTree = group
    return result


def _local_group(name: str, kind: str) -> Any:
    """Return the node group of a name and type that is in the file itself, or None."""
    group: Any = bpy.data.node_groups.get(name)
    return group if group is not None and group.bl_idname == kind and not group.library else None


def new_group(
    name: str, kind: str, inputs: Mapping[str, str], outputs: Mapping[str, str], fill: _Fill
) -> Any:
    """Return a new node group of a type, with sockets and nodes as of :func:`shader_nodes`."""
    groups: Any = bpy.data.node_groups
    group = groups.new(name, kind)
    for in_out, types in (("INPUT", inputs), ("OUTPUT", outputs)):
        for label, socket_type in types.items():
            group.interface.new_socket(label, in_out=in_out, socket_type=f"NodeSocket{socket_type}")
    with NodeBuilder(group) as build:
        sockets = build.node("NodeGroupInput").outputs[: len(inputs)] if inputs else ()
        results = list(fill(build, sockets))
        for source, target in zip(results, build.node("NodeGroupOutput").inputs, strict=False):
            build.link(source, target)
    return group


def follow_frame(tree: Any, node: str) -> None:
    """Drive the value of a node, by its name, with the scene's frame."""
    driver = tree.driver_add(f'nodes["{node}"].outputs[0].default_value')
    # Blender evaluates simple expressions also where scripts of the file are not trusted.
    driver.driver.type, driver.driver.expression = "SCRIPTED", "frame"


def show_through(obj: Object, label: str, tree: NodeTree, **values: Any) -> None:
    """Add a geometry nodes modifier that only changes the display of a mesh.

    Args:
        values: values of inputs by name; other inputs keep their defaults.
    """
    show_all_through([obj], label, tree, **values)


def show_all_through(objects: Iterable[Object], label: str, tree: NodeTree, **values: Any) -> None:
    """Add the modifier of :func:`show_through` to several mesh objects.

    In Edit Mode it applies to the cage, too: otherwise the display would cover selected faces.
    """
    inputs = _inputs(tree)
    settings = {inputs[name]: value for name, value in values.items() if name in inputs}
    for obj in objects:
        modifier: Any = obj.modifiers.new(label, "NODES")
        modifier.node_group = tree
        modifier.show_on_cage = True
        for identifier, value in settings.items():
            compat.set_modifier_input(modifier, identifier, value)


def show_again(obj: Object, label: str, **values: Any) -> None:
    """Change inputs of a modifier of :func:`show_through` by name."""
    modifier: Any = obj.modifiers[label]
    inputs = _inputs(modifier.node_group)
    for name, value in values.items():
        compat.set_modifier_input(modifier, inputs[name], value)
    obj.update_tag()


def shown_with(obj: Object, label: str, name: str) -> Any:
    """Return an input of a modifier of :func:`show_through` by name, None if there is none."""
    modifier = obj.modifiers.get(label)
    tree = getattr(modifier, "node_group", None)
    identifier = _inputs(tree).get(name) if tree is not None else None
    return None if identifier is None else compat.modifier_input(modifier, identifier)


def _inputs(tree: NodeTree) -> dict[str, str]:
    """Return the identifiers of a node group's inputs, by name."""
    items: Any = tree.interface.items_tree if tree.interface is not None else ()
    return {
        each.name: each.identifier for each in items if each.item_type == "SOCKET" and each.in_out == "INPUT"
    }
