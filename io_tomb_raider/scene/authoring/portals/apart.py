"""Reasons why a room meets no other one, each with a remedy, and what to mark in the view."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import product
from typing import NamedTuple

import numpy as np
from bpy.types import Object
from mathutils import Matrix

from ....formats.base import SECTOR_SIZE, Floats, T, Text
from ...core.membership import collision_of
from ...core.space import Space, world_matrix
from ...subjects.meshes.placed import world_corners
from ...subjects.rooms.snapping import off_grid, snap_to_grid

_NEAR = 2.0  # units
_UPRIGHT = 1e-4
_CORNERS = np.array(list(product((0, 1), repeat=3)))
# The edges of a box, between its corners.
_EDGES = [
    (one, other) for one, other in product(range(8), repeat=2) if (one ^ other) in (1, 2, 4) and one < other
]


class Remedy(Enum):
    """What makes a room meet another one."""

    NONE = ""
    STRAIGHTEN = "straighten"
    SNAP = "snap"
    MOVE = "move"


class Apart(NamedTuple):
    """Why a room meets no other one."""

    room: Object
    other: Object | None  #: the nearest other room, or None.
    text: Text  #: the reason, with the remedy in words.
    remedy: Remedy  #: what :func:`mend` does.
    lines: Floats  #: (n, 2, 3) lines to draw in world space.


def why_apart(room: Object, others: Sequence[Object], space: Space) -> Apart:
    """Return why a room meets none of some rooms with vertices."""
    boxes = world_corners([room, *others])
    low, high = boxes.min(axis=1), boxes.max(axis=1)
    outline = _outline(low[0], high[0])
    rotation = np.array(world_matrix(room).to_3x3())
    if np.abs(rotation - np.eye(3)).max() > _UPRIGHT:
        text = T("{room} is rotated or scaled: clear that (Alt+R, Alt+S)", room=room.name)
        return Apart(room, None, text, Remedy.STRAIGHTEN, outline)
    near, distance = _NEAR * space.scale, float(np.abs(off_grid(room, space)).max())
    if distance:
        text = T(
            "{room} is {distance:.2f} m off the grid: use Snap to Grid", room=room.name, distance=distance
        )
        return Apart(room, None, text, Remedy.SNAP, outline)
    if collision_of(room) is None:
        text = T("{room} has no collision: use Add Collision", room=room.name)
        return Apart(room, None, text, Remedy.NONE, outline)
    # Positive where there is a gap, negative where they overlap.
    gaps = np.maximum(low[1:] - high[0], low[0] - high[1:])
    if not len(gaps):
        return Apart(room, None, T("{room} is the only room", room=room.name), Remedy.NONE, outline)
    nearest = int(np.linalg.norm(np.maximum(gaps, 0), axis=1).argmin())
    gap, other = gaps[nearest], others[nearest]
    text, remedy = _reason(room, other, gap, near)
    lines = _between((low[0], high[0]), (low[nearest + 1], high[nearest + 1]))
    return Apart(room, other, text, remedy, lines)


def _reason(room: Object, other: Object, gap: Floats, near: float) -> tuple[Text, Remedy]:
    """Return the reason why two rooms do not meet whose boxes have gaps along the axes, (3,)."""
    name, nearby = room.name, other.name
    remedy = Remedy.MOVE
    if (gap[:2] > near).any():
        distance = float(gap[:2].max())
        text = T(
            "{room} is {distance:.2f} m from {other}: move it there",
            room=name,
            other=nearby,
            distance=distance,
        )
    elif gap[2] > near:
        text = T(
            "{room} is {distance:.2f} m above or below {other}: change its height",
            room=name,
            other=nearby,
            distance=float(gap[2]),
        )
    elif (gap < -near).all():
        text = T("{room} is inside of {other}: move it next to that", room=name, other=nearby)
    elif (np.abs(gap) <= near).sum() > 1:
        text = T("{room} touches {other} at an edge only: move it along its wall", room=name, other=nearby)
    else:
        text = T(
            "{room} and {other} have no open sectors next to each other: check heights and walls",
            room=name,
            other=nearby,
        )
        remedy = Remedy.NONE
    return text, remedy


def reasons_apart(rooms: Sequence[Object], others: Sequence[Object], space: Space) -> tuple[Apart, ...]:
    """Return why some rooms meet none of the others, except what the remedy for another room solves."""
    reasons = [why_apart(room, [each for each in others if each != room], space) for room in rooms]
    solved = {each.room for each in reasons if each.remedy in (Remedy.STRAIGHTEN, Remedy.SNAP)}
    kept: list[Apart] = []
    for each in reversed(reasons):  # the last one of two rooms moves
        if each.remedy is not Remedy.MOVE or each.other not in solved:
            kept.append(each)
            solved |= {each.room} if each.remedy is Remedy.MOVE else set()
    return tuple(reversed(kept))


def mend(apart: Apart, others: Sequence[Object], space: Space) -> bool:
    """Turn, snap or move a room so that it meets the other one. Return whether there is such a remedy.

    Args:
        others: rooms that should not overlap it afterwards.
    """
    room = apart.room
    if apart.remedy is Remedy.STRAIGHTEN:
        room.matrix_world = Matrix.Translation(world_matrix(room).translation[:])
    elif apart.remedy is Remedy.MOVE and apart.other is not None:
        boxes = world_corners([room, apart.other, *(each for each in others if each not in apart[:2])])
        shift = _shift(boxes.min(axis=1), boxes.max(axis=1), SECTOR_SIZE * space.scale)
        room.matrix_world = Matrix.Translation(shift.tolist()) @ world_matrix(room)
    elif apart.remedy is not Remedy.SNAP:
        return False
    snap_to_grid([room], space, 0.0)
    return True


def _shift(low: Floats, high: Floats, length: float) -> Floats:
    """Return the shortest move after which the first box touches the second one, and overlaps no box.

    Args:
        low, high: the corners of n boxes, (n, 3) each.
        length: of a sector: along a wall the boxes overlap as much, or the smaller one is within the other.
    """
    moves = []
    to_low, to_high = low[1] - low[0], high[1] - high[0]
    overlap = np.minimum(high[0], high[1]) - np.maximum(low[0], low[1])
    along = np.clip(0.0, np.minimum(to_low, to_high), np.maximum(to_low, to_high))
    along = np.where(overlap > length * 0.99, 0.0, along)
    for axis in range(3):
        if axis == 2 and (overlap[:2] <= 0).any():
            continue  # only rooms that overlap as seen from above are put on each other
        for distance in (high[1, axis] - low[0, axis], low[1, axis] - high[0, axis]):
            move = along.copy() if axis < 2 else np.zeros(3)
            if axis < 2:  # on the same floor, unless the heights meet
                move[2] = 0.0 if overlap[2] > 0 else to_low[2]
            move[axis] = distance
            moves.append(move)
    slack = 1e-3
    are_free = [
        not ((low[0] + each + slack < high[1:]) & (low[1:] < high[0] + each - slack)).all(axis=1).any()
        for each in moves
    ]
    candidates = [each for each, is_free in zip(moves, are_free, strict=True) if is_free] or moves
    return min(candidates, key=lambda each: float(np.linalg.norm(each)))


def _outline(low: Floats, high: Floats) -> Floats:
    """Return the edges of a box, (12, 2, 3)."""
    corners = np.where(_CORNERS, high, low)
    return np.asarray(corners[np.array(_EDGES)])


def _between(first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> Floats:
    """Return the outlines of two boxes, (low, high) each, and a line across their gap, (25, 2, 3)."""
    # The nearest points; along axes on which they overlap, the middle of that.
    low, high = np.maximum(first[0], second[0]), np.minimum(first[1], second[1])
    middle = (low + high) / 2
    ends = np.stack([np.clip(middle, *first), np.clip(middle, *second)])
    return np.concatenate([_outline(*first), _outline(*second), ends[None]])
