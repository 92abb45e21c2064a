"""What all random use has: an empty file to begin with, steps that are counted, and an ear at the console."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import ClassVar

from hypothesis.stateful import RuleBasedStateMachine, invariant

from io_tomb_raider.formats import Game
from tests.empty_scene import start_empty


class Console:
    """Collects what Blender tells on its console of errors in handlers and panels, and then goes on.

    Attributes:
        errors: what was raised and nobody has caught.
    """

    def __init__(self) -> None:
        self.errors: list[BaseException] = []
        self._before = sys.excepthook
        sys.excepthook = lambda kind, error, trace: self.errors.append(error)

    def check(self) -> None:
        """Fail where there was any: as it was raised, so that one sees where."""
        if self.errors:
            raise self.errors[0]

    def close(self) -> None:
        sys.excepthook = self._before


class Watched(RuleBasedStateMachine):
    """Does one object after another to the levels of a file. Subclasses say what, and to which game's.

    Attributes:
        game: of the first level.
        folder: for what is saved.
        taken: how many sequences were begun, and how many steps taken, by all of a class.
    """

    game: Game
    folder: Path
    taken: ClassVar[Counter[str]]

    def begin(self) -> None:
        """Begin a sequence, in an empty file."""
        self.taken["sequences"] += 1
        self.taken["steps"] -= 1  # what is counted first comes before any step
        self.console = Console()
        start_empty()

    @invariant()
    def count(self) -> None:
        self.taken["steps"] += 1

    def teardown(self) -> None:
        if hasattr(self, "console"):
            self.console.close()
