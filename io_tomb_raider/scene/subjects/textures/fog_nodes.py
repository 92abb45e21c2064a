"""Nodes for distance fog and fog bulbs, per pixel instead of per vertex as in the games.

They are in a game's materials only while one of its levels shows either. The range of the distance fog is
stored on each object, in ``tomb_raider.lit.distance``: materials can read eight such values, and seven are in
use. So the color is packed into one number. Bulbs have a node group.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from bpy.types import NodeSocket, NodeTree

from ....formats import Game
from ...core.blender.node_builder import NodeBuilder, shader_nodes
from .light_nodes import lit_value

DISTANCE_LABEL, BULBS_LABEL = "distance", "fog bulbs"  # the first one is the name of the property, too
_BULBS_NAME, _BULB_NAME = "Tomb Raider Fog Bulbs", "Tomb Raider Fog Bulb"
_BYTE = 256
_FULL = 255
_ROW = 14  # the first row of nodes in the group
_SUM = {"Amount": "Float", "Color": "Vector"}
_BULB_INPUTS = {**_SUM, "Place": "Vector", "Radius": "Float", "Strength": "Float", "Tint": "Vector"}


class ShownBulb(NamedTuple):
    """A fog bulb for the nodes, in Blender units; ``tint`` are screen values."""

    place: tuple[float, float, float]
    radius: float
    strength: float
    tint: tuple[float, float, float]


class Fog(NamedTuple):
    """The fog in materials of a game: whether by distance, and the tree from :func:`bulbs_tree`."""

    distance: bool = False
    bulbs: NodeTree | None = None


class Faded(NamedTuple):
    """Sockets with the amount of fog (a number) and its color times that amount (a vector)."""

    amount: NodeSocket
    color: NodeSocket


def packed(color: Sequence[float]) -> float:
    """Return a color of screen values packed into one number that 32-bit floats hold exactly."""
    red, green, blue = (round(min(max(channel, 0.0), 1.0) * _FULL) for channel in color)
    return float((red * _BYTE + green) * _BYTE + blue)


# --- Distance ----------------------------------------


def add_distance(build: NodeBuilder, game: Game, brightness: NodeSocket) -> tuple[NodeSocket, Faded | None]:
    """Add nodes for distance fog; return the remaining brightness, and the fading (TR4, TR5) or None."""
    values = lit_value(build, DISTANCE_LABEL, _ROW)
    numbers = build.node("ShaderNodeSeparateXYZ", row=_ROW)
    build.link(values.outputs[1], numbers.inputs[0])
    beyond = build.math("SUBTRACT", _depth(build, game), numbers.outputs[0], row=_ROW)
    share = build.math("MULTIPLY", beyond, numbers.outputs[1], row=_ROW)
    share.node.use_clamp = True
    if not game.traits.has_light_ranges:
        # These games clamp light before; TR4 and TR5 do not.
        brightness = build.vector("MINIMUM", brightness, 1.0, row=_ROW)
        if game.traits.has_light_curve:
            rest = build.math("SUBTRACT", 1.0, share, row=_ROW)
            return build.vector("MULTIPLY", brightness, rest, row=_ROW), None
        return build.vector("SUBTRACT", brightness, share, row=_ROW), None
    amount = build.math("MULTIPLY", share, values.outputs[3], row=_ROW)
    darkness = build.math("SUBTRACT", share, amount, row=_ROW)
    color = build.vector("MULTIPLY", _unpacked(build, numbers.outputs[2]), amount, row=_ROW)
    return build.vector("SUBTRACT", brightness, darkness, row=_ROW), Faded(amount, color)


def _depth(build: NodeBuilder, game: Game) -> NodeSocket:
    """Add the depth of a pixel; in TR1 and TR2 that of the origin for objects in rooms."""
    row = _ROW + 1
    depth: NodeSocket = build.node("ShaderNodeCameraData", row=row).outputs[1]
    if game.traits.has_light_types:
        return depth
    origin = build.node("ShaderNodeVectorTransform", row=row, vector_type="POINT", convert_from="WORLD")
    origin.convert_to = "CAMERA"
    build.link(build.node("ShaderNodeObjectInfo", row=row).outputs[0], origin.inputs[0])
    components = build.node("ShaderNodeSeparateXYZ", row=row)
    build.link(origin.outputs[0], components.inputs[0])
    origin_depth = build.math("ABSOLUTE", components.outputs[2], row=row)
    difference = build.math("SUBTRACT", origin_depth, depth, row=row)
    is_in_room = lit_value(build, "ambient", _ROW).outputs[3]
    return build.math("MULTIPLY_ADD", difference, is_in_room, depth, row=row)


def _unpacked(build: NodeBuilder, number: NodeSocket) -> NodeSocket:
    """Add nodes that unpack a color of :func:`packed`."""
    red_green = build.math("FLOOR", build.math("DIVIDE", number, float(_BYTE), row=_ROW), row=_ROW)
    red = build.math("FLOOR", build.math("DIVIDE", red_green, float(_BYTE), row=_ROW), row=_ROW)
    green = build.math("MULTIPLY_ADD", red, -float(_BYTE), red_green, row=_ROW)
    blue = build.math("MULTIPLY_ADD", red_green, -float(_BYTE), number, row=_ROW)
    color = build.node("ShaderNodeCombineXYZ", row=_ROW)
    for channel, socket in zip((red, green, blue), color.inputs, strict=True):
        build.link(channel, socket)
    return build.vector("MULTIPLY", color.outputs[0], 1 / _FULL, row=_ROW)


def add_fading(build: NodeBuilder, product: NodeSocket, faded: Faded) -> tuple[NodeSocket, NodeSocket]:
    """Add the remaining colors, and these plus the color of the fog."""
    share = build.math("SUBTRACT", 1.0, faded.amount, row=_ROW)
    share.node.use_clamp = True
    rest = build.vector("MULTIPLY", product, share, row=_ROW)
    # The amounts of several bulbs may exceed 1.
    total = build.math("MAXIMUM", faded.amount, 1.0, row=_ROW)
    return rest, build.vector("ADD", rest, build.vector("DIVIDE", faded.color, total, row=_ROW), row=_ROW)


# --- Fog bulbs ----------------------------------------


def add_bulbs(build: NodeBuilder, tree: NodeTree) -> Faded:
    """Add the group of fog bulbs."""
    node = build.node("ShaderNodeGroup", BULBS_LABEL, _ROW + 2)
    node.node_tree = tree
    return Faded(node.outputs[0], node.outputs[1])


def bulbs_tree(game: Game, bulbs: Sequence[ShownBulb]) -> NodeTree:
    """Return the node group of a game's fog bulbs; only nodes of changed bulbs are changed."""
    tree = shader_nodes(f"{_BULBS_NAME} {game.name}", {}, _SUM, lambda _build, _inputs: ())
    nodes = [node for node in tree.nodes if node.bl_idname == "ShaderNodeGroup"]
    group = _bulb_group(game)
    if len(nodes) != len(bulbs) or any(node.node_tree != group for node in nodes):
        nodes = _chain(tree, group, len(bulbs))
    for node, bulb in zip(nodes, bulbs, strict=True):
        for socket, value in zip(node.inputs[2:], bulb, strict=True):
            _put(socket, value)
    result: NodeTree = tree
    return result


def _chain(tree: NodeTree, group: NodeTree, count: int) -> list[Any]:
    """Make a chain of nodes of bulbs; each adds to the sums of those before it."""
    tree.nodes.clear()
    with NodeBuilder(tree) as build:
        nodes = [build.node("ShaderNodeGroup", node_tree=group) for _ in range(count)]
        for source, target in pairwise([*nodes, build.node("NodeGroupOutput")]):
            for number in range(len(_SUM)):
                build.link(source.outputs[number], target.inputs[number])
    return nodes


def _put(socket: NodeSocket, value: object) -> None:
    """Set the value of a socket if it differs: setting it makes Blender redraw all its users."""
    old = socket.default_value
    old = old if isinstance(old, float) else tuple(old)
    if old != value:
        socket.default_value = value


def _bulb_group(game: Game) -> Any:
    def add_fog(build: NodeBuilder, inputs: Sequence[NodeSocket]) -> list[NodeSocket]:
        amount, color, place, radius, strength, tint = inputs
        ray = _add_ray(build, place)
        add = _add_sphere if game.traits.has_fog_bulb_list else _add_ball
        added = build.math("MULTIPLY", add(build, ray, radius), strength)
        product = build.vector("MULTIPLY", tint, added)
        return [build.math("ADD", amount, added), build.vector("ADD", color, product)]

    return shader_nodes(f"{_BULB_NAME} {game.name}", _BULB_INPUTS, _SUM, add_fog)


class _Ray(NamedTuple):
    """The view ray of a pixel."""

    to_eye: NodeSocket  #: the unit vector from the pixel to the eye.
    far: NodeSocket  #: the distance of the pixel.
    bulb: NodeSocket  #: the vector from the eye to the bulb.


def _add_ray(build: NodeBuilder, place: NodeSocket) -> _Ray:
    geometry = build.node("ShaderNodeNewGeometry")
    to_eye, far = geometry.outputs["Incoming"], build.node("ShaderNodeCameraData").outputs[2]
    eye = build.vector("MULTIPLY_ADD", to_eye, far, geometry.outputs["Position"])
    return _Ray(to_eye, far, build.vector("SUBTRACT", place, eye))


def _add_ball(build: NodeBuilder, ray: _Ray, radius: NodeSocket) -> NodeSocket:
    """Add the fog of TR4: 1 minus the squared relative distance from the bulb to the ray.

    The ray ends at the distance of the bulb.
    """
    distance = build.vector("LENGTH", ray.bulb).node.outputs[1]
    end = build.math("MULTIPLY", build.math("MINIMUM", ray.far, distance), -1.0)
    offset = build.vector("SUBTRACT", build.vector("MULTIPLY", ray.to_eye, end), ray.bulb)
    ratio = build.math("DIVIDE", _dot(build, offset, offset), build.math("MULTIPLY", radius, radius))
    amount = build.math("SUBTRACT", 1.0, ratio)
    amount.node.use_clamp = True
    return amount


def _add_sphere(build: NodeBuilder, ray: _Ray, radius: NodeSocket) -> NodeSocket:
    """Add the fog of TR5: the length of the ray from the eye to the pixel within the sphere."""
    center = build.math("MULTIPLY", _dot(build, ray.to_eye, ray.bulb), -1.0)
    distance = build.math("SUBTRACT", _dot(build, ray.bulb, ray.bulb), build.math("MULTIPLY", center, center))
    inside = build.math("SUBTRACT", build.math("MULTIPLY", radius, radius), distance)
    half = build.math("SQRT", build.math("MAXIMUM", inside, 0.0))
    start = build.math("MAXIMUM", build.math("SUBTRACT", center, half), 0.0)
    end = build.math("MINIMUM", build.math("ADD", center, half), ray.far)
    return build.math("MAXIMUM", build.math("SUBTRACT", end, start), 0.0)


def _dot(build: NodeBuilder, first: NodeSocket, second: NodeSocket) -> NodeSocket:
    return build.vector("DOT_PRODUCT", first, second).node.outputs[1]
