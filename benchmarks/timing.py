"""Clocks, repeated measurements and their medians."""

from __future__ import annotations

import gc
from collections.abc import Callable
from statistics import median
from time import get_clock_info, perf_counter, process_time
from typing import Any

RUNS = 5

# Processor time, which does not depend on other load; if its resolution is too low, wall time.
clock = process_time if get_clock_info("process_time").resolution < 1e-4 else perf_counter


def stopwatch(function: Callable[[], Any]) -> tuple[float, Any]:
    """Run a function once; return its time in seconds and its result.

    Garbage is collected before, so that it does not affect the time.
    """
    gc.collect()
    start = clock()
    result = function()
    return clock() - start, result


class Times:
    """Times of several functions measured in turn, so that other load affects all of them."""

    def __init__(self) -> None:
        self._taken: dict[str, list[float]] = {}

    def take(self, name: str, function: Callable[[], Any]) -> Any:
        """Run a function, record its time under a name, and return its result."""
        seconds, result = stopwatch(function)
        self.note(name, seconds)
        return result

    def note(self, name: str, seconds: float) -> None:
        """Record a time that was measured elsewhere."""
        self._taken.setdefault(name, []).append(seconds)

    def medians(self) -> dict[str, float]:
        """Return the median of each, in seconds."""
        return {name: median(taken) for name, taken in self._taken.items()}

    def beside(self, other: str) -> dict[str, float]:
        """Return the times relative to another one, as medians of the ratios by turn.

        A machine may be slow in some turns: the ratio of medians could compare a slow turn with a fast one.
        """
        beside = self._taken[other]
        return {
            name: median(one / two for one, two in zip(taken, beside, strict=True))
            for name, taken in self._taken.items()
        }

    def least(self) -> dict[str, float]:
        """Return the minimum of each, in seconds: few measurements may be disturbed by other load."""
        return {name: min(taken) for name, taken in self._taken.items()}
