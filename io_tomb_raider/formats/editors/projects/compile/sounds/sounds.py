"""The sounds of a level from the catalogs of its project."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path, PureWindowsPath
from typing import NamedTuple

import numpy as np

from .....base.bytes.files import file_content, name_key
from .....base.bytes.records import I16, SOUND_DETAILS, SOUND_MAP_SIZE, U32
from .....base.errors import ExportError, FormatError
from .....base.games import Game, SamplePlace
from .....base.messages import T, about, plural
from .....base.schema.fields import Record
from .....base.targets import Target
from .....edits.append.cut import played_sounds
from .....levels.injections.sounds import MOST_WAVES, sound_record
from .....levels.level.level import Level
from .....levels.sounds.details import SAMPLES, TRX_FULL, TRX_RANGE, most_volume
from .....levels.sounds.forms import DEFAULT_FORMS, SoundForm, convert_sound, form_of
from .....levels.sounds.samples import replace_samples
from .....levels.sounds.waves import ADPCM, PCM, read_wave
from ...model.objects import SoundSource
from ...model.rooms import ProjectRoom
from ...model.settings import Settings
from ..plan.log import Log
from ..plan.paths import ProjectPaths
from ..plan.plan import CompileTarget
from ..plan.resources import Resources
from .catalogs import FULL, CatalogSound, read_catalog_file

_MOST_PITCH = 127
_TRNG_SOUNDS, _NO_SOUND = 2048, -1
_MOST_FOLDERS = 1 << 13
_PLAIN = SoundForm(PCM, 22050, 16)
# The loop modes of TR1 by those of catalogs: TR1 has no way to play a sound twice at once.
_LOOPS = {Game.TR1: (1, 0, 1, 2)}
# Sounds that objects of TRNG play by another number: the model, the number in TR3, and that of TRNG.
_TRNG_NUMBERS = ((465, 308, 1053), (465, 307, 1055), (467, 308, 1423), (467, 307, 1425))
_RATE, _HEADER = slice(24, 32), 44
# The forms of samples: the editor writes plain ones for TR4.
_FORMS = {**DEFAULT_FORMS, Game.TR4: _PLAIN}
# The factors of the rate that the header has in place of the bytes per second.
_RATE_FACTORS = {Game.TR1: 2, Game.TR4: 1}
# A silent sample, in place of missing ones: two values of 16 bits.
_MISSING = bytes.fromhex(
    "52494646 28000000 57415645 666d7420 10000000 0100 0100"
    "22560000 44ac0000 0200 1000 64617461 04000000 00000000"
)


class CatalogSounds(NamedTuple):
    """The sounds of the catalogs of a project."""

    numbers: frozenset[int] = frozenset()  #: of all sounds.
    included: frozenset[int] = frozenset()  #: the numbers of the sounds in the level.
    #: the sounds for TRX, which are stored in the block at the end of the level.
    records: Sequence[Record] = ()


def add_catalog_sounds(
    level: Level,
    target: CompileTarget,
    settings: Settings,
    rooms: Sequence[ProjectRoom],
    resources: Resources,
    log: Log,
    *,
    quick: bool,
) -> CatalogSounds:
    """Replace the sounds of a level by the selected ones of the project's catalogs.

    Without a selection, these are all sounds of the level editor's `.sfx`, or those that animations and sound
    sources play.

    The level is not changed if the catalogs have none of the sounds.

    Args:
        quick: keep the coding of samples, even if the original game cannot play it.
    """
    catalogs = _catalogs(settings.catalogs, resources)
    chosen = _chosen(settings, catalogs, level, rooms)
    available = frozenset(catalogs)
    if not chosen & available:
        return CatalogSounds(available)
    from_file = level.game.traits.samples is SamplePlace.IN_MAIN_SFX and target.engine is Target.ORIGINAL
    samples = _Samples(settings, resources, None if quick else _form(level.game, settings))
    if from_file:
        included = _of_main_sfx(level.game, settings, catalogs, chosen, log)
    else:
        selected = [each for number, each in catalogs.items() if number in chosen]
        included = [each for each in selected if any(samples.wave(name) is not None for name in each.samples)]
    sample_numbers = _sample_numbers(catalogs.values(), included, only_indexed=from_file)
    if target.trng:
        included += _renumbered(level, included)
    size = _TRNG_SOUNDS if target.trng else SOUND_MAP_SIZE[level.game]
    sounds = _numbered_below(size, included, log)
    if not sounds:
        return CatalogSounds(available)
    waves = [] if from_file else [samples.any_wave(name) for each in sounds for name in each.samples]
    samples.warn(log)
    _clear(level)
    numbers = frozenset(each.number for each in sounds)
    if target.engine is Target.TRX:
        return CatalogSounds(available, numbers, _records(level.game, sounds, samples, log))
    _store_sounds(level, sounds, size)
    if from_file:
        level.sample_indices = np.array(sample_numbers, U32)
    else:
        replace_samples(level, [_with_rate(level.game, each) for each in waves] if not quick else waves)
        if level.has("sample_indices") and level.game.traits.samples is SamplePlace.IN_CHUNKS:
            level.sample_indices = np.array(sample_numbers, U32)
    level.sound_map_counted = target.trng
    return CatalogSounds(available, numbers)


def _of_main_sfx(
    game: Game, settings: Settings, catalogs: Mapping[int, CatalogSound], chosen: Collection[int], log: Log
) -> list[CatalogSound]:
    """Return the chosen sounds that are marked as sounds of MAIN.SFX; warn of the others."""
    if len(settings.catalogs) > 1:
        log.warn(
            T(
                "{game} needs one sound catalog: the samples of its MAIN.SFX are numbered in order",
                game=game.name,
            )
        )
    lost = sum(number in chosen and not each.is_indexed for number, each in catalogs.items())
    if lost:
        log.warn(
            plural(
                "one selected sound is omitted, since it is not marked as a sound of MAIN.SFX",
                "{count} selected sounds are omitted, since they are not marked as sounds of MAIN.SFX",
                lost,
            )
        )
    return [each for number, each in catalogs.items() if number in chosen and each.is_indexed]


def _numbered_below(size: int, included: Sequence[CatalogSound], log: Log) -> list[CatalogSound]:
    """Return the sounds whose number a sound map has; warn of the others."""
    sounds = [each for each in included if 0 <= each.number < size]
    if len(sounds) < len(included):
        log.warn(
            plural(
                "one sound is omitted: its number is above {limit}",
                "{count} sounds are omitted: their numbers are above {limit}",
                len(included) - len(sounds),
                limit=size - 1,
            )
        )
    return sounds


def widen_sound_map(level: Level) -> None:
    """Give a level the numbers of sounds of TRNG, which the editor always writes."""
    size = max(_TRNG_SOUNDS, len(level.sound_map))
    rest = np.full(size - len(level.sound_map), _NO_SOUND, level.sound_map.dtype)
    level.sound_map = np.concatenate([level.sound_map, rest])
    level.sound_map_counted = True
    level.demo_data = level.demo_data[:0]


def _catalogs(paths: Iterable[str], resources: Resources) -> Mapping[int, CatalogSound]:
    """Return the sounds of all catalogs by number, in order; the first catalog with a number wins."""
    sounds: dict[int, CatalogSound] = {}
    for text in paths:
        path = resources.find(text, T("sounds"))
        if path is None:
            continue
        try:
            for sound in read_catalog_file(path):
                sounds.setdefault(sound.number, sound)
        except (OSError, FormatError) as error:
            resources.problems.append(about(path.name, str(error)))
    return {number: sounds[number] for number in sorted(sounds)}


def _chosen(
    settings: Settings, catalogs: Mapping[int, CatalogSound], level: Level, rooms: Sequence[ProjectRoom]
) -> frozenset[int]:
    """Return the numbers of the selected sounds, or of those that the level needs."""
    if settings.selected_sounds:
        return frozenset(settings.selected_sounds)
    if settings.catalogs and all(each.lower().endswith(".sfx") for each in settings.catalogs):
        return frozenset(catalogs)
    placed = {source.sound for room in rooms for source in room.each(SoundSource)}
    everywhere = {number for number, each in catalogs.items() if each.is_global}
    return played_sounds(level).union(placed, everywhere)


def _sample_numbers(
    catalogs: Iterable[CatalogSound], included: Sequence[CatalogSound], *, only_indexed: bool
) -> list[int]:
    """Return the numbers of samples, counted through all sounds: their numbers in MAIN.SFX."""
    numbers = {each.number for each in included}
    result: list[int] = []
    count = 0
    for each in catalogs:
        if only_indexed and not each.is_indexed:
            continue
        if each.number in numbers:
            result += range(count, count + len(each.samples))
        count += len(each.samples)
    return result


def _renumbered(level: Level, included: Sequence[CatalogSound]) -> list[CatalogSound]:
    """Return the sounds of vehicles again, with the numbers that TRNG plays."""
    models = frozenset(level.models["id"].tolist())
    by_number = {each.number: each for each in included}
    return [
        replace(by_number[old], number=new)
        for model, old, new in _TRNG_NUMBERS
        if model in models and new not in by_number and old in by_number
    ]


def _clear(level: Level) -> None:
    """Remove all sounds of a level."""
    for name in ("sample_indices", "sample_data", "samples", "sound_details"):
        if name in vars(level):
            setattr(level, name, getattr(level, name)[:0])
    if "sample_count" in vars(level):
        level.sample_count = 0
    level.sound_map = np.full(SOUND_MAP_SIZE[level.game], -1, I16)


def _store_sounds(level: Level, sounds: Sequence[CatalogSound], size: int) -> None:
    """Set the sound map and the details of a level."""
    level.sound_map = np.full(size, -1, I16)
    rows, first = [], 0
    for row, sound in enumerate(sounds):
        level.sound_map[sound.number] = row
        rows.append(_details(level.game, sound, first))
        first += len(sound.samples)
    level.sound_details = np.concatenate(rows)


def _details(game: Game, sound: CatalogSound, first: int) -> np.ndarray:
    record = np.zeros(1, SOUND_DETAILS[game])
    record["sample"] = first & 0xFFFF
    record["volume"], record["chance"] = _scaled(sound, most_volume(game))
    if "range" in (record.dtype.names or ()):
        record["range"], record["pitch"] = sound.radius, round(sound.pitch * _MOST_PITCH / FULL)
    record["flags"] = _flags(game, sound)
    return record


def _flags(game: Game, sound: CatalogSound) -> int:
    loop = _LOOPS[game][sound.loop] if game in _LOOPS else sound.loop
    return int(SAMPLES.put(sound.flags | loop, min(len(sound.samples), SAMPLES.largest)))


def _scaled(sound: CatalogSound, most: int) -> tuple[int, int]:
    """Return volume and chance on the scale of a game, calculated with 32 bits like the editor."""
    full, scale = np.float32(FULL), np.float32(most)
    chance = 0 if sound.chance == FULL else sound.chance
    volume = np.rint(np.float32(sound.volume) / full * scale)
    return int(volume), int(np.floor(np.float32(chance) / full * scale))


def _records(game: Game, sounds: Sequence[CatalogSound], samples: _Samples, log: Log) -> list[Record]:
    """Return the sounds of TRX, in order of their numbers."""
    result = []
    for sound in sorted(sounds, key=lambda each: each.number):
        volume, chance = _scaled(sound, TRX_FULL)
        values = {
            "volume": volume,
            "chance": chance,
            "flags": _flags(game, sound),
            "range": TRX_RANGE,
            "pitch": 0,
        }
        name = T("sound {number}", number=sound.number)
        if len(sound.samples) > MOST_WAVES:
            log.warn(about(name, T("too many samples")))
        waves = [samples.any_wave(each) for each in sound.samples[:MOST_WAVES]]
        result.append(sound_record(sound.number, values, waves, name))
    return result


# --- Samples -----------------------------------------------------------------------------------


def _form(game: Game, settings: Settings) -> SoundForm:
    """Return the form of samples: one channel of 16 bits, or what TR1 and TR5 need."""
    usual = _FORMS[game]
    return replace(usual, rate=settings.custom_sample_rate) if settings.custom_sample_rate_enabled else usual


def _with_rate(game: Game, wave: bytes) -> bytes:
    """Return a wave with the rate of bytes that the editor writes into its header, and games ignore."""
    if game not in _RATE_FACTORS or len(wave) < _HEADER:
        return wave
    rate = int.from_bytes(wave[24:28], "little")
    per_second = _RATE_FACTORS[game] * rate
    return (
        wave[: _RATE.start]
        + rate.to_bytes(4, "little")
        + per_second.to_bytes(4, "little")
        + wave[_RATE.stop :]
    )


class _Samples:
    """The samples of a project by the names of their files.

    `form`: the form of samples; None for any that a game can play.
    """

    def __init__(self, settings: Settings, resources: Resources, form: SoundForm | None) -> None:
        self._resources = resources
        self._form = form
        self._folders = settings.sample_directories
        self._waves: dict[str, bytes | None] = {}

    @cached_property
    def _files(self) -> Mapping[str, Path]:
        return sample_files(self._resources.paths, self._folders)

    def wave(self, name: str) -> bytes | None:
        """Return a sample, None if it is missing or damaged."""
        if name not in self._waves:
            self._waves[name] = self._read(name)
        return self._waves[name]

    def any_wave(self, name: str) -> bytes:
        """Return a sample, a silent one if it is missing or damaged."""
        wave = self.wave(name)
        if wave is not None:
            return wave
        if self._form is not None and self._form.tag == ADPCM:
            return convert_sound(_MISSING, self._form)
        return _MISSING

    def warn(self, log: Log) -> None:
        """Warn of missing samples."""
        lost = sum(wave is None for wave in self._waves.values())
        if lost:
            log.warn(plural("one sample was not found", "{count} samples were not found", lost))

    def _read(self, name: str) -> bytes | None:
        path = self._find(name)
        if path is None:
            return None
        try:
            data = file_content(path)
            if self._form is not None:
                return convert_sound(data, self._form, name)
            if form_of(read_wave(data, name)) is not None:
                return data
            return convert_sound(data, _PLAIN, name)
        except (OSError, FormatError, ExportError) as error:
            self._resources.problems.append(about(name, str(error)))
            return None

    def _find(self, name: str) -> Path | None:
        pure = PureWindowsPath(name)
        if pure.is_absolute() or name.startswith("/"):
            return self._resources.paths.find(name)
        if len(pure.parts) == 1:
            return self._files.get(name_key(name))
        candidates = (self._resources.paths.find(f"{folder}\\{name}") for folder in self._folders)
        return next((path for path in candidates if path is not None), None)


def sample_files(paths: ProjectPaths, folders: Iterable[str]) -> dict[str, Path]:
    """Return the files in the folders of samples and all folders below, by their names in lower case.

    The first folder wins. In each, the folders below come before the files of the folder itself.
    `folders`: as in the project.
    """
    result: dict[str, Path] = {}
    visited: set[Path] = set()
    for text in folders:
        root = paths.find(text, folder=True)
        if root is None or root in visited:
            continue
        visited.add(root)
        subfolders = [root]
        listed: list[list[Path]] = []
        for folder in subfolders:  # grows, so the folders nearest to the root come first
            files, below = _entries(folder)
            listed.append(files)
            subfolders += below[: max(_MOST_FOLDERS - len(subfolders), 0)]
        for files in [*listed[1:], listed[0]]:
            for path in files:
                result.setdefault(name_key(path.name), path)
    return result


def _entries(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return the files of a folder, and the folders in it, by name. Links are not followed."""
    try:
        with os.scandir(folder) as entries:
            ordered = sorted(entries, key=lambda each: each.name.lower())
    except OSError:
        return [], []
    files = [folder / each.name for each in ordered if not each.is_dir(follow_symlinks=False)]
    return files, [folder / each.name for each in ordered if each.is_dir(follow_symlinks=False)]
