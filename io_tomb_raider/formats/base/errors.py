"""Exceptions of this package."""

from __future__ import annotations

from .messages import T, Text, about, as_message

DAMAGED = T("the file is damaged")
ENDS_EARLY = T("the file ends too early")
NO_LEVEL = T("this is no Tomb Raider level")
NO_SOUND = T("this is no sound in a WAV file")


class FormatError(ValueError):
    """A file does not conform to its format.

    Attributes:
        section: the part of the file that was being read, e.g. ``"rooms"``.
        element: the index of the element within the section, or None for the section as a whole.
        offset: the byte offset of the error. In compressed parts it is relative to the inflated data, and
            ``section`` names the chunk.
        line: the line of the error in a text file, from 1, or None.
        expected: the valid content.
        found: the content of this file.
        problem: a description in plain words.
        sizes: the available and the required number of bytes, if a file ends too early.
    """

    def __init__(
        self,
        section: str,
        expected: str,
        found: str,
        *,
        element: int | None = None,
        offset: int | None = None,
        line: int | None = None,
        problem: str = DAMAGED,
        sizes: tuple[int, int] | None = None,
    ) -> None:
        self.section = section
        self.element = element
        self.offset = offset
        self.line = line
        self.expected = expected
        self.found = found
        self.problem = problem
        self.sizes = sizes
        place = section if element is None else f"{section}[{element}]"
        if line is not None:
            place = T("{place} in line {line}", place=place, line=line)
        if offset is not None:
            place = T("{place} at byte {offset}", place=place, offset=offset)
        super().__init__(
            T("{place}: expected {expected}, found {found}", place=place, expected=expected, found=found)
        )


class ExportError(ValueError):
    """The game's file cannot store an element of the scene.

    Attributes:
        subject: the name of the object (room, mesh, action, …).
        problem: a description in plain words.
        count: the number of elements, or None if the problem is not a count.
        limit: the limit of the game, or None.
    """

    def __init__(
        self, subject: str, problem: str, *, count: int | None = None, limit: int | None = None
    ) -> None:
        self.subject = subject
        self.problem = problem
        self.count = count
        self.limit = limit
        super().__init__(about(subject, self.text))

    @property
    def text(self) -> Text:
        """The problem with its numbers, without the subject."""
        if self.limit is None:
            if self.count is None:
                return as_message(self.problem)
            return T("{problem}: {count}", problem=self.problem, count=self.count)
        if self.count is None:
            return T("{problem} (the limit is {limit})", problem=self.problem, limit=self.limit)
        return T(
            "{problem}: {count} (the limit is {limit})",
            problem=self.problem,
            count=self.count,
            limit=self.limit,
        )


class TextError(ValueError):
    """The text of a script cannot be compiled."""

    def __init__(self, line: int, problem: str) -> None:
        self.line = line  #: the number of the line, from 1.
        self.problem = problem  #: a description in plain words.
        super().__init__(T("line {line}: {problem}", line=line, problem=problem))
