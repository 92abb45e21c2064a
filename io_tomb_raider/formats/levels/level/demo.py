"""Demos: Lara's start and the input of each frame (TR1 to TR3; not in the documentation).

In TR4 and TR5 the section is empty.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.bits import signed
from ...base.bytes.records import I32
from ...base.games import Game
from .level import Level

_START = np.dtype([("position", I32, (3,)), ("angles", I32, (3,)), ("room", I32)])
# The number of words before the inputs: TR2 and TR3 add the weapon that Lara holds. -1 ends the inputs.
_WORDS_BEFORE_INPUTS = {Game.TR1: 7, Game.TR2: 8, Game.TR3: 8}
_END = -1


class DemoStart(NamedTuple):
    """The start of a demo."""

    position: NDArray[np.int64]  #: (3,) int64, in world units.
    angle: int  #: Lara's yaw, 0 to 65535.
    room: int  #: the room's number.


def demo_start(level: Level) -> DemoStart | None:
    """Return the start of a level's demo, or None without a demo."""
    if level.game not in _WORDS_BEFORE_INPUTS or len(level.demo_data) < _START.itemsize:
        return None
    (start,) = level.demo_data[: _START.itemsize].view(_START)
    return DemoStart(start["position"].astype(np.int64), int(start["angles"][1]) & 0xFFFF, int(start["room"]))


def put_demo_start(level: Level, start: DemoStart) -> None:
    """Set where a level's demo starts. The level must have a demo; the inputs stay as they are."""
    data = level.demo_data.copy()
    record = data[: _START.itemsize].view(_START)
    record["position"], record["room"] = start.position, start.room
    if int(record["angles"][0][1]) & 0xFFFF != start.angle:
        record["angles"][0][1] = signed(start.angle, 16)
    level.demo_data = data


def demo_frames(level: Level) -> int:
    """Return the number of frames of a level's demo, 0 without one."""
    before = _WORDS_BEFORE_INPUTS.get(level.game)
    if before is None or not level.has("demo_data"):
        return 0
    data = level.demo_data
    inputs = data[: len(data) // I32.itemsize * I32.itemsize].view(I32)[before:]
    ends = np.flatnonzero(inputs == _END)
    return int(ends[0]) if len(ends) else len(inputs)
