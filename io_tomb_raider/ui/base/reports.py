"""What operators tell users, in plain words."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal

from bpy.types import Operator

from ...formats import FormatError, Level
from ...formats.level.level import SectionName

# What operators may return.
Outcome = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]

_COUNTED: tuple[SectionName, ...] = ("rooms", "models", "animations", "static_meshes", "entities")


def plain(text: str) -> str:
    """Return text that Blender can show, whatever a file's name is made of: control characters are gone."""
    clean = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in clean)


# What sections of files are called, where their names say too little.
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
    """Say what went wrong in plain words, and then where."""
    if isinstance(error, FormatError):
        return _explain_format(error)
    if isinstance(error, OSError) and error.strerror:
        path = error.filename2 or error.filename
        return f"{error.strerror}: {os.fsdecode(path)}" if isinstance(path, str | bytes) else error.strerror
    return str(error)


def _explain_format(error: FormatError) -> str:
    where = [f"in {error.section.replace('_', ' ')}"]
    if error.element is not None:
        where.append(f"element {error.element}")
    if error.offset is not None:
        where.append(f"at byte {error.offset}")
    detail = f"{', '.join(where)}: expected {error.expected}, found {error.found}"
    if error.sizes is None:
        return f"{error.problem} ({detail})"
    there, needed = error.sizes
    return f"{error.problem}: {there:,} of {needed:,} bytes of {_place(error)} ({detail})"


def _place(error: FormatError) -> str:
    """Say where in a file something is, as in: the vertices of room 12."""
    *outer, name = error.section.split("/")
    what = f"the {_CALLED.get(name, name.replace('_', ' '))}"
    if error.element is None:
        return what
    one = _noun(outer[-1], 1) if outer and outer[-1].endswith("s") else "element"
    return f"{what}, {one} {error.element}" if one == "element" else f"{what} of {one} {error.element}"


def say(operator: Operator, kind: Literal["INFO", "WARNING", "ERROR"], text: str) -> None:
    """Report a line of the kind INFO, WARNING or ERROR by an operator."""
    operator.report({kind}, plain(text))


def conclude(operator: Operator, outcome: str, warnings: Sequence[str]) -> None:
    """Report warnings, a line each, and what came out. Blender shows the last line for a while."""
    for text in warnings:
        say(operator, "WARNING", text)
    if not warnings:
        say(operator, "INFO", outcome)
    else:
        say(operator, "WARNING", f"{outcome} (warnings: {len(warnings)}, see the Info editor)")


def contents(level: Level) -> str:
    """Say what a level holds, in one line."""
    counts = [(name, len(getattr(level, name)) if level.has(name) else 0) for name in _COUNTED]
    return ", ".join(f"{count} {_noun(name, count)}" for name, count in counts)


def _noun(name: str, count: int) -> str:
    singular = {"static_meshes": "static mesh", "entities": "entity"}.get(name, name[:-1])
    return singular if count == 1 else name.replace("_", " ")
