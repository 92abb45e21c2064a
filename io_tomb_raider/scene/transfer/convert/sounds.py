"""Sounds of a converted level: by the numbers of the game, and as loud as they were."""

from __future__ import annotations

from collections.abc import Mapping

from bpy.types import Sound

from ....catalogue import names
from ....catalogue.equivalents import equivalent
from ....formats import FormatError, Game
from ....formats.base.records import SOUND_MAP_SIZE
from ....formats.converting.samples import in_form
from ....formats.games import SamplePlace
from ....formats.sounds.forms import usual_form
from ...subjects.sounds.waves import bytes_of, put_bytes
from ..append.sounds import converted
from .conversion import Conversion

_FIELDS = ("volume", "chance", "flags")
_RANGED = ("range", "pitch")


def new_sounds(conversion: Conversion) -> dict[int, int]:
    """Return the number that the game has for each sound of the level; unknown ones get a free one."""
    source, target = conversion.source, conversion.target
    numbers = sorted(
        {each.number for item in conversion.root.tomb_raider.sounds.details for each in item.ids}
    )
    found: dict[int, int] = {}
    taken: set[int] = set()
    for exact in (True, False):
        for number in numbers:
            known = equivalent("sound", number, source, target)
            if known is None or known.is_exact is not exact or number in found:
                continue
            if known.number not in taken and known.number < SOUND_MAP_SIZE[target]:
                found[number] = known.number
                taken.add(known.number)
    free = [each for each in range(SOUND_MAP_SIZE[target]) if each not in names(target).known("sound")]
    for number in numbers:
        if number not in found:
            own = [number] if number in free and number not in taken else []
            new = next((each for each in (*own, *free) if each not in taken), None)
            if new is not None:
                found[number] = new
                taken.add(new)
    return found


def fitted_waves(conversion: Conversion) -> dict[Sound, bytes]:
    """Return the samples that sounds of the level have, as the game plays them.

    So no export has to make them again. What cannot be read is not among them.
    """
    slots = (slot for item in conversion.root.tomb_raider.sounds.details for slot in item.samples)
    sounds = list(dict.fromkeys(slot.sound for slot in slots if slot.sound is not None))
    waves = in_form([_bytes_of(sound) for sound in sounds], usual_form((), conversion.target))
    return {sound: wave for sound, wave in zip(sounds, waves, strict=True) if wave}


def _bytes_of(sound: Sound) -> bytes:
    try:
        return bytes_of(sound)
    except (FormatError, OSError):
        return b""


def convert_sounds(conversion: Conversion, numbers: dict[int, int], waves: Mapping[Sound, bytes]) -> None:
    """Convert the list of sounds, their samples, and the places that sound.

    Args:
        conversion: of the level.
        numbers: the number that the game has for each sound.
        waves: of the samples, as the game plays them; levels that hold them have them in this order.
    """
    places = {sound: place for place, sound in enumerate(waves)}
    for sound, wave in waves.items():
        if sound.tomb_raider.kind in ("SAMPLE", "MAIN_SFX"):
            put_bytes(sound, wave)
    settings, source, target = conversion.root.tomb_raider.sounds, conversion.source, conversion.target
    silent: list[str] = []
    lost: list[str] = []
    in_main_sfx = target.traits.samples is SamplePlace.IN_MAIN_SFX
    for place in reversed(range(len(settings.details))):
        item = settings.details[place]
        title = names(source).sound(item.ids[0].number) if len(item.ids) else f"Sound {item.index}"
        heard = all(each.sound in places for each in item.samples)
        if not heard or (in_main_sfx and settings.main_sfx_count < 0) or not len(item.samples):
            silent.append(title)
            settings.details.remove(place)
            continue
        for at in reversed(range(len(item.ids))):
            if item.ids[at].number in numbers:
                item.ids[at].number = numbers[item.ids[at].number]
            else:
                item.ids.remove(at)
        if not len(item.ids):
            lost.append(title)
            settings.details.remove(place)
            continue
        _convert_values(item, source, target)
        item.index = -1
        for each in item.samples:
            each.sample = -1 if in_main_sfx else places[each.sound]
    settings.samples.clear()
    for sound, place in places.items():
        sound.tomb_raider.kind, sound.tomb_raider.number = ("NONE", -1) if in_main_sfx else ("SAMPLE", place)
        if not in_main_sfx:
            entry = settings.samples.add()
            entry.sample, entry.sound = place, sound
    settings.active = 0
    if not in_main_sfx:
        settings.main_sfx, settings.main_sfx_count = "", -1
    text = "its samples are not in the scene, so these are silent"
    if in_main_sfx:
        text = "this game has its samples in MAIN.SFX, which is not known, so these are silent"
    conversion.lose("Sounds", silent, text)
    conversion.lose("Sounds", lost, "this game has no number left for these")
    _convert_sources(conversion, numbers)


def _convert_values(item: object, source: Game, target: Game) -> None:
    values = {name: int(getattr(item, name)) for name in _FIELDS}
    if source.traits.has_sound_range:
        values |= {name: int(getattr(item, name)) for name in _RANGED}
    for name, value in converted(values, source, target).items():
        setattr(item, name, value)


def _convert_sources(conversion: Conversion, numbers: dict[int, int]) -> None:
    gone = []
    for thing in conversion.things("SOUND_SOURCE"):
        settings = thing.tomb_raider.sound_source
        known = numbers.get(int(settings.sound))
        if known is None:
            other = equivalent("sound", int(settings.sound), conversion.source, conversion.target)
            known = None if other is None else other.number
        if known is None or known >= SOUND_MAP_SIZE[conversion.target]:
            gone.append(thing)
        else:
            settings.sound = known
    conversion.lose("Sound Sources", [each.name for each in gone], "this game does not know their sounds")
    conversion.remove(gone)
