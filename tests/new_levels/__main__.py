"""New levels: `python build.py new-levels OUT [--kit LEVEL ...] [--game TRn]`.

A level of each game is built from plain meshes and a kit: rooms, water, a slope, a door with its switch, an
enemy, a secret, the end, baked light. It is exported into OUT, read back, judged, and drawn. Without --kit,
small generated levels are the kits. The exit code is 0 only where every level keeps all rules.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

# Keep the user's preferences and extensions out. Blender reads these variables when it is imported.
os.environ.setdefault("BLENDER_USER_RESOURCES", tempfile.mkdtemp(prefix="io_tomb_raider-new-levels-"))

import bpy

import io_tomb_raider
from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.assets.pictures.overview import render_overview
from io_tomb_raider.scene.pipeline.checks.check import check_scene
from tests.docs_pictures import empty_file
from tests.sample_levels import sample_bytes

from .building import SUFFIXES, LevelBuilder
from .judging import problems


def build_level(game: Game, kit: Path, folder: Path, *, draw: bool = True) -> list[str]:
    """Build, export, judge and draw a level; the extension has to be registered, the open file is replaced.

    Args:
        game: the game of the level.
        kit: the kit of the level.
        folder: the folder for the level, its .blend and its picture.
        draw: whether to make the picture.

    Returns:
        The problems of the level.
    """
    empty_file()
    start = perf_counter()
    builder = LevelBuilder(game, kit)
    root = builder.build()
    target = folder / f"{game.name.lower()}{SUFFIXES[game]}"
    print(f"  built     {root.name} in {perf_counter() - start:.2f} s")
    for what in builder.missing:
        print(f"  missing   the kit has not {what}")
    notes = [note for note in check_scene(root) if note.severity != "INFO"]
    for note in notes:
        print(f"  checked   {note.severity.lower()}: {note.text}")
    bpy.ops.export_scene.tomb_raider(filepath=str(target), collection=root.name)
    bpy.ops.wm.save_as_mainfile(filepath=str(target.with_suffix(".blend")), copy=True)
    if draw:
        render_overview(root, target.with_suffix(".png"))
    content = target.read_bytes()
    found = problems(read_level(content), builder.missing)
    found += [f"Check Level: {note.text}" for note in notes if note.severity == "ERROR"]
    if _exported_untouched(target) != content:
        found.append("imported and exported untouched, it is another file")
    print(f"  exported  {target}, {len(content)} bytes")
    return found


def _exported_untouched(path: Path) -> bytes:
    empty_file()
    bpy.ops.import_scene.tomb_raider(filepath=str(path))
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder) / path.name
        bpy.ops.export_scene.tomb_raider(filepath=str(again))
        return again.read_bytes()


def generated_kit(game: Game, folder: Path) -> Path:
    """Write a small generated level, and return its path."""
    path = folder / f"kit {game.name.lower()}{SUFFIXES[game]}"
    path.write_bytes(sample_bytes(game))
    return path


def main(arguments: Sequence[str]) -> int:
    """Build the levels of a command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="build.py new-levels", description=(__doc__ or "").split("\n\n", 1)[1]
    )
    parser.add_argument("output", type=Path, metavar="OUT")
    parser.add_argument("--kit", type=Path, action="append", default=[], metavar="LEVEL")
    parser.add_argument("--game", choices=[game.name for game in Game], action="append", default=[])
    parser.add_argument("--no-pictures", action="store_true", help="leave the pictures out")
    options = parser.parse_args(arguments)
    output = options.output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    kits = {read_level(path).game: path for path in options.kit}
    games = [Game[name] for name in options.game] or list(kits) or list(Game)
    io_tomb_raider.register()
    failed = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            for game in games:
                print(f"\n{game.name}", flush=True)
                kit = kits[game] if game in kits else generated_kit(game, Path(folder))
                found = build_level(game, kit, output, draw=not options.no_pictures)
                failed += found
                for problem in found:
                    print(f"  PROBLEM   {problem}")
    finally:
        # Blender 4.2 crashes at exit if an extension is still registered.
        io_tomb_raider.unregister()
    print(f"\nEverything was written to {output}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
