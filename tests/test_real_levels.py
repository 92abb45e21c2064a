"""Tests of the helper that finds real files, with and without any."""

import os
from pathlib import Path

import pytest

from . import real_levels


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with levels and other files, which the variable names."""
    for name in (
        "a.PHD",
        "levels/b.tr4",
        "more_levels/c.tr2",
        "trx/d.phd",
        "files/script.dat",
        "files/logo.pak",
        "readme.txt",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    monkeypatch.setenv(real_levels.VARIABLE, str(tmp_path))
    return tmp_path


def test_folders_and_single_files_are_taken_from_the_environment(
    files: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    single = tmp_path_factory.mktemp("other") / "e.trc"
    single.write_bytes(b"")
    monkeypatch.setenv(real_levels.VARIABLE, os.pathsep.join([str(single), str(files)]))
    assert [path.name for path in real_levels.real_levels()] == ["e.trc", "a.PHD", "b.tr4", "c.tr2"]


@pytest.mark.usefixtures("files")
def test_other_files_are_in_a_folder_of_their_kind() -> None:
    assert [path.name for path in real_levels.real_files()] == ["logo.pak", "script.dat"]
    assert [path.name for path in real_levels.real_files(".dat")] == ["script.dat"]
    assert [path.name for path in real_levels.real_injections()] == ["d.phd"]
    assert real_levels.real_projects() == real_levels.real_motions() == []


@pytest.mark.parametrize("value", ["", os.devnull, "missing"])
def test_a_folder_that_is_not_there_gives_nothing(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(real_levels.VARIABLE, value)
    assert real_levels.real_levels() == []
    assert real_levels.real_files() == []


def test_without_the_variable_there_are_no_real_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(real_levels.VARIABLE, raising=False)
    assert real_levels.real_levels() == []
    assert real_levels.real_files() == []
