"""Texture pages in Blender: images show the pages of the file, and paint is written into all forms."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.textures.packing import Placements
from io_tomb_raider.formats.levels.textures.sprites import Sprites, encode_sprites
from io_tomb_raider.formats.levels.textures.textiles import changed_pixels, decode_pages, expand_palette
from io_tomb_raider.scene.core.context import ExportContext
from io_tomb_raider.scene.subjects.textures.keys import MaterialKey
from io_tomb_raider.scene.subjects.textures.materials import import_materials
from tests.compare import differences
from tests.empty_scene import start_empty
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes

from ...page_levels import (
    FORMS,
    SIZE,
    ImportedPages,
    export_of,
    fill_pages,
    image_of,
    import_pages,
    page_level,
    pages_for,
    paint,
    pixels,
    textiles,
)
from ...scenes import changes, export_scene, import_scene
from .reliefs import bumped

RED = (255, 0, 0, 255)
CLEAR = (90, 90, 90, 0)


def written(context: ImportedPages, rebuild: bool = False) -> ExportContext:
    export = export_of(context, rebuild=rebuild)
    pages_for(export).write(export.level)
    return export


def test_tr1_pages_show_the_palette_upright(blender: ModuleType) -> None:
    level = page_level(Game.TR1)
    indices = np.array(level.textiles8)
    indices[1, 0, 5] = 7
    level.textiles8, level.palette[7] = indices, (63, 1, 32)
    image: Any = image_of(import_pages(level), page=1)
    # Blender's first row is the lowest.
    assert np.rint(np.array(image.pixels[(255 * 256 + 5) * 4 :][:4]) * 255).tolist() == [255, 4, 130, 255]


def test_tr2_pages_show_the_16_bit_form(blender: ModuleType) -> None:
    level = page_level(Game.TR2)
    texels = np.array(level.textiles16)
    texels[0, 2, 3], texels[0, 2, 4] = 0x8000 | 31 << 10 | 16 << 5, 0x7FFF
    level.textiles16 = texels
    shown = pixels(image_of(import_pages(level)))
    assert shown[2, 3].tolist() == [255, 132, 0, 255]
    assert shown[2, 4, 3] == 0


def test_tr4_pages_show_the_32_bit_form(blender: ModuleType) -> None:
    level = page_level(Game.TR4)
    shown = pixels(image_of(import_pages(level), page=2))
    assert np.array_equal(shown, level.textiles32[2][..., [2, 1, 0, 3]])


@each_game
def test_key_color_is_transparent_and_nothing_else(blender: ModuleType, game: Game) -> None:
    alpha = pixels(image_of(import_pages(page_level(game)), page=1))[..., 3]
    expected = np.full((SIZE, SIZE), 255)
    expected[8:24, 8:24] = 0
    assert np.array_equal(alpha, expected)


@each_game
def test_images_have_their_kind_and_page(blender: ModuleType, game: Game) -> None:
    context = import_pages(page_level(game), "CUT1.PHD")
    names = {image.name: (image.tomb_raider.kind, image.tomb_raider.page) for image in blender.data.images}
    expected = {f"CUT1.PHD Page {page:02}": ("PAGE", page) for page in range(3)}
    if game <= Game.TR3:
        expected["CUT1.PHD Palette"] = ("PALETTE", 0)
        if game > Game.TR1:
            expected["CUT1.PHD 8-Bit Palette"] = ("PALETTE", 1)
    else:
        labels = ["Font", "Sky"] if game is Game.TR4 else ["Environment Map", "Font", "Sky"]
        expected |= {f"CUT1.PHD {label}": ("MISC", page) for page, label in enumerate(labels)}
    assert names == expected
    assert {entry.image.name for entry in context.root.tomb_raider.images} == set(expected)
    assert all(tuple(image.size) != (1, 1) and image.packed_file for image in blender.data.images)


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3])
def test_palette_has_a_cell_for_each_color(blender: ModuleType, game: Game) -> None:
    level = page_level(game)
    shown = pixels(image_of(import_pages(level), "PALETTE"))
    colors = expand_palette(level.palette) if game is Game.TR1 else level.palette16[:, :3]
    for index in (0, 1, 15, 16, 200, 255):
        row, column = divmod(index, 16)
        assert shown[row * 4 + 2, column * 4 + 2].tolist() == [*colors[index], 255]


def test_average_color_is_that_of_opaque_texels(blender: ModuleType) -> None:
    level = page_level(Game.TR4)
    texels = np.zeros_like(level.textiles32)
    texels[:, :100, :, :] = (255, 0, 255, 255)
    level.textiles32 = texels
    assert import_pages(level).images["PAGE", 0][1] == pytest.approx((1, 0, 1))


@each_game
def test_untouched_pages_are_the_same_arrays(blender: ModuleType, game: Game) -> None:
    context = import_pages(page_level(game))
    for image in blender.data.images:
        assert len(image.pixels[:])  # looking at an image is not touching it
    export = written(context)
    assert all(getattr(export.level, name) is array for name, array in textiles(context.level).items())
    assert not export.rebuilt and not export.report.warnings


@each_game
def test_a_page_in_another_color_space_is_written_as_it_is_shown(blender: ModuleType, game: Game) -> None:
    def texel(color: tuple[int, int, int, int], space: str) -> list[int]:
        context = import_pages(page_level(game))
        image = image_of(context, page=1)
        paint(image, 40, 30, color)
        image.pack()  # changes of color spaces read the file again
        image.colorspace_settings.name = space
        result: list[int] = decode_pages(pages_of(written(context).level))[1, 30, 40].tolist()
        return result

    assert texel((55, 255, 0, 255), "Linear Rec.709") == texel((128, 255, 0, 255), "sRGB")


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_a_height_map_is_data_in_every_color_space(blender: ModuleType, game: Game) -> None:
    data = bumped(game)
    root = import_scene(data)
    heights = [each.image.tomb_raider.heights for each in root.tomb_raider.images if each.kind == "PAGE"]
    for image in filter(None, heights):
        image.colorspace_settings.name = "Non-Color"
    assert any(heights)
    assert export_scene(root).to_bytes() == data


@each_game
def test_one_painted_texel_changes_one_texel_of_every_form(blender: ModuleType, game: Game) -> None:
    context = import_pages(page_level(game))
    paint(image_of(context, page=1), 40, 30, RED)
    export = written(context)
    assert dict(export.rebuilt) == {"textiles": 1}
    for name in FORMS:
        if hasattr(export.level, name):
            before, after = getattr(context.level, name), getattr(export.level, name)
            different = (before != after).reshape(*before.shape[:3], -1).any(axis=-1)
            assert np.argwhere(different).tolist() == [[1, 30, 40]], name
    if game >= Game.TR2:
        assert export.level.textiles16[1, 30, 40] == 0x8000 | 31 << 10
    if game >= Game.TR4:
        assert export.level.textiles32[1, 30, 40].tolist() == [0, 0, 255, 255]


@each_game
def test_painting_with_the_eraser_makes_texels_transparent(blender: ModuleType, game: Game) -> None:
    context = import_pages(page_level(game))
    paint(image_of(context, page=2), 200, 100, CLEAR)
    level = written(context).level
    assert decode_pages(pages_of(level))[2, 100, 200, 3] == 0
    if game <= Game.TR3:
        assert level.textiles8[2, 100, 200] == 0


def test_palette_colors_are_painted_exactly(blender: ModuleType) -> None:
    context = import_pages(page_level(Game.TR1))
    color = expand_palette(context.level.palette)[77]
    paint(image_of(context), 0, 255, (*color.tolist(), 255))
    assert written(context).level.textiles8[0, 255, 0] == 77


@each_game
def test_paint_survives_packing_saving_and_reopening(blender: ModuleType, game: Game, tmp_path: Path) -> None:
    context = import_pages(page_level(game))
    image = image_of(context, page=1)
    paint(image, 40, 30, RED)
    image.pack()
    before = context.level
    file = str(tmp_path / "scene.blend")
    blender.ops.wm.save_as_mainfile(filepath=file)
    blender.ops.wm.open_mainfile(filepath=file)
    level = written(replace(context, root=blender.data.collections["Level"])).level
    changed = changed_pixels(decode_pages(pages_of(level)), decode_pages(pages_of(before)))
    assert np.argwhere(changed).tolist() == [[1, 30, 40]]


def test_unused_pages_survive_saving_and_reopening(blender: ModuleType, tmp_path: Path) -> None:
    context = import_pages(page_level(Game.TR4))
    expected = pixels(image_of(context, page=2))
    file = str(tmp_path / "scene.blend")
    blender.ops.wm.save_as_mainfile(filepath=file)
    blender.ops.wm.open_mainfile(filepath=file)
    assert np.array_equal(pixels(blender.data.images["Level Page 02"]), expected)
    assert blender.data.images["Level Sky"].tomb_raider.kind == "MISC"


def test_unpacked_pages_are_read_from_their_files(blender: ModuleType, tmp_path: Path) -> None:
    context = import_pages(page_level(Game.TR5))
    image = image_of(context)
    paint(image, 3, 4, RED)
    image.filepath_raw = str(tmp_path / "page.png")
    image.file_format = "PNG"
    image.save()
    image.unpack(method="REMOVE")
    image.reload()
    level = written(context).level
    changed = changed_pixels(decode_pages(pages_of(level)), decode_pages(pages_of(context.level)))
    assert np.argwhere(changed).tolist() == [[0, 4, 3]]
    (tmp_path / "page.png").unlink()
    image.reload()
    with pytest.raises(ExportError, match="Level Page 00: the image has no pixels"):
        written(context)


def test_other_sizes_are_refused(blender: ModuleType) -> None:
    context = import_pages(page_level(Game.TR3))
    image_of(context, page=1).scale(512, 128)
    with pytest.raises(ExportError, match=r"Level Page 01: a texture page is 256 by 256 .* 512 by 128"):
        written(context)


def test_deleted_images_leave_their_page_unless_a_face_needs_it(blender: ModuleType) -> None:
    context = import_pages(page_level(Game.TR3))
    keys = [MaterialKey("PAGE", page, 0, False, 0) for page in (1, 2)]
    context.materials.update(import_materials(context.root, context.images, keys))
    mesh = blender.data.meshes.new("Quad")
    mesh.materials.append(context.materials[MaterialKey("PAGE", 2, 0, False, 0)])
    context.root.objects.link(blender.data.objects.new("Quad", mesh))
    blender.data.images.remove(image_of(context, page=1))
    paint(image_of(context, page=0), 1, 1, RED)
    level = written(context).level
    assert np.array_equal(level.textiles16[1:], context.level.textiles16[1:])
    blender.data.images.remove(image_of(context, page=2))
    with pytest.raises(ExportError, match="Level Page 02: the image of texture page 2 was deleted"):
        written(context)


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_painted_miscellaneous_pages(blender: ModuleType, game: Game) -> None:
    context = import_pages(page_level(game))
    paint(image_of(context, "MISC", 1), 9, 8, RED)
    export = written(context)
    different = (export.level.misc_textiles32 != context.level.misc_textiles32).any(axis=-1)
    assert np.argwhere(different).tolist() == [[1, 8, 9]]
    assert dict(export.rebuilt) == {"miscellaneous textiles": 1}
    assert export.level.textiles32 is context.level.textiles32


@pytest.mark.parametrize(
    ("game", "label"),
    [
        (Game.TR4, "Font"),
        (Game.TR4, "Sky"),
        (Game.TR5, "Environment Map"),
        (Game.TR5, "Font"),
        (Game.TR5, "Sky"),
    ],
)
def test_font_sky_and_environment_map_are_painted(blender: ModuleType, game: Game, label: str) -> None:
    labels = ["Font", "Sky"] if game is Game.TR4 else ["Environment Map", "Font", "Sky"]

    def edit(root: Any) -> None:
        paint(blender.data.images[f"Level {label}"], 20, 30, RED)

    assert changes(sample_bytes(game), edit) == [("misc_textiles32", labels.index(label), "value")]


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
@pytest.mark.parametrize("page", [3, 4])
def test_bumped_pages_and_their_height_maps_are_painted(blender: ModuleType, game: Game, page: int) -> None:
    level = read_level(sample_bytes(game))
    assert level.room_textiles + level.object_textiles == 3
    images = import_scene(sample_bytes(game)).tomb_raider.images
    uses = {entry.page: entry.image.tomb_raider.use for entry in images if entry.kind == "PAGE"}
    assert uses == {0: "ROOMS", 1: "OBJECTS", 2: "OBJECTS", 3: "BUMPED", 4: "HEIGHTS"}
    start_empty()

    def edit(root: Any) -> None:
        paint(blender.data.images[f"Level Page {page:02}"], 20, 30, RED)

    found = changes(sample_bytes(game), edit)
    assert set(found) == {("textiles16", page, 1), ("textiles32", page, 1)}


@each_game
def test_rebuilt_pages_show_the_same(blender: ModuleType, game: Game) -> None:
    context = import_pages(page_level(game))
    export = written(context, rebuild=True)
    before, after = pages_of(context.level), pages_of(export.level)
    assert np.array_equal(decode_pages(after), decode_pages(before))
    for name, array in textiles(context.level).items():
        assert np.array_equal(getattr(export.level, name), array), name
    shown = "textiles32" if game >= Game.TR4 else "textiles16" if game >= Game.TR2 else "textiles8"
    assert getattr(export.level, shown) is not getattr(context.level, shown)
    assert not export.rebuilt


@each_game
def test_two_levels_keep_their_images_apart(blender: ModuleType, game: Game) -> None:
    first = import_pages(page_level(game, seed=1), "First")
    second = import_pages(page_level(game, seed=2), "Second")
    paint(image_of(second), 5, 5, RED)
    assert not written(first).rebuilt
    assert dict(written(second).rebuilt) == {"textiles": 1}


def test_same_level_twice(blender: ModuleType) -> None:
    level = page_level(Game.TR4)
    first, second = import_pages(level), import_pages(level)
    paint(image_of(second, page=1), 5, 5, RED)
    assert not written(first).rebuilt
    assert dict(written(second).rebuilt) == {"textiles": 1}


def test_a_level_knows_its_images_in_the_order_of_its_file(blender: ModuleType) -> None:
    images = import_pages(page_level(Game.TR5)).root.tomb_raider.images
    kinds = [(each.kind, each.page) for each in images]
    assert kinds == [("PAGE", 0), ("PAGE", 1), ("PAGE", 2), ("MISC", 0), ("MISC", 1), ("MISC", 2)]
    assert all(each.image.packed_file.data.startswith(b"\x89PNG") for each in images)


# --- Key color under opaque faces ---------------------------------------------------------------

# In the transparent square from 8 to 24 only opaque faces show the left half; sprites show it from 20 on.
BARE = np.zeros((SIZE, SIZE), np.bool_)
BARE[8:24, 8:16] = True
DRAWN = {Game.TR2: (82, 165, 247), Game.TR3: (82, 165, 247), Game.TR4: (7, 8, 9), Game.TR5: (7, 8, 9)}


def covered_level(game: Game, key: tuple[int, int, int] = (63, 0, 63)) -> Level:
    """Return a level whose page 1 has an opaque texture over the left half of transparent texels and a
    color-keyed one at its right, with the opaque one beneath; no texture shows the lowest of them."""
    level = page_level(game)
    level.object_textures = np.zeros(3, level.object_textures.dtype)
    level.object_textures["page"] = 1
    level.object_textures["attribute"] = [0, 1, 0]
    boxes = [(0, 0, 16, 64), (16, 0, 20, 64), (12, 8, 24, 24)]
    for texture, (left, top, right, bottom) in zip(level.object_textures, boxes, strict=True):
        low, high = (left * 256 + 1, top * 256 + 1), (right * 256 - 1, bottom * 256 - 1)
        texture["uv"] = [low, (high[0], low[1]), high, (low[0], high[1])]
    sprites = Sprites(np.array([1]), np.array([(20, 0, 40, 50)]), np.zeros((1, 4), np.int64))
    level.sprite_textures = encode_sprites(sprites, game)
    if game <= Game.TR3:
        level.palette[0] = key
    if game >= Game.TR2:
        words = np.array(level.textiles16)
        words[:, 8:24, 8:24] = 10 << 10 | 20 << 5 | 30
        level.textiles16 = words
    if game >= Game.TR4:
        texels = np.array(level.textiles32)
        texels[:, 8:24, 8:24] = (9, 8, 7, 0)
        level.textiles32 = texels
    return level


@each_game
def test_opaque_faces_have_no_holes(blender: ModuleType, game: Game) -> None:
    level = covered_level(game)
    context = import_pages(level)
    for page in (0, 1):
        expected = np.full((SIZE, SIZE), 255)
        expected[8:24, 8:24] = 0
        if page == 1:
            expected[BARE] = 255
        assert np.array_equal(pixels(image_of(context, page=page))[..., 3], expected)
    shown = pixels(image_of(context, page=1))
    assert (shown[BARE] == (*DRAWN.get(game, (0, 0, 0)), 255)).all()
    # Other texels are the same as without faces.
    level.object_textures = level.object_textures[:0]
    assert np.array_equal(shown[~BARE], pixels(image_of(import_pages(level), page=1))[~BARE])


def test_pages_with_all_palette_colors_have_no_holes_either(blender: ModuleType) -> None:
    level = covered_level(Game.TR1)
    assert len(np.unique(level.textiles8[1])) == 256
    image = image_of(import_pages(level), page=1)
    assert (pixels(image)[BARE] == (0, 0, 0, 255)).all()
    texels = np.array(level.textiles8)
    texels[1][texels[1] == 99] = 98
    level.textiles8 = texels
    indexed = image_of(import_pages(level), page=1)
    assert np.array_equal(pixels(indexed)[BARE], pixels(image)[BARE])
    # The color types of PNG files: RGBA, or a palette if it has a free entry.
    assert [each.packed_file.data[25] for each in (image, indexed)] == [6, 3]


@each_game
def test_untouched_key_texels_of_opaque_faces_keep_their_bits(blender: ModuleType, game: Game) -> None:
    context = import_pages(covered_level(game))
    assert all(getattr(written(context).level, name) is old for name, old in textiles(context.level).items())
    # Paint beside them makes Blender write the whole image again.
    image = image_of(context, page=1)
    paint(image, 100, 100, RED)
    image.pack()
    paint(image, 100, 100, tuple(decode_pages(pages_of(context.level))[1, 100, 100].tolist()))
    after = written(context).level
    for name in FORMS:
        if hasattr(after, name):
            assert getattr(after, name) is getattr(context.level, name)


@each_game
@pytest.mark.parametrize("color", [RED, (0, 0, 8, 255)], ids=["red", "nearly black"])
def test_painting_a_key_texel_of_an_opaque_face(
    blender: ModuleType, game: Game, color: tuple[int, int, int, int]
) -> None:
    context = import_pages(covered_level(game))
    paint(image_of(context, page=1), 9, 10, color)
    after = written(context).level
    for name in FORMS:
        if hasattr(after, name):
            old, new = getattr(context.level, name), getattr(after, name)
            different = (old != new).reshape(*old.shape[:3], -1).any(axis=-1)
            assert np.argwhere(different).tolist() == [[1, 10, 9]], name
    if game <= Game.TR3:
        assert after.textiles8[1, 10, 9] != 0
    if game >= Game.TR2:
        assert after.textiles16[1, 10, 9] & 0x8000


@each_game
def test_erasing_a_key_texel_of_an_opaque_face_makes_it_transparent(blender: ModuleType, game: Game) -> None:
    context = import_pages(covered_level(game))
    paint(image_of(context, page=1), 9, 10, CLEAR)
    after = written(context).level
    assert decode_pages(pages_of(after)._replace(opaque=None))[1, 10, 9, 3] == 0


@each_game
@pytest.mark.parametrize("black", [False, True], ids=["no black", "black"])
def test_rebuilt_key_texels_of_opaque_faces_look_the_same(
    blender: ModuleType, game: Game, black: bool
) -> None:
    level = covered_level(game)
    if game <= Game.TR3:
        level.palette[1:] = np.maximum(level.palette[1:], 1)
        level.palette[200] = 0 if black else 1
    after = written(import_pages(level), rebuild=True).level
    before, now = decode_pages(pages_of(level)), decode_pages(pages_of(after))
    assert not changed_pixels(now, before).any()
    if game is Game.TR1:
        assert (after.textiles8[1][BARE] == (200 if black else 0)).all()
    assert not [path for path in differences(level, after, rebuilt=True) if path[0] in FORMS]


# --- Tiles ---------------------------------------------------------------------------------------


def placed(page: int, x: int, y: int, pages: int, first_new: int) -> Placements:
    border = np.zeros((1, 2), np.int64)
    return Placements(np.array([page]), np.array([[x, y]]), border, pages, first_new)


@each_game
def test_tiles_are_drawn_on_existing_and_new_pages(blender: ModuleType, game: Game) -> None:
    context = import_pages(page_level(game))
    paint(image_of(context), 200, 200, RED)
    export = export_of(context)
    tile = np.zeros((2, 3, 4), np.uint8)
    tile[...] = RED
    places = placed(3, 10, 20, 4, 3)
    pages = pages_for(export)
    pages.place([tile], places)
    pages.write(export.level)
    after = decode_pages(pages_of(export.level))
    assert len(after) == 4
    assert (after[3, 20:22, 10:13, 3] == 255).all() and after[3, 20:22, 10:13].std(axis=(0, 1)).max() == 0
    changed = changed_pixels(after[:3], decode_pages(pages_of(context.level)))
    assert np.argwhere(changed).tolist() == [[0, 200, 200]]
    assert export.rebuilt["textiles"] == 2
    if game >= Game.TR4:
        counts = export.level.room_textiles, export.level.object_textiles, export.level.bump_textiles
        assert counts == (1, 3, 0)


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_new_pages_come_before_bumped_ones(blender: ModuleType, game: Game) -> None:
    level = page_level(game, pages=6, bumped=4)
    fill_pages(level, [0, 1, 2, 3])
    level.object_textures["page"][5] |= 0x8000
    level.object_textures["flags"][4:] = 1 << 9
    level.sprite_textures = np.zeros(2, level.sprite_textures.dtype)
    level.sprite_textures["page"] = [1, 2]
    context = import_pages(level)
    export = export_of(context)
    tile = np.zeros((1, 1, 4), np.uint8)
    tile[...] = RED
    pages = pages_for(export)
    pages.place([tile, tile], _two(placed(6, 0, 0, 8, 6), placed(7, 0, 0, 8, 6)))
    # A user's face with the number of the packer, before pages are moved.
    new = np.zeros(1, level.object_textures.dtype)
    new["page"] = 7
    export.level.object_textures = np.concatenate([level.object_textures, new])
    pages.write(export.level)
    after = export.level
    counts = after.room_textiles, after.object_textiles, after.bump_textiles
    assert counts == (1, 3, 4)
    assert (after.object_textures["page"] & 0x7FFF).tolist() == [0, 0, 1, 1, 4, 4, 5, 5, 3]
    assert (after.object_textures["page"] >> 15).tolist() == [0, 0, 0, 0, 0, 1, 0, 0, 0]
    assert after.sprite_textures["page"].tolist() == [1, 4]
    order = [0, 1, None, None, 2, 3, 4, 5]
    for number, old in enumerate(order):
        for name in ("textiles16", "textiles32"):
            if old is not None:
                assert np.array_equal(getattr(after, name)[number], getattr(level, name)[old])
    # The height map follows its bumped page by half of the number of bumped pages.
    for texture, was in zip(after.object_textures[4:8], level.object_textures[4:8], strict=True):
        there, then = (int(each["page"] & 0x7FFF) + 2 for each in (texture, was))
        assert np.array_equal(after.textiles32[there], level.textiles32[then])
    assert (after.textiles32[3, 0, 0] == [0, 0, 255, 255]).all()


def _two(first: Placements, second: Placements) -> Placements:
    names = ("page", "position", "border")
    page, position, border = (np.concatenate([getattr(first, name), getattr(second, name)]) for name in names)
    return Placements(page, position, border, first.pages, first.first_new)


def test_pages_are_read_once(blender: ModuleType) -> None:
    context = import_pages(page_level(Game.TR1))
    paint(image_of(context), 1, 1, RED)
    pages = pages_for(export_of(context))
    first = pages.painted
    paint(image_of(context), 2, 2, RED)
    assert pages.painted is first
    assert np.argwhere(changed_pixels(pages.painted, pages.before)).tolist() == [[0, 1, 1]]


# --- Real levels ---------------------------------------------------------------------------------


@each_real_level
def test_real_pages_untouched_and_rebuilt(blender: ModuleType, level_path: Path) -> None:
    level = read_level(level_path)
    context = import_pages(level, level_path.name)
    before = decode_pages(pages_of(level))
    for page in range(len(before)):
        assert np.array_equal(pixels(image_of(context, page=page)), before[page])
    kept = written(context).level
    assert all(getattr(kept, name) is array for name, array in textiles(level).items())
    rebuilt = written(context, rebuild=True).level
    assert not changed_pixels(decode_pages(pages_of(rebuilt)), before).any()
