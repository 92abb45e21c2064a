"""Control rigs of Lara and of an animal, for tests, and what differs between exported levels."""

from __future__ import annotations

import bpy
from bpy.types import Collection, Object

from io_tomb_raider.formats import Level
from io_tomb_raider.scene.authoring.control_rig import choice
from io_tomb_raider.scene.authoring.control_rig.build import add_rig
from io_tomb_raider.scene.authoring.control_rig.match import RigAtRest, rig_actions, switch_off
from io_tomb_raider.scene.authoring.control_rig.parts import RigLimb, figure_of
from tests.scene.exporting import export_level
from tests.scene.rig_tools import SCALE, armature, first_animation, model_keys
from tests.scene.subjects.models.trees import WOLF

RUN = 0


def rigged(root: Collection, *, matched: bool = True) -> RigAtRest:
    """Add a control rig to Lara and all models drawn in her place, and match all her animations."""
    figure = figure_of(armature(root))
    limbs, facing = choice.recognized(figure[0])
    add_rig(figure, limbs, facing)
    rig = RigAtRest.of(figure[-1])
    own = rig_actions(figure[0])
    if matched:
        rig.match(own)
    switch_off(rig.armature, own, rig.limbs)
    return rig


def limb_of(rig: RigAtRest, name: str) -> RigLimb:
    return next(limb for limb in rig.limbs if limb.name == name)


def exported(root: Collection) -> Level:
    return export_level(root)[0]


def differing(one: Level, other: Level) -> list[int]:
    """Return the numbers of Lara's animations that two levels have different keys of."""
    found = []
    for number in range(len(one.animations)):
        a, b = (
            model_keys(one, number=number - first_animation(one)),
            model_keys(other, number=number - first_animation(other)),
        )
        if a.angles.shape != b.angles.shape or (a.angles != b.angles).any() or (a.offsets != b.offsets).any():
            found.append(number)
    return found


def make_wolf() -> Object:
    """Return the armature of an animal with legs of four bones, in the scene."""
    data = bpy.data.armatures.new("Wolf")
    obj = bpy.data.objects.new("Wolf", data)
    obj.tomb_raider.kind = "MODEL"
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    for number, (_, joint) in enumerate(WOLF):
        bone = data.edit_bones.new(f"Bone {number:02}")
        bone.head = [part * SCALE for part in joint]
        bone.tail = bone.head
        bone.tail.z += 0.1
    for number, (parent, _) in enumerate(WOLF):
        if parent >= 0:
            data.edit_bones[number].parent = data.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    for number in range(len(WOLF)):
        data.bones[f"Bone {number:02}"].tomb_raider.index = number
    return obj
