"""``info`` command: contents of levels, as a table."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import Any

from ...formats import read_level
from ...formats.editors.wads import OBJECT_SUFFIXES, is_object_file, open_objects, read_files
from ..base.text.words import COUNTED, plain
from .commands import LEVEL_SUFFIXES, Command, levels


def info(path: str) -> dict[str, Any]:
    """Return the game, variant and size in bytes of a level or object file, and the counts of its sections.

    Raises:
        FormatError, OSError: the level cannot be read.
    """
    if is_object_file(path):
        objects = open_objects(read_files(path))
        level, game = objects.level, objects.names.game
        variant, name = os.path.splitext(path)[1][1:].lower(), "" if game is None else game.name
    else:
        level = read_level(path)
        variant, name = level.variant.value, level.game.name
    counts: dict[str, Any] = {
        str(name): len(getattr(level, name)) if level.has(name) else 0 for name in COUNTED
    }
    return {"game": name, "variant": variant, "bytes": os.path.getsize(path), **counts}


def _finish(results: list[tuple[str, Any]], _options: Namespace) -> str:
    if not results:
        return ""
    head = ["level", *(name.replace("_", " ") for name in results[0][1])]
    rows = [head, *([plain(path), *map(_cell, data.values())] for path, data in results)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_row(row, widths) for row in rows)


def _cell(value: str | int) -> str:
    return f"{value:,}" if isinstance(value, int) else value


def _row(cells: list[str], widths: list[int]) -> str:
    words = [cell.ljust(width) for cell, width in zip(cells[:3], widths, strict=False)]
    numbers = [cell.rjust(width) for cell, width in zip(cells[3:], widths[3:], strict=True)]
    return "  ".join([*words, *numbers]).rstrip()


COMMAND = Command(
    "info",
    "print the contents of levels as a table",
    levels,
    lambda path, _: info(path),
    _finish,
    data=lambda data, _: data,
    needs_blender=False,
    suffixes=LEVEL_SUFFIXES.union(OBJECT_SUFFIXES),
)
