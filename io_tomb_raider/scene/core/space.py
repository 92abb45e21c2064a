"""Conversion between the file's space and Blender's.

The file counts in whole units, x right, y down, z forward; Blender's axes are (x, z, -y), a rotation without
mirroring. The default scale, 1/512, is a power of two, so 32-bit floats hold integers of the file exactly;
for any scale, rounding restores them.
"""

from __future__ import annotations

from math import isclose, isfinite, tau
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from bpy.types import Collection, Object
from mathutils import Matrix, Vector

from ...formats import ExportError
from ...formats.base import TURN, T, as_message

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

DEFAULT_SCALE = 1 / 512
SCALES = (1e-6, 1e3)  # the range of a level's scale
_COUNTABLE = 2.0**62
_FARTHEST = 2.0**40  # in units of the file; far beyond its fields, and within the range of int64
_Float = TypeVar("_Float", bound=np.floating)


class Space(NamedTuple):
    """The space of a level: its scale and its offset, as levels may be next to each other."""

    scale: float = DEFAULT_SCALE  #: Blender units per unit of the file.
    #: the level's origin in Blender's world, and the origin of files and :meth:`matrix_of`.
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @classmethod
    def of(cls, root: Collection) -> Space:
        """Return the space of a level."""
        settings = root.tomb_raider
        x, y, z = settings.offset
        return cls(settings.scale, (x, y, z))

    def matrix_of(self, obj: Object) -> Matrix:
        """Return the :func:`world_matrix` of an object relative to the level's origin.

        Raises:
            ExportError: if its place, rotation or scale is not a number.
        """
        matrix = world_matrix(obj)
        matrix.translation -= Vector(self.offset)
        return matrix

    def in_world(self, point: Any) -> Vector:
        """Return a Blender point, (3,), relative to the level's origin in Blender's world."""
        return Vector(point) + Vector(self.offset)

    def to_blender(self, points: ArrayLike) -> NDArray[np.float32]:
        """Return file points, shape (…, 3), as Blender points, float32.

        Values of files that are not finite become 0, since they would spread to child objects.
        """
        source = np.asarray(points)
        out = np.empty(source.shape, np.float64)
        out[..., 0], out[..., 1] = source[..., 0], source[..., 2]
        np.negative(source[..., 1], out=out[..., 2], dtype=np.float64, casting="unsafe")
        out *= self.scale
        if source.dtype.kind == "f" and not np.isfinite(out).all():
            np.nan_to_num(out, copy=False, nan=0.0, posinf=0.0, neginf=0.0)
        return out.astype(np.float32)

    def to_file(self, points: ArrayLike, subject: str, what: str = "its place") -> NDArray[np.float64]:
        """Return Blender points, shape (…, 3), as file points, not rounded.

        Args:
            points: in Blender's world, or relative to an object.
            what: the meaning of the points, for errors.

        Raises:
            ExportError: if a coordinate is not a finite number.
        """
        out = direction_to_file(checked(np.asarray(points, np.float64), subject, what))
        out /= self.scale
        return out

    def to_file_int(self, points: ArrayLike, subject: str, what: str = "its place") -> NDArray[np.int64]:
        """Return Blender points, shape (…, 3), as whole file points; see :meth:`to_file`.

        Raises:
            ExportError: if a coordinate is not a finite number, or too large.
        """
        result = np.rint(self.to_file(points, subject, what))
        if result.size and np.abs(result).max() >= _COUNTABLE:
            raise ExportError(subject, T("{what} is too far away", what=as_message(what)))
        return result.astype(np.int64)

    def to_file_int16(self, points: ArrayLike, subject: str, what: str = "its place") -> NDArray[np.int16]:
        """Return Blender points, shape (…, 3), as whole file points of 16 bits; see :meth:`to_file`.

        Raises:
            ExportError: if a coordinate is not a finite number, or does not fit.
        """
        return to_int16(np.rint(self.to_file(points, subject, what)), subject, what)


def to_int16(points: NDArray[Any], subject: str, what: str) -> NDArray[np.int16]:
    """Return whole file coordinates of any shape, which may be given as floats, as int16.

    Raises:
        ExportError: if one does not fit into 16 bits.
    """
    if points.size and max(-int(points.min()) - 1, int(points.max())) > 0x7FFF:
        worst = int(points.flat[np.abs(points).argmax()])
        count = worst if abs(worst) < _FARTHEST else None  # larger numbers are omitted
        problem = T("{what} is too far from the origin", what=as_message(what))
        raise ExportError(subject, problem, count=count, limit=0x7FFF)
    return points.astype(np.int16)


def whole(values: NDArray[np.floating]) -> NDArray[np.int64]:
    """Round numbers of any shape to whole ones, clamped to beyond the range of any file."""
    return np.rint(values).clip(-_FARTHEST, _FARTHEST).astype(np.int64)


def checked(values: NDArray[_Float], subject: str, what: str) -> NDArray[_Float]:
    """Return numbers of any shape unchanged, if all are finite.

    Every fractional number passes this check, or a :class:`Space`, before it is written.

    Args:
        what: the meaning of the numbers, for errors.

    Raises:
        ExportError: if a number is not finite.
    """
    if not np.isfinite(values).all():
        is_endless = np.isinf(values).any()
        problem = T("{text} is not a number", text=what) + (T(", but without end") if is_endless else "")
        raise ExportError(
            subject,
            T("{problem}. Scripts, drivers and add-ons may cause that: set it again", problem=problem),
        )
    return values


def direction_to_blender(vectors: ArrayLike) -> NDArray[np.float32]:
    """Return file directions, shape (…, 3), in Blender's axes without scaling, float32."""
    return Space(1.0).to_blender(vectors)


def direction_to_file(vectors: ArrayLike) -> NDArray[np.float64]:
    """Return Blender directions, shape (…, 3), in the file's axes without scaling."""
    source = np.asarray(vectors, np.float64)
    out = np.empty(source.shape, np.float64)
    out[..., 0], out[..., 1], out[..., 2] = source[..., 0], -source[..., 2], source[..., 1]
    return out


def show_size(obj: Object, size: float) -> None:
    """Set the size of an empty, and scale the object by what is beyond the range of Blender's field."""
    obj.empty_display_size = size
    rest = size / obj.empty_display_size
    if not isclose(rest, 1.0, rel_tol=1e-6):
        obj.scale = [part * rest for part in obj.scale]


def angle_to_blender(angle: object) -> Any:
    """Return the file's yaw (65536 per turn, clockwise from above) in radians around Blender's z."""
    return -np.asarray(angle, np.float64) * (tau / TURN)


def angle_to_file(radians: object) -> Any:
    """Return radians around Blender's z as the file's yaw, 0 to 65535."""
    return np.rint(-np.asarray(radians, np.float64) * (TURN / tau)).astype(np.int64) % TURN


def world_matrix(obj: Object) -> Matrix:
    """Return the matrix of an object in Blender's world, even if it is hidden.

    Blender does not evaluate hidden objects: their constraints and animation are ignored. Values for files
    are relative to the level's origin instead, see :meth:`Space.matrix_of`.

    Raises:
        ExportError: if its place, rotation or scale is not a number.
    """
    matrix = _world_matrix(obj)
    if not isfinite(matrix.determinant()):  # the fastest check that covers all parts
        checked(np.array(matrix), obj.name, T("its place, rotation or scale"))
    return matrix


def matrix_within(obj: Object, parent: Object) -> Matrix:
    """Return the matrix of an object relative to another one, as exact as 32-bit floats allow.

    Raises:
        ExportError: if its place, rotation or scale is not a number.
    """
    is_child = obj.parent == parent and obj.parent_type == "OBJECT"
    if is_child and not obj.constraints and not obj.animation_data:
        world_matrix(obj)  # for the error
        return obj.matrix_parent_inverse @ obj.matrix_basis
    return world_matrix(parent).inverted_safe() @ world_matrix(obj)


def has_finite_place(obj: Object) -> bool:
    """Return whether all numbers of an object's world matrix are finite."""
    try:
        world_matrix(obj)
    except ExportError:
        return False
    return True


def _world_matrix(obj: Object) -> Matrix:
    if obj.constraints or obj.animation_data:
        return obj.matrix_world.copy()
    if obj.parent is None:
        return obj.matrix_basis.copy()
    if obj.parent_type != "OBJECT":
        return obj.matrix_world.copy()
    return _world_matrix(obj.parent) @ obj.matrix_parent_inverse @ obj.matrix_basis
