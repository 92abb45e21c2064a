"""What commands are made of, and how they run on many files."""

from __future__ import annotations

import glob
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ...formats import ExportError, FormatError
from ..base.words import SUFFIXES, explain, plain

_BAR = 24  # letters
FAILED = 1
LEVEL_SUFFIXES = frozenset(each.lower() for suffixes in SUFFIXES.values() for each in suffixes)


@dataclass(frozen=True)
class Command:
    """A command.

    Attributes:
        name: what users type.
        help: what it does, in a line.
        declare: adds its arguments, ``paths`` among them where it takes files one by one.
        run: does it for one file; says what came out, or gives a value for ``finish``.
        finish: says what came out of all files.
        needs_blender: whether it makes scenes.
        of_blends: whether a folder means its .blend files, not its levels.
        prepare: completes the arguments, or says by ArgumentParser.error what is wrong with them.
    """

    name: str
    help: str
    declare: Callable[[ArgumentParser], None]
    run: Callable[[str, Namespace], Any]
    finish: Callable[[list[tuple[str, Any]], Namespace], str] | None = None
    needs_blender: bool = True
    of_blends: bool = False
    prepare: Callable[[ArgumentParser, Namespace], None] | None = None


class CheckError(ValueError):
    """Something is wrong with a file that could be read; the text has a line for each."""


def expanded(paths: Iterable[str], *, blends: bool = False) -> list[str]:
    """Return paths in which wildcards and folders are replaced by the files that they mean.

    A file that is there counts as itself, whatever its name; a pattern without files stays, and fails later,
    and so does a folder without any.

    Args:
        paths: of files and folders, and patterns, for shells that leave these.
        blends: whether a folder means its .blend files; else it means its levels.
    """
    found: list[str] = []
    for path in paths:
        has_pattern = glob.has_magic(path) and not os.path.exists(path)
        found += (sorted(glob.glob(path, recursive=True)) or [path]) if has_pattern else [path]
    files = [each for path in found for each in (files_in(path, blends=blends) or [path])]
    return list(dict.fromkeys(files))


def files_in(folder: str, *, blends: bool = False) -> list[str]:
    """Return the levels of a folder, or its .blend files, by name; none where it is no folder."""
    if not os.path.isdir(folder):
        return []
    suffixes = {".blend"} if blends else LEVEL_SUFFIXES
    names = [name for name in os.listdir(folder) if os.path.splitext(name)[1].lower() in suffixes]
    return [os.path.join(folder, name) for name in sorted(names, key=lambda name: (name.lower(), name))]


def run_all(command: Command, options: Namespace, paths: Sequence[str]) -> int:
    """Run a command on files, one after the other; one that fails does not stop the rest.

    Returns:
        The exit code: 0, or 1 where a file failed.
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
        if failed or command.finish is None:
            tell(path, outcome, failed)
        else:
            results.append((path, outcome))
    if command.finish is not None and (results or not code):
        print(command.finish(results, options))
    return code


def run_one(command: Command, options: Namespace, path: str) -> tuple[Any, bool]:
    """Run a command on a file. Return what came out, and whether that is an error."""
    try:
        if os.path.isdir(path):
            kind = ".blend file" if command.of_blends else "level"
            raise CheckError(f"there is no {kind} in this folder")
        return command.run(path, options), False
    except (ExportError, FormatError, OSError, CheckError) as error:
        return str(error) if isinstance(error, CheckError) else explain(error), True


def tell(path: str, said: object, failed: bool) -> None:
    """Say what came of a file: errors where errors go."""
    print(f"{plain(path)}: {_lines(str(said))}", file=sys.stderr if failed else sys.stdout)


def _lines(text: str) -> str:
    return "\n".join(map(plain, text.split("\n")))


class Bar:
    """How far a command is, where the errors go to a terminal, and there are several files."""

    def __init__(self, files: int) -> None:
        self._files = files
        self._is_shown = files > 1 and sys.stderr.isatty()

    def show(self, number: int, path: str) -> None:
        """Show that so many files are done, and the name of one."""
        if self._is_shown:
            done = "#" * (_BAR * number // self._files)
            told = min(number + 1, self._files)
            name = plain(os.path.basename(path))
            print(f"\r\033[K[{done:{_BAR}}] {told}/{self._files} {name}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Make room for what is told."""
        if self._is_shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def levels(parser: ArgumentParser) -> None:
    """Declare the files of a command that takes many."""
    text = "levels; * and ? stand for many, and a folder for its levels"
    parser.add_argument("paths", nargs="+", metavar="LEVEL", help=text)


def jobs(parser: ArgumentParser) -> None:
    """Declare that a command can run in several processes."""
    text = "how many processes (as many as there are cores, from four files on)"
    parser.add_argument("--jobs", type=_count, default=None, metavar="N", help=text)


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value
