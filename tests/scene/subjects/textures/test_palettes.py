"""Palettes of TR1 to TR3: texels and faces change color with their cell."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.formats.levels.textures.light_map import follow_palette, light_strengths
from io_tomb_raider.formats.levels.textures.textiles import expand_palette
from tests.compare import differences
from tests.sample_levels import sample_bytes

from ...page_levels import paint, pixels
from ...scenes import changes, export_scene, import_scene

ENTRY = 2
RED, GREEN = (252, 0, 0, 255), (0, 200, 40, 255)
each_palette_game = pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3])


def palette_image(root: Collection, page: int = 0) -> Any:
    return next(each.image for each in root.tomb_raider.images if (each.kind, each.page) == ("PALETTE", page))


def fill(image: Any, entry: int, color: tuple[int, int, int, int] = RED) -> None:
    """Fill the cell of an entry with a color."""
    row, column = divmod(entry, 16)
    values = np.array(image.pixels[:]).reshape(image.size[1], image.size[0], 4)[::-1].copy()
    values[row * 4 : row * 4 + 4, column * 4 : column * 4 + 4] = np.array(color) / 255
    image.pixels.foreach_set(values[::-1].astype(np.float32).ravel())
    image.update()


def test_tr1_faces_and_texels_follow_an_entry(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    fill(palette_image(root), ENTRY)
    old, new = read_level(data), export_scene(root)
    found = differences(old, new)
    assert [path for path in found if path[0] != "light_map"] == [("palette", ENTRY, "value")]
    assert new.palette[ENTRY].tolist() == [62, 0, 0]
    assert np.array_equal(new.textiles8, old.textiles8)
    shown = pixels(palette_image(import_scene(new.to_bytes())))
    row, column = divmod(ENTRY, 16)
    assert shown[row * 4, column * 4].tolist() == [62 << 2 | 62 >> 4, 0, 0, 255]


@pytest.mark.parametrize("game", [Game.TR2, Game.TR3])
def test_faces_of_one_color_follow_the_palette(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    assert changes(data, lambda root: fill(palette_image(root), ENTRY)) == [("palette16", ENTRY, "value")]


@pytest.mark.parametrize("game", [Game.TR2, Game.TR3])
def test_texels_of_software_rendering_follow_the_8_bit_palette(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    fill(palette_image(root, 1), ENTRY)
    found = differences(read_level(data), export_scene(root))
    assert {path[0] for path in found} <= {"palette", "light_map"}
    assert ("palette", ENTRY, "value") in found


@each_palette_game
def test_the_light_map_darkens_the_new_color(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    fill(palette_image(root, 0 if game is Game.TR1 else 1), ENTRY, GREEN)
    old, new = read_level(data), export_scene(root)
    assert new.palette[ENTRY].tolist() == [0, 49, 10]  # 6 bits: the nearest to 49.4 and 9.9
    changed = np.argwhere(new.light_map != old.light_map)
    assert len(changed)
    was_entry = old.light_map == ENTRY
    assert all(column == ENTRY or was_entry[row, column] for row, column in changed.tolist())
    assert new.light_map[0, ENTRY] == ENTRY
    # The next lower entry is the nearest to a darker green.
    shades = expand_palette(new.palette)[new.light_map[:, ENTRY]].astype(int)
    assert (np.diff(shades.sum(1)) <= 40).all()
    strengths = light_strengths(old.light_map, old.palette)
    wanted = expand_palette(new.palette)[ENTRY] * strengths[16]
    entries = expand_palette(new.palette)[1:].astype(float)
    assert new.light_map[16, ENTRY] == ((entries - wanted) ** 2).sum(1).argmin() + 1


def test_light_maps_without_shades_stay() -> None:
    palette = np.random.default_rng(1).integers(0, 64, (256, 3)).astype(np.uint8)
    other = palette.copy()
    other[7] = 3
    empty = np.zeros((32, 256), np.uint8)
    assert follow_palette(empty, palette, other) is empty
    full = np.full((32, 256), 9, np.uint8)
    assert follow_palette(full, palette, palette.copy()) is full


@each_palette_game
def test_painted_texels_take_the_new_color(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    fill(palette_image(root, 0 if game is Game.TR1 else 1), ENTRY, (252, 0, 252, 255))
    page = next(each.image for each in root.tomb_raider.images if each.kind == "PAGE")
    paint(page, 3, 4, (255, 0, 255, 255))
    for rebuild in (False, True):
        new = export_scene(root, rebuild=rebuild)
        assert new.textiles8[0, 4, 3] == ENTRY
        old = read_level(data)
        same = expand_palette(old.palette)[new.textiles8] == expand_palette(old.palette)[old.textiles8]
        assert (~same.all(-1)).sum() <= 1


@each_palette_game
def test_the_most_frequent_painted_color_is_exported(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    image = palette_image(root)
    row, column = divmod(ENTRY, 16)
    paint(image, column * 4, row * 4, GREEN)
    paint(image, column * 4 + 1, row * 4, RED)
    paint(image, column * 4 + 2, row * 4, RED)
    new = export_scene(root)
    color = expand_palette(new.palette)[ENTRY] if game is Game.TR1 else new.palette16[ENTRY, :3]
    assert np.abs(color.astype(int) - RED[:3]).max() <= 2


@each_palette_game
def test_entries_that_look_the_same_keep_their_bits(blender: ModuleType, game: Game) -> None:
    level = read_level(sample_bytes(game))
    level.palette = level.palette.copy()
    level.palette[200] = (255, 3, 70)  # as in files of level editors
    data = level.to_bytes()
    root = import_scene(data)
    fill(palette_image(root), ENTRY)
    new = export_scene(root, rebuild=True)
    assert new.palette[200].tolist() == [255, 3, 70]


def test_palettes_of_other_shapes_are_refused(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    palette_image(root).scale(70, 64)
    with pytest.raises(ExportError, match="16 by 16 cells"):
        export_scene(root)


def test_a_second_palette_in_a_material_is_a_picture(blender: ModuleType) -> None:
    """Colored faces can only refer to entries of the first palette."""
    data = sample_bytes(Game.TR2)
    root = import_scene(data)
    material = next(each for each in bpy.data.materials if each.tomb_raider.kind == "PALETTE")
    material.node_tree.nodes.active.image = palette_image(root, 1)
    new = export_scene(root)
    assert len(new.object_textures) > len(read_level(data).object_textures)
