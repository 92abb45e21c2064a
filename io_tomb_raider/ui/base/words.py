"""Plain-language texts about errors, names and levels. Nothing here needs Blender."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from ...formats import FormatError, Game

if TYPE_CHECKING:
    from ...formats import Level
    from ...formats.level.level import SectionName

# Suffixes of each game's files; new files get the first.
SUFFIXES = {
    Game.TR1: (".PHD", ".TUB"),
    Game.TR2: (".TR2",),
    Game.TR3: (".TR2",),
    Game.TR4: (".TR4",),
    Game.TR5: (".TRC",),
}
COUNTED: tuple[SectionName, ...] = ("rooms", "models", "animations", "static_meshes", "entities")


def plain(text: str) -> str:
    """Return text that Blender can show, with control characters replaced."""
    from ...scene.core.report import storable

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
    """Return a description of an error in plain language, followed by its place."""
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
    return explain(error).removeprefix(f"{name}: ")


def _explain_file(error: OSError, path: str) -> str:
    folder = os.path.dirname(os.path.abspath(path))
    if error.errno == errno.EROFS or (error.errno in _DENIED and not os.access(folder, os.W_OK)):
        return f"the folder {folder} is write-protected"
    if error.errno in _DENIED:
        return f"there is no permission to use {path}"
    if error.errno == errno.ENOSPC:
        return f"the disk of {folder} is full"
    return f"{error.strerror}: {path}"


_DENIED = (errno.EACCES, errno.EPERM)


def _explain_format(error: FormatError) -> str:
    where = [f"in {error.section.replace('_', ' ')}"]
    if error.element is not None:
        where.append(f"element {error.element}")
    if error.line is not None:
        where.append(f"line {error.line}")
    if error.offset is not None:
        where.append(f"at byte {error.offset}")
    detail = f"{', '.join(where)}: expected {error.expected}, found {error.found}"
    if error.sizes is None:
        return f"{error.problem} ({detail})"
    there, needed = error.sizes
    return f"{error.problem}: {there:,} of {needed:,} bytes of {_place(error)} ({detail})"


def _place(error: FormatError) -> str:
    """Return the place of an error in a file, as in "the vertices of room 12"."""
    *outer, name = error.section.split("/")
    what = f"the {_CALLED.get(name, name.replace('_', ' '))}"
    if error.element is None:
        return what
    from ...formats.level.level import section_noun

    one = section_noun(outer[-1], 1) if outer and outer[-1].endswith("s") else "element"
    return f"{what}, {one} {error.element}" if one == "element" else f"{what} of {one} {error.element}"


def contents(level: Level, **more: int) -> str:
    """Return a line with the counts of a level's sections, each increased by ``more``."""
    counts = [
        (name, (len(getattr(level, name)) if level.has(name) else 0) + more.get(name, 0)) for name in COUNTED
    ]
    from ...formats.level.level import section_noun

    return ", ".join(f"{count} {section_noun(name, count)}" for name, count in counts)
