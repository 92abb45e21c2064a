"""Controls set to the pose of a model's own bones, for all keys of an action at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from bpy.types import Action, Object

from ....formats.base import Floats
from ...core.blender import compat
from ...subjects.animations.keys.curves import bone_path
from ...subjects.animations.keys.geometry import across, matrices, quaternions, solve, unit
from ...subjects.animations.keys.key_poses import RestPose, continuous, read_key_poses
from ...subjects.animations.showing import own_animations
from .keys import (
    KeySet,
    KeyWriter,
    has_keys,
    is_switched_on,
    remove_control_curves,
    switch_curve,
    switch_keys,
)
from .parts import LOOK, SPACE, SWITCH, RigLimb, RigPart, figure_of, has_rig, property_path, rig_limbs
from .spaces import followed_bones


@dataclass(frozen=True, eq=False)
class RestBone:
    """A bone at rest: orientation (3, 3) and head (3,) in the space of the armature."""

    turn: Floats
    head: Floats


@dataclass(frozen=True, eq=False)
class Control:
    """Locations (n, 3) and quaternions (n, 4) of a control in n poses, None where it has none."""

    place: Floats | None
    turn: Floats | None

    def part(self, keys: slice) -> Control:
        """Return it in some of the poses."""
        return Control(
            None if self.place is None else self.place[keys], None if self.turn is None else self.turn[keys]
        )


@dataclass(frozen=True, eq=False)
class RigAtRest:
    """A control rig at rest, read once for many actions."""

    armature: Object  #: the model.
    limbs: list[RigLimb]
    rest: RestPose  #: the rest pose of the model's bones.

    @classmethod
    def of(cls, armature: Object, action: Action | None = None) -> RigAtRest:
        """Return the rig of the model that an action belongs to, by default of the one that is no skin.

        The joints of a model that is drawn in place of another one may be some units from those.
        """
        figure = figure_of(armature)
        owner = action.tomb_raider.model if action is not None else None
        owner = owner if owner in figure else figure[0]
        if has_rig(owner) and owner.pose is not None:
            armature = owner
        return cls(armature, rig_limbs(armature), RestPose.of(armature))

    @classmethod
    def of_all(cls, armature: Object, actions: Iterable[Action]) -> Iterator[tuple[RigAtRest, list[Action]]]:
        """Yield the rigs of the models of a figure that actions belong to, each with these actions."""
        found: dict[Object, tuple[RigAtRest, list[Action]]] = {}
        owners: dict[Object | None, RigAtRest] = {}
        for action in actions:
            owner: Object | None = action.tomb_raider.model
            if owner not in owners:
                owners[owner] = cls.of(armature, action)
            rig = owners[owner]
            found.setdefault(rig.armature, (rig, []))[1].append(action)
        yield from found.values()

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

    def controls(
        self, limb: RigLimb, whole: Floats, heads: Floats, above: RigLimb | None = None
    ) -> dict[RigPart, Control]:
        """Return the controls of a limb that give n poses.

        Args:
            whole: (n, m, 4), orientations of the model's m bones in the space of the armature.
            heads: (n, m, 3), their heads.
            above: the body whose control it follows, with the same poses; by default it follows the root.
        """
        bones = {part: self.bones[name] for part, name in limb.bones.items()}
        if limb.is_trunk:
            turned, place = self._turned(limb, whole), heads[:, self.rest.number(limb.name)]
            axes, head = bones[RigPart.TARGET].turn, bones[RigPart.TARGET].head
            local = turned if above is None else self._turned(above, whole).swapaxes(1, 2) @ turned
            turn = quaternions(axes.T @ local @ axes)
            if limb.is_body:
                place = place + turned @ (head - bones[RigPart.END].head) - head
                return {RigPart.TARGET: Control(place @ axes, turn)}
            result = {RigPart.TARGET: Control(None, turn)}
            if RigPart.LOOK in bones:
                # The target is where the bone faces, so that it can look at it without turning.
                ahead = bones[RigPart.LOOK].head - head
                result[RigPart.LOOK] = Control(place + turned @ ahead - bones[RigPart.LOOK].head, None)
            return result
        own = [self.rest.number(name) for name in limb.own]
        turns = [matrices(whole[:, number]) for number in own]
        joints = heads[:, own]
        upper, lower, end = (bones[part] for part in (RigPart.UPPER, RigPart.LOWER, RigPart.END))
        lengths = (
            float(np.linalg.norm(lower.head - upper.head)),
            float(np.linalg.norm(end.head - lower.head)),
        )
        # The bend at rest, as the upper bone turns it: for poses in which the limb is straight.
        along = unit(end.head - upper.head)
        bend = upper.turn.T @ unit(across(bones[RigPart.POLE].head - upper.head, along))
        chain = solve(joints[:, :3], turns[0] @ bend, lengths)
        last = bones.get(RigPart.PAW, end)
        place = joints[:, -1] + chain.ends - joints[:, 2]
        control = turns[-1] @ last.turn.T
        result = {
            RigPart.TARGET: Control(place - bones[RigPart.TARGET].head, quaternions(control)),
            RigPart.POLE: Control(chain.poles - bones[RigPart.POLE].head, None),
        }
        if RigPart.HOCK in bones:
            hock = control.swapaxes(1, 2) @ turns[2] @ end.turn.T
            result[RigPart.HOCK] = Control(None, quaternions(hock))
        for part, solved, helper, turn in (
            (RigPart.UPPER_TWIST, chain.upper, RigPart.IK_UPPER, turns[0]),
            (RigPart.LOWER_TWIST, chain.lower, RigPart.IK_LOWER, turns[1]),
        ):
            at_rest = bones[helper].turn.T @ bones[part].turn
            result[part] = Control(None, quaternions((solved @ at_rest).swapaxes(1, 2) @ turn))
        return result

    def _turned(self, limb: RigLimb, whole: Floats) -> Floats:
        """Return how n poses turn the bone of a limb of the trunk from its rest, (n, 3, 3)."""
        turns = matrices(whole[:, self.rest.number(limb.name)])
        return np.asarray(turns @ self.bones[limb.name].turn.T, np.float64)

    def match(
        self, actions: Iterable[Action], limbs: Iterable[RigLimb] | None = None, frames: Floats | None = None
    ) -> None:
        """Key the controls of limbs so that they give the pose of the model's own keys, and switch them on.

        Args:
            actions: actions of the model; those without keys do not change.
            limbs: by default all limbs.
            frames: where to set keys, with which the controls follow the root; others stay, and so do the
                switches and spaces. By default, the keys are replaced by keys at all frames with a key of
                the model's bones, and the trunk follows the control of the body if that is matched, too.
        """
        wanted = self.limbs if limbs is None else list(limbs)
        times: list[float] | None = None if frames is None else frames.tolist()
        found = [(each, read_key_poses(each, self.armature, self.rest, times)) for each in actions]
        found = [(action, poses) for action, poses in found if len(poses.frames)]
        if not found:
            return
        turns = np.concatenate([poses.turns for _, poses in found])
        whole, heads = self.rest.pose(turns, np.concatenate([poses.places for _, poses in found]))
        body = next((limb for limb in wanted if limb.is_body and frames is None), None)
        spaces = self._spaces(wanted, body)
        controls = {
            limb.number: self.controls(limb, whole, heads, body if limb.target in spaces else None)
            for limb in wanted
        }
        with KeyWriter(self.armature) as writer:
            first = 0
            for action, poses in found:
                part = slice(first, first + len(poses.frames))
                first = part.stop
                sets = [
                    self._keys(limb, name, poses.frames, control.part(part))
                    for limb in wanted
                    for name, control in controls[limb.number].items()
                ]
                if frames is None:
                    remove_control_curves(action, self.armature, wanted)
                    start = float(poses.frames[0])
                    sets += [switch_keys(limb, 1.0, start) for limb in wanted]
                    sets += self._unset(wanted, start, spaces)
                sets += self._resting(wanted, poses.frames if frames is not None else poses.frames[:1])
                writer.put(action, sets)

    def _spaces(self, limbs: Iterable[RigLimb], body: RigLimb | None) -> dict[str, int]:
        """Return by the controls of the trunk that can follow that of the body its index in their spaces."""
        trunk = [limb.target for limb in limbs if body is not None and limb.is_trunk and limb is not body]
        found = {name: followed_bones(self.armature, name) for name in trunk}
        return {
            name: bones.index(body.target)
            for name, bones in found.items()
            if body is not None and body.target in bones
        }

    def _unset(self, limbs: Iterable[RigLimb], frame: float, spaces: Mapping[str, int]) -> Iterator[KeySet]:
        """Yield keys of the controls' other properties: they follow the root, or a space, and do not look."""
        for limb in limbs:
            for name in limb.controls():
                control: Any = self.armature.pose.bones[name]
                for setting, value in ((SPACE, spaces.get(name, 0)), (LOOK, 0)):
                    if setting in control:
                        path = property_path(name, setting)
                        yield KeySet(name, np.array([frame]), {(path, 0): np.array([float(value)])})

    def _resting(self, limbs: Iterable[RigLimb], frames: Floats) -> Iterator[KeySet]:
        """Yield keys of heels, toes and hips at rest: a turn in one action would stay in others without."""
        rest = np.tile((1.0, 0.0, 0.0, 0.0), (len(frames), 1))
        for limb in limbs:
            for part in (RigPart.HEEL, RigPart.TOE, RigPart.TILT):
                if part in limb.bones:
                    yield self._keys(limb, part, frames, Control(None, rest))

    def _keys(self, limb: RigLimb, part: RigPart, frames: Floats, control: Control) -> KeySet:
        name = limb.bones[part]
        rows: dict[tuple[str, int], Floats] = {}
        if control.place is not None:
            path = f"{bone_path(name)}.location"
            rows |= {(path, index): control.place[:, index] for index in range(3)}
        if control.turn is not None:
            path, turn = f"{bone_path(name)}.rotation_quaternion", continuous(control.turn[:, None])[:, 0]
            rows |= {(path, index): turn[:, index] for index in range(4)}
        return KeySet(name, frames, rows)


def _square(turn: Floats) -> Floats:
    """Return the rotation nearest to a matrix of 32 bits."""
    left, _, right = np.linalg.svd(turn)
    return np.asarray(left @ right, np.float64)


def switch_off(armature: Object, actions: Sequence[Action], limbs: Sequence[RigLimb]) -> None:
    """Key the switches of limbs to the model's own keys in actions that have no keys of them.

    Blender keeps the last value of a property that an action has no keys of.
    """
    with KeyWriter(armature) as writer:
        for action in actions:
            missing = [limb for limb in limbs if switch_curve(action, armature, limb) is None]
            if missing:
                writer.put(action, [switch_keys(limb, 0.0, 0.0) for limb in missing])


def switch_new_action(armature: Object, action: Action) -> None:
    """Key the switches of limbs in a new action: to their controls where it has keys of them and shows them.

    These also get keys of what they follow and look at, as is shown. Makes no data-block, so handlers may
    call it.
    """
    channels = compat.find_channels(action, armature)
    for limb in rig_limbs(armature) if channels is not None else ():
        if switch_curve(action, armature, limb) is None:
            control: Any = armature.pose.bones[limb.target]
            is_on = has_keys(action, armature, limb) and control.get(SWITCH, 0.0) > 0
            values = {limb.switch: float(is_on)}
            for name in limb.controls() if is_on else ():
                owner: Any = armature.pose.bones[name]
                values |= {property_path(name, key): owner[key] for key in (SPACE, LOOK) if key in owner}
            for path, value in values.items():
                if channels.fcurves.find(path, index=0) is None:
                    curve = channels.fcurves.new(path, index=0)
                    curve.keyframe_points.insert(0.0, float(value))


def rig_actions(armature: Object) -> list[Action]:
    """Return the actions that a model's rig may move: its own, and the one that it uses."""
    result = own_animations(armature)
    data = armature.animation_data
    if data is not None and data.action is not None and data.action not in result:
        result.append(data.action)
    return result


def uses_controls(action: Action, armature: Object, limbs: Iterable[RigLimb]) -> bool:
    """Return whether an action poses any limb by its control."""
    return any(is_switched_on(action, armature, limb) for limb in limbs)
