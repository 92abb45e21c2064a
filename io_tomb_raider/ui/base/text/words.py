"""Plain-language texts about errors, names and levels. Nothing here needs Blender."""

from __future__ import annotations

import errno
import os
import re
from typing import TYPE_CHECKING

from ....formats import ExportError, FormatError, Game
from ....formats.base import T, as_message, joined, without_subject

if TYPE_CHECKING:
    from ....formats import Level
    from ....formats.levels.level import SectionName


class ToolError(Exception):
    """An operator cannot run: its text is the report. It is no ValueError, so no handler adds words to it."""


# Suffixes of each game's files; new files get the first.
_ALSO = {Game.TR1: (".TUB",)}
SUFFIXES = {game: (game.traits.suffix.upper(), *_ALSO.get(game, ())) for game in Game}
COUNTED: tuple[SectionName, ...] = ("rooms", "models", "animations", "static_meshes", "entities")


def plain(text: str) -> str:
    """Return text that Blender can show, with control characters replaced."""
    from ....scene.core import storable

    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in storable(text)
    )


# Words for sections whose names are unclear.
_CALLED = {
    "textiles8": "texture pages",
    "textiles16": "texture pages",
    "textiles32": "texture pages",
    "misc_textiles32": "font and sky",
    "mesh_data": "meshes",
    "sample_data": "samples",
    "floor_data": "floor data",
}


def explain(error: ValueError | OSError) -> str:
    """Return a description of an error in plain language, followed by its location."""
    if isinstance(error, FormatError):
        return _explain_format(error)
    if isinstance(error, OSError) and error.strerror:
        path = error.filename2 or error.filename
        return _explain_file(error, os.fsdecode(path)) if isinstance(path, str | bytes) else error.strerror
    return str(error)


def explain_file(error: ValueError | OSError, name: str) -> str:
    """Return :func:`explain` for a message that has the name of the file already."""
    if isinstance(error, OSError) and error.strerror and os.path.basename(error.filename or "") == name:
        return error.strerror
    return without_subject(explain(error), name)


def _explain_file(error: OSError, path: str) -> str:
    folder = os.path.dirname(os.path.abspath(path))
    if error.errno == errno.EROFS or (error.errno in _DENIED and not os.access(folder, os.W_OK)):
        return T("the folder {folder} is write-protected", folder=folder)
    if error.errno in _DENIED:
        return T("there is no permission to use {file}", file=path)
    if error.errno == errno.ENOSPC:
        return T("the disk of {folder} is full", folder=folder)
    return T("{error}: {file}", error=str(error.strerror), file=path)


_DENIED = (errno.EACCES, errno.EPERM)


def _explain_format(error: FormatError) -> str:
    where: list[str] = [T("in {section}", section=as_message(error.section.replace("_", " ")))]
    if error.element is not None:
        where.append(T("element {element}", element=error.element))
    if error.line is not None:
        where.append(T("line {line}", line=error.line))
    if error.offset is not None:
        where.append(T("at byte {offset}", offset=error.offset))
    detail = T(
        "{where}: expected {expected}, found {found}",
        where=joined(", ", where),
        expected=error.expected,
        found=error.found,
    )
    if error.sizes is None:
        return T("{problem} ({detail})", problem=error.problem, detail=detail)
    available, required = error.sizes
    return T(
        "{problem}: {there:,} of {needed:,} bytes of {place} ({detail})",
        problem=error.problem,
        there=available,
        needed=required,
        place=_location(error),
        detail=detail,
    )


def _location(error: FormatError) -> str:
    """Return the location of an error in a file, as in "the vertices of room 12"."""
    *outer, name = error.section.split("/")
    element = T("the {name}", name=as_message(_CALLED.get(name, name.replace("_", " "))))
    if error.element is None:
        return element
    from ....formats.levels.level import section_noun

    if not outer or not outer[-1].endswith("s"):
        return T("{part}, element {number}", part=element, number=error.element)
    return T("{part} of {kind} {number}", part=element, kind=section_noun(outer[-1], 1), number=error.element)


def contents(level: Level, **more: int) -> str:
    """Return a line with the counts of a level's sections, each increased by ``more``."""
    counts: list[tuple[str, int]] = [
        (name, (len(getattr(level, name)) if level.has(name) else 0) + more.get(name, 0)) for name in COUNTED
    ]
    if not any(count for _, count in counts):  # an object file may hold sprites only
        counts.append(("sprite_sequences", len(getattr(level, "sprite_sequences", ()))))
    from ....formats.levels.level import section_noun

    return joined(
        ", ", (T("{count} {noun}", count=count, noun=section_noun(name, count)) for name, count in counts)
    )


def numbers_in(text: str) -> set[int] | None:
    """Return the numbers in a text such as "3, 7-9", or None for all if it is empty.

    Raises:
        ExportError: the text is invalid.
    """
    numbers: set[int] = set()
    for part in filter(None, map(str.strip, text.split(","))):
        match = re.fullmatch(r"(\d+)(?:\s*-\s*(\d+))?", part)
        if match is None:
            raise ExportError(
                T("Entries"), T("{part} is not a number or a range such as 7-9", part=plain(part))
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if last - first > 0xFFFF:
            raise ExportError(T("Entries"), T("too many"), count=last - first, limit=0xFFFF)
        numbers.update(range(first, last + 1))
    return numbers or None
