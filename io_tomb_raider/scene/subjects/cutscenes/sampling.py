"""Sampling of positions of a cutscene's objects, and of rotations of its actors' bones, at every frame.

Keys of an imported cutscene are read directly. Other motion (constraints, drivers, strips, parents) is
evaluated by Blender, for all such objects together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from bpy.types import Object
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import Floats, T
from ...core.blender import compat
from ...core.reporting.report import Report
from ...core.space import Space, world_matrix
from ...mesh.poly_mesh import transformed
from ..animations.keys.action_curves import ActionCurves
from ..animations.keys.curves import BonePaths, rotation_channel, sample_curve
from ..models.poses import CONJUGATE, frames_of, multiply, relative_turns, rotations_to_file
from .actors import ActorBones
from .shots import aims_at_target, curve_paths_of

# Evaluated poses that differ less from the bones' own values are these: a third of the finest step.
_SAME_TURN = np.radians(0.1)
_UPRIGHT = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class ObjectMotion:
    """Motion of an object over n frames, in the scene's world."""

    #: (n, 3) float64, positions in Blender's units; for an actor those of the first bone's mesh.
    positions: Floats
    #: for an actor (n, m, 4) float64: quaternions in the file's axes, of the first bone in the world, of all
    #: others relative to their parents; else (n, 1, 4), w, x, y, z in Blender's axes.
    turns: Floats

    def part(self, rows: NDArray[np.bool_]) -> ObjectMotion:
        """Return the motion in some of the frames."""
        return ObjectMotion(self.positions[rows], self.turns[rows])


def sample(
    objects: Sequence[Object],
    bones: dict[Object, ActorBones],
    times: NDArray[np.int64],
    space: Space,
    report: Report,
) -> dict[Object, ObjectMotion]:
    """Return the motions of objects. Raises ExportError if an actor has never been displayed."""
    result: dict[Object, ObjectMotion] = {}
    evaluated: list[Object] = []
    layer = bpy.context.view_layer
    for obj in objects:
        reason = _complication(obj, bones.get(obj))
        if reason and obj.visible_get(view_layer=layer):
            evaluated.append(obj)
            continue
        if reason:  # Blender evaluates only visible objects
            report.warn(
                obj.name,
                T("{reason} is not exported while it is hidden: show it and export again", reason=reason),
            )
        if obj in bones:
            result[obj] = _read_actor(obj, bones[obj], times, space, report)
        else:
            result[obj] = _read_location(obj, times)
    if evaluated:
        result |= evaluate(evaluated, bones, times)
    return result


# --- Keys ----------------------------------------------------------------------------------------------


def _complication(obj: Object, bones: ActorBones | None) -> str:
    """Return the reason why keys of an object's own action do not describe its motion, "" for none."""
    ancestor: Object | None = obj
    while ancestor is not None:
        data = ancestor.animation_data
        if data is not None and (len(data.drivers) or any(not track.mute for track in data.nla_tracks)):
            return T("the effect of drivers and strips")
        if ancestor is not obj and data is not None and data.action is not None:
            return T("the motion of its parent")
        active = [each for each in ancestor.constraints if not each.mute]
        if not all(bones is None and aims_at_target(each) for each in active):
            return T("the effect of constraints")
        if ancestor.parent is not None and ancestor.parent_type != "OBJECT":
            return T("the motion of its parent")
        ancestor = ancestor.parent
    if any(obj.delta_location[:]) or any(obj.delta_rotation_euler[:]):
        return T("its delta transform")
    action = obj.animation_data.action if obj.animation_data else None
    paths = curve_paths_of(obj)
    if bones is None:
        return "" if paths <= {"location"} else T("animation of channels other than its location")
    if obj.pose is None:
        raise ExportError(obj.name, T("Blender has not computed its pose yet: show its collection once"))
    if any(not constraint.mute for bone in obj.pose.bones for constraint in bone.constraints):
        return T("the effect of constraints")
    keyed = (_is_keyed(obj, bones, number, paths) for number in range(bones.rotation_count))
    if action is None or not all(keyed):
        return T("a pose without keys")
    if any(not path.startswith("pose.bones[") for path in paths):
        return T("the motion of its object")
    return ""


def _is_keyed(obj: Object, bones: ActorBones, number: int, paths: set[str]) -> bool:
    """Return whether an action has curves of a bone's rotation."""
    mode = obj.pose.bones[bones.names[number]].rotation_mode
    channel = rotation_channel(mode)
    names = {bones.names[number], bones.old_names[number]}
    return any(f'pose.bones["{bpy.utils.escape_identifier(name)}"].{channel}' in paths for name in names)


def _read_location(obj: Object, times: NDArray[np.int64]) -> ObjectMotion:
    """Return the motion by the location of an object and its keys."""
    local = np.tile(np.array(obj.location, np.float64), (len(times), 1))
    data = obj.animation_data
    channels = compat.find_channels(data.action, obj) if data is not None and data.action else None
    for curve in channels.fcurves if channels is not None else ():
        if curve.data_path == "location" and not curve.mute:
            local[:, curve.array_index] = sample_curve(curve, times.astype(np.float64))
    above = _parent_matrix(obj)
    turn = (above.to_quaternion() @ obj.matrix_basis.to_quaternion())[:]
    return ObjectMotion(transformed(local, above), np.tile(np.array(turn), (len(times), 1, 1)))


def _parent_matrix(obj: Object) -> Matrix:
    """Return the matrix that an object's own transform is relative to."""
    if obj.parent is None:
        return Matrix()
    return world_matrix(obj.parent) @ obj.matrix_parent_inverse


def _read_actor(
    obj: Object, bones: ActorBones, times: NDArray[np.int64], space: Space, report: Report
) -> ObjectMotion:
    """Return the motion of an actor by the keys of its bones."""
    matrix = _parent_matrix(obj) @ obj.matrix_basis
    count = len(times)
    if not bones.names:
        return ObjectMotion(transformed(np.zeros((count, 3)), matrix), np.zeros((count, 0, 4)))
    data = obj.animation_data
    action = data.action if data is not None else None
    if action is None:
        turns = np.tile(np.array(_UPRIGHT), (count, len(bones.names), 1))
        locations = np.zeros((count, 3))
    else:
        curves = ActionCurves(action, obj, BonePaths.of(bones.names, bones.old_names))
        curves.warn_of_unsupported(obj.name, report)
        bone_turns, locations = curves.poses(times.astype(np.float64))
        turns = rotations_to_file(bone_turns, bones.frames)
    # From the bone's axes to the file's, and then to the armature's axes in Blender.
    in_file = np.asarray(locations, np.float64) @ bones.frames[0]
    positions = _blender_axes(in_file + bones.head * space.scale)
    turn = to_file_axes(np.array(matrix.to_quaternion()[:]).reshape(1, 1, 4))
    turns[:, :1] = multiply(turn, turns[:, :1])
    return ObjectMotion(transformed(positions, matrix), turns)


def _blender_axes(vectors: Floats) -> Floats:
    """Convert vectors in the file's axes, shape (…, 3), to Blender's, unscaled."""
    return np.stack([vectors[..., 0], vectors[..., 2], -vectors[..., 1]], axis=-1)


def to_file_axes(turns: Floats) -> Floats:
    """Convert quaternions in Blender's axes, shape (n, m, 4), to the file's."""
    return rotations_to_file(turns, frames_of(np.tile(np.array(_UPRIGHT), (turns.shape[1], 1))))


# --- Evaluation ----------------------------------------------------------------------------------------


def evaluate(
    objects: Iterable[Object], bones: dict[Object, ActorBones], times: NDArray[np.int64]
) -> dict[Object, ObjectMotion]:
    """Return the motions evaluated by Blender, frame by frame; restore the scene's current frame."""
    objects = list(objects)
    scene = bpy.context.scene
    before = scene.frame_current, scene.frame_subframe
    positions = {obj: np.empty((len(times), 3)) for obj in objects}
    turns = {obj: np.empty((len(times), len(bones[obj].names) if obj in bones else 1, 4)) for obj in objects}
    own = {obj: np.empty_like(turns[obj]) for obj in objects if obj in bones}
    places = {obj: np.empty((len(times), 1, 4)) for obj in own}
    try:
        for row, time in enumerate(times.tolist()):
            scene.frame_set(time)
            graph = bpy.context.evaluated_depsgraph_get()
            for obj in objects:
                evaluated = obj.evaluated_get(graph)
                matrix = evaluated.matrix_world
                if obj in bones and bones[obj].names:
                    posed = [matrix @ evaluated.pose.bones[name].matrix for name in bones[obj].names]
                    turns[obj][row] = [each.to_quaternion()[:] for each in posed]
                    own[obj][row] = [_own_turn(evaluated.pose.bones[name]) for name in bones[obj].names]
                    places[obj][row] = matrix.to_quaternion()[:]
                    matrix = posed[0]
                elif obj not in bones:
                    turns[obj][row, 0] = matrix.to_quaternion()[:]
                positions[obj][row] = matrix.translation[:]
    finally:
        scene.frame_set(before[0], subframe=before[1])
    return {
        obj: ObjectMotion(
            positions[obj],
            _local(turns[obj], own[obj], places[obj], bones[obj]) if obj in bones else turns[obj],
        )
        for obj in objects
    }


def _own_turn(bone: Any) -> Any:
    """Return the rotation of a pose bone about its axes at rest, without constraints."""
    mode = bone.rotation_mode
    return bone.rotation_quaternion[:] if mode == "QUATERNION" else bone.matrix_basis.to_quaternion()[:]


def _local(turns: Floats, own: Floats, places: Floats, bones: ActorBones) -> Floats:
    """Convert world rotations of bones to rotations of their meshes relative to those of their parents.

    Bones on which nothing else acts keep their own rotations exactly.

    Args:
        turns: (n, m, 4), in the world.
        own: (n, m, 4), without constraints, about the axes at rest; of any length.
        places: (n, 1, 4), of the armature in the world.
    """
    if not turns.size:
        return turns
    whole = to_file_axes(multiply(turns, np.broadcast_to(bones.rests * CONJUGATE, turns.shape)))
    result = relative_turns(whole, bones.parents)
    lengths = np.linalg.norm(own, axis=-1, keepdims=True)
    kept = rotations_to_file(np.where(lengths > 0, own / np.maximum(lengths, 1e-12), _UPRIGHT), bones.frames)
    kept[:, :1] = multiply(to_file_axes(places), kept[:, :1])
    off = multiply(kept * CONJUGATE, result)
    is_same = 2 * np.linalg.norm(off[..., 1:], axis=-1) < _SAME_TURN
    return np.where(is_same[..., None], kept, result)
