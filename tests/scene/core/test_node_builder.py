"""Building of node trees."""

from types import ModuleType
from typing import Any

import bpy

from io_tomb_raider.scene.core.blender.node_builder import COLUMN, NodeBuilder


def test_new_nodes_are_placed_in_columns_and_others_are_not_moved(blender: ModuleType) -> None:
    tree: Any = bpy.data.node_groups.new("Nodes", "ShaderNodeTree")
    there = tree.nodes.new("ShaderNodeValue")
    there.location = (7, 9)
    with NodeBuilder(tree) as build:
        build.node("ShaderNodeMath")
        build.node("ShaderNodeValue", row=2)
    with NodeBuilder(tree) as build:
        build.node("ShaderNodeValue", row=1)
    places = [tuple(node.location) for node in tree.nodes]
    assert places == [(7, 9), (0, 0), (COLUMN, -2 * COLUMN), (0, -COLUMN)]
