"""Conversion of users' waves to a game's coding, rate and channels (documentation, chapter 8.2).

:mod:`.waves` reads and writes the games' own waves. This module also reads the output of users' tools: 24 and
32 bits, floats, many channels, and headers of the extensible kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import gcd
from struct import pack

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.blobs import Span
from ...base.errors import ExportError, FormatError
from ...base.games import Game
from ...base.messages import T
from .adpcm import samples_per_block
from .waves import ADPCM, PCM, Wave, decode_wave, encode_adpcm_wave, encode_wave, read_wave

FloatSamples = NDArray[np.float32]

_FLOAT, _EXTENSIBLE = 3, 0xFFFE
_SUBFORMAT = 8  # offset of the real coding in the extra bytes of an extensible header
_ADPCM_HEADER_SIZE = 90  # TR4 and TR5 read ADPCM samples from there, whatever the header says
_FULL = 32768.0
_ROLL_OFF = 0.05  # width of the fade below the highest frequency, relative to it, against ringing
_PAD_SECONDS = 0.05
_MOST_SECONDS = 3600
ADPCM_BUFFER = 0x40000  # maximum decoded bytes of a sample of TR4 or TR5


@dataclass(frozen=True)
class SoundForm:
    """The form of a game's waves."""

    tag: int  #: :data:`~.waves.PCM` or :data:`~.waves.ADPCM`.
    rate: int  #: samples per second.
    bits: int  #: 8 or 16, or 4 for ADPCM.
    channels: int = 1  #: 1 or 2.
    block_size: int = 0  #: bytes of a block of ADPCM, else 0.


# The form of samples for levels without any.
DEFAULT_FORMS = {
    Game.TR1: SoundForm(PCM, 22050, 8),
    Game.TR2: SoundForm(PCM, 11025, 16),
    Game.TR3: SoundForm(PCM, 22050, 16),
    Game.TR4: SoundForm(ADPCM, 22050, 4, block_size=512),
    Game.TR5: SoundForm(ADPCM, 22050, 4, block_size=512),
}


def form_of(wave: Wave) -> SoundForm | None:
    """Return the form of a wave, or None if the games cannot play it."""
    if wave.tag == ADPCM and 1 <= wave.channels <= 2 and wave.block_size > 7 * wave.channels:
        return SoundForm(ADPCM, wave.rate, 4, wave.channels, wave.block_size)
    if wave.tag == PCM and wave.bits in (8, 16) and 1 <= wave.channels <= 2:
        return SoundForm(PCM, wave.rate, wave.bits, wave.channels)
    return None


def usual_form(waves: Iterable[bytes], game: Game) -> SoundForm:
    """Return the most frequent form of some waves, else the default of the game."""
    counts: Counter[SoundForm] = Counter()
    for data in waves:
        try:
            form = form_of(read_wave(data))
        except FormatError:
            continue
        if form is not None and form.rate:
            counts[form] += 1
    return counts.most_common(1)[0][0] if counts else DEFAULT_FORMS[game]


# --- Reading users' waves ----------------------------------------


def decode_sound(data: bytes, subject: str = "wave") -> tuple[FloatSamples, int]:
    """Return the samples of any plain wave, (samples, channels) float32 from -1 to 1, and its rate.

    Raises FormatError if it is not a wave, or its coding is unknown.
    """
    wave = read_wave(data, subject)
    tag = wave.tag
    if tag == _EXTENSIBLE and len(wave.extra) >= _SUBFORMAT + 2:
        tag = int.from_bytes(wave.extra[_SUBFORMAT : _SUBFORMAT + 2], "little")
    if not wave.channels or not wave.rate:
        raise FormatError(subject, "channels and a rate", f"{wave.channels} and {wave.rate}")
    if tag == ADPCM:
        return (decode_wave(wave) / _FULL).astype(np.float32), wave.rate
    width = wave.bits // 8
    content = np.frombuffer(wave.data, np.uint8, wave.content.size, wave.content.offset)
    frames = len(content) // max(width * wave.channels, 1)
    values = _values(content[: frames * width * wave.channels], tag, wave.bits)
    if values is None:
        actual = f"coding {tag} with {wave.bits} bits"
        problem = T("this sound has an unknown encoding: save it as a plain WAV file")
        raise FormatError(subject, "a plain wave, or Microsoft's ADPCM", actual, problem=problem)
    return values.reshape(frames, wave.channels), wave.rate


def _values(content: NDArray[np.uint8], tag: int, bits: int) -> FloatSamples | None:
    if tag == _FLOAT and bits in (32, 64):
        values = content.view("<f4" if bits == 32 else "<f8")
        return np.nan_to_num(values).astype(np.float32)
    if tag != PCM:
        return None
    if bits == 8:
        return (content.astype(np.float32) - np.float32(128)) / np.float32(128)
    if bits == 16:
        return (content.view("<i2") / _FULL).astype(np.float32)
    if bits == 24:
        parts = content.reshape(-1, 3).astype(np.int32)
        whole = parts[:, 0] << 8 | parts[:, 1] << 16 | parts[:, 2] << 24
        return (whole / 2.0**31).astype(np.float32)
    if bits == 32:
        return (content.view("<i4") / 2.0**31).astype(np.float32)
    return None


# --- Conversion ----------------------------------------


def resample(samples: FloatSamples, old_rate: int, new_rate: int) -> FloatSamples:
    """Return samples at another rate: (n, channels) become (n new / old, channels).

    Frequencies above the new rate's limit are removed.
    """
    if old_rate == new_rate or not len(samples):
        return samples
    common = gcd(old_rate, new_rate)
    step, new_step = old_rate // common, new_rate // common
    # Whole steps of silence at both ends, so that all positions are whole samples of the new rate, too.
    silence = -(-int(_PAD_SECONDS * old_rate) // step)
    pad = silence * step
    steps = -(-len(samples) // step) + 2 * silence
    padded = np.zeros((steps * step, samples.shape[1]), np.float64)
    padded[pad : pad + len(samples)] = samples
    spectrum = np.fft.rfft(padded, axis=0)
    count = steps * new_step
    bins = min(len(spectrum), count // 2 + 1)
    fade = max(int(bins * _ROLL_OFF), 1)
    spectrum = spectrum[:bins]
    if new_rate < old_rate:
        spectrum[bins - fade :] *= np.cos(np.linspace(0, np.pi / 2, fade))[:, None]
    signal = np.fft.irfft(spectrum, n=count, axis=0) * (count / len(padded))
    first = silence * new_step
    length = max(round(len(samples) * new_rate / old_rate), 1)
    return signal[first : first + length].astype(np.float32)


def _with_channels(samples: FloatSamples, channels: int) -> FloatSamples:
    if samples.shape[1] == channels:
        return samples
    mixed = samples.mean(axis=1, keepdims=True, dtype=np.float32)
    return np.repeat(mixed, channels, axis=1)


def encode_sound(samples: FloatSamples, rate: int, form: SoundForm, subject: str = "wave") -> bytes:
    """Return a wave of a form.

    Args:
        samples: (samples, channels) from -1 to 1; louder ones are clipped.
        rate: their samples per second.
        form: the form of the game.

    Raises:
        ExportError: if it is empty or far too long.
    """
    whole = fit_samples(samples, rate, form, subject)
    if form.tag == ADPCM:
        return encode_adpcm_wave(whole, form.rate, form.block_size)
    return encode_wave(whole, form.rate, form.bits)


def fit_samples(
    samples: FloatSamples, rate: int, form: SoundForm, subject: str = "wave"
) -> NDArray[np.int16]:
    """Return samples at the rate and with the channels of a form, (samples, channels).

    Args, Raises: as of :func:`encode_sound`.
    """
    if not len(samples):
        raise ExportError(subject, T("has no samples to be heard"))
    if len(samples) > _MOST_SECONDS * rate:
        raise ExportError(subject, T("too many seconds"), count=len(samples) // rate, limit=_MOST_SECONDS)
    fitting = resample(_with_channels(samples, form.channels), rate, form.rate)
    whole: NDArray[np.int16] = np.clip(np.rint(fitting * _FULL), -0x8000, 0x7FFF).astype(np.int16)
    if form.tag == ADPCM:
        # TR4 and TR5 cut off a header of the decoded samples, and crash if fewer are left.
        least = samples_per_block(form.block_size, form.channels)
        whole = np.pad(whole, ((0, max(least - len(whole), 0)), (0, 0)))
    return whole


def convert_sound(data: bytes, form: SoundForm, subject: str = "wave") -> bytes:
    """Return any plain wave converted to a form. A wave of that form keeps its exact samples.

    Raises:
        FormatError: if it is not a wave, or its coding is unknown.
        ExportError: if it is empty or far too long.
    """
    wave = read_wave(data, subject)
    if form_of(wave) == form:
        if form.tag == PCM and wave.content.size:
            return encode_wave(decode_wave(wave), form.rate, form.bits)
        if wave.content.offset == _ADPCM_HEADER_SIZE and wave.content.size >= form.block_size:
            return _whole_blocks(wave, form.block_size)
    return encode_sound(*decode_sound(data, subject), form, subject)


def _whole_blocks(wave: Wave, block_size: int) -> bytes:
    """Return an ADPCM wave without incomplete blocks and without later chunks."""
    span = Span(wave.content.offset, wave.content.size - wave.content.size % block_size)
    body = wave.data[8 : span.offset - 4] + pack("<I", span.size) + wave.data[span.offset : span.end]
    body += bytes(span.size % 2)
    return b"RIFF" + pack("<I", len(body)) + body


def decoded_size(data: bytes) -> int:
    """Return the size of a game's wave decoded to 16 bits, in bytes."""
    wave = read_wave(data)
    if wave.tag == ADPCM:
        return 2 * wave.channels * (wave.frames or 0)
    return wave.content.size * 16 // wave.bits
