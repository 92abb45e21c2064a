"""Collision stands a little off the faces that a room shows, so that neither flickers through the other.

Only what is drawn is moved, by a modifier that no export applies.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Object

from ..base import compat
from ..base.display import DISPLAY_GROUP
from ..base.node_builder import NodeBuilder
from ..base.space import Space

_NAME = f"{DISPLAY_GROUP} Offset"
_DISTANCE = "Distance"
_UNITS = 32  # that still stand off where a whole level is seen from outside


def stand_off(thing: Object, space: Space) -> None:
    """Draw a mesh a little in front of where it is, on the side to which its faces look."""
    modifier: Any = thing.modifiers.new("Offset", "NODES")
    tree = modifier.node_group = _group()
    given = next(item for item in tree.interface.items_tree if item.name == _DISTANCE)
    compat.set_modifier_input(modifier, given.identifier, _UNITS * space.scale)


def _group() -> Any:
    found: Any = bpy.data.node_groups.get(_NAME)
    if found is not None and found.bl_idname == "GeometryNodeTree" and not found.library:
        return found
    group: Any = bpy.data.node_groups.new(_NAME, "GeometryNodeTree")
    group.is_modifier = True
    for name, kind in (("Geometry", "Geometry"), (_DISTANCE, "Float")):
        group.interface.new_socket(name, in_out="INPUT", socket_type=f"NodeSocket{kind}")
    group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    build = NodeBuilder(group)
    inputs = build.node("NodeGroupInput").outputs
    normal = build.node("GeometryNodeInputNormal").outputs[0]
    scaled = build.node("ShaderNodeVectorMath", operation="SCALE")
    build.link(normal, scaled.inputs[0])
    build.link(inputs[1], scaled.inputs["Scale"])
    moved = build.node("GeometryNodeSetPosition")
    build.link(inputs[0], moved.inputs["Geometry"])
    build.link(scaled.outputs[0], moved.inputs["Offset"])
    build.link(moved.outputs[0], build.node("NodeGroupOutput").inputs[0])
    return group
