"""Object files of level editors in a scene, and their export."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Quaternion

from io_tomb_raider.formats import ExportError, FormatError, Game
from io_tomb_raider.formats.editors.wads.object_files import open_objects, read_files
from io_tomb_raider.formats.editors.wads.wad2.level import wad2_to_level
from io_tomb_raider.formats.editors.wads.wad2.wad2 import read_wad2
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.interop.wads.files import write_objects
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.any_number import wad2_files
from tests.empty_scene import start_empty
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level, export_result
from tests.wad2_samples import differences, leb, number, sample_wad2, tree
from tests.wad_samples import sample_swd, sample_wad

from ...rig_tools import actions, armature
from ...scenes import UNIT, import_scene, mesh_of, objects


def _wad2(folder: Path) -> Any:
    """Return the level of the sample WAD2."""
    path = folder / "sample.wad2"
    path.write_bytes(sample_wad2())
    return import_level(path).root


def _written(root: Any, path: Path, *, rebuild: bool = False) -> tuple[bytes, Report]:
    """Return a level of the scene as an object file, and the report."""
    result = export_result(root, rebuild=rebuild)
    write_objects(root, result.level, path, result.report, result.extras)
    return path.read_bytes(), result.report


@pytest.mark.fuzz
@pytest.mark.once
@pytest.mark.parametrize("part", range(8))
def test_any_number_of_a_wad2_comes_back_or_is_refused(
    blender: ModuleType, tmp_path: Path, part: int
) -> None:
    """Each part has other files: together, each chunk is tried."""
    files = [*wad2_files()][part * 5 :: 83]
    count = 0
    for what, data in files:
        path = tmp_path / "any.wad2"
        path.write_bytes(data)
        start_empty()
        try:
            root = import_level(path).root
            written = _written(root, tmp_path / "out.wad2")[0]
        except (ExportError, FormatError) as error:
            assert str(error), what
            continue
        assert written == data, what
        count += 1
    assert count > 5


def test_an_untouched_wad2_comes_back_byte_for_byte(blender: ModuleType, tmp_path: Path) -> None:
    root = _wad2(tmp_path)
    assert [each.tomb_raider.model.id for each in objects(root, "MODEL")] == [0, 70]
    # It is for Tomb Engine, with other numbers; animations are named as in the file.
    assert [each.name for each in objects(root, "MODEL")] == ["Lara", "Model 70"]
    assert [each.name for each in actions(root, 0)] == ["Lara 000 RUN", "Lara 001 STOP", "Lara 002 old"]
    data, report = _written(root, tmp_path / "new.wad2")
    assert data == sample_wad2() and not report.warnings
    # The .blend contains all of it.
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    (tmp_path / "sample.wad2").unlink()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    assert _written(root, tmp_path / "again.wad2")[0] == sample_wad2()
    again, _ = _written(root, tmp_path / "rebuilt.wad2", rebuild=True)
    made = wad2_to_level(read_wad2(again))
    assert [each.id for each in made.moveables] == [0, 70] and len(made.images) == 5


def test_an_untouched_wad_is_written_unchanged_with_its_accompanying_files(
    blender: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "a.wad").write_bytes(sample_wad().to_bytes())
    (tmp_path / "a.swd").write_bytes(sample_swd().to_bytes())
    (tmp_path / "a.was").write_bytes(b"LARA:x.wad\r\n")
    root = import_level(tmp_path / "a.wad").root
    target = tmp_path / "new"
    target.mkdir()
    (target / "b.sam").write_bytes(b"mine.wav\n")
    _written(root, target / "b.wad")
    before, after = read_files(tmp_path / "a.wad"), read_files(target / "b.wad")
    assert {suffix: after[suffix] for suffix in before} == before
    assert after[".sam"] == b"mine.wav\n", "a list of sounds that is there is not replaced by an empty one"
    assert len(after[".sfx"]) == 748


def test_a_bone_that_is_turned_at_a_key_is_all_that_differs(blender: ModuleType, tmp_path: Path) -> None:
    root = _wad2(tmp_path)
    action = actions(root, 0)[1]
    rig = armature(root, 0)
    rig.animation_data.action = action
    bpy.context.scene.frame_set(2)  # the second key
    bone = rig.pose.bones[-1]
    bone.rotation_quaternion = Quaternion((1, 0, 0), 0.5) @ bone.rotation_quaternion
    bone.keyframe_insert("rotation_quaternion", frame=2)
    data, _ = _written(root, tmp_path / "new.wad2")
    key = "W2Moveables[0].W2Moveable[0].W2Ani3[1].W2Kf[1]."
    box = [f"{key}W2KfBB[0].W2BBMin[0]", f"{key}W2KfBB[0].W2BBMax[0]"]  # it follows the pose
    assert differences(sample_wad2(), data) == [*box, f"{key}W2KfA[1]"]
    # An import has the same pose.
    bpy.context.view_layer.update()
    seen = (rig.matrix_world @ bone.matrix).copy()
    bpy.ops.wm.read_homefile(use_empty=True)
    again = import_level(tmp_path / "new.wad2").root
    rig = armature(again, 0)
    rig.animation_data.action = actions(again, 0)[1]
    bpy.context.scene.frame_set(2)
    bpy.context.view_layer.update()
    found = rig.matrix_world @ rig.pose.bones[-1].matrix
    assert np.abs(np.array(found.to_3x3()) - np.array(seen.to_3x3())).max() < 0.01


def test_a_moved_vertex_and_a_renamed_id_are_written(blender: ModuleType, tmp_path: Path) -> None:
    root = _wad2(tmp_path)
    mesh_of(root, 2).vertices[0].co.x += 16 * UNIT
    objects(root, "MODEL")[1].tomb_raider.model.id = 75
    data, _ = _written(root, tmp_path / "new.wad2")
    made = wad2_to_level(read_wad2(data))
    assert [each.id for each in made.moveables] == [0, 75]
    moved, before = made.meshes[2], wad2_to_level(read_wad2(sample_wad2())).meshes[2]
    assert moved.vertices[0].tolist() == [round(float(before.vertices[0][0])) + 16, 50.5, -30.0]
    assert np.array_equal(moved.vertices[1:], before.vertices[1:])
    assert moved.polygons.tobytes() == before.polygons.tobytes()


@pytest.mark.parametrize("suffix", [".wad", ".wad2"])
def test_a_level_of_tr4_becomes_a_new_file_of_objects(
    blender: ModuleType, tmp_path: Path, suffix: str
) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    path = tmp_path / f"new{suffix}"
    level, report = export_level(root)
    write_objects(root, level, path, report)
    made = open_objects(read_files(path)).level
    assert made.models["id"].tolist() == sorted(level.models["id"].tolist())
    assert sorted(made.static_meshes["id"].tolist()) == sorted(level.static_meshes["id"].tolist())
    assert len(made.animations) == len(level.animations)
    assert len(made.sprite_sequences) == len(level.sprite_sequences)


def test_a_level_of_another_game_is_refused(blender: ModuleType, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    level, report = export_level(root)
    with pytest.raises(ExportError, match="append its objects"):
        write_objects(root, level, tmp_path / "new.wad2", report)


# --- What levels lack --------------------------------------------------------------------------

_CURVE = (0, 0.125, 1, 1, 0.3, 0, 0.6, 0.9)
_LINEAR = (0, 0, 1, 1, 0, 0, 1, 1)
_RUN = "W2Moveables[0].W2Moveable[0].W2Ani3[0]"


def test_blending_and_root_motion_are_shown(blender: ModuleType, tmp_path: Path) -> None:
    run, _, old = (each.tomb_raider for each in actions(_wad2(tmp_path), 0))
    assert run.blend_frames == 5 and np.allclose(run.blend_curve, _CURVE)
    axes = (run.root_motion_x, run.root_motion_y, run.root_motion_z, run.root_rotation)
    assert run.root_motion == 6 and axes == (False, True, True, False)
    shown = [(each.frame, each.last_target, each.blend_frames) for each in run.dispatches]
    assert shown == [(3, 5, 8), (1, 0, 6)]
    assert np.allclose(run.dispatches[1].blend_curve, _CURVE)
    assert (old.blend_frames, old.root_motion, tuple(old.blend_curve)) == (0, 0, _LINEAR)
    assert old.dispatches[0].last_target == -1


@pytest.mark.parametrize(
    ("path", "name", "value", "expected"),
    [
        ("", "blend_frames", 9, [""]),
        ("", "blend_curve", (0.0, 0.125, 1.0, 1.0, 0.3, 0.0, 0.6, 0.5), [".W2CurveHEnd[0]"]),
        ("", "root_rotation", True, [".W2AniRM[0]"]),
        ("", "state", 12, [""]),
        ("dispatches[1]", "blend_frames", 2, [".W2StCh[1].W2Disp2[0]"]),
        ("dispatches[0]", "last_target", 4, [".W2StCh[0].W2Disp2[0]"]),
        ("dispatches[0]", "blend_curve", _LINEAR, [".W2StCh[0].W2Disp2[0]"] * 3),
    ],
)
def test_an_edit_of_blending_is_all_that_differs(
    blender: ModuleType, tmp_path: Path, path: str, name: str, value: Any, expected: list[str]
) -> None:
    root = _wad2(tmp_path)
    settings = actions(root, 0)[0].tomb_raider
    row = settings.path_resolve(path) if path else settings
    setattr(row, name, value)
    data, report = _written(root, tmp_path / "new.wad2")
    found = differences(sample_wad2(), data)
    if len(expected) == 3:  # the two handles and the start of the curve
        names = [f"{_RUN}{expected[0]}.W2Curve{part}[0]" for part in ("Start", "HStart", "HEnd")]
        assert found == names
    else:
        assert found == [_RUN + each for each in expected]
    assert not report.warnings
    again = import_level(tmp_path / "new.wad2").root
    settings = actions(again, 0)[0].tomb_raider
    result = getattr(settings.path_resolve(path) if path else settings, name)
    assert np.allclose(result, value)


def test_blending_gives_an_older_animation_the_form_of_today(blender: ModuleType, tmp_path: Path) -> None:
    root = _wad2(tmp_path)
    settings = actions(root, 0)[2].tomb_raider
    settings.dispatches[0].blend_frames = 4
    data, _ = _written(root, tmp_path / "new.wad2")
    moveable = "W2Moveables[0].W2Moveable[0]."
    change = f"{moveable}W2Ani2[0].W2StCh[0]."
    assert differences(sample_wad2(), data) == [f"{change}W2Disp 1 -> 0", f"{change}W2Disp2 0 -> 1"]
    settings.blend_frames = 3
    data, _ = _written(root, tmp_path / "new.wad2")
    assert differences(sample_wad2(), data) == [f"{moveable}W2Ani2 1 -> 0", f"{moveable}W2Ani3 2 -> 3"]
    name, fields, parts = tree(data)[5][2][0][2][7]
    assert (name, list(fields)) == ("W2Ani3", [3, 1, 1, 0, 4, 3])
    assert [each[0] for each in parts] == ["W2AnmName", "W2Kf", "W2StCh", "W2AniV"]
    ((_, fields, _),) = parts[2][2]
    assert list(fields) == [0, 1, 0, 2, 2, 4], "the last target frame is the first one"


def test_a_new_state_change_has_one_target_frame(blender: ModuleType, tmp_path: Path) -> None:
    root = _wad2(tmp_path)
    rows = actions(root, 0)[0].tomb_raider.dispatches
    rows[0].frame, rows[0].last_target = 2, -1
    row = rows.add()
    row.state, row.low, row.high, row.frame, row.blend_frames = 8, 1, 2, 2, 7
    row.number = rows[1].number
    data, _ = _written(root, tmp_path / "new.wad2")
    changes = [each for each in tree(data)[5][2][0][2][5][2] if each[0] == "W2StCh"]
    assert [[list(part[1]) for part in each[2]] for each in changes] == [
        [[0, 2, 1, 2, 2, 8]],
        [[3, 4, 0, 1, 0, 6], [1, 2, 0, 2, 2, 7]],
    ]


def test_what_is_hidden_and_paths_of_textures_are_edited(blender: ModuleType, tmp_path: Path) -> None:
    before = sample_wad2().replace(b"\x0cW2TxtRelPath\x00", b"\x0cW2TxtRelPath\x05a.png", 1)
    (tmp_path / "paths.wad2").write_bytes(_resized(before))
    root = import_level(tmp_path / "paths.wad2").root
    body, head = (each.data.tomb_raider for each in armature(root, 0).children if each.parent_bone)
    assert (body.is_hidden, head.is_hidden) == (True, False)
    (row,) = root.tomb_raider.level.texture_paths
    assert (row.number, row.name, row.path) == (0, "", "a.png")
    assert _written(root, tmp_path / "new.wad2")[0] == (tmp_path / "paths.wad2").read_bytes()
    head.is_hidden, row.path = True, "b/c.png"
    data, _ = _written(root, tmp_path / "new.wad2")
    assert differences((tmp_path / "paths.wad2").read_bytes(), data) == [
        "W2Textures[0].W2Txt[0].W2TxtRelPath[0]",
        "W2Moveables[0].W2Moveable[0].W2Mesh[1].W2MeshVisible[0]",
    ]


def _resized(data: bytes) -> bytes:
    """Return a file whose first texture has five bytes more than its size says."""
    for name, width in ((b"\x0aW2Textures", 5), (b"\x05W2Txt", 4)):
        start = data.index(name) + len(name)
        size, end = number(data, start)
        data = data[:start] + leb(size + 5, width) + data[end:]
    return data


def test_a_scene_from_before_keeps_what_it_does_not_show(blender: ModuleType, tmp_path: Path) -> None:
    root = _wad2(tmp_path)
    root.tomb_raider.level.has_extras = False
    actions(root, 0)[0].tomb_raider.blend_frames = 0
    for skin in objects(root, "SKIN"):
        bpy.data.objects.remove(skin)
    assert _written(root, tmp_path / "new.wad2")[0] == sample_wad2()
