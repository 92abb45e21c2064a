"""Conversion of raw frame words to boxes, offsets and rotations, and back.

All key frames of a level are decoded at once. A key frame has a bounding box, the offset of the root mesh,
and one rotation per mesh (documentation, chapter 6.2.7). Angles are in 1/65536 turns, see `rotations`. TR1
stores every rotation in two words. From TR2 on, a rotation about a single axis takes one word, and all key
frames of an animation are padded to the longest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Ints, Records, Words
from ...base.bytes.records import I16, U16
from ...base.errors import ExportError, FormatError
from ...base.games import Game
from ...base.messages import T
from .animations import animation_models
from .key_places import HEAD_WORDS, count_up, find_keys
from .rotations import MULTIPLE_AXES_BITS, round_angles

THREE_AXES, X_AXIS, Y_AXIS, Z_AXIS = range(4)  # the low two bits of a kind
ANY_KIND = 0xFF  # the encoder chooses the form
MAX_FRAME_WORDS = 255
# Rotations that key frames do not store are filled in for models with at most this many meshes.
_MOST_FILLED = 256


@dataclass(frozen=True)
class Keys:
    """The key frames of one animation, n keys of m meshes."""

    boxes: NDArray[np.integer]  #: (n, 6) i16, min x, max x, min y, max y, min z, max z in world units.
    offsets: NDArray[np.integer]  #: (n, 3) i16, the position of the root mesh in world units.
    angles: NDArray[np.integer]  #: (n, m, 3) u16, x, y, z in 1/65536 turns.
    #: (n, m) u8, the encoding of each rotation: bits 0-1 the form (0 three axes, 1 x, 2 y, 3 z; always 0 in
    #: TR1), bits 2-5 the unused bits of the word. ANY_KIND for rotations that differ from the file. None lets
    #: the encoder choose everywhere.
    kinds: NDArray[np.uint8] | None = None
    #: (n,), the number of rotations that each key stores; the rest are 0. None if all store m.
    counts: Ints | None = None
    #: (p,) u16, the words between the last rotation and the end of each key, concatenated. None for zeros.
    padding: Words | None = None
    frame_size: int = 0  #: words per key, 0 in TR1. Used only together with the padding.

    def __len__(self) -> int:
        return len(self.boxes)


class EncodedKeys(NamedTuple):
    """Frame words for a level, and the matching ``frame_size`` of the animation."""

    words: Words
    frame_size: int


@dataclass(frozen=True)
class LevelKeys:
    """All key frames of a level, concatenated in the order of the animations."""

    game: Game
    #: first_keys, key_counts: (animations,), the key frames of each animation.
    first_keys: Ints
    key_counts: Ints
    meshes: Ints  #: (animations,), the number of meshes of the model that owns the animation; 0 for none.
    frame_sizes: Ints  #: (animations,), words per key frame; 0 in TR1.
    words: Ints  #: (keys,), the start of each key frame in the frames of the level, in words.
    lengths: Ints  #: (keys,), its number of words, including padding.
    boxes: NDArray[np.int16]  #: (keys, 6) i16. offsets: (keys, 3) i16. As in `Keys`.
    offsets: NDArray[np.int16]
    #: first_rotations, rotation_counts: (keys,), the rotations that each key frame stores.
    first_rotations: Ints
    rotation_counts: Ints
    angles: NDArray[np.uint16]  #: (rotations, 3) u16. kinds: (rotations,) u8. As in `Keys`.
    kinds: NDArray[np.uint8]
    first_paddings: Ints  #: (keys + 1,), the start of the padding of each key frame.
    padding: Words  #: u16, the padding of all key frames.
    #: decoding errors; the animations that they name have fewer key frames, or none.
    problems: tuple[FormatError, ...] = field(default=())

    def keys(self, animation: int) -> Keys:
        """Return the key frames of one animation, with one rotation per mesh of its model (mostly views)."""
        first = int(self.first_keys[animation])
        keys = slice(first, first + int(self.key_counts[animation]))
        counts = self.rotation_counts[keys]
        stored = int(counts.sum())
        start = int(self.first_rotations[first]) if stored else 0
        angles = self.angles[start : start + stored]
        kinds = self.kinds[start : start + stored]
        width = max(int(self.meshes[animation]), int(counts.max(initial=0)))
        ragged = None
        if stored == len(counts) * width:
            angles, kinds = angles.reshape(len(counts), width, 3), kinds.reshape(len(counts), width)
        else:
            ragged = counts
            filled = np.arange(width) < counts[:, None]
            angles = _scatter(filled, angles)
            kinds = _scatter(filled, kinds)
        padding = self.padding[self.first_paddings[keys.start] : self.first_paddings[keys.stop]]
        size = int(self.frame_sizes[animation])
        return Keys(self.boxes[keys], self.offsets[keys], angles, kinds, ragged, padding, size)


def _scatter(mask: NDArray[np.bool_], values: NDArray[Any]) -> NDArray[Any]:
    result = np.zeros((*mask.shape, *values.shape[1:]), values.dtype)
    result[mask] = values
    return result


# --- Decoding ------------------------------------------------------------------------------------


def decode_frames(game: Game, frames: Words, animations: Records, models: Records) -> LevelKeys:
    """Decode all key frames of a level (documentation, chapter 6.2.7).

    Truncated frames are not fatal: the animation gets its complete key frames, meshes without a stored
    rotation have none, and `LevelKeys.problems` names it. Animations without a model have no key frames.

    Args:
        frames: the raw frame words of the level, u16.
        models: the model records, which give the number of meshes of each animation.

    Raises:
        FormatError: if animations share so many frames, or have so many meshes without rotations, that the
            result would exhaust memory.
    """
    frames = np.asarray(frames, U16)
    owner = animation_models(models, animations)
    meshes = np.zeros(len(animations), np.int64)
    meshes[owner >= 0] = models["meshes"][owner[owner >= 0]]
    keys = find_keys(game, frames, animations, owner >= 0)
    words, lengths = keys.words, keys.lengths
    head = frames[words[:, None] + np.arange(HEAD_WORDS)].view(I16)
    padded = np.append(frames, np.zeros(2, U16))
    mesh_counts = np.repeat(meshes, keys.key_counts)
    if not game.traits.has_packed_frames:
        counts = padded[words + HEAD_WORDS].astype(np.int64)
        positions = np.repeat(words + HEAD_WORDS + 1, counts) + 2 * count_up(counts)
        angles, kinds = _decode_three_axes(padded[positions + 1], padded[positions])
        kinds = (padded[positions + 1] >> 14 << 2).astype(np.uint8)
        used = HEAD_WORDS + 1 + 2 * counts
    else:
        rotation_words, counts, rotations_end = _read_rotations(padded, words, lengths, mesh_counts)
        angles, kinds = _decode_rotations(game, *rotation_words)
        used = rotations_end - words
    _check_filling(keys.key_counts, counts, mesh_counts)
    padding_sizes = lengths - used
    padding = frames[np.repeat(words + used, padding_sizes) + count_up(padding_sizes)]
    return LevelKeys(
        game=game,
        first_keys=np.cumsum(keys.key_counts) - keys.key_counts,
        key_counts=keys.key_counts,
        meshes=meshes,
        frame_sizes=animations["frame_size"].astype(np.int64) * game.traits.has_packed_frames,
        words=words,
        lengths=lengths,
        boxes=head[:, :6],
        offsets=head[:, 6:],
        first_rotations=np.cumsum(counts) - counts,
        rotation_counts=counts,
        angles=angles,
        kinds=kinds,
        first_paddings=np.append(0, np.cumsum(padding_sizes)),
        padding=padding,
        problems=tuple(keys.problems),
    )


def _check_filling(key_counts: Ints, counts: Ints, mesh_counts: Ints) -> None:
    short = np.flatnonzero((counts < mesh_counts) & (mesh_counts > _MOST_FILLED))
    if len(short):
        animation = int(np.searchsorted(np.cumsum(key_counts), short[0], side="right"))
        expected, actual = f"rotations of {mesh_counts[short[0]]} meshes", str(counts[short[0]])
        raise FormatError("animations", expected, actual, element=animation)


def _read_rotations(
    padded: Words, words: Ints, lengths: Ints, mesh_counts: Ints
) -> tuple[tuple[Words, Words], Ints, Ints]:
    """Extract the words of all rotations of all key frames.

    Mesh by mesh, since the first word of a rotation determines where the next begins. Returns the first and
    second words (rotations,), and per key frame the number of rotations within it and the position after the
    last.
    """
    limit = words + lengths
    position = words + HEAD_WORDS
    capacity = np.minimum(mesh_counts, lengths - HEAD_WORDS)
    first_slot = np.cumsum(capacity) - capacity
    first_words = np.zeros(int(capacity.sum()), U16)
    second_words = np.zeros_like(first_words)
    counts = capacity.copy()
    active = np.flatnonzero(capacity > 0)
    mesh = 0
    while len(active):
        positions = position[active]
        first = padded[positions]
        after = positions + 1 + (first < 0x4000)
        fits = after <= limit[active]
        if not fits.all():
            counts[active[~fits]] = mesh
            active, positions, first, after = active[fits], positions[fits], first[fits], after[fits]
        slot = first_slot[active] + mesh
        first_words[slot] = first
        second_words[slot] = padded[positions + 1]
        position[active] = after
        mesh += 1
        more = capacity[active] > mesh
        if not more.all():
            active = active[more]
    if not np.array_equal(counts, capacity):
        stored = count_up(capacity) < np.repeat(counts, capacity)
        first_words, second_words = first_words[stored], second_words[stored]
    return (first_words, second_words), counts, position


def _decode_three_axes(high: Words, low: Words) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """Decode rotations of 10 bits per axis, ``00XXXXXXXXXXYYYY YYYYYYZZZZZZZZZZ``, to angles and kinds."""
    angles = np.empty((len(high), 3), U16)
    angles[:, 0] = (high & 0x3FF0) << 2
    angles[:, 1] = (high & 0xF) << 12 | (low & 0xFC00) >> 4
    angles[:, 2] = (low & 0x3FF) << 6
    return angles, np.zeros(len(high), np.uint8)


def _decode_rotations(
    game: Game, first_words: Words, second_words: Words
) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """Decode rotations of TR2 to TR5 to angles (rotations, 3) and kinds (rotations,)."""
    bits = game.traits.single_axis_bits
    angles, kinds = _decode_three_axes(first_words, second_words)
    single = np.flatnonzero(first_words >= 0x4000)
    word = first_words[single]
    axis = (word >> 14).astype(np.intp)
    angles[single] = 0
    angles[single, axis - 1] = (word & ((1 << bits) - 1)) << (16 - bits)
    kinds[single] = axis | ((word & 0x3FFF) >> bits << 2)
    return angles, kinds


# --- Encoding ------------------------------------------------------------------------------------


def encode_frames(
    game: Game, keys: Keys, *, zero_axis: int = Z_AXIS, subject: str = "animation"
) -> EncodedKeys:
    """Encode the key frames of one animation, as the inverse of `decode_frames`.

    See :func:`encode_all`. Raises ExportError as it does.
    """
    return encode_all(game, [keys], [subject], zero_axis=zero_axis)[0]


def encode_all(
    game: Game, animations: Sequence[Keys], subjects: Sequence[str], *, zero_axis: int = Z_AXIS
) -> list[EncodedKeys]:
    """Encode the key frames of animations, all at once.

    Angles are rounded to the precision of the game. The kinds, counts and padding of `Keys` are used where
    they still fit the angles, so unchanged key frames get the same words. Otherwise a rotation about at most
    one axis takes one word.

    Args:
        animations: boxes, offsets and angles may have any integer type.
        subjects: the name of each, for errors.
        zero_axis: the axis of the zero rotation where no kind gives it: Z in the original games.

    Raises:
        ExportError: if a box or offset does not fit 16 bits, or a key frame takes more than 255 words or has
            more rotations than TR1 can count.
    """
    if not animations:
        return []
    is_packed = game.traits.has_packed_frames
    parts = [_stored_rotations(keys) for keys in animations]
    angles, kinds, counts = (np.concatenate(each) for each in zip(*parts, strict=True))
    if is_packed:
        first, second, sizes = _encode_rotations(game, angles, kinds, zero_axis)
        head_words = HEAD_WORDS
    else:
        for keys, subject in zip(animations, subjects, strict=True):
            if keys.angles.shape[1] > 0xFFFF:
                problem = T("too many rotations in a key frame")
                raise ExportError(subject, problem, count=keys.angles.shape[1], limit=0xFFFF)
        second, first = _encode_three_axes(round_angles(angles, game.traits.single_axis_bits))
        second |= np.where(kinds == ANY_KIND, 0, kinds >> 2).astype(np.uint16) << 14
        sizes = np.full(len(first), 2)
        head_words = HEAD_WORDS + 1
    first_rotation = np.cumsum(counts) - counts
    ends = np.append(0, np.cumsum(sizes))
    used = head_words + ends[first_rotation + counts] - ends[first_rotation]
    key_counts = np.array([len(keys) for keys in animations])
    key_ends = np.cumsum(key_counts)
    frame_sizes, paddings = _frame_sizes(game, animations, np.split(used, key_ends[:-1]), subjects)
    lengths = np.repeat(frame_sizes, key_counts) if is_packed else used
    start = np.cumsum(lengths) - lengths
    words = np.zeros(int(lengths.sum()), U16)
    words[start[:, None] + np.arange(HEAD_WORDS)] = _heads(animations, key_ends, subjects)
    if not is_packed:
        words[start + HEAD_WORDS] = counts
    positions = np.repeat(start + head_words - ends[first_rotation], counts) + ends[:-1]
    words[positions] = first
    double = sizes == 2
    words[positions[double] + 1] = second[double]
    has_padding = np.repeat([each is not None for each in paddings], key_counts)
    padding_sizes = np.where(has_padding, lengths - used, 0)
    padding = np.concatenate([np.zeros(0, U16), *(each for each in paddings if each is not None)])
    words[np.repeat(start + used, padding_sizes) + count_up(padding_sizes)] = padding
    word_ends = np.append(0, np.cumsum(lengths))[key_ends]
    return list(map(EncodedKeys, np.split(words, word_ends[:-1]), frame_sizes))


def _stored_rotations(keys: Keys) -> tuple[NDArray[np.integer], NDArray[np.uint8], Ints]:
    """Return angles (r, 3) and kinds (r,) of the rotations that keys store, and their number in each key."""
    key_count, meshes = keys.angles.shape[:2]
    kinds = np.full((key_count, meshes), ANY_KIND, np.uint8) if keys.kinds is None else keys.kinds
    if keys.counts is None:
        return keys.angles.reshape(-1, 3), kinds.ravel(), np.full(key_count, meshes)
    stored = np.arange(meshes) < keys.counts[:, None]
    return keys.angles[stored], kinds[stored], keys.counts


def _heads(animations: Sequence[Keys], key_ends: Ints, subjects: Sequence[str]) -> Words:
    """Return boxes and offsets, shape (keys, 9), as words."""
    boxes, offsets = (
        np.concatenate(each)
        for each in zip(*((keys.boxes, keys.offsets) for keys in animations), strict=True)
    )
    head = np.concatenate([boxes, offsets], axis=1)
    for key, place in np.argwhere((head < -0x8000) | (head > 0x7FFF))[:1].tolist():
        problem = T("a bounding box or position is too far away for a key frame")
        subject = subjects[int(np.searchsorted(key_ends, key, side="right"))]
        raise ExportError(subject, problem, count=int(head[key, place]), limit=0x7FFF)
    return head.astype(I16).view(U16)


def _frame_sizes(
    game: Game, animations: Sequence[Keys], used: Sequence[Ints], subjects: Sequence[str]
) -> tuple[list[int], list[Words | None]]:
    """Return per animation the words per key frame, and the old padding if it still fits."""
    sizes = [0] * len(animations)
    paddings: list[Words | None] = [None] * len(animations)
    if not game.traits.has_packed_frames:
        return sizes, paddings
    for number, (keys, lengths, subject) in enumerate(zip(animations, used, subjects, strict=True)):
        longest = sizes[number] = int(lengths.max(initial=0))
        if longest > MAX_FRAME_WORDS:
            problem = T("a key frame is too large; rotate fewer meshes about more than one axis")
            raise ExportError(subject, problem, count=longest, limit=MAX_FRAME_WORDS)
        if keys.padding is None or not longest <= keys.frame_size <= MAX_FRAME_WORDS:
            continue
        if int(lengths.sum()) + len(keys.padding) == len(lengths) * keys.frame_size:
            sizes[number], paddings[number] = keys.frame_size, keys.padding
    return sizes, paddings


def _encode_three_axes(angles: NDArray[np.uint16]) -> tuple[Words, Words]:
    """Return high and low words of rotations of 10 bits per axis, as the inverse of `_decode_three_axes`."""
    x, y, z = (angles[:, axis] >> np.uint16(6) for axis in range(3))
    return (x << 4 | y >> 6).astype(U16), ((y & 0x3F) << 10 | z).astype(U16)


def _encode_rotations(
    game: Game, angles: NDArray[Any], kinds: NDArray[np.uint8], zero_axis: int
) -> tuple[Words, Words, Ints]:
    """Return first and second words of rotations, and the number of words (1 or 2) of each."""
    bits = game.traits.single_axis_bits
    rounded = round_angles(angles, bits)
    is_turned = rounded != 0
    number = np.count_nonzero(is_turned, axis=1)
    axis = np.where(number == 0, zero_axis, np.argmax(is_turned, axis=1) + 1)
    axis[number > 1] = THREE_AXES
    hint = (kinds & 3).astype(np.int64)
    # Three axes store 10 bits each; the one-axis form stores zero rotations, too.
    coarse = (rounded % 64 == 0).all(axis=1) if bits > MULTIPLE_AXES_BITS else True
    is_followed = np.where(hint == THREE_AXES, coarse, number == 0) & (kinds != ANY_KIND)
    axis = np.where(is_followed, hint, axis)
    unused = np.where((axis == hint) & (kinds != ANY_KIND), kinds >> 2, 0).astype(np.uint16)
    first, second = _encode_three_axes(rounded)
    single = axis != THREE_AXES
    value = rounded[np.arange(len(axis)), np.maximum(axis - 1, 0)] >> (16 - bits)
    one_word = axis.astype(np.uint16) << 14 | unused << bits | value
    return np.where(single, one_word, first), second, np.where(single, 1, 2)
