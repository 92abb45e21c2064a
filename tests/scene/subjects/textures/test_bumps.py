"""Bump levels of users' pictures: they are packed on bumped pages, followed by their height maps."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.edits.append.textures import textures_of
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.scene.authoring.texture_tiles.tile import Tile, tile_material
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.subjects.object_textures.tools import make_level_material
from io_tomb_raider.scene.subjects.textures.materials import is_bump_group, user_image
from io_tomb_raider.scene.subjects.textures.shader import OPAQUE, build_surface, surface_group
from io_tomb_raider.scene.transfer.append.appending import append
from io_tomb_raider.scene.transfer.engine.choice import PieceSelection
from tests.empty_scene import start_empty
from tests.sample_levels import sample_bytes

from ...exporting import export_level
from ...page_levels import textured
from ...scenes import export_scene, import_scene, objects
from ...transfer.append.appending import append_from
from ..lights.tiles import seen_tiles
from .face_pictures import show_in_first_room
from .reliefs import BUMPED_PAGE, STRENGTH, bumped, reliefs

PAIRS = [(Game.TR4, Game.TR4), (Game.TR4, Game.TR5), (Game.TR5, Game.TR4)]


def same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return one[0] == other[0] and all(
        a.shape == b.shape and np.abs(a.astype(int) - b).max() <= 8
        for a, b in zip(one[1:], other[1:], strict=True)
    )


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_bumped_pages_know_their_height_maps(blender: ModuleType, game: Game) -> None:
    data = bumped(game)
    root = import_scene(data)
    images = {each.page: each.image for each in root.tomb_raider.images if each.kind == "PAGE"}
    known = {page: image.tomb_raider.heights for page, image in images.items()}
    assert known == {**dict.fromkeys(images), BUMPED_PAGE: images[BUMPED_PAGE + 1]}
    assert export_scene(root).to_bytes() == data


def heights_shown(material: Any) -> list[Any]:
    """Return the height maps that a material shows."""
    tree = material.node_tree
    bumps = [node for node in tree.nodes if is_bump_group(getattr(node, "node_tree", None))]
    return [link.from_node.image for link in tree.links if link.to_socket in [n.inputs[1] for n in bumps]]


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_height_maps_are_shown_and_change_no_export(blender: ModuleType, game: Game) -> None:
    data = bumped(game)
    root = import_scene(data)
    pages = {each.page: each.image for each in root.tomb_raider.images if each.kind == "PAGE"}
    shown: dict[int, list[Any]] = {}
    for material in bpy.data.materials:
        settings = material.tomb_raider
        if settings.kind == "PAGE":
            shown.setdefault(settings.page, []).extend(heights_shown(material))
            assert user_image(material) == pages[settings.page]
    assert shown.pop(BUMPED_PAGE) == [pages[BUMPED_PAGE + 1]]
    assert not any(shown.values())
    level, report = export_level(root)
    assert level.to_bytes() == data and report.warnings == []
    pages[BUMPED_PAGE].tomb_raider.heights = None
    assert not any(heights_shown(each) for each in bpy.data.materials if each.tomb_raider.kind == "PAGE")
    material = next(each for each in bpy.data.materials if each.tomb_raider.page == BUMPED_PAGE)
    assert user_image(material) == pages[BUMPED_PAGE]


@pytest.mark.parametrize("height", [0, 64, 128, 255])
def test_bumps_double_the_product_of_texture_and_heights(
    blender: ModuleType, tmp_path: Path, height: int
) -> None:
    images = [bpy.data.images.new(name, 4, 4) for name in ("Texture", "Heights")]
    for image, value in zip(images, (100, height), strict=True):
        image.pixels.foreach_set([*[value / 255] * 3, 1.0] * 16)
        image.update()
    material = bpy.data.materials.new("Bumped")
    build_surface(material, surface_group(Game.TR4), OPAQUE, images[0], (1, 1, 1))
    images[0].tomb_raider.heights = images[1]
    assert heights_shown(material) == [images[1]]
    mesh = bpy.data.meshes.new("Face")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [], [(0, 1, 2, 3)])
    mesh.uv_layers.new(name="UVMap")
    mesh.materials.append(material)
    found = seen_tiles([bpy.data.objects.new("Face", mesh)], 1, 1, tmp_path)
    assert np.allclose(found, min(2 * 100 * height / 255, 255) / 255, atol=0.01)


@pytest.mark.parametrize("has_own", [False, True])
@pytest.mark.parametrize(("source", "game"), PAIRS)
def test_an_appended_texture_is_bumped(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game, has_own: bool
) -> None:
    data = bumped(game) if has_own else sample_bytes(game)
    root, there = import_scene(data), read_level(bumped(source))
    (piece,) = (each for each in textures_of(there) if each.frames[0].bump and each.number >= 0)
    assert piece.name.endswith(f"Bump {STRENGTH}")
    got = append_from(root, tmp_path, bumped(source), textures=str(piece.number))
    assert export_scene(root).to_bytes() == data  # nothing shows it yet
    show_in_first_room(root, got.materials[0], last=True)
    old, new = read_level(data), export_scene(root)
    assert new.bump_textiles == old.bump_textiles + 2
    (wanted,) = reliefs(there)
    found = reliefs(new)
    assert len(found) == 1 + has_own
    assert any(same(wanted, each) for each in found)
    assert all(any(same(each, other) for other in found) for each in reliefs(old))


@pytest.mark.parametrize(("source", "game"), PAIRS)
def test_an_appended_room_keeps_its_bumps(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game
) -> None:
    root, there = import_scene(sample_bytes(game)), read_level(bumped(source))
    path = tmp_path / "other.lev"
    path.write_bytes(bumped(source))
    append(root, path, PieceSelection(rooms="Room 000"))
    new = export_scene(root)
    assert any(same(reliefs(there)[0], each) for each in reliefs(new)), len(reliefs(new))


@pytest.mark.parametrize("link", [False, True])
def test_a_material_of_another_file_is_bumped(blender: ModuleType, tmp_path: Path, link: bool) -> None:
    """Blender appends the height map with the page."""
    root = import_scene(bumped(Game.TR5))
    slots = (slot.material for slot in objects(root, "ROOM")[0].material_slots)
    name = next(each.name for each in slots if each is not None and each.tomb_raider.bump)
    path = tmp_path / "other.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    start_empty()
    root = import_scene(sample_bytes(Game.TR4))
    libraries: Any = bpy.data.libraries
    with libraries.load(str(path), link=link) as (_, wanted):
        wanted.materials = [name]
    show_in_first_room(root, wanted.materials[0], last=True)
    ((strength, texels, heights),) = reliefs(export_scene(root))
    assert strength == STRENGTH
    pages = decode_pages(pages_of(read_level(bumped(Game.TR5))))[..., :3].astype(int)
    assert np.abs(texels - pages[BUMPED_PAGE]).max() <= 8
    assert np.abs(heights - pages[BUMPED_PAGE + 1]).max() <= 8


def test_other_games_show_it_flat(blender: ModuleType, tmp_path: Path) -> None:
    root, there = import_scene(sample_bytes(Game.TR3)), read_level(bumped(Game.TR4))
    (piece,) = (each for each in textures_of(there) if each.frames[0].bump and each.number >= 0)
    got = append_from(root, tmp_path, bumped(Game.TR4), textures=str(piece.number))
    assert got.materials[0].tomb_raider.bump == 0
    show_in_first_room(root, got.materials[0], last=True)
    assert len(export_scene(root).object_textures) > len(read_level(sample_bytes(Game.TR3)).object_textures)


def test_a_picture_of_the_users_own_is_bumped_by_a_height_map_of_another_size(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    pixels = np.ones((32, 64, 4), np.float32)
    pixels[..., 0] = np.linspace(0, 1, 64)
    heights = np.ones((16, 16, 4), np.float32)
    heights[8:, :, :3] = 0.0  # Blender counts from below
    image, relief = _image("Bricks", pixels), _image("Bricks Heights", heights)
    material: Any = bpy.data.materials.new("Bricks")
    tree = compat.material_nodes(material)
    node: Any = tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    shader = next(each for each in tree.nodes if each.type == "BSDF_PRINCIPLED")
    tree.links.new(node.outputs["Color"], shader.inputs["Base Color"])
    material.tomb_raider.bump = 3
    show_in_first_room(root, material, last=True)
    assert not reliefs(export_scene(root))  # without a height map there is nothing to show
    image.tomb_raider.heights = relief
    ((strength, texels, found),) = reliefs(export_scene(root))
    assert strength == 3 and texels.shape == found.shape == (32, 64, 3)
    assert not found[:16].any() and (found[16:] == 255).all()
    assert texels[5, 0, 0] == 0 and texels[5, 63, 0] == 255


@pytest.mark.parametrize("is_first", [True, False])
def test_the_height_map_of_an_own_material_is_shown_at_once(blender: ModuleType, is_first: bool) -> None:
    """Its previous nodes stay connected to its image, but draw nothing."""
    root = import_scene(sample_bytes(Game.TR4))
    image, heights = (_image(name, np.full((8, 8, 4), 0.5, np.float32)) for name in ("Wall", "Heights"))
    material = textured(image)
    if is_first:
        image.tomb_raider.heights = heights
    make_level_material(root, material)
    image.tomb_raider.heights = heights
    assert heights_shown(material) == [heights]
    assert user_image(material) == image
    image.tomb_raider.heights = None
    assert heights_shown(material) == []


def test_a_tile_with_a_height_map_is_painted_with_it(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    image, heights = (_image(name, np.full((8, 8, 4), 0.5, np.float32)) for name in ("Wall", "Heights"))
    image.tomb_raider.heights = heights
    assert heights_shown(tile_material(root, Tile(image, (0, 0, 8, 8), bump=2))) == [heights]


def _image(name: str, pixels: NDArray[np.float32]) -> Any:
    image: Any = bpy.data.images.new(name, pixels.shape[1], pixels.shape[0], alpha=True)
    image.pixels.foreach_set(pixels.ravel())
    image.pack()
    return image
