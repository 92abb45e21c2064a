"""Mirrored animations: left and right are swapped, exactly in the angles of the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from bpy.types import Action
from numpy.typing import NDArray

from ....catalogue import names as catalogue_names
from ....formats import Game
from ....formats.levels.animations import matrices_from_quaternions
from ...subjects.animations.keys.boxes import replace_boxes
from ...subjects.animations.keys.key_poses import KeyPoses, RestPose
from ...subjects.animations.names import game_of_action, rename_event
from ...subjects.models.bones import is_actor
from ...subjects.models.poses import frames_of, rotations_to_file
from .clip import Clip, boxes_of, write_clip
from .placing import set_down

_LEFT_RIGHT = {1: 2, 2: 1}  # flags of effects: left and right foot


def mirrored(poses: KeyPoses, rest: RestPose, partners: NDArray[np.int64]) -> KeyPoses:
    """Return poses with left and right swapped.

    Rotations are mirrored in the file's axes relative to the parent, in which angles about x stay, and those
    about y and z are negated. So nothing is rounded, although bones at rest are not quite symmetrical.

    Args:
        poses: of the m bones.
        partners: (m,), see :func:`.sides.partners_of`.
    """
    frames = frames_of(rest.turns)
    turns = rotations_to_file(poses.turns, frames)[:, partners] * (1.0, 1.0, -1.0, -1.0)
    turns[..., 1:] = np.einsum("bij,nbj->nbi", frames, turns[..., 1:])
    axes = matrices_from_quaternions(rest.turns[0])
    heads = (rest.heads[0] + poses.places @ axes.T) * (-1.0, 1.0, 1.0)
    return KeyPoses(poses.frames, turns, np.asarray((heads - rest.heads[0]) @ axes, float))


def mirror(clip: Clip, partners: NDArray[np.int64], *, is_new: bool) -> None:
    """Mirror an animation with its boxes, lateral speeds, effects of feet, and commands.

    Actors of cutscenes begin where they stand, and face as before.

    Args:
        clip: the animation.
        partners: (m,), see :func:`.sides.partners_of`.
        is_new: whether it is a copy, so that it has no boxes of the file.
    """
    action = clip.action
    boxes = {frame: (-box[1], -box[0], *box[2:]) for frame, box in boxes_of(clip).items()}
    poses = mirrored(clip.poses, clip.rest, partners)
    write_clip(clip, set_down(clip.rest, poses, clip.poses) if is_actor(clip.armature) else poses)
    replace_boxes(action, boxes, is_new=is_new)
    settings: Any = action.tomb_raider
    for name in ("lateral_speed", "lateral_acceleration"):
        value = getattr(settings, name)
        if value:
            setattr(settings, name, -value)
    for row in settings.commands:
        if row.command == "POSITION":
            row.position = -row.position[0], row.position[1], row.position[2]
    _swap_effects(action, game_of_action(action, clip.armature))


# --- Effects ----------------------------------------


def _swap_effects(action: Action, game: Game | None) -> None:
    """Move the markers of effects of one side to those of the other, in the list of effects."""
    events: Any = action.tomb_raider.events
    numbers = {} if game is None else sided_numbers(catalogue_names(game).known("flipeffect"))
    swapped: dict[str, tuple[int, int]] = {}
    for row in events:
        number, flags = numbers.get(row.number, row.number), _LEFT_RIGHT.get(row.flags, row.flags)
        if row.command == "EFFECT" and (number, flags) != (row.number, row.flags):
            swapped[row.name] = number, flags
    labels = {old: _label(events, *meaning) for old, meaning in swapped.items()}
    used: set[str] = set()
    for marker in action.pose_markers:
        marker.name = labels.get(marker.name, marker.name)
        used.add(marker.name)
    for place in reversed(range(len(events))):
        if events[place].name in swapped and events[place].name not in used:
            events.remove(place)
    action.tomb_raider.active_event = min(action.tomb_raider.active_event, max(len(events) - 1, 0))


def _label(events: Any, number: int, flags: int) -> str:
    """Return the name of the markers of an effect, which is added to a list of events if it is missing."""
    for row in events:
        if (row.command, row.number, row.flags) == ("EFFECT", number, flags):
            return str(row.name)
    made = events.add()
    made["command"] = 6  # without the callbacks, which would search for markers to rename
    made["number"], made["flags"] = number, flags
    rename_event(made)
    return str(made.name)


def sided_numbers(known: Mapping[int, str]) -> dict[int, int]:
    """Return the number with the name of the other side, by number: "Draw left gun", "Draw right gun"."""
    numbers = {name.casefold(): number for number, name in known.items()}
    result: dict[int, int] = {}
    for number, name in known.items():
        words = [{"left": "right", "right": "left"}.get(word, word) for word in name.casefold().split()]
        other = numbers.get(" ".join(words), number)
        if other != number:
            result[number] = other
    return result
