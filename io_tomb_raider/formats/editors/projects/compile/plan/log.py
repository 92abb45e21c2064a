"""The log of a compilation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple


class Importance(Enum):
    """The importance of a line."""

    INFO = "info"
    WARNING = "warning"


class LogLine(NamedTuple):
    """A line of the log: a message, and its importance."""

    text: str
    importance: Importance = Importance.INFO


@dataclass
class Log:
    """The lines of a compilation, in order. Equal warnings are listed once."""

    lines: list[LogLine] = field(default_factory=list)
    listener: Callable[[LogLine], None] | None = None  #: called with each new line, to show progress.
    _warned: set[str] = field(default_factory=set, repr=False)

    def info(self, text: str) -> None:
        """Add a line."""
        self._add(LogLine(text))

    def warn(self, text: str) -> None:
        """Add a warning."""
        if str(text) not in self._warned:
            self._warned.add(str(text))
            self._add(LogLine(text, Importance.WARNING))

    @property
    def warnings(self) -> list[str]:
        """The warnings."""
        return [line.text for line in self.lines if line.importance is Importance.WARNING]

    def _add(self, line: LogLine) -> None:
        self.lines.append(line)
        if self.listener is not None:
            self.listener(line)
