"""WAS files: the names of the slots of a level editor WAD.

A WAS has one line ``SLOT_NAME:path`` for each slot. The slots of models precede those of static meshes, each
in the order of the WAD.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ....base.bytes.files import file_content
from ....base.errors import ExportError
from ....base.messages import T

_ENCODING = "latin-1"  # lossless, since any byte is a character


class WasLine(NamedTuple):
    """A line of a WAS: the name of a slot, and the source of its object, "" in lines without a colon."""

    name: str
    path: str


@dataclass(frozen=True)
class Was:
    """A WAS: its text, one character per byte. ``with_slots`` makes another."""

    text: str

    @property
    def slots(self) -> list[WasLine]:
        """The slots; blank lines are ignored."""
        halves = (line.partition(":") for line in _entries(self.text))
        return [WasLine(name.strip(), path.strip()) for name, _, path in halves]

    def with_slots(self, slots: Sequence[WasLine]) -> Was:
        """Return a file with these slots: the same one if nothing differs.

        Raises:
            ExportError: if a name is empty, or has characters that the file cannot store.
        """
        if list(slots) == self.slots:
            return self
        for slot in slots:
            if not slot.name.strip() or ":" in slot.name:
                raise ExportError(slot.name or "slot", T("the name of a slot is empty or has a colon"))
        return Was(_joined(f"{name}:{path}" for name, path in slots))

    def to_bytes(self) -> bytes:
        """Return the file. An unedited file is written byte for byte as it was read."""
        return self.text.encode(_ENCODING)


def read_was(source: str | os.PathLike[str] | bytes) -> Was:
    """Read a WAS from a file or from its bytes.

    Raises:
        FormatError: if it is larger than any such file.
        OSError: if the file cannot be read.
    """
    return Was(file_content(source).decode(_ENCODING))


def _entries(text: str) -> list[str]:
    lines = (line.strip() for line in text.split("\n"))
    return [line for line in lines if line]


def _joined(entries: Iterable[str]) -> str:
    lines = list(entries)
    for line in lines:
        if not line.strip() or "\n" in line or max(line) > "\xff":
            raise ExportError(line or "name", T("it is empty or does not fit a line of the file"))
    return "".join(f"{line}\n" for line in lines)
