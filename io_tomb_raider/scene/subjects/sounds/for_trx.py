"""Sounds for TRX: those that a level's edits store with their waves, whatever the original game can play."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bpy.types import Collection, Sound

from ....catalogue import Catalogue, names
from ....formats import ExportError, FormatError, Game
from ....formats.base import SECTOR_SIZE, Record, SamplePlace, T, signed, unsigned
from ....formats.levels.injections import WAVES, LevelSounds, sound_record
from ....formats.levels.sounds import PCM, TRX_FULL, SoundForm, most_volume, scaled, usual_form
from ....formats.levels.views import Decoded
from ...core.context import ExportContext
from ...core.membership import is_for_trx
from ...core.reporting.report import Report
from ...core.stages import Product
from .samples import fitting_wave, warn_of_deleted, wave_form
from .waves import bytes_of, make_sounds

_FORM = SoundForm(PCM, 22050, 16)  # of own samples where the level has none
_SCALED = ("volume", "chance")

# The sounds of an export that TRX gets as edits, if they have changed.
SOUND_EDITS: Product[list[Record] | None] = Product("SOUND_EDITS", lambda: None)


def stores_for_trx(root: Collection) -> bool:
    """Return whether new sounds of a level are stored for TRX: where the game has no place for their waves.

    Those of TR2 and TR3 would need a changed MAIN.SFX. Level editors store all sounds of a level for TRX.
    """
    if not is_for_trx(root):
        return False
    settings = root.tomb_raider
    in_main_sfx = Game[settings.game].traits.samples is SamplePlace.IN_MAIN_SFX
    return in_main_sfx or any(item.for_trx for item in settings.sounds.details)


def game_values(item: Any, game: Game) -> dict[str, int]:
    """Return volume, chance, range and pitch of a sound for TRX in the units of a game."""
    values = {name: scaled(getattr(item, name), TRX_FULL, most_volume(game)) for name in _SCALED}
    reach = min(max(round(item.range_units / SECTOR_SIZE), 1), 0xFF)
    return values | {"range": reach, "pitch": int(item.pitch)}


# --- Import ----------------------------------------


def import_sounds_for_trx(root: Collection, decoded: Decoded, catalogue: Catalogue) -> None:
    """Add the sounds in a level's edits to its settings, and make Blender sounds of their waves."""
    records = decoded.sounds_for_trx or ()
    waves: dict[bytes, str] = {}
    for record in records:
        name = catalogue.sound(record["sound"])
        for number, wave in enumerate(record["waves"], start=1):
            waves.setdefault(wave, f"{name} {number}" if len(record["waves"]) > 1 else name)
    sounds = make_sounds([(name, wave) for wave, name in waves.items()])
    sound_of_wave = dict(zip(waves, sounds, strict=True))
    index = 0
    for record in records:
        item = root.tomb_raider.sounds.details.add()
        item.for_trx = True
        item.volume, item.chance = (unsigned(record[name], 16) for name in _SCALED)
        item.flags = WAVES.put(record["flags"], 0)
        item.range_units, item.pitch = record["range"], record["pitch"]
        item.ids.add().number = record["sound"]
        for wave in record["waves"]:
            slot = item.samples.add()
            slot.sample = index
            if sound_of_wave[wave] is not None:
                slot.sound = sound_of_wave[wave]
            index += 1


# --- Export ----------------------------------------


def export_sounds_for_trx(context: ExportContext) -> None:
    """Store the sounds for TRX as edits, if they differ from those of the original.

    Raises:
        ExportError: where a sample is missing or cannot be read, or two sounds have one number.
    """
    items = [item for item in context.root.tomb_raider.sounds.details if item.for_trx]
    before = context.decoded.sounds_for_trx
    if before is None:
        if items:
            text = T(
                "the level's sounds for TRX are numbers in MAIN.SFX, as in an old version, "
                "so none can be added"
            )
            context.report.warn(T("Sounds"), text)
        return
    records = _Writer(before, context.original.game, context.report).records(items)
    _warn_of_hidden(context, {record["sound"] for record in records})
    if records != before:
        SOUND_EDITS.set(context, records)
        context.rebuilt.count("sounds for TRX", _differing(before, records))


def _warn_of_hidden(context: ExportContext, numbers: Iterable[int]) -> None:
    """Warn of changed sounds of the game that TRX replaces."""
    before, after = LevelSounds(context.original), LevelSounds(context.level)
    for number in sorted(numbers):
        if before.of(number) != after.of(number):
            text = T("TRX plays the sound for TRX with the same number instead: change or remove it, too")
            context.report.warn(names(context.original.game).sound(number), text)


def _differing(before: Sequence[Record], after: Sequence[Record]) -> int:
    same = sum(old == new for old, new in zip(before, after, strict=False))
    return max(len(before), len(after)) - same


class _Writer:
    """The sounds for TRX of one export."""

    def __init__(self, before: Sequence[Record], game: Game, report: Report) -> None:
        self._catalogue, self._report = names(game), report
        self._waves: list[bytes] = [wave for record in before for wave in record["waves"]]
        self._file_waves = set(self._waves)
        self._form = usual_form(self._waves, game) if self._waves else _FORM
        self._read_waves: dict[Sound, bytes] = {}
        self._lost: list[str] = []

    def records(self, items: Sequence[Any]) -> list[Record]:
        """Return the records of sounds: one for each number."""
        result: list[Record] = []
        used: set[int] = set()
        for item in items:
            name = self._catalogue.sound(item.ids[0].number) if len(item.ids) else T("New sound")
            if not len(item.ids):
                self._report.warn(name, T("it has no number, so it is not exported"))
                continue
            waves = [self._wave(slot, name) for slot in item.samples]
            settings = {
                "volume": signed(item.volume, 16),
                "chance": signed(item.chance, 16),
                "flags": item.flags,
                "range": item.range_units,
                "pitch": item.pitch,
            }
            for entry in item.ids:
                if entry.number in used:
                    problem = T("another sound for TRX has the number {number}, too", number=entry.number)
                    raise ExportError(self._catalogue.sound(entry.number), problem)
                used.add(entry.number)
                result.append(sound_record(entry.number, settings, waves, name))
        warn_of_deleted(self._report, self._lost)
        return result

    def _wave(self, slot: Any, title: str) -> bytes:
        sound = slot.sound
        if sound is None:
            if not 0 <= slot.sample < len(self._waves):
                raise ExportError(title, T("one of its samples has no sound: choose one, or remove it"))
            if self._waves[slot.sample]:
                self._lost.append(str(slot.sample))
            return self._waves[slot.sample]
        if sound not in self._read_waves:
            self._read_waves[sound] = self._read(sound)
        return self._read_waves[sound]

    def _read(self, sound: Sound) -> bytes:
        """Return the wave of a sound: its own bytes if the file has them, or if TRX plays them."""
        try:
            data = bytes_of(sound)
        except (FormatError, OSError):
            return fitting_wave(sound, self._form)  # raises the error in words
        form = wave_form(data)
        if data in self._file_waves or (form is not None and form.tag == PCM and form.channels == 1):
            return data
        return fitting_wave(sound, self._form)
