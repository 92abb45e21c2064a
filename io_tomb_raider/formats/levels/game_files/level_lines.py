"""Single commands of a level in the text of a script of TR4 or TR5, read and changed line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...base.games import Game
from .level_names import is_same_file
from .strings.text import Line, TextSection, show_pair, split_parts
from .tr4.tr4_commands import OPCODES

Commands = dict[str, tuple[int, ...]]  # operands by the names of commands

_OPTIONS = {opcode.name: opcode.option for opcode in OPCODES[Game.TR4].values()}


def has_level(text: str, level: str) -> bool:
    """Return whether the text of a script has a level.

    Args:
        level: the name of its file, with or without folders and extension, in any case.

    Raises:
        TextError: if the text has no sections.
    """
    return _part(text, level) is not None


def with_commands(text: str, level: str, commands: Mapping[str, tuple[int, ...] | None]) -> str:
    """Return the text of a script with other commands of a level; all other lines stay as they are.

    Args:
        level: see :func:`has_level`.
        commands: new operands by name, None to remove a command.

    Raises:
        TextError: if the text has no sections.
    """
    for name, operands in commands.items():
        part = _part(text, level)
        if part is not None:
            text = "\n".join(_with_command(text.split("\n"), part, name, operands))
    return text


def _part(text: str, level: str) -> TextSection | None:
    """Return the section of a level, or None without one."""
    for part in split_parts(text):
        if part.name.lower() in ("title", "level"):
            for line in _lines(part, "level"):
                if is_same_file(line.pair()[1].rpartition(",")[0].strip(), level):
                    return part
    return None


def _lines(part: TextSection, *names: str) -> Iterator[Line]:
    return (line for line in part.lines if line.pair()[0].lower() in names)


def _with_command(
    rows: list[str], part: TextSection, name: str, operands: tuple[int, ...] | None
) -> list[str]:
    old_lines = list(_lines(part, name.lower()))
    for line in _lines(part, "leveloptions"):
        option = _OPTIONS[name]
        options = line.integer(line.pair()[1], 0, 0xFFFF) & ~option
        rows[line.number - 1] = _row(
            rows, line, "LevelOptions", f"${options | (option if operands else 0):04X}"
        )
    if operands is None:
        removed = {line.number - 1 for line in old_lines}
        return [row for index, row in enumerate(rows) if index not in removed]
    text = ", ".join(map(str, operands))
    if old_lines:
        rows[old_lines[-1].number - 1] = _row(rows, old_lines[-1], name, text)  # the game uses the last one
        return rows
    # The game runs commands in order, and the level at its line Level.
    first = min(line.number for line in _lines(part, "name", "level"))
    return [*rows[: first - 1], show_pair(name, text), *rows[first - 1 :]]


def _row(rows: list[str], line: Line, name: str, text: str) -> str:
    """Return a line with another value and the same comment."""
    _, sign, comment = rows[line.number - 1].partition(";")
    return show_pair(name, text) + (f" {sign}{comment}" if sign else "")
