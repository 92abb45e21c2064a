"""Spread Edit: the change of a pose at one frame, fading out over the keys around it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import Action, FCurve
from mathutils import Euler, Quaternion

from ....formats.base import Floats
from ...core.blender import compat
from ...subjects.animations.changes.chains import length
from ...subjects.animations.keys.curves import bone_path, sample_curve
from ...subjects.animations.keys.key_poses import continuous, slerp
from ...subjects.animations.keys.ranges import first_frame
from ...subjects.models.poses import CONJUGATE, from_axis_angle, from_euler, multiply
from .clip import key_count
from .posed import NotedPose, note_pose, noted_pose, shown_pose

_SAME_TURN, _SAME_PLACE = np.radians(0.01), 1e-5
_ON_KEY = 1e-3
_UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
_ROTATIONS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
_REST = {
    "rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "rotation_euler": (0.0, 0.0, 0.0),
    "rotation_axis_angle": (0.0, 0.0, 1.0, 0.0),
    "location": (0.0, 0.0, 0.0),
}
_LEAST_TURN, _LEAST_PLACE = float(np.radians(2.0)), 0.01  # of a key that stands out from those around it


@dataclass(frozen=True, eq=False)
class PoseChange:
    """The change of a bone's pose at a frame."""

    bone: str  #: its name.
    turn: Floats  #: (4,), rotation about the axes of the parent: it is applied after the old one.
    place: Floats  #: (3,), change of its location.
    #: old_turn, old_place: (4,) and (3,), its pose before.
    old_turn: Floats
    old_place: Floats

    @property
    def is_turned(self) -> bool:
        return bool(2 * np.linalg.norm(self.turn[1:]) > _SAME_TURN)

    @property
    def is_moved(self) -> bool:
        return bool(np.abs(self.place).max() > _SAME_PLACE)


@dataclass(frozen=True)
class Spread:
    """The result of :func:`spread_edit`."""

    bones: list[str]  #: names of the bones that were changed at the frame.
    keys: int  #: the number of frames with changed keys.
    #: first, last: the first and the last of those frames.
    first: float
    last: float
    is_guessed: bool  #: whether the change was guessed from the keys around the frame.


def spread_edit(
    armature: Any,
    action: Action,
    frame: float,
    ticks: float,
    *,
    loop: tuple[float, float] | None = None,
    only: set[str] | None = None,
) -> Spread | None:
    """Fade out the change of the pose at a frame over the keys around it.

    The change is known from the pose that the armature had when the frame was shown, whether it was keyed
    since or not. Without it, it is the difference of pose and keys; if there is none, that of the keys of
    selected bones and those around them.

    Args:
        armature: the armature that is posed; it shows the action at the frame.
        ticks: how far the change reaches.
        loop: the first frame and the length of the action's loop, at whose ends the keys go on.
        only: names of the bones that may change, None for all.

    Returns:
        None if nothing was changed at the frame.
    """
    keys = _Keys(action, armature)
    changes = _changes(armature, action, frame, keys)
    is_guessed = not changes
    if is_guessed:
        selected = [bone for bone in armature.pose.bones if compat.is_bone_selected(bone)]
        changes = _outliers(selected, frame, keys)
    changes = [each for each in changes if only is None or each.bone in only]
    if not changes:
        return None
    fade = _Fade(keys, action, frame, ticks, loop)
    touched: set[float] = set()
    for change in changes:
        bone = armature.pose.bones[change.bone]
        if change.is_turned:
            touched |= fade.turn(bone, change)
        if change.is_moved:
            touched |= fade.move(bone, change)
    note_pose(armature, frame, again=True)
    return Spread([each.bone for each in changes], len(touched), min(touched), max(touched), is_guessed)


# --- What was changed ----------------------------------------


def _changes(armature: Any, action: Action, frame: float, keys: _Keys) -> list[PoseChange]:
    """Return the changes of the pose that is shown."""
    now, noted = shown_pose(armature), noted_pose(armature, action, frame)
    found = []
    for number, bone in enumerate(armature.pose.bones):
        old = _pose_of(noted, number, bone) if noted is not None else keys.pose(bone, frame)
        if old is not None:
            turn, place = _pose_of(now, number, bone)
            found.append(PoseChange(bone.name, _between(old[0], turn), place - old[1], *old))
    return [each for each in found if each.is_turned or each.is_moved]


def _pose_of(pose: NotedPose, number: int, bone: Any) -> tuple[Floats, Floats]:
    """Return rotation and location of a bone."""
    channel = _ROTATIONS.get(bone.rotation_mode, "rotation_euler")
    values = getattr(pose, channel)[number : number + 1]
    return _to_turns(values, channel, bone)[0], pose.location[number]


def _between(old: Floats, new: Floats) -> Floats:
    """Return the rotation from one pose to another, (4,), with a positive w."""
    turn = multiply(new, old * CONJUGATE)
    return turn if turn[0] >= 0 else -turn


def _outliers(bones: Iterable[Any], frame: float, keys: _Keys) -> list[PoseChange]:
    """Return the changes of bones whose key at a frame does not fit those around it, as if it was edited.

    Motions have sharp turns of their own, so this is only for bones that a person has chosen.
    """
    found = []
    for bone in bones:
        times = keys.frames(bone)
        here = np.flatnonzero(np.abs(times - frame) < _ON_KEY)
        if not len(here) or not 0 < here[0] < len(times) - 1:
            continue
        turns, places = keys.poses(bone, times)
        part = ((times[1:-1] - times[:-2]) / (times[2:] - times[:-2]))[:, None]
        line = slerp(turns[:-2, None], turns[2:, None], part)[:, 0]
        off = _vectors(multiply(turns[1:-1], line * CONJUGATE))
        moved = places[1:-1] - (places[:-2] * (1 - part) + places[2:] * part)
        at = int(here[0])
        turn = _turn_of(_bump(off, at - 1, _LEAST_TURN))
        place = _bump(moved, at - 1, _LEAST_PLACE)
        old = multiply(turn * CONJUGATE, turns[at])
        found.append(PoseChange(bone.name, turn, place, old, places[at] - place))
    return [each for each in found if each.is_turned or each.is_moved]


def _bump(off: Floats, at: int, least: float) -> Floats:
    """Return by how much a key was moved that stands out from those around it, else 0, (3,).

    Args:
        off: (n, 3), how far each key is from the line between those beside it. A key that was moved by e is
            off by e, those beside it by -e/2; at a bend of the motion, those beside it are off by nothing.
        at: the number of the key.
        least: the smallest move that is found.
    """
    beside = off[[each for each in (at - 1, at + 1) if 0 <= each < len(off)]]
    if not len(beside):
        return np.zeros(3)
    moved = (off[at] - beside.mean(axis=0)) / 1.5  # the curvature of the motion is about the same there
    size = float(moved @ moved)
    is_bump = size > least**2 and bool((beside @ moved < -0.25 * size).all())
    return moved if is_bump else np.zeros(3)


def _vectors(turns: Floats) -> Floats:
    """Return rotation vectors (n, 3) of quaternions (n, 4)."""
    turns = np.where(turns[:, :1] < 0, -turns, turns)
    sines = np.linalg.norm(turns[:, 1:], axis=1, keepdims=True)
    angles = 2 * np.arctan2(sines, turns[:, :1])
    return np.asarray(turns[:, 1:] * np.where(sines > 0, angles / np.where(sines > 0, sines, 1), 2.0), float)


def _turn_of(vector: Floats) -> Floats:
    """Return the quaternion (4,) of a rotation vector (3,)."""
    angle = float(np.linalg.norm(vector))
    if not angle:
        return _UPRIGHT.copy()
    return np.array([np.cos(angle / 2), *(vector * np.sin(angle / 2) / angle)])


# --- Kinds of rotation ----------------------------------------


def _to_turns(values: Floats, channel: str, bone: Any) -> Floats:
    """Return the quaternions (n, 4) of values of a property of a bone."""
    if channel == "rotation_axis_angle":
        return from_axis_angle(values)
    if channel == "rotation_euler":
        return from_euler(values, _order(bone))
    lengths = np.linalg.norm(values, axis=-1, keepdims=True)
    return np.asarray(np.where(lengths > 0, values / np.where(lengths > 0, lengths, 1), _UPRIGHT), float)


def _from_turns(turns: Floats, near: Floats, channel: str, bone: Any) -> Floats:
    """Return values of a property of a bone for quaternions (n, 4), continuous with other values."""
    if channel == "rotation_quaternion":
        return np.where((turns * near).sum(axis=1, keepdims=True) < 0, -turns, turns)
    rows = []
    for turn, old in zip(turns.tolist(), near.tolist(), strict=True):
        quaternion: Any = Quaternion(turn)
        if channel == "rotation_euler":
            rows.append(quaternion.to_euler(_order(bone), Euler(old, _order(bone)))[:])
        else:
            axis, angle = quaternion.to_axis_angle()
            rows.append((angle, *axis[:]))
    return np.array(rows, float)


def _order(bone: Any) -> Any:
    return bone.rotation_mode if len(bone.rotation_mode) == 3 else "XYZ"


# --- Keys of any bone ----------------------------------------


class _Keys:
    """The curves of an action by pose bone, of the model's bones and of others."""

    def __init__(self, action: Action, armature: Any) -> None:
        self._channels = compat.find_channels(action, armature) or compat.make_channels(action, armature)
        self._curves: dict[str, dict[int, FCurve]] = {}
        for curve in self._channels.fcurves:
            self._curves.setdefault(curve.data_path, {})[curve.array_index] = curve

    def rotation_channel(self, bone: Any) -> str:
        """Return the name of the property that turns a bone: that of its mode, or of its curves."""
        own = _ROTATIONS.get(bone.rotation_mode, "rotation_euler")
        return next((each for each in (own, *_REST) if each != "location" and self.curves(bone, each)), own)

    def curves(self, bone: Any, channel: str) -> dict[int, FCurve]:
        """Return the curves of a property of a bone by index."""
        return self._curves.get(self._path(bone, channel), {})

    def _path(self, bone: Any, channel: str) -> str:
        """Return the path of a property of a bone, which other actions may have by its old name."""
        paths = [f"{bone_path(name)}.{channel}" for name in (bone.name, bone.bone.tomb_raider.imported_name)]
        return paths[1] if paths[0] not in self._curves and paths[1] in self._curves else paths[0]

    def frames(self, bone: Any) -> Floats:
        """Return the frames at which a bone has keys."""
        channels = (self.rotation_channel(bone), "location")
        return _all_frames(curve for each in channels for curve in self.curves(bone, each).values())

    def pose(self, bone: Any, frame: float) -> tuple[Floats, Floats] | None:
        """Return rotation and location of a bone at a frame, None without curves."""
        if not self.curves(bone, self.rotation_channel(bone)) and not self.curves(bone, "location"):
            return None
        turns, places = self.poses(bone, np.array([frame]))
        return turns[0], places[0]

    def poses(self, bone: Any, times: Floats) -> tuple[Floats, Floats]:
        """Return rotations (n, 4) and locations (n, 3) of a bone at n frames."""
        channel = self.rotation_channel(bone)
        values = self.values(bone, channel, times, np.array(_REST[channel]))
        turns = continuous(_to_turns(values, channel, bone)[:, None])[:, 0]
        return turns, self.values(bone, "location", times, np.zeros(3))

    def values(self, bone: Any, channel: str, times: Floats, default: Floats) -> Floats:
        """Return the values of a property of a bone at n frames; the default where it has no curve."""
        result = np.tile(default, (len(times), 1))
        for index, curve in self.curves(bone, channel).items():
            if index < result.shape[1]:
                result[:, index] = sample_curve(curve, times)
        return result

    def set_existing(self, bone: Any, channel: str, frame: float, values: Floats) -> None:
        """Set the keys that a property of a bone has at a frame, if it has any."""
        for index, curve in self.curves(bone, channel).items():
            if index < len(values) and np.abs(_frames(curve) - frame).min(initial=1.0) < _ON_KEY:
                _set_key(curve, frame, float(values[index]))
                curve.update()

    def write(self, bone: Any, channel: str, times: Floats, values: Floats) -> None:
        """Set keys of a property of a bone; others stay."""
        curves, path = self.curves(bone, channel), self._path(bone, channel)
        for index in range(len(_REST[channel])):
            if index not in curves:
                curves[index] = self._channels.fcurves.new(path, index=index)
                groups = self._channels.groups
                curves[index].group = groups.get(bone.name) or groups.new(bone.name)
        self._curves[path] = curves
        for index, curve in curves.items():
            for time, value in zip(times.tolist(), values[:, index].tolist(), strict=True):
                _set_key(curve, time, value)
            curve.update()


def _frames(curve: FCurve) -> Floats:
    points = np.empty((len(curve.keyframe_points), 2), np.float32)
    curve.keyframe_points.foreach_get("co", points.ravel())
    return points[:, 0].astype(float)


def _all_frames(curves: Iterable[FCurve]) -> Floats:
    found = [_frames(curve) for curve in curves]
    return np.unique(np.concatenate(found)) if found else np.zeros(0)


def _set_key(curve: Any, time: float, value: float) -> None:
    """Set or add a key, which is like the one before it."""
    points, frames = curve.keyframe_points, _frames(curve)
    here = np.flatnonzero(np.abs(frames - time) < _ON_KEY)
    if len(here):
        point = points[int(here[0])]
        change = value - point.co.y
        point.co.y += change
        point.handle_left.y += change
        point.handle_right.y += change
        return
    earlier = np.flatnonzero(frames < time)
    like = points[int(earlier[-1])].interpolation if len(earlier) else "LINEAR"
    points.insert(time, value).interpolation = like


# --- Fading ----------------------------------------


@dataclass(frozen=True, eq=False)
class _Fade:
    """How far a change at a frame reaches; see :func:`spread_edit`."""

    keys: _Keys
    action: Action
    frame: float
    ticks: float
    loop: tuple[float, float] | None

    def turn(self, bone: Any, change: PoseChange) -> set[float]:
        """Turn the keys of a bone, and return their frames."""
        channel = self.keys.rotation_channel(bone)
        rest = np.array(_REST[channel])
        near = self.keys.values(bone, channel, np.array([self.frame]), rest)
        old = _from_turns(change.old_turn[None], near, channel, bone)[0]
        self.keys.set_existing(bone, channel, self.frame, old)
        times = self._times(bone, channel)
        values, part = self.keys.values(bone, channel, times, old), self.parts(times)
        values[np.abs(times - self.frame) < _ON_KEY] = old
        turns = _to_turns(values, channel, bone)[:, None]
        whole = np.broadcast_to(change.turn, turns.shape)
        some = slerp(np.broadcast_to(_UPRIGHT, turns.shape), whole, part[:, None])
        new = _from_turns(multiply(some, turns)[:, 0], values, channel, bone)
        self.keys.write(bone, channel, times, new)
        return set(times[part > 0].tolist())

    def move(self, bone: Any, change: PoseChange) -> set[float]:
        """Move the keys of a bone's location, and return their frames."""
        self.keys.set_existing(bone, "location", self.frame, change.old_place)
        times = self._times(bone, "location")
        values = self.keys.values(bone, "location", times, change.old_place)
        values[np.abs(times - self.frame) < _ON_KEY] = change.old_place
        part = self.parts(times)
        self.keys.write(bone, "location", times, values + part[:, None] * change.place)
        return set(times[part > 0].tolist())

    def parts(self, times: Floats) -> Floats:
        """Return which part of the change keys get: 1 at the frame, 0 at its reach, smooth between."""
        distance = np.abs(times - self.frame)
        if self.loop is not None:
            first, period = self.loop
            around = np.mod(times - self.frame, period)
            around = np.minimum(around, period - around)
            is_inside = (times >= first) & (first <= self.frame)
            distance = np.where(is_inside, np.minimum(distance, around), distance)
        part = np.clip(1 - distance / max(self.ticks, _ON_KEY), 0.0, 1.0)
        return np.asarray(part * part * (3 - 2 * part), float)

    def _times(self, bone: Any, channel: str) -> Floats:
        """Return the frames to key: the frame itself, keys in reach, and the ends of the reach.

        Where the next key is out of reach, a key of the old pose at the end of the reach stops the change.
        """
        keyed = _all_frames(self.keys.curves(bone, channel).values())
        keyed = keyed[np.abs(keyed - self.frame) > _ON_KEY]
        start, rate = float(first_frame(self.action)), max(self.action.tomb_raider.frame_rate, 1)
        steps, reach = (self.frame - start) / rate, self.ticks / rate
        low = max(start + rate * float(np.floor(steps - reach + _ON_KEY)), start)
        end = start + rate * (key_count(length(self.action), rate) - 1)
        high = min(start + rate * float(np.ceil(steps + reach - _ON_KEY)), end)
        times = [self.frame, *keyed[self.parts(keyed) > 0].tolist()]
        if low < self.frame - _ON_KEY and not ((keyed >= low) & (keyed < self.frame)).any():
            times.append(low)
        if high > self.frame + _ON_KEY and not ((keyed <= high) & (keyed > self.frame)).any():
            times.append(high)
        return np.unique(np.round(np.array(times), 3))
