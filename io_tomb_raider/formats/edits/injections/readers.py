"""Parts of an injection that versions of TRX skip or misread.

TRX 1.10 reads TRXJ 2 to 11. TRX 1.11 reads TRXI, and of TRXJ 6 to 12 only sounds and edits, all of them with
the records of its newest version. No version since 2025 reads T1MJ and T2XJ. Source: the engine's reader.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...base.messages import T, as_message, joined
from ...base.targets import Target
from ...levels.injections.kinds import BlockId
from ...levels.injections.old import OldInjection
from ...levels.injections.records import block_type
from ...levels.injections.trxj import Injection
from ...levels.views.decoded import Decoded
from ...levels.views.findings import THE_LEVEL, Finding, Severity
from ..rules.limits import CHECK, target_of

_OLDEST, _NEWEST = 6, 11  # version of TRXJ: the first of TRX 1.11, the last of TRX 1.10
# Chunks of TRXJ in TRX 1.11: sounds and edits, and cameras, which later versions may read.
_READ, _UNCERTAIN = (5, 6), 7


class Remark(NamedTuple):
    """A part that versions of TRX do not read, or misread."""

    severity: Severity
    text: str  #: as a message, about the file or the block of a level.


def remarks(injection: Injection | OldInjection) -> Iterator[Remark]:
    """Return what versions of TRX do not read of an injection, or misread."""
    if isinstance(injection, OldInjection):
        text = T("TRX does not read {kind} files since 2025", kind=injection.magic.decode())
        yield Remark(Severity.WARNING, text)
        return
    magic, version = injection.header
    if injection.version > _NEWEST:
        kind = f"{magic.decode()} {version}"
        yield Remark(Severity.INFO, T("TRX 1.10 and older do not read {kind}", kind=kind))
    elif version < _OLDEST:
        kind = f"{magic.decode()} {version}"
        yield Remark(Severity.WARNING, T("TRX 1.11 and newer do not read {kind}", kind=kind))
    if injection.is_trxi or version < _OLDEST:
        return
    skipped, uncertain = _parts(injection)
    if skipped:
        yield Remark(Severity.WARNING, T("TRX 1.11 and newer skip {parts}", parts=joined(", ", skipped)))
    if uncertain:
        yield Remark(Severity.INFO, T("TRX 1.11 may skip {parts}", parts=joined(", ", uncertain)))
    if version < _NEWEST and injection.records(BlockId.ROOM_SIZES):
        text = T(
            "TRX 1.11 and newer misread the sizes of rooms in version {version}, and all edits after them",
            version=version,
        )
        yield Remark(Severity.WARNING, text)


def _parts(injection: Injection) -> tuple[list[str], list[str]]:
    """Return the names of blocks that TRX 1.11 skips in TRXJ, and of those that it may skip."""
    skipped: list[str] = []
    uncertain: list[str] = []
    for chunk in injection.chunks:
        if chunk.type not in _READ:
            names = uncertain if chunk.type == _UNCERTAIN else skipped
            names += [as_message(block_type(block.type).name) for block in chunk.blocks]
    return skipped, uncertain


def check_block(checked: Decoded) -> Iterator[Finding]:
    """Find what versions of TRX do not read of the edits in a level."""
    injection = checked.injection
    if injection is None or target_of(checked) is not Target.TRX:
        return
    for severity, text in remarks(injection):
        name = f"{CHECK}{text}"
        if severity is Severity.WARNING:
            text = T("{text}. Apply these edits, or export them as an injection", text=text)
        yield Finding(name, severity, THE_LEVEL, T("its block of edits: {text}", text=text))
