"""Reducing the sounds of a level to a few, with their samples."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ...levels.animations.animations import PLAY_SOUND, decode_commands
from ...levels.level.level import Level
from ...levels.sounds.arrangement import Copied, arrange_samples
from ...levels.sounds.details import put_run, run_of
from ...levels.sounds.samples import SampleStorage, replace_samples, sample_count, sample_storage

_SOUND = 0x3FFF  # of the operand of a command: the higher bits are conditions


def played_sounds(level: Level) -> frozenset[int]:
    """Return the sounds that the animations of a level play, by their numbers in the sound map."""
    found = set()
    for record in level.animations:  # each has its own stream of commands
        stream, first = level.animation_commands, int(record["first_command"])
        for command in decode_commands(stream, first, int(record["commands"])):
            if command.type == PLAY_SOUND:
                found.add(command.operands[1] & _SOUND)
    return frozenset(found)


def cut_sounds(level: Level, wanted: Collection[int]) -> None:
    """Keep some sounds of a level, with their samples.

    Args:
        wanted: numbers in the sound map.
    """
    details, count = level.sound_details, len(level.sound_details)
    numbers = level.sound_map.astype(np.int64)
    stays = np.isin(np.arange(len(numbers)), list(wanted)) & (numbers >= 0) & (numbers < count)
    kept = np.unique(numbers[stays])
    arrangement = arrange_samples(
        sample_count(level),
        [run_of(record) for record in details],
        [(row, list(run_of(details[row]))) for row in kept.tolist()],
        ascending=sample_storage(level) is SampleStorage.MAIN_SFX,
    )
    entries = [each.index if isinstance(each, Copied) else each for each in arrangement.entries]
    rows = [each for each in entries if isinstance(each, int)]
    records = details[kept].copy()
    for record, (first, size), row in zip(records, arrangement.runs, kept.tolist(), strict=True):
        put_run(record, first, size, f"sound {row}")
    if sample_storage(level) is SampleStorage.MAIN_SFX:
        level.sample_indices = level.sample_indices[rows]
    elif len(rows) < sample_count(level):
        replace_samples(level, rows)
    level.sound_details = records
    level.sound_map = np.where(stays, np.searchsorted(kept, numbers), -1).astype(level.sound_map.dtype)
