"""Tests of the helper that finds real files, with and without any."""

import os
from pathlib import Path

import pytest

from . import real_levels


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder with levels and other files."""
    for name in ("a.PHD", "b.tr4", "script.dat", "logo.pak", "readme.txt"):
        (tmp_path / name).write_bytes(b"")
    return tmp_path


def test_folders_and_single_files_are_taken_from_the_environment(
    files: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    single = tmp_path_factory.mktemp("other") / "c.trc"
    single.write_bytes(b"")
    monkeypatch.setenv("TOMB_RAIDER_LEVELS", os.pathsep.join([str(single), str(files)]))
    assert [path.name for path in real_levels.real_levels()] == ["c.trc", "a.PHD", "b.tr4"]


def test_other_files_are_chosen_by_suffix(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOMB_RAIDER_FILES", str(files))
    assert [path.name for path in real_levels.real_files(".dat", ".pak")] == ["logo.pak", "script.dat"]
    assert len(real_levels.real_files()) == 5


def test_both_folders_next_to_the_checkout_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOMB_RAIDER_LEVELS", raising=False)
    monkeypatch.setattr(real_levels, "ROOT", tmp_path / "checkout")
    for folder, name in (("levels", "a.phd"), ("more_levels", "b.tr2")):
        (tmp_path / "shared" / folder).mkdir(parents=True)
        (tmp_path / "shared" / folder / name).write_bytes(b"level")
    assert [path.name for path in real_levels.real_levels()] == ["a.phd", "b.tr2"]


def test_a_folder_that_is_not_there_gives_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOMB_RAIDER_LEVELS", raising=False)
    monkeypatch.delenv("TOMB_RAIDER_FILES", raising=False)
    monkeypatch.setattr(real_levels, "ROOT", tmp_path / "checkout")
    assert real_levels.real_levels() == []
    assert real_levels.real_files() == []
