"""Continuous hair: in TR4 and TR5 every other segment is a joint whose ends are those of its neighbors.

The engines have tables of those vertices. On the head they depend on the character.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from bpy.types import NodeSocket, Object
from numpy.typing import NDArray

from ...core.blender.node_builder import NodeBuilder, geometry_nodes, show_through
from ..textures.light_nodes import NORMAL_ATTRIBUTE
from .welds import limb_info, placed, sampled, switched, transformed

GROUP_NAME = "Tomb Raider Hair"
Triple = tuple[float, float, float]


class Tail(NamedTuple):
    """A place where hair grows."""

    start: Triple  #: its origin relative to the head, in units of the file.
    #: the vertices of the head for the first four of its first segment; empty if it is loose.
    roots: tuple[int, ...] = ()


_ADULT = (-4.0, -4.0, -48.0)
# Lara, Lara in the first levels of TR5, and young Lara with two tails.
_HEADS = (
    (Tail(_ADULT, (37, 39, 40, 38)),),
    (Tail(_ADULT, (25, 27, 28, 26)),),
    (Tail((-52.0, -48.0, -50.0), (79, 78, 76, 77)), Tail((44.0, -48.0, -50.0), (68, 69, 70, 71))),
)
_NEAR = 40.0  # units: maximal distance of the roots' center from the hair's origin
_JOINTS = (0, 2, 4)
_INPUTS = {
    "Above": "Object",
    "Has Above": "Bool",
    "Below": "Object",
    "Has Below": "Bool",
    **{f"Root {number}": "Int" for number in range(4)},
}
SEGMENT = 8  # vertices of a segment that have fixed numbers, those of its ends
_END = (4, 5, 6, 7)  # vertices of a segment that are 0 to 3 of the next one


def tails_of(head: NDArray[np.float64]) -> Sequence[Tail]:
    """Return where hair grows on a head, by the engines' table that fits its vertices, (n, 3), best.

    They are in units of the file. Levels do not store the character of a head; scripts do.
    """

    def distance(tails: Sequence[Tail]) -> float:
        if any(max(tail.roots) >= len(head) for tail in tails):
            return float("inf")
        middles = [head[list(tail.roots)].mean(axis=0) - tail.start for tail in tails]
        return max(float(np.linalg.norm(middle)) for middle in middles)

    best = min(_HEADS, key=distance)
    return best if distance(best) <= _NEAR else (Tail(_ADULT),)


def weld_tail(tail: Tail, head: Object, segments: Mapping[int, Object]) -> None:
    """Weld the joints of a tail to the segments between them, and to the head."""
    for number in _JOINTS:
        if number not in segments:
            continue
        roots = tail.roots if number == 0 else _END
        above = head if number == 0 else segments.get(number - 1)
        above, below = above if roots else None, segments.get(number + 1)
        values: dict[str, Any] = {"Above": above, "Has Above": above is not None}
        values |= {"Below": below, "Has Below": below is not None}
        values |= {f"Root {index}": root for index, root in enumerate(roots)}
        tree = geometry_nodes(GROUP_NAME, _INPUTS, _follow)
        show_through(segments[number], "Welds", tree, **values)


def _follow(build: NodeBuilder, inputs: Sequence[NodeSocket]) -> NodeSocket:
    """Add nodes that move the ends of a joint to the vertices of its neighbors."""
    geometry, above, has_above, below, has_below, *roots = inputs
    index = build.node("GeometryNodeInputIndex").outputs[0]
    root: Any = 0.0
    for number, vertex in enumerate(roots):
        is_vertex = build.math("COMPARE", index, float(number), 0.5)
        root = build.math("MULTIPLY_ADD", is_vertex, vertex, root)
    begins = build.math("LESS_THAN", index, 3.5)
    ends = build.math("MULTIPLY", build.math("GREATER_THAN", index, 3.5), build.math("LESS_THAN", index, 7.5))
    position = build.node("GeometryNodeInputPosition").outputs[0]
    stored = build.node("GeometryNodeInputNamedAttribute", data_type="FLOAT_VECTOR")
    stored.inputs["Name"].default_value = NORMAL_ATTRIBUTE
    values = own_values = [position, stored.outputs["Attribute"]]
    sides = (
        (above, build.math("MULTIPLY", begins, has_above), root),
        (below, build.math("MULTIPLY", ends, has_below), build.math("SUBTRACT", index, 4.0)),
    )
    for row, (obj, counts, vertex) in enumerate(sides):
        welded = _vertex(build, obj, own_values, vertex, row)
        values = [switched(build, counts, old, new) for old, new in zip(values, welded, strict=True)]
    return placed(build, geometry, *values)


def _vertex(
    build: NodeBuilder, obj: NodeSocket, values: list[NodeSocket], vertex: NodeSocket, row: int
) -> list[NodeSocket]:
    """Add nodes for position and normal of a vertex of another object, in this object's space."""
    mesh, matrix = limb_info(build, obj, row)
    kinds = zip(("Point", "Direction"), values, strict=True)
    return [transformed(build, kind, sampled(build, mesh, each, vertex, row), matrix) for kind, each in kinds]
