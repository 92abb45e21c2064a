"""Textures of the golden files: pages, palettes, object textures, sprites and animated textures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.textures.animated import (
    animated_places,
    decode_animated,
    encode_animated,
)
from io_tomb_raider.formats.levels.textures.coordinates import uv_to_raw
from io_tomb_raider.formats.levels.textures.object_textures import decode_object_textures
from io_tomb_raider.formats.levels.textures.sprites import decode_sprites, encode_sprites
from io_tomb_raider.formats.levels.textures.textiles import (
    Pages,
    decode_pages,
    decode_pages8,
    decode_pages16,
    decode_pages32,
    encode_pages,
    encode_pages16,
    expand_palette,
)

from . import pages, shared
from .levels import GOLDEN, each_game

# Page, row, column of pixels that distinguish rows, columns and pages.
_PIXELS = ((0, 0, 1), (0, 3, 200), (1, 200, 3), (1, 255, 254), (0, 128, 0))
_WITH_PALETTE = pytest.mark.parametrize("name", ["tr1", "tr1-demo", "tr2", "tr2-demo", "tr3", "tr3-textiles"])


def _scaled(five: int) -> int:
    """Return eight bits for five: the highest bits repeat at the end."""
    return five << 3 | five >> 2


@_WITH_PALETTE
def test_pages_of_eight_bits_name_colors_of_the_palette(name: str) -> None:
    level = GOLDEN[name].level
    image = decode_pages8(level.textiles8, level.palette)
    for page, row, column in _PIXELS:
        index = pages.index8(page, row, column)
        color = [part << 2 | part >> 4 for part in pages.color(index)]
        assert image[page, row, column].tolist() == [*color, 255 if index else 0]
    assert pages.index8(0, 128, 0) == 0  # the key color is used


@pytest.mark.parametrize("name", ["tr2", "tr3", "tr4", "tr5"])
def test_pages_of_sixteen_bits_hold_alpha_red_green_blue(name: str) -> None:
    level = GOLDEN[name].level
    image = decode_pages16(level.textiles16)
    for page, row, column in _PIXELS:
        color = [_scaled(row >> 3), _scaled(column >> 3), _scaled(page + 1)]
        alpha = 255 if (row + column) % 3 else 0
        assert image[page, row, column].tolist() == [*color, alpha]
    opaque = level.textiles16 & 0x8000 != 0
    assert np.array_equal(encode_pages16(image)[opaque], level.textiles16[opaque])


@pytest.mark.parametrize("name", ["tr4", "tr5", "tr4-plain-demo"])
def test_pages_of_32_bits_hold_blue_first(name: str) -> None:
    level = GOLDEN[name].level
    image, misc = decode_pages32(level.textiles32), decode_pages32(level.misc_textiles32)
    assert (len(image), len(misc)) == (6, 3 if name == "tr5" else 2)
    for page, row, column in _PIXELS:
        assert image[page, row, column].tolist() == [row, column, row ^ column, 0xF0 + page]
        assert misc[page, row, column].tolist() == [row, column, row ^ column, 0xF8 + page]


@each_game
def test_a_painted_pixel_changes_every_form_of_its_page_and_no_other_pixel(name: str) -> None:
    level = GOLDEN[name].level
    forms = ("textiles8", "textiles16", "textiles32")
    had: Any = [getattr(level, each, None) for each in (*forms, "palette")]
    before = Pages(*had)
    image = decode_pages(before).copy()
    image[1, 20, 30] = 255 - image[1, 20, 30]
    image[1, 20, 30, 3] = 255
    after = encode_pages(image, before)
    for form in forms:
        one, other = getattr(before, form), getattr(after, form)
        if one is not None:
            differs = (one != other).reshape(*one.shape[:3], -1).any(axis=-1)
            assert np.argwhere(differs).tolist() == [[1, 20, 30]]


@_WITH_PALETTE
def test_palettes_hold_red_green_blue(name: str) -> None:
    level = GOLDEN[name].level
    assert level.palette[5].tolist() == [5, 26, 3]
    assert expand_palette(level.palette)[5].tolist() == [20, 105, 12]
    if name not in ("tr1", "tr1-demo"):
        assert level.palette16[5].tolist() == [5, 250, 0x50, 15]


def test_the_light_map_has_a_row_for_each_strength_of_light() -> None:
    for name in ("tr1", "tr2", "tr2-demo", "tr3"):
        light_map = GOLDEN[name].level.light_map
        assert light_map.shape == (32, 256)
        assert light_map[2, 10] == 2 * 9 + 10 * 3 + 7


# --- Records -------------------------------------------------------------------------------------


def _raw(records: Any, row: int) -> list[list[int]]:
    return records["uv"][row].tolist()


@pytest.mark.parametrize("name", ["tr1", "tr2", "tr3"])
def test_object_textures_of_the_first_games(name: str) -> None:
    level = GOLDEN[name].level
    decoded = decode_object_textures(level.object_textures, level.game)
    assert decoded.page.tolist() == [3, 2, 0x8C02]
    assert decoded.attribute.tolist() == [1, 0, 0x8C01]
    assert decoded.triangle.tolist() == [False, True, False]  # the fourth corner of the second is nought
    assert decoded.flags.tolist() == [0, 0, 0]
    assert decoded.uv[0, 1].tolist() == [0x1FFF / 65536, 1 - 0x2002 / 65536]  # u runs right, and v up
    assert uv_to_raw(decoded.uv)[0].tolist() == _raw(level.object_textures, 0)


@pytest.mark.parametrize("name", ["tr4", "tr5"])
def test_object_textures_of_the_last_games(name: str) -> None:
    level = GOLDEN[name].level
    decoded = decode_object_textures(level.object_textures, level.game)
    assert decoded.page.tolist() == [3, 4, 0x7C02]
    assert decoded.attribute.tolist() == [1, 2, 0x8C01]
    assert decoded.triangle.tolist() == [False, True, False]  # bit 15 of the second's page
    assert decoded.flags.tolist() == [0x8201, 0x0407, 0x8C0B]
    assert decoded.uv[1, 3].tolist() == [5 / 65536, 1 - 6 / 65536]
    assert uv_to_raw(decoded.uv)[0].tolist() == _raw(level.object_textures, 0)


@pytest.mark.parametrize("name", ["tr1", "tr2", "tr3"])
def test_sprites_of_the_first_games_have_sides_in_the_world(name: str) -> None:
    level = GOLDEN[name].level
    decoded = decode_sprites(level.sprite_textures[:1], level.game)
    assert decoded.page.tolist() == [1]
    assert decoded.rect.tolist() == [[16, 32, 40, 24]]  # left, top, width, height
    assert decoded.sides is not None
    assert decoded.sides.tolist() == [[-301, -602, 303, 4]]  # left, top, right, bottom
    assert encode_sprites(decoded, level.game).tobytes() == level.sprite_textures[:1].tobytes()


@pytest.mark.parametrize("name", ["tr4", "tr5"])
def test_sprites_of_the_last_games_have_sides_in_the_page(name: str) -> None:
    level = GOLDEN[name].level
    decoded = decode_sprites(level.sprite_textures[:1], level.game)
    assert decoded.page.tolist() == [1]
    assert decoded.rect.tolist() == [[16, 31, 40, 24]]
    assert decoded.sides is None
    written = encode_sprites(decoded, level.game)
    for field in ("page", "width", "height", "left", "top", "right", "bottom"):
        assert written[field].tolist() == level.sprite_textures[field][:1].tolist()


@each_game
def test_sequences_of_sprites_count_downwards(name: str) -> None:
    sequences = GOLDEN[name].level.sprite_sequences
    assert (-sequences["negative_length"][1:]).tolist() == [2, 1]
    assert sequences["first"][1:].tolist() == [1, 3]


@each_game
def test_animated_textures_are_groups(name: str) -> None:
    words = GOLDEN[name].level.animated_textures
    decoded = decode_animated(words)
    assert decoded.groups == [[0x0051, 0x8052, 0x0053], [0x0054, 0x0055]]
    assert decoded.tail.tolist() == [0x8056]
    assert animated_places(words).tolist() == [2, 3, 4, 6, 7]
    assert encode_animated(decoded.groups).tolist() == shared.ANIMATED_TEXTURES[:-1]


def test_the_number_of_scrolling_groups_is_read() -> None:
    for name in ("tr4", "tr5"):
        level = GOLDEN[name].level
        assert level.game >= Game.TR4
        assert level.uv_rotates == 0x81
