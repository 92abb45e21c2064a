"""The injection after a level's last section, as Tomb Editor writes it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...base.errors import ExportError
from ...base.messages import T
from ...base.schema.fields import Record
from ..level.level import Level
from .kinds import BlockId
from .trxj import MAGICS, Injection, read_trxj

_WITH_NAMES = 9  # version of the engine's that reads names


def has_block(level: Level) -> bool:
    """Return whether an injection follows directly after the last section, where the engine looks for it."""
    return level.has("footer") and level.footer[:4].tobytes() in MAGICS


def read_block(level: Level) -> Injection | None:
    """Return the injection of a level, None without one.

    Raises FormatError if it is damaged, or of an unknown version.
    """
    return read_trxj(level.footer.tobytes(), level.game) if has_block(level) else None


def put_block(level: Level, injection: Injection) -> bool:
    """Replace the injection of a level, or remove it if it is empty. Return whether that changed its bytes.

    Raises ExportError if a value does not fit, or the level's file has no place for an injection.
    """
    data = injection.to_bytes() if injection.chunks or injection.tests else b""
    if data == (level.footer.tobytes() if level.has("footer") else b""):
        return False
    if not level.has("footer"):
        raise ExportError("TRXJ", T("levels of demos have no place for it"))
    level.footer = np.frombuffer(data, np.uint8)
    return True


def put_names(injection: Injection, names: Mapping[int, str], count: int) -> None:
    """Replace the names of a level's entities.

    Args:
        injection: changed in place.
        names: by number of the entity.
        count: the number of entities. Names of those that the injection adds are kept.
    """
    if names:
        injection.upgrade(_WITH_NAMES)
    kept = [record for record in injection.records(BlockId.ITEM_NAMES) if record["item"] >= count]
    new_records: list[Record] = [{"item": number, "name": names[number]} for number in sorted(names)]
    injection.replace(BlockId.ITEM_NAMES, [*new_records, *kept])
