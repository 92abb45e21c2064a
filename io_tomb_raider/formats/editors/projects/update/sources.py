"""Sources of the parts of an edited level in the level that was compiled from its project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .match import Pair, pairs

NEW, UNKNOWN = -1, -2


@dataclass(frozen=True)
class Sources:
    """The rows of the compiled level that rows of the edited one come from.

    They are :data:`NEW` for added ones, and :data:`UNKNOWN` for those that are only found by their content.
    """

    rooms: NDArray[np.int64]  #: (rooms,) int64.
    #: by number of a new room, the row of the room that it is a copy of.
    copied_rooms: Mapping[int, int] = field(default_factory=dict)
    #: (n,) int64 by section of the level; those of rooms count through the lists of all rooms.
    records: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    #: (cameras,) bool, which rows of the table of cameras are sinks; None if that is not known.
    sinks: NDArray[np.bool_] | None = None

    def of(self, section: str, count: int) -> NDArray[np.int64]:
        """Return the sources of a number of records; all are unknown if add-ons changed that number."""
        found = self.records.get(section)
        return np.full(count, UNKNOWN) if found is None or len(found) != count else found


def paired(
    sources: NDArray[np.int64],
    before: NDArray[np.generic],
    after: NDArray[np.generic],
    before_places: NDArray[np.float64],
    after_places: NDArray[np.float64],
) -> list[Pair]:
    """Return pairs of rows as :func:`.match.pairs`, which finds those of the rows whose source is unknown.

    Args:
        sources: (n,) of the rows after.
        before, after, before_places, after_places: see there.
    """
    known = np.zeros(len(before), np.bool_)
    is_old = (sources >= 0) & (sources < len(before))
    known[sources[is_old]] = True
    old, new = np.flatnonzero(~known), np.flatnonzero(sources == UNKNOWN)
    found = dict(zip(np.flatnonzero(is_old).tolist(), sources[is_old].tolist(), strict=True))
    gone = old.tolist()
    if len(new):
        gone = []
        for one, other in pairs(before[old], after[new], before_places[old], after_places[new]):
            if other < 0:
                gone.append(int(old[one]))
            elif one >= 0:
                found[int(new[other])] = int(old[one])
    return [(row, NEW) for row in gone] + [(found.get(row, NEW), row) for row in range(len(after))]
