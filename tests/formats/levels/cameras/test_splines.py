"""The flight of flyby cameras: through the knots, at their speeds, with stops, cuts and loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.bytes.records import FLYBY_CAMERA
from io_tomb_raider.formats.levels.cameras.splines import LONGEST, SPAN, FlybyFlag, fly, spline

KNOTS = np.array([(0, 0), (100, -50), (300, 20), (260, 500)], float)


def cameras(*places: int, speed: int = 6553, **flags: FlybyFlag) -> NDArray[Any]:
    """Return cameras along x; ``c2=FlybyFlag.CUT`` gives the third camera flags."""
    made = np.zeros(len(places), FLYBY_CAMERA)
    made["x"], made["index"], made["speed"], made["fov"] = places, np.arange(len(places)), speed, 14560
    made["target"][:, 2] = 1024
    for name, value in flags.items():
        made["flags"][int(name[1:])] = value
    return made


def test_a_spline_passes_through_its_inner_knots() -> None:
    assert spline(0, KNOTS).tolist() == [100, -50]
    assert spline(SPAN, KNOTS).tolist() == [300, 20]


def test_a_spline_leaves_and_reaches_knots_along_their_neighbors() -> None:
    step = 1e-3
    start = (spline(step * SPAN, KNOTS) - spline(0, KNOTS)) / step
    end = (spline(SPAN, KNOTS) - spline((1 - step) * SPAN, KNOTS)) / step
    assert start == pytest.approx((KNOTS[2] - KNOTS[0]) / 2, abs=1)
    assert end == pytest.approx((KNOTS[3] - KNOTS[1]) / 2, abs=1)


def test_evenly_spaced_knots_make_even_steps() -> None:
    line = [0.0, 100.0, 200.0, 300.0]
    assert [float(spline(part * SPAN, line)) for part in (0.25, 0.5, 0.75)] == [125, 150, 175]


def test_a_flight_passes_cameras_at_their_speed() -> None:
    flight = fly(cameras(0, 1000, 2000, 3000), Game.TR4)
    # A tenth of the span each frame; the step that would end at a camera begins the next span instead.
    assert len(flight) == 30
    assert flight.positions[0, 0] == 0
    assert flight.positions[10, 0] == 1000
    assert flight.positions[20, 0] == 2000
    assert (np.diff(flight.positions[:, 0]) > 0).all()
    assert flight.cameras.tolist() == [1] * 10 + [2] * 10 + [3] * 10
    assert (flight.fovs == 14560).all()


def test_twice_the_speed_takes_half_the_time() -> None:
    slow, fast = (len(fly(cameras(0, 1000, 2000, speed=speed), Game.TR5)) for speed in (655, 1310))
    assert slow == 2 * fast == 200


def test_speed_changes_along_the_way() -> None:
    made = cameras(0, 1000, 2000)
    made["speed"] = (655, 6553, 6553)
    steps = np.diff(fly(made, Game.TR4).cameras.searchsorted([1, 2, 3]))
    assert steps[0] > steps[1]


def test_target_and_roll_glide_too() -> None:
    made = cameras(0, 1000, 2000)
    made["target"][:, 1], made["roll"] = (0, 500, 1000), (0, 910, -910)
    flight = fly(made, Game.TR4)
    assert flight.targets[10].tolist() == [0, 500, 1024]
    assert flight.rolls[10] == 910
    assert flight.rolls[-1] < 0


def test_cameras_stop_in_the_fourth_game_alone() -> None:
    made = cameras(0, 1000, 2000, c1=FlybyFlag.STOP)
    made["timer"][1] = 30 * 16
    waiting, rushing = fly(made, Game.TR4), fly(made, Game.TR5)
    assert len(waiting) - len(rushing) == 30
    place = waiting.positions[9:40, 0]
    assert (place[1:] == place[-1]).all()


def test_a_cut_jumps_to_another_camera() -> None:
    made = cameras(0, 1000, 50000, 60000, 70000, c1=FlybyFlag.CUT)
    made["timer"][1] = 3
    flight = fly(made, Game.TR4)
    assert flight.positions[9, 0] < 1100
    assert flight.positions[10, 0] == 60000
    assert flight.cameras.tolist() == [1] * 10 + [4] * 10


def test_a_cut_back_is_taken_once() -> None:
    made = cameras(0, 1000, 2000, c2=FlybyFlag.CUT)
    flight = fly(made, Game.TR5)
    assert flight.cameras.tolist() == [1] * 10 + [2] * 10 + [1] * 10 + [2] * 10


def test_a_cut_to_no_camera_ends_the_flight() -> None:
    made = cameras(0, 1000, 2000, c1=FlybyFlag.CUT)
    made["timer"][1] = 9
    assert len(fly(made, Game.TR4)) == 10


def test_a_loop_bends_back_to_its_first_camera() -> None:
    straight = fly(cameras(0, 1000, 2000), Game.TR4)
    looped = fly(cameras(0, 1000, 2000, c0=FlybyFlag.LOOP), Game.TR4)
    assert len(straight) == len(looped)
    # The knot after the last camera affects the span before it.
    assert straight.positions[15, 0] != looped.positions[15, 0]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_short_sequences_end(count: int) -> None:
    flight = fly(cameras(*range(count)), Game.TR4)
    assert len(flight) == (10 if count == 2 else 10 * count)
    assert flight.positions.shape == (len(flight), 3)


def test_a_flight_that_stands_still_ends() -> None:
    assert len(fly(cameras(0, 1000, speed=0), Game.TR4)) == 1
    assert len(fly(cameras(0, 1000, 2000, speed=1), Game.TR4)) == LONGEST
