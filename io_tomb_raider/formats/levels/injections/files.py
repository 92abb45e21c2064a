"""All kinds of injection files, and the block after the end of a level."""

from __future__ import annotations

from ...base.errors import FormatError
from ...base.games import Game
from ...base.messages import T
from .old import T1MJ, T2XJ, OldInjection, read_old_injection
from .records import block_type
from .trxj import MAGICS, Injection, read_trxj

INJECTION_SUFFIXES = (".bin",)


def is_injection(data: bytes) -> bool:
    """Return whether data starts like an injection of any kind."""
    return data[:4] in (*MAGICS, T1MJ, T2XJ)


def read_injection(data: bytes, game: Game | None = None) -> Injection | OldInjection:
    """Decode an injection file. Without the game of its level, the games whose form fits are tried.

    Raises FormatError if it is damaged, or of an unknown kind or version.
    """
    magic = data[:4]
    if magic in (T1MJ, T2XJ):
        return read_old_injection(data)
    if magic not in MAGICS:
        problem = T("this is no injection of TRX")
        raise FormatError("header", "TRXI, TRXJ, T1MJ or T2XJ", repr(magic), offset=0, problem=problem)
    return read_trxj(data, game)


def content(injection: Injection | OldInjection) -> dict[str, int]:
    """Return the number of records of each kind, in file order."""
    if isinstance(injection, OldInjection):
        return {name: count for name, records in injection.sections.items() if (count := len(records))}
    result: dict[str, int] = {}
    for block in injection.blocks:
        name = block_type(block.type).name
        result[name] = result.get(name, 0) + len(block)
    return result
