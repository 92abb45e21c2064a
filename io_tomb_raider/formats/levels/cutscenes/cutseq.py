"""CUTSEQ.PAK and CUTSEQ.BIN: all cutscenes of TR4 and TR5, chapter 14 of the documentation.

The file is a directory of 8-byte entries, the first of which is the text ``(C) DEL!``, so cutscenes are
numbered from 1, followed by the cutscenes, each at a sector of 2048 bytes. The size of the directory is not
stored: 30 entries in TR4, 44 in TR5, 4 in a demo. Bytes between cutscenes, including jokes of the author, are
kept. TR4 compresses the file (:mod:`.pak`), TR5 does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct

import numpy as np

from ...base.bytes.blobs import Span, replace_blobs
from ...base.bytes.records import U32
from ...base.errors import ExportError, FormatError
from ...base.games import Game
from ...base.messages import T
from .cutscenes import Cutscene, read_cutscene
from .pak import Pak, read_pak

MARK = b"(C) DEL!"
_NO_CUTSEQ = "this is no file of cutscenes"
SIZES = (4, 30, 44)
# Entries of new files by game, and whether they are compressed
_NEW = {Game.TR4: (30, True), Game.TR5: (44, False)}
# After the directory of a new file, up to the first sector. Readers find the end of the directory by it.
_FILLER = b"Cutscenes for Tomb Raider. "
_SECTOR = 2048  # which TR5 reads at once
_ENTRY = Struct("<II")


@dataclass
class Cutseq:
    """A file of cutscenes."""

    data: bytes  #: the file, uncompressed.
    spans: list[Span]  #: the span of each cutscene from cutscene 1 on; an absent one has size 0.
    pak: Pak | None = None  #: the compressed file; None if it is not compressed, as in TR5.

    @property
    def numbers(self) -> list[int]:
        """The numbers of the existing cutscenes, from 1."""
        return [number for number, span in enumerate(self.spans, 1) if span.size]

    def bytes_of(self, number: int) -> bytes:
        """Return the bytes of a cutscene. Raises KeyError if there is no cutscene of this number."""
        if number not in self.numbers:
            raise KeyError(f"there is no cutscene {number}")
        return self.spans[number - 1].of(self.data)

    def cutscene(self, number: int) -> Cutscene:
        """Return a cutscene, decoded.

        Raises:
            FormatError: if it is damaged.
            KeyError: if there is no cutscene of this number.
        """
        return read_cutscene(self.bytes_of(number), f"cutscene {number}")

    def replace(self, number: int, content: bytes) -> None:
        """Replace or add a cutscene. Others keep their bytes.

        Raises ExportError if the number exceeds the directory.
        """
        if not 1 <= number <= len(self.spans):
            raise ExportError("cutscenes", T("too large a number"), count=number, limit=len(self.spans))
        if number in self.numbers and self.bytes_of(number) == content:
            return
        self.data, self.spans = replace_blobs(self.data, self.spans, {number - 1: content})
        directory = b"".join(_ENTRY.pack(*span) for span in self.spans)
        self.data = MARK + directory + self.data[len(MARK) + len(directory) :]

    def to_bytes(self) -> bytes:
        """Return the file, compressed if it was. An unedited file is written byte for byte as it was read."""
        return self.pak.with_content(self.data).to_bytes() if self.pak else self.data


def new_cutseq(game: Game) -> Cutseq:
    """Return a file of a game (TR4, TR5) without cutscenes: compressed and named CUTSEQ.PAK in TR4."""
    size, is_compressed = _NEW[game]
    head = MARK + bytes(_ENTRY.size * size)
    data = head + (_FILLER * _SECTOR)[: _SECTOR - len(head)]
    return Cutseq(data, [Span(0, 0)] * size, Pak.of(data) if is_compressed else None)


def read_cutseq(data: bytes) -> Cutseq:
    """Read a file of cutscenes, compressed or not. Cutscenes are decoded on demand.

    Raises FormatError if it is not such a file, or damaged.
    """
    pak: Pak | None = None
    if data[: len(MARK)] != MARK:
        try:
            pak = read_pak(data)
        except FormatError as error:
            actual = f"{data[: len(MARK)]!r}, and no PAK file either ({error})"
            raise FormatError("mark", repr(MARK), actual, offset=0, problem=_NO_CUTSEQ) from None
        data = pak.content
    if data[: len(MARK)] != MARK:
        raise FormatError("mark", repr(MARK), repr(data[: len(MARK)]), offset=0, problem=_NO_CUTSEQ)
    return Cutseq(data, _read_directory(data), pak)


def _read_directory(data: bytes) -> list[Span]:
    """Return the entries up to the first invalid one, cut to the size of a game's directory if possible."""
    entries = np.frombuffer(data, U32, len(data) // _ENTRY.size * 2).reshape(-1, 2).tolist()[1:]
    spans: list[Span] = []
    first = len(data)
    for number, entry in enumerate(entries):
        span = Span(*entry)
        entries_end = len(MARK) + _ENTRY.size * (number + 1)
        if entries_end > first or (span.size and (span.offset < entries_end or span.end > len(data))):
            break
        if not span.size and span.offset:
            break
        spans.append(span)
        first = min(first, span.offset) if span.size else first
    used = max((number for number, span in enumerate(spans, 1) if span.size), default=0)
    size = max((size for size in SIZES if used <= size <= len(spans)), default=used)
    if not used:
        raise FormatError("directory", "cutscenes", "none", offset=len(MARK))
    return spans[:size]
