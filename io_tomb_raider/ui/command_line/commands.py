"""Definition of commands, and how they run on many files."""

from __future__ import annotations

import glob
import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...formats import ExportError, FormatError
from ...scene.core import storable
from ..base.file_kinds import explain_chosen
from ..base.text.words import SUFFIXES, plain

_BAR = 24  # width of the progress bar in characters
FAILED = 1
INTERRUPTED = 130  # as shells count it
LEVEL_SUFFIXES = frozenset(suffix.lower() for suffixes in SUFFIXES.values() for suffix in suffixes)
BLEND_SUFFIXES = frozenset({".blend"})


@dataclass(frozen=True)
class Command:
    """A command of the command line."""

    name: str  #: its name on the command line.
    help: str  #: its description, one line.
    #: adds its arguments, including ``paths`` if it processes files one by one.
    declare: Callable[[ArgumentParser], None]
    #: processes one file, and returns a :class:`Result`, or a value for ``finish``.
    run: Callable[[str, Namespace], Any]
    #: returns the text to print about all files.
    finish: Callable[[list[tuple[str, Any]], Namespace], str] | None = None
    #: returns what ``--json`` prints of a value for ``finish``.
    data: Callable[[Any, Namespace], dict[str, Any]] | None = None
    needs_blender: bool = True  #: whether it makes scenes.
    suffixes: frozenset[str] = LEVEL_SUFFIXES  #: of the files that a folder means.
    #: completes the arguments, or reports invalid ones by ArgumentParser.error.
    prepare: Callable[[ArgumentParser, Namespace], None] | None = None


class Result(str):
    """The result of a command on a file: the text to print."""

    data: dict[str, Any]  #: the same for programs, ready for JSON.

    def __new__(cls, text: str, **data: Any) -> Result:
        """Make a result of a text and its data."""
        result = super().__new__(cls, text)
        result.data = data
        return result


class CheckError(ValueError):
    """Problems of a file that could be read, one line each."""

    def __init__(self, text: str, **data: Any) -> None:
        super().__init__(text)
        self.data = data  #: the same for programs, ready for JSON.


def expanded(paths: Iterable[str], suffixes: Container[str] = LEVEL_SUFFIXES) -> list[str]:
    """Return paths with wildcards, which the shell did not expand, and folders replaced by their files.

    An existing file is never a pattern, whatever its name. Patterns and folders without files are kept, and
    fail later.
    """
    matches: list[str] = []
    for path in paths:
        has_pattern = glob.has_magic(path) and not os.path.exists(path)
        matches += (sorted(glob.glob(path, recursive=True)) or [path]) if has_pattern else [path]
    files = [file for path in matches for file in (files_in(path, suffixes) or [path])]
    return list(dict.fromkeys(files))


def files_in(folder: str, suffixes: Container[str] = LEVEL_SUFFIXES) -> list[str]:
    """Return the files of a folder with some suffixes, sorted by name; none if it is no folder."""
    if not os.path.isdir(folder):
        return []
    names = [name for name in os.listdir(folder) if os.path.splitext(name)[1].lower() in suffixes]
    return [os.path.join(folder, name) for name in sorted(names, key=lambda name: (name.lower(), name))]


def run_all(command: Command, options: Namespace, paths: Sequence[str], entries: list[dict[str, Any]]) -> int:
    """Run a command on files one by one, and continue after failures. Print the results, except for JSON.

    ``entries`` receives the object of each file for JSON. Return the exit code: 0, or 1 if a file failed.
    """
    results: list[tuple[str, Any]] = []
    bar = Bar(len(paths))
    code = 0
    for number, path in enumerate(paths):
        bar.show(number, path)
        outcome, failed = run_one(command, options, path)
        bar.clear()
        if failed:
            code = FAILED
        if options.json:
            entries.append(entry(path, data_of(command, options, outcome), failed))
        elif failed or command.finish is None:
            print_result(path, outcome, failed)
        if not failed:
            results.append((path, outcome))
    if command.finish is not None and (results or not code):
        text = command.finish(results, options)
        if not options.json:
            print(text)
    return code


def run_one(command: Command, options: Namespace, path: str) -> tuple[Any, bool]:
    """Run a command on a file. Return its result, and whether that is an error."""
    try:
        if os.path.isdir(path):
            kind = ".blend file" if command.suffixes == BLEND_SUFFIXES else "level"
            raise CheckError(f"there is no {kind} in this folder")
        return command.run(path, options), False
    except (ExportError, FormatError, OSError, CheckError) as error:
        if isinstance(error, CheckError):
            return Result(str(error), **{"error": str(error), **error.data}), True
        text = explain_chosen(error, path, command.name)
        return Result(text, error=text), True


@contextmanager
def further_file(path: str, command: str) -> Iterator[None]:
    """Name the file in errors while a command reads it, if the result is about another file.

    Raises:
        CheckError: in place of a FormatError.
    """
    try:
        yield
    except FormatError as error:
        raise CheckError(f"{plain(path)}: {explain_chosen(error, path, command)}") from None


def data_of(command: Command, options: Namespace, outcome: Any) -> dict[str, Any]:
    """Return what ``--json`` prints of a result of :func:`run_one`, except for the file."""
    if isinstance(outcome, Result):
        return outcome.data
    assert command.data is not None  # every command returns a Result, or says what its value means
    return command.data(outcome, options)


def entry(path: str, data: dict[str, Any], failed: bool) -> dict[str, Any]:
    """Return the object that ``--json`` prints for a file."""
    return {"path": storable(path), "failed": failed, **data}


def print_json(entries: Sequence[dict[str, Any]]) -> None:
    """Print the objects of all files as one array."""
    print(json.dumps(entries, indent=1))


def print_result(path: str, text: object, failed: bool) -> None:
    """Print the result of a file, errors to stderr."""
    print(f"{plain(path)}: {_lines(str(text))}", file=sys.stderr if failed else sys.stdout)


def _lines(text: str) -> str:
    return "\n".join(map(plain, text.split("\n")))


class Bar:
    """Progress bar, shown if stderr is a terminal and there are several files."""

    def __init__(self, files: int) -> None:
        self._files = files
        self._is_shown = files > 1 and sys.stderr.isatty()

    def show(self, number: int, path: str) -> None:
        """Show the number of files that are done, and the name of the current one."""
        if self._is_shown:
            done = "#" * (_BAR * number // self._files)
            current = min(number + 1, self._files)
            name = plain(os.path.basename(path))
            print(
                f"\r\033[K[{done:{_BAR}}] {current}/{self._files} {name}", end="", file=sys.stderr, flush=True
            )

    def clear(self) -> None:
        """Clear the line before other output."""
        if self._is_shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def levels(parser: ArgumentParser) -> None:
    """Declare the files of a command that takes many."""
    text = "levels, patterns with * and ?, or folders of levels"
    parser.add_argument("paths", nargs="+", metavar="LEVEL", help=text)


def warnings_below(outcome: str, warnings: Iterable[str], notes: Iterable[str] = ()) -> str:
    """Return the text of a result with its warnings and notes, one line each."""
    lines = [*(f"  warning: {text}" for text in warnings), *(f"  note: {text}" for text in notes)]
    return "\n".join([outcome, *lines])


def jobs(parser: ArgumentParser) -> None:
    """Declare the option for several processes."""
    text = "number of processes (default: all cores, from four files on)"
    parser.add_argument("--jobs", type=_count, default=None, metavar="N", help=text)


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value
