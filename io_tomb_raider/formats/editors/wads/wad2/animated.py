"""Conversion of a WAD2's moveables to a level's models: mesh trees, key frames, state changes, commands.

Axes: y points down in levels, so angles about x and z are negated (`level_angles`). Frame numbers are
relative to the animation in a moveable; in levels they count through all animations of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.finite import finite
from ....base.bytes.records import ANIMATION_DISPATCH, ANIMATION_TR4, I16, I32, MODEL, STATE_CHANGE, U16
from ....base.errors import ExportError, FormatError
from ....base.games import Game
from ....base.messages import T
from ....base.units import TURN
from ....levels.animations.animations import NO_ANIMATION, encode_commands
from ....levels.animations.frames import X_AXIS, Z_AXIS, Keys, encode_frames
from ....levels.level.level import Level
from ...animation_files.game import FileSpeeds, level_command, speeds_between, velocities_of
from .animations import Wad2Animation
from .meshes import Wad2Mesh
from .objects import Wad2Moveable

_GAME = Game.TR4
_MOST_FRAME = 0x7FFF
_SIGNS = np.array([1, -1, 1])
_TURNS = np.array([-1, 1, -1])
_FIXED = 65536
_SPEED_LIMIT = (1 << 31) - 1


def add_models(
    level: Level, moveables: Sequence[Wad2Moveable], *, compiled: bool = False
) -> tuple[list[Wad2Mesh], list[int]]:
    """Set the models of a level, with everything that belongs to them except their meshes.

    Args:
        compiled: do as Tomb Editor does for levels: cut offsets of bones and boxes instead of rounding them,
            and shorten animations that are longer than their key frames.

    Returns:
        The meshes of models, and the index of the mesh of each of their mesh pointers.

    Raises:
        ExportError: if a level cannot store an animation.
    """
    meshes: list[Wad2Mesh] = []
    pointers: list[int] = []
    models: list[tuple[int, ...]] = []
    trees: list[int] = []
    tables = _Tables(compiled)
    for moveable in moveables:
        first, words = len(pointers), len(trees)
        numbers = moveable.bone_meshes
        used = sorted(set(numbers))
        pointers += [len(meshes) + used.index(number) for number in numbers]
        meshes += [moveable.meshes[number] for number in used]
        for bone in moveable.bones[1:]:
            trees += [bone.operation, *level_offset(bone.offset, cut=compiled)]
        if not moveable.bones:
            trees += [0, 0, 0, 0] * max(len(numbers) - 1, 0)
        start = tables.count if moveable.animations else NO_ANIMATION
        offset = 2 * tables.words
        tables.add(moveable)
        models.append((moveable.id, len(numbers), first, words, offset, start))
    level.models = np.array(models, MODEL)
    level.mesh_trees = np.array(trees, I32)
    tables.store(level)
    return meshes, pointers


def level_offset(offset: NDArray[np.float32], *, cut: bool = False) -> list[int]:
    """Return the offset of a bone for levels, rounded or without its fractions."""
    exact = finite(offset.astype(np.float64)) * _SIGNS
    values = np.trunc(exact) if cut else np.rint(exact)
    return [int(value) for value in values.clip(-_SPEED_LIMIT, _SPEED_LIMIT)]


def level_angles(angles: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Return angles (..., 3) in 1/65536 turns for levels."""
    turned = finite(angles.astype(np.float64)) * _TURNS
    return np.asarray((np.rint(turned / 360 * TURN).astype(np.int64) % TURN).astype(U16))


def level_keys(animation: Wad2Animation, *, cut: bool = False) -> Keys:
    """Return the key frames of an animation for levels, before their angles are rounded.

    Args:
        cut: cut the numbers of boxes instead of rounding them.
    """
    exact = finite(animation.boxes.astype(np.float64)) * _SIGNS
    boxes = np.trunc(exact) if cut else np.rint(exact)
    boxes = np.sort(boxes, axis=1).transpose(0, 2, 1).reshape(-1, 6)
    offsets = np.rint(finite(animation.offsets.astype(np.float64)) * _SIGNS)
    boxes, offsets = (each.clip(-0x8000, 0x7FFF).astype(I16) for each in (boxes, offsets))
    return Keys(boxes, offsets, level_angles(animation.angles))


def level_speeds(animation: Wad2Animation) -> FileSpeeds:
    """Return the speeds of an animation for levels, in 1/65536."""
    ends = finite(animation.velocities.astype(np.float64)).tolist()
    values = speeds_between(ends, len(animation.offsets), animation.head.frame_rate)
    return FileSpeeds(*(max(-_SPEED_LIMIT, min(round(value * _FIXED), _SPEED_LIMIT)) for value in values))


def velocities(speeds: FileSpeeds, keys: int, frame_rate: int) -> NDArray[np.float32]:
    """Return the velocities at both ends of an animation, (4,), as the inverse of :func:`level_speeds`."""
    exact = FileSpeeds(*(value / _FIXED for value in speeds))
    return velocities_of(exact, keys, frame_rate).astype(np.float32)


def _word(value: int) -> int:
    return max(-0x8000, min(value, 0x7FFF))


class _Tables:
    """The tables of a level's animations while moveables are added."""

    def __init__(self, compiled: bool) -> None:
        self._compiled = compiled
        self.words = 0
        self._frames: list[NDArray[np.uint16]] = []
        self._animations: list[tuple[float, ...]] = []
        self._changes: list[tuple[int, ...]] = []
        self._dispatches: list[tuple[int, ...]] = []
        self._commands: list[NDArray[np.int16]] = []
        self._command_words = 0

    @property
    def count(self) -> int:
        return len(self._animations)

    def add(self, moveable: Wad2Moveable) -> None:
        animations = moveable.animations
        if self._compiled:
            animations = [_shortened(each) for each in animations]
        first_frames = _first_frames(animations)
        base = self.count
        for first, animation in zip(first_frames, animations, strict=True):
            self._add(animation, base, first_frames, first, f"{moveable.id} ({animation.name})")

    def _add(
        self, animation: Wad2Animation, base: int, first_frames: Sequence[int], first: int, name: str
    ) -> None:
        head = animation.head
        next_animation = base + head.next_animation
        next_frame = head.next_frame
        if head.next_animation < len(first_frames):
            next_frame += first_frames[head.next_animation]
        offset, size = 2 * self.words, 0
        if len(animation.offsets):
            keys = level_keys(animation, cut=self._compiled)
            axis = X_AXIS if self._compiled else Z_AXIS
            encoded = encode_frames(_GAME, keys, zero_axis=axis, subject=name)
            size = encoded.frame_size
            self._frames.append(encoded.words)
            self.words += len(encoded.words)
        commands = [level_command(command) for command in animation.commands]
        known_commands = [command for command in commands if command is not None]
        numbers = (first, first + head.last_frame, next_animation & 0xFFFF, next_frame & 0xFFFF)
        changes = (len(animation.changes), len(self._changes), len(known_commands), self._command_words)
        rate = max(head.frame_rate, 1)
        row = (offset, rate, size, head.state, *level_speeds(animation), *numbers, *changes)
        self._animations.append(row)
        words = encode_commands(known_commands, first_frame=first, subject=name)
        self._commands.append(words)
        self._command_words += len(words)
        for change in animation.changes:
            self._changes.append((change.state & 0xFFFF, len(change.dispatches), len(self._dispatches)))
            for low, high, target, frame, *_ in change.dispatches:
                start = first_frames[target] if 0 <= target < len(first_frames) else 0
                values = (low + first, high + first, base + target, frame + start)
                self._dispatches.append(tuple(map(_word, values)))

    def store(self, level: Level) -> None:
        level.animations = _records(self._animations, ANIMATION_TR4)
        level.state_changes = _records(self._changes, STATE_CHANGE)
        level.animation_dispatches = _records(self._dispatches, ANIMATION_DISPATCH)
        level.animation_commands = np.concatenate([np.zeros(0, I16), *self._commands])
        level.frames = np.concatenate([np.zeros(0, U16), *self._frames])


def _records(rows: Sequence[tuple[float, ...]], dtype: np.dtype) -> NDArray[np.void]:
    try:
        return np.array(rows, dtype)
    except OverflowError:
        raise FormatError("W2Moveables", "as many animations as a level holds", str(len(rows))) from None


def _shortened(animation: Wad2Animation) -> Wad2Animation:
    """Return an animation that ends with its key frames."""
    head = animation.head
    last = max(head.frame_rate * (len(animation.offsets) - 1), 0)
    return replace(animation, head=head._replace(last_frame=min(head.last_frame, last)))


def _first_frames(animations: Sequence[Wad2Animation]) -> list[int]:
    """Return the first frame of each animation in the numbering of levels, through all animations.

    If that exceeds the limit of a level, an animation begins at 0 again.
    """
    result = []
    next_frame = 0
    for animation in animations:
        last = next_frame + animation.head.last_frame
        start = next_frame if last <= _MOST_FRAME else 0
        if animation.head.last_frame > _MOST_FRAME:
            raise ExportError(animation.name, T("it is too long"), count=last, limit=_MOST_FRAME)
        result.append(start)
        next_frame = start + animation.head.last_frame + 1
    return result
