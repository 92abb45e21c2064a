"""Conversion of directions, roll and field of view between the games' cameras and Blender's.

The games rotate a camera to its target by yaw and pitch, and then roll it about the line of sight. Blender's
cameras look along -z with y up. Roll and field of view have 16 bits, 65536 per turn.
"""

from __future__ import annotations

from math import tau

import numpy as np
from bpy.types import Camera
from mathutils import Matrix, Quaternion
from numpy.typing import ArrayLike, NDArray

from ....formats.base import TURN
from ...core.space import direction_to_blender, direction_to_file

# Range of Blender's cameras, in radians.
_NARROWEST, _WIDEST = 0.0065, 3.0
_LEVEL = 1e-5  # of the length: below this a view counts as vertical
_SAME = 2e-5  # radians, a fifth of the games' smallest angle

DEFAULT_FOV = 14560  # 80 degrees


def look_rotations(positions: ArrayLike, targets: ArrayLike, rolls: ArrayLike) -> NDArray[np.float64]:
    """Return rotations of Blender cameras that look from positions at targets.

    Args:
        positions, targets: (n, 3), in the file's units and axes.
        rolls: (n,), 65536 per turn.

    Returns:
        (n, 3, 3) float64.
    """
    view = np.asarray(targets, np.float64) - np.asarray(positions, np.float64)
    length = np.linalg.norm(view, axis=1, keepdims=True)
    view = np.where(length > 0, view / np.where(length > 0, length, 1), (0.0, 0.0, 1.0))
    flat = np.hypot(view[:, 0], view[:, 2])
    level = flat > _LEVEL
    safe = np.where(level, flat, 1)
    nothing = np.zeros(len(view))
    # In vertical views, yaw is 0: right is x.
    right = np.stack(
        [np.where(level, view[:, 2] / safe, 1), nothing, np.where(level, -view[:, 0] / safe, 0)], 1
    )
    down = np.cross(view, right)
    turn = np.asarray(rolls, np.float64)[:, None] * (tau / TURN)
    rolled = np.cos(turn) * right + np.sin(turn) * down
    lowered = np.cos(turn) * down - np.sin(turn) * right
    axes = [direction_to_blender(each).astype(np.float64) for each in (rolled, -lowered, -view)]
    return np.stack(axes, axis=2)


def look_rotation(position: ArrayLike, target: ArrayLike, roll: int) -> Matrix:
    """Return the rotation, 3 by 3, of one Blender camera that looks from a position at a target."""
    return Matrix(look_rotations(np.array([position]), np.array([target]), np.array([roll]))[0].tolist())


def view_of(matrix: Matrix) -> tuple[NDArray[np.float64], int]:
    """Return the view direction of a Blender camera, (3,), a unit vector in the file's axes, and its roll."""
    turned = matrix.to_3x3().normalized()
    if turned.is_negative:  # a mirrored camera has the same view direction and up axis
        turned = turned @ Matrix.Diagonal((-1.0, 1.0, 1.0))
    view = direction_to_file(-np.array(turned, np.float64)[:, 2])
    upright = look_rotation((0, 0, 0), view, 0)
    between = np.array(upright.inverted() @ turned, np.float64)
    angle = np.arctan2(between[1, 0], between[0, 0])
    return view, int(np.rint(-angle * (TURN / tau))) % TURN


def same_rotation(a: Matrix, b: Matrix) -> bool:
    """Return whether two rotations are equal within the precision of Blender's floats."""
    difference: Quaternion = a.to_quaternion().rotation_difference(b.to_quaternion())
    return abs(difference.angle) < _SAME or abs(difference.angle - tau) < _SAME


def angle_of_fov(fov: ArrayLike) -> NDArray[np.float64]:
    """Return the horizontal angle of a camera for a field of view, clamped to Blender's range."""
    return np.clip(np.asarray(fov, np.float64) * (tau / TURN), _NARROWEST, _WIDEST)


def fov_of_angle(angle: float) -> int:
    """Return the field of view for a camera's horizontal angle."""
    return int(np.rint(angle * (TURN / tau)))


def lens_of_fov(fov: ArrayLike, sensor: float) -> NDArray[np.float64]:
    """Return focal lengths for fields of view, in the unit of the sensor's width."""
    return sensor / 2 / np.tan(angle_of_fov(fov) / 2)


def fov_of_lens(lens: ArrayLike, sensor: float) -> NDArray[np.float64]:
    """Return unrounded fields of view for focal lengths."""
    return 2 * np.arctan2(sensor / 2, np.asarray(lens, np.float64)) * (TURN / tau)


def show_fov(camera: Camera, fov: int) -> None:
    """Set the field of view of a Blender camera; in the games it is horizontal."""
    camera.sensor_fit = "HORIZONTAL"
    camera.angle_x = float(angle_of_fov(fov))


def read_fov(camera: Camera, before: int | None) -> int:
    """Return a camera's field of view; the previous value if Blender's angle still represents it."""
    result = fov_of_angle(camera.angle_x)
    if before is not None and result == fov_of_angle(float(angle_of_fov(before))):
        return before
    return result
