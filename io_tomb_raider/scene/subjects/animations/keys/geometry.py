"""Arithmetic of limbs, as arrays in the space of an armature.

A limb's helper chain bends in a plane: *a* is the direction from the upper joint to the end, *p* the way that
the middle joint goes, perpendicular to *a*, and *n* (the cross product of both) the axis of its hinge. The
bones of the chain point along y and have *n* as x.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .....formats.base import Floats
from .....formats.levels.animations import matrices_from_quaternions
from ....mesh.poly_mesh import cross
from .key_poses import slerp

_SPAN = 0.96  # of its length that the helper chain spans at rest, so that the solver knows its plane
# Limbs that bend less have no plane of their own, and use that of the bone: sine of the angle at the hip.
_STRAIGHT = np.sin(np.radians(1.0))
# Blender's solver leaves a limb bent by 0.3 degrees where it should be straight, so the chain is bent a bit
# more: the sine of its angle at the shorter bone. Its end is 0.004 units off, and twists take up the rest.
_LEAST_BEND = np.sin(np.radians(0.25))
_LEAST = 1e-9  # smaller fractions are 0
_REACH = 0.999995  # of its length that Blender's solver stretches a chain to


def unit(vectors: Floats) -> Floats:
    """Return vectors (…, 3) of length 1; those of no length stay 0."""
    length = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
    return np.asarray(vectors / np.where(length > 0, length, 1.0), np.float64)


def smallest_turns(start: Floats, end: Floats) -> Floats:
    """Return the smallest rotations (…, 3, 3) from directions to others, (…, 3) of any length."""
    a, b = unit(start), unit(end)
    axis = cross(a, b)
    cosine = (a * b).sum(axis=-1)[..., None, None]
    skew = np.zeros((*axis.shape[:-1], 3, 3))
    skew[..., 0, 1], skew[..., 0, 2] = -axis[..., 2], axis[..., 1]
    skew[..., 1, 0], skew[..., 1, 2] = axis[..., 2], -axis[..., 0]
    skew[..., 2, 0], skew[..., 2, 1] = -axis[..., 1], axis[..., 0]
    turned = np.eye(3) + skew + skew @ skew / np.maximum(1.0 + cosine, 1e-9)
    is_opposite = cosine < -1.0 + 1e-7
    if not is_opposite.any():
        return np.asarray(turned, float)
    # Half a turn about any axis across.
    across = unit(cross(a, np.where(np.abs(a[..., :1]) < 0.7, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])))
    half = 2.0 * across[..., :, None] * across[..., None, :] - np.eye(3)
    return np.asarray(np.where(is_opposite, half, turned), float)


def across(vectors: Floats, along: Floats) -> Floats:
    """Return the parts of vectors that are perpendicular to unit vectors."""
    return np.asarray(vectors - (vectors * along).sum(axis=-1, keepdims=True) * along, np.float64)


def frames(y: Floats, x: Floats) -> Floats:
    """Return rotation matrices (…, 3, 3) with these directions as y, and as nearly as possible as x."""
    y = unit(y)
    x = unit(across(x, y))
    return np.stack([x, y, np.cross(x, y)], axis=-1)


@dataclass(frozen=True, eq=False)
class Chain:
    """The helper chain of a limb at rest."""

    #: upper, lower: (3, 3), the orientations of its bones.
    upper: Floats
    lower: Floats
    #: start, middle, end: (3,), its joints.
    start: Floats
    middle: Floats
    end: Floats
    pole: Floats  #: (3,), where the pole is.
    lengths: tuple[float, float]  #: of both bones.


def bent_chain(joints: Floats, bend: Floats) -> Chain:
    """Return the helper chain of a limb.

    Args:
        joints: (3, 3), the joints of the upper, lower and end bone.
        bend: (3,), the direction that the middle joint goes.
    """
    start, middle, end = joints
    one, two = float(np.linalg.norm(middle - start)), float(np.linalg.norm(end - middle))
    along = unit(end - start) if np.linalg.norm(end - start) > 1e-6 * (one + two) else unit(middle - start)
    sideways = unit(across(bend, along))
    if not sideways.any():  # the limb points where it should bend
        sideways = unit(across(np.array([0.0, 0.0, 1.0]), along))
    # Bones of very different lengths cannot be folded further than their difference.
    shortest = abs(one - two)
    reach = max(_SPAN * (one + two), (shortest + one + two) / 2)
    forward, aside = _triangle(np.array(one), np.array(two), np.array(reach))
    knee = start + along * forward + sideways * aside
    tip = start + along * reach
    hinge = np.asarray(np.cross(along, sideways), np.float64)
    return Chain(
        frames(knee - start, hinge),
        frames(tip - knee, hinge),
        start,
        knee,
        tip,
        middle + sideways * (one + two),
        (one, two),
    )


def _triangle(one: Floats, two: Floats, reach: Floats) -> tuple[Floats, Floats]:
    """Return how far the middle joint is along the line to the end, and beside it."""
    reach = np.maximum(reach, 1e-9)
    forward = (reach**2 + one**2 - two**2) / (2 * reach)
    forward = np.clip(forward, -one, one)
    return forward, np.sqrt(np.maximum(one**2 - forward**2, 0.0))


@dataclass(frozen=True, eq=False)
class Solution:
    """How the solver turns a chain in n poses."""

    poles: Floats  #: (n, 3), where the pole is.
    #: (n, 3), where the end of the chain is: at that of the limb, or a bit nearer if it is straight.
    ends: Floats
    #: upper, lower: (n, 3, 3), the orientations of the chain's bones.
    upper: Floats
    lower: Floats


def solve(joints: Floats, hinges: Floats, lengths: tuple[float, float]) -> Solution:
    """Return the pole and the end of the chain for n poses of a limb, and how the solver then turns it.

    Args:
        joints: (n, 3, 3), the joints of the upper, lower and end bone.
        hinges: (n, 3), where the middle joint goes by the orientation of the upper bone: used where the limb
            is straight.
        lengths: of both bones.
    """
    start, middle, end = joints[:, 0], joints[:, 1], joints[:, 2]
    size = lengths[0] + lengths[1]
    line = end - start
    far = np.linalg.norm(line, axis=1, keepdims=True)
    along = np.where(far > 1e-6 * size, unit(line), unit(middle - start))
    bent = across(middle - start, along)
    is_straight = np.linalg.norm(bent, axis=1, keepdims=True) < _STRAIGHT * lengths[0]
    by_hinge = across(hinges, along)
    usable = np.linalg.norm(by_hinge, axis=1, keepdims=True) > 0.1
    sideways = unit(np.where(is_straight & usable, by_hinge, bent))
    lost = ~sideways.any(axis=1)
    sideways[lost] = unit(across(np.array([[0.0, 0.0, 1.0]]), along[lost]))
    least = _LEAST_BEND * min(lengths)
    far = np.minimum(far, sum(np.sqrt(length**2 - least**2) for length in lengths))
    knee, upper, lower = _bent(start, along, sideways, far, np.array(lengths[0]), np.array(lengths[1]))
    return Solution(knee + sideways * size, start + along * far, upper, lower)


def _bent(
    starts: Floats, along: Floats, sideways: Floats, far: Floats, upper: Floats, lower: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the middle joints (…, 3) of chains, and the orientations (…, 3, 3) of both bones.

    Args:
        starts: (…, 3), the first joints.
        along, sideways: (…, 3), unit vectors toward the ends, and to where the middle joints go.
        far, upper, lower: (…, 1), the distances of the ends, and the lengths of the bones.
    """
    forward, aside = _triangle(upper, lower, far)
    middles = starts + along * forward + sideways * aside
    hinges = np.asarray(np.cross(along, sideways), np.float64)
    ends = starts + along * far
    return middles, frames(middles - starts, hinges), frames(ends - middles, hinges)


def bend_chain(
    starts: Floats, goals: Floats, poles: Floats, upper: Floats, lower: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return what Blender's solver does to chains of two bones, in n poses of k chains.

    Args:
        starts, goals, poles: (n, k, 3), the joints of the upper bones, the places for the ends, and the
            points toward which the chains bend.
        upper, lower: (k, 1), the lengths of the bones.

    Returns:
        The joints between both bones, (n, k, 3), and the orientations of the upper and the lower bones,
        (n, k, 3, 3).
    """
    line = goals - starts
    far = np.linalg.norm(line, axis=-1, keepdims=True)
    far = np.clip(far, np.abs(upper - lower), _REACH * (upper + lower))
    along = unit(line)
    return _bent(starts, along, unit(across(poles - starts, along)), far, upper, lower)


def quaternions(matrices: Floats) -> Floats:
    """Return the quaternions (…, 4) w, x, y, z of rotation matrices, (…, 3, 3)."""
    m = np.asarray(matrices, float)
    trace = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    diagonal = np.stack([trace, m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]], axis=-1)
    # Four times each component times all: the row of the largest component is exact.
    zy, xz, yx = (m[..., i, j] - m[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0)))
    xy, zx, yz = (m[..., i, j] + m[..., j, i] for i, j in ((1, 0), (0, 2), (2, 1)))
    rows = np.empty((*m.shape[:-2], 4, 4))
    rows[..., 0, :] = np.stack([1.0 + trace, zy, xz, yx], axis=-1)
    rows[..., 1, :] = np.stack([zy, 1.0 + 2.0 * m[..., 0, 0] - trace, xy, zx], axis=-1)
    rows[..., 2, :] = np.stack([xz, xy, 1.0 + 2.0 * m[..., 1, 1] - trace, yz], axis=-1)
    rows[..., 3, :] = np.stack([yx, zx, yz, 1.0 + 2.0 * m[..., 2, 2] - trace], axis=-1)
    best = diagonal.argmax(axis=-1)
    found = np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :]
    return np.asarray(found / np.linalg.norm(found, axis=-1, keepdims=True), float)


def matrices(turns: Floats) -> Floats:
    """Return rotation matrices (…, 3, 3) of quaternions (…, 4)."""
    return np.asarray(matrices_from_quaternions(turns), np.float64)


def planes(*shape: int) -> Floats:
    """Return an array with its axes in the reverse order in memory, and undefined values.

    NumPy then multiplies all matrices element by element, several times as fast as one after the other.
    """
    return np.empty(shape[::-1]).T


def product(a: Floats, b: Floats) -> Floats:
    """Return the products of matrices (…, 3, 3)."""
    return np.asarray(np.einsum("...ij,...jk->...ik", a, b), np.float64)


def rotated(turns: Floats, vectors: Floats) -> Floats:
    """Return vectors (…, 3) turned by matrices (…, 3, 3)."""
    return np.asarray(np.einsum("...ij,...j->...i", turns, vectors), np.float64)


def mixed(a: Floats, b: Floats, fraction: Floats) -> Floats:
    """Return rotations (n, k, 3, 3) from a to b by fractions (n, k) on the shortest arc."""
    result = np.where(fraction[..., None, None] > 0.5, b, a)
    between = (fraction > _LEAST) & (fraction < 1 - _LEAST)
    if between.any():
        starts, ends = quaternions(a[between])[:, None], quaternions(b[between])[:, None]
        result[between] = matrices(slerp(starts, ends, fraction[between][:, None])[:, 0])
    return result
