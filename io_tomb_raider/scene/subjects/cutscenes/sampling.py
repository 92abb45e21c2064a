"""Where the things of a cutscene are at every frame, and how the bones of its actors are turned.

Keys of an imported cutscene are read as they are. What else moves a thing (constraints, drivers, strips,
parents) only Blender can tell, frame by frame; then it is asked for all such things in one go.
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
from ...core import compat
from ...core.report import Report
from ...core.space import Space, world_matrix
from ...mesh.poly_mesh import transformed
from ..animations.curves import ActionCurves, BonePaths, sample_curve
from ..models.poses import frames_of, multiply, rotations_to_file
from .actors import ActorBones

Floats = NDArray[np.float64]

_CHANNELS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
_UPRIGHT = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Motion:
    """How a thing moves over n frames, in the scene's world.

    Attributes:
        places: (n, 3) float64, where it is in Blender's units; of an actor the first bone's mesh.
        turns: of an actor (n, m, 4) float64: quaternions in the file's axes, of the first bone in the
            world, of all others against their parents; of all else (n, 1, 4), w, x, y, z in Blender's axes.
    """

    places: Floats
    turns: Floats


def sample(
    things: Sequence[Object],
    bones: dict[Object, ActorBones],
    times: NDArray[np.int64],
    space: Space,
    report: Report,
) -> dict[Object, Motion]:
    """Find how things move.

    Args:
        things: of the cutscene.
        bones: of those that are actors.
        times: (n,), the frames.
        space: of the level.
        report: is told what cannot be asked for.

    Raises:
        ExportError: where an actor was never shown.
    """
    result: dict[Object, Motion] = {}
    asked: list[Object] = []
    layer = bpy.context.view_layer
    for thing in things:
        reason = _complication(thing, bones.get(thing))
        if reason and thing.visible_get(view_layer=layer):
            asked.append(thing)
            continue
        if reason:  # Blender works out only what is shown
            report.warn(thing.name, f"{reason} is not written while it is hidden: show it and export again")
        if thing in bones:
            result[thing] = _read_actor(thing, bones[thing], times, space, report)
        else:
            result[thing] = _read_place(thing, times)
    if asked:
        result |= _evaluate(asked, bones, times)
    return result


# --- Reading keys --------------------------------------------------------------------------------------


def _complication(thing: Object, bones: ActorBones | None) -> str:
    """Say what moves a thing besides the keys of its own action, "" where there is nothing."""
    each: Object | None = thing
    while each is not None:
        data = each.animation_data
        if data is not None and (len(data.drivers) or any(not track.mute for track in data.nla_tracks)):
            return "what drivers and strips do"
        if each is not thing and data is not None and data.action is not None:
            return "the motion of its parent"
        if any(not constraint.mute and not _only_turns(constraint, bones) for constraint in each.constraints):
            return "what constraints do"
        if each.parent is not None and each.parent_type != "OBJECT":
            return "the motion of its parent"
        each = each.parent
    if any(thing.delta_location[:]) or any(thing.delta_rotation_euler[:]):
        return "its delta transform"
    action = thing.animation_data.action if thing.animation_data else None
    paths = _paths(thing)
    if bones is None:
        return "" if paths <= {"location"} else "what is animated besides its place"
    if thing.pose is None:
        raise ExportError(thing.name, "Blender has not built its pose yet: show its collection once")
    if any(not constraint.mute for bone in thing.pose.bones for constraint in bone.constraints):
        return "what constraints do"
    keyed = (_is_keyed(thing, bones, number, paths) for number in range(bones.turned))
    if action is None or not all(keyed):
        return "a pose without keys"
    if any(not path.startswith("pose.bones[") for path in paths):
        return "the motion of its object"
    return ""


def _only_turns(constraint: Any, bones: ActorBones | None) -> bool:
    """Tell whether a constraint turns a camera towards something, which its target says better."""
    return bones is None and constraint.type == "TRACK_TO" and constraint.target is not None


def _paths(thing: Object) -> set[str]:
    """Return the data paths that a thing's action has curves for."""
    data = thing.animation_data
    if data is None or data.action is None:
        return set()
    channels = compat.find_channels(data.action, thing)
    return {curve.data_path for curve in (channels.fcurves if channels is not None else ()) if not curve.mute}


def _is_keyed(thing: Object, bones: ActorBones, number: int, paths: set[str]) -> bool:
    """Tell whether an action says how a bone is turned."""
    mode = thing.pose.bones[bones.names[number]].rotation_mode
    channel = _CHANNELS.get(mode, "rotation_euler")
    names = {bones.names[number], bones.old_names[number]}
    return any(f'pose.bones["{bpy.utils.escape_identifier(name)}"].{channel}' in paths for name in names)


def _read_place(thing: Object, times: NDArray[np.int64]) -> Motion:
    """Read where a thing is from its location and the keys of that."""
    local = np.tile(np.array(thing.location, np.float64), (len(times), 1))
    data = thing.animation_data
    channels = compat.find_channels(data.action, thing) if data is not None and data.action else None
    for curve in channels.fcurves if channels is not None else ():
        if curve.data_path == "location" and not curve.mute:
            local[:, curve.array_index] = sample_curve(curve, times.astype(np.float64))
    above = _above(thing)
    turn = (above.to_quaternion() @ thing.matrix_basis.to_quaternion())[:]
    return Motion(transformed(local, above), np.tile(np.array(turn), (len(times), 1, 1)))


def _above(thing: Object) -> Matrix:
    """Return the matrix that a thing's own transform is relative to."""
    if thing.parent is None:
        return Matrix()
    return world_matrix(thing.parent) @ thing.matrix_parent_inverse


def _read_actor(
    thing: Object, bones: ActorBones, times: NDArray[np.int64], space: Space, report: Report
) -> Motion:
    """Read how an actor moves from the keys of its bones."""
    matrix = _above(thing) @ thing.matrix_basis
    count = len(times)
    if not bones.names:
        return Motion(transformed(np.zeros((count, 3)), matrix), np.zeros((count, 0, 4)))
    data = thing.animation_data
    action = data.action if data is not None else None
    if action is None:
        turns = np.tile(np.array(_UPRIGHT), (count, len(bones.names), 1))
        locations = np.zeros((count, 3))
    else:
        curves = ActionCurves(action, thing, BonePaths.of(bones.names, bones.old_names))
        curves.warn_of_others(thing.name, report)
        found, locations = curves.poses(times.astype(np.float64))
        turns = rotations_to_file(found, bones.frames)
    # From the bone's own axes to the file's, and on to those of the armature in Blender.
    in_file = np.asarray(locations, np.float64) @ bones.frames[0]
    places = _blender_axes(in_file + bones.head * space.scale)
    turned = to_file_axes(np.array(matrix.to_quaternion()[:]).reshape(1, 1, 4))
    turns[:, :1] = multiply(turned, turns[:, :1])
    return Motion(transformed(places, matrix), turns)


def _blender_axes(vectors: Floats) -> Floats:
    """Turn vectors of the file's axes, shape (…, 3), into Blender's, unscaled."""
    return np.stack([vectors[..., 0], vectors[..., 2], -vectors[..., 1]], axis=-1)


def to_file_axes(turns: Floats) -> Floats:
    """Turn quaternions of Blender's axes, shape (n, m, 4), into the file's."""
    return rotations_to_file(turns, frames_of(np.tile(np.array(_UPRIGHT), (turns.shape[1], 1))))


# --- Asking Blender ------------------------------------------------------------------------------------


def _evaluate(
    things: Iterable[Object], bones: dict[Object, ActorBones], times: NDArray[np.int64]
) -> dict[Object, Motion]:
    """Step through the frames, and note where everything is. The scene comes back to the frame it was at."""
    things = list(things)
    scene = bpy.context.scene
    before = scene.frame_current, scene.frame_subframe
    places = {thing: np.empty((len(times), 3)) for thing in things}
    turns = {
        thing: np.empty((len(times), len(bones[thing].names) if thing in bones else 1, 4)) for thing in things
    }
    try:
        for row, time in enumerate(times.tolist()):
            scene.frame_set(time)
            graph = bpy.context.evaluated_depsgraph_get()
            for thing in things:
                shown = thing.evaluated_get(graph)
                matrix = shown.matrix_world
                if thing in bones and bones[thing].names:
                    posed = [matrix @ shown.pose.bones[name].matrix for name in bones[thing].names]
                    turns[thing][row] = [each.to_quaternion()[:] for each in posed]
                    matrix = posed[0]
                elif thing not in bones:
                    turns[thing][row, 0] = matrix.to_quaternion()[:]
                places[thing][row] = matrix.translation[:]
    finally:
        scene.frame_set(before[0], subframe=before[1])
    return {
        thing: Motion(places[thing], _local(turns[thing], bones[thing]) if thing in bones else turns[thing])
        for thing in things
    }


def _local(turns: Floats, bones: ActorBones) -> Floats:
    """Turn rotations of bones in the world into what turns their meshes against those of their parents."""
    conjugate = np.array([1.0, -1.0, -1.0, -1.0])
    whole = to_file_axes(multiply(turns, np.broadcast_to(bones.rests * conjugate, turns.shape)))
    parents = bones.parents
    hanging = np.flatnonzero(parents >= 0)
    result = whole.copy()
    result[:, hanging] = multiply(whole[:, parents[hanging]] * conjugate, whole[:, hanging])
    return result
