"""``compile`` command: a level from a project of a level editor."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from ...formats.base import PROJECT_TARGETS
from ..base.text.words import plain
from .commands import CheckError, Command, Result, warnings_below

PROJECT_SUFFIXES = frozenset({".prj2", ".prj"})


def compile_file(
    project: str,
    target: str,
    *,
    game: str = "",
    moved: dict[str, Path] | None = None,
    allows_missing: bool = False,
    cinematic: bool = False,
) -> Result:
    """Compile a project to a level, and write it to ``target``.

    Args:
        game: a key of ``PROJECT_TARGETS``; "" for the target of the project.
        moved: folders of the project that are elsewhere now.
        allows_missing: missing object files are warnings.
        cinematic: for TRX, flyby cameras become the frames of a cutscene.
    Raises:
        CheckError: object files are missing. The level was written without their objects.
        ExportError: the level cannot be stored in the files of the game.
        FormatError, OSError: a file cannot be read or written.
    """
    from ...formats import write_level
    from ...formats.editors.projects import LogLine, compile_project, read_any_project
    from ...scene.interop.projects import compile_target, resources_of

    shows = sys.stderr.isatty()

    def listen(line: LogLine) -> None:
        if shows:
            print(plain(line.text), file=sys.stderr)

    content = read_any_project(project)
    resources = resources_of(content.settings, Path(project), moved)
    wads = content.settings.wads
    missing = [path for path in wads if path.strip() and resources.paths.find(path) is None]
    level_target = compile_target(content, game, cinematic=cinematic)
    compiled = compile_project(content, resources, level_target, listener=listen)
    write_level(compiled.level, target)
    lines = [line.text for line in compiled.log.lines]
    warnings = list(compiled.log.warnings)
    counts = [text for text in lines if text not in warnings]
    data = {
        "saved": target,
        "game": compiled.level.game.name,
        "log": list(map(str, counts)),
        "warnings": list(map(str, warnings)),
    }
    if missing and not allows_missing:
        head = (
            f"saved as {plain(target)}, but without the objects of missing files (--moved, --allow-missing)"
        )
        text = "\n".join([head, *(f"  missing: {plain(path)}" for path in missing)])
        raise CheckError(warnings_below(text, warnings), missing=missing, **data)
    text = "\n".join([f"compiled, saved as {plain(target)}", *(f"  {plain(line)}" for line in counts)])
    return Result(warnings_below(text, warnings), **data)


def _declare(parser: ArgumentParser) -> None:
    parser.add_argument("paths", nargs=1, metavar="PROJECT", help="a project, .prj2 or .prj")
    parser.add_argument("out", metavar="OUT", help="the level to write")
    text = "target: %(choices)s (default: that of the project)"
    names = list(PROJECT_TARGETS)
    parser.add_argument("--game", default="", type=str.upper, choices=names, metavar="GAME", help=text)
    text = "a folder of the project that is elsewhere now; can be repeated"
    parser.add_argument("--moved", default=[], action="append", nargs=2, metavar=("OLD", "NEW"), help=text)
    text = "missing object files are no error: their objects are left out"
    parser.add_argument("--allow-missing", action="store_true", help=text)
    text = "for TRX: make the frames of a cutscene of flyby cameras"
    parser.add_argument("--flybys-as-cutscene", action="store_true", help=text)


def _run(path: str, options: Namespace) -> Result:
    moved = {old: Path(os.path.abspath(new)) for old, new in options.moved}
    return compile_file(
        path,
        options.out,
        game=options.game,
        moved=moved,
        allows_missing=options.allow_missing,
        cinematic=options.flybys_as_cutscene,
    )


COMPILE = Command(
    "compile", "make a level from a project of a level editor", _declare, _run, suffixes=PROJECT_SUFFIXES
)
