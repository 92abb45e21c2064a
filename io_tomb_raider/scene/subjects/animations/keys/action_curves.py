"""Curves of actions with their keys, each read once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Action, FCurve, Object
from numpy.typing import NDArray

from .....formats.base import Floats, T
from ....core.blender import compat
from ....core.reporting.report import Report
from ....core.space import Space
from ...models.poses import from_axis_angle, from_euler
from .curves import (
    ON_KEY,
    ROTATIONS,
    BonePaths,
    CurveLayout,
    bone_path,
    curve_keys,
    rotation_channel,
    rotation_mode,
    sample_curve,
)
from .level_curves import ModelCurves

# Smaller differences mean the same key frame: the finest rotation of a game changes a quaternion by 8e-4.
_SAME_ROTATION = 5e-5
_SAME_UNITS = 0.25


class _Alike(NamedTuple):
    """c curves with the same number of keys."""

    numbers: NDArray[np.int64]  #: (c,)
    keys: NDArray[np.float32]  #: (c, k, 2), frames and values; set when they are read.


class ActionKeys:
    """The curves of an action and their keys, each read once: valid while the action does not change."""

    def __init__(self, action: Action, user: Object, bones: BonePaths | None = None) -> None:
        """Read which curves an action has.

        Args:
            action: an action.
            user: the object whose curves of the action count.
            bones: those of a model, whose curves are read faster if they are the first ones.
        """
        channels = compat.find_channels(action, user)
        self.action = action
        self.curves: list[Any] = [] if channels is None else list(channels.fcurves)
        count, groups = len(self.curves), [] if channels is None else channels.groups
        indices, mute = np.empty(count, np.int32), np.empty(count, bool)
        mute_groups = np.empty(len(groups), bool)
        if channels is not None:
            channels.fcurves.foreach_get("array_index", indices)
            channels.fcurves.foreach_get("mute", mute)
            groups.foreach_get("mute", mute_groups)
        has_muted_groups = bool(mute_groups.any())
        if has_muted_groups:
            mute |= [curve.group is not None and curve.group.mute for curve in self.curves]
        paths = [] if bones is None else bones.first_paths(self.curves, indices)
        paths += [curve.data_path for curve in self.curves[len(paths) :]]
        #: which curves they are.
        self.layout = CurveLayout(tuple(paths), (*indices.tolist(),), (*mute.tolist(),), has_muted_groups)

    def alike(self, numbers: Sequence[int]) -> NDArray[np.float32] | None:
        """Return the keys (c, k, 2) of some curves; None if they differ in number, or have modifiers."""
        counts = self.counts[numbers]
        if not counts.any() or (counts != counts[0]).any() or self._is_modified[numbers].any():
            return None
        self._read(numbers)
        return self._groups[int(counts[0])].keys[self._places[numbers]]

    def frames(self, numbers: Sequence[int]) -> NDArray[np.float64]:
        """Return the frames at which any of some curves has a key, each once, ascending."""
        if not numbers:
            return np.zeros(0)
        self._read(numbers)
        is_chosen = np.zeros(len(self.curves), bool)
        is_chosen[numbers] = True
        result = [np.zeros(0, np.float32)]
        for group in self._groups.values():
            rows = group.keys[is_chosen[group.numbers], :, 0]
            result.append((rows[:1] if (rows == rows[:1]).all() else rows).ravel())
        return np.unique(np.concatenate(result)).astype(np.float64)

    def interpolation(self, numbers: Sequence[int]) -> NDArray[np.uint8]:
        """Return how c curves with k keys each go on after these, (c, k)."""
        kinds = np.empty((len(numbers), max(self.counts[[*numbers]], default=0)), np.uint8)
        for number, row in zip(numbers, kinds, strict=True):
            self._points[number].foreach_get("interpolation", row)
        return kinds

    def sample(self, times: NDArray[np.float64]) -> Floats:
        """Return the values of all c curves at n times, (c, n)."""
        self.read_all()
        result = np.empty((len(self.curves), len(times)))
        for numbers, keys in self._groups.values():
            values = None if self._is_modified[numbers].any() else self._between(numbers, keys, times)
            if values is None:
                values = np.array([sample_curve(self.curves[number], times) for number in numbers.tolist()])
            result[numbers] = values
        return result

    def _between(
        self, numbers: NDArray[np.int64], keys: NDArray[np.float32], times: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return the values (c, n) of curves; None if their keys are at different frames, or not linear."""
        frames = _frames_of(keys)
        if frames is None:
            return None
        values, count = keys[..., 1], len(frames)
        after = np.searchsorted(frames, times - ON_KEY).clip(max=count - 1)
        before = np.maximum(after - 1, 0)
        is_key = np.abs(frames[after] - times) < ON_KEY
        if is_key.all():
            return values[:, after].astype(np.float64)
        chosen = numbers.tolist()
        if any(self.curves[number].extrapolation != "CONSTANT" for number in chosen):
            return None
        kinds = self.interpolation(chosen if count > 1 else ())
        is_held = (kinds == compat.CONSTANT).all()
        if not (is_held or _are_linear(kinds)):
            return None
        if is_held:
            return values[:, np.where(is_key | (times > frames[-1]), after, before)].astype(np.float64)
        length = np.where(after > before, frames[after] - frames[before], 1.0)
        fraction = np.where(is_key, 1.0, ((times - frames[before]) / length).clip(0.0, 1.0))
        return np.asarray(values[:, before] * (1 - fraction) + values[:, after] * fraction, np.float64)

    @cached_property
    def _points(self) -> list[Any]:
        return [curve.keyframe_points for curve in self.curves]

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of keys of each curve."""
        return np.array([len(points) for points in self._points], np.int64)

    @cached_property
    def _is_modified(self) -> NDArray[np.bool_]:
        """Whether each curve has modifiers."""
        return np.array([len(curve.modifiers) for curve in self.curves], bool)

    @cached_property
    def _groups(self) -> dict[int, _Alike]:
        """The curves by the number of their keys."""
        self._places = np.empty(len(self.curves), np.int64)
        self._unread: dict[int, Any] = {}
        result = {}
        for count in {*self.counts.tolist()}:
            numbers = np.flatnonzero(self.counts == count)
            self._places[numbers] = np.arange(len(numbers))
            rows = np.empty((len(numbers), 2 * count), np.float32)
            result[count] = _Alike(numbers, rows.reshape(len(numbers), count, 2))
            self._unread.update(zip(numbers.tolist(), rows, strict=True))
        return result

    def _read(self, numbers: Iterable[int]) -> None:
        """Read the keys of curves. Blender does so curve by curve only."""
        if self._groups and self._unread:
            for number in numbers:
                row = self._unread.pop(number, None)
                if row is not None:
                    self._points[number].foreach_get("co", row)

    def read_all(self) -> None:
        """Read the keys of all curves."""
        if self._groups:
            points = self._points
            for number, row in self._unread.items():
                points[number].foreach_get("co", row)
            self._unread.clear()


class ActionCurves:
    """Curves of an action for the bones of an armature."""

    is_evaluated = False  #: whether constraints and drivers pose limbs as a whole.

    def __init__(
        self, action: Action, armature: Object, bones: BonePaths, keys: ActionKeys | None = None
    ) -> None:
        """Read an action; ``keys`` are its curves, if known."""
        self._armature, self._bones, self._names = armature, bones, bones.names
        self.keys = ActionKeys(action, armature, bones) if keys is None else keys
        self._split = bones.split(self.keys.layout)
        #: the keys of all curves, as in :class:`ModelCurves`, if the action has exactly the curves of an
        #: import, with keys at the same frames; else None.
        self.rows: NDArray[np.float32] | None = self._read_rows()

    def _read_rows(self) -> NDArray[np.float32] | None:
        if not self._split.own:
            return np.empty((0, 0), np.float32)
        keys = self.keys.alike(self._split.own) if self._split.is_expected else None
        return None if keys is None or _frames_of(keys) is None else keys.reshape(len(keys), -1)

    @cached_property
    def _curves(self) -> dict[str, dict[int, FCurve]]:
        result: dict[str, dict[int, FCurve]] = {}
        for number, curve in enumerate(self.keys.curves):
            if not self.keys.layout.is_muted[number]:
                result.setdefault(self.keys.layout.paths[number], {})[curve.array_index] = curve
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
        if self.rows is not None:
            return self.rows.shape[1] <= 2 or _are_linear(self.keys.interpolation(self._split.own))
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
        muted = sum(self.keys.layout.is_muted)
        if muted:
            text = T("{muted} of its channels are muted, so their keys are ignored", muted=muted)
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


def _is_straight(curve: FCurve) -> bool:
    """Return whether a curve is linear between its keys."""
    kinds = np.empty(len(curve.keyframe_points), np.uint8)
    curve.keyframe_points.foreach_get("interpolation", kinds)
    return _are_linear(kinds)


def _are_linear(kinds: NDArray[np.uint8]) -> bool:
    """Return whether curves, with keys on the last axis, are linear between their keys."""
    return bool((kinds[..., :-1] == compat.LINEAR).all())  # no key follows the last one


def _frames_of(keys: NDArray[np.float32]) -> NDArray[np.float64] | None:
    """Return the frames of the keys (c, k, 2) of curves; None if they differ or do not ascend."""
    frames: NDArray[np.float32] = keys[0, :, 0]
    if not len(frames) or (keys[..., 0] != frames).any() or (frames[1:] <= frames[:-1]).any():
        return None
    return frames.astype(np.float64)


def unchanged_actions(
    actions: Mapping[int, Action],
    armature: Object,
    bones: BonePaths,
    expected: ModelCurves,
    space: Space,
    known: Mapping[Action, ActionKeys],
) -> set[int]:
    """Return the numbers of the actions with exactly the expected curves and keys; in most levels nearly all.

    Actions have the numbers of their animations in ``expected``. The interpolation between key frames is
    ignored where there are no frames between them. ``known`` has curves that have been read before.
    """
    keys = np.zeros_like(expected.rows)
    read = set()
    for number, action in actions.items():
        rows = expected.part(keys, number)
        curves = _expected_curves(action, armature, bones, known, has_keys=rows.shape[1] > 0)
        if curves is not None and _read_expected(action, curves, bones, rows):
            read.add(number)
    for number in {*range(len(expected.begins) - 1)} - read:
        expected.part(keys, number)[:] = expected.of(number)
    if np.array_equal(keys, expected.rows):  # of most models, all at once
        return read
    return {each for each in read if _are_same_keys(expected.part(keys, each), expected.of(each), space)}


def _expected_curves(
    action: Action, armature: Object, bones: BonePaths, known: Mapping[Action, ActionKeys], *, has_keys: bool
) -> Iterable[Any] | None:
    """Return the curves of a model's bones in an action, None if they are not those of an import.

    An animation without keys has no curves.
    """
    channels = compat.find_channels(action, armature)
    if has_keys and channels is not None and len(channels.fcurves) == len(bones.leading):
        return channels.fcurves if _are_in_order(channels, bones) else None
    keys = known.get(action) or ActionKeys(action, armature, bones)
    split = bones.split(keys.layout)
    if not (split.is_expected if has_keys else not split.own):
        return None
    return [keys.curves[number] for number in split.own]


def _read_expected(
    action: Action, curves: Iterable[Any], bones: BonePaths, rows: NDArray[np.float32]
) -> bool:
    """Read keys of the curves of an import into ``rows``.

    Return False if the numbers of keys are unexpected, or if curves bend between keys.
    """
    count = rows.shape[1] // 2
    if not count:
        return True
    runs_between = count > 1 and action.tomb_raider.frame_rate != 1
    kinds = np.empty((len(rows), count), np.uint8) if runs_between else None
    # Blender reads keys curve by curve only; all checks for all curves at once are done before.
    for number, (row, path, curve) in enumerate(zip(rows, bones.leading, curves, strict=True)):
        points = curve.keyframe_points
        if len(points) != count or len(curve.modifiers) or (path and curve.data_path not in path):
            return False
        points.foreach_get("co", row)
        if kinds is not None:
            points.foreach_get("interpolation", kinds[number])
    return kinds is None or _are_linear(kinds)


def _are_in_order(channels: Any, bones: BonePaths) -> bool:
    """Return whether curves have the indices of an import, and nothing is muted."""
    curves, groups = channels.fcurves, channels.groups
    mute, indices = np.empty(len(curves), bool), np.empty(len(curves), np.int32)
    curves.foreach_get("mute", mute)
    curves.foreach_get("array_index", indices)
    mute_groups = np.empty(len(groups), bool)
    groups.foreach_get("mute", mute_groups)
    return not mute.any() and not mute_groups.any() and np.array_equal(indices, bones.indices)


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
