"""Curves of a model's animations: their data paths, and their values.

The curves of an action have this order: location x, y, z of the first bone, then rotation w, x, y, z of each
bone. A row of keys is frame, value, frame, value, … as Blender stores it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Action, FCurve, Object
from numpy.typing import NDArray

from .....formats.base import AnyFloats
from ....core.blender import compat

ON_KEY = 1e-3  # frames


def curve_paths(names: Sequence[str]) -> list[tuple[str, int]]:
    """Return data paths and array indices of the curves for bones of these names."""
    roots = [bone_path(name) for name in names]
    paths = [(f"{root}.location", axis) for root in roots[:1] for axis in range(3)]
    return paths + [(f"{root}.rotation_quaternion", part) for root in roots for part in range(4)]


class CurveLayout(NamedTuple):
    """Which curves an action has: most actions of a model have the same."""

    paths: tuple[str, ...]  #: their data paths.
    indices: tuple[int, ...]  #: their array indices.
    is_muted: tuple[bool, ...]  #: whether they or their groups are muted.
    has_muted_groups: bool


class CurveSplit(NamedTuple):
    """The numbers of an action's curves by what they animate."""

    own: list[int]  #: of the model's own bones and of its object, also muted ones.
    is_expected: bool  #: whether those are the curves of an import, in their order, and not muted.
    #: by data path, unmuted ones of anything else: bones of control rigs, custom properties, and settings of
    #: constraints.
    others: dict[str, list[int]]
    controls: list[int]  #: those of them that pose bones.
    switches: list[int]  #: those that do not.


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
    _splits: dict[CurveLayout, CurveSplit] = field(default_factory=dict)

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

    def split(self, layout: CurveLayout) -> CurveSplit:
        """Return which curves pose the model by themselves, and which do not."""
        if layout not in self._splits:
            own = [number for number, path in enumerate(layout.paths) if self.is_own(path)]
            is_expected = (
                [layout.indices[number] for number in own] == self.indices.tolist()
                and not any(layout.is_muted[number] for number in own)
                and not layout.has_muted_groups
                and all(
                    not paths or layout.paths[number] in paths
                    for number, paths in zip(own, self.leading, strict=True)
                )
            )
            others: dict[str, list[int]] = {}
            for number, path in enumerate(layout.paths):
                if not layout.is_muted[number] and not self.is_own(path):
                    others.setdefault(path, []).append(number)
            parts: tuple[list[int], list[int]] = [], []
            for path, numbers in others.items():
                parts[moved_bone(path) is None].extend(numbers)
            self._splits[layout] = CurveSplit(own, is_expected, others, *parts)
        return self._splits[layout]

    @cached_property
    def _firsts(self) -> list[tuple[int, tuple[str, ...], int]]:
        """The first curve of each channel, its possible paths, and the number of the channel's curves."""
        firsts = [index for index, paths in enumerate(self.leading) if paths]
        ends = [*firsts[1:], len(self.leading)]
        return [(index, self.leading[index], end - index) for index, end in zip(firsts, ends, strict=True)]

    def first_paths(self, curves: Sequence[Any], indices: NDArray[np.int32]) -> list[str]:
        """Return the data paths of an action's first curves if these are the curves of an import, else []."""
        result: list[str] = []
        if np.array_equal(indices[: len(self.leading)], self.indices):
            for index, paths, count in self._firsts:
                if (path := curves[index].data_path) not in paths:
                    return []
                result += [path] * count
        return result


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


# Kinds of rotation with their values at rest.
ROTATIONS: dict[str, tuple[float, ...]] = {
    "rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "rotation_euler": (0.0, 0.0, 0.0),
    "rotation_axis_angle": (0.0, 0.0, 1.0, 0.0),
}


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
