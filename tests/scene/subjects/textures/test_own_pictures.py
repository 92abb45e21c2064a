"""Users' images: the level's pages have the texels that their faces show."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Image, Material
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

from io_tomb_raider.formats import ExportError, Game, Level
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.textures.object_textures import FaceTextures
from io_tomb_raider.formats.levels.textures.packing import used_pixels
from io_tomb_raider.formats.levels.textures.textiles import changed_pixels, decode_pages, expand_palette
from io_tomb_raider.scene.subjects.textures import user_images as own_pictures
from io_tomb_raider.scene.subjects.textures.user_images import PictureRequest, pack_pictures, pixel_boxes
from tests.empty_scene import start_empty
from tests.games import each_game

from ...page_levels import (
    ImportedPages,
    export_of,
    fill_pages,
    image_of,
    import_pages,
    linear,
    own_material,
    page_level,
    pages_for,
    paint,
    pixels,
    textured,
    user_image,
)

QUAD = np.array([(0, 1), (1, 1), (1, 0), (0, 0)], np.float32)  # clockwise from the upper left


def own_texels(level: Level, height: int, width: int, seed: int = 3) -> NDArray[np.uint8]:
    """Opaque texels in colors that every form of the level's pages holds exactly; magenta would be a hole."""
    random = np.random.default_rng(seed)
    result = np.full((height, width, 4), 255, np.uint8)
    if level.game is Game.TR1:
        result[..., :3] = expand_palette(level.palette)[random.integers(1, 256, (height, width))]
    else:
        five = random.integers(0, 32, (height, width, 3))
        five[(five == (31, 0, 31)).all(axis=2)] = 31
        result[..., :3] = five << 3 | five >> 2
    return result


def request(
    material: Material, uv: ArrayLike = QUAD, key: Hashable = "face", triangle: bool = False
) -> PictureRequest:
    corners = np.asarray(uv, np.float32).reshape(-1, 4, 2)
    return PictureRequest.of(key, "Mesh", material, corners, np.full(len(corners), triangle), Game.TR4)


def flat_material(color: Sequence[int]) -> Material:
    """Return a user's material of one color, 0 to 255."""
    material, tree, output = own_material()
    shader = tree.nodes.new("ShaderNodeEmission")
    tree.links.new(shader.outputs[0], output.inputs[0])
    shader.inputs[0].default_value = (*linear(np.array(color) / 255), 1)
    return material


def packed(
    context: ImportedPages, requests: Sequence[PictureRequest], reserved: Sequence[NDArray[np.int64]] = ()
) -> tuple[dict[Hashable, FaceTextures], Level, NDArray[np.uint8]]:
    """Pack and export; return the results, the level, and its pages."""
    export = export_of(context)
    pages = pages_for(export)
    answers = pack_pictures(pages, requests, reserved)
    pages.write(export.level)
    return answers, export.level, decode_pages(pages_of(export.level))


def under(answer: FaceTextures, pages: NDArray[np.uint8], row: int = 0) -> NDArray[np.uint8]:
    """Return the texels of the box around the corners of a face."""
    raw = answer.raw[row].astype(int)
    low, high = raw.min(axis=0) + 127 >> 8, raw.max(axis=0) + 128 >> 8
    return pages[answer.page[row], low[1] : high[1], low[0] : high[0]]


@each_game
def test_image_is_found_under_its_face(blender: ModuleType, game: Game) -> None:
    context = import_pages(page_level(game))
    image = own_texels(context.level, 24, 40)
    answers, level, pages = packed(context, [request(textured(user_image(image)))])
    assert np.array_equal(under(answers["face"], pages), image)
    assert answers["face"].attribute.tolist() == [0]
    assert len(pages) == 3  # no face shows other texels, so there is room
    assert (answers["face"].raw[0, 0] % 256 == 0).all()
    assert len(level.object_textures) == 0  # those are made from the results, elsewhere


@each_game
def test_a_new_page_is_added_if_all_are_full(blender: ModuleType, game: Game) -> None:
    level = page_level(game)
    fill_pages(level, [0, 1, 2])
    context = import_pages(level)
    image = own_texels(level, 250, 250)
    answers, after, pages = packed(context, [request(textured(user_image(image)))])
    assert answers["face"].page.tolist() == [3]
    assert np.array_equal(under(answers["face"], pages), image)
    assert np.array_equal(pages[:3], decode_pages(pages_of(level)))
    if game >= Game.TR4:
        assert (after.room_textiles, after.object_textiles, after.bump_textiles) == (1, 3, 0)


@each_game
def test_used_pixels_are_not_overwritten(blender: ModuleType, game: Game) -> None:
    level = page_level(game)
    fill_pages(level, [0, 1, 2])
    context = import_pages(level)
    requests = [request(textured(user_image(own_texels(level, 60, 90, seed))), key=seed) for seed in range(7)]
    answers, _, pages = packed(context, requests)
    before = decode_pages(pages_of(level))
    used = used_pixels(3, level.object_textures, level.sprite_textures, game)
    assert not (changed_pixels(pages[:3], before) & used).any()
    for seed in range(7):
        assert np.array_equal(under(answers[seed], pages), own_texels(level, 60, 90, seed))


def test_painted_pixels_are_not_overwritten(blender: ModuleType) -> None:
    level = page_level(Game.TR4, pages=1)
    fill_pages(level, 0)
    context = import_pages(level)
    # The lower right quarter is free except for painted pixels in its middle.
    paint(image_of(context), 190, 190, (1, 2, 3, 255))
    answers, _, pages = packed(context, [request(textured(user_image(own_texels(level, 100, 100))))])
    assert answers["face"].page.tolist() == [1]
    assert pages[0, 190, 190].tolist() == [1, 2, 3, 255]


def test_pixels_shown_by_faces_are_not_overwritten(blender: ModuleType) -> None:
    level = page_level(Game.TR4, pages=1)
    fill_pages(level, 0)
    context = import_pages(level)
    corner = np.array([(0.6, 0.2), (0.9, 0.2), (0.9, 0.1), (7, 7)], np.float32)[None]
    shown = pixel_boxes(np.array([0]), corner, np.ones(1, np.bool_))
    answers, _, pages = packed(context, [request(textured(user_image(own_texels(level, 100, 100))))], [shown])
    assert answers["face"].page.tolist() == [1]
    assert np.array_equal(pages[0], decode_pages(pages_of(level))[0])


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_bumped_pages_are_not_filled(blender: ModuleType, game: Game) -> None:
    level = page_level(game, pages=4, bumped=2)
    fill_pages(level, [0, 1])
    context = import_pages(level)
    image = own_texels(level, 200, 200)
    export = export_of(context)
    filled = pages_for(export)
    answer = pack_pictures(filled, [request(textured(user_image(image)))])["face"]
    assert answer.page.tolist() == [4]
    # Like the exporter: the page moves with the object texture that refers to it.
    new = np.zeros(1, level.object_textures.dtype)
    new["page"], new["uv"] = answer.page, answer.raw
    export.level.object_textures = np.concatenate([level.object_textures, new])
    filled.write(export.level)
    pages = decode_pages(pages_of(export.level))
    moved = replace(answer, page=export.level.object_textures["page"][-1:].astype(np.int64))
    assert moved.page.tolist() == [2]
    assert np.array_equal(under(moved, pages), image)
    assert np.array_equal(pages[3:], decode_pages(pages_of(level))[2:])
    assert (export.level.object_textiles, export.level.bump_textiles) == (2, 2)


def test_images_are_read_once_and_shared(blender: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    context = import_pages(page_level(Game.TR3))
    image = user_image(own_texels(context.level, 64, 64))
    read: list[Image] = []

    def read_pixels(image: Image) -> NDArray[np.uint8]:
        read.append(image)
        return pixels(image)

    monkeypatch.setattr(own_pictures, "read_pixels", read_pixels)
    half = QUAD * (0.5, 1)
    requests = [request(textured(image), QUAD, "whole"), request(textured(image), half, "half")]
    answers, _, pages = packed(context, requests)
    assert read == [image]
    assert changed_pixels(pages, decode_pages(pages_of(context.level))).sum() <= 66 * 66
    whole = under(answers["whole"], pages)
    assert np.array_equal(under(answers["half"], pages), whole[:, :32])


def test_triangles_and_mirrored_faces_show_their_part(blender: ModuleType) -> None:
    context = import_pages(page_level(Game.TR4))
    image = own_texels(context.level, 32, 32)
    material = textured(user_image(image))
    triangle = np.array([(0, 1), (0.5, 1), (0, 0.5), (9, 9)], np.float32)
    requests = [
        request(material, triangle, "triangle", triangle=True),
        request(material, QUAD[[1, 0, 3, 2]], "mirrored"),
    ]
    answers, _, pages = packed(context, requests)
    corners = answers["triangle"].raw[0] / 256
    assert (corners[1] - corners[0]).tolist() == [16, 0]
    assert (corners[2] - corners[0]).tolist() == [0, 16]
    mirrored = answers["mirrored"].raw[0].astype(int)
    assert mirrored[0, 0] > mirrored[1, 0] and mirrored[0, 1] < mirrored[3, 1]
    assert np.array_equal(under(answers["mirrored"], pages), image)


@each_game
def test_flat_colors_become_small_tiles(blender: ModuleType, game: Game) -> None:
    level = page_level(game)
    context = import_pages(level)
    color = own_texels(level, 1, 1)[0, 0, :3].tolist()
    requests = [request(flat_material(color), np.zeros((4, 2)), key) for key in ("one", "two")]
    answers, _, pages = packed(context, requests)
    for key in ("one", "two"):
        found = under(answers[key], pages)
        assert found.shape[:2] == (4, 4)
        assert (found == [*color, 255]).all()
    assert np.array_equal(answers["one"].raw, answers["two"].raw)


def test_transparent_texels_ask_for_the_alpha_test(blender: ModuleType) -> None:
    context = import_pages(page_level(Game.TR2))
    image = own_texels(context.level, 32, 64)
    image[4:8, 4:8, 3] = 0
    material = textured(user_image(image))
    left, right = QUAD * (0.5, 1), QUAD * (0.5, 1) + (0.5, 0)
    answers, level, _ = packed(context, [request(material, [left, right])])
    assert answers["face"].attribute.tolist() == [1, 0]
    x, y = (answers["face"].raw[0].min(axis=0) >> 8).tolist()
    page = answers["face"].page[0]
    assert (level.textiles8[page, y + 4 : y + 8, x + 4 : x + 8] == 0).all()
    assert (level.textiles16[page, y + 4 : y + 8, x + 4 : x + 8] & 0x8000 == 0).all()
    assert level.textiles8[page, y + 3, x + 3] != 0


@each_game
def test_magenta_of_pictures_without_transparency_becomes_holes(blender: ModuleType, game: Game) -> None:
    """Old tile sets mark holes by it. A picture with transparency keeps it, and a face that is opaque."""
    context = import_pages(page_level(game))
    texels = own_texels(context.level, 8, 8)
    texels[2:4, 2:5, :3] = (255, 0, 255)
    with_alpha = texels.copy()
    with_alpha[7, 7, 3] = 0
    holes, opaque, other = (textured(user_image(each)) for each in (texels, texels, with_alpha))
    opaque.tomb_raider.blending = "OPAQUE"
    keys = {"holes": (holes, 6), "opaque": (opaque, 0), "alpha": (other, 1)}
    export = export_of(context)
    pages = pages_for(export)
    answers = pack_pictures(pages, [request(material, key=key) for key, (material, _) in keys.items()])
    pages.write(export.level)
    for key, (_, count) in keys.items():
        tile = under(answers[key], decode_pages(pages_of(export.level)))
        assert int((tile[..., 3] == 0).sum()) == count
        assert answers[key].attribute.tolist() == [int(count > 0)]
    (text,) = [each for each in export.report.warnings if "magenta" in each]
    assert "6 of its pixels are magenta (255, 0, 255) and become holes" in text


def test_chosen_blending_counts(blender: ModuleType) -> None:
    context = import_pages(page_level(Game.TR4))
    material = textured(user_image(own_texels(context.level, 8, 8)))
    material.surface_render_method = "BLENDED"
    answers, *_ = packed(context, [request(material)])
    assert answers["face"].attribute.tolist() == [2]


def test_large_images_are_shrunk_to_a_page(blender: ModuleType) -> None:
    context = import_pages(page_level(Game.TR4))
    image = own_texels(context.level, 256, 256).repeat(2, axis=0).repeat(2, axis=1)
    answers, _, pages = packed(context, [request(textured(user_image(image)))])
    assert np.array_equal(under(answers["face"], pages), image[::2, ::2])


def test_images_without_pixels_are_refused(blender: ModuleType) -> None:
    context = import_pages(page_level(Game.TR1))
    image: Any = bpy.data.images.new("Gone", 1, 1)
    image.source, image.filepath = "FILE", "//gone.png"
    with pytest.raises(ExportError, match="Gone: the image has no pixels"):
        pack_pictures(pages_for(export_of(context)), [request(textured(image))])


def test_packing_no_faces_changes_nothing(blender: ModuleType) -> None:
    context = import_pages(page_level(Game.TR5))
    export = export_of(context)
    nobody = request(textured(user_image(own_texels(context.level, 4, 4))), np.zeros((0, 4, 2)), "nobody")
    pages = pages_for(export)
    answers = pack_pictures(pages, [nobody])
    pages.write(export.level)
    assert len(answers["nobody"].page) == 0 and answers["nobody"].raw.shape == (0, 4, 2)
    assert export.level.textiles32 is context.level.textiles32


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sizes=st.lists(st.tuples(st.integers(1, 300), st.integers(1, 300)), min_size=1, max_size=8),
    game=st.sampled_from(Game),
)
def test_any_images_find_their_place(blender: ModuleType, sizes: list[tuple[int, int]], game: Game) -> None:
    start_empty()
    level = page_level(game, pages=2)
    fill_pages(level, [0, 1])
    context = import_pages(level)
    images = [own_texels(level, height, width, seed) for seed, (height, width) in enumerate(sizes)]
    requests = [request(textured(user_image(image)), key=seed) for seed, image in enumerate(images)]
    answers, _, pages = packed(context, requests)
    for seed, image in enumerate(images):
        found = under(answers[seed], pages)
        assert found.shape[:2] == (min(image.shape[0], 256), min(image.shape[1], 256))
        if max(image.shape) <= 256:
            assert np.array_equal(found, image)
