"""Building of node trees."""

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import bpy
from bpy.types import NodeSocket

from io_tomb_raider.scene.core.blender.node_builder import COLUMN, NodeBuilder, shader_nodes


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


def _halved(build: NodeBuilder, inputs: Sequence[NodeSocket]) -> list[NodeSocket]:
    return [build.math("MULTIPLY", inputs[0], 0.5)]


def _group() -> Any:
    return shader_nodes("Halved", {"Whole": "Float"}, {"Half": "Float"}, _halved)


def test_node_groups_are_shared_while_they_have_their_sockets(blender: ModuleType) -> None:
    group = _group()
    assert [(node.bl_idname, len(node.inputs)) for node in group.nodes][1:] == [
        ("ShaderNodeMath", 3),
        ("NodeGroupOutput", 2),
    ]
    assert [link.to_socket.name for link in group.links] == ["Value", "Half"]
    assert _group() == group
    group.interface.remove(group.interface.items_tree["Half"])
    assert _group() != group


def test_node_groups_of_linked_files_are_not_used(blender: ModuleType, tmp_path: Path) -> None:
    group, path, libraries = _group(), tmp_path / "nodes.blend", cast(Any, bpy.data.libraries)
    libraries.write(str(path), {group})
    bpy.data.node_groups.remove(group)
    with libraries.load(str(path), link=True) as (_, wanted):
        wanted.node_groups = ["Halved"]
    assert bpy.data.node_groups["Halved"].library
    assert not _group().library
