"""Animations that end between two keys.

Exporters that write keys unchanged would drop their ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Object

from ...core.blender import compat

_ON_KEY = 1e-3  # frames


@contextmanager
def keys_at_ends(armatures: Sequence[Object]) -> Iterator[None]:
    """Give actions on NLA tracks keys at their ends, in temporary copies with the same names."""
    made: list[tuple[Object, Any, Any]] = []
    try:
        for armature in armatures:
            for action in _played(armature):
                if _ends_between(action, armature):
                    made.append((armature, action, _with_key_at_end(action, armature)))
        yield
    finally:
        for armature, action, copy in made:
            name = copy.name
            _play(armature, copy, action)
            bpy.data.actions.remove(copy)
            action.name = name


def _strips(armature: Object) -> list[Any]:
    data = armature.animation_data
    return [] if data is None else [strip for track in data.nla_tracks for strip in track.strips]


def _played(armature: Object) -> list[Any]:
    found = (strip.action for strip in _strips(armature))
    return [each for each in dict.fromkeys(found) if each is not None]


def _play(armature: Object, action: Action, other: Action) -> None:
    """Replace an action of an armature and its NLA strips by another one."""
    for strip in _strips(armature):
        if strip.action == action:
            strip.action = other
            compat.assign_strip_slot(strip, armature)
    if armature.animation_data is not None and armature.animation_data.action == action:
        compat.assign_as(armature, other, armature)


def _ends_between(action: Action, user: Object) -> bool:
    """Return whether an action has keys after its end."""
    if not action.use_frame_range:
        return False
    channels = compat.find_channels(action, user)
    curves = () if channels is None else channels.fcurves
    return any(curve.range()[1] > action.frame_end + _ON_KEY for curve in curves)


def _with_key_at_end(action: Any, user: Object) -> Any:
    """Replace an armature's action by a copy of the same name with its last keys at its end."""
    name = action.name
    copy = action.copy()
    action.name = f"{name}~"
    copy.name = name
    end = float(action.frame_end)
    for curve in compat.find_channels(copy, user).fcurves:
        points = curve.keyframe_points
        value = curve.evaluate(end)
        keys = np.empty(2 * len(points), np.float32)
        points.foreach_get("co", keys)
        kept = keys.reshape(-1, 2)
        kept = np.concatenate([kept[kept[:, 0] < end - _ON_KEY], [(end, value)]]).astype(np.float32)
        points.clear()
        points.add(len(kept))
        points.foreach_set("interpolation", np.full(len(kept), compat.LINEAR, np.uint8))
        points.foreach_set("co", kept.ravel())
        curve.update()
    _play(user, action, copy)
    return copy
