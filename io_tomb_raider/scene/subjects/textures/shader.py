"""Shader of faces: a node group for all levels of a game, and the other nodes of a material.

The games multiply texture and light as screen values. Blender's shaders use linear light, so the group
converts both to screen values, multiplies, and converts the product back. :mod:`.light_nodes` adds the light.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Image, Material, NodeSocket, NodeTree, ShaderNodeTexImage, ShaderNodeTree

from ....formats import Game
from ....formats.levels.lights import EXPONENT_TR3
from ...core.blender import compat
from ...core.blender.color import to_linear
from ...core.blender.node_builder import COLUMN, NodeBuilder
from .fog_nodes import BULBS_LABEL, DISTANCE_LABEL, Faded, Fog, add_bulbs, add_distance, add_fading
from .light_nodes import add_brightness, add_has_own_light, add_water

GROUP_NAME = "Tomb Raider Surface"
EFFECTS_ATTRIBUTE = "tr_effects"
SHINE = "shine"
_SHINE_PARTS = 32
_SHINE_FACTOR = "how much of 32"
_LIT = "lit as in the game"

OPAQUE, COLOR_KEYED, ADDITIVE = "Opaque", "Color-Keyed", "Additive"
_INPUTS = (("Color", "NodeSocketColor"), ("Alpha", "NodeSocketFloat"))
_OUTPUTS = (OPAQUE, COLOR_KEYED, ADDITIVE)

_NEUTRAL_LIGHT = 128 / 255
_BLACK = float(to_linear(0.5 / 255))  # darker vertices have no light


def group_name(game: Game) -> str:
    """Return the name of the node group of a game."""
    return f"{GROUP_NAME} {game.name}"


def surface_group(game: Game) -> NodeTree:
    """Return the node group that all materials of a game share; make it if it is missing or damaged."""
    group: Any = bpy.data.node_groups.get(group_name(game))
    return group if group is not None and _is_intact(group, game) else _make_group(game)


def game_of_group(tree: NodeTree) -> Game | None:
    """Return the game of a surface group, also of appended copies, or None for other groups."""
    name = tree.name.rpartition(".")[0] if tree.name[-3:].isdigit() else tree.name
    return next((game for game in Game if name == group_name(game)), None)


def is_surface_group(tree: NodeTree) -> bool:
    """Return whether a node group draws faces of levels, also for appended copies."""
    return tree.name.startswith(GROUP_NAME)


def _is_intact(group: NodeTree, game: Game) -> bool:
    if group.bl_idname != "ShaderNodeTree":
        return False
    sockets = {(item.name, item.in_out) for item in group.interface.items_tree if item.item_type == "SOCKET"}
    labels = {node.label for node in group.nodes}
    required = {(name, "INPUT") for name, _ in _INPUTS} | {(name, "OUTPUT") for name in _OUTPUTS}
    has_output = any(node.bl_idname == "NodeGroupOutput" for node in group.nodes)
    required_labels = {_LIT, SHINE, _SHINE_FACTOR} if game.traits.has_effects else {_LIT}
    return required <= sockets and has_output and labels >= required_labels


def show_in_surfaces(game: Game, fog: Fog) -> None:
    """Add or remove the nodes for fog in the materials of a game."""
    required = {DISTANCE_LABEL} if fog.distance else set()
    required |= {BULBS_LABEL} if fog.bulbs is not None else set()
    for group in bpy.data.node_groups:
        if not group.name.startswith(group_name(game)) or group.library or not _is_intact(group, game):
            continue
        if {node.label for node in group.nodes} & {DISTANCE_LABEL, BULBS_LABEL} != required:
            group.nodes.clear()
            _add_nodes(group, game, fog)


def _make_group(game: Game) -> NodeTree:
    group: Any = bpy.data.node_groups.new(group_name(game), "ShaderNodeTree")
    for name, kind in _INPUTS:
        group.interface.new_socket(name, in_out="INPUT", socket_type=kind)
    for name in _OUTPUTS:
        group.interface.new_socket(name, in_out="OUTPUT", socket_type="NodeSocketShader")
    _add_nodes(group, game, Fog())
    return group


def _add_nodes(group: NodeTree, game: Game, fog: Fog) -> None:
    with NodeBuilder(group) as build:
        inputs = build.node("NodeGroupInput").outputs
        texture = build.to_screen(inputs[0], row=0)
        light, is_unlit = _add_light(build, _NEUTRAL_LIGHT if game.traits.has_light_ranges else 0.5)
        brightness = add_brightness(build, game, build.to_screen(light, row=1), is_unlit)
        faded: list[Faded] = []
        if fog.distance:
            brightness, far = add_distance(build, game, brightness)
            faded += [] if far is None else [far]
        factor = _add_factor(build, game, brightness)
        if game.traits.has_effects:
            product, additive = _add_effects(build, game, texture, brightness, factor, faded, fog)
        else:
            product = additive = build.vector("MULTIPLY", texture, factor)
        emission = _add_emission(build, product)
        additive_emission = emission if additive == product else _add_emission(build, additive)
        _add_outputs(build, emission, additive_emission, inputs[1])


def _add_effects(
    build: NodeBuilder,
    game: Game,
    texture: NodeSocket,
    brightness: NodeSocket,
    factor: NodeSocket,
    faded: list[Faded],
    fog: Fog,
) -> tuple[NodeSocket, NodeSocket]:
    """Add the colors of TR4 and TR5, and those of additive faces."""
    highlight = _add_highlight(build, brightness)
    bulbs = None if fog.bulbs is None else add_bulbs(build, fog.bulbs)
    if bulbs is not None and game.traits.has_fog_bulb_list:
        factor = build.vector("MAXIMUM", build.vector("SUBTRACT", factor, bulbs.amount, row=2), 0.0, row=2)
        highlight = build.vector("ADD", highlight, bulbs.color, row=3)
    elif bulbs is not None:
        faded = [bulbs, *faded]
    product = build.vector("MULTIPLY", texture, factor)
    additive = build.vector("ADD", product, build.vector("MULTIPLY", factor, _add_shine(build), row=2), row=2)
    product = build.vector("ADD", additive, highlight, row=2)
    for fading in faded:
        # Fog behind additive faces has its color already, so these only fade.
        product = build.vector("MINIMUM", product, 1.0, row=2)
        product = add_fading(build, product, fading)[1]
        additive = add_fading(build, additive, fading)[0]
    return product, additive


def _add_emission(build: NodeBuilder, color: NodeSocket) -> NodeSocket:
    emission = build.node("ShaderNodeEmission")
    build.link(build.to_linear(build.vector("MINIMUM", color, 1.0)), emission.inputs[0])
    result: NodeSocket = emission.outputs[0]
    return result


def _add_light(build: NodeBuilder, neutral: float) -> tuple[NodeSocket, NodeSocket]:
    """Add the vertex light, linear, and 1 where meshes have none, which get neutral light.

    Without a name, the node reads the color attribute chosen for rendering, which exports write. If there is
    none, Cycles returns alpha 0, EEVEE opaque black.
    """
    attribute = build.node("ShaderNodeVertexColor", "vertex light", row=1)
    missing = build.math("SUBTRACT", 1.0, attribute.outputs[1], label="without light", row=2)
    missing.node.use_clamp = True
    length = build.vector("LENGTH", attribute.outputs[0], row=2).node.outputs[1]
    has_light = add_has_own_light(build)
    is_black = build.math("LESS_THAN", build.math("ADD", length, has_light, row=2), _BLACK, row=2)
    is_unlit = build.math("MAXIMUM", missing, is_black, row=2)
    light = build.vector("MULTIPLY_ADD", is_unlit, float(to_linear(neutral)), attribute.outputs[0], row=1)
    return light, is_unlit


def _add_factor(build: NodeBuilder, game: Game, brightness: NodeSocket) -> NodeSocket:
    """Add the factor of texture colors: ``texture_factor`` of ``formats.lights.shading``."""
    bright = build.vector("MAXIMUM", build.vector("MINIMUM", brightness, 1.0, row=2), 0.0, label=_LIT, row=2)
    if game.traits.has_light_ranges:
        doubled = build.vector("MULTIPLY", bright, 1 / _NEUTRAL_LIGHT, label="128 is neutral", row=2)
        return build.vector("MINIMUM", doubled, 1.0, row=2)
    if game.traits.has_light_curve:
        factor = build.power(bright, EXPONENT_TR3, row=2)
    else:
        factor = build.vector("MULTIPLY", bright, 2.0, label="half is neutral", row=2)
    return build.vector("MULTIPLY", factor, add_water(build), row=2)


def _add_highlight(build: NodeBuilder, brightness: NodeSocket) -> NodeSocket:
    """Add the highlight: half of the brightness above 128."""
    above = build.vector("ADD", brightness, -_NEUTRAL_LIGHT, row=3)
    return build.vector("MULTIPLY", build.vector("MAXIMUM", above, 0.0, row=3), 0.5, label="highlight", row=3)


def _add_shine(build: NodeBuilder) -> NodeSocket:
    """Add the reflection of the environment map, by the effects of mesh faces.

    The map is approximated by a blur that is brightest where a face points at the camera.
    """
    effects = build.node("ShaderNodeAttribute", SHINE, row=3, attribute_name=EFFECTS_ATTRIBUTE)
    word = effects.outputs[2]
    shines = build.math("FLOOR", build.math("MULTIPLY", word, 0.5, row=3), row=3)
    shines = build.math("MODULO", shines, 2.0, row=3, label="it shines")
    strength = build.math("FLOOR", build.math("MULTIPLY", word, 0.25, row=4), row=4)
    strength = build.math("MODULO", strength, _SHINE_PARTS, row=4)
    strength = build.math("MULTIPLY", strength, 1 / _SHINE_PARTS, row=4, label=_SHINE_FACTOR)
    camera_normal = build.node(
        "ShaderNodeVectorTransform", row=5, vector_type="NORMAL", convert_from="WORLD", convert_to="CAMERA"
    )
    build.link(build.node("ShaderNodeNewGeometry", row=5).outputs[1], camera_normal.inputs[0])
    flat = build.vector("MULTIPLY", camera_normal.outputs[0], 1.0, row=5)
    flat.node.inputs[1].default_value = (1.0, 1.0, 0.0)
    distance = build.vector("LENGTH", flat, label="away from the camera", row=5).node.outputs[1]
    blur = build.math("SUBTRACT", 1.0, distance, row=5)
    blur.node.use_clamp = True
    return build.math("MULTIPLY", build.math("MULTIPLY", shines, strength, row=4), blur, row=4)


def _add_outputs(build: NodeBuilder, emission: NodeSocket, additive: NodeSocket, alpha: NodeSocket) -> None:
    transparent = build.node("ShaderNodeBsdfTransparent", row=1).outputs[0]
    alpha_test = build.math("GREATER_THAN", alpha, 0.5, label="alpha test", row=2)
    # Names of these sockets differ between versions of Blender, so use indices.
    tested = build.node("ShaderNodeMixShader")
    build.link(alpha_test, tested.inputs[0])
    build.link(transparent, tested.inputs[1])
    build.link(emission, tested.inputs[2])
    added = build.node("ShaderNodeAddShader", row=1)
    build.link(transparent, added.inputs[0])
    build.link(additive, added.inputs[1])
    outputs = build.node("NodeGroupOutput").inputs
    for index, socket in enumerate((emission, tested.outputs[0], added.outputs[0])):
        build.link(socket, outputs[index])


def build_surface(
    material: Material, group: NodeTree, mode: str, image: Image | None, color: tuple[float, float, float]
) -> None:
    """Replace a material's nodes.

    Args:
        mode: the blending: ``OPAQUE``, ``COLOR_KEYED`` or ``ADDITIVE``.
        image: the texture, or None for one flat color.
        color: the flat color, linear; with an image its average, for viewports that show no textures.
    """
    tree: ShaderNodeTree = compat.material_nodes(material)
    tree.nodes.clear()
    output = tree.nodes.new("ShaderNodeOutputMaterial")
    output.location = (2.5 * COLUMN, 0)
    surface = _add_surface(material, group, mode)
    if image is None:
        _fill_flat(surface, color)
        set_display_color(material, color)
    else:
        texture: Any = tree.nodes.new("ShaderNodeTexImage")
        texture.location = (-2 * COLUMN, 0)
        # Interpolation would mix neighboring textures of the page and the key color.
        texture.interpolation = "Closest"
        texture.extension = "EXTEND"
        _show_texture(surface, texture)
        show_image(material, image, color)


def draw_as_level(
    material: Material,
    group: NodeTree,
    mode: str,
    texture: ShaderNodeTexImage | None,
    color: tuple[float, float, float],
) -> None:
    """Draw a user's material like those of levels; all its nodes are kept.

    ``texture`` is the node with the material's image, or None for one flat color, which is linear.
    """
    tree = compat.material_nodes(material)
    if not any(node.type == "OUTPUT_MATERIAL" for node in tree.nodes):
        tree.nodes.new("ShaderNodeOutputMaterial")
    surface = _add_surface(material, group, mode)
    outputs = (node for node in tree.nodes if node.type == "OUTPUT_MATERIAL")
    left, bottom = min((node.location.x, node.location.y) for node in outputs)
    surface.location = (left - 2.5 * COLUMN, bottom + COLUMN)
    if texture is None:
        _fill_flat(surface, color)
    else:
        _show_texture(surface, texture)


def show_mode(material: Material, mode: str) -> None:
    """Change the blending of a material that is drawn like those of levels, see :func:`build_surface`."""
    tree = compat.used_nodes(material)
    nodes: list[Any] = [] if tree is None else [each for each in tree.nodes if each.type == "GROUP"]
    surfaces = [each for each in nodes if each.node_tree is not None and is_surface_group(each.node_tree)]
    for surface in surfaces:
        chosen = surface.outputs[mode]
        links = [link for output in surface.outputs if output != chosen for link in output.links]
        for socket in [link.to_socket for link in links]:
            surface.id_data.links.new(chosen, socket)
    if surfaces:
        material.surface_render_method = "BLENDED" if mode == ADDITIVE else "DITHERED"


def _add_surface(material: Material, group: NodeTree, mode: str) -> Any:
    """Add the node that draws a level's faces, and connect it to all outputs."""
    tree = compat.material_nodes(material)
    surface: Any = tree.nodes.new("ShaderNodeGroup")
    surface.node_tree = group
    surface.width = 2 * COLUMN
    for output in tree.nodes:
        if output.type == "OUTPUT_MATERIAL":
            tree.links.new(surface.outputs[_OUTPUTS.index(mode)], output.inputs[0])
    material.surface_render_method = "BLENDED" if mode == ADDITIVE else "DITHERED"
    return surface


def _fill_flat(surface: Any, color: tuple[float, float, float]) -> None:
    surface.inputs[0].default_value = (*color, 1.0)
    surface.inputs[1].default_value = 1.0


def _show_texture(surface: Any, texture: Any) -> None:
    tree = surface.id_data
    tree.links.new(texture.outputs[0], surface.inputs[0])
    tree.links.new(texture.outputs[1], surface.inputs[1])
    # Workbench and texture painting use the active node.
    tree.nodes.active = texture


def show_image(material: Material, image: Image, color: tuple[float, float, float]) -> None:
    """Set the image of a material that :func:`build_surface` made with an image, or of a copy of it."""
    texture = compat.material_nodes(material).nodes.active
    texture.image = image
    set_display_color(material, color)


def set_display_color(material: Any, color: tuple[float, float, float]) -> None:
    """Set the linear color of a material for viewports that show no nodes."""
    material.diffuse_color = (*color, 1.0)
