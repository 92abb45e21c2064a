"""The bones of a model: those that its meshes hang on, without the bones of control rigs."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Bone, Object

from ....formats.base import Floats
from ...core.order import ordered
from ...core.space import Space
from ...core.subjects import Kind

# Joints that are stored on a model: those that its meshes, and those that its animations, were made for.
SKIN_JOINTS, ANIMATED_JOINTS = "tr_skin_joints", "tr_animated_joints"


def rest_joints(armature: Object, space: Space) -> Floats:
    """Return the joints of a model, (m, 3), in units of the file, relative to the first one."""
    heads = np.array([bone.head_local[:] for bone in own_bones(armature)], float).reshape(-1, 3)
    places = space.to_file(heads, armature.name, "a bone")
    return np.asarray(places - places[:1], float)


def store_joints(armature: Any, key: str, joints: Floats | None) -> None:
    """Store joints on a model by one of the two keys; None removes them."""
    if joints is not None:
        armature[key] = joints.ravel().tolist()
    elif key in armature:
        del armature[key]


def stored_joints(armature: Any, key: str) -> Floats | None:
    """Return joints that are stored on a model, None if it has none for as many bones."""
    stored, count = armature.get(key), len(own_bones(armature))
    if getattr(stored, "typecode", "") not in ("d", "f") or len(stored) != 3 * count:
        return None
    return np.array(stored, float).reshape(count, 3)


def own_bones(armature: Object) -> list[Bone]:
    """Return a model's own bones in the order of its meshes; see :func:`numbered_bones`."""
    return [bone for bone, _ in numbered_bones(armature)]


def numbered_bones(armature: Object) -> list[tuple[Bone, int]]:
    """Return a model's own bones in the order of its meshes, with their index in the file or -1.

    Bones of control rigs are left out, and so are helpers: bones that users have added, without a mesh on
    them or on a bone below. A new bone is after its old siblings and their descendants.
    """
    bones = ordered(bone for bone in armature.data.bones if not bone.tomb_raider.control)
    if all(index >= 0 for _, index in bones):
        helpers: set[Bone] = set()
    else:
        helpers = _helpers(armature, bones)
        bones = [pair for pair in bones if pair[0] not in helpers]
    below: dict[Bone | None, list[tuple[Bone, int]]] = {}
    for bone, index in bones:
        below.setdefault(own_parent(bone), []).append((bone, index))
    result: list[tuple[Bone, int]] = []
    pending = below.get(None, [])[::-1]
    while pending:
        result.append(pending.pop())
        pending += below.get(result[-1][0], [])[::-1]
    return result


def is_actor(obj: Object | None) -> bool:
    """Return whether an object is an actor of a cutscene: it has one action, and poses of its own."""
    return obj is not None and obj.type == "ARMATURE" and obj.tomb_raider.kind == Kind.CUTSCENE_ACTOR


def library_model(armature: Object) -> Object:
    """Return the model that an actor shows, if it is in the file; other armatures are models themselves."""
    model: Object | None = armature.tomb_raider.actor.model if is_actor(armature) else None
    return armature if model is None else model


def own_parent(bone: Bone) -> Bone | None:
    """Return the nearest bone above a bone that is in no control rig, or None."""
    return next((parent for parent in bone.parent_recursive if not parent.tomb_raider.control), None)


def helper_bones(armature: Object) -> list[Bone]:
    """Return the bones that users have added without a mesh on them or below, and not marked as control."""
    bones = ordered(bone for bone in armature.data.bones if not bone.tomb_raider.control)
    helpers = _helpers(armature, bones)
    return [bone for bone, _ in bones if bone in helpers]


def _helpers(armature: Object, bones: list[tuple[Bone, int]]) -> set[Bone]:
    """Return the new bones without a mesh on them or below; none if no mesh hangs on the armature."""
    new_bones = {bone for bone, index in bones if index < 0}
    if not new_bones:
        return set()
    holders = _bones_with_meshes(armature)
    if not holders:
        return set()
    needed = {bone for bone, index in bones if index >= 0 or bone.name in holders}
    needed |= {above for bone in needed for above in bone.parent_recursive}
    return new_bones - needed


def _bones_with_meshes(armature: Object) -> set[str]:
    """Return the names of the bones that meshes hang on, of this object or others with the same bones."""
    data = armature.data
    users = {obj for obj in bpy.data.objects if obj.data == data}
    return {
        obj.parent_bone
        for obj in bpy.data.objects
        if obj.parent_type == "BONE" and obj.type == "MESH" and obj.parent in users and obj.users
    }
