"""Key frames by hand (chapter 6.2.7 and formats of rotations): words, and the rotations that they encode.

Rotations of three axes have ten bits each: ``00XXXXXXXXXXYYYY YYYYYYZZZZZZZZZZ``; TR1 puts the second word
first. From TR2 on, one word turns about one axis: ``0x4000`` x, ``0x8000`` y, ``0xC000`` z, with ten bits,
from TR4 on with twelve. The animation 1 has two keys of three meshes, 2 one key of three, 3 one key of five.
"""

from struct import pack
from typing import NamedTuple

Turns = tuple[int, int, int]


class Key(NamedTuple):
    """One key frame: its box and offset, its rotations as words and as angles, and stale words after them."""

    box: tuple[int, ...]
    offset: tuple[int, ...]
    words: tuple[int, ...]
    turns: tuple[Turns, ...]
    stale: tuple[int, ...] = ()


# Three axes, in 1024ths of a turn, and the words that encode them.
ONE, ONE_HIGH, ONE_LOW = (0x155, 0x2AB, 0x0F3), 0x155A, 0xACF3
TWO, TWO_HIGH, TWO_LOW = (0x001, 0x3FE, 0x200), 0x001F, 0xFA00
THREE, THREE_HIGH, THREE_LOW = (0x3C0, 0x03F, 0x111), 0x3C00, 0xFD11

_HEADS = (
    ((-101, 102, -103, 104, -105, 106), (107, -108, 109)),
    ((-111, 112, -113, 114, -115, 116), (117, -118, 119)),
    ((-121, 122, -123, 124, -125, 126), (127, -128, 129)),
    ((-131, 132, -133, 134, -135, 136), (137, -138, 139)),
)

# In TR1 a key has a number of rotations; the other meshes are not rotated.
TR1_KEYS = (
    Key(
        *_HEADS[0],
        (3, ONE_LOW, ONE_HIGH, TWO_LOW, TWO_HIGH, THREE_LOW, THREE_HIGH),
        (ONE, TWO, THREE),
    ),
    Key(
        *_HEADS[1],
        (3, TWO_LOW, TWO_HIGH, THREE_LOW, THREE_HIGH, ONE_LOW, ONE_HIGH),
        (TWO, THREE, ONE),
    ),
    Key(*_HEADS[2], (2, THREE_LOW, THREE_HIGH, ONE_LOW, ONE_HIGH), (THREE, ONE, (0, 0, 0))),
    Key(
        *_HEADS[3],
        (5, ONE_LOW, ONE_HIGH, 0x0000, 0x1230, 0x5800, 0x0009, 0x037A, 0x0000, TWO_LOW, TWO_HIGH),
        (ONE, (0x123, 0, 0), (0, 0x256, 0), (0, 0, 0x37A), TWO),
    ),
)
TR2_KEYS = (
    Key(
        *_HEADS[0],
        (ONE_HIGH, ONE_LOW, 0x4123, 0x8256),
        (ONE, (0x123, 0, 0), (0, 0x256, 0)),
    ),
    Key(*_HEADS[1], (0xC37A, 0x4001, 0xC000), ((0, 0, 0x37A), (0x001, 0, 0), (0, 0, 0)), stale=(0x3536,)),
    Key(
        *_HEADS[2],
        (THREE_HIGH, THREE_LOW, ONE_HIGH, ONE_LOW, TWO_HIGH, TWO_LOW),
        (THREE, ONE, TWO),
    ),
    Key(
        *_HEADS[3],
        (TWO_HIGH, TWO_LOW, 0x43FF, 0x8155, 0xC2AA, THREE_HIGH, THREE_LOW),
        (TWO, (0x3FF, 0, 0), (0, 0x155, 0), (0, 0, 0x2AA), THREE),
    ),
)
# As in TR2, but the words of one axis have twelve bits: turns of these are 4096ths, and written as such
# below.
TR4_KEYS = (
    Key(
        *_HEADS[0],
        (ONE_HIGH, ONE_LOW, 0x4ABC, 0x8DEF),
        (ONE, (0xABC, 0, 0), (0, 0xDEF, 0)),
    ),
    Key(*_HEADS[1], (0xC7F1, 0x4001, 0xC000), ((0, 0, 0x7F1), (0x001, 0, 0), (0, 0, 0)), stale=(0x3536,)),
    Key(
        *_HEADS[2],
        (THREE_HIGH, THREE_LOW, ONE_HIGH, ONE_LOW, TWO_HIGH, TWO_LOW),
        (THREE, ONE, TWO),
    ),
    Key(
        *_HEADS[3],
        (TWO_HIGH, TWO_LOW, 0x4FFF, 0x8555, 0xCAAA, THREE_HIGH, THREE_LOW),
        (TWO, (0xFFF, 0, 0), (0, 0x555, 0), (0, 0, 0xAAA), THREE),
    ),
)
# Numbers of keys of the animations; the first is of no model.
KEY_COUNTS = (0, 2, 1, 1)
# Offsets of the frames of each animation, in bytes, and sizes of a frame, in words.
TR1_FRAMES = ((4, 0), (68, 0), (96, 0))
TR2_FRAMES = ((4, 13), (56, 15), (86, 16))


def frame_words(keys: tuple[Key, ...]) -> list[int]:
    """Return Frames[]: two unused words, then all keys."""
    words = [0xF00D, 0x0FED]
    for key in keys:
        words += [value & 0xFFFF for value in (*key.box, *key.offset)]
        words += [*key.words, *key.stale]
    return words


def turns_of(key: Key, bits: int) -> list[list[int]]:
    """Return the angles of a key in 65536ths: three axes have 10 bits each, a single axis has ``bits``."""
    steps = [64 if sum(map(bool, turns)) > 1 else 1 << 16 - bits for turns in key.turns]
    return [[step * turn for turn in turns] for step, turns in zip(steps, key.turns, strict=True)]


def packed(words: tuple[int, ...]) -> bytes:
    return pack(f"<{len(words)}H", *words)
