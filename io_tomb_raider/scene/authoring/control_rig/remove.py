"""Removal of control rigs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
from bpy.types import Action, Object

from ...subjects.animations.keys.curves import bone_of_property
from ...subjects.models.bones import is_actor, library_model, own_bones
from ...subjects.models.models import keep_bones
from .baking import bake
from .build import GROUP_MARK
from .keys import remove_control_curves
from .match import RigAtRest, rig_actions
from .parts import RigLimb, has_rig, rig_limbs
from .shapes import is_shape, remove_unused_shapes


def remove_rig(armatures: Sequence[Object], *, keep: bool) -> list[Action]:
    """Remove the control rig of a figure with its curves, constraints, drivers, bones and collections.

    Args:
        armatures: all armatures of the figure.
        keep: write what the controls do to the keys of the model's bones first.

    Returns:
        The actions with other keys than before.
    """
    rigged = [armature for armature in armatures if has_rig(armature)]
    if not rigged:
        return []
    first = rigged[0]
    limbs = rig_limbs(first)
    actions = list(dict.fromkeys(action for armature in rigged for action in rig_actions(armature)))
    changed: list[Action] = []
    for rig, own in RigAtRest.of_all(first, actions) if keep else ():
        changed += bake(rig, own, is_last=True)
    for action in actions:
        remove_control_curves(action, first, limbs)
    for armature in rigged:
        remove_from(armature, rig_limbs(armature))
        if is_actor(armature):
            _return_bones(armature)
    remove_unused_shapes()
    return changed


def _return_bones(actor: Any) -> None:
    """Have an actor without a rig share the bones of its model again, unless they are others."""
    model, data = library_model(actor), actor.data
    if model == actor or model.data == data or has_rig(actor):
        return
    if [bone.name for bone in own_bones(actor)] == [bone.name for bone in own_bones(model)]:
        actor.data = model.data
        if not data.users:
            bpy.data.armatures.remove(data)


def remove_from(armature: Object, limbs: Sequence[RigLimb]) -> None:
    """Remove the bones of a rig from an armature, with constraints, shapes and collections."""
    data: Any = armature.data
    own = [bone for bone in data.bones if not bone.tomb_raider.control]
    controls = {bone.name for bone in data.bones if bone.tomb_raider.control and bone.tomb_raider.part}
    drivers = armature.animation_data.drivers if armature.animation_data is not None else ()
    for curve in [each for each in drivers if (bone_of_property(each.data_path) or ("",))[0] in controls]:
        drivers.remove(curve)  # Blender 4.2 keeps those of deleted bones
    for bone in armature.pose.bones:
        for constraint in list(bone.constraints):
            targets = {getattr(constraint, name, "") for name in ("subtarget", "pole_subtarget")}
            if getattr(constraint, "target", None) == armature and targets & controls:
                if bone.name not in controls:
                    constraint.driver_remove("influence")
                bone.constraints.remove(constraint)
        if bone.custom_shape is not None and is_shape(bone.custom_shape):
            bone.custom_shape = None
            bone.color.palette = "DEFAULT"
    bones = data.collections_all.get("Bones")
    groups = data.collections_all
    of_limbs = [data.bones[name] for limb in limbs for name in limb.own]
    if bones is not None and bones.get(GROUP_MARK) is None:
        for bone in of_limbs:
            bones.assign(bone)
    for bone in own:
        bone.tomb_raider.limb, bone.tomb_raider.part = -1, ""
    keep_bones(armature, {bone.name for bone in data.bones if bone.name not in controls})
    for group in [each for each in groups if each.get(GROUP_MARK)]:
        data.collections.remove(group)
