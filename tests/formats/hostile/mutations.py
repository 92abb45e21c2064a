"""Damaged copies of level files: truncated, with false counts, with bytes changed, removed and inserted.

The positions of sections and counts are not written down here: a file is read once while every read is
recorded. Chunks are stored without compression, so that damage affects their content.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np

from io_tomb_raider.formats import Level, read_level
from io_tomb_raider.formats.base.bytes.cursor import Cursor
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes

WHOLE = ""  # the buffer that is the file itself
_STREAM = "file"  # the name of the one stream of an early demo in a level
_CHUNK = struct.Struct("<II")


@dataclass(frozen=True)
class Place:
    """A part of a buffer that was read at once."""

    buffer: str
    section: str
    offset: int
    size: int
    is_number: bool


class _Recorder:
    """Records the reads of cursors, with their buffers."""

    def __init__(self) -> None:
        self.taken: list[tuple[Any, str, int, int, bool]] = []

    @contextmanager
    def recording(self) -> Iterator[None]:
        take, fields, array = Cursor.take, Cursor.fields, Cursor.array

        def recorded_take(cursor: Cursor, size: int, element: int | None = None) -> int:
            start = take(cursor, size, element)
            self._note(cursor, start, size, False)
            return start

        def recorded_fields(cursor: Cursor, layout: struct.Struct, element: int | None = None) -> Any:
            start = cursor.offset
            values = fields(cursor, layout, element)
            for offset, size in _numbers(layout.format):
                self._note(cursor, start + offset, size, True)
            return values

        def recorded_array(cursor: Cursor, dtype: np.dtype, count: int, element: int | None = None) -> Any:
            start = cursor.offset
            values = array(cursor, dtype, count, element)
            if count == 1:  # a header, whose numbers are counts and offsets, too
                for offset, size in _fields(dtype):
                    self._note(cursor, start + offset, size, True)
            return values

        with (
            patch.object(Cursor, "take", recorded_take),
            patch.object(Cursor, "fields", recorded_fields),
            patch.object(Cursor, "array", recorded_array),
        ):
            yield

    def _note(self, cursor: Cursor, start: int, size: int, is_number: bool) -> None:
        data = cursor.data.obj if isinstance(cursor.data, memoryview) else cursor.data
        self.taken.append((data, f"{cursor.inside}/{cursor.section}", start, size, is_number))


def _numbers(layout: str) -> Iterator[tuple[int, int]]:
    """Return offset and size of the integers of a packed structure, given in the notation of ``struct``."""
    offset = 0
    for count, code in re.findall(r"(\d*)([a-zA-Z])", layout):
        size = struct.calcsize("<" + code)
        repeat = int(count or 1)
        if code != "s":
            yield from ((offset + size * number, size) for number in range(repeat))
        offset += size * repeat


def _fields(dtype: np.dtype) -> Iterator[tuple[int, int]]:
    """Return offset and size of the plain numbers of a record."""
    for field, offset, *_ in (dtype.fields or {}).values():
        if field.subdtype is None:
            yield offset, field.itemsize


def stored(content: bytes) -> bytes:
    """Return a zlib stream that stores its content uncompressed."""
    return zlib.compress(content, 0)


def _size(place: Place) -> int:
    return place.size


class Specimen:
    """A level file that can be damaged at every relevant place.

    Attributes:
        places: all reads of it, in order.
        level: the level that the intact file contains.
    """

    def __init__(self, content: bytes) -> None:
        level = read_level(content)
        self.is_stream = _STREAM in level.streams
        whole = level.streams[_STREAM][0] if self.is_stream else content
        self._chunks: dict[str, tuple[int, int]] = {}
        self._buffers: dict[str, bytes] = {}
        self._store_chunks(level, whole)
        recorder = _Recorder()
        with recorder.recording():
            self.level = read_level(self.build(WHOLE, self._buffers[WHOLE]))
        self.places = list(self._places(recorder))
        if len(getattr(self.level, "mesh_data", ())):
            self.places += self._mesh_places()

    def _store_chunks(self, level: Level, whole: bytes) -> None:
        pieces, end, size = [], 0, 0
        for name, (content, stream) in level.streams.items():
            if name == _STREAM:
                continue
            start = whole.index(bytes(stream), end) - _CHUNK.size
            packed = stored(content)
            pieces += [whole[end:start], _CHUNK.pack(len(content), len(packed)), packed]
            size += len(pieces[-3])
            self._chunks[name] = (size, size + _CHUNK.size + len(packed))
            self._buffers[name] = content
            size, end = self._chunks[name][1], start + _CHUNK.size + len(stream)
        self._buffers[WHOLE] = b"".join((*pieces, whole[end:]))

    def _places(self, recorder: _Recorder) -> Iterator[Place]:
        """Convert records to places. Attempts to read the file in another way used the same buffers."""
        names = {content: name for name, content in self._buffers.items()}
        known = {id(data): names.get(bytes(data)) for data, *_ in recorder.taken if isinstance(data, bytes)}
        seen = set()
        for data, section, offset, size, is_number in recorder.taken:
            place = Place(known.get(id(data)) or WHOLE, section, offset, size, is_number)
            if place not in seen and id(data) in known:
                seen.add(place)
                yield place

    def _mesh_places(self) -> Iterator[Place]:
        """Return the reads of meshes, in the buffer that contains their block."""
        recorder = _Recorder()
        with recorder.recording():
            decode_meshes(self.level.game, self.level.mesh_data, self.level.mesh_pointers)
        block = max((place for place in self.places if place.section.endswith("/mesh_data")), key=_size)
        for _, section, offset, size, is_number in recorder.taken:
            yield Place(block.buffer, section, block.offset + offset, size, is_number)

    def buffer(self, name: str) -> bytes:
        """Return the content of the file or of a chunk."""
        return self._buffers[name]

    def build(self, name: str, content: bytes) -> bytes:
        """Return the file with other content in one of its buffers, and consistent sizes and checksums."""
        if name != WHOLE:
            start, end = self._chunks[name]
            packed = stored(content)
            whole = self._buffers[WHOLE]
            content = whole[:start] + _CHUNK.pack(len(content), len(packed)) + packed + whole[end:]
        return stored(content) if self.is_stream else content


@dataclass(frozen=True)
class Mutation:
    """One damage: a number of bytes at an offset of a buffer is replaced."""

    description: str
    buffer: str
    offset: int
    removed: int
    added: bytes

    def apply(self, specimen: Specimen) -> bytes:
        """Return the damaged file."""
        content = specimen.buffer(self.buffer)
        damaged = content[: self.offset] + self.added + content[self.offset + self.removed :]
        return specimen.build(self.buffer, damaged)


def mutations(specimen: Specimen, seed: int, wanted: int) -> Iterator[Mutation]:
    """Damage a level: at every border of sections and in every count, then in meshes and at random.

    Meshes have more borders and counts than everything else together: only some of them are used.
    """
    random = Random(seed)
    sections = [place for place in specimen.places if not place.section.startswith(_MESHES)]
    meshes = [place for place in specimen.places if place.section.startswith(_MESHES)]
    first = [*_truncations(specimen, sections), *_false_numbers(specimen, sections)]
    yield from first
    left = max(wanted - len(first), wanted // 5)
    within = [*_truncations(specimen, meshes), *_false_numbers(specimen, meshes)]
    some = random.sample(within, min(len(within), left // 2))
    yield from some
    for _ in range(left - len(some)):
        yield _random_damage(specimen, random)


_MESHES = "meshes/"


def _truncations(specimen: Specimen, places: list[Place]) -> Iterator[Mutation]:
    borders = {(place.buffer, edge) for place in places for edge in (place.offset, place.offset + place.size)}
    for name, border in sorted(borders):
        if border < len(specimen.buffer(name)):
            yield Mutation(f"{name or 'file'} ends at {border}", name, border, 1 << 62, b"")


def _false_numbers(specimen: Specimen, places: list[Place]) -> Iterator[Mutation]:
    for place in places:
        if not place.is_number:
            continue
        bits = 8 * place.size
        true = specimen.buffer(place.buffer)[place.offset : place.offset + place.size]
        for value in (0, 1, (1 << bits) - 1, (1 << bits - 1) - 1):
            false = value.to_bytes(place.size, "little")
            if false != true:
                description = f"{place.section} at {place.offset} = {value:#x}"
                yield Mutation(description, place.buffer, place.offset, place.size, false)


def _random_damage(specimen: Specimen, random: Random) -> Mutation:
    """Change, remove or insert some bytes of a section; all sections have the same probability."""
    place = random.choice(specimen.places)
    content = specimen.buffer(place.buffer)
    offset = min(place.offset + random.randrange(max(place.size, 1)), len(content) - 1)
    length = random.choice((1, 1, 2, 4, 16))
    noise = random.choice((random.randbytes(length), b"\xff" * length, bytes(length)))
    removed = random.choice((length, length, length, 0))
    added = random.choice((noise, noise, noise, b""))
    description = f"{place.section}: {removed} bytes at {offset} become {added.hex() or 'none'}"
    return Mutation(description, place.buffer, offset, removed, added)
