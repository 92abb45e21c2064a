"""How far an import or export is, for whoever wants to show it."""

from __future__ import annotations

from collections.abc import Callable

# Takes what is being done, as users call it, and how much of the whole is done, 0 to 1.
Listener = Callable[[str, float], None]


class Progress:
    """Tells a listener of steps; without one it costs nothing.

    Args:
        listener: is told of each step as it begins.
        steps: how many there are; a guess is enough.
    """

    def __init__(self, listener: Listener | None, steps: int) -> None:
        self._listener, self._steps, self._done = listener, max(steps, 1), 0

    def __call__(self, step: str) -> None:
        """Begin a step."""
        if self._listener is not None:
            self._listener(step, min(self._done / self._steps, 1.0))
            self._done += 1
