"""Rules of sounds, demo data and cinematic frames."""

from __future__ import annotations

import numpy as np

from ...base.arrays.typing import Ints
from ...base.messages import N_
from ...levels.sounds.details import SAMPLES
from ...levels.views.decoded import Decoded
from .rule import (
    ALL,
    EVERYONE,
    NO_PLACES,
    OPENLARA,
    ORIGINAL,
    TR1,
    TR2,
    TR3,
    TR4,
    TR5,
    TRX,
    Harm,
    Places,
    Rule,
    once_if,
    where,
)

_MOST_DEMO = {1: 36000, 2: 36000, 3: 14432}
_LOUDEST = 0x7FFF
_MOST_SAMPLES, _LEAST_UNPACKED, _MOST_UNPACKED, _MOST_PACKED = 256, 33, 262176, 262234


def _offsets(checked: Decoded) -> Places:
    level = checked.level
    offsets = level.sample_indices.astype(np.int64)
    is_outside = bool((offsets + 4 > len(level.sample_data)).any())
    if is_outside or (np.diff(offsets) <= 0).any():
        return once_if(True)
    heads = level.sample_data[offsets[:, None] + np.arange(4)] if len(offsets) else np.zeros((0, 4), np.uint8)
    return once_if(bool((heads != np.frombuffer(b"RIFF", np.uint8)).any()))


def _ordinals(checked: Decoded) -> Places:
    if not checked.level.has("sample_indices"):
        return NO_PLACES  # demos contain the samples
    return once_if(bool((np.diff(checked.level.sample_indices.astype(np.int64)) <= 0).any()))


def _loud(checked: Decoded) -> Places:
    return once_if(bool((checked.level.sound_details["volume"] > _LOUDEST).any()))


def _sources(checked: Decoded) -> Places:
    level = checked.level
    sounds = level.sound_sources["sound"].astype(np.int64)
    if not (level.sound_map >= 0).any():
        return NO_PLACES  # the level is silent, which another check reports
    inside = sounds < len(level.sound_map)
    is_silent = level.sound_map[sounds[inside]] < 0
    return np.flatnonzero(inside)[is_silent]


def _missing_samples(checked: Decoded) -> Places:
    level = checked.level
    used = np.unique(level.sound_map[level.sound_map >= 0])
    used = used[used < len(level.sound_details)]
    return where(SAMPLES.of(level.sound_details["flags"][used].astype(np.int64)) == 0)


def _chunks(checked: Decoded) -> Ints:
    """Return the unpacked and the packed size of each sample of TR4 and TR5, (n, 2)."""
    data = np.ascontiguousarray(checked.level.samples).tobytes()
    result, offset = [], 0
    for _ in range(checked.level.sample_count):
        if offset + 8 > len(data):
            break
        sizes = [int.from_bytes(data[offset + start : offset + start + 4], "little") for start in (0, 4)]
        result.append(sizes)
        offset += 8 + sizes[1]
    return np.array(result, np.int64).reshape(-1, 2)


def _sample_sizes(checked: Decoded) -> Places:
    sizes = _chunks(checked)
    has_wrong_size = (
        (sizes[:, 0] < _LEAST_UNPACKED) | (sizes[:, 0] > _MOST_UNPACKED) | (sizes[:, 1] > _MOST_PACKED)
    )
    is_too_many = np.arange(len(sizes)) >= _MOST_SAMPLES
    return where(has_wrong_size | is_too_many)


def _fewer_indices(checked: Decoded) -> Places:
    level = checked.level
    return once_if(len(level.sample_indices) < level.sample_count)


def _other_indices(checked: Decoded) -> Places:
    return once_if(len(checked.level.sample_indices) != checked.level.sample_count)


def _demo(checked: Decoded) -> Places:
    level = checked.level
    data = np.ascontiguousarray(level.demo_data)
    if not len(data):
        return NO_PLACES
    has_end = bytes(data[-4:]) == b"\xff\xff\xff\xff"
    return once_if(not has_end or len(data) > _MOST_DEMO[level.game])


def _frames(checked: Decoded) -> Places:
    return once_if(len(checked.level.cinematic_frames) == 1)


RULES = (
    Rule(
        "some sound",
        Harm.CRASH,
        ALL,
        (TRX, ORIGINAL),
        "TRX and the original games end or are mute: there is no sound. Add one",
        None,
    ),
    Rule(
        "sound map",
        Harm.CRASH,
        ALL,
        EVERYONE,
        "engines read beyond the sounds: the sound map names sounds that do not exist",
        None,
    ),
    Rule(
        "order of waves",
        Harm.CRASH,
        TR1,
        (TRX, OPENLARA),
        N_("TRX and OpenLara end: waves are not in order"),
        _offsets,
    ),
    Rule(
        "order of samples",
        Harm.MISSING,
        TR2 | TR3,
        (TRX, ORIGINAL),
        N_("the level is mute: its samples are not in the order of MAIN.SFX"),
        _ordinals,
    ),
    Rule(
        "sample indices",
        Harm.CRASH,
        TR4,
        (OPENLARA, ORIGINAL),
        N_("OpenLara ends: there are fewer sample indices than samples"),
        _fewer_indices,
    ),
    Rule(
        "sample indices for TRX",
        Harm.CRASH,
        TR4,
        (TRX,),
        N_("TRX ends: there are more or fewer sample indices than samples"),
        _other_indices,
        only_for_trx=True,
    ),
    Rule(
        "size of samples",
        Harm.CRASH,
        TR4 | TR5,
        (ORIGINAL,),
        N_("the original game overwrites other memory: {count} samples are too short, too long or too many"),
        _sample_sizes,
        holds_in_trng=False,
    ),
    Rule(
        "loudness", Harm.COSMETIC, TR1 | TR2, (OPENLARA,), N_("OpenLara refuses volumes above 100 %"), _loud
    ),
    Rule(
        "sound sources",
        Harm.MISSING,
        ALL,
        EVERYONE,
        N_("{count} sound sources are silent: the level has no such sound"),
        _sources,
    ),
    Rule(
        "samples of sounds",
        Harm.MISSING,
        ALL,
        (TRX, ORIGINAL),
        N_("{count} sounds are silent or noise: they have no samples"),
        _missing_samples,
    ),
    Rule(
        "size of demo data",
        Harm.CRASH,
        TR1 | TR2 | TR3,
        (ORIGINAL,),
        N_("the original game overwrites other memory: demo data has no end, or is too long"),
        _demo,
    ),
    Rule(
        "cinematic frames",
        Harm.WRONG,
        TR1 | TR2 | TR3,
        (ORIGINAL,),
        N_("the cutscene ends at once: it needs two cinematic frames"),
        _frames,
    ),
)
