"""Conversion of samples to the form of another game, all at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...base.errors import ExportError, FormatError
from ...base.games import SamplePlace
from ...levels.level.level import Level
from ...levels.sounds.forms import SoundForm, convert_sound, fit_samples, form_of
from ...levels.sounds.samples import replace_samples
from ...levels.sounds.waves import ADPCM, Wave, decode_waves, encode_adpcm_waves, encode_wave, read_wave

_FULL = 32768.0


def convert_samples(waves: Sequence[bytes], form: SoundForm) -> list[bytes]:
    """Return waves converted to a form; b"" for unreadable or empty ones.

    Waves that already have the form keep their exact samples.
    """
    result = [b""] * len(waves)
    others: list[tuple[int, Wave]] = []
    for number, data in enumerate(waves):
        try:
            wave = read_wave(data)
            if form_of(wave) == form:
                result[number] = convert_sound(data, form)
            elif form_of(wave) is not None:
                others.append((number, wave))
        except (FormatError, ExportError):
            continue
    numbers, fitting = [], []
    for (number, wave), samples in zip(others, decode_waves([wave for _, wave in others]), strict=True):
        try:
            fitting.append(fit_samples(samples.astype(np.float32) / _FULL, wave.rate, form))
        except ExportError:
            continue
        numbers.append(number)
    if form.tag == ADPCM:
        encoded = encode_adpcm_waves(fitting, form.rate, form.block_size)
    else:
        encoded = [encode_wave(each, form.rate, form.bits) for each in fitting]
    for number, data in zip(numbers, encoded, strict=True):
        result[number] = data
    return result


def store_samples(level: Level, waves: Sequence[bytes]) -> None:
    """Store the samples in an empty level, if its game has them in levels."""
    if level.game.traits.samples is not SamplePlace.IN_MAIN_SFX:
        replace_samples(level, list(waves))
