"""Rings where meshes join, by tubes of any size, place and direction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.scene.transfer.fitting.rings import Shape, joint_in, ring_between

AROUND = 6
ANGLES = st.floats(-3.0, 3.0)
PLACES = st.tuples(*[st.floats(-2000, 2000)] * 3)
SIZES = st.floats(0.25, 4.0)


def tube(levels: list[float], *, is_closed: bool = False, radius: float = 30.0) -> Shape:
    """Return a tube along the second axis with a ring of vertices at each level."""
    turn = np.arange(AROUND) * 2 * np.pi / AROUND
    rings = [
        np.stack([radius * np.cos(turn), np.full(AROUND, each), radius * np.sin(turn)], 1) for each in levels
    ]
    faces = []
    for number in range(len(levels) - 1):
        first, second = number * AROUND, (number + 1) * AROUND
        for corner in range(AROUND):
            after = (corner + 1) % AROUND
            faces.append([first + corner, first + after, second + after, second + corner])
    if is_closed:
        for start in (0, (len(levels) - 1) * AROUND):
            faces += [[start, start + each, start + each + 1, -1] for each in range(1, AROUND - 1)]
    return Shape(np.concatenate(rings), np.array(faces, np.int64))


def rotation(angles: tuple[float, float, float]) -> NDArray[np.float64]:
    result = np.eye(3)
    for axis, angle in enumerate(angles):
        one, two = (each for each in range(3) if each != axis)
        turn = np.eye(3)
        turn[[one, two], [one, two]] = np.cos(angle)
        turn[one, two], turn[two, one] = -np.sin(angle), np.sin(angle)
        result = result @ turn
    return result


def placed(shape: Shape, turn: NDArray[np.float64], size: float, place: tuple[float, ...]) -> Shape:
    return Shape(shape.points @ turn.T * size + place, shape.faces)


KINDS = {
    "shared vertices": (tube([0, 50, 100]), tube([100, 150, 200])),
    "open edges with a gap": (tube([0, 50, 90]), tube([110, 150, 200])),
    "closed meshes with a gap": (tube([0, 50, 90], is_closed=True), tube([110, 150, 200], is_closed=True)),
}


@pytest.mark.parametrize("kind", KINDS)
@given(angles=st.tuples(ANGLES, ANGLES, ANGLES), size=SIZES, place=PLACES)
def test_rings_are_between_meshes_at_any_place(
    kind: str, angles: tuple[float, float, float], size: float, place: tuple[float, float, float]
) -> None:
    turn = rotation(angles)
    above, below = (placed(each, turn, size, place) for each in KINDS[kind])
    ring = ring_between(above, below)
    assert ring is not None
    assert ring.center == pytest.approx(turn @ (0.0, 100.0, 0.0) * size + place, abs=1e-6)
    assert ring.radius == pytest.approx(30.0 * size)


@given(angles=st.tuples(ANGLES, ANGLES, ANGLES), size=SIZES, place=PLACES, joint=PLACES)
def test_a_joint_keeps_its_place_in_the_ring(
    angles: tuple[float, float, float],
    size: float,
    place: tuple[float, float, float],
    joint: tuple[float, float, float],
) -> None:
    """Without a rotation: proportions of limbs change at rest, not their directions."""
    pair = KINDS["open edges with a gap"]
    before = ring_between(*pair)
    after = ring_between(*(placed(each, np.eye(3), size, place) for each in pair))
    assert before is not None and after is not None
    found = joint_in(after, before, np.array(joint))
    assert found == pytest.approx(np.array(joint) * size + place, abs=1e-6)
    assert joint_in(before, before, np.array(joint)) == pytest.approx(np.array(joint), abs=1e-9)


def test_meshes_of_joints_count_in_place_of_the_other_limb() -> None:
    """Two thighs have one common edge with the hips, but each its own joint."""
    hips = tube([0, 100])
    left, right = (tube([140, 200], radius=10.0).moved(np.array((x, 0.0, 0.0))) for x in (-30.0, 30.0))
    joint = Shape(np.concatenate([hips.points[[9, 8, 10]], left.points[:AROUND]]), left.faces[:0])
    ring = ring_between(hips, left, joint)
    assert ring is not None
    assert ring.center[0] == pytest.approx((hips.points[[9, 8, 10], 0].mean() - 30.0) / 2)
    other = ring_between(hips, right)
    assert other is not None and other.center[0] == pytest.approx(15.0)


def test_a_mesh_without_vertices_has_no_ring() -> None:
    nothing = Shape(np.zeros((0, 3)), np.zeros((0, 3), np.int64))
    assert ring_between(nothing, tube([0, 100])) is None
