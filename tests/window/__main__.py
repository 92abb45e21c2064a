"""Command line: `python build.py window OUT`; `--help` lists the options."""

from __future__ import annotations

import argparse
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

import build

from . import (
    acting,
    animating,
    beginning,
    building,
    canceling,
    languages,
    looking,
    moments,
    projects,
    sharing,
    ten_minutes,
    texturing,
    working,
)
from .blender import Blender, StepError
from .screen import Screen
from .tools import MissingError, find_tools
from .walk import CHAPTERS, Walk

DOCS = build.ROOT / "docs" / "pictures" / "window"
# Modules with chapters.
MODULES = (
    beginning,
    looking,
    working,
    building,
    canceling,
    texturing,
    acting,
    animating,
    sharing,
    projects,
    languages,
    ten_minutes,
    moments,
)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="build.py window", description="Use the extension in a real Blender."
    )
    parser.add_argument("--blender", metavar="PATH", help="the installed Blender (else the one on PATH)")
    parser.add_argument("--zip", type=Path, metavar="FILE", help="the extension (else it is built)")
    parser.add_argument(
        "--level", type=Path, metavar="FILE", help="a level to drop, to look at and to export"
    )
    parser.add_argument("--animation", type=Path, metavar="FILE", help="an .anim of Lara to import")
    parser.add_argument("--only", action="append", choices=list(CHAPTERS), help="a chapter (may be repeated)")
    parser.add_argument("--docs", action="store_true", help="write the pictures of the documentation, too")
    parser.add_argument("output", type=Path, metavar="OUT", help="the folder for pictures of the screen")
    return parser.parse_args(list(arguments))


def main(arguments: Sequence[str]) -> int:
    """Run all chapters; return 0 if all succeed."""
    options = parse(arguments)
    tools = find_tools(options.blender)
    extension = options.zip or build.build_with_manual()
    if not extension.is_file():
        raise MissingError(f"{extension} is not there: build it by `python build.py`.")
    output = options.output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, Screen(tools) as screen:
        folder = Path(name)
        levels = folder / "levels"
        levels.mkdir()
        blender = Blender(tools, screen, folder, output)
        blender.docs = DOCS if options.docs else None
        blender.write_levels(levels)
        blender.install(extension.resolve())
        level = options.level.resolve() if options.level else None
        with blender:
            blender.shot("start")
            animation = options.animation.resolve() if options.animation else None
            return _walk(Walk(blender, levels, level, animation), options.only or list(CHAPTERS))


def _walk(walk: Walk, names: Sequence[str]) -> int:
    blender, failed = walk.blender, []
    for name in names:
        begun = monotonic()
        try:
            CHAPTERS[name](walk)
        except StepError as error:
            failed.append(name)
            traceback.print_exc()
            print(f"{name}: {error}", flush=True)
            blender.shot(f"failed-{name}")
        else:
            print(f"{name}: as expected ({monotonic() - begun:.0f} s)", flush=True)
    complaints = blender.complaints()
    print(
        "\n".join(["Blender's console tells of:", *complaints])
        if complaints
        else "Blender's console is clean."
    )
    print(f"{len(blender.pictures)} pictures in {blender.output}")
    try:
        blender.leave()
    except StepError as error:
        failed.append("leave")
        print(error, flush=True)
    return 1 if failed or complaints else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (MissingError, StepError, build.SetupError) as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
