"""Generated cutscenes, packed at random in all possible ways, and a plain reader of streams.

Nothing here uses the code under test: numbers are packed bit by bit, and read as the engines read them.
"""

from __future__ import annotations

from random import Random
from struct import pack

MARK = b"(C) DEL!"


def read_stream(data: bytes, offset: int, bits: int, key: int, frames: int) -> list[int]:
    """Return the numbers of a stream, frame by frame."""

    def word(place: int) -> int:
        at = place * bits
        window = int.from_bytes(data[offset + (at >> 3) : offset + (at >> 3) + 4], "little")
        value = window >> (at & 7) & ((1 << bits) - 1)
        return value - (1 << bits) if bits and value >> (bits - 1) else value

    values, mode, count, repeated, place = [key], 0, 0, 0, 0
    while len(values) < frames:
        if mode == 0:
            control = word(place)
            if control & 0x20:
                mode, count, place = 1, control & 15 or 16, place + 1
            elif control & 0x10:
                mode, count = 2, (control & 7) << 5 | word(place + 1) & 31
                repeated, place = word(place + 2), place + 3
            else:
                mode, count, repeated, place = 2, control & 7, word(place + 1), place + 2
            count = count or 0x10000
        delta = repeated
        if mode == 1:
            delta, place = word(place), place + 1
        values.append((values[-1] + delta + 0x8000 & 0xFFFF) - 0x8000)
        count -= 1
        if count == 0:
            mode = 0
    return values[:frames]


def pack_bits(words: list[int], bits: int) -> bytes:
    """Return concatenated words, followed by other bytes."""
    whole = sum((word & ((1 << bits) - 1)) << (bits * place) for place, word in enumerate(words))
    return whole.to_bytes((len(words) * bits >> 3) + 4, "little")


def random_stream(random: Random, frames: int) -> tuple[int, int, list[int]]:
    """Return a stream of random runs: its key, its bits, and enough words for a number of frames."""
    bits = random.choice([0, *range(6, 16)])
    key = random.randrange(-0x8000, 0x8000)
    if not bits:
        return key, 0, []
    limit = 1 << (bits - 1)
    words: list[int] = []
    made = 1
    while made < frames:
        kind = random.randrange(7)
        if kind < 3:
            count = random.randint(1, 16)
            words += [0x20 | count & 15, *(random.randrange(-limit, limit) for _ in range(count))]
        elif kind < 5:
            count = random.randint(1, 7)
            words += [count | 8 * random.randrange(2), random.randrange(-limit, limit)]
        elif kind < 6:
            count = random.randint(1, 255)
            words += [0x10 | count >> 5, count & 31, random.randrange(-limit, limit)]
        else:
            count = frames
            words += [0, random.randrange(-limit, limit)]
        made += count
    return key, bits, words


class Sample:
    """A cutscene of random streams.

    Attributes:
        data: its bytes.
        values: for the camera and each actor, for each track, for x, y and z: the number of each frame.
    """

    def __init__(self, seed: int, frames: int = 40, nodes: tuple[int, ...] = (15, 3)) -> None:
        random = Random(seed)
        blocks: list[bytes] = []
        self.values: list[list[list[list[int]]]] = []
        for tracks in (2, *(count + 1 for count in nodes)):
            headers, streams = b"", b""
            self.values.append([])
            for _ in range(tracks):
                axes = [random_stream(random, frames) for _ in range(3)]
                widths = axes[0][1] << 10 | axes[1][1] << 5 | axes[2][1]
                keys, counts = (axis[0] for axis in axes), (len(axis[2]) for axis in axes)
                headers += pack("<3hH3h", *keys, widths, *counts)
                packed = [pack_bits(words, bits) for _, bits, words in axes]
                track = [
                    read_stream(content, 0, bits, key, frames)
                    for content, (key, bits, _) in zip(packed, axes, strict=True)
                ]
                self.values[-1].append(track)
                streams += b"".join(packed)
            blocks.append(headers + streams)
        size = 24 + 8 * len(nodes)
        gap = b"padding!"
        # The camera is between the actors, to show that offsets are used, not the order.
        order = [1, 0, *range(2, len(blocks))]
        offsets = [0] * len(blocks)
        body = b""
        for block in order:
            offsets[block] = size + len(body) + len(gap)
            body += gap + blocks[block]
        head = pack("<hh3iii", len(nodes), frames, 10240, -512, 20480, -1, offsets[0])
        slots = b"".join(
            pack("<ihh", offsets[number + 1], 7 * number, count) for number, count in enumerate(nodes)
        )
        self.data = head + slots + body


TEXT = b"Ok, I've got about 1.5k of padding here"


def cutseq_file(cutscenes: dict[int, bytes], size: int, text: bytes = TEXT) -> bytes:
    """Return a file of cutscenes by number, each at a sector, with a directory of ``size`` entries."""
    entries = [(0, 0)] * size
    body = b""
    start = 2048
    for number, content in sorted(cutscenes.items()):
        entries[number - 1] = (start + len(body), len(content))
        body += content + bytes(-len(content) % 2048)
    directory = MARK + b"".join(pack("<II", *entry) for entry in entries)
    return (directory + text).ljust(start, b"\0") + body
