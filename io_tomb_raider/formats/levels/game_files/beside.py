"""Lookup of a game's files next to its levels, or in the installed game."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

# Returns the folder of the installed game, if known; called only if a file is not next to the level.
Installed = Callable[[], Path | None]


def not_installed() -> Path | None:
    """Return None: the game is not installed."""
    return None


def find_game_file(level: Path | None, *names: str, installed: Installed = not_installed) -> Path | None:
    """Return the first file of these names next to a level, else one folder up, else of the installed game.

    Names are not case-sensitive; the likeliest is first.
    """
    if level is not None:
        folder = level.absolute().parent
        result = _first((folder, folder.parent), names)
        if result is not None:
            return result
    game = installed()
    return None if game is None else _first(folders_of(game), names)


def folders_of(game: Path) -> list[Path]:
    """Return the folders of an installed game's files, given either: its own, and its data folder."""
    if game.name.lower() == "data":
        game = game.parent
    return [
        game,
        *(game / name for name in _inside(game) if name.lower() == "data" and (game / name).is_dir()),
    ]


def _first(folders: Iterable[Path], names: Iterable[str]) -> Path | None:
    lower_names = [name.lower() for name in names]
    for folder in folders:
        # Of plain names: folders may have hundreds of files, and creating and sorting paths is slow.
        files = [(name.lower(), name) for name in _inside(folder)]
        paths = (folder / file for name in lower_names for lower, file in files if lower == name)
        path = next((path for path in paths if path.is_file()), None)
        if path is not None:
            return path
    return None


def _inside(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
