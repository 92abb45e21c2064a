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
    ObjectReference,
    Pixels,
    RecordForm,
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
        payload += struct.pack("<3i", number, count, len(data)) + data
    packed = zlib.compress(payload, level)
    return struct.pack("<4s4i", b"TRXJ", version, kind, len(payload), len(packed)) + packed


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
        record[field.name] = draw(st.lists(numbers(field.code), max_size=4))
    elif isinstance(field, String):
        if form.version >= field.since:
            record[field.name] = draw(st.text(max_size=8))
    elif isinstance(field, ObjectReference):
        record[field.name] = {"kind": draw(st.integers(0, 2)), "id": draw(numbers("i"))}
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
    else:
        raise TypeError(field)


def _fill_waves(draw: st.DrawFn, record: Record, form: RecordForm) -> None:
    if form.version <= 3 and form.game is not Game.TR1:
        record["sample"] = draw(numbers("I"))
        return
    count = record["flags"] >> 2 & 0xF
    record["waves"] = draw(st.lists(st.binary(max_size=5), min_size=count, max_size=count))
