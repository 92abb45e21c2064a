"""A level under repair, and the list of its repairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks.findings import THE_LEVEL, Element
from ..level.level import Level


@dataclass(frozen=True)
class Repair:
    """One repair.

    Attributes:
        kind: the kind of damage, a key of :data:`.repair.KINDS`.
        obj: the affected element.
        text: the damage and what was done.
        count: the number of records that were changed.
    """

    kind: str
    obj: Element
    text: str
    count: int = 1


class Repairs:
    """A level that is changed in place, and its repairs so far.

    Attributes:
        level: the level. Arrays are replaced, never written to.
        found: the repairs.
    """

    def __init__(self, level: Level) -> None:
        self.level = level
        self.found: list[Repair] = []
        self.kind = ""

    def add(self, text: str, obj: Element = THE_LEVEL, count: int = 1) -> None:
        """List a repair."""
        self.found.append(Repair(self.kind, obj, text, count))

    def set(self, owner: Any, name: str, rows: NDArray[Any] | Sequence[int], field: str, value: Any) -> None:
        """Set a field of some records of a section of a level or room. Plain numbers have the field ""."""
        records = np.array(getattr(owner, name))
        (records[field] if field else records)[rows] = value
        setattr(owner, name, records)

    def keep(self, owner: Any, name: str, rows: NDArray[np.bool_]) -> None:
        """Remove all records of a section but some."""
        setattr(owner, name, getattr(owner, name)[rows])


Step = Callable[[Repairs], None]
