"""Exceptions of this package."""

from __future__ import annotations

from .messages import T, Text, about, as_message

DAMAGED = T("the file is damaged")
ENDS_EARLY = T("the file ends too early")
NO_LEVEL = T("this is no Tomb Raider level")
NO_SOUND = T("this is no sound in a WAV file")


class FormatError(ValueError):
    """A file does not conform to its format."""

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
        self.section = section  #: the part of the file that was being read, e.g. ``"rooms"``.
        self.element = element  #: the index of the element within the section, None for the whole section.
        #: the byte offset of the error. In compressed parts it is relative to the inflated data, and
        #: ``section`` names the chunk.
        self.offset = offset
        self.line = line  #: the line of the error in a text file, from 1, or None.
        self.expected = expected  #: the valid content.
        self.found = found  #: the content of this file.
        self.problem = problem  #: a description in plain words.
        self.sizes = sizes  #: the available and the required number of bytes, if a file ends too early.
        location = section if element is None else f"{section}[{element}]"
        if line is not None:
            location = T("{place} in line {line}", place=location, line=line)
        if offset is not None:
            location = T("{place} at byte {offset}", place=location, offset=offset)
        super().__init__(
            T("{place}: expected {expected}, found {found}", place=location, expected=expected, found=found)
        )


class ExportError(ValueError):
    """The game's file cannot store an element of the scene."""

    def __init__(
        self, subject: str, problem: str, *, count: int | None = None, limit: int | None = None
    ) -> None:
        self.subject = subject  #: the name of the object (room, mesh, action, …).
        self.problem = problem  #: a description in plain words.
        self.count = count  #: the number of elements, or None if the problem is not a count.
        self.limit = limit  #: the limit of the game, or None.
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
