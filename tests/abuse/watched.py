"""Base of random tests: an empty file, counted steps, and a check of the console."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import ClassVar

from hypothesis.stateful import RuleBasedStateMachine, invariant

from io_tomb_raider.formats import Game
from tests.empty_scene import start_empty


class Console:
    """Collects uncaught exceptions of handlers and panels, which Blender prints and ignores.

    Attributes:
        errors: the exceptions.
    """

    def __init__(self) -> None:
        self.errors: list[BaseException] = []
        self._before = sys.excepthook
        sys.excepthook = lambda kind, error, trace: self.errors.append(error)

    def check(self) -> None:
        """Raise the first exception, with its original traceback."""
        if self.errors:
            raise self.errors[0]

    def close(self) -> None:
        sys.excepthook = self._before


class RandomSession(RuleBasedStateMachine):
    """Performs random actions on the levels of a file; subclasses define the actions and the game.

    Attributes:
        game: of the first level.
        folder: for saved files.
        counts: numbers of sequences and steps of a class.
    """

    game: Game
    folder: Path
    counts: ClassVar[Counter[str]]

    def begin(self) -> None:
        """Start a sequence in an empty file."""
        self.counts["sequences"] += 1
        self.counts["steps"] -= 1  # the counter counts the initialization, too
        self.console = Console()
        start_empty()

    @invariant()
    def count(self) -> None:
        self.counts["steps"] += 1

    def teardown(self) -> None:
        if hasattr(self, "console"):
            self.console.close()
