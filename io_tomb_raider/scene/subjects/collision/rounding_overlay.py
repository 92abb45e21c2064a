"""Display of collision's rounding errors in colors, by a modifier with materials for floors and ceilings.

Exports ignore the modifier.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bpy.types import NodeSocket, Object

from ...core.blender.display import DISPLAY_GROUP
from ...core.blender.node_builder import NodeBuilder, geometry_nodes, show_through
from .materials import ROUNDED, collision_material
from .record import ROUNDING

_NAME = f"{DISPLAY_GROUP} Rounding"
_MODIFIER = "Rounding"


def shows_rounding(obj: Object) -> bool:
    """Return whether a collision mesh displays its rounding errors."""
    return _modifier(obj) is not None


def show_rounding(objects: Iterable[Object], on: bool) -> None:
    """Turn the display of rounding errors of collision meshes on or off."""
    for obj in objects:
        found = _modifier(obj)
        if found is not None and not on:
            obj.modifiers.remove(found)
        elif found is None and on:
            show_through(obj, _MODIFIER, geometry_nodes(_NAME, {}, _color))


def _modifier(obj: Object) -> Any | None:
    for modifier in obj.modifiers:
        tree = getattr(modifier, "node_group", None)
        if tree is not None and tree.name.startswith(_NAME):
            return modifier
    return None


def _color(build: NodeBuilder, given: Sequence[NodeSocket]) -> NodeSocket:
    """Add nodes that set the materials of rounded floors and ceilings by their error."""
    (shown,) = given
    named = build.node("GeometryNodeInputNamedAttribute", data_type="FLOAT", row=1)
    named.inputs["Name"].default_value = ROUNDING
    for kind, least in ROUNDED.items():  # later materials replace earlier ones
        is_more = build.math("GREATER_THAN", named.outputs["Attribute"], float(least), row=1)
        node = build.node("GeometryNodeSetMaterial")
        build.link(shown, node.inputs["Geometry"])
        build.link(is_more, node.inputs["Selection"])
        node.inputs["Material"].default_value = collision_material(kind)
        shown = node.outputs["Geometry"]
    return shown
