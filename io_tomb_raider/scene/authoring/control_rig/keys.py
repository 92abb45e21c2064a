"""Curves of controls in actions: search, keys, removal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import Action, Object

from ....formats.base import Floats
from ...core.blender import compat
from ...subjects.animations.keys.curves import ON_KEY, bone_path
from .parts import RigLimb, property_path


@dataclass(frozen=True, eq=False)
class KeySet:
    """Keys of a control."""

    bone: str  #: the name of the control, which is the name of its group of curves.
    frames: Floats  #: (n,), ascending.
    rows: Mapping[tuple[str, int], Floats]  #: (n,) values by data path and array index.


def control_curves(action: Action, armature: Object, limbs: Iterable[RigLimb]) -> list[Any]:
    """Return the curves of an action that move the controls of limbs, or switch them."""
    channels = compat.find_channels(action, armature)
    roots = tuple(bone_path(name) for limb in limbs for name in limb.controls())
    if channels is None or not roots:
        return []
    return [curve for curve in channels.fcurves if curve.data_path.startswith(roots)]


def remove_control_curves(action: Action, armature: Object, limbs: Iterable[RigLimb]) -> bool:
    """Remove the curves of limbs' controls, and groups without curves; return whether there were any."""
    found = control_curves(action, armature, limbs)
    channels = compat.find_channels(action, armature)
    groups = {curve.group.name for curve in found if curve.group is not None}
    for curve in found:
        channels.fcurves.remove(curve)
    for name in groups if channels is not None else ():
        group = channels.groups.get(name)
        if group is not None and not len(group.channels):
            channels.groups.remove(group)
    return bool(found)


def is_switched_on(action: Action, armature: Object, limb: RigLimb) -> bool:
    """Return whether an action poses a limb by its control anywhere."""
    curve = switch_curve(action, armature, limb)
    return curve is not None and any(point.co.y > 0 for point in curve.keyframe_points)


def switch_curve(action: Action, armature: Object, limb: RigLimb) -> Any | None:
    """Return the curve that switches a limb, or None."""
    channels = compat.find_channels(action, armature)
    return None if channels is None else channels.fcurves.find(limb.switch)


def selected_keys(action: Action, armature: Object, control: str) -> list[float]:
    """Return the frames of the selected keys of a control, ascending, each once; none where all are."""
    channels = compat.find_channels(action, armature)
    root = f"{bone_path(control)}."
    curves = channels.fcurves if channels is not None else ()
    points = [
        point for curve in curves if curve.data_path.startswith(root) for point in curve.keyframe_points
    ]
    selected = {point.co.x for point in points if point.select_control_point}
    return sorted(selected) if selected != {point.co.x for point in points} else []


def remove_curves(action: Action, armature: Object, *paths: str) -> None:
    """Remove the curves of properties."""
    channels = compat.find_channels(action, armature)
    for curve in (
        [each for each in channels.fcurves if each.data_path in paths] if channels is not None else ()
    ):
        channels.fcurves.remove(curve)


def make_constant(action: Action, armature: Object, path: str) -> None:
    """Have the curve of a property jump from key to key."""
    curve = compat.find_channels(action, armature).fcurves.find(path, index=0)
    curve.keyframe_points.foreach_set(
        "interpolation", np.full(len(curve.keyframe_points), compat.CONSTANT, np.uint8)
    )
    curve.update()


def rest_property(
    actions: Iterable[Action], armature: Object, limb: RigLimb, control: str, name: str
) -> None:
    """Key a custom property of a control as 0 in actions that pose the limb by it and have no keys of it.

    Blender keeps the last value of a property that an action has no keys of.
    """
    path = property_path(control, name)
    with KeyWriter(armature) as writer:
        for action in actions:
            channels = compat.find_channels(action, armature)
            if has_keys(action, armature, limb) and channels.fcurves.find(path, index=0) is None:
                writer.put(action, [KeySet(control, np.zeros(1), {(path, 0): np.zeros(1)})])


def has_keys(action: Action, armature: Object, limb: RigLimb) -> bool:
    """Return whether an action has keys of the place of a limb's control, or of its turn in the trunk."""
    channels = compat.find_channels(action, armature)
    kinds = ["rotation_quaternion"] if limb.is_trunk else []
    kinds += [] if limb.is_trunk and not limb.is_body else ["location"]
    paths = (f"{bone_path(limb.target)}.{kind}" for kind in kinds)
    return channels is not None and any(channels.fcurves.find(path, index=0) for path in paths)


class KeyWriter:
    """Writes keys of controls to actions of an armature; as a context manager, since it holds templates."""

    def __init__(self, armature: Object) -> None:
        self._armature = armature
        self._maker = compat.CurveMaker()

    def __enter__(self) -> KeyWriter:
        return self

    def __exit__(self, *_error: object) -> None:
        self._maker.close()

    def put(self, action: Action, sets: Iterable[KeySet]) -> None:
        """Set linear keys; keys of these curves at other frames stay."""
        channels = compat.find_channels(action, self._armature)
        if channels is None:
            channels = compat.make_channels(action, self._armature)
        sets = list(sets)
        bones = {each.bone for each in sets}
        roots = tuple(bone_path(name) for name in bones)
        known = {
            (path, curve.array_index): curve
            for curve in channels.fcurves
            if (path := curve.data_path).startswith(roots)
        }
        groups = {name: channels.groups.get(name) or channels.groups.new(name) for name in bones}
        for each in sets:
            rows = np.empty((len(each.rows), len(each.frames), 2))
            rows[..., 0] = each.frames
            for ((path, index), values), keys in zip(each.rows.items(), rows, strict=True):
                keys[:, 1] = values
                old = known.get((path, index))
                if old is not None:
                    keys = _merged(old, keys)
                    channels.fcurves.remove(old)
                row = np.ascontiguousarray(keys, np.float32).ravel()
                self._maker.make(channels, path, index, groups[each.bone], row)

    def switch(self, action: Action, limbs: Iterable[RigLimb], value: float, frame: float) -> None:
        """Replace the keys of limbs' switches by one."""
        limbs = list(limbs)
        remove_curves(action, self._armature, *(limb.switch for limb in limbs))
        self.put(action, (switch_keys(limb, value, frame) for limb in limbs))


def switch_keys(limb: RigLimb, value: float, frame: float) -> KeySet:
    """Return one key of a limb's switch."""
    return KeySet(limb.target, np.array([frame]), {(limb.switch, 0): np.array([value])})


def _merged(curve: Any, keys: Floats) -> Floats:
    """Return the keys of a curve with new ones, which replace those at their frames."""
    old = np.empty((len(curve.keyframe_points), 2), np.float32)
    curve.keyframe_points.foreach_get("co", old.ravel())
    apart = np.abs(old[:, None, 0] - keys[None, :, 0]).min(axis=1, initial=np.inf) > ON_KEY
    found = np.concatenate([old[apart].astype(np.float64), keys])
    return found[np.argsort(found[:, 0], kind="stable")]
