"""Reasons why a room meets no other one, each with a remedy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from bpy.types import Object

from ....formats.base.messages import T, Text
from ...core.members import collision_of
from ...core.space import Space, world_matrix
from ...subjects.meshes.placed import world_corners
from ...subjects.rooms.snapping import off_grid

_NEAR = 2.0  # units
_UPRIGHT = 1e-4


def why_apart(room: Object, others: Sequence[Object], space: Space) -> Text:
    """Return why a room meets none of some rooms with vertices, with a remedy."""
    turn = np.array(world_matrix(room).to_3x3())
    if np.abs(turn - np.eye(3)).max() > _UPRIGHT:
        return T("{room} is rotated or scaled: clear that (Alt+R, Alt+S)", room=room.name)
    near, distance = _NEAR * space.scale, float(np.abs(off_grid(room, space)).max())
    if distance:
        return T(
            "{room} is {distance:.2f} m off the grid: use Snap to Grid", room=room.name, distance=distance
        )
    if collision_of(room) is None:
        return T("{room} has no collision: use Add Collision", room=room.name)
    boxes = world_corners([room, *others])
    low, high = boxes.min(axis=1), boxes.max(axis=1)
    # Positive where there is a gap, negative where they overlap.
    gaps = np.maximum(low[1:] - high[0], low[0] - high[1:])
    if not len(gaps):
        return T("{room} is the only room", room=room.name)
    nearest = int(np.linalg.norm(np.maximum(gaps, 0), axis=1).argmin())
    gap, other = gaps[nearest], others[nearest].name
    if (gap[:2] > near).any():
        text = T(
            "{room} is {distance:.2f} m from {other}: move it there",
            room=room.name,
            other=other,
            distance=float(gap[:2].max()),
        )
    elif gap[2] > near:
        text = T(
            "{room} is {distance:.2f} m above or below {other}: change its height",
            room=room.name,
            other=other,
            distance=float(gap[2]),
        )
    elif (gap < -near).all():
        text = T("{room} is inside of {other}: move it next to that", room=room.name, other=other)
    elif (np.abs(gap) <= near).sum() > 1:
        text = T(
            "{room} touches {other} at an edge only: move it along its wall", room=room.name, other=other
        )
    else:
        text = T(
            "{room} and {other} have no open sectors next to each other: check heights and walls",
            room=room.name,
            other=other,
        )
    return text
