"""The limbs that a control rig is made for: recognized, and corrected by users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import bpy
from bpy.types import Object

from ....catalogue import BoneRole
from ....formats.base import Floats
from ...core.membership import level_of
from ...core.subjects import Kind
from ...subjects.animations.keys.key_poses import RestPose, read_key_poses
from ...subjects.animations.showing import own_animations
from ...subjects.models.bones import own_bones
from ...subjects.models.limbs import LimbKind, Limbs, find_limbs, role_names
from .parts import LimbBones


def recognized(armature: Object) -> tuple[list[LimbBones], Floats]:
    """Return the limbs of a model by its tree and its first pose, and the direction that it faces at rest."""
    names, found, single = _find(armature)
    limbs = [LimbBones(limb.kind, tuple(names[number] for number in limb.bones)) for limb in found.limbs]
    limbs += [LimbBones(kind, (names[number],)) for kind, number in single]
    return limbs, found.facing


def _find(armature: Object) -> tuple[list[str], Limbs, list[tuple[LimbKind, int]]]:
    """Return the names of a model's bones, its limbs, and the numbers of single bones with a control."""
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
    found = find_limbs(parents, rest.heads[order], posed)
    roles = role_names(parents, rest.heads[order], posed, found)
    trunk = [(LimbKind.TRUNK, number) for number in _trunk(parents, roles)]
    body = [(LimbKind.BODY, 0)] if {BoneRole.HIPS, BoneRole.TORSO} & {*roles.values()} else []
    return [rest.names[number] for number in order], found, body + trunk


def _trunk(parents: Sequence[int], roles: Mapping[int, str]) -> list[int]:
    """Return the bones from above the hips to the head, or to the torso of a model without a known head."""
    tops = [number for role in (BoneRole.HEAD, BoneRole.TORSO) for number in roles if roles[number] == role]
    bone = next(iter(tops), -1)
    result: list[int] = []
    while bone >= 0 and parents[bone] >= 0 and roles.get(bone) != BoneRole.HIPS:
        result.insert(0, bone)
        bone = parents[bone]
    return result


def list_limbs(armature: Object) -> None:
    """Fill a model's list of limbs with those that are recognized."""
    settings: Any = armature.tomb_raider.model
    settings.limbs.clear()
    for limb in recognized(armature)[0]:
        row = settings.limbs.add()
        row.kind = limb.kind
        for field, name in zip(("upper", "lower", "end", "paw"), limb.names, strict=False):
            setattr(row, field, name)


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
