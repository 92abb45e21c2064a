"""Actors of cutscenes on the animator's bench: rig, poses, motions, feet. Judged by the exported bytes."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.levels.cutscenes.cutscenes import ACTOR_SCALE, Cutscene, read_cutscene
from io_tomb_raider.scene.authoring.control_rig.parts import has_rig, rig_limbs
from io_tomb_raider.scene.authoring.motion.ground import contacts
from io_tomb_raider.scene.authoring.motion.ticks import Ticks
from io_tomb_raider.scene.new_levels.example import example_of
from io_tomb_raider.scene.subjects.cutscenes.read import export_cutscene
from io_tomb_raider.ui.animation_tools import poses as pose_tool
from tests.scene.authoring.motion.recordings import Recording
from tests.scene.rig_tools import turned
from tests.scene.scenes import objects
from tests.scene.subjects.cutscenes.sample_cutscenes import (
    FRAMES,
    SCALE,
    action_of,
    changed_tracks,
    cutscene_objects,
    in_game,
    level_and_cutscene,
)

from ..recorder import draw
from ..user_actions import fails

OURS: Any = bpy.ops.tomb_raider
ARM = (11, 12, 13)  # the numbers of the meshes of the left arm
FEET = {3: "Foot.L", 6: "Foot.R"}  # of Lara, by the numbers of the meshes


def exported(collection: Any) -> bytes:
    bpy.context.view_layer.update()
    return bytes(export_cutscene(collection, SCALE).content)


def decoded(collection: Any) -> Cutscene:
    return read_cutscene(exported(collection))


def activate(obj: Any, mode: str = "POSE") -> None:
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    if mode == "POSE":
        assert OURS.animate_model() == {"FINISHED"}


def imported(game: Game = Game.TR4) -> tuple[Any, Any, bytes]:
    """Import a cutscene; return it, Lara as its actor, active in pose mode, and its bytes."""
    _, collection, data = level_and_cutscene(game)
    lara = cutscene_objects(collection, "ACTOR")[0]
    activate(lara)
    return collection, lara, data


def new_scene(frames: tuple[int, int] = (1, 60)) -> tuple[Any, Any]:
    """Make a cutscene of Lara in the example; return it, and her as its actor, active in pose mode."""
    assert OURS.example(game="TR4") == {"FINISHED"}
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = frames
    activate(bpy.data.objects["Lara 0"], "OBJECT")
    assert OURS.new_cutscene() == {"FINISHED"}
    collection = bpy.data.collections["Cutscene 01"]
    (lara,) = cutscene_objects(collection, "ACTOR")
    activate(lara)
    return collection, lara


# --- Untouched ----------------------------------------


@pytest.mark.parametrize(("game", "animations"), [*product([Game.TR4, Game.TR5], ["CURRENT", "NONE"])])
def test_an_untouched_rig_leaves_the_bytes(blender: ModuleType, game: Game, animations: str) -> None:
    collection, lara, data = imported(game)
    shared = lara.data
    assert OURS.add_control_rig(animations=animations) == {"FINISHED"}
    assert has_rig(lara) and lara.data != shared
    assert not has_rig(lara.tomb_raider.actor.model) and len(shared.bones) == 15
    assert exported(collection) == data
    assert OURS.remove_control_rig() == {"FINISHED"}
    assert lara.data == shared and not has_rig(lara)
    assert exported(collection) == data
    assert not [each for each in bpy.data.armatures if not each.users]


def test_a_rig_is_refused_twice_and_needed_for_its_tools(blender: ModuleType) -> None:
    _, lara, _ = imported()
    assert not OURS.bake_controls.poll() and OURS.add_control_rig.poll()
    OURS.add_control_rig()
    assert OURS.bake_controls.poll() and not OURS.add_control_rig.poll()
    assert OURS.bake_controls(animations="ALL") == {"FINISHED"}
    assert lara.animation_data.action == action_of(lara)


@pytest.mark.parametrize("moves", [True, False])
def test_strips_are_baked_into_the_same_bytes(blender: ModuleType, moves: bool) -> None:
    """A walk and a run as strips, with the path as keys of the object: then a rig over all of it."""
    collection, lara = new_scene((1, 40))
    lara.animation_data.action = None
    bpy.context.scene.frame_set(5)
    for name in ("Lara 001 Walk forward", "Lara 000 Run"):
        assert OURS.add_actor_animation(animation=name, moves=moves) == {"FINISHED"}
    before = exported(collection)
    assert any(not track.mute for track in lara.animation_data.nla_tracks)
    assert OURS.add_control_rig() == {"FINISHED"}
    assert all(track.mute for track in lara.animation_data.nla_tracks)
    assert exported(collection) == before


def test_a_pose_without_keys_gets_one_and_stays(blender: ModuleType) -> None:
    collection, lara = new_scene()
    lara.animation_data_clear()
    lara.pose.bones["Head"].rotation_quaternion = (0.9, 0.1, 0.3, 0.2)
    before = exported(collection)
    assert OURS.add_control_rig() == {"FINISHED"}
    assert exported(collection) == before
    assert read_cutscene(before).num_frames == 60


def test_the_rig_of_the_model_is_not_that_of_the_actor(blender: ModuleType) -> None:
    """An actor that is made of a rigged model has none, and its own leaves that of the model."""
    assert OURS.example(game="TR4") == {"FINISHED"}
    activate(bpy.data.objects["Lara 0"])
    assert OURS.add_control_rig() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    OURS.leave_model()
    activate(bpy.data.objects["Lara 0"], "OBJECT")
    OURS.new_cutscene()
    (lara,) = cutscene_objects(bpy.data.collections["Cutscene 01"], "ACTOR")
    model = lara.tomb_raider.actor.model
    count = len(model.data.bones)
    assert has_rig(model) and not has_rig(lara) and lara.data == model.data
    before = exported(bpy.data.collections["Cutscene 01"])
    activate(lara)
    assert OURS.add_control_rig() == {"FINISHED"}
    assert has_rig(lara) and lara.data != model.data
    assert exported(bpy.data.collections["Cutscene 01"]) == before
    assert OURS.remove_control_rig() == {"FINISHED"}
    assert has_rig(model) and len(model.data.bones) == count and not has_rig(lara)


# --- Edits ----------------------------------------


def test_a_control_moves_one_limb_at_one_frame(blender: ModuleType) -> None:
    collection, lara, data = imported()
    OURS.add_control_rig()
    scene = bpy.context.scene
    scene.frame_set(9)
    OURS.select_control(bone="IK Hand.L")
    control = lara.pose.bones["IK Hand.L"]
    control.location.z += 60 * SCALE
    control.keyframe_insert("location", frame=9)
    before, after = read_cutscene(data), decoded(collection)
    changed = changed_tracks(before, after)
    assert changed == [f"actor 0 mesh {mesh}" for mesh in ARM]
    rows = np.argwhere((before.actors[0].rotations != after.actors[0].rotations).any(axis=2))
    assert {*rows[:, 0].tolist()} == {9}


def test_the_body_moves_over_the_feet_at_one_frame(blender: ModuleType) -> None:
    collection, lara, data = imported()
    OURS.add_control_rig()
    bpy.context.scene.frame_set(9)
    OURS.select_control(bone="Body")
    control = lara.pose.bones["Body"]
    control.location.z -= 40 * SCALE
    control.keyframe_insert("location", frame=9)
    before, after = read_cutscene(data), decoded(collection)
    moved = (after.actors[0].root.astype(float) - before.actors[0].root) * ACTOR_SCALE
    assert np.abs(moved[9] - (0, 40, 0)).max() <= ACTOR_SCALE
    assert not np.delete(moved, 9, axis=0).any()
    changed = changed_tracks(before, after)
    assert "actor 0 root" in changed and {f"actor 0 mesh {mesh}" for mesh in (0, 7, 14)}.isdisjoint(changed)


def test_tools_of_animations_refuse_actors(blender: ModuleType) -> None:
    imported()
    for name in (
        "duplicate_animation",
        "retime_animation",
        "resample_animation",
        "split_animation",
        "check_loops",
        "close_loop",
        "replace_events",
        "fix_animations",
        "find_loop",
        "footsteps",
    ):
        with pytest.raises(RuntimeError, match="Actors of cutscenes have no animations"):
            getattr(OURS, name)()


def test_a_pose_of_an_animation_is_keyed_where_the_actor_stands(blender: ModuleType) -> None:
    collection, lara, data = imported()
    scene = bpy.context.scene
    scene.frame_set(9)
    names = [each[0] for each in pose_tool._animations(None, bpy.context)]
    assert names and all(
        bpy.data.actions[name].tomb_raider.model == lara.tomb_raider.actor.model for name in names
    )
    low = _lowest(lara, 9)
    assert OURS.apply_pose(animation=names[0]) == {"FINISHED"}
    before, after = read_cutscene(data), decoded(collection)
    moved = after.actors[0].root.astype(int) - before.actors[0].root
    assert (moved[9, [0, 2]] == 0).all() and not moved[[*range(9), *range(10, FRAMES)]].any()
    assert abs(_lowest(lara, 9) - low) < 2 * ACTOR_SCALE * SCALE
    rows = np.argwhere((before.actors[0].rotations != after.actors[0].rotations).any(axis=2))
    assert {*rows[:, 0].tolist()} == {9} and len(rows) > 10


def _lowest(actor: Any, frame: int) -> float:
    bpy.context.scene.frame_set(frame)
    return min(
        (actor.matrix_world @ bone.head).z for bone in actor.pose.bones if not bone.bone.tomb_raider.control
    )


def test_a_mirrored_actor_starts_where_it_stood(blender: ModuleType) -> None:
    collection, _, data = imported()
    assert OURS.mirror_animation(result="COPY") == {"FINISHED"}
    before, after = read_cutscene(data), decoded(collection)
    assert np.abs(after.actors[0].root[0].astype(int) - before.actors[0].root[0])[[0, 2]].max() <= 1
    assert {each.split(" mesh")[0] for each in changed_tracks(before, after)} <= {"actor 0", "actor 0 root"}
    height = after.actors[0].root[:, 1].astype(int) - before.actors[0].root[:, 1]
    assert np.ptp(height) <= 1
    assert len([each for each in bpy.data.actions if each.name.endswith("mirrored")]) == 0
    OURS.mirror_animation()
    again = decoded(collection)
    for old, new in zip(
        before.actors[0].rotations.reshape(-1, 3), again.actors[0].rotations.reshape(-1, 3), strict=True
    ):
        assert np.allclose(turned(old.astype(int) * 64), turned(new.astype(int) * 64), atol=9e-3)


def test_a_spread_edit_fades_over_the_frames_around(blender: ModuleType) -> None:
    collection, lara, data = imported()
    scene = bpy.context.scene
    scene.frame_set(12)
    bpy.context.view_layer.update()
    head = lara.pose.bones["Head"]
    head.rotation_quaternion = head.rotation_quaternion @ type(head.rotation_quaternion)((0, 0, 1), 0.6)
    assert OURS.spread_edit(ticks=4) == {"FINISHED"}
    before, after = read_cutscene(data).actors[0].rotations, decoded(collection).actors[0].rotations
    rows = np.argwhere((before != after).any(axis=2))
    assert {*rows[:, 1].tolist()} == {14}
    assert {*rows[:, 0].tolist()} <= {*range(9, 16)} and {11, 12, 13} <= {*rows[:, 0].tolist()}


# --- Motions ----------------------------------------


def test_a_recording_begins_where_the_actor_is(blender: ModuleType, tmp_path: Path) -> None:
    """She stands rotated by a quarter; from frame 20 on she walks along the direction that she faces."""
    collection, lara = new_scene((1, 40))
    bpy.ops.object.mode_set(mode="OBJECT")
    lara.rotation_euler.z += np.pi / 2
    activate(lara)
    before = decoded(collection)
    path = tmp_path / "walk.bvh"
    path.write_text(Recording(seconds=2.5, rate=60.0, arms=45.0).text(), encoding="utf-8")
    bpy.context.scene.frame_set(20)
    assert OURS.import_motion(filepath=str(path)) == {"FINISHED"}
    after = decoded(collection)
    assert after.num_frames > 80 and bpy.context.scene.frame_end == 1 + after.num_frames - 1
    root = after.actors[0].root.astype(float) * ACTOR_SCALE
    assert np.abs(root[:19] - before.actors[0].root[0].astype(float) * ACTOR_SCALE).max() <= ACTOR_SCALE
    assert np.abs(root[19, [0, 2]] - root[18, [0, 2]]).max() <= ACTOR_SCALE
    way = root[-1] - root[19]
    place = lara.matrix_world.to_3x3() @ type(lara.location)((0, 1, 0))
    ahead = np.array([place.x, -place.z, -place.y])
    assert way @ ahead > 600 and np.linalg.norm(way - (way @ ahead) * ahead) < 0.2 * (way @ ahead)
    assert len([each for each in bpy.data.actions if each.tomb_raider.model is None and each.users]) <= 3


@pytest.mark.parametrize("rigged", [False, True])
def test_animations_of_the_model_become_keys_of_an_imported_actor(blender: ModuleType, rigged: bool) -> None:
    root, collection, data = level_and_cutscene()
    lara = cutscene_objects(collection, "ACTOR")[0]
    activate(lara)
    if rigged:
        OURS.add_control_rig()
    model = objects(root, "MODEL")[0]
    run = next(each for each in bpy.data.actions if each.tomb_raider.model == model)
    bpy.context.scene.frame_set(10)
    assert OURS.add_actor_animation(animation=run.name) == {"FINISHED"}
    last = bpy.context.scene.frame_current - 1
    before, after = read_cutscene(data), decoded(collection)
    assert np.array_equal(before.actors[0].root[:10], after.actors[0].root[:10])
    assert np.array_equal(before.actors[0].rotations[:10], after.actors[0].rotations[:10])
    if last + 2 < FRAMES:
        assert np.array_equal(
            before.actors[0].rotations[last + 2 :], after.actors[0].rotations[last + 2 : FRAMES]
        )
    assert np.abs(after.actors[0].root[10].astype(int) - after.actors[0].root[9])[[0, 2]].max() <= 30 + 1
    assert np.array_equal(before.actors[1].rotations, after.actors[1].rotations[:FRAMES])


# --- Feet ----------------------------------------


@pytest.mark.parametrize("as_keys", [True, False])
def test_planted_feet_stand_still_in_the_game(blender: ModuleType, as_keys: bool) -> None:
    """Whether the bones carry the walk along, or the object of the actor does."""
    collection, lara = new_scene((1, 60))
    if not as_keys:
        lara.animation_data.action = None
    bpy.context.scene.frame_set(3)
    assert OURS.add_actor_animation(animation="Lara 001 Walk forward", count=2) == {"FINISHED"}
    assert OURS.add_control_rig() == {"FINISHED"}
    ticks = Ticks.of(action_of(lara), lara)
    stands = [
        (foot, first, last)
        for limb in rig_limbs(lara)
        if limb.stands
        for foot, name in FEET.items()
        if name == limb.name
        for first, last in contacts(ticks, limb)
    ]
    assert len(stands) >= 4
    before = _slides(collection, stands)
    assert OURS.plant_on_ground() == {"FINISHED"}
    after = _slides(collection, stands)
    assert np.median(before) > 1.4 and after.max() < 0.9, (before, after)


def _slides(collection: Any, stands: list[tuple[int, int, int]]) -> Any:
    """Return how far feet are at most from where they stand, in units, by the times that they stand."""
    level = read_level(example_of(Game.TR4))
    cutscene = decoded(collection)
    found = []
    for foot, first, last in stands:
        places = np.array([in_game(level, cutscene, 0, frame)[0][foot] for frame in range(first, last + 1)])
        found.append(np.linalg.norm(places - places.mean(axis=0), axis=1).max())
    return np.array(found)


# --- Panels ----------------------------------------


def test_the_sidebar_has_the_bench_for_actors(blender: ModuleType) -> None:
    from io_tomb_raider.ui.animation_tools.panels import VIEW3D_PT_tomb_raider_edit_keys
    from io_tomb_raider.ui.animation_views.panels import VIEW3D_PT_tomb_raider_watch
    from io_tomb_raider.ui.animations.library import (
        VIEW3D_PT_tomb_raider_animate,
        VIEW3D_PT_tomb_raider_animations,
    )
    from io_tomb_raider.ui.control_rig.panels import VIEW3D_PT_tomb_raider_control_rig

    collection, lara, _ = imported()
    for panel, wanted in (
        (VIEW3D_PT_tomb_raider_animate, {"tomb_raider.spread_edit"}),
        (VIEW3D_PT_tomb_raider_animations, {"tomb_raider.add_actor_animation"}),
        (VIEW3D_PT_tomb_raider_control_rig, {"tomb_raider.add_control_rig"}),
        (
            VIEW3D_PT_tomb_raider_edit_keys,
            {
                "tomb_raider.apply_pose",
                "tomb_raider.mirror_animation",
                "tomb_raider.reverse_animation",
                "tomb_raider.smooth_keys",
            },
        ),
    ):
        layout = draw(panel, object=lara, mode="POSE")
        assert layout is not None, panel
        assert {name for name, _ in layout.operators} == wanted
    assert draw(VIEW3D_PT_tomb_raider_watch, object=lara, mode="POSE") is None
    OURS.add_control_rig()
    layout = draw(VIEW3D_PT_tomb_raider_control_rig, object=lara, mode="POSE")
    assert layout is not None and "tomb_raider.plant_on_ground" in {name for name, _ in layout.operators}
    activate(cutscene_objects(collection, "CAMERA")[0], "OBJECT")
    with pytest.raises(RuntimeError):
        OURS.add_control_rig()
    assert fails is not None
