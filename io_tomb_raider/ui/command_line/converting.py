"""``convert`` command: levels of another game, or glTF files, from levels."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path

from ...formats import Game, write_level
from ...formats.base import about
from ..base.text.words import SUFFIXES
from .commands import Command, Result, jobs, levels, warnings_below
from .importing import declare_choice, import_to_empty_file, options_of, output_path


def convert_to_game(path: str, target: str, game: Game, kit: str = "") -> Result:
    """Convert a level to another game, and write it to ``target``.

    The warnings name what the conversion loses. Those of the export, about what the level had before, are
    left out, except for those of other add-ons' hooks.

    Args:
        kit: a level of that game from which Lara and her models are copied; "" for none.
    Raises:
        ExportError: the level cannot be converted, or the kit is for another game.
        FormatError, OSError: a file cannot be read or written.
    """
    from ...scene.pipeline import export_level, import_level
    from ...scene.transfer.adoption import reconcile
    from ...scene.transfer.convert import convert_level
    from .blends import empty_file

    empty_file()
    imported = import_level(path, with_hooks=True)
    converted = convert_level(imported.root, game, Path(kit) if kit else None)
    reconcile(imported.root, imported.report)
    exported = export_level(imported.root, with_hooks=True)
    write_level(exported.level, target)
    of_hooks = (about(*each) for each in exported.report.tracebacks)
    warnings = list(dict.fromkeys([*imported.report.warnings, *converted.lines, *of_hooks]))
    text = warnings_below(f"converted to {game.name}, saved as {target}", warnings)
    return Result(text, saved=target, game=game.name, warnings=warnings)


def convert_to_gltf(
    path: str,
    target: str,
    without: Iterable[str] = (),
    *,
    only: Iterable[str] = (),
    scale: float | None = None,
) -> Result:
    """Export the rooms of a level with their contents, and its models, to glTF by Blender's own exporter.

    Args:
        target: the file to write: .glb, or .gltf with files next to it.
        without, only: see :func:`options_of`.
        scale: meters per unit of the game, None for the default.
    Raises:
        FormatError, OSError: the level cannot be read.
        ExportError: the file cannot be written.
    """
    import bpy

    from ...scene.interop.exchange import PrepareOptions, prepare_level, write
    from ..base.active import active_layer, active_scene
    from ..base.levels import chosen_level

    report = import_to_empty_file(path, options_of(without, only), scale)
    context = bpy.context
    scene = active_scene(context)
    prepared = prepare_level(chosen_level(context), active_layer(context), scene.collection, PrepareOptions())
    write(prepared, Path(os.path.abspath(target)))
    warnings = list(dict.fromkeys([*report.warnings, *prepared.report.warnings]))
    return Result(warnings_below(f"saved as {target}", warnings), saved=target, warnings=warnings)


# --- Arguments ----------------------------------------


def _declare(parser: ArgumentParser) -> None:
    levels(parser)
    jobs(parser)
    names = [game.name for game in Game]
    text = "target game: %(choices)s (default: from the name of the new level)"
    parser.add_argument("--game", default="", type=str.upper, choices=names, metavar="GAME", help=text)
    text = "level of that game, from which Lara and menu objects are copied"
    parser.add_argument("--kit", default="", metavar="LEVEL", help=text)
    text = "make glTF files: a single file, or several (default: glb)"
    parser.add_argument("--format", default="", choices=["glb", "gltf"], help=text)
    declare_choice(parser)
    parser.epilog = "Two names, A.PHD B.TR4, convert to another game. Otherwise, glTF files are made."


def _prepare(parser: ArgumentParser, options: Namespace) -> None:
    """Determine the kind of conversion, and the target if there is only one."""
    options.target = ""
    if options.format:
        if options.game or options.kit:
            parser.error("--format is for glTF files: leave out --game and --kit, or --format")
        return
    paths: list[str] = options.paths
    if len(paths) == 2 and _is_target(paths[0], paths[1], options.game):
        options.target = options.paths.pop()
        options.game = options.game or _game_of(parser, options.target)
    if options.kit and not options.game:
        parser.error("--kit is for levels of another game: add --game")
    if options.game and (options.only or options.without or options.scale):
        text = "only whole levels are converted to another game"
        parser.error(f"{text}: leave out --only, --without and --scale")
    options.format = "" if options.game else "glb"


def _is_target(path: str, target: str, game: str) -> bool:
    """Return whether the second path is a target level to be made from the first."""
    before, after = (os.path.splitext(file)[1].upper() for file in (path, target))
    suffixes = SUFFIXES[Game[game]] if game else {suffix for names in SUFFIXES.values() for suffix in names}
    return after in suffixes and (before != after or not os.path.exists(target))


def _game_of(parser: ArgumentParser, path: str) -> str:
    """Return the game of a target level, by its suffix."""
    suffix = os.path.splitext(path)[1].upper()
    games = [game.name for game, suffixes in SUFFIXES.items() if suffix in suffixes]
    if len(games) > 1:
        parser.error(f"{suffix} is of {' and '.join(games)}: choose one with --game")
    return games[0]


def _run(path: str, options: Namespace) -> Result:
    if not options.game:
        target = output_path(path, options, f".{options.format}")
        return convert_to_gltf(path, target, options.without, only=options.only, scale=options.scale)
    game = Game[options.game]
    target = options.target or output_path(path, options, SUFFIXES[game][0])
    return convert_to_game(path, target, game, options.kit)


CONVERT = Command(
    "convert", "convert levels to another game or to glTF files", _declare, _run, prepare=_prepare
)
