"""Lookup of a game's files next to its levels, or in the installed game."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ...base.bytes.files import name_key

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
        result = first_file((folder, folder.parent), names)
        if result is not None:
            return result
    game = installed()
    return None if game is None else first_file(folders_of(game), names)


def folders_of(game: Path) -> list[Path]:
    """Return the folders of an installed game's files, given either: its own, and its data folder."""
    if game.name.lower() == "data":
        game = game.parent
    return [
        game,
        *(game / name for name in _inside(game) if name.lower() == "data" and (game / name).is_dir()),
    ]


def file_in(folder: Path, *names: str) -> Path | None:
    """Return the first file of these names in a folder, ignoring case, or None."""
    # Of plain names: folders may have hundreds of files, and creating and sorting paths is slow.
    files = [(name_key(name), name) for name in _inside(folder)]
    paths = (folder / file for key in map(name_key, names) for other, file in files if other == key)
    return next((path for path in paths if path.is_file()), None)


def first_file(folders: Iterable[Path], names: Sequence[str]) -> Path | None:
    """Return the first file of these names in the first folder that has one, or None."""
    return next(filter(None, (file_in(folder, *names) for folder in folders)), None)


def _inside(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
