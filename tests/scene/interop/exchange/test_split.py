"""Split by Bones: models that return from other programs, and users' characters as models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, Game, Level
from io_tomb_raider.scene.interop.exchange.files import export
from io_tomb_raider.scene.interop.exchange.preparing import PrepareOptions
from io_tomb_raider.scene.interop.exchange.split import SplitCharacter, split_by_bones
from tests.sample_levels import sample_bytes

from ...rig_tools import actions, armature, parts
from ...scenes import export_scene, import_scene
from ...transfer.append.judging import other_looks
from ...transfer.append.reading import model_meshes, poses
from .characters import character

# After the glTF exporter, the module of Blender 4.2 sometimes crashes in a long run.
pytestmark = [pytest.mark.usefixtures("blender"), pytest.mark.once]
GAMES = [Game.TR1, Game.TR3, Game.TR4]


def out_and_in(root: Any, path: Path, **wanted: Any) -> list[Any]:
    """Export Lara to a file, import that with Blender, and return the new objects."""
    layer: Any = bpy.context.view_layer
    export([armature(root)], path, layer, bpy.context.scene.collection, PrepareOptions(**wanted))
    before = set(bpy.data.objects)
    if path.suffix == ".fbx":
        bpy.ops.import_scene.fbx(filepath=str(path))
    else:
        bpy.ops.import_scene.gltf(filepath=str(path))
    return [each for each in bpy.data.objects if each not in before and each.users_collection]


def came_back(root: Any, objects: list[Any], **ways: Any) -> SplitCharacter:
    return split_by_bones(root, [each for each in objects if each.type in ("ARMATURE",)], **ways)


def _faces(level: Level, model: int) -> list[Any]:
    """Return the vertices of a model's meshes, and its faces by their places, except those without area."""
    found = []
    for mesh in model_meshes(level, model):
        points = [tuple(each) for each in mesh.vertices.tolist()]
        faces = [
            tuple(sorted(points[v] for v in face["vertices"].tolist()))
            for kind in (mesh.quads, mesh.triangles, mesh.colored_quads, mesh.colored_triangles)
            for face in kind
            if len(set(face["vertices"].tolist())) == len(face["vertices"])
        ]
        found.append((sorted(points), sorted(faces)))
    return found


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("suffix", [".glb", ".fbx"])
@pytest.mark.parametrize("pieces", [False, True])
def test_a_model_comes_back_as_it_was(game: Game, suffix: str, pieces: bool, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(game))
    before = export_scene(root)
    number = armature(root).tomb_raider.model.id
    objects = out_and_in(root, tmp_path / f"lara{suffix}", pieces=pieces)
    made = came_back(root, objects, model=armature(root))
    after = export_scene(root)
    assert made.armature == armature(root) and len(made.parts) == len(parts(root))
    assert sorted(a.name for a in made.actions) == sorted(a.name for a in actions(root))
    assert _faces(after, number) == _faces(before, number)
    assert other_looks(before, number, after, number) == []
    shares = (0.0, 0.25, 0.5, 0.75, 1.0)
    for animation in range(len(actions(root))):
        moved = poses(after, number, animation, shares) - poses(before, number, animation, shares)
        assert np.abs(moved[..., 3]).max() <= 1.5 and np.abs(moved[..., :3]).max() < 0.01


# --- Users' characters ----------------------------------------


MIXAMO = {
    "Hips": "mixamorig:Hips",
    "Thigh.L": "mixamorig:LeftUpLeg",
    "Calf.L": "mixamorig:LeftLeg",
    "Foot.L": "mixamorig:LeftFoot",
    "Thigh.R": "mixamorig:RightUpLeg",
    "Calf.R": "mixamorig:RightLeg",
    "Foot.R": "mixamorig:RightFoot",
    "Torso": "mixamorig:Spine",
    "Upper Arm.L": "mixamorig:LeftArm",
    "Lower Arm.L": "mixamorig:LeftForeArm",
    "Hand.L": "mixamorig:LeftHand",
    "Upper Arm.R": "mixamorig:RightArm",
    "Lower Arm.R": "mixamorig:RightForeArm",
    "Hand.R": "mixamorig:RightHand",
    "Head": "mixamorig:Head",
}
RIGIFY = {name: f"DEF-{name.lower().replace(' ', '_')}" for name in MIXAMO}
PLAIN = {name: f"Bone.{number:03}" for number, name in enumerate(MIXAMO)}


@pytest.mark.parametrize("names", [None, MIXAMO, RIGIFY, PLAIN])
def test_each_face_goes_to_the_bone_with_most_weight(names: dict[str, str] | None) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    hero, body = character(root, names)
    made = split_by_bones(root, [body], armature(root))
    assert not made.report.warnings
    for part in parts(root):
        bone = hero.data.bones[(names or {}).get(part.parent_bone, part.parent_bone)]
        assert len(part.data.polygons) == 1
        middle = np.mean([vertex.co for vertex in part.data.vertices], axis=0)
        assert np.abs(middle - (bone.tail_local - bone.head_local) / 2).max() < 1e-3
    assert export_scene(root)


def test_faces_of_bones_above_the_hips_go_to_the_first_bone() -> None:
    root = import_scene(sample_bytes(Game.TR2))
    hero, body = character(root)
    layer: Any = bpy.context.view_layer
    layer.objects.active = hero
    bpy.ops.object.mode_set(mode="EDIT")
    made = hero.data.edit_bones.new("Root")
    made.tail = (0, 0, 0.5)
    hero.data.edit_bones["Hips"].parent = made
    bpy.ops.object.mode_set(mode="OBJECT")
    body.vertex_groups["Hand.L"].name = "Root"  # moves the faces of that hand
    split_by_bones(root, [body], armature(root))
    faces = {part.parent_bone: len(part.data.polygons) for part in parts(root)}
    assert faces["Hips"] == 2 and sum(faces.values()) == len(body.data.polygons)


def test_a_character_becomes_a_new_model() -> None:
    root = import_scene(sample_bytes(Game.TR1))
    hero, body = character(root, MIXAMO, size=2.0)
    hero.keyframe_insert("location")
    bone = hero.pose.bones["mixamorig:Head"]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((0, 0.0), (10, 1.0)):
        bone.rotation_euler = (angle, 0, 0)
        bone.keyframe_insert("rotation_euler", frame=frame)
    hero.animation_data.action.name = "Nod"
    made = split_by_bones(root, [body])
    model = made.armature
    assert model.tomb_raider.kind == "MODEL" and model != hero
    assert [action.name for action in made.actions] == ["Nod.001"]
    number = model.tomb_raider.model.id
    level = export_scene(root)
    assert number in level.models["id"] and len(model_meshes(level, number)) == len(MIXAMO)
    turned = poses(level, number, 0, (0.0, 1.0))
    names = [bone.name for bone in model.data.bones]
    head = names.index("mixamorig:Head")
    angle = np.arccos((np.trace(turned[0, head, :, :3].T @ turned[1, head, :, :3]) - 1) / 2)
    assert abs(angle - 1.0) < 0.02
    heads = np.array([hero.data.bones[name].head_local for name in names])
    wanted = (heads - heads[0]) * 512
    found = turned[0, :, :, 3] @ np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    assert np.abs(found - wanted).max() < 2


def test_the_skeleton_is_replaced_on_request() -> None:
    root = import_scene(sample_bytes(Game.TR1))
    _, body = character(root, size=1.5)
    number = armature(root).tomb_raider.model.id
    before = export_scene(root)
    split_by_bones(root, [body], armature(root), skeleton=True)
    after = export_scene(root)
    shares = (0.0, 0.5)
    one, other = poses(before, number, 0, shares), poses(after, number, 0, shares)
    arms = one[..., 3] - one[:, :1, :, 3], other[..., 3] - other[:, :1, :, 3]
    assert np.abs(arms[0] * 1.5 - arms[1]).max() < 4
    assert np.abs(one[..., :3] - other[..., :3]).max() < 1e-6


def _kinds() -> dict[str, set[str]]:
    kinds = ("objects", "meshes", "armatures", "materials", "images", "collections", "scenes", "actions")
    return {kind: set(getattr(bpy.data, kind).keys()) for kind in kinds}


def _without_groups(hero: Any, body: Any) -> list[Any]:
    body.vertex_groups.clear()
    return [body]


def _without_armature(hero: Any, body: Any) -> list[Any]:
    body.parent = None
    body.modifiers.clear()
    return [body]


def _unweighted(hero: Any, body: Any) -> list[Any]:
    for group in body.vertex_groups:
        group.remove(range(4))
    return [body]


def _nothing(hero: Any, body: Any) -> list[Any]:
    return []


def _alone(hero: Any, body: Any) -> list[Any]:
    bpy.data.objects.remove(body)
    return [hero]


def _far(hero: Any, body: Any) -> list[Any]:
    body.data.vertices[0].co.x += 100
    return [body]


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_without_groups, "Body: none of its vertex groups has the name of a bone"),
        (_without_armature, "Body: it follows no armature"),
        (_unweighted, "no bone moves these faces"),
        (_nothing, "select a mesh that follows an armature"),
        (_alone, "Hero: no mesh follows it"),
        (_far, "Hips: a vertex is too far from this bone"),
    ],
)
@pytest.mark.parametrize("is_new", [False, True])
def test_meshes_that_cannot_be_split_are_refused_and_unchanged(spoil: Any, words: str, is_new: bool) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    objects = spoil(*character(root))
    before = _kinds()
    with pytest.raises(ExportError, match=words):
        split_by_bones(root, objects, None if is_new else armature(root))
    assert _kinds() == before
    assert export_scene(root).to_bytes() == sample_bytes(Game.TR1)


def test_too_many_bones_are_refused() -> None:
    root = import_scene(sample_bytes(Game.TR1))
    hero, body = character(root)
    layer: Any = bpy.context.view_layer
    layer.objects.active = hero
    bpy.ops.object.mode_set(mode="EDIT")
    for number in range(20):
        bone = hero.data.edit_bones.new(f"Finger {number}")
        bone.tail, bone.parent = (0, 0, 1), hero.data.edit_bones["Hand.L"]
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(ExportError, match=r"Hero: it has too many bones .*: 35 \(the limit is 32\)"):
        split_by_bones(root, [body])
    made = split_by_bones(root, [body], armature(root))  # fingers belong to the hand
    assert len(made.parts) == 15
