"""Rules of animations and key frames."""

from __future__ import annotations

import numpy as np

from ...base.arrays.typing import Ints
from ...base.messages import N_
from ...levels.animations.animations import COMMAND_OPERANDS, PLAY_SOUND, animation_models
from ...levels.animations.key_places import key_count
from ...levels.views.decoded import Decoded
from .rule import (
    ALL,
    CROFTENGINE,
    ENGINES,
    OPENTOMB,
    ORIGINAL,
    TOMB_EDITOR,
    TR1,
    TR2,
    TR3,
    TR4,
    TR5,
    TR_RANDO,
    TRX,
    Harm,
    Places,
    Rule,
)

_LAST_COMMAND = 6


def _owners(checked: Decoded) -> Ints:
    """Return the row of the model of each animation, -1 for none."""
    return animation_models(checked.level.models, checked.level.animations)


def _of_models(checked: Decoded, rows: Ints) -> Places:
    """Return the ids of the models that own animations."""
    owners = _owners(checked)[rows]
    return checked.level.models["id"][owners[owners >= 0]].astype(np.int64)


def _rate(checked: Decoded) -> Places:
    return _of_models(checked, np.flatnonzero(checked.level.animations["frame_rate"] == 0))


def _size(checked: Decoded) -> Places:
    return _of_models(checked, np.flatnonzero(checked.level.animations["frame_size"] == 0))


def _without_frames(checked: Decoded) -> Places:
    """Find animations that end before their first key frame does: the next one begins there."""
    level, keys = checked.level, checked.keys
    starts = level.animations["frame_offset"].astype(np.int64)
    ends = np.append(starts[1:], 2 * len(level.frames))[: len(starts)]
    has_keys = keys.key_counts > 0
    sizes = np.zeros(len(starts), np.int64)
    sizes[has_keys] = 2 * keys.lengths[keys.first_keys[has_keys]]
    return _of_models(checked, np.flatnonzero(~has_keys | (ends - starts < sizes)))


def _ranges(checked: Decoded) -> Places:
    animations = checked.level.animations
    first, last = (animations[name].astype(np.int64) for name in ("first_frame", "last_frame"))
    return _of_models(checked, np.flatnonzero(first > last))


def _offsets(checked: Decoded) -> Places:
    level = checked.level
    offsets = level.animations["frame_offset"].astype(np.int64)
    is_outside = offsets >= 2 * max(len(level.frames), 1)
    goes_back = np.append(False, np.diff(offsets) < 0)
    return _of_models(checked, np.flatnonzero(is_outside | goes_back))


def _dispatches(checked: Decoded) -> Places:
    level = checked.level
    owners, (first, _) = _owners(checked), checked.model_animations
    result = []
    for row in np.flatnonzero((level.animations["state_changes"] > 0) & (owners >= 0)).tolist():
        start = int(level.animations["first_state_change"][row])
        for change in level.state_changes[start : start + int(level.animations["state_changes"][row])]:
            first_dispatch = int(change["first_dispatch"])
            targets = level.animation_dispatches["next_animation"][
                first_dispatch : first_dispatch + int(change["dispatches"])
            ]
            if (targets < first[owners[row]]).any():
                result.append(row)
                break
    return _of_models(checked, np.array(result, np.int64))


def _command_rows(checked: Decoded) -> tuple[Ints, Ints]:
    """Return the animations whose commands are unreadable, and those whose sounds are beyond the map."""
    stream = checked.level.animation_commands
    size, sounds = len(stream), len(checked.level.sound_map)
    unreadable, beyond_map = [], []
    animations = checked.level.animations
    for row in np.flatnonzero(animations["commands"] > 0).tolist():
        index = int(animations["first_command"][row])
        for _ in range(int(animations["commands"][row])):
            kind = int(stream[index]) if index < size else 0
            operands = COMMAND_OPERANDS.get(kind, 0)
            if not 1 <= kind <= _LAST_COMMAND or index + operands >= size:
                unreadable.append(row)
                break
            if kind == PLAY_SOUND and (int(stream[index + 2]) & 0x3FFF) >= sounds:
                beyond_map.append(row)
            index += 1 + operands
    return np.array(unreadable, np.int64), np.array(beyond_map, np.int64)


def _commands(checked: Decoded) -> Places:
    return _of_models(checked, checked.once(_command_rows)[0])


def _sounds(checked: Decoded) -> Places:
    return _of_models(checked, checked.once(_command_rows)[1])


def _rotations(checked: Decoded) -> Places:
    keys = checked.keys
    animation = np.repeat(np.arange(len(keys.first_keys)), keys.key_counts)
    wrong = keys.rotation_counts[_key_rows(checked)] != keys.meshes[animation]
    return _of_models(checked, np.unique(animation[wrong & (keys.meshes[animation] > 0)]))


def _key_rows(checked: Decoded) -> Ints:
    keys = checked.keys
    counts = keys.key_counts
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(keys.first_keys, counts) + within


def _frame_room(checked: Decoded) -> Places:
    keys = checked.keys
    animation = np.repeat(np.arange(len(keys.first_keys)), keys.key_counts)
    has_too_few = keys.rotation_counts[_key_rows(checked)] < keys.meshes[animation]
    # Frames of which not even the head can be read.
    has_none = (keys.key_counts == 0) & (keys.frame_sizes > 0) & (keys.meshes > 0)
    return _of_models(checked, np.append(np.unique(animation[has_too_few]), np.flatnonzero(has_none)))


def _few_frames(checked: Decoded) -> Places:
    animations = checked.level.animations
    return _of_models(checked, np.flatnonzero(_owned_keys(checked) < key_count(animations)))


def _owned_keys(checked: Decoded) -> Ints:
    """Return how many key frames fit between the offsets of each animation and of the next one."""
    level, keys = checked.level, checked.keys
    offsets = np.append(level.animations["frame_offset"].astype(np.int64) // 2, len(level.frames))
    next_offsets = offsets[np.searchsorted(offsets, offsets[:-1], side="right").clip(max=len(offsets) - 1)]
    sizes = np.zeros(len(keys.first_keys), np.int64)
    has_keys = keys.key_counts > 0
    sizes[has_keys] = keys.lengths[keys.first_keys[has_keys]]
    return np.where(
        sizes > 0, (next_offsets - offsets[:-1]) // np.maximum(sizes, 1), key_count(level.animations)
    )


def _first_frames(checked: Decoded) -> Places:
    first, counts = checked.model_animations
    has_keys = (counts > 0) & (checked.level.models["meshes"] > 0)
    starts = checked.level.animations["first_frame"][np.maximum(first, 0)] if has_keys.any() else first
    return checked.level.models["id"][has_keys & (starts != 0)].astype(np.int64)


RULES = (
    Rule(
        "frame rate",
        Harm.CRASH,
        ALL,
        (TRX, CROFTENGINE),
        N_("TRX divides by 0: {count} of its animations have frame rate 0"),
        _rate,
        "model",
    ),
    Rule(
        "frame size",
        Harm.CRASH,
        TR2,
        (TRX, ORIGINAL),
        N_("TRX divides by 0: {count} of its animations have frames of size 0"),
        _size,
        "model",
    ),
    Rule(
        "animation without frames",
        Harm.CRASH,
        TR1 | TR2 | TR3,
        (TRX, OPENTOMB),
        N_("TRX ends when it is drawn: {count} of its animations have no key frame"),
        _without_frames,
        "model",
    ),
    Rule(
        "range of frames",
        Harm.CRASH,
        ALL,
        (CROFTENGINE,),
        N_("CroftEngine ends: {count} of its animations end before they begin"),
        _ranges,
        "model",
    ),
    Rule(
        "frame offsets",
        Harm.CRASH,
        ALL,
        (OPENTOMB, TRX),
        N_("OpenTomb runs out of memory: key frames do not follow the order of {count} of its animations"),
        _offsets,
        "model",
    ),
    Rule(
        "next animation",
        Harm.CRASH,
        ALL,
        (CROFTENGINE, OPENTOMB, TR_RANDO),
        "engines end: the next animation of {count} of its animations does not exist",
        None,
        "model",
    ),
    Rule(
        "dispatches",
        Harm.COSMETIC,  # levels of the original tools have a few, which nothing plays
        ALL,
        (CROFTENGINE, TR_RANDO, TOMB_EDITOR),
        N_(
            "Tomb Editor and TR-Rando do not open the level: state changes of {count} of its animations "
            "start animations of an earlier model. Delete them"
        ),
        _dispatches,
        "model",
    ),
    Rule(
        "state change lists",
        Harm.CRASH,
        ALL,
        (CROFTENGINE, TRX),
        "engines end: state changes are outside of their list",
        None,
    ),
    Rule(
        "animation commands",
        Harm.COSMETIC,  # levels of the original tools have a few, which nothing plays
        ALL,
        (TRX, OPENTOMB, ORIGINAL),
        N_("engines read beyond the commands of {count} of its animations"),
        _commands,
        "model",
    ),
    Rule(
        "rotations of frames",
        Harm.CRASH,
        TR1,
        (TRX, CROFTENGINE, OPENTOMB),
        N_(
            "TRX and CroftEngine end: key frames of {count} of its animations do not have one rotation for "
            "each mesh"
        ),
        _rotations,
        "model",
    ),
    Rule(
        "room in frames",
        Harm.CRASH,
        TR2 | TR3 | TR4 | TR5,
        (TRX, OPENTOMB, ORIGINAL),
        N_("engines read key frames of {count} of its animations wrongly: their size is too small"),
        _frame_room,
        "model",
    ),
    Rule(
        "enough frames",
        Harm.WRONG,
        ALL,
        (OPENTOMB, TRX, ORIGINAL),
        N_(
            "the last pose of {count} of its animations is the next animation's: they have too few key frames"
        ),
        _few_frames,
        "model",
        holds_in_trng=False,
    ),
    Rule(
        "first frame",
        Harm.WRONG,
        ALL,
        (OPENTOMB,),
        N_("OpenTomb counts its frames wrongly: they do not begin at 0"),
        _first_frames,
        "model",
    ),
    Rule(
        "sounds of animations",
        Harm.CRASH,
        ALL,
        ENGINES,
        N_("engines read beyond the sound map: {count} of its animations play sounds that do not exist"),
        _sounds,
        "model",
    ),
)
