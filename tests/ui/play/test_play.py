"""Tests of *Play*: an engine gets the current level, and users' files are not changed."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from io_tomb_raider.formats import ExportError, read_level
from io_tomb_raider.ui.play import operators
from io_tomb_raider.ui.play.engine import Run, arguments_of, make_level_file
from tests.scene.scenes import objects

from ..preferences.enabled import enabled
from ..recorder import Layout
from ..user_actions import import_file, import_sample, in_view, sample_file

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


def test_an_engine_plays_the_edited_scene(user: Any, tmp_path: Path) -> None:
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
    operators.draw_engine(layout)
    assert layout.labels == []  # of an engine that ended well, nothing is left to say


def test_an_engine_that_fails_is_reported(user: Any, tmp_path: Path) -> None:
    import_sample(tmp_path)
    user.tr1.command = engine(tmp_path, code=3)
    bpy.ops.tomb_raider.play_level()
    assert wait().code == 3
    layout: Any = Layout()
    operators.draw_engine(layout)
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
def test_invalid_commands_are_refused_and_leave_no_file(
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


def test_levels_are_written_to_another_folder_if_that_of_the_original_is_not_writable(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for folder in ("", str(tmp_path / "nowhere"), str(tmp_path / "file")):
        (tmp_path / "file").write_bytes(b"")
        made = make_level_file(folder, "Level.TR4", str(other))
        assert made.parent == other and made.suffix == ".TR4" and made.is_file()


def played_lara(folder: Path) -> tuple[int, ...]:
    """Return place, room and yaw of Lara in the level that the engine got."""
    record = read_level(folder / "seen").entities[0]
    return tuple(int(record[name]) for name in ("x", "y", "z", "room", "angle"))


def test_play_from_here_moves_only_lara_and_only_in_the_temporary_file(user: Any, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    user.tr1.command = engine(tmp_path)
    before = read_level(sample_file(tmp_path, "tr1", "copy.phd"))
    guard = objects(root, "ENTITY")[2]
    number, here = guard.tomb_raider.index, guard.matrix_world.translation.copy()
    places = [obj.matrix_world.copy() for obj in root.all_objects]
    bpy.context.scene.cursor.location = here + Vector((0.0, 0.0, 0.1))
    with in_view():
        view = bpy.context.space_data.region_3d
        for ahead, angle in (((1, 0, -0.3), 0x4000), ((0, 1, 0.2), 0), ((-1, 0, 0), -0x4000)):
            view.view_rotation = Vector(ahead).to_track_quat("-Z", "Y")
            assert bpy.ops.tomb_raider.play_from_here() == {"FINISHED"}
            wait()
            record = before.entities[number]
            place = tuple(int(record[name]) for name in ("x", "y", "z", "room"))
            assert played_lara(tmp_path)[:4] == place
            assert (played_lara(tmp_path)[4] - angle + 2) % 0x10000 <= 4
    assert [obj.matrix_world for obj in root.all_objects] == places
    played = read_level(tmp_path / "seen")
    played.entities = np.concatenate([before.entities[:1], played.entities[1:]])
    assert played.to_bytes() == before.to_bytes()
    assert bpy.ops.tomb_raider.play_level() == {"FINISHED"}  # the level itself was not changed
    wait()
    assert (tmp_path / "seen").read_bytes() == before.to_bytes()


def test_playing_from_outside_of_rooms_is_refused(user: Any, tmp_path: Path) -> None:
    path = sample_file(tmp_path)
    import_file(path)
    user.tr1.command = "engine {level}"
    bpy.context.scene.cursor.location = (1000.0, 0.0, 0.0)
    with pytest.raises(RuntimeError, match="there is no room at the 3D cursor"):
        bpy.ops.tomb_raider.play_from_here()
    assert list(tmp_path.iterdir()) == [path] and operators.last_run() is None


def test_a_script_loads_the_level_in_open_tomb(user: Any, tmp_path: Path) -> None:
    home = tmp_path / "levels"
    home.mkdir()
    path = sample_file(home)
    import_file(path)
    user.tr1.command = engine(tmp_path).replace("{level}", "{script}")
    assert bpy.ops.tomb_raider.play_level() == {"FINISHED"}
    run = wait()
    assert f'loadMap("{run.level.as_posix()}");' in (tmp_path / "seen").read_text("utf-8")
    assert list(home.iterdir()) == [path]


def test_original_games_play_it_in_place_of_their_own_level(user: Any, tmp_path: Path) -> None:
    game = tmp_path / "game"
    data = game / "data"
    data.mkdir(parents=True)
    own = sample_file(data, "tr2", "wall.tr2")
    before = own.read_bytes()
    root = import_sample(tmp_path, "tr2", "WALL.TR2")
    objects(root, "ENTITY")[1].location.x += 1
    user.tr2.folder = str(game)
    script = tmp_path / "game.py"
    script.write_text(f"import shutil; shutil.copyfile({str(own)!r}, {str(tmp_path / 'seen')!r})")
    user.tr2.command = f'"{sys.executable}" "{script}" {{installed}}'
    assert bpy.ops.tomb_raider.play_level() == {"FINISHED"}
    wait()
    assert (tmp_path / "seen").read_bytes() != before and own.read_bytes() == before
    assert list(data.iterdir()) == [own]
    # A copy that was kept when Blender ended early is the original.
    own.rename(data / "wall.tr2.original")
    own.write_bytes(b"another level")
    assert bpy.ops.tomb_raider.play_level() == {"FINISHED"}
    wait()
    assert own.read_bytes() == before and list(data.iterdir()) == [own]
    user.tr2.command = "/nowhere/tomb2.exe {installed}"
    with pytest.raises(RuntimeError, match="No such file"):
        bpy.ops.tomb_raider.play_level()
    assert own.read_bytes() == before and list(data.iterdir()) == [own]
    own.rename(data / "other.tr2")
    with pytest.raises(RuntimeError, match=r"has no level WALL\.TR2"):
        bpy.ops.tomb_raider.play_level()


def test_presets_are_commands_that_can_be_edited(user: Any, tmp_path: Path) -> None:
    preset = bpy.ops.tomb_raider.engine_preset
    for name, command in (
        ("TRX", "TRX -l {level}"),
        ("OPEN_LARA", "OpenLara {level}"),
        ("OPEN_TOMB", "OpenTomb -autoexec {script}"),
    ):
        assert preset(game="TR1", preset=name) == {"FINISHED"} and user.tr1.command == command
        assert arguments_of(command, "a.phd")[0] == command.split()[0]
    user.tr4.folder = str(tmp_path)
    assert preset(game="TR4", preset="ORIGINAL") == {"FINISHED"}
    assert arguments_of(user.tr4.command, "a.tr4") == [str(tmp_path / "tomb4.exe")]
    assert preset(game="TR4", preset="TRX") == {"FINISHED"} and user.tr4.command == "TRX -l {level}"
    with pytest.raises(RuntimeError, match="TRX plays levels of TR1 to TR4"):
        preset(game="TR5", preset="TRX")
