"""Obstruction of light, compared with the compilers' rules for one ray at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from io_tomb_raider.formats.editors.projects.light.rays import Rays
from io_tomb_raider.formats.editors.projects.model.shape import XNZN, XNZP, XPZN, XPZP, RoomShape

Point = tuple[int, int, int]


def cut(number: int, by: int) -> int:
    """Divide integers towards zero."""
    return abs(number) // by * (1 if number >= 0 else -1)


def passes(shape: RoomShape, place: Point, light: Point) -> bool:
    """Return whether one ray passes, by the rules as documented."""
    x, z = (cut(place[axis], 1024) - (place[axis] > light[axis]) for axis in (0, 2))
    if not (0 <= x < shape.x_sectors and 0 <= z < shape.z_sectors):
        return False
    lowest, highest = shape.floor.heights[z, x].min(), shape.ceiling.heights[z, x].max()
    if not round(lowest / 256) <= round(place[1] / 256) <= round(highest / 256):
        return False
    return passes_along(shape, 0, place, light) and passes_along(shape, 2, place, light)


def passes_along(shape: RoomShape, along: int, place: Point, light: Point) -> bool:
    """Return whether a ray passes the borders along x (0) or z (2)."""
    across = 2 - along
    low, high = (place, light) if place[along] <= light[along] else (light, place)
    parts = high[along] - low[along] + 1
    border = (low[along] // 1024 + 1) * 1024
    frac = border - low[along]
    ways = {axis: high[axis] - low[axis] for axis in (1, across)}
    at = {axis: low[axis] + cut(ways[axis] * frac, parts) for axis in ways}
    steps = {axis: cut(ways[axis] * 1024, parts) for axis in ways}
    count = (shape.x_sectors, 0, shape.z_sectors)
    low_side, high_side = ((XNZN, XNZP), (XPZN, XPZP)) if along == 0 else ((XNZN, XPZN), (XNZP, XPZP))
    while border <= high[along]:
        sector, row = border // 1024, cut(at[across], 1024)
        if sector > 0 and 0 <= row < count[across] and sector < count[along]:
            tests = [(sector - 1, low_side)]
            if border != high[along]:
                tests += [(sector - 1, high_side), (sector, low_side)]
            for number, side in tests:
                z, x = (row, number) if along == 0 else (number, row)
                if shape.wall[z, x] and not shape.border[z, x]:
                    return False
                for heights, sign in ((shape.floor.heights, 1), (shape.ceiling.heights, -1)):
                    mean = cut(sum(cut(int(heights[z, x, each]), 256) for each in side), 2)
                    if sign * mean > sign * cut(at[1], 256):
                        return False
        border += 1024
        for axis, step in steps.items():
            at[axis] += step
    return True


def rough(seed: int, x_sectors: int, z_sectors: int) -> RoomShape:
    """Return a room with random heights and walls."""
    random = np.random.default_rng(seed)
    shape = RoomShape.empty(x_sectors, z_sectors, 2048)
    shape.wall |= random.random(shape.wall.shape) < 0.1
    size = shape.floor.heights.shape
    shape.floor.heights += random.integers(-6, 6, size) * 128
    shape.ceiling.heights += random.integers(-6, 6, size) * 128
    return shape


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 30), st.integers(3, 8), st.integers(3, 8))
def test_arrays_of_rays_equal_single_rays(seed: int, x_sectors: int, z_sectors: int) -> None:
    shape = rough(seed, x_sectors, z_sectors)
    random = np.random.default_rng(seed + 1)
    size = np.array((x_sectors * 1024, 2600, z_sectors * 1024))
    ends = random.integers(-600, size + 600, (2, 60, 3))
    ends[0, ::2, [0, 2]] = ends[0, ::2, [0, 2]] // 1024 * 1024  # vertices are at corners of sectors
    ends[0, ::3, 1] = ends[0, ::3, 1] // 256 * 256
    ends[0, 1::3, 1] = ends[0, 1::3, 1] // 128 * 128
    free = Rays(shape).free(ends[0].astype(float), ends[1].astype(float), 1)
    expected = [passes(shape, tuple(a), tuple(b)) for a, b in zip(*ends.tolist(), strict=True)]
    assert free.tolist() == expected


def test_a_wall_stops_light_and_a_border_does_not() -> None:
    shape = RoomShape.empty(6, 5, 2048)
    place, light = np.array([[1024.0, 1024, 2048]]), np.array([[4608.0, 1024, 2560]])
    assert Rays(shape).free(place, light, 1) == [1]
    shape.wall[2, 2] = True
    assert Rays(shape).free(place, light, 1) == [0]
    # From the far side of the wall it is free.
    assert Rays(shape).free(np.array([[3072.0, 1024, 2048]]), light, 1) == [1]


def test_a_step_blocks_rays_below_its_edge() -> None:
    shape = RoomShape.empty(6, 5, 4096)
    shape.floor.heights[:, 3] = 1024  # x from 3072 to 4096
    light = np.array([[4608.0, 2048, 2560]])
    behind = np.array([[2048.0, 0, 2048], [2048.0, 1024, 2048]])
    # The ray from the floor is 820 units high at the step, that from 1024 is above it.
    assert Rays(shape).free(behind, light.repeat(2, axis=0), 1).tolist() == [0, 1]


@pytest.mark.parametrize(("count", "expected"), [(1, 0), (3, 1 / 3), (5, 2 / 5)])
def test_soft_light_is_the_part_of_free_rays(count: int, expected: float) -> None:
    shape = RoomShape.empty(6, 6, 2048)
    shape.wall[3, 3] = True
    # Only rays to the light moved to lower x do not cross the wall's sectors, at z from 3072.
    place, light = np.array([[3072.0, 512, 2048]]), np.array([[3072.0, 512, 4608]])
    free = Rays(shape).free(place, light, count)[0]
    shifted = [3072 + 256 * step for step in range(-(count // 2), count // 2 + 1)]
    by_hand = np.mean([passes(shape, (3072, 512, 2048), (x, 512, 4608)) for x in shifted])
    assert free == pytest.approx(by_hand) == pytest.approx(expected)
