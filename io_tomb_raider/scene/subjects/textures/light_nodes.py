"""Nodes that light objects in rooms by values that :mod:`..lights.object_lighting` stores on each object.

Many entities show the same meshes of a model. So values that differ between them are properties of the
object that shows the model, which shaders of all engines can read, also for instances.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from bpy.types import NodeSocket

from ....formats import Game
from ....formats.levels.lights import LAMPS
from ...core.blender.node_builder import NodeBuilder, shader_nodes

NORMAL_ATTRIBUTE = "tr_normal"
LAMP_NAME = "Tomb Raider Lamp"
_LAMP_INPUTS = {
    "Normal": "Vector",
    "Origin": "Vector",
    "Place": "Vector",
    "Reach": "Float",
    "Color": "Vector",
    "Softness": "Float",
}
_NORMAL_LENGTH = 16300.0  # length of normals of meshes in files
_LIT = "tomb_raider.lit."  # properties of objects, also read from those that show instances
_ROW = 7  # the first row of nodes in the tree


class _Normal(NamedTuple):
    """The world normal of a mesh, and 1 if the mesh has normals instead of its own light."""

    vector: NodeSocket
    counts: NodeSocket


def add_brightness(build: NodeBuilder, game: Game, vertex: NodeSocket, missing: NodeSocket) -> NodeSocket:
    """Add the brightness of a face: rooms by vertex light, objects in rooms by the game's formulas.

    See :mod:`....formats.levels.lights.shading`. ``vertex`` is the vertex light, screen values; ``missing``
    is 1 where a mesh has none.
    """
    ambient = lit_value(build, "ambient", _ROW)
    normal = _add_normal(build, missing)
    total = ambient.outputs[1]
    origin = build.node("ShaderNodeObjectInfo", row=_ROW).outputs[0]
    for number in range(1, LAMPS[game] + 1):
        lamp = _add_lamp(build, game, normal.vector, origin, number)
        total = build.vector("ADD", total, lamp, row=_ROW + number)
    if game.traits.has_color_light:
        room_light = build.vector("MULTIPLY", vertex, ambient.outputs[1], row=_ROW)
    else:
        total_light = build.vector("ADD", vertex, ambient.outputs[1], row=_ROW)
        room_light = build.vector("ADD", total_light, -1.0, row=_ROW)
    lit = _mixed(build, room_light, total, normal.counts)
    if game.traits.has_light_curve:
        # Neutral vertex light darkens in TR3: objects outside rooms show their plain texture.
        vertex = build.vector("MAXIMUM", vertex, normal.counts, row=_ROW)
    return _mixed(build, vertex, lit, ambient.outputs[3])


def add_water(build: NodeBuilder) -> NodeSocket:
    """Add the factor of colors that remains under water."""
    absorbed = lit_value(build, "absorbed", _ROW)
    return build.vector("MULTIPLY_ADD", absorbed.outputs[1], -1.0, 1.0, label="left by water", row=_ROW)


def add_has_own_light(build: NodeBuilder) -> NodeSocket:
    """Add 1 where the vertices of an object have light or normals of the file."""
    result: NodeSocket = lit_value(build, "has_own", 2).outputs[2]
    return result


def lit_value(build: NodeBuilder, name: str, row: int) -> Any:
    """Add a node that reads a value of ``tomb_raider.lit`` of the object."""
    settings = {"attribute_type": "INSTANCER", "attribute_name": f"{_LIT}{name}"}
    return build.node("ShaderNodeAttribute", name.replace("_", " "), row, **settings)


def _mixed(build: NodeBuilder, first: NodeSocket, second: NodeSocket, factor: NodeSocket) -> NodeSocket:
    difference = build.vector("SUBTRACT", second, first, row=_ROW)
    return build.vector("MULTIPLY_ADD", difference, factor, first, row=_ROW)


def _add_normal(build: NodeBuilder, missing: NodeSocket) -> _Normal:
    """Add the normals of the file; new meshes without light have Blender's normals."""
    row = _ROW + 4
    normal = build.node("ShaderNodeAttribute", "normal", row, attribute_name=NORMAL_ATTRIBUTE).outputs[1]
    length = build.vector("LENGTH", normal, row=row).node.outputs[1]
    has_normal = build.math("GREATER_THAN", length, 0.5, row=row)
    world = build.node("ShaderNodeVectorTransform", row=row, vector_type="VECTOR", convert_from="OBJECT")
    world.convert_to = "WORLD"
    # Not normalized between vertices: so light is linear between vertices, as in the games.
    build.link(build.vector("MULTIPLY", normal, 1 / _NORMAL_LENGTH, row=row), world.inputs[0])
    has_none = build.math("SUBTRACT", 1.0, has_normal, row=row)
    automatic = build.node("ShaderNodeNewGeometry", row=row + 1).outputs[1]
    vector = build.vector("MULTIPLY_ADD", automatic, has_none, world.outputs[0], row=row)
    return _Normal(vector, build.math("MAXIMUM", has_normal, missing, row=row))


def _add_lamp(
    build: NodeBuilder, game: Game, normal: NodeSocket, origin: NodeSocket, number: int
) -> NodeSocket:
    """Add the light of one lamp on a normal."""
    row = _ROW + number
    position, color = lit_value(build, f"place_{number}", row), lit_value(build, f"color_{number}", row)
    inputs = (normal, origin, position.outputs[1], position.outputs[3], color.outputs[1], color.outputs[3])
    lamp = build.node("ShaderNodeGroup", row=row)
    lamp.node_tree = _lamp_group(game)
    for source, target in zip(inputs, lamp.inputs, strict=True):
        build.link(source, target)
    result: NodeSocket = lamp.outputs[0]
    return result


def _lamp_group(game: Game) -> Any:
    def add_light(build: NodeBuilder, inputs: Sequence[NodeSocket]) -> list[NodeSocket]:
        normal, origin, direction, reach, light, softness = inputs
        if game.traits.has_light_ranges:
            # Suns have a far position.
            offset = build.vector("SUBTRACT", direction, origin)
            distance = build.vector("LENGTH", offset).node.outputs[1]
            attenuation = build.math("SUBTRACT", 1.0, build.math("DIVIDE", distance, reach))
            attenuation.node.use_clamp = True
            direction, light = build.vector("NORMALIZE", offset), build.vector("MULTIPLY", light, attenuation)
        factor = cosine = build.vector("DOT_PRODUCT", normal, direction).node.outputs[1]
        if game.traits.has_light_types:
            factor = build.math("MAXIMUM", cosine, 0.0)
        if not game.traits.has_light_types or game.traits.has_soft_points:
            soft = build.math("MULTIPLY_ADD", cosine, 0.5, 0.5)
            if game.traits.has_soft_points:
                more = build.math("SUBTRACT", build.math("MULTIPLY", soft, soft), factor)
                soft = build.math("MULTIPLY_ADD", more, softness, factor)
            factor = soft
        return [build.vector("MULTIPLY", light, factor)]

    return shader_nodes(f"{LAMP_NAME} {game.name}", _LAMP_INPUTS, {"Light": "Vector"}, add_light)
