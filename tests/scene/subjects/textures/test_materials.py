"""Materials: their rendered look is the game's, and their keys are read from users' nodes and settings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Image, Material, Scene
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.core.blender.color import bytes_to_linear
from io_tomb_raider.scene.subjects.textures.keys import MaterialKey
from io_tomb_raider.scene.subjects.textures.materials import (
    MaterialKeys,
    import_materials,
    material_key,
    user_attribute,
    user_color,
    user_image,
)
from io_tomb_raider.scene.subjects.textures.shader import group_name, surface_group

from ...page_levels import (
    ImportedPages,
    image_of,
    import_pages,
    linear,
    own_material,
    page_level,
    pixels,
    textured,
)
from ...page_levels import user_image as make_image

OPAQUE = MaterialKey("PAGE", 0, 0, False, 0)
KEYED = MaterialKey("PAGE", 0, 1, False, 0)
ADDITIVE = MaterialKey("PAGE", 0, 2, False, 0)
MISSING = MaterialKey("MISSING", -1, 0, False, 0)
PALETTE = MaterialKey("PALETTE", -1, 0, False, 0)


def import_keys(*keys: MaterialKey, game: Game = Game.TR4, name: str = "Level") -> ImportedPages:
    context = import_pages(page_level(game), name)
    context.materials.update(import_materials(context.root, context.images, keys))
    return context


def small_image(name: str = "Own") -> Image:
    return make_image(np.full((2, 2, 4), 255, np.uint8), name)


# --- Import ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (OPAQUE, "Level Page 00"),
        (KEYED._replace(page=2), "Level Page 02 Alpha"),
        (ADDITIVE._replace(page=1, double_sided=True), "Level Page 01 Additive Double-Sided"),
        (KEYED._replace(attribute=4, bump=2), "Level Page 00 No Depth Test Bump 2"),
        (MISSING, "Level Missing Texture"),
    ],
)
def test_materials_have_the_name_and_settings_of_their_key(
    blender: ModuleType, key: MaterialKey, name: str
) -> None:
    material = import_keys(key).materials[key]
    settings = material.tomb_raider
    assert material.name == name
    assert (settings.kind, settings.page, settings.attribute) == (key.kind, key.page, key.attribute)
    assert (settings.double_sided, settings.bump) == (key.double_sided, key.bump)
    assert material.use_backface_culling is (not key.double_sided)


def test_long_names_of_levels_leave_the_page_readable(blender: ModuleType) -> None:
    material = import_keys(ADDITIVE, name="Zażółć gęślą jaźń, zażółć gęślą").materials[ADDITIVE]
    assert material.name.endswith(" Page 00 Additive")
    assert len(material.name.encode()) <= 60


def test_every_material_shows_its_own_page(blender: ModuleType) -> None:
    keys = [MaterialKey("PAGE", page, mode, False, 0) for page in range(3) for mode in (0, 1, 2)]
    context = import_keys(*keys)
    for key in keys:
        assert user_image(context.materials[key]) == image_of(context, page=key.page)
        color = context.images["PAGE", key.page][1]
        material: Any = context.materials[key]
        assert tuple(material.diffuse_color) == pytest.approx((*color, 1))
        assert material.surface_render_method == ("BLENDED" if key.attribute == 2 else "DITHERED")


def test_palette_faces_show_the_palette(blender: ModuleType) -> None:
    context = import_keys(PALETTE, game=Game.TR2)
    assert user_image(context.materials[PALETTE]) == image_of(context, "PALETTE")


def test_pages_that_do_not_exist_are_shown_as_missing(blender: ModuleType) -> None:
    key = OPAQUE._replace(page=9)
    material: Any = import_keys(key).materials[key]
    assert tuple(material.diffuse_color) == (1, 0, 1, 1)
    assert user_image(material) is None


def test_node_group_is_shared_and_mended(blender: ModuleType) -> None:
    first = import_keys(OPAQUE, name="First")
    import_keys(OPAQUE, name="Second")
    drawing = [each.name for each in bpy.data.node_groups if each.name.startswith("Tomb Raider Surface")]
    assert drawing == [group_name(Game.TR4)]
    assert len(bpy.data.node_groups) == 2  # the other one is for lamps
    group = surface_group(Game.TR4)
    assert group == surface_group(Game.TR4)
    group.interface.clear()
    assert surface_group(Game.TR4) != group
    assert first.materials[OPAQUE].node_tree.nodes.active.bl_idname == "ShaderNodeTexImage"


# --- Display --------------------------------------------------------------------------

_SIDE = 32


def lit_quads(quads: Sequence[tuple[Material, int | None]], background: float) -> Any:
    """Make a scene of adjacent quads, each with a material and vertex light, or None for no light.

    The quads show the upper left _SIDE x _SIDE texels of their texture, one pixel per texel.
    """
    scene: Any = bpy.context.scene
    for column, (material, light) in enumerate(quads):
        mesh: Any = bpy.data.meshes.new("Quad")
        corners = [(column, 0, 0), (column + 1, 0, 0), (column + 1, 0, 1), (column, 0, 1)]
        mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
        mesh.uv_layers.new(name="UVMap")
        part = _SIDE / 256
        uv = np.array([(0, 1 - part), (part, 1 - part), (part, 1), (0, 1)], np.float32)
        mesh.uv_layers[0].uv.foreach_set("vector", uv.ravel())
        if light is not None:
            mesh.color_attributes.new("Color", "FLOAT_COLOR", "POINT")
            color = [*bytes_to_linear(np.array([light] * 3, np.uint8)), 1]
            mesh.color_attributes[0].data.foreach_set("color", np.tile(color, 4).astype(np.float32))
        mesh.materials.append(material)
        obj: Any = bpy.data.objects.new("Quad", mesh)
        obj.tomb_raider.lit.has_own = [float(light is not None and column > 0)]
        scene.collection.objects.link(obj)
    camera: Any = bpy.data.cameras.new("Camera")
    camera.type, camera.ortho_scale = "ORTHO", len(quads)
    scene.camera = bpy.data.objects.new("Camera", camera)
    scene.camera.location, scene.camera.rotation_euler = (len(quads) / 2, -5, 0.5), (np.pi / 2, 0, 0)
    scene.collection.objects.link(scene.camera)
    scene.world = bpy.data.worlds.new("World")
    if scene.world.node_tree is None:
        scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs[0].default_value = (background,) * 3 + (1,)
    scene.render.resolution_x, scene.render.resolution_y = _SIDE * len(quads), _SIDE
    scene.view_settings.view_transform = "Standard"
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 1, False
    scene.cycles.pixel_filter_type, scene.cycles.filter_width = "BOX", 0.01
    scene.render.dither_intensity = 0
    scene.render.image_settings.file_format = "PNG"
    return scene


def rendered(scene: Scene, path: Path) -> list[NDArray[np.float64]]:
    """Render a scene and return the pixels of each quad, screen values 0 to 255."""
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    picture = pixels(bpy.data.images.load(str(path)))[..., :3].astype(float)
    return [picture[:, start : start + _SIDE] for start in range(0, picture.shape[1], _SIDE)]


def screen_of(light: Any) -> NDArray[np.float64]:
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055)


# The effect of light on colors in the games' PC programs: page "Lights" of the documentation.
_LIGHT = {
    Game.TR1: lambda texels, light: texels * light * 2 / 255,
    Game.TR3: lambda texels, light: texels * (light / 255) ** (5 / 6),
    Game.TR4: lambda texels, light: texels * min(light / 128, 1) + max(light - 128, 0) / 2,
}


@pytest.mark.parametrize("game", _LIGHT)
def test_render_is_the_picture_of_the_game(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    context = import_keys(OPAQUE, KEYED, ADDITIVE, MISSING, game=game)
    texels = pixels(image_of(context))[:_SIDE, :_SIDE].astype(float)
    key_square = texels[..., 3] == 0
    assert 0 < key_square.sum() < key_square.size
    whole = ~key_square  # the material decides the shown color of the others
    materials = context.materials
    lights = (128, 0, 40, 90, 255)  # the first quad does not have ``lit.has_own``
    quads: list[tuple[Any, int | None]] = [(materials[OPAQUE], light) for light in lights]
    quads += [(materials[OPAQUE], None), (materials[MISSING], 128)]
    quads += [(materials[KEYED], 128), (materials[ADDITIVE], 128)]
    background = 0.2
    found = rendered(lit_quads(quads, background), tmp_path / "seen.png")
    for light, seen in zip(lights, found, strict=False):
        # The games multiply screen values. A texel is a pixel, upright and not mirrored.
        product = np.minimum(_LIGHT[game](texels[..., :3], light), 255)
        assert np.abs(seen - product)[whole].max() <= 0.51, light
    assert np.abs(found[5] - texels[..., :3])[whole].max() <= 0.51  # no vertex light: the plain texture
    missing = np.minimum(_LIGHT[game](np.array((255, 0, 255)), 128), 255)
    assert np.abs(found[6] - missing).max() <= 0.51
    behind = float(screen_of(np.float64(background)) * 255)
    plain = np.minimum(_LIGHT[game](texels[..., :3], 128), 255)
    keyed = np.where(key_square[..., None], behind, plain)
    assert np.abs(found[7] - keyed).max() <= 0.51
    added = screen_of(np.minimum(linear(plain / 255) + background, 1)) * 255
    assert np.abs(found[8] - added)[whole].max() <= 0.51


def test_faces_shine_by_their_effects(blender: ModuleType, tmp_path: Path) -> None:
    """Reflections are added, scaled by effects and light of the face."""
    context = import_keys(OPAQUE, game=Game.TR5)
    # The games use five bits of the strength: 52 counts as 20.
    words = (0, 2 | 31 << 2, 2 | 52 << 2, 63 << 2, 1)
    scene = lit_quads([(context.materials[OPAQUE], 60)] * len(words), 0.0)
    quads = [obj.data for obj in scene.collection.objects if obj.type == "MESH"]
    for mesh, word in zip(quads, words, strict=True):
        layer = mesh.attributes.new("tr_effects", "INT", "FACE")
        layer.data[0].value = word
    plain, bright, weak, unlit, additive = rendered(scene, tmp_path / "shine.png")
    # All quads face the camera, where the map is brightest.
    assert np.abs(bright - np.minimum(plain + 255 * 31 / 32 * 60 / 128, 255)).max() <= 1.5
    assert np.abs(weak - np.minimum(plain + 255 * 20 / 32 * 60 / 128, 255)).max() <= 1.5
    assert np.array_equal(unlit, plain)  # a strength alone does not shine
    assert np.array_equal(additive, plain)


# --- Export --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["PAGE", "PALETTE", "MISSING"])
@pytest.mark.parametrize("attribute", [0, 1, 2, 5])
@pytest.mark.parametrize("double_sided", [False, True])
def test_keys_of_materials_round_trip(
    blender: ModuleType, kind: str, attribute: int, double_sided: bool
) -> None:
    key = MaterialKey(kind, 1 if kind == "PAGE" else -1, attribute, double_sided, 0)
    if kind == "PALETTE":
        key = PALETTE
    context = import_keys(key, game=Game.TR3)
    assert material_key(context.materials[key]) == key
    assert material_key(context.materials[key], context.root) == key


def test_bump_levels_of_materials_round_trip(blender: ModuleType) -> None:
    key = KEYED._replace(bump=2)
    context = import_keys(key, game=Game.TR5)
    assert MaterialKeys(context.root)[context.materials[key]] == key


def test_users_change_blending_in_the_settings(blender: ModuleType) -> None:
    context = import_keys(OPAQUE)
    material: Any = context.materials[OPAQUE].copy()
    material.tomb_raider.attribute = 2
    material.tomb_raider.double_sided = True
    assert material_key(material, context.root) == ADDITIVE._replace(double_sided=True)


def test_another_page_in_a_material_is_that_page(blender: ModuleType) -> None:
    context = import_keys(KEYED)
    material = context.materials[KEYED]
    material.node_tree.nodes.active.image = image_of(context, page=2)
    assert material_key(material, context.root) == KEYED._replace(page=2)


def test_own_image_in_a_material_of_the_level_makes_it_the_users(blender: ModuleType) -> None:
    context = import_keys(KEYED, MISSING)
    image = small_image()
    context.materials[KEYED].node_tree.nodes.active.image = image
    assert material_key(context.materials[KEYED], context.root) is None
    assert user_image(context.materials[KEYED]) == image


def test_pages_of_other_levels_and_copies_of_pages_are_the_users_images(blender: ModuleType) -> None:
    context, other = import_keys(OPAQUE, name="First"), import_keys(OPAQUE, name="Second")
    material = other.materials[OPAQUE]
    assert material_key(material, context.root) is None
    assert material_key(material, other.root) == OPAQUE
    copy: Any = context.materials[OPAQUE].copy()
    copy.node_tree.nodes.active.image = image_of(context).copy()
    assert material_key(copy, context.root) is None


def test_own_material_around_a_page_is_that_page(blender: ModuleType) -> None:
    context = import_keys(OPAQUE)
    material = textured(image_of(context, page=1))
    assert material_key(material, context.root) == OPAQUE._replace(page=1)
    tree = material.node_tree
    texture = next(node for node in tree.nodes if node.bl_idname == "ShaderNodeTexImage")
    shader = next(node for node in tree.nodes if node.bl_idname == "ShaderNodeBsdfPrincipled")
    tree.links.new(texture.outputs[1], shader.inputs["Alpha"])
    assert material_key(material, context.root) == KEYED._replace(page=1)
    material.surface_render_method = "BLENDED"
    assert material_key(material, context.root) == ADDITIVE._replace(page=1)
    material.tomb_raider.attribute = 0
    assert material_key(material, context.root) == OPAQUE._replace(page=1)


def test_materials_of_the_users_have_no_key(blender: ModuleType) -> None:
    context = import_keys(OPAQUE)
    assert material_key(textured(small_image()), context.root) is None
    assert material_key(own_material()[0], context.root) is None
    assert material_key(context.materials[OPAQUE], context.root) == OPAQUE


def test_image_is_found_through_other_nodes(blender: ModuleType) -> None:
    material, tree, output = own_material()
    image, bumps = small_image(), small_image("Bumps")
    shader, mix = tree.nodes.new("ShaderNodeBsdfPrincipled"), tree.nodes.new("ShaderNodeMixShader")
    clear, reroute = tree.nodes.new("ShaderNodeBsdfTransparent"), tree.nodes.new("NodeReroute")
    height, texture = tree.nodes.new("ShaderNodeTexImage"), tree.nodes.new("ShaderNodeTexImage")
    height.image, texture.image = bumps, image
    # Roughness and the mix by alpha are earlier inputs of the node, but the color counts.
    tree.links.new(height.outputs[0], shader.inputs["Roughness"])
    tree.links.new(height.outputs[1], mix.inputs[0])
    tree.links.new(clear.outputs[0], mix.inputs[1])
    tree.links.new(shader.outputs[0], mix.inputs[2])
    tree.links.new(texture.outputs[0], reroute.inputs[0])
    tree.links.new(reroute.outputs[0], shader.inputs[0])
    tree.links.new(mix.outputs[0], output.inputs[0])
    tree.nodes.active = height
    assert user_image(material) == image


def test_image_is_found_inside_a_group(blender: ModuleType) -> None:
    material, tree, output = own_material()
    group: Any = bpy.data.node_groups.new("Group", "ShaderNodeTree")
    group.interface.new_socket("Shader", in_out="OUTPUT", socket_type="NodeSocketShader")
    texture, emission = group.nodes.new("ShaderNodeTexImage"), group.nodes.new("ShaderNodeEmission")
    texture.image = small_image()
    group.links.new(texture.outputs[0], emission.inputs[0])
    group.links.new(emission.outputs[0], group.nodes.new("NodeGroupOutput").inputs[0])
    node = tree.nodes.new("ShaderNodeGroup")
    node.node_tree = group
    tree.links.new(node.outputs[0], output.inputs[0])
    assert user_image(material) == texture.image


def test_loose_image_counts_where_none_is_connected(blender: ModuleType) -> None:
    material, tree, _ = own_material()
    assert user_image(material) is None
    first, active = tree.nodes.new("ShaderNodeTexImage"), tree.nodes.new("ShaderNodeTexImage")
    first.image, active.image = small_image("First"), small_image("Active")
    tree.nodes.active = active
    assert user_image(material) == active.image
    active.mute = True
    assert user_image(material) == first.image


def test_flat_colors(blender: ModuleType) -> None:
    material, tree, output = own_material()
    material.diffuse_color = (*bytes_to_linear(np.array([1, 2, 3], np.uint8)), 1)
    assert user_color(material) == (1, 2, 3)
    shader = tree.nodes.new("ShaderNodeBsdfPrincipled")
    tree.links.new(shader.outputs[0], output.inputs[0])
    shader.inputs[0].default_value = (*bytes_to_linear(np.array([200, 100, 50], np.uint8)), 1)
    assert user_color(material) == (200, 100, 50)
    color = tree.nodes.new("ShaderNodeRGB")
    color.outputs[0].default_value = (*bytes_to_linear(np.array([7, 80, 255], np.uint8)), 1)
    tree.links.new(color.outputs[0], shader.inputs[0])
    assert user_color(material) == (7, 80, 255)


def test_new_material_of_a_users_has_its_default_color(blender: ModuleType) -> None:
    material = bpy.data.materials.new("New")
    if material.node_tree is None:
        material.use_nodes = True
    assert user_color(material) == (231, 231, 231)


def test_blending_of_own_materials(blender: ModuleType) -> None:
    material = textured(small_image())
    assert user_attribute(material, Game.TR4) is None
    material.surface_render_method = "BLENDED"
    assert user_attribute(material, Game.TR3) == 2
    assert user_attribute(material, Game.TR2) is None  # it has no additive blending
    material.tomb_raider.attribute = 1
    assert user_attribute(material, Game.TR3) == 1
