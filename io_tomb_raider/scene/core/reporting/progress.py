"""Progress of an import or export."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

_Result = TypeVar("_Result")

# Arguments: the current step, in users' words, and the completed fraction, 0 to 1.
Listener = Callable[[str, float], None]
# Work that yields each of its steps before it is done, so that the caller can handle events between them.
Work = Generator[tuple[str, float], None, _Result]


def finish(steps: Work[_Result], listener: Listener | None = None) -> _Result:
    """Do all steps at once, and return the result."""
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            result: _Result = end.value
            return result
        if listener is not None:
            listener(*step)


def scaled(steps: Work[_Result], start: float, end: float) -> Work[_Result]:
    """Do the steps of a part of the work, between two fractions of the whole."""
    try:
        while True:
            step, share = next(steps)
            yield step, start + share * (end - start)
    except StopIteration as done:
        result: _Result = done.value
        return result
    finally:
        steps.close()


class Progress:
    """Counts steps, and reports them to a listener, if there is one.

    Args:
        steps: their number; an estimate is enough.
    """

    def __init__(self, listener: Listener | None, steps: int) -> None:
        self._listener, self._steps, self._done = listener, max(steps, 1), 0

    def __call__(self, step: str) -> tuple[str, float]:
        """Begin a step, and return it with the completed fraction."""
        share = min(self._done / self._steps, 1.0)
        self._done += 1
        if self._listener is not None:
            self._listener(step, share)
        return step, share
