"""Diagnosis of room transforms that sectors cannot follow."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ....formats import ExportError
from ...core.space import Space

_UNIT = 1e-4  # tolerance of matrix elements
_NEAR = 1.5  # units
_UPRIGHT = np.eye(3)


def diagnose(
    name: str,
    matrix: NDArray[np.float64],
    before: tuple[int, int] | None,
    moved: Callable[[], tuple[float, float] | None] | None,
    space: Space,
) -> str:
    """Return the change of a room's transform that may explain errors of its contents, "" for none.

    Args:
        name: the name of the room's object.
        matrix: (4, 4), its world matrix.
        before: x and z of the room in the file, None for a new room.
        moved: returns how far the center of its mesh has moved in the world along x and z, in units, or
            None if unknown. Called only if the object has moved.
        space: the space of the level.
    """
    turn = matrix[:3, :3]
    if (turn != _UPRIGHT).any() and np.abs(turn - _UPRIGHT).max() > _UNIT:
        is_mirrored = np.linalg.det(turn) < 0
        how = "mirrored" if is_mirrored else "turned or scaled"
        return (
            f"{name} is {how} as an object, and sectors cannot follow that: clear its rotation and scale "
            "(Alt+R, Alt+S), and edit mesh, collision and portals in edit mode instead"
        )
    if before is None or moved is None:
        return ""
    x, z = matrix[0, 3] / space.scale - before[0], matrix[1, 3] / space.scale - before[1]
    if max(abs(x), abs(z)) <= _NEAR:
        return ""
    by = moved()
    if by is not None and max(map(abs, by)) <= _NEAR:
        place = space.in_world(space.to_blender([before[0], 0, before[1]]).tolist())
        return (
            f"The origin of {name} was moved while its mesh stayed, as Apply Location and Set Origin do, but "
            f"sectors begin there: set it back to X {place[0]:g}, Y {place[1]:g}, Z 0"
        )
    return ""


def explained(error: ExportError, cause: str) -> ExportError:
    """Return an error extended by its cause, if there is one."""
    if not cause:
        return error
    problem = f"{error.problem}: {error.count}" if error.count is not None else error.problem
    return ExportError(error.subject, f"{problem}. {cause}")
