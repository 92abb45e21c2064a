"""RIFF/WAVE files, the form of all samples and sound tracks of the games (documentation, chapter 8).

TR1 to TR3 and level editors use plain samples of 8 or 16 bits, TR4, TR5 and the sound tracks Microsoft's
ADPCM (:mod:`.adpcm`). Waves are never modified: they are read, and new ones are made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.blobs import Span
from ...base.bytes.cursor import Cursor
from ...base.errors import NO_SOUND, ExportError, FormatError
from ...base.messages import T
from .adpcm import COEFFICIENTS, HEADER_SIZE, decode_blocks, encode_blocks, samples_per_block

PCM, ADPCM = 1, 2
ADPCM_BLOCK_SIZE = 512  # of the games' own samples
PLAIN_HEADER_SIZE = 44  # of a wave with only its format and its samples

_MARK = b"RIFF"
WAVE_MARK_SIZE = len(_MARK)
_CHUNK = Struct("<4sI")
_FORMAT = Struct("<HHIIHH")  # tag, channels, rate, bytes per second, bytes per block, bits
_ADPCM_EXTRA = Struct("<HHH")  # bytes that follow, samples per block, coefficient pairs
_COUNT = Struct("<I")
_MOST_CHANNELS = 2


@dataclass(frozen=True)
class Wave:
    """A wave file."""

    data: bytes  #: its bytes, including the header.
    tag: int  #: its coding: :data:`PCM`, :data:`ADPCM`, or one that the games do not support.
    channels: int  #: its number of channels.
    rate: int  #: samples per second.
    block_size: int  #: bytes of a sample of all channels, or of a block of ADPCM.
    bits: int  #: bits of a sample.
    extra: bytes  #: the rest of its format, for ADPCM with the coefficients.
    content: Span  #: the span of its samples in ``data``.
    frames: int | None = None  #: the stored number of samples per channel, or None without one.

    @property
    def format_chunk(self) -> tuple[int, int, int, int, int, bytes]:
        """The parameters of its coding for players."""
        return self.tag, self.channels, self.rate, self.block_size, self.bits, self.extra


def is_wave(head: bytes) -> bool:
    """Return whether a file with these first :data:`WAVE_MARK_SIZE` bytes may be one or several waves."""
    return head[:WAVE_MARK_SIZE] == _MARK


def read_wave(data: bytes, section: str = "wave") -> Wave:
    """Read the header of a wave. Chunks after its samples are ignored.

    Raises FormatError if it is not a wave, or has no format or no samples.
    """
    cursor = Cursor(data)
    cursor.section = section
    mark, _ = cursor.fields(_CHUNK)  # the size is wrong in some files
    kind = data[cursor.take(4) : cursor.offset]
    if mark != _MARK or kind != b"WAVE":
        raise cursor.error("a RIFF/WAVE file", f"{mark!r} and {kind!r}", offset=0, problem=NO_SOUND)
    end = len(data)
    fields: tuple[int, ...] | None = None
    extra, frames = b"", None
    while end - cursor.offset >= _CHUNK.size:
        name, length = cursor.fields(_CHUNK)
        start = cursor.offset
        length = min(length, end - start)  # some sizes exceed the file
        if name == b"data" and fields is not None:
            tag, channels, rate, _, block_size, bits = fields
            return Wave(data, tag, channels, rate, block_size, bits, extra, Span(start, length), frames)
        if name == b"fmt " and length >= _FORMAT.size:
            fields = _FORMAT.unpack_from(data, start)
            extra = data[start + _FORMAT.size : start + length]
        elif name == b"fact" and length >= _COUNT.size:
            (frames,) = _COUNT.unpack_from(data, start)
        cursor.offset = min(start + length + length % 2, end)
    raise cursor.error("samples behind a format", "the end of the wave")


def find_waves(data: bytes, section: str = "waves") -> list[Span]:
    """Return the spans of concatenated waves, as in MAIN.SFX and in TR1's levels.

    Padding bytes belong to no wave. If the size of a wave is wrong, that of its samples is used, as by the
    games. Raises FormatError if there is other data between them, or the last one is truncated.
    """
    spans: list[Span] = []
    position = 0
    while position < len(data):
        size = _wave_size(data, position)
        if size is None:
            actual = repr(bytes(data[position : position + 4]))
            raise FormatError(section, "a wave", actual, element=len(spans), offset=position)
        spans.append(Span(position, size))
        position += size
        if position + 1 == len(data) or data[position + 1 : position + 5] == _MARK:
            position += 1
    return spans


def _wave_size(data: bytes, start: int) -> int | None:
    """Return the size of a wave that is followed by another one or the end, or None."""
    if len(data) - start < PLAIN_HEADER_SIZE or data[start : start + 4] != _MARK:
        return None
    sizes = [_CHUNK.size + _CHUNK.unpack_from(data, start)[1]]
    samples = _COUNT.unpack_from(data, start + PLAIN_HEADER_SIZE - _COUNT.size)[0]
    sizes += (PLAIN_HEADER_SIZE + samples, PLAIN_HEADER_SIZE + samples + samples % 2)
    for size in sizes:
        following = data[start + size : start + size + 5]
        is_last = start + size in (len(data), len(data) - 1)
        is_followed = is_last or _MARK in (following[:4], following[1:])
        if size >= PLAIN_HEADER_SIZE and is_followed:
            return size
    return None


def decode_wave(wave: Wave) -> NDArray[np.int16]:
    """Return the samples of a wave, (samples, channels) int16.

    Raises FormatError if no game uses its coding, or its format is inconsistent.
    """
    return decode_waves([wave])[0]


def decode_waves(waves: Sequence[Wave]) -> list[NDArray[np.int16]]:
    """Return the samples of each wave; those of one coding are decoded at once.

    Raises FormatError as :func:`decode_wave`.
    """
    result: list[NDArray[np.int16]] = []
    groups: dict[tuple[int, int, bytes], list[int]] = {}
    for number, wave in enumerate(waves):
        _check_form(wave, number)
        if wave.tag == ADPCM:
            groups.setdefault((wave.block_size, wave.channels, wave.extra), []).append(number)
            result.append(np.zeros((0, wave.channels), np.int16))
        else:
            result.append(_decode_plain(wave, number))
    for (block_size, channels, extra), numbers in groups.items():
        parts = [_blocks_of(waves[number], block_size) for number in numbers]
        decoded = decode_blocks(np.concatenate(parts), channels, _coefficients(extra))
        first = 0
        for number, part in zip(numbers, parts, strict=True):
            flat = decoded[first : first + len(part)].reshape(-1, channels)
            result[number] = flat[: adpcm_frames(waves[number])]
            first += len(part)
    return result


def _check_form(wave: Wave, number: int) -> None:
    if not 1 <= wave.channels <= _MOST_CHANNELS:
        raise FormatError("wave", "1 or 2 channels", str(wave.channels), element=number)
    if wave.tag == ADPCM and wave.block_size <= HEADER_SIZE * wave.channels:
        raise FormatError("wave", "blocks with samples", f"{wave.block_size} bytes", element=number)


def _decode_plain(wave: Wave, number: int) -> NDArray[np.int16]:
    width = wave.bits // 8
    if wave.tag != PCM or wave.bits not in (8, 16):
        actual = f"coding {wave.tag} with {wave.bits} bits"
        raise FormatError("wave", "8 or 16 bits, or Microsoft's ADPCM", actual, element=number)
    count = wave.content.size // (width * wave.channels)
    samples = np.frombuffer(
        wave.data, "<i2" if width == 2 else "u1", count * wave.channels, wave.content.offset
    )
    if width == 1:
        samples = (samples.astype(np.int16) - 128) << 8
    return samples.astype(np.int16).reshape(count, wave.channels)


def _blocks_of(wave: Wave, block_size: int) -> NDArray[np.uint8]:
    """Return the blocks of a wave, (blocks, size); a truncated one is padded if it has a header."""
    samples = np.frombuffer(wave.data, np.uint8, wave.content.size, wave.content.offset)
    whole, rest = divmod(len(samples), block_size)
    if rest >= HEADER_SIZE * wave.channels:
        samples = np.concatenate([samples, np.zeros(block_size - rest, np.uint8)])
        whole += 1
    return samples[: whole * block_size].reshape(whole, block_size)


def adpcm_frames(wave: Wave) -> int:
    """Return the number of audible samples of a wave of ADPCM: the stored one, but at most those that exist.

    Raises FormatError as :func:`decode_wave`.
    """
    _check_form(wave, 0)
    whole, rest = divmod(wave.content.size, wave.block_size)
    frames = whole * samples_per_block(wave.block_size, wave.channels)
    if rest >= HEADER_SIZE * wave.channels:
        frames += samples_per_block(rest, wave.channels)
    return frames if wave.frames is None else min(frames, wave.frames)


def _coefficients(extra: bytes) -> NDArray[np.int32]:
    if len(extra) < _ADPCM_EXTRA.size:
        return COEFFICIENTS
    _, _, pairs = _ADPCM_EXTRA.unpack_from(extra)
    pairs = min(pairs, (len(extra) - _ADPCM_EXTRA.size) // 4)
    values = np.frombuffer(extra, "<i2", 2 * pairs, _ADPCM_EXTRA.size)
    return values.reshape(pairs, 2).astype(np.int32) if pairs else COEFFICIENTS


# --- Encoding ----------------------------------------


def encode_wave(samples: NDArray[np.int16], rate: int, bits: int = 16) -> bytes:
    """Return a plain wave, with the header of 44 bytes that TR2 and TR3 require in MAIN.SFX.

    Samples are (samples, channels) int16. Raises ExportError for more than two channels, or other bits than 8
    and 16.
    """
    channels = _check_channels(samples)
    if bits not in (8, 16):
        raise ExportError("wave", T("has 8 or 16 bits"), count=bits)
    if bits == 8:
        rounded = np.clip(samples.astype(np.int32) + 128, -0x8000, 0x7FFF) >> 8
        content = (rounded + 128).astype(np.uint8).tobytes()
    else:
        content = samples.astype("<i2").tobytes()
    width = channels * bits // 8
    return _assemble(_FORMAT.pack(PCM, channels, rate, rate * width, width, bits), None, content)


def encode_adpcm_wave(samples: NDArray[np.int16], rate: int, block_size: int = ADPCM_BLOCK_SIZE) -> bytes:
    """Return a wave in Microsoft's ADPCM, as in TR4 and TR5, and TR3's sound tracks.

    Samples are (samples, channels) int16. Raises ExportError for more than two channels, or a block without
    samples.
    """
    return encode_adpcm_waves([samples], rate, block_size)[0]


def encode_adpcm_waves(
    waves: Sequence[NDArray[np.int16]], rate: int, block_size: int = ADPCM_BLOCK_SIZE
) -> list[bytes]:
    """Return waves of ADPCM; those with the same number of channels are encoded at once.

    Arguments and errors are those of :func:`encode_adpcm_wave`.
    """
    parts: dict[int, list[tuple[int, NDArray[np.int16]]]] = {}
    for number, samples in enumerate(waves):
        channels = _check_channels(samples)
        if block_size <= HEADER_SIZE * channels:
            raise ExportError("wave", T("its blocks are too small"), count=block_size)
        length = samples_per_block(block_size, channels)
        count = -(-len(samples) // length)
        padded = np.zeros((count * length, channels), np.int16)
        padded[: len(samples)] = samples
        parts.setdefault(channels, []).append((number, padded.reshape(count, length, channels)))
    result = [b""] * len(waves)
    for channels, group in parts.items():
        blocks = encode_blocks(np.concatenate([part for _, part in group]), block_size)
        first = 0
        for number, part in group:
            content = blocks[first : first + len(part)].tobytes()
            result[number] = _adpcm_wave(content, len(waves[number]), channels, rate, block_size)
            first += len(part)
    return result


def _adpcm_wave(content: bytes, frames: int, channels: int, rate: int, block_size: int) -> bytes:
    length = samples_per_block(block_size, channels)
    extra_size = _ADPCM_EXTRA.size - 2 + 2 * COEFFICIENTS.size
    form = _FORMAT.pack(ADPCM, channels, rate, rate * block_size // length, block_size, 4)
    form += _ADPCM_EXTRA.pack(extra_size, length, len(COEFFICIENTS)) + COEFFICIENTS.astype("<i2").tobytes()
    return _assemble(form, frames, content)


def _check_channels(samples: NDArray[np.int16]) -> int:
    channels = samples.shape[1] if samples.ndim == 2 else 0
    if not 1 <= channels <= _MOST_CHANNELS:
        raise ExportError("wave", T("has one or two channels"), count=channels)
    return channels


def _assemble(form: bytes, frames: int | None, content: bytes) -> bytes:
    pieces = [b"WAVE", _CHUNK.pack(b"fmt ", len(form)), form]
    if frames is not None:
        pieces += (_CHUNK.pack(b"fact", _COUNT.size), _COUNT.pack(frames))
    pieces += (_CHUNK.pack(b"data", len(content)), content, bytes(len(content) % 2))
    whole = b"".join(pieces)
    return _CHUNK.pack(_MARK, len(whole)) + whole
