"""Floor data of a project's rooms: lists of functions, of which equal ones can be stored once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .....base.arrays.distinct import equal_rows
from .....base.arrays.typing import Ints
from .....base.errors import ExportError
from .....base.messages import T
from .....levels.floor.floor_data import INDEX_LIMIT, encode
from .....levels.floor.functions import Trigger
from .....levels.floor.grammar import END, Rules
from .sectors import CompiledSectors

_NONE = -1

# By sector (z, x), the trigger and the numbers of its objects.
SectorTriggers = Mapping[tuple[int, int], tuple[Trigger, tuple[int, ...]]]


@dataclass
class FloorWriter:
    """Writes the floor data of a level."""

    rules: Rules  #: the rules for triggers.
    shared: bool  #: whether equal lists are stored once.

    def write(
        self, rooms: Sequence[CompiledSectors], triggers: Sequence[SectorTriggers], z_sectors: Sequence[int]
    ) -> NDArray[np.uint16]:
        """Return the floor data of all rooms, and set that of their sectors.

        Lists are shared if there would be too many words otherwise.

        Args:
            triggers: by room.
            z_sectors: by room, the number of sectors along z.

        Raises:
            ExportError: if even shared lists have too many words.
        """
        lists = _Lists.of(rooms, triggers, z_sectors, self.rules)
        number = np.arange(len(lists.lengths))
        first = number
        if self.shared or 1 + int(lists.lengths.sum()) > INDEX_LIMIT:
            first, number = lists.distinct()
        lengths = lists.lengths[first]
        starts = 1 + np.cumsum(lengths) - lengths
        if len(starts) and int(starts[-1]) > INDEX_LIMIT:
            raise ExportError(
                T("floor data"),
                T("a list starts at too high a position"),
                count=int(starts[-1]),
                limit=INDEX_LIMIT,
            )
        content = np.zeros(1 + int(lengths.sum()), np.uint16)
        used = np.arange(lists.words.shape[1]) < lists.counts[first, None]
        content[(starts[:, None] + np.arange(lists.words.shape[1]))[used]] = lists.words[first][used]
        for index in np.flatnonzero(lists.trigger[first] >= 0).tolist():
            row = first[index]
            words = lists.triggers[lists.trigger[row]]
            after = starts[index] + lists.counts[row]
            content[after : after + len(words)] = words
        ends = np.cumsum([0, *map(len, lists.rows)]).tolist()
        for room, rows, low, high in zip(rooms, lists.rows, ends[:-1], ends[1:], strict=True):
            room.records["floor_data"][rows] = starts[number[low:high]]
        return content


class _Lists(NamedTuple):
    """The lists of functions of all sectors that have some."""

    rows: list[Ints]  #: by room, the sectors.
    words: NDArray[np.uint16]  #: (n, k) the words without triggers, padded with 0 at the end.
    counts: Ints  #: (n,) the numbers of words.
    trigger: Ints  #: (n,) the index of the trigger's words, -1 for none.
    triggers: list[NDArray[np.uint16]]  #: different words of triggers.
    lengths: Ints  #: (n,) the words of each list.

    @classmethod
    def of(
        cls,
        rooms: Sequence[CompiledSectors],
        triggers: Sequence[SectorTriggers],
        z_sectors: Sequence[int],
        rules: Rules,
    ) -> _Lists:
        """Return the lists, see :meth:`FloorWriter.write`."""
        numbers: dict[bytes, int] = {}
        sectors, parts, counts, indices = [], [], [], []
        width = max((room.words.shape[1] for room in rooms), default=0)
        for room, room_triggers, depth in zip(rooms, triggers, z_sectors, strict=True):
            trigger = np.full(len(room.counts), _NONE)
            for (z, x), (function, _) in room_triggers.items():
                words = np.array(encode([function], rules), np.uint16).tobytes()
                trigger[x * depth + z] = numbers.setdefault(words, len(numbers))
            rows = np.flatnonzero((room.counts > 0) | (trigger >= 0))
            count, content = room.counts[rows], np.zeros((len(rows), width), np.uint16)
            used = np.arange(room.words.shape[1]) < count[:, None]
            content[:, : used.shape[1]] = np.where(used, room.words[rows], 0)
            alone = np.flatnonzero(trigger[rows] < 0)
            content[alone, room.lasts[rows[alone]]] |= END
            sectors.append(rows)
            parts.append(content)
            counts.append(count)
            indices.append(trigger[rows])
        words_of = [np.frombuffer(words, np.uint16) for words in numbers]
        count, trigger = (np.concatenate([np.zeros(0, np.int64), *each]) for each in (counts, indices))
        sizes = np.array([*map(len, words_of), 0], np.int64)
        words = np.concatenate([np.zeros((0, width), np.uint16), *parts])
        return cls(sectors, words, count, trigger, words_of, count + sizes[trigger])

    def distinct(self) -> tuple[Ints, Ints]:
        """Return the first of equal lists, in order, and the number of each list among them."""
        count, width = self.words.shape
        padded = np.zeros((count, -(-width // 4) * 4), np.uint16)
        padded[:, :width] = self.words
        return equal_rows([self.counts, self.trigger, *padded.view(np.int64).T])
