"""Flyby cameras as the frames of a cutscene, in the games without flybys."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import cos, radians, sin

import numpy as np

from .....base.arrays.typing import Floats, Ints, Records
from .....base.bytes.records import CINEMATIC_FRAME
from .....base.games import LARA
from .....base.units import SECTOR_SIZE
from ...model.objects import Flyby, Moveable, Vector
from ...model.rooms import ProjectRoom
from ..plan.plan import Plan
from .placed import target_of_flyby

_STEPS = 6000  # of the path per camera
_LEAST_SPEED, _MOST_SPEED = 0.01, 100.0
_STEPS_PER_SPEED = 100.0
_FIELD_STEPS = 100  # of a degree of the field of view
_FULL_TURN = 65536 / 360
_MOST_FRAMES = 0xFFFF
_ROLL, _FIELD, _SPEED = range(3)


def cinematic_frames(plan: Plan) -> Records:
    """Return the frames of all flyby sequences, in the axes of Lara. Without her there are none."""
    lara = next(
        ((room, each) for room in plan.rooms for each in room.each(Moveable) if each.slot == LARA),
        None,
    )
    flybys = [(room, each) for room in plan.rooms for each in room.each(Flyby)]
    if lara is None:
        return np.zeros(0, CINEMATIC_FRAME)
    flybys.sort(key=lambda each: (each[1].sequence, each[1].index))
    frames: list[Records] = []
    for _, group in groupby(flybys, key=lambda each: each[1].sequence):
        frames += _frames(list(group), np.array(_in_world(lara[0], lara[1].position)), radians(lara[1].y))
        if sum(map(len, frames)) > _MOST_FRAMES:
            break
    return np.concatenate([np.zeros(0, CINEMATIC_FRAME), *frames])[:_MOST_FRAMES]


def _in_world(room: ProjectRoom, position: Sequence[float]) -> Vector:
    x, y, z = position
    return room.x * SECTOR_SIZE + x, room.y + y, room.z * SECTOR_SIZE + z


def _frames(group: Sequence[tuple[ProjectRoom, Flyby]], origin: Floats, turn: float) -> list[Records]:
    positions = np.array([_in_world(room, each.position) for room, each in group]) - origin
    targets = np.array([_in_world(room, target_of_flyby(each)) for room, each in group]) - origin
    values = np.array([(each.roll, each.field_of_view, each.speed) for _, each in group])
    count = len(group)
    size = _STEPS * count
    speeds = np.clip(path(values[:, _SPEED : _SPEED + 1], size)[:, 0], _LEAST_SPEED, _MOST_SPEED)
    steps, repeats = _steps(speeds * _STEPS_PER_SPEED, [each.timer for _, each in group])
    frames = np.zeros(len(steps), CINEMATIC_FRAME)
    for name, points in (("target", targets), ("position", positions)):
        x, y, z = path(points, size)[steps].T
        turned = x * cos(turn) - z * sin(turn), -y, x * sin(turn) + z * cos(turn)
        frames[name] = np.stack(turned, axis=1).astype(np.int64).astype(np.int16)
    camera = path(values, size)[steps]
    frames["fov"] = (camera[:, _FIELD] * _FIELD_STEPS).astype(np.int64).astype(np.int16)
    roll = np.rint(np.clip(camera[:, _ROLL] * _FULL_TURN, 0, 0xFFFF)).astype(np.int64)
    frames["roll"] = roll.astype(np.uint16).astype(np.int16)
    return [frames.repeat(repeats)]


def _steps(advances: Floats, timers: Sequence[int]) -> tuple[Ints, Ints]:
    """Return the steps of the path that are frames, and how often each is shown, by the timers."""
    steps: list[int] = []
    repeats: list[int] = []
    position, current = 0.0, 0
    while round(position) < len(advances) and len(steps) < _MOST_FRAMES:
        step = round(position)
        reached = min(step // _STEPS, len(timers) - 1)
        steps.append(step)
        repeats.append(1 + (max(timers[reached], 0) if reached > current else 0))
        current = max(reached, current)
        position += float(advances[step])
    return np.array(steps, np.int64), np.array(repeats, np.int64)


def path(points: Floats, size: int) -> Floats:
    """Return a natural cubic spline through points, (size + 1, k), with equally many steps between neighbors.

    The second derivative is 0 at both ends, and the last row is the last point, as in Tomb Editor.
    `points`: (n, k).
    """
    count = len(points)
    if count == 1:
        return points.repeat(size + 1, axis=0)
    slopes = _slopes(points)
    parameter = np.linspace(0, count - 1, size + 1)
    span = np.minimum(parameter.astype(np.int64), count - 2)
    fraction = (parameter - span)[:, None]
    step, first, last = np.diff(points, axis=0)[span], slopes[span], slopes[span + 1]
    curve = (3 * step - 2 * first - last) + (first + last - 2 * step) * fraction
    result: Floats = points[span] + (first + curve * fraction) * fraction
    return result


def _slopes(points: Floats) -> Floats:
    """Return the derivative of the spline at its points, (n, k)."""
    count = len(points)
    matrix = 4 * np.eye(count) + np.eye(count, k=1) + np.eye(count, k=-1)
    matrix[0, 0] = matrix[-1, -1] = 2
    following = np.minimum(np.arange(count) + 1, count - 1)
    before = np.maximum(np.arange(count) - 1, 0)
    return np.linalg.solve(matrix, 3 * (points[following] - points[before]))
