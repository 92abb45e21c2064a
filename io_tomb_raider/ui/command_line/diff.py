"""``diff`` command: differences between two levels, by section and element."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from itertools import groupby
from typing import TYPE_CHECKING

from ..base.text.words import plain
from .commands import CheckError, Command, Result, files_in, further_file, jobs

if TYPE_CHECKING:
    from ...formats.edits.references import Difference

_MAX_LISTED = 20  # elements listed per section, unless all are wanted


def diff(old: str, new: str, *, everything: bool = False) -> Result:
    """Return the differences between two levels: all with ``everything``, else the first of each section.

    Raises:
        CheckError: the old file is no level.
        FormatError, OSError: a file cannot be read.
    """
    from ...formats import read_level
    from ...formats.edits.references import differences

    with further_file(old, "diff"):
        before = read_level(old)
    changes = list(differences(before, read_level(new)))
    if not changes:
        return Result("the levels have the same contents", old=old, differences=[])
    most = len(changes) if everything else _MAX_LISTED
    lines = []
    for section, group in groupby(changes, key=lambda change: change.section):
        some = list(group)
        lines.append(f"{section.replace('_', ' ')}:")
        lines += [f"  {_element_label(change)}{change.text}" for change in some[:most]]
        if len(some) > most:
            lines.append(f"  and {len(some) - most} more; --all lists them")
    sections = list(dict.fromkeys(change.section.replace("_", " ") for change in changes))
    text = "\n".join([f"differs from {plain(old)} in {', '.join(sections)}", *lines])
    return Result(text, old=old, differences=[change._asdict() for change in changes])


def write_patch(old: str, new: str, path: str) -> str:
    """Write the patch that makes one level of another. Return a line about it.

    Raises:
        FormatError, OSError: a file cannot be read or written.
    """
    from ...formats.base import read_file, replace_file
    from ...formats.edits.patches import make_patch

    if _is_any_of(path, old, new):
        raise CheckError(f"the patch would replace the level {path}")
    patch = make_patch(read_file(old), read_file(new), old, new)
    data = patch.to_bytes()
    replace_file(path, data)
    note = ""
    if patch.is_whole:
        note = ", which holds the whole level: the layouts of the files differ"
    elif patch.holds_streams:
        note = ", with whole compressed parts: another program compressed the level"
    return f"saved the patch {plain(path)} ({len(data)} bytes{note})"


def write_injection(old: str, new: str, path: str, *, trxj: bool = False) -> Result:
    """Write the injection that makes one level of another.

    Args:
        trxj: for TRX 1.10 and older.
    Raises:
        ExportError: the levels are no levels of one game that TRX plays.
        FormatError, OSError: a file cannot be read or written.
    """
    from ...formats import read_level
    from ...formats.base import replace_file
    from ...formats.edits.injections import make_injection, remarks

    if _is_any_of(path, old, new):
        raise CheckError(f"the injection would replace the level {path}")
    extracted = make_injection(read_level(old), read_level(new), trxj=trxj)
    lines = [
        f"  not in the injection: {lost.section.replace('_', ' ')} {_element_label(lost)}{lost.text}"
        for lost in extracted.lost
    ]
    if extracted.number:
        data = extracted.injection.to_bytes()
        replace_file(path, data)
        line = f"saved the injection {plain(path)} ({extracted.number} edits, {len(data)} bytes)"
        lines += [f"  {remark.text}" for remark in remarks(extracted.injection)]
    else:
        line = "no injection was saved, as there is nothing that it could hold"
    left_out = [lost._asdict() for lost in extracted.lost]
    return Result("\n".join([line, *lines]), injection=path if extracted.number else "", left_out=left_out)


def _is_any_of(path: str, *levels: str) -> bool:
    """Return whether a path is that of one of the levels, if these exist."""
    existing = [level for level in levels if os.path.exists(level)]
    return os.path.exists(path) and any(os.path.samefile(level, path) for level in existing)


def _element_label(difference: Difference) -> str:
    return f"{difference.element}: " if difference.element >= 0 else ""


def _declare(parser: ArgumentParser) -> None:
    parser.add_argument("old", metavar="OLD", help="a level, or a folder of levels")
    text = "the level to compare with OLD, or a folder: levels of the same name are compared"
    parser.add_argument("paths", nargs=1, metavar="NEW", help=text)
    jobs(parser)
    parser.add_argument("--all", action="store_true", help="list every element, without a limit")
    text = "also write the difference of two levels as a patch for the command apply"
    parser.add_argument("--patch", default="", metavar="FILE", help=text)
    text = "also write the difference of two levels as an injection for TRX, as far as it can hold it"
    parser.add_argument("--injection", default="", metavar="FILE", help=text)
    text = "write the injection for TRX 1.10 and older (TRXJ instead of TRXI)"
    parser.add_argument("--old-trx", action="store_true", help=text)


def _prepare(parser: ArgumentParser, options: Namespace) -> None:
    """Replace two folders by the levels that are in either of them."""
    folders = options.old, options.paths[0]
    options.old_by_name = {}
    if options.patch and any(map(os.path.isdir, folders)):
        parser.error("--patch is for two levels, not for folders")
    if options.old_trx and not options.injection:
        parser.error("--old-trx is for --injection FILE")
    if options.injection and any(map(os.path.isdir, folders)):
        parser.error("--injection is for two levels, not for folders")
    if not all(map(os.path.isdir, folders)):
        return
    old, new = ({os.path.basename(path).lower(): path for path in files_in(folder)} for folder in folders)
    if not old and not new:
        parser.error(f"there are no levels in {folders[0]} and {folders[1]}")
    options.old_by_name = old
    # A level that only the older folder has cannot be read, which is reported.
    options.paths = [
        new.get(name) or os.path.join(folders[1], os.path.basename(old[name]))
        for name in sorted(old.keys() | new.keys())
    ]


def _run(path: str, options: Namespace) -> Result:
    name = os.path.basename(path)
    if os.path.isdir(options.old):
        path_of_old = options.old_by_name.get(name.lower()) or os.path.join(options.old, name)
    else:
        path_of_old = options.old
    result = diff(path_of_old, path, everything=options.all)
    if options.patch:
        line = write_patch(path_of_old, path, options.patch)
        result = Result(f"{result}\n{line}", **result.data, saved=options.patch)
    if options.injection:
        written = write_injection(path_of_old, path, options.injection, trxj=options.old_trx)
        result = Result(f"{result}\n{written}", **result.data, **written.data)
    return result


COMMAND = Command(
    "diff", "print the differences of two levels", _declare, _run, needs_blender=False, prepare=_prepare
)
