"""Sounds of a level (documentation, chapter 8.3): sound details and sound map.

A sound of the scene is one record of sound details, with all its numbers in the sound map and its samples in
order. Several numbers may share a sound, and several sounds a sample.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from bpy.types import Sound

from ....catalogue import Catalogue, names
from ....formats import ExportError
from ....formats.base import SOUND_DETAILS, T, put
from ....formats.levels.game_files import not_installed
from ....formats.levels.sounds import (
    Arrangement,
    Copied,
    SampleStorage,
    add_silence,
    arrange_samples,
    flags_of,
    is_refused,
    put_run,
    replace_samples,
    run_of,
    sample_count,
    sample_storage,
)
from ...core.context import ExportContext, ImportContext
from ...core.record_fields import take_over
from ...core.stages import ExportStage, ImportStage, Steps
from ..models.steps import SKELETONS
from .for_trx import export_sounds_for_trx, import_sounds_for_trx
from .of_models import note_sounds
from .samples import MAIN_SFX, SampleReader, find_main_sfx, show_samples

_FIELDS = ("volume", "chance", "range", "pitch")
_MOST_DETAILS = 0x7FFF

# --- Import ----------------------------------------


def import_sounds(context: ImportContext) -> None:
    """Add the sounds and samples of a level to its settings, and make Blender sounds of the samples."""
    level, root = context.level, context.root
    if sample_storage(level) is SampleStorage.NONE:
        return
    root.tomb_raider.imported |= {"SOUNDS"}
    settings = root.tomb_raider.sounds
    for number in range(sample_count(level)):
        settings.samples.add().sample = number
    ids: dict[int, list[int]] = {}
    for number, details in enumerate(level.sound_map.tolist()):
        ids.setdefault(details, []).append(number)
    for index, record in enumerate(level.sound_details):
        item = settings.details.add()
        item.index = index
        for field, value in sound_values(record).items():
            setattr(item, field, value)
        for number in ids.get(index, ()):
            item.ids.add().number = number
        for number in run_of(record):
            item.samples.add().sample = number
    chosen_path = context.options.main_sfx
    in_main_sfx = sample_storage(level) is SampleStorage.MAIN_SFX
    installed = partial(context.options.game_folder, level.game) if in_main_sfx else not_installed
    path = Path(chosen_path) if chosen_path else find_main_sfx(context.path, installed)
    if path is None and context.path is not None and in_main_sfx and sample_count(level):
        text = T(
            "it is not next to the level, so its sounds are silent in Blender: choose it in the "
            "level's panel Sounds"
        )
        context.report.note(MAIN_SFX, text)
    show_samples(root, level, context.names, path, context.report)
    import_sounds_for_trx(root, context.decoded, context.names)


def sound_values(record: Any) -> dict[str, int]:
    """Return the values of a sound's typed properties by name."""
    values = {name: int(record[name]) for name in _FIELDS if name in record.dtype.names}
    return {**values, "flags": flags_of(record)}


def sound_title(item: Any, catalogue: Catalogue) -> str:
    """Return a name for a sound of the scene, that of its first number."""
    if len(item.ids):
        return catalogue.sound(item.ids[0].number)
    return T("Sound details {index}", index=item.index) if item.index >= 0 else T("New sound")


# --- Export ----------------------------------------


@dataclass(frozen=True)
class NewInMainSfx:
    """A sample that is new in a level with samples in MAIN.SFX."""

    wave: bytes
    number: int  #: its number in MAIN.SFX, or -1 if it is not in it.
    is_there: bool  #: whether MAIN.SFX has it unchanged under that number.


def export_sounds(context: ExportContext) -> None:
    """Write the sound map, sound details, and samples.

    Raises:
        ExportError: where a value does not fit, two sounds have one number, or a sample is missing.
    """
    export = SoundExport(context)
    export.run()
    export_sounds_for_trx(context)
    if export.main_sfx:
        text = T("{count} of its sounds are new or changed: export it, too", count=len(export.main_sfx))
        context.report.warn(MAIN_SFX, text)


class SoundExport:
    """One export of a level's sounds."""

    def __init__(self, context: ExportContext) -> None:
        self.context = context
        self.original = context.original
        self.catalogue = names(self.original.game)
        self.settings = context.root.tomb_raider.sounds
        self.samples = SampleReader(context.root, self.original, context.report)
        in_game = [item for item in self.settings.details if not item.for_trx]
        self.items = _in_order(in_game, len(self.original.sound_details))
        self.keys = [[self._key(slot, item) for slot in item.samples] for item, _ in self.items]
        self.main_sfx: dict[int, bytes] = {}  #: the new and changed waves of MAIN.SFX by number (TR2, TR3).
        #: samples of sounds that get a new number in MAIN.SFX, with that number.
        self.placed: list[tuple[Any, int]] = []

    def run(self) -> None:
        """Write the sounds of the scene into the level."""
        original = self.original
        sounds = [(index, keys) for (_, index), keys in zip(self.items, self.keys, strict=True)]
        in_main_sfx = self.samples.home is SampleStorage.MAIN_SFX
        runs = [run_of(record) for record in original.sound_details]
        arrangement = arrange_samples(sample_count(original), runs, sounds, ascending=in_main_sfx)
        if in_main_sfx:
            self._write_numbers(arrangement)
        else:
            self._write_samples(arrangement)
        self._write_details(arrangement)
        self._write_map()
        # The files of a game stay as they are: *Check Level* reports them.
        if is_refused(self.context.level) and not is_refused(original):
            add_silence(self.context.level)

    def _title(self, item: object) -> str:
        return sound_title(item, self.catalogue)

    # --- Samples

    def _key(self, slot: Any, item: Any) -> Hashable:
        """Return the identity of a sample: its number in the level's list, else a new wave."""
        samples, sound, number = self.samples, slot.sound, slot.sample
        if sound is None:
            if number < 0:
                problem = T("one of its samples has no sound: choose one, or remove it")
                raise ExportError(self._title(item), problem)
            return number
        if 0 <= number < len(samples.sounds) and samples.sounds[number] == sound:
            return number
        if sound in samples.of_table:
            return samples.of_table[sound]
        if samples.home is SampleStorage.MAIN_SFX:
            return self._key_in_main_sfx(sound)
        return samples.wave(sound)

    def _key_in_main_sfx(self, sound: Sound) -> NewInMainSfx:
        tag = sound.tomb_raider
        is_known = tag.kind == "MAIN_SFX" and bool(tag.file)
        is_known = is_known and Path(tag.file) == Path(self.settings.main_sfx)
        is_there = is_known and not self.samples.is_changed(sound)
        return NewInMainSfx(self.samples.wave(sound), tag.number if is_known else -1, is_there)

    def _write_samples(self, arrangement: Arrangement) -> None:
        level, changed = self.context.level, self.samples.changed
        entries: list[int | bytes] = [changed.get(each, each) for each in arrangement.entries]  # type: ignore[call-overload]
        if entries == list(range(sample_count(self.original))) and not self.context.rebuild:
            return
        before = sample_count(self.original)
        replace_samples(level, entries)
        same = sum(each == place for place, each in enumerate(entries))
        self.context.rebuilt.count("samples", max(before, len(entries)) - same)

    def _write_numbers(self, arrangement: Arrangement) -> None:
        """Write the numbers in MAIN.SFX, and add new and changed waves to :attr:`main_sfx`."""
        numbers = self.original.sample_indices.tolist()
        for index, wave in self.samples.changed.items():
            self.main_sfx[numbers[index]] = wave
        result: list[int] = []
        next_free = max(self.settings.main_sfx_count, max(numbers, default=-1) + 1)
        last_number = -1
        for entry in arrangement.entries:
            number = numbers[entry] if isinstance(entry, int) else -1
            if isinstance(entry, NewInMainSfx) and entry.number > last_number:
                number = entry.number
                if not entry.is_there:
                    self.main_sfx[number] = entry.wave
            elif not isinstance(entry, int):
                number = max(next_free, last_number + 1)
                next_free = number + 1
                self.main_sfx[number] = self._wave_of(entry)
            result.append(number)
            last_number = max(last_number, number)
        self._note_new_numbers(arrangement, result)
        new, before = np.array(result, "<u4"), self.original.sample_indices
        self.context.level.sample_indices = take_over(self.context, "sample_indices", before, new)

    def _wave_of(self, entry: Hashable) -> bytes:
        """Return the bytes of a sample that gets a new number in MAIN.SFX."""
        if self.settings.main_sfx_count < 0:
            problem = T(
                "choose the file in the level's settings first: new samples are numbered after its own"
            )
            raise ExportError(MAIN_SFX, problem)
        if isinstance(entry, NewInMainSfx):
            return entry.wave
        assert isinstance(entry, Copied)
        sound = self.samples.sounds[entry.index]
        if sound is None:
            problem = T("it is not loaded, and it must be moved: load the samples")
            raise ExportError(T("Sample {index}", index=entry.index), problem)
        return self.samples.wave(sound)

    def _note_new_numbers(self, arrangement: Arrangement, numbers: list[int]) -> None:
        for (item, _), keys, (first, count) in zip(self.items, self.keys, arrangement.runs, strict=True):
            if len(keys) != count:
                continue  # some of its samples are missing in the file
            for slot, index in zip(item.samples, range(first, first + count), strict=True):
                if index < len(numbers) and not isinstance(arrangement.entries[index], int):
                    self.placed.append((slot, numbers[index]))

    # --- Details and map

    def _write_details(self, arrangement: Arrangement) -> None:
        original = self.original.sound_details
        if len(self.items) > _MOST_DETAILS:
            raise ExportError(T("Sounds"), T("too many sounds"), count=len(self.items), limit=_MOST_DETAILS)
        records = np.zeros(len(self.items), SOUND_DETAILS[self.original.game])
        for row, ((item, _), (first, count)) in enumerate(zip(self.items, arrangement.runs, strict=True)):
            record, title = records[row], self._title(item)
            for field in _FIELDS:
                if field in record.dtype.names:
                    put(record, field, getattr(item, field), title)
            put(record, "flags", item.flags, title)
            put_run(record, first, count, title)
        self.context.level.sound_details = take_over(self.context, "sound_details", original, records)

    def _write_map(self) -> None:
        before = self.original.sound_map
        sound_map = np.full(len(before), -1, before.dtype)
        owner: dict[int, str] = {}
        for row, (item, _) in enumerate(self.items):
            title = self._title(item)
            for entry in item.ids:
                number = entry.number
                if not 0 <= number < len(before):
                    problem = T("its number does not exist in the game")
                    raise ExportError(title, problem, count=number, limit=len(before) - 1)
                if number in owner:
                    problem = T("{owner} also has the number {number}", owner=owner[number], number=number)
                    raise ExportError(title, problem)
                owner[number] = title
                sound_map[number] = row
        # Keep invalid numbers of the file.
        count = len(self.original.sound_details)
        for number in np.flatnonzero((before < -1) | (before >= count)).tolist():
            if number in owner:
                continue
            if 0 <= before[number] < len(self.items):
                text = T(
                    "the file has no sound with its number. A new sound now has that number, "
                    "but it stays silent"
                )
                self.context.report.warn(self.catalogue.sound(number), text)
            else:
                sound_map[number] = before[number]
        self.context.level.sound_map = take_over(self.context, "sound_map", before, sound_map)


def _in_order(items: Any, count: int) -> list[tuple[Any, int]]:
    """Return sounds in file order with their index below ``count``, then new ones with -1."""
    used: set[int] = set()
    old: list[tuple[Any, int]] = []
    new: list[tuple[Any, int]] = []
    for item in items:
        if not 0 <= item.index < count or item.index in used:
            new.append((item, -1))
        else:
            used.add(item.index)
            old.append((item, item.index))
    return sorted(old, key=lambda pair: pair[1]) + new


def _note(context: ImportContext) -> None:
    if context.options.animations:
        note_sounds(context.root, [each.armature for each in SKELETONS.of(context)])


STEPS = Steps(
    {ImportStage.REFERENCES: import_sounds, ImportStage.LAST: _note}, {ExportStage.REFERENCES: export_sounds}
)
