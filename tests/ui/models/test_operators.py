"""Tests of editing an entity's model, returning, selecting its entities, and its animations."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Euler, Vector

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.subjects.animations.changes.chains import is_playing
from io_tomb_raider.ui.animations.library import chosen
from io_tomb_raider.ui.models import panels
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.scene.rig_tools import animation_count, model_keys, with_skin
from tests.scene.scenes import objects

from ..recorder import draw
from ..user_actions import add_cube, export_file, import_file, import_sample, in_view, sample_file, select


def activate(obj: Any) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)


def models_layer(root: Any) -> Any:
    layer = bpy.context.view_layer.layer_collection.children[root.name]
    return next(each for each in layer.children if each.collection.tomb_raider.kind == "MODELS")


@each_game
def test_a_model_opens_where_its_entity_was_seen(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    path = sample_file(tmp_path, game)
    root = import_file(path)
    lara: Any = bpy.context.object
    shown = lara.instance_collection
    with in_view() as view:
        region = view.region_3d
        region.view_location, region.view_distance = lara.location, 3.0
        before = (region.view_location.copy(), region.view_rotation.copy())
        assert bpy.ops.tomb_raider.edit_model() == {"FINISHED"}
        seen = set(bpy.context.selected_objects)
        (armature,) = (t for t in shown.all_objects if t.tomb_raider.kind == "MODEL")
        assert seen == {armature, *armature.children}
        assert bpy.context.object.type == "MESH" and {obj.type for obj in seen} == {"MESH", "ARMATURE"}
        assert set(bpy.context.visible_objects) == seen
        # The view of the library's model is that of the entity before.
        at_library = Vector(shown.instance_offset)
        assert (region.view_location - at_library).length < 1e-3
        others = [each for each in models_layer(root).children if not each.exclude]
        assert {obj for each in others for obj in each.collection.objects} == seen
        assert draw(panels.VIEW3D_PT_tomb_raider_edited_model) is not None
        bpy.ops.object.mode_set(mode="EDIT")
        assert bpy.ops.tomb_raider.leave_model() == {"FINISHED"}
        assert bpy.context.mode == "OBJECT" and view.local_view is None
        assert (region.view_location - before[0]).length < 1e-3
        assert region.view_rotation.rotation_difference(before[1]).angle < 1e-3
        # A distant view is moved near.
        region.view_distance = 500.0
        assert bpy.ops.tomb_raider.edit_model() == {"FINISHED"}
        assert 0.1 < region.view_distance < 20.0
        assert bpy.ops.tomb_raider.leave_model() == {"FINISHED"}
        assert (region.view_location - lara.location).length < 3.0
        assert region.view_distance == 500.0  # and restored
    assert models_layer(root).exclude and bpy.context.selected_objects == [lara] == [bpy.context.object]
    assert not bpy.ops.tomb_raider.leave_model.poll()
    assert draw(panels.VIEW3D_PT_tomb_raider_edited_model) is None
    assert export_file(tmp_path / "out") == path.read_bytes()


def assert_opened_models_are_whole(path: Path) -> None:
    """Open the model of every entity, and assert that the view shows all meshes of it, and nothing else."""
    root = import_file(path)
    entities = {each.instance_collection: each for each in objects(root, "ENTITY")}
    entities.pop(None, None)
    with in_view():
        for shown, entity in entities.items():
            select(entity)
            assert bpy.ops.tomb_raider.edit_model() == {"FINISHED"}
            (armature,) = (each for each in shown.all_objects if each.tomb_raider.kind == "MODEL")
            layer = set(bpy.context.view_layer.objects)
            whole = {each for each in bpy.data.objects if each.parent == armature and each.type == "MESH"}
            assert whole <= layer
            if whole:  # else there is nothing to isolate
                assert set(bpy.context.visible_objects) == {armature, *whole}
            assert bpy.ops.tomb_raider.leave_model() == {"FINISHED"}


@each_game
def test_an_opened_model_is_whole(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    assert_opened_models_are_whole(sample_file(tmp_path, game))


@each_real_level
def test_an_opened_model_of_a_real_level_is_whole(blender: ModuleType, level_path: Path) -> None:
    assert_opened_models_are_whole(level_path)


def test_animate_frames_the_model(blender: ModuleType, tmp_path: Path) -> None:
    import_sample(tmp_path, "tr1")
    lara: Any = bpy.context.object
    meshes = [each for each in lara.instance_collection.all_objects if each.type == "MESH"]
    with in_view() as view:
        region, area = view.region_3d, bpy.context.area
        region.view_perspective, region.view_location = "PERSP", lara.location
        region.view_rotation = Euler((np.pi / 2, 0, 0)).to_quaternion()
        region.view_distance = 5.0  # near, but she is small
        assert bpy.ops.tomb_raider.animate_model() == {"FINISHED"}
        window = next(each for each in area.regions if each.type == "WINDOW")
        size = (
            (window.width, window.height)
            if min(window.width, window.height) > 1
            else (area.width, area.height)
        )
        corners = np.array([each.matrix_world @ Vector(c) for each in meshes for c in each.bound_box])
        tall = np.ptp(corners[:, 2])
        seen = region.view_distance * 36 / view.lens * 2 * size[1] / max(size)
        assert 0.45 < tall / seen < 0.7
        assert bpy.ops.tomb_raider.leave_model() == {"FINISHED"}
        assert region.view_distance == 5.0


@each_game
def test_animate_poses_the_model_of_an_entity(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    path = sample_file(tmp_path, game)
    import_file(path)
    context: Any = bpy.context
    lara = context.object
    with in_view() as view:
        assert bpy.ops.tomb_raider.animate_model() == {"FINISHED"}
        armature: Any = context.object
        assert context.mode == "POSE" and armature.visible_get() and armature.type == "ARMATURE"
        assert armature in set(lara.instance_collection.all_objects)
        assert [obj for obj in armature.children if obj.visible_get()] and view.local_view is not None
        scene, shown = context.scene, armature.animation_data.action
        assert scene.use_preview_range and scene.frame_preview_end == round(shown.frame_range[1]) > 0
        assert bpy.ops.tomb_raider.leave_model() == {"FINISHED"}
        assert context.mode == "OBJECT" and context.object == lara
        # From the meshes of an opened model, too.
        bpy.ops.tomb_raider.edit_model()
        assert context.object.type == "MESH"
        assert bpy.ops.tomb_raider.animate_model() == {"FINISHED"}
        assert context.mode == "POSE" and context.object == armature
        bpy.ops.tomb_raider.leave_model()
    assert export_file(tmp_path / "out") == path.read_bytes()


def test_a_library_that_is_shown_is_in_the_view(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr4")
    with in_view() as view:
        bpy.ops.tomb_raider.camera_behind_lara()
        for part, kind in (
            ("MODELS", "MODEL_MESH"),
            ("STATIC_MESHES", "STATIC_MESH"),
            ("SPRITES", "SPRITE_TEXTURE"),
        ):
            bpy.ops.tomb_raider.toggle_library(kind=part)
            region = view.region_3d
            assert region.view_perspective == "PERSP"
            seen = [obj for obj in objects(root, kind) if obj.visible_get() and obj.data]
            assert seen
            for obj in seen:
                place = region.view_rotation.inverted() @ (
                    obj.matrix_world.translation - region.view_location
                )
                assert place.z < region.view_distance  # before the eye
                assert max(abs(place.x), abs(place.y)) < 0.75 * (region.view_distance - place.z)


def test_a_library_that_was_shown_is_shown_again(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr2")
    bpy.ops.tomb_raider.toggle_library(kind="MODELS")
    lara: Any = objects(root, "ENTITY")[0]
    activate(lara)
    bpy.ops.tomb_raider.edit_model()
    assert sum(not child.exclude for child in models_layer(root).children) == 1
    bpy.ops.tomb_raider.leave_model()
    assert not any(child.exclude for child in models_layer(root).children)


def test_objects_without_a_model_cannot_be_opened(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    activate(objects(root, "ROOM")[0])
    assert not bpy.ops.tomb_raider.edit_model.poll()
    activate(add_cube())
    assert not bpy.ops.tomb_raider.select_same_model.poll() and not bpy.ops.tomb_raider.play_animation.poll()
    lara: Any = objects(root, "ENTITY")[0]
    lara.instance_collection = bpy.data.collections.new("Mine")
    lara.instance_collection.tomb_raider.kind = "MODEL"
    lara.instance_collection.tomb_raider.model = objects(root, "MODEL")[0]
    activate(lara)
    with pytest.raises(RuntimeError, match="shows no model of its level's library"):
        bpy.ops.tomb_raider.edit_model()


def test_all_entities_of_a_model_are_selected(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    one: Any = next(each for each in objects(root, "ENTITY") if each.instance_collection is not None)
    copy = one.copy()
    one.users_collection[0].objects.link(copy)
    activate(one)
    assert bpy.ops.tomb_raider.select_same_model() == {"FINISHED"}
    wanted = {e for e in objects(root, "ENTITY") if e.instance_collection == one.instance_collection}
    assert set(bpy.context.selected_objects) == wanted and copy in wanted
    select(one.instance_collection.tomb_raider.model)
    assert bpy.ops.tomb_raider.select_same_model() == {"FINISHED"}
    assert set(bpy.context.selected_objects) == wanted


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
@pytest.mark.parametrize("has_view", [True, False])
def test_the_first_animate_on_lara_poses_her_skin(
    blender: ModuleType, tmp_path: Path, game: Game, has_view: bool
) -> None:
    path = sample_file(tmp_path, game)
    path.write_bytes(with_skin(game))
    root = import_file(path)
    with in_view() if has_view else nullcontext():
        assert bpy.ops.tomb_raider.animate_model() == {"FINISHED"}
        skin = bpy.context.object
        assert bpy.context.mode == "POSE" and skin == objects(root, "MODEL")[1]
        assert skin.animation_data.action.tomb_raider.model == objects(root, "MODEL")[0]
        bpy.ops.tomb_raider.leave_model()


@pytest.mark.parametrize("game", [Game.TR1, Game.TR3, Game.TR4])
def test_a_renamed_bone_of_the_figure_changes_nothing(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    path = sample_file(tmp_path, game)
    if game is not Game.TR1:
        path.write_bytes(with_skin(game))
    import_file(path)
    bpy.ops.tomb_raider.animate_model()
    armature: Any = bpy.context.object
    run = next(each for each in bpy.data.actions if each.name.startswith("Lara 000"))
    bpy.ops.tomb_raider.play_animation(action=run.name)
    armature.data.bones["Calf.L"].name = "Shin left"
    assert export_file(tmp_path / "out") == path.read_bytes()
    # Other animations have the old name, and edits by the new one are exported.
    assert bpy.ops.tomb_raider.mirror_animation(result="COPY") == {"FINISHED"}
    assert bpy.ops.tomb_raider.mirror_animation(result="IN_PLACE") == {"FINISHED"}
    level = read_level(export_file(tmp_path / "out"))
    made = model_keys(level, number=animation_count(level) - 1)
    assert (made.angles == model_keys(level, number=0).angles).all()


@each_game
def test_an_entity_of_a_model_is_added_in_one_step(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    wolf = next(each for each in objects(root, "ENTITY") if each.tomb_raider.index == 2)
    model = wolf.instance_collection.tomb_raider.model
    before = set(objects(root, "ENTITY"))
    bpy.context.scene.cursor.location = wolf.location + Vector((0, 0, 1))
    assert not bpy.ops.tomb_raider.add_entity.poll()  # Lara's entity is active, not her model
    select(model)
    assert bpy.ops.tomb_raider.add_entity() == {"FINISHED"}
    (made,) = set(objects(root, "ENTITY")) - before
    assert bpy.context.selected_objects == [made] and made.visible_get()
    assert made.instance_collection == wolf.instance_collection
    assert (made.location - wolf.location).length < 1e-3
    records = read_level(export_file(tmp_path / "out")).entities
    assert records["type"].tolist().count(model.tomb_raider.model.id) == 3


# --- Animations ----------------------------------------


@each_game
def test_a_models_own_animations_are_listed_and_shown(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    path = sample_file(tmp_path, game)
    import_file(path)
    lara: Any = bpy.context.object
    armature = lara.instance_collection.tomb_raider.model
    actions = list(bpy.data.actions)
    flags, order = chosen(armature, actions, "")
    own = [action for flag, action in zip(flags, actions, strict=True) if flag]
    assert own and len(own) < len(actions) and {a.tomb_raider.model for a in own} == {armature}
    listed = sorted(own, key=lambda action: order[actions.index(action)])
    assert [action.tomb_raider.index for action in listed] == sorted(a.tomb_raider.index for a in own)
    assert sorted(order) == list(range(len(actions)))
    last = listed[-1]
    assert sum(map(bool, chosen(armature, actions, last.name)[0])) >= 1
    assert not any(chosen(armature, actions, "no such name")[0])
    # A click shows it on the figure drawn for Lara, too, from its start and in its range.
    settings, scene = armature.tomb_raider.model, bpy.context.scene
    scene.frame_set(round(last.frame_range[1]) + 50)
    settings.shown_animation = actions.index(last)
    assert (scene.frame_current, scene.frame_preview_end) == tuple(map(round, last.frame_range))
    scene.frame_set(3)
    settings.shown_animation = actions.index(listed[0])
    assert (scene.frame_current, scene.frame_preview_end) == (3, round(listed[0].frame_range[1]))
    with bpy.context.temp_override(object=armature):
        assert bpy.ops.tomb_raider.play_chain() == {"FINISHED"} and is_playing(armature)
    settings.shown_animation = actions.index(last)
    assert not is_playing(armature) and scene.frame_preview_end == round(last.frame_range[1])
    assert armature.animation_data.action == last and settings.shown_animation == actions.index(last)
    drawn = [each.tomb_raider.model for each in lara.instance_collection.children]
    assert all(each.animation_data.action == last for each in drawn)
    assert bpy.ops.tomb_raider.play_animation(action=listed[0].name) == {"FINISHED"}
    first, end = (round(frame) for frame in listed[0].frame_range)
    assert (scene.frame_preview_start, scene.frame_preview_end) == (first, end)
    assert armature.animation_data.action == listed[0] and scene.frame_current == first
    with pytest.raises(RuntimeError, match="has no such animation"):
        bpy.ops.tomb_raider.play_animation(action="Nothing")
    assert export_file(tmp_path / "out") == path.read_bytes()


# --- A camera behind Lara ----------------------------------------


def test_a_camera_follows_lara_and_is_not_exported(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path, "tr3")
    root = import_file(path)
    lara = objects(root, "ENTITY")[0]
    lara.rotation_euler.z = 0.7
    with in_view() as view:
        assert bpy.ops.tomb_raider.camera_behind_lara(collection=root.name) == {"FINISHED"}
        assert view.region_3d.view_perspective == "CAMERA"
    camera: Any = bpy.context.scene.camera
    for place in ((1.0, 2.0, 3.0), (4.0, 0.0, 1.0)):
        lara.location = place
        bpy.context.view_layer.update()
        ahead = lara.matrix_world.to_3x3() @ Vector((0, 1, 0))
        offset = lara.matrix_world.translation - camera.matrix_world.translation
        assert offset.dot(ahead) == pytest.approx(1512.7 / 512, abs=1e-2)  # distance to the camera
        assert offset.z < -1.0
        direction = camera.matrix_world.to_3x3() @ Vector((0, 0, -1))
        assert direction.angle(offset + Vector((0, 0, 1))) < 1e-3  # one meter above her feet
    bpy.ops.tomb_raider.camera_behind_lara(collection=root.name)
    assert bpy.context.scene.camera == camera and len([c for c in lara.children if c.type == "CAMERA"]) == 1
    data = export_file(tmp_path / "out")
    assert len(data) == len(path.read_bytes())
    bpy.data.objects.remove(lara)
    with pytest.raises(RuntimeError, match="no entity is Lara"):
        bpy.ops.tomb_raider.camera_behind_lara(collection=root.name)
