"""The sound that TR1, TR2 and TR3 need to load a level: without one, their loaders stop."""

from __future__ import annotations

import numpy as np

from ...base.bytes.records import SOUND_DETAILS
from ..level.level import Level
from .details import put_run
from .forms import DEFAULT_FORMS
from .samples import SampleStorage, replace_samples, sample_count, sample_storage
from .waves import encode_wave

_SAMPLES = 100


def is_refused(level: Level) -> bool:
    """Return whether the original game refuses to load a level as it has no sound, or no sample."""
    needs_sounds = level.game.traits.needs_sounds and sample_storage(level) is not SampleStorage.NONE
    return needs_sounds and len(level.rooms) > 0 and not (len(level.sound_details) and sample_count(level))


def add_silence(level: Level) -> None:
    """Add a sound without a number in the sound map, which is never played, and its sample.

    TR1 gets a short silent sample, TR2 and TR3 the first one of MAIN.SFX. What the level has already stays.
    """
    if not sample_count(level):
        if sample_storage(level) is SampleStorage.MAIN_SFX:
            level.sample_indices = np.zeros(1, level.sample_indices.dtype)
        else:
            form = DEFAULT_FORMS[level.game]
            replace_samples(level, [encode_wave(np.zeros((_SAMPLES, 1), np.int16), form.rate, form.bits)])
    if not len(level.sound_details):
        level.sound_details = np.zeros(1, SOUND_DETAILS[level.game])
        put_run(level.sound_details[0], 0, 1, "Silence")
