"""A reader of TRXI injections that shares nothing with the extension: `struct`, zlib, and the description.

It reads each block element by element, and refuses what is not consumed exactly, references that lead
nowhere, and an order in which an engine could not read. What it returns are plain lists and dictionaries.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

_ORDER = (8, 0, 1, 2, 3, 4, 5, 7, 6)
_BLOCKS = {
    **{8: (40,), 0: (0, 1), 1: (2, 3, 4), 2: (6, 5), 3: (7, 8, 9, 10, 11, 12), 4: (13, 29)},
    **{5: (14, 41), 7: (30, 38, 43)},
    6: (17, 18, 33, 37, 19, 26, 20, 35, 42, 21, 22, 23, 24, 25, 32, 27, 28, 31, 34, 36, 39),
}
_SYMBOL = 3  # the kind of a reference to a symbol
_NO_FRAMES = 0xFFFFFFFF


class RefusedError(Exception):
    """Something that a reader of the format refuses."""


@dataclass
class Injection:
    """A file: its type, the tests, and the elements of each block."""

    file_type: int
    tests: list[tuple[int, Any]] = field(default_factory=list)
    blocks: dict[int, list[Any]] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)  #: the chunks as the file has them.


class Cursor:
    """Bytes that are read from start to end."""

    def __init__(self, data: bytes, where: str, game: int = 0) -> None:
        self.data, self.at, self.where, self.game = data, 0, where, game

    def take(self, count: int) -> bytes:
        """Return the next bytes."""
        if count < 0 or self.at + count > len(self.data):
            raise RefusedError(f"{self.where}: {count} bytes at {self.at} of {len(self.data)}")
        self.at += count
        return self.data[self.at - count : self.at]

    def get(self, form: str) -> Any:
        """Return numbers of a `struct` form: one number alone, several as a list."""
        values = struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))
        return values[0] if len(values) == 1 else list(values)

    def many(self, count: int, form: str) -> list[Any]:
        """Return elements of one form."""
        return [self.get(form) for _ in range(count)]

    def text(self) -> str:
        """Return a text with its length in front."""
        return self.take(self.get("i")).decode("utf-8")

    def end(self) -> None:
        """Refuse bytes that are left."""
        if self.at != len(self.data):
            raise RefusedError(f"{self.where}: {len(self.data) - self.at} bytes are left")


# --- Records ---------------------------------------------------------------------------------------------

Reader = Callable[[Cursor], Any]


def _of(form: str) -> Reader:
    return lambda c: c.get(form)


def _mesh(c: Cursor) -> dict[str, Any]:
    start = c.at
    center, radius = c.get("3h"), c.get("i")
    vertices = c.many(c.get("h"), "3h")
    count = c.get("h")
    light = c.many(count, "3h") if count > 0 else c.many(-count, "h")
    faces = [c.many(c.get("H"), f"{corners}HHH") for corners in (4, 3, 4, 3)]
    for face in (face for group in faces for face in group):
        if max(face[:-2]) >= len(vertices):
            raise RefusedError(f"{c.where}: a face names vertex {max(face[:-2])} of {len(vertices)}")
    return {"start": start, "center": center, "radius": radius, "vertices": vertices, "light": light} | {
        "faces": faces
    }


def _frame(c: Cursor) -> dict[str, Any]:
    box, offset = c.get("6h"), c.get("3h")
    return {"box": box, "offset": offset, "angles": c.many(c.get("H"), "3h")}


def _sound(c: Cursor) -> dict[str, Any]:
    number, volume, chance, pitch, sectors, flags, count = c.get("hHHBBHB")
    if volume > 0x7FFF:
        raise RefusedError(f"{c.where}: volume {volume}")
    waves = []
    for _ in range(count):
        mode = c.get("B")
        if mode > 1:
            raise RefusedError(f"{c.where}: mode {mode} of a sound")
        waves.append(c.get("I") if mode else c.take(c.get("I")))
    return {"number": number, "volume": volume, "chance": chance, "pitch": pitch, "range": sectors} | {
        "flags": flags,
        "waves": waves,
    }


def _floor_edit(c: Cursor) -> list[Any]:
    room, x, z, count = c.get("hHHI")
    return [room, x, z, [(kind := c.get("I"), _EDITS[kind](c)) for _ in range(count)]]


def _triangulation(c: Cursor) -> list[Any]:
    bits = c.get("i")
    return [bits, *(c.get("HH") for _ in range((bits & 1) + (bits >> 1 & 1)))]


def _zones(c: Cursor) -> list[int]:
    return c.many(6 if c.game == 1 else 10, "h")


_EDITS: dict[int, Reader] = {
    0: _of("Bhh"),
    1: lambda c: [],
    2: lambda c: c.many(c.get("i"), "H"),
    3: _of("IIi"),
    4: lambda c: [c.get("ii"), c.get("h3ihhH"), c.text()],
    5: _of("HBB"),
    6: _of("B"),
    7: _of("Hhhhhh"),
    8: _of("BB3h"),
    9: _zones,
    10: _of("hhh"),
    11: _of("i"),
    12: lambda c: [],
    13: _triangulation,
    14: _of("i"),
    15: _of("B"),
    16: _of("HH"),
    17: _of("Bhh"),
}


def _mesh_edit(c: Cursor) -> dict[str, Any]:
    return {
        **{"ref": c.get("ii"), "mesh": c.get("h"), "center": c.get("3h"), "radius": c.get("i")},
        "faces": [[c.get("iihih"), c.many(c.get("I"), "h")] for _ in range(c.get("I"))],
        "vertices": c.many(c.get("I"), "4h"),
        "effects": c.many(c.get("I"), "ihHB"),
    }


def _room_edit(c: Cursor) -> list[Any]:
    kind, room, face_type = c.get("ihi")
    corners = "3H" if face_type in (1, 3) else "4H"
    forms: dict[int, Reader] = {
        0: _of("hhih"),
        1: lambda c: [c.get("h"), c.many(c.get("I"), "hH")],
        2: _of("H4h"),
        3: _of("hB"),
        4: _of("hh" + corners),
        5: _of("4h"),
        6: _of("iHH"),
        7: _of("3ihHH"),
        8: _of("i3ihH"),
        9: _of("HH"),
        10: _of("hB"),
    }
    return [kind, room, face_type, forms[kind](c)]


_VALUES: dict[int, Reader] = {
    **{0: _of("i"), 1: _of("f"), 2: _of("d"), 3: _of("i"), 4: _of("3i"), 5: _of("3B")},
}


def _properties(c: Cursor) -> list[Any]:
    owner = c.get("i")
    ref = c.get("i") if owner else c.get("ii")
    return [owner, ref, [[c.text(), kind := c.get("i"), _VALUES[kind](c)] for _ in range(c.get("i"))]]


def _symbol(c: Cursor) -> dict[str, Any]:
    context, slot, name, zero = c.get("i"), c.get("i"), c.text(), c.get("i")
    if not 0 <= context <= 5 or zero or not 1 <= len(name) <= 255 or not name.isascii():
        raise RefusedError(f"symbol {name!r}: context {context}, last number {zero}")
    return {"context": context, "slot": slot, "name": name}


_RECORDS: dict[int, Reader] = {
    40: _symbol,
    0: _of("3B"),
    2: _of("HHH8H4I"),
    3: _of("HBBHH4h"),
    4: _of("iihH"),
    5: _mesh,
    6: _of("I"),
    7: _of("3H"),
    8: _of("4h"),
    9: _of("h"),
    10: _of("Iiii"),
    11: _frame,
    12: _of("IBBH" + "hH" * 4 + "8H"),
    13: _of("iiHHIIH"),
    29: _of("IH6h6hH"),
    **{14: _sound, 41: _sound},
    30: _of("8h"),
    38: _of("3i3iBBHhHHHI"),
    43: _of("I"),
    17: _floor_edit,
    18: _of("hh3ih"),
    33: _of("hiiH"),
    37: lambda c: [c.get("h"), c.text()],
    19: _mesh_edit,
    26: _of("iBB12h"),
    20: lambda c: (head := c.get("HBBHH"), c.take(head[3] * head[4] * 4)),
    35: lambda c: [c.get("i"), c.many(c.get("i"), "H")],
    42: lambda c: c.many(c.get("i"), "H"),
    21: _of("7h"),
    22: _room_edit,
    23: _of("3h12h"),
    24: _of("h3ihH"),
    25: _of("iiiI"),
    32: lambda c: [c.get("ii"), [[c.get("i"), c.many(c.get("i"), "H")] for _ in range(c.get("i"))]],
    27: _of("ii3i"),
    28: _of("ii4h"),
    31: _of("iiii"),
    34: _of("iiii"),
    36: _of("iiii"),
    39: _properties,
}
_TESTS: dict[int, Reader] = {
    0: _of("iii3ihh"),
    1: _of("i"),
    2: _of("i4iHH"),
    3: _of("iHH8H"),
    4: _of("i"),
}


# --- The file --------------------------------------------------------------------------------------------


def read(data: bytes) -> Injection:
    """Read a file. Raises :class:`RefusedError`."""
    head = Cursor(data, "header")
    magic = head.take(4)
    major, file_type, size, packed = head.get("4I")
    if magic != b"TRXI" or major > 1 or file_type > 10:
        raise RefusedError(f"{magic!r}, version {major}, file type {file_type}")
    payload = zlib.decompress(head.take(packed))
    head.end()
    if len(payload) != size:
        raise RefusedError(f"{len(payload)} bytes instead of {size}")
    c = Cursor(payload, "payload")
    result = Injection(file_type)
    for _ in range(c.get("I")):
        kind, version, length = c.get("III")
        inner = Cursor(c.take(length), f"test {kind}")
        if version != 1 or kind not in _TESTS:
            raise RefusedError(f"test {kind} of version {version}")
        result.tests.append((kind, _TESTS[kind](inner)))
        inner.end()
    c.game = next((numbers for kind, numbers in result.tests if kind == 4), 0)
    for _ in range(c.get("I")):
        _read_chunk(c, result)
    c.end()
    _check(result)
    return result


def _read_chunk(c: Cursor, result: Injection) -> None:
    chunk, version, count, size = c.get("4I")
    if version != 1 or chunk not in _BLOCKS or not count:
        raise RefusedError(f"chunk {chunk} of version {version} with {count} blocks")
    result.order.append(chunk)
    inner = Cursor(c.take(size), f"chunk {chunk}")
    order = []
    for _ in range(count):
        block, elements, length = inner.get("III")
        order.append(block)
        if block not in _BLOCKS[chunk] or block in result.blocks or not elements:
            raise RefusedError(f"chunk {chunk}: block {block} with {elements} elements")
        content = Cursor(inner.take(length), f"block {block}", c.game)
        if block == 1:  # colors of all pages, then their palette numbers
            result.blocks[block] = [content.take(elements * 65536 * 4), content.take(elements * 65536)]
        else:
            result.blocks[block] = [_RECORDS[block](content) for _ in range(elements)]
        content.end()
    inner.end()
    if order != [block for block in _BLOCKS[chunk] if block in order]:
        raise RefusedError(f"chunk {chunk}: blocks in the order {order}")


def _check(result: Injection) -> None:
    """Refuse an order that engines cannot read, and numbers that lead out of their lists."""
    if result.order != [chunk for chunk in _ORDER if chunk in result.order]:
        raise RefusedError(f"chunks in the order {result.order}")
    if any(kind == 4 for kind, _ in result.tests[1:]):
        raise RefusedError("the test of the game is not the first")
    blocks = result.blocks
    starts = {mesh["start"] for mesh in blocks.get(5, [])}
    _all_in(blocks.get(6, []), starts, "mesh pointers")
    counts = {number: len(blocks.get(number, [])) for number in (5, 6, 7, 8, 9, 11, 12)}
    for each in blocks.get(12, []):
        first_frame, first_change, first_command = each[0], each[17], each[19]
        _within(first_frame, 1, counts[11], "first frame of an animation")
        _within(first_change, each[16], counts[7], "state changes of an animation")
        _within(first_command, int(each[18] > 0), counts[9], "commands of an animation")
    for state, number, first in blocks.get(7, []):
        _within(first, number, counts[8], f"ranges of state {state}")
    for kind, _, meshes, first, _tree, frame, _animation in blocks.get(13, []):
        if counts[6]:  # else they are those of the level
            _within(first, meshes, counts[6], f"meshes of an object of kind {kind}")
        if frame not in (_NO_FRAMES, 0):
            _within(frame, 1, counts[11], "frame of an object")
    symbols = {each["slot"] for each in blocks.get(40, []) if each["context"] == 0}
    refs = [each[:2] for number in (4, 13, 25, 27, 28, 34) for each in blocks.get(number, [])]
    refs += [ref for number in (31, 36) for each in blocks.get(number, []) for ref in (each[:2], each[2:])]
    _all_in([slot for kind, slot in refs if kind == _SYMBOL], symbols, "references to symbols")


def _within(first: int, count: int, length: int, what: str) -> None:
    if count and not 0 <= first <= first + count <= length:
        raise RefusedError(f"{what}: {first} to {first + count} of {length}")


def _all_in(values: list[int], allowed: set[int], what: str) -> None:
    if set(values) - allowed:
        raise RefusedError(f"{what}: {sorted(set(values) - allowed)[:5]} lead nowhere")
