"""Spread Edit: the change of a pose at one frame, fading out over the keys around it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import Action

from ....formats.base import Floats
from ...core.blender import compat
from ...subjects.animations.changes.chains import length
from ...subjects.animations.keys.curves import ON_KEY, rotation_channel
from ...subjects.animations.keys.key_poses import slerp
from ...subjects.animations.keys.ranges import first_frame
from ...subjects.models.poses import CONJUGATE, multiply
from .bone_keys import REST, BoneKeys, all_frames, from_turns, to_turns
from .clip import key_count
from .posed import NotedPose, note_pose, noted_pose, shown_pose

_SAME_TURN, _SAME_PLACE = np.radians(0.01), 1e-5
_UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
_LEAST_TURN, _LEAST_PLACE = float(np.radians(2.0)), 0.01  # of a key that stands out from those around it


@dataclass(frozen=True, eq=False)
class PoseChange:
    """The change of a bone's pose at a frame."""

    bone: str  #: its name.
    turn: Floats  #: (4,), rotation about the axes of the parent: it is applied after the old one.
    place: Floats  #: (3,), change of its location.
    #: old_turn, old_place: (4,) and (3,), its pose before.
    old_turn: Floats
    old_place: Floats

    @property
    def is_turned(self) -> bool:
        return bool(2 * np.linalg.norm(self.turn[1:]) > _SAME_TURN)

    @property
    def is_moved(self) -> bool:
        return bool(np.abs(self.place).max() > _SAME_PLACE)


@dataclass(frozen=True)
class Spread:
    """The result of :func:`spread_edit`."""

    bones: list[str]  #: names of the bones that were changed at the frame.
    keys: int  #: the number of frames with changed keys.
    #: first, last: the first and the last of those frames.
    first: float
    last: float
    is_guessed: bool  #: whether the change was guessed from the keys around the frame.


def spread_edit(
    armature: Any,
    action: Action,
    frame: float,
    ticks: float,
    *,
    loop: tuple[float, float] | None = None,
    only: set[str] | None = None,
) -> Spread | None:
    """Fade out the change of the pose at a frame over the keys around it.

    The change is known from the pose that the armature had when the frame was shown, whether it was keyed
    since or not. Without it, it is the difference of pose and keys; if there is none, that of the keys of
    selected bones and those around them.

    Args:
        armature: the armature that is posed; it shows the action at the frame.
        ticks: how far the change reaches.
        loop: the first frame and the length of the action's loop, at whose ends the keys go on.
        only: names of the bones that may change, None for all.

    Returns:
        None if nothing was changed at the frame.
    """
    keys = BoneKeys(action, armature)
    changes = _changes(armature, action, frame, keys)
    is_guessed = not changes
    if is_guessed:
        selected = [bone for bone in armature.pose.bones if compat.is_bone_selected(bone)]
        changes = _outliers(selected, frame, keys)
    changes = [each for each in changes if only is None or each.bone in only]
    if not changes:
        return None
    fade = _Fade(keys, action, frame, ticks, loop)
    touched: set[float] = set()
    for change in changes:
        bone = armature.pose.bones[change.bone]
        if change.is_turned:
            touched |= fade.turn(bone, change)
        if change.is_moved:
            touched |= fade.move(bone, change)
    note_pose(armature, frame, again=True)
    return Spread([each.bone for each in changes], len(touched), min(touched), max(touched), is_guessed)


# --- What was changed ----------------------------------------


def _changes(armature: Any, action: Action, frame: float, keys: BoneKeys) -> list[PoseChange]:
    """Return the changes of the pose that is shown."""
    now, noted = shown_pose(armature), noted_pose(armature, action, frame)
    found = []
    for number, bone in enumerate(armature.pose.bones):
        old = _pose_of(noted, number, bone) if noted is not None else keys.pose(bone, frame)
        if old is not None:
            turn, place = _pose_of(now, number, bone)
            found.append(PoseChange(bone.name, _between(old[0], turn), place - old[1], *old))
    return [each for each in found if each.is_turned or each.is_moved]


def _pose_of(pose: NotedPose, number: int, bone: Any) -> tuple[Floats, Floats]:
    """Return rotation and location of a bone."""
    channel = rotation_channel(bone.rotation_mode)
    values = getattr(pose, channel)[number : number + 1]
    return to_turns(values, channel, bone)[0], pose.location[number]


def _between(old: Floats, new: Floats) -> Floats:
    """Return the rotation from one pose to another, (4,), with a positive w."""
    turn = multiply(new, old * CONJUGATE)
    return turn if turn[0] >= 0 else -turn


def _outliers(bones: Iterable[Any], frame: float, keys: BoneKeys) -> list[PoseChange]:
    """Return the changes of bones whose key at a frame does not fit those around it, as if it was edited.

    Motions have sharp turns of their own, so this is only for bones that a person has chosen.
    """
    found = []
    for bone in bones:
        times = keys.frames(bone)
        here = np.flatnonzero(np.abs(times - frame) < ON_KEY)
        if not len(here) or not 0 < here[0] < len(times) - 1:
            continue
        turns, places = keys.poses(bone, times)
        part = ((times[1:-1] - times[:-2]) / (times[2:] - times[:-2]))[:, None]
        line = slerp(turns[:-2, None], turns[2:, None], part)[:, 0]
        off = _vectors(multiply(turns[1:-1], line * CONJUGATE))
        moved = places[1:-1] - (places[:-2] * (1 - part) + places[2:] * part)
        at = int(here[0])
        turn = _turn_of(_bump(off, at - 1, _LEAST_TURN))
        place = _bump(moved, at - 1, _LEAST_PLACE)
        old = multiply(turn * CONJUGATE, turns[at])
        found.append(PoseChange(bone.name, turn, place, old, places[at] - place))
    return [each for each in found if each.is_turned or each.is_moved]


def _bump(off: Floats, at: int, least: float) -> Floats:
    """Return by how much a key was moved that stands out from those around it, else 0, (3,).

    Args:
        off: (n, 3), how far each key is from the line between those beside it. A key that was moved by e is
            off by e, those beside it by -e/2; at a bend of the motion, those beside it are off by nothing.
        at: the number of the key.
        least: the smallest move that is found.
    """
    beside = off[[each for each in (at - 1, at + 1) if 0 <= each < len(off)]]
    if not len(beside):
        return np.zeros(3)
    moved = (off[at] - beside.mean(axis=0)) / 1.5  # the curvature of the motion is about the same there
    size = float(moved @ moved)
    is_bump = size > least**2 and bool((beside @ moved < -0.25 * size).all())
    return moved if is_bump else np.zeros(3)


def _vectors(turns: Floats) -> Floats:
    """Return rotation vectors (n, 3) of quaternions (n, 4)."""
    turns = np.where(turns[:, :1] < 0, -turns, turns)
    sines = np.linalg.norm(turns[:, 1:], axis=1, keepdims=True)
    angles = 2 * np.arctan2(sines, turns[:, :1])
    return np.asarray(turns[:, 1:] * np.where(sines > 0, angles / np.where(sines > 0, sines, 1), 2.0), float)


def _turn_of(vector: Floats) -> Floats:
    """Return the quaternion (4,) of a rotation vector (3,)."""
    angle = float(np.linalg.norm(vector))
    if not angle:
        return _UPRIGHT.copy()
    return np.array([np.cos(angle / 2), *(vector * np.sin(angle / 2) / angle)])


# --- Fading ----------------------------------------


@dataclass(frozen=True, eq=False)
class _Fade:
    """How far a change at a frame reaches; see :func:`spread_edit`."""

    keys: BoneKeys
    action: Action
    frame: float
    ticks: float
    loop: tuple[float, float] | None

    def turn(self, bone: Any, change: PoseChange) -> set[float]:
        """Turn the keys of a bone, and return their frames."""
        channel = self.keys.rotation_channel(bone)
        rest = np.array(REST[channel])
        near = self.keys.values(bone, channel, np.array([self.frame]), rest)
        old = from_turns(change.old_turn[None], near, channel, bone)[0]
        self.keys.set_existing(bone, channel, self.frame, old)
        times = self._times(bone, channel)
        values, part = self.keys.values(bone, channel, times, old), self.parts(times)
        values[np.abs(times - self.frame) < ON_KEY] = old
        turns = to_turns(values, channel, bone)[:, None]
        whole = np.broadcast_to(change.turn, turns.shape)
        some = slerp(np.broadcast_to(_UPRIGHT, turns.shape), whole, part[:, None])
        new = from_turns(multiply(some, turns)[:, 0], values, channel, bone)
        self.keys.write(bone, channel, times, new)
        return set(times[part > 0].tolist())

    def move(self, bone: Any, change: PoseChange) -> set[float]:
        """Move the keys of a bone's location, and return their frames."""
        self.keys.set_existing(bone, "location", self.frame, change.old_place)
        times = self._times(bone, "location")
        values = self.keys.values(bone, "location", times, change.old_place)
        values[np.abs(times - self.frame) < ON_KEY] = change.old_place
        part = self.parts(times)
        self.keys.write(bone, "location", times, values + part[:, None] * change.place)
        return set(times[part > 0].tolist())

    def parts(self, times: Floats) -> Floats:
        """Return which part of the change keys get: 1 at the frame, 0 at its reach, smooth between."""
        distance = np.abs(times - self.frame)
        if self.loop is not None:
            first, period = self.loop
            around = np.mod(times - self.frame, period)
            around = np.minimum(around, period - around)
            is_inside = (times >= first) & (first <= self.frame)
            distance = np.where(is_inside, np.minimum(distance, around), distance)
        part = np.clip(1 - distance / max(self.ticks, ON_KEY), 0.0, 1.0)
        return np.asarray(part * part * (3 - 2 * part), float)

    def _times(self, bone: Any, channel: str) -> Floats:
        """Return the frames to key: the frame itself, keys in reach, and the ends of the reach.

        Where the next key is out of reach, a key of the old pose at the end of the reach stops the change.
        """
        keyed = all_frames(self.keys.curves(bone, channel).values())
        keyed = keyed[np.abs(keyed - self.frame) > ON_KEY]
        start, rate = float(first_frame(self.action)), max(self.action.tomb_raider.frame_rate, 1)
        steps, reach = (self.frame - start) / rate, self.ticks / rate
        low = max(start + rate * float(np.floor(steps - reach + ON_KEY)), start)
        end = start + rate * (key_count(length(self.action), rate) - 1)
        high = min(start + rate * float(np.ceil(steps + reach - ON_KEY)), end)
        times = [self.frame, *keyed[self.parts(keyed) > 0].tolist()]
        if low < self.frame - ON_KEY and not ((keyed >= low) & (keyed < self.frame)).any():
            times.append(low)
        if high > self.frame + ON_KEY and not ((keyed <= high) & (keyed > self.frame)).any():
            times.append(high)
        return np.unique(np.round(np.array(times), 3))
