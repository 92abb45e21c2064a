"""The injection after a level's last section, as Tomb Editor writes it."""

from __future__ import annotations

import numpy as np

from ..level.level import Level
from .trxj import MAGIC, Injection, read_trxj


def has_block(level: Level) -> bool:
    """Return whether an injection follows directly after the last section, where the engine looks for it."""
    return level.has("footer") and level.footer[: len(MAGIC)].tobytes() == MAGIC


def read_block(level: Level) -> Injection | None:
    """Return the injection of a level, None without one.

    Raises:
        FormatError: if it is damaged, or of an unknown version.
    """
    return read_trxj(level.footer.tobytes(), level.game) if has_block(level) else None


def put_block(level: Level, injection: Injection) -> bool:
    """Replace the injection of a level, or remove it if it is empty. Return whether that changed its bytes.

    Raises:
        ExportError: if a value does not fit.
    """
    data = injection.to_bytes() if injection.chunks or injection.tests else b""
    if data == level.footer.tobytes():
        return False
    level.footer = np.frombuffer(data, np.uint8)
    return True
