"""The height of a model's soles in poses."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np
from bpy.types import Mesh, Object
from mathutils import Matrix

from ....catalogue import LEG, SIDES, LimbBone
from ....formats.base import Floats
from ...core.subjects import Kind
from ...mesh.blender_mesh import vertices_of
from .skeletons import Skeleton

_OF_LEG = 55 / 377  # of Lara's leg, for feet without a mesh
_LOW = 15 / 377  # of a leg: an ankle that stands is at most so much above the lowest tenth
_LOWEST = 10  # percentile
_SLOW = 50  # percentile of the speeds of low ankles: they stand


def feet_of(skeleton: Skeleton) -> list[int]:
    """Return the bones of the feet, the left one first."""
    found = (skeleton.roles.get(LimbBone(LEG[-1], side), -1) for side in SIDES)
    return [bone for bone in found if bone >= 0]


def height_of_standing(skeleton: Skeleton, model: Object, whole: Floats, heads: Floats) -> float:
    """Return the height of the soles of feet that stand, in Blender units; 0 without feet.

    Feet stand where ankles are low and slow. So neither jumps count, nor feet that roll over the heel or the
    toes, which reach below the floor as in the games' own animations.

    Args:
        skeleton: the model's skeleton.
        model: its armature.
        whole, heads: orientations (n, m, 3, 3) and joints (n, m, 3), tick by tick, on their way.
    """
    feet = feet_of(skeleton)
    if not feet:
        return 0.0
    ankles = heads[:, feet]
    floor = np.percentile(ankles[..., 2].min(axis=1), _LOWEST)
    steps = np.linalg.norm(np.diff(ankles, axis=0), axis=-1)
    steps = steps if len(steps) else np.zeros((1, len(feet)))
    speeds = np.minimum(np.concatenate([steps[:1], steps]), np.concatenate([steps, steps[-1:]]))[: len(heads)]
    is_low = ankles[..., 2] <= floor + _LOW * skeleton.leg_length()
    stands = is_low & (speeds <= np.percentile(speeds[is_low], _SLOW))
    return float(np.median(sole_heights(skeleton, model, whole, heads)[stands]))


def sole_heights(skeleton: Skeleton, model: Object, whole: Floats, heads: Floats) -> Floats:
    """Return the heights of the lowest points of f feet in n poses, (n, f), in Blender units.

    What games draw in the model's place counts, too: Lara's own meshes may be empty.
    """
    feet = feet_of(skeleton)
    depths = {bone: np.zeros((0, len(heads))) for bone in feet}
    for each in _shown(model):
        for bone, points in _meshes(skeleton, each):
            depth = (points @ whole[:, bone, 2].T).min(axis=0)
            depths[bone] = np.concatenate([depths[bone], depth[None]])
    usual = np.full((1, len(heads)), -_OF_LEG * skeleton.leg_length())
    lowest = [(depths[bone] if len(depths[bone]) else usual).min(axis=0) for bone in feet]
    return np.asarray(heads[:, feet, 2] + np.stack(lowest, axis=1), float)


def _shown(model: Object) -> list[Object]:
    figures = (each for each in bpy.data.collections if each.tomb_raider.kind == Kind.MODEL)
    figures = (each for each in figures if each.tomb_raider.model == model)
    skins = {child.tomb_raider.model for each in figures for child in each.children} - {None, model}
    return list(skins) or [model]


def _meshes(skeleton: Skeleton, armature: Object) -> Iterator[tuple[int, Floats]]:
    """Yield the bones of feet with the points of their meshes, (k, 3), along the axes of the bone."""
    feet = {skeleton.names[bone]: bone for bone in feet_of(skeleton)}
    for part in armature.children:
        if part.parent_bone in feet and isinstance(part.data, Mesh) and part.parent_type == "BONE":
            bone = armature.data.bones.get(part.parent_bone)
            if bone is None or not len(part.data.vertices):
                continue
            tail = Matrix.Translation((0.0, bone.length, 0.0))
            matrix = np.array(tail @ part.matrix_parent_inverse @ part.matrix_basis, float)
            points = np.asarray(vertices_of(part.data), float) @ matrix[:3, :3].T + matrix[:3, 3]
            yield feet[bone.name], points
