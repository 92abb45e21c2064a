"""Display of collision by modifiers, which exports ignore.

Meshes are displayed slightly in front of the faces of a room, against z-fighting. Colors of floors and
ceilings show rounding errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from bpy.types import NodeSocket, Object

from ...core.blender.display import DISPLAY_GROUP
from ...core.blender.node_builder import NodeBuilder, geometry_nodes, show_all_through, show_through
from ...core.space import Space
from .materials import ROUNDED, collision_material
from .record import ROUNDING

_OFFSET = f"{DISPLAY_GROUP} Offset"
_DISTANCE = "Distance"
_UNITS = 32  # sufficient even if a whole level is in view
_ROUNDING = f"{DISPLAY_GROUP} Rounding"
_MODIFIER = "Rounding"


def offset_display(objects: Iterable[Object], space: Space) -> None:
    """Display meshes slightly in front of their position, along their normals."""
    tree = geometry_nodes(_OFFSET, {_DISTANCE: "Float"}, _move)
    show_all_through(objects, "Offset", tree, **{_DISTANCE: _UNITS * space.scale})


def _move(build: NodeBuilder, inputs: Sequence[NodeSocket]) -> NodeSocket:
    geometry, distance = inputs
    normal = build.node("GeometryNodeInputNormal").outputs[0]
    scaled = build.node("ShaderNodeVectorMath", operation="SCALE")
    build.link(normal, scaled.inputs[0])
    build.link(distance, scaled.inputs["Scale"])
    moved = build.node("GeometryNodeSetPosition")
    build.link(geometry, moved.inputs["Geometry"])
    build.link(scaled.outputs[0], moved.inputs["Offset"])
    return cast(NodeSocket, moved.outputs[0])


def shows_rounding(obj: Object) -> bool:
    """Return whether a collision mesh displays its rounding errors."""
    return _modifier(obj) is not None


def show_rounding(objects: Iterable[Object], on: bool) -> None:
    """Turn the display of rounding errors of collision meshes on or off."""
    for obj in objects:
        modifier = _modifier(obj)
        if modifier is not None and not on:
            obj.modifiers.remove(modifier)
        elif modifier is None and on:
            show_through(obj, _MODIFIER, geometry_nodes(_ROUNDING, {}, _color))


def _modifier(obj: Object) -> Any | None:
    for modifier in obj.modifiers:
        tree = getattr(modifier, "node_group", None)
        if tree is not None and tree.name.startswith(_ROUNDING):
            return modifier
    return None


def _color(build: NodeBuilder, inputs: Sequence[NodeSocket]) -> NodeSocket:
    """Add nodes that set the materials of rounded floors and ceilings by their error."""
    (geometry,) = inputs
    named = build.node("GeometryNodeInputNamedAttribute", data_type="FLOAT", row=1)
    named.inputs["Name"].default_value = ROUNDING
    for kind, least in ROUNDED.items():  # later materials replace earlier ones
        is_more = build.math("GREATER_THAN", named.outputs["Attribute"], float(least), row=1)
        node = build.node("GeometryNodeSetMaterial")
        build.link(geometry, node.inputs["Geometry"])
        build.link(is_more, node.inputs["Selection"])
        node.inputs["Material"].default_value = collision_material(kind)
        geometry = node.outputs["Geometry"]
    return geometry
