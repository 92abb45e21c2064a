"""``import``: .blend files of levels."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from typing import Any

from ...scene.core.subjects import OPTIONS
from .commands import Command, jobs, levels


def options_of(without: Iterable[str] = (), only: Iterable[str] = ()) -> dict[str, bool]:
    """Return the options of an import.

    Args:
        without: names of what is left out.
        only: names of what is imported, where that is not everything; what that needs comes along.
    """
    wanted = set(only)
    wanted |= {option.needs for option in OPTIONS if option.name in wanted and option.needs}
    return {
        option.name: (not wanted or option.name in wanted) and option.name not in without
        for option in OPTIONS
    }


def import_to_blend(
    path: str,
    blend: str,
    without: Iterable[str] = (),
    *,
    only: Iterable[str] = (),
    scale: float | None = None,
) -> str:
    """Make a .blend file of a level.

    Args:
        path: the level.
        blend: where the file goes.
        without, only: see :func:`options_of`.
        scale: Blender units per unit of the game; the usual one without.

    Raises:
        FormatError, OSError: where the level cannot be read, or the .blend file not be written.
    """
    from .blends import save

    warnings = import_alone(path, options_of(without, only), scale)
    save(blend)
    return "\n".join([f"saved as {blend}", *(f"  warning: {text}" for text in warnings)])


def import_alone(path: str, options: dict[str, bool], scale: float | None) -> list[str]:
    """Import a level into an empty file, and return the warnings."""
    from ...scene.core.context import ImportOptions
    from ...scene.pipeline.importer import import_level
    from .blends import empty_file

    chosen: dict[str, Any] = {**options} if scale is None else {**options, "scale": scale}
    empty_file()
    return import_level(path, ImportOptions(**chosen)).report.warnings


# --- Their arguments ----------------------------------------


def _declare_import(parser: ArgumentParser) -> None:
    levels(parser)
    jobs(parser)
    declare_choice(parser)
    parser.epilog = "A last name that ends in .blend is where the level before it goes."


def declare_choice(parser: ArgumentParser) -> None:
    """Declare what of a level is imported, and where files go."""
    names = [option.name for option in OPTIONS]
    parser.add_argument(
        "--to", default="", metavar="FOLDER", help="where files go; without, beside the levels"
    )
    parser.add_argument("--scale", type=_scale, help="Blender units per unit of the game (1/512)")
    for name, text in (("--without", "leave out one of"), ("--only", "import nothing but one of")):
        parser.add_argument(
            name,
            action="append",
            default=[],
            choices=names,
            metavar="SUBJECT",
            help=f"{text}: %(choices)s; may be given several times",
        )


def _scale(text: str) -> float:
    from ...scene.core.space import SCALES  # which needs Blender, as an import does

    over, _, under = text.partition("/")
    value = float(over) / float(under or 1)
    if not SCALES[0] <= value <= SCALES[1]:
        raise ValueError(text)
    return value


def _prepare(parser: ArgumentParser, options: Namespace) -> None:
    """Take the last name for a target where it is one."""
    options.target = ""
    if options.paths[-1].lower().endswith(".blend"):
        options.target = options.paths.pop()
        if len(options.paths) != 1:
            parser.error("one .blend file can be made of one level; leave it out, or use --to, for several")


def place(path: str, options: Namespace, suffix: str) -> str:
    """Return where what is made of a level goes: into the folder that was asked for, or beside it."""
    folder = options.to or os.path.dirname(path)
    return os.path.join(folder, os.path.splitext(os.path.basename(path))[0] + suffix)


def _run_import(path: str, options: Namespace) -> str:
    blend = options.target or place(path, options, ".blend")
    return import_to_blend(path, blend, options.without, only=options.only, scale=options.scale)


IMPORT = Command("import", "make .blend files of levels", _declare_import, _run_import, prepare=_prepare)
