"""Empty levels, packed by hand after chapter 10, equal the written ones."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from struct import pack

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, read_level

_U32, _U16 = bytes(4), bytes(2)  # a count of 0
_PAGE = 256 * 256
_WORLD = b"".join(
    (
        _U32,  # "Unused"
        _U16,  # rooms
        pack("<IH", 1, 0),  # floor data: the word of sectors without functions
        _U32
        * 10,  # meshes, pointers, animations, changes, dispatches, commands, trees, frames, models, statics
    )
)
# sprites, their sequences, cameras, sound sources, boxes, overlaps; zones have no count
_BEFORE_ANIMATED = _U32 * 6


_ANIMATED = pack("<IH", 1, 0)  # one word: there are no groups


def _silence(sounds: int) -> bytes:
    return pack("<h", -1) * sounds


def _tr1(level: Level) -> bytes:
    return b"".join(
        (
            pack("<II", 0x20, 1) + bytes(_PAGE),
            _WORLD,
            _U32 + _BEFORE_ANIMATED + _ANIMATED + _U32,  # object textures before, entities after
            level.light_map.tobytes() + level.palette.tobytes(),
            _U16 * 2,  # cinematic frames, demo
            _silence(256) + _U32 * 3,  # sound details, samples, sample indices
        )
    )


def _tr2(level: Level, version: int = 0x2D, textures: bytes = _U32, textures_behind: bytes = b"") -> bytes:
    return b"".join(
        (
            pack("<I", version) + level.palette.tobytes() + level.palette16.tobytes(),
            pack("<I", 1) + bytes(_PAGE + 2 * _PAGE),
            _WORLD,
            textures + _BEFORE_ANIMATED + _ANIMATED + textures_behind + _U32,
            level.light_map.tobytes() + _U16 * 2 + _silence(370) + _U32 * 2,
        )
    )


def _tr3(level: Level) -> bytes:
    return _tr2(level, 0xFF180038, b"", _U32)  # object textures follow the animated ones


def _chunk(content: bytes) -> bytes:
    stream = zlib.compress(content, 6)
    return pack("<II", len(content), len(stream)) + stream


def _pages(misc: int) -> bytes:
    head = pack("<IHHH", 0x00345254, 1, 1, 0)
    return (
        head + _chunk(bytes(2 * 4 * _PAGE)) + _chunk(bytes(2 * 2 * _PAGE)) + _chunk(bytes(misc * 4 * _PAGE))
    )


def _level_data(world: bytes, end: bytes, sounds: int, padding: bytes) -> bytes:
    return b"".join(
        (
            world,
            b"SPR" + end + _U32 * 2,
            _U32 * 5,  # cameras, flyby cameras, sound sources, boxes, overlaps
            _ANIMATED + bytes(1),  # number of scrolling ones
            b"TEX" + end + _U32 * 3,  # object textures, entities, AI objects
            _U16 + _silence(sounds) + _U32 * 2 + padding,
        )
    )


def _tr4(_level: Level) -> bytes:
    return _pages(2) + _chunk(_level_data(_WORLD, b"", 370, bytes(6))) + _U32


def _tr5(_level: Level) -> bytes:
    world = _WORLD[:4] + bytes(2) + _WORLD[4:]  # 32 bits for the number of rooms
    data = _level_data(world, b"\0", 450, b"\xcd" * 6)
    return _pages(3) + bytes(2 + 2 + 28) + pack("<II", len(data), len(data)) + data + _U32


_PACKED: dict[Game, Callable[[Level], bytes]] = dict(zip(Game, (_tr1, _tr2, _tr3, _tr4, _tr5), strict=True))


@pytest.mark.parametrize("game", Game)
def test_a_level_of_nothing_is_written_as_packed_by_hand(game: Game) -> None:
    level = Level.empty(game)
    content = level.to_bytes()
    assert content == _PACKED[game](level)
    read = read_level(content)
    assert (read.game, read.rooms, len(read.footer)) == (game, [], 0)
    assert read.to_bytes() == content


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3])
def test_the_palette_of_an_empty_level_covers_all_colors(game: Game) -> None:
    level = Level.empty(game)
    colors = level.palette.astype(int) * 255 / 63
    assert level.palette.max() == 63  # six bits
    assert (level.palette[0] == 0).all()
    wanted = np.random.default_rng(5).integers(0, 256, (400, 3))
    apart = np.sqrt(((wanted[:, None] - colors[None, 1:]) ** 2).sum(axis=2)).min(axis=1)
    assert apart.max() < 46  # half the diagonal of a cell of the cube
    if game is not Game.TR1:
        assert np.abs(level.palette16[:, :3] - colors).max() < 4
        assert not level.palette16[:, 3].any()


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3])
def test_its_light_map_darkens_and_leaves_row_16(game: Game) -> None:
    level = Level.empty(game)
    colors = level.palette.astype(int).sum(axis=1)
    assert not level.light_map[:, 0].any()  # the key color stays
    assert (colors[level.light_map[16]] == colors).all()
    assert (colors[level.light_map[31]] < 30).all()
    white = int(colors.argmax())
    assert colors[level.light_map[24]][white] == pytest.approx(colors[white] / 2, abs=6)
    gray = int(np.abs(level.palette.astype(int) - 20).sum(axis=1).argmin())
    assert colors[level.light_map[0]][gray] == pytest.approx(120, abs=6)
