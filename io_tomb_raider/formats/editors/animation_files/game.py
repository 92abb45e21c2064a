"""Animations of files as levels hold them: whole units, angles of 10 or 12 bits, 16.16 speeds.

A file has more than a level: fractions, commands of other engines, keys after its end. `merge` keeps these
where the level's values are still those of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import NamedTuple, TypeVar

import numpy as np

from ...base.arrays.typing import Floats, Ints
from ...base.units import TURN
from ...levels.animations.animations import (
    FLIP_EFFECT,
    JUMP_DISTANCE,
    PLAY_SOUND,
    SET_POSITION,
    AnimationCommand,
)
from ...levels.animations.frames import Keys
from ...levels.animations.rotations import round_angles
from .animation import AnimationFile, FileCommand

_FARTHEST = 1 << 30  # units; a level's numbers have 16 bits
# Levels count frames through all animations of a model, up to 32767, so a range without an end does not fit.
_LAST_FRAME = 0x1FFF
# The number of operands of a level's commands by type; levels have no others.
_OPERANDS = {SET_POSITION: 3, JUMP_DISTANCE: 2, 3: 0, 4: 0, PLAY_SOUND: 2, FLIP_EFFECT: 2}
_CONDITION_SHIFT = 14
_NUMBER_MASK = 0x3FFF
_MOST_CONDITION = 2  # land and water, left and right; levels lack those of Tomb Engine
# Until November 2024 files had the condition of a sound or an effect in the bits above its number.
_OLD_CONDITIONS = {
    PLAY_SOUND: {0x4000: 1, 0x8000: 2, 0x1000: 3, 0x2000: 4},
    FLIP_EFFECT: {0x4000: 1, 0x8000: 2},
}

_Item = TypeVar("_Item")


class FileSpeeds(NamedTuple):
    """The speeds of an animation as levels have them, in units per tick and tick."""

    #: speed, acceleration: forward.
    speed: float
    acceleration: float
    #: lateral_speed, lateral_acceleration: to the right.
    lateral_speed: float
    lateral_acceleration: float


def length_of(animation: AnimationFile) -> int:
    """Return the last frame, at most that of the last key."""
    last = max(animation.keys - 1, 0) * max(animation.frame_rate, 1)
    return max(min(animation.last_frame, last), 0)


def frame_of(frame: int) -> int:
    """Return a frame of a transition for levels: frames that no animation reaches are lowered."""
    return min(frame, _LAST_FRAME)


def keys_of(animation: AnimationFile) -> Keys:
    """Return the keys in whole units, boxes sorted, angles in 1/65536 turns before they are rounded."""
    boxes = np.sort(_whole(animation.boxes), axis=1).transpose(0, 2, 1).reshape(-1, 6)
    angles = np.rint(animation.angles % TURN).astype(np.int64) % TURN
    return Keys(boxes, _whole(animation.offsets), angles.astype(np.uint16))


def _whole(values: Floats) -> Ints:
    return np.rint(values.clip(-_FARTHEST, _FARTHEST)).astype(np.int64)


def speeds_of(animation: AnimationFile) -> FileSpeeds:
    """Return the speeds."""
    return speeds_between(animation.velocities.tolist(), animation.keys, animation.frame_rate)


def speeds_between(velocities: Sequence[float], keys: int, rate: int) -> FileSpeeds:
    """Return the speeds of an animation with these velocities, see :class:`.animation.AnimationFile`."""
    ticks = max(rate, 1) * max(keys - 1, 1)
    start, end, lateral, lateral_end = velocities
    return FileSpeeds(start, (end - start) / ticks, lateral, (lateral_end - lateral) / ticks)


def velocities_of(speeds: FileSpeeds, keys: int, rate: int) -> Floats:
    """Return the velocities of a file, (4,), as the inverse of :func:`speeds_of`."""
    ticks = max(rate, 1) * max(keys - 1, 0)
    speed, growth, lateral, lateral_growth = speeds
    return np.array([speed, speed + growth * ticks, lateral, lateral + lateral_growth * ticks])


def with_condition(command: FileCommand) -> FileCommand:
    """Return a command with the condition of a sound or effect as the last parameter."""
    conditions = _OLD_CONDITIONS.get(command.type)
    if command.third or conditions is None:
        return command
    bits = sum(conditions)
    condition = conditions.get(command.second & bits, 0)
    return command._replace(second=command.second & ~bits & 0xFFFF, third=condition)


def without_condition(command: FileCommand) -> FileCommand:
    """Return a command for older files, as the inverse of :func:`with_condition`."""
    conditions = _OLD_CONDITIONS.get(command.type)
    if conditions is None:
        return command
    bits = next((bits for bits, condition in conditions.items() if condition == command.third), 0)
    return command._replace(second=command.second | bits, third=0)


def command_of(command: FileCommand) -> AnimationCommand | None:
    """Return a command of any file for levels, as :func:`level_command`."""
    return level_command(with_condition(command))


def level_command(command: FileCommand) -> AnimationCommand | None:
    """Return a command for levels, its frame relative to the animation; None for unsupported ones."""
    count = _OPERANDS.get(command.type)
    if count is None:
        return None
    operands = [max(-0x8000, min(value, 0x7FFF)) for value in command[1:]]
    if command.type in (PLAY_SOUND, FLIP_EFFECT):
        condition = command.third if 0 < command.third <= _MOST_CONDITION else 0
        word = (command.second & _NUMBER_MASK) | condition << _CONDITION_SHIFT
        operands[1] = (word + 0x8000) % 0x10000 - 0x8000
    return AnimationCommand(command.type, tuple(operands[:count]))


def file_command(command: AnimationCommand) -> FileCommand:
    """Return a command for files, as the inverse of :func:`level_command`."""
    first, second, third = (*command.operands, 0, 0, 0)[:3]
    if command.type in (PLAY_SOUND, FLIP_EFFECT):
        word = second & 0xFFFF
        second, third = word & _NUMBER_MASK, word >> _CONDITION_SHIFT
    return FileCommand(command.type, first, second, third)


def new_file(
    keys: Keys, *, name: str, state: int, rate: int, last_frame: int, following: tuple[int, int]
) -> AnimationFile:
    """Return an animation with the keys of a level; speeds, state changes and commands are empty.

    Args:
        name, state, last_frame: see :class:`.animation.AnimationFile`.
        rate: ticks per key.
        following: the next animation and its frame.
    """
    ends = keys.boxes.reshape(-1, 3, 2).transpose(0, 2, 1)
    # Files have 0 to 360 degrees, in which x and z are negated.
    angles = keys.angles.astype(np.float64) % TURN
    angles[..., 0::2] = -((TURN - angles[..., 0::2]) % TURN)
    return AnimationFile(
        name=name,
        state=state,
        frame_rate=rate,
        last_frame=last_frame,
        next_animation=following[0],
        next_frame=following[1],
        velocities=np.zeros(4),
        boxes=ends.astype(np.float64),
        offsets=keys.offsets.astype(np.float64),
        angles=angles,
    )


def merge_keys(new: AnimationFile, origin: AnimationFile, bits: int) -> AnimationFile:
    """Return an animation with the exact values of its file, where a level would have the same.

    Args:
        new: the animation as in a level.
        origin: the animation as it was read from a file.
        bits: of angles about one axis, see :func:`...levels.animations.rotations.round_angles`.
    """
    if new.bones != origin.bones or new.frame_rate != max(origin.frame_rate, 1):
        return new
    origin_keys = keys_of(origin)
    count = min(new.keys, origin.keys)
    boxes, offsets, angles = new.boxes.copy(), new.offsets.copy(), new.angles.copy()
    sorted_boxes = origin_keys.boxes[:count].reshape(-1, 3, 2)
    sorted_new = new.boxes[:count].transpose(0, 2, 1)
    same_box = (sorted_new == sorted_boxes).all(axis=(1, 2))
    boxes[:count][same_box] = origin.boxes[:count][same_box]
    same = offsets[:count] == origin_keys.offsets[:count]
    offsets[:count][same] = origin.offsets[:count][same]
    turns = round_angles(new.angles[:count] % TURN, bits)
    same_turn = (turns == round_angles(origin_keys.angles[:count], bits)).all(axis=2)
    angles[:count][same_turn] = origin.angles[:count][same_turn]
    merged = replace(new, boxes=boxes, offsets=offsets, angles=angles)
    if new.keys == origin.keys and new.last_frame == length_of(origin):
        merged = replace(merged, last_frame=origin.last_frame)
    return replace(merged, frame_rate=origin.frame_rate)


def align(old: Sequence[Hashable], new: Sequence[Hashable], *, replacements: bool = False) -> list[int]:
    """Return the old index of each new element, in order, -1 for none.

    Args:
        old, new: the elements. Equal ones are matched.
        replacements: also match those between that replace others.
    """
    result = [-1] * len(new)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if kind == "equal" or (replacements and kind == "replace"):
            count = min(old_end - old_start, new_end - new_start)
            result[new_start : new_start + count] = range(old_start, old_start + count)
    return result


def merge_commands(
    new: Sequence[AnimationCommand],
    old: Sequence[AnimationCommand | None],
    origin: Sequence[FileCommand],
) -> tuple[FileCommand, ...]:
    """Return commands for a file. Those that levels lack keep their places among the others.

    Args:
        old: what each command of the file was made to, None for one that was left out.
    """
    return tuple(weave_commands(new, old, origin, file_command))


def weave_commands(
    new: Sequence[AnimationCommand],
    old: Sequence[AnimationCommand | None],
    origin: Sequence[_Item],
    make: Callable[[AnimationCommand], _Item],
    *,
    replacements: bool = False,
) -> list[_Item]:
    """Return commands for a file in any form, as :func:`merge_commands`.

    Args:
        make: returns the form of a new command.
        replacements: a changed command has the place of the old one among those that levels lack.
    """
    rows = [row for row, command in enumerate(old) if command is not None]
    matches = align([old[row] for row in rows], new, replacements=replacements)
    result: list[_Item] = []
    next_row = 0
    for command, match in zip(new, matches, strict=True):
        row = rows[match] if match >= 0 else -1
        result += [origin[each] for each in range(next_row, row) if old[each] is None]
        next_row = max(next_row, row + 1)
        result.append(origin[row] if row >= 0 and old[row] == command else make(command))
    return [*result, *(origin[each] for each in range(next_row, len(old)) if old[each] is None)]
