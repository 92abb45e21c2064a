"""Animations and meshes of characters in other poses, at other speeds, and with other names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.interop.exchange.matching import match
from io_tomb_raider.scene.interop.exchange.split import split_by_bones
from io_tomb_raider.scene.transfer.engine.motion import bones_of
from tests.sample_levels import sample_bytes

from ...authoring.motion.reading import degrees_between, joints_of, limb_directions, ticks_of
from ...authoring.motion.recordings import CMU, LIMBS, Recording
from ...rig_tools import armature, parts
from ...scenes import import_scene

pytestmark = [pytest.mark.usefixtures("blender"), pytest.mark.once]
LEG = 360 / 8


def imported(recording: Recording, folder: Path) -> Any:
    """Import a recording into the scene as users do; the scene gets its frame rate."""
    bpy.ops.import_anim.bvh(
        filepath=str(recording.save(folder / "take.bvh")),
        update_scene_fps=True,
        update_scene_duration=True,
    )
    return bpy.context.object


def test_bones_are_matched_by_role_although_some_names_are_equal(tmp_path: Path) -> None:
    """CMU's skeleton has Hips and Head, as Lara."""
    model = armature(import_scene(sample_bytes(Game.TR1)))
    rig = imported(Recording(names=CMU, seconds=0.1), tmp_path)
    found = match(rig, model)
    assert (found.pivots >= 0).all()
    names = [bone.name for bone in rig.data.bones]
    order = {name: number for number, name in enumerate(bones_of(model))}
    assert len(names) == 21
    assert len(set(found.pivots.tolist())) == 15
    # What has no counterpart goes with the bone that it hangs on: toes with feet.
    assert (found.targets >= 0).all() and order["Hips"] == found.targets[0]


@pytest.mark.parametrize("rate", [60.0, 120.0])
def test_frames_are_time_not_ticks(rate: float, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    rig = imported(Recording(rate=rate, seconds=1.0), tmp_path)
    made = split_by_bones(root, [rig], armature(root), meshes=False)
    (action,) = made.actions
    assert ticks_of(action) == 31


@pytest.mark.parametrize("arms", [0.0, 45.0])
def test_t_posed_characters_facing_backward_keep_their_motion(arms: float, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    model, recording = armature(root), Recording(arms=arms, seconds=1.0)
    rig = imported(recording, tmp_path)
    (action,) = split_by_bones(root, [rig], model, meshes=False).actions
    joints = joints_of(action, model)
    for name, directions in limb_directions(joints).items():
        limb, side = name.split(".")
        wanted = np.array([recording.direction(tick / 30, limb, side) for tick in range(31)])
        assert degrees_between(directions, wanted).max() < 0.1, name
    way = joints["Hips"][-1] - joints["Hips"][0]
    assert way[1] == pytest.approx(9 * LEG, abs=1)  # forward


def test_meshes_of_t_posed_characters_follow_the_rest_pose_of_the_model(tmp_path: Path) -> None:
    """A rod along each limb in a T-pose, facing -Y, is a rod along the limb of Lara, who faces +Y."""
    root = import_scene(sample_bytes(Game.TR1))
    model, recording = armature(root), Recording(names=CMU, seconds=0.1, scale=0.1)
    rig = imported(recording, tmp_path)
    places: list[Any] = []
    faces, owners = [], []
    for start, end in LIMBS.values():
        for side in "LR":
            one, other = (rig.data.bones[CMU[f"{each}.{side}"]].head_local for each in (start, end))
            first = len(places)
            # The nose of the rod shows the way that the character faces: Blender's -Y.
            places += [one, other, one + (other - one) * 0.5 + type(one)((0.0, -0.1, 0.0))]
            faces.append((first, first + 1, first + 2))
            owners.append((CMU[f"{start}.{side}"], range(first, first + 3)))
    mesh = bpy.data.meshes.new("Rods")
    mesh.from_pydata([each[:] for each in places], [], faces)
    body: Any = bpy.data.objects.new("Rods", mesh)
    bpy.context.scene.collection.objects.link(body)
    for name, vertices in owners:
        body.vertex_groups.new(name=name).add(vertices, 1.0, "REPLACE")
    body.parent = rig
    body.modifiers.new("Armature", "ARMATURE").object = rig
    split_by_bones(root, [body], model, animations=False)
    for part in parts(root):
        if part.parent_bone.partition(".")[0] not in LIMBS:
            continue
        points = np.array([vertex.co for vertex in part.data.vertices])
        assert len(points) == 3
        far = points[np.linalg.norm(points, axis=1).argmax()]
        limb, side = part.parent_bone.split(".")
        bone = model.data.bones[part.parent_bone]
        end = {"Thigh": "Calf", "Calf": "Foot", "Upper Arm": "Lower Arm", "Lower Arm": "Hand"}[limb]
        own = model.data.bones[f"{end}.{side}"].head_local - bone.head_local
        assert degrees_between(far / np.linalg.norm(far), np.array(own.normalized())) < 0.1
        nose = points[np.abs(points[:, 1]).argmax()]
        assert nose[1] > 0.05  # to +Y
