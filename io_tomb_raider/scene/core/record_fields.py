"""Between the fields of records and what Blender's properties and transforms can hold of them."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite, isnan
from typing import Any

import numpy as np
from bpy.types import Object
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from ...formats import ExportError
from ...formats.base.bits import count_differing, signed
from .context import ExportContext
from .space import checked, world_matrix

_LARGEST = float(np.finfo(np.float32).max)
# Positions pass through 32-bit floats: that much, of their size and in units, may be lost on the way.
_ROUNDED_OFF = 4e-7
_SLACK = 0.02


def as_int32(value: Any) -> int:
    """Turn a field's value into what an integer property, which has 32 bits and a sign, can hold."""
    return signed(int(value), 32)


def as_float32s(values: NDArray[np.floating]) -> NDArray[np.float32]:
    """Turn fields' values, of any shape, into what float properties give back for them."""
    with np.errstate(over="ignore"):
        return np.clip(values.astype(np.float32), -_LARGEST, _LARGEST)


def same_float(one: float, other: float) -> bool:
    """Tell whether two values of float properties are the same, not-a-number included."""
    return one == other or (isnan(one) and isnan(other))


def put_position(record: np.void, point: Iterable[float], subject: str, *, rebuild: bool) -> bool:
    """Set x, y and z of a record, in world units, unless they stand where the record has them.

    Args:
        record: one element of a structured array.
        point: (3,), not rounded.
        subject: the object's name, for errors.
        rebuild: set them in any case, but for what is lost to Blender's floats.

    Returns:
        Whether the record's position has changed.

    Raises:
        ExportError: where the point is too far away, or not a number.
    """
    # One object at a time, which plain numbers do ten times as fast as arrays.
    before = [float(record[axis]) for axis in "xyz"]
    if not isfinite(sum(before)):
        return False  # TR5: what is damaged stands nowhere
    found = [float(part) for part in point]
    whole = record.dtype["x"].kind in "iu"
    slack = _ROUNDED_OFF * max(map(abs, before))
    if not rebuild:
        slack += 0.5 if whole else _SLACK
    if not any(abs(now - old) > slack for now, old in zip(found, before, strict=True)):
        return False
    if not all(abs(part) < 0x7FFFFF00 for part in found):
        raise ExportError(subject, "it stands too far away")
    for axis, value in zip("xyz", found, strict=True):
        # Files that could hold fractions stand on whole units all the same.
        rounded = round(value)
        record[axis] = rounded if whole or abs(value - rounded) <= _SLACK else value
    return any(record[axis] != old for axis, old in zip("xyz", before, strict=True))


def world_point(context: ExportContext, obj: Object, matrix: Matrix) -> NDArray[np.float64]:
    """Return where an object's world matrix puts it, in world units of the file, not rounded."""
    x, y, z = matrix.translation
    if not isfinite(x + y + z):
        checked(np.array((x, y, z)), obj.name, "its place")
    return np.array((x, -z, y), np.float64) / context.space.scale


_UPRIGHT = 1e-3


def warn_of_unwritten_shape(context: ExportContext, obj: Object) -> None:
    """Tell the user where an object of a library is turned or scaled: its mesh is what is written."""
    if np.abs(np.array(world_matrix(obj))[:3, :3] - np.eye(3)).max() > _UPRIGHT:
        text = "it is turned, mirrored or scaled as an object, which is not written"
        context.report.warn(obj.name, f"{text}: turn or scale its mesh in edit mode instead")


def warn_of_lost_transform(context: ExportContext, obj: Object, matrix: Matrix) -> None:
    """Tell the user where an object is tilted, mirrored or scaled, which the games do not know."""
    if any(abs(abs(part) - 1) > _UPRIGHT for part in matrix.to_scale()):
        context.report.warn(obj.name, "it is scaled, but the game shows it in its own size")
    if matrix.is_negative:
        context.report.warn(obj.name, "it is mirrored, but the game shows it as its model is")
    up = (matrix.to_3x3() @ Vector((0, 0, 1))).normalized().z
    if abs((abs(up) if matrix.is_negative else up) - 1) > _UPRIGHT:
        context.report.warn(obj.name, "it is tilted, but the game turns it around the vertical axis only")


def take_over(
    context: ExportContext, section: str, original: NDArray[Any], found: NDArray[Any]
) -> NDArray[Any]:
    """Return the original array where nothing differs, and count what does."""
    if found.dtype == original.dtype and found.tobytes() == original.tobytes():
        return original
    shared = min(len(original), len(found))
    differing = count_differing(original[:shared], found[:shared])
    context.rebuilt.count(section, differing + abs(len(original) - len(found)))
    return found
