"""Taking times, and what a measurement is made of."""

from __future__ import annotations

import gc
from collections.abc import Callable
from statistics import median
from time import get_clock_info, perf_counter, process_time
from typing import Any

RUNS = 5

# Of the processor, whatever else the machine does; where that is told too coarsely, the wall's.
clock = process_time if get_clock_info("process_time").resolution < 1e-4 else perf_counter


def stopwatch(function: Callable[[], Any]) -> tuple[float, Any]:
    """Run a function once; return its time in seconds and its result.

    Garbage of earlier measurements is collected before, so that nobody pays for another's.
    """
    gc.collect()
    start = clock()
    result = function()
    return clock() - start, result


class Times:
    """Times of several objects measured in turn, so that whatever else the machine does meets them all."""

    def __init__(self) -> None:
        self._taken: dict[str, list[float]] = {}

    def take(self, name: str, function: Callable[[], Any]) -> Any:
        """Run a function, note its time under a name, and return its result."""
        seconds, result = stopwatch(function)
        self.note(name, seconds)
        return result

    def note(self, name: str, seconds: float) -> None:
        """Note a time that was taken elsewhere."""
        self._taken.setdefault(name, []).append(seconds)

    def medians(self) -> dict[str, float]:
        """Return the median of each, in seconds."""
        return {name: median(taken) for name, taken in self._taken.items()}

    def beside(self, other: str) -> dict[str, float]:
        """Return how many times as long each took as another one, as the median of what they took in turn.

        A machine may be slower for some turns: medians of the times themselves may then be those of a slow
        turn for one, and those of a fast turn for the other.
        """
        beside = self._taken[other]
        return {
            name: median(one / two for one, two in zip(taken, beside, strict=True))
            for name, taken in self._taken.items()
        }

    def least(self) -> dict[str, float]:
        """Return the least of each, in seconds: what is done few times only is disturbed now and then."""
        return {name: min(taken) for name, taken in self._taken.items()}
