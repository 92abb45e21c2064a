"""Animation records: the animations of models, commands, and state changes.

Frame numbers in the records count through all animations of a model. The classes here count from the first
frame of the respective animation, so their numbers stay valid when another animation changes its length.
Documentation: chapters 6.2.2 to 6.2.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Ints, Records
from ...base.bytes.bits import Bits
from ...base.bytes.records import ANIMATION_DISPATCH, I16, STATE_CHANGE
from ...base.errors import ExportError
from ...base.messages import T, as_message

NO_ANIMATION = 0xFFFF
_MOST_TICKS = 0xFFFF

# --- Models and their animations -----------------------------------------------------------------


def model_animations(models: Records, animations: Records) -> tuple[Ints, Ints]:
    """Find the animations of each model (documentation, chapter 6.2).

    A model stores only its first animation; its last is the one before the next first animation of any model.
    Dummies without meshes are all zero and so refer to animation 0: they have none.

    Returns:
        Two arrays, shape (models,): the index of the first animation, -1 for none, and their number.
    """
    first = models["animation"].astype(np.int64)
    has = (first != NO_ANIMATION) & (first < len(animations)) & ((models["meshes"] > 0) | (first > 0))
    starts = np.append(np.unique(first[has]), len(animations))
    following = starts[np.minimum(np.searchsorted(starts, first, side="right"), len(starts) - 1)]
    return np.where(has, first, -1), np.where(has, following - first, 0)


def animation_models(models: Records, animations: Records) -> Ints:
    """Find the model of each animation, shape (animations,), -1 for none.

    If several models share animations, the first of them that has meshes is returned.
    """
    first, count = model_animations(models, animations)
    owners = np.flatnonzero(first >= 0)
    owners = owners[np.argsort(models["meshes"][owners] == 0, kind="stable")]
    starts, first_rows = np.unique(first[owners], return_index=True)
    result = np.full(len(animations), -1, np.int64)
    if len(starts):
        result[starts[0] :] = np.repeat(owners[first_rows], count[owners[first_rows]])
    return result


def ticks(animations: Records) -> Ints:
    """Return the length of each animation in ticks, ``last_frame - first_frame``; some tools write -1."""
    return animations["last_frame"].astype(np.int64) - animations["first_frame"].astype(np.int64)


def fit_ticks(count: int, subject: str) -> int:
    """Return the length of an animation in game ticks. Raises ExportError if it is too long for the game."""
    if count > _MOST_TICKS:
        raise ExportError(subject, T("it is too long for the game"), count=count, limit=_MOST_TICKS)
    return count


# --- Animation commands --------------------------------------------------------------------------

SET_POSITION, JUMP_DISTANCE, EMPTY_HANDS, KILL, PLAY_SOUND, FLIP_EFFECT = range(1, 7)
COMMAND_OPERANDS = {SET_POSITION: 3, JUMP_DISTANCE: 2, PLAY_SOUND: 2, FLIP_EFFECT: 2}
FRAME_COMMANDS = (PLAY_SOUND, FLIP_EFFECT)
# The bit fields of their second operand.
EVENT_NUMBER = Bits(0, 14)
EVENT_FLAGS = Bits(14, 2)


@dataclass(frozen=True)
class AnimationCommand:
    """One animation command (documentation, chapter 6.2.6)."""

    type: int  #: 1 to 6; 0 and other numbers occur, do nothing, and have no operands.
    #: signed words. The first operand of PLAY_SOUND and FLIP_EFFECT is a frame.
    operands: tuple[int, ...] = ()
    #: the position of the command in the stream of the level, or -1 for a new one; not compared.
    word: int = -1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AnimationCommand):
            return False
        return (self.type, self.operands) == (other.type, other.operands)

    def __hash__(self) -> int:
        return hash((self.type, self.operands))

    def moved(self, by: int) -> AnimationCommand:
        """Return the command with its frame, if it has one, moved by a number of ticks."""
        if self.type not in FRAME_COMMANDS:
            return self
        return AnimationCommand(self.type, (self.operands[0] + by, *self.operands[1:]), self.word)


def decode_commands(
    stream: NDArray[np.int16], first: int, count: int, *, first_frame: int = 0
) -> tuple[AnimationCommand, ...]:
    """Read the commands of one animation (documentation, chapter 6.2.6).

    Args:
        stream: the animation commands of the level, i16.
        first: index of the first word; may be out of range.
        count: number of commands. Real levels have garbage here: reading stops at the end of the stream,
            before a command whose operands would extend beyond it.
        first_frame: the animation's first frame, which is subtracted from the frames of sounds and effects.
    """
    result: list[AnimationCommand] = []
    position = first
    while len(result) < count and position < len(stream):
        kind = int(stream[position])
        end = position + 1 + COMMAND_OPERANDS.get(kind, 0)
        if end > len(stream):
            break
        operands = tuple(stream[position + 1 : end].tolist())
        result.append(AnimationCommand(kind, operands, position).moved(-first_frame))
        position = end
    return tuple(result)


def encode_commands(
    commands: Sequence[AnimationCommand], *, first_frame: int = 0, subject: str = "animation commands"
) -> NDArray[np.int16]:
    """Return commands as words, as the inverse of `decode_commands`.

    Raises ExportError if a command has the wrong number of operands, or an operand does not fit 16 bits (0 to
    65535 are accepted as well as -32768 to 32767, but a frame must not exceed 32767).
    """
    words: list[int] = []
    for command in commands:
        count = COMMAND_OPERANDS.get(command.type, 0)
        if len(command.operands) != count:
            problem = T("command {command} takes {count} operands", command=command.type, count=count)
            raise ExportError(subject, problem, count=len(command.operands))
        moved = command.moved(first_frame)
        if command.type in FRAME_COMMANDS:
            fit_i16(moved.operands[0], subject, "the frame of a command is beyond what the game counts to")
        for word in (moved.type, *moved.operands):
            if not -0x8000 <= word <= 0xFFFF:
                raise ExportError(subject, T("a command's operand does not fit 16 bits"), count=word)
            words.append(word)
    return np.array(words, np.int64).astype(np.uint16).view(np.int16).astype(I16)


# --- State changes -------------------------------------------------------------------------------


@dataclass(frozen=True)
class AddedAnimation:
    """A reference to an animation that is being added: the n-th new one of a model."""

    model: int
    position: int


AnimationReference: TypeAlias = "int | AddedAnimation"


@dataclass(frozen=True)
class Dispatch:
    """A transition of a state change for a range of frames (documentation, chapter 6.2.5)."""

    #: low, high: the range, in ticks from the first frame of the animation that has the state change.
    low: int
    high: int
    next_animation: AnimationReference  #: index of the target animation, or a new one.
    next_frame: int  #: in ticks from the first frame of the target; the raw number if there is no target.


@dataclass(frozen=True)
class StateChange:
    """A state that an animation can change to (documentation, chapter 6.2.4)."""

    state: int
    dispatches: tuple[Dispatch, ...] = ()


def decode_state_changes(
    animations: Records, state_changes: Records, animation_dispatches: Records, animation: int
) -> tuple[StateChange, ...]:
    """Read the state changes of one animation, with frames relative to animations.

    Ranges beyond the records (real levels have some) are clipped.
    """
    record = animations[animation]
    first_frames = animations["first_frame"]
    base = int(record["first_frame"])
    first = int(record["first_state_change"])
    result = []
    # Python integers take a tenth of the time of records.
    for state, count, start in state_changes[first : first + int(record["state_changes"])].tolist():
        dispatches = []
        for low, high, target, frame in animation_dispatches[start : start + count].tolist():
            target &= 0xFFFF
            if target < len(animations):
                frame -= int(first_frames[target])
            dispatches.append(Dispatch(low - base, high - base, target, frame))
        result.append(StateChange(state, tuple(dispatches)))
    return tuple(result)


def encode_dispatches(
    dispatches: Sequence[Dispatch],
    first_frame: int,
    targets: Sequence[tuple[int, int]],
    subject: str = "animation",
) -> Records:
    """Return the records of dispatches of one animation, as the inverse of `decode_state_changes`.

    Args:
        dispatches: their ranges are relative to the animation.
        targets: for each dispatch the index of its next animation, and the file's number of the frame there.

    Raises:
        ExportError: if a frame or an index does not fit the record.
    """
    problem = T("a frame of a state change is too high for the game")
    rows = [
        (
            fit_i16(dispatch.low + first_frame, subject, problem),
            fit_i16(dispatch.high + first_frame, subject, problem),
            (fit_u16(index, subject, "a state change leads to no animation") + 0x8000) % 0x10000 - 0x8000,
            fit_i16(frame, subject, problem),
        )
        for dispatch, (index, frame) in zip(dispatches, targets, strict=True)
    ]
    return np.array(rows, ANIMATION_DISPATCH)


def encode_state_changes(
    changes: Sequence[StateChange], first_dispatch: int, subject: str = "animation"
) -> Records:
    """Return state change records whose dispatches are consecutive from `first_dispatch` on.

    Raises ExportError if a number does not fit its 16 bits.
    """
    rows = []
    for change in changes:
        state = fit_u16(change.state, subject, "a state does not fit 16 bits")
        count = fit_u16(len(change.dispatches), subject, "a state change has too many dispatches")
        rows.append((state, count, fit_u16(first_dispatch, subject, "the level has too many dispatches")))
        first_dispatch += count
    return np.array(rows, STATE_CHANGE)


# --- Numbers that must fit -----------------------------------------------------------------------


def fit_u16(value: int, subject: str, problem: str) -> int:
    """Return the value, or raise an ExportError if it is outside 0 to 65535."""
    return _fit(value, 0, 0xFFFF, subject, problem)


def fit_i16(value: int, subject: str, problem: str) -> int:
    """Return the value, or raise an ExportError if it is outside -32768 to 32767."""
    return _fit(value, -0x8000, 0x7FFF, subject, problem)


def fit_field(value: Any, record: np.dtype, field: str, subject: str) -> int:
    """Return the value, or raise an ExportError that names the field if the field cannot hold it."""
    low, high = _bounds(record[field])
    if not low <= int(value) <= high:
        problem = T("the {label} does not fit its field", label=as_message(field.replace("_", " ")))
        raise ExportError(subject, problem, count=int(value), limit=high)
    return int(value)


@cache
def _bounds(integer: np.dtype) -> tuple[int, int]:
    bounds = np.iinfo(integer)
    return int(bounds.min), int(bounds.max)


def _fit(value: int, low: int, high: int, subject: str, problem: str) -> int:
    if not low <= value <= high:
        raise ExportError(subject, problem, count=value, limit=high)
    return value
