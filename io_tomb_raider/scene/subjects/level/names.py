"""What a level and its items are called, from the script of its game."""

from __future__ import annotations

from pathlib import Path

from ....catalogue import Catalogue, names, unnamed
from ....formats import FormatError, Game
from ....formats.object_files import Called
from ....formats.scripts.beside import Installed, nowhere
from ....formats.scripts.level_names import LevelNames, read_level_names
from ...core.report import Report


def find_names(
    game: Game, level: Path | None, script: str, report: Report, installed: Installed = nowhere
) -> LevelNames | None:
    """Return the names of a level, or None where no script has any.

    A script that cannot be read is told to the user, and does not stop the import.

    Args:
        game: the level's game.
        level: its file, or None for one that has none.
        script: the script, "" for the one beside the level or one folder up.
        report: where warnings go.
        installed: where the game is installed: its script is taken where there is none beside the level.
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


def names_of_objects(called: Called) -> Catalogue:
    """Return the catalogue for files of objects: the names of their game, and of their own animations."""
    known = unnamed(Game.TR4) if called.game is None else names(called.game)
    return known.with_animations(called.animations)


def catalogue_with(game: Game, found: LevelNames | None) -> Catalogue:
    """Return the catalogue of a game with the names that a script has for a level's items."""
    return names(game) if found is None else names(game).with_items(found.items)
