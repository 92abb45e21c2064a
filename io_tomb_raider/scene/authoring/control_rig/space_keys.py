"""Keys of controls in their spaces: changes of the space, places to hold, and targets of looks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Action, Object
from numpy.typing import NDArray

from ....formats.base import Floats
from ...core.blender import compat
from ...subjects.animations.keys.curves import ON_KEY, bone_path
from ...subjects.animations.keys.geometry import matrices, quaternions
from ...subjects.animations.keys.key_poses import continuous
from .baking import key_frames, staged
from .keys import KeySet, KeyWriter, make_constant, remove_curves, rest_property
from .match import RigAtRest, rig_actions
from .parts import LOOK, SPACE, Part, RigLimb
from .spaces import followed_bones, follows, space_path


def spaces_at(action: Action, armature: Object, control: str, frames: Floats) -> list[int]:
    """Return the indices of the spaces that a control follows at some frames."""
    channels = compat.find_channels(action, armature)
    curve = None if channels is None else channels.fcurves.find(space_path(control), index=0)
    if curve is None:
        return [0] * len(frames)
    return [int(curve.evaluate(frame)) for frame in frames.tolist()]


def match_at(rig: RigAtRest, action: Action, limbs: Sequence[RigLimb], frames: Floats) -> None:
    """Key the controls of limbs at some frames so that they give the pose of the model's keys.

    Args:
        rig: the rig of the model that the action belongs to.
        frames: (n,), ascending. Controls stay in the spaces that they have there.
    """
    armature = rig.armature
    controls = [name for limb in limbs for name in limb.controls()]
    spaces = {name: spaces_at(action, armature, name, frames) for name in controls}
    rig.match([action], limbs, frames)
    following = [name for name in controls if any(spaces[name])]
    if not following:
        return
    following.sort(key=lambda name: sum(follows(armature, name, other) for other in following))
    with staged(rig) as stage, KeyWriter(armature) as writer:
        for name in following:
            bones = followed_bones(armature, name)
            keyed = _keyed_matrices(action, armature, name, frames)
            shown = np.concatenate([keyed[:, None], stage.matrices(action, bones, frames)], axis=1)
            local = _local(armature, name, shown, bones, spaces[name])
            writer.put(action, [KeySet(name, frames, _rows(armature, name, local))])


def _keyed_matrices(action: Action, armature: Object, control: str, frames: Floats) -> Floats:
    """Return the matrices of a control that its keys give under the root, (n, 4, 4)."""
    channels, path = compat.find_channels(action, armature), bone_path(control)
    result = np.tile(np.eye(4), (len(frames), 1, 1))
    rest = np.array(armature.data.bones[control].matrix_local, float)
    for axis in range(3):
        curve = channels.fcurves.find(f"{path}.location", index=axis)
        if curve is not None:
            result[:, axis, 3] = [curve.evaluate(frame) for frame in frames.tolist()]
    turn = [channels.fcurves.find(f"{path}.rotation_quaternion", index=part) for part in range(4)]
    if all(curve is not None for curve in turn):
        values = np.array([[curve.evaluate(frame) for curve in turn] for frame in frames.tolist()])
        result[:, :3, :3] = matrices(values / np.linalg.norm(values, axis=1, keepdims=True))
    return rest @ result


def set_look(rig: RigAtRest, action: Action, limb: RigLimb, *, is_on: bool) -> None:
    """Have a bone of the trunk look at its target in an action, or not; what is seen at keys stays the same.

    Args:
        rig: the rig of the model that the action belongs to.
        limb: a limb with a target of its look.
        is_on: whether it looks. The target goes where the bone faces now.
    """
    armature, look = rig.armature, limb.bones[Part.LOOK]
    frames = key_frames(rig, action, [limb])
    control = look if is_on else limb.target
    bones = followed_bones(armature, control)
    with staged(rig) as stage:
        shown = stage.matrices(action, [limb.target, *bones], frames)
    if is_on:
        rests = armature.data.bones
        far = (rests[look].head_local - rests[limb.target].head_local).length
        shown[:, 0, :3, 3] += far * shown[:, 0, :3, 1]
    local = _local(armature, control, shown, bones, spaces_at(action, armature, control, frames))
    path = limb.property_path(LOOK)
    with KeyWriter(armature) as writer:
        remove_curves(action, armature, path)
        writer.put(
            action,
            [
                KeySet(control, frames, _rows(armature, control, local)),
                KeySet(limb.target, frames[:1], {(path, 0): np.array([float(is_on)])}),
            ],
        )
    rest_property(rig_actions(armature), armature, limb, limb.target, LOOK)


@dataclass(frozen=True)
class Hold:
    """How a control stays where it is in its space."""

    frame: float  #: where it stays: as it is at this frame.
    turns: bool = False  #: whether it stays turned as at this frame, too.
    place: tuple[float, float, float] | None = None  #: where it stays instead, by its keys of location.
    blend: int = 3  #: frames before and after that lead to its place.


def change_space(
    rig: RigAtRest,
    action: Action,
    control: str,
    index: int,
    first: float,
    last: float,
    hold: Hold | None = None,
) -> None:
    """Have a control follow a bone from one frame to another; what is seen at its keys stays the same.

    Args:
        rig: the rig of the model that the action belongs to.
        control: a control of the rig.
        index: of the bone in the control's spaces.
        first, last: the frames between which it follows the bone.
        hold: how it stays where it is in the space between these frames; by default it moves as before.
    """
    armature = rig.armature
    limb = next(each for each in rig.limbs if control in each.bones.values())
    keyed = key_frames(rig, action, [limb])
    # Next to the ends, keys in the spaces of before and after keep the motion outside as it is.
    wide = 1 if hold is None else 1 + hold.blend
    steps = np.arange(1, wide + 1)
    outside = np.concatenate([first - steps, last + steps])
    outside = outside[(outside >= keyed.min(initial=first)) & (outside <= keyed.max(initial=last))]
    times = np.unique(np.concatenate([keyed[(keyed >= first) & (keyed <= last)], [first, last], outside]))
    is_inside = (times >= first) & (times <= last)
    spaces = np.where(is_inside, index, spaces_at(action, armature, control, times))
    bones = followed_bones(armature, control)
    with staged(rig) as stage:
        shown = stage.matrices(action, [control, *bones], times)
    local = _local(armature, control, shown, bones, spaces)
    if hold is not None:
        _hold(local, times, is_inside, spaces, hold)
    path = space_path(control)
    with KeyWriter(armature) as writer:
        _remove_keys(action, armature, control, first, last)
        writer.put(action, [KeySet(control, times, _rows(armature, control, local))])
        edges = times[(times >= first - 1) & (times <= last + 1)]
        at_edges = spaces[np.isin(times, edges)].astype(float)
        writer.put(action, [KeySet(control, edges, {(path, 0): at_edges})])
    make_constant(action, armature, path)
    rest_property(rig_actions(armature), armature, limb, control, SPACE)


def _hold(
    local: Floats, times: Floats, is_inside: NDArray[np.bool_], spaces: NDArray[np.integer], hold: Hold
) -> None:
    """Have local matrices (n, 4, 4) stay the same inside, and lead there from outside."""
    inside = np.flatnonzero(is_inside)
    model = inside[np.abs(times[inside] - hold.frame).argmin()]
    place = local[model, :3, 3].copy() if hold.place is None else np.array(hold.place)
    for edge, step in ((inside[0], -1), (inside[-1], 1)):
        # The way from where it was to where it stays, in the axes of the space next to the edge.
        off = place - local[edge, :3, 3]
        for count in range(1, hold.blend + 1):
            row = edge + step * count
            if 0 <= row < len(local) and not is_inside[row] and spaces[row] == 0:
                local[row, :3, 3] += off * (1 - count / (hold.blend + 1))
    local[inside, :3, 3] = place
    if hold.turns:
        local[inside, :3, :3] = local[model, :3, :3]


def _local(
    armature: Object, control: str, shown: Floats, bones: Sequence[str], spaces: Iterable[int]
) -> Floats:
    """Return what a control's own keys have to give, (n, 4, 4), so that it is shown as it is in some spaces.

    Args:
        shown: (n, 1 + b, 4, 4), of the control and of the b bones of its spaces.
        spaces: (n,), indices of spaces.
    """
    rests = armature.data.bones
    inverse = np.array(rests[control].matrix_local.inverted(), float)
    result = np.empty((len(shown), 4, 4))
    for number, space in enumerate(spaces):
        moved = shown[number, 1 + space] @ np.array(rests[bones[space]].matrix_local.inverted(), float)
        result[number] = inverse @ np.linalg.inv(moved) @ shown[number, 0]
    return result


def _rows(armature: Object, control: str, local: Floats) -> dict[tuple[str, int], Floats]:
    """Return the values of a control's curves by local matrices (n, 4, 4)."""
    turns = continuous(quaternions(local[:, :3, :3])[:, None])[:, 0]
    path, bone = bone_path(control), armature.pose.bones[control]
    result: dict[tuple[str, int], Floats] = {}
    if not all(bone.lock_rotation):
        result |= {(f"{path}.rotation_quaternion", part): turns[:, part] for part in range(4)}
    if not all(bone.lock_location):
        result |= {(f"{path}.location", axis): local[:, axis, 3] for axis in range(3)}
    return result


def _remove_keys(action: Action, armature: Object, control: str, first: float, last: float) -> None:
    """Remove the keys of a control between two frames."""
    channels = compat.find_channels(action, armature)
    paths = [f"{bone_path(control)}.{name}" for name in ("location", "rotation_quaternion")]
    paths.append(space_path(control))
    for curve in channels.fcurves if channels is not None else ():
        if curve.data_path in paths:
            keys = curve.keyframe_points
            for index in reversed(range(len(keys))):
                if first - ON_KEY <= keys[index].co.x <= last + ON_KEY:
                    keys.remove(keys[index])
