"""The messages of an import or export."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


def first_few(names: Sequence[str], most: int) -> str:
    """Return names as one text; of many the rest is counted."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


class Message(NamedTuple):
    """A warning.

    Attributes:
        subject: the name of the object, data-block or part of the level that it is about.
        text: the warning itself.
    """

    subject: str
    text: str


@dataclass
class Report:
    """Warnings for the user.

    Attributes:
        messages: in the order of the warnings; equal ones are kept once, and there may be very many.
    """

    messages: dict[Message, None] = field(default_factory=dict)

    @property
    def warnings(self) -> list[str]:
        """The warnings as plain sentences, each naming what it is about."""
        return [f"{subject}: {text}" for subject, text in self.messages]

    def warn(self, subject: str, text: str) -> None:
        self.messages[Message(subject, text)] = None

    def warn_all(self, subject: str, texts: Iterable[str]) -> None:
        """Warn of several objects about one object."""
        for text in texts:
            self.warn(subject, text)

    def warn_again(self, other: Report) -> None:
        """Add the messages of another report."""
        for each in other.messages:
            self.warn(*each)
