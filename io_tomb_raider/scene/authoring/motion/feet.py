"""Feet of models: held in place while they are on the ground, and the ticks at which they come down."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ....catalogue import LEG, SIDES, BoneRole, LimbBone
from ....formats.base import Floats
from ...subjects.animations.keys.geometry import smallest_turns, unit
from ...subjects.models.bones import is_actor
from .skeletons import Skeleton
from .ticks import Ticks

SLOW = 4.0  # units per tick: an ankle on the ground moves less
_NEAR = 30.0  # units above the lowest place of an ankle
_BLEND = 3  # ticks before and after
_SHORTEST = 3  # ticks of a stay
_HOLE = 2  # ticks
_REACH = 0.9995  # of a leg's length
_STRAIGHT = 1e-3  # of the leg's length: a knee that bends less has no direction
_ALONG = 0.999  # cosine: a leg in the direction in which it would bend
_COMES_DOWN = 12.0  # units above the lowest tenth of an ankle's places
_LOWEST = 10
_STEP = 6  # ticks: a foot that is up for a shorter time makes no step


@dataclass
class Planted:
    """The result of planting feet."""

    down: list[int] = field(default_factory=list)  #: ticks on the ground, by foot.
    #: before, after: mean way of a foot on the ground in a tick, in units.
    before: float = 0.0
    after: float = 0.0
    worst: float = 0.0  #: the largest way of a foot on the ground from its place, in units.
    lowered: float = 0.0  #: the most that the hips were lowered, in units.


def stays(
    places: Floats, scale: float, slow: float = SLOW, *, anywhere: bool = False
) -> list[tuple[int, int]]:
    """Return when an ankle stays on the ground, as first ticks and the ticks after the last ones.

    Args:
        places: (n, 3), of the ankle.
        scale: Blender units per unit of the game.
        slow: the units per tick that an ankle on the ground moves less than.
        anywhere: whether the ground may be at any height. By default, it is level.
    """
    if len(places) < 2:
        return [(0, len(places))]
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1) / scale
    speeds = np.minimum(np.append(steps[:1], steps), np.append(steps, steps[-1:]))
    low = places[:, 2] / scale
    runs = _runs((speeds < slow) & (anywhere | (low < low.min() + _NEAR)))
    found: list[tuple[int, int]] = []
    for start, end in runs:
        if found and start - found[-1][1] <= _HOLE:
            before = places[found[-1][1] - 1]
            if np.linalg.norm(places[start] - before) / scale < slow * (start - found[-1][1] + 1):
                start = found.pop()[0]
        jumps = np.flatnonzero(steps[start : end - 1] > 2 * slow) + start + 1
        edges = [start, *jumps.tolist(), end]
        found += pairwise(edges)
    return [(start, end) for start, end in found if end - start >= _SHORTEST]


def _runs(wanted: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the runs of True, as first index and the index after the last one."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], wanted, [False]]).astype(int)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def plant_feet(ticks: Ticks, *, slow: float = SLOW, lower_hips: bool = True) -> Planted:
    """Hold feet where they are on the ground, in the poses of an animation; feet keep their rotation.

    Args:
        ticks: the animation, which is changed.
        slow: the units per tick that a foot on the ground moves less than.
        lower_hips: lower the hips where a leg is too short to reach. Else its foot slides there.
    """
    feet, count, scale = ticks.require_feet(), len(ticks), ticks.scale
    whole, heads = ticks.around() if ticks.is_loop else (ticks.whole.copy(), ticks.heads.copy())
    middle = slice(count, 2 * count) if ticks.is_loop else slice(0, count)
    legs = [[ticks.skeleton.roles[LimbBone(role, side)] for role in LEG] for side in SIDES]
    result = Planted()
    aims, held = [], []
    for foot in feet:
        found = stays(heads[:, foot], scale, slow, anywhere=is_actor(ticks.model))
        aims.append(_aims(heads[:, foot], found))
        held.append(found)
        result.down.append(int(_flags(found, len(heads))[middle].sum()))
    result.before = _slide(heads[:, feet], held, middle, scale)
    if lower_hips:
        result.lowered = _lower_hips(ticks, heads, legs, aims, middle)
    # A straight leg bends where the model faces.
    ahead = ticks.skeleton.posed(ticks.skeleton.turns, heads[0]).facing_exactly()
    for leg, aim in zip(legs, aims, strict=True):
        reach(ticks.skeleton, whole, heads, leg, aim, ahead)
    result.after = _slide(heads[:, feet], held, middle, scale)
    for foot, aim, found in zip(feet, aims, held, strict=True):
        down = _flags(found, len(heads))[middle]
        if down.any():
            off = np.linalg.norm(heads[middle, foot] - aim[middle], axis=1)[down] / scale
            result.worst = max(result.worst, float(off.max()))
    ticks.whole, ticks.heads = whole[middle], heads[middle]
    return result


def _flags(found: list[tuple[int, int]], count: int) -> NDArray[np.bool_]:
    """Return at which of some ticks any of the stays is."""
    flags = np.zeros(count, bool)
    for start, end in found:
        flags[start:end] = True
    return flags


def _aims(places: Floats, found: list[tuple[int, int]]) -> Floats:
    """Return where an ankle has to be, (n, 3): at the mean place of each stay, with transitions."""
    moved = np.zeros_like(places)
    weight = np.zeros(len(places))
    down = _flags(found, len(places))
    for start, end in found:
        spot = places[start:end].mean(axis=0)
        moved[start:end] += spot - places[start:end]
        weight[start:end] = 1.0
        for way, edge in ((-1, start), (1, end - 1)):
            for step in range(1, _BLEND + 1):
                at = edge + way * step
                if 0 <= at < len(places) and not down[at]:
                    share = 1.0 - step / (_BLEND + 1)
                    moved[at] += (spot - places[edge]) * share
                    weight[at] += share
    return np.asarray(places + moved / np.maximum(weight, 1.0)[:, None], float)


def _slide(ankles: Floats, held: list[list[tuple[int, int]]], middle: slice, scale: float) -> float:
    """Return the mean way of the feet in a tick while they are on the ground, in units."""
    ways: list[float] = []
    for number, found in enumerate(held):
        for start, end in found:
            part = slice(max(start, middle.start), min(end, middle.stop))
            steps = np.diff(ankles[part, number], axis=0)
            ways += (np.linalg.norm(steps, axis=1) / scale).tolist()
    return float(np.mean(ways)) if ways else 0.0


def _lower_hips(
    ticks: Ticks, heads: Floats, legs: list[list[int]], aims: list[Floats], middle: slice
) -> float:
    """Lower all joints where an ankle has to be farther than the leg reaches; return the most, in units."""
    needed = np.zeros(len(heads))
    for leg, aim in zip(legs, aims, strict=True):
        length = _REACH * lengths(ticks.skeleton, leg).sum()
        apart = heads[:, leg[0]] - aim
        aside = np.linalg.norm(apart[:, :2], axis=1)
        highest = np.sqrt(np.maximum(length**2 - aside**2, 0.0))
        is_held = np.linalg.norm(aim - heads[:, leg[2]], axis=1) > 1e-9
        down = np.where(is_held & (aside < length), apart[:, 2] - highest, 0.0)
        needed = np.maximum(needed, down)
    # The largest of the ticks around, then their mean, so that nothing jumps and nothing is less than needed.
    wide = _around(needed, _BLEND).max(axis=1)
    lowered = _around(wide, _BLEND).mean(axis=1)
    lowered = np.maximum(lowered, needed)
    heads[..., 2] -= lowered[:, None]
    return float(lowered[middle].max() / ticks.scale)


def _around(values: Floats, reach: int) -> Floats:
    padded = np.pad(values, reach, mode="edge")
    return np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1)


def lengths(skeleton: Skeleton, limb: list[int]) -> Floats:
    """Return the lengths of the bones of a limb, from joint to joint."""
    return np.asarray(np.linalg.norm(np.diff(skeleton.heads[limb], axis=0), axis=1), float)


def reach(
    skeleton: Skeleton, whole: Floats, heads: Floats, limb: list[int], aim: Floats, ahead: Floats
) -> None:
    """Pose a limb so that its end is at a place, as far as it reaches. The middle joint stays in its plane.

    Args:
        skeleton: the model's skeleton.
        whole, heads: orientations (n, m, 3, 3) and joints (n, m, 3), which are changed; the end keeps its
            orientation.
        limb: three bones: thigh, calf and foot, or those of an arm.
        aim: (n, 3), where the end has to be.
        ahead: (3,), the direction in which the middle joint of a straight limb goes.
    """
    first_bone, second_bone, end = limb
    rows = np.flatnonzero(np.linalg.norm(aim - heads[:, end], axis=1) > 1e-9)
    if not len(rows):
        return
    upper, lower = lengths(skeleton, limb)
    hip, knee, ankle = (heads[rows, bone] for bone in limb)
    way = aim[rows] - hip
    distance = np.linalg.norm(way, axis=1)
    far = np.clip(distance, abs(upper - lower) + 1e-6, (upper + lower) * _REACH)
    way = np.where(distance[:, None] < 1e-9, ankle - hip, way)  # an end at the start can be anywhere around
    along = unit(way)
    first = smallest_turns(ankle - hip, way)
    bent = np.einsum("nij,nj->ni", first, knee - hip)
    aside = bent - (bent * along).sum(axis=1, keepdims=True) * along
    other = np.eye(3)[np.abs(along).argmin(axis=1)]
    ahead = np.where(np.abs(along @ ahead)[:, None] > _ALONG * np.linalg.norm(ahead), other, ahead)
    ahead = ahead - (along * ahead).sum(axis=1, keepdims=True) * along
    is_straight = np.linalg.norm(aside, axis=1, keepdims=True) < _STRAIGHT * (upper + lower)
    aside = unit(np.where(is_straight, ahead, aside))
    cosine = np.clip((upper**2 + far**2 - lower**2) / (2 * upper * far), -1.0, 1.0)
    new_knee = hip + upper * (cosine[:, None] * along + np.sqrt(1 - cosine**2)[:, None] * aside)
    new_ankle = hip + far[:, None] * along
    shin = np.einsum("nij,nj->ni", first, ankle - knee)
    whole[rows, first_bone] = smallest_turns(bent, new_knee - hip) @ first @ whole[rows, first_bone]
    whole[rows, second_bone] = smallest_turns(shin, new_ankle - new_knee) @ first @ whole[rows, second_bone]
    heads[rows, second_bone], heads[rows, end] = new_knee, new_ankle


def _without_holes(low: NDArray[np.bool_], *, is_loop: bool) -> NDArray[np.bool_]:
    """Return when a foot is low, without short times between, which make no step."""
    count = len(low)
    three = np.concatenate([low] * 3) if is_loop else low
    for start, end in _runs(~three):
        if 0 < start and end < len(three) and end - start < _STEP:
            three[start:end] = True
    return three[count : 2 * count] if is_loop else three


@dataclass(frozen=True)
class Footstep:
    """A foot that comes down."""

    tick: int  #: from the start of the animation.
    side: str  #: "L" or "R".


def footsteps(ticks: Ticks) -> list[Footstep]:
    """Return where feet come down in an animation, in order; those that are down from the start do not."""
    found = []
    for side in SIDES:
        foot = ticks.skeleton.roles.get(LimbBone(BoneRole.FOOT, side), -1)
        if foot < 0:
            continue
        height = ticks.heads[:, foot, 2] / ticks.scale
        low = height < np.percentile(height, _LOWEST) + _COMES_DOWN
        low = _without_holes(low, is_loop=ticks.is_loop)
        before = np.roll(low, 1)
        if not ticks.is_loop:
            before[0] = True
        found += [Footstep(int(tick), side) for tick in np.flatnonzero(low & ~before)]
    return sorted(found, key=lambda step: (step.tick, step.side))
