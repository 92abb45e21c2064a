"""Conversion of poses between the file and Blender, as arrays, without access to data-blocks.

A file's rotation rotates a mesh about the axes of its parent mesh, in the file's axes. A pose bone rotates
about its own axes at rest. Both are the same rotation in different axes, so only the vector part of the
quaternion has to be transformed: by the *frame* of the bone, a rotation matrix of shape (3, 3) from the
file's axes to the bone's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....formats.base import AnyFloats
from ....formats.levels.animations import make_continuous, matrices_from_quaternions, quaternion_parts
from ...core.space import Space

_TO_BLENDER = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])  # a unit quaternion times this is its inverse


def frames_of(rests: ArrayLike) -> NDArray[np.float64]:
    """Return the frames, (m, 3, 3), of m bones by their rotations at rest in the armature's space, (m, 4)."""
    q = np.asarray(rests, np.float64).reshape(-1, 4)
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    inverse = matrices_from_quaternions(q).swapaxes(-1, -2)
    return np.asarray(inverse @ _TO_BLENDER, np.float64)


def multiply(a: AnyFloats, b: AnyFloats) -> NDArray[np.float64]:
    """Return the products of quaternions, shape (…, 4): b is applied first."""
    aw, ax, ay, az = np.moveaxis(np.asarray(a, np.float64), -1, 0)
    bw, bx, by, bz = np.moveaxis(np.asarray(b, np.float64), -1, 0)
    real = aw * bw - ax * bx - ay * by - az * bz
    result = np.empty((*real.shape, 4))
    result[..., 0] = real
    result[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    result[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    result[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return result


def relative_turns(turns: NDArray[np.float64], parents: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return quaternions of m bones, (n, m, 4), relative to those of their parents, (m,), -1 for none."""
    result, children = turns.copy(), np.flatnonzero(parents >= 0)
    result[:, children] = multiply(turns[:, parents[children]] * CONJUGATE, turns[:, children])
    return result


def turns_to_blender(
    angles: NDArray[np.integer],
    frames: NDArray[np.float64],
    lengths: NDArray[np.integer],
    starts: NDArray[np.integer],
) -> NDArray[np.float64]:
    """Convert the file's angles to quaternions of pose bones that are continuous from key to key.

    Args:
        angles: (3, r), x, y and z of rotations of b bones: all of the first bone, then of the second, …
        frames: (b, 3, 3).
        lengths: (b,), the number of rotations of each bone.
        starts: the first rotation of each bone and animation, ascending. Signs are continuous within an
            animation.

    Returns:
        (4, r), w, x, y, z.
    """
    parts = quaternion_parts(angles)
    rows = np.repeat(frames.reshape(-1, 9).T, lengths, axis=1)
    x, y, z = parts[1:].copy()
    for axis in range(3):
        row = rows[3 * axis : 3 * axis + 3]
        np.add(row[0] * x + row[1] * y, row[2] * z, out=parts[1 + axis])
    make_continuous(parts, starts)
    return parts


def rotations_to_blender(angles: NDArray[np.integer], frames: NDArray[np.float64]) -> NDArray[np.float32]:
    """Convert the file's angles, shape (n, m, 3), at n keys of one animation to quaternions, (n, m, 4)."""
    keys, bones = angles.shape[:2]
    lengths, starts = np.full(bones, keys), np.arange(bones) * keys
    parts = turns_to_blender(angles.transpose(2, 1, 0).reshape(3, -1), frames, lengths, starts)
    return parts.reshape(4, bones, keys).transpose(2, 1, 0).astype(np.float32)


def rotations_to_file(q: AnyFloats, frames: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert quaternions of pose bones, shape (n, m, 4), of any length, to the file's axes."""
    result = np.array(q, np.float64)
    result[..., 1:] = np.einsum("bji,nbj->nbi", frames, result[..., 1:])
    return result


def positions_to_blender(
    offsets: NDArray[Any], frame: NDArray[np.float64], head: NDArray[Any], space: Space
) -> NDArray[np.float32]:
    """Convert positions of the root mesh, (n, 3) in the file's units, to locations of the root bone.

    ``frame``, (3, 3), and ``head``, (3,) in the file's units and axes, are the root bone's at rest; as
    imported, the head is 0.
    """
    moved = (offsets.astype(np.float64) - head) * space.scale
    return (moved @ frame.T).astype(np.float32)


def positions_to_file(
    locations: AnyFloats, frame: NDArray[np.float64], head: NDArray[Any], space: Space
) -> NDArray[np.float64]:
    """Convert locations of the root bone, shape (n, 3), to the file's units, not rounded."""
    return np.asarray((np.asarray(locations, np.float64) @ frame) / space.scale + head, np.float64)


def from_euler(angles: AnyFloats, order: str) -> NDArray[np.float64]:
    """Convert Blender's Euler angles about x, y and z, shape (…, 3) in radians, to quaternions.

    The first axis of the order, such as "XYZ", is applied first.
    """
    angles = np.asarray(angles, np.float64)
    result = np.zeros((*angles.shape[:-1], 4))
    result[..., 0] = 1.0
    for letter in order:
        axis = "XYZ".index(letter)
        turn = np.zeros_like(result)
        turn[..., 0] = np.cos(angles[..., axis] / 2)
        turn[..., 1 + axis] = np.sin(angles[..., axis] / 2)
        result = multiply(turn, result)
    return result


def from_axis_angle(values: AnyFloats) -> NDArray[np.float64]:
    """Convert Blender's angle and axis, shape (…, 4), to quaternions; without an axis to no rotation."""
    values = np.asarray(values, np.float64)
    length = np.linalg.norm(values[..., 1:], axis=-1, keepdims=True)
    axis = values[..., 1:] / np.where(length > 0, length, 1.0)
    half = values[..., :1] / 2
    return np.concatenate([np.cos(half), np.sin(half) * axis], axis=-1)
