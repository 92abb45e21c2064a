"""Tests of the paths in projects."""

from __future__ import annotations

from pathlib import Path

import pytest

from io_tomb_raider.formats.editors.projects.compile.plan.paths import ProjectPaths, moved_folder
from io_tomb_raider.formats.editors.projects.compile.plan.resources import missing_files, paths_of
from io_tomb_raider.formats.editors.projects.model.settings import LevelTexture, Settings


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in (
        "Levels/Cave/cave.prj2",
        "Levels/Cave/Textures/Rock.PNG",
        "Game/Scripts/a.lua",
        "Wads/a.wad2",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    return tmp_path / "Levels/Cave/cave.prj2"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$(LevelDirectory)\\Textures\\Rock.PNG", "Levels/Cave/Textures/Rock.PNG"),
        ("$(LevelDirectory)/textures/rock.png", "Levels/Cave/Textures/Rock.PNG"),
        ("textures\\rock.png", "Levels/Cave/Textures/Rock.PNG"),
        ("..\\..\\wads\\A.WAD2", "Wads/a.wad2"),
        ("$(GameDirectory)\\scripts\\a.lua", "Game/Scripts/a.lua"),
        ("$(ScriptDirectory)\\A.lua", "Game/Scripts/a.lua"),
        ("$(LevelDirectory)\\$(LevelName).prj2", "Levels/Cave/cave.prj2"),
        ("C:\\Users\\me\\cave\\Textures\\rock.png", "Levels/Cave/Textures/Rock.PNG"),
        ("/home/me/Textures/rock.png", "Levels/Cave/Textures/Rock.PNG"),
        ("$(EditorDirectory)\\Textures\\rock.png", "Levels/Cave/Textures/Rock.PNG"),
        ("C:\\other\\a.wad2", None),
        ("", None),
        ("Textures", None),  # a folder
        ("lost.png", None),
        ("..\\..\\..\\..\\..\\..\\..\\..\\..\\..\\lost.png", None),
        ("bad\0name.png", None),
    ],
)
def test_paths_are_found(text: str, expected: str | None, project: Path, tmp_path: Path) -> None:
    paths = ProjectPaths(project, game_directory="$(LevelDirectory)\\..\\..\\Game")
    found = paths.find(text)
    assert (None if found is None else found.resolve()) == (None if expected is None else tmp_path / expected)


def test_unknown_variables_stay(project: Path) -> None:
    paths = ProjectPaths(project, game_directory="$(GameDirectory)\\x", game_version=16)
    assert paths.expand("$(Nothing)\\$(EngineVersion)\\$(SoundEngineVersion)") == "$(Nothing)\\TRNG\\TR4"
    assert paths.expand("$(GameDirectory)") == "$(GameDirectory)\\x"
    assert ProjectPaths(None, first_wad="a\\hall.wad2").expand("$(LevelName)") == "hall"
    assert ProjectPaths(None).expand("$(LevelName) $(LevelDirectory)") == "Default $(LevelDirectory)"
    assert ProjectPaths(None, game_version=18).expand("$(EngineVersion)") == "TombEngine"


def test_moved_folders_hold_all_their_files(project: Path, tmp_path: Path) -> None:
    lost = "D:\\trle\\wads\\new\\a.wad2"
    assert ProjectPaths(project).find(lost) is None
    moved = moved_folder(lost, tmp_path / "Wads" / "a.wad2")
    assert moved.old == "D:/trle/wads/new" and moved.new == tmp_path / "Wads"
    (tmp_path / "Wads" / "b.wad").write_bytes(b"")
    paths = ProjectPaths(project, moved={moved.old: moved.new})
    assert paths.find(lost) == tmp_path / "Wads/a.wad2"
    assert paths.find("d:\\TRLE\\wads\\new\\B.WAD") == tmp_path / "Wads/b.wad"
    assert paths.find("D:\\trle\\wads\\newer\\a.wad2") is None


def test_a_moved_folder_excludes_the_equal_ends_of_both_paths(tmp_path: Path) -> None:
    moved = moved_folder("C:\\trle\\Wads\\a.wad", tmp_path / "wads" / "a.wad")
    assert moved.old == "C:/trle" and moved.new == tmp_path


def test_targets(project: Path, tmp_path: Path) -> None:
    paths = ProjectPaths(project, game_directory="$(LevelDirectory)")
    assert paths.target("$(GameDirectory)\\data\\$(LevelName).tr4") == project.parent / "data/cave.tr4"
    assert paths.target("$(EditorDirectory)\\a.tr4") is None
    assert paths.target("C:\\a.tr4") is None
    assert paths.target("out\\a.tr4") == project.parent / "out/a.tr4"


def test_missing_files_have_a_use(project: Path) -> None:
    settings = Settings(wads=["..\\..\\Wads\\a.wad2", "lost.wad", "lost.wad"])
    settings.textures = [LevelTexture(0, "lost.png"), LevelTexture(1, "Textures\\rock.png")]
    missing = missing_files(settings, paths_of(settings, project))
    assert [(each.path, str(each.use)) for each in missing] == [
        ("lost.png", "texture"),
        ("lost.wad", "objects"),
    ]
