"""Angles of limbs, rounded so that the ends of limbs are where they should be.

A step of 10 bits turns a leg of 380 units by 2.3 units. If each angle of a chain is rounded alone, a foot
that stands still trembles by up to 3 units. Rounded together, errors of the upper and the lower bone cancel.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Floats
from ...base.units import TURN
from .rotations import matrices_from_quaternions, quaternions_from_angles

_STEP = 64  # of an angle of 10 bits
_ALL_STEPS = np.stack(np.meshgrid(*[(-_STEP, 0, _STEP, 2 * _STEP)] * 3, indexing="ij"), axis=-1).reshape(
    -1, 3
)
_NEXT_STEPS = np.stack(np.meshgrid(*[(0, _STEP)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
_MIDDLE = 0.02  # how much the place of the middle joint counts beside that of the end
_TWIST = 0.005  # units²: how much a step away from the wanted angle counts
_LOCKED = 0.99  # sine of x: near a quarter turn, y and z turn about the same axis
_EXACT = np.cos(np.radians(0.01) / 2)  # rotations that differ less are the same
_AT_ONCE = 64  # poses


def closest_angles(
    angles: NDArray[np.integer],
    quaternions: Floats,
    parents: NDArray[np.integer],
    offsets: NDArray[Any],
    moved: Floats,
    *,
    whole_limbs: bool | NDArray[np.bool_] = False,
) -> NDArray[np.uint16]:
    """Return angles of n poses of a model with m bones, rounded for the ends of its limbs.

    A limb is a bone with one child that has a child itself. Angles of its bones that are between two steps
    change; exact and other angles stay.

    Args:
        angles: (n, m, 3), in 1/65536 turns, each rounded alone.
        quaternions: (n, m, 4), w, x, y, z in the axes of the file: the wanted rotations relative to parents.
        parents: (m,), the parent of each bone, less than its own number; -1 for none.
        offsets: (m, 3), from the joint of the parent, in units.
        moved: (n, 3), how far the rounded place of the first bone is from the wanted one, in units.
        whole_limbs: whether, or in which poses (n,), both bones of a limb may change if one is between two
            steps.
    """
    result: NDArray[np.uint16] = np.asarray(angles).astype(np.uint16)
    rounded = quaternions_from_angles(angles, np.float64)
    free = np.abs((quaternions * rounded).sum(axis=-1)) < _EXACT * np.linalg.norm(quaternions, axis=-1)
    if np.any(whole_limbs):
        for upper, lower, _ in _limbs(parents):
            free[:, [upper, lower]] |= ((free[:, upper] | free[:, lower]) & whole_limbs)[:, None]
    for rows in np.array_split(np.flatnonzero(free.any(axis=1)), max(1, len(free) // _AT_ONCE)):
        if len(rows):
            result[rows] = _closest(
                angles[rows], quaternions[rows], free[rows], parents, offsets, moved[rows]
            )
    return result


def _closest(
    angles: NDArray[np.integer],
    quaternions: Floats,
    free: NDArray[np.bool_],
    parents: NDArray[np.integer],
    offsets: NDArray[Any],
    moved: Floats,
) -> NDArray[np.uint16]:
    result: NDArray[np.uint16] = angles.astype(np.uint16)
    wanted, joints = _posed(quaternions, parents, offsets)
    for upper, lower, end in _limbs(parents):
        rows = np.flatnonzero(free[:, upper] | free[:, lower])
        for is_free in ((True, True), (True, False), (False, True)):
            some = rows[(free[rows][:, [upper, lower]] == is_free).all(axis=1)]
            if not len(some):
                continue
            posed, places = _posed(quaternions_from_angles(result[some], np.float64), parents, offsets)
            above = posed[:, parents[upper]] if parents[upper] >= 0 else np.eye(3)[None]
            start = places[:, upper] + moved[some]
            result[some, upper], result[some, lower] = _limb_angles(
                (above.swapaxes(-1, -2) @ wanted[some, upper], wanted[some, lower]),
                (joints[some, lower], joints[some, end]),
                (above, start, offsets[lower].astype(float), offsets[end].astype(float)),
                (result[some, upper], result[some, lower]),
                is_free,
            )
        ends = rows[free[rows, end]]
        if len(ends):
            posed, _ = _posed(quaternions_from_angles(result[ends], np.float64), parents, offsets)
            local = posed[:, lower].swapaxes(-1, -2) @ wanted[ends, end]
            result[ends, end] = _nearest(local, result[ends, end])
    return result


def _limbs(parents: NDArray[np.integer]) -> Iterator[tuple[int, int, int]]:
    """Yield the upper, the lower and the end bone of each limb, from the first bone on.

    Limbs of more bones overlap, so that the last one counts.
    """
    children: list[list[int]] = [[] for _ in parents]
    for bone, parent in enumerate(parents.tolist()):
        if parent >= 0:
            children[parent].append(bone)
    for bone, below in enumerate(children):
        if len(below) == 1 and children[below[0]]:
            yield bone, below[0], children[below[0]][0]


def _posed(
    quaternions: NDArray[np.floating], parents: NDArray[np.integer], offsets: NDArray[Any]
) -> tuple[Floats, Floats]:
    """Return the orientations (n, m, 3, 3) and joints (n, m, 3) of poses, relative to the first joint."""
    local = matrices_from_quaternions(quaternions)
    whole, joints = local.copy(), np.zeros((*local.shape[:2], 3))
    for bone, parent in enumerate(parents.tolist()):
        if parent >= 0:
            whole[:, bone] = whole[:, parent] @ local[:, bone]
            joints[:, bone] = joints[:, parent] + whole[:, parent] @ offsets[bone]
    return whole, joints


def _limb_angles(
    wanted: tuple[Floats, Floats],
    goals: tuple[Floats, Floats],
    limb: tuple[Floats, Floats, Floats, Floats],
    angles: tuple[NDArray[np.uint16], NDArray[np.uint16]],
    is_free: tuple[bool, bool],
) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Return the angles of the upper and the lower bone of a limb in n poses.

    Args:
        wanted: (n, 3, 3), the upper bone relative to its parent, and the lower bone in the model.
        goals: (n, 3), where the middle joint and the end should be.
        limb: the orientation above the limb (n, 3, 3), its start (n, 3), and both bones (3,).
        angles: (n, 3), those that stay near gimbal lock, and where a bone is not free.
        is_free: whether each bone may be rounded otherwise.
    """
    above, start, upper_bone, lower_bone = limb
    middle_goal, end_goal = goals
    exact = _euler(wanted[0]) if is_free[0] else angles[0].astype(float)
    tries = (
        np.floor(exact / _STEP)[:, None] * _STEP + _ALL_STEPS if is_free[0] else exact[:, None]
    )  # (n, a, 3)
    upper = above[:, None] @ _matrices(tries)
    middle = start[:, None] + upper @ upper_bone
    # The lower bone points to the end from where the middle joint is.
    aimed = _smallest_turns(wanted[1] @ lower_bone, end_goal[:, None] - middle) @ wanted[1][:, None]
    local = upper.swapaxes(-1, -2) @ aimed
    if is_free[1]:
        below = np.floor(_euler(local) / _STEP)[:, :, None] * _STEP + _NEXT_STEPS  # (n, a, b, 3)
    else:
        below = np.broadcast_to(angles[1].astype(float)[:, None, None], (*tries.shape[:2], 1, 3))
    ends = middle[:, :, None] + upper[:, :, None] @ _matrices(below) @ lower_bone
    error = ((ends - end_goal[:, None, None]) ** 2).sum(axis=-1)
    error += _MIDDLE * ((middle - middle_goal[:, None]) ** 2).sum(axis=-1)[:, :, None]
    error += _TWIST * (((tries - exact[:, None]) / _STEP) ** 2).sum(axis=-1)[:, :, None]
    first, second = np.unravel_index(error.reshape(len(error), -1).argmin(axis=1), error.shape[1:])
    rows = np.arange(len(error))
    is_locked = (np.abs(wanted[0][:, 1, 2]) > _LOCKED) & is_free[0]
    is_locked |= (np.abs(local[rows, first, 1, 2]) > _LOCKED) & is_free[1]
    found = (tries[rows, first] % TURN, below[rows, first, second] % TURN)
    kept = [np.where(is_locked[:, None], old, new) for old, new in zip(angles, found, strict=True)]
    return kept[0].astype(np.uint16), kept[1].astype(np.uint16)


def _nearest(local: Floats, angles: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Return the angles of the rotations nearest to others, (n, 3, 3); old ones near gimbal lock."""
    tries = np.floor(_euler(local) / _STEP)[:, None] * _STEP + _NEXT_STEPS
    error = ((_matrices(tries) - local[:, None]) ** 2).sum(axis=(-1, -2))
    found = tries[np.arange(len(tries)), error.argmin(axis=1)] % TURN
    is_locked = np.abs(local[:, 1, 2]) > _LOCKED
    return np.where(is_locked[:, None], angles, found).astype(np.uint16)


def _matrices(angles: Floats) -> Floats:
    """Return the rotations (…, 3, 3) of whole angles (…, 3)."""
    return matrices_from_quaternions(quaternions_from_angles(angles.astype(np.int64), np.float64))


def _euler(matrices: Floats) -> Floats:
    """Return the angles of rotations (…, 3, 3) in 1/65536 turns, (…, 3), without rounding."""
    x = -np.arcsin(np.clip(matrices[..., 1, 2], -1.0, 1.0))
    y = np.arctan2(matrices[..., 0, 2], matrices[..., 2, 2])
    z = np.arctan2(matrices[..., 1, 0], matrices[..., 1, 1])
    return np.stack([x, y, z], axis=-1) * (TURN / (2 * np.pi))


def _smallest_turns(one: Floats, other: Floats) -> Floats:
    """Return the smallest rotations (n, a, 3, 3) from directions (n, 3) to others (n, a, 3)."""
    one = one[:, None] / np.linalg.norm(one, axis=-1)[:, None, None]
    other = other / np.maximum(np.linalg.norm(other, axis=-1, keepdims=True), 1e-9)
    axis = np.cross(one, other)
    cosine = np.maximum((one * other).sum(axis=-1), -0.999)
    across = np.zeros((*axis.shape, 3))
    across[..., 0, 1], across[..., 0, 2], across[..., 1, 2] = -axis[..., 2], axis[..., 1], -axis[..., 0]
    across -= across.swapaxes(-1, -2).copy()
    return np.eye(3) + across + across @ across / (1 + cosine)[..., None, None]
