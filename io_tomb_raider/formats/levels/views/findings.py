"""Findings of checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.messages import Text
from .decoded import Decoded


class Severity(IntEnum):
    """The severity of a finding."""

    INFO = 0
    WARNING = 1
    ERROR = 2


class Element(NamedTuple):
    """An element of a level: rooms, entities and cameras by their number in the file, others by their id."""

    #: ``level``, ``room``, ``entity``, ``model`` or ``mesh``; ``portal``, ``trigger`` and ``static mesh``
    #: with the number of their room.
    kind: str
    number: int = 0


THE_LEVEL = Element("level")


def name_of(obj: Element) -> str:
    """Return the English name of an element of a file: its kind and number."""
    if obj == THE_LEVEL:
        return "the level"
    kind = "room" if obj.kind in ("portal", "trigger", "static mesh") else obj.kind
    return f"{kind} {obj.number}"


OTHER = "{other}"  # the name of another element, as an argument of messages


@dataclass(frozen=True)
class Finding:
    """A problem for the game, or a possible mistake."""

    check: str  #: the name of the problem; the same for all findings of one kind.
    severity: Severity
    obj: Element  #: the affected element.
    text: str  #: a description for users; :data:`OTHER` stands for the name of the first of ``others``.
    others: tuple[Element, ...] = ()  #: other elements that are involved.
    count: int = 1  #: the number of occurrences.
    place: tuple[float, float, float] | None = None  #: the position in world units, y down, if known.

    def say(self, name: Callable[[Element], str]) -> str:
        """Return the text with the name of the other element."""
        if not self.others or not isinstance(self.text, Text):
            return self.text
        return self.text.mapped(lambda value: name(self.others[0]) if value is OTHER else value)


def grouped(*columns: NDArray[np.int64]) -> Iterator[tuple[tuple[int, ...], NDArray[np.int64]]]:
    """Yield each combination of values of some columns, with its rows in order."""
    if not len(columns[0]):
        return
    keys, inverse = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    order = np.argsort(inverse, kind="stable")
    ends = np.cumsum(np.bincount(inverse, minlength=len(keys)))
    for key, rows in zip(keys.tolist(), np.split(order, ends[:-1]), strict=True):
        yield tuple(key), rows


Check = Callable[[Decoded], Iterator[Finding]]


def run_checks(level: Decoded, checks: Sequence[Check]) -> list[Finding]:
    """Run checks and return all findings."""
    return [finding for check in checks for finding in check(level)]
