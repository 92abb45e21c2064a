"""Files of a game that stand beside its levels, or where the game is installed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

# Says where a game is installed, if that is known; asked only where a file is not beside the level.
Installed = Callable[[], Path | None]


def nowhere() -> Path | None:
    """Say that a game is not installed."""
    return None


def find_beside(level: Path | None, *names: str, installed: Installed = nowhere) -> Path | None:
    """Return the first file of these names beside a level, else one folder up, else of the installed game.

    The case of letters does not count.

    Args:
        level: the level's file, or None where it has none.
        names: of the file, the likeliest first.
        installed: where the game is installed.
    """
    if level is not None:
        folder = level.absolute().parent
        found = _first((folder, folder.parent), names)
        if found is not None:
            return found
    game = installed()
    return None if game is None else _first(folders_of(game), names)


def folders_of(game: Path) -> list[Path]:
    """Return the folders in which an installed game has its files: its own, and the one of its data.

    Args:
        game: the game's folder; that of its data is as good.
    """
    if game.name.lower() == "data":
        game = game.parent
    return [
        game,
        *(game / each for each in _inside(game) if each.lower() == "data" and (game / each).is_dir()),
    ]


def _first(folders: Iterable[Path], names: Iterable[str]) -> Path | None:
    wanted = [name.lower() for name in names]
    for folder in folders:
        # Of plain names: folders may hold hundreds of files, and paths take long to be made and sorted.
        files = [(name.lower(), name) for name in _inside(folder)]
        found = (folder / file for name in wanted for lower, file in files if lower == name)
        path = next((path for path in found if path.is_file()), None)
        if path is not None:
            return path
    return None


def _inside(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
