"""Sounds of an injection: playback values, range and pitch in all games, and the waves themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from ...base.bytes.bits import Bits
from ...base.errors import ExportError
from ...base.messages import T
from ...base.schema.fields import Record
from ..level.level import Level
from ..sounds.details import TRX_RANGE
from ..sounds.samples import SampleStorage, sample_storage, sample_waves
from .kinds import BlockId
from .trxj import Injection

WAVES = Bits(2, 4)  # of the flags: the number of waves
MOST_WAVES = WAVES.largest


def sound_records(injection: Injection | None) -> list[Record] | None:
    """Return the sounds of an injection, all with their range and pitch.

    None for sounds that cannot be shown: numbers in MAIN.SFX, too many waves, and negative numbers.
    """
    if injection is None:
        return []
    records = injection.records(BlockId.SOUNDS)
    if any(not has_waves(record) or record["sound"] < 0 for record in records):
        return None
    return [
        # TRXI counts the waves apart from the flags.
        {"range": TRX_RANGE, "pitch": 0}
        | record
        | {"flags": int(WAVES.put(record["flags"], len(record["waves"])))}
        for record in records
    ]


def has_waves(record: Record) -> bool:
    """Return whether a sound has all of its waves, at most as many as the flags of games can count."""
    waves = record.get("waves")
    return waves is not None and len(waves) <= MOST_WAVES and all(isinstance(wave, bytes) for wave in waves)


def sound_record(number: int, values: Mapping[str, Any], waves: Sequence[bytes], subject: str) -> Record:
    """Return the record of a sound.

    Args:
        values: ``volume`` and ``chance`` of 16 bits, ``flags`` without the number of waves, ``range`` and
            ``pitch``.

    Raises:
        ExportError: if there are too many waves.
    """
    if len(waves) > MOST_WAVES:
        raise ExportError(subject, T("too many samples"), count=len(waves), limit=MOST_WAVES)
    flags = int(WAVES.put(values["flags"], len(waves)))
    return {"sound": number, **values, "flags": flags, "waves": list(waves)}


class LevelSounds:
    """The sounds of a level by their number in the sound map, without those of its injection."""

    def __init__(self, level: Level) -> None:
        self._level = level

    @cached_property
    def _waves(self) -> Sequence[Any]:
        level = self._level
        if sample_storage(level) is SampleStorage.MAIN_SFX:
            return [int(index) for index in level.sample_indices]
        return sample_waves(level)

    def of(self, number: int) -> object:
        """Return what a sound consists of, None for none."""
        level = self._level
        if not (level.has("sound_details") and 0 <= number < len(level.sound_map)):
            return None
        row = int(level.sound_map[number])
        if not 0 <= row < len(level.sound_details):
            return None
        detail = level.sound_details[row]
        first, count = int(detail["sample"]), int(detail["flags"]) >> 2 & 0xF
        values = tuple(int(detail[name]) for name in detail.dtype.names or () if name != "sample")
        return values, tuple(self._waves[first : first + count])
