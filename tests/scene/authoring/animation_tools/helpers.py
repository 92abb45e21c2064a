"""Animations in scenes, edited as the operators do."""

from __future__ import annotations

from typing import Any

import numpy as np
from bpy.types import Action, Collection

from io_tomb_raider.formats import Level
from io_tomb_raider.formats.levels.animations.animations import (
    AnimationCommand,
    StateChange,
    decode_state_changes,
)
from io_tomb_raider.scene.authoring.animation_tools.clip import Clip, read_clip
from io_tomb_raider.scene.subjects.animations.commands import commands_of
from tests.scene.rig_tools import LARA, actions, armature, first_animation, model_keys, turned

RUN, WALK, WALK_STOP, RUN_START, STAND = 0, 1, 2, 6, 11
MIRROR = np.diag([-1.0, 1.0, 1.0])
# The bones of Lara on the other side, by their numbers in the file.
OTHER_SIDE = [0, 4, 5, 6, 1, 2, 3, 7, 11, 12, 13, 8, 9, 10, 14]


def clip_of(root: Collection, number: int, model: int = LARA) -> Clip:
    """Return an animation of a model."""
    return read_clip(actions(root, model)[number], armature(root, model))


def record(level: Level, number: int, model: int = LARA) -> Any:
    """Return the record of an animation of an exported model."""
    return level.animations[first_animation(level, model) + number]


def ticks_of(level: Level, number: int, model: int = LARA) -> int:
    found = record(level, number, model)
    return int(found["last_frame"]) - int(found["first_frame"]) + 1


def speed(level: Level, number: int, name: str = "speed", model: int = LARA) -> float:
    """Return a speed of an exported animation in units per tick."""
    return int(record(level, number, model)[name]) / 65536


def commands(level: Level, number: int, model: int = LARA) -> tuple[AnimationCommand, ...]:
    return commands_of(level, first_animation(level, model) + number)


def changes_of(level: Level, number: int, model: int = LARA) -> tuple[StateChange, ...]:
    index = first_animation(level, model) + number
    return tuple(
        decode_state_changes(level.animations, level.state_changes, level.animation_dispatches, index)
    )


def next_frame(level: Level, number: int, model: int = LARA) -> tuple[int, int]:
    """Return which animation of the model follows one, and from which of its frames on."""
    found = record(level, number, model)
    following = int(found["next_animation"])
    start = int(level.animations[following]["first_frame"])
    return following - first_animation(level, model), int(found["next_frame"]) - start


def matrices(level: Level, number: int, model: int = LARA) -> np.ndarray:
    """Return the rotations of an exported animation, (keys, bones, 3, 3)."""
    angles = model_keys(level, model, number).angles
    return np.array([[turned(each) for each in row] for row in angles])


def degrees_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the angles between rotations, (…, 3, 3)."""
    apart = np.linalg.norm(a - b, axis=(-2, -1)) / np.sqrt(8)
    return np.degrees(2 * np.arcsin(np.clip(apart, 0, 1)))


def named(root: Collection, name: str, model: int = LARA) -> Action:
    """Return an action of a model by a part of its name."""
    return next(each for each in actions(root, model) if name in each.name)
