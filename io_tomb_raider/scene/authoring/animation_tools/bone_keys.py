"""Keys of any pose bone, in whichever kind of rotation it has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from bpy.types import Action, FCurve
from mathutils import Euler, Quaternion

from ....formats.base import Floats
from ...core.blender import compat
from ...subjects.animations.keys.curves import ON_KEY, ROTATIONS, bone_path, rotation_channel, sample_curve
from ...subjects.animations.keys.key_poses import continuous
from ...subjects.models.poses import from_axis_angle, from_euler

REST = {**ROTATIONS, "location": (0.0, 0.0, 0.0)}


def to_turns(values: Floats, channel: str, bone: Any) -> Floats:
    """Return the quaternions (n, 4) of values of a property of a bone."""
    if channel == "rotation_axis_angle":
        return from_axis_angle(values)
    if channel == "rotation_euler":
        return from_euler(values, _order(bone))
    lengths = np.linalg.norm(values, axis=-1, keepdims=True)
    return np.asarray(
        np.where(lengths > 0, values / np.where(lengths > 0, lengths, 1), REST["rotation_quaternion"]), float
    )


def from_turns(turns: Floats, near: Floats, channel: str, bone: Any) -> Floats:
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


class BoneKeys:
    """The curves of an action by pose bone, of the model's bones and of others."""

    def __init__(self, action: Action, armature: Any) -> None:
        self._channels = compat.find_channels(action, armature) or compat.make_channels(action, armature)
        self._curves: dict[str, dict[int, FCurve]] = {}
        for curve in self._channels.fcurves:
            self._curves.setdefault(curve.data_path, {})[curve.array_index] = curve

    def rotation_channel(self, bone: Any) -> str:
        """Return the name of the property that turns a bone: that of its mode, or of its curves."""
        own = rotation_channel(bone.rotation_mode)
        return next((each for each in (own, *REST) if each != "location" and self.curves(bone, each)), own)

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
        return all_frames(curve for each in channels for curve in self.curves(bone, each).values())

    def pose(self, bone: Any, frame: float) -> tuple[Floats, Floats] | None:
        """Return rotation and location of a bone at a frame, None without curves."""
        if not self.curves(bone, self.rotation_channel(bone)) and not self.curves(bone, "location"):
            return None
        turns, places = self.poses(bone, np.array([frame]))
        return turns[0], places[0]

    def poses(self, bone: Any, times: Floats) -> tuple[Floats, Floats]:
        """Return rotations (n, 4) and locations (n, 3) of a bone at n frames."""
        channel = self.rotation_channel(bone)
        values = self.values(bone, channel, times, np.array(REST[channel]))
        turns = continuous(to_turns(values, channel, bone)[:, None])[:, 0]
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
            if index < len(values) and np.abs(_frames(curve) - frame).min(initial=1.0) < ON_KEY:
                _set_key(curve, frame, float(values[index]))
                curve.update()

    def write(self, bone: Any, channel: str, times: Floats, values: Floats) -> None:
        """Set keys of a property of a bone; others stay."""
        curves, path = self.curves(bone, channel), self._path(bone, channel)
        for index in range(len(REST[channel])):
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


def all_frames(curves: Iterable[FCurve]) -> Floats:
    found = [_frames(curve) for curve in curves]
    return np.unique(np.concatenate(found)) if found else np.zeros(0)


def _set_key(curve: Any, time: float, value: float) -> None:
    """Set or add a key, which is like the one before it."""
    points, frames = curve.keyframe_points, _frames(curve)
    here = np.flatnonzero(np.abs(frames - time) < ON_KEY)
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
