"""Display offset of collision from the faces of a room, against z-fighting.

Only the display is moved, by a modifier that exports ignore.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bpy.types import NodeSocket, Object

from ...core.blender.display import DISPLAY_GROUP
from ...core.blender.node_builder import NodeBuilder, geometry_nodes, show_all_through
from ...core.space import Space

_NAME = f"{DISPLAY_GROUP} Offset"
_DISTANCE = "Distance"
_UNITS = 32  # sufficient even if a whole level is in view


def offset_display(objects: Iterable[Object], space: Space) -> None:
    """Display meshes slightly in front of their position, along their normals."""
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
