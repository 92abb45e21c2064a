"""Transfer of sounds: numbers, playback values and samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bpy.types import Sound

from ....catalogue import equivalent, names
from ....formats import FormatError, Game
from ....formats.base import SOUND_MAP_SIZE, SamplePlace, T
from ....formats.edits.convert import convert_samples
from ....formats.levels.sounds import LOOP, LOOP_MODES, most_volume, usual_form
from ...core.subjects import Kind
from ...core.transfer import Transfer
from .for_trx import game_values
from .waves import bytes_of, put_bytes

_FIELDS = ("volume", "chance", "flags")
_RANGED = ("range", "pitch")
_RANGE = 8  # sectors, where the source game has none


def remap_values(values: dict[str, int], source: Game, target: Game) -> dict[str, int]:
    """Return the playback values of a sound for another game.

    Args:
        values: the values by name, see :func:`~.sounds.sound_values`.
    """
    result = dict(values)
    most, limit = most_volume(source), most_volume(target)
    for name in ("volume", "chance"):
        # A chance of 0 always plays.
        least = 1 if result[name] else 0
        result[name] = max(min(round(result[name] * limit / most), limit), least)
    if target.traits.has_sound_range:
        result.setdefault("range", _RANGE)
    mode = LOOP_MODES[source][LOOP.of(result["flags"])]
    modes = LOOP_MODES[target]
    # TR1 has no mode for sounds that play once, the other games none for unknown modes.
    result["flags"] = LOOP.put(result["flags"], modes.index(mode) if mode in modes else 0)
    return result


def plan_numbers(transfer: Transfer) -> dict[int, int | None]:
    """Return the numbers of the sounds of a level in the target game; unknown sounds get free numbers."""
    source, target = transfer.source, transfer.target
    numbers = sorted({each.number for item in transfer.root.tomb_raider.sounds.details for each in item.ids})
    result: dict[int, int | None] = {}
    used: set[int] = set()
    for exact in (True, False):
        for number in numbers:
            known = equivalent("sound", number, source, target)
            if known is None or known.is_exact is not exact or number in result:
                continue
            if known.number not in used and known.number < SOUND_MAP_SIZE[target]:
                result[number] = known.number
                used.add(known.number)
    free = [each for each in range(SOUND_MAP_SIZE[target]) if each not in names(target).known("sound")]
    for number in numbers:
        if number not in result:
            own = [number] if number in free and number not in used else []
            new = next((each for each in (*own, *free) if each not in used), None)
            if new is not None:
                result[number] = new
                used.add(new)
    return result


def fitted_waves(transfer: Transfer) -> dict[Sound, bytes]:
    """Return the readable samples of the level, converted to the usual form of the target game."""
    slots = (slot for item in transfer.root.tomb_raider.sounds.details for slot in item.samples)
    sounds = list(dict.fromkeys(slot.sound for slot in slots if slot.sound is not None))
    waves = convert_samples([_bytes_of(sound) for sound in sounds], usual_form((), transfer.target))
    return {sound: wave for sound, wave in zip(sounds, waves, strict=True) if wave}


def _bytes_of(sound: Sound) -> bytes:
    try:
        return bytes_of(sound)
    except (FormatError, OSError):
        return b""


def remap_sounds(transfer: Transfer, waves: Mapping[Sound, bytes]) -> None:
    """Remap the list of sounds of a level, and its samples.

    Args:
        transfer: the transfer of a whole level, with the numbers of :func:`plan_numbers`.
        waves: the samples in the form of the target game, in the order in which the level stores them.
    """
    places = {sound: place for place, sound in enumerate(waves)}
    for sound, wave in waves.items():
        if sound.tomb_raider.kind in ("SAMPLE", "MAIN_SFX"):
            put_bytes(sound, wave)
    numbers = transfer.numbers.get("sound", {})
    settings, source, target = transfer.root.tomb_raider.sounds, transfer.source, transfer.target
    silent: list[str] = []
    lost: list[str] = []
    in_main_sfx = target.traits.samples is SamplePlace.IN_MAIN_SFX
    _remove_hidden(settings)
    for place in reversed(range(len(settings.details))):
        item = settings.details[place]
        title = names(source).sound(item.ids[0].number) if len(item.ids) else f"Sound {item.index}"
        heard = all(each.sound in places for each in item.samples)
        if not heard or (in_main_sfx and settings.main_sfx_count < 0) or not len(item.samples):
            silent.append(title)
            settings.details.remove(place)
            continue
        for at in reversed(range(len(item.ids))):
            number = numbers.get(item.ids[at].number)
            if number is not None:
                item.ids[at].number = number
            else:
                item.ids.remove(at)
        if not len(item.ids):
            lost.append(title)
            settings.details.remove(place)
            continue
        values = remap_values(values_of(item, source), source, target)
        item.for_trx, item.index = False, -1
        for name, value in values.items():
            setattr(item, name, value)
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
    text = T("their samples are not in the scene, so they become silent")
    if in_main_sfx:
        text = T("samples of this game are in MAIN.SFX, which was not found, so these sounds become silent")
    transfer.lose(T("Sounds"), silent, text)
    transfer.lose(T("Sounds"), lost, T("this game has no free numbers for these"))


def _remove_hidden(settings: Any) -> None:
    """Remove the numbers of sounds that sounds for TRX replace, and sounds without any left."""
    for_trx = {each.number for item in settings.details if item.for_trx for each in item.ids}
    for place in reversed(range(len(settings.details))):
        item = settings.details[place]
        hidden = [at for at, each in enumerate(item.ids) if not item.for_trx and each.number in for_trx]
        for at in reversed(hidden):
            item.ids.remove(at)
        if hidden and not len(item.ids):
            settings.details.remove(place)


def values_of(item: object, game: Game) -> dict[str, int]:
    """Return the playback values of a sound by name. The entry is of a level or of an asset."""
    names = (*_FIELDS, *_RANGED) if game.traits.has_sound_range else _FIELDS
    values = {name: int(getattr(item, name)) for name in names}
    return values | game_values(item, game) if getattr(item, "for_trx", False) else values


def remap_sources(transfer: Transfer) -> None:
    """Remap the sounds of sound sources, and discard sources of unsupported sounds."""
    lost = []
    for obj in transfer.objects(Kind.SOUND_SOURCE):
        settings = obj.tomb_raider.sound_source
        number = transfer.number("sound", int(settings.sound))
        if number is None or number >= SOUND_MAP_SIZE[transfer.target]:
            lost.append(obj)
        else:
            settings.sound = number
    transfer.lose(T("Sound Sources"), [each.name for each in lost], T("this game does not have their sounds"))
    transfer.discard(lost)
