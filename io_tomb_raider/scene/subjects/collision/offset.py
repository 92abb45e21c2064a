"""Collision stands a little off the faces that a room shows, so that neither flickers through the other.

Only what is drawn is moved, by a modifier that no export applies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bpy.types import NodeSocket, Object

from ...core.display import DISPLAY_GROUP
from ...core.node_builder import NodeBuilder, geometry_nodes, show_all_through
from ...core.space import Space

_NAME = f"{DISPLAY_GROUP} Offset"
_DISTANCE = "Distance"
_UNITS = 32  # that still stand off where a whole level is seen from outside


def stand_off(objects: Iterable[Object], space: Space) -> None:
    """Draw meshes a little in front of where they are, on the side to which their faces look."""
    tree = geometry_nodes(_NAME, {_DISTANCE: "Float"}, _move)
    show_all_through(objects, "Offset", tree, **{_DISTANCE: _UNITS * space.scale})


def _move(build: NodeBuilder, given: Sequence[NodeSocket]) -> NodeSocket:
    geometry, distance = given
    normal = build.node("GeometryNodeInputNormal").outputs[0]
    scaled = build.node("ShaderNodeVectorMath", operation="SCALE")
    build.link(normal, scaled.inputs[0])
    build.link(distance, scaled.inputs["Scale"])
    moved = build.node("GeometryNodeSetPosition")
    build.link(geometry, moved.inputs["Geometry"])
    build.link(scaled.outputs[0], moved.inputs["Offset"])
    shown: NodeSocket = moved.outputs[0]
    return shown
