"""The samples of a level, wherever its game stores them (documentation, chapters 8.2 and 8.4).

TR1 has waves in one block and a list of their offsets, TR4 and TR5 chunks after two sizes, the demo of TR2
concatenated waves. TR2 and TR3 refer to waves of MAIN.SFX by number, and levels of TRNG may refer to a
separate file.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.blobs import Span
from ...base.errors import ExportError, FormatError
from ...base.games import SamplePlace
from ...base.messages import T
from ..level.level import Level
from .waves import ADPCM, adpcm_frames, read_wave

_CHUNK = Struct("<II")  # decoded size, stored size
_RIFF = Struct("<4sI")


class SampleStorage(Enum):
    """The place of a level's samples."""

    NONE = "none"  # a file without sounds
    BLOCK = "block"  # TR1
    WAVES = "waves"  # the demo of TR2
    MAIN_SFX = "MAIN.SFX"  # TR2, TR3
    CHUNKS = "chunks"  # TR4, TR5
    ELSEWHERE = "elsewhere"  # a file of TRNG's


def sample_storage(level: Level) -> SampleStorage:
    """Return the place of a level's samples."""
    if not level.has("sound_details"):
        return SampleStorage.NONE
    if level.game.traits.samples is SamplePlace.IN_BLOCK:
        return SampleStorage.BLOCK
    if level.game.traits.samples is SamplePlace.IN_CHUNKS:
        is_list = level.has_trng_footer and len(level.samples) == _CHUNK.size * level.sample_count
        if is_list and level.samples.view("<u4")[1::2].any():
            return SampleStorage.ELSEWHERE
        return SampleStorage.CHUNKS
    return SampleStorage.WAVES if level.has("sample_count") else SampleStorage.MAIN_SFX


def sample_count(level: Level) -> int:
    """Return the number of samples that a level lists."""
    storage = sample_storage(level)
    if storage is SampleStorage.NONE:
        return 0
    return int(level.sample_count) if storage in _COUNTED else len(level.sample_indices)


_COUNTED = (SampleStorage.CHUNKS, SampleStorage.WAVES, SampleStorage.ELSEWHERE)


def sample_waves(level: Level) -> list[bytes]:
    """Return the bytes of every sample that a level lists, in order; b"" for those that it does not contain.

    In TR1 a sample extends to the start of the next one.
    """
    storage = sample_storage(level)
    if storage is SampleStorage.BLOCK:
        data = level.sample_data.tobytes()
        pieces = {span.offset: span.of(data) for span in _block_spans(level)}
        return [pieces.get(offset, b"") for offset in level.sample_indices.tolist()]
    if storage in (SampleStorage.CHUNKS, SampleStorage.WAVES):
        data, head = level.samples.tobytes(), _CHUNK.size if storage is SampleStorage.CHUNKS else 0
        return [data[span.offset + head : span.end] for span in _spans(level, storage)]
    return [b""] * sample_count(level)


def _block_spans(level: Level) -> list[Span]:
    """Return the spans of TR1's samples, each up to the next one, in the order of the block."""
    size = len(level.sample_data)
    offsets = np.unique(level.sample_indices)
    offsets = offsets[offsets < size].tolist()
    # Without samples there is no end of the last one either.
    return [Span(start, end - start) for start, end in zip(offsets, [*offsets, size][1:], strict=True)]


def _spans(level: Level, storage: SampleStorage) -> list[Span]:
    """Return the spans of the samples of TR4, TR5 or TR2's demo, including their sizes."""
    data, position = level.samples.tobytes(), 0
    spans: list[Span] = []
    for number in range(level.sample_count):
        struct = _CHUNK if storage is SampleStorage.CHUNKS else _RIFF
        if position + struct.size > len(data):
            raise FormatError("samples", "a sample", "the end of the samples", element=number)
        size = struct.size + struct.unpack_from(data, position)[1]
        spans.append(Span(position, size))
        position += size
    return spans


# --- Writing ----------------------------------------


def replace_samples(level: Level, entries: Sequence[int | bytes]) -> None:
    """Replace the samples that a level lists.

    Args:
        entries: for each sample the number of an existing one, which keeps its bytes, or a new wave. Levels
            of TRNG with a separate file can have no new ones.

    Raises:
        ExportError: if the level does not contain its samples.
    """
    storage = sample_storage(level)
    if storage is SampleStorage.BLOCK:
        _replace_block(level, entries)
    elif storage is SampleStorage.CHUNKS:
        old, spans = level.samples.tobytes(), _spans(level, storage)
        pieces = [_chunk(entry) if isinstance(entry, bytes) else spans[entry].of(old) for entry in entries]
        level.samples = np.frombuffer(b"".join(pieces), np.uint8)
        level.sample_indices = _follow(level.sample_indices, level.sample_count, entries)
        level.sample_count = len(entries)
    elif storage is SampleStorage.ELSEWHERE and all(isinstance(entry, int) for entry in entries):
        indices = [entry for entry in entries if isinstance(entry, int)]
        level.samples = level.samples.reshape(-1, _CHUNK.size)[indices].reshape(-1)
        level.sample_indices = _follow(level.sample_indices, level.sample_count, entries)
        level.sample_count = len(entries)
    elif storage is SampleStorage.WAVES:
        old, spans = level.samples.tobytes(), _spans(level, storage)
        pieces = [entry if isinstance(entry, bytes) else spans[entry].of(old) for entry in entries]
        rest = old[spans[-1].end :] if spans else old
        level.samples = np.frombuffer(b"".join([*pieces, rest]), np.uint8)
        level.sample_count = len(entries)
    else:
        raise ExportError(T("Samples"), T("the level stores them in a separate file, so none can be added"))


def _chunk(wave: bytes) -> bytes:
    """Return a sample of TR4 and TR5 with its sizes: the decoded one of ADPCM is that of 16 bits."""
    parsed = read_wave(wave, "sample")
    decoded = 2 * adpcm_frames(parsed) if parsed.tag == ADPCM else len(wave)
    return _CHUNK.pack(decoded, len(wave)) + wave


def _replace_block(level: Level, entries: Sequence[int | bytes]) -> None:
    data, offsets = level.sample_data.tobytes(), level.sample_indices.tolist()
    spans = {span.offset: span for span in _block_spans(level)}
    first = min(spans, default=len(data))
    pieces, size = [data[:first]], first
    moved: dict[int, int] = {}
    new_offsets: list[int | None] = []
    for entry in entries:
        offset = offsets[entry] if isinstance(entry, int) else None
        if offset is not None and offset not in spans:
            new_offsets.append(None)  # beyond all samples
            continue
        if offset in moved:
            new_offsets.append(moved[offset])
            continue
        piece = entry if isinstance(entry, bytes) else spans[offsets[entry]].of(data)
        if offset is not None:
            moved[offset] = size
        new_offsets.append(size)
        pieces.append(piece)
        size += len(piece)
    # Offsets beyond the block stay beyond it.
    for number, entry in enumerate(entries):
        if new_offsets[number] is None and isinstance(entry, int):
            new_offsets[number] = min(offsets[entry] - len(data) + size, 0xFFFFFFFF)
    level.sample_data = np.frombuffer(b"".join(pieces), np.uint8)
    level.sample_indices = np.array(new_offsets, "<u4")


def _follow(indices: NDArray[np.uint32], count: int, entries: Sequence[int | bytes]) -> NDArray[np.uint32]:
    """Return the list of TR4 and TR5, of which games only use the length, with one entry per sample."""
    if len(indices) != count:
        return indices
    free = int(indices.max(initial=0)) + 1 if count else 0
    result: list[int] = []
    for entry in entries:
        if isinstance(entry, int):
            result.append(int(indices[entry]))
        else:
            result.append(free & 0xFFFFFFFF)
            free += 1
    return np.array(result, "<u4")
