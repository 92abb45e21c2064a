"""Names of a level and its items, from the script of its game."""

from __future__ import annotations

from pathlib import Path

from ....catalogue import Catalogue, names, unnamed
from ....formats import FormatError, Game
from ....formats.object_files import ObjectNames
from ....formats.scripts.beside import Installed, not_installed
from ....formats.scripts.level_names import LevelNames, read_level_names
from ...core.report import Report


def find_names(
    game: Game, level: Path | None, script: str, report: Report, installed: Installed = not_installed
) -> LevelNames | None:
    """Return the names of a level, or None if no script has them.

    A script that cannot be read causes a warning; the import continues.

    Args:
        game: the level's game.
        level: its file, or None if it has none.
        script: path of the script, "" to search in the level's folder and the folder above.
        report: receives warnings.
        installed: returns the game's installation, whose script is used if none is found near the level.
    """
    if level is None:
        return None
    try:
        found = read_level_names(level, game, Path(script) if script else None, installed)
    except (FormatError, OSError) as error:
        report.warn(Path(script).name or "Script", f"no names were taken from it ({error})")
        return None
    if found is None and script and game is not Game.TR1:
        report.warn(Path(script).name, f"it has no level that is called {level.name}")
    return found


def names_of_objects(file_names: ObjectNames) -> Catalogue:
    """Return the catalogue for a file of objects: its game's names and its own names of animations."""
    known = unnamed(Game.TR4) if file_names.game is None else names(file_names.game)
    return known.with_animations(file_names.animations)


def catalogue_with(game: Game, found: LevelNames | None) -> Catalogue:
    """Return the catalogue of a game with a script's names of a level's items."""
    return names(game) if found is None else names(game).with_items(found.items)
