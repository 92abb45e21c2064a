"""Skins made of meshes of bones, of other meshes, and split again."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.wads.object_files import read_files
from io_tomb_raider.formats.editors.wads.wad2.level import wad2_to_level
from io_tomb_raider.formats.editors.wads.wad2.skins import is_hidden, vertex_pairs
from io_tomb_raider.formats.editors.wads.wad2.wad2 import TOMB_ENGINE, TR4_OBJECTS, read_wad2
from tests.sample_levels import sample_bytes
from tests.sample_levels.models import model_id
from tests.scene.rig_tools import armature, parts, with_joints
from tests.scene.scenes import UNIT, import_scene, objects

from ..user_actions import add_object, export_file, fails, select


def skin_of(rig: Any) -> Any:
    """Return the skin of a model."""
    (skin,) = [each for each in rig.children if each.tomb_raider.kind == "SKIN"]
    return skin


def corners(obj: Any, offset: Any = (0, 0, 0)) -> list[list[tuple[float, ...]]]:
    """Return the sorted places of the corners of each face, in units."""
    places = (np.array([vertex.co for vertex in obj.data.vertices]).reshape(-1, 3) + offset) / UNIT
    rounded = [tuple(place) for place in np.rint(places).astype(int).tolist()]
    return sorted(sorted(rounded[each] for each in face.vertices) for face in obj.data.polygons)


def at_rest(rig: Any, part: Any) -> list[list[tuple[float, ...]]]:
    """Return the faces of a mesh on a bone at rest, as :func:`corners`."""
    return corners(part, np.array(rig.data.bones[part.parent_bone].head_local))


def test_a_skin_of_bone_meshes_is_written_and_split_again(blender: ModuleType, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    rig, limbs = armature(root), parts(root)
    before = [at_rest(rig, part) for part in limbs]
    select(rig)
    assert bpy.ops.tomb_raider.make_skin(smoothing=0) == {"FINISHED"}
    skin = skin_of(rig)
    assert corners(skin) == sorted(face for faces in before for face in faces)
    weights = [sum(group.weight for group in vertex.groups) for vertex in skin.data.vertices]
    assert np.allclose(weights, 1) and all(part.hide_viewport for part in limbs)
    export_file(tmp_path / "new.wad2")
    library = wad2_to_level(read_wad2(tmp_path / "new.wad2"))
    moveable = next(each for each in library.moveables if each.id == 0)
    assert moveable.skin is not None and len(moveable.skin.vertices) == len(skin.data.vertices)
    assert all(is_hidden(mesh) for mesh in moveable.meshes)
    assert np.allclose(vertex_pairs(moveable.skin)["weight"].sum(axis=1), 1)
    assert bpy.ops.tomb_raider.split_skin() == {"FINISHED"}
    assert [at_rest(rig, part) for part in limbs] == before
    assert not objects(root, "SKIN") and not any(part.hide_viewport for part in limbs)


def test_near_vertices_of_neighboring_bones_are_merged_and_weights_are_smooth(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    rig, limbs = armature(root), parts(root)
    bone = rig.data.bones[limbs[1].parent_bone]
    parent = next(each for each in limbs if each.parent_bone == bone.parent.name)
    # A vertex of the parent's mesh moves to one of the bone's.
    way = np.array(bone.head_local - bone.parent.head_local)
    parent.data.vertices[0].co = np.array(limbs[1].data.vertices[0].co) + way + (UNIT, 0, 0)
    select(rig)
    count = sum(len(part.data.vertices) for part in limbs)
    assert bpy.ops.tomb_raider.make_skin(smoothing=0) == {"FINISHED"}
    skin = skin_of(rig)
    assert len(skin.data.vertices) < count
    names = {bone.name, bone.parent.name}

    def blended() -> list[set[str]]:
        groups = skin_of(rig).vertex_groups
        found = [{groups[each.group].name for each in vertex.groups} for vertex in skin_of(rig).data.vertices]
        return [each for each in found if len(each) > 1]

    sharp = blended()
    assert names in sharp
    assert bpy.ops.tomb_raider.make_skin(smoothing=3) == {"FINISHED"}
    assert len(blended()) > len(sharp), "in place of the first skin"


def test_joints_of_lara_are_a_part_of_her_skin(blender: ModuleType) -> None:
    root = import_scene(with_joints())
    rig = next(each for each in objects(root, "MODEL") if each.tomb_raider.model.id == 8)
    limbs = [each for each in rig.children if each.tomb_raider.kind == "MODEL_MESH"]
    faces = sum(len(part.data.polygons) for part in limbs)
    select(rig)
    assert bpy.ops.tomb_raider.make_skin(joints=False) == {"FINISHED"}
    assert len(skin_of(rig).data.polygons) == faces
    assert bpy.ops.tomb_raider.make_skin() == {"FINISHED"}
    assert len(skin_of(rig).data.polygons) > faces


def test_faces_that_two_limbs_bend_become_a_joint(blender: ModuleType) -> None:
    root = import_scene(with_joints())
    by_id = {each.tomb_raider.model.id: each for each in objects(root, "MODEL")}
    limbs, joints = ([part for part in by_id[number].children if part.parent_bone] for number in (8, 9))
    select(by_id[8])
    assert bpy.ops.tomb_raider.make_skin(joints=False, smoothing=0) == {"FINISHED"}
    skin, bones = skin_of(by_id[8]), [bone.name for bone in by_id[8].data.bones]
    count = len(skin.data.polygons)
    calf = skin.vertex_groups[bones[2]].index
    faces = [
        face
        for face in skin.data.polygons
        if all({each.group for each in skin.data.vertices[v].groups} == {calf} for v in face.vertices)
    ]
    for vertex in faces[0].vertices:
        for number in (1, 2):  # thigh and calf
            skin.vertex_groups[bones[number]].add([vertex], 0.5, "REPLACE")
    before = corners_of(skin, faces[0])
    assert bpy.ops.tomb_raider.split_skin(keep=True) == {"FINISHED"}
    (joint,) = [part for part in joints if part.parent_bone == joints_bone(by_id[9], 2)]
    head = np.array(by_id[8].data.bones[bones[2]].head_local)
    assert before in corners(joint, head) and len(joint.data.vertices) <= 32
    made = [part for part in joints if part.tomb_raider.index in range(1, 15)]
    assert sum(len(part.data.polygons) for part in [*limbs, *made]) == count
    assert objects(root, "SKIN") == [skin], "it is kept"


def corners_of(obj: Any, face: Any) -> list[tuple[float, ...]]:
    """Return the sorted places of a face's corners, in units."""
    places = [np.rint(np.array(obj.data.vertices[each].co) / UNIT).astype(int) for each in face.vertices]
    return sorted(tuple(place.tolist()) for place in places)


def joints_bone(rig: Any, number: int) -> str:
    """Return the name of a bone by its number."""
    return next(bone.name for bone in rig.data.bones if bone.tomb_raider.index == number)


def foreign_rig(rig: Any, scale: float) -> tuple[Any, Any]:
    """Return an armature of no level with the bones of a model at another scale, and a mesh on it."""
    copy = rig.copy()
    copy.data = rig.data.copy()
    copy.name, copy.location = "Rig", (0, 0, 0)
    copy.animation_data_clear()
    copy.tomb_raider.kind = "NONE"
    bpy.context.scene.collection.objects.link(copy)
    bpy.context.view_layer.objects.active = copy
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in copy.data.edit_bones:
        bone.head, bone.tail = bone.head * scale, bone.tail * scale
    bpy.ops.object.mode_set(mode="OBJECT")
    bones = copy.data.bones
    mesh = bpy.data.meshes.new("Body")
    points = [
        np.array(bone.head_local) + at for bone in bones for at in ((0, 0, 0.1), (0.1, 0, 0), (0, 0.1, 0))
    ]
    mesh.from_pydata(
        [point.tolist() for point in points],
        [],
        [(first, first + 1, first + 2) for first in range(0, len(points), 3)],
    )
    body = add_object("Body", mesh)
    for number, bone in enumerate(bones):
        body.vertex_groups.new(name=bone.name).add(list(range(3 * number, 3 * number + 3)), 1.0, "REPLACE")
    body.parent = copy
    body.modifiers.new("Armature", "ARMATURE").object = copy
    return copy, body


def test_any_mesh_with_an_armature_becomes_a_skin_in_the_pose_at_rest(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    rig = armature(root)
    _, body = foreign_rig(rig, 1.5)
    select(body)
    assert bpy.ops.tomb_raider.use_as_skin(model=rig.name) == {"FINISHED"}
    skin = skin_of(rig)
    names = [group.name for group in skin.vertex_groups]
    assert names == [bone.name for bone in rig.data.bones]
    for vertex in skin.data.vertices:
        ((number, weight),) = [(group.group, group.weight) for group in vertex.groups]
        away = vertex.co - rig.data.bones[names[number]].head_local
        assert weight == pytest.approx(1) and away.length == pytest.approx(0.1 / 1.5, abs=1e-4)
    assert body.name in bpy.data.objects, "the mesh itself stays"


def test_tools_of_skins_name_what_is_missing(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    rig = armature(root)
    select(rig)
    assert not bpy.ops.tomb_raider.split_skin.poll()
    for part in parts(root):
        bpy.data.objects.remove(part)
    assert "its bones have no meshes" in fails(bpy.ops.tomb_raider.make_skin)
    root = import_scene(sample_bytes(Game.TR2))
    select(objects(root, "MODEL")[0])
    assert not bpy.ops.tomb_raider.make_skin.poll(), "its levels are not written as .wad2"
    cube = add_object("Loose", bpy.data.meshes.new("Loose"))
    select(cube)
    assert "it follows no armature" in fails(bpy.ops.tomb_raider.use_as_skin, model=rig.name)


def test_a_model_with_a_skin_goes_into_a_new_file_for_tomb_engine(
    blender: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root = import_scene(with_joints())
    by_id = {each.tomb_raider.model.id: each for each in objects(root, "MODEL")}
    enemy = model_id(Game.TR4, "enemy")
    for name, model, version, slot in (
        ("enemy.wad2", enemy, TR4_OBJECTS, enemy),
        ("outfit.wad2", 8, TOMB_ENGINE, 12),
        ("again.wad2", 8, TOMB_ENGINE, 12),
        ("outfit.wad2", 0, TOMB_ENGINE, 0),
    ):
        select(by_id[model])
        if name == "outfit.wad2" and model == 8:
            assert bpy.ops.tomb_raider.make_skin() == {"FINISHED"}
        assert bpy.ops.tomb_raider.put_model(filepath=str(tmp_path / name)) == {"FINISHED"}
        file = read_wad2(tmp_path / name)
        assert file.version == version
        added = next(each for each in wad2_to_level(file).moveables if each.id == slot)
        assert (added.skin is not None) == (model == 8)
        assert model != 8 or all(map(is_hidden, added.meshes))
    assert [each.id for each in wad2_to_level(read_wad2(tmp_path / "outfit.wad2")).moveables] == [0, 12]
    assert "Warning" not in capfd.readouterr().out
    select(by_id[enemy])
    assert bpy.ops.tomb_raider.put_model(filepath=str(tmp_path / "outfit.wad2")) == {"FINISHED"}
    assert "whose models have other numbers: set Model" in capfd.readouterr().out
    assert bpy.ops.tomb_raider.put_model(filepath=str(tmp_path / "outfit.wad2"), model=5) == {"FINISHED"}
    assert "other numbers" not in capfd.readouterr().out


def test_files_for_other_games_report_skins(
    blender: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    select(armature(root))
    assert bpy.ops.tomb_raider.make_skin() == {"FINISHED"}
    remedy = "export its model by Object File as a new .wad2"
    for name, words in (
        ("level.wad2", f"only TombEngine draws skins, and level.wad2 is for another game: {remedy}"),
        ("level.tr4", "only .wad2 files hold skins, so it is left out: use Split Skin into Bone Meshes"),
        ("level.wad", "only .wad2 files hold skins"),
    ):
        export_file(tmp_path / name)
        assert words in capfd.readouterr().out
    for name, words in (("level.wad2", remedy), ("new.wad", "new.wad cannot hold its skins")):
        assert bpy.ops.tomb_raider.put_model(filepath=str(tmp_path / name)) == {"FINISHED"}
        assert words in capfd.readouterr().out
    assert read_files(tmp_path / "new.wad").keys() >= {".wad", ".swd", ".was"}
