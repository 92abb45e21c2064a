"""Injections packed by hand, without the codec under test, and random records of each type."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.base.schema.fields import Choice, Field, List, Many, Number, Record, Row, String
from io_tomb_raider.formats.levels.injections.fields import (
    Corners,
    MeshShading,
    ObjectReference,
    Pixels,
    RecordForm,
    SectorRange,
    SoundSamples,
    Splits,
    Waves,
)
from tests.sample_levels import sample_bytes

CHUNK_OF = {**dict.fromkeys((14,), 5), **dict.fromkeys((30, 38), 7)}


def level_of(game: Game) -> Level:
    """Return the sample level of a game, read anew."""
    return read_level(sample_bytes(game))


def trxj(
    version: int,
    blocks: Sequence[tuple[int, int, bytes]],
    *,
    tests: tuple[int, bytes] = (0, b""),
    kind: int = 0,
    level: int = 9,
) -> bytes:
    """Return a file with blocks (type, number of elements, bytes), each in a chunk of its own."""
    payload = struct.pack("<2i", tests[0], len(tests[1])) + tests[1] + struct.pack("<i", len(blocks))
    for number, count, data in blocks:
        chunk = CHUNK_OF.get(number, 6)
        payload += struct.pack("<3i", chunk, 1, len(data) + 12)
        payload += packed((number, count, data))
    content = zlib.compress(payload, level)
    return struct.pack("<4s4i", b"TRXJ", version, kind, len(payload), len(content)) + content


def packed(block: tuple[int, int, bytes]) -> bytes:
    """Return a block: type, number of elements, bytes."""
    return struct.pack("<3i", block[0], block[1], len(block[2])) + block[2]


def trxi(
    *chunks: tuple[int, int, Sequence[tuple[int, int, bytes]]],
    tests: Sequence[tuple[int, int, bytes]] = (),
    kind: int = 0,
    number: int = 1,
) -> bytes:
    """Return a file of TRXI with chunks (type, version, blocks) and tests (type, version, bytes)."""
    payload = struct.pack("<i", len(tests))
    payload += b"".join(struct.pack("<3i", *test[:2], len(test[2])) + test[2] for test in tests)
    payload += struct.pack("<i", len(chunks))
    for chunk, version, blocks in chunks:
        body = b"".join(map(packed, blocks))
        payload += struct.pack("<4i", chunk, version, len(blocks), len(body)) + body
    content = zlib.compress(payload, 9)
    return struct.pack("<4s4i", b"TRXI", number, kind, len(payload), len(content)) + content


def sector(room: int, x: int, z: int, *edits: tuple[int, bytes]) -> bytes:
    """Return a record of floor edits."""
    head = struct.pack("<hHHi", room, x, z, len(edits))
    return head + b"".join(struct.pack("<i", kind) + data for kind, data in edits)


def sector_edit(below: int = -1, above: int = -1, *, box: int = 5, floor_data: int = 12) -> tuple[int, bytes]:
    """Return edit 7: a whole sector."""
    return 7, struct.pack("<H5h", floor_data, box, below, 1024, above, -2048)


def page(number: int, color: tuple[int, int, int, int] = (10, 20, 30, 255)) -> bytes:
    """Return a whole page of one color."""
    return struct.pack("<HBBHH", number, 0, 0, 256, 256) + bytes(color) * 65536


def t1mj(version: int, *, floor_edits: Sequence[bytes] = ()) -> bytes:
    """Return a T1MJ file with floor edits only."""
    counts = [0] * 19
    counts[18] = len(floor_edits)
    head = struct.pack("<4s2i", b"T1MJ", version, 4) + struct.pack("<19i", *counts)
    later = (1 if version < 8 else 0) + (3 if version >= 2 else 0)
    later += sum(version >= each for each in (3, 4, 10, 11))
    return head + bytes(4 * later) + bytes(range(256)) * 3 + b"".join(floor_edits)


# --- A file of TRXI -----------------------------------------------------------------------------

SYMBOL = struct.pack("<3i", 0, 400, 7) + b"big gun" + bytes(4)
MODEL = struct.pack("<2i2HIIH", 3, 400, 2, 0, 0, 0, 0)
# A triangle with effects, and a coloured quad, three normals; then a mesh with lights and no faces.
FIRST_MESH = (
    struct.pack("<3hi", 1, 2, 3, 70000)
    + struct.pack("<h9h", 3, 0, 0, 0, 10, 0, 0, 0, 10, 0)
    + struct.pack("<h9h", 3, *[0, -16384, 0] * 3)
    + struct.pack("<H", 0)
    + struct.pack("<H5H", 1, 0, 1, 2, 0x8005, 3)
    + struct.pack("<H6H", 1, 0, 1, 2, 0, 17, 0)
    + struct.pack("<H", 0)
)
SECOND_MESH = (
    struct.pack("<3hi", 0, 0, 0, 9)
    + struct.pack("<h3h", 1, 5, 6, 7)
    + struct.pack("<hh", -1, 8191)
    + bytes(8)
)
KEY = struct.pack("<9hH6h", -1, 1, -2, 2, -3, 3, 4, 5, 6, 2, 64, -64, 0x4000, 0, 0, 64)
TEXTURE = struct.pack("<3H8H4I", 1, 0, 0, *range(8), 9, 10, 11, 12)
ANIMATION = struct.pack("<IBBH4i8H", 0, 2, 13, 5, 1 << 16, 2, 3, 4, 0, 1, 0, 0, 0, 0, 0, 0)


def mod(*, meshes: bytes = FIRST_MESH + SECOND_MESH) -> bytes:
    """Return a file with a named model of two meshes and one animation of one key frame."""
    sound = struct.pack("<hHHbBHB", 1, 0x7FFF, 0, -5, 10, 2, 2)
    sound += b"\0" + struct.pack("<I", 3) + b"wav" + b"\1" + struct.pack("<I", 205)
    return trxi(
        (8, 1, [(40, 1, SYMBOL)]),
        (0, 1, [(0, 1, bytes([250, 128, 3]))]),
        (1, 1, [(2, 1, TEXTURE)]),
        (2, 1, [(6, 2, struct.pack("<2I", len(FIRST_MESH), 0)), (5, 2, meshes)]),
        (3, 1, [(10, 1, struct.pack("<4i", 0, 0, -64, 0)), (11, 1, KEY), (12, 1, ANIMATION)]),
        (4, 1, [(13, 1, MODEL)]),
        (5, 1, [(41, 1, sound)]),
        (6, 1, [(17, 1, sector(1, 2, 3, (17, struct.pack("<Bhh", 14, 5, 6))))]),
        tests=[(4, 1, struct.pack("<i", 2)), (1, 1, struct.pack("<i", 38))],
    )


# --- Random records ------------------------------------------------------------------------------

_FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)


def numbers(code: str) -> st.SearchStrategy[Any]:
    """Return the numbers that a format of ``struct`` can hold."""
    if code in "fd":
        return _FLOATS
    bits = 8 * struct.calcsize("<" + code)
    if code.isupper():
        return st.integers(0, (1 << bits) - 1)
    return st.integers(-(1 << bits - 1), (1 << bits - 1) - 1)


@st.composite
def records(draw: st.DrawFn, fields: Sequence[Field], form: RecordForm) -> Record:
    """Return random records with these fields."""
    record: Record = {}
    for field in fields:
        _fill(draw, field, record, form)
    return record


def _fill(draw: st.DrawFn, field: Field, record: Record, form: RecordForm) -> None:
    if isinstance(field, Number):
        if form.version >= field.since:
            small = field.name in ("width", "height")
            record[field.name] = draw(st.integers(0, 3) if small else numbers(field.code))
    elif isinstance(field, Row):
        count = field.count if isinstance(field.count, int) else field.count(form)
        record[field.name] = draw(st.lists(numbers(field.code), min_size=count, max_size=count))
    elif isinstance(field, List):
        record[field.name] = draw(
            st.lists(
                st.lists(numbers(field.code), min_size=field.width, max_size=field.width), max_size=4
            ).map(lambda groups: [each for group in groups for each in group])
        )
    elif isinstance(field, String):
        if form.version >= field.since:
            record[field.name] = draw(st.text(max_size=8))
    elif isinstance(field, ObjectReference):
        record[field.name] = {"kind": draw(st.integers(0, 3)), "id": draw(numbers("i"))}
        if record[field.name]["kind"] == 0 and form.version < 5:
            record[field.name]["guid"] = draw(st.binary(min_size=16, max_size=16))
    elif isinstance(field, Many):
        if form.version >= field.since:
            record[field.name] = draw(st.lists(records(field.fields, form), max_size=3))
    elif isinstance(field, Choice):
        record[field.name] = draw(st.sampled_from(sorted(field.cases)))
        for each in (*field.between, *field.cases[record[field.name]]):
            _fill(draw, each, record, form)
    elif isinstance(field, Corners):
        count = 3 if record["face_type"] % 2 else 4
        record[field.name] = draw(st.lists(numbers("H"), min_size=count, max_size=count))
    elif isinstance(field, Pixels):
        size = field.size * record["width"] * record["height"]
        record[field.name] = draw(st.binary(min_size=size, max_size=size))
    elif isinstance(field, Splits):
        words = st.lists(numbers("H"), min_size=2, max_size=2)
        record["floor"], record["ceiling"] = draw(st.none() | words), draw(st.none() | words)
    elif isinstance(field, Waves):
        _fill_waves(draw, record, form)
    elif isinstance(field, SoundSamples):
        record[field.name] = draw(st.lists(st.binary(max_size=5) | numbers("I"), max_size=3))
    elif isinstance(field, SectorRange):
        record[field.name] = 1024 * draw(numbers("B"))
    elif isinstance(field, MeshShading):
        normals, lights = draw(st.sampled_from([([], []), ([1, -2, 3, 4, 5, 6], []), ([], [8191, -1])]))
        record |= {"normals": normals, "lights": lights}
    else:
        raise TypeError(field)


def _fill_waves(draw: st.DrawFn, record: Record, form: RecordForm) -> None:
    if form.version <= 3 and form.game is not Game.TR1:
        record["sample"] = draw(numbers("I"))
        return
    count = record["flags"] >> 2 & 0xF
    record["waves"] = draw(st.lists(st.binary(max_size=5), min_size=count, max_size=count))
