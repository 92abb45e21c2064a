"""Tests of users' materials in the level's light: rendered pixels against formulas, and exports."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.subjects.textures.materials import is_drawn_as_level
from io_tomb_raider.ui.textures import material_panels
from tests.sample_levels import sample_bytes
from tests.scene.page_levels import textured
from tests.scene.page_levels import user_image as picture
from tests.scene.scenes import import_scene, objects
from tests.scene.subjects.lights.tiles import GRAY, room_pixels, seen_tiles, tiles

from ..recorder import draw
from ..user_actions import export_file, import_sample, select


def gray(name: str = "Mine", alpha: int = 255) -> Any:
    """Return a typical user's material: Principled, with an image whose upper half may be transparent."""
    texels = np.full((8, 8, 4), (*[round(GRAY * 255)] * 3, 255), np.uint8)
    texels[:4, :, 3] = alpha
    material = textured(picture(texels))
    material.name = name
    return material


def make(obj: Any, **options: Any) -> set[str]:
    select(obj)
    found: set[str] = bpy.ops.tomb_raider.make_level_material(**options)
    return found


@pytest.mark.parametrize("game", [Game.TR1, Game.TR3, Game.TR5], ids=lambda game: game.name)
def test_level_materials_have_the_brightness_of_the_game(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    data = sample_bytes(game)
    root, level = import_scene(data), read_level(data)
    room: Any = objects(root, "ROOM")[0]
    wanted = room_pixels(level, level.rooms[0])
    shown = tiles(room, 0, 20, np.arange(len(wanted)))
    material = gray()
    room.data.materials.append(material)
    assert make(room) == {"FINISHED"}
    shown.data.materials[0] = material
    seen = seen_tiles([shown], 20, len(wanted), tmp_path)
    assert np.ptp(wanted) > 0.1
    assert (np.abs(seen - wanted) <= 0.05 * wanted + 2 / 255).all(), np.abs(seen - wanted).max()


def test_conversion_to_level_materials_keeps_names_and_exported_bytes(
    blender: ModuleType, tmp_path: Path
) -> None:
    root = import_sample(tmp_path, "tr4")
    room: Any = objects(root, "ROOM")[0]
    holes, additive = gray("Holes", alpha=0), gray("Glow")
    additive.surface_render_method = "BLENDED"
    for place, material in enumerate((holes, additive)):
        room.data.materials.append(material)
        room.data.polygons[place].material_index = len(room.data.materials) - 1
    before = export_file(tmp_path / "before")
    select(room)
    layout = draw(material_panels.OBJECT_PT_tomb_raider_own_materials, object=room)
    assert layout is not None and layout.labels[0] == "Not in the level's light: 2"
    bpy.ops.ed.undo_push(message="before")
    assert make(room) == {"FINISHED"}
    assert (holes.name, holes.surface_render_method) == ("Holes", "DITHERED")
    assert additive.surface_render_method == "BLENDED" and holes.use_backface_culling
    assert all(is_drawn_as_level(each) for each in room.data.materials)
    assert draw(material_panels.OBJECT_PT_tomb_raider_own_materials, object=room) is None
    assert export_file(tmp_path / "after") == before
    # The conversion is reversible: the user's shader is still there.
    nodes = holes.node_tree.nodes
    shader = next(node for node in nodes if node.type == "BSDF_PRINCIPLED")
    assert shader.inputs[0].is_linked
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert not is_drawn_as_level(bpy.data.materials["Holes"])
    assert make(bpy.data.objects["Room 000"], material="Glow") == {"FINISHED"}
    assert not is_drawn_as_level(bpy.data.materials["Holes"])
    assert is_drawn_as_level(bpy.data.materials["Glow"])


def test_materials_that_cannot_be_converted_are_refused(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    room = objects(root, "ROOM")[0]
    flat: Any = bpy.data.materials.new("Flat")
    flat.diffuse_color = (0.2, 0.4, 0.6, 1)
    grouped = gray("Grouped")
    inner: Any = bpy.data.node_groups.new("Inner", "ShaderNodeTree")
    inner.interface.new_socket("Color", in_out="OUTPUT", socket_type="NodeSocketColor")
    texture, end = inner.nodes.new("ShaderNodeTexImage"), inner.nodes.new("NodeGroupOutput")
    tree = grouped.node_tree
    texture.image = next(node.image for node in tree.nodes if node.type == "TEX_IMAGE")
    inner.links.new(texture.outputs[0], end.inputs[0])
    group, shader = tree.nodes.new("ShaderNodeGroup"), tree.nodes["Principled BSDF"]
    group.node_tree = inner
    tree.links.new(group.outputs[0], shader.inputs[0])
    room.data.materials.append(grouped)
    with pytest.raises(RuntimeError, match=r"Grouped: its image is in a node group: ungroup it first"):
        make(room)
    assert not is_drawn_as_level(grouped)
    room.data.materials.append(flat)
    assert make(room) == {"FINISHED"}  # the other one
    assert is_drawn_as_level(flat) and not is_drawn_as_level(grouped)
    room.data.materials.pop()
    room.data.materials.pop()
    assert make(room) == {"CANCELLED"}  # there is nothing left to do
