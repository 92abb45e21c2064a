"""Cutscenes in the scene of their level: bones as in the game, and the effects of edits on the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, FormatError, Game
from io_tomb_raider.formats.levels.cutscenes.cutscenes import Actor, Cutscene, read_cutscene
from io_tomb_raider.scene.subjects.cutscenes.build import import_cutscene
from io_tomb_raider.scene.subjects.cutscenes.new import add_actors, new_cutscene
from io_tomb_raider.scene.subjects.cutscenes.read import export_cutscene
from tests.empty_scene import start_empty
from tests.formats.levels.cutscenes.samples import Sample
from tests.sample_levels import sample_level
from tests.scene.exporting import export_level

from ...rig_tools import curves, turned
from ...scenes import import_scene, objects
from .sample_cutscenes import (
    FRAMES,
    ORIGIN,
    SCALE,
    action_of,
    assert_bones_match,
    changed_tracks,
    cutscene_objects,
    cutscene_of,
    exported_cutscene,
    in_blender,
    level_and_cutscene,
    set_key,
)

late = pytest.mark.parametrize("game", [Game.TR4, Game.TR5])


# --- Import --------------------------------------------------------------------------------------


@late
@pytest.mark.parametrize("quarter_turns", range(4))
def test_bones_stand_where_the_decoded_angles_put_them(
    blender: ModuleType, game: Game, quarter_turns: int
) -> None:
    root, collection, data = level_and_cutscene(game, quarter_turns=quarter_turns)
    for frame in (0, 1, 13, FRAMES - 1):
        assert_bones_match(sample_level(game), read_cutscene(data), collection, frame, quarter_turns)
    assert export_cutscene(collection, SCALE)[0] == data
    assert collection.name in root.children


def test_the_camera_has_the_position_of_the_file_and_looks_at_its_target(blender: ModuleType) -> None:
    _, collection, data = level_and_cutscene()
    targets, cameras = read_cutscene(data).camera_positions()
    (camera,), (target,) = cutscene_objects(collection, "CAMERA"), cutscene_objects(collection, "TARGET")
    for frame in (0, 7, FRAMES - 1):
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        matrix = np.array(camera.evaluated_get(graph).matrix_world)
        place = np.array(target.evaluated_get(graph).matrix_world)[:3, 3]
        assert np.allclose(matrix[:3, 3], in_blender(cameras[frame]), atol=1e-4)
        assert np.allclose(place, in_blender(targets[frame]), atol=1e-4)
        ahead = (place - matrix[:3, 3]) / np.linalg.norm(place - matrix[:3, 3])
        assert np.allclose(-matrix[:3, 2], ahead, atol=1e-4)
        assert abs(matrix[2, 0]) < 1e-5  # upright
    scene = bpy.context.scene
    assert scene.camera == camera
    assert (scene.frame_start, scene.frame_end, scene.render.fps) == (0, FRAMES - 1, 30)


def test_the_scene_is_not_set_up_if_disabled(blender: ModuleType) -> None:
    root = import_scene(sample_level(Game.TR4).to_bytes())
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 3, 77
    import_cutscene(root, cutscene_of(Game.TR4).to_bytes(), 12, set_up_scene=False)
    assert scene.camera is None
    assert (scene.frame_start, scene.frame_end) == (3, 77)


@late
def test_lara_looks_as_the_game_draws_her(blender: ModuleType, game: Game) -> None:
    level = sample_level(game)
    level.models = level.models.copy()
    level.models["id"][1] = 8
    root = import_scene(level.to_bytes())
    data = cutscene_of(game).to_bytes()
    collection, _ = import_cutscene(root, data, 1)
    lara = cutscene_objects(collection, "ACTOR")[0]
    skin = next(obj for obj in objects(root, "MODEL") if obj.tomb_raider.model.id == 8)
    assert {part.data for part in lara.children} == {part.data for part in skin.children}
    assert lara.data == objects(root, "MODEL")[0].data
    assert_bones_match(level, read_cutscene(data), collection, 5)
    assert export_cutscene(collection, SCALE)[0] == data


# --- Untouched -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("frames", [1, 2, 40])
def test_untouched_cutscenes_come_back_byte_for_byte(blender: ModuleType, seed: int, frames: int) -> None:
    """With arbitrary streams, and a second actor whose model is not in the level."""
    data = Sample(seed, frames).data
    _, collection, _ = level_and_cutscene(data=data)
    content, report, rebuilt = export_cutscene(collection, SCALE)
    assert content == data
    assert not rebuilt
    assert not report.warnings


@late
def test_the_level_is_exported_as_if_there_were_no_cutscene(blender: ModuleType, game: Game) -> None:
    root, _, _ = level_and_cutscene(game)
    level, report = export_level(root)
    assert level.to_bytes() == sample_level(game).to_bytes()
    assert not report.warnings


def test_a_cutscene_survives_saving_and_loading(blender: ModuleType, tmp_path: Path) -> None:
    _, collection, data = level_and_cutscene()
    name, path = collection.name, str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    start_empty()
    bpy.ops.wm.open_mainfile(filepath=path)
    assert export_cutscene(bpy.data.collections[name], SCALE)[0] == data


def test_renamed_bones_are_still_found(blender: ModuleType) -> None:
    root, collection, data = level_and_cutscene()
    objects(root, "MODEL")[0].data.bones["Hips"].name = "Pelvis"
    assert export_cutscene(collection, SCALE)[0] == data


@late
def test_rebuilt_cutscenes_show_the_same(blender: ModuleType, game: Game) -> None:
    _, collection, data = level_and_cutscene(game)
    before, after = read_cutscene(data), exported_cutscene(collection, rebuild=True)
    assert np.array_equal(before.camera, after.camera)
    for old, new in zip(before.actors, after.actors, strict=True):
        assert np.array_equal(old.root, new.root)
        for a, b in zip(old.rotations.reshape(-1, 3), new.rotations.reshape(-1, 3), strict=True):
            assert np.allclose(turned(a.astype(int) * 64), turned(b.astype(int) * 64), atol=2e-3)


# --- Edits -----------------------------------------------------------------------------------------------


def _turn_a_bone(_root: Any, collection: Any) -> None:
    lara = cutscene_objects(collection, "ACTOR")[0]
    for index, value in enumerate((0.5, 0.5, 0.5, 0.5)):
        set_key(lara, 'pose.bones["Head"].rotation_quaternion', index, 9, value)


def _move_the_root(_root: Any, collection: Any) -> None:
    enemy = cutscene_objects(collection, "ACTOR")[1]
    set_key(enemy, 'pose.bones["Bone 00"].location', 0, 3, 1.5)


def _move_the_camera(_root: Any, collection: Any) -> None:
    set_key(cutscene_objects(collection, "CAMERA")[0], "location", 2, 5, 2.0)


def _move_the_target(_root: Any, collection: Any) -> None:
    set_key(cutscene_objects(collection, "TARGET")[0], "location", 0, 0, -1.0)


def _move_the_origin(_root: Any, collection: Any) -> None:
    cutscene_objects(collection, "ORIGIN")[0].location.x += 2.0


def _set_the_track(_root: Any, collection: Any) -> None:
    collection.tomb_raider.cutscene.audio_track = 77


def _show_another_model(root: Any, collection: Any) -> None:
    cutscene_objects(collection, "ACTOR")[1].tomb_raider.actor.model = objects(root, "MODEL")[3]


def _move_an_actor(_root: Any, collection: Any) -> None:
    cutscene_objects(collection, "ACTOR")[1].location.y += 1.0


def _delete_an_actor(_root: Any, collection: Any) -> None:
    bpy.data.objects.remove(cutscene_objects(collection, "ACTOR")[1])


def _copy_an_actor(_root: Any, collection: Any) -> None:
    collection.objects.link(cutscene_objects(collection, "ACTOR")[1].copy())


EDITS: dict[str, tuple[Callable[[Any, Any], None], list[str]]] = {
    "bone": (_turn_a_bone, ["actor 0 mesh 14"]),
    "root": (_move_the_root, ["actor 1 root"]),
    "camera": (_move_the_camera, ["camera"]),
    "target": (_move_the_target, ["target"]),
    "origin": (_move_the_origin, ["origin"]),
    "audio track": (_set_the_track, ["audio_track"]),
    "model": (_show_another_model, ["actor 1 slot"]),
    "actor": (_move_an_actor, ["actor 1 root"]),
    "deleted": (_delete_an_actor, ["actors"]),
    "copied": (_copy_an_actor, ["actors"]),
}


@late
@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_changes_only_its_track(blender: ModuleType, game: Game, edit: str) -> None:
    root, collection, data = level_and_cutscene(game)
    change, expected = EDITS[edit]
    change(root, collection)
    assert changed_tracks(read_cutscene(data), exported_cutscene(collection)) == expected


def test_only_the_frame_that_was_edited_differs(blender: ModuleType) -> None:
    root, collection, data = level_and_cutscene()
    _turn_a_bone(root, collection)
    before, after = read_cutscene(data).actors[0].rotations, exported_cutscene(collection).actors[0].rotations
    assert np.argwhere((before != after).any(axis=2)).tolist() == [[9, 14]]
    bpy.context.scene.frame_set(9)
    lara = cutscene_objects(collection, "ACTOR")[0]
    local = lara.pose.bones["Head"].matrix_basis.to_3x3()
    rest = np.array(lara.data.bones["Head"].matrix_local)[:3, :3]
    axes = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    shown = axes.T @ rest @ np.array(local) @ rest.T @ axes
    assert np.allclose(turned(after[9, 14].astype(int) * 64), shown, atol=5e-3)


def test_tracks_that_were_not_edited_keep_their_bytes(blender: ModuleType) -> None:
    sample = Sample(3, nodes=(15, 3))
    root, collection, _ = level_and_cutscene(data=sample.data)
    _turn_a_bone(root, collection)
    content, _, rebuilt = export_cutscene(collection, SCALE)
    assert sum(rebuilt.values()) == 1
    before, after = read_cutscene(sample.data).source, read_cutscene(content).source
    assert before is not None
    assert after is not None
    for block, (old, new) in enumerate(zip(before.blocks, after.blocks, strict=True)):
        for stream, (a, b) in enumerate(zip(old.streams, new.streams, strict=True)):
            same = sample.data[a.offset : a.offset + a.size] == content[b.offset : b.offset + b.size]
            # Block 1 is Lara, track 15 her head. One axis of the head may be unchanged.
            assert same or (block, stream // 3) == (1, 15)


def test_actors_move_with_the_origin(blender: ModuleType) -> None:
    root, collection, _ = level_and_cutscene()
    _move_the_origin(root, collection)
    after = exported_cutscene(collection)
    assert after.origin == (ORIGIN[0] + 1024, *ORIGIN[1:])
    assert_bones_match(sample_level(Game.TR4), after, collection, 3)


def test_a_turned_origin_turns_all_tracks(blender: ModuleType) -> None:
    _, collection, data = level_and_cutscene()
    cutscene_objects(collection, "ORIGIN")[0].rotation_euler.z = -np.pi / 2
    before, after = read_cutscene(data), exported_cutscene(collection)
    assert after.origin == before.origin
    x, y, z = before.camera.T
    assert np.array_equal(after.camera, np.stack([z, y, -x], axis=1))
    for frame in (0, 10):
        for actor, name in ((0, "Hips"), (1, "Bone 00")):
            old, new = (each.actors[actor].rotations[frame, 0].astype(int) * 64 for each in (before, after))
            assert np.allclose(turned(new), turned(np.array([0, 16384, 0])) @ turned(old), atol=6e-3), name
    assert np.array_equal(before.actors[0].rotations[:, 1:], after.actors[0].rotations[:, 1:])


def test_without_its_origin_a_cutscene_stays_where_it_stands(blender: ModuleType) -> None:
    _, collection, data = level_and_cutscene()
    origin = cutscene_objects(collection, "ORIGIN")[0]
    for obj in origin.children:
        obj.parent = None
        obj.location = in_blender(ORIGIN)
    before = read_cutscene(data)
    bpy.data.objects.remove(origin)
    content, report, _ = export_cutscene(collection, SCALE)
    after = read_cutscene(content)
    assert after.origin == before.origin
    assert np.array_equal(after.actors[0].root, before.actors[0].root)
    assert any("its origin was deleted" in text for text in report.warnings)


# --- Length ----------------------------------------------------------------------------------------


def test_the_frame_range_of_the_camera_gives_the_length(blender: ModuleType) -> None:
    _, collection, data = level_and_cutscene()
    before = read_cutscene(data)
    action = action_of(cutscene_objects(collection, "CAMERA")[0])
    action.frame_start, action.frame_end = 4, 13
    after = exported_cutscene(collection)
    assert after.num_frames == 10
    assert np.array_equal(after.camera, before.camera[4:14])
    assert np.array_equal(after.actors[0].root, before.actors[0].root[4:14])
    for old, new in zip(before.actors[0].rotations[4:14], after.actors[0].rotations, strict=True):
        for a, b in zip(old, new, strict=True):
            assert np.allclose(turned(a.astype(int) * 64), turned(b.astype(int) * 64), atol=2e-3)
    action.frame_start, action.frame_end = 0, FRAMES + 5
    after = exported_cutscene(collection)
    assert after.num_frames == FRAMES + 6
    assert np.array_equal(after.camera[:FRAMES], before.camera)
    assert (after.camera[FRAMES:] == before.camera[-1]).all()
    assert np.array_equal(after.actors[1].rotations[:FRAMES], before.actors[1].rotations)


def test_keys_behind_the_end_make_it_longer(blender: ModuleType) -> None:
    _, collection, _ = level_and_cutscene()
    target = cutscene_objects(collection, "TARGET")[0]
    for curve in curves(action_of(target)):
        curve.keyframe_points.insert(FRAMES + 9, 1.0)
    after = exported_cutscene(collection)
    assert after.num_frames == FRAMES + 10
    # One meter along each of Blender's axes.
    assert after.target[-1].tolist() == [256, -256, 256]


def test_ranges_that_differ_are_reported(blender: ModuleType) -> None:
    _, collection, _ = level_and_cutscene()
    action_of(cutscene_objects(collection, "ACTOR")[0]).frame_end = 40
    action_of(cutscene_objects(collection, "ACTOR")[1]).frame_end = 50
    content, report, _ = export_cutscene(collection, SCALE)
    assert read_cutscene(content).num_frames == 51
    assert any("frame ranges of its actions differ" in text for text in report.warnings)


# --- Motion without keys ------------------------------------------------------------------------


def test_constraints_are_baked(blender: ModuleType) -> None:
    _, collection, data = level_and_cutscene()
    before = read_cutscene(data)
    bpy.context.scene.frame_set(11)
    rail = bpy.data.objects.new("Rail", None)
    rail.location = in_blender(np.array(ORIGIN) + np.array((0, -1024, 0))).tolist()
    bpy.context.scene.collection.objects.link(rail)
    camera = cutscene_objects(collection, "CAMERA")[0]
    camera.constraints.new("COPY_LOCATION").target = rail
    camera.constraints.move(1, 0)  # it looks from where it is moved to
    lara = cutscene_objects(collection, "ACTOR")[0]
    limit = lara.pose.bones["Head"].constraints.new("LIMIT_ROTATION")
    limit.use_limit_x = limit.use_limit_y = limit.use_limit_z = True
    limit.owner_space = "LOCAL"
    after = exported_cutscene(collection)
    assert (after.camera == [0, -512, 0]).all()
    assert (after.actors[0].rotations[:, 14] == 0).all()
    assert changed_tracks(before, after) == ["camera", "actor 0 mesh 14"]
    assert bpy.context.scene.frame_current == 11


def test_an_actor_may_be_moved_by_its_object(blender: ModuleType) -> None:
    _, collection, data = level_and_cutscene()
    before = read_cutscene(data)
    enemy = cutscene_objects(collection, "ACTOR")[1]
    enemy.keyframe_insert("location", frame=0)
    enemy.location.x += 3.0
    enemy.keyframe_insert("location", frame=10)
    after = exported_cutscene(collection)
    assert changed_tracks(before, after) == ["actor 1 root"]
    moved = after.actors[1].root.astype(int) - before.actors[1].root
    assert moved[0].tolist() == [0, 0, 0]
    assert moved[10:].tolist() == [[512, 0, 0]] * (FRAMES - 10)


def test_a_camera_without_a_target_looks_along_its_view(blender: ModuleType) -> None:
    _, collection, _ = level_and_cutscene()
    camera, target = cutscene_objects(collection, "CAMERA")[0], cutscene_objects(collection, "TARGET")[0]
    bpy.data.objects.remove(target)
    camera.constraints.clear()
    camera.animation_data_clear()
    camera.location = (0, 0, 0)
    camera.rotation_euler = (np.pi / 2, 0, 0)  # along Blender's y, the file's z
    after = exported_cutscene(collection)
    assert (after.camera == 0).all()
    assert (after.target == [0, 0, 512]).all()


def test_constraints_of_hidden_actors_are_reported(blender: ModuleType) -> None:
    root, collection, data = level_and_cutscene()
    enemy = cutscene_objects(collection, "ACTOR")[1]
    enemy.constraints.new("LIMIT_LOCATION")
    layer = bpy.context.view_layer.layer_collection.children[root.name].children[collection.name]
    layer.exclude = True
    bpy.context.view_layer.update()
    content, report, _ = export_cutscene(collection, SCALE)
    assert content == data
    assert [text.split(":")[0] for text in report.warnings] == [enemy.name]


# --- Errors -------------------------------------------------------------------------------------


def test_actors_without_a_model_keep_their_motion(blender: ModuleType) -> None:
    made = cutscene_of(Game.TR4)
    made.actors[1].slot = 999
    data = made.to_bytes()
    root = import_scene(sample_level(Game.TR4).to_bytes())
    collection, report = import_cutscene(root, data, 3)
    assert sum("is not among the level's models" in text for text in report.warnings) == 1
    stand_in = cutscene_objects(collection, "ACTOR")[1]
    assert stand_in.tomb_raider.actor.model is None
    assert len(stand_in.pose.bones) == 3
    bpy.context.scene.frame_set(6)
    bpy.context.view_layer.update()
    place = np.array(stand_in.matrix_world @ stand_in.pose.bones[0].matrix)[:3, 3]
    expected = np.array(made.origin) + made.actors[1].root[6].astype(int) * 3
    assert np.allclose(place, in_blender(expected), atol=2e-4)
    assert export_cutscene(collection, SCALE)[0] == data
    stand_in.tomb_raider.actor.slot = 5
    assert changed_tracks(read_cutscene(data), exported_cutscene(collection)) == ["actor 1 slot"]


def test_a_level_without_models_has_stand_ins_only(blender: ModuleType) -> None:
    from io_tomb_raider.scene.core.context import ImportOptions
    from io_tomb_raider.scene.pipeline.importer import import_level

    data = cutscene_of(Game.TR4).to_bytes()
    options = ImportOptions(models=False, entities=False)
    root = import_level(sample_level(Game.TR4).to_bytes(), options).root
    collection, _ = import_cutscene(root, data, 3)
    assert export_cutscene(collection, SCALE)[0] == data
    level, _ = export_level(root)
    assert level.to_bytes() == sample_level(Game.TR4).to_bytes()


@pytest.mark.parametrize("meshes", [0, 1, 2, 5])
def test_other_numbers_of_meshes_than_the_model_has_are_kept(blender: ModuleType, meshes: int) -> None:
    made = cutscene_of(Game.TR4)
    random = np.random.default_rng(1)
    made.actors[1].rotations = random.integers(0, 1024, (FRAMES, meshes, 3)).astype(np.uint16)
    data = made.to_bytes()
    root, collection, _ = level_and_cutscene(data=data)
    bpy.context.scene.frame_set(7)
    assert export_cutscene(collection, SCALE)[0] == data
    _turn_a_bone(root, collection)
    assert changed_tracks(read_cutscene(data), exported_cutscene(collection)) == ["actor 0 mesh 14"]


def test_the_first_actor_is_always_lara(blender: ModuleType) -> None:
    made = cutscene_of(Game.TR4)
    made.actors[0].slot = 33
    data = made.to_bytes()
    root, collection, _ = level_and_cutscene(data=data)
    assert cutscene_objects(collection, "ACTOR")[0].tomb_raider.actor.model == objects(root, "MODEL")[0]
    assert export_cutscene(collection, SCALE)[0] == data


def test_cutscenes_are_refused_before_tr4(blender: ModuleType) -> None:
    root = import_scene(sample_level(Game.TR3).to_bytes())
    with pytest.raises(ExportError, match="only levels of TR4 and TR5"):
        import_cutscene(root, cutscene_of(Game.TR4).to_bytes(), 1)


def test_an_origin_outside_of_the_level_is_reported(blender: ModuleType) -> None:
    made = cutscene_of(Game.TR4)
    root = import_scene(sample_level(Game.TR4).to_bytes())
    inside = next(room for room in objects(root, "ROOM"))
    corner = inside.matrix_world @ type(inside.location)(inside.bound_box[0])
    made.origin = (round(corner.x * 512) + 512, 0, round(corner.y * 512) + 512)
    assert not import_cutscene(root, made.to_bytes(), 1)[1].warnings
    made.origin = (900000, 0, 0)
    (warning,) = import_cutscene(root, made.to_bytes(), 2)[1].warnings
    assert "it may belong to another level" in warning


def test_cutscenes_that_tr5_plays_differently_are_reported(blender: ModuleType) -> None:
    root = import_scene(sample_level(Game.TR5).to_bytes())
    data = cutscene_of(Game.TR5).to_bytes()
    texts = [" ".join(import_cutscene(root, data, number)[1].warnings) for number in (4, 26, 27)]
    assert ["audio track 19" in text for text in texts] == [True, False, False]
    assert ["1978 of its frames" in text for text in texts] == [False, True, False]


@pytest.mark.parametrize("cut", [10, 30, 200, -40])
def test_damaged_cutscenes_leave_the_scene_as_it_was(blender: ModuleType, cut: int) -> None:
    root = import_scene(sample_level(Game.TR4).to_bytes())
    before = len(bpy.data.objects), len(bpy.data.collections), len(bpy.data.actions), len(root.children)
    with pytest.raises(FormatError):
        import_cutscene(root, cutscene_of(Game.TR4).to_bytes()[:cut], 1)
    after = len(bpy.data.objects), len(bpy.data.collections), len(bpy.data.actions), len(root.children)
    assert before == after


def test_a_cutscene_without_frames_is_an_error(blender: ModuleType) -> None:
    root = import_scene(sample_level(Game.TR4).to_bytes())
    data = bytearray(cutscene_of(Game.TR4).to_bytes())
    data[2:4] = b"\0\0"
    with pytest.raises(FormatError, match="frames"):
        import_cutscene(root, bytes(data), 1)


def test_values_that_do_not_fit_are_an_error_that_names_the_object(blender: ModuleType) -> None:
    _, collection, _ = level_and_cutscene()
    lara, enemy = cutscene_objects(collection, "ACTOR")
    for _ in range(9):
        collection.objects.link(enemy.copy())
    with pytest.raises(ExportError, match=r"too many actors: 11 \(the limit is 10\)"):
        exported_cutscene(collection)
    for obj in cutscene_objects(collection, "ACTOR")[1:]:
        bpy.data.objects.remove(obj)
    lara.location.x = 500.0
    with pytest.raises(ExportError, match=f"{lara.name}: is too far from the cutscene's origin"):
        exported_cutscene(collection)
    lara.location.x = 0.0
    camera = cutscene_objects(collection, "CAMERA")[0]
    set_key(camera, "location", 0, 5, 100.0)
    with pytest.raises(ExportError, match="camera, position, x: moves too far between two frames"):
        exported_cutscene(collection)
    bpy.data.objects.remove(camera)
    with pytest.raises(ExportError, match="it has no camera"):
        exported_cutscene(collection)


def test_a_cutscene_without_lara_is_refused(blender: ModuleType) -> None:
    _, collection, _ = level_and_cutscene()
    bpy.data.objects.remove(cutscene_objects(collection, "ACTOR")[0])
    with pytest.raises(ExportError, match="the first actor of a cutscene is Lara"):
        exported_cutscene(collection)


# --- Made in Blender ---------------------------------------------------------------------------------------


@late
def test_actors_of_a_new_cutscene_are_placed_at_their_entities(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_level(game).to_bytes())
    entities = [obj for obj in objects(root, "ENTITY") if obj.instance_collection is not None]
    lara = next(obj for obj in entities if obj.tomb_raider.entity.type == 0)
    enemy = next(obj for obj in entities if len(obj.instance_collection.tomb_raider.model.data.bones) == 3)
    collection = new_cutscene(root, 7, [enemy, lara], None, (1, 60))
    first, second = cutscene_objects(collection, "ACTOR")
    # Lara is first, in any order of selection.
    assert first.tomb_raider.actor.model.tomb_raider.model.id == 0
    bpy.context.view_layer.update()
    assert np.allclose(np.array(second.matrix_world), np.array(enemy.matrix_world), atol=1e-4)
    bone = first.pose.bones["Torso"]
    bone.rotation_quaternion = (1, 0, 0, 0)
    bone.keyframe_insert("rotation_quaternion", frame=1)
    bone.rotation_quaternion = (0.5, 0.5, 0.5, 0.5)
    bone.keyframe_insert("rotation_quaternion", frame=30)
    made = exported_cutscene(collection)
    assert made.num_frames == 60
    assert made.audio_track == -1
    assert made.actors[0].slot == 0
    # An imported cutscene has the same positions.
    bpy.context.scene.frame_set(30)
    expected = [np.array(first.matrix_world @ each.matrix) for each in first.pose.bones]
    other = np.array(second.matrix_world @ second.pose.bones[0].matrix)
    again, _ = import_cutscene(root, made.to_bytes(), 8)
    bpy.context.scene.frame_set(29)
    bpy.context.view_layer.update()
    lara_again, enemy_again = cutscene_objects(again, "ACTOR")
    for matrix, each in zip(expected, lara_again.pose.bones, strict=True):
        assert np.allclose(np.array(lara_again.matrix_world @ each.matrix), matrix, atol=1.5e-2)
    assert np.allclose(
        np.array(enemy_again.matrix_world @ enemy_again.pose.bones[0].matrix), other, atol=1e-2
    )


def test_the_users_camera_films_a_new_cutscene(blender: ModuleType) -> None:
    root = import_scene(sample_level(Game.TR4).to_bytes())
    lara = objects(root, "MODEL")[0]
    camera = bpy.data.objects.new("Mine", bpy.data.cameras.new("Mine"))
    target = bpy.data.objects.new("There", None)
    for obj in (camera, target):
        bpy.context.scene.collection.objects.link(obj)
    constraint: Any = camera.constraints.new("TRACK_TO")
    constraint.target = target
    origin = np.array(lara.location)
    camera.location = origin + np.array((0, -4, 2))
    target.location = origin + np.array((0, 0, 1))
    collection = new_cutscene(root, 2, [lara], camera, (0, 9))
    made = exported_cutscene(collection)
    assert made.num_frames == 10
    assert (made.camera == [0, -512, -1024]).all()
    assert (made.target == [0, -256, 0]).all()


def test_a_new_cutscene_needs_lara(blender: ModuleType) -> None:
    root = import_scene(sample_level(Game.TR4).to_bytes())
    with pytest.raises(ExportError, match="Lara must be one of its actors"):
        new_cutscene(root, 2, objects(root, "MODEL")[2:3], None, (0, 9))
    early = import_scene(sample_level(Game.TR2).to_bytes())
    with pytest.raises(ExportError, match="only levels of TR4 and TR5"):
        new_cutscene(early, 2, objects(early, "MODEL")[:1], None, (0, 9))


def test_actors_can_be_added(blender: ModuleType) -> None:
    root, collection, data = level_and_cutscene()
    (added,) = add_actors(collection, objects(root, "MODEL")[3:4])
    before, after = read_cutscene(data), exported_cutscene(collection)
    assert len(after.actors) == 3
    assert after.actors[2].slot == objects(root, "MODEL")[3].tomb_raider.model.id
    assert after.actors[2].rotations.shape == (FRAMES, 2, 3)
    assert added.parent == cutscene_objects(collection, "ORIGIN")[0]
    after.actors.pop()
    assert changed_tracks(before, after) == []


def test_actors_show_the_meshes_of_their_model_alone(blender: ModuleType) -> None:
    root, collection, _ = level_and_cutscene()
    model = objects(root, "MODEL")[3]
    guide = bpy.data.objects.new("Guide", None)
    guide.parent, guide.parent_type, guide.parent_bone = model, "BONE", model.data.bones[0].name
    collection.objects.link(guide)
    (added,) = add_actors(collection, [model])
    assert [part.type for part in added.children] == ["MESH"] * len(model.data.bones)


def test_a_cutscene_of_one_actor_less_mesh_is_a_plain_actor(blender: ModuleType) -> None:
    """A model without meshes still has a position."""
    track = np.zeros((5, 3), np.int16)
    made = Cutscene(
        ORIGIN,
        -1,
        track,
        track + np.int16(9),
        [
            Actor(0, track, np.zeros((5, 15, 3), np.uint16)),
            Actor(998, track + np.int16(3), np.zeros((5, 0, 3), np.uint16)),
        ],
    )
    data = made.to_bytes()
    _, collection, _ = level_and_cutscene(data=data)
    assert export_cutscene(collection, SCALE)[0] == data
