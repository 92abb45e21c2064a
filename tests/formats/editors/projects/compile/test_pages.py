"""Pages of levels to which textures of rooms are added."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.base.bytes.records import I16, OBJECT_TEXTURE_RECORD, TRIANGLE
from io_tomb_raider.formats.editors.projects.compile.textures.pages import (
    dithered,
    light_map_of,
    place_tiles,
    set_sizes,
)
from io_tomb_raider.formats.editors.projects.compile.textures.textures import add_room_textures
from io_tomb_raider.formats.editors.projects.model.settings import LevelTexture
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.meshes.meshes import Mesh, decode_meshes, encode_block, encode_mesh
from io_tomb_raider.formats.levels.textures.object_textures import decode_object_textures
from io_tomb_raider.formats.levels.textures.textiles import decode_pages, encode_pages16, expand_palette
from tests.games import each_game
from tests.real_levels import real_levels

from .faces import QUAD, check, drawn_corners, moved, noise, requests

# Bars of health begin with dark red in TR1; TR2 has white, red and yellow.
_COLORS = {
    Game.TR1: [[2, 0, 0], [0, 0, 0], [6, 1, 0], [12, 3, 1], [18, 7, 1], [24, 10, 1]],
    Game.TR2: [[0] * 3, [128] * 3, [255] * 3, [255, 0, 0], [255, 165, 0], [255, 255, 0]],
}
_WHOLE = [(0, 0), (256, 0), (256, 256), (0, 256)]


def all_pages(level: Level) -> np.ndarray:
    return decode_pages(pages_of(level)._replace(opaque=None))


@each_game
def test_other_textures_keep_their_pixels(game: Game) -> None:
    level = Level.empty(game)
    first = {1: noise(256, 768)}
    before = requests(*(moved(_WHOLE, 0, 256 * row) for row in range(3)))
    old = add_room_textures(level, before, first)
    second = {1: noise(256, 512, 9)}
    after = requests(_WHOLE, moved(QUAD, 64, 256))
    new = add_room_textures(level, after, second)
    assert new.index.tolist() == [3, 4]
    check(level, after, new, second, padded=False)
    check(level, before, old, first, padded=False)


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_pages_of_objects_and_bumps_follow_those_of_rooms(game: Game) -> None:
    level = Level.empty(game)
    pages = np.zeros((6, 256, 256, 4), np.uint8)
    pages[..., 0] = (np.arange(6) * 8)[:, None, None]
    pages[..., 3] = 255
    level.textiles32 = pages
    level.textiles16 = np.zeros((6, 256, 256), np.uint16)
    level.textiles16 += (0x8000 + np.arange(6)).astype(np.uint16)[:, None, None]
    level.room_textiles, level.object_textiles, level.bump_textiles = 1, 1, 4
    records = np.zeros(6, OBJECT_TEXTURE_RECORD[game])
    records["page"] = [0, 1, 2, 3, 0x8001, 99]
    records["uv"][:, 2] = 0xFFFF
    level.object_textures = records
    sprites = np.zeros(2, level.sprite_textures.dtype)
    sprites["page"] = [1, 2]
    level.sprite_textures = sprites
    image = noise(256, 512)
    bumps = np.zeros((8, 4), np.uint8)
    bumps[4:] = 2
    asked = requests(_WHOLE, moved(_WHOLE, 0, 256))
    texture = LevelTexture(1, "", bumps=bumps)
    found = add_room_textures(level, asked, {1: image}, [texture])
    assert (level.room_textiles, level.object_textiles, level.bump_textiles) == (2, 1, 6)
    # New room, old room, objects, two old bumped pages, the new one, two old height maps, the new one.
    assert level.textiles32[[1, 2, 3, 4, 6, 7], 0, 0, 0].tolist() == [0, 8, 16, 24, 32, 40]
    assert (level.textiles16[[1, 2, 3, 4, 6, 7], 0, 0] & 31).tolist() == [0, 1, 2, 3, 4, 5]
    decoded = decode_object_textures(level.object_textures, game)
    assert decoded.page.tolist() == [1, 2, 3, 4, 2, 99, 0, 5]
    assert level.object_textures["page"][4] == 0x8002
    assert level.sprite_textures["page"].tolist() == [2, 3]
    assert decoded.bump.tolist() == [0] * 7 + [2]
    check(level, asked, found, {1: image}, padded=False)
    heights = all_pages(level)[8]
    assert heights.std() > 1
    # Each pixel is compared with the second one to its lower right; beyond the border, the last one counts.
    tile = image[256:].astype(int)[:, :, :3]
    ahead = np.pad(tile, ((0, 2), (0, 2), (0, 0)), mode="edge")[2:, 2:]
    expected = (127 - np.trunc((ahead - tile) / 2)).clip(0, 255)
    assert (heights[..., :3] == expected).all()


def test_bumps_are_read_from_a_separate_image() -> None:
    level = Level.empty(Game.TR4)
    bumps = noise(64, 64, 3)
    texture = LevelTexture(1, "", bump_path="bumps.png")
    add_room_textures(level, requests(QUAD), {1: noise(64, 64)}, [texture], bump_images={1: bumps})
    assert decode_object_textures(level.object_textures, Game.TR4).bump.tolist() == [1]
    low = np.rint(drawn_corners(level, 0).min(axis=0)).astype(int)
    assert (all_pages(level)[-1][low[1] :, low[0] :][:64, :64] == bumps).all()
    # An image of another size does not count.
    level = Level.empty(Game.TR4)
    add_room_textures(level, requests(QUAD), {1: noise(64, 64)}, [texture], bump_images={1: bumps[:32]})
    assert level.bump_textiles == 0


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3])
def test_bumps_are_for_new_games(game: Game) -> None:
    level = Level.empty(game)
    before = len(level.textiles8)
    texture = LevelTexture(1, "", bumps=np.ones((1, 1), np.uint8))
    add_room_textures(level, requests(QUAD), {1: noise(64, 64)}, [texture])
    assert len(level.textiles8) == before + 1


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2])
def test_the_palette_has_the_colors_of_rooms_and_meshes(game: Game) -> None:
    level = Level.empty(game)
    colored = np.zeros(2, TRIANGLE)
    colored["texture"] = [0x3205, 0x3207]
    none = np.zeros(0, colored.dtype)
    quads = np.zeros(0, [("vertices", "<u2", 4), ("texture", "<u2")])
    mesh = Mesh((0, 0, 0), 0, 0, np.zeros((3, 3), I16), None, np.zeros(3, I16), quads, none, quads, colored)
    plain = Mesh((0, 0, 0), 0, 0, np.zeros((1, 3), I16), None, np.zeros(1, I16), quads, none, quads, none)
    encoded = [encode_mesh(game, each) for each in (plain, mesh)]
    level.mesh_data, level.mesh_pointers = encode_block(encoded, np.array([0, 1], np.int32))
    level.palette = level.palette.copy()
    level.palette[5], level.palette[7] = (63, 0, 0), (0, 63, 0)
    image = noise(64, 64)
    found = add_room_textures(level, requests(QUAD), {1: image})
    # Colors of 6 bits are expanded by repeating their highest bits.
    colors = expand_palette(level.palette)
    low = np.rint(drawn_corners(level, int(found.index[0])).min(axis=0)).astype(int)
    shown = colors[level.textiles8[0, low[1] : low[1] + 64, low[0] : low[0] + 64]]
    assert np.abs(shown.astype(int) - image[..., :3]).max() <= 3
    meshes = decode_meshes(game, level.mesh_data, level.mesh_pointers).meshes
    words = meshes[1].colored_triangles["texture"]
    assert (words >> 8).tolist() == [0x32, 0x32]
    assert colors[words & 0xFF].tolist() == [[255, 0, 0], [0, 255, 0]]
    assert level.light_map.shape == (32, 256)


def test_colors_of_16_bits_can_be_dithered() -> None:
    image = np.full((64, 64, 4), 255, np.uint8)
    image[..., :3] = 103, 108, 103  # 12.875, 13.5 and 12.875 of 5 bits
    found = []
    for dither in (False, True):
        level = Level.empty(Game.TR3)
        add_room_textures(level, requests(QUAD), {1: image}, dither=dither)
        words = level.textiles16[0, 16:64, 16:64].astype(np.int64)
        found.append([words >> shift & 31 for shift in (10, 5, 0)])
    assert [part.mean() for part in found[0]] == [12, 13, 12]
    # Red gets at least 1 of 8 from its neighbor's 7. Blue gets what green loses: 4, which is less.
    assert found[1][0].min() == 13
    assert found[1][1].max() == 13
    assert 12 < found[1][2].mean() < 13


@pytest.mark.parametrize(
    ("game", "row", "color", "expected"),
    [
        (Game.TR1, 15, 40, 40),  # 2 - 16 / 16
        (Game.TR1, 0, 20, 30),  # never more than one and a half
        (Game.TR3, 16, 40, 40),
        (Game.TR3, 15, 32, 34),
        (Game.TR3, 31, 32, 2),
    ],
)
def test_light_maps_have_the_strengths_of_the_editor(game: Game, row: int, color: int, expected: int) -> None:
    palette = np.repeat(np.arange(256).clip(0, 63)[:, None], 3, axis=1).astype(np.uint8)
    assert light_map_of(game, palette)[row, color] == expected


_REAL = [pytest.param(path, id=path.name) for path in real_levels()]


def editor_level(path: Path) -> Level:
    """Return a level that the editor compiled; skip the test for those of other tools."""
    level = read_level(path)
    if level.game.traits.has_texture_flags:
        # Sizes of less than a page are small whole numbers in levels of other tools.
        is_own = len(level.object_textures) and (level.object_textures["width"] > 1 << 20).all()
    else:
        is_own = level.palette[:6].tolist() == _COLORS.get(level.game)
    if not is_own:
        pytest.skip("of another tool")
    return level


@pytest.mark.parametrize("path", _REAL)
def test_palettes_and_sizes_are_those_of_levels_of_the_editor(path: Path) -> None:
    level = editor_level(path)
    again = level.copy()
    set_sizes(again)
    assert np.array_equal(again.object_textures, level.object_textures)
    if level.game.traits.has_palette:
        assert np.array_equal(light_map_of(level.game, level.palette), level.light_map)
        return
    picture = decode_pages(pages_of(level)._replace(opaque=None))
    words = encode_pages16(dithered(picture, np.ones(picture.shape[:3], np.bool_)))
    # The editor's noise is another one.
    assert (words != level.textiles16).mean() < 0.02


# --- Places ------------------------------------------------------------------------------------


def test_tiles_are_placed_as_by_the_editor() -> None:
    # Nine tiles of 64 x 64 with 1 pixel of padding, in a level that the editor compiled.
    places = place_tiles(np.full((9, 2), 66))
    expected = [(0, 0), (66, 0), (132, 0), (0, 66), (0, 132), (66, 66), (132, 66), (66, 132), (132, 132)]
    assert places.position.tolist() == [list(each) for each in expected]
    assert places.pages == 1


@given(st.lists(st.tuples(st.integers(1, 256), st.integers(1, 256)), max_size=60))
def test_tiles_do_not_overlap(sizes: list[tuple[int, int]]) -> None:
    places = place_tiles(np.array(sizes, np.int64).reshape(-1, 2))
    used = np.zeros((places.pages, 256, 256), np.int64)
    for page, (x, y), (width, height) in zip(
        places.page.tolist(), places.position.tolist(), sizes, strict=True
    ):
        assert x + width <= 256
        assert y + height <= 256
        used[page, y : y + height, x : x + width] += 1
    assert used.max(initial=0) <= 1
    assert used.any(axis=(1, 2)).all()


def test_large_areas_can_be_placed_first() -> None:
    level = Level.empty(Game.TR4)
    image = noise(256, 512)
    asked = requests(QUAD, moved(_WHOLE, 0, 256), moved(QUAD, 128, 0))
    found = add_room_textures(level, asked, {1: image}, largest_first=True)
    check(level, asked, found, {1: image}, padded=False)
    pages = decode_object_textures(level.object_textures, Game.TR4).page
    assert pages.tolist() == [1, 0, 1]


@pytest.mark.parametrize(("game", "entries"), [(Game.TR1, 48), (Game.TR2, 17)])
def test_palettes_begin_with_the_colors_of_the_engine(game: Game, entries: int) -> None:
    level = Level.empty(game)
    image = np.random.default_rng(1).integers(0, 256, (256, 256, 4), np.uint8)
    image[..., 3] = 255
    add_room_textures(level, requests(_WHOLE), {1: image}, padding=0)
    colors = level.palette.tolist()
    assert colors[:6] == _COLORS[game]
    if game is Game.TR1:
        assert colors[47] == [55, 61, 51]
    assert len(np.unique(level.palette[entries:], axis=0)) > 200
    assert (expand_palette(level.palette)[level.textiles8[0]].astype(int) - image[..., :3]).mean() < 40


@pytest.mark.parametrize("game", [Game.TR1, Game.TR3, Game.TR4])
def test_translucent_pixels_become_darker_where_pages_have_no_alpha(game: Game) -> None:
    image = np.full((64, 64, 4), 255, np.uint8)
    image[:32] = 240, 160, 80, 100
    image[32:48] = 0
    level = Level.empty(game)
    found = add_room_textures(level, requests(QUAD), {1: image})
    low = np.rint(drawn_corners(level, int(found.index[0])).min(axis=0)).astype(int)
    area = slice(low[1], low[1] + 64), slice(low[0], low[0] + 64)
    dark = np.array([94, 62, 31])
    if game is Game.TR1:
        numbers = level.textiles8[0][area]
        assert np.abs(expand_palette(level.palette)[numbers[0, 0]].astype(int) - dark).max() <= 3
        assert (numbers[32:48] == 0).all()
        return
    words = level.textiles16[0][area].astype(int)
    assert words[0, 0] == 0x8000 | dark[0] // 8 << 10 | dark[1] // 8 << 5 | dark[2] // 8
    assert (words[32:48] == 0).all()
    if game is Game.TR4:
        assert level.textiles32[0][area][0, 0].tolist() == [80, 160, 240, 100]
