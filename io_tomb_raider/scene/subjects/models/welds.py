"""Joints welded to limbs: a vertex of a joint that coincides with one of a limb at rest follows that vertex.

The engines of TR4 and TR5 search for those vertices when a level is loaded; files have no list. These nodes
search by the same rule whenever Blender evaluates them, so edits of limbs and joints are included.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from bpy.types import NodeSocket, Object

from ...core.blender.node_builder import NodeBuilder, geometry_nodes, show_again, show_through, shown_with
from ..textures.light_nodes import NORMAL_ATTRIBUTE

GROUP_NAME = "Tomb Raider Welds"
_LABEL = "Welds"
_TOLERANCE = "Tolerance"
_SIDES = ("Above", "Below")
_PLACE = "Place at Rest"
_INPUTS = {
    **{name: kind for side in _SIDES for name, kind in ((side, "Object"), (f"{side} {_PLACE}", "Vector"))},
    _TOLERANCE: "Float",
}


class WeldedLimb(NamedTuple):
    """A limb that a joint belongs to."""

    obj: Object  #: the object of its mesh.
    place: list[float]  #: (3,), its origin at rest, relative to that of the joint.


def weld(joint: Object, above: WeldedLimb, below: WeldedLimb, tolerance: float) -> None:
    """Weld a joint to two limbs by a modifier, where vertices coincide within a tolerance along each axis.

    If both limbs have a coinciding vertex, the one below has precedence.
    """
    values: dict[str, Any] = {_TOLERANCE: tolerance}
    for side, limb in zip(_SIDES, (above, below), strict=True):
        values[side], values[f"{side} {_PLACE}"] = limb.obj, limb.place
    show_through(joint, _LABEL, geometry_nodes(GROUP_NAME, _INPUTS, _follow), **values)


def limbs_of(joint: Object) -> list[Object | None]:
    """Return the limbs that a joint is welded to, above and below; None where there is none."""
    return [shown_with(joint, _LABEL, side) for side in _SIDES]


def place_limbs(joint: Object, above: WeldedLimb, below: WeldedLimb) -> None:
    """Change the places of the limbs that a joint is welded to."""
    values = {f"{side} {_PLACE}": limb.place for side, limb in zip(_SIDES, (above, below), strict=True)}
    show_again(joint, _LABEL, **values)


class _Side(NamedTuple):
    """Values of one limb for the vertices of a joint."""

    is_welded: NodeSocket  #: whether it has a coinciding vertex.
    #: of that vertex, or else of the joint's vertex as if it moved with the limb.
    position: NodeSocket
    normal: NodeSocket


def _follow(build: NodeBuilder, inputs: Sequence[NodeSocket]) -> NodeSocket:
    """Add nodes that move each vertex of a joint to the coinciding vertex of a limb.

    Blender takes a constant time for each node, more than for the few vertices: hence few nodes.
    """
    geometry, *limbs, tolerance = inputs
    position = build.node("GeometryNodeInputPosition").outputs[0]
    stored = build.node("GeometryNodeInputNamedAttribute", data_type="FLOAT_VECTOR")
    stored.inputs["Name"].default_value = NORMAL_ATTRIBUTE
    own_values = position, stored.outputs["Attribute"]
    above, below = (
        _add_side(build, obj, origin, tolerance, own_values, 2 * number)
        for number, (obj, origin) in enumerate(zip(limbs[::2], limbs[1::2], strict=True))
    )
    # Below, or else above; others are the average of both motions.
    part = build.math("MULTIPLY_ADD", above.is_welded, -0.5, 0.5)
    part = build.math("MAXIMUM", part, below.is_welded)
    return placed(
        build,
        geometry,
        _mixed(build, part, above.position, below.position),
        _mixed(build, part, above.normal, below.normal),
    )


def placed(build: NodeBuilder, geometry: NodeSocket, position: NodeSocket, normal: NodeSocket) -> NodeSocket:
    """Add nodes that set positions and stored normals of a mesh's vertices."""
    moved = build.node("GeometryNodeSetPosition")
    build.link(geometry, moved.inputs["Geometry"])
    build.link(position, moved.inputs["Position"])
    stored = build.node("GeometryNodeStoreNamedAttribute", data_type="FLOAT_VECTOR", domain="POINT")
    stored.inputs["Name"].default_value = NORMAL_ATTRIBUTE
    build.link(moved.outputs[0], stored.inputs["Geometry"])
    build.link(normal, stored.inputs["Value"])
    return cast(NodeSocket, stored.outputs[0])


def _add_side(
    build: NodeBuilder,
    obj: NodeSocket,
    origin: NodeSocket,
    tolerance: NodeSocket,
    own_values: tuple[NodeSocket, NodeSocket],
    row: int,
) -> _Side:
    position, normal = own_values
    rest, matrix = limb_info(build, obj, row)
    local = build.vector("SUBTRACT", position, origin, row=row)
    nearest = build.node("GeometryNodeSampleNearest", row=row + 1)
    build.link(rest, nearest.inputs["Geometry"])
    build.link(local, nearest.inputs["Sample Position"])
    index = nearest.outputs[0]
    vertex = sampled(build, rest, position, index, row)
    equal = build.node("FunctionNodeCompare", row=row, data_type="VECTOR", mode="ELEMENT", operation="EQUAL")
    *_, first, second, epsilon = (each for each in equal.inputs if each.enabled)
    for source, target in ((local, first), (vertex, second), (tolerance, epsilon)):
        build.link(source, target)
    is_welded = equal.outputs[0]
    chosen = (
        ("Point", switched(build, is_welded, local, vertex)),
        ("Direction", switched(build, is_welded, normal, sampled(build, rest, normal, index, row))),
    )
    return _Side(is_welded, *(transformed(build, kind, value, matrix) for kind, value in chosen))


def limb_info(build: NodeBuilder, obj: NodeSocket, row: int) -> tuple[NodeSocket, NodeSocket]:
    """Add nodes for the mesh of another object in its own space, and the matrix from there to this object's.

    Only the vertices that are needed are transformed: Blender would copy the mesh in order to transform it.
    """
    mesh, matrix = (
        build.node("GeometryNodeObjectInfo", row=row + number, transform_space=space)
        for number, space in enumerate(("ORIGINAL", "RELATIVE"))
    )
    for node in (mesh, matrix):
        build.link(obj, node.inputs[0])
    return mesh.outputs["Geometry"], matrix.outputs["Transform"]


def sampled(
    build: NodeBuilder, geometry: NodeSocket, value: NodeSocket, index: NodeSocket, row: int
) -> NodeSocket:
    node = build.node("GeometryNodeSampleIndex", row=row, data_type="FLOAT_VECTOR", domain="POINT")
    build.link(geometry, node.inputs["Geometry"])
    build.link(value, node.inputs["Value"])
    build.link(index, node.inputs["Index"])
    return cast(NodeSocket, node.outputs[0])


def transformed(build: NodeBuilder, kind: str, vector: NodeSocket, matrix: NodeSocket) -> NodeSocket:
    node = build.node(f"FunctionNodeTransform{kind}")
    build.link(vector, node.inputs[0])
    build.link(matrix, node.inputs[1])
    return cast(NodeSocket, node.outputs[0])


def _mixed(build: NodeBuilder, part: NodeSocket, first: NodeSocket, second: NodeSocket) -> NodeSocket:
    """Add a node for a part of a second vector and the rest of a first: exactly one of them at 0 and 1."""
    node = build.node("ShaderNodeMix", data_type="VECTOR")
    for source, name in ((part, "Factor_Float"), (first, "A_Vector"), (second, "B_Vector")):
        build.link(source, next(each for each in node.inputs if each.identifier == name))
    return next(each for each in node.outputs if each.enabled)


def switched(build: NodeBuilder, switch: NodeSocket, no: NodeSocket, yes: NodeSocket) -> NodeSocket:
    node = build.node("GeometryNodeSwitch", input_type="VECTOR")
    build.link(switch, node.inputs["Switch"])
    build.link(no, node.inputs["False"])
    build.link(yes, node.inputs["True"])
    return cast(NodeSocket, node.outputs[0])
