"""Positions of the key frames of animations in the frame words of a level (documentation, chapter 6.2)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Ints, Records, Words
from ...base.errors import FormatError
from ...base.games import Game
from .animations import ticks

HEAD_WORDS = 9  # of each key frame: its box and the offset of its root mesh
# Animations may share frames. A file whose animations refer to more than this many times its words is made to
# exhaust memory.
_MAX_SHARING = 8


class KeyPlaces(NamedTuple):
    """Key counts of all animations, and the start and length of each key, in words."""

    key_counts: Ints
    words: Ints
    lengths: Ints
    problems: list[FormatError]


def key_count(animations: Records) -> Ints:
    """Return the number of key frames by the frame numbers of each animation, shape (animations,).

    One at each multiple of the frame rate, and one at or after the last frame. A frame rate of 0 counts as 1.
    """
    rate = np.maximum(animations["frame_rate"].astype(np.int64), 1)
    return -(-np.maximum(ticks(animations), 0) // rate) + 1


def _claims(
    game: Game, frames: Words, animations: Records, requested: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], list[FormatError]]:
    """Return which of the requested animations have frames to read, and the errors of damaged ones."""
    offset = animations["frame_offset"].astype(np.int64)
    size = animations["frame_size"].astype(np.int64)
    least = size if game.traits.has_packed_frames else HEAD_WORDS + 1
    # An animation without frames has size 0. TR1 has no sizes: its offset is the end of the frames.
    requested = requested & ((size != 0) if game.traits.has_packed_frames else (offset != 2 * len(frames)))
    problems = []
    cases = [
        (offset % 2 != 0, "an even frame offset", offset),
        (offset // 2 + least > len(frames), f"its frames within {2 * len(frames)} bytes", offset),
    ]
    if game.traits.has_packed_frames:
        cases.append((size < HEAD_WORDS, f"a frame size of at least {HEAD_WORDS} words", size))
    for is_wrong, expected, values in cases:
        for index in np.flatnonzero(requested & is_wrong).tolist():
            problems.append(FormatError("animations", expected, str(int(values[index])), element=index))
        requested = requested & ~is_wrong
    return requested, problems


def find_keys(game: Game, frames: Words, animations: Records, has_model: NDArray[np.bool_]) -> KeyPlaces:
    """Find the key frames of all animations (documentation, chapter 6.2.2).

    The frames of an animation extend to the start of the next frames. That count is right even if the frame
    numbers give one fewer, which is common. The frame numbers decide only for animations that share their
    start or overlap; of several with the same start, the last extends to the next frames.
    """
    claims, problems = _claims(game, frames, animations, has_model)
    expected_counts = key_count(animations)
    claiming = np.flatnonzero(claims)
    start = animations["frame_offset"][claiming].astype(np.int64) // 2
    starts = np.unique(start)
    ends = np.append(starts, len(frames))[1:]
    group = np.searchsorted(starts, start)
    is_last = np.zeros(len(claiming), bool)
    last = np.zeros(len(starts), np.int64)
    np.maximum.at(last, group, np.arange(len(claiming)))
    is_last[last] = True
    if not game.traits.has_packed_frames:
        size = np.full(len(claiming), HEAD_WORDS + 1)
        steady = _steady(frames, starts, ends)
        chain = _walk(frames, starts, ends) if steady is None else steady
        first_in_chain = np.searchsorted(chain, start)
        available = np.searchsorted(chain, ends[group]) - first_in_chain
        counts = np.where(is_last, available, np.minimum(expected_counts[claiming], available))
    else:
        size = animations["frame_size"][claiming].astype(np.int64)
        available = (ends[group] - start) // size
        fits = np.minimum(expected_counts[claiming], (len(frames) - start) // size)
        counts = np.where(is_last & (available > 0), available, fits)
    _check_sharing(claiming, counts * size, len(frames))  # first: otherwise each claim may add a problem
    short = (counts < expected_counts[claiming]) & ((ends[group] == len(frames)) | (counts == 0))
    for index, count in zip(claiming[short].tolist(), counts[short].tolist(), strict=True):
        expected = f"{int(expected_counts[index])} key frames"
        problems.append(FormatError("animations", expected, f"{count} whole ones", element=index))
    key_counts = np.zeros(len(animations), np.int64)
    key_counts[claiming] = counts
    within = count_up(counts)
    if not game.traits.has_packed_frames:
        words = chain[np.repeat(first_in_chain, counts) + within]
        lengths = _frame_lengths(frames[words + HEAD_WORDS])
        _check_sharing(np.repeat(claiming, counts), lengths, len(frames))
    else:
        lengths = np.repeat(size, counts)
        words = np.repeat(start, counts) + within * lengths
    return KeyPlaces(key_counts, words, lengths, problems)


def _check_sharing(animations: Ints, words: Ints, available: int) -> None:
    total = np.cumsum(words)
    if len(total) and total[-1] > _MAX_SHARING * available:
        over = int(np.searchsorted(total, _MAX_SHARING * available, side="right"))
        limit = f"the {available} words of frames at most {_MAX_SHARING} times"
        expected, actual = f"animations that together claim {limit}", f"a claim of {int(total[-1])} words"
        raise FormatError("animations", expected, actual, element=int(animations[over]))


def _frame_lengths(rotations: Words) -> Ints:
    """Return the number of words of TR1 key frames with these numbers of rotations."""
    return 2 * rotations.astype(np.int64) + HEAD_WORDS + 1


def _steady(frames: Words, starts: Ints, ends: Ints) -> Ints | None:
    """Find TR1's key frames if all of each span have as many rotations as the first, as in most files.

    Returns the positions of all key frames, ascending, or None if some lengths differ.
    """
    rotations = frames[starts + HEAD_WORDS]
    lengths = _frame_lengths(rotations)
    counts = (ends - starts) // lengths
    if not np.array_equal(counts * lengths, ends - starts):
        return None
    words = np.repeat(starts, counts) + count_up(counts) * np.repeat(lengths, counts)
    is_steady = np.array_equal(frames[words + HEAD_WORDS], np.repeat(rotations, counts))
    return words if is_steady else None


def _walk(frames: Words, starts: Ints, ends: Ints) -> Ints:
    """Follow TR1's key frames, each of which stores its own length, from all starts at once.

    Returns the positions of all key frames that end within their span, ascending. The chains are followed by
    pointer doubling: a handful of array operations instead of one step per frame.
    """
    size = len(frames)
    next_word = np.full(size, size + 1)
    inner = max(size - HEAD_WORDS, 0)
    next_word[:inner] = np.arange(inner) + _frame_lengths(frames[HEAD_WORDS:])
    end = np.zeros(size, np.int64)
    end[starts[0] if len(starts) else size :] = np.repeat(ends, ends - starts)
    is_whole = next_word <= end
    jump = np.append(np.where(is_whole & (next_word < end), next_word, size), size)
    reached = np.zeros(size + 1, bool)
    reached[starts] = True
    while True:
        following = jump[np.flatnonzero(reached)]
        if reached[following].all():
            break
        reached[following] = True
        jump = jump[jump]
    return np.flatnonzero(reached[:size] & is_whole)


def count_up(counts: Ints) -> Ints:
    """Return 0, 1, 2, … for each of the counts, concatenated."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
