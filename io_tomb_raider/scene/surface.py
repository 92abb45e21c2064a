"""How faces look: one node group for all levels, and the few nodes of a material around it.

The games multiply a texture with the light of its vertices as they stand in the file, as screen values,
where 128 leaves the texture as it is. Blender's shaders count in linear light, so the group turns both into
screen values, multiplies, and turns the product back: the picture is the game's.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Image, Material, NodeSocket, NodeTree, ShaderNodeTree

from . import compat

GROUP_NAME = "Tomb Raider Surface"
LIGHT_ATTRIBUTE = "Color"

OPAQUE, COLOR_KEYED, ADDITIVE = "Opaque", "Color-Keyed", "Additive"
_INPUTS = (("Color", "NodeSocketColor"), ("Alpha", "NodeSocketFloat"))
_OUTPUTS = (OPAQUE, COLOR_KEYED, ADDITIVE)

_NEUTRAL_LIGHT = 128 / 255
_NEUTRAL_LINEAR = ((_NEUTRAL_LIGHT + 0.055) / 1.055) ** 2.4
_COLUMN = 180


def surface_group() -> NodeTree:
    """Return the node group that all materials share; it is made where it is missing or was taken apart."""
    group: Any = bpy.data.node_groups.get(GROUP_NAME)
    return group if group is not None and _is_intact(group) else _make_group()


def _is_intact(group: NodeTree) -> bool:
    if group.bl_idname != "ShaderNodeTree":
        return False
    sockets = {(item.name, item.in_out) for item in group.interface.items_tree if item.item_type == "SOCKET"}
    wanted = {(name, "INPUT") for name, _ in _INPUTS} | {(name, "OUTPUT") for name in _OUTPUTS}
    return wanted <= sockets and any(node.bl_idname == "NodeGroupOutput" for node in group.nodes)


class _Builder:
    """Adds nodes to a tree, one column after the other."""

    def __init__(self, tree: NodeTree) -> None:
        self.tree = tree
        self._column = 0

    def node(self, kind: str, label: str = "", row: int = 0, **settings: Any) -> Any:
        node = self.tree.nodes.new(kind)
        node.label = label
        node.location = (_COLUMN * self._column, -_COLUMN * row)
        self._column += 1
        for name, value in settings.items():
            setattr(node, name, value)
        return node

    def link(self, source: NodeSocket, target: NodeSocket) -> None:
        self.tree.links.new(source, target)

    def vector(self, operation: str, first: Any, *others: Any, label: str = "", row: int = 0) -> NodeSocket:
        """Add a vector operation; operands are sockets, or numbers that count for all three components."""
        node = self.node("ShaderNodeVectorMath", label, row, operation=operation)
        for socket, value in zip(node.inputs, (first, *others), strict=False):
            if isinstance(value, NodeSocket):
                self.link(value, socket)
            else:
                socket.default_value = (value, value, value)
        return node.outputs[0]

    def power(self, base: NodeSocket, exponent: float, row: int = 0) -> NodeSocket:
        node = self.node("ShaderNodeGamma", row=row)
        self.link(base, node.inputs[0])
        node.inputs[1].default_value = exponent
        return node.outputs[0]

    def to_screen(self, linear: NodeSocket, row: int) -> NodeSocket:
        """Add the curve of sRGB: its straight part ends where it meets its power."""
        bent = self.vector("MULTIPLY_ADD", self.power(linear, 1 / 2.4, row), 1.055, -0.055, row=row)
        straight = self.vector("MINIMUM", self.vector("MULTIPLY", linear, 12.92, row=row), 0.04045, row=row)
        return self.vector("MAXIMUM", bent, straight, label="screen value", row=row)

    def to_linear(self, screen: NodeSocket) -> NodeSocket:
        """Add the inverse curve. Beyond the straight part a steep line leaves the power to decide."""
        bent = self.power(self.vector("MULTIPLY_ADD", screen, 1 / 1.055, 0.055 / 1.055), 2.4)
        straight = self.vector("MULTIPLY", screen, 1 / 12.92)
        steep = self.vector("MULTIPLY_ADD", screen, 3.0, 0.04045 / 12.92 - 3.0 * 0.04045)
        return self.vector("MINIMUM", bent, self.vector("MAXIMUM", straight, steep), label="linear")


def _make_group() -> NodeTree:
    group: Any = bpy.data.node_groups.new(GROUP_NAME, "ShaderNodeTree")
    for name, kind in _INPUTS:
        group.interface.new_socket(name, in_out="INPUT", socket_type=kind)
    for name in _OUTPUTS:
        group.interface.new_socket(name, in_out="OUTPUT", socket_type="NodeSocketShader")
    build = _Builder(group)
    inputs = build.node("NodeGroupInput").outputs
    texture = build.to_screen(inputs[0], row=0)
    light = build.to_screen(_add_light(build), row=1)
    product = build.vector("MULTIPLY", texture, light)
    doubled = build.vector("MULTIPLY", product, 1 / _NEUTRAL_LIGHT, label="128 is neutral")
    emission = build.node("ShaderNodeEmission")
    build.link(build.to_linear(build.vector("MINIMUM", doubled, 1.0)), emission.inputs[0])
    _add_outputs(build, emission.outputs[0], inputs[1])
    return group


def _add_light(build: _Builder) -> NodeSocket:
    """Add the vertices' light; meshes that have none are shown as their texture is."""
    attribute = build.node("ShaderNodeVertexColor", "vertex light", row=1, layer_name=LIGHT_ATTRIBUTE)
    missing = build.node("ShaderNodeMath", "without light", row=2, operation="SUBTRACT", use_clamp=True)
    missing.inputs[0].default_value = 1.0
    build.link(attribute.outputs[1], missing.inputs[1])
    return build.vector("MULTIPLY_ADD", missing.outputs[0], _NEUTRAL_LINEAR, attribute.outputs[0], row=1)


def _add_outputs(build: _Builder, emission: NodeSocket, alpha: NodeSocket) -> None:
    clear = build.node("ShaderNodeBsdfTransparent", row=1).outputs[0]
    solid = build.node("ShaderNodeMath", "alpha test", row=2, operation="GREATER_THAN")
    build.link(alpha, solid.inputs[0])
    solid.inputs[1].default_value = 0.5
    # Sockets of these nodes are named differently from version to version: they go by index.
    tested = build.node("ShaderNodeMixShader")
    build.link(solid.outputs[0], tested.inputs[0])
    build.link(clear, tested.inputs[1])
    build.link(emission, tested.inputs[2])
    added = build.node("ShaderNodeAddShader", row=1)
    build.link(clear, added.inputs[0])
    build.link(emission, added.inputs[1])
    outputs = build.node("NodeGroupOutput").inputs
    for index, socket in enumerate((emission, tested.outputs[0], added.outputs[0])):
        build.link(socket, outputs[index])


def build_surface(
    material: Material, group: NodeTree, mode: str, image: Image | None, color: tuple[float, float, float]
) -> None:
    """Replace a material's nodes.

    Args:
        material: the material.
        group: from :func:`surface_group`.
        mode: how the faces are blended: ``OPAQUE``, ``COLOR_KEYED`` or ``ADDITIVE``.
        image: the texture, or None for one flat colour.
        color: the flat colour, linear; with an image its average, for viewports that show no textures.
    """
    tree: ShaderNodeTree = compat.material_nodes(material)
    tree.nodes.clear()
    surface: Any = tree.nodes.new("ShaderNodeGroup")
    surface.node_tree = group
    surface.width = 2 * _COLUMN
    output = tree.nodes.new("ShaderNodeOutputMaterial")
    output.location = (2.5 * _COLUMN, 0)
    tree.links.new(surface.outputs[_OUTPUTS.index(mode)], output.inputs[0])
    if image is None:
        surface.inputs[0].default_value = (*color, 1.0)
        surface.inputs[1].default_value = 1.0
        _set_display_color(material, color)
    else:
        texture: Any = tree.nodes.new("ShaderNodeTexImage")
        texture.location = (-2 * _COLUMN, 0)
        # Pages hold many textures side by side: smoothing would let neighbours and the key colour bleed in.
        texture.interpolation = "Closest"
        texture.extension = "EXTEND"
        tree.links.new(texture.outputs[0], surface.inputs[0])
        tree.links.new(texture.outputs[1], surface.inputs[1])
        # Workbench and texture painting go by the active node.
        tree.nodes.active = texture
        show_image(material, image, color)
    material.surface_render_method = "BLENDED" if mode == ADDITIVE else "DITHERED"


def show_image(material: Material, image: Image, color: tuple[float, float, float]) -> None:
    """Give a material that :func:`build_surface` made with an image, or a copy of it, another image."""
    texture: Any = compat.material_nodes(material).nodes.active
    texture.image = image
    _set_display_color(material, color)


def _set_display_color(material: Any, color: tuple[float, float, float]) -> None:
    material.diffuse_color = (*color, 1.0)
