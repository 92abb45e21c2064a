"""The errors that this package raises on purpose."""

from __future__ import annotations

DAMAGED = "the file is damaged"
ENDS_EARLY = "the file ends too early"
NO_LEVEL = "this is no Tomb Raider level"
NO_SOUND = "this is no sound in a WAV file"


class FormatError(ValueError):
    """A file is not what its format says.

    Attributes:
        section: the part of the file that was being read, e.g. ``"rooms"``.
        element: the index of the element within the section, or None for the section as a whole.
        offset: the byte offset where it was noticed. Inside compressed parts it counts from the
            start of the inflated data, and ``section`` names the chunk.
        expected: what a sound file has there.
        found: what this file has there.
        problem: what that means, in plain words.
        sizes: how many bytes there are, and how many there should be, where a file ends too early.
    """

    def __init__(
        self,
        section: str,
        expected: str,
        found: str,
        *,
        element: int | None = None,
        offset: int | None = None,
        problem: str = DAMAGED,
        sizes: tuple[int, int] | None = None,
    ) -> None:
        self.section = section
        self.element = element
        self.offset = offset
        self.expected = expected
        self.found = found
        self.problem = problem
        self.sizes = sizes
        where = section if element is None else f"{section}[{element}]"
        at = "" if offset is None else f" at byte {offset}"
        super().__init__(f"{where}{at}: expected {expected}, found {found}")


class ExportError(ValueError):
    """A scene holds something that the game's file cannot.

    Attributes:
        subject: the name of the object (room, mesh, action, …) that does not fit.
        problem: what is too much or wrong, in plain words.
        count: how many there are, or None where the problem is not a count.
        limit: how many the game allows, or None.
    """

    def __init__(
        self, subject: str, problem: str, *, count: int | None = None, limit: int | None = None
    ) -> None:
        self.subject = subject
        self.problem = problem
        self.count = count
        self.limit = limit
        figures = "" if count is None else f": {count}"
        if limit is not None:
            figures += f" (the limit is {limit})"
        super().__init__(f"{subject}: {problem}{figures}")


class TextError(ValueError):
    """A script's text cannot be compiled.

    Attributes:
        line: the number of the line, from 1.
        problem: what is wrong there, in plain words.
    """

    def __init__(self, line: int, problem: str) -> None:
        self.line = line
        self.problem = problem
        super().__init__(f"line {line}: {problem}")
