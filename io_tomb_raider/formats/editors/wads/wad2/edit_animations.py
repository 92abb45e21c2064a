"""Export of an edited level's animations to a WAD2; unedited ones keep their fractions and blending."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from struct import pack

import numpy as np
from numpy.typing import NDArray

from ....base.bytes.chunks import Chunk
from ....base.bytes.records import F32
from ....base.units import TURN
from ....levels.animations.animations import (
    AnimationCommand,
    StateChange,
    decode_commands,
    decode_state_changes,
    model_animations,
)
from ....levels.animations.frames import Keys, LevelKeys
from ....levels.level.level import Level
from ...animation_files.animation import FileDispatch, FileStateChange
from ...animation_files.game import FileSpeeds, align, file_command, level_command, weave_commands
from .animated import velocities
from .animations import (
    Head,
    Wad2Animation,
    decode_animation,
    encode_animation,
    encode_change,
    encode_command,
    encode_key,
    new_animation,
    pieces_of,
)

_SIGNS = np.array([1, -1, 1])
_TURNS = np.array([-1, 1, -1])


@dataclass(frozen=True, eq=False)
class LevelAnimation:
    """An animation of a level. Frames are relative to its start, animations to the first of its model."""

    keys: Keys
    head: Head  #: its plain numbers.
    speeds: FileSpeeds
    changes: tuple[FileStateChange, ...]
    commands: tuple[AnimationCommand, ...]

    @property
    def signature(self) -> bytes:
        """Its identity, without references."""
        keys = self.keys
        arrays = (keys.boxes, keys.offsets, keys.angles)
        numbers = pack("<HB", self.head.state, self.head.frame_rate)
        return b"".join((numbers, *(np.ascontiguousarray(each).tobytes() for each in arrays)))


def model_animations_of(level: Level, keys: LevelKeys) -> list[list[LevelAnimation]]:
    """Return the animations of each model of a level."""
    first, count = model_animations(level.models, level.animations)
    return [
        [_level_animation(level, keys, index, start, number) for index in range(start, start + number)]
        for start, number in zip(first.tolist(), count.tolist(), strict=True)
    ]


def _level_animation(level: Level, keys: LevelKeys, index: int, base: int, count: int) -> LevelAnimation:
    record = level.animations[index]
    first = int(record["first_frame"])
    following, frame = int(record["next_animation"]), int(record["next_frame"])
    if base <= following < base + count:
        frame -= int(level.animations["first_frame"][following])
    head = Head(
        int(record["state"]),
        max(int(record["last_frame"]) - first, 0),
        int(record["frame_rate"]),
        max(following - base, 0),
        max(frame, 0),
    )
    changes = decode_state_changes(level.animations, level.state_changes, level.animation_dispatches, index)
    return LevelAnimation(
        keys=keys.keys(index),
        head=head,
        speeds=FileSpeeds(*(int(record[name]) for name in FileSpeeds._fields)),
        changes=tuple(_level_change(change, base) for change in changes),
        commands=decode_commands(
            level.animation_commands, int(record["first_command"]), int(record["commands"]), first_frame=first
        ),
    )


def _level_change(change: StateChange, base: int) -> FileStateChange:
    """Return a state change whose dispatches refer to animations relative to the model's first."""
    rows = []
    for each in change.dispatches:
        assert isinstance(each.next_animation, int)  # none is being added
        rows.append(FileDispatch(each.low, each.high, each.next_animation - base, each.next_frame))
    return FileStateChange(change.state, tuple(rows))


def merge_animation(
    new: LevelAnimation,
    old: LevelAnimation | None,
    origin: Wad2Animation | None,
    form: str,
    bones: Sequence[int],
    numbers: Sequence[int],
) -> Chunk:
    """Return the chunk of an animation.

    Args:
        old: the animation in the original level, or None for a new one.
        origin: the source of ``old`` in the file.
        form: of new animations, W2Ani2 or W2Ani3.
        bones: the original index of each bone, -1 for new ones.
        numbers: the original number of each animation of the moveable, -1 for new ones.
    """
    if old is None or origin is None:
        origin, old = decode_animation(new_animation(form, ""), len(bones)), None
    was = old if old is not None else LevelAnimation(new.keys, Head(-1, -1, -1, -1, -1), new.speeds, (), ())
    back = {number: place for place, number in enumerate(numbers) if number >= 0}
    keys = _merge_keys(new, old, origin, bones)
    speeds = origin.velocities
    moved = (len(new.keys), new.head.frame_rate) != (len(was.keys), was.head.frame_rate)
    if old is None or new.speeds != was.speeds or moved:
        speeds = velocities(new.speeds, len(new.keys), new.head.frame_rate)
    changes = _merge_changes(new, was, origin, back, form)
    commands = _merge_commands(new, origin)
    head = _merge_head(new.head, was.head, origin.head, back)
    unchanged = (
        head == origin.head
        and old is not None
        and np.array_equal(speeds, origin.velocities, equal_nan=True)
        and keys == pieces_of(origin, "W2Kf")
        and changes == pieces_of(origin, "W2StCh")
        and commands == pieces_of(origin, "W2Cmd", "W2Cmd2")
    )
    return origin.chunk if unchanged else encode_animation(origin, head, keys, speeds, changes, commands)


def _merge_head(new: Head, old: Head, origin: Head, back: dict[int, int]) -> Head:
    """Return the file's numbers where those of the level are unchanged."""
    moved = old._replace(next_animation=back.get(old.next_animation, old.next_animation))
    exact = origin._replace(next_animation=back.get(origin.next_animation, origin.next_animation))
    pairs = zip(new, moved, exact, strict=True)
    return Head(*(kept if value == was else value for value, was, kept in pairs))


def _merge_keys(
    new: LevelAnimation, old: LevelAnimation | None, origin: Wad2Animation, bones: Sequence[int]
) -> list[Chunk]:
    old_chunks = pieces_of(origin, "W2Kf")
    boxes = new.keys.boxes.reshape(-1, 3, 2).transpose(0, 2, 1) * _SIGNS
    offsets = new.keys.offsets * _SIGNS
    # Never 360 degrees, but 0.
    angles = (new.keys.angles.astype(np.int64) * _TURNS % TURN) * (360 / TURN)
    matched = [-1] * len(new.keys)
    if old is not None:
        matched = align(_key_rows(old.keys), _key_rows(new.keys), replacements=True)
    result = []
    same_bones = list(bones) == list(range(origin.angles.shape[1]))
    known = np.array(bones, np.int64)
    for key, place in enumerate(matched):
        offset, box, turns = (each[key].astype(F32) for each in (offsets, boxes, angles))
        if place < 0 or old is None or place >= len(old_chunks):
            result.append(encode_key(offset, box, turns))
            continue
        same_offset = new.keys.offsets[key] == old.keys.offsets[place]
        same_box = (new.keys.boxes[key] == old.keys.boxes[place]).reshape(3, 2).T
        rows = old.keys.angles[place][known.clip(0)] if len(known) else old.keys.angles[place][:0]
        same_turns = (known >= 0) & (new.keys.angles[key] == rows).all(axis=1)
        if same_offset.all() and same_box.all() and same_turns.all() and same_bones:
            result.append(old_chunks[place])
            continue
        exact = origin.angles[place][known.clip(0)]
        exact_box = _sorted_box(origin.boxes[place])
        box = origin.boxes[place] if same_box.all() else np.where(same_box, exact_box, box).astype(F32)
        offset = np.where(same_offset, origin.offsets[place], offset).astype(F32)
        turns = np.where(same_turns[:, None], exact, turns).astype(F32)
        result.append(encode_key(offset, box, turns, old_chunks[place]))
    return result


def _sorted_box(ends: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the ends of a box in the order of a level's box: y down, the lower number first."""
    return (np.sort(ends * _SIGNS, axis=0) * _SIGNS).astype(F32)


def _key_rows(keys: Keys) -> list[bytes]:
    """Return the bytes of each key frame."""
    parts = (keys.boxes, keys.offsets, keys.angles)
    flat = (each.reshape(len(keys), math.prod(each.shape[1:])).astype(np.int64) for each in parts)
    return [row.tobytes() for row in np.concatenate([*flat], axis=1)]


def _merge_changes(
    new: LevelAnimation, old: LevelAnimation, origin: Wad2Animation, back: dict[int, int], form: str
) -> list[Chunk]:
    chunks = pieces_of(origin, "W2StCh")
    before = [change.renumbered(lambda number: back.get(number, number)) for change in old.changes]
    kept = all(number == place for number, place in back.items())
    result = []
    for change, place in zip(new.changes, align(before, new.changes, replacements=True), strict=True):
        chunk = chunks[place] if 0 <= place < len(chunks) else None
        if chunk is None or not kept or before[place] != change:
            chunk = encode_change(change, chunk, form)
        result.append(chunk)
    return result


def _merge_commands(new: LevelAnimation, origin: Wad2Animation) -> list[Chunk]:
    """Return the commands; those that levels lack keep their positions among the others."""
    chunks = pieces_of(origin, "W2Cmd", "W2Cmd2")
    form = chunks[0].name if chunks else "W2Cmd2"
    converted = [level_command(command) for command in origin.commands]
    return weave_commands(
        new.commands,
        converted,
        chunks,
        lambda command: encode_command(file_command(command), form),
        replacements=True,
    )
