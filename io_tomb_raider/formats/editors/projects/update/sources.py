"""Sources of the parts of an edited level in the level that was compiled from its project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Bools, Floats, Ints
from .match import Pair, pairs

NEW, UNKNOWN = -1, -2


@dataclass(frozen=True)
class Sources:
    """By row of the edited level, the row of the compiled level from which it comes.

    It is :data:`NEW` for added rows, and :data:`UNKNOWN` for rows that can only be found by their content.
    """

    rooms: Ints  #: (rooms,) int64.
    #: by number of a new room, the row of the room that it is a copy of.
    copied_rooms: Mapping[int, int] = field(default_factory=dict)
    #: (n,) int64 by section of the level; those of rooms count through the lists of all rooms.
    records: Mapping[str, Ints] = field(default_factory=dict)
    #: (cameras,) bool, which rows of the table of cameras are sinks; None if that is not known.
    sinks: Bools | None = None

    def of(self, section: str, count: int) -> Ints:
        """Return the sources of a number of records; all are unknown if add-ons changed that number."""
        sources = self.records.get(section)
        return np.full(count, UNKNOWN) if sources is None or len(sources) != count else sources


def paired(
    sources: Ints,
    before: NDArray[np.generic],
    after: NDArray[np.generic],
    before_places: Floats,
    after_places: Floats,
) -> list[Pair]:
    """Return pairs of rows as :func:`.match.pairs`, which finds the pairs of rows without a known source.

    `sources`: (n,) of the rows after.
    """
    is_known = np.zeros(len(before), np.bool_)
    is_old = (sources >= 0) & (sources < len(before))
    is_known[sources[is_old]] = True
    old, new = np.flatnonzero(~is_known), np.flatnonzero(sources == UNKNOWN)
    source_of = dict(zip(np.flatnonzero(is_old).tolist(), sources[is_old].tolist(), strict=True))
    removed = old.tolist()
    if len(new):
        removed = []
        for old_row, new_row in pairs(before[old], after[new], before_places[old], after_places[new]):
            if new_row < 0:
                removed.append(int(old[old_row]))
            elif old_row >= 0:
                source_of[int(new[new_row])] = int(old[old_row])
    return [(row, NEW) for row in removed] + [(source_of.get(row, NEW), row) for row in range(len(after))]
