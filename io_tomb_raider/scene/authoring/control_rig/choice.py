"""The limbs that a control rig is made for: recognized, and corrected by users."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Object

from ....formats.base import Floats
from ...core.membership import level_of
from ...core.subjects import Kind
from ...subjects.animations.keys.key_poses import RestPose, read_key_poses
from ...subjects.animations.showing import own_animations
from ...subjects.models.bones import own_bones
from ...subjects.models.limbs import LimbKind, Limbs, find_limbs
from .parts import LimbBones


def recognized(armature: Object) -> tuple[list[LimbBones], Floats]:
    """Return the limbs of a model by its tree and its first pose, and the direction that it faces at rest."""
    names, found = _find(armature)
    limbs = [LimbBones(limb.kind, tuple(names[number] for number in limb.bones)) for limb in found.limbs]
    return limbs, found.facing


def _find(armature: Object) -> tuple[list[str], Limbs]:
    rest = RestPose.of(armature)
    # The order of the meshes, in which pairs were found on import.
    order = [rest.number(bone.name) for bone in own_bones(armature)]
    places = {number: place for place, number in enumerate(order)}
    parents = [places.get(int(rest.parents[number]), -1) for number in order]
    posed = None
    for action in own_animations(armature):
        poses = read_key_poses(action, armature, rest)
        if len(poses.frames):
            posed = rest.pose(poses.turns[:1], poses.places[:1])[1][0][order]
            break
    return [rest.names[number] for number in order], find_limbs(parents, rest.heads[order], posed)


def list_limbs(armature: Object) -> None:
    """Fill a model's list of limbs with those that are recognized."""
    settings: Any = armature.tomb_raider.model
    settings.limbs.clear()
    for limb in recognized(armature)[0]:
        row = settings.limbs.add()
        row.kind = limb.kind
        row.upper, row.lower, row.end = limb.names[:3]
        row.paw = limb.names[3] if len(limb.names) > 3 else ""


def take_limbs(armature: Object) -> Object | None:
    """Copy the list of limbs of the same model in another level of the file, with a user's corrections.

    Returns:
        The armature of that model; None if there is none with a list, or with other bones.
    """
    settings: Any = armature.tomb_raider.model
    home, names = level_of(armature), {bone.name for bone in own_bones(armature)}
    for obj in bpy.data.objects if home is not None else ():
        other: Any = obj.tomb_raider.model
        if obj.type != "ARMATURE" or obj.tomb_raider.kind != Kind.MODEL or not len(other.limbs):
            continue
        level = level_of(obj) if other.id == settings.id and obj != armature else None
        if level is None or home is None or level.tomb_raider.game != home.tomb_raider.game:
            continue
        limbs = listed(obj)
        if limbs and all(names.issuperset(limb.names) for limb in limbs):
            settings.limbs.clear()
            for limb in other.limbs:
                row = settings.limbs.add()
                for name in ("kind", "upper", "lower", "end", "paw"):
                    setattr(row, name, getattr(limb, name))
            return obj
    return None


def listed(armature: Object) -> list[LimbBones]:
    """Return the limbs of a model's list; those without bones are left out."""
    result = []
    for row in armature.tomb_raider.model.limbs:
        names = tuple(name for name in (row.upper, row.lower, row.end, row.paw) if name)
        if names:
            result.append(LimbBones(LimbKind(row.kind), names))
    return result


def facing_of(armature: Object) -> Floats:
    """Return the horizontal direction that a model faces at rest."""
    return recognized(armature)[1]
