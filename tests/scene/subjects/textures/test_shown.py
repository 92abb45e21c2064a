"""Shown materials are exported, or losses are reported."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from io_tomb_raider.formats.levels.textures.face_words import is_double_sided, room_texture_mask
from io_tomb_raider.scene.subjects.object_textures.tools import make_level_material, set_blending
from io_tomb_raider.scene.subjects.textures.materials import material_key, user_image
from io_tomb_raider.scene.subjects.textures.shader import ADDITIVE, COLOR_KEYED
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...page_levels import own_material, textured
from ...page_levels import user_image as picture
from ...scenes import copy_of, export_scene, exported, import_scene, objects, room_object
from .face_pictures import first_quad, show, shown_texels


def squares(color: tuple[int, int, int] = (200, 40, 80), size: int = 32) -> Any:
    """Return a user's black image with a colored upper left quarter."""
    texels = np.zeros((size, size, 4), np.uint8)
    texels[..., 3] = 255
    texels[: size // 2, : size // 2, :3] = color
    return picture(texels)


# --- Slots ---------------------------------------------------------------------------------------


@each_game
def test_a_material_that_is_linked_to_the_object_is_written(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = room_object(root, 0)
    face = first_quad(obj.data)
    slot = obj.material_slots[obj.data.polygons[face].material_index]
    before = slot.material
    slot.link = "OBJECT"
    slot.material = textured(picture(np.full((8, 8, 4), (248, 0, 248, 255), np.uint8)))
    level, report = export_level(root)
    shown = shown_texels(level, 0, face)
    assert (shown == shown[0, 0]).all()
    assert game is Game.TR1 or shown[0, 0].tolist()[:3] in ([248, 0, 248], [255, 0, 255])  # the nearest there
    assert before not in [each.material for each in obj.material_slots]
    assert report.warnings == []


def test_of_objects_that_share_a_mesh_the_first_ones_materials_are_written(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR3)
    root = import_scene(data)
    obj = next(each for each in objects(root, "STATIC_MESH"))
    twin = copy_of(obj)
    for slot in twin.material_slots:
        slot.link = "OBJECT"
        slot.material = textured(squares())
    level, report = export_level(root)
    assert level.mesh_data.tobytes() == read_level(data).mesh_data.tobytes()
    assert any(
        text.startswith(f"{twin.name}: its slots have other materials than those of {obj.name}")
        for text in report.warnings
    )


def test_materials_of_a_placement_are_reported(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    obj = objects(root, "PLACEMENT")[0]
    obj.material_slots[0].link = "OBJECT"
    obj.material_slots[0].material = textured(squares())
    level, report = export_level(root)
    assert level.to_bytes() == data
    (text,) = report.warnings
    assert text.startswith(f"{obj.name}: materials of its own slots are left out")


# --- Texture coordinates -------------------------------------------------------------------


def mapped(material: Any, **values: Any) -> Any:
    """Put a mapping before the image of a material."""
    tree = material.node_tree
    image = next(node for node in tree.nodes if node.bl_idname == "ShaderNodeTexImage")
    mapping, source = tree.nodes.new("ShaderNodeMapping"), tree.nodes.new("ShaderNodeUVMap")
    mapping.vector_type = values.pop("kind", "POINT")
    for name, value in values.items():
        mapping.inputs[name.capitalize()].default_value = value
    tree.links.new(source.outputs[0], mapping.inputs[0])
    tree.links.new(mapping.outputs[0], image.inputs[0])
    return material


@pytest.mark.parametrize(
    "values",
    [
        {"scale": (0.5, 0.5, 1), "location": (0, 0.5, 0)},
        {"kind": "TEXTURE", "scale": (2, 2, 1), "location": (0, -1, 0)},
        {"rotation": (0, 0, np.pi / 2), "scale": (0.5, 0.5, 1), "location": (0.5, 0.5, 0)},
    ],
)
def test_a_mapping_moves_the_image(blender: ModuleType, values: dict[str, Any]) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    mesh = room_object(root, 0).data
    face = first_quad(mesh)
    show(mesh, face, mapped(textured(squares((248, 0, 248), 64)), **values))
    level, report = export_level(root)
    shown = shown_texels(level, 0, face)
    assert shown.shape[:2] == (32, 32)
    assert (shown == (248, 0, 248, 255)).all()  # the upper left quarter of the picture
    assert report.warnings == []


@each_game
def test_the_uv_map_that_a_material_names_is_written(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    mesh = room_object(root, 0).data
    face = first_quad(mesh)
    material = textured(squares((248, 248, 248), 64))
    show(mesh, face, material)
    mesh.uv_layers.new(name="Quarter")
    for corner in mesh.polygons[face].loop_indices:
        mesh.uv_layers["Quarter"].uv[corner].vector = np.array(mesh.uv_layers[0].uv[corner].vector) / 2 + (
            0,
            0.5,
        )
    source = material.node_tree.nodes.new("ShaderNodeUVMap")
    source.uv_map = "Quarter"
    image = next(node for node in material.node_tree.nodes if node.bl_idname == "ShaderNodeTexImage")
    material.node_tree.links.new(source.outputs[0], image.inputs[0])
    shown = shown_texels(export_scene(root), 0, face)
    assert shown.shape[:2] == (32, 32) and (shown[..., :3] > 200).all()
    source.uv_map = "Gone"
    level, report = export_level(root)
    assert shown_texels(level, 0, face).shape[:2] == (64, 64)
    assert any("by the UV map Gone, which is missing" in text for text in report.warnings)


def test_a_mapping_in_a_material_of_the_level_moves_its_page(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR2)
    root = import_scene(data)
    material = room_object(root, 0).data.materials[0]
    assert material_key(material, root).kind == "PAGE"
    mapped(material, location=(1 / 256, 0, 0))
    old, new = read_level(data), export_scene(root)
    face = next(
        face.index
        for face in room_object(root, 0).data.polygons
        if face.material_index == 0 and face.loop_total == 4
    )
    corners = []
    for level in (old, new):
        word = int(level.rooms[0].quads["texture"][face])
        corners.append(level.object_textures["uv"][word].astype(int))
    assert (corners[1] - corners[0] == (256, 0)).all()


def test_texture_mapping_by_nodes_is_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    mesh = room_object(root, 0).data
    material = textured(squares())
    show(mesh, first_quad(mesh), material)
    tree = material.node_tree
    source = tree.nodes.new("ShaderNodeTexCoord")
    image = next(node for node in tree.nodes if node.bl_idname == "ShaderNodeTexImage")
    tree.links.new(source.outputs["Generated"], image.inputs[0])
    image.projection = "BOX"
    (text,) = exported(root)[1]
    assert text.startswith(f"{material.name}: its texture mapping by nodes is not exported: Box projection")
    assert source.name in text
    image.projection = "FLAT"
    tree.links.new(source.outputs["UV"], image.inputs[0])
    assert exported(root)[1] == []


# --- Other nodes and settings --------------------------------------------------------------------


def test_unsupported_nodes_are_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    mesh = room_object(root, 0).data
    material = textured(squares())
    show(mesh, first_quad(mesh), material)
    tree = material.node_tree
    image, shader = (
        next(node for node in tree.nodes if node.bl_idname == name)
        for name in ("ShaderNodeTexImage", "ShaderNodeBsdfPrincipled")
    )
    assert exported(root)[1] == []
    hue = tree.nodes.new("ShaderNodeHueSaturation")
    tree.links.new(image.outputs[0], hue.inputs["Color"])
    tree.links.new(hue.outputs[0], shader.inputs[0])
    shader.inputs["Alpha"].default_value = 0.25
    first, second = exported(root)[1]
    assert first.startswith(f"{material.name}: unsupported nodes are left out: {hue.name};")
    assert second.startswith(f"{material.name}: its Alpha of 0.25 is not exported")


def test_unsupported_shader_values_are_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    mesh = room_object(root, 0).data
    material = textured(squares())
    show(mesh, first_quad(mesh), material)
    shader = next(node for node in material.node_tree.nodes if node.bl_idname == "ShaderNodeBsdfPrincipled")
    groups = set(bpy.data.node_groups)
    for name, value in (("Roughness", 0.25), ("Metallic", 1.0), ("Emission Strength", 2.0)):
        shader.inputs[name].default_value = value
    (text,) = exported(root)[1]
    assert text.startswith(f"{material.name}: unsupported values are left out: ")
    assert all(each in text for each in ("Metallic 1.00", "Roughness 0.25", "Emission Strength 2.00"))
    assert text.count(",") == 2
    assert set(bpy.data.node_groups) == groups


@pytest.mark.parametrize("is_own", [False, True], ids=["level's", "own"])
def test_animated_nodes_are_reported(blender: ModuleType, is_own: bool) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    mesh = room_object(root, 0).data
    material = textured(squares()) if is_own else mesh.materials[0]
    if is_own:
        show(mesh, first_quad(mesh), material)
        value = material.node_tree.nodes["Principled BSDF"].inputs["Base Color"]
    else:
        value = material.node_tree.nodes["Group"].inputs["Alpha"]
    before = exported(root)[1]
    value.keyframe_insert("default_value", frame=1)
    assert [text for text in exported(root)[1] if text not in before] == [
        f"{material.name}: its nodes are animated, which is not exported: make an animated texture of it"
    ]


def test_normal_maps_are_not_the_image_of_a_material(blender: ModuleType) -> None:
    material, tree, output = own_material()
    shader, bend, image = (
        tree.nodes.new(name)
        for name in ("ShaderNodeBsdfPrincipled", "ShaderNodeNormalMap", "ShaderNodeTexImage")
    )
    image.image = squares()
    tree.links.new(image.outputs[0], bend.inputs["Color"])
    tree.links.new(bend.outputs[0], shader.inputs["Normal"])
    tree.links.new(shader.outputs[0], output.inputs[0])
    assert user_image(material) is None
    loose = tree.nodes.new("ShaderNodeTexImage")
    loose.image = squares()
    assert user_image(material) == loose.image


def sides(level: Level, room: int) -> NDArray[np.bool_]:
    mask = room_texture_mask(level.game)
    return np.concatenate(
        [is_double_sided(each.texture, mask) for each in decode_faces(level.game, level.rooms[room])]
    )


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
def test_backface_culling_of_a_levels_material_is_written(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    mesh = room_object(root, 0).data
    slot = mesh.polygons[0].material_index
    material = mesh.materials[slot]
    assert material.use_backface_culling
    material.use_backface_culling = False
    level, report = export_level(root)
    changed = sides(level, 0) != sides(read_level(data), 0)
    rows = np.array([face.material_index == slot for face in mesh.polygons])
    assert np.array_equal(changed, rows) and sides(level, 0)[rows].all()
    assert report.warnings == []
    # The panel and Blender's setting are one value.
    material.tomb_raider.double_sided = True
    material.tomb_raider.double_sided = False
    assert material.use_backface_culling
    assert export_level(root)[0].to_bytes() == data


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2])
def test_disabled_backface_culling_is_reported_where_faces_have_one_side(
    blender: ModuleType, game: Game
) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    material = room_object(root, 0).data.materials[0]
    material.use_backface_culling = False
    level, report = export_level(root)
    assert level.to_bytes() == data
    (text,) = report.warnings
    assert text.startswith(f"{material.name}: it shows both sides of faces, but this game shows one")


@each_game
def test_the_render_method_of_a_levels_material_is_reported(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    material = room_object(root, 0).data.materials[0]
    assert material_key(material, root).attribute != 2
    material.surface_render_method = "BLENDED"
    level, report = export_level(root)
    assert level.to_bytes() == data
    (text,) = report.warnings
    assert text.startswith(f"{material.name}: its Render Method is not exported: choose Blending")


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
def test_blending_chosen_in_the_panel_is_shown_and_written(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    material: Any = room_object(root, 0).data.materials[0]
    for name, method in (("ADDITIVE", "BLENDED"), ("ALPHA", "DITHERED"), ("ADDITIVE", "BLENDED")):
        material.tomb_raider.blending = name
        assert material.surface_render_method == method
        output = material.node_tree.get_output_node("ALL").inputs[0].links[0].from_socket
        assert output.name == {"ADDITIVE": ADDITIVE, "ALPHA": COLOR_KEYED}[name]
        assert not [text for text in exported(root)[1] if material.name in text]
    assert 2 in export_scene(root).object_textures["attribute"]


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4])
def test_blending_of_an_own_material_in_the_levels_light_is_shown(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    material: Any = textured(squares())
    room_object(root, 0).data.materials.append(material)
    material.tomb_raider.blending = "ADDITIVE"
    assert material.surface_render_method == "DITHERED"  # its own nodes decide
    make_level_material(root, material)
    assert material.surface_render_method == "BLENDED"
    material.tomb_raider.blending = "OPAQUE"
    assert material.surface_render_method == "DITHERED"


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3])
@pytest.mark.parametrize("is_own", [True, False])
def test_blending_that_the_game_lacks_is_reported(blender: ModuleType, game: Game, is_own: bool) -> None:
    root = import_scene(sample_bytes(game))
    obj = room_object(root, 0)
    if is_own:
        show(obj.data, first_quad(obj.data), textured(squares()))
    material = obj.data.materials[obj.data.polygons[first_quad(obj.data)].material_index]
    missing = "SUBTRACTIVE" if game is Game.TR3 else "ADDITIVE"
    material.tomb_raider.blending = missing
    (text,) = [each for each in exported(root)[1] if each.startswith(f"{material.name}: ")]
    assert "the game does not support this blending" in text
    if game is not Game.TR3:
        root.tomb_raider.engine = "TRX"
        assert not [each for each in exported(root)[1] if "does not support this blending" in each]
        root.tomb_raider.engine = "ORIGINAL"
        with pytest.raises(ExportError, match="does not support this blending"):
            set_blending(root, obj.data, np.array([first_quad(obj.data)]), 2)
    material.tomb_raider.blending = "ALPHA"
    assert not [each for each in exported(root)[1] if "does not support this blending" in each]


@pytest.mark.parametrize("game", [Game.TR1, Game.TR3])
def test_blending_of_the_file_is_not_reported(blender: ModuleType, game: Game) -> None:
    level = read_level(sample_bytes(game))
    level.object_textures = level.object_textures.copy()
    level.object_textures["attribute"] = 5
    root = import_scene(level.to_bytes())
    assert exported(root)[1] == []


@each_game
def test_an_untouched_level_gives_no_warning(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    assert exported(root)[1] == []
