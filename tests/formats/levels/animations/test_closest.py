"""Angles of limbs are rounded together, so that the ends of limbs are nearly where they should be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats.levels.animations import (
    angles_from_quaternions,
    closest_angles,
    matrices_from_quaternions,
    quaternions_from_angles,
)

# Hips; thigh, calf and foot as Lara's; a second leg with a paw.
PARENTS = np.array([-1, 0, 1, 2, 0, 4, 5, 6])
OFFSETS = np.array(
    [
        (0, 0, 0),
        *((-40, 0, 0), (0, 190, 10), (0, 187, -8)),
        *((40, 0, 0), (0, 120, 30), (0, 110, -40), (0, 90, 5)),
    ]
)


def joints(quaternions: Any) -> Any:
    """Return the joints of poses, (n, m, 3), bone by bone."""
    local = matrices_from_quaternions(quaternions)
    whole, result = local.copy(), np.zeros((*local.shape[:2], 3))
    for bone, parent in enumerate(PARENTS.tolist()):
        if parent >= 0:
            whole[:, bone] = whole[:, parent] @ local[:, bone]
            result[:, bone] = result[:, parent] + whole[:, parent] @ OFFSETS[bone]
    return result


def poses(seed: int, count: int, bent: float = 0.3) -> Any:
    turns = np.random.default_rng(seed).normal(size=(count, len(PARENTS), 4)) * bent
    turns[..., 0] = 1.0
    return turns / np.linalg.norm(turns, axis=-1, keepdims=True)


def off(angles: Any, wanted: Any, moved: Any) -> Any:
    """Return how far each joint of rounded angles is from the wanted one, (n, m)."""
    found = joints(quaternions_from_angles(angles, np.float64)) + moved[:, None]
    return np.linalg.norm(found - joints(wanted), axis=-1)


@given(st.integers(0, 10_000))
def test_ends_of_limbs_are_within_a_unit_and_a_half(seed: int) -> None:
    wanted = poses(seed, 12, 0.18)  # without gimbal lock
    moved = np.random.default_rng(seed).uniform(-0.5, 0.5, (12, 3))
    rounded = angles_from_quaternions(wanted, 10)
    angles = closest_angles(rounded, wanted, PARENTS, OFFSETS, moved)
    assert angles.dtype == np.uint16 and not (angles % 64).any()
    assert off(angles, wanted, moved)[:, [3, 7]].max() < 1.5
    # No bone turns by more than eight steps.
    turned = np.abs((quaternions_from_angles(angles, np.float64) * wanted).sum(axis=-1))
    assert np.degrees(2 * np.arccos(np.clip(turned, 0, 1))).max() < 8 * 360 / 1024


def test_ends_are_four_times_nearer_than_if_each_angle_is_rounded_alone() -> None:
    wanted, moved = poses(1, 300), np.zeros((300, 3))
    rounded = angles_from_quaternions(wanted, 10)
    alone = off(rounded, wanted, moved)[:, [3, 7]]
    together = off(closest_angles(rounded, wanted, PARENTS, OFFSETS, moved), wanted, moved)[:, [3, 7]]
    assert alone.max() > 2.0
    assert together.mean() < alone.mean() / 4


@given(st.integers(0, 10_000))
def test_exact_angles_stay(seed: int) -> None:
    angles = (np.random.default_rng(seed).integers(0, 1024, (5, len(PARENTS), 3)) * 64).astype(np.uint16)
    exact: Any = quaternions_from_angles(angles, np.float64)
    assert (closest_angles(angles, exact, PARENTS, OFFSETS, np.zeros((5, 3))) == angles).all()


@pytest.mark.parametrize("free", [1, 2])
def test_exact_bones_stay_next_to_others_of_a_limb(free: int) -> None:
    wanted, moved = poses(3, 40), np.zeros((40, 3))
    rounded = angles_from_quaternions(wanted, 10)
    exact = [bone for bone in range(len(PARENTS)) if bone != free]
    wanted[:, exact] = quaternions_from_angles(rounded[:, exact], np.float64)
    angles = closest_angles(rounded, wanted, PARENTS, OFFSETS, moved)
    assert (angles[:, exact] == rounded[:, exact]).all()
    assert (angles[:, free] != rounded[:, free]).any()
    alone, near = (off(each, wanted, moved)[:, 3].mean() for each in (rounded, angles))
    assert near < 0.8 * alone
    limb = closest_angles(rounded, wanted, PARENTS, OFFSETS, moved, whole_limbs=True)
    assert (limb[:, 3 - free] != rounded[:, 3 - free]).any()
    assert off(limb, wanted, moved)[:, 3].mean() < 0.8 * near


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 200])
def test_poses_are_rounded_one_by_one(count: int) -> None:
    wanted, moved = poses(5, count), np.zeros((count, 3))
    rounded = angles_from_quaternions(wanted, 10)
    angles = closest_angles(rounded, wanted, PARENTS, OFFSETS, moved)
    assert angles.shape == rounded.shape
    for row in range(count):
        part = slice(row, row + 1)
        alone = closest_angles(rounded[part], wanted[part], PARENTS, OFFSETS, moved[part])
        assert (angles[part] == alone).all()


def test_angles_near_gimbal_lock_stay() -> None:
    turn = np.array([np.sqrt(0.5), np.sqrt(0.5), 0.001, 0.0005])
    wanted = np.tile(turn / np.linalg.norm(turn), (2, len(PARENTS), 1))
    rounded = angles_from_quaternions(wanted, 10)
    assert (closest_angles(rounded, wanted, PARENTS, OFFSETS, np.zeros((2, 3))) == rounded).all()
