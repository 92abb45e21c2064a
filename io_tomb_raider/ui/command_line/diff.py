"""``diff``: in what two levels differ, in words, by section and element."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from itertools import groupby
from typing import TYPE_CHECKING

from ..base.words import plain
from .commands import Command

if TYPE_CHECKING:
    from ...formats.level.differences import Difference

_MOST = 20  # elements of a section that are told one by one


def diff(old: str, new: str, *, everything: bool = False) -> str:
    """Say in what two levels differ.

    Args:
        old, new: the files.
        everything: tell every element, however many.

    Raises:
        FormatError, OSError: where one cannot be read.
    """
    from ...formats import read_level
    from ...formats.level.differences import differences

    found = list(differences(read_level(old), read_level(new)))
    if not found:
        return "no difference in what the levels say"
    most = len(found) if everything else _MOST
    lines = []
    for section, group in groupby(found, key=lambda each: each.section):
        some = list(group)
        lines.append(f"{section.replace('_', ' ')}:")
        lines += [f"  {_place(each)}{each.text}" for each in some[:most]]
        if len(some) > most:
            lines.append(f"  and {len(some) - most} more; --all tells them")
    sections = list(dict.fromkeys(each.section.replace("_", " ") for each in found))
    return "\n".join([f"differs from {plain(old)} in {', '.join(sections)}", *lines])


def _place(each: Difference) -> str:
    return f"{each.element}: " if each.element >= 0 else ""


def _declare(parser: ArgumentParser) -> None:
    parser.add_argument("old", metavar="OLD", help="a level")
    parser.add_argument("paths", nargs=1, metavar="NEW", help="the level to compare it with")
    parser.add_argument("--all", action="store_true", help="tell every element, however many there are")


def _run(path: str, options: Namespace) -> str:
    return diff(options.old, path, everything=options.all)


COMMAND = Command("diff", "say in what two levels differ", _declare, _run, needs_blender=False)
