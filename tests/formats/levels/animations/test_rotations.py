"""Angles and quaternions (documentation, chapter 6.2.7)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.formats.levels.animations.rotations import (
    angles_from_quaternions,
    continuous_quaternions,
    make_continuous,
    quaternions_from_angles,
    round_angles,
)

ALL_GAMES = pytest.mark.parametrize("game", list(Game))


def matrices(quaternions: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return rotation matrices (n, 3, 3) of unit quaternions (n, 4)."""
    w, x, y, z = quaternions.astype(np.float64).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def game_matrices(angles: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the games' matrices of angles: yaw, then pitch, then roll, each about its own axis."""
    x, y, z = angles.T * (2 * np.pi / 65536)
    one, nil = np.ones_like(x), np.zeros_like(x)
    about_x = [[one, nil, nil], [nil, np.cos(x), -np.sin(x)], [nil, np.sin(x), np.cos(x)]]
    about_y = [[np.cos(y), nil, np.sin(y)], [nil, one, nil], [-np.sin(y), nil, np.cos(y)]]
    about_z = [[np.cos(z), -np.sin(z), nil], [np.sin(z), np.cos(z), nil], [nil, nil, one]]
    rx, ry, rz = (np.moveaxis(np.array(each), 2, 0) for each in (about_x, about_y, about_z))
    return ry @ rx @ rz


def assert_same_rotations(angles: NDArray[np.uint16], found: NDArray[np.uint16]) -> None:
    a, b = quaternions_from_angles(angles, np.float64), quaternions_from_angles(found, np.float64)
    apart = np.minimum(np.abs(a - b).max(axis=-1), np.abs(a + b).max(axis=-1))
    assert apart.max() < 1e-12


def test_a_quarter_turn_of_yaw_looks_from_forward_to_the_right() -> None:
    matrix = matrices(quaternions_from_angles(np.array([[0, 16384, 0]]), np.float64))[0]
    np.testing.assert_allclose(matrix @ [0, 0, 1], [1, 0, 0], atol=1e-15)


def test_quaternions_turn_as_the_matrix_stack_of_the_games() -> None:
    angles = np.random.default_rng(1).integers(0, 65536, (2000, 3))
    found = matrices(quaternions_from_angles(angles, np.float64))
    np.testing.assert_allclose(found, game_matrices(angles), atol=1e-13)


def test_quaternions_of_any_shape_and_type() -> None:
    angles = np.zeros((3, 2, 3), np.uint16)
    assert quaternions_from_angles(angles).dtype == np.float32
    assert quaternions_from_angles(angles)[2, 1].tolist() == [1, 0, 0, 0]
    assert quaternions_from_angles(np.array([-16384, 0, 0])).shape == (4,)
    assert angles_from_quaternions(np.zeros((0, 5, 4)), 10).shape == (0, 5, 3)


@ALL_GAMES
def test_every_single_axis_angle_comes_back_alone_and_exact(game: Game) -> None:
    step = 16 if game >= Game.TR4 else 64
    for axis in range(3):
        angles = np.zeros((65536 // step, 3), np.uint16)
        angles[:, axis] = np.arange(0, 65536, step)
        for sign in (1, -1):
            found = angles_from_quaternions(
                sign * quaternions_from_angles(angles, np.float32), game.traits.single_axis_bits
            )
            np.testing.assert_array_equal(found, angles)


@ALL_GAMES
def test_three_axis_angles_come_back_as_the_same_rotation(game: Game) -> None:
    x, y, z = np.meshgrid(np.arange(1024), np.arange(0, 1024, 31), np.arange(3, 1024, 29), indexing="ij")
    angles = (np.stack([x, y, z], axis=-1) * 64).astype(np.uint16)
    found = angles_from_quaternions(quaternions_from_angles(angles, np.float32), game.traits.single_axis_bits)
    assert_same_rotations(angles, found)
    pitch = found[..., 0].astype(np.int16).astype(int)
    alone = np.count_nonzero(found, axis=-1) <= 1
    assert np.abs(pitch[~alone]).max() <= 16384


@pytest.mark.parametrize("game", [Game.TR1, Game.TR5])
def test_rotations_about_gimbal_lock_come_back(game: Game) -> None:
    pitches = [*range(253, 260), *range(765, 772)]
    x, y, z = np.meshgrid(pitches, np.arange(1024), np.arange(0, 1024, 37), indexing="ij")
    angles = (np.stack([x, y, z], axis=-1) * 64).astype(np.uint16)
    found = angles_from_quaternions(quaternions_from_angles(angles, np.float32), game.traits.single_axis_bits)
    assert_same_rotations(angles, found)
    locked = found[(x == 256) | (x == 768)]
    assert not locked[np.count_nonzero(locked, axis=-1) > 1][:, 2].any()


def test_small_tilts_of_the_grid_are_not_taken_for_a_single_axis() -> None:
    near = np.array([[255 * 64, 64, 64], [64, 0, 64], [257 * 64, 64, 65536 - 64]], np.uint16)
    found = angles_from_quaternions(quaternions_from_angles(near, np.float32), 12)
    assert_same_rotations(near, found)


@given(st.integers(0, 2**32 - 1), st.sampled_from(list(Game)))
def test_any_rotation_is_rounded_to_within_half_a_step(seed: int, game: Game) -> None:
    quaternions = np.random.default_rng(seed).normal(size=(50, 4))
    found = angles_from_quaternions(quaternions, game.traits.single_axis_bits)
    np.testing.assert_array_equal(round_angles(found, game.traits.single_axis_bits), found)
    units = quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)
    dots = np.abs(np.einsum("ni,ni->n", quaternions_from_angles(found, np.float64), units))
    apart = 2 * np.arccos(np.minimum(dots, 1.0))
    assert apart.max() <= 3 * np.pi / 1024 + 1e-9  # half a step for each of three axes


def test_angles_equal_hints_of_the_same_rotation() -> None:
    # The first rotates by half a turn twice; the second is another rotation than the requested one.
    hints = np.array([[40000 // 64 * 64, 32768, 128], [6400, 64, 64]], np.uint16)
    asked = quaternions_from_angles(np.array([hints[0], [640, 64, 64]]), np.float32)
    found = angles_from_quaternions(-asked, 10, hints=hints)
    assert found.tolist() == [hints[0].tolist(), [640, 64, 64]]
    assert angles_from_quaternions(asked, 10)[0].tolist() != hints[0].tolist()


def test_quaternions_of_any_length_are_accepted() -> None:
    quaternions = 7.5 * quaternions_from_angles(np.array([[64, 128, 192]]), np.float64)
    assert angles_from_quaternions(quaternions, 10).tolist() == [[64, 128, 192]]
    assert angles_from_quaternions(np.zeros((1, 4)), 10).tolist() == [[0, 0, 0]]


def test_nan_is_refused_by_name() -> None:
    with pytest.raises(ExportError, match="LARA run"):
        angles_from_quaternions(np.array([[1, 0, np.nan, 0]]), 10, subject="LARA run")


def test_rounding_keeps_12_bits_for_a_single_axis_of_the_later_games() -> None:
    angles = np.array([[0, 4112, 0], [16, 4112, 0], [64, 4112, 0], [65530, 20, 9]])
    assert round_angles(angles, 10).tolist() == [[0, 4096, 0], [0, 4096, 0], [64, 4096, 0], [0, 0, 0]]
    expected = [[0, 4112, 0], [0, 4112, 0], [64, 4096, 0], [0, 16, 0]]
    assert round_angles(angles, 12).tolist() == expected
    assert round_angles(np.array([65535.9, 0.0, 0.0]), 12).tolist() == [0, 0, 0]


@given(st.integers(0, 2**32 - 1), st.integers(0, 6), st.integers(0, 3))
def test_continuous_quaternions_take_the_short_way(seed: int, keys: int, meshes: int) -> None:
    quaternions = np.random.default_rng(seed).normal(size=(keys, meshes, 4)).astype(np.float32)
    found = continuous_quaternions(quaternions)
    np.testing.assert_array_equal(np.abs(found), np.abs(quaternions))
    assert found.dtype == quaternions.dtype
    np.testing.assert_array_equal(found[:1], quaternions[:1])
    assert (np.einsum("kmi,kmi->km", found[1:], found[:-1]) >= 0).all()
    sign = np.sign(found) * np.sign(quaternions)
    assert (sign == sign[..., :1]).all()  # a rotation is negated as a whole


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 5), max_size=5))
def test_animations_in_one_array_are_made_continuous_separately(seed: int, lengths: list[int]) -> None:
    quaternions = np.random.default_rng(seed).normal(size=(sum(lengths), 4))
    ends = np.cumsum(lengths, dtype=np.int64)
    parts = quaternions.T.copy()
    make_continuous(parts, ends - lengths)
    for first, end in zip((ends - lengths).tolist(), ends.tolist(), strict=True):
        np.testing.assert_array_equal(parts.T[first:end], continuous_quaternions(quaternions[first:end]))
