"""Waterfall objects of TR4 and TR5, which scroll although no animated texture has their texture."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.scene.subjects.textures.materials import image_node, user_image
from io_tomb_raider.scene.subjects.textures.waterfall_nodes import (
    GROUP_NAME,
    WATERFALL,
    is_waterfall_group,
    windows,
)
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...scenes import import_scene, objects

_IDS = {Game.TR4: 423, Game.TR5: 410}


def with_waterfall(game: Game) -> tuple[bytes, int]:
    """Return a level with a waterfall among its models, and the number of that model."""
    level = read_level(sample_bytes(game))
    level.models = level.models.copy()
    block = decode_meshes(game, level.mesh_data, level.mesh_pointers)
    firsts = block.pointers[level.models["first_mesh"]].tolist()
    number = max(row for row, mesh in enumerate(firsts) if len(block.meshes[mesh].quads))
    level.models["id"][number] = _IDS.get(game, 423)
    return level.to_bytes(), number


def scrolling(root: Any) -> dict[str, Any]:
    """Return the materials that scroll, by name."""
    materials = {each for obj in root.all_objects if obj.type == "MESH" for each in obj.data.materials}
    return {
        each.name: each
        for each in materials
        if each is not None
        and each.node_tree is not None  # before 5.0 materials may have none
        and any(is_waterfall_group(getattr(node, "node_tree", None)) for node in each.node_tree.nodes)
    }


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_waterfalls_scroll_and_are_exported_unchanged(blender: ModuleType, game: Game) -> None:
    data, number = with_waterfall(game)
    root = import_scene(data)
    rig = next(obj for obj in objects(root, "MODEL") if obj.tomb_raider.index == number)
    mesh = next(
        obj.data
        for obj in objects(root, "MODEL_MESH")
        if obj.parent == rig and WATERFALL in obj.data.attributes
    )
    values = np.zeros(3 * len(mesh.polygons), np.float32)
    mesh.attributes[WATERFALL].data.foreach_get("vector", values)
    first = next(face.index for face in mesh.polygons if face.loop_total == 4)
    assert values[3 * first + 2] == 1
    material = mesh.materials[mesh.polygons[first].material_index]
    assert material.name in scrolling(root)
    assert user_image(material).tomb_raider.kind == "PAGE"
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert report.warnings == []
    texture: Any = image_node(material)
    assert is_waterfall_group(texture.inputs[0].links[0].from_node.node_tree)
    for frame in (1, 5):
        bpy.context.scene.frame_set(frame)
        assert bpy.data.node_groups[GROUP_NAME].nodes["Scene Frame"].outputs[0].default_value == frame


@pytest.mark.parametrize("game", [Game.TR4, Game.TR2])
def test_other_models_and_games_do_not_scroll(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game) if game is Game.TR4 else with_waterfall(game)[0]
    root = import_scene(data)
    assert not scrolling(root)
    assert not [each for each in bpy.data.meshes if WATERFALL in each.attributes]


def test_windows_are_64_pixels_high() -> None:
    """The engine sets the lower edge; half a pixel at each side is rounding."""
    top = np.array([0.75, 0.75, 0.5])
    height = np.array([63, 128, 32]) / 256
    uvs = np.stack([np.stack((np.zeros(3), top), 1), np.stack((np.ones(3), top - height), 1)], 1)
    assert np.allclose(windows(uvs.astype(np.float32)), [(0.75, 0, 1), (0.75, 0.5, 1), (0.5, -1, 1)])
