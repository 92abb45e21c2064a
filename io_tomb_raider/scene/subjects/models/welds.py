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
    #: position, normal: those of that vertex in the limb's pose.
    position: NodeSocket
    normal: NodeSocket
    #: moved, turned: position and normal of the joint's own vertex, if it moved with the limb.
    moved: NodeSocket
    turned: NodeSocket


def _follow(build: NodeBuilder, inputs: Sequence[NodeSocket]) -> NodeSocket:
    """Add nodes that move each vertex of a joint to the coinciding vertex of a limb."""
    geometry, *limbs, tolerance = inputs
    above, below = (
        _add_side(build, obj, origin, tolerance, 3 * number)
        for number, (obj, origin) in enumerate(zip(limbs[::2], limbs[1::2], strict=True))
    )
    position, normal = (
        _chosen(build, (above.is_welded, below.is_welded), welded, free)
        for welded, free in (
            ((above.position, below.position), (above.moved, below.moved)),
            ((above.normal, below.normal), (above.turned, below.turned)),
        )
    )
    return placed(build, geometry, position, normal)


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
    build: NodeBuilder, obj: NodeSocket, origin: NodeSocket, tolerance: NodeSocket, row: int
) -> _Side:
    posed = object_info(build, obj, "RELATIVE", row)
    rest = object_info(build, obj, "ORIGINAL", row + 1).outputs["Geometry"]
    position = build.node("GeometryNodeInputPosition", row=row).outputs[0]
    local = build.vector("SUBTRACT", position, origin, row=row)
    nearest = build.node("GeometryNodeSampleNearest", row=row + 1)
    build.link(rest, nearest.inputs["Geometry"])
    build.link(local, nearest.inputs["Sample Position"])
    index = nearest.outputs[0]
    distance = build.vector(
        "ABSOLUTE", build.vector("SUBTRACT", sampled(build, rest, position, index, row), local)
    )
    axes = build.node("ShaderNodeSeparateXYZ", row=row)
    build.link(distance, axes.inputs[0])
    most = build.math("MAXIMUM", build.math("MAXIMUM", axes.outputs[0], axes.outputs[1]), axes.outputs[2])
    is_welded = build.math("LESS_THAN", most, tolerance, row=row)
    stored = build.node("GeometryNodeInputNamedAttribute", row=row, data_type="FLOAT_VECTOR")
    stored.inputs["Name"].default_value = NORMAL_ATTRIBUTE
    normal = stored.outputs["Attribute"]
    matrix = posed.outputs["Transform"]
    return _Side(
        is_welded,
        sampled(build, posed.outputs["Geometry"], position, index, row),
        transformed(build, "Direction", sampled(build, rest, normal, index, row), matrix),
        transformed(build, "Point", local, matrix),
        transformed(build, "Direction", normal, matrix),
    )


def object_info(build: NodeBuilder, obj: NodeSocket, space: str, row: int) -> Any:
    node = build.node("GeometryNodeObjectInfo", row=row, transform_space=space)
    build.link(obj, node.inputs[0])
    return node


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


def _chosen(
    build: NodeBuilder,
    is_welded: tuple[NodeSocket, NodeSocket],
    welded: tuple[NodeSocket, NodeSocket],
    free: tuple[NodeSocket, NodeSocket],
) -> NodeSocket:
    """Add nodes that select a welded vertex, below or else above; others are the average of both motions."""
    result = build.vector("MULTIPLY", build.vector("ADD", *free), 0.5)
    for switch, vertex in zip(is_welded, welded, strict=True):
        result = switched(build, switch, result, vertex)
    return result


def switched(build: NodeBuilder, switch: NodeSocket, no: NodeSocket, yes: NodeSocket) -> NodeSocket:
    node = build.node("GeometryNodeSwitch", input_type="VECTOR")
    build.link(switch, node.inputs["Switch"])
    build.link(no, node.inputs["False"])
    build.link(yes, node.inputs["True"])
    return cast(NodeSocket, node.outputs[0])
