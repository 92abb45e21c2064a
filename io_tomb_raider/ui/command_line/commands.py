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
from ..base.words import explain, plain

_BAR = 24  # letters
FAILED = 1


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
        prepare: completes the arguments, or says by ArgumentParser.error what is wrong with them.
    """

    name: str
    help: str
    declare: Callable[[ArgumentParser], None]
    run: Callable[[str, Namespace], Any]
    finish: Callable[[list[tuple[str, Any]], Namespace], str] | None = None
    needs_blender: bool = True
    prepare: Callable[[ArgumentParser, Namespace], None] | None = None


class CheckError(ValueError):
    """Something is wrong with a file that could be read; the text has a line for each."""


def expanded(paths: Iterable[str]) -> list[str]:
    """Return paths in which wildcards are replaced by the files that they mean, for shells that leave that.

    A file that is there counts as itself, whatever its name; a pattern without files stays, and fails later.
    """
    found: list[str] = []
    for path in paths:
        has_pattern = glob.has_magic(path) and not os.path.exists(path)
        found += (sorted(glob.glob(path, recursive=True)) or [path]) if has_pattern else [path]
    return list(dict.fromkeys(found))


def run_all(command: Command, options: Namespace, paths: Sequence[str]) -> int:
    """Run a command on files, one after the other; one that fails does not stop the rest.

    Returns:
        The exit code: 0, or 1 where a file failed.
    """
    results: list[tuple[str, Any]] = []
    code = 0
    for number, path in enumerate(paths):
        _show_bar(number, paths)
        try:
            outcome = command.run(path, options)
        except (ExportError, FormatError, OSError, CheckError) as error:
            code = FAILED
            _clear_bar(paths)
            print(f"{plain(path)}: {_said(error)}", file=sys.stderr)
            continue
        _clear_bar(paths)
        if command.finish is None:
            print(f"{plain(path)}: {_lines(str(outcome))}")
        else:
            results.append((path, outcome))
    if command.finish is not None and (results or not code):
        print(command.finish(results, options))
    return code


def _said(error: ValueError | OSError) -> str:
    return _lines(str(error) if isinstance(error, CheckError) else explain(error))


def _lines(text: str) -> str:
    return "\n".join(map(plain, text.split("\n")))


def _shows_bar(paths: Sequence[str]) -> bool:
    return len(paths) > 1 and sys.stderr.isatty()


def _show_bar(number: int, paths: Sequence[str]) -> None:
    if _shows_bar(paths):
        done = "#" * (_BAR * number // len(paths))
        name = plain(os.path.basename(paths[number]))
        print(
            f"\r\033[K[{done:{_BAR}}] {number + 1}/{len(paths)} {name}", end="", file=sys.stderr, flush=True
        )


def _clear_bar(paths: Sequence[str]) -> None:
    if _shows_bar(paths):
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def levels(parser: ArgumentParser) -> None:
    """Declare the files of a command that takes many."""
    parser.add_argument("paths", nargs="+", metavar="LEVEL", help="levels; * and ? stand for many")
