"""Sprite textures: pixel rectangles and sides, in both of the file's conventions."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats.base.bytes.records import SPRITE_TEXTURE
from io_tomb_raider.formats.base.errors import ExportError
from io_tomb_raider.formats.base.games import Game
from io_tomb_raider.formats.levels.level.level import read_level
from io_tomb_raider.formats.levels.textures.sprites import Sprites, decode_sprites, encode_sprites
from tests.games import each_game

from ....real_levels import each_real_level

SIDE = st.integers(-0x8000, 0x7FFF)


@st.composite
def sprite_rows(draw: st.DrawFn) -> list[list[int]]:
    """Return rows of page, left, top, width, height, and four sides."""
    rows = []
    for _ in range(draw(st.integers(0, 5))):
        x, y = draw(st.integers(0, 255)), draw(st.integers(0, 255))
        size = [draw(st.integers(1, 256 - x)), draw(st.integers(1, 256 - y))]
        rows.append([draw(st.integers(0, 0xFFFF)), x, y, *size, *[draw(SIDE) for _ in range(4)]])
    return rows


def sprites_of(rows: list[list[int]], game: Game) -> Sprites:
    table = np.array(rows, np.int64).reshape(-1, 9)
    return Sprites(table[:, 0], table[:, 1:5], table[:, 5:] if game < Game.TR4 else None)


@each_game
@given(rows=sprite_rows())
def test_sprites_survive(game: Game, rows: list[list[int]]) -> None:
    sprites = sprites_of(rows, game)
    again = decode_sprites(encode_sprites(sprites, game), game)
    assert (again.page == sprites.page).all()
    assert (again.rect == sprites.rect).all()
    if sprites.sides is None:
        assert again.sides is None
    else:
        assert again.sides is not None and (again.sides == sprites.sides).all()


def test_records_of_the_first_games() -> None:
    record = encode_sprites(sprites_of([[2, 120, 224, 80, 32, -144, -64, 144, 48]], Game.TR1), Game.TR1)[0]
    assert record.tolist() == (2, 120, 224, 20479, 8191, -144, -64, 144, 48)


def test_records_of_the_last_games() -> None:
    record = encode_sprites(sprites_of([[6, 224, 0, 32, 32, 0, 0, 0, 0]], Game.TR4), Game.TR4)[0]
    assert record.tolist() == (6, 224, 0, 7936, 7936, 224, 0, 256, 32)


@each_game
def test_unchanged_sprites_keep_their_records_however_odd(game: Game) -> None:
    original = np.frombuffer(np.random.default_rng(game).bytes(16 * 50), SPRITE_TEXTURE)
    sprites = decode_sprites(original, game)
    assert encode_sprites(sprites, game, original).tobytes() == original.tobytes()
    sprites.rect[7] = (10, 20, 30, 40)
    again = encode_sprites(sprites, game, original)
    assert np.flatnonzero(again != original).tolist() == [7]
    assert decode_sprites(again, game).rect[7].tolist() == [10, 20, 30, 40]


@pytest.mark.parametrize("rect", [(-1, 0, 4, 4), (0, 0, 0, 4), (250, 0, 7, 4), (0, 250, 4, 7)])
@pytest.mark.parametrize("game", [Game.TR1, Game.TR5])
def test_a_rectangle_outside_the_page_is_refused(game: Game, rect: tuple[int, ...]) -> None:
    with pytest.raises(ExportError, match=r"sprite texture 1.*page"):
        encode_sprites(sprites_of([[0, 0, 0, 1, 1] + [0] * 4, [0, *rect] + [0] * 4], game), game)


def test_values_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ExportError, match="16 bits"):
        encode_sprites(sprites_of([[0, 0, 0, 1, 1, 0, 0, 40000, 0]], Game.TR2), Game.TR2)
    with pytest.raises(ExportError, match="page 65536"):
        encode_sprites(sprites_of([[65536, 0, 0, 1, 1, 0, 0, 0, 0]], Game.TR4), Game.TR4)
    with pytest.raises(ExportError, match="sides"):
        encode_sprites(sprites_of([[0, 0, 0, 1, 1, 0, 0, 0, 0]], Game.TR4), Game.TR3)


@each_real_level
def test_real_sprites_survive(level_path: Path) -> None:
    level = read_level(level_path)
    sprites = decode_sprites(level.sprite_textures, level.game)
    assert (sprites.rect[:, :2] + sprites.rect[:, 2:]).max(initial=0) <= 256
    again = encode_sprites(sprites, level.game, level.sprite_textures)
    assert again.tobytes() == level.sprite_textures.tobytes()
