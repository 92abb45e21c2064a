"""Rules of engines and editors, as data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Bools, Ints
from ...base.games import Game
from ...base.messages import Text
from ...base.targets import Target
from ...levels.views.decoded import Decoded
from ...levels.views.findings import THE_LEVEL, Element, Finding, Severity
from .limits import target_of

Places = Ints
Checked = TypeVar("Checked")

# The readers, and the state of their sources from which the rules were read.
READERS = {
    "the original game": "1996 to 2000, by the decompilations TR2Main, tomb3, TOMB4 and TOMB5 of 2023",
    "TRX": "TR1X and TR2X, February 2025; for levels of TR4, September 2026",
    "OpenLara": "July 2026",
    "OpenTomb": "February 2025",
    "CroftEngine": "June 2026",
    "trview": "July 2026",
    "TR-Rando": "December 2025",
    "Tomb Editor": "1.11, November 2025",
}
ORIGINAL, TRX, OPENLARA, OPENTOMB, CROFTENGINE, TRVIEW, TR_RANDO, TOMB_EDITOR = READERS
ENGINES = (ORIGINAL, TRX, OPENLARA, OPENTOMB)
EVERYONE = tuple(READERS)

ALL = frozenset(Game)
TR1, TR2, TR3, TR4, TR5 = (frozenset({game}) for game in Game)


class Harm(IntEnum):
    """What a reader does with a level that breaks a rule."""

    COSMETIC = 0  # a pixel, a warning on a console
    WRONG = 1  # another picture, sound or move
    MISSING = 2  # not drawn, not heard, not opened
    CRASH = 3  # ends, hangs, or reads other memory


_SEVERITIES = {
    Harm.COSMETIC: Severity.INFO,
    Harm.WRONG: Severity.WARNING,
    Harm.MISSING: Severity.WARNING,
    Harm.CRASH: Severity.ERROR,
}


@dataclass(frozen=True)
class Requirement(ABC, Generic[Checked]):
    """A requirement of readers beyond the format, of levels or of projects."""

    name: str  #: a stable name in English, such as ``mesh order``.
    harm: Harm  #: what happens otherwise.
    games: frozenset[int]  #: the games in whose levels it holds; of projects the targets.
    readers: tuple[str, ...]  #: the readers that require it, keys of :data:`READERS`.
    text: str  #: a sentence for users: the reader, what it does, and the remedy; a template of messages.
    #: returns the numbers of the elements that break the rule, one for each place, see
    #: :class:`...levels.views.findings.Element`; any numbers for the level. None if another check reports it.
    find: Callable[[Checked], Places | list[int]] | None
    kind: str = THE_LEVEL.kind  #: the kind of these elements.

    @abstractmethod
    def applies(self, checked: Checked) -> bool:
        """Return whether a level or project has to keep the rule."""

    def findings(self, checked: Checked) -> Iterator[Finding]:
        """Find what breaks the rule, one finding for each element."""
        if self.find is None or not self.applies(checked):
            return
        places = np.asarray(self.find(checked), np.int64)
        if self.kind == THE_LEVEL.kind:
            places = np.zeros_like(places)
        numbers, counts = np.unique(places, return_counts=True)
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            obj = Element(self.kind, number)
            text = Text(self.text, {"count": count})
            yield Finding(f"{PREFIX}{self.name}", _SEVERITIES[self.harm], obj, text, count=count)


@dataclass(frozen=True)
class Rule(Requirement[Decoded]):
    """A requirement for levels."""

    holds_in_trng: bool = True  #: whether levels of TRNG have to keep it.
    only_for_trx: bool = False  #: whether only levels for TRX have to keep it.

    def applies(self, checked: Decoded) -> bool:
        """Return whether a level has to keep the rule: by its game, and by the target that it is for."""
        level = checked.level
        if level.game not in self.games or (level.has_trng_footer and not self.holds_in_trng):
            return False
        if not level.rooms:  # a file of models, which nobody plays
            return False
        if target_of(checked) is Target.TRX:
            return self.readers != (ORIGINAL,)
        return not self.only_for_trx


PREFIX = "reader: "  # the names of all findings here begin with it
NO_PLACES = np.zeros(0, np.int64)


def where(mask: Bools, numbers: Sequence[int] | NDArray[np.integer] | None = None) -> Places:
    """Return the numbers of elements where a mask is true: their positions, or the given numbers."""
    rows = np.flatnonzero(mask)
    return rows if numbers is None else np.asarray(numbers, np.int64)[rows]


def once_if(broken: bool | np.bool_) -> Places:
    """Return one place if a rule of the whole level is broken."""
    return np.zeros(int(broken), np.int64)
