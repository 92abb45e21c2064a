"""Nodes that light what stands in rooms, from what :mod:`.lit` notes on each object.

A model is one set of meshes, shown by many entities. So what differs from one to the other stands on the
object that shows it, where shaders of all engines find it, also for instances.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from bpy.types import NodeSocket

from ...formats import Game
from ...formats.lights.shading import LAMPS
from ..base.node_builder import NodeBuilder

NORMAL_ATTRIBUTE = "tr_normal"
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
    for number in range(1, LAMPS[game] + 1):
        total = build.vector("ADD", total, _add_lamp(build, game, normal.vector, number), row=_ROW + number)
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
    turned: Any = build.node(
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


def _add_lamp(build: NodeBuilder, game: Game, normal: NodeSocket, number: int) -> NodeSocket:
    """Add what one light gives to a normal."""
    row = _ROW + number
    place, color = _value(build, f"place_{number}", row), _value(build, f"color_{number}", row)
    way, left = place.outputs[1], None
    if game.traits.has_light_ranges:
        way, left = _add_way(build, place, row)
    product = build.node("ShaderNodeVectorMath", row=row, operation="DOT_PRODUCT")
    build.link(normal, product.inputs[0])
    build.link(way, product.inputs[1])
    cosine = product.outputs[1]
    factor = build.math("MAXIMUM", cosine, 0.0, row=row)
    if not game.traits.has_light_types or game is Game.TR5:
        soft = build.math("MAXIMUM", build.math("MULTIPLY_ADD", cosine, 0.5, 0.5, row=row), 0.0, row=row)
        if game is Game.TR5:
            soft = build.math("MULTIPLY", soft, soft, row=row)
            more = build.math("SUBTRACT", soft, factor, row=row)
            soft = build.math("MULTIPLY_ADD", more, color.outputs[3], factor, row=row)
        factor = soft
    if left is not None:
        factor = build.math("MULTIPLY", factor, left, row=row)
    return build.vector("MULTIPLY", color.outputs[1], factor, row=row)


def _add_way(build: NodeBuilder, place: Any, row: int) -> tuple[NodeSocket, NodeSocket]:
    """Add the way to a light from the origin of each mesh, and how much of it is left there.

    Without a reach the light has a direction only, which stands in its place.
    """
    origin = build.node("ShaderNodeObjectInfo", row=row).outputs[0]
    has_place = build.math("GREATER_THAN", place.outputs[3], 0.0, row=row)
    back = build.vector("MULTIPLY", origin, has_place, row=row)
    way = build.vector("SUBTRACT", place.outputs[1], back, row=row)
    size = build.node("ShaderNodeVectorMath", row=row, operation="LENGTH")
    build.link(way, size.inputs[0])
    share = build.math(
        "DIVIDE", size.outputs[1], build.math("MAXIMUM", place.outputs[3], 1e-6, row=row), row=row
    )
    spent = build.math("MULTIPLY", share, has_place, row=row)
    left = build.math("MAXIMUM", build.math("SUBTRACT", 1.0, spent, row=row), 0.0, row=row)
    return build.vector("NORMALIZE", way, row=row), left
