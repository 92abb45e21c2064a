"""Export of an edited level's animations to a WAD2; unedited ones keep their fractions and blending."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from struct import pack

import numpy as np

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
    AnimationExtras,
    Head,
    Wad2Animation,
    decode_animation,
    encode_animation,
    encode_change,
    encode_command,
    encode_key,
    new_animation,
    pieces_of,
    with_extras,
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
    next_animation, frame = int(record["next_animation"]), int(record["next_frame"])
    if base <= next_animation < base + count:
        frame -= int(level.animations["first_frame"][next_animation])
    head = Head(
        int(record["state"]),
        max(int(record["last_frame"]) - first, 0),
        int(record["frame_rate"]),
        max(next_animation - base, 0),
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
    extras: AnimationExtras | None,
) -> Chunk:
    """Return the chunk of an animation.

    Args:
        old: the animation in the original level, or None for a new one.
        origin: the source of ``old`` in the file.
        form: of new animations, W2Ani2 or W2Ani3.
        bones: the original index of each bone, -1 for new ones.
        numbers: the original number of each animation of the moveable, -1 for new ones.
        extras: the data that levels lack, None for that of the file.
    """
    if old is None or origin is None:
        origin, old = decode_animation(new_animation(form, ""), len(bones)), None
    before = (
        old if old is not None else LevelAnimation(new.keys, Head(-1, -1, -1, -1, -1), new.speeds, (), ())
    )
    new_numbers = {number: index for index, number in enumerate(numbers) if number >= 0}
    keys = _merge_keys(new, old, origin, bones)
    speeds = origin.velocities
    has_other_length = (len(new.keys), new.head.frame_rate) != (len(before.keys), before.head.frame_rate)
    if old is None or new.speeds != before.speeds or has_other_length:
        speeds = velocities(new.speeds, len(new.keys), new.head.frame_rate)
    changes = _merge_changes(new, before, origin, new_numbers, form)
    commands = _merge_commands(new, origin)
    head = _merge_head(new.head, before.head, origin.head, new_numbers)
    unchanged = (
        head == origin.head
        and old is not None
        and np.array_equal(speeds, origin.velocities, equal_nan=True)
        and keys == pieces_of(origin, "W2Kf")
        and changes == pieces_of(origin, "W2StCh")
        and commands == pieces_of(origin, "W2Cmd", "W2Cmd2")
    )
    chunk = origin.chunk
    if not unchanged:
        chunk = encode_animation(origin, head, keys, speeds, changes, commands)
    return chunk if extras is None else with_extras(chunk, extras)


def _merge_head(new: Head, old: Head, origin: Head, new_numbers: dict[int, int]) -> Head:
    """Return the file's numbers where those of the level are unchanged."""
    renumbered = old._replace(next_animation=new_numbers.get(old.next_animation, old.next_animation))
    exact = origin._replace(next_animation=new_numbers.get(origin.next_animation, origin.next_animation))
    pairs = zip(new, renumbered, exact, strict=True)
    return Head(*(exact_value if value == old_value else value for value, old_value, exact_value in pairs))


def _merge_keys(
    new: LevelAnimation, old: LevelAnimation | None, origin: Wad2Animation, bones: Sequence[int]
) -> list[Chunk]:
    old_chunks = pieces_of(origin, "W2Kf")
    boxes = new.keys.boxes.reshape(-1, 3, 2).transpose(0, 2, 1) * _SIGNS
    offsets = new.keys.offsets * _SIGNS
    # Never 360 degrees, but 0.
    angles = (new.keys.angles.astype(np.int64) * _TURNS % TURN) * (360 / TURN)
    matches = [-1] * len(new.keys)
    if old is not None:
        matches = align(_key_rows(old.keys), _key_rows(new.keys), replacements=True)
    result = []
    same_bones = list(bones) == list(range(origin.angles.shape[1]))
    old_bones = np.array(bones, np.int64)
    for key, old_key in enumerate(matches):
        offset, box, turns = (each[key].astype(F32) for each in (offsets, boxes, angles))
        if old_key < 0 or old is None or old_key >= len(old_chunks):
            result.append(encode_key(offset, box, turns))
            continue
        same_offset = new.keys.offsets[key] == old.keys.offsets[old_key]
        same_box = (new.keys.boxes[key] == old.keys.boxes[old_key]).reshape(3, 2).T
        rows = old.keys.angles[old_key][old_bones.clip(0)] if len(old_bones) else old.keys.angles[old_key][:0]
        same_turns = (old_bones >= 0) & (new.keys.angles[key] == rows).all(axis=1)
        if same_offset.all() and same_box.all() and same_turns.all() and same_bones:
            result.append(old_chunks[old_key])
            continue
        exact = origin.angles[old_key][old_bones.clip(0)]
        # In the order of a level's box: y down, the lower number first.
        exact_box = (np.sort(origin.boxes[old_key] * _SIGNS, axis=0) * _SIGNS).astype(F32)
        box = origin.boxes[old_key] if same_box.all() else np.where(same_box, exact_box, box).astype(F32)
        offset = np.where(same_offset, origin.offsets[old_key], offset).astype(F32)
        turns = np.where(same_turns[:, None], exact, turns).astype(F32)
        result.append(encode_key(offset, box, turns, old_chunks[old_key]))
    return result


def _key_rows(keys: Keys) -> list[bytes]:
    """Return the bytes of each key frame."""
    parts = (keys.boxes, keys.offsets, keys.angles)
    flat = (each.reshape(len(keys), math.prod(each.shape[1:])).astype(np.int64) for each in parts)
    return [row.tobytes() for row in np.concatenate([*flat], axis=1)]


def _merge_changes(
    new: LevelAnimation, old: LevelAnimation, origin: Wad2Animation, new_numbers: dict[int, int], form: str
) -> list[Chunk]:
    chunks = pieces_of(origin, "W2StCh")
    old_changes = [
        change.renumbered(lambda number: new_numbers.get(number, number)) for change in old.changes
    ]
    keeps_numbers = all(number == index for number, index in new_numbers.items())
    result = []
    for change, index in zip(new.changes, align(old_changes, new.changes, replacements=True), strict=True):
        chunk = chunks[index] if 0 <= index < len(chunks) else None
        if chunk is None or not keeps_numbers or old_changes[index] != change:
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
