"""Keys of new motions: as few as games need, stored in an action of a model."""

from __future__ import annotations

from typing import Any

import numpy as np
from bpy.types import Action, Object
from numpy.typing import NDArray

from ....formats.base import Floats
from ...core.blender.compat import LONGEST_NAME
from ...core.order import ordered
from ...subjects.animations.keys.build import build_actions, set_curves
from ...subjects.animations.keys.key_poses import KeyPoses, RestPose, continuous
from ...subjects.animations.keys.level_curves import ModelCurves
from ...subjects.animations.keys.ranges import set_range
from ..control_rig.match import switch_off
from ..control_rig.parts import has_rig, rig_limbs
from ..control_rig.seen import write_poses
from .paths import STILL, Speeds

EXACT_TURN = 1e-3  # parts of quaternions
EXACT_PLACE = 1e-3  # Blender units
_SAME_AT_END = 2e-2  # after the last key but one, whose segment is cut at the end
_MOST_RATE = 30


def thinned(
    turns: Floats, places: Floats, before: int, same_turn: float = EXACT_TURN, same_place: float = EXACT_PLACE
) -> tuple[int, NDArray[Any], NDArray[Any]]:
    """Return the fewest keys at equal distances whose interpolation gives the poses at every frame.

    The last key may be after the last frame, by extrapolation.

    Args:
        turns: (n, m, 4) quaternions at n frames, with continuous signs.
        places: (n, 3).
        before: the preferred number of frames per key, even if fewer keys would do, 0 for none.
        same_turn: the largest difference of a part of a quaternion.
        same_place: the largest difference of places.

    Returns:
        Frames per key, and the rotations and places of the keys.
    """
    last = len(turns) - 1
    rates = [*([before] if before > 0 else []), *range(min(_MOST_RATE, last), 1, -1)]
    for rate in rates:
        keys, there = at_rate(turns, places, rate)
        at = np.arange(last + 1)
        low, part = at // rate, (at % rate) / rate
        high = np.minimum(low + 1, len(keys) - 1)
        straight = keys[low] + (keys[high] - keys[low]) * part[:, None, None]
        straight /= np.maximum(np.linalg.norm(straight, axis=-1, keepdims=True), 1e-12)
        place = there[low] + (there[high] - there[low]) * part[:, None]
        limits = np.where(at > last - last % rate, max(_SAME_AT_END, same_turn), same_turn)
        off = np.abs(straight - turns).max(axis=(1, 2))
        if (off < limits).all() and np.abs(place - places).max() < same_place:
            return rate, keys, there
    return 1, turns, places


def at_rate(turns: Floats, places: Floats, rate: int) -> tuple[Floats, Floats]:
    """Return keys at every ``rate`` frames, the last one extrapolated beyond the end.

    Quaternions interpolated by t between a and b are shorter than 1. Their length follows from the length 1
    of b.
    """
    keys, there, last = turns[::rate], places[::rate], len(turns) - 1
    rest = last % rate
    if not rest:
        return keys, there
    t, a, e = rest / rate, keys[-1], turns[last]
    c = (1 - t) * (a * e).sum(axis=-1, keepdims=True)
    length = c + np.sqrt(np.maximum(c**2 - (1 - t) ** 2 + t**2, 0))
    b = (length * e - (1 - t) * a) / t
    b /= np.maximum(np.linalg.norm(b, axis=-1, keepdims=True), 1e-12)
    end = there[-1] + (places[last] - there[-1]) * (rate / rest)
    return np.concatenate([keys, b[None]]), np.concatenate([there, end[None]])


class Tolerance:
    """How far keys may be from a motion, by the angle of bones and the place of the first one."""

    def __init__(self, degrees: float, units: float) -> None:
        self.turn = float(np.sin(np.radians(degrees) / 2))
        self.units = units


LOOSE = Tolerance(1.0, 4.0)  # of recordings, as the games' own animations are
TIGHT = Tolerance(0.1, 0.5)  # where feet stay on the floor


def store_poses(
    action: Action, model: Object, poses: KeyPoses, rate: int, tolerance: Tolerance, scale: float
) -> None:
    """Replace the keys of an animation, from frame 0 on, and set its frame rate and length.

    Args:
        action: an animation of the model.
        model: the model's armature.
        poses: the poses at the frames 0, 1, 2, …
        rate: ticks per key, 0 for as few keys as the tolerance allows.
        tolerance: how far keys may be from the poses, if there is no rate.
        scale: Blender units per unit of the game.
    """
    turns = continuous(poses.turns)
    if rate > 0:
        keys, places = at_rate(turns, poses.places, rate)
    else:
        rate, keys, places = thinned(turns, poses.places, 0, tolerance.turn, tolerance.units * scale)
    rest = RestPose.of(model)
    kept = KeyPoses(np.arange(len(keys), dtype=float) * rate, keys, places)
    write_poses(action, model, kept, rest)
    action.tomb_raider.frame_rate = rate
    set_range(action, 0, len(turns) - 1)


def store_exactly(
    action: Action, model: Object, poses: KeyPoses, rest: RestPose, names: list[str], before: int
) -> None:
    """Replace all curves of an animation by the fewest keys that give the same poses at every frame.

    Args:
        action: an animation of the model.
        model: the model's armature.
        poses: the poses at the frames 0, 1, 2, …
        rest: the model's rest pose.
        names: the names of its bones, in the order of the curves.
        before: the preferred number of ticks per key, 0 for none.
    """
    rate, keys, places = thinned(continuous(poses.turns), poses.places, before)
    kept = KeyPoses(np.arange(len(keys), dtype=float) * rate, keys, places)
    set_curves(action, model, names, rows_of(kept, rest, names))
    _use_own_keys(action, model)
    action.tomb_raider.frame_rate = rate
    set_range(action, 0, len(poses.frames) - 1)


def new_action(name: str, model: Object) -> Action:
    """Add an animation with one key to a model, in its rest pose."""
    rest, names = RestPose.of(model), _names(model)
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (1, len(names), 1))
    rows = rows_of(KeyPoses(np.zeros(1), turns, np.zeros((1, 3))), rest, names)
    (action,) = build_actions([name[:LONGEST_NAME]], model, names, ModelCurves(rows, np.array((0, 1))))
    set_range(action, 0, 0)
    add_animation(action, model)
    return action


def add_animation(action: Action, model: Object) -> None:
    """Keep an action as an animation of a model: it is in its list, and saved with it."""
    action.tomb_raider.model = model
    _use_own_keys(action, model)
    kept: Any = model.tomb_raider.model.animations
    kept.add().action = action


def _use_own_keys(action: Action, model: Object) -> None:
    """Switch a rig off in an action without keys of it, or its controls would pose what they last did."""
    if has_rig(model):
        switch_off(model, [action], rig_limbs(model))


def set_speeds(action: Action, speeds: Speeds, lateral: Speeds = STILL) -> None:
    """Set the speeds of an animation."""
    settings = action.tomb_raider
    settings.speed, settings.acceleration = speeds
    settings.lateral_speed, settings.lateral_acceleration = lateral


def rows_of(poses: KeyPoses, rest: RestPose, names: list[str]) -> NDArray[np.float32]:
    """Return the rows of curves of bones in another order; see :class:`ModelCurves`."""
    order = [rest.number(name) for name in names]
    rows = np.empty((3 + 4 * len(names), len(poses.frames), 2), np.float32)
    rows[..., 0] = poses.frames
    rows[:3, :, 1] = poses.places.T
    rows[3:, :, 1] = poses.turns[:, order].reshape(len(poses.frames), -1).T
    return rows.reshape(len(rows), -1)


def _names(model: Object) -> list[str]:
    return [bone.name for bone, _ in ordered(model.data.bones)]
