"""The flight of flyby cameras along the games' spline (documentation, chapter 9.6; TR4 and TR5).

Cameras of a sequence are knots of a uniform Catmull-Rom spline for position, target, roll, field of view and
speed. The parameter runs from 0 to 65536 between knots; each frame adds the speed at that point.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.bytes.bits import Bits
from ...base.games import Game
from ...base.targets import flyby_game

SPAN = 65536  # from a knot to the next
LONGEST = 9000  # frames, five minutes: endless sequences are cut there
CUT_TARGET = Bits(0, 4)  # of the timer: cuts go to one of the first sixteen cameras


class FlybyFlag(IntFlag):
    """Flags of a flyby camera. Some are read from the first camera of a sequence only."""

    CUT_IN = 0x0001  # first
    TRACK_ENTITY = 0x0002  # TR4
    VIGNETTE = 0x0002  # TR5
    LOOP = 0x0004  # first
    FOLLOW_LARA = 0x0008  # first
    LOOK_AT_START = 0x0010  # TR4
    HIDE_LARA = 0x0010  # TR5
    LOOK_AT_LARA = 0x0020  # first
    CUT_OUT = 0x0040  # first
    CUT = 0x0080
    STOP = 0x0100  # TR4
    SHAKE = 0x0100  # TR5
    NO_LOOK = 0x0200  # first
    LOCK_LARA = 0x0400
    UNLOCK_LARA = 0x0800
    FADE_IN = 0x1000  # TR5
    FADE_OUT = 0x2000  # TR5
    HEAVY_TRIGGERS = 0x4000
    ONE_SHOT = 0x8000


_AT_LARA = FlybyFlag.FOLLOW_LARA | FlybyFlag.LOOK_AT_LARA


def cuts(flags: int) -> bool:
    """Return whether a flyby camera with these flags cuts to the camera that its timer numbers."""
    return bool(flags & FlybyFlag.CUT)


def tracks_entity(game: Game, flags: int) -> bool:
    """Return whether a flyby camera with these flags looks at the entity that its timer numbers."""
    return flyby_game(game).traits.has_flyby_tracking and bool(flags & FlybyFlag.TRACK_ENTITY)


def looks_at_lara(flags: int) -> bool:
    """Return whether a sequence whose first camera has these flags looks at Lara instead of its targets."""
    return bool(flags & _AT_LARA)


@dataclass(frozen=True, eq=False)
class Flight:
    """A flight, frame by frame, 30 per second."""

    positions: NDArray[np.float64]  #: (n, 3) float64, in world units.
    targets: NDArray[np.float64]  #: (n, 3) float64, the points that the camera looks at.
    rolls: NDArray[np.float64]  #: (n,) float64, 65536 per turn.
    fovs: NDArray[np.float64]  #: (n,) float64, likewise.
    #: (n,) int64, the next camera of each frame, counted from the first of the sequence.
    cameras: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.cameras)


def spline(parameter: float, knots: ArrayLike) -> NDArray[np.float64]:
    """Return a point of the spline between the second and the third of four knots.

    Args:
        parameter: 0 at the second knot, 65536 at the third.
        knots: (4, …).
    """
    before, start, end, after = np.asarray(knots, np.float64)
    t = parameter / SPAN
    cubic = 3 * (start - end) + after - before
    square = 2 * before - 5 * start + 4 * end - after
    result: NDArray[np.float64] = start + t / 2 * ((end - before) + t * (square + t * cubic))
    return result


def fly(cameras: NDArray[np.void], game: Game, longest: int = LONGEST) -> Flight:
    """Return the flight along a sequence as the games compute it.

    Where a game would blend from or to Lara's own camera, the flight begins at the first camera and ends at
    the last. A looping sequence is flown once, and so is a cut that goes back.

    Args:
        cameras: flyby camera records of one sequence, in order.
        game: TR4 waits at cameras that stop.
        longest: the maximum number of frames.
    """
    if not len(cameras):
        nothing = np.zeros((0, 3))
        return Flight(nothing, nothing, nothing[:, 0], nothing[:, 0], np.zeros(0, np.int64))
    pilot = _Pilot(cameras, game)
    rows: list[NDArray[np.float64]] = []
    towards: list[int] = []
    while len(rows) < longest and not pilot.is_finished:
        towards.append(pilot.current)
        rows.append(pilot.step())
    table = np.array(rows)
    return Flight(table[:, :3], table[:, 3:6], table[:, 6], table[:, 7], np.array(towards, np.int64))


class _Pilot:
    """The state of a flight: its knots and the parameter between them."""

    def __init__(self, cameras: NDArray[np.void], game: Game) -> None:
        self.stops = flyby_game(game).traits.has_flyby_tracking
        self.flags = [FlybyFlag(int(flags)) for flags in cameras["flags"]]
        self.timers = cameras["timer"].tolist()
        columns = [cameras[axis] for axis in "xyz"]
        columns += [cameras["target"][:, axis] for axis in range(3)]
        columns += [cameras[name] for name in ("roll", "fov", "speed")]
        self.values = np.stack(columns, axis=1).astype(np.float64)
        self.last = len(cameras) - 1
        # The first camera is also the knot before it; the last is followed by the first.
        self.knots = [0, *(number % len(cameras) for number in range(3))]
        self.current = 1 % len(cameras)
        self.parameter = 0
        self.waits = 0
        self.cuts_taken: set[int] = set()
        self.is_finished = False

    def step(self) -> NDArray[np.float64]:
        """Return the values of this frame, and advance to the next."""
        values = spline(self.parameter, self.values[self.knots])
        speed = int(values[8])
        if not self.waits:
            self.parameter += speed
        if self.parameter > SPAN - speed:
            self._next_span()
        elif speed <= 0 and not self.waits:
            self.is_finished = True  # it would never move again
        return values

    def _next_span(self) -> None:
        flags = self.flags[self.current]
        if self.stops and flags & FlybyFlag.STOP:
            self.waits = self.waits - 1 if self.waits else self.timers[self.current] >> 4
            if self.waits:
                return
        self.parameter = 0
        following = self.current - 1 if self.current else self.last
        knots = []
        if flags & FlybyFlag.CUT:
            following = CUT_TARGET.of(self.timers[self.current])
            if following > self.last or self.current in self.cuts_taken:
                self.is_finished = True
                return
            self.cuts_taken.add(self.current)
            self.current = following
            knots = [following]
        while len(knots) < 4:
            knots.append(following)
            following += 1
            if following > self.last:
                following = 0 if self.flags[0] & FlybyFlag.LOOP else self.last
        self.knots = knots
        self.current += 1
        self.is_finished = self.current > self.last
