"""Curves of a model's animations: conversion from the file's key frames, and reading from actions.

The curves of an action have this order: location x, y, z of the first bone, then rotation w, x, y, z of each
bone. A row of keys is frame, value, frame, value, … as Blender stores it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Action, FCurve, Object
from numpy.typing import NDArray

from .....formats.base import AnyFloats, T
from ....core.blender import compat
from ....core.reporting.report import Report
from ....core.space import Space
from ...models.poses import from_axis_angle, from_euler
from .level_curves import ModelCurves

ON_KEY = 1e-3  # frames
# Smaller differences mean the same key frame: the finest rotation of a game changes a quaternion by 8e-4.
_SAME_ROTATION = 5e-5
_SAME_UNITS = 0.25


def curve_paths(names: Sequence[str]) -> list[tuple[str, int]]:
    """Return data paths and array indices of the curves for bones of these names."""
    roots = [bone_path(name) for name in names]
    paths = [(f"{root}.location", axis) for root in roots[:1] for axis in range(3)]
    return paths + [(f"{root}.rotation_quaternion", part) for root in roots for part in range(4)]


@dataclass(frozen=True, eq=False)
class BonePaths:
    """Data paths of the curves of a model's bones.

    When the user renames a bone, Blender renames its curves only in the armature's current action. In all
    other actions they are found by the bone's old name.
    """

    #: names, old_names: the names of the bones, and those at import or "".
    names: list[str]
    old_names: list[str]
    #: for every curve of :func:`curve_paths` the possible paths if it is the first of its channel, else ():
    #: reading a path from Blender is slow, and the indices of the others are consecutive.
    leading: list[tuple[str, ...]]
    indices: NDArray[np.int32]  #: array indices of all curves.
    _own_by_path: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def of(cls, names: list[str], old_names: list[str]) -> BonePaths:
        """Return the paths for bones by their names, and by their names at import or ""."""
        current, old = curve_paths(names), curve_paths(old_names)
        leading: list[tuple[str, ...]] = [
            () if index else (path, old_path)
            for (path, index), (old_path, _) in zip(current, old, strict=True)
        ]
        return cls(names, old_names, leading, np.array([index for _, index in current], np.int32))

    def is_own(self, path: str) -> bool:
        """Return whether a curve of this path poses the model by itself: one of its bones, or its object."""
        result = self._own_by_path.get(path)
        if result is None:
            bone_property = bone_of_property(path)
            if bone_property is None:
                result = not path.startswith("[")
            else:
                name, channel = bone_property
                result = channel in _TRANSFORMS and (name in self.names or name in self.old_names)
            self._own_by_path[path] = result
        return result

    @cached_property
    def _firsts(self) -> list[tuple[int, tuple[str, ...]]]:
        return [(index, paths) for index, paths in enumerate(self.leading) if paths]

    def are_first(self, curves: Any) -> bool:
        """Return whether an action's curves begin with those of the bones, in the order of an import."""
        count = len(self.leading)
        if len(curves) < count:
            return False
        indices = np.empty(len(curves), np.int32)
        curves.foreach_get("array_index", indices)
        return np.array_equal(indices[:count], self.indices) and all(
            curves[index].data_path in paths for index, paths in self._firsts
        )


def bone_path(name: str) -> str:
    """Return the data path of a pose bone of this name, as curves of actions have it."""
    return f'pose.bones["{bpy.utils.escape_identifier(name)}"]'


def rotation_mode(armature: Object, name: str) -> str:
    """Return how a bone is turned; by quaternions where Blender has no pose, as of hidden models."""
    return "QUATERNION" if armature.pose is None else str(armature.pose.bones[name].rotation_mode)


def rotation_channel(mode: str) -> str:
    """Return the name of the property that turns a bone with a rotation mode."""
    channels = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
    return channels.get(mode, "rotation_euler")


_OF_BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\](.*)', re.DOTALL)
_TRANSFORMS = frozenset(
    {".location", ".scale", ".rotation_quaternion", ".rotation_euler", ".rotation_axis_angle"}
)


def moved_bone(path: str) -> str | None:
    """Return the name of the bone that a curve of this data path moves, turns or scales, or None."""
    bone_property = bone_of_property(path)
    return bone_property[0] if bone_property is not None and bone_property[1] in _TRANSFORMS else None


def bone_of_property(path: str) -> tuple[str, str] | None:
    """Return the name of the bone that a data path begins with, and the rest of the path; or None."""
    match = _OF_BONE.fullmatch(path)
    return None if match is None else (str(bpy.utils.unescape_identifier(match[1])), match[2])


class _SplitCurves(NamedTuple):
    """The curves of an action."""

    own: list[FCurve]  #: those of the model's own bones and of its object, in their order.
    places: NDArray[np.int64]  #: their places among all.
    others: list[FCurve]  #: those of bones of control rigs, and of properties and constraints of any bone.


def _split_curves(channels: Any, bones: BonePaths) -> _SplitCurves:
    """Sort the curves of an action into those that pose the model by themselves, and the others."""
    curves: list[FCurve] = [] if channels is None else list(channels.fcurves)
    first = len(bones.leading) if curves and bones.are_first(channels.fcurves) else 0
    is_own = [True] * first + [bones.is_own(curve.data_path) for curve in curves[first:]]
    return _SplitCurves(
        [curve for curve, is_bone_curve in zip(curves, is_own, strict=True) if is_bone_curve],
        np.flatnonzero(np.array(is_own, bool)),
        [curve for curve, is_bone_curve in zip(curves, is_own, strict=True) if not is_bone_curve],
    )


def other_curves(action: Action, armature: Object, bones: BonePaths) -> dict[str, list[FCurve]]:
    """Return the unmuted curves, by data path, of an action that do not pose a model's own bones themselves.

    They animate bones of control rigs, custom properties, and settings of constraints.
    """
    result: dict[str, list[FCurve]] = {}
    channels = compat.find_channels(action, armature)
    if channels is None:
        return result
    first = len(bones.leading) if bones.are_first(channels.fcurves) else 0
    for curve in channels.fcurves[first:]:
        path = curve.data_path
        if not bones.is_own(path) and not _is_muted(curve):
            result.setdefault(path, []).append(curve)
    return result


def unchanged_actions(
    actions: Mapping[int, Action], armature: Object, bones: BonePaths, expected: ModelCurves, space: Space
) -> set[int]:
    """Return the numbers of the actions with exactly the expected curves and keys; in most levels nearly all.

    Actions have the numbers of their animations in ``expected``. The interpolation between key frames is
    ignored where there are no frames between them.
    """
    keys = np.zeros_like(expected.rows)
    read = set()
    for number, action in actions.items():
        channels, rows = compat.find_channels(action, armature), expected.part(keys, number)
        kinds = _kinds(action, rows)
        if _read_expected(channels, bones, rows, kinds) and (kinds is None or _are_linear(kinds)):
            read.add(number)
    for number in {*range(len(expected.begins) - 1)} - read:
        expected.part(keys, number)[:] = expected.of(number)
    if np.array_equal(keys, expected.rows):  # of most models, all at once
        return read
    return {each for each in read if _are_same_keys(expected.part(keys, each), expected.of(each), space)}


def _kinds(action: Action, rows: NDArray[np.float32]) -> NDArray[np.uint8] | None:
    """Return an array for the interpolation of keys, None where no frames are between them."""
    has_frames_between = rows.shape[1] > 2 and action.tomb_raider.frame_rate != 1
    return np.empty((len(rows), rows.shape[1] // 2), np.uint8) if has_frames_between else None


def _read_expected(
    channels: Any, bones: BonePaths, rows: NDArray[np.float32], kinds: NDArray[np.uint8] | None = None
) -> bool:
    """Read keys of an action's curves into ``rows``, and into ``kinds`` their interpolation, a row per curve.

    Return False if the numbers of curves or keys are unexpected.
    """
    total = 0 if channels is None else len(channels.fcurves)
    count = rows.shape[1] // 2
    if not count:
        return not total or not _split_curves(channels, bones).own
    if total < len(bones.leading):
        return False
    curves: Any = channels.fcurves
    bone_curves: Any = slice(None)
    if total > len(bones.leading):
        bone_curves = slice(len(bones.leading))
        if any(bones.is_own(curve.data_path) for curve in curves[bone_curves.stop :]):
            curves, bone_curves, _ = _split_curves(channels, bones)
        else:
            curves = islice(curves, bone_curves.stop)
    if not _are_in_order(channels, bone_curves, bones):
        return False
    # Blender reads keys curve by curve only; all checks for all curves at once are done before.
    for number, (row, path, curve) in enumerate(zip(rows, bones.leading, curves, strict=True)):
        points = curve.keyframe_points
        if len(points) != count or len(curve.modifiers) or (path and curve.data_path not in path):
            return False
        points.foreach_get("co", row)
        if kinds is not None:
            points.foreach_get("interpolation", kinds[number])
    return True


def _are_in_order(channels: Any, selected: Any, bones: BonePaths) -> bool:
    """Return whether the selected curves have the number and indices of an import, and nothing is muted."""
    curves, groups = channels.fcurves, channels.groups
    mute, indices = np.empty(len(curves), bool), np.empty(len(curves), np.int32)
    curves.foreach_get("mute", mute)
    curves.foreach_get("array_index", indices)
    mute_groups = np.empty(len(groups), bool)
    groups.foreach_get("mute", mute_groups)
    is_muted = mute[selected].any() or mute_groups.any()
    return not is_muted and np.array_equal(indices[selected], bones.indices)


def _is_straight(curve: FCurve) -> bool:
    """Return whether a curve is linear between its keys."""
    points = curve.keyframe_points
    kinds = np.empty(len(points), np.uint8)
    points.foreach_get("interpolation", kinds)
    return _are_linear(kinds)


def _are_linear(kinds: NDArray[np.uint8]) -> bool:
    """Return whether curves, with keys on the last axis, are linear between their keys."""
    return bool((kinds[..., :-1] == compat.LINEAR).all())  # no key follows the last one


def _are_same_keys(rows_read: NDArray[np.float32], rows: NDArray[np.float32], space: Space) -> bool:
    """Return whether two sets of rows describe the same key frames."""
    if not rows.size:
        return True
    difference = np.abs(rows_read - rows)
    return bool(
        difference[:, ::2].max() < ON_KEY
        and difference[3:, 1::2].max() < _SAME_ROTATION
        and difference[:3, 1::2].max() < _SAME_UNITS * space.scale
    )


class ActionCurves:
    """Curves of an action for the bones of an armature."""

    is_evaluated = False  #: whether constraints and drivers pose limbs as a whole.

    def __init__(self, action: Action, armature: Object, bones: BonePaths) -> None:
        self._action, self._armature = action, armature
        self._bones, self._names = bones, bones.names
        self._channels = compat.find_channels(action, armature)
        self._muted = 0
        #: the keys of all curves, as in :class:`ModelCurves`, if the action has exactly the curves of an
        #: import, with keys at the same frames; else None.
        self.rows: NDArray[np.float32] | None = None
        self._is_straight: bool | None = None  # of those curves
        self._read_rows()

    def _read_rows(self) -> None:
        curves: Any = [] if self._channels is None else self._channels.fcurves
        if len(curves) != len(self._bones.leading):
            curves = _split_curves(self._channels, self._bones).own
        count = len(curves[0].keyframe_points) if len(curves) else 0
        rows = np.empty((len(curves), 2 * count), np.float32)
        has_curves, kinds = len(curves) == len(self._bones.leading), _kinds(self._action, rows)
        if not (has_curves and count and _read_expected(self._channels, self._bones, rows, kinds)):
            if not _split_curves(self._channels, self._bones).own:
                self.rows = np.empty((0, 0), np.float32)
            return
        frames = rows[:, ::2]
        if (frames == frames[0]).all() and (frames[0, 1:] > frames[0, :-1]).all():
            self.rows = rows
            self._is_straight = count == 1 or None if kinds is None else _are_linear(kinds)

    @cached_property
    def _curves(self) -> dict[str, dict[int, FCurve]]:
        result: dict[str, dict[int, FCurve]] = {}
        for curve in () if self._channels is None else self._channels.fcurves:
            if _is_muted(curve):
                self._muted += 1
            else:
                result.setdefault(curve.data_path, {})[curve.array_index] = curve
        for name, old_name in zip(self._names, self._bones.old_names, strict=True):
            root, old_root = f"{bone_path(name)}.", f"{bone_path(old_name)}."
            if root != old_root and not any(path.startswith(root) for path in result):
                renamed = [path for path in result if path.startswith(old_root)]
                result |= {root + path.removeprefix(old_root): result[path] for path in renamed}
        return result

    def _bone_curves(self) -> Iterator[FCurve]:
        """Yield the curves that pose bones and that games support."""
        for name in self._names:
            root = bone_path(name)
            for channel in ("location", *ROTATIONS) if name == self._names[0] else ROTATIONS:
                yield from self._curves.get(f"{root}.{channel}", {}).values()

    def key_frames(self) -> NDArray[np.float64]:
        """Return the frames at which any bone has a key, each once, ascending."""
        if self.rows is not None:
            return self.rows[0, ::2].astype(np.float64) if self.rows.size else np.zeros(0)
        frames = [curve_keys(curve)[:, 0] for curve in self._bone_curves()]
        return np.unique(np.concatenate(frames)).astype(np.float64) if frames else np.zeros(0)

    def are_straight(self) -> bool:
        """Return whether all bones' curves are linear between their keys."""
        if self._is_straight is not None:
            return self._is_straight
        return all(not len(curve.modifiers) and _is_straight(curve) for curve in self._bone_curves())

    def span(self) -> tuple[float, float] | None:
        """Return the first and the last frame with a key of the bones, or None without keys."""
        if self.rows is not None:
            return (float(self.rows[0, 0]), float(self.rows[0, -2])) if self.rows.size else None
        ends: list[float] = []
        for name in self._names:
            root = bone_path(name)
            for channel in ("location", *ROTATIONS):
                for curve in self._curves.get(f"{root}.{channel}", {}).values():
                    ends += curve.range()[:] if len(curve.keyframe_points) else ()
        return (min(ends), max(ends)) if ends else None

    def poses(self, times: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the pose of m bones at n times: quaternions (n, m, 4), and locations of the first (n, 3)."""
        count = len(times)
        rows = self.rows
        if rows is not None and rows.size and rows.shape[1] == 2 * count and (rows[0, ::2] == times).all():
            values = rows[:, 1::2].T
            return values[:, 3:].reshape(count, -1, 4), values[:, :3]
        rotations = np.stack([self._rotations(name, times) for name in self._names], axis=1)
        return rotations, self._sample(f"{bone_path(self._names[0])}.location", (0.0, 0.0, 0.0), times)

    def _rotations(self, name: str, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return quaternions of a bone at n times, (n, 4), from whichever kind of rotation has curves.

        Curves of the bone's own rotation mode have precedence, because Blender evaluates no others.
        """
        root = bone_path(name)
        mode = rotation_mode(self._armature, name)
        own_channel = rotation_channel(mode)
        for channel in (own_channel, *(each for each in ROTATIONS if each != own_channel)):
            if f"{root}.{channel}" in self._curves:
                values = self._sample(f"{root}.{channel}", ROTATIONS[channel], times)
                if channel == "rotation_axis_angle":
                    return from_axis_angle(values)
                if channel == "rotation_euler":
                    return from_euler(values, mode if len(mode) == 3 else "XYZ")
                return values
        return np.tile(np.array(ROTATIONS["rotation_quaternion"]), (len(times), 1))

    def _sample(self, path: str, defaults: tuple[float, ...], times: NDArray[np.float64]) -> NDArray[Any]:
        curves = self._curves.get(path, {})
        result = np.tile(np.array(defaults), (len(times), 1))
        for index, curve in curves.items():
            if index < len(defaults):
                result[:, index] = sample_curve(curve, times)
        return result

    def warn_of_unsupported(self, subject: str, report: Report) -> None:
        """Warn of curves with motions that the game's animations do not support."""
        if self.rows is not None:
            return
        if self._muted:
            text = T("{muted} of its channels are muted, so their keys are ignored", muted=self._muted)
            report.warn(subject, T("{text}: unmute them to export them", text=text))
        labels = {"location": "the armature moves", "scale": T("the armature changes its size")}
        labels |= dict.fromkeys(ROTATIONS, "the armature turns")
        for name in self._names:
            labels[f"{bone_path(name)}.scale"] = T("the bone {name} changes its size", name=name)
        for name in self._names[1:]:
            labels[f"{bone_path(name)}.location"] = T("the bone {name} moves", name=name)
        for path, label in labels.items():
            still = 1.0 if path.endswith("scale") else 0.0
            for curve in self._curves.get(path, {}).values():
                if np.abs(curve_keys(curve)[:, 1] - still).max(initial=0) > _SAME_ROTATION:
                    report.warn(
                        subject,
                        T("{text}, which animations of the game cannot do; it is not exported", text=label),
                    )


# Kinds of rotation with their values at rest.
ROTATIONS: dict[str, tuple[float, ...]] = {
    "rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "rotation_euler": (0.0, 0.0, 0.0),
    "rotation_axis_angle": (0.0, 0.0, 1.0, 0.0),
}


def _is_muted(curve: FCurve) -> bool:
    return curve.mute or (curve.group is not None and curve.group.mute)


def curve_keys(curve: FCurve) -> NDArray[np.float32]:
    """Return the keys of a curve, (n, 2), in the order of their frames."""
    keys = np.empty((len(curve.keyframe_points), 2), np.float32)
    curve.keyframe_points.foreach_get("co", keys.ravel())
    return keys[np.argsort(keys[:, 0], kind="stable")]


def sample_curve(curve: FCurve, times: NDArray[np.float64]) -> AnyFloats:
    """Return the values of a curve: its keys where it has them, else Blender's evaluation."""
    result = np.zeros(len(times))
    missing = np.ones(len(times), bool)
    keys = curve_keys(curve)
    if len(keys) and not len(curve.modifiers):
        index = np.minimum(np.searchsorted(keys[:, 0], times - ON_KEY), len(keys) - 1)
        missing = np.abs(keys[index, 0] - times) >= ON_KEY
        result[~missing] = keys[index[~missing], 1]
    for row in np.flatnonzero(missing).tolist():  # Blender evaluates one frame at a time
        result[row] = curve.evaluate(float(times[row]))
    return result


def sample_curves(channels: Any, times: NDArray[np.float64]) -> dict[tuple[str, int], AnyFloats]:
    """Return the values of all unmuted curves of an action, (n,), by their data paths and array indices."""
    curves: list[Any] = list(channels.fcurves)
    indices, mute = np.empty(len(curves), np.int32), np.empty(len(curves), bool)
    channels.fcurves.foreach_get("array_index", indices)
    channels.fcurves.foreach_get("mute", mute)
    has_muted_groups = any(group.mute for group in channels.groups)
    paths = zip((curve.data_path for curve in curves), indices.tolist(), strict=True)
    by_count: dict[int, list[tuple[tuple[str, int], Any]]] = {}
    for path, curve, is_muted in zip(paths, curves, mute.tolist(), strict=True):
        if not is_muted and not (has_muted_groups and _is_muted(curve)):
            by_count.setdefault(len(curve.keyframe_points), []).append((path, curve))
    result: dict[tuple[str, int], AnyFloats] = {}
    for count, group in by_count.items():
        values = _sample_alike([curve for _, curve in group], count, times)
        for row, (path, curve) in enumerate(group):
            result[path] = sample_curve(curve, times) if values is None else values[row]
    return result


def _sample_alike(
    curves: Sequence[Any], count: int, times: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Return the values (c, n) of curves; None if their keys are at different frames, or not linear."""
    keys = np.empty((len(curves), 2 * count), np.float32)
    for curve, row in zip(curves, keys, strict=True):
        curve.keyframe_points.foreach_get("co", row)
    frames, values = keys[0, ::2].astype(np.float64), keys[:, 1::2]
    if not count or (keys[:, ::2] != frames).any() or (np.diff(frames) <= 0).any():
        return None
    if any(len(curve.modifiers) for curve in curves):
        return None
    after = np.searchsorted(frames, times - ON_KEY).clip(max=count - 1)
    before = np.maximum(after - 1, 0)
    is_key = np.abs(frames[after] - times) < ON_KEY
    if is_key.all():
        return values[:, after].astype(np.float64)
    kinds = np.empty((len(curves), count), np.uint8)
    for curve, kind in zip(curves, kinds, strict=True):
        curve.keyframe_points.foreach_get("interpolation", kind)
    is_held = (kinds == compat.CONSTANT).all() or count == 1
    if not (is_held or _are_linear(kinds)) or any(curve.extrapolation != "CONSTANT" for curve in curves):
        return None
    if is_held:
        return values[:, np.where(is_key | (times > frames[-1]), after, before)].astype(np.float64)
    length = np.where(after > before, frames[after] - frames[before], 1.0)
    fraction = np.where(is_key, 1.0, ((times - frames[before]) / length).clip(0.0, 1.0))
    return np.asarray(values[:, before] * (1 - fraction) + values[:, after] * fraction, np.float64)


def stretch_keys(action: Action, user: Object, factor: Fraction, start: float) -> None:
    """Move all keys of an action away from a frame, so that it takes a factor of its time."""
    channels = compat.find_channels(action, user)
    for curve in () if channels is None else channels.fcurves:
        for name in ("co", "handle_left", "handle_right"):
            points = np.empty((len(curve.keyframe_points), 2), np.float32)
            curve.keyframe_points.foreach_get(name, points.ravel())
            frames = (points[:, 0] - start) * factor.numerator / factor.denominator
            points[:, 0] = frames + start
            curve.keyframe_points.foreach_set(name, points.ravel())
        curve.update()
