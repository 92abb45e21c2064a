"""Cuts between cameras of cutscenes: what the one track of the file has of them, frame by frame."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mathutils import Matrix

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.formats.levels.cutscenes.cutscenes import CAMERA_SCALE, read_cutscene
from io_tomb_raider.scene.subjects.cutscenes.new import add_camera, new_cutscene
from io_tomb_raider.scene.subjects.cutscenes.read import export_cutscene
from io_tomb_raider.scene.subjects.cutscenes.shots import cameras_at, cuts_to
from tests.sample_levels import sample_level
from tests.scene.exporting import export_level

from ...scenes import import_scene, objects
from .sample_cutscenes import (
    FRAMES,
    ORIGIN,
    SCALE,
    action_of,
    changed_tracks,
    cutscene_objects,
    exported_cutscene,
    in_blender,
    level_and_cutscene,
)

FIRST, LAST = 1, 60


def scene() -> Any:
    return bpy.context.scene


def on_stage() -> tuple[Any, Any]:
    """Return a new cutscene of Lara and its camera."""
    root = import_scene(sample_level(Game.TR4).to_bytes())
    scene().frame_start, scene().frame_end = FIRST, LAST
    collection = new_cutscene(root, 1, [objects(root, "MODEL")[0]], None, (FIRST, LAST))
    bpy.context.view_layer.update()
    (camera,) = cutscene_objects(collection, "CAMERA")
    return collection, camera


def cut(old: Any, frame: int, place: tuple[float, float, float]) -> Any:
    """Add a camera at a frame, which looks along Blender's y from a place."""
    scene().frame_set(frame)
    camera = add_camera(scene(), old, Matrix.Translation(place) @ Matrix.Rotation(np.pi / 2, 4, "X"), 4.0)
    bpy.context.view_layer.update()
    return camera


def in_file(point: Any, collection: Any) -> np.ndarray:
    """Return a place of the world as the camera's track has it."""
    x, y, z = np.asarray(point, float) / SCALE
    (origin,) = cutscene_objects(collection, "ORIGIN")
    ox, oy, oz = np.asarray(origin.location, float) / SCALE
    return np.rint(np.array([x - ox, -(z - oz), y - oy]) / CAMERA_SCALE)


def test_each_frame_is_that_of_the_camera_of_the_last_marker(blender: ModuleType) -> None:
    collection, camera = on_stage()
    before = exported_cutscene(collection)
    places = [(3.0, -2.0, 1.5), (-1.0, 4.0, 2.5)]
    cameras = [cut(camera, 21, places[0]), cut(camera, 41, places[1])]
    assert [(each.frame, each.camera) for each in scene().timeline_markers] == [
        *((FIRST, camera), (21, cameras[0]), (41, cameras[1]))
    ]
    after = exported_cutscene(collection)
    assert changed_tracks(before, after) == ["camera", "target"]
    assert np.array_equal(after.camera[:20], before.camera[:20])
    assert np.array_equal(after.target[:20], before.target[:20])
    for first, place in ((20, places[0]), (40, places[1])):
        assert (np.abs(after.camera[first : first + 20] - in_file(place, collection)) <= 1).all()
        aim = in_file(np.add(place, (0, 4.0, 0)), collection)
        assert (np.abs(after.target[first : first + 20] - aim) <= 1).all()
    scene().frame_set(30)
    assert scene().camera == cameras[0]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(st.lists(st.integers(-5, FRAMES + 5), min_size=1, max_size=8))
def test_cuts_are_those_that_blender_makes(blender: ModuleType, frames: list[int]) -> None:
    """At any frames, in any order, several at one."""
    for marker in list(scene().timeline_markers):
        scene().timeline_markers.remove(marker)
    cameras = [bpy.data.objects.new(f"Camera {number}", bpy.data.cameras.new("C")) for number in range(3)]
    for number, frame in enumerate(dict.fromkeys(frames)):
        scene().timeline_markers.new("Cut", frame=frame).camera = cameras[number % 3]
    shown = cameras_at(cuts_to(scene(), cameras), np.arange(FRAMES))
    for frame, camera in enumerate(shown):
        scene().frame_set(frame)
        assert scene().camera == camera
    for camera in cameras:
        bpy.data.objects.remove(camera)


def test_an_imported_cutscene_with_an_inserted_shot_keeps_the_other_frames(blender: ModuleType) -> None:
    _, collection, data = level_and_cutscene()
    (camera,) = cutscene_objects(collection, "CAMERA")
    scene().frame_start = 0
    shot = cut(camera, 8, tuple(in_blender(ORIGIN) + np.array((0, 0, 2))))
    scene().timeline_markers.new("Back", frame=14).camera = camera
    before, after = read_cutscene(data), exported_cutscene(collection)
    assert changed_tracks(before, after) == ["camera", "target"]
    same = (before.camera == after.camera).all(axis=1)
    assert np.flatnonzero(~same).tolist() == [*range(8, 14)]
    bpy.data.objects.remove(shot)
    assert export_cutscene(collection, SCALE)[0] == data


def test_cameras_without_markers_are_refused(blender: ModuleType) -> None:
    collection, camera = on_stage()
    cut(camera, 21, (0, 0, 1))
    for marker in list(scene().timeline_markers):
        scene().timeline_markers.remove(marker)
    with pytest.raises(ExportError, match=r"several cameras .* bind them to markers of the timeline"):
        export_cutscene(collection, SCALE)


def test_a_marker_of_a_camera_elsewhere_is_reported(blender: ModuleType) -> None:
    collection, camera = on_stage()
    scene().timeline_markers.new("Cut", frame=FIRST).camera = camera
    other = bpy.data.objects.new("Elsewhere", bpy.data.cameras.new("Elsewhere"))
    scene().collection.objects.link(other)
    scene().timeline_markers.new("Cut", frame=30).camera = other
    _, report, _ = export_cutscene(collection, SCALE)
    assert [text.split(":")[0] for text in report.warnings] == ["Elsewhere"]
    collection.objects.link(other)
    after = exported_cutscene(collection)
    assert not (after.camera[0] == after.camera[-1]).all()


def test_blenders_own_means_move_a_camera(blender: ModuleType) -> None:
    """A noise of a hand that holds it, a dolly along a path, and a look at an actor's head."""
    collection, camera = on_stage()
    (lara,) = cutscene_objects(collection, "ACTOR")
    still = exported_cutscene(collection)
    curve = (
        action_of(camera).layers[0].strips[0].channelbags[0].fcurves[0]
        if hasattr(action_of(camera), "layers")
        else action_of(camera).fcurves[0]
    )
    noise: Any = curve.modifiers.new("NOISE")
    noise.scale, noise.strength = 5.0, 0.5
    shaken = exported_cutscene(collection)
    assert changed_tracks(still, shaken) == ["camera"]
    assert len(np.unique(shaken.camera[:, 0])) > 10 and np.ptp(shaken.camera[:, 0].astype(int)) < 300
    curve.modifiers.remove(noise)
    line: Any = bpy.data.curves.new("Rail", "CURVE")
    line.dimensions, line.path_duration = "3D", LAST - FIRST
    points = line.splines.new("POLY").points
    points.add(1)
    points[1].co = (4.0, 0.0, 0.0, 1.0)
    rail = bpy.data.objects.new("Rail", line)
    scene().collection.objects.link(rail)
    follow: Any = camera.constraints.new("FOLLOW_PATH")
    follow.target, follow.use_fixed_location = rail, True
    camera.constraints.move(1, 0)  # it looks from where it is moved to
    follow.offset_factor = 0.0
    follow.keyframe_insert("offset_factor", frame=FIRST)
    follow.offset_factor = 1.0
    follow.keyframe_insert("offset_factor", frame=LAST)
    dolly = exported_cutscene(collection)
    assert changed_tracks(still, dolly) == ["camera"]
    way = dolly.camera[-1].astype(int) - dolly.camera[0]
    assert abs(way[0] * CAMERA_SCALE * SCALE - 4.0) < 0.02
    track: Any = next(each for each in camera.constraints if each.type == "TRACK_TO")
    track.target, track.subtarget = lara, "Head"
    head = lara.matrix_world @ lara.pose.bones["Head"].head
    looked = exported_cutscene(collection)
    ahead = looked.target.astype(float) - looked.camera
    wanted = in_file(head, collection) - looked.camera
    cosines = (ahead * wanted).sum(axis=1) / np.linalg.norm(ahead, axis=1) / np.linalg.norm(wanted, axis=1)
    assert cosines.min() > 0.9999


# --- TR1 to TR3 ----------------------------------------


def cinematic(root: Any) -> Any:
    return objects(root, "CINEMATIC")[0]


@pytest.mark.parametrize("game", [Game.TR1, Game.TR3])
def test_cutscene_levels_have_cuts_with_their_own_lens_and_roll(blender: ModuleType, game: Game) -> None:
    level = sample_level(game)
    root = import_scene(level.to_bytes())
    camera = cinematic(root)
    old = level.cinematic_frames
    count = len(old)
    assert count >= 3
    scene().frame_start = 0
    shot = cut(
        camera, count - 1, tuple(camera.parent.matrix_world.translation + type(camera.location)((0, 0, 1)))
    )
    shot.tomb_raider.cinematic.roll, shot.data.angle = 0.25, 0.5
    exported, report = export_level(root)
    new = exported.cinematic_frames
    assert not report.warnings and len(new) == count
    assert new[:-1].tobytes() == old[:-1].tobytes()
    assert new[-1]["roll"] == round(-0.25 / (2 * np.pi) * 65536)
    assert abs(int(new[-1]["position"][1]) + 512) <= 1
    assert abs(int(new[-1]["fov"]) - 0.5 / (2 * np.pi) * 65536) < 400
    marker = scene().timeline_markers[-1]
    scene().timeline_markers.remove(marker)
    scene().timeline_markers.remove(scene().timeline_markers[0])
    _, report = export_level(root)
    assert any("a level has only one cutscene" in text for text in report.warnings)
    bpy.data.objects.remove(shot)
    assert export_level(root)[0].to_bytes() == level.to_bytes()


def test_a_cutscene_camera_that_a_constraint_turns_has_roll_and_look(blender: ModuleType) -> None:
    level = sample_level(Game.TR1)
    root = import_scene(level.to_bytes())
    camera = cinematic(root)
    guide = bpy.data.objects.new("Guide", None)
    scene().collection.objects.link(guide)
    turn = camera.parent.matrix_world.to_quaternion() if camera.parent else Matrix().to_quaternion()
    guide.rotation_euler = (
        turn.to_matrix().to_4x4() @ Matrix.Rotation(np.pi / 2, 4, "X") @ Matrix.Rotation(0.3, 4, "Z")
    ).to_euler()
    camera.constraints.new("COPY_ROTATION").target = guide
    bpy.context.view_layer.update()
    new = export_level(root)[0].cinematic_frames
    old = level.cinematic_frames
    assert np.array_equal(new["position"], old["position"]) and np.array_equal(new["fov"], old["fov"])
    way = new["target"].astype(int) - new["position"]
    assert np.abs(way - (0, 0, 1024)).max() <= 1  # along Blender's y
    assert np.abs(new["roll"] - round(-0.3 / (2 * np.pi) * 65536)).max() <= 2
