"""Progress of an import or export."""

from __future__ import annotations

from collections.abc import Callable

# Arguments: the current step, in users' words, and the completed fraction, 0 to 1.
Listener = Callable[[str, float], None]


class Progress:
    """Reports steps to a listener, if there is one.

    Args:
        listener: called at the start of each step.
        steps: their number; an estimate is enough.
    """

    def __init__(self, listener: Listener | None, steps: int) -> None:
        self._listener, self._steps, self._done = listener, max(steps, 1), 0

    def __call__(self, step: str) -> None:
        """Begin a step."""
        if self._listener is not None:
            self._listener(step, min(self._done / self._steps, 1.0))
            self._done += 1
