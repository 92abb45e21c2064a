"""Transfer of sounds: numbers, playback values and samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bpy.types import Sound

from ....catalogue import equivalent, names
from ....formats import Game
from ....formats.base import SOUND_MAP_SIZE, SamplePlace, T
from ....formats.edits.convert import convert_samples
from ....formats.levels.sounds import LOOP, LOOP_MODES, most_volume, usual_form
from ...core.subjects import Kind
from ...core.transfer import Transfer
from .for_trx import game_values
from .waves import put_bytes, readable_bytes

_FIELDS = ("volume", "chance", "flags")
_RANGED = ("range", "pitch")
_RANGE = 8  # sectors, where the source game has none


def remap_values(values: dict[str, int], source: Game, target: Game) -> dict[str, int]:
    """Return the playback values of a sound for another game."""
    result = dict(values)
    source_limit, target_limit = most_volume(source), most_volume(target)
    for name in ("volume", "chance"):
        # A chance of 0 always plays.
        minimum = 1 if result[name] else 0
        result[name] = max(min(round(result[name] * target_limit / source_limit), target_limit), minimum)
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
            match = equivalent("sound", number, source, target)
            if match is None or match.is_exact is not exact or number in result:
                continue
            if match.number not in used and match.number < SOUND_MAP_SIZE[target]:
                result[number] = match.number
                used.add(match.number)
    free = [each for each in range(SOUND_MAP_SIZE[target]) if each not in names(target).known("sound")]
    for number in numbers:
        if number not in result:
            preferred = [number] if number in free and number not in used else []
            free_number = next((each for each in (*preferred, *free) if each not in used), None)
            if free_number is not None:
                result[number] = free_number
                used.add(free_number)
    return result


def fitted_waves(transfer: Transfer) -> dict[Sound, bytes]:
    """Return the readable samples of the level, converted to the usual form of the target game."""
    slots = (slot for item in transfer.root.tomb_raider.sounds.details for slot in item.samples)
    sounds = list(dict.fromkeys(slot.sound for slot in slots if slot.sound is not None))
    waves = convert_samples([readable_bytes(sound) for sound in sounds], usual_form((), transfer.target))
    return {sound: wave for sound, wave in zip(sounds, waves, strict=True) if wave}


def remap_sounds(transfer: Transfer, waves: Mapping[Sound, bytes]) -> None:
    """Remap the list of sounds of a level, and its samples; the numbers are those of :func:`plan_numbers`.

    ``waves`` are the samples in the form of the target game, in the order in which the level stores them.
    """
    indices = {sound: index for index, sound in enumerate(waves)}
    for sound, wave in waves.items():
        if sound.tomb_raider.kind in ("SAMPLE", "MAIN_SFX"):
            put_bytes(sound, wave)
    numbers = transfer.numbers.get("sound", {})
    settings, source, target = transfer.root.tomb_raider.sounds, transfer.source, transfer.target
    silent: list[str] = []
    lost: list[str] = []
    in_main_sfx = target.traits.samples is SamplePlace.IN_MAIN_SFX
    _remove_hidden(settings)
    for index in reversed(range(len(settings.details))):
        item = settings.details[index]
        title = names(source).sound(item.ids[0].number) if len(item.ids) else f"Sound {item.index}"
        has_samples = all(each.sound in indices for each in item.samples)
        if not has_samples or (in_main_sfx and settings.main_sfx_count < 0) or not len(item.samples):
            silent.append(title)
            settings.details.remove(index)
            continue
        for row in reversed(range(len(item.ids))):
            number = numbers.get(item.ids[row].number)
            if number is not None:
                item.ids[row].number = number
            else:
                item.ids.remove(row)
        if not len(item.ids):
            lost.append(title)
            settings.details.remove(index)
            continue
        values = remap_values(values_of(item, source), source, target)
        item.for_trx, item.index = False, -1
        for name, value in values.items():
            setattr(item, name, value)
        for slot in item.samples:
            slot.sample = -1 if in_main_sfx else indices[slot.sound]
    settings.samples.clear()
    for sound, index in indices.items():
        sound.tomb_raider.kind, sound.tomb_raider.number = ("NONE", -1) if in_main_sfx else ("SAMPLE", index)
        if not in_main_sfx:
            entry = settings.samples.add()
            entry.sample, entry.sound = index, sound
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
    for index in reversed(range(len(settings.details))):
        item = settings.details[index]
        hidden = [] if item.for_trx else [i for i, each in enumerate(item.ids) if each.number in for_trx]
        for row in reversed(hidden):
            item.ids.remove(row)
        if hidden and not len(item.ids):
            settings.details.remove(index)


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
