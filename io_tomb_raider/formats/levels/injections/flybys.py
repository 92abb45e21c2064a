"""Flyby cameras of an injection, as the records that TR4 has in its levels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.bits import Bits, signed, unsigned
from ...base.bytes.records import FLYBY_CAMERA
from ...base.schema.fields import Record
from .kinds import BlockId
from .trxj import Injection

_SAME = ("x", "y", "z", "sequence", "fov", "roll", "timer", "speed", "flags")
_TARGET = ("target_x", "target_y", "target_z")
# Of the room: TR4 stores a room of 16 bits, and 16 more bits without a meaning.
_ROOM, _PAD = Bits(0, 16), Bits(16, 16)


def flyby_records(injection: Injection | None) -> NDArray[np.void]:
    """Return the flyby cameras of an injection as :data:`~...base.bytes.records.FLYBY_CAMERA`, (n,)."""
    records = [] if injection is None else injection.records(BlockId.FLYBYS)
    result = np.zeros(len(records), FLYBY_CAMERA)
    for row, record in zip(result, records, strict=True):
        for name in _SAME:
            row[name] = record[name]
        row["target"] = [record[name] for name in _TARGET]
        row["index"] = record["number"]
        row["room"], row["pad"] = signed(_ROOM.of(record["room"]), 16), _PAD.of(record["room"])
    return result


def flyby_edits(cameras: NDArray[np.void]) -> list[Record]:
    """Return flyby cameras, (n,), as records of an injection."""
    result: list[Record] = []
    for row in cameras:
        record: dict[str, Any] = {name: int(row[name]) for name in _SAME}
        record |= {name: int(value) for name, value in zip(_TARGET, row["target"], strict=True)}
        record["number"] = int(row["index"])
        record["room"] = _PAD.put(unsigned(int(row["room"]), 16), int(row["pad"]))
        result.append(record)
    return result
