"""Diagnosis of room transforms that sectors cannot follow."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import T
from ...core.space import Space

_UNIT = 1e-4  # tolerance of matrix elements
_NEAR = 1.5  # units
_UPRIGHT = np.eye(3)
_SCALED = 1e-2  # difference of matrix elements that is no rounding of vertices
_FEWEST = 8  # vertices that show how a mesh was transformed


def diagnose(
    name: str,
    matrix: NDArray[np.float64],
    before: tuple[int, int] | None,
    moved: Callable[[], tuple[float, float] | None] | None,
    space: Space,
) -> str:
    """Return the change of a room's transform that may explain errors of its contents, "" for none.

    Args:
        matrix: (4, 4), its world matrix.
        before: x and z of the room in the file, None for a new room.
        moved: returns how far the center of its mesh has moved in the world along x and z, in units, or
            None if unknown. Called only if the object has moved.
    """
    turn = matrix[:3, :3]
    if (turn != _UPRIGHT).any() and np.abs(turn - _UPRIGHT).max() > _UNIT:
        is_mirrored = np.linalg.det(turn) < 0
        transform_name = T("mirrored") if is_mirrored else T("rotated or scaled")
        return T(
            "{name} is {how} as an object, which sectors cannot follow: clear its rotation and "
            "scale (Alt+R, Alt+S), and edit mesh, collision and portals in Edit Mode instead",
            name=name,
            how=transform_name,
        )
    if before is None or moved is None:
        return ""
    x, z = matrix[0, 3] / space.scale - before[0], matrix[1, 3] / space.scale - before[1]
    if max(abs(x), abs(z)) <= _NEAR:
        return ""
    shift = moved()
    if shift is not None and max(map(abs, shift)) <= _NEAR:
        position = space.in_world(space.to_blender([before[0], 0, before[1]]).tolist())
        return T(
            "The origin of {room} was moved without its mesh, as by Apply Location and Set "
            "Origin, but sectors start there: set it back to X {x:g}, Y {y:g}, Z 0",
            room=name,
            x=position[0],
            y=position[1],
        )
    return ""


def diagnose_mesh(
    name: str, points: NDArray[np.float64], numbers: NDArray[np.int32] | None, before: NDArray[np.void]
) -> str:
    """Return whether the whole mesh of a room was rotated or scaled, which may explain errors, "" if not.

    Args:
        points: (n, 3) the vertices, from the room's corner.
        numbers: (n,) their numbers in the file, -1 for none.
    """
    if numbers is None:
        return ""
    rows = np.flatnonzero((numbers >= 0) & (numbers < len(before)))
    old = np.stack([before[axis] for axis in "xyz"], axis=1).astype(np.float64)[numbers[rows]]
    new = points[rows]
    if len(rows) < _FEWEST or np.abs(new - old).max() <= _NEAR or not np.isfinite(old).all():
        return ""
    homogeneous = np.column_stack([old, np.ones(len(old))])
    affine, *_ = np.linalg.lstsq(homogeneous, new, rcond=None)
    error = np.abs(homogeneous @ affine - new).max()
    if error > _NEAR or np.abs(affine[:3] - _UPRIGHT).max() <= _SCALED:
        return ""
    return T(
        "The whole mesh of {name} was rotated or scaled, as by Apply Rotation and Apply "
        "Scale (Ctrl+A), which sectors cannot follow: undo it, and edit mesh, collision and "
        "portals in Edit Mode instead",
        name=name,
    )


def explained(error: ExportError, cause: str) -> ExportError:
    """Return an error extended by its cause, if there is one."""
    if not cause:
        return error
    problem = error.problem
    if error.count is not None:
        problem = T("{problem}: {count}", problem=problem, count=error.count)
    return ExportError(error.subject, T("{problem}. {cause}", problem=problem, cause=cause))
