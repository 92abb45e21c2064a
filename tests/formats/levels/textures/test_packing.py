"""Placement on pages: used pixels are not overwritten, and new tiles do not overlap."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats.base.arrays.typing import Bools, Ints
from io_tomb_raider.formats.base.bytes.records import OBJECT_TEXTURE_RECORD, SPRITE_TEXTURE
from io_tomb_raider.formats.base.errors import ExportError
from io_tomb_raider.formats.base.games import Game
from io_tomb_raider.formats.levels.level.level import read_level
from io_tomb_raider.formats.levels.textures import packing
from io_tomb_raider.formats.levels.textures.packing import (
    MOST_PAGES,
    Placements,
    opaque_only_pixels,
    pack,
    page_numbers,
    used_pixels,
)
from io_tomb_raider.formats.levels.textures.sprites import Sprites, encode_sprites
from tests.games import each_game

from ....real_levels import each_real_level

NO_SPRITES = np.zeros(0, SPRITE_TEXTURE)
NO_PAGES = np.zeros((0, 256, 256), np.bool_)


def drawn(sizes: Ints, used: Bools, placed: Placements) -> NDArray[np.int64]:
    """Return how often each pixel of each page is used, including borders."""
    count = np.zeros((placed.pages, 256, 256), np.int64)
    count[: len(used)] += used
    for page, low, border, size in zip(placed.page, placed.position, placed.border, sizes, strict=True):
        (left, top), (right, bottom) = low - border, low + size + border
        assert left >= 0 and top >= 0 and right <= 256 and bottom <= 256
        count[page, top:bottom, left:right] += 1
    return count


SIZES = st.lists(st.tuples(st.integers(1, 256), st.integers(1, 256)), max_size=25)


@given(sizes=SIZES, border=st.integers(0, 2), pages=st.integers(0, 2), seed=st.integers(0, 99))
def test_packed_tiles_do_not_overlap(
    sizes: list[tuple[int, int]], border: int, pages: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    used = np.repeat(np.repeat(random.random((pages, 8, 8)) < 0.4, 32, axis=1), 32, axis=2)
    wanted = np.array(sizes, np.int64).reshape(-1, 2)
    before = used.copy()
    placed = pack(wanted, used, border=border)
    assert (used == before).all()
    assert drawn(wanted, used, placed).max(initial=0) <= 1
    assert placed.first_new == pages and placed.pages >= pages
    assert set(placed.page.tolist()) >= set(range(pages, placed.pages))
    again = pack(wanted, used, border=border)
    assert (again.page == placed.page).all() and (again.position == placed.position).all()


@given(
    boxes=st.lists(
        st.tuples(
            st.integers(0, 3), *[st.integers(0, 200)] * 2, *[st.integers(1, 56)] * 2, st.integers(0, 3)
        ),
        max_size=30,
    )
)
def test_opaque_only_pixels_exclude_those_of_other_textures(boxes: list[tuple[int, ...]]) -> None:
    rects = np.array(boxes, np.int64).reshape(-1, 6)
    textures, sprites = rects[rects[:, 5] < 3], rects[rects[:, 5] == 3]  # pages, boxes and attributes
    records = np.zeros(len(textures), OBJECT_TEXTURE_RECORD[Game.TR2])
    records["page"], records["attribute"] = textures[:, 0], textures[:, 5]
    low, high = textures[:, 1:3] * 256 + 1, (textures[:, 1:3] + textures[:, 3:5]) * 256 - 1
    for corner, (left, top) in enumerate([(low, low), (high, low), (high, high), (low, high)]):
        records["uv"][:, corner] = np.column_stack([left[:, 0], top[:, 1]])
    sides = np.zeros((len(sprites), 4), np.int64)
    shown = encode_sprites(Sprites(sprites[:, 0], sprites[:, 1:5], sides), Game.TR2)
    opaque, others = np.zeros((2, 3, 256, 256), np.bool_)
    for page, x, y, width, height, kind in boxes:
        if page < 3:
            (others if kind else opaque)[page, y : y + height, x : x + width] = True
    assert (opaque_only_pixels(3, records, shown, Game.TR2) == opaque & ~others).all()
    assert (used_pixels(3, records, shown, Game.TR2) == opaque | others).all()


def test_a_gap_that_fits_is_filled() -> None:
    used = np.ones((3, 256, 256), np.bool_)
    used[1, 40:72, 100:164] = False
    placed = pack(np.array([(64, 32)]), used)
    assert (placed.page.tolist(), placed.position.tolist(), placed.border.tolist()) == (
        [1],
        [[100, 40]],
        [[0, 0]],
    )
    assert placed.pages == 3


def test_a_border_is_left_where_it_costs_no_page() -> None:
    used = np.ones((1, 256, 256), np.bool_)
    used[0, 40:74, 100:166] = False
    placed = pack(np.array([(64, 32)]), used)
    assert (placed.position.tolist(), placed.border.tolist()) == ([[101, 41]], [[1, 1]])


def test_a_page_takes_as_much_as_its_pixels() -> None:
    # With a border only nine of these would fit.
    placed = pack(np.full((16, 2), 64), NO_PAGES)
    assert placed.pages == 1 and not placed.border.any()


def test_whole_pages_have_no_border() -> None:
    placed = pack(np.array([(256, 256), (256, 10)]), NO_PAGES)
    assert placed.pages == 2
    assert placed.border.tolist() == [[0, 0], [0, 1]]


def test_the_fullest_page_is_filled_first() -> None:
    used = np.zeros((3, 256, 256), np.bool_)
    used[1, :200] = True
    assert pack(np.array([(16, 16)]), used).page.tolist() == [1]


def test_a_snug_place_is_better_than_a_corner() -> None:
    used = np.zeros((1, 256, 256), np.bool_)
    used[0, 100:164, 100:164] = True
    used[0, 120:140, 120:140] = False
    assert pack(np.array([(20, 20)]), used, border=0).position.tolist() == [[120, 120]]


def test_low_tiles_are_packed_where_high_ones_do_not_fit() -> None:
    used = np.ones((1, 256, 256), np.bool_)
    used[0, :10] = False
    assert pack(np.array([(10, 100), (100, 10)]), used, border=0).page.tolist() == [1, 0]


def test_other_pages_are_left_alone() -> None:
    used = np.zeros((4, 256, 256), np.bool_)
    sizes = np.full((40, 2), 60)
    placed = pack(sizes, used, pages=[2])
    assert set(placed.page.tolist()) == {2, 4, 5}


def test_too_many_pages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "MOST_PAGES", 16)
    whole = np.full((17, 2), 256)
    assert pack(whole[:16], NO_PAGES).pages == 16
    with pytest.raises(ExportError, match=r"more pages than a level holds: 17 .the limit is 16") as caught:
        pack(whole, NO_PAGES, subject="my level")
    assert (caught.value.subject, caught.value.count, caught.value.limit) == ("my level", 17, 16)


def test_the_limit_is_that_of_the_field_in_all_games() -> None:
    assert MOST_PAGES == 0x7FFF


@pytest.mark.parametrize("size", [(257, 1), (1, 300), (0, 5)])
def test_sizes_beyond_a_page_are_refused(size: tuple[int, int]) -> None:
    with pytest.raises(ExportError, match="does not fit on a page"):
        pack(np.array([size]), NO_PAGES)


# --- Used pixels ---------------------------------------------------------------------------------


@each_game
def test_object_textures_use_the_box_around_them(game: Game) -> None:
    records = np.zeros(3, OBJECT_TEXTURE_RECORD[game])
    records["uv"][0] = [(2561, 5121), (5119, 5121), (5119, 7679), (2561, 7679)]
    records["page"] = [1, 0, 7]
    records["uv"][1] = [(0xFF00, 0xFF00), (0xFFFF, 0xFF00), (0xFFFF, 0xFFFF), (0xFF00, 0xFFFF)]
    used = used_pixels(2, records, NO_SPRITES, game)
    wanted = np.zeros((2, 256, 256), np.bool_)
    wanted[1, 20:30, 10:20] = True
    wanted[0, 255, 255] = True
    assert (used == wanted).all()


@each_game
def test_the_fourth_corner_of_a_triangle_uses_nothing(game: Game) -> None:
    records = np.zeros(1, OBJECT_TEXTURE_RECORD[game])
    records["uv"][0, :3] = [(0x8000, 0x8000), (0x8FFF, 0x8000), (0x8000, 0x8FFF)]
    if game >= Game.TR4:
        records["page"] = 0x8000
        records["uv"][0, 3] = 0xFFFF
    used = used_pixels(1, records, NO_SPRITES, game)
    assert used.sum() == 256 and used[0, 128:144, 128:144].all()


@each_game
def test_sprites_and_reserved_rectangles_are_in_use(game: Game) -> None:
    sides = np.zeros((1, 4), np.int64) if game < Game.TR4 else None
    sprites = encode_sprites(Sprites(np.array([1]), np.array([[8, 16, 24, 32]]), sides), game)
    reserved = np.array([[0, 250, 250, 99, 99], [5, 0, 0, 9, 9]])
    used = used_pixels(2, np.zeros(0, OBJECT_TEXTURE_RECORD[game]), sprites, game, reserved)
    wanted = np.zeros((2, 256, 256), np.bool_)
    wanted[1, 16:48, 8:32] = True
    wanted[0, 250:, 250:] = True
    assert (used == wanted).all()


@given(st.integers(0, 12), st.integers(0, 4), st.integers(0, 12))
def test_inserted_pages_keep_the_order_of_the_others(pages: int, added: int, at: int) -> None:
    at = min(at, pages)
    numbers = page_numbers(pages, added, at)
    assert sorted(numbers.tolist()) == list(range(pages + added))
    assert numbers[pages:].tolist() == list(range(at, at + added))
    assert numbers[:at].tolist() == list(range(at))
    assert (np.diff(numbers[:pages]) > 0).all()


@given(st.integers(0, 6), st.integers(0, 3), st.integers(0, 3), st.integers(0, 4))
def test_height_maps_of_inserted_bumped_pages_are_last(at: int, added: int, bumped: int, had: int) -> None:
    """As letters: o objects, b bumped, h the height map of each; capitals are new."""
    pages = "o" * at + "bcde"[:had] + "hijk"[:had] + "O" * added + "BCD"[:bumped] + "HIJ"[:bumped]
    numbers = page_numbers(at + 2 * had, added, at, bumped, had)
    found = "".join(pages[each] for each in np.argsort(numbers))
    assert sorted(numbers.tolist()) == list(range(len(pages)))
    assert found == "o" * at + "O" * added + "bcde"[:had] + "BCD"[:bumped] + "hijk"[:had] + "HIJ"[:bumped]


@each_real_level
def test_real_pages_have_room_that_no_texture_needs(level_path: Path) -> None:
    level = read_level(level_path)
    pages = len(level.textiles16 if level.game > Game.TR1 else level.textiles8)
    used = used_pixels(pages, level.object_textures, level.sprite_textures, level.game)
    sizes = np.tile([(32, 16), (5, 7), (60, 60)], (10, 1))
    placed = pack(sizes, used)
    assert drawn(sizes, used, placed).max() == 1
    assert 0 < used.mean() < 1
