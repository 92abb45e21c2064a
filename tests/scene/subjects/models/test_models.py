"""Models: import as armatures with meshes, and the effects of edits on exports."""

from __future__ import annotations

from itertools import combinations, pairwise
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Matrix, Vector

from io_tomb_raider.formats import ExportError, FormatError, Game, Level, read_level
from io_tomb_raider.formats.levels.models.mesh_trees import decode_mesh_trees
from io_tomb_raider.scene.core import original
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.compare import differences
from tests.games import each_game
from tests.sample_levels import sample_bytes, sample_level
from tests.scene.exporting import export_level

from ...rig_tools import (
    ENEMY,
    LARA,
    PISTOLS,
    SCALE,
    SWITCH,
    actions,
    armature,
    edit_bones,
    first_animation,
    model_keys,
    model_vertices,
    parts,
    posed,
    show_library,
    shown_vertices,
)
from ...scenes import changes, export_scene, import_anew, import_scene, objects

some_games = pytest.mark.parametrize("game", [Game.TR1, Game.TR4])


def trees(level: Level) -> list[Any]:
    return decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))


# --- Import ----------------------------------------


@each_game
def test_bones_have_parents_and_heads_of_the_mesh_tree(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    for model, tree in enumerate(trees(read_level(data))):
        obj = armature(root, model)
        by_number = {bone.tomb_raider.index: bone for bone in obj.data.bones}
        assert sorted(by_number) == list(range(len(tree)))
        for number, bone in by_number.items():
            parent = bone.parent.tomb_raider.index if bone.parent else -1
            assert parent == tree.parents[number]
            x, y, z = tree.origins()[number]
            assert tuple(bone.head_local) == (x * SCALE, z * SCALE, -y * SCALE)


@some_games
def test_at_rest_meshes_stand_upright_at_the_heads_of_their_bones(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    show_library(root)
    for obj in objects(root, "MODEL"):
        obj.data.pose_position = "REST"
    bpy.context.view_layer.update()
    for part in objects(root, "MODEL_MESH"):
        place = part.matrix_world.copy()
        place.translation -= part.parent.location + part.parent.data.bones[part.parent_bone].head_local
        assert np.abs(np.array(place) - np.eye(4)).max() < 1e-5


@some_games
def test_meshes_are_shared_as_in_the_game(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    lara, pistols = parts(root, LARA), parts(root, PISTOLS)
    same = [one.data == two.data for one, two in zip(lara, pistols, strict=True)]
    assert [number for number, equal in enumerate(same) if not equal] == [10, 13]  # the hands


@each_game
@pytest.mark.parametrize("model", [LARA, PISTOLS, ENEMY, SWITCH])
def test_poses_are_those_that_the_game_shows(blender: ModuleType, game: Game, model: int) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    show_library(root, model)
    level = read_level(data)
    for number, action in enumerate(actions(root, model)[:3]):
        armature(root, model).animation_data.action = action
        keys = model_keys(level, model, number)
        rate = int(level.animations["frame_rate"][first_animation(level, model) + number])
        for key in {0, len(keys) // 2, len(keys) - 1}:
            wanted = posed(level, model, keys, key)
            for found, points in zip(shown_vertices(root, model, key * rate), wanted, strict=True):
                # Units that far from the origin of a scene are as exact as 32-bit floats let them be.
                assert np.abs(found - points).max() < 0.1


def test_lara_stands_upright_and_faces_along_y(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    bones = armature(root).data.bones
    assert bones["Head"].head_local.z > bones["Torso"].head_local.z > bones["Foot.L"].head_local.z
    assert bones["Thigh.L"].head_local.x < 0 < bones["Thigh.R"].head_local.x
    # The toes of both feet point forward.
    assert all(max(v.co.y for v in parts(root)[foot].data.vertices) > 0.1 for foot in (3, 6))


def test_models_with_equal_trees_have_equal_rest_poses(
    blender: ModuleType,
) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    for one, two in zip(armature(root, LARA).data.bones, armature(root, PISTOLS).data.bones, strict=True):
        assert one.name == two.name
        assert one.matrix_local == two.matrix_local


def test_models_are_placed_next_to_the_level_without_overlap(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    level_edge = min(room.location.x for room in objects(root, "ROOM"))
    show_library(root)
    spans = []
    for model, obj in enumerate(objects(root, "MODEL")):
        collection = obj.users_collection[0]
        assert collection.instance_offset == obj.location
        assert collection.tomb_raider.model == obj
        corners = [
            part.matrix_world @ Vector(corner) for part in parts(root, model) for corner in part.bound_box
        ]
        if obj.location.y != objects(root, "MODEL")[0].location.y:
            continue  # another row
        spans.append((min(point.x for point in corners), max(point.x for point in corners)))
    assert max(right for _, right in spans) < level_edge
    spans = sorted(spans)
    overlaps = [(a, b) for a, b in pairwise(spans) if a[1] > b[0]]
    assert len(spans) > 2
    assert not overlaps


def test_rows_of_models_do_not_overlap(blender: ModuleType) -> None:
    level = sample_level(Game.TR2)
    small = np.repeat(level.models[3:4], 40)
    small["id"] = np.arange(300, 340)
    level.models = np.concatenate([small, level.models])
    words = level.mesh_trees.copy()
    words[1], words[3], words[13], words[15] = 4096, 4096, -4096, -4096  # her legs are far from each other
    level.mesh_trees = words
    root = import_scene(level.to_bytes())
    show_library(root)
    boxes = []
    for model, obj in enumerate(objects(root, "MODEL")):
        corners = np.array(
            [part.matrix_world @ Vector(corner) for part in parts(root, model) for corner in part.bound_box]
        )
        boxes.append((*corners[:, :2].min(axis=0), *corners[:, :2].max(axis=0), obj.location.y))
    assert len({row for *_, row in boxes}) > 2
    for (left, low, right, high, _), other in combinations(boxes, 2):
        assert right < other[0] or other[2] < left or high < other[1] or other[3] < low


def test_bones_point_at_the_child_nearest_to_the_middle(blender: ModuleType) -> None:
    """Even where it is farther away than the others, like a spine above two legs."""
    level = sample_level(Game.TR2)
    words = level.mesh_trees.copy()
    assert words[24:28].tolist() == [1, 0, -36, 0]
    words[26] = -300
    level.mesh_trees = words
    (hips,) = [bone for bone in armature(import_scene(level.to_bytes())).data.bones if bone.parent is None]
    assert len(hips.children) == 3
    assert np.allclose(hips.tail_local - hips.head_local, (0, 0, 300 * SCALE), atol=1e-5)


@pytest.mark.parametrize("situation", ["nothing", "edit mode", "pose mode"])
def test_import_keeps_selection_and_mode(blender: ModuleType, situation: str) -> None:
    own = None
    if situation != "nothing":
        kind = bpy.data.meshes if situation == "edit mode" else bpy.data.armatures
        own = bpy.data.objects.new("Own", kind.new("Own"))
        bpy.context.scene.collection.objects.link(own)
        bpy.context.view_layer.objects.active = own
        own.select_set(True)
        bpy.ops.object.mode_set(mode="EDIT" if situation == "edit mode" else "POSE")
    scenes = list(bpy.data.scenes)
    root = import_anew(sample_bytes(Game.TR3))
    assert list(bpy.data.scenes) == scenes
    assert bpy.context.view_layer.objects.active == own
    assert {obj.mode for obj in objects(root, "MODEL")} == {"OBJECT"}
    if own is not None:
        assert own.select_get()
        assert own.mode == ("EDIT" if situation == "edit mode" else "POSE")
        bpy.ops.object.mode_set(mode="OBJECT")


def test_a_level_can_be_imported_where_there_is_no_window(blender: ModuleType) -> None:
    """Timers have none; Blender 4.2 then crashes if a scene is removed in the usual way."""
    with bpy.context.temp_override(window=None):
        root = import_anew(sample_bytes(Game.TR2))
    assert len(armature(root).data.bones) == 15


def test_an_action_can_be_taken_from_an_armature_that_was_never_shown(blender: ModuleType) -> None:
    """Blender 5.0 and 5.2 crash if the pose was never built."""
    root = import_anew(sample_bytes(Game.TR5))
    for obj in objects(root, "MODEL"):
        assert obj.pose is not None
        if obj.animation_data:
            obj.animation_data.action = None


def hostile(edit: Any) -> bytes:
    level = sample_level(Game.TR3)
    models = level.models.copy()
    edit(models)
    level.models = models
    return level.to_bytes()


@pytest.mark.parametrize(
    ("field", "value"), [("mesh_tree", 0xFFFFFFF0), ("first_mesh", 0xFFFF), ("meshes", 0xFFFF)]
)
def test_a_model_that_reaches_out_of_the_file_is_an_error_and_leaves_nothing_behind(
    blender: ModuleType, field: str, value: int
) -> None:
    def edit(models: Any) -> None:
        models[field][LARA] = value

    with pytest.raises(FormatError) as caught:
        import_scene(hostile(edit))
    assert (caught.value.section, caught.value.element) == ("models", LARA)
    for kind in (
        bpy.data.objects,
        bpy.data.armatures,
        bpy.data.meshes,
        bpy.data.actions,
        bpy.data.collections,
    ):
        assert not list(kind)


@pytest.mark.parametrize("distance", [1 << 20, (1 << 31) - 1])
def test_meshes_far_from_their_parents_keep_their_bones(blender: ModuleType, distance: int) -> None:
    """Blender removes bones of zero length; far away, 32-bit floats cannot represent short ones."""
    level = sample_level(Game.TR2)
    words = level.mesh_trees.copy()
    words[1:4] = distance, 0, -distance
    level.mesh_trees = words
    data = level.to_bytes()
    root = import_scene(data)
    assert len(armature(root).data.bones) == 15
    if distance < 1 << 24:  # 32-bit floats are exact to the unit
        assert export_level(root)[0].to_bytes() == data


# --- Export ----------------------------------------


@each_game
@pytest.mark.parametrize("ends", ["both ends", "the head alone"])
def test_a_moved_bone_changes_its_place_in_the_tree_alone(blender: ModuleType, game: Game, ends: str) -> None:
    data = sample_bytes(game)

    def edit(root: Collection) -> None:
        with edit_bones(root) as bones:
            bone = bones["Hand.L"]
            move = Vector((8, 16, 32)) * SCALE
            bone.head += move
            if ends == "both ends":
                bone.tail += move

    assert changes(data, edit) == [("models", LARA, "mesh tree")]
    # `changes` keeps the edited scene.
    root = next(obj for obj in bpy.data.collections if obj.tomb_raider.kind == "LEVEL")
    before, after = trees(read_level(data))[LARA], trees(export_scene(root))[LARA]
    moved = after.offsets - before.offsets
    assert moved[13].tolist() == [8, -32, 16]
    assert not moved[:13].any()
    assert not moved[14:].any()
    assert after.flags.tolist() == before.flags.tolist()


@some_games
def test_children_of_a_moved_bone_are_not_moved(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    with edit_bones(root) as bones:
        bones["Torso"].translate(Vector((0, 0, 10 * SCALE)))
    before, after = trees(read_level(data))[LARA], trees(export_scene(root))[LARA]
    assert (after.offsets[7] - before.offsets[7]).tolist() == [0, -10, 0]
    assert (after.origins()[8:] == before.origins()[8:]).all()


def test_a_moved_root_moves_the_model_in_all_its_animations(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR2)
    root = import_scene(data)
    with edit_bones(root) as bones:
        bones["Hips"].translate(Vector((0, 0, 10 * SCALE)))
    before, after = read_level(data), export_scene(root)
    assert (trees(after)[LARA].origins()[1:] - trees(before)[LARA].origins()[1:] == (0, 10, 0)).all()
    one, two = model_keys(before), model_keys(after)
    assert (two.offsets - one.offsets == (0, -10, 0)).all()
    assert (one.angles == two.angles).all()


@some_games
def test_a_bone_can_hang_on_another(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    with edit_bones(root) as bones:
        bones["Head"].parent = bones["Hips"]
    before, after = read_level(data), export_scene(root)
    assert trees(after)[LARA].parents[14] == 0
    assert trees(after)[LARA].origins().tolist() == trees(before)[LARA].origins().tolist()
    assert [path[:2] for path in differences(before, after)] == [("models", LARA)]


@pytest.mark.parametrize(
    ("bone", "parent", "problem"),
    [("Thigh.L", "Head", "Thigh.L"), ("Calf.R", None, "the bone Calf.R has no parent")],
)
def test_a_hierarchy_that_no_game_can_hold_is_an_error_that_names_the_bone(
    blender: ModuleType, bone: str, parent: str | None, problem: str
) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    with edit_bones(root) as bones:
        bones[bone].parent = bones[parent] if parent else None
    with pytest.raises(ExportError, match=problem) as caught:
        export_level(root)
    assert caught.value.subject == armature(root).name


@each_game
def test_swapping_a_mesh_changes_that_slot_of_that_model_alone(blender: ModuleType, game: Game) -> None:
    """The slot's mesh pointer equals that of another model, which must not change."""
    data = sample_bytes(game)

    def edit(root: Collection) -> None:
        parts(root, PISTOLS)[14].data = parts(root, ENEMY)[1].data

    assert changes(data, edit) == [("models", PISTOLS, "mesh numbers")]
    root = next(obj for obj in bpy.data.collections if obj.tomb_raider.kind == "LEVEL")
    after = export_scene(root)
    assert model_vertices(after, PISTOLS)[14].tolist() == model_vertices(read_level(data), ENEMY)[1].tolist()


@each_game
@pytest.mark.parametrize("other", ["model", "static mesh"])
def test_swapping_a_mesh_leaves_those_alone_that_share_its_pointer(
    blender: ModuleType, game: Game, other: str
) -> None:
    level = read_level(sample_bytes(game))
    if other == "model":
        level.models = level.models.copy()
        level.models["first_mesh"][PISTOLS] = level.models["first_mesh"][LARA]
    else:
        level.static_meshes = level.static_meshes.copy()
        level.static_meshes["mesh"][0] = level.models["first_mesh"][PISTOLS] + 14

    def edit(root: Collection) -> None:
        parts(root, PISTOLS)[14].data = parts(root, ENEMY)[1].data

    # The model may stop sharing pointers with the other one; all but one of them are unused then.
    found = [path for path in changes(level.to_bytes(), edit) if path[0] != "mesh_pointers"]
    assert found == [("models", PISTOLS, "mesh numbers")]


@some_games
def test_a_users_own_mesh_can_hang_on_a_bone(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    old = parts(root, SWITCH)[1]
    own = bpy.data.meshes.new("Own")
    own.from_pydata([(0, 0, 0), (SCALE * 4, 0, 0), (0, 0, SCALE * 8)], [], [(0, 1, 2)])
    own.materials.append(old.data.materials[0])
    obj = bpy.data.objects.new("Own", own)
    bpy.context.scene.collection.objects.link(obj)
    obj.parent, obj.parent_type, obj.parent_bone = old.parent, "BONE", old.parent_bone
    obj.matrix_parent_inverse = old.matrix_parent_inverse
    bpy.data.objects.remove(old)
    after = export_scene(root)
    assert model_vertices(after, SWITCH)[1].tolist() == [[0, 0, 0], [4, 0, 0], [0, -8, 0]]
    assert len(after.models) == len(read_level(data).models)


def test_a_bone_without_a_mesh_is_an_error_that_names_it(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    bpy.data.objects.remove(parts(root)[14])
    with pytest.raises(ExportError, match="the bone Head has no mesh"):
        export_level(root)


def test_two_meshes_on_a_bone_are_an_error_that_names_it(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    head = parts(root)[14]
    copy = head.copy()
    head.users_collection[0].objects.link(copy)
    with pytest.raises(ExportError, match="the bone Head has more than one mesh") as caught:
        export_level(root)
    assert (caught.value.count, caught.value.limit) == (2, 1)


def test_a_mesh_moved_against_its_bone_is_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    head = parts(root)[14]
    head.location.x = 1
    level, report = export_level(root)
    assert [message for message in report.warnings if head.name in message and "Head" in message]
    assert level.to_bytes() == sample_bytes(Game.TR3)


def test_bones_turned_at_rest_are_reported_and_keep_their_animations(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    with edit_bones(root) as bones:
        bones["Head"].roll = 1.0
    level, report = export_level(root)
    assert any("the bone Head was rotated at rest" in message for message in report.warnings)
    assert level.to_bytes() == sample_bytes(Game.TR3)


@each_game
def test_a_deleted_bone_leaves_the_poses_of_the_others(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    head = parts(root)[14]
    bpy.data.objects.remove(head)
    with edit_bones(root) as bones:
        bones.remove(bones["Head"])
    before, after = read_level(data), export_scene(root)
    assert int(after.models["meshes"][LARA]) == 14
    assert trees(after)[LARA].offsets.tolist() == trees(before)[LARA].offsets[:14].tolist()
    for number in range(3):
        one, two = model_keys(before, LARA, number), model_keys(after, LARA, number)
        assert (two.angles == one.angles[:, :14]).all()
        assert (two.offsets == one.offsets).all()
    # The other models are unchanged.
    assert {path[:2] for path in differences(before, after) if path[0] == "models"} == {("models", LARA)}
    assert (model_keys(before, PISTOLS).angles == model_keys(after, PISTOLS).angles).all()


@each_game
def test_an_added_bone_gets_a_mesh_and_a_place_in_every_frame(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    obj, tail = armature(root, ENEMY), parts(root, ENEMY)[2]
    with edit_bones(root, ENEMY) as bones:
        tip = bones.new("Tip")
        tip.parent = bones["Bone 02"]
        tip.head = bones["Bone 02"].head + Vector((0, -200 * SCALE, 0))
        tip.tail = tip.head + Vector((0, -100 * SCALE, 0))
    part = bpy.data.objects.new("Tip", tail.data)
    obj.users_collection[0].objects.link(part)
    bone = obj.data.bones["Tip"]
    part.parent, part.parent_type, part.parent_bone = obj, "BONE", "Tip"
    place = bone.matrix_local @ Matrix.Translation((0, bone.length, 0))
    part.matrix_parent_inverse = place.inverted() @ Matrix.Translation(bone.head_local)
    before, after = read_level(data), export_scene(root)
    tree = trees(after)[ENEMY]
    assert tree.parents.tolist() == [-1, 0, 0, 2]
    assert tree.offsets[3].tolist() == [0, 0, -200]
    one, two = model_keys(before, ENEMY), model_keys(after, ENEMY)
    assert (two.angles[:, :3] == one.angles).all()
    assert not two.angles[:, 3].any()


@each_game
def test_a_new_model_is_written_by_its_number_with_its_animations(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    source = armature(root, ENEMY)
    twin = source.copy()
    twin.data = source.data.copy()
    twin.tomb_raider.model.id = 60
    collection = bpy.data.collections.new("Twin")
    collection.tomb_raider.kind = "MODEL"
    root.children.link(collection)
    collection.objects.link(twin)
    for part in parts(root, ENEMY):
        copy = part.copy()
        copy.parent = twin
        collection.objects.link(copy)
    action = actions(root, ENEMY)[0].copy()
    action.tomb_raider.model = twin
    twin.animation_data.action = action
    before, after = read_level(data), export_scene(root)
    assert len(after.models) == len(before.models) + 1
    ids = after.models["id"].tolist()
    assert ids == sorted([*before.models["id"].tolist(), 60])
    new = ids.index(60)
    assert trees(after)[new].offsets.tolist() == trees(before)[ENEMY].offsets.tolist()
    old_meshes, new_meshes = model_vertices(before, ENEMY), model_vertices(after, new)
    assert [mesh.tolist() for mesh in new_meshes] == [mesh.tolist() for mesh in old_meshes]
    assert (model_keys(after, new).angles == model_keys(before, ENEMY).angles).all()
    enemy = ids.index(int(before.models["id"][ENEMY]))
    assert [mesh.tolist() for mesh in model_vertices(after, enemy)] == [mesh.tolist() for mesh in old_meshes]
    assert (model_keys(after, enemy).angles == model_keys(before, ENEMY).angles).all()


def test_two_models_with_the_same_new_id_are_an_error(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    other = armature(root, ENEMY)
    other.tomb_raider.model.id = armature(root, SWITCH).tomb_raider.model.id
    with pytest.raises(ExportError, match="only one model can have the id"):
        export_level(root)


def test_a_copy_of_a_model_for_the_scenery_is_left_out_and_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    copy = armature(root, ENEMY).copy()
    armature(root, ENEMY).users_collection[0].objects.link(copy)
    level, report = export_level(root)
    assert any(message.startswith(f"{copy.name}: this copy is not exported") for message in report.warnings)
    assert level.to_bytes() == sample_bytes(Game.TR1)


@pytest.mark.parametrize(("game", "source"), [(Game.TR1, Game.TR2), (Game.TR4, Game.TR5)])
@pytest.mark.parametrize("stays_there", [False, True])
def test_a_foreign_model_with_an_id_in_use_is_not_exported(
    blender: ModuleType, game: Game, source: Game, stays_there: bool
) -> None:
    """Its meshes, textures and pages must not be exported without a user."""
    data, there = sample_bytes(game), read_level(sample_bytes(source))
    root = import_scene(data)
    own = armature(root, LARA).name
    other = import_anew(sample_bytes(source))
    home, library = (
        next(c for c in each.children if c.tomb_raider.kind == "MODELS") for each in (root, other)
    )
    # She is also in the figure drawn for her.
    foreign = next(each for each in armature(other, LARA).users_collection if each in list(library.children))
    home.children.link(foreign)
    if not stays_there:
        library.children.unlink(foreign)
    lara = foreign.tomb_raider.model
    original.forget()
    level, report = export_level(root)
    (text,) = [each for each in report.warnings if each.startswith(f"{lara.name}: this copy is not exported")]
    assert "give it another id" in text and own in text
    assert level.to_bytes() == data
    # With a separate id, it is exported with its own meshes, independent of their numbers there.
    lara.tomb_raider.model.id = 77
    written = export_scene(root)
    old, ids = read_level(data), written.models["id"].tolist()
    assert ids == sorted([*old.models["id"].tolist(), 77])
    pairs = [((there, LARA), (written, ids.index(77)))]
    for number, each in enumerate(old.models["id"].tolist()):
        pairs.append(((old, number), (written, ids.index(each))))
    for before, after in pairs:
        for one, two in zip(model_vertices(*before), model_vertices(*after), strict=True):
            assert np.array_equal(one, two)


def test_a_model_deleted_from_the_scene_is_kept_with_a_warning(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    number = armature(root, SWITCH).tomb_raider.model.id
    for part in parts(root, SWITCH):
        bpy.data.objects.remove(part)
    bpy.data.objects.remove(armature(root, SWITCH))
    level, report = export_level(root)
    assert any(
        message.startswith(f"model {number}: it was removed from the scene") for message in report.warnings
    )
    assert level.models.tobytes() == read_level(sample_bytes(Game.TR4)).models.tobytes()


@some_games
def test_a_moved_armature_changes_nothing(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    armature(root).location = (17.3, 4.25, -3)
    assert export_level(root)[0].to_bytes() == data


@each_game
def test_rebuilt_models_are_the_same_models(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_level(data).root
    found = differences(read_level(data), export_scene(root, rebuild=True), rebuilt=True)
    assert not [path for path in found if path[0] in ("models", "animations", "mesh_trees")]


def test_bones_are_seen_while_a_model_is_posed(blender: ModuleType) -> None:
    """Every entity shows its model's armature, whose bones would be in the way."""
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    show_library(root)
    obj = objects(root, "MODEL")[0]

    (group,) = obj.data.collections
    assert {list(bone.collections) == [group] for bone in obj.data.bones} == {True}
    assert not group.is_visible
    bpy.context.view_layer.objects.active = obj
    modes: list[tuple[Any, bool]] = [("POSE", True), ("OBJECT", False), ("EDIT", True), ("OBJECT", False)]
    for mode, is_seen in modes:
        bpy.ops.object.mode_set(mode=mode)
        bpy.context.view_layer.update()
        assert obj.data.collections[0].is_visible == is_seen, mode
    assert export_scene(root).to_bytes() == data
