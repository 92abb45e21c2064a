"""Tests that games are found in their usual folders, by their levels."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.game_files.beside import find_game_file
from io_tomb_raider.ui.preferences.places import find_games, game_in, usual_folders

pytestmark = pytest.mark.once

HOMES = {
    "linux": ".local/share/Steam/steamapps/common",
    "darwin": "Library/Application Support/Steam/steamapps/common",
}


def create_files(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"")
    return folder


@pytest.mark.parametrize("system", HOMES)
def test_games_of_steam_are_found(tmp_path: Path, system: str) -> None:
    common = tmp_path / HOMES[system]
    second = create_files(common / "Tomb Raider (II)", "data/WALL.TR2", "tomb2.exe")
    create_files(common / "Another Game", "data/readme.txt")
    # A library on another disk, as Steam notes it.
    disk = tmp_path / "disk"
    library = f'"libraryfolders"\n{{\n "1" {{ "path"  "{disk}" "label" "" }}\n}}\n'
    (common.parent / "libraryfolders.vdf").write_text(library)
    fourth = create_files(disk / "steamapps/common/TR4", "Data/angkor1.tr4")
    assert find_games(usual_folders(tmp_path, system, {})) == {Game.TR2: second, Game.TR4: fourth}


def test_games_of_windows_are_found_there_and_in_wine(tmp_path: Path) -> None:
    for system, drive in (("win32", tmp_path / "c"), ("linux", tmp_path / ".wine" / "drive_c")):
        gog = create_files(drive / "GOG Games" / "TR 3", "DATA/JUNGLE.TR2")
        disc = create_files(drive / "Program Files (x86)" / "Core Design" / "Chronicles", "data/andrea1.trc")
        environ = {"SystemDrive": str(drive), "ProgramFiles(x86)": str(drive / "Program Files (x86)")}
        assert find_games(usual_folders(tmp_path, system, environ)) == {Game.TR3: gog, Game.TR5: disc}


def test_a_folder_is_a_games_by_its_levels(tmp_path: Path) -> None:
    game = create_files(tmp_path / "any name", "data/Level1.PHD")
    assert game_in(game) is game_in(game / "data") is Game.TR1
    assert game_in(create_files(tmp_path / "custom", "data/own.tr2")) is None
    assert game_in(tmp_path / "nowhere") is None


def test_files_next_to_the_level_precede_those_of_the_installed_game(tmp_path: Path) -> None:
    game = create_files(tmp_path / "game", "DATA/main.sfx", "tombpc.dat")
    level = create_files(tmp_path / "levels", "own.tr2") / "own.tr2"
    assert find_game_file(level, "MAIN.SFX") is None
    for folder in (game, game / "DATA"):
        assert (
            find_game_file(level, "MAIN.SFX", installed=partial(Path, folder)) == game / "DATA" / "main.sfx"
        )
        assert find_game_file(None, "TOMBPC.DAT", installed=partial(Path, folder)) == game / "tombpc.dat"
    create_files(tmp_path / "levels", "MAIN.SFX")
    assert find_game_file(level, "MAIN.SFX", installed=lambda: game) == tmp_path / "levels" / "MAIN.SFX"
