"""Writing files: errors and accidents leave the old file unchanged, and no other file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, Game, Level, read_level, write_level
from tests.games import each_game
from tests.sample_levels import sample_bytes

# --- Limits of files ---------------------------------------------------------------------------


def _too_many_rooms(level: Level) -> None:
    level.rooms = level.rooms[:1] * 0x10000


def _too_many_vertices(level: Level) -> None:
    level.rooms[0].vertices = np.zeros(0x10000, level.rooms[0].vertices.dtype)


def _too_many_portals(level: Level) -> None:
    level.rooms[0].portals = np.zeros(0x10000, level.rooms[0].portals.dtype)


def _too_large_a_flag(level: Level) -> None:
    level.rooms[0].flags = 0x10000


def _too_few_sectors(level: Level) -> None:
    level.rooms[0].sectors = level.rooms[0].sectors[:-1]


def _too_short_a_palette(level: Level) -> None:
    level.palette = level.palette[:255]


def _other_pages(level: Level) -> None:
    level.textiles16 = level.textiles16[:-1]


def _half_a_word(level: Level) -> None:
    level.mesh_data = level.mesh_data[:-1]


def _too_short_a_sound_map(level: Level) -> None:
    level.sound_map = level.sound_map[:-1]


def _too_long_a_demo(level: Level) -> None:
    level.demo_data = np.zeros(0x10000, np.uint8)


TOO_MUCH = {
    "rooms": (Game.TR1, _too_many_rooms, 0x10000),
    "vertices": (Game.TR1, _too_many_vertices, 0x10000),
    "portals": (Game.TR3, _too_many_portals, 0x10000),
    "flags": (Game.TR4, _too_large_a_flag, None),
    "sectors": (Game.TR2, _too_few_sectors, None),
    "palette": (Game.TR1, _too_short_a_palette, 255),
    "pages": (Game.TR2, _other_pages, None),
    "meshes": (Game.TR1, _half_a_word, None),
    "sound map": (Game.TR4, _too_short_a_sound_map, 369),
    "demo": (Game.TR5, _too_long_a_demo, 0x10000),
    "portals of TR5": (Game.TR5, _too_many_portals, 0x10000),
    "flags of TR5": (Game.TR5, _too_large_a_flag, None),
    "sectors of TR5": (Game.TR5, _too_few_sectors, None),
}


@pytest.mark.parametrize("case", TOO_MUCH)
def test_values_that_do_not_fit_leave_the_old_file_unchanged(case: str, tmp_path: Path) -> None:
    game, spoil, count = TOO_MUCH[case]
    path = tmp_path / "level.dat"
    path.write_bytes(b"the old file")
    level = read_level(sample_bytes(game))
    spoil(level)
    with pytest.raises(ExportError) as caught:
        write_level(level, path)
    assert path.read_bytes() == b"the old file"
    assert os.listdir(tmp_path) == ["level.dat"]
    if count is not None:
        assert caught.value.count == count


@each_game
def test_zones_must_be_as_many_as_boxes(game: Game, tmp_path: Path) -> None:
    level = read_level(sample_bytes(game))
    level.boxes = level.boxes[:-1]
    with pytest.raises(ExportError):
        write_level(level, tmp_path / "level.dat")


@each_game
def test_writes_to_a_new_place_and_over_an_old_file(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "level.dat"
    level = read_level(sample_bytes(game))
    write_level(level, path)
    assert path.read_bytes() == sample_bytes(game)
    path.chmod(0o640)
    level.entities = level.entities[:-1]
    write_level(level, str(path))
    assert path.read_bytes() == level.to_bytes()
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["level.dat"]


def test_a_folder_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_level(read_level(sample_bytes(Game.TR1)), tmp_path / "missing" / "level.phd")


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_disk_that_fails_leaves_the_old_file_and_no_other(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "level.phd"
    path.write_bytes(b"the old file")

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="No space left"):
        write_level(read_level(sample_bytes(Game.TR1)), path)
    assert path.read_bytes() == b"the old file"
    assert os.listdir(tmp_path) == ["level.phd"]


# Writes a level over an old file, with an accident that Python code cannot handle.
_WRITER = """
import os, signal, sys
from contextlib import nullcontext
from io_tomb_raider.formats import read_level, write_level
from tests.full_disk import full_disk
kind, source, target = sys.argv[1:]
if kind == "killed":
    os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
try:
    with full_disk(1000) if kind == "no room" else nullcontext():
        write_level(read_level(open(source, "rb").read()), target)
except OSError as error:
    sys.exit(f"{error.strerror}: {error.filename}")
"""


@pytest.mark.skipif(os.name == "nt", reason="signals and limits of a process are Unix's")
@pytest.mark.parametrize("accident", ["killed", "no room"])
def test_accidents_in_the_middle_leave_the_old_file(accident: str, tmp_path: Path) -> None:
    """Kill a real process, and use a disk with space for only the first bytes."""
    source, folder = tmp_path / "source.phd", tmp_path / "game"
    source.write_bytes(sample_bytes(Game.TR1))
    folder.mkdir()
    target = folder / "level.phd"
    target.write_bytes(b"the old file")
    ended = subprocess.run(
        [sys.executable, "-c", _WRITER, accident, str(source), str(target)],
        cwd=Path(__file__).resolve().parents[4],
        capture_output=True,
        text=True,
    )
    assert target.read_bytes() == b"the old file"
    if accident == "killed":
        assert ended.returncode == -signal.SIGKILL
    else:
        assert ended.stderr.strip() == f"File too large: {target}"
        assert os.listdir(folder) == ["level.phd"]


@pytest.mark.skipif(
    os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() == 0,
    reason="whoever is root may write anywhere",
)
def test_a_folder_that_may_not_be_written_is_an_error_of_the_system(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError):
            write_level(read_level(sample_bytes(Game.TR1)), tmp_path / "level.phd")
    finally:
        tmp_path.chmod(0o700)


def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    target = tmp_path / "far" / "level.phd"
    target.parent.mkdir()
    target.write_bytes(b"the old file")
    link = tmp_path / "link.phd"
    link.symlink_to(target)
    write_level(read_level(sample_bytes(Game.TR1)), link)
    assert link.is_symlink()
    assert target.read_bytes() == sample_bytes(Game.TR1)
    assert os.listdir(target.parent) == ["level.phd"]
    target.unlink()
    write_level(read_level(sample_bytes(Game.TR2)), link)
    assert link.is_symlink()
    assert target.read_bytes() == sample_bytes(Game.TR2)


def test_a_file_that_is_write_protected_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "level.phd"
    path.write_bytes(b"the old file")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match=r"write-protected.*level\.phd"):
        write_level(read_level(sample_bytes(Game.TR1)), path)
    assert path.read_bytes() == b"the old file"
    assert os.listdir(tmp_path) == ["level.phd"]


@pytest.mark.parametrize("step", ["mkstemp", "replace"])
def test_errors_name_the_users_path(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors do not name the temporary file, which users do not know."""
    folder = tmp_path / "missing"
    with pytest.raises(FileNotFoundError, match="folder is not there") as caught:
        write_level(read_level(sample_bytes(Game.TR1)), folder / "level.phd")
    assert caught.value.filename == str(folder)

    def fail(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied", ".io_tomb_raider.1234")

    monkeypatch.setattr(tempfile if step == "mkstemp" else os, step, fail)
    with pytest.raises(PermissionError) as caught_again:
        write_level(read_level(sample_bytes(Game.TR1)), tmp_path / "level.phd")
    expected = {"mkstemp": tmp_path, "replace": tmp_path / "level.phd"}[step]
    assert caught_again.value.filename == str(expected)
    assert os.listdir(tmp_path) == []


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="folder of this name"):
        write_level(read_level(sample_bytes(Game.TR1)), tmp_path)
