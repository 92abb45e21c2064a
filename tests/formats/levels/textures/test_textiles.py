"""Conversion of texture pages to images and back: files change exactly where the image was painted."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats.levels.level.level import read_level
from io_tomb_raider.formats.levels.textures.textiles import (
    Pages,
    changed_pixels,
    decode_pages,
    decode_pages8,
    decode_pages16,
    decode_pages32,
    encode_pages,
    encode_pages8,
    encode_pages16,
    encode_pages32,
    expand_palette,
    is_magenta_keyed,
)

from ....real_levels import each_real_level

U8Array = NDArray[np.uint8]


def palette_of(seed: int = 1) -> U8Array:
    """Return a palette of distinct 6-bit colors."""
    colors = np.random.default_rng(seed).choice(64**3, 256, replace=False)
    return np.stack([colors & 63, colors >> 6 & 63, colors >> 12], axis=-1).astype(np.uint8)


def level_pages(seed: int, count: int = 2) -> dict[str, Pages]:
    """Return random pages in the forms of TR1, of TR2-3 and of TR4-5."""
    random = np.random.default_rng(seed)
    t8 = random.integers(0, 256, (count, 256, 256), np.uint8)
    t16 = random.integers(0, 1 << 16, (count, 256, 256), np.uint16)
    t32 = random.integers(0, 256, (count, 256, 256, 4), np.uint8)
    t32[..., 3] = np.where(t32[..., 3] < 128, 0, 255)
    palette = palette_of(seed)
    return {
        "TR1": Pages(textiles8=t8, palette=palette),
        "TR2": Pages(textiles8=t8, textiles16=t16, palette=palette),
        "TR4": Pages(textiles16=t16, textiles32=t32),
    }


def forms(pages: Pages) -> list[NDArray[Any]]:
    return [form for form in (pages.textiles8, pages.textiles16, pages.textiles32) if form is not None]


PAGES = level_pages(5)
DECODED = {name: decode_pages(pages) for name, pages in PAGES.items()}


@pytest.mark.parametrize("game", ["TR1", "TR2", "TR4"])
def test_untouched_pages_stay_the_same_arrays(game: str) -> None:
    pages = level_pages(3)[game]
    again = encode_pages(decode_pages(pages), pages)
    for before, after in zip(forms(pages), forms(again), strict=True):
        assert after is before


@pytest.mark.parametrize("game", ["TR1", "TR2", "TR4"])
@given(
    page=st.integers(0, 1),
    x=st.integers(0, 255),
    y=st.integers(0, 255),
    color=st.tuples(*[st.integers(0, 255)] * 3, st.sampled_from([0, 255])),
)
def test_painting_a_pixel_changes_only_that_pixel(
    game: str, page: int, x: int, y: int, color: tuple[int, ...]
) -> None:
    pages = PAGES[game]
    rgba = DECODED[game].copy()
    rgba[page, y, x] = color
    again = encode_pages(rgba, pages)
    other = np.ones((2, 256, 256), np.bool_)
    other[page, y, x] = False
    for before, after in zip(forms(pages), forms(again), strict=True):
        assert (before[other] == after[other]).all()
    shown = decode_pages(again)[page, y, x]
    assert shown[3] == color[3]
    if color[3] and game == "TR4":
        assert shown.tolist() == list(color)
    if color[3] and game == "TR2":
        assert abs(shown.astype(int) - color).max() <= 7  # five bits of eight are kept


@pytest.mark.parametrize("game", ["TR2", "TR4"])
def test_all_forms_of_a_page_get_the_painted_color(game: str) -> None:
    pages = level_pages(6)[game]
    for form in forms(pages):
        form[1, 10:30, 30:40] = 255 if form.dtype == np.uint8 else 0xFFFF  # opaque, in both forms
    rgba = decode_pages(pages)
    rgba[1, 10:20, 30:40] = (255, 0, 0, 255)
    rgba[1, 20:30, 30:40, 3] = 0
    again = encode_pages(rgba, pages)
    assert again.textiles16 is not None
    assert (again.textiles16[1, 10:20, 30:40] == 0x8000 | 31 << 10).all()
    assert (again.textiles16[1, 20:30, 30:40] == 0).all()
    if again.textiles8 is not None and again.palette is not None:
        index = np.unique(again.textiles8[1, 10:20, 30:40])
        assert len(index) == 1 and index[0] != 0
        red, green, blue = again.palette[index[0]].astype(int)
        assert red > green and red > blue
        assert (again.textiles8[1, 20:30, 30:40] == 0).all()
    if again.textiles32 is not None:
        assert (again.textiles32[1, 10:20, 30:40] == (0, 0, 255, 255)).all()
        assert (again.textiles32[1, 20:30, 30:40] == 0).all()


def test_new_pages_join_the_old_ones() -> None:
    for pages, before in ((PAGES[name], DECODED[name]) for name in PAGES):
        new = np.full((1, 256, 256, 4), (0, 0, 255, 255), np.uint8)
        again = encode_pages(np.concatenate([before, new]), pages)
        for old, form in zip(forms(pages), forms(again), strict=True):
            assert len(form) == 3
            assert (form[:2] == old).all()
            assert form.dtype == old.dtype
        shown = decode_pages(again)[2]
        assert (shown == shown[0, 0]).all() and shown[0, 0, 2] > shown[0, 0, 0]


def test_pages_cannot_be_removed() -> None:
    with pytest.raises(ValueError, match="never removed"):
        encode_pages(DECODED["TR1"][:1], PAGES["TR1"])


def test_a_level_without_pages_is_refused() -> None:
    with pytest.raises(ValueError, match="palette"):
        decode_pages(Pages())


def test_the_color_of_transparent_pixels_does_not_count_as_a_change() -> None:
    before = np.zeros((1, 256, 256, 4), np.uint8)
    after = before.copy()
    after[0, 0, 0, :3] = 255
    after[0, 0, 1] = 255
    assert np.argwhere(changed_pixels(after, before)).tolist() == [[0, 0, 1]]


# --- The palette ---------------------------------------------------------------------------------


def test_six_bit_colors_reach_from_black_to_white() -> None:
    palette = np.zeros((256, 3), np.uint8)
    palette[1:] = 63
    assert expand_palette(palette)[:2].tolist() == [[0, 0, 0], [255, 255, 255]]


def test_editors_mix_eight_bit_colors_into_the_palette() -> None:
    palette = palette_of()
    palette[0] = (255, 0, 255)
    palette[5] = (128, 10, 10)
    palette[6] = (10, 10, 10)
    assert expand_palette(palette)[[0, 5, 6]].tolist() == [[255, 0, 255], [128, 10, 10], [40, 40, 40]]


def test_index_0_is_transparent_and_keeps_its_color() -> None:
    palette = palette_of()
    palette[0] = (255, 0, 255)
    textiles = np.arange(65536, dtype=np.uint32).astype(np.uint8).reshape(1, 256, 256)
    rgba = decode_pages8(textiles, palette)
    assert rgba[0, 0, :2, 3].tolist() == [0, 255]
    assert rgba[0, 0, 0, :3].tolist() == [255, 0, 255]


def test_every_color_of_the_palette_round_trips() -> None:
    palette = palette_of(9)
    textiles = np.tile(np.arange(256, dtype=np.uint8), (1, 256, 1))
    assert (encode_pages8(decode_pages8(textiles, palette), palette) == textiles).all()


@given(st.tuples(*[st.integers(0, 255)] * 3), st.integers(0, 255))
def test_opaque_pixels_never_become_the_color_key(color: tuple[int, int, int], alpha: int) -> None:
    palette = np.zeros((256, 3), np.uint8)
    palette[0] = np.array(color) >> 2  # the key itself would be the nearest color
    rgba = np.zeros((1, 256, 256, 4), np.uint8)
    rgba[..., :3], rgba[..., 3] = color, alpha
    indices = encode_pages8(rgba, palette)
    assert ((indices == 0) == (alpha < 128)).all()


def test_painting_avoids_colors_that_the_engines_do_not_show() -> None:
    palette = np.full((256, 3), 20, np.uint8)
    palette[3] = (255, 0, 0)  # engines keep the low bits when they shift
    palette[4] = (60, 2, 2)
    rgba = np.full((1, 256, 256, 4), 255, np.uint8)
    rgba[..., 1:3] = 0
    assert (encode_pages8(rgba, palette) == 4).all()


def test_colors_become_those_that_look_nearest() -> None:
    palette = np.zeros((256, 3), np.uint8)
    palette[1:5] = [(63, 63, 0), (0, 0, 63), (32, 32, 32), (60, 30, 0)]
    rgba = np.full((1, 256, 256, 4), 255, np.uint8)
    rgba[0, 0, :4, :3] = [(250, 240, 20), (20, 20, 200), (120, 130, 125), (255, 140, 0)]
    assert encode_pages8(rgba, palette)[0, 0, :4].tolist() == [1, 2, 3, 4]


# --- 16 and 32 bits ------------------------------------------------------------------------------


def test_16_bit_pages_are_encoded_to_the_same_pixels() -> None:
    textiles = np.arange(65536, dtype=np.uint16).reshape(1, 256, 256)
    again = encode_pages16(decode_pages16(textiles))
    opaque = textiles >= 0x8000
    assert (again[opaque] == textiles[opaque]).all()
    assert (again[~opaque] == 0).all()


def test_16_bit_colors_reach_from_black_to_white() -> None:
    textiles = np.full((1, 256, 256), 0x8000, np.uint16)
    textiles[0, 0, 0] = 0xFFFF
    rgba = decode_pages16(textiles)
    assert rgba[0, 0, :2].tolist() == [[255, 255, 255, 255], [0, 0, 0, 255]]


def test_32_bit_pages_are_blue_green_red_alpha() -> None:
    textiles = np.zeros((1, 256, 256, 4), np.uint8)
    textiles[0, 0, 0] = (1, 2, 3, 255)
    assert decode_pages32(textiles)[0, 0, :2].tolist() == [[3, 2, 1, 255], [0, 0, 0, 0]]


def test_transparent_pixels_of_new_32_bit_pages_are_all_zero() -> None:
    rgba = np.full((1, 256, 256, 4), 200, np.uint8)
    rgba[..., 3] = 0
    rgba[0, 0, 0, 3] = 90
    textiles = encode_pages32(rgba)
    assert textiles[0, 0, :2].tolist() == [[200, 200, 200, 90], [0, 0, 0, 0]]


@pytest.mark.parametrize("unused_alpha", [0, 255])
def test_magenta_is_transparent_where_alpha_is_unused(unused_alpha: int) -> None:
    textiles = np.full((1, 256, 256, 4), (10, 20, 30, unused_alpha), np.uint8)
    textiles[0, 0, 0, :3] = (255, 0, 255)
    assert is_magenta_keyed(textiles)
    rgba = decode_pages32(textiles)
    assert rgba[0, 0, :2, 3].tolist() == [0, 255]
    painted = rgba.copy()
    painted[0, 5, 5, 3] = 0
    painted[0, 6, 6] = (1, 2, 3, 255)
    again = encode_pages32(painted, textiles, rgba)
    assert again[0, 5, 5].tolist() == [255, 0, 255, unused_alpha]
    assert again[0, 6, 6].tolist() == [3, 2, 1, unused_alpha]
    assert (decode_pages32(again)[..., 3] == painted[..., 3]).all()


def test_magenta_is_a_color_where_alpha_is_used() -> None:
    textiles = np.zeros((1, 256, 256, 4), np.uint8)
    textiles[0, 0, 0] = (255, 0, 255, 255)
    assert not is_magenta_keyed(textiles)
    assert decode_pages32(textiles)[0, 0, 0].tolist() == [255, 0, 255, 255]


# --- Real levels ---------------------------------------------------------------------------------


def real_pages(path: Path) -> Pages:
    level = read_level(path)
    names = ("textiles8", "textiles16", "textiles32", "palette")
    forms: Any = [getattr(level, name, None) for name in names]
    return Pages(*forms)


@each_real_level
def test_real_pages_survive(level_path: Path) -> None:
    pages = real_pages(level_path)
    again = encode_pages(decode_pages(pages), pages)
    assert all(now is then for now, then in zip(forms(again), forms(pages), strict=True))


@each_real_level
def test_real_pages_survive_painting(level_path: Path) -> None:
    pages = real_pages(level_path)
    rgba = decode_pages(pages)
    rgba[-1, 100:110, 50:60] = (30, 200, 60, 255)
    again = encode_pages(rgba, pages)
    other = np.ones(rgba.shape[:3], np.bool_)
    other[-1, 100:110, 50:60] = False
    for now, then in zip(forms(again), forms(pages), strict=True):
        assert (now[other] == then[other]).all()
    red, green, blue, alpha = decode_pages(again)[-1, 105, 55].astype(int)
    assert green > red and green > blue and alpha == 255
