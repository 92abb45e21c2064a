"""Controls set to the pose of a model's own bones, for all keys of an action at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from bpy.types import Action, Object

from ...subjects.animations.key_poses import KeyPoses, RestPose, continuous, read_key_poses
from ...subjects.animations.showing import own_animations
from .geometry import Floats, across, matrices, quaternions, solve, unit
from .keys import is_switched_on, put_rows, remove_control_curves, set_switch
from .parts import Part, RigLimb, bone_path, rig_limbs


@dataclass(frozen=True, eq=False)
class RestBone:
    """A bone at rest: orientation (3, 3) and head (3,) in the space of the armature."""

    turn: Floats
    head: Floats


@dataclass(frozen=True, eq=False)
class RigAtRest:
    """A control rig at rest, read once for many actions.

    Attributes:
        armature: the model.
        limbs: its limbs.
        rest: the rest pose of the model's bones.
    """

    armature: Object
    limbs: list[RigLimb]
    rest: RestPose

    @classmethod
    def of(cls, armature: Object) -> RigAtRest:
        return cls(armature, rig_limbs(armature), RestPose.of(armature))

    @cached_property
    def bones(self) -> dict[str, RestBone]:
        """The bones of all limbs by name."""
        bones = self.armature.data.bones
        names = {name for limb in self.limbs for name in limb.bones.values()}
        # Blender's matrices have 32 bits; the solver needs them square.
        return {
            name: RestBone(
                _square(np.array(bones[name].matrix_local.to_3x3(), np.float64)),
                np.array(bones[name].head_local[:], np.float64),
            )
            for name in names
        }

    def rows(self, limb: RigLimb, poses: KeyPoses) -> dict[tuple[str, int], Floats]:
        """Return the values of all curves of a limb's controls that give n poses, (n,) each."""
        whole, heads = self.rest.pose(poses.turns, poses.places)
        bones = {part: self.bones[name] for part, name in limb.bones.items()}
        own = [self.rest.number(name) for name in limb.own]
        turns = [matrices(whole[:, number]) for number in own]
        joints = heads[:, own]
        upper, lower, end = (bones[part] for part in (Part.UPPER, Part.LOWER, Part.END))
        lengths = (
            float(np.linalg.norm(lower.head - upper.head)),
            float(np.linalg.norm(end.head - lower.head)),
        )
        # The bend at rest, as the upper bone turns it: for poses in which the limb is straight.
        along = unit(end.head - upper.head)
        bend = upper.turn.T @ unit(across(bones[Part.POLE].head - upper.head, along))
        poles, first, second = solve(joints[:, :3], turns[0] @ bend, lengths)
        found: dict[tuple[str, int], Floats] = {}

        def turned(part: Part, turn: Floats) -> None:
            values = continuous(quaternions(turn)[:, None])[:, 0]
            path = f"{bone_path(limb.bones[part])}.rotation_quaternion"
            found.update({(path, index): values[:, index] for index in range(4)})

        def placed(part: Part, place: Floats) -> None:
            path = f"{bone_path(limb.bones[part])}.location"
            values = place - bones[part].head
            found.update({(path, index): values[:, index] for index in range(3)})

        last = bones[Part.PAW] if Part.PAW in bones else end
        control = turns[-1] @ last.turn.T
        placed(Part.TARGET, joints[:, -1])
        turned(Part.TARGET, control)
        if Part.HOCK in bones:
            turned(Part.HOCK, control.swapaxes(1, 2) @ turns[2] @ end.turn.T)
        placed(Part.POLE, poles)
        for part, chain, helper, turn in (
            (Part.UPPER_TWIST, first, Part.IK_UPPER, turns[0]),
            (Part.LOWER_TWIST, second, Part.IK_LOWER, turns[1]),
        ):
            at_rest = bones[helper].turn.T @ bones[part].turn
            turned(part, (chain @ at_rest).swapaxes(1, 2) @ turn)
        return found

    def match(self, action: Action, limbs: Iterable[RigLimb] | None = None) -> None:
        """Key the controls of limbs at all frames with a key of the model's bones, and switch them on.

        Args:
            action: an action of the model; without keys it does not change.
            limbs: by default all limbs.
        """
        wanted = self.limbs if limbs is None else list(limbs)
        poses = read_key_poses(action, self.armature, self.rest)
        if not len(poses.frames):
            return
        remove_control_curves(action, self.armature, wanted)
        for limb in wanted:
            self.put(action, limb, poses)
        set_switch(action, self.armature, wanted, 1.0, float(poses.frames[0]))

    def put(self, action: Action, limb: RigLimb, poses: KeyPoses) -> None:
        """Set keys of a limb's controls that give these poses."""
        frames = poses.frames
        rows = self.rows(limb, poses)
        groups = {path: _bone_of(path, limb) for path, _ in rows}
        put_rows(action, self.armature, frames, rows, groups=groups)
        for part in (Part.HEEL, Part.TOE):
            if part in limb.bones:
                self._rest_foot(action, limb, part, frames)

    def _rest_foot(self, action: Action, limb: RigLimb, part: Part, frames: Floats) -> None:
        """Key heel or toe at rest, so that their turn in one action does not stay in others."""
        path = f"{bone_path(limb.bones[part])}.rotation_quaternion"
        rows = {(path, index): np.full(1, float(not index)) for index in range(4)}
        put_rows(action, self.armature, frames[:1], rows, groups={path: limb.bones[part]})


def _square(turn: Floats) -> Floats:
    """Return the rotation nearest to a matrix of 32 bits."""
    left, _, right = np.linalg.svd(turn)
    return np.asarray(left @ right, np.float64)


def _bone_of(path: str, limb: RigLimb) -> str:
    return next(name for name in limb.controls() if path.startswith(f"{bone_path(name)}."))


def switch_off(armature: Object, actions: Sequence[Action], limbs: Sequence[RigLimb]) -> None:
    """Key the switches of limbs to the model's own keys in actions that have no keys of them.

    Blender keeps the last value of a property that an action has no keys of.
    """
    for action in actions:
        missing = [limb for limb in limbs if _lacks_switch(action, armature, limb)]
        if missing:
            set_switch(action, armature, missing, 0.0, 0.0)


def _lacks_switch(action: Action, armature: Object, limb: RigLimb) -> bool:
    from .keys import switch_curve

    return switch_curve(action, armature, limb) is None


def rig_actions(armature: Object) -> list[Action]:
    """Return the actions that a model's rig may move: its own, and the one that it uses."""
    found = own_animations(armature)
    data = armature.animation_data
    if data is not None and data.action is not None and data.action not in found:
        found.append(data.action)
    return found


def uses_controls(action: Action, armature: Object, limbs: Iterable[RigLimb]) -> bool:
    """Return whether an action poses any limb by its control."""
    return any(is_switched_on(action, armature, limb) for limb in limbs)
