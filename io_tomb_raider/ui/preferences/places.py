"""Usual folders of games from Steam, GOG and discs. Nothing here needs Blender.

A folder belongs to a game if it contains one of the game's levels, whatever its name.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from ...formats import FormatError, Game

# Levels that only one game has.
KNOWN_LEVELS = {
    Game.TR1: ("level1.phd", "gym.phd"),
    Game.TR2: ("wall.tr2", "boat.tr2"),
    Game.TR3: ("jungle.tr2", "shore.tr2"),
    Game.TR4: ("angkor1.tr4",),
    Game.TR5: ("andrea1.trc",),
}
_PUBLISHERS = ("Core Design", "Eidos", "Eidos Interactive", "Square Enix")
_LIBRARY = re.compile(r'"path"\s+"((?:[^"\\]|\\.)*)"')


def game_in(folder: Path) -> Game | None:
    """Return the game that is installed in a folder, or None."""
    from ...formats.levels.game_files import folders_of

    files = {name.lower() for path in folders_of(folder) for name in _names(path)}
    return next((game for game, levels in KNOWN_LEVELS.items() if files.intersection(levels)), None)


def find_games(folders: Iterable[Path]) -> dict[Game, Path]:
    """Return the games in folders or their subfolders, with the first folder of each."""
    result: dict[Game, Path] = {}
    for folder in dict.fromkeys(folders):
        for path in (folder, *sorted(folder / name for name in _names(folder))):
            if path.is_dir():
                game = game_in(path)
                if game is not None:
                    result.setdefault(game, path)
    return result


@cache
def installed_games() -> Mapping[Game, Path]:
    """Return the games in their usual folders, searched once."""
    return find_games([*usual_folders(Path.home(), sys.platform, os.environ), *_registered()])


def usual_folders(home: Path, system: str, environ: Mapping[str, str]) -> Iterator[Path]:
    """Yield folders that usually contain games, or do in subfolders; ``system`` is ``sys.platform``."""
    if system == "win32":
        yield from _usual_in_windows(environ)
    elif system == "darwin":
        yield from _steam(home / "Library" / "Application Support" / "Steam")
        yield from (Path("/Applications"), home / "Applications", home / "Games")
    else:
        apps = home / ".var" / "app" / "com.valvesoftware.Steam"
        roots = (home / ".steam" / "steam", home / ".local/share/Steam", apps / ".local/share/Steam")
        for root in (*roots, home / "snap/steam/common/.local/share/Steam"):
            yield from _steam(root)
        yield from (home / "GOG Games", home / "Games", home / "Games" / "Heroic")
        wine = home / ".wine" / "drive_c"
        programs = {"ProgramFiles": "Program Files", "ProgramFiles(x86)": "Program Files (x86)"}
        drive = {name: str(wine / folder) for name, folder in programs.items()}
        yield from _usual_in_windows({**drive, "SystemDrive": str(wine)})


def _usual_in_windows(environ: Mapping[str, str]) -> Iterator[Path]:
    drive = Path(environ.get("SystemDrive", "C:") + "/")
    yield from (drive / "GOG Games", drive / "Games", drive / "TOMBRAID")
    for name in ("ProgramFiles(x86)", "ProgramFiles"):
        if name in environ:
            programs = Path(environ[name])
            yield from _steam(programs / "Steam")
            yield programs / "GOG Galaxy" / "Games"
            yield from (programs / publisher for publisher in _PUBLISHERS)


def _steam(root: Path) -> Iterator[Path]:
    """Yield Steam's folders of games: its own, and its libraries on other disks."""
    from ...formats.base import read_file

    yield root / "steamapps" / "common"
    try:
        text = read_file(root / "steamapps" / "libraryfolders.vdf").decode(errors="replace")
    except (FormatError, OSError):
        return
    for path in _LIBRARY.findall(text):
        yield Path(re.sub(r"\\(.)", r"\1", path)) / "steamapps" / "common"


def _registered() -> Iterator[Path]:
    """Yield the folders that Steam and GOG have stored in the registry of Windows."""
    yield from ()  # other systems have no registry
    if sys.platform == "win32":
        import winreg

        user, machine = winreg.HKEY_CURRENT_USER, winreg.HKEY_LOCAL_MACHINE
        with suppress(OSError), winreg.OpenKey(user, r"Software\Valve\Steam") as key:
            yield from _steam(Path(winreg.QueryValueEx(key, "SteamPath")[0]))
        with suppress(OSError), winreg.OpenKey(machine, r"SOFTWARE\WOW6432Node\GOG.com\Games") as games:
            for number in range(winreg.QueryInfoKey(games)[0]):
                with suppress(OSError), winreg.OpenKey(games, winreg.EnumKey(games, number)) as key:
                    yield Path(winreg.QueryValueEx(key, "path")[0])


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
