"""CUTSEQ.PAK and CUTSEQ.BIN: all cutscenes of TR4 and TR5, chapter 14 of the documentation.

The file is a directory of 8 bytes per entry whose first is not one but the text ``(C) DEL!``, so that
cutscenes count from 1; then, each at a sector of 2048 bytes, the cutscenes. How long the directory is does
not stand in the file: 30 entries in TR4, 44 in TR5, 4 in a demo. What lies between, jokes of the author
among it, stays as it is. TR4 packs the file (:mod:`..pak`), TR5 does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct

import numpy as np

from ..base.blobs import Span, replace_blobs
from ..base.records import U32
from ..errors import ExportError, FormatError
from ..pak import Pak, read_pak
from .cutscenes import Cutscene, read_cutscene

MARK = b"(C) DEL!"
_NO_CUTSEQ = "this is no file of cutscenes"
SIZES = (4, 30, 44)
_ENTRY = Struct("<II")


@dataclass
class Cutseq:
    """A file of cutscenes.

    Attributes:
        data: the file, unpacked.
        spans: where each cutscene lies, the first being cutscene 1; of size 0 where there is none.
        pak: how the file was packed; None where it is not, as in TR5.
    """

    data: bytes
    spans: list[Span]
    pak: Pak | None = None

    @property
    def numbers(self) -> list[int]:
        """The numbers of the cutscenes that are there, from 1."""
        return [number for number, span in enumerate(self.spans, 1) if span.size]

    def bytes_of(self, number: int) -> bytes:
        """Return the bytes of a cutscene.

        Raises:
            KeyError: where there is none of this number.
        """
        if number not in self.numbers:
            raise KeyError(f"there is no cutscene {number}")
        span = self.spans[number - 1]
        return self.data[span.offset : span.end]

    def cutscene(self, number: int) -> Cutscene:
        """Return a cutscene, decoded.

        Raises:
            FormatError: where it is damaged.
            KeyError: where there is none of this number.
        """
        return read_cutscene(self.bytes_of(number), f"cutscene {number}")

    def replace(self, number: int, content: bytes) -> None:
        """Put a cutscene in the place of another, or where there was none. Others keep their bytes.

        Raises:
            ExportError: where the directory does not reach that far.
        """
        if not 1 <= number <= len(self.spans):
            raise ExportError("cutscenes", "too large a number", count=number, limit=len(self.spans))
        if number in self.numbers and self.bytes_of(number) == content:
            return
        self.data, self.spans = replace_blobs(self.data, self.spans, {number - 1: content})
        directory = b"".join(_ENTRY.pack(*span) for span in self.spans)
        self.data = MARK + directory + self.data[len(MARK) + len(directory) :]

    def to_bytes(self) -> bytes:
        """Return the file, packed if it was. What was read and not edited comes out byte for byte."""
        return self.pak.with_content(self.data).to_bytes() if self.pak else self.data


def read_cutseq(data: bytes) -> Cutseq:
    """Read a file of cutscenes, packed or not. No cutscene is decoded yet.

    Raises:
        FormatError: where it is no such file, or damaged.
    """
    pak: Pak | None = None
    if data[: len(MARK)] != MARK:
        try:
            pak = read_pak(data)
        except FormatError as error:
            found = f"{data[: len(MARK)]!r}, and no PAK file either ({error})"
            raise FormatError("mark", repr(MARK), found, offset=0, problem=_NO_CUTSEQ) from None
        data = pak.content
    if data[: len(MARK)] != MARK:
        raise FormatError("mark", repr(MARK), repr(data[: len(MARK)]), offset=0, problem=_NO_CUTSEQ)
    return Cutseq(data, _read_directory(data), pak)


def _read_directory(data: bytes) -> list[Span]:
    """Return all entries up to what can be none, as many as one of the games has where that can be."""
    entries = np.frombuffer(data, U32, len(data) // _ENTRY.size * 2).reshape(-1, 2).tolist()[1:]
    spans: list[Span] = []
    first = len(data)
    for number, entry in enumerate(entries):
        span = Span(*entry)
        behind = len(MARK) + _ENTRY.size * (number + 1)
        if behind > first or (span.size and (span.offset < behind or span.end > len(data))):
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
