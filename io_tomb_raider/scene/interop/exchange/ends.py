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
from numpy.typing import NDArray

from ...core import compat

_ON_KEY = 1e-3  # frames
_SAME_TURN = 1e-3  # parts of quaternions
_SAME_AT_END = 2e-2  # after the last key but one, whose segment is cut at the end
_SAME_PLACE = 1e-3  # Blender units
_MOST_RATE = 30


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


# --- Import ----------------------------------------


def thinned(
    turns: NDArray[np.float64], places: NDArray[np.float64], before: int
) -> tuple[int, NDArray[Any], NDArray[Any]]:
    """Return the fewest keys at equal distances whose interpolation gives the poses at every frame.

    The last key may be after the last frame, by extrapolation.

    Args:
        turns: (n, m, 4) quaternions at n frames, with continuous signs.
        places: (n, 3).
        before: the preferred number of frames per key, even if fewer keys would do, 0 for none.

    Returns:
        Frames per key, and the rotations and places of the keys.
    """
    last = len(turns) - 1
    rates = [*([before] if before > 0 else []), *range(min(_MOST_RATE, last), 1, -1)]
    for rate in rates:
        keys, there = _beyond(turns, rate), _beyond_places(places, rate)
        at = np.arange(last + 1)
        low, part = at // rate, (at % rate) / rate
        high = np.minimum(low + 1, len(keys) - 1)
        straight = keys[low] + (keys[high] - keys[low]) * part[:, None, None]
        straight /= np.maximum(np.linalg.norm(straight, axis=-1, keepdims=True), 1e-12)
        place = there[low] + (there[high] - there[low]) * part[:, None]
        limits = np.where(at > last - last % rate, _SAME_AT_END, _SAME_TURN)
        off = np.abs(straight - turns).max(axis=(1, 2))
        if (off < limits).all() and np.abs(place - places).max() < _SAME_PLACE:
            return rate, keys, there
    return 1, turns, places


def _beyond(turns: NDArray[np.float64], rate: int) -> NDArray[np.float64]:
    """Return the rotations at every ``rate`` frames; the last one is extrapolated beyond the end.

    Quaternions interpolated by t between a and b are shorter than 1. Their length follows from the length 1
    of b.
    """
    keys = turns[::rate]
    last = len(turns) - 1
    rest = last % rate
    if not rest:
        return keys
    t, a, e = rest / rate, keys[-1], turns[last]
    c = (1 - t) * (a * e).sum(axis=-1, keepdims=True)
    length = c + np.sqrt(np.maximum(c**2 - (1 - t) ** 2 + t**2, 0))
    b = (length * e - (1 - t) * a) / t
    b /= np.maximum(np.linalg.norm(b, axis=-1, keepdims=True), 1e-12)
    return np.concatenate([keys, b[None]])


def _beyond_places(places: NDArray[np.float64], rate: int) -> NDArray[np.float64]:
    keys, last = places[::rate], len(places) - 1
    rest = last % rate
    if not rest:
        return keys
    return np.concatenate([keys, [keys[-1] + (places[last] - keys[-1]) * (rate / rest)]])
