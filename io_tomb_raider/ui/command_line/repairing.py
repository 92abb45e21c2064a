"""``repair`` command: copies of damaged levels, repaired."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Sequence
from pathlib import Path

from ...formats.base import ExportError
from ...formats.edits.repair import DEFAULT, KINDS, repair_level
from ...formats.levels.views import name_of
from .commands import CheckError, Command, Result, jobs, levels

_TEXTS = frozenset({".json5", ".json", ".csv"})


def _word(kind: str) -> str:
    """Return the word of a kind of repairs on the command line."""
    return kind.lower().replace("_", "-")


_OPTIONS = {_word(kind): kind for kind in KINDS}


def repair(path: str, target: str, leave_out: Collection[str] = (), also: Collection[str] = ()) -> Result:
    """Repair a level, and write the result. A level without damage is written as it is.

    Args:
        target: the file to write; "" for none.
        leave_out: keys of :data:`KINDS`.
        also: keys of optional kinds.
    Raises:
        ExportError: the target is the level itself.
        FormatError, OSError: a file cannot be read or written.
    """
    from ...formats import read_level, write_level

    _require_other(path, target)
    repaired, repairs = repair_level(read_level(path), leave_out, also)
    if target:
        write_level(repaired, target)
    return _result(target, [(_word(each.kind), name_of(each.obj), each.count, each.text) for each in repairs])


def repair_game_flow(path: str, target: str) -> Result:
    """Write a file of a mod for TRX in the form of 1.11: a game flow, its strings or its object catalog.

    Args:
        target: the file to write; "" for none.
    Raises:
        ExportError: the target is the file itself.
        FormatError, OSError: a file cannot be read or written.
    """
    from ...formats.base import replace_file
    from ...formats.levels.game_files import update_file

    _require_other(path, target)
    result = update_file(Path(path))
    if target:
        replace_file(target, result.text.encode(errors="surrogateescape"))
    return _result(target, [("game-flow", f"line {each.line}", 1, each.text) for each in result.changes])


def _require_other(path: str, target: str) -> None:
    if target and os.path.realpath(target) == os.path.realpath(path):
        name = os.path.basename(path)
        raise ExportError(name, "the repaired file would replace it. Choose another name or folder")


def _result(target: str, repairs: Sequence[tuple[str, str, int, str]]) -> Result:
    """Return the text of repairs, each with its kind, its object, its count and its text."""
    count = len(repairs)
    summary = f"{count} repair{'s' * (count != 1)}" if repairs else "nothing to repair"
    if target:
        summary += f", saved as {target}"
    lines = [f"  {subject}: {text}" for _, subject, _, text in repairs]
    data = [dict(zip(("kind", "object", "count", "text"), each, strict=True)) for each in repairs]
    return Result("\n".join([summary, *lines]), saved=target, repairs=data)


def _declare(parser: ArgumentParser) -> None:
    levels(parser)
    jobs(parser)
    parser.add_argument("--to", default="", metavar="FOLDER", help="folder of the repaired levels")
    text = (
        "the files are game flows, strings and object catalogs of TRX, or their folders: write them for 1.11"
    )
    parser.add_argument("--game-flow", action="store_true", help=text)
    parser.add_argument("--dry-run", action="store_true", help="list the repairs, and write no file")
    for name, text, is_default in (("--leave-out", "leave out", True), ("--also", "also make", False)):
        parser.add_argument(
            name,
            action="extend",
            nargs="+",
            default=[],
            choices=[word for word, kind in _OPTIONS.items() if (kind in DEFAULT) == is_default],
            metavar="KIND",
            help=f"{text} these kinds of repairs: %(choices)s",
        )
    parser.epilog = "Two names, LEVEL OUT, write the repaired level as OUT; several levels need --to."


def _prepare(parser: ArgumentParser, options: Namespace) -> None:
    """Take the last of two paths as the target, unless a folder is given or nothing is written."""
    from ...formats.levels.game_files import files_of

    options.target = ""
    if options.game_flow:
        folders = [path for path in options.paths if os.path.isdir(path)]
        files = {folder: [str(each) for each in files_of(Path(folder))] for folder in folders}
        options.paths = [file for path in options.paths for file in files.get(path) or [path]]
    if options.dry_run or options.to:
        return
    if len(options.paths) != 2 or os.path.isdir(options.paths[0]) or os.path.isdir(options.paths[1]):
        parser.error("enter LEVEL OUT for one level, or use --to FOLDER for several, or --dry-run")
    options.target = options.paths.pop()


def _run(path: str, options: Namespace) -> Result:
    target = options.target
    if options.to and not options.dry_run:
        target = os.path.join(options.to, os.path.basename(path))
    if options.game_flow:
        return repair_game_flow(path, target)
    if os.path.splitext(path)[1].lower() in _TEXTS:
        raise CheckError("this is a file of a mod for TRX: add --game-flow")
    left_out, also = ([_OPTIONS[word] for word in words] for words in (options.leave_out, options.also))
    return repair(path, target, left_out, also)


COMMAND = Command(
    "repair", "write repaired copies of damaged levels", _declare, _run, needs_blender=False, prepare=_prepare
)
