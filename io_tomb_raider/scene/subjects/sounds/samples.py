"""Samples of a level (documentation, chapter 8) as packed Blender sounds.

Sounds of the level refer to these. Unchanged samples keep their bytes; others are converted to the form that
the game plays.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bpy.types import Collection, Sound

from ....catalogue import Catalogue
from ....formats import ExportError, FormatError, Level
from ....formats.base import SamplePlace, T, read_file
from ....formats.levels.game_files import Installed, find_game_file, not_installed
from ....formats.levels.sounds import (
    ADPCM,
    ADPCM_BUFFER,
    PCM,
    SampleStorage,
    SoundForm,
    convert_sound,
    decoded_size,
    encode_sound,
    find_waves,
    form_of,
    read_wave,
    run_of,
    sample_count,
    sample_storage,
    sample_waves,
    usual_form,
)
from ...core.reporting.report import Report, first_few
from .waves import bytes_of, decode_in_blender, digest, make_sounds, note_place, put_bytes, readable_bytes

MAIN_SFX = "MAIN.SFX"
_NAMED = 8  # samples in one warning

# --- Import ----------------------------------------


def find_main_sfx(level: Path | None, installed: Installed = not_installed) -> Path | None:
    """Return MAIN.SFX next to a level, one folder up, or of the installed game; or None."""
    return find_game_file(level, MAIN_SFX, installed=installed)


def sample_names(level: Level, catalogue: Catalogue) -> list[str]:
    """Return a name for every sample of a level, that of the first sound that plays it."""
    count = sample_count(level)
    result = [""] * count
    first_id: dict[int, int] = {}
    for number, details in reversed(list(enumerate(level.sound_map.tolist()))):
        first_id[details] = number
    for index, record in enumerate(level.sound_details):
        if index not in first_id:
            continue
        run, name = run_of(record), catalogue.sound(first_id[index])
        for sample in run:
            if sample < count and not result[sample]:
                result[sample] = f"{name} {sample - run.start + 1}" if len(run) > 1 else name
    return [name or f"Sample {sample}" for sample, name in enumerate(result)]


def read_main_sfx_waves(data: bytes, numbers: Sequence[int]) -> tuple[list[bytes], int]:
    """Return waves of MAIN.SFX by number, b"" for missing ones, and the number of waves in the file.

    Raises:
        FormatError: where it is not a sequence of waves.
    """
    if not data:
        raise FormatError(MAIN_SFX, "waves", "an empty file")
    spans = find_waves(data, MAIN_SFX)
    selected = (spans[number] if number < len(spans) else None for number in numbers)
    return [b"" if span is None else data[span.offset : span.end] for span in selected], len(spans)


def show_samples(
    root: Collection, level: Level, catalogue: Catalogue, path: Path | None, report: Report
) -> int:
    """Make the missing sounds of samples, set them on the level's sounds, and return how many were made."""
    settings = root.tomb_raider.sounds
    storage = sample_storage(level)
    waves = sample_waves(level)
    if storage is SampleStorage.MAIN_SFX:
        if path is None:
            return 0
        try:
            numbers = level.sample_indices.tolist()
            waves, settings.main_sfx_count = read_main_sfx_waves(read_file(path), numbers)
        except (OSError, FormatError) as error:
            text = T("it cannot be read, so samples are silent in Blender ({error})", error=str(error))
            report.warn(MAIN_SFX, text)
            return 0
        settings.main_sfx = str(path)
    # Samples with the same index share a sound.
    is_shared = storage in (SampleStorage.BLOCK, SampleStorage.MAIN_SFX)
    keys = level.sample_indices.tolist() if is_shared else range(len(waves))
    sample_list = zip(sample_names(level, catalogue), waves, strict=True)
    missing = dict(zip(keys, sample_list, strict=True))
    for key, sample in zip(keys, settings.samples, strict=False):
        if sample.sound is not None:
            missing.pop(key, None)
    sounds_by_key = dict(zip(missing, make_sounds(list(missing.values())), strict=True))
    for number, (key, sample) in enumerate(zip(keys, settings.samples, strict=False)):
        sound = sounds_by_key.get(key)
        if sample.sound is None and sound is not None:
            sample.sound = sound
            if storage is SampleStorage.MAIN_SFX:
                note_place(sound, "MAIN_SFX", key, settings.main_sfx)
            else:
                sound.tomb_raider.kind, sound.tomb_raider.number = "SAMPLE", number
    sounds = [sample.sound for sample in settings.samples]
    for details in settings.details:
        if details.for_trx:
            continue
        for slot in details.samples:
            if slot.sound is None and 0 <= slot.sample < len(sounds) and sounds[slot.sample] is not None:
                slot.sound = sounds[slot.sample]
    return sum(sound is not None for sound in sounds_by_key.values())


# --- Export ----------------------------------------


def wave_form(data: bytes) -> SoundForm | None:
    """Return the form of a wave, or None where it is damaged or in a form that no game plays."""
    try:
        return form_of(read_wave(data))
    except FormatError:
        return None


def fitting_wave(sound: Sound, form: SoundForm) -> bytes:
    """Return the wave of a sound in a given form. Raises ExportError where it cannot be read or is empty."""
    try:
        data = bytes_of(sound)
    except (FormatError, OSError) as error:
        problem = T("it is not packed, and its file cannot be read ({error})", error=str(error))
        raise ExportError(sound.name, problem) from None
    return fit_wave(data, form, sound.name)


def fit_wave(data: bytes, form: SoundForm, name: str) -> bytes:
    """Convert a sound file of any kind that Blender reads to a wave in a given form.

    Raises:
        ExportError: where it is no sound or is empty.
    """
    try:
        return convert_sound(data, form, name)
    except FormatError as error:
        decoded = decode_in_blender(data)
        if decoded is None:
            problem = T("this is not a readable sound: choose another file ({error})", error=str(error))
            raise ExportError(name, problem) from None
        return encode_sound(*decoded, form, name)


def replace_sound(sound: Sound, data: bytes) -> None:
    """Replace a sound's wave, converted to its present form so that it sounds as in the game.

    Raises:
        ExportError: where the data are no sound or are empty.
    """
    form = wave_form(readable_bytes(sound))
    put_bytes(sound, fit_wave(data, form, sound.name) if form is not None else data)


class SampleReader:
    """Reads the samples of a level from Blender sounds."""

    def __init__(self, root: Collection, original: Level, report: Report) -> None:
        self.settings = root.tomb_raider.sounds
        self.original, self.report = original, report
        self.home = sample_storage(original)  #: the place of the level's samples.
        self.waves = sample_waves(original)  #: the waves of the original.
        self.of_table: dict[Sound, int] = {}  #: the first index in the level's list of each sound.
        self.sounds: list[Sound | None] = [sample.sound for sample in self.settings.samples]
        for number, sound in enumerate(self.sounds):
            if sound is not None:
                self.of_table.setdefault(sound, number)
        self._converted: dict[Sound, bytes] = {}
        self._form: SoundForm | None = None
        self.changed = self._find_changes()  #: new waves of changed samples, by index in the list.

    @property
    def form(self) -> SoundForm:
        """The usual form of the level's samples."""
        if self._form is None:
            game, waves = self.original.game, self.waves
            if self.home is SampleStorage.MAIN_SFX:
                waves = [readable_bytes(sound) for sound in self.of_table if not self.is_changed(sound)]
            self._form = usual_form(waves, game)
            if self.home is SampleStorage.MAIN_SFX and self._form.tag != PCM:
                self._form = usual_form((), game)
        return self._form

    def is_changed(self, sound: Sound) -> bool:
        """Return whether a sound of MAIN.SFX has changed since its import."""
        settings = sound.tomb_raider
        return bool(settings.digest != digest(settings.number, readable_bytes(sound)))

    def wave(self, sound: Sound) -> bytes:
        """Return the wave of a user's sound in the form of the level's samples.

        Raises:
            ExportError: where the game cannot play it.
        """
        if sound not in self._converted:
            self._converted[sound] = self._fit(sound, self.form)
        return self._converted[sound]

    def _fit(self, sound: Sound, form: SoundForm) -> bytes:
        wave = fitting_wave(sound, form)
        size = decoded_size(wave)
        if self.original.game.traits.samples is SamplePlace.IN_CHUNKS and size > ADPCM_BUFFER:
            if form.tag == ADPCM:
                problem = T("the sample is too long for the game")
                raise ExportError(sound.name, problem, count=size, limit=ADPCM_BUFFER)
            text = T("it is longer than six seconds, the maximum of the original engine")
            self.report.warn(sound.name, text)
        return wave

    def _find_changes(self) -> dict[int, bytes]:
        self._warn_of_deleted()
        result: dict[int, bytes] = {}
        for number, sound in enumerate(self.sounds):
            if sound is None or number >= len(self.waves):
                continue
            try:
                data = bytes_of(sound)
            except (FormatError, OSError) as error:
                text = T(
                    "it is not packed, and its file cannot be read: its sample is unchanged ({error})",
                    error=str(error),
                )
                self.report.warn(sound.name, text)
                continue
            if self.home is SampleStorage.MAIN_SFX:
                if sound.tomb_raider.digest != digest(int(self.original.sample_indices[number]), data):
                    result[number] = self.wave(sound)
            elif data != self.waves[number]:
                wave = self._fit(sound, wave_form(self.waves[number]) or self.form)
                if wave != self.waves[number]:
                    result[number] = wave
        return result

    def _warn_of_deleted(self) -> None:
        """Warn of samples whose sounds were deleted; they are kept, as sounds refer to them by number."""
        if self.home is SampleStorage.MAIN_SFX:
            count = self.settings.main_sfx_count if self.settings.main_sfx else 0
            had_wave = (self.original.sample_indices < count).tolist()
        else:
            had_wave = [bool(wave) for wave in self.waves]
        pairs = enumerate(zip(self.sounds, had_wave, strict=False))
        deleted = [str(number) for number, (sound, existed) in pairs if sound is None and existed]
        warn_of_deleted(self.report, deleted)


def warn_of_deleted(report: Report, samples: Sequence[str]) -> None:
    """Warn of samples, by number, whose sounds were deleted, although the file keeps them."""
    if samples:
        text = T("the sounds were deleted, but the file keeps them: load them again, or choose others")
        report.warn(T("Samples {lost}", lost=first_few(samples, _NAMED)), text)
