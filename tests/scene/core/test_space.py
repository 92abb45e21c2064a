"""Conversion between the file's space and Blender's: exact in both directions despite 32-bit floats."""

from __future__ import annotations

import numpy as np
import pytest

from io_tomb_raider.formats import ExportError
from io_tomb_raider.scene.core.space import (
    Space,
    angle_to_blender,
    angle_to_file,
    direction_to_blender,
    direction_to_file,
)


def test_every_angle_of_the_file_comes_back() -> None:
    angles = np.arange(0x10000)
    assert np.array_equal(angle_to_file(np.float32(angle_to_blender(angles))), angles)
    # Clockwise from above in files, counterclockwise in Blender, modulo one turn.
    assert angle_to_blender(0x4000) == pytest.approx(-np.pi / 2)
    assert angle_to_file(np.array([-np.pi / 2, np.pi / 2, -2.5 * np.pi])).tolist() == [0x4000, 0xC000, 0x4000]


@pytest.mark.parametrize("scale", [1 / 512, 1.0, 0.01, 1 / 1000])
def test_integer_positions_round_trip(scale: float) -> None:
    space = Space(scale)
    places = np.random.default_rng(1).integers(-100_000, 100_000, (500, 3))
    assert np.array_equal(space.to_file_int(space.to_blender(places), "It"), places)
    assert space.to_blender((1, 2, 3)) == pytest.approx(np.array((1, 3, -2)) * scale)
    assert space.to_file((1, 3, -2), "It") == pytest.approx(np.array((1, 2, 3)) / scale)
    # Values between two units are rounded.
    assert space.to_file_int(np.array((0.6, 1.4, 0.6)) * scale, "It").tolist() == [1, -1, 1]


def test_directions_keep_their_length() -> None:
    assert direction_to_blender((1, 2, 3)).tolist() == [1, 3, -2]
    assert direction_to_file((1, 3, -2)).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ((np.nan, 0, 0), "its place is not a number. "),
        ((0, np.inf, 0), "its place is not a number, but without end"),
        ((0, 0, 2.0**53), "its place is too far away"),
    ],
)
def test_positions_that_do_not_fit_are_errors_that_name_the_object(
    place: tuple[float, float, float], problem: str
) -> None:
    with pytest.raises(ExportError, match=problem) as caught:
        Space().to_file_int(place, "Crate")
    assert "Crate" in str(caught.value)


def test_invalid_coordinates_become_0() -> None:
    assert Space().to_blender((np.nan, np.inf, 512.0)).tolist() == [0, 1, 0]
