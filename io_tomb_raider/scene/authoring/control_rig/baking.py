"""Keys of a model's own bones set to the pose that the controls give.

Keys that the controls agree with are kept: what nobody has edited stays as it was imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from bpy.types import Action, Object, Scene
from numpy.typing import NDArray

from ....formats.base import Floats
from ...subjects.animations.baking import retarget_copy
from ...subjects.animations.keys.action_curves import ActionCurves, ActionKeys
from ...subjects.animations.keys.curves import ON_KEY, bone_path
from ...subjects.animations.keys.key_poses import (
    KeyPoses,
    RestPose,
    key_poses_of,
    read_key_poses,
    write_key_poses,
)
from ...subjects.animations.keys.stage import Player, isolated_copy
from ...subjects.models.poses import CONJUGATE, multiply
from .keys import KeyWriter, control_curves, is_switched_on, remove_control_curves
from .match import RigAtRest
from .parts import LOOK, SPACE, SWITCH, RigLimb

# Closer to a key than a third of the finest step of a game is the noise of the solver.
_SAME_TURN = np.radians(0.1)
_SAME_PLACE = 4e-4  # of the model's size: a quarter of a unit in a person


@dataclass(frozen=True, eq=False)
class Stage:
    """A copy of a rigged armature that evaluates actions, valid within :func:`staged`."""

    rig: RigAtRest
    scene: Scene
    copy: Object

    def poses(self, action: Action, frames: Floats) -> KeyPoses:
        """Return the poses of the model's bones that constraints give at some frames."""
        return self.all_poses([(ActionKeys(action, self.rig.armature), frames)])[0]

    def all_poses(self, actions: Sequence[tuple[ActionKeys, Floats]]) -> list[KeyPoses]:
        """Return the poses in actions, each at some frames; they are evaluated all at once."""
        if not actions:
            return []
        rest = self.rig.rest
        evaluated = self._player.poses(rest.names, actions)
        matrices, whole = (np.concatenate(each) for each in zip(*evaluated, strict=True))
        turns, places = rest.local(whole, matrices[:, 0, :3, 3])
        ends = np.cumsum([len(frames) for _, frames in actions])[:-1]
        parts = zip(actions, np.split(turns, ends), np.split(places, ends), strict=True)
        return [KeyPoses(frames, *poses) for (_, frames), *poses in parts]

    def matrices(self, action: Action, names: Sequence[str], frames: Floats) -> Floats:
        """Return the matrices of m bones of any kind at n frames, (n, m, 4, 4), in the armature's space."""
        return self._player.poses(names, [(ActionKeys(action, self.rig.armature), frames)])[0][0]

    @cached_property
    def _player(self) -> Player:
        return Player(self.scene, self.copy, self.rig.armature, self._reset)

    def _reset(self) -> None:
        """Reset what other actions have left."""
        names = {*self.rig.rest.names, *(name for limb in self.rig.limbs for name in limb.controls())}
        for name in names:
            bone: Any = self.copy.pose.bones[name]
            bone.location, bone.scale = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
            bone.rotation_quaternion, bone.rotation_euler = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            bone.rotation_axis_angle = (0.0, 0.0, 1.0, 0.0)
            for setting in (SWITCH, SPACE, LOOK):
                if setting in bone:
                    bone[setting] = type(bone[setting])(0)
        self.copy.update_tag()  # for properties, Blender does not notice it


@contextmanager
def staged(rig: RigAtRest) -> Iterator[Stage]:
    """Make a copy of a rigged armature in a temporary scene, and remove both at the end."""
    with isolated_copy(rig.armature) as (scene, copy):
        retarget_copy(copy, rig.armature)
        yield Stage(rig, scene, copy)


def bake(
    rig: RigAtRest,
    actions: Iterable[Action],
    limbs: Sequence[RigLimb] | None = None,
    *,
    is_last: bool = False,
) -> list[Action]:
    """Write what the controls of limbs do to the keys of the model's bones, and switch the limbs off.

    Args:
        actions: actions of the model.
        limbs: by default all limbs.
        is_last: the rig is removed afterwards, so that the actions need no keys of its switches.

    Returns:
        The actions with other keys than before.
    """
    wanted = rig.limbs if limbs is None else list(limbs)
    actions = list(actions)
    active = {
        action: [limb for limb in wanted if is_switched_on(action, rig.armature, limb)] for action in actions
    }
    curves = {
        action: ActionCurves(action, rig.armature, rig.rest.paths) for action in actions if active[action]
    }
    frames = {action: _key_frames(rig, each, active[action]) for action, each in curves.items()}
    with staged(rig) as stage:
        seen = stage.all_poses([(each.keys, frames[action]) for action, each in curves.items()])
    changed = [
        action
        for (action, each), poses in zip(curves.items(), seen, strict=True)
        if _write(rig, each, active[action], poses)
    ]
    with KeyWriter(rig.armature) as writer:
        for action in actions:
            remove_control_curves(action, rig.armature, wanted)
            if not is_last:
                writer.switch(action, wanted, 0.0, 0.0)
    return changed


def snap_to_controls(rig: RigAtRest, action: Action, limbs: Sequence[RigLimb], frames: Floats) -> bool:
    """Key the model's bones at some frames as controls pose them, and return whether any key changes."""
    with staged(rig) as stage, _switched_on(action, rig, limbs):
        seen = stage.poses(action, frames)
    return _write(rig, ActionCurves(action, rig.armature, rig.rest.paths), limbs, seen)


def limbs_as_seen(stage: Stage, action: Action, limbs: Sequence[RigLimb], frames: Floats) -> KeyPoses:
    """Return the poses of an action at some frames, with the limbs where their controls put them.

    Poses of keys that the controls agree with are kept.
    """
    rest = stage.rig.rest
    keyed = read_key_poses(action, stage.rig.armature, rest, frames.tolist())
    if not len(frames):
        return keyed
    seen = stage.poses(action, frames)
    numbers = [rest.number(name) for limb in limbs for name in limb.own]
    return _mixed(keyed, seen, numbers, _are_other(keyed, seen), _is_elsewhere(stage.rig, keyed, seen))


def _are_other(keyed: KeyPoses, seen: KeyPoses) -> NDArray[np.bool_]:
    """Return which bones (n, m) are turned otherwise than by their keys."""
    between = multiply(keyed.turns * CONJUGATE, seen.turns)
    return np.asarray(2 * np.linalg.norm(between[..., 1:], axis=-1) > _SAME_TURN)


def _is_elsewhere(rig: RigAtRest, keyed: KeyPoses, seen: KeyPoses) -> NDArray[np.bool_]:
    """Return in which poses (n,) the first bone is elsewhere than by its keys."""
    distances = np.abs(seen.places - keyed.places).max(axis=1)
    return np.asarray(distances > _SAME_PLACE * rig.rest.size)


def _mixed(
    keyed: KeyPoses,
    seen: KeyPoses,
    numbers: Sequence[int],
    is_other: NDArray[np.bool_],
    is_elsewhere: NDArray[np.bool_],
) -> KeyPoses:
    """Return poses by keys, with those of some bones as they are seen where they are others."""
    turns, places = keyed.turns.copy(), keyed.places
    turns[:, numbers] = np.where(is_other[:, numbers, None], seen.turns[:, numbers], turns[:, numbers])
    if 0 in numbers:
        places = np.where(is_elsewhere[:, None], seen.places, places)
    return replace(keyed, turns=turns, places=places)


def key_frames(rig: RigAtRest, action: Action, limbs: Iterable[RigLimb]) -> Floats:
    """Return the frames with a key of the model's bones or of limbs' controls."""
    return _key_frames(rig, ActionCurves(action, rig.armature, rig.rest.paths), limbs)


def _key_frames(rig: RigAtRest, curves: ActionCurves, limbs: Iterable[RigLimb]) -> Floats:
    keys, roots = curves.keys, tuple(bone_path(name) for limb in limbs for name in limb.controls())
    controls = [
        number
        for number, path in enumerate(keys.layout.paths)
        if path.startswith(roots) and (keys.counts[number] > 1 or not path.endswith(f'["{SWITCH}"]'))
    ]
    return _distinct(np.concatenate([curves.key_frames(), keys.frames(controls)]))


def _distinct(frames: Floats) -> Floats:
    """Return frames in order, those closer than the tolerance of keys once."""
    frames = np.unique(frames)
    return frames[np.append(True, np.diff(frames) > ON_KEY)] if len(frames) else frames


def _write(rig: RigAtRest, curves: ActionCurves, limbs: Sequence[RigLimb], seen: KeyPoses) -> bool:
    """Write the evaluated pose of limbs where it differs from the keys, and return whether it does."""
    rest, frames, action = rig.rest, seen.frames, curves.keys.action
    if not len(frames):
        return False
    before = key_poses_of(curves, frames.tolist())
    is_other, is_elsewhere = _are_other(before, seen), _is_elsewhere(rig, before, seen)
    numbers = [rest.number(name) for limb in limbs for name in limb.own]
    numbers = [
        number for number in numbers if is_other[:, number].any() or (number == 0 and is_elsewhere.any())
    ]
    if not numbers:
        return False
    whole = with_frames(key_poses_of(curves), frames, action, rig.armature, rest)
    rows = np.searchsorted(whole.frames, frames - ON_KEY)
    mixed = _mixed(before, seen, numbers, is_other, is_elsewhere)
    turns, places = whole.turns.copy(), whole.places.copy()
    turns[rows], places[rows] = mixed.turns, mixed.places
    only = [rest.names[number] for number in numbers]
    write_key_poses(action, rig.armature, replace(whole, turns=turns, places=places), rest, only=only)
    return True


def with_frames(
    poses: KeyPoses, frames: Floats, action: Action, armature: Object, rest: RestPose
) -> KeyPoses:
    """Return the poses of an action at its keys and at further frames."""
    both = _distinct(np.concatenate([poses.frames, frames]))
    if len(both) == len(poses.frames):
        return poses
    return read_key_poses(action, armature, rest, both.tolist())


@contextmanager
def _switched_on(action: Action, rig: RigAtRest, limbs: Sequence[RigLimb]) -> Iterator[None]:
    """Switch limbs on in an action for an evaluation."""
    curves = [
        curve
        for curve in control_curves(action, rig.armature, limbs)
        if curve.data_path.endswith(f'["{SWITCH}"]')
    ]
    kept = [[tuple(point.co) for point in curve.keyframe_points] for curve in curves]
    try:
        for curve in curves:
            for point in curve.keyframe_points:
                point.co.y = 1.0
            curve.update()
        yield
    finally:
        for curve, values in zip(curves, kept, strict=True):
            for point, (_, value) in zip(curve.keyframe_points, values, strict=True):
                point.co.y = value
            curve.update()
