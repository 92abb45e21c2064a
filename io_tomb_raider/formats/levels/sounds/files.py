"""Sound archives: MAIN.SFX of TR2 and TR3, CDAUDIO.WAD of TR3 (documentation, chapter 8).

MAIN.SFX is a concatenation of waves, which levels refer to by number. CDAUDIO.WAD is a directory of 130
entries, each the name, size and offset of a sound track, followed by the tracks. The Macintosh has its tracks
in files, and their names in CDAudio.db. Entries that are not replaced keep their bytes, and so do bytes
outside of all entries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.blobs import Span, replace_blobs
from ...base.bytes.cursor import Cursor
from ...base.bytes.records import U8, U32
from ...base.errors import ExportError, FormatError
from ...base.messages import T
from .waves import PCM, PLAIN_HEADER_SIZE, Wave, find_waves, read_wave

CD_AUDIO_TRACKS = 130
NAME_SIZE = 260
CD_AUDIO_ENTRY = np.dtype([("name", U8, (NAME_SIZE,)), ("size", U32), ("offset", U32)])
DB_NAME_SIZE = 32


@dataclass
class MainSfx:
    """MAIN.SFX."""

    pieces: list[bytes]  #: each wave with its padding byte, if any.

    def __len__(self) -> int:
        return len(self.pieces)

    def wave(self, number: int) -> Wave:
        """Return a wave by its number in levels. Raises FormatError if its header is damaged."""
        return read_wave(self.pieces[number], f"wave {number}")

    def replace(self, number: int, wave: bytes) -> None:
        """Replace a wave, or append one with the next number.

        Raises:
            ExportError: if the game cannot play it: it must be plain, with a header of 44 bytes.
            FormatError: if it is not a wave.
        """
        subject = f"sound {number}"
        parsed = read_wave(wave, subject)
        if parsed.tag != PCM or parsed.content.offset != PLAIN_HEADER_SIZE:
            raise ExportError(subject, T("the game plays only plain waves with a header of 44 bytes"))
        content = parsed.content
        if content.end != len(wave) - content.size % 2 or content.size != _stored_size(wave):
            raise ExportError(subject, T("has data after its samples, which the game cannot read"))
        if not 0 <= number <= len(self.pieces):
            raise ExportError(subject, T("would skip numbers"), count=number, limit=len(self.pieces))
        self.pieces[number : number + 1] = [wave]

    def to_bytes(self) -> bytes:
        """Return the file. Unedited waves are written byte for byte as they were read."""
        return b"".join(self.pieces)


def _stored_size(wave: bytes) -> int:
    return int.from_bytes(wave[PLAIN_HEADER_SIZE - 4 : PLAIN_HEADER_SIZE], "little")


def read_main_sfx(data: bytes) -> MainSfx:
    """Read MAIN.SFX. Raises FormatError if it is not a concatenation of waves."""
    spans = find_waves(data, "MAIN.SFX")
    if not spans:
        raise FormatError("MAIN.SFX", "waves", "none", offset=0, problem=T("this is no MAIN.SFX"))
    ends = [*(span.offset for span in spans[1:]), len(data)]
    return MainSfx([data[span.offset : end] for span, end in zip(spans, ends, strict=True)])


@dataclass
class CdAudio:
    """CDAUDIO.WAD."""

    data: bytes  #: the file.
    #: (130,) of :data:`CD_AUDIO_ENTRY`: names end with a zero byte, size 0 is an empty entry.
    entries: NDArray[np.void]

    @property
    def tracks(self) -> dict[int, str]:
        """The names of the existing tracks by number."""
        return {int(number): self.name(int(number)) for number in np.flatnonzero(self.entries["size"])}

    def name(self, number: int) -> str:
        """Return the name of an entry."""
        return track_name(self.entries[number])

    def bytes_of(self, number: int) -> bytes:
        """Return the bytes of a track, empty if it does not exist."""
        if not 0 <= number < len(self.entries):
            return b""
        return self._spans()[number].of(self.data)

    def wave(self, number: int) -> Wave:
        """Return a track. Raises FormatError if it does not exist, or its header is damaged."""
        return read_wave(self.bytes_of(number), f"track {number}")

    def replace(self, number: int, wave: bytes, name: str | None = None) -> None:
        """Replace a track, or fill an empty entry. Others keep their bytes.

        Args:
            wave: the track. The game plays all tracks in the format of the first one, so its format must be
                that of the others.
            name: its name; None keeps the old name.

        Raises:
            ExportError: if its format is different, its name too long, or there is no such entry.
            FormatError: if it is not a wave.
        """
        subject = f"track {number}"
        if not 0 <= number < CD_AUDIO_TRACKS:
            raise ExportError(subject, T("there is no such entry"), count=number, limit=CD_AUDIO_TRACKS - 1)
        format_chunk = read_wave(wave, subject).format_chunk
        first = next((track for track in self.tracks if track != number), None)
        if first is not None and self.wave(first).format_chunk != format_chunk:
            problem = T("its rate, channels or coding differ from those of the others")
            raise ExportError(subject, T("{problem}, and the game plays all alike", problem=problem))
        entries = self.entries.copy()
        if name is not None:
            coded = name.encode("latin-1", "replace")
            if len(coded) >= NAME_SIZE:
                raise ExportError(subject, T("its name is too long"), count=len(coded), limit=NAME_SIZE - 1)
            entries["name"][number] = np.frombuffer(coded.ljust(NAME_SIZE, b"\0"), U8)
        data, spans = replace_blobs(self.data, self._spans(), {number: wave})
        if len(data) >> 32:
            raise ExportError("CDAUDIO.WAD", T("too large"), count=len(data), limit=0xFFFFFFFF)
        for entry, span in zip(entries, spans, strict=True):
            if span.size:
                entry["size"], entry["offset"] = span.size, span.offset
        self.data = entries.tobytes() + data[entries.nbytes :]
        self.entries = entries

    def to_bytes(self) -> bytes:
        """Return the file. An unedited file is written byte for byte as it was read."""
        return self.data

    def _spans(self) -> list[Span]:
        return [Span(int(entry["offset"]), int(entry["size"])) for entry in self.entries]


def read_cd_audio(data: bytes) -> CdAudio:
    """Read CDAUDIO.WAD. Raises FormatError if it is not such a file, or a track is not within it."""
    return CdAudio(data, read_cd_audio_directory(data, len(data)))


def read_cd_audio_directory(data: bytes, size: int) -> NDArray[np.void]:
    """Return the entries of CDAUDIO.WAD, (130,) of :data:`CD_AUDIO_ENTRY`, for lists of its tracks.

    Args:
        data: the start of the file.
        size: of the whole file.

    Raises:
        FormatError: as :func:`read_cd_audio`.
    """
    cursor = Cursor(data)
    cursor.section = "directory"
    entries = cursor.array(CD_AUDIO_ENTRY, CD_AUDIO_TRACKS)
    used = entries["size"] > 0
    ends = entries["offset"].astype(np.int64) + entries["size"]
    wrong = np.flatnonzero(used & ((ends > size) | (entries["offset"] < cursor.offset)))
    if len(wrong):
        number = int(wrong[0])
        actual = f"{entries['size'][number]} bytes at {entries['offset'][number]}"
        position = number * CD_AUDIO_ENTRY.itemsize + NAME_SIZE
        raise FormatError("directory", "a track within the file", actual, element=number, offset=position)
    if not used.any():
        raise FormatError("directory", "sound tracks", "none", offset=0)
    return entries


def track_name(entry: Any) -> str:
    """Return the name of an entry of CDAUDIO.WAD."""
    return bytes(entry["name"]).partition(b"\0")[0].decode("latin-1")


def read_cd_audio_names(data: bytes) -> list[str]:
    """Return the names in the Macintosh's CDAudio.db: 32 bytes each, padded with zeros.

    Raises FormatError if the file does not consist of such names.
    """
    if not data or len(data) % DB_NAME_SIZE:
        raise FormatError("names", f"a multiple of {DB_NAME_SIZE} bytes", f"{len(data)}", offset=len(data))
    rows = [data[start : start + DB_NAME_SIZE] for start in range(0, len(data), DB_NAME_SIZE)]
    for number, row in enumerate(rows):
        if row.rstrip(b"\0").count(0):
            offset = number * DB_NAME_SIZE
            raise FormatError("names", "a name and zeros", repr(row), element=number, offset=offset)
    return [row.rstrip(b"\0").decode("latin-1") for row in rows]


def write_cd_audio_names(names: list[str]) -> bytes:
    """Return the Macintosh's CDAudio.db.

    Raises ExportError if a name is too long, or has characters that the file cannot store.
    """
    rows: list[bytes] = []
    for number, name in enumerate(names):
        subject = T("track {number}", number=number)
        try:
            coded = name.encode("latin-1")
        except UnicodeEncodeError:
            problem = T("its name {name!r} has letters that the file cannot store", name=name)
            raise ExportError(subject, problem) from None
        if len(coded) > DB_NAME_SIZE or 0 in coded:
            raise ExportError(subject, T("its name is too long"), count=len(coded), limit=DB_NAME_SIZE)
        rows.append(coded.ljust(DB_NAME_SIZE, b"\0"))
    return b"".join(rows)
