"""The sounds of a level as a sound catalog, with files of samples where the level has them.

A catalog has the values of sounds in percent. Samples of MAIN.SFX have no number in a catalog: the editor
counts the samples of all sounds before, so unused sounds fill the gaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ....base.errors import ExportError, FormatError
from ....base.games import Game, SamplePlace
from ....base.targets import Target
from ....base.units import SECTOR_SIZE
from ....levels.injections.block import read_block
from ....levels.injections.sounds import WAVES, sound_records
from ....levels.level.level import Level
from ....levels.sounds.details import (
    LOOP,
    NO_PAN,
    RANDOM_PITCH,
    RANDOM_VOLUME,
    TRX_FULL,
    flags_of,
    most_volume,
    run_of,
)
from ....levels.sounds.forms import convert_sound, form_of, usual_form
from ....levels.sounds.samples import SampleStorage, sample_storage, sample_waves
from ....levels.sounds.waves import ADPCM, decode_wave, encode_wave, read_wave
from ....levels.views.decoded import Decoded
from ..compile.sounds.catalogs import FULL, USUAL_RADIUS, CatalogSound

_KEPT = NO_PAN | RANDOM_PITCH | RANDOM_VOLUME
_MOST_PITCH = 127
# The loop modes of catalogs by those of TR1.
_LOOPS = {Game.TR1: (1, 2, 3, 3)}
_KEEPS_ADPCM = frozenset({Game.TR5})  # the editor reads no other ADPCM
_SAMPLE, _OF_MAIN_SFX = "{}_{:03}.wav", "main_sfx_{:04}.wav"
_MOST_OF_MAIN_SFX = 1 << 13
_EMBEDDED = (SampleStorage.BLOCK, SampleStorage.CHUNKS)


@dataclass
class LevelCatalog:
    """The sounds of a level."""

    #: of its catalog, by number. Those of MAIN.SFX include unused ones.
    sounds: list[CatalogSound] = field(default_factory=list)
    selected: list[int] = field(default_factory=list)  #: the numbers of the sounds of the level.
    files: dict[str, bytes] = field(default_factory=dict)  #: its samples by name.
    rate: int = 0  #: the rate of the samples; 0 if they are in MAIN.SFX.
    lost: list[int] = field(default_factory=list)  #: the numbers of sounds that the catalog cannot have.


def level_catalog(decoded: Decoded, name: str) -> LevelCatalog:
    """Return the sounds of a level with their samples, whose names start with `name`.

    Raises:
        FormatError: if the data for TRX is damaged.
    """
    level, storage = decoded.level, sample_storage(decoded.level)
    sounds = _mapped_sounds(level)
    if storage is SampleStorage.MAIN_SFX and decoded.target is not Target.TRX:
        return _in_order(sounds, level.sample_indices.tolist())
    waves = sample_waves(level)
    lost: list[int] = []
    if storage not in _EMBEDDED or level.game.traits.samples is SamplePlace.IN_MAIN_SFX:
        sounds, lost, waves = {}, sorted(sounds), []
    if decoded.target is Target.TRX:
        sounds |= _block_sounds(level, waves)
        lost = [each for each in lost if each not in sounds]
    if lost:  # without a catalog, the compiler copies the sounds of the level
        return LevelCatalog(selected=sorted({*sounds, *lost}), lost=lost)
    used = sorted({each for sound in sounds.values() for each in sound.run if each < len(waves)})
    form = usual_form((waves[each] for each in used), level.game)
    files = {each: _file(waves[each], level.game) for each in used}
    names = {each: _SAMPLE.format(name, each) for each in used}
    catalog = [
        replace(
            sounds[number].sound, samples=tuple(names[each] for each in sounds[number].run if each in names)
        )
        for number in sorted(sounds)
        if any(files.get(each) for each in sounds[number].run)  # the compiler omits others
    ]
    return LevelCatalog(
        catalog,
        [each.number for each in catalog],
        {names[each]: content for each, content in files.items() if content},
        form.rate,
    )


@dataclass(frozen=True)
class _Sound:
    """A sound and the numbers of its samples in the level's list."""

    sound: CatalogSound
    run: range


def _mapped_sounds(level: Level) -> dict[int, _Sound]:
    """Return the sounds of a level's sound map by number, without those that have no samples."""
    if not level.has("sound_details"):
        return {}
    result = {}
    most = most_volume(level.game)
    for number in np.flatnonzero(level.sound_map >= 0).tolist():
        row = int(level.sound_map[number])
        if row >= len(level.sound_details) or not run_of(level.sound_details[row]):
            continue
        record = level.sound_details[row]
        sound = _sound(
            level.game, number, int(record["volume"]), int(record["chance"]), flags_of(record), most
        )
        if "range" in (record.dtype.names or ()):
            pitch = round(int(record["pitch"]) * FULL / _MOST_PITCH)
            sound = replace(sound, radius=int(record["range"]), pitch=min(max(pitch, -FULL), FULL))
        result[number] = _Sound(sound, run_of(record))
    return result


def _block_sounds(level: Level, waves: list[bytes]) -> dict[int, _Sound]:
    """Return the sounds of the data for TRX by number, and append their samples to a list."""
    result = {}
    for record in sound_records(read_block(level)) or ():
        number, flags = int(record["sound"]), int(record["flags"])
        sound = _sound(
            level.game, number, int(record["volume"]), int(record["chance"]), WAVES.put(flags, 0), TRX_FULL
        )
        sound = replace(sound, radius=min(round(int(record["range"]) / SECTOR_SIZE), 0xFF))
        start = len(waves)
        waves += record["waves"]
        result[number] = _Sound(sound, range(start, len(waves)))
    return result


def _sound(game: Game, number: int, volume: int, chance: int, flags: int, most: int) -> CatalogSound:
    loop = LOOP.of(flags)
    return CatalogSound(
        number,
        volume=min(round(volume * FULL / most), FULL),
        # The editor cuts chances to whole numbers, and a chance of 0 always plays.
        chance=min(max(round((chance + 0.5) * FULL / most), 1), FULL) if chance else FULL,
        radius=USUAL_RADIUS,
        loop=_LOOPS[game][loop] if game in _LOOPS else loop,
        flags=flags & _KEPT,
    )


def _file(wave: bytes, game: Game) -> bytes:
    """Return a sample as a file, b"" for a damaged one.

    ADPCM becomes plain, except in TR5, for which the editor would encode it a second time.
    """
    try:
        decoded = read_wave(wave)
        form = form_of(decoded)
        if form is None or not decoded.content.size:
            return b""
        if form.tag == ADPCM and game not in _KEEPS_ADPCM:
            return encode_wave(decode_wave(decoded), form.rate, 16)
        return convert_sound(wave, form)
    except (FormatError, ExportError):
        return b""


# --- Sounds of MAIN.SFX ------------------------------------------------------------------------


def _in_order(level_sounds: dict[int, _Sound], indices: Sequence[int]) -> LevelCatalog:
    """Return a catalog in which the samples of sounds have their numbers in MAIN.SFX by counting.

    Sounds whose samples come before those of a sound with a smaller number cannot be in it, and where
    samples lie between those of two sounds, a number must be free between theirs. As many sounds as possible
    are kept.
    """
    spans: dict[int, range] = {}
    for number, each in level_sounds.items():
        samples = [indices[index] for index in each.run if index < len(indices)]
        span = range(samples[0], samples[0] + len(samples)) if samples else range(0)
        if samples == list(span) and len(samples) == len(each.run) and span.stop <= _MOST_OF_MAIN_SFX:
            spans[number] = span
    kept = _longest(spans)
    sounds: list[CatalogSound] = []
    end, last = 0, -1
    for number in kept:
        span = spans[number]
        if span.start > end:
            sounds.append(_indexed(CatalogSound(last + 1), range(end, span.start)))
        sounds.append(_indexed(level_sounds[number].sound, span))
        end, last = span.stop, number
    return LevelCatalog(sounds, kept, lost=sorted(level_sounds.keys() - set(kept)))


def _indexed(sound: CatalogSound, span: range) -> CatalogSound:
    return replace(sound, samples=tuple(_OF_MAIN_SFX.format(each) for each in span), is_indexed=True)


def _longest(spans: dict[int, range]) -> list[int]:
    """Return the numbers of the most sounds that can follow each other, in order."""
    numbers = sorted(spans)
    best: list[tuple[int, int]] = []  # the number of sounds up to this one, and the place of the one before
    for index, number in enumerate(numbers):
        count, before = (0, -1) if _can_follow(-1, 0, number, spans[number].start) else (-len(numbers), -1)
        for other in range(index):
            follows = _can_follow(numbers[other], spans[numbers[other]].stop, number, spans[number].start)
            if follows and best[other][0] > count:
                count, before = best[other][0], other
        best.append((count + 1, before))
    index = max(range(len(best)), key=lambda each: best[each][0], default=-1)
    kept: list[int] = []
    while index >= 0 and best[index][0] > 0:
        kept.append(numbers[index])
        index = best[index][1]
    return sorted(kept)


def _can_follow(before: int, end: int, number: int, start: int) -> bool:
    """Return whether a sound can follow another one, maybe with an unused sound between."""
    return start == end or (start > end and number - before > 1)
