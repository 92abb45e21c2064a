"""``library`` command: a library of Blender assets from all levels in a folder."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from .commands import LEVEL_SUFFIXES, Command

_KINDS = {
    "models": "MODELS",
    "static-meshes": "STATIC_MESHES",
    "sprites": "SPRITES",
    "rooms": "ROOMS",
    "sounds": "SOUNDS",
    "materials": "MATERIALS",
}


def levels_in(folder: str) -> list[str]:
    """Return the levels in a folder and its subfolders, by suffix."""
    return sorted(
        os.path.join(root, name)
        for root, _, names in os.walk(folder)
        for name in names
        if os.path.splitext(name)[1].lower() in LEVEL_SUFFIXES
    )


def _declare(parser: ArgumentParser) -> None:
    parser.add_argument("folder", metavar="GAME_FOLDER", help="the game, or any folder with levels")
    text = "output: a .blend, or a folder for a .blend of each level"
    parser.add_argument("out", metavar="OUT", help=text)
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        choices=list(_KINDS),
        metavar="KIND",
        help="include only: %(choices)s; may be given several times",
    )
    parser.add_argument(
        "--no-previews", action="store_true", help="draw no previews, which take most of the time"
    )
    parser.epilog = (
        "Data that several levels share is included once. Catalogs are written next to the library."
    )


def _prepare(parser: ArgumentParser, options: Namespace) -> None:
    if not os.path.isdir(options.folder):
        parser.error(f"{options.folder} is not a folder")
    options.paths = levels_in(options.folder)
    if not options.paths:
        parser.error(f"there are no levels in {options.folder}")
    options.library = None


def _run(path: str, options: Namespace) -> Any:
    from ...scene.interop import GameLibrary

    if options.library is None:
        kinds = [_KINDS[name] for name in options.only] or list(_KINDS.values())
        options.library = GameLibrary(Path(options.out), kinds, previews=not options.no_previews)
        options.library.survey(map(Path, options.paths))
    return options.library.add(Path(path))


def _finish(results: list[tuple[str, Any]], options: Namespace) -> str:
    lines = []
    for path, added in results:
        lines.append(f"{path}: {added.pieces} new, {added.known} already included")
        lines += [f"  warning: {text}" for text in added.warnings]
    count = options.library.finish()
    lines.append(f"saved as {options.out}: {count} pieces of {len(results)} levels")
    return "\n".join(lines)


def _data(added: Any, options: Namespace) -> dict[str, Any]:
    warnings = list(added.warnings)
    return {"saved": options.out, "new": added.pieces, "known": added.known, "warnings": warnings}


LIBRARY = Command(
    "library",
    "make a library for Blender's asset browser of all levels in a folder",
    _declare,
    _run,
    finish=_finish,
    data=_data,
    prepare=_prepare,
)
