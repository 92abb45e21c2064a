"""Tests of *Play*: an engine gets the current level, and users' files are not changed."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import ExportError, read_level
from io_tomb_raider.ui.play import operators
from io_tomb_raider.ui.play.engine import Run, arguments_of, make_level_file

from ..preferences.enabled import enabled
from ..recorder import Layout
from ..user_actions import import_file, import_sample, sample_file

ENGINE = """
import pathlib, shutil, sys
shutil.copyfile(sys.argv[2], {seen!r})
print("playing", pathlib.Path(sys.argv[2]).name, flush=True)
sys.exit({code})
"""


@pytest.fixture
def user(blender: ModuleType) -> Any:
    with enabled() as settings:
        yield settings
    operators._runs.clear()


def engine(folder: Path, code: int = 0) -> str:
    """Write an engine that keeps its level, and return its command."""
    script = folder / "my engine.py"
    script.write_text(ENGINE.format(seen=str(folder / "seen"), code=code))
    return f'"{sys.executable}" "{script}" --level {{level}}'


def wait() -> Run:
    """Wait until the engine has ended, and call the timer's function."""
    run = operators.last_run()
    assert run is not None
    end = time.monotonic() + 30
    while operators.update() is not None and time.monotonic() < end:
        time.sleep(0.01)
    return run


def test_an_engine_plays_what_is_in_the_scene(user: Any, tmp_path: Path) -> None:
    home = tmp_path / "levels"
    home.mkdir()
    path = sample_file(home)
    before = path.read_bytes()
    root = import_file(path)
    user.tr1.command = engine(tmp_path)
    room = next(obj for obj in root.all_objects if obj.tomb_raider.kind == "ROOM")
    room.data.vertices[0].co.z += 1
    assert bpy.ops.tomb_raider.play_level() == {"FINISHED"}
    run = wait()
    assert run.code == 0 and run.level.parent == home and run.level.name.startswith("LEVEL1_play_")
    played = (tmp_path / "seen").read_bytes()
    assert played != before and len(read_level(played).rooms) == len(read_level(before).rooms)
    # The user's level is unchanged and alone in its folder, and export settings are unchanged.
    assert list(home.iterdir()) == [path] and path.read_bytes() == before
    assert root.tomb_raider.target == "" and root.tomb_raider.folder == str(home)
    assert bpy.ops.tomb_raider.show_engine_output() == {"FINISHED"}
    assert bpy.data.texts["Engine Output"].as_string().startswith(f"playing {run.level.name}")
    layout: Any = Layout()
    operators.draw_play(layout, root)
    assert layout.labels == ["LEVEL1.PHD was played"]


def test_an_engine_that_fails_is_told(user: Any, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    user.tr1.command = engine(tmp_path, code=3)
    bpy.ops.tomb_raider.play_level()
    assert wait().code == 3
    layout: Any = Layout()
    operators.draw_play(layout, root)
    assert layout.labels == ["The engine failed: exit code 3"]


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("", "No engine is set: enter the command of one for this game in the preferences"),
        ("engine --level", "its command lacks {level}"),
        ('"engine {level}', "its command has an unmatched quotation mark"),
        ("/nowhere/engine {level}", "No such file or directory: /nowhere/engine"),
    ],
)
def test_what_is_wrong_is_said_and_leaves_nothing(
    user: Any, tmp_path: Path, command: str, problem: str
) -> None:
    path = sample_file(tmp_path)
    import_file(path)
    user.tr1.command = command
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.tomb_raider.play_level()
    assert problem in str(caught.value)
    assert list(tmp_path.iterdir()) == [path] and operators.last_run() is None
    assert not bpy.ops.tomb_raider.show_engine_output.poll()


def test_commands_become_programs_and_arguments() -> None:
    level = 'C:\\my games\\a "b" $(c).phd'
    assert arguments_of("engine -l {level}", level) == ["engine", "-l", level]
    assert arguments_of("'my engine' --level={level} # 1", level) == [
        "my engine",
        f"--level={level}",
        "#",
        "1",
    ]
    windows = '"C:\\Program Files\\TR1X\\TR1X.exe" -l {level}'
    assert arguments_of(windows, level, windows=True) == ["C:\\Program Files\\TR1X\\TR1X.exe", "-l", level]
    with pytest.raises(ExportError):
        arguments_of("{level}", level)  # a level is no program


def test_levels_go_elsewhere_where_the_original_cannot_be_written_beside(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for folder in ("", str(tmp_path / "nowhere"), str(tmp_path / "file")):
        (tmp_path / "file").write_bytes(b"")
        made = make_level_file(folder, "Level.TR4", str(other))
        assert made.parent == other and made.suffix == ".TR4" and made.is_file()
