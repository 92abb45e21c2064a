"""An animation in a file of its own.

Axes and angles are those of the games: x right, y down, z forward; angles about x, y and z for the rotation
``Ry @ Rx @ Rz``. Values keep the fractions of the file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from ...base.arrays.typing import Floats

# Types of commands as in the games, and one of Tomb Engine's.
COMMAND_NAMES = (
    "SetPosition",
    "SetJumpDistance",
    "EmptyHands",
    "KillEntity",
    "PlaySound",
    "FlipEffect",
    "DisableInterpolation",
)
# A straight blending curve.
LINEAR = (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0)
DEFAULT_NAME = "Animation"  # of animations that were never named


class Blending(NamedTuple):
    """How an engine of newer files blends into the next animation; the games do not."""

    frames: int  #: the duration in ticks.
    curve: tuple[float, ...]  #: x and y of its start, its end, and the handles of both.


class FileDispatch(NamedTuple):
    """A transition of a state change for a range of frames, in ticks from the animation's start."""

    #: low, high: the range.
    low: int
    high: int
    next_animation: int  #: the number of the next animation, as :attr:`AnimationFile.next_animation`.
    next_frame: int  #: the frame where it begins, from its start.
    last_frame: int | None = None  #: of newer files, the last frame where it may begin; None in others.
    blending: Blending | None = None  #: of newer files, else None.


class FileStateChange(NamedTuple):
    """A state that an animation can change to."""

    state: int
    dispatches: tuple[FileDispatch, ...] = ()

    def renumbered(self, number: Callable[[int], int]) -> FileStateChange:
        """Return the same state change with other numbers of next animations."""
        moved = (each._replace(next_animation=number(each.next_animation)) for each in self.dispatches)
        return self._replace(dispatches=tuple(moved))


class FileCommand(NamedTuple):
    """A command: its type, see :data:`COMMAND_NAMES` from 1 on, and three parameters as in the file.

    Parameters: *SetPosition* x, y (down) and z; *SetJumpDistance* vertical (negative is up) and horizontal
    speed; *PlaySound* and *FlipEffect* frame, number and condition (sounds: 1 on land, 2 in water; effects: 1
    left, 2 right foot). In older files the condition is in the high bits of the number.
    """

    type: int
    first: int = 0
    second: int = 0
    third: int = 0


@dataclass(frozen=True, eq=False)
class AnimationFile:
    """One animation, n keys of m bones."""

    name: str  #: its name, "" if the format has none.
    state: int
    frame_rate: int  #: ticks per key.
    last_frame: int  #: in ticks from the start. In some files it is less than the keys give, in some more.
    next_animation: int  #: the number of the next animation in its model, or relative to its own number.
    next_frame: int  #: the frame where that begins, from its start.
    velocities: Floats  #: (4,), at the start and at the last key, and both sideways, in units per tick.
    boxes: Floats  #: (n, 2, 3), two opposite corners of each key's box; not sorted.
    offsets: Floats  #: (n, 3), positions of the first bone.
    angles: Floats  #: (n, m, 3), x, y and z in 1/65536 turns, not reduced to one turn.
    state_changes: tuple[FileStateChange, ...] = ()
    commands: tuple[FileCommand, ...] = ()
    is_relative: bool = False  #: whether numbers of animations are relative to its own number (``.trw``).
    blending: Blending | None = None  #: of newer files, else None.
    text: Any = None  #: how an ``.anim`` is written, see :class:`.anim.TextStyle`; None for the default.
    problems: tuple[str, ...] = ()  #: what could not be read and is left out, as sentences.

    @property
    def keys(self) -> int:
        """The number of keys."""
        return len(self.offsets)

    @property
    def bones(self) -> int:
        """The number of bones; 0 without keys."""
        return self.angles.shape[1]

    def relative_to(self, number: int) -> AnimationFile:
        """Return the same animation with numbers relative to its own in the model, as a ``.trw`` has them."""
        if self.is_relative:
            return self
        changes = tuple(change.renumbered(lambda each: each - number) for change in self.state_changes)
        following = self.next_animation - number
        return replace(self, next_animation=following, state_changes=changes, is_relative=True)


_NOT_NUMBERS = frozenset({"text", "problems"})


def same_numbers(first: AnimationFile, second: AnimationFile) -> bool:
    """Return whether two animations are the same, however their files are spelled."""
    for field in fields(AnimationFile):
        if field.name in _NOT_NUMBERS:
            continue
        value, other = getattr(first, field.name), getattr(second, field.name)
        if not (np.array_equal(value, other) if isinstance(value, np.ndarray) else value == other):
            return False
    return True
