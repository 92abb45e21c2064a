"""Curves of controls in actions: which are there, and how they are written and removed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from bpy.types import Action, Object

from ...core import compat
from ...subjects.animations.curves import ON_KEY
from .geometry import Floats
from .parts import RigLimb, bone_path

Rows = Mapping[tuple[str, int], Floats]  # values by data path and array index


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


def has_keys(action: Action, armature: Object, limb: RigLimb) -> bool:
    """Return whether an action has keys of the place of a limb's control."""
    channels = compat.find_channels(action, armature)
    path = f"{bone_path(limb.target)}.location"
    return channels is not None and channels.fcurves.find(path, index=0) is not None


def put_rows(
    action: Action, armature: Object, frames: Floats, rows: Rows, *, groups: Mapping[str, str]
) -> None:
    """Set linear keys at n frames; other keys of these curves stay.

    Args:
        action: an action of the armature.
        armature: the user of the action.
        frames: (n,), ascending.
        rows: (n,) values for each curve.
        groups: the name of the group for each data path of ``rows``.
    """
    channels = compat.find_channels(action, armature)
    if channels is None:
        channels = compat.make_channels(action, armature)
    known = {(curve.data_path, curve.array_index): curve for curve in channels.fcurves}
    made = {name: channels.groups.get(name) or channels.groups.new(name) for name in {*groups.values()}}
    maker = compat.CurveMaker()
    try:
        for (path, index), values in rows.items():
            keys = np.stack([np.asarray(frames, float), values], axis=1)
            old = known.get((path, index))
            if old is not None:
                keys = _merged(old, keys)
                channels.fcurves.remove(old)
            group = made[groups[path]]
            maker.make(channels, path, index, group, np.ascontiguousarray(keys, np.float32).ravel())
    finally:
        maker.close()


def _merged(curve: Any, keys: Floats) -> Floats:
    """Return the keys of a curve with new ones, which replace those at their frames."""
    old = np.empty((len(curve.keyframe_points), 2), np.float32)
    curve.keyframe_points.foreach_get("co", old.ravel())
    apart = np.abs(old[:, None, 0] - keys[None, :, 0]).min(axis=1, initial=np.inf) > ON_KEY
    found = np.concatenate([old[apart].astype(np.float64), keys])
    return found[np.argsort(found[:, 0], kind="stable")]


def set_switch(action: Action, armature: Object, limbs: Iterable[RigLimb], value: float, frame: float) -> None:
    """Replace the keys of limbs' switches by one."""
    limbs = list(limbs)
    for limb in limbs:
        curve = switch_curve(action, armature, limb)
        if curve is not None:
            compat.find_channels(action, armature).fcurves.remove(curve)
    rows = {(limb.switch, 0): np.array([value]) for limb in limbs}
    groups = {limb.switch: limb.target for limb in limbs}
    put_rows(action, armature, np.array([frame]), rows, groups=groups)
