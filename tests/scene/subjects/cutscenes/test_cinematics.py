"""The camera of a cutscene level: imported and exported keys, and interpolation in Blender."""

from __future__ import annotations

from math import radians, tau
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Vector
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.formats.base.bytes.records import CINEMATIC_FRAME
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.pipeline.importer import ImportOptions, import_level
from tests.real_levels import REAL_LEVELS, each_real_level
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...scenes import UNIT, changes, copy_of, export_scene, import_anew, import_scene, objects

each_filming_game = pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3])


def rig(root: Collection) -> tuple[Any, Any]:
    camera = objects(root, "CINEMATIC")[0]
    return camera, camera.tomb_raider.cinematic.target


def curve(user: Any, path: str, index: int = 0) -> Any:
    channels = compat.find_channels(user.animation_data.action, user)
    return next(each for each in channels.fcurves if (each.data_path, each.array_index) == (path, index))


def with_frames(game: Game, frames: NDArray[Any]) -> bytes:
    level = read_level(sample_bytes(game))
    level.cinematic_frames = frames
    return level.to_bytes()


@each_filming_game
def test_the_camera_has_position_direction_and_roll_of_the_game(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root, level = import_scene(data), read_level(data)
    camera, target = rig(root)
    origin = camera.parent
    lara = next(record for record in level.entities if record["type"] == 0)
    place = Vector((lara["x"], lara["z"], -int(lara["y"]))) * UNIT
    assert (Vector(origin.location) - place).length < 1e-5
    for number in (0, 30, 59):
        record = level.cinematic_frames[number]
        bpy.context.scene.frame_set(number)
        there = origin.matrix_world @ (
            Vector((record["position"][0], record["position"][2], -int(record["position"][1]))) * UNIT
        )
        matrix = camera.matrix_world
        assert (matrix.translation - there).length < 1e-4
        toward = target.matrix_world.translation - there
        assert (-matrix.col[2].to_3d()).angle(toward) < 1e-3
        # Roll lowers the right edge.
        roll = int(record["roll"]) / 65536 * tau
        right = matrix.col[0].to_3d().normalized()
        assert right.z == pytest.approx(-np.sin(roll) * np.cos(np.arcsin(toward.normalized().z)), abs=1e-3)
        assert camera.data.angle_x == pytest.approx(int(record["fov"]) / 65536 * tau, abs=1e-5)


@each_filming_game
def test_an_edited_key_changes_its_frame_alone(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        camera, target = rig(root)
        curve(camera, "location", 0).keyframe_points[7].co[1] += 16 * UNIT
        curve(target, "location", 2).keyframe_points[8].co[1] += 16 * UNIT
        curve(camera, "tomb_raider.cinematic.roll").keyframe_points[9].co[1] = radians(-45)
        curve(camera.data, "lens").keyframe_points[10].co[1] = camera.data.sensor_width / 2

    data = sample_bytes(game)
    fields = [(7, "position"), (8, "target"), (9, "roll"), (10, "fov")]
    found = changes(data, edit)
    assert sorted(found, key=lambda path: path[1]) == [("cinematic_frames", *field) for field in fields]
    root = import_scene(data)
    edit(root)
    before, after = read_level(data).cinematic_frames, export_scene(root).cinematic_frames
    assert (after["position"][7] - before["position"][7]).tolist() == [16, 0, 0]
    assert (after["target"][8] - before["target"][8]).tolist() == [0, -16, 0]
    assert (after["roll"][9], after["fov"][10]) == (0x2000, 0x4000)


@each_filming_game
def test_deleted_keys_are_filled_in_by_the_curve(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    camera, _ = rig(root)
    keys = curve(camera, "location", 0).keyframe_points
    for number in range(19, 10, -1):
        keys.remove(keys[number])
    before, after = read_level(data).cinematic_frames, export_scene(root).cinematic_frames
    even = np.rint(np.linspace(before["position"][10, 0], before["position"][20, 0], 11))
    assert np.abs(after["position"][10:21, 0] - even).max() <= 1
    assert after["position"][:, 1:].tolist() == before["position"][:, 1:].tolist()
    assert np.delete(after, range(10, 20)).tobytes() == np.delete(before, range(10, 20)).tobytes()


@each_filming_game
@pytest.mark.parametrize("last", [29, 99])
def test_the_frame_range_is_the_length(blender: ModuleType, game: Game, last: int) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    rig(root)[0].animation_data.action.frame_end = last
    before, after = read_level(data).cinematic_frames, export_scene(root).cinematic_frames
    assert len(after) == last + 1
    shared = min(len(before), len(after))
    assert after[:shared].tobytes() == before[:shared].tobytes()
    assert (after[shared:] == before[-1]).all()


def test_the_keys_give_the_length_without_a_frame_range(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    camera, target = rig(root)
    for user in (camera, target, camera.data):
        user.animation_data.action.use_frame_range = False
    assert len(export_scene(root).cinematic_frames) == 60


def test_a_frame_range_that_starts_later_drops_the_first_frames(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR2)
    root = import_scene(data)
    rig(root)[0].animation_data.action.frame_start = 10
    after = export_scene(root).cinematic_frames
    assert after.tobytes() == read_level(data).cinematic_frames[10:].tobytes()


def test_without_keys_there_is_one_frame(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_anew(data)
    blender.context.scene.frame_set(0)  # the shown state is kept
    camera, target = rig(root)
    for user in (camera, target, camera.data):
        user.animation_data_clear()
    first = read_level(data).cinematic_frames[:1]
    assert export_scene(root).cinematic_frames.tobytes() == first.tobytes()


@each_filming_game
def test_where_the_origin_stands_does_not_matter(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        origin = rig(root)[0].parent
        origin.location, origin.rotation_euler.z = (10, 20, 30), 1

    assert changes(sample_bytes(game), edit) == []


@each_filming_game
def test_without_its_camera_a_level_has_no_cutscene(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    bpy.data.objects.remove(rig(root)[0])
    assert len(export_scene(root).cinematic_frames) == 0


def test_a_second_camera_is_a_warning(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    copy_of(rig(root)[0])
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert any("a level has only one cutscene" in text for text in report.warnings)


def test_a_camera_without_target_is_an_error(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    bpy.data.objects.remove(rig(root)[1])
    with pytest.raises(ExportError, match="Cutscene Camera: it has no target"):
        export_scene(root)


def test_positions_too_far_from_the_origin_are_an_error_with_their_frame(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    curve(rig(root)[1], "location", 1).keyframe_points[5].co[1] = 40000 * UNIT
    with pytest.raises(ExportError, match=r"Cutscene Target: at frame 5, .*: 40000 \(the limit is 32767\)"):
        export_scene(root)


def test_too_many_frames_are_an_error(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    rig(root)[0].animation_data.action.frame_end = 70000
    with pytest.raises(ExportError, match=r"too many frames: 70001 \(the limit is 65535\)"):
        export_scene(root)


@each_filming_game
def test_every_value_survives(blender: ModuleType, game: Game) -> None:
    random = np.random.default_rng(2)
    frames = np.frombuffer(random.bytes(300 * CINEMATIC_FRAME.itemsize), CINEMATIC_FRAME).copy()
    frames["roll"][:3], frames["fov"][:3] = (-0x8000, 0x7FFF, -1), (-0x8000, 0x7FFF, 0)
    data = with_frames(game, frames)
    root = import_scene(data)
    assert export_scene(root).to_bytes() == data
    assert export_scene(root, rebuild=True).cinematic_frames.tobytes() == frames.tobytes()


def test_at_another_scale_every_value_survives(blender: ModuleType) -> None:
    random = np.random.default_rng(4)
    frames = np.frombuffer(random.bytes(100 * CINEMATIC_FRAME.itemsize), CINEMATIC_FRAME).copy()
    data = with_frames(Game.TR1, frames)
    assert export_scene(import_level(data, ImportOptions(scale=0.001)).root).to_bytes() == data


@each_filming_game
def test_a_level_without_cutscene_gets_no_camera(blender: ModuleType, game: Game) -> None:
    data = with_frames(game, np.zeros(0, CINEMATIC_FRAME))
    root = import_scene(data)
    assert not objects(root, "CINEMATIC")
    assert export_scene(root).to_bytes() == data


@each_filming_game
def test_a_cutscene_that_was_not_imported_is_kept(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_level(data, ImportOptions(cameras=False)).root
    assert not objects(root, "CINEMATIC")
    assert export_scene(root).to_bytes() == data


def test_actors_that_are_shown_at_the_origin_are_no_entities(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR1))
    actors = np.concatenate([level.entities[level.entities["type"] == 0][:1]] * 2)
    actors["type"], actors["x"][1] = 77, actors["x"][1] + 1024
    level.entities = np.concatenate([level.entities, actors])
    level.models = level.models.copy()
    level.models["id"][-1] = 77
    data = level.to_bytes()
    root = import_scene(data)
    origin = rig(root)[0].parent
    assert [obj.instance_type for obj in origin.children].count("COLLECTION") == 1
    exported, report = export_level(root)
    assert exported.to_bytes() == data
    assert not report.warnings


@each_real_level
def test_real_cutscenes_come_back_when_rebuilt(blender: ModuleType, level_path: Any) -> None:
    data = level_path.read_bytes()
    frames = getattr(read_level(data), "cinematic_frames", ())
    if not len(frames):
        pytest.skip("it has none")
    assert export_scene(import_scene(data), rebuild=True).cinematic_frames.tobytes() == frames.tobytes()


CUT1 = next((path for path in REAL_LEVELS if path.name.lower().endswith("cut1.phd")), None)


@pytest.mark.skipif(CUT1 is None, reason="needs CUT1.PHD")
def test_actors_are_shown_where_the_game_draws_them(blender: ModuleType) -> None:
    assert CUT1 is not None
    root = import_level(CUT1).root
    camera, target = rig(root)
    origin = camera.parent
    assert (Vector(origin.location.xy) - Vector((36668, 63180)) * UNIT).length < 1e-3
    actors = objects(root, "ENTITY")
    shown = [obj for obj in origin.children if obj.instance_collection is not None]
    assert [obj.instance_collection for obj in shown] == [obj.instance_collection for obj in actors]
    assert all(obj.hide_viewport and obj.hide_render for obj in actors)
    scene = bpy.context.scene
    assert (scene.frame_start, scene.frame_end) == (0, 1599)
    # In most frames the camera looks at one of the three.
    looks = []
    for frame in range(0, 1600, 200):
        scene.frame_set(frame)
        bodies = [
            each.matrix_world.translation.copy()
            for each in bpy.context.evaluated_depsgraph_get().object_instances
            if each.is_instance and each.parent is not None and each.parent.original in shown
        ]
        away = [(body - target.matrix_world.translation).length for body in bodies]
        looks.append(min(away))
    assert np.median(looks) < 1.0
    assert export_scene(root).to_bytes() == CUT1.read_bytes()
