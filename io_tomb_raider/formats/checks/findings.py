"""Findings of checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..level.decoded import Decoded


class Severity(IntEnum):
    """How bad what was found is."""

    INFO = 0
    WARNING = 1
    ERROR = 2


class Element(NamedTuple):
    """Something of a level, by its number in the file: rooms, entities, cameras; others by their id.

    Attributes:
        kind: ``level``, ``room``, ``entity``, ``model`` or ``mesh``; ``portal`` and ``trigger`` stand for the
            room that one is in.
        number: its number.
    """

    kind: str
    number: int = 0


THE_LEVEL = Element("level")


@dataclass(frozen=True)
class Finding:
    """One object that a game would trip over, or that may not be meant.

    Attributes:
        check: what was looked for; the same word for all findings of one kind.
        severity: how bad it is.
        object: what has it.
        text: what is wrong, in a user's words; ``{0}``, ``{1}`` stand for the names of ``others``.
        others: other objects that have to do with it.
        count: how often it is there.
        place: where in the world, in world units, y down, where that is known.
    """

    check: str
    severity: Severity
    obj: Element
    text: str
    others: tuple[Element, ...] = ()
    count: int = 1
    place: tuple[float, float, float] | None = None

    def say(self, name: Callable[[Element], str]) -> str:
        """Return the text with the names of the other objects."""
        return self.text.format(*map(name, self.others))


def grouped(*columns: NDArray[np.int64]) -> Iterator[tuple[tuple[int, ...], NDArray[np.int64]]]:
    """Yield every combination of values of some columns with the rows that have it, in their order."""
    if not len(columns[0]):
        return
    keys, inverse = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    order = np.argsort(inverse, kind="stable")
    ends = np.cumsum(np.bincount(inverse, minlength=len(keys)))
    for key, rows in zip(keys.tolist(), np.split(order, ends[:-1]), strict=True):
        yield tuple(key), rows


def counted(count: int, one: str, more: str) -> str:
    """Return a text for one or for several, in which braces stand for the count; others' stay."""
    return (one if count == 1 else more).replace("{}", str(count))


Check = Callable[[Decoded], Iterator[Finding]]


def run_checks(level: Decoded, checks: Sequence[Check]) -> list[Finding]:
    """Run checks, and return all that they find."""
    return [finding for check in checks for finding in check(level)]
