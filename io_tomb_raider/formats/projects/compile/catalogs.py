"""Sound catalogs of Tomb Editor, and the sounds of a level from them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...animation_files.xml_tree import Document, Element
from ...base.files import file_content
from ...base.messages import T, about, plural
from ...base.records import I16, SOUND_DETAILS, SOUND_MAP_SIZE
from ...errors import ExportError, FormatError
from ...games import Game, SamplePlace
from ...level.level import Level
from ...sounds.details import MOST_SAMPLES, NO_PAN, RANDOM_PITCH, RANDOM_VOLUME, SAMPLES, most_volume
from ...sounds.forms import DEFAULT_FORMS, SoundForm, convert_sound, form_of
from ...sounds.samples import replace_samples
from ...sounds.waves import PCM, read_wave
from ..settings import Settings
from .log import Log
from .plan import CompileTarget
from .resources import Resources

_MOST_ELEMENTS = 1 << 18
_FULL = 100  # of volumes, chances and pitches in catalogs
_MOST_PITCH = 127
_TRNG_SOUNDS = 2048
_PLAIN = SoundForm(PCM, 22050, 16)
_LOOPS = ("None", "OneShotWait", "OneShotRewound", "Looped")
_OLD_LOOPS = (0, 0, 1, 2)  # TR1 has no way to play a sound twice at once
_FLAGS = {"DisablePanning": NO_PAN, "RandomizePitch": RANDOM_PITCH, "RandomizeVolume": RANDOM_VOLUME}
_NUMBERS = ("Id", "Volume", "RangeInSectors", "Chance", "PitchFactor")
_NAMES = frozenset(
    {"WadSounds", "SoundInfos", "WadSoundInfo", "Name", "LoopBehaviour", "Samples", "WadSample", "FileName"}
    | {*_FLAGS, *_NUMBERS}
)


@dataclass(frozen=True)
class CatalogSound:
    """A sound of a catalog.

    Attributes:
        number: its number in the sound map.
        volume, chance: 0 to 100.
        radius: in sectors.
        pitch: -100 to 100.
        loop: index of the loop mode, from TR2 on.
        flags: of sound details, without loop mode and number of samples.
        samples: the names of its files.
    """

    number: int
    volume: int = 100
    radius: int = 8
    chance: int = 100
    pitch: int = 0
    loop: int = 0
    flags: int = 0
    samples: tuple[str, ...] = ()


def read_catalog(source: str | os.PathLike[str] | bytes) -> list[CatalogSound]:
    """Read a sound catalog in XML, from a file or from its bytes.

    Raises:
        FormatError: if it is none, or damaged.
        OSError: if it cannot be read.
    """
    document = Document(file_content(source), _NAMES, _MOST_ELEMENTS)
    if document.root.tag != "WadSounds":
        raise document.error(document.root, "WadSounds", document.root.tag)
    infos = document.find(document.root, "SoundInfos")
    return [_sound(document, each) for each in document.each(infos, "WadSoundInfo")]


def _sound(document: Document, element: Element) -> CatalogSound:
    def text(name: str) -> str | None:
        found = document.find(element, name)
        return None if found is None else found.text.strip()

    numbers: dict[str, int] = {}
    for name in _NUMBERS:
        value = text(name)
        if value is None:
            continue
        try:
            numbers[name] = int(value)
        except ValueError:
            raise document.error(element, f"a number in {name}", value) from None
    loop = text("LoopBehaviour") or _LOOPS[0]
    samples = document.find(element, "Samples")
    files = [document.find(each, "FileName") for each in document.each(samples, "WadSample")]
    return CatalogSound(
        numbers.get("Id", -1),
        min(max(numbers.get("Volume", _FULL), 0), _FULL),
        min(max(numbers.get("RangeInSectors", 8), 0), 0xFF),
        min(max(numbers.get("Chance", _FULL), 0), _FULL),
        min(max(numbers.get("PitchFactor", 0), -_FULL), _FULL),
        _LOOPS.index(loop) if loop in _LOOPS else 0,
        sum(flag for name, flag in _FLAGS.items() if text(name) == "true"),
        tuple(each.text.strip() for each in files if each is not None and each.text.strip()),
    )


def add_catalog_sounds(
    level: Level, target: CompileTarget, settings: Settings, resources: Resources, log: Log, *, quick: bool
) -> frozenset[int]:
    """Replace the sounds of a level by the selected ones of the project's catalogs.

    Args:
        level: changed, if the catalogs have any of the sounds.
        target: the target.
        settings: of the project.
        resources: its files.
        log: of the compilation.
        quick: keep the coding of samples, even if the original game cannot play it.

    Returns:
        The numbers of the sounds.
    """
    catalogs = _catalogs(settings.catalogs, resources)
    wanted = sorted(set(settings.selected_sounds) & catalogs.keys())
    if not wanted:
        return frozenset()
    if level.game.traits.samples is SamplePlace.IN_MAIN_SFX:
        log.warn(
            T("{game} has its sounds in MAIN.SFX, so those of catalogs are omitted", game=level.game.name)
        )
        return frozenset()
    size = _TRNG_SOUNDS if target.trng else SOUND_MAP_SIZE[level.game]
    form = DEFAULT_FORMS[level.game] if not (target.trng or quick) else None
    waves: dict[str, bytes | None] = {}
    entries: list[int | bytes] = []
    rows = np.zeros(0, SOUND_DETAILS[level.game])
    numbers = np.full(size, -1, I16)
    for sound in (catalogs[number] for number in wanted):
        for name in sound.samples:
            if name not in waves:
                waves[name] = _wave(name, settings.sample_directories, resources, form)
        found = [wave for wave in (waves[name] for name in sound.samples[:MOST_SAMPLES]) if wave is not None]
        if not found or not 0 <= sound.number < size:
            continue
        numbers[sound.number] = len(rows)
        rows = np.append(rows, _details(level.game, sound, len(entries), len(found)))
        entries += found
    lost = sum(wave is None for wave in waves.values())
    if lost:
        log.warn(plural("one sample was not found", "{count} samples were not found", lost))
    if not len(rows):
        return frozenset()
    _clear(level)
    replace_samples(level, entries)
    level.sound_details, level.sound_map = rows, numbers
    level.sound_map_counted = target.trng
    if target.trng:
        level.demo_data = level.demo_data[:0]
    return frozenset(np.flatnonzero(numbers >= 0).tolist())


def _catalogs(paths: Iterable[str], resources: Resources) -> Mapping[int, CatalogSound]:
    """Return the sounds of all catalogs by number; the first catalog with a number wins."""
    found: dict[int, CatalogSound] = {}
    for text in paths:
        path = resources.find(text, T("sounds"))
        if path is None or path.suffix.lower() != ".xml":
            continue
        try:
            for sound in read_catalog(path):
                found.setdefault(sound.number, sound)
        except (OSError, FormatError) as error:
            resources.problems.append(about(path.name, str(error)))
    return found


def _wave(name: str, folders: Sequence[str], resources: Resources, form: SoundForm | None) -> bytes | None:
    """Return a sample in a form, or in one that some game can play; None if it is missing or damaged."""
    for folder in folders:
        path = resources.paths.find(f"{folder}\\{name}")
        if path is None:
            continue
        try:
            data = file_content(path)
            if form is None:
                return (
                    data if form_of(read_wave(data, name)) is not None else convert_sound(data, _PLAIN, name)
                )
            return convert_sound(data, form, name)
        except (OSError, FormatError, ExportError) as error:
            resources.problems.append(about(name, str(error)))
            return None
    return None


def _clear(level: Level) -> None:
    """Remove the samples of a level."""
    for name in ("sample_indices", "sample_data", "samples"):
        if name in vars(level):
            setattr(level, name, getattr(level, name)[:0])
    if "sample_count" in vars(level):
        level.sample_count = 0


def _details(game: Game, sound: CatalogSound, first: int, count: int) -> np.ndarray:
    record = np.zeros(1, SOUND_DETAILS[game])
    most = most_volume(game)
    record["sample"] = first
    record["volume"] = round(sound.volume * most / _FULL)
    record["chance"] = 0 if sound.chance == _FULL else round(sound.chance * most / _FULL)
    if "range" in (record.dtype.names or ()):
        record["range"], record["pitch"] = sound.radius, round(sound.pitch * _MOST_PITCH / _FULL)
    loop = _OLD_LOOPS[sound.loop] if game is Game.TR1 else sound.loop
    record["flags"] = SAMPLES.put(sound.flags | loop, count)
    return record
