"""The packed streams of cutscenes: numbers per frame as runs of differences, in words of a few bits.

Chapter 14 of the documentation does not describe the packing. A stream gives one number per frame for one
axis. It consists of words of b bits, b from 0 to 15, each sign-extended, the lowest bits first. Control words
and differences alternate::

    word & 0x20        the next (word & 15, 0 being 16) words are one difference each
    word & 0x10        the next word's low 5 bits, with (word & 7) above them, are a count;
                       the word after that is a difference, repeated so many times
    else               word & 7 is the count, the next word the difference to repeat

A count of 0 repeats to the end. A stream of 0 bits is all zeros: its number is constant. All streams are
decoded in parallel: a step takes one run of each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.errors import ExportError, FormatError
from ...base.messages import T

MOST_BITS = 15
SLACK = 4  # bytes after the last word that a 32-bit read may include
_TO_END = 0x10000
_MOST_VALUES = 1 << 21  # frames times streams; the games' own cutscenes stay below half of that
_MOST_WORDS = 0x7FFF  # of one stream, by the field that counts them
_LONG_RUN = 255
_WORDS_PER_FRAME = 3  # the most that one difference can take
_SPARE = 1  # one word after each stream's own, so that reading the next word is always valid


class DeltaStream(NamedTuple):
    """One stream."""

    key: int  #: the number at frame 0.
    bits: int  #: bits per word.
    words: int  #: the number of words.
    offset: int = 0  #: of its bytes in the buffer.

    @property
    def size(self) -> int:
        """The number of bytes, including the slack."""
        return stream_size(self.words, self.bits)


def stream_size(words: int, bits: int) -> int:
    """Return the number of bytes of words, including the slack."""
    return (words * bits >> 3) + SLACK


def decode_streams(
    data: bytes | memoryview, streams: Sequence[DeltaStream], frames: int, section: str = "streams"
) -> NDArray[np.int16]:
    """Return the numbers of streams, shape (streams, frames), int16.

    As in the games, a stream with too few words continues into the following bytes. Raises FormatError if a
    stream extends beyond the buffer, or there are more numbers than in any cutscene.
    """
    count = len(streams)
    if count * frames > _MOST_VALUES:
        found = f"{count} streams of {frames} frames"
        raise FormatError(section, f"at most {_MOST_VALUES} numbers", found, offset=0)
    values = np.zeros((count, frames), np.int32)
    if not values.size:
        return values.astype(np.int16)
    moving = np.array([number for number, stream in enumerate(streams) if stream.bits], np.intp)
    most = _WORDS_PER_FRAME * frames
    words = np.array([min(streams[number].words, most) for number in moving], np.intp)
    if frames > 1 and len(moving):
        windows = _windows(data)
        values[moving, 1:], missing = _decode(windows, streams, moving, words, frames - 1, section)
        if len(missing):
            again = moving[missing]
            words = np.array([_words_up_to(streams[number], len(windows), most) for number in again], np.intp)
            values[again, 1:], missing = _decode(windows, streams, again, words, frames - 1, section)
        if len(missing):
            number = int(again[missing[0]])
            expected, actual = f"numbers for {frames} frames", "the end of the file"
            raise FormatError(section, expected, actual, element=number, offset=len(data))
    values[:, 0] = [stream.key for stream in streams]
    # Sums wrap around like the games' 16-bit numbers.
    return np.cumsum(values, axis=1, dtype=np.int32).astype(np.int16)


def _windows(data: bytes | memoryview) -> NDArray[np.int32]:
    """Return the 32 bits that begin at each byte."""
    octets = np.frombuffer(data, np.uint8).astype(np.uint32)
    windows = np.zeros(max(len(octets) - SLACK + 1, 0), np.uint32)
    for byte in range(SLACK):
        windows |= octets[byte : byte + len(windows)] << np.uint32(8 * byte)
    return windows.view(np.int32)


def _words_up_to(stream: DeltaStream, windows: int, most: int) -> int:
    """Return the number of words of a stream that continues to the end of the buffer."""
    return min((8 * (windows - stream.offset) + stream.bits - 1) // stream.bits, most)


def _decode(
    windows: NDArray[np.int32],
    streams: Sequence[DeltaStream],
    chosen: NDArray[np.intp],
    counts: NDArray[np.intp],
    needed: int,
    section: str,
) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Return the differences of chosen streams, (streams, needed), and those that have too few words.

    Every word is decoded as if a run began there. Then all streams are followed from run to run, one run of
    each per step, and the runs are spread over their frames.
    """
    words, starts = _unpack(windows, [streams[number] for number in chosen], chosen, counts, section)
    ends = starts + counts
    literal = words >> 5 & 1
    is_long = words >> 4 & 1 & ~literal
    lengths = words & 7
    indices = np.flatnonzero(is_long)
    lengths[indices] = lengths[indices] << 5 | words[np.minimum(indices + 1, len(words) - 1)] & 31
    lengths[lengths == 0] = _TO_END
    lengths = np.where(literal, (words - 1 & 15) + 1, lengths)
    firsts = 1 + is_long  # from a run's control word to its first difference
    steps = firsts + np.where(literal, lengths, 1)

    position, missing, row = starts, np.full(len(chosen), needed, np.int32), np.arange(len(chosen))
    runs: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = []
    while len(position):  # each run determines where the next begins, so this loop is sequential
        length = np.minimum(lengths[position], missing)
        runs.append((row, position, length))
        missing = missing - length
        position = np.minimum(position + steps[position], len(words) - 1)
        going = missing > 0
        if not going.all():
            position, missing, row = position[going], missing[going], row[going]
    rows, positions, run_lengths = (np.concatenate(column) for column in zip(*runs, strict=True))
    is_literal, first = literal[positions], positions + firsts[positions]
    too_short = np.unique(rows[first + np.where(is_literal, run_lengths, 1) > ends[rows]])
    order = np.argsort(rows.astype(np.uint16) if len(chosen) < 1 << 16 else rows, kind="stable")
    is_literal, first, run_lengths = is_literal[order], first[order], run_lengths[order]
    within = np.arange(len(chosen) * needed) - np.repeat(np.cumsum(run_lengths) - run_lengths, run_lengths)
    indices = np.repeat(first, run_lengths) + within * np.repeat(is_literal, run_lengths)
    return words[np.minimum(indices, len(words) - 1)].reshape(len(chosen), needed), too_short


def _unpack(
    windows: NDArray[np.int32],
    streams: Sequence[DeltaStream],
    numbers: NDArray[np.intp],
    counts: NDArray[np.intp],
    section: str,
) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Return the words of streams, concatenated with one spare word after each, and the start of each."""
    bits = np.array([stream.bits for stream in streams], np.int32)
    offsets = np.array([stream.offset for stream in streams], np.intp)
    last = offsets + ((np.maximum(counts, 1) - 1) * bits >> 3)
    if int(last.max()) >= len(windows):
        worst = int(last.argmax())
        end = int(last[worst])
        expected, actual = f"{SLACK} more bytes of the stream", f"{len(windows) + SLACK - 1 - end}"
        raise FormatError(section, expected, actual, element=int(numbers[worst]), offset=end)
    sizes = counts + _SPARE
    starts = np.cumsum(sizes) - sizes
    width = np.repeat(bits, sizes)
    bit_offsets = (np.arange(int(sizes.sum())) - np.repeat(starts, sizes)) * width
    byte = np.minimum(np.repeat(offsets, sizes) + (bit_offsets >> 3), len(windows) - 1)
    shift = 32 - width
    return windows[byte] >> (bit_offsets & 7).astype(np.int32) << shift >> shift, starts


# --- Encoding ----------------------------------------


class Controls(NamedTuple):
    """The runs that control words of a width can express: fewer than 6 bits exclude some."""

    literals: tuple[int, ...]  # possible lengths of a run of differences
    repeats: tuple[int, ...]  # possible repeat counts in two words
    has_long: bool  # whether repeat counts up to 255 are possible in three words

    @classmethod
    def of(cls, bits: int) -> Controls:
        """Return the possible runs of words of ``bits`` bits, which are sign-extended."""
        words = range(-(1 << bits) // 2, (1 << bits) // 2) if bits else range(1)
        literals = {(word - 1) % 16 + 1 for word in words if word & 0x20}
        repeats = {word & 7 for word in words if not word & 0x30} - {0}
        return cls(tuple(sorted(literals)), tuple(sorted(repeats)), bits >= 6)


# Codes of runs: a literal run is its length, the others are these, a short one with its length added.
_TO_END_RUN, _SHORT_RUN, _LONG = 0, 32, 64


def encode_streams(
    values: NDArray[np.integer], wrap: int = 16, name: Callable[[int], str] = "stream {}".format
) -> list[tuple[DeltaStream, bytes]]:
    """Pack numbers into streams as small as this packing allows.

    Args:
        values: (streams, frames) the number of each frame.
        wrap: the number of significant low bits: 16, or 10 for angles.
        name: returns the name of a stream for errors.

    Returns:
        Each stream, with offset 0, and its bytes. :func:`decode_streams` returns ``values`` again, except for
            bits above ``wrap``.

    Raises:
        ExportError: if a number differs from the one before by more than 14 bits and a sign, or a stream
            would have too many words.
    """
    half = 1 << (wrap - 1)
    raw = np.asarray(values, np.int64)
    deltas = ((np.diff(raw, axis=1) + half) & (2 * half - 1)) - half
    bits = _bits_needed(deltas)
    if int(bits.max(initial=0)) > MOST_BITS:
        worst = int(bits.argmax())
        largest = int(np.abs(deltas[worst]).max())
        limit = (1 << (MOST_BITS - 1)) - 1
        raise ExportError(name(worst), T("moves too far between two frames"), count=largest, limit=limit)
    keys = ((raw[:, 0] + half) & (2 * half - 1)) - half if wrap == 16 else raw[:, 0] & (2 * half - 1)
    best: list[tuple[DeltaStream, bytes]] = [(DeltaStream(int(key), 0, 0), bytes(SLACK)) for key in keys]
    # Control words need 6 bits to express all runs; smaller words may need more of them.
    for width in range(1, MOST_BITS + 1):
        fits = np.flatnonzero((bits > 0) & (np.maximum(bits, 6) == width if width >= 6 else bits <= width))
        for stream, words in zip(fits.tolist(), _plan_words(deltas[fits], width), strict=True):
            old = best[stream][0]
            if not old.words or stream_size(len(words), width) <= old.size:
                packed = DeltaStream(int(keys[stream]), width, len(words))
                best[stream] = packed, _pack_words(words, width)
    for number, (stream, _) in enumerate(best):
        if stream.words > _MOST_WORDS:
            raise ExportError(name(number), T("has too many words"), count=stream.words, limit=_MOST_WORDS)
    return best


def _bits_needed(deltas: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the signed width of the differences of each stream, 0 if all are 0."""
    largest = np.where(deltas < 0, ~deltas, deltas).max(axis=1, initial=0)
    return np.where((deltas == 0).all(axis=1), 0, np.ceil(np.log2(largest + 1)).astype(np.int64) + 1)


def _plan_words(deltas: NDArray[np.int64], bits: int) -> list[list[int]]:
    """Return the shortest encoding of the differences of each stream in words of a width.

    The cheapest first run is chosen from the last frame to the first, for all streams at once: each choice
    depends on later ones, hence the loop over frames.
    """
    count, frames = deltas.shape
    if not count:
        return []
    controls = Controls.of(bits)
    literals = np.array(controls.literals)
    costs = np.zeros((frames + 1, count), np.int32)
    choices = np.zeros((frames, count), np.int8)
    repeats = np.zeros(count, np.int64)  # how often the difference at a frame is repeated from there
    rows = np.arange(count)
    for frame in range(frames - 1, -1, -1):
        if frame < frames - 1:
            repeats = np.where(deltas[:, frame] == deltas[:, frame + 1], repeats, 0)
        repeats = repeats + 1
        remaining = frames - frame
        # A literal run may be longer than the stream: its excess is never read.
        lengths = np.minimum(literals, remaining)
        options = costs[frame + lengths] + (1 + lengths)[:, None]
        chosen = options.argmin(axis=0)
        cost, choice = options[chosen, rows], literals[chosen]
        for length in controls.repeats:
            cheaper = np.flatnonzero((repeats >= length) & (2 + costs[min(frame + length, frames)] < cost))
            cost[cheaper] = 2 + costs[min(frame + length, frames), cheaper]
            choice[cheaper] = _SHORT_RUN + length
        if controls.has_long:
            ends = frame + np.minimum(repeats, _LONG_RUN)
            cheaper = np.flatnonzero(3 + costs[ends, rows] < cost)
            cost[cheaper] = 3 + costs[ends[cheaper], cheaper]
            choice[cheaper] = _LONG
        to_end = (repeats == remaining) & (cost > 2)
        costs[frame] = np.where(to_end, 2, cost)
        choices[frame] = np.where(to_end, _TO_END_RUN, choice)
    return [_words_of(deltas[row].tolist(), choices[:, row].tolist()) for row in range(count)]


def _words_of(deltas: list[int], choices: list[int]) -> list[int]:
    """Return the words of one stream, given the run that was chosen at each frame."""
    words: list[int] = []
    frame, frames = 0, len(deltas)
    while frame < frames:  # over runs: each determines where the next begins
        choice = choices[frame]
        if choice == _TO_END_RUN:
            return [*words, 0, deltas[frame]]
        if choice == _LONG:
            length = 1
            while length < _LONG_RUN and frame + length < frames and deltas[frame + length] == deltas[frame]:
                length += 1
            words += (0x10 | length >> 5, length & 31, deltas[frame])
        elif choice > _SHORT_RUN:
            length = choice - _SHORT_RUN
            words += (length, deltas[frame])
        else:
            length = choice
            words.append(0x30 | length & 15)  # 0x10 makes it negative in words of 5 bits
            words += deltas[frame : frame + length]
        frame += length
    return words


def _pack_words(words: list[int], bits: int) -> bytes:
    """Return words as bytes, the lowest bit first, followed by the slack."""
    shifts = np.arange(bits)
    packed = np.packbits((np.array(words)[:, None] >> shifts & 1).astype(np.uint8), bitorder="little")
    size = stream_size(len(words), bits)
    return packed.tobytes().ljust(size, b"\0")
