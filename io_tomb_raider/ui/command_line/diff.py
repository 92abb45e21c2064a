"""``diff`` command: differences between two levels, by section and element."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from itertools import groupby
from typing import TYPE_CHECKING

from ..base.words import plain
from .commands import Command, Result, files_in, jobs

if TYPE_CHECKING:
    from ...formats.level.differences import Difference

_MAX_LISTED = 20  # elements listed per section, unless all are wanted


def diff(old: str, new: str, *, everything: bool = False) -> Result:
    """Return the differences between two levels.

    Args:
        old, new: the files.
        everything: list every element, without a limit.
    Raises:
        FormatError, OSError: a file cannot be read.
    """
    from ...formats import read_level
    from ...formats.level.differences import differences

    found = list(differences(read_level(old), read_level(new)))
    if not found:
        return Result("the levels have the same contents", old=old, differences=[])
    most = len(found) if everything else _MAX_LISTED
    lines = []
    for section, group in groupby(found, key=lambda each: each.section):
        some = list(group)
        lines.append(f"{section.replace('_', ' ')}:")
        lines += [f"  {_place(each)}{each.text}" for each in some[:most]]
        if len(some) > most:
            lines.append(f"  and {len(some) - most} more; --all lists them")
    sections = list(dict.fromkeys(each.section.replace("_", " ") for each in found))
    text = "\n".join([f"differs from {plain(old)} in {', '.join(sections)}", *lines])
    return Result(text, old=old, differences=[each._asdict() for each in found])


def _place(each: Difference) -> str:
    return f"{each.element}: " if each.element >= 0 else ""


def _declare(parser: ArgumentParser) -> None:
    parser.add_argument("old", metavar="OLD", help="a level, or a folder of levels")
    text = "the level to compare with OLD, or a folder: levels of the same name are compared"
    parser.add_argument("paths", nargs=1, metavar="NEW", help=text)
    jobs(parser)
    parser.add_argument("--all", action="store_true", help="list every element, without a limit")


def _prepare(parser: ArgumentParser, options: Namespace) -> None:
    """Replace two folders by the levels that are in either of them."""
    folders = options.old, options.paths[0]
    options.old_by_name = {}
    if not all(map(os.path.isdir, folders)):
        return
    old, new = ({os.path.basename(path).lower(): path for path in files_in(each)} for each in folders)
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
    return diff(path_of_old, path, everything=options.all)


COMMAND = Command(
    "diff", "print the differences of two levels", _declare, _run, needs_blender=False, prepare=_prepare
)
