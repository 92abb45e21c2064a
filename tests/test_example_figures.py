"""The figures of the example level: whole meshes, feet that do not slide, and animations that continue."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from tools.example.figures import explorer, figures
from tools.example.figures import explorer_motions as motions
from tools.example.figures.explorer_motions import Body, running, standing, walking
from tools.example.figures.posing import angles_of, frames, rotation
from tools.example.solids import Figure, Joint, Motion, Pose, Tiles

pytestmark = pytest.mark.once

_LEFT_FOOT, _RIGHT_FOOT, _HEAD = 3, 6, 14
_NAMES = ("lara", "bat", "door", "switch", "trapdoor", "idol", "medikit")
# In units: a foot that is nearer to the ground than the first is on it; it moves by less than the second in a
# tick, and sinks by less than the third.
_NEAR, _SLIDE, _DEPTH = 2.5, 3.0, 2.0


@cache
def _made() -> tuple[Tiles, dict[str, Figure]]:
    tiles, made = figures()
    return tiles, {figure.name: figure for figure in made}


def _lara(name: str) -> Motion:
    return next(motion for motion in _made()[1]["lara"].motions if motion.name == name)


def _soles(pose: Pose) -> NDArray[np.float64]:
    """Return the places of heel and toes of both feet, (2, 2, 3)."""
    places, turns = frames(explorer.JOINTS, pose)
    points = np.array((explorer.HEEL, explorer.TOE))
    return np.array([points @ turns[mesh].T + places[mesh] for mesh in (_LEFT_FOOT, _RIGHT_FOOT)])


def _walked(motion: Motion) -> list[NDArray[np.float64]]:
    """Return the soles at each tick in space, to the first tick of the animation that follows."""
    following = _lara(motion.follows)
    assert following.follows_tick == 0 or motion.follows_tick < len(following.poses) * following.rate
    if motion.rate != 1:
        return []
    poses = [*motion.poses, following.poses[motion.follows_tick // following.rate]]
    return [_soles(pose) + np.array((0, 0, motion.speed * tick)) for tick, pose in enumerate(poses)]


def test_all_figures_are_there_in_order() -> None:
    assert tuple(_made()[1]) == _NAMES


def test_figures_are_the_same_each_time() -> None:
    tiles, made = figures()
    for name, tile in _made()[0].items():
        np.testing.assert_array_equal(tiles[name], tile)
    assert [figure.meshes for figure in made] == [figure.meshes for figure in _made()[1].values()]


def test_tiles_are_whole_and_all_used() -> None:
    tiles, made = _made()
    used = {face.tile for figure in made.values() for mesh in figure.meshes for face in mesh.faces}
    assert used == set(tiles)
    for tile in tiles.values():
        assert tile.shape == (64, 64, 4) and tile.dtype == np.uint8
        assert set(np.unique(tile[..., 3])) <= {0, 255}


@pytest.mark.parametrize("name", _NAMES)
def test_faces_are_whole(name: str) -> None:
    for mesh in _made()[1][name].meshes:
        vertices = np.array(mesh.vertices)
        assert np.array_equal(vertices, np.rint(vertices)) and np.abs(vertices).max() < 2000
        for face in mesh.faces:
            corners = vertices[list(face.corners)]
            assert len(face.corners) in (3, 4) and len(face.uvs) == len(face.corners)
            assert len(set(face.corners)) == len(face.corners)
            assert 0 <= np.min(face.uvs) and np.max(face.uvs) <= 64
            other = corners[3] - corners[1] if len(corners) == 4 else corners[1] - corners[0]
            area = np.cross(corners[2] - corners[0], other)
            assert np.linalg.norm(area) > 1


@pytest.mark.parametrize("name", ["lara", "idol"])
def test_most_faces_look_outwards(name: str) -> None:
    """Faces are clockwise as seen from outside: turned the other way round, a mesh would be inside out."""
    for mesh in _made()[1][name].meshes:
        vertices = np.array(mesh.vertices)
        outwards = 0
        for face in mesh.faces:
            a, b, c = vertices[list(face.corners[:3])]
            normal = np.cross(c - a, b - a)
            outwards += bool(normal @ ((a + b + c) / 3 - vertices.mean(axis=0)) > 0)
        assert outwards > 0.7 * len(mesh.faces)


def test_the_explorer_has_the_size_and_meshes_of_the_games() -> None:
    lara = _made()[1]["lara"]
    assert len(lara.meshes) == 15 and lara.joints == explorer.JOINTS
    assert sum(len(mesh.faces) for mesh in lara.meshes) < 480
    places, turns = frames(lara.joints, _lara("stand").poses[0])
    points = np.concatenate(
        [
            np.array(mesh.vertices) @ turn.T + place
            for mesh, turn, place in zip(lara.meshes, turns, places, strict=True)
        ]
    )
    assert -800 < points[:, 1].min() < -740
    assert abs(points[:, 1].max()) < 6
    # The left arm and leg are at -x, the face and the toes in front.
    assert places[13][0] < -60 < 60 < places[10][0]
    assert np.array(lara.meshes[_LEFT_FOOT].vertices)[:, 2].max() > 60


@pytest.mark.parametrize("body", [walking, running, standing])
def test_legs_are_long_enough(body: Callable[[float], Body]) -> None:
    ticks = np.arange(40) / 40
    assert motions.reach_errors([body(float(time)) for time in ticks]).max() < 2.5


@pytest.mark.parametrize(
    "motion", [m.name for m in motions.motions() if m.rate == 1 and "turn" not in m.name]
)
def test_feet_on_the_ground_do_not_slide(motion: str) -> None:
    soles = _walked(_lara(motion))
    for before, after in itertools.pairwise(soles):
        for foot in (0, 1):
            for point in (0, 1):
                here, there = before[foot, point], after[foot, point]
                assert max(here[1], there[1]) < _DEPTH, "it sinks"
                if min(here[1], there[1]) > -_NEAR:
                    assert np.hypot(*(there - here)[[0, 2]]) < _SLIDE, "it slides"


@pytest.mark.parametrize("motion", ["walk", "walk start", "walk stop left", "walk stop right"])
def test_walking_never_loses_the_ground(motion: str) -> None:
    for soles in _walked(_lara(motion)):
        assert soles[..., 1].max() > -_NEAR


def test_a_run_leaves_the_ground_twice() -> None:
    flights = [soles[..., 1].max() < -_NEAR for soles in _walked(_lara("run"))]
    starts = [not before and after for before, after in itertools.pairwise(flights)]
    assert sum(starts) == 2


@pytest.mark.parametrize("name", _NAMES)
def test_animations_continue_without_a_jump(name: str) -> None:
    figure = _made()[1][name]
    by_name = {motion.name: motion for motion in figure.motions}
    assert len(by_name) == len(figure.motions)
    for motion in figure.motions:
        ticks = (len(motion.poses) - 1) * motion.rate + 1
        following = by_name[motion.follows]
        assert following.state == motion.state or motion.follows_tick == 0
        _assert_near(figure.joints, motion.poses[-1], following.poses[motion.follows_tick // following.rate])
        for _, first, last, target, tick in motion.changes:
            goal = by_name[target]
            assert 0 <= first <= last < ticks
            assert tick <= (len(goal.poses) - 1) * goal.rate
            if first == last:
                _assert_near(
                    figure.joints,
                    motion.poses[first // motion.rate],
                    goal.poses[tick // goal.rate],
                    limit=25.0,
                )
        assert all(0 <= tick < ticks for tick, _ in motion.sounds)
        for before, after in zip(motion.poses[:-1], motion.poses[1:], strict=True):
            _assert_near(figure.joints, before, after)


def _assert_near(joints: tuple[Joint, ...], first: Pose, second: Pose, limit: float = 130.0) -> None:
    places = [frames(joints, pose)[0] for pose in (first, second)]
    assert np.linalg.norm(places[0] - places[1], axis=1).max() < limit


@pytest.mark.parametrize("motion", ["walk", "run", "stand"])
def test_joints_bend_the_right_way(motion: str) -> None:
    """Knees bend to the back (negative), elbows to the front; neither bends sideways."""
    for _, angles in _lara(motion).poses:
        assert (angles[[2, 5], 0] < 1).all() and np.abs(angles[[2, 5], 1:]).max() < 1
        assert (angles[[9, 12], 0] > 0).all() and np.abs(angles[[9, 12], 1:]).max() < 1


@pytest.mark.parametrize("motion", ["walk", "run", "stand"])
def test_limbs_do_not_flip(motion: str) -> None:
    angles = np.array([pose[1] for pose in _lara(motion).poses])
    turns = np.diff(np.concatenate((angles, angles[:1])), axis=0)
    assert np.abs((turns + 180) % 360 - 180).max() < 40


@pytest.mark.parametrize("motion", ["walk", "run"])
def test_arms_swing_against_the_legs_and_the_head_is_level(motion: str) -> None:
    for pose in _lara(motion).poses:
        places, turns = frames(explorer.JOINTS, pose)
        stride, swing = places[2][2] - places[5][2], places[13][2] - places[10][2]
        if abs(stride) > 120:
            assert stride * swing < 0
        assert np.abs(angles_of(turns[_HEAD])).max() < 8


def test_angles_are_those_of_the_games() -> None:
    """A thigh turned by a positive angle around x is in front; angles survive the way through a matrix."""
    angles = np.array((30.0, -50.0, 20.0))
    np.testing.assert_allclose(angles_of(rotation(angles)), angles)
    assert (rotation((40, 0, 0)) @ (0, 1, 0))[2] > 0.5


def test_the_door_opens_far_enough_and_hinges_hold() -> None:
    made = _made()[1]
    opened = next(motion for motion in made["door"].motions if motion.name == "open").poses[0]
    assert opened[0][1] < -1024
    for motion in made["trapdoor"].motions:
        for root, angles in motion.poses:
            hinge = rotation(angles[0]) @ (0, 0, 512) + root
            np.testing.assert_allclose(hinge, (0, 0, 512), atol=0.01)
