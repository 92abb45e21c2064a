"""Skeletons after those of other programs: new models, and joints moved to other places."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Object
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import T
from ...authoring.motion.fitting import Fit
from ...core.blender.compat import LONGEST_NAME
from ...core.membership import Places, members_of
from ...core.subjects import Kind
from ...subjects.models.bones import own_parent
from ...subjects.models.models import draw_bones, edit_mode, hang, hide_bones, move_bones
from ...subjects.static_meshes.new import free_id
from ...transfer.engine import move
from ...transfer.engine.motion import bones_of
from .character import bones_in_order, linear_matrix
from .matching import Matches

MOST_BONES = 32  # engines have a 32-bit mask of a model's meshes
_SHORTEST = 1e-3  # Blender units: Blender removes shorter bones


def new_model(root: Collection, source: Object) -> Object:
    """Add a model to a level, with the skeleton of an armature and an empty mesh per bone.

    Its first bone is at its origin, as in the games. Other root bones become children of the first one. The
    model gets the first free id.

    Args:
        source: the armature, with at most :data:`MOST_BONES` bones.

    Returns:
        The model's armature.
    """
    bones = bones_in_order(source)
    if not bones:
        raise ExportError(source.name, T("it has no bones"))
    heads, tails = joints_of(source)
    numbers = {bone.name: number for number, bone in enumerate(bones)}
    parents = [numbers[bone.parent.name] if bone.parent is not None else 0 for bone in bones]
    parents[0] = -1
    data = bpy.data.armatures.new(source.name[:LONGEST_NAME])
    data.display_type = "STICK"
    armature = bpy.data.objects.new(source.name[:LONGEST_NAME], data)
    armature.tomb_raider.kind = Kind.MODEL
    names = [bone.name for bone in bones]
    with edit_mode([armature]):
        draw_bones(armature, parents, names, heads - heads[0], tails - heads[0])
        hide_bones(armature)
    for number, name in enumerate(names):
        bone: Any = armature.data.bones[name].tomb_raider
        bone.index = number
        bone.rest = armature.data.bones[name].matrix_local.to_quaternion()[:]
    home = bpy.data.collections.new(armature.name)
    home.tomb_raider.kind, home.tomb_raider.model = Kind.MODEL, armature
    home.objects.link(armature)
    for number, name in enumerate(names):
        label = f"{armature.name} {name}"[:LONGEST_NAME]
        part: Any = bpy.data.objects.new(label, bpy.data.meshes.new(label))
        part.tomb_raider.kind, part.tomb_raider.index = Kind.MODEL_MESH, number
        hang(part, armature, armature.data.bones[name])
        home.objects.link(part)
    models = members_of(root, Kind.MODEL)
    number = free_id({each.tomb_raider.model.id for each in models})
    return move.move_model(root, home, number, None, Places(root, Kind.MODEL))


def joints_of(source: Object) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the heads and tails of bones, (b, 3) each, along the world axes."""
    rotation = linear_matrix(source)
    bones = bones_in_order(source)
    heads = np.array([bone.head_local for bone in bones], np.float64) @ rotation.T
    tails = np.array([bone.tail_local for bone in bones], np.float64) @ rotation.T
    short = np.linalg.norm(tails - heads, axis=1) < _SHORTEST
    tails[short] = heads[short] + (0.0, 0.0, 10 * _SHORTEST)
    return heads, tails


def move_joints(armature: Object, source: Object, matches: Matches, fit: Fit) -> None:
    """Move the joints of a model to those of another armature, brought into the model's rest pose.

    Bones keep their rest rotations, which all keys are relative to. Joints without a match move with their
    parents.
    """
    names = bones_of(armature)
    heads = joints_of(source)[0]
    pivots, data = dict(zip(names, matches.pivots.tolist(), strict=True)), armature.data
    positions: dict[str, NDArray[np.float64]] = {}
    for name in names:
        bone = data.bones[name]
        rest_head = np.array(bone.head_local)
        parent = own_parent(bone)
        if parent is None:
            positions[name] = rest_head
            continue
        positions[name] = positions[parent.name] + rest_head - np.array(parent.head_local)
        while pivots[parent.name] < 0 and (grandparent := own_parent(parent)) is not None:
            parent = grandparent
        if pivots[name] >= 0 and pivots[parent.name] >= 0:
            rotation = fit.to_target_rest(fit.target.names.index(parent.name))
            positions[name] = positions[parent.name] + rotation @ (
                heads[pivots[name]] - heads[pivots[parent.name]]
            )
    move_bones(armature, positions)
