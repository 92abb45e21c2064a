"""Nodes that light what stands in rooms, from what :mod:`..lights.object_lighting` notes on each object.

A model is one set of meshes, shown by many entities. So what differs from one to the other stands on the
object that shows it, where shaders of all engines find it, also for instances.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy
from bpy.types import NodeSocket, NodeTree

from ....formats import Game
from ....formats.lights.shading import LAMPS
from ...core.node_builder import NodeBuilder

NORMAL_ATTRIBUTE = "tr_normal"
LAMP_NAME = "Tomb Raider Lamp"
_LAMP_INPUTS = (
    ("Normal", "Vector"),
    ("Origin", "Vector"),
    ("Place", "Vector"),
    ("Reach", "Float"),
    ("Color", "Vector"),
    ("Softness", "Float"),
)
_NORMAL_LENGTH = 16300.0  # of the normals of all meshes in files
_LIT = "tomb_raider.lit."  # where on objects values stand; Blender looks there also for objects of instances
_ROW = 7  # the first row of nodes in the tree


class _Normal(NamedTuple):
    """The normal of a mesh in the world, and 1 where a mesh has normals, not light of its own."""

    vector: NodeSocket
    counts: NodeSocket


def add_brightness(build: NodeBuilder, game: Game, vertex: NodeSocket, missing: NodeSocket) -> NodeSocket:
    """Add what a face is lit by: rooms by their vertices, what stands in them as the game does.

    Args:
        build: the tree.
        game: whose formulas.
        vertex: the vertices' own light, screen values.
        missing: 1 where a mesh has none.

    Returns:
        The brightness, see :mod:`....formats.lights.shading`.
    """
    ambient = _value(build, "ambient", _ROW)
    normal = _add_normal(build, missing)
    total = ambient.outputs[1]
    origin = build.node("ShaderNodeObjectInfo", row=_ROW).outputs[0]
    for number in range(1, LAMPS[game] + 1):
        lamp = _add_lamp(build, game, normal.vector, origin, number)
        total = build.vector("ADD", total, lamp, row=_ROW + number)
    if game.traits.has_color_light:
        own = build.vector("MULTIPLY", vertex, ambient.outputs[1], row=_ROW)
    else:
        own = build.vector("ADD", build.vector("ADD", vertex, ambient.outputs[1], row=_ROW), -1.0, row=_ROW)
    lit = _mixed(build, own, total, normal.counts)
    if game is Game.TR3:
        # Neutral vertex light darkens there: what stands in no room is shown as its texture is.
        vertex = build.vector("MAXIMUM", vertex, normal.counts, row=_ROW)
    return _mixed(build, vertex, lit, ambient.outputs[3])


def add_water(build: NodeBuilder) -> NodeSocket:
    """Add what the water of a room leaves of colors."""
    taken = _value(build, "absorbed", _ROW)
    return build.vector("MULTIPLY_ADD", taken.outputs[1], -1.0, 1.0, label="left by water", row=_ROW)


def add_has_own_light(build: NodeBuilder) -> NodeSocket:
    """Add 1 where the vertices of an object are known to have light, or normals to be lit by."""
    found: NodeSocket = _value(build, "has_own", 2).outputs[2]
    return found


def _value(build: NodeBuilder, name: str, row: int) -> Any:
    return build.node(
        "ShaderNodeAttribute",
        name.replace("_", " "),
        row,
        attribute_type="INSTANCER",
        attribute_name=f"{_LIT}{name}",
    )


def _mixed(build: NodeBuilder, one: NodeSocket, other: NodeSocket, share: NodeSocket) -> NodeSocket:
    difference = build.vector("SUBTRACT", other, one, row=_ROW)
    return build.vector("MULTIPLY_ADD", difference, share, one, row=_ROW)


def _add_normal(build: NodeBuilder, missing: NodeSocket) -> _Normal:
    """Add the normals of the file. What users have made has Blender's own ones, until it has light."""
    stored = build.node("ShaderNodeAttribute", "normal", _ROW + 4, attribute_name=NORMAL_ATTRIBUTE)
    size = build.node("ShaderNodeVectorMath", row=_ROW + 4, operation="LENGTH")
    build.link(stored.outputs[1], size.inputs[0])
    is_there = build.math("GREATER_THAN", size.outputs[1], 0.5, row=_ROW + 4)
    turned = build.node(
        "ShaderNodeVectorTransform", row=_ROW + 4, vector_type="VECTOR", convert_from="OBJECT"
    )
    turned.convert_to = "WORLD"
    # Not of length 1 between vertices: so light runs evenly from vertex to vertex, as in the games.
    build.link(
        build.vector("MULTIPLY", stored.outputs[1], 1 / _NORMAL_LENGTH, row=_ROW + 4), turned.inputs[0]
    )
    absent = build.math("SUBTRACT", 1.0, is_there, row=_ROW + 4)
    automatic = build.node("ShaderNodeNewGeometry", row=_ROW + 5).outputs[1]
    vector = build.vector("MULTIPLY_ADD", automatic, absent, turned.outputs[0], row=_ROW + 4)
    return _Normal(vector, build.math("MAXIMUM", is_there, missing, row=_ROW + 4))


def _add_lamp(
    build: NodeBuilder, game: Game, normal: NodeSocket, origin: NodeSocket, number: int
) -> NodeSocket:
    """Add what one light gives to a normal."""
    row = _ROW + number
    place, color = _value(build, f"place_{number}", row), _value(build, f"color_{number}", row)
    given = (normal, origin, place.outputs[1], place.outputs[3], color.outputs[1], color.outputs[3])
    lamp = build.node("ShaderNodeGroup", row=row)
    lamp.node_tree = _lamp_group(game)
    for source, target in zip(given, lamp.inputs, strict=True):
        build.link(source, target)
    found: NodeSocket = lamp.outputs[0]
    return found


def _lamp_group(game: Game) -> NodeTree:
    name = f"{LAMP_NAME} {game.name}"
    group: Any = bpy.data.node_groups.get(name)
    if group is not None and group.bl_idname == "ShaderNodeTree" and len(group.interface.items_tree) == 7:
        return group
    group = bpy.data.node_groups.new(name, "ShaderNodeTree")
    for socket, kind in _LAMP_INPUTS:
        group.interface.new_socket(socket, in_out="INPUT", socket_type=f"NodeSocket{kind}")
    group.interface.new_socket("Light", in_out="OUTPUT", socket_type="NodeSocketVector")
    with NodeBuilder(group) as build:
        normal, origin, way, reach, light, softness = build.node("NodeGroupInput").outputs[:6]
        if game.traits.has_light_ranges:
            # Lights without a place are far away.
            ahead = build.vector("SUBTRACT", way, origin)
            size = build.node("ShaderNodeVectorMath", operation="LENGTH")
            build.link(ahead, size.inputs[0])
            left = build.math("SUBTRACT", 1.0, build.math("DIVIDE", size.outputs[1], reach))
            left.node.use_clamp = True
            way, light = build.vector("NORMALIZE", ahead), build.vector("MULTIPLY", light, left)
        product = build.node("ShaderNodeVectorMath", operation="DOT_PRODUCT")
        build.link(normal, product.inputs[0])
        build.link(way, product.inputs[1])
        factor = cosine = product.outputs[1]
        if game.traits.has_light_types:
            factor = build.math("MAXIMUM", cosine, 0.0)
        if not game.traits.has_light_types or game is Game.TR5:
            soft = build.math("MULTIPLY_ADD", cosine, 0.5, 0.5)
            if game is Game.TR5:
                more = build.math("SUBTRACT", build.math("MULTIPLY", soft, soft), factor)
                soft = build.math("MULTIPLY_ADD", more, softness, factor)
            factor = soft
        lit = build.vector("MULTIPLY", light, factor)
        build.link(lit, build.node("NodeGroupOutput").inputs[0])
    return group
