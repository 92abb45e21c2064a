"""Import of sounds of a file with their samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bpy.types import Collection, Sound

from ....catalogue import names
from ....formats import FormatError, Game, Level
from ....formats.base import T, read_file
from ....formats.levels.sounds import SampleStorage, run_of, sample_count, sample_storage, sample_waves
from ...core import original
from ...core.reporting.report import Report, first_few
from ...subjects.sounds.for_trx import stores_for_trx
from ...subjects.sounds.samples import MAIN_SFX, read_main_sfx_waves, sample_names
from ...subjects.sounds.sounds import sound_values
from ...subjects.sounds.transfer import remap_values
from ...subjects.sounds.waves import make_sounds, note_place
from .plan import PlannedImport

_NAMED = 8  # sounds in one warning


def is_in_main_sfx(root: Collection) -> bool:
    """Return whether the samples of a level are in MAIN.SFX, as in TR2 and TR3."""
    decoded = original.load(root)
    return decoded is not None and sample_storage(decoded.level) is SampleStorage.MAIN_SFX


def has_place(root: Collection) -> bool:
    """Return whether samples can be added to a level: TR2 and TR3 need a known MAIN.SFX, but not for TRX."""
    settings = root.tomb_raider.sounds
    return not is_in_main_sfx(root) or settings.main_sfx_count >= 0 or stores_for_trx(root)


def add_sound(
    root: Collection,
    values: dict[str, int],
    source: Game,
    plans: Iterable[PlannedImport],
    samples: Iterable[Sound],
) -> None:
    """Add a sound to a level under all of its numbers, with the index of the sounds that it replaces.

    Args:
        values: its playback values, see :func:`~...subjects.sounds.transfer.values_of`.
        source: the game of the values.
    """
    settings = root.tomb_raider.sounds
    plans = list(plans)
    index = max((_free_number(settings, each.number) for each in plans if each.replaces), default=-1)
    for_trx = stores_for_trx(root)
    item = settings.details.add()
    item.index = -1 if for_trx else index
    for name, value in remap_values(values, source, Game[root.tomb_raider.game]).items():
        setattr(item, name, value)
    item.stored_for_trx = for_trx
    for each in plans:
        item.ids.add().number = each.number
    for sound in samples:
        item.samples.add().sound = sound


def _free_number(settings: Any, number: int) -> int:
    """Remove a number from its sound, and a sound without numbers; return the index of that, or -1."""
    for row, item in enumerate(settings.details):
        position = next((position for position, each in enumerate(item.ids) if each.number == number), None)
        if position is None:
            continue
        item.ids.remove(position)
        if len(item.ids):
            return -1
        index = int(item.index)
        settings.details.remove(row)
        return index
    return -1


class SourceSounds:
    """The sounds of a file."""

    def __init__(self, level: Level, main_sfx: Path | None, report: Report) -> None:
        """Read the samples of a file.

        Args:
            main_sfx: the file with its samples, for TR2 and TR3.
        """
        self._level, self._main_sfx = level, main_sfx
        self._in_main_sfx = sample_storage(level) is SampleStorage.MAIN_SFX
        self._waves = sample_waves(level)
        if self._in_main_sfx:
            self._waves = self._read_main_sfx(report)

    def _read_main_sfx(self, report: Report) -> list[bytes]:
        silence = [b""] * sample_count(self._level)
        if self._main_sfx is None:
            return silence
        try:
            data = read_file(self._main_sfx)
            return read_main_sfx_waves(data, self._level.sample_indices.tolist())[0]
        except (OSError, FormatError) as error:
            report.warn(MAIN_SFX, T("it cannot be read, so no sounds are copied ({error})", error=str(error)))
            return silence

    def import_into(self, root: Collection, plans: Sequence[PlannedImport], report: Report) -> int:
        """Add sounds to a level.

        Args:
            plans: the sounds, each by one number; those with the same details become one.

        Returns:
            The number of added sounds.
        """
        groups: dict[int, list[PlannedImport]] = {}
        for each in plans:
            groups.setdefault(int(self._level.sound_map[each.piece.number]), []).append(each)
        playable: dict[int, list[PlannedImport]] = {}
        silent: list[str] = []
        for details, group in groups.items():
            run = run_of(self._level.sound_details[details])
            if all(sample < len(self._waves) and self._waves[sample] for sample in run):
                playable[details] = group
                continue
            silent += [each.piece.name for each in group]
        if silent:
            where = T(": {main_sfx} is not next to the file", main_sfx=MAIN_SFX) if self._in_main_sfx else ""
            listed = first_few(silent, _NAMED)
            report.warn(
                T("Sounds"),
                T(
                    "these are not copied, because their samples are missing{where}: {names}",
                    where=where,
                    names=listed,
                ),
            )
        sounds = self._import_samples(root, playable)
        for details, group in playable.items():
            record = self._level.sound_details[details]
            samples = [sounds[sample] for sample in run_of(record)]
            add_sound(root, sound_values(record), self._level.game, group, samples)
        return sum(map(len, playable.values()))

    def _import_samples(self, root: Collection, groups: dict[int, list[PlannedImport]]) -> dict[int, Sound]:
        """Import the samples of details; those that equal samples of the level's MAIN.SFX refer to it."""
        level = self._level
        places = sorted({place for each in groups for place in run_of(level.sound_details[each])})
        titles = sample_names(level, names(level.game))
        sounds = make_sounds([(titles[place], self._waves[place]) for place in places])
        result = {place: sound for place, sound in zip(places, sounds, strict=True) if sound is not None}
        level_samples = _main_sfx_of(root)
        if level_samples is not None and self._in_main_sfx:
            for place, sound in result.items():
                number = int(level.sample_indices[place])
                if self._waves[place] == (level_samples[number] if number < len(level_samples) else b""):
                    note_place(sound, "MAIN_SFX", number, root.tomb_raider.sounds.main_sfx)
        return result


def _main_sfx_of(root: Collection) -> list[bytes] | None:
    """Return the samples of the MAIN.SFX of a level, or None if it has none."""
    path, count = root.tomb_raider.sounds.main_sfx, root.tomb_raider.sounds.main_sfx_count
    if not path or count < 0:
        return None
    try:
        return read_main_sfx_waves(read_file(path), range(count))[0]
    except (OSError, FormatError):
        return None
