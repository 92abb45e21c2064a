"""Levels of the scene as files of objects (WAD, WAD2): into those that they came from, or into new ones."""

from __future__ import annotations

import os
from pathlib import Path

from bpy.types import Collection

from ....catalogue import names
from ....formats import ExportError, Game, Level
from ....formats.base.files import replace_file
from ....formats.object_files import (
    ExportedFiles,
    Namer,
    Objects,
    blank_files,
    companion_files,
    is_object_file,
    open_objects,
)
from ...core import original
from ...core.report import Report

# The objects of the last export, by their files: users export again and again while they animate.
_recent: list[tuple[dict[str, bytes], Objects]] = []


def objects_of(root: Collection, suffix: str) -> Objects:
    """Return the objects that a level of the scene is written into.

    Args:
        root: the level.
        suffix: of the file. Where the level came from such a one, that is what is edited; else a blank one.

    Raises:
        FormatError: where what the level carries is damaged.
    """
    files = original.load_files(root)
    if suffix not in files:
        return open_objects(blank_files(suffix))
    if not _recent or _recent[0][0] != files:
        _recent[:] = [(files, open_objects(files))]
    return _recent[0][1]


def write_objects(root: Collection, level: Level, path: str | os.PathLike[str], report: Report) -> None:
    """Write what was exported from a level of the scene as a file of objects, with what belongs beside it.

    Args:
        root: the level's root collection.
        level: what was exported.
        path: a WAD or a WAD2.
        report: is told of what such a file has no place for.

    Raises:
        ExportError: where the file cannot hold it.
        FormatError: where what the level carries is damaged.
        OSError: where a file cannot be written.
    """
    place = Path(path)
    suffix = place.suffix.lower()
    if level.game is not Game.TR4:
        text = (
            f"files like {place.name} hold objects as TR4 has them, and this level is for {level.game.name}: "
            "export a level, and append what you want of it to a WAD"
        )
        raise ExportError(root.name, text)
    tell_of_losses(root, level, place.name, report)
    written = objects_of(root, suffix).edited(level, name_of(level.game))
    save(written, place, report)


def save(written: ExportedFiles, place: Path, report: Report) -> None:
    """Write files of objects under the name of one of them.

    What only stands in for a file that is missing does not take the place of one that is there.

    Raises:
        OSError: where a file cannot be written.
    """
    if written.approximated:
        text = (
            f"a WAD shows rectangles of pictures and their halves only: {written.approximated} faces show "
            "the rectangle around what they should. Choose a .wad2 to keep them"
        )
        report.warn(place.name, text)
    suffix = place.suffix.lower()
    present = {suffix: place, **companion_files(place)}
    for each, content in written.items():
        if each not in written.made or each not in present:
            cased = each.upper() if place.suffix.isupper() else each
            replace_file(present.get(each, place.with_suffix(cased)), content)


def name_of(game: Game) -> Namer:
    """Return what tells the names of a game's models and static meshes."""
    catalogue = names(game)
    return lambda kind, number: catalogue.model(number) if kind == "model" else catalogue.static(number)


def tell_of_losses(root: Collection, level: Level, name: str, report: Report) -> None:
    """Tell what of a level no file of objects holds."""
    lost = [
        (len(level.rooms), "room", "rooms"),
        (len(level.entities), "entity", "entities"),
        (int(level.animated_textures[:1].sum()), "animated texture", "animated textures"),
    ]
    before = original.load(root)
    is_level = before is not None and len(before.level.rooms) > 0
    said = [f"{count} {one if count == 1 else several}" for count, one, several in lost if count]
    if said and not is_level:
        report.warn(root.name, f"{name} has no place for {', '.join(said)}: export them as a level")


__all__ = ["is_object_file", "name_of", "objects_of", "save", "tell_of_losses", "write_objects"]
