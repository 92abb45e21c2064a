"""Rotations of meshes: the angles of key frames, and quaternions.

Angles are integers in a unit that is exact for every game: 65536 per full turn, so an angle of 10 bits is a
multiple of 64 and an angle of 12 bits a multiple of 16. Axes are those of the file (x right, y down, z
forward). The rotation of a mesh is ``R = Ry @ Rx @ Rz``: yaw, then pitch, then roll, each about the already
rotated axes (documentation, chapter 6.2.7). Quaternions are ``w, x, y, z``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...base.errors import ExportError
from ...base.messages import T
from ...base.units import TURN

MULTIPLE_AXES_BITS = 10  # of each angle in a key frame, if the rotation is about more than one axis
# The largest distance (length of the vector part) of a unit quaternion from an axis to count as a rotation
# about that axis alone. Two angle triples of 10 bits differ by at least 0.000019; the noise of 32-bit floats
# is 0.000001.
_ON_AXIS = 8e-6
# The largest distance of two unit quaternions that are the same rotation: a hundredth of a degree, an eighth
# of the finest step of any game.
_SAME = 1e-4


@cache
def _half_angles() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return cosine and sine, each of shape (65536,), of half of each angle."""
    half = np.arange(TURN) * (np.pi / TURN)
    cosines = np.cos(half)
    cosines[TURN // 2] = 0.0  # half a turn: w is exactly 0, which floats do not give
    return cosines, np.sin(half)


def quaternions_from_angles(
    angles: NDArray[np.integer], dtype: DTypeLike = np.float32
) -> NDArray[np.floating]:
    """Convert angles to unit quaternions (documentation, chapter 6.2.7).

    Args:
        angles: shape (..., 3), x, y and z in 1/65536 turns, any integer type, taken modulo a turn.
        dtype: float32 or float64; the computation has 64 bits.

    Returns:
        Shape (..., 4): w, x, y, z in the axes of the file, of the rotation ``Ry @ Rx @ Rz``.
    """
    angles = np.asarray(angles)
    result = np.empty((*angles.shape[:-1], 4), dtype)
    result[...] = np.moveaxis(quaternion_parts(np.moveaxis(angles, -1, 0)), 0, -1)
    return result


def quaternion_parts(angles: NDArray[np.integer]) -> NDArray[np.float64]:
    """Convert angles (3, ...) to unit quaternions (4, ...), component by component: fastest for many.

    Angles and quaternions are those of :func:`quaternions_from_angles`.
    """
    numbers = angles.astype(np.uint16)
    cosines, sines = _half_angles()
    (cx, cy, cz), (sx, sy, sz) = cosines[numbers], sines[numbers]  # take() takes four times as long
    cc, ss, sc, cs = cy * cz, sy * sz, sy * cz, cy * sz
    result = np.empty((4, *angles.shape[1:]))
    np.add(cc * cx, ss * sx, out=result[0, ...])
    np.add(cc * sx, ss * cx, out=result[1, ...])
    np.subtract(sc * cx, cs * sx, out=result[2, ...])
    np.subtract(cs * cx, sc * sx, out=result[3, ...])
    return result


def matrices_from_quaternions(
    quaternions: NDArray[np.floating], out: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Convert unit quaternions, shape (..., 4), to rotation matrices, shape (..., 3, 3).

    ``out`` is the array for them, by default a new one.
    """
    q = np.asarray(quaternions, np.float64)
    double = q + q
    squares = q[..., 1:] * double[..., 1:]
    result = np.empty((*q.shape[:-1], 3, 3)) if out is None else out
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        result[..., a, a] = 1.0 - squares[..., b] - squares[..., c]
        product, turn = q[..., 1 + a] * double[..., 1 + b], q[..., 0] * double[..., 1 + c]
        result[..., a, b], result[..., b, a] = product - turn, product + turn
    return result


def angles_from_quaternions(
    quaternions: NDArray[np.floating],
    bits: int,
    *,
    hints: NDArray[np.integer] | None = None,
    subject: str = "rotation",
) -> NDArray[np.uint16]:
    """Convert quaternions to angles that files can store.

    Many angle triples give the same rotation. A rotation about a single axis is returned with that axis
    alone, so TR4 and TR5 keep its 12 bits. Otherwise x is within a quarter turn of 0, and if it is a quarter
    turn (gimbal lock), z is 0.

    Args:
        quaternions: shape (..., 4), w, x, y, z in the axes of the file, of any length and sign.
        bits: 10 or 12, of the angle of a rotation about a single axis, as in :func:`round_angles`.
        hints: shape (..., 3), the original angles, which are kept if they give the same rotation (within
            about 0.01 degrees).

    Returns:
        Shape (..., 3), in 1/65536 turns, each a value that a file can store.

    Raises:
        ExportError: if a quaternion is not finite.
    """
    shape = np.shape(quaternions)[:-1]
    q = np.array(quaternions, np.float64).reshape(-1, 4)
    length = np.sqrt(np.einsum("...i,...i->...", q, q))
    if not np.isfinite(length).all():
        raise ExportError(subject, T("a rotation is not a number"))
    is_zero = length == 0.0
    q[is_zero] = (1.0, 0.0, 0.0, 0.0)
    q /= np.where(is_zero, 1.0, length)[..., None]
    result = round_angles(_euler_angles(q) * (TURN / (2.0 * np.pi)), bits)
    if hints is not None:
        original = np.asarray(hints).astype(np.uint16).reshape(-1, 3)
        original_quaternions = quaternions_from_angles(original, np.float64)
        sign = np.where(np.einsum("...i,...i->...", q, original_quaternions) < 0.0, -1.0, 1.0)
        difference = q - original_quaternions * sign[..., None]
        is_same = np.einsum("...i,...i->...", difference, difference) < _SAME**2
        result = np.where(is_same[..., None], original, result)
    return result.reshape(*shape, 3)


def _euler_angles(q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return angles in radians, shape (n, 3), of unit quaternions, shape (n, 4).

    With a, b, c for half of x, y, z, the components pair up as ``w + x = (cos a + sin a) cos(b - c)``, ``y -
    z = (cos a + sin a) sin(b - c)``, ``w - x = (cos a - sin a) cos(b + c)``, ``y + z = (cos a - sin a) sin(b
    + c)``: no step loses precision near gimbal lock, as an arcsine would.
    """
    w, x, y, z = (q[..., component] for component in range(4))
    sum_length, difference_length = np.hypot(w + x, y - z), np.hypot(w - x, y + z)
    b_minus_c = np.arctan2(y - z, w + x)
    b_plus_c = np.arctan2(y + z, w - x)
    pitch = 2.0 * np.arctan2(sum_length, difference_length) - np.pi / 2.0
    # If x rounds to a quarter turn, only y - z (or y + z) is defined. All of it is given to y.
    lock = np.pi / 2.0 - np.pi / 1024.0
    b_plus_c = np.where(pitch > lock, b_minus_c, b_plus_c)
    b_minus_c = np.where(pitch < -lock, b_plus_c, b_minus_c)
    result = np.stack([pitch, b_plus_c + b_minus_c, b_plus_c - b_minus_c], axis=-1)
    vector = q[..., 1:]
    squares = vector**2
    rest = squares.sum(axis=-1)
    for axis in range(3):
        is_alone = rest - squares[..., axis] < _ON_AXIS**2
        turn = 2.0 * np.arctan2(vector[is_alone, axis], w[is_alone])
        result[is_alone] = 0.0
        result[is_alone, axis] = turn
    return result


def round_angles(angles: NDArray[Any], bits: int) -> NDArray[np.uint16]:
    """Round angles to values that files can store (documentation, chapter 6.2.7).

    A rotation about two or three axes has 10 bits for each. If at most one axis is left, it has 10 bits, and
    12 from TR4 on.

    Args:
        angles: shape (..., 3), in 1/65536 turns, integers or floats.
        bits: those of a single axis, 10 or 12: :attr:`...base.games.Traits.single_axis_bits`.

    Returns:
        Shape (..., 3), u16.
    """
    values = np.asarray(angles, np.float64)
    result = (np.rint(values / 64.0).astype(np.int64) * 64).astype(np.uint16)  # modulo a turn
    if bits == MULTIPLE_AXES_BITS:
        return result
    fine = (np.rint(values / 16.0).astype(np.int64) * 16).astype(np.uint16)
    is_single = _turn_one_axis(fine) | _turn_one_axis(result)
    some = fine[is_single].astype(np.int64)
    largest = np.argmax(np.minimum(some, TURN - some), axis=-1)
    result[is_single] = np.where(np.arange(3) == largest[:, None], some, 0)
    return result


def _turn_one_axis(angles: NDArray[np.uint16]) -> NDArray[np.bool_]:
    """Return which angles, (..., 3), turn about one axis at most; faster than counts of so few."""
    x, y, z = (angles[..., axis] != 0 for axis in range(3))
    return np.asarray(~((x & y) | (y & z) | (z & x)))


def continuous_quaternions(quaternions: NDArray[np.floating]) -> NDArray[np.floating]:
    """Choose the signs of quaternions so that each takes the shortest path to the next.

    A rotation has two quaternions, q and -q. Curves must not go from one to the other between keys.

    Args:
        quaternions: shape (keys, ..., 4).

    Returns:
        The same rotations, shape and type; the dot product of neighboring keys is never negative, and the
            first key keeps its signs.
    """
    result = quaternions.copy()
    if len(quaternions) < 2:
        return result
    dots = np.einsum("...i,...i->...", quaternions[1:], quaternions[:-1])
    signs = np.cumprod(np.where(dots < 0.0, -1, 1), axis=0, dtype=np.int8)
    result[1:] *= signs[..., None]
    return result


def make_continuous(parts: NDArray[np.float64], starts: NDArray[np.integer]) -> None:
    """Choose signs as :func:`continuous_quaternions` does, in place, for many concatenated animations.

    Args:
        parts: shape (4, r), w, x, y, z of r quaternions, modified in place.
        starts: the first quaternion of each animation, ascending, including 0; they keep their signs.
    """
    if not parts.shape[1]:
        return
    turns = np.zeros(parts.shape[1], np.bool_)  # where the sign changes
    np.less((parts[:, 1:] * parts[:, :-1]).sum(axis=0), 0.0, out=turns[1:])
    turns[starts] = False
    negative = np.logical_xor.accumulate(turns)
    negative ^= np.repeat(negative[starts], np.diff(starts, append=len(turns)))
    np.negative(parts, out=parts, where=negative)
