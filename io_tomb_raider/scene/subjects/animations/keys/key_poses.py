"""Poses of an action at its keys as arrays, for tools that edit animations.

A model's keys are rotations of its bones and the location of its first bone. Here they are read from any kind
of curves (quaternions, Euler angles, axis and angle; renamed bones), and written as linear keys. Curves of
anything else, such as the controls of a rig, stay as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from bpy.types import Action, FCurve, Object
from mathutils import Quaternion
from numpy.typing import NDArray

from .....formats.base import Floats
from .....formats.levels.animations import matrices_from_quaternions
from ....core.blender import compat
from ...models.bones import own_bones, own_parent
from ...models.poses import CONJUGATE, multiply, relative_turns
from .action_curves import ActionCurves
from .curves import ROTATIONS, BonePaths, bone_path, rotation_mode


@dataclass(frozen=True, eq=False)
class RestPose:
    """The m bones of a model at rest, parents before children, in the space of the armature."""

    #: names, old_names: the names of the bones, and those at import or "".
    names: list[str]
    old_names: list[str]
    parents: NDArray[np.int64]  #: (m,) int64, -1 for the first bone.
    turns: Floats  #: (m, 4), quaternions w, x, y, z of the bones' axes.
    heads: Floats  #: (m, 3), positions of the joints, in Blender's units.

    @classmethod
    def of(cls, armature: Object) -> RestPose:
        """Return the rest pose of a model's armature."""
        bones: list[Any] = own_bones(armature)  # parents first, in the order of imported curves
        numbers = {bone.name: number for number, bone in enumerate(bones)}
        turns = np.array([bone.matrix_local.to_quaternion()[:] for bone in bones], float).reshape(-1, 4)
        return cls(
            names=list(numbers),
            old_names=[bone.tomb_raider.imported_name for bone in bones],
            parents=np.array(
                [numbers[up.name] if (up := own_parent(bone)) else -1 for bone in bones], np.int64
            ),
            turns=turns / np.linalg.norm(turns, axis=1, keepdims=True),  # Blender's have 32 bits
            heads=np.array([bone.head_local[:] for bone in bones], float).reshape(-1, 3),
        )

    def number(self, name: str) -> int:
        """Return the number of the bone of a name, -1 if there is none."""
        return self.names.index(name) if name in self.names else -1

    @cached_property
    def paths(self) -> BonePaths:
        """The data paths of the curves of the bones."""
        return BonePaths.of(self.names, self.old_names)

    @property
    def size(self) -> float:
        """How far its joints are apart."""
        return float(np.ptp(self.heads, axis=0).max())

    @cached_property
    def _steps(self) -> Floats:
        """The rotation of each bone at rest relative to its parent, (m, 4)."""
        return relative_turns(self.turns[None], self.parents)[0]

    @cached_property
    def _arms(self) -> Floats:
        """From the joint of each bone's parent to its own, in the axes of the parent at rest, (m, 3)."""
        arms = self.heads - self.heads[self.parents]
        axes = matrices_from_quaternions(self.turns[self.parents]).swapaxes(-1, -2)
        return np.asarray((axes @ arms[..., None])[..., 0], np.float64)

    @cached_property
    def _generations(self) -> list[NDArray[np.int64]]:
        """The bones without a parent, those that hang on these, and so on."""
        depths = np.zeros(len(self.parents), np.int64)
        for bone, parent in enumerate(self.parents.tolist()):
            depths[bone] = depths[parent] + 1 if parent >= 0 else 0
        return [np.flatnonzero(depths == depth) for depth in range(int(depths.max(initial=-1)) + 1)]

    def pose(self, turns: Floats, locations: Floats) -> tuple[Floats, Floats]:
        """Return where n poses put the m bones (forward kinematics).

        Args:
            turns: (n, m, 4), rotations of the pose bones about their own axes at rest.
            locations: (n, 3), of the first pose bone.

        Returns:
            Orientations (n, m, 4) and heads (n, m, 3) in the space of the armature. Equal to Blender's
            ``PoseBone.matrix`` without constraints.
        """
        whole, heads = np.empty(turns.shape), np.empty((*turns.shape[:2], 3))
        steps = multiply(self._steps, turns)
        for bones in self._generations:
            parents = self.parents[bones]
            if (parents < 0).all():
                whole[:, bones] = steps[:, bones]
                axes = matrices_from_quaternions(self.turns[bones]).swapaxes(-1, -2)
                heads[:, bones] = self.heads[bones] + (locations @ axes).swapaxes(0, 1)
            else:
                above = whole[:, parents]
                whole[:, bones] = multiply(above, steps[:, bones])
                arms = matrices_from_quaternions(above) @ self._arms[bones, :, None]
                heads[:, bones] = heads[:, parents] + arms[..., 0]
        return whole, heads

    def local(self, whole: Floats, heads: Floats) -> tuple[Floats, Floats]:
        """Return the poses with these orientations: the inverse of :meth:`pose`.

        Args:
            whole: (n, m, 4), orientations in the space of the armature.
            heads: (n, 3), positions of the first bone.

        Returns:
            Rotations (n, m, 4) and locations (n, 3) of pose bones.
        """
        above = whole.copy()
        for bone, parent in enumerate(self.parents.tolist()):
            up = whole[:, parent] if parent >= 0 else np.array([1.0, 0.0, 0.0, 0.0])
            above[:, bone] = multiply(up, np.broadcast_to(self._steps[bone], whole[:, bone].shape))
        axes = matrices_from_quaternions(self.turns[0])
        return multiply(above * CONJUGATE, whole), (heads - self.heads[0]) @ axes


@dataclass(frozen=True, eq=False)
class KeyPoses:
    """Poses of a model at n frames of an action."""

    frames: Floats  #: (n,), ascending.
    turns: Floats  #: (n, m, 4), rotations w, x, y, z of the pose bones, in the order of :class:`RestPose`.
    places: Floats  #: (n, 3), locations of the first pose bone.

    def at(self, frames: Floats) -> KeyPoses:
        """Return the poses at other frames, as games interpolate: along a line and on the shortest arc."""
        if not len(self.frames):
            return self
        frames = np.asarray(frames, float)
        after = np.clip(np.searchsorted(self.frames, frames), 1, max(len(self.frames) - 1, 1))
        after = np.minimum(after, len(self.frames) - 1)
        before = np.maximum(after - 1, 0)
        length = np.maximum(self.frames[after] - self.frames[before], 1e-9)
        fraction = np.clip((frames - self.frames[before]) / length, 0.0, 1.0)[:, None]
        locations = self.places[before] * (1 - fraction) + self.places[after] * fraction
        return KeyPoses(frames, slerp(self.turns[before], self.turns[after], fraction), locations)

    def moved(self, frames: Floats) -> KeyPoses:
        """Return the same poses at other frames, (n,)."""
        return replace(self, frames=np.asarray(frames, float))


def slerp(a: Floats, b: Floats, fraction: Floats) -> Floats:
    """Return rotations between others on the shortest arc.

    Args:
        a, b: (n, m, 4), quaternions.
        fraction: (n, 1), 0 for a to 1 for b.
    """
    cosine = (a * b).sum(axis=-1)
    b = np.where(cosine[..., None] < 0, -b, b)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    sine = np.sin(angle)
    close = sine < 1e-6
    safe = np.where(close, 1.0, sine)
    first = np.where(close, 1 - fraction, np.sin((1 - fraction) * angle) / safe)
    second = np.where(close, fraction, np.sin(fraction * angle) / safe)
    mixed = first[..., None] * a + second[..., None] * b
    return np.asarray(mixed / np.linalg.norm(mixed, axis=-1, keepdims=True), float)


def continuous(turns: Floats) -> Floats:
    """Return the same rotations (n, m, 4) with signs that do not jump from key to key."""
    if len(turns) < 2:
        return turns
    flips = np.where((turns[1:] * turns[:-1]).sum(axis=-1) < 0, -1.0, 1.0)
    return turns * np.concatenate([np.ones((1, turns.shape[1])), np.cumprod(flips, axis=0)])[..., None]


def read_key_poses(
    action: Action, armature: Object, rest: RestPose | None = None, frames: Sequence[float] | None = None
) -> KeyPoses:
    """Return the poses of an action from its curves, without constraints.

    Without frames, these are all frames with a key of a bone.
    """
    rest = RestPose.of(armature) if rest is None else rest
    return key_poses_of(ActionCurves(action, armature, rest.paths), frames)


def key_poses_of(curves: ActionCurves, frames: Sequence[float] | None = None) -> KeyPoses:
    """Return the poses of curves, as :func:`read_key_poses` does."""
    times = curves.key_frames() if frames is None else np.asarray(frames, float)
    turns, locations = (np.asarray(each, float) for each in curves.poses(times))
    lengths = np.linalg.norm(turns, axis=-1, keepdims=True)
    turns = np.where(lengths > 0, turns / np.where(lengths > 0, lengths, 1.0), (1.0, 0.0, 0.0, 0.0))
    return KeyPoses(times, turns, locations)


def write_key_poses(
    action: Action,
    armature: Object,
    poses: KeyPoses,
    rest: RestPose | None = None,
    only: Collection[str] | None = None,
) -> None:
    """Replace an action's keys of the model's bones by these poses, with linear keys.

    A bone that the action moves by Euler angles keeps them; all others get quaternions. Curves of other
    properties and of other bones do not change. ``only`` restricts it to bones of some names.
    """
    rest = RestPose.of(armature) if rest is None else rest
    chosen = {*rest.names} if only is None else {*only}
    channels = compat.find_channels(action, armature) or compat.make_channels(action, armature)
    curves: dict[tuple[str, int], FCurve] = {
        (curve.data_path, curve.array_index): curve for curve in channels.fcurves
    }
    turns = continuous(poses.turns)
    written: set[tuple[str, int]] = set()
    for number, (name, old) in enumerate(zip(rest.names, rest.old_names, strict=True)):
        if name not in chosen:
            continue
        root, mode = bone_path(name), rotation_mode(armature, name)
        rows: dict[tuple[str, int], Floats] = {}
        if number == 0:
            rows |= {("location", axis): poses.places[:, axis] for axis in range(3)}
        if len(mode) == 3 and (f"{root}.rotation_euler", 0) in curves:
            angles = _euler(turns[:, number], mode)
            rows |= {("rotation_euler", axis): angles[:, axis] for axis in range(3)}
        else:
            rows |= {("rotation_quaternion", part): turns[:, number, part] for part in range(4)}
        for (channel, index), values in rows.items():
            key = (f"{root}.{channel}", index)
            if key not in curves and old and (f"{bone_path(old)}.{channel}", index) in curves:
                key = (f"{bone_path(old)}.{channel}", index)  # a renamed bone
            if key not in curves:
                curves[key] = channels.fcurves.new(key[0], index=index)
                curves[key].group = channels.groups.get(name) or channels.groups.new(name)
            written.add(key)
            _set_keys(curves[key], poses.frames, values)
    old_names = [old for name, old in zip(rest.names, rest.old_names, strict=True) if name in chosen and old]
    roots = {bone_path(name) for name in (*chosen, *old_names)}
    for key, curve in curves.items():
        root, _, channel = key[0].rpartition(".")
        if key not in written and root in roots and channel in ROTATIONS:
            channels.fcurves.remove(curve)


def _set_keys(curve: Any, frames: Floats, values: Floats) -> None:
    """Replace the keys of a curve by linear ones; modifiers would change them, so they are removed."""
    points = curve.keyframe_points
    missing = len(frames) - len(points)
    if missing < 0:
        points.clear()
        missing = len(frames)
    if missing:
        points.add(missing)
    rows = np.stack([frames, values], axis=1).astype(np.float32)
    points.foreach_set("co", rows.ravel())
    points.foreach_set("interpolation", np.full(len(frames), compat.LINEAR, np.uint8))
    for modifier in list(curve.modifiers):
        curve.modifiers.remove(modifier)
    curve.mute = False
    curve.update()


def _euler(turns: Floats, order: str) -> Floats:
    """Return Euler angles of rotations (n, 4), each near the one before it."""
    result = np.empty((len(turns), 3))
    last: Any = None
    for number, turn in enumerate(turns.tolist()):
        quaternion: Any = Quaternion(turn)
        last = quaternion.to_euler(order) if last is None else quaternion.to_euler(order, last)
        result[number] = last[:]
    return result
