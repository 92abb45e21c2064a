"""Tests of the commands of the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game, read_level, write_level
from io_tomb_raider.formats.editors.projects.model.project import Project
from io_tomb_raider.scene.assets.pictures import models, overview
from io_tomb_raider.ui.command_line import check, commands
from io_tomb_raider.ui.command_line import main as cli
from tests.animation_samples import anim_file, trw_file
from tests.prj_samples import PackedPrj
from tests.real_levels import each_real_level
from tests.sample_levels import SAMPLES, sample_bytes, sample_level
from tests.sample_projects import old_project, old_room, project_file
from tests.scene.interop.exchange.glb import Glb
from tests.scene.scenes import objects
from tests.wad2_samples import leaf, node

from ..user_actions import import_sample, sample_file

Captured = pytest.CaptureFixture[str]


def test_info_is_a_table_or_json(blender: ModuleType, tmp_path: Path, capsys: Captured) -> None:
    paths = [sample_file(tmp_path, "tr2-demo", "a.tr2"), sample_file(tmp_path, "tr4", "b.tr4")]
    assert cli.run(["info", *map(str, paths)]) == 0
    head, first, second = capsys.readouterr().out.splitlines()
    titles = ("level", "game", "variant", "bytes", "rooms", "models", "animations", "static meshes")
    assert head.split() == [*" ".join(titles).split(), "entities"]
    assert first.split()[:3] == [str(paths[0]), "TR2", "demo"] and first.split()[4:6] == ["4", "8"]
    assert second.split()[1:3] == ["TR4", "retail"] and len(head.rstrip()) == len(first) == len(second)
    assert cli.run(["info", "--json", *map(str, paths)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["path"] for each in found] == [str(path) for path in paths]
    assert found[0]["bytes"] == paths[0].stat().st_size and found[1]["rooms"] == 4


def test_wildcards_are_expanded_and_a_terminal_shows_a_bar(
    blender: ModuleType, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("b.phd", "a.phd", "[x].phd"):
        sample_file(tmp_path, "tr1", name)
    pattern = str(tmp_path / "[ab].phd")
    assert commands.expanded([pattern, str(tmp_path / "[x].phd")]) == [
        str(tmp_path / name) for name in ("a.phd", "b.phd", "[x].phd")
    ]
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert cli.run(["check", pattern]) == 0
    output = capsys.readouterr()
    assert "] 1/2 a.phd" in output.err and "] 2/2 b.phd" in output.err and output.err.endswith("\r\033[K")
    assert output.out.count("writing gives the same") == 2
    assert cli.run(["check", str(tmp_path / "*.tr2")]) == 1
    assert "No such file" in capsys.readouterr().err


def test_check_reads_and_writes_single_animations_of_a_folder(
    blender: ModuleType, tmp_path: Path, capsys: Captured
) -> None:
    data = anim_file()
    (tmp_path / "b.anim").write_bytes(data)
    (tmp_path / "A.TRW").write_bytes(trw_file())
    sample_file(tmp_path, "tr1", "c.phd")
    (tmp_path / "notes.txt").write_text("none")
    assert cli.run(["check", str(tmp_path)]) == 0
    first, second, third = capsys.readouterr().out.splitlines()[:3]
    assert first == f"{tmp_path / 'A.TRW'}: writing gives the same {len(trw_file())} bytes" + (
        " (2 keys of 2 bones, 2 ticks per key)"
    )
    assert f"the same {len(data)} bytes (3 keys of 2 bones, 2 ticks per key)" in second
    assert "c.phd" in third
    other = data.replace(b"<X>-8.25</X>", b"<X>-08.250</X>")
    (tmp_path / "b.anim").write_bytes(other)
    assert cli.run(["check", str(tmp_path / "b.anim")]) == 0
    text = f"the text differs from byte {other.index(b'-08.250') + 1} on"
    assert f"writing gives the same numbers (3 keys of 2 bones, 2 ticks per key); {text}" in (
        capsys.readouterr().out
    )
    (tmp_path / "b.anim").write_bytes(data.replace(b"<X>-8.25</X>", b"<X>-8,25</X>"))
    (tmp_path / "A.TRW").write_bytes(trw_file()[:-1])
    assert cli.run(["check", str(tmp_path / "b.anim"), str(tmp_path / "A.TRW")]) == 1
    errors = capsys.readouterr().err
    assert "in X, line 28, at byte" in errors and "with a decimal point, such as 1.5, found -8,25" in errors
    assert "error: its state changes are damaged and left out" in errors


def test_check_reads_and_writes_projects_of_a_folder(
    blender: ModuleType, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = old_project()
    (tmp_path / "a.prj2").write_bytes(data)
    (tmp_path / "b.PRJ").write_bytes(PackedPrj([None]).to_bytes())
    damaged = project_file(node("TeRooms", old_room(0, objects=[leaf("TeMov4", b"\0")])))
    (tmp_path / "c.prj2").write_bytes(damaged)
    assert cli.run(["check", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    rules = [line for line in lines if line.startswith("  warning: ") and ": Tomb Editor " in line]
    assert "  warning: room 0: Tomb Editor" in "\n".join(rules)
    note = "  note: the level: one object of the unknown kind TeStrange is left out of the level"
    first, unknown, second, third, warning = (line for line in lines if line not in rules)
    assert unknown.startswith(note)
    same = f"writing gives the same {len(data)} bytes (4 rooms, 39 sectors, 39 faces, 4 moveables"
    assert first.startswith(f"{tmp_path / 'a.prj2'}: {same}")
    assert f"the same {len(damaged)} bytes" in third
    assert warning.startswith(
        "  warning: a part of TeRoom[0] is damaged and stays as it is (TeMov4 at byte 1"
    )
    assert second.startswith(f"{tmp_path / 'b.PRJ'}: it can be read (0 rooms")
    monkeypatch.setattr(Project, "to_bytes", lambda _: data[:900] + b"?" + data[901:])
    assert cli.run(["check", str(tmp_path / "a.prj2")]) == 1
    assert "the written file differs from byte 900 on" in capsys.readouterr().err


def test_diff_prints_sections_and_elements_without_blender(
    blender: ModuleType, tmp_path: Path, capsys: Captured
) -> None:
    level = read_level(sample_bytes(Game.TR4))
    old, new = tmp_path / "old.tr4", tmp_path / "new.tr4"
    write_level(level, old)
    level.entities = level.entities.copy()
    level.entities["x"][2] += 512
    vertices = level.rooms[1].vertices.copy()
    vertices["y"][:3] += 1
    level.rooms[1].vertices = vertices
    level.rooms[1].lights = level.rooms[1].lights[:0]
    write_level(level, new)
    folder = Path(__file__).parents[3]
    without = "import sys; sys.modules['bpy'] = None; sys.argv[0] = 'x'; import runpy; "
    without += "runpy.run_module('io_tomb_raider', run_name='__main__')"
    run = subprocess.run(
        [sys.executable, "-c", without, "diff", str(old), str(new)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    x = level.entities["x"][2]
    assert f"  2: x {x} instead of {x - 512}" in run.stdout.splitlines()
    assert "  1: vertices: 3 differ; lights: 2 fewer: 0 instead of 2" in run.stdout
    assert cli.run(["diff", str(old), str(old)]) == 0
    assert "the same contents" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform != "linux", reason="needs a shell")
@pytest.mark.parametrize(
    "line",
    [
        "check {0} {0} {0}",
        "check --json {0} {1}",
        "check --scene --json {0}",
        "diff --all {0} {1}",
        "diff --all --json {0} {1}",
        "info {0}",
        "info --json {0} {1}",
        "diff --help",
        "check --jobs 2 {0} {1}",
        "import --jobs 2 {0} {1} --only lights",
        "import {0} --only lights --json",
        "export {2} {2}.phd",
        "render {0} --overview {0}.png",
        "convert {0} --game TR2",
        "library {3} {3}/library --no-previews --only sounds",
    ],
)
def test_a_closed_pipe_gives_no_traceback(tmp_path: Path, line: str) -> None:
    paths = [sample_file(tmp_path, "tr1", name) for name in ("a.phd", "b.phd")]
    level = read_level(paths[1])
    level.floor_data = np.zeros(100_000, level.floor_data.dtype)
    write_level(level, paths[1])
    blend = tmp_path / "a.blend"
    if "{2}" in line:
        _import_in_process(paths[0], blend)
    command = f"{sys.executable} -m io_tomb_raider {line.format(*paths, blend, tmp_path)} | true"
    run = subprocess.run(
        ["/bin/sh", "-c", command], cwd=Path(__file__).parents[3], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in run.stderr and "Exception" not in run.stderr and "BrokenPipe" not in run.stderr


def _import_in_process(path: Path, blend: Path) -> None:
    program = [sys.executable, "-m", "io_tomb_raider", "import", str(path), str(blend), "--only", "rooms"]
    subprocess.run(program, cwd=Path(__file__).parents[3], check=True, capture_output=True)


def test_python_starts_blenders_module_itself(tmp_path: Path) -> None:
    path = sample_file(tmp_path, "tr1")
    program = [sys.executable, "-m", "io_tomb_raider", "import", str(path), "--only", "lights"]
    run = subprocess.run(
        program, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=False, timeout=300
    )
    assert run.returncode == 0, run.stderr
    assert f"saved as {path.with_suffix('.blend')}" in run.stdout and path.with_suffix(".blend").exists()


def test_import_takes_many_levels_a_scale_and_only_some_subjects(
    blender: ModuleType, tmp_path: Path, capsys: Captured
) -> None:
    paths = [sample_file(tmp_path, "tr1"), sample_file(tmp_path, "tr2")]
    folder = tmp_path / "blends"
    folder.mkdir()
    arguments = ["import", *map(str, paths), "--to", str(folder), "--scale", "1/1024", "--only", "triggers"]
    assert cli.run(arguments) == 0
    blends = sorted(folder.iterdir())
    assert [each.name for each in blends] == sorted(f"{path.stem}.blend" for path in paths)
    bpy.ops.wm.open_mainfile(filepath=str(blends[0]))
    root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    assert root.tomb_raider.scale == pytest.approx(1 / 1024)
    assert {obj.tomb_raider.kind for obj in root.all_objects} == {"ROOM", "TRIGGER"}
    assert cli.run(["import", *map(str, paths), str(tmp_path / "one.blend")]) == 2
    assert "one level" in capsys.readouterr().err


def test_check_prints_errors_and_warnings_of_files_and_scenes(
    blender: ModuleType, tmp_path: Path, capsys: Captured
) -> None:
    level = read_level(sample_bytes(Game.TR1))
    level.entities = level.entities.copy()
    level.entities["type"][2] = 999
    path, bad, blend = tmp_path / "a.phd", tmp_path / "bad.phd", tmp_path / "a.blend"
    write_level(level, path)
    assert cli.run(["check", str(path)]) == 0
    assert "  warning: entity 2: the level has no model" in capsys.readouterr().out
    level.entities["room"][2] = 99
    write_level(level, bad)
    assert cli.run(["check", str(bad), str(path)]) == 1
    output = capsys.readouterr()
    assert "  error: entity 2: it refers to room 99" in output.err and str(path) in output.out
    assert cli.run(["import", str(path), str(blend)]) == 0
    assert cli.run(["check", str(blend)]) == 0
    assert "no errors or warnings\n  note: " in capsys.readouterr().out


# After glTF exports, Blender 4.2 as a module sometimes crashes in a long run.
@pytest.mark.once
def test_convert_makes_gltf_files(blender: ModuleType, tmp_path: Path, capsys: Captured) -> None:
    path = sample_file(tmp_path, "tr1")
    assert cli.run(["convert", str(path), "--only", "rooms"]) == 0
    made = path.with_suffix(".glb").read_bytes()
    assert made[:4] == b"glTF" and b"Room 000" in made


@pytest.mark.once
def test_glb_files_of_levels_have_textures_light_and_animations(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path, "tr1")
    assert cli.run(["convert", str(path)]) == 0
    glb = Glb(path.with_suffix(".glb"))
    assert len(glb.json["images"]) and all(mesh["primitives"] for mesh in glb.json["meshes"])
    rooms = [each for each in glb.json["meshes"] if each["name"].startswith("Room")]
    assert rooms and all("COLOR_0" in p["attributes"] for room in rooms for p in room["primitives"])
    assert {"Lara 000 Run", "Wolf 000 Animation 0"} <= set(glb.names("animations"))
    assert len(glb.json["skins"]) == len([each for each in glb.names("nodes") if each.endswith(" Rig")])
    standing = [each for each in glb.json["nodes"] if each["name"].startswith("Wolf") and "mesh" in each]
    assert any("skin" not in each for each in standing)


def test_convert_makes_levels_of_another_game(blender: ModuleType, tmp_path: Path, capsys: Captured) -> None:
    path, kit = sample_file(tmp_path, "tr1", "a.phd"), sample_file(tmp_path, "tr4", "kit.tr4")
    target = tmp_path / "b.tr4"
    assert cli.run(["convert", str(path), str(target), "--kit", str(kit), "--game", "tr4"]) == 0
    output = capsys.readouterr().out
    assert f"converted to TR4, saved as {target}" in output
    assert "warning: Cinematic Frames: 2 are left out" in output
    assert read_level(target).game is Game.TR4
    # The suffix determines the game, if only one uses it.
    assert cli.run(["convert", str(path), str(tmp_path / "c.trc")]) == 0
    assert read_level(tmp_path / "c.trc").game is Game.TR5
    assert cli.run(["convert", str(path), str(tmp_path / "d.tr2")]) == 2
    assert ".TR2 is of TR2 and TR3" in capsys.readouterr().err
    assert cli.run(["convert", str(path), "--game", "TR2", "--to", str(tmp_path)]) == 0
    assert read_level(tmp_path / "a.TR2").game is Game.TR2
    for wrong in (["--format", "glb"], ["--only", "rooms"], ["--scale", "1"]):
        assert cli.run(["convert", str(path), "--game", "TR2", *wrong]) == 2
    assert cli.run(["convert", str(path), "--game", "TR1"]) == 1
    assert "it is already a level of TR1" in capsys.readouterr().err


@pytest.mark.parametrize("sample", SAMPLES)
def test_check_prints_that_the_bytes_are_the_same(
    blender: ModuleType, tmp_path: Path, capsys: Captured, sample: str
) -> None:
    path = sample_file(tmp_path, sample)
    for arguments in (["check"], ["check", "--scene"]):
        assert cli.run([*arguments, str(path)]) == 0
        output = f"{path}: writing gives the same {path.stat().st_size} bytes\n"
        assert output in capsys.readouterr().out


@each_real_level
def test_check_by_way_of_a_scene_holds_for_real_levels(
    blender: ModuleType, level_path: Path, capsys: Captured
) -> None:
    cli.run(["check", "--scene", str(level_path)])  # levels of other tools can have errors
    told = capsys.readouterr()
    assert "writing gives the same" in told.out + told.err


def test_check_prints_where_the_bytes_differ(
    blender: ModuleType, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sample_file(tmp_path)
    changed = bytearray(path.read_bytes())
    changed[1234] ^= 1
    monkeypatch.setattr(check, "_from_scene", lambda _path: bytes(changed))
    assert cli.run(["check", "--scene", str(path)]) == 1
    assert capsys.readouterr().err == f"{path}: {path.name}: the written file differs from byte 1234 on\n"


def test_a_damaged_level_is_reported_and_the_others_are_done(
    blender: ModuleType, tmp_path: Path, capsys: Captured
) -> None:
    good, bad = sample_file(tmp_path, "tr1"), tmp_path / "bad.tr2"
    bad.write_bytes(sample_bytes(Game.TR2)[:-1000])
    assert cli.run(["info", str(bad), str(tmp_path / "nowhere"), str(good)]) == 1
    output = capsys.readouterr()
    assert output.out.splitlines()[1].startswith(f"{good}  TR1")
    assert output.err.startswith(f"{bad}: the file ends too early: ")
    assert "No such file or directory" in output.err


def test_levels_become_blend_files_and_levels_again(
    blender: ModuleType, tmp_path: Path, capsys: Captured
) -> None:
    path, blend, again = sample_file(tmp_path, "tr3"), tmp_path / "level.blend", tmp_path / "again.tr2"
    assert cli.run(["import", str(path), str(blend)]) == 0
    assert cli.run(["export", str(blend), str(again)]) == 0
    assert again.read_bytes() == path.read_bytes()
    assert f"{again}: same as the original" in capsys.readouterr().out
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    objects(root, "ROOM")[0].data.vertices[0].co.z += 1
    import_sample(tmp_path, "tr1")
    bpy.ops.wm.save_mainfile()
    assert cli.run(["export", str(blend), str(again), "--collection", root.name]) == 0
    assert f"{again}: changed 1 room" in capsys.readouterr().out
    assert again.read_bytes() != path.read_bytes()


def test_files_that_cannot_be_opened_or_saved_are_reported(
    blender: ModuleType, tmp_path: Path, capsys: Captured
) -> None:
    path = sample_file(tmp_path)
    assert cli.run(["export", str(tmp_path / "nowhere.blend"), str(tmp_path / "out")]) == 1
    assert cli.run(["export", str(path), str(tmp_path / "out")]) == 1
    assert cli.run(["import", str(path), str(tmp_path / "nowhere" / "level.blend")]) == 1
    assert len(capsys.readouterr().err.splitlines()) >= 3
    assert not (tmp_path / "out").exists()


def test_subjects_left_out_of_an_import_are_not_in_the_blend_file(
    blender: ModuleType, tmp_path: Path, capsys: Captured
) -> None:
    path, blend, again = sample_file(tmp_path, "tr4"), tmp_path / "level.blend", tmp_path / "again.tr4"
    assert cli.run(["import", str(path), str(blend), "--without", "lights", "--without", "entities"]) == 0
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    kinds = {obj.tomb_raider.kind for obj in bpy.data.objects}
    assert not kinds & {"LIGHT", "ENTITY", "AI_OBJECT"}
    assert kinds >= {"ROOM", "PORTAL", "CAMERA"}
    assert cli.run(["export", str(blend), str(again)]) == 0
    assert again.read_bytes() == path.read_bytes()
    assert cli.run(["import", str(path), str(blend), "--without", "everything"]) == 2
    assert "'rooms', 'lights'" in capsys.readouterr().err.replace('"', "'")


def test_every_room_is_drawn(blender: ModuleType, tmp_path: Path, capsys: Captured) -> None:
    """The camera is in the room, and the light of its vertices is visible."""
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


def test_models_and_the_whole_level_are_drawn(
    blender: ModuleType, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model fills its picture, without a background; the level is shown without ceilings."""
    monkeypatch.setattr(models, "SIZE", (48, 48))
    monkeypatch.setattr(overview, "SIZE", (80, 50))
    path, folder, whole = sample_file(tmp_path, "tr4"), tmp_path / "models", tmp_path / "level.png"
    arguments = ["render", str(path), "--models", str(folder), "--named", "dog", "--named", "0"]
    assert cli.run([*arguments, "--overview", str(whole)]) == 0
    assert "drew 2 models" in capsys.readouterr().out
    assert sorted(each.name for each in folder.iterdir()) == ["model_000_Lara.png", "model_091_Dog.png"]
    pixels = pixels_of(folder / "model_000_Lara.png")
    rows, columns = np.nonzero(pixels[..., 3] > 0.5)
    assert max(np.ptp(rows), np.ptp(columns)) > 40, "it fills the picture"
    assert 0.05 < (pixels[..., 3] > 0.5).mean() < 0.7
    shown = pixels_of(whole)[..., :3]
    assert (shown.max(axis=2) > 0.1).mean() > 0.2
    # A white ceiling would be the brightest part of the picture, but is not visible.
    level = read_level(path.read_bytes())
    vertices = level.rooms[0].vertices
    vertices = level.rooms[0].vertices = vertices.copy()
    vertices["color"][vertices["y"] < -2500] = 0x7FFF
    path.write_bytes(level.to_bytes())
    assert cli.run(["render", str(path), "--overview", str(whole)]) == 0
    again = pixels_of(whole)[..., :3]
    assert abs(again.mean() - shown.mean()) < 0.1
    assert cli.run(["render", str(path)]) == 2
    assert cli.run(["render", str(path), "--overview", str(whole), "--named", "Lara"]) == 2
    assert cli.run(["render", str(path), "--models", str(folder), "--named", "nobody"]) == 1
    assert "no model with the name or id 'nobody'" in capsys.readouterr().err


def pixels_of(path: Path) -> Any:
    """Return the pixels of a picture, (rows, columns, 4)."""
    image: Any = bpy.data.images.load(str(path))
    width, height = image.size
    found = np.array(image.pixels[:]).reshape(height, width, 4)
    bpy.data.images.remove(image)
    return found
