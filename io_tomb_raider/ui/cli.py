"""The command line: ``blender --command tomb_raider …``, without Blender's window.

Each command is a plain function too, which says what it did or raises what went wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import bpy

from ..formats import ExportError, FormatError, read_level, write_level
from ..scene.subjects import OPTIONS
from .base.levels import chosen_level
from .base.reports import contents, explain, plain

NAME = "tomb_raider"

_handle: Any = None

# --- The commands ---------------------------------------------------------------------------------


def info(path: str) -> str:
    """Say what a level holds.

    Raises:
        FormatError, OSError: where it cannot be read.
    """
    level = read_level(path)
    return f"{level.game.name}, {level.variant.value}: {contents(level)}"


def check(path: str, *, scene: bool = False) -> str:
    """Read a level and see whether writing it gives the same bytes.

    Args:
        path: the level.
        scene: import it into an empty scene, and export that.

    Raises:
        ExportError: where other bytes come out.
        FormatError, OSError: where it cannot be read.
    """
    before = Path(path).read_bytes()
    after = _by_way_of_a_scene(path) if scene else read_level(path).to_bytes()
    if after != before:
        pairs = zip(before, after, strict=False)
        place = next((at for at, (old, new) in enumerate(pairs) if old != new), min(len(before), len(after)))
        raise ExportError(os.path.basename(path), f"what is written differs from byte {place} on")
    return f"writing gives the same {len(before)} bytes"


def _by_way_of_a_scene(path: str) -> bytes:
    from ..scene.exporter import export_level
    from ..scene.importer import import_level

    bpy.ops.wm.read_homefile(use_empty=True)
    level, _ = export_level(import_level(path).root)
    return level.to_bytes()


def import_to_blend(path: str, blend: str, without: Iterable[str] = ()) -> str:
    """Make a .blend file of a level.

    Args:
        path: the level.
        blend: where the file goes.
        without: names of the options of what is left out.

    Raises:
        FormatError, OSError: where the level cannot be read, or the .blend file not be written.
    """
    from ..scene.base.context import ImportOptions
    from ..scene.importer import import_level

    chosen: dict[str, Any] = {option.name: option.name not in without for option in OPTIONS}
    bpy.ops.wm.read_homefile(use_empty=True)
    made = import_level(path, ImportOptions(**chosen))
    _call(bpy.ops.wm.save_as_mainfile, filepath=os.path.abspath(blend), compress=True)
    return _told(f"saved as {blend}", made.report.warnings)


def export_from_blend(
    blend: str,
    path: str,
    collection: str = "",
    *,
    rebuild: bool = False,
    bake: bool = True,
    apply_modifiers: bool = True,
) -> str:
    """Make a level of a .blend file.

    Args:
        blend: a file with a level that was imported.
        path: where the level goes.
        collection: the root collection of the level, where there are several.
        rebuild: rebuild every part from the scene.
        bake: write poses as constraints and drivers have them.
        apply_modifiers: write meshes with their modifiers and shape keys.

    Raises:
        ExportError: where the scene holds what the game cannot.
        FormatError, OSError: where a file cannot be read or written.
    """
    from ..scene.exporter import export_level
    from ..scene.upgrades.versions import upgrade

    _call(bpy.ops.wm.open_mainfile, filepath=os.path.abspath(blend), load_ui=False)
    root = chosen_level(bpy.context, collection)
    upgrade(root)
    level, report = export_level(root, rebuild=rebuild, bake=bake, apply_modifiers=apply_modifiers)
    write_level(level, path)
    return _told(report.summary(), report.warnings)


def render(path: str, folder: str) -> str:
    """Draw a picture of every room of a level.

    Args:
        path: the level.
        folder: where the pictures go.

    Raises:
        FormatError, OSError: where the level cannot be read, or a picture not be written.
    """
    from ..scene.importer import import_level
    from ..scene.pictures.rooms import render_rooms

    bpy.ops.wm.read_homefile(use_empty=True)
    made = render_rooms(import_level(path).root, Path(folder).absolute())
    return f"drew {len(made)} rooms into {folder}"


def _call(operator: Any, **arguments: Any) -> None:
    """Call an operator of Blender's that reads or writes a file. Raises OSError where it fails."""
    try:
        operator(**arguments)
    except RuntimeError as error:
        raise OSError(str(error).strip()) from None


def _told(outcome: str, warnings: Iterable[str]) -> str:
    return "\n".join([outcome, *(f"  warning: {text}" for text in warnings)])


# --- The command line -----------------------------------------------------------------------------


def run(arguments: Sequence[str]) -> int:
    """Run one command and return the exit code: 0 done, 1 something failed, 2 the command line is wrong."""
    try:
        options = _parser().parse_args(list(arguments))
    except SystemExit as stop:  # after --help, or after saying what is wrong
        return int(stop.code or 0)
    return max(_say(path, options) for path in options.paths)


def _say(path: str, options: argparse.Namespace) -> int:
    """Run a command on one file and print the outcome."""
    try:
        outcome: str = options.command(path, options)
    except (ExportError, FormatError, OSError) as error:
        print(f"{plain(path)}: {plain(explain(error))}", file=sys.stderr)
        return 1
    first, *others = outcome.splitlines()
    print("\n".join([f"{plain(path)}: {plain(first)}", *map(plain, others)]))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"blender --command {NAME}", description="Levels of Tomb Raider 1 to 5", allow_abbrev=False
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    one = commands.add_parser("info", help="say what levels hold")
    one.add_argument("paths", nargs="+", metavar="LEVEL")
    one.set_defaults(command=lambda path, options: info(path))

    one = commands.add_parser("check", help="see whether writing what is read gives the same bytes")
    one.add_argument("paths", nargs="+", metavar="LEVEL")
    one.add_argument("--scene", action="store_true", help="by way of a Blender scene")
    one.set_defaults(command=lambda path, options: check(path, scene=options.scene))

    one = commands.add_parser("import", help="make a .blend file of a level")
    one.add_argument("paths", nargs=1, metavar="LEVEL")
    one.add_argument("blend", metavar="BLEND")
    one.add_argument(
        "--without",
        action="append",
        default=[],
        choices=[option.name for option in OPTIONS],
        metavar="SUBJECT",
        help="leave out one of: %(choices)s; may be given several times",
    )
    one.set_defaults(command=lambda path, options: import_to_blend(path, options.blend, options.without))

    one = commands.add_parser("render", help="draw a picture of every room of a level")
    one.add_argument("paths", nargs=1, metavar="LEVEL")
    one.add_argument("--rooms", required=True, metavar="FOLDER", help="where the pictures go")
    one.set_defaults(command=lambda path, options: render(path, options.rooms))

    one = commands.add_parser("export", help="make a level of a .blend file")
    one.add_argument("blend", metavar="BLEND")
    one.add_argument("paths", nargs=1, metavar="LEVEL")
    one.add_argument("--collection", default="", help="the level's collection, where there are several")
    one.add_argument("--rebuild", action="store_true", help="rebuild every part from the scene")
    one.add_argument("--no-bake", action="store_true", help="leave out what constraints do to poses")
    one.add_argument(
        "--without-modifiers", action="store_true", help="leave modifiers and shape keys out of meshes"
    )
    one.set_defaults(command=_export)
    return parser


def _export(path: str, options: argparse.Namespace) -> str:
    return export_from_blend(
        options.blend,
        path,
        options.collection,
        rebuild=options.rebuild,
        bake=not options.no_bake,
        apply_modifiers=not options.without_modifiers,
    )


def register() -> None:
    global _handle
    _handle = bpy.utils.register_cli_command(NAME, run)


def unregister() -> None:
    bpy.utils.unregister_cli_command(_handle)
