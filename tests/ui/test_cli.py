"""The command line, whose commands need no window."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.ui import cli
from tests.real_levels import each_real_level
from tests.sample_levels import SAMPLES, sample_bytes, sample_level

from .scenes import import_file, sample_file, things

Captured = pytest.CaptureFixture[str]


def test_info_tells_what_a_level_holds(blender: ModuleType, tmp_path: Path, capsys: Captured) -> None:
    paths = [sample_file(tmp_path, "tr2-demo", "a.tr2"), sample_file(tmp_path, "tr4", "b.tr4")]
    assert cli.run(["info", *map(str, paths)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{paths[0]}: TR2, demo: 4 rooms, 8 models, ")
    assert second.startswith(f"{paths[1]}: TR4, retail: 4 rooms, 8 models, ")


@pytest.mark.parametrize("sample", SAMPLES)
def test_check_tells_whether_the_bytes_are_the_same(
    blender: ModuleType, tmp_path: Path, capsys: Captured, sample: str
) -> None:
    path = sample_file(tmp_path, sample)
    for arguments in (["check"], ["check", "--scene"]):
        assert cli.run([*arguments, str(path)]) == 0
        told = f"{path}: writing gives the same {path.stat().st_size} bytes\n"
        assert told in capsys.readouterr().out


@each_real_level
def test_check_by_way_of_a_scene_holds_for_real_levels(blender: ModuleType, level_path: Path) -> None:
    assert cli.run(["check", "--scene", str(level_path)]) == 0


def test_check_tells_where_other_bytes_come_out(
    blender: ModuleType, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sample_file(tmp_path)
    changed = bytearray(path.read_bytes())
    changed[1234] ^= 1
    monkeypatch.setattr(cli, "_by_way_of_a_scene", lambda _path: bytes(changed))
    assert cli.run(["check", "--scene", str(path)]) == 1
    assert capsys.readouterr().err == f"{path}: {path.name}: what is written differs from byte 1234 on\n"


def test_a_damaged_level_is_reported_and_the_others_are_done(
    blender: ModuleType, tmp_path: Path, capsys: Captured
) -> None:
    good, bad = sample_file(tmp_path, "tr1"), tmp_path / "bad.tr2"
    bad.write_bytes(sample_bytes(Game.TR2)[:-1000])
    assert cli.run(["info", str(bad), str(tmp_path / "nowhere"), str(good)]) == 1
    told = capsys.readouterr()
    assert told.out.startswith(f"{good}: TR1")
    assert told.err.startswith(f"{bad}: the file ends too early: ")
    assert "No such file or directory" in told.err


def test_levels_become_blend_files_and_levels_again(
    blender: ModuleType, tmp_path: Path, capsys: Captured
) -> None:
    path, blend, again = sample_file(tmp_path, "tr3"), tmp_path / "level.blend", tmp_path / "again.tr2"
    assert cli.run(["import", str(path), str(blend)]) == 0
    assert cli.run(["export", str(blend), str(again)]) == 0
    assert again.read_bytes() == path.read_bytes()
    assert f"{again}: nothing was changed" in capsys.readouterr().out
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    things(root, "ROOM")[0].data.vertices[0].co.z += 1
    import_file(sample_file(tmp_path, "tr1"))
    bpy.ops.wm.save_mainfile()
    assert cli.run(["export", str(blend), str(again), "--collection", root.name]) == 0
    assert f"{again}: changed 1 room" in capsys.readouterr().out
    assert again.read_bytes() != path.read_bytes()


def test_what_cannot_be_opened_or_saved_is_reported(
    blender: ModuleType, tmp_path: Path, capsys: Captured
) -> None:
    path = sample_file(tmp_path)
    assert cli.run(["export", str(tmp_path / "nowhere.blend"), str(tmp_path / "out")]) == 1
    assert cli.run(["export", str(path), str(tmp_path / "out")]) == 1
    assert cli.run(["import", str(path), str(tmp_path / "nowhere" / "level.blend")]) == 1
    assert len(capsys.readouterr().err.splitlines()) >= 3
    assert not (tmp_path / "out").exists()


def test_what_is_left_out_of_an_import_is_not_in_the_blend_file(
    blender: ModuleType, tmp_path: Path, capsys: Captured
) -> None:
    path, blend, again = sample_file(tmp_path, "tr4"), tmp_path / "level.blend", tmp_path / "again.tr4"
    assert cli.run(["import", str(path), str(blend), "--without", "lights", "--without", "entities"]) == 0
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    kinds = {thing.tomb_raider.kind for thing in bpy.data.objects}
    assert not kinds & {"LIGHT", "ENTITY", "AI_OBJECT"}
    assert kinds >= {"ROOM", "PORTAL", "CAMERA"}
    assert cli.run(["export", str(blend), str(again)]) == 0
    assert again.read_bytes() == path.read_bytes()
    assert cli.run(["import", str(path), str(blend), "--without", "everything"]) == 2
    assert "'rooms', 'lights'" in capsys.readouterr().err.replace('"', "'")


def test_every_room_is_drawn(blender: ModuleType, tmp_path: Path, capsys: Captured) -> None:
    """The camera is in the room, and the light of its vertices is seen."""
    level = sample_level(Game.TR1)
    path, means = tmp_path / "level.phd", []
    level.rooms = level.rooms[:1]
    for light in (6000, 4000):
        level.rooms[0].vertices["light"] = light
        path.write_bytes(level.to_bytes())
        assert cli.run(["render", str(path), "--rooms", str(tmp_path / "rooms")]) == 0
        assert "drew 1 rooms" in capsys.readouterr().out
        image: Any = bpy.data.images.load(str(tmp_path / "rooms" / "room_000.png"))
        assert tuple(image.size) == (480, 360)
        means.append(np.array(image.pixels[:]).reshape(-1, 4)[:, :3].mean())
        bpy.data.images.remove(image)
    dark, bright = means
    assert 0.05 < dark
    assert bright / dark == pytest.approx((8191 - 4000) / (8191 - 6000), rel=0.1)


def test_a_wrong_command_line_is_explained(blender: ModuleType, capsys: Captured) -> None:
    for arguments in ([], ["nonsense"], ["info"], ["export", "a.blend"]):
        assert cli.run(arguments) == 2
        assert "usage: blender --command tomb_raider" in capsys.readouterr().err
    assert cli.run(["--help"]) == 0
    assert "check" in capsys.readouterr().out
