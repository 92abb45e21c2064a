"""Conversion between fields of records and Blender's properties and transforms."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite, isnan
from typing import Any

import numpy as np
from bpy.types import Object
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from ...formats import ExportError
from ...formats.base import T, count_differing, signed
from .context import ExportContext
from .space import checked, world_matrix

_LARGEST = float(np.finfo(np.float32).max)
# The error of positions stored as 32-bit floats: relative to their size, and in units of the file.
_ROUNDED_OFF = 4e-7
_SLACK = 0.02


def as_int32(value: Any) -> int:
    """Return a field's value as a signed 32-bit integer, as integer properties store it."""
    return signed(int(value), 32)


def as_float32s(values: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return values of any shape as float properties return them."""
    with np.errstate(over="ignore"):
        return np.clip(values.astype(np.float32), -_LARGEST, _LARGEST)


def same_float(first: float, second: float) -> bool:
    """Return whether two values of float properties are equal; NaN equals NaN."""
    return first == second or (isnan(first) and isnan(second))


def put_position(record: np.void, point: Iterable[float], subject: str, *, rebuild: bool) -> bool:
    """Set x, y and z of a record, in world units, unless they agree with the record already.

    Args:
        point: (3,), not rounded.
        rebuild: set every difference above the rounding error of Blender's floats.

    Returns:
        Whether the record's position has changed.

    Raises:
        ExportError: if the point is too far away or not a number.
    """
    # For single objects, plain numbers are ten times as fast as arrays.
    old_position = [float(record[axis]) for axis in "xyz"]
    if not isfinite(sum(old_position)):
        return False  # TR5: a damaged position
    position = [float(part) for part in point]
    is_integer = record.dtype["x"].kind in "iu"
    slack = _ROUNDED_OFF * max(map(abs, old_position))
    if not rebuild:
        slack += 0.5 if is_integer else _SLACK
    if not any(abs(new - old) > slack for new, old in zip(position, old_position, strict=True)):
        return False
    if not all(abs(part) < 0x7FFFFF00 for part in position):
        raise ExportError(subject, T("it is too far from the world origin: move it closer"))
    for axis, value in zip("xyz", position, strict=True):
        # Files that can hold fractions have whole numbers too.
        rounded = round(value)
        record[axis] = rounded if is_integer or abs(value - rounded) <= _SLACK else value
    return any(record[axis] != old for axis, old in zip("xyz", old_position, strict=True))


def world_point(context: ExportContext, obj: Object, matrix: Matrix) -> NDArray[np.float64]:
    """Return the position of an object's world matrix, in world units of the file, not rounded."""
    x, y, z = matrix.translation
    if not isfinite(x + y + z):
        checked(np.array((x, y, z)), obj.name, "its place")
    return np.array((x, -z, y), np.float64) / context.space.scale


_UPRIGHT = 1e-3
# Warnings of transforms that only Blender shows.
SCALED = T("it is scaled, but the game shows it unscaled")
MIRRORED = T("it is mirrored, but the game shows it like its model")
TILTED = T("it is tilted, but the game rotates it only around the vertical axis")


def warn_of_unwritten_shape(context: ExportContext, obj: Object) -> None:
    """Warn if a library object is rotated or scaled: exports write its mesh only."""
    if np.abs(np.array(world_matrix(obj))[:3, :3] - np.eye(3)).max() > _UPRIGHT:
        text = T("it is rotated, mirrored or scaled as an object, which is not exported")
        context.report.warn(obj.name, T("{text}: rotate or scale its mesh in Edit Mode instead", text=text))


def warn_of_lost_transform(context: ExportContext, obj: Object, matrix: Matrix) -> None:
    """Warn if an object is tilted, mirrored or scaled, which the games do not support."""
    if any(abs(abs(part) - 1) > _UPRIGHT for part in matrix.to_scale()):
        context.report.warn(obj.name, SCALED)
    if matrix.is_negative:
        context.report.warn(obj.name, MIRRORED)
    up = (matrix.to_3x3() @ Vector((0, 0, 1))).normalized().z
    if abs((abs(up) if matrix.is_negative else up) - 1) > _UPRIGHT:
        context.report.warn(obj.name, TILTED)


def take_over(
    context: ExportContext, section: str, original: NDArray[Any], values: NDArray[Any]
) -> NDArray[Any]:
    """Return the original array if nothing differs, otherwise the new one, and count the differences."""
    if values.dtype == original.dtype and values.tobytes() == original.tobytes():
        return original
    shared = min(len(original), len(values))
    differing = count_differing(original[:shared], values[:shared])
    context.rebuilt.count(section, differing + abs(len(original) - len(values)))
    return values
