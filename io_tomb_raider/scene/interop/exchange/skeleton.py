"""The skeleton of a model after that of another program: a new model, or joints that move to other places."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Object
from numpy.typing import NDArray

from ....formats import ExportError
from ...core.compat import LONGEST_NAME
from ...core.library import Places
from ...core.members import members_of
from ...core.subjects import Kind
from ...subjects.models.models import draw_bones, edit_mode, hang, hide_bones
from ...subjects.static_meshes.new import free_id
from ...transfer.engine import move
from ...transfer.engine.motion import bones_of
from .character import bones_in_order, turn_and_size
from .matching import Matches

MOST_BONES = 32  # engines have a bit for each mesh of a model
_SHORTEST = 1e-3  # of a bone, in Blender's units: it drops those that are shorter


def new_model(root: Collection, source: Object) -> Object:
    """Add a model to a level with a skeleton like that of an armature, and a mesh without faces on each bone.

    Its first bone stands at its origin, as models of games do. What has no parent beside the first bone hangs
    on that one then. It gets the first id that no model has.

    Args:
        root: the level.
        source: the armature, with as many bones as a model may have.

    Returns:
        Its armature.
    """
    bones = bones_in_order(source)
    if not bones:
        raise ExportError(source.name, "it has no bones")
    heads, tails = _joints(source)
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


def _joints(source: Object) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return heads and tails of bones, (b, 3) each, along the axes of Blender's world from the armature."""
    turn = turn_and_size(source)
    bones = bones_in_order(source)
    heads = np.array([bone.head_local for bone in bones], np.float64) @ turn.T
    tails = np.array([bone.tail_local for bone in bones], np.float64) @ turn.T
    short = np.linalg.norm(tails - heads, axis=1) < _SHORTEST
    tails[short] = heads[short] + (0.0, 0.0, 10 * _SHORTEST)
    return heads, tails


def take_skeleton(armature: Object, source: Object, matches: Matches) -> None:
    """Let the joints of a model be where those of another armature are, seen from its first joint.

    Bones keep how they are turned at rest, as all keys count from that. What the other one does not have
    moves along with what it hangs on.
    """
    names = bones_of(armature)
    heads = _joints(source)[0]
    pivots, data = matches.pivots, armature.data
    first = heads[max(int(pivots[0]), 0)]
    moved: dict[str, NDArray[np.float64]] = {}
    for name, pivot in zip(names, pivots.tolist(), strict=True):
        bone = data.bones[name]
        if bone.parent is None:
            moved[name] = np.zeros(3)
        elif pivot < 0:
            moved[name] = moved[bone.parent.name]
        else:
            start = np.array(data.bones[names[0]].head_local)
            moved[name] = start + heads[pivot] - first - np.array(bone.head_local)
    with edit_mode([armature]):
        for name, way in moved.items():
            edited: Any = armature.data.edit_bones[name]
            edited.use_connect = False
            head, tail = np.array(edited.head) + way, np.array(edited.tail) + way
            edited.head, edited.tail = head, tail
    for part in armature.children:  # what hangs on a bone stands by its length, which stays
        if part.parent_bone in moved:
            hang(part, armature, armature.data.bones[part.parent_bone])
