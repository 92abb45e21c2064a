"""Rules of animations and key frames."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from .raw import Places, Raw, crash

_HEAD = 9  # words of a key frame before its rotations: the box, and the place of the first mesh
_OPERANDS = {1: 3, 2: 2, 3: 0, 4: 0, 5: 2, 6: 2}
_PLAY_SOUND = 5


def _of_models(raw: Raw, is_wrong: Callable[[int, dict[str, int]], bool]) -> Places:
    """Yield the ids of the models that own animations for which a function says so."""
    for row, animation in enumerate(raw.animations):
        owner = raw.owner(row)
        if owner is not None and is_wrong(row, animation):
            yield owner["id"]


@crash("frame rate")
def frame_rate(raw: Raw) -> Places:
    return _of_models(raw, lambda _, animation: animation["frame_rate"] < 1)


@crash("frame size", "2")
def frame_size(raw: Raw) -> Places:
    return _of_models(raw, lambda _, animation: animation["frame_size"] == 0)


def _size(raw: Raw, animation: dict[str, int]) -> int:
    """Return the bytes of the first key frame of an animation."""
    if raw.game > 1:
        return 2 * animation["frame_size"]
    at = animation["frame_offset"] // 2 + _HEAD
    rotations = int(raw.level.frames[at]) if at < len(raw.level.frames) else 0
    return 2 * (_HEAD + 1 + 2 * rotations)


@crash("animation without frames", "123")
def animation_without_frames(raw: Raw) -> Places:
    ends = [*(animation["frame_offset"] for animation in raw.animations[1:]), 2 * len(raw.level.frames)]

    def has_none(row: int, animation: dict[str, int]) -> bool:
        size = _size(raw, animation)
        return size == 0 or ends[row] - animation["frame_offset"] < size

    return _of_models(raw, has_none)


@crash("range of frames")
def range_of_frames(raw: Raw) -> Places:
    return _of_models(raw, lambda _, animation: animation["first_frame"] > animation["last_frame"])


@crash("frame offsets")
def frame_offsets(raw: Raw) -> Places:
    offsets = [animation["frame_offset"] for animation in raw.animations]
    back = {row for row, (former, later) in enumerate(pairwise(offsets), 1) if later < former}
    end = 2 * len(raw.level.frames)
    return _of_models(raw, lambda row, animation: row in back or animation["frame_offset"] >= end)


@crash("next animation")
def next_animation(raw: Raw) -> Places:
    count = len(raw.animations)
    return _of_models(raw, lambda _, animation: animation["next_animation"] >= count)


@crash("state change lists")
def state_change_lists(raw: Raw) -> Places:
    changes, dispatches = raw.level.state_changes, raw.level.animation_dispatches
    for animation in raw.animations:
        count = animation["state_changes"]
        if count and animation["first_state_change"] + count > len(changes):
            yield 0
    for change in changes:
        count = int(change["dispatches"])
        if count and int(change["first_dispatch"]) + count > len(dispatches):
            yield 0


def _frames(raw: Raw, row: int) -> list[int]:
    """Return the words at which the key frames of an animation begin, up to the next animation's."""
    animation = raw.animations[row]
    if animation["frame_offset"] % 2:
        return []  # no word begins there
    with_frames = [each["frame_offset"] for each in raw.animations if each["frame_size"] or raw.game == 1]
    later = [offset for offset in with_frames if offset > animation["frame_offset"]]
    end = min([*later, 2 * len(raw.level.frames)]) // 2
    at, result = animation["frame_offset"] // 2, []
    while at < end:
        size = _size(raw, {**animation, "frame_offset": 2 * at}) // 2
        if not size:
            break
        result.append(at)
        at += size
    return result


@crash("rotations of frames", "1")
def rotations_of_frames(raw: Raw) -> Places:
    frames = raw.level.frames

    def wrong(row: int, _: dict[str, int]) -> bool:
        owner = raw.owner(row)
        meshes = owner["meshes"] if owner is not None else 0
        places = [at + _HEAD for at in _frames(raw, row) if at + _HEAD < len(frames)]
        return bool(meshes) and any(int(frames[at]) != meshes for at in places)

    return _of_models(raw, wrong)


@crash("room in frames", "2345")
def room_in_frames(raw: Raw) -> Places:
    frames = raw.level.frames.tolist()

    def too_small(row: int, animation: dict[str, int]) -> bool:
        owner = raw.owner(row)
        meshes = owner["meshes"] if owner is not None else 0
        size = animation["frame_size"]
        offset = animation["frame_offset"]
        if size and meshes and (offset % 2 or offset // 2 + size > len(frames)):
            return True  # frames are words, and inside of the data
        for start in _frames(raw, row):
            at, end = start + _HEAD, min(start + size, len(frames))
            for _ in range(meshes):
                if at >= end:
                    return True
                at += 1 if frames[at] >> 14 else 2
            if at > end:
                return True
        return False

    return _of_models(raw, too_small)


@crash("sounds of animations")
def sounds_of_animations(raw: Raw) -> Places:
    words = [int(word) & 0xFFFF for word in raw.level.animation_commands]

    def beyond(_: int, animation: dict[str, int]) -> bool:
        at = animation["first_command"]
        for _ in range(animation["commands"]):
            if at >= len(words) or words[at] not in _OPERANDS:
                return False
            operands = words[at + 1 : at + 1 + _OPERANDS[words[at]]]
            if len(operands) < _OPERANDS[words[at]]:
                return False
            if words[at] == _PLAY_SOUND and operands[1] & 0x3FFF >= len(raw.level.sound_map):
                return True
            at += 1 + len(operands)
        return False

    return _of_models(raw, beyond)
