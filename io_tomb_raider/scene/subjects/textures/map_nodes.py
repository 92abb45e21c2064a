"""Nodes that show the maps of TombEngine's materials: where a page has any, Blender lights its texels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from bpy.types import Image, Material, NodeSocket, NodeTree
from numpy.typing import NDArray

from ...core.blender import compat
from ...core.blender.node_builder import COLUMN, NodeBuilder, new_group
from .images import make_image, make_picture
from .shader import is_surface_group

_GROUP, _SURFACE = "Tomb Raider Maps", {"Surface": "Shader"}
LABELS = ("Occlusion, Roughness, Specular", "Normal", "Emission")


def is_map_group(tree: NodeTree | None) -> bool:
    """Return whether a node group shows maps, also for appended copies."""
    return tree is not None and tree.name.startswith(_GROUP)


def set_maps(page: Image, name: str, pictures: Sequence[NDArray[np.uint8]]) -> None:
    """Set the maps of a page, (256, 256, 4) each in the order of LABELS. Alpha of the first is their mask.

    ``name``: of the page, for the images.
    """
    settings: Any = page.tomb_raider
    if settings.maps is None:
        inputs = {**_SURFACE, "Color": "Color", "Alpha": "Float"}
        settings.maps = new_group(_GROUP, "ShaderNodeTree", inputs, _SURFACE, _fill)
    tree = settings.maps
    for label, pixels in zip(LABELS, pictures, strict=True):
        node = tree.nodes.get(label)
        if node is not None:
            old = node.image
            node.image = make_image(f"{name} {label}", make_picture(pixels))
            node.image.alpha_mode = "CHANNEL_PACKED"
            node.image.colorspace_settings.is_data = label != LABELS[2]
            if old is not None and not old.users:
                bpy.data.images.remove(old)


def show_maps(material: Material, texture: Any) -> None:
    """Show the maps of a page in a material that is drawn as in levels, or none.

    Args:
        texture: the node with the image of the page.
    """
    tree: Any = compat.material_nodes(material)
    groups = [each for each in tree.nodes if getattr(each, "node_tree", None) is not None]
    for group in [each for each in groups if is_map_group(each.node_tree)]:
        for source in list(group.inputs[0].links):
            for target in list(group.outputs[0].links):
                tree.links.new(source.from_socket, target.to_socket)
        tree.nodes.remove(group)
    maps = texture.image.tomb_raider.maps if texture.image is not None else None
    if maps is None or material.surface_render_method == "BLENDED" or material.tomb_raider.animation:
        return
    for surface in [each for each in tree.nodes if each.bl_idname == "ShaderNodeGroup"]:
        links = [link for output in surface.outputs for link in output.links]
        if surface.node_tree is None or not is_surface_group(surface.node_tree) or not links:
            continue
        group = tree.nodes.new("ShaderNodeGroup")
        group.node_tree, group.location = maps, (1.2 * COLUMN, -COLUMN)
        tree.links.new(links[0].from_socket, group.inputs[0])
        for link in links:
            tree.links.new(group.outputs[0], link.to_socket)
        for output in texture.outputs:
            tree.links.new(output, group.inputs[output.name])
    tree.nodes.active = texture


def _fill(build: NodeBuilder, inputs: Sequence[NodeSocket]) -> list[NodeSocket]:
    surface, color, alpha = inputs
    images = [build.node("ShaderNodeTexImage", row=row) for row in range(1, 4)]
    for node, label in zip(images, LABELS, strict=True):
        node.name = node.label = label
        node.interpolation, node.extension = "Closest", "EXTEND"
    parts, relief = build.node("ShaderNodeSeparateColor"), build.node("ShaderNodeNormalMap", row=1)
    build.link(images[0].outputs[0], parts.inputs[0])
    build.link(images[1].outputs[0], relief.inputs["Color"])
    shader, mixed = build.node("ShaderNodeBsdfPrincipled"), build.node("ShaderNodeMixShader")
    shader.inputs["Emission Strength"].default_value = 1.0
    sources = {
        "Base Color": build.vector("MULTIPLY", color, parts.outputs[0], row=2),
        "Roughness": parts.outputs[1],
        "Specular IOR Level": parts.outputs[2],
        "Alpha": build.math("GREATER_THAN", alpha, 0.5, label="alpha test", row=3),
        "Normal": relief.outputs[0],
        "Emission Color": images[2].outputs[0],
    }
    for name, socket in sources.items():
        build.link(socket, shader.inputs[name])
    for socket, target in zip((images[0].outputs[1], surface, shader.outputs[0]), mixed.inputs, strict=True):
        build.link(socket, target)
    return [mixed.outputs[0]]
