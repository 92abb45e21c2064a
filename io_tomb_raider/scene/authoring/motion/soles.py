"""The height of ankles above the soles of a model."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np
from bpy.types import Mesh, Object
from mathutils import Matrix

from ....catalogue.bone_names import LEG, SIDES, LimbBone
from ...core.subjects import Kind
from ...mesh.blender_mesh import vertices_of
from .skeletons import Floats, Skeleton

_OF_LEG = 55 / 377  # of Lara's leg, for feet without a mesh


def ankle_height(skeleton: Skeleton, model: Object) -> float:
    """Return the height of a model's ankles above its soles, in Blender units.

    Args:
        skeleton: the model's skeleton, at rest or in another standing pose.
        model: its armature. What games draw in its place counts, too: Lara's own meshes may be empty.
    """
    # A foot is flat in one of both poses; a tilted one is higher above its lowest point.
    poses = (skeleton, Skeleton.of(model))
    found = [[height for each in _shown(model) for height in _heights(pose, each)] for pose in poses]
    return float(min(map(np.mean, found))) if all(found) else _OF_LEG * skeleton.leg_length()


def _shown(model: Object) -> list[Object]:
    figures = (each for each in bpy.data.collections if each.tomb_raider.kind == Kind.MODEL)
    figures = (each for each in figures if each.tomb_raider.model == model)
    skins = {child.tomb_raider.model for each in figures for child in each.children} - {None, model}
    return list(skins) or [model]


def _heights(skeleton: Skeleton, armature: Object) -> Iterator[float]:
    names = [
        skeleton.names[skeleton.roles[foot]]
        for side in SIDES
        if (foot := LimbBone(LEG[-1], side)) in skeleton.roles
    ]
    for part in armature.children:
        if part.parent_bone in names and isinstance(part.data, Mesh) and part.parent_type == "BONE":
            bone = armature.data.bones.get(part.parent_bone)
            if bone is None or not len(part.data.vertices):
                continue
            tail = Matrix.Translation((0.0, bone.length, 0.0))
            matrix = np.array(tail @ part.matrix_parent_inverse @ part.matrix_basis, float)
            points: Floats = np.asarray(vertices_of(part.data), float) @ matrix[:3, :3].T + matrix[:3, 3]
            upright = skeleton.turns[skeleton.names.index(bone.name)]
            height = -float((points @ upright.T)[:, 2].min())
            if height > 0:
                yield height
