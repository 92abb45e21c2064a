"""``import`` command: .blend files from levels."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...scene.core import OPTIONS
from .commands import Command, Result, jobs, levels, warnings_below

if TYPE_CHECKING:
    from ...scene.core import Report


def options_of(without: Iterable[str] = (), only: Iterable[str] = ()) -> dict[str, bool]:
    """Return the options to import all subjects, or ``only`` some with those that they need.

    Subjects of ``without`` are left out.
    """
    names = set(only) or {option.name for option in OPTIONS}
    names |= {option.needs for option in OPTIONS if option.name in names and option.needs}
    return {option.name: option.name in names and option.name not in without for option in OPTIONS}


def import_to_blend(
    path: str,
    blend: str,
    without: Iterable[str] = (),
    *,
    only: Iterable[str] = (),
    scale: float | None = None,
) -> Result:
    """Import a level into a .blend file. For ``without`` and ``only``, see :func:`options_of`.

    Args:
        scale: Blender units per unit of the game, None for the default.
    Raises:
        FormatError, OSError: the level cannot be read, or the .blend file cannot be written.
    """
    from .blends import save

    report = import_to_empty_file(path, options_of(without, only), scale)
    save(blend)
    text = warnings_below(f"saved as {blend}", report.warnings, report.notes)
    return Result(text, saved=blend, warnings=report.warnings)


def import_to_empty_file(path: str, options: dict[str, bool], scale: float | None) -> Report:
    """Import a level into an empty file, and return the warnings and notes."""
    from ...scene.core import ImportOptions
    from ...scene.pipeline import import_level
    from .blends import empty_file

    chosen: dict[str, Any] = {**options} if scale is None else {**options, "scale": scale}
    empty_file()
    return import_level(path, ImportOptions(**chosen), with_hooks=True).report


# --- Arguments ----------------------------------------


def _declare_import(parser: ArgumentParser) -> None:
    levels(parser)
    jobs(parser)
    declare_choice(parser)
    parser.epilog = "If the last name ends in .blend, it is the output file."


def declare_choice(parser: ArgumentParser) -> None:
    """Declare the options for what is imported, its scale, and the target folder."""
    names = [option.name for option in OPTIONS]
    parser.add_argument(
        "--to", default="", metavar="FOLDER", help="output folder (default: next to the levels)"
    )
    parser.add_argument("--scale", type=_scale, help="Blender units per game unit (default: 1/512)")
    for name, text in (("--without", "leave out"), ("--only", "import only")):
        parser.add_argument(
            name,
            action="append",
            default=[],
            choices=names,
            metavar="SUBJECT",
            help=f"{text}: %(choices)s; may be given several times",
        )


def _scale(text: str) -> float:
    from ...scene.core import SCALES  # needs Blender, as imports do

    over, _, under = text.partition("/")
    value = float(over) / float(under or 1)
    if not SCALES[0] <= value <= SCALES[1]:
        raise ValueError(text)
    return value


def _prepare(parser: ArgumentParser, options: Namespace) -> None:
    """Take the last path as the target if it is a .blend file."""
    options.target = ""
    if options.paths[-1].lower().endswith(".blend"):
        options.target = options.paths.pop()
        if len(options.paths) != 1:
            parser.error("a .blend file contains one level: use --to for several")


def output_path(path: str, options: Namespace, suffix: str) -> str:
    """Return the path of a level's output: in the chosen folder, or next to the level."""
    folder = options.to or os.path.dirname(path)
    return os.path.join(folder, os.path.splitext(os.path.basename(path))[0] + suffix)


def _run_import(path: str, options: Namespace) -> Result:
    blend = options.target or output_path(path, options, ".blend")
    return import_to_blend(path, blend, options.without, only=options.only, scale=options.scale)


IMPORT = Command("import", "import levels to .blend files", _declare_import, _run_import, prepare=_prepare)
