"""Rearranging the sample list that sounds share (documentation, chapter 8.3).

Sounds refer to a run of samples, so insertions and removals move all later runs.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .details import LARGEST_INDEX


@dataclass(frozen=True)
class Copied:
    """A sample of the list that must be listed again."""

    index: int


@dataclass
class Arrangement:
    """A new list of samples, and the runs of sounds in it."""

    #: numbers of old entries; :class:`Copied` ones; or the given keys of new samples.
    entries: list[Hashable]
    runs: list[tuple[int, int]]  #: for each sound the start of its run, and its length.


def arrange_samples(
    count: int,
    before: Sequence[range],
    wanted: Sequence[tuple[int, Sequence[Hashable]]],
    *,
    ascending: bool = False,
) -> Arrangement:
    """Arrange the samples of all sounds so that those of each are consecutive.

    Unchanged samples keep their order. A sound with changed samples keeps its old place if no other uses it,
    else its samples are appended. Samples that are no longer used are removed; those that never were stay.

    Args:
        count: the number of samples in the list.
        before: for each sound of the file its samples; they may extend beyond the list.
        wanted: for each sound its index in ``before``, or -1, and its samples: numbers of old entries, or any
            other key for new ones.
        ascending: the list must be ascending, as TR2 and TR3 require: new samples are appended, and so are
            copies of old ones that must be adjacent to them.
    """
    return _Arranger(count, before, wanted, ascending).run()


class _Arranger:
    def __init__(
        self,
        count: int,
        before: Sequence[range],
        wanted: Sequence[tuple[int, Sequence[Hashable]]],
        ascending: bool,
    ) -> None:
        self.count, self.before, self.wanted, self.ascending = count, before, wanted, ascending
        self.same = [index >= 0 and list(keys) == list(before[index]) for index, keys in wanted]
        was_used, self.kept = np.zeros(count, bool), np.zeros(count, bool)
        for run in before:
            was_used[run.start : run.stop] = True
        for (index, _), same in zip(wanted, self.same, strict=True):
            if same:
                self.kept[before[index].start : before[index].stop] = True
        self.kept |= ~was_used
        self.in_place: dict[int, int] = {}  # first old entry -> sound
        self.gone = np.zeros(count, bool)

    def run(self) -> Arrangement:
        shared = [self._shared(keys) for _, keys in self.wanted]
        for number, (index, keys) in enumerate(self.wanted):
            if not self.same[number] and shared[number] is None and index >= 0:
                self._claim(number, self.before[index], keys)
        entries, positions, claimed = self._keep()
        kept = len(entries)
        runs: list[tuple[int, int]] = []
        for number, (index, keys) in enumerate(self.wanted):
            first = shared[number]
            if self.same[number]:
                runs.append((-1, len(self.before[index])))  # known when the list is complete
            elif number in claimed:
                runs.append((claimed[number], len(self._existing(keys))))
            elif first is not None:
                runs.append((positions[first], len(keys)))
            else:
                runs.append(self._append(entries, self._existing(keys), positions, index))
        grown = len(entries) > kept
        for number, (index, _) in enumerate(self.wanted):
            if self.same[number]:
                runs[number] = self._moved(self.before[index], positions, len(entries), grown)
        return Arrangement(entries, runs)

    def _existing(self, keys: Sequence[Hashable]) -> list[Hashable]:
        """Return samples without those that do not exist."""
        return [key for key in keys if not isinstance(key, int) or key < self.count]

    def _shared(self, keys: Sequence[Hashable]) -> int | None:
        """Return the position of samples that are already consecutive and will stay, or None."""
        if not keys or not all(isinstance(key, int) for key in keys):
            return None
        first = int(keys[0])  # type: ignore[call-overload]
        last = first + len(keys)
        if list(keys) != list(range(first, last)) or last > self.count:
            return None
        return first if self.kept[first:last].all() else None

    def _claim(self, number: int, run: range, keys: Sequence[Hashable]) -> None:
        """Keep a sound's samples at its old place, if no other sound uses it."""
        if not len(run) or run.stop > self.count or not self._existing(keys):
            return
        span = slice(run.start, run.stop)
        if self.kept[span].any() or self.gone[span].any():
            return
        if self.ascending and not _is_part(keys, run):
            return
        self.gone[span] = True
        self.in_place[run.start] = number

    def _keep(self) -> tuple[list[Hashable], list[int], dict[int, int]]:
        """Return the list of remaining samples, the position of each old entry, and claimed runs."""
        entries: list[Hashable] = []
        positions: list[int] = []
        claimed: dict[int, int] = {}
        for index in range(self.count):
            positions.append(len(entries))
            if index in self.in_place:
                number = self.in_place[index]
                claimed[number] = len(entries)
                entries += self._existing(self.wanted[number][1])
            elif self.kept[index] and not self.gone[index]:
                entries.append(index)
        positions.append(len(entries))
        return entries, positions, claimed

    def _append(
        self, entries: list[Hashable], keys: list[Hashable], positions: list[int], index: int
    ) -> tuple[int, int]:
        if not keys:
            start = self.before[index].start if index >= 0 else self.count
            return positions[min(start, self.count)], 0
        new = [Copied(key) if self.ascending and isinstance(key, int) else key for key in keys]
        for first in range(len(entries) - len(new) + 1):
            if entries[first : first + len(new)] == new:
                return first, len(new)
        entries += new
        return len(entries) - len(new), len(new)

    def _moved(self, run: range, positions: list[int], size: int, grown: bool) -> tuple[int, int]:
        if run.start >= self.count and len(run):
            return min(run.start - self.count + size, LARGEST_INDEX), len(run)
        if not len(run) and run.start > self.count:
            return run.start, 0
        stop = min(run.stop, self.count) if grown else run.stop
        return positions[run.start], stop - run.start


def _is_part(keys: Sequence[Hashable], run: range) -> bool:
    """Return whether samples are a subsequence of a run."""
    rest: Iterator[Hashable] = iter(run)
    return all(key in rest for key in keys)
