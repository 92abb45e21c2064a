"""Warnings of UVs beyond pages, large images and half-transparent pixels; saving of paint."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.textures.images import pack_painted
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...page_levels import paint, textured
from ...page_levels import user_image as picture
from ...scenes import import_scene, room_object
from .face_pictures import first_quad, show, shown_texels

WHOLE = np.array([(0, 1), (0, 0), (1, 0), (1, 1)])


@each_game
def test_uvs_beyond_their_page_are_reported(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = room_object(root, 0)
    for face in [face for face in obj.data.polygons if face.loop_total == 4][:2]:
        for corner in face.loop_indices:
            obj.data.uv_layers[0].uv[corner].vector *= 40
    (text,) = export_level(root)[1].warnings
    assert text.startswith(f"{obj.name}: UVs of 2 faces extend over the edge of their page")


def test_a_large_image_is_reported_with_its_sizes(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    obj = room_object(root, 0)
    texels = np.full((512, 1024, 4), 255, np.uint8)
    material = textured(picture(texels, "Wall"))
    show(obj.data, first_quad(obj.data), material)
    (text,) = export_level(root)[1].warnings
    assert text.startswith("Wall: a face shows 1024 by 512 of its pixels, and a page holds 256 by 256")
    assert f"shrunk to 256 by 256 on {obj.name};" in text
    show(obj.data, first_quad(obj.data), material, WHOLE * (0.25, 0.5))
    assert export_level(root)[1].warnings == []


@pytest.mark.parametrize(
    ("extension", "colors"),
    [
        ("REPEAT", [10, 20, 10, 20]),
        ("MIRROR", [10, 20, 20, 10]),
        ("EXTEND", [10, 20, 20, 20]),
        ("CLIP", [10, 20, 0, 0]),
    ],
)
def test_the_extension_mode_decides_pixels_beyond_an_image(
    blender: ModuleType, extension: str, colors: list[int]
) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    mesh = room_object(root, 0).data
    texels = np.full((8, 16, 4), 255, np.uint8)
    texels[:, :8, 0], texels[:, 8:, 0] = 80, 160
    material = textured(picture(texels))
    image = next(node for node in material.node_tree.nodes if node.bl_idname == "ShaderNodeTexImage")
    image.extension = extension
    face = first_quad(mesh)
    show(mesh, face, material, WHOLE * (2, 1))
    shown = shown_texels(export_level(root)[0], 0, face)
    assert shown.shape[:2] == (8, 32)
    assert (shown[:, ::8, 0] == np.array(colors) * 8).all()
    assert (shown[:, 24:, 3] == (0 if extension == "CLIP" else 255)).all()


def test_extended_images_repeat_their_left_edge(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    mesh = room_object(root, 0).data
    texels = np.full((8, 8, 4), 255, np.uint8)
    texels[:, 0, 0] = 80
    material = textured(picture(texels))
    image = next(node for node in material.node_tree.nodes if node.bl_idname == "ShaderNodeTexImage")
    image.extension = "EXTEND"
    face = first_quad(mesh)
    show(mesh, face, material, WHOLE - (1, 0))
    assert (shown_texels(export_level(root)[0], 0, face)[..., 0] == 80).all()


@each_game
def test_half_transparent_pixels_are_reported_once(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    mesh = room_object(root, 0).data
    texels = np.full((8, 8, 4), 255, np.uint8)
    texels[:2, :, 3], texels[2:4, :, 3] = 153, 102
    show(mesh, first_quad(mesh), textured(picture(texels, "Glass")))
    other = room_object(root, 1).data
    show(other, first_quad(other), mesh.materials[-1])
    level, report = export_level(root)
    (text,) = report.warnings
    assert text.startswith("Glass: 32 of its pixels are half transparent")
    shown = shown_texels(level, 0, first_quad(mesh))[..., 3]
    assert (shown[:2] >= 128).all() and (shown[2:4] < 128).all()


def test_half_transparent_paint_on_a_page_is_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    image = next(entry.image for entry in root.tomb_raider.images if entry.kind == "PAGE")
    paint(image, 3, 5, (9, 9, 9, 100))
    (text,) = export_level(root)[1].warnings
    assert text.startswith(f"{image.name}: 1 of its pixels are half transparent")


def test_other_tiles_of_an_image_are_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    obj = room_object(root, 0)
    image: Any = bpy.data.images.new("Skin", 8, 8, tiled=True)
    image.tiles.new(1002)
    show(obj.data, first_quad(obj.data), textured(image), WHOLE - (-1, 0))
    (text,) = export_level(root)[1].warnings
    assert text.startswith(f"Skin: only its first tile is exported, and 1 faces of {obj.name} show others")


def as_pixels(image: Any) -> Any:
    return np.array(image.pixels[:])


def test_paint_on_pages_survives_saving_and_opening(blender: ModuleType, tmp_path: Path) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    image: Any = next(entry.image for entry in root.tomb_raider.images if entry.kind == "PAGE")
    name = image.name
    own: Any = picture(np.full((4, 4, 4), 255, np.uint8), "Mine")
    paint(image, 3, 5, (248, 16, 8, 255))
    paint(own, 1, 1, (1, 2, 3, 255))
    untouched = {entry.image.name: as_pixels(entry.image) for entry in root.tomb_raider.images}
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "painted.blend"))
    assert own.is_dirty  # users save their own images
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "painted.blend"))
    root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    level = export_level(root)[0]
    before, after = (decode_pages(pages_of(each)) for each in (read_level(data), level))
    assert after[0, 5, 3].tolist() == [248, 16, 8, 255]
    assert (before != after).any(axis=-1).sum() == 1
    images = [entry.image for entry in root.tomb_raider.images]
    assert all(np.array_equal(as_pixels(each), untouched[each.name]) for each in images if each.name != name)


@each_game
def test_saving_compresses_pages(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    data = sample_bytes(game)
    root = import_level(data).root  # never saved before
    pages = [entry.image for entry in root.tomb_raider.images if entry.kind == "PAGE"]
    before = [(each.packed_file.size, as_pixels(each)) for each in pages]
    paint(pages[0], 3, 5, (248, 16, 8, 255))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
    for image, (size, shown) in list(zip(pages, before, strict=True))[1:]:
        assert image.packed_file.size < size / 2
        assert not image.is_dirty and np.array_equal(as_pixels(image), shown)
    files = [each.packed_file.data for each in pages]
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
    assert [each.packed_file.data for each in pages] == files
    shown, wanted = (decode_pages(pages_of(each)) for each in (export_level(root)[0], read_level(data)))
    assert np.flatnonzero((shown != wanted).any(axis=(1, 2, 3))).tolist() == [0]


def test_an_image_that_users_unpacked_stays_a_file(blender: ModuleType, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    image: Any = next(entry.image for entry in root.tomb_raider.images if entry.kind == "PAGE")
    image.filepath_raw = str(tmp_path / "page.png")
    image.save()
    image.unpack(method="REMOVE")  # other methods would write its file to the packed path
    assert image.packed_file is None
    paint(image, 3, 5, (248, 16, 8, 255))
    assert image.is_dirty
    assert pack_painted(root) == []
    assert image.packed_file is None
