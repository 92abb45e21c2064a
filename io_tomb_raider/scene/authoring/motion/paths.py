"""Paths of models, as games move them: speeds of animations, and offsets of key frames.

At each tick games add the whole units of speed + acceleration * frame forward. Key frames hold the place of
the first bone relative to that.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import numpy as np
from bpy.types import Action, Object

from ....formats import ExportError
from ....formats.base import Floats
from ...core.blender import compat
from ...core.membership import level_of
from ...core.space import DEFAULT_SCALE, Space
from ...subjects.animations.keys.curves import sample_curve
from ...subjects.animations.keys.ranges import first_frame
from ...subjects.models.bones import is_actor

_FIXED = 65536  # speeds are 16.16 fixed point numbers


class PathKind(StrEnum):
    """Where a motion's path forward goes."""

    AUTO = "AUTO"
    SPEED = "SPEED"
    ACCELERATION = "ACCELERATION"
    OFFSETS = "OFFSETS"


class Speeds(NamedTuple):
    """The speed of an animation."""

    speed: float  #: units per tick as it begins.
    acceleration: float  #: units per tick, and tick.


class PathSpeeds(NamedTuple):
    """The speeds of an animation forward, and to the right."""

    forward: Speeds
    lateral: Speeds

    def scaled(self, size: float) -> PathSpeeds:
        """Return the speeds of a model of another size, as 16.16 numbers."""
        if size == 1.0:
            return self
        return PathSpeeds(
            *(Speeds(*(round(part * size * _FIXED) / _FIXED for part in each)) for each in self)
        )


STILL = Speeds(0.0, 0.0)
NO_SPEEDS = PathSpeeds(STILL, STILL)


def fit_speeds(forward: Floats, path: PathKind) -> Speeds:
    """Return the speed that follows a path best.

    Args:
        forward: (n,), places forward in units, tick by tick.
        path: the kind; with :attr:`PathKind.SPEED` whole units per tick from end to end.
    """
    ticks = len(forward) - 1
    if path is PathKind.OFFSETS or ticks < 1:
        return STILL
    moved = forward - forward[0]
    if path is PathKind.SPEED:
        return Speeds(float(np.rint(moved[-1] / ticks)) + 0.0, 0.0)  # not -0.0
    frames = np.arange(1, ticks + 1)
    columns = np.stack([frames, frames * (frames + 1) / 2], axis=1).astype(float)
    if ticks < 2:
        columns = columns[:, :1]
    found = np.linalg.lstsq(columns, moved[1:], rcond=None)[0]
    rounded = np.rint(found * _FIXED) / _FIXED + 0.0
    return Speeds(float(rounded[0]), float(rounded[1]) if len(rounded) > 1 else 0.0)


def covered(speeds: Speeds, count: int) -> Floats:
    """Return how far a game has moved a model forward at each of some ticks, (count,), in units."""
    frames = np.arange(count)
    steps = np.floor(speeds.speed + speeds.acceleration * frames)
    steps[:1] = 0.0
    return np.asarray(np.cumsum(steps), float)


def speeds_of(action: Action) -> Speeds:
    """Return the speed forward of an animation."""
    settings = action.tomb_raider
    return Speeds(float(settings.speed), float(settings.acceleration))


def ways_of(action: Action) -> PathSpeeds:
    """Return the speeds of an animation."""
    settings = action.tomb_raider
    lateral = Speeds(float(settings.lateral_speed), float(settings.lateral_acceleration))
    return PathSpeeds(speeds_of(action), lateral)


def ground_covered(action: Action, model: Object, count: int) -> Floats:
    """Return how far an animation has moved its model at each of some ticks, (count, 3), in the scene.

    An actor of a cutscene is moved by its bones, and by keys of the object's location.
    """
    result = np.zeros((count, 3))
    if is_actor(model):
        channels = compat.find_channels(action, model)
        times = first_frame(action) + np.arange(count, dtype=float)
        for axis in range(3):
            curve = None if channels is None else channels.fcurves.find("location", index=axis)
            if curve is not None:
                places = sample_curve(curve, times)
                result[:, axis] = places - places[0]
        return np.asarray(result @ np.array(model.matrix_basis.to_3x3().normalized()), float)
    ways, scale = ways_of(action), scale_of(model)
    result[:, 0] = covered(ways.lateral, count) * scale
    result[:, 1] = covered(ways.forward, count) * scale
    return result


def scale_of(model: Object) -> float:
    """Return the Blender units per unit of the game, of the level that a model belongs to."""
    try:
        level = level_of(model)
    except ExportError:
        level = None
    return float(DEFAULT_SCALE) if level is None else float(Space.of(level).scale)
