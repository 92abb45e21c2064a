"""Loops in motions: the ticks between which a motion repeats, cut out and closed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from bpy.types import Action, Object

from ....formats import ExportError
from ....formats.base import Floats, T
from ....formats.levels.animations import matrices_from_quaternions
from ...subjects.animations.changes.transitions import set_next
from ...subjects.animations.keys.geometry import quaternions
from ...subjects.animations.keys.key_poses import slerp
from ...subjects.models.poses import CONJUGATE, multiply
from .keys import LOOSE, set_speeds
from .paths import PathKind, covered, fit_speeds
from .skeletons import yaw
from .soles import height_of_standing
from .ticks import Ticks

_NEAR_FLOOR = 32.0  # units
_OF_SPEEDS = 2.0  # weight of the joints' speeds against their places


class Loop(NamedTuple):
    """The part of a motion that repeats."""

    first: int  #: its first tick.
    ticks: int  #: its length: the tick after the last one is as the first one.
    seam: float  #: how far joints are from the first tick there, in units, before it is closed.


def find_loop(ticks: Ticks, shortest: int, longest: int) -> Loop:
    """Return the part of an animation whose ends are most alike, in places and speeds of the joints.

    Args:
        ticks: the animation.
        shortest, longest: the length in ticks.

    Raises:
        ExportError: if the animation is too short.
    """
    last = len(ticks) - 1
    if last < shortest:
        text = T("the animation is shorter than the shortest loop")
        raise ExportError(ticks.action.name, text, count=last, limit=shortest)
    joints = _in_place(ticks) / ticks.scale
    steps = np.diff(joints, axis=0)
    steps = np.concatenate([steps, steps[-1:]])
    best: tuple[float, int, int] | None = None
    for length in range(shortest, min(longest, last) + 1):
        places = np.linalg.norm(joints[length:] - joints[:-length], axis=2)
        speeds = np.linalg.norm(steps[length:] - steps[:-length], axis=2)
        apart = places.mean(axis=1) + _OF_SPEEDS * speeds.mean(axis=1)
        start = int(apart.argmin())
        if best is None or apart[start] < best[0] - 1e-6:
            best = float(apart[start]), start, length
    assert best is not None
    _, start, length = best
    seam = float(np.linalg.norm(joints[start + length] - joints[start], axis=1).max())
    return Loop(start, length, seam)


def _in_place(ticks: Ticks) -> Floats:
    """Return the joints relative to the first one, and to where the model faces; heights stay."""
    moved = ticks.heads.copy()
    moved[..., :2] -= ticks.heads[:, :1, :2]
    turns = np.stack([yaw(-angle) for angle in _headings(ticks)])
    return np.asarray(moved @ turns.swapaxes(-1, -2), float)


def _headings(ticks: Ticks) -> Floats:
    """Return the angles about the vertical, (n,), that the poses face, without jumps."""
    facing = [ticks.skeleton.posed(ticks.skeleton.turns, heads).facing_exactly() for heads in ticks.heads]
    angles = np.array([np.arctan2(each[1], each[0]) for each in facing])
    return np.asarray(np.unwrap(angles), float)


def make_loop(action: Action, model: Object, loop: Loop, rate: int = 0) -> Ticks:
    """Cut a loop out of an animation and close it: what is left at the seam is spread over all of its ticks.

    The animation follows itself then, and has a constant speed forward.

    Args:
        action: the animation.
        model: the model's armature.
        loop: the part.
        rate: ticks per key, 0 for as few keys as needed.
    """
    ticks = Ticks.of(action, model)
    part = slice(loop.first, loop.first + loop.ticks + 1)
    share = np.linspace(0.0, 1.0, loop.ticks + 1)
    drift = _headings(ticks)[part]
    back = -(drift[-1] - drift[0]) * share
    turns = np.stack([yaw(angle) for angle in back])
    whole = turns[:, None] @ ticks.whole[part]
    first = ticks.heads[part, 0]
    steps = np.einsum("nij,nj->ni", turns[:-1], np.diff(first, axis=0))
    first = first[0] * (0, 0, 1) + np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    speeds = fit_speeds(first[:, 1] / ticks.scale, PathKind.SPEED)
    first[:, 1] -= covered(speeds, len(first)) * ticks.scale
    first = _closed_places(first, share)
    local, _ = ticks.rest.local(quaternions(whole), first)
    local = _closed_turns(local, share)
    _, places = ticks.rest.local(quaternions(whole), first)
    # The tick after the last one is the first one.
    orientations, heads = ticks.rest.pose(local[:-1], places[:-1])
    heads[..., 1] += covered(speeds, loop.ticks)[:, None] * ticks.scale
    heads[..., 2] += _to_floor(ticks, orientations, heads)
    set_speeds(action, speeds)
    set_next(action, None)
    action.tomb_raider.next_frame = 0
    closed = Ticks(
        action,
        model,
        ticks.rest,
        ticks.skeleton,
        matrices_from_quaternions(orientations),
        heads,
        speeds,
        ticks.scale,
        is_loop=True,
    )
    closed.store(LOOSE, rate)
    return closed


def _to_floor(ticks: Ticks, turns: Floats, heads: Floats) -> float:
    """Return how far poses have to rise so that the feet of a loop are on the floor.

    Another part of the motion may have been the lowest one. Loops that are far from the floor, such as those
    that hang, stay.
    """
    off = -height_of_standing(ticks.skeleton, ticks.model, matrices_from_quaternions(turns), heads)
    return off if abs(off) <= _NEAR_FLOOR * ticks.scale else 0.0


def _closed_places(places: Floats, share: Floats) -> Floats:
    return np.asarray(places + (places[0] - places[-1]) * (share - 0.5)[:, None], float)


def _closed_turns(turns: Floats, share: Floats) -> Floats:
    """Return rotations (n, m, 4) whose last one equals the first: half of the rest goes to either end."""
    rest = multiply(turns[-1] * CONJUGATE, turns[0])
    rest = np.where(rest[:, :1] < 0, -rest, rest)
    same = np.broadcast_to([1.0, 0.0, 0.0, 0.0], turns.shape)
    aims = np.where((share < 0.5)[:, None, None], rest * CONJUGATE, rest)
    parts = slerp(same, aims, np.abs(share - 0.5)[:, None])
    return multiply(turns, parts)
