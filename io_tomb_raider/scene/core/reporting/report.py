"""The messages of an import or export."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ....formats.base import T, about, joined


def first_few(names: Sequence[str], most: int) -> str:
    """Return the first names as one text, with the number of the others."""
    if len(names) <= most:
        return joined(", ", names)
    return T("{names} and {count} more", names=joined(", ", names[:most]), count=len(names) - most)


def storable(text: str) -> str:
    """Return text that Blender can store: names of files may have bytes that are no UTF-8."""
    return text.encode("utf-8", "replace").decode()


def printable(text: str) -> str:
    """Return text as :func:`storable` does, without control characters, as a name of a data-block."""
    return "".join(letter if letter.isprintable() else "_" for letter in storable(text))


class Message(NamedTuple):
    """A warning."""

    subject: str  #: the name of the object, data-block or part of the level.
    text: str  #: the warning.


@dataclass
class Report:
    """Warnings and notes for the user."""

    #: warnings, in order, without duplicates. There may be very many.
    messages: dict[Message, None] = field(default_factory=dict)
    #: notes on what Blender cannot show of an intact level, likewise.
    remarks: dict[Message, None] = field(default_factory=dict)
    #: tracebacks of errors in other add-ons, for their developers, by the warning.
    tracebacks: dict[Message, str] = field(default_factory=dict)

    @property
    def warnings(self) -> list[str]:
        """The warnings as sentences, each beginning with its subject."""
        return [about(*each) for each in self.messages]

    @property
    def notes(self) -> list[str]:
        """The notes as sentences, each beginning with its subject."""
        return [about(*each) for each in self.remarks]

    def warn(self, subject: str, text: str) -> None:
        self.messages[Message(subject, text)] = None

    def note(self, subject: str, text: str) -> None:
        """Add a note. Notes do not make a result a warning."""
        self.remarks[Message(subject, text)] = None

    def warn_all(self, subject: str, texts: Iterable[str]) -> None:
        """Add several warnings about one object."""
        for text in texts:
            self.warn(subject, text)

    def forget(self, known: Container[tuple[str, str]]) -> None:
        """Remove known messages, given as Blender stores subject and text."""
        self.messages = {
            each: None for each in self.messages if (storable(each.subject), storable(each.text)) not in known
        }

    def warn_again(self, other: Report) -> None:
        """Add the messages of another report."""
        for each in other.messages:
            self.warn(*each)
        self.remarks |= other.remarks
        self.tracebacks |= other.tracebacks
