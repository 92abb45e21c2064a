"""Tests of the places of faces on tiles: what is up on a tile is up on the face."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.scene.authoring.texture_tiles.orientation import FacePlanes, turned
from io_tomb_raider.scene.mesh.poly_mesh import PolyMesh

NORTH, EAST = (0.0, 1.0), (1.0, 0.0)


def places(*points: Any, forward: tuple[float, float] = NORTH) -> list[list[float]]:
    """Return the places of the corners of one face on its tile."""
    found = FacePlanes(_face(points), np.eye(4), forward).stretched
    return found.round(6).tolist()


def _face(points: Any) -> PolyMesh:
    count = len(points)
    return PolyMesh(np.array(points, np.float64), np.arange(count), np.array([count]))


def rotated(points: list[Any], first: int) -> list[Any]:
    return points[first:] + points[:first]


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize(
    ("left", "right"),
    [((0, 0), (2, 0)), ((0, 0), (0, 2)), ((2, 0), (0, 0)), ((0, 2), (0, 0)), ((0, 0), (1, 3))],
)
def test_on_walls_up_is_up_and_left_is_left(first: int, left: Any, right: Any) -> None:
    # Counterclockwise for someone in front of it, from the lower left.
    corners = [(*left, 0), (*right, 0), (*right, 5), (*left, 5)]
    wanted = [[0, 0], [1, 0], [1, 1], [0, 1]]
    assert places(*rotated(corners, first)) == rotated(wanted, first)


@pytest.mark.parametrize("first", range(4))
def test_on_floors_the_direction_ahead_is_up(first: int) -> None:
    corners = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0)]
    north = [[0, 0], [1, 0], [1, 1], [0, 1]]
    assert places(*rotated(corners, first)) == rotated(north, first)
    east = [[1, 0], [1, 1], [0, 1], [0, 0]]
    assert places(*rotated(corners, first), forward=EAST) == rotated(east, first)


def test_tiles_on_ceilings_are_not_mirrored_for_a_viewer_below() -> None:
    corners = [(0, 0, 4), (0, 2, 4), (2, 2, 4), (2, 0, 4)]
    assert places(*corners) == [[0, 1], [0, 0], [1, 0], [1, 1]]


@pytest.mark.parametrize("ahead", [NORTH, EAST])
def test_slopes_follow_the_slope(ahead: tuple[float, float]) -> None:
    # It rises to the west.
    corners = [(0, 0, 1), (2, 0, 0), (2, 2, 0), (0, 2, 1)]
    assert places(*corners, forward=ahead) == [[0, 1], [0, 0], [1, 0], [1, 1]]


def test_triangles_show_their_half_the_right_way_round() -> None:
    lower_left = [(0, 0, 0), (2, 0, 0), (0, 0, 5)]
    assert places(*lower_left) == [[0, 0], [1, 0], [0, 1]]
    upper_right = [(2, 0, 0), (2, 0, 5), (0, 0, 5)]
    assert places(*upper_right) == [[1, 0], [1, 1], [0, 1]]


def test_faces_of_five_corners_show_the_tile_over_their_rectangle() -> None:
    corners = [(0, 0, 0), (4, 0, 0), (4, 0, 2), (2, 0, 4), (0, 0, 2)]
    assert places(*corners) == [[0, 0], [1, 0], [1, 0.5], [0.5, 1], [0, 0.5]]


def test_mirrored_objects_show_the_tile_like_others() -> None:
    corners = [(0, 0, 0), (2, 0, 0), (2, 0, 5), (0, 0, 5)]
    matrix = np.diag([-1.0, 1.0, 1.0, 1.0])
    # Its faces are seen from behind, where the other side is the right one.
    found = FacePlanes(_face(corners), matrix, NORTH).stretched
    assert found.round(6).tolist() == [[1, 0], [0, 0], [0, 1], [1, 1]]


@given(
    st.lists(st.tuples(*[st.floats(-8, 8).map(lambda value: round(value, 3))] * 3), min_size=3, max_size=4)
)
def test_corners_go_to_different_corners_in_their_order(points: Any) -> None:
    found = FacePlanes(_face(points), np.eye(4), NORTH).stretched
    order = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    numbers = [order.index(place) for place in found.tolist()]
    steps = [(after - before) % 4 for before, after in zip(numbers, rotated(numbers, 1), strict=True)]
    assert len(set(numbers)) == len(points) and sum(steps) == 4


@given(st.integers(0, 3), st.booleans(), st.floats(0, 1), st.floats(0, 1))
def test_turning_four_times_and_mirroring_twice_change_nothing(
    turns: int, mirrored: bool, x: float, y: float
) -> None:
    at = np.array([[x, y]])
    once = turned(at, turns, mirrored=mirrored)
    assert np.allclose(turned(turned(at, 4 - turns, mirrored=False), turns, mirrored=False), at)
    assert np.allclose(turned(once, 0, mirrored=mirrored), turned(at, turns, mirrored=False))


def test_a_quarter_turn_is_clockwise() -> None:
    # The upper right corner of the face shows the upper left one of the tile.
    assert turned(np.array([1.0, 1.0]), 1, mirrored=False).tolist() == [0, 1]
    assert turned(np.array([0.25, 0.0]), 0, mirrored=True).tolist() == [0.75, 0]
