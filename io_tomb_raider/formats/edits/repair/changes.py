"""A level under repair, and the list of its repairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Bools, Ints
from ...levels.level.level import Level
from ...levels.rooms.rooms import Room
from ...levels.views.decoded import Decoded
from ...levels.views.findings import THE_LEVEL, Element
from ..references.references import REFERENCES, missing_targets, tables


@dataclass(frozen=True)
class Repair:
    """One repair."""

    kind: str  #: the kind of damage, a key of :data:`.repair.KINDS`.
    obj: Element  #: the affected element.
    text: str  #: the damage and what was done.
    count: int = 1  #: the number of records that were changed.


def rooms_of(level: Level) -> list[Room]:
    """Return the rooms of a level; none of files of textiles only."""
    return level.rooms if level.has("rooms") else []


class Repairs:
    """A level that is changed in place, and its repairs so far."""

    def __init__(self, level: Level) -> None:
        self.level = level  #: the level. Arrays are replaced, never written to.
        self.found: list[Repair] = []  #: the repairs.
        #: for sections of rooms that lost records, the old row of each record, by room and name.
        self.kept: dict[tuple[int, str], Ints] = {}
        #: the target rooms of the portals of each room before the repair.
        self.portals = {number: room.portals["room"] for number, room in enumerate(rooms_of(level))}
        self.kind = ""

    def add(self, text: str, obj: Element = THE_LEVEL, count: int = 1) -> None:
        """List a repair."""
        self.found.append(Repair(self.kind, obj, text, count))

    def missing(self, table: str, field: str) -> list[Bools]:
        """Return which records refer to elements that do not exist: of each room (n,), or of the level."""
        decoded = Decoded(self.level)
        rooms = rooms_of(self.level)
        name = table.removeprefix("room.")
        counts = [len(getattr(room, name, ())) for room in rooms]
        records = next(tables(decoded, {table}), None)
        if records is None:
            return [np.zeros(count, np.bool_) for count in counts]
        reference = next(each for each in REFERENCES[table] if each.field == field)
        is_missing: Bools = np.asarray(missing_targets(decoded, records, reference)[1].any(axis=1))
        return [is_missing] if records.owner is None else np.split(is_missing, np.cumsum(counts)[:-1])

    def set(self, owner: Any, name: str, rows: NDArray[Any] | Sequence[int], field: str, value: Any) -> None:
        """Set a field of some records of a section of a level or room. Plain numbers have the field ""."""
        records = np.array(getattr(owner, name))
        (records[field] if field else records)[rows] = value
        setattr(owner, name, records)

    def keep(self, owner: Any, name: str, rows: Bools) -> None:
        """Remove all records of a section but some."""
        number = next((index for index, room in enumerate(self.level.rooms) if room is owner), -1)
        old_rows = self.kept.get((number, name), np.arange(len(rows)))
        self.kept[number, name] = old_rows[rows]
        setattr(owner, name, getattr(owner, name)[rows])


Step = Callable[[Repairs], None]
