"""Nodes that show height maps as the games do: twice the product of texture and height map (TR4, TR5).

Heights of half brightness leave the texture as it is. The group comes between the texture and the group that
draws faces, in materials of bumped pages alone.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Image, Material, NodeTree

from ...core import compat
from ...core.node_builder import COLUMN, NodeBuilder
from .shader import is_surface_group

GROUP_NAME = "Tomb Raider Bump"
_SOCKETS = (("Color", "INPUT"), ("Heights", "INPUT"), ("Color", "OUTPUT"))


def is_bump_group(tree: NodeTree | None) -> bool:
    """Return whether a node group shows a height map, also for appended copies."""
    return tree is not None and tree.name.startswith(GROUP_NAME)


def show_heights(material: Material, texture: Any, heights: Image | None) -> None:
    """Show a height map in a material, or none.

    Materials whose texture is mixed with others, as by animated textures of several images, are unchanged.

    Args:
        material: the material.
        texture: the node with its image.
        heights: the height map of that image, or None.
    """
    tree: Any = compat.material_nodes(material)
    bump: Any = next((n for n in tree.nodes if is_bump_group(getattr(n, "node_tree", None))), None)
    if bump is not None:
        shown: Any = next((link.from_node for link in tree.links if link.to_socket == bump.inputs[1]), None)
        if heights is not None and shown is not None:
            shown.image = heights
            return
        targets = [link.to_socket for link in tree.links if link.from_node == bump]
        for target in targets:
            tree.links.new(texture.outputs[0], target)
        for node in (bump, shown):
            if node is not None:
                tree.nodes.remove(node)
    if heights is None:
        return
    targets = [link.to_socket for link in tree.links if link.from_socket == texture.outputs[0]]
    # The previous nodes of a user's material are still connected to its texture, but to no output.
    targets = [each for each in targets if _draws_faces(each.node)]
    if len(targets) != 1:
        return
    bump, shown = tree.nodes.new("ShaderNodeGroup"), tree.nodes.new("ShaderNodeTexImage")
    bump.node_tree, bump.location = _bump_group(), (-COLUMN / 2, -COLUMN)
    shown.image, shown.interpolation, shown.extension = heights, texture.interpolation, texture.extension
    shown.location = (-2 * COLUMN, -2 * COLUMN)
    for link in [link for link in tree.links if link.to_node == texture]:
        tree.links.new(link.from_socket, shown.inputs[0])
    tree.links.new(texture.outputs[0], bump.inputs[0])
    tree.links.new(shown.outputs[0], bump.inputs[1])
    tree.links.new(bump.outputs[0], targets[0])
    tree.nodes.active = texture  # Workbench and texture painting use it


def _draws_faces(node: Any) -> bool:
    tree = getattr(node, "node_tree", None)
    return tree is not None and is_surface_group(tree)


def _bump_group() -> NodeTree:
    group: Any = bpy.data.node_groups.get(GROUP_NAME)
    if group is not None and group.bl_idname == "ShaderNodeTree" and not group.library:
        found = tuple((item.name, item.in_out) for item in group.interface.items_tree)
        if sorted(found) == sorted(_SOCKETS):
            return group
    group = bpy.data.node_groups.new(GROUP_NAME, "ShaderNodeTree")
    for name, in_out in _SOCKETS:
        group.interface.new_socket(name, in_out=in_out, socket_type="NodeSocketColor")
    with NodeBuilder(group) as build:
        texture, heights = build.node("NodeGroupInput").outputs[:2]
        product = build.vector("MULTIPLY", build.to_screen(texture, row=0), build.to_screen(heights, row=2))
        doubled = build.vector("MULTIPLY", product, 2.0, label="half is neutral")
        shown = build.to_linear(build.vector("MINIMUM", doubled, 1.0))
        build.link(shown, build.node("NodeGroupOutput").inputs[0])
    return group
