"""Seams: how far an animation's last pose is from the one that follows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import Action, Object

from ....formats import ExportError
from ....formats.base import Floats
from ...subjects.animations.keys.key_poses import KeyPoses, RestPose, slerp
from ...subjects.models.poses import CONJUGATE, multiply
from .clip import Clip, following_pose, joined, read_clip, space_of, write_clip

_JUMP = 2.0  # times the fastest step inside, from which on a seam stands out
_SMALL = 10.0  # units that never stand out


@dataclass(frozen=True)
class Seam:
    """The step from the last tick of an animation to what follows, in units: of the joint that moves most."""

    distance: float  #: its step, not counting the speed of the animation.
    fastest: float  #: the largest step between two ticks of the animation.

    @property
    def is_jump(self) -> bool:
        """Whether the step stands out. Many animations of the games jump on purpose."""
        return self.distance > max(_JUMP * self.fastest, _SMALL)


def seam_of(clip: Clip) -> Seam:
    """Return the seam of an animation; without a next pose, it has none."""
    following = following_pose(clip)
    shown = clip.poses.at(np.arange(clip.ticks, dtype=float))
    if following is not None:
        shown = joined(shown, following)
    heads = clip.rest.pose(shown.turns, shown.places)[1]
    steps = np.linalg.norm(np.diff(heads, axis=0), axis=-1).max(axis=-1) / space_of(clip.armature).scale
    inside = steps[: clip.last]
    return Seam(0.0 if following is None else float(steps[-1]), float(inside.max(initial=0.0)))


def note_seams(actions: Iterable[Action], armature: Object) -> int:
    """Store the seams of animations of one model, for the list of animations; return how many jump."""
    rest: RestPose | None = None
    jumps = 0
    for action in actions:
        settings: Any = action.tomb_raider
        try:
            clip = read_clip(action, armature, rest)
        except ExportError:  # no keys
            settings.seam, settings.is_jump = -1.0, False
            continue
        rest, seam = clip.rest, seam_of(clip)
        settings.seam, settings.is_jump = seam.distance, seam.is_jump
        jumps += seam.is_jump
    return jumps


def refresh_seams(actions: Iterable[Action], armature: Object) -> None:
    """Measure the seams of edited animations again, where they were known."""
    note_seams([action for action in actions if action.tomb_raider.seam >= 0], armature)


def close_loop(clip: Clip, ticks: int, *, at_start: float = 0.0) -> float | None:
    """Spread the gap at the end of an animation over its keys, so that its motion goes on to what follows.

    The gap is from what follows to the pose in which the motion would go on, or to the last pose itself if
    that is nearer: loops may show their first pose at their end, too.

    Args:
        clip: the animation.
        ticks: over how many of its last ticks, 0 for all.
        at_start: which part of the gap is closed at the start, 0 to keep the first pose; with ``ticks`` 0.

    Returns:
        The gap in units, as in :class:`Seam`; None if nothing follows.
    """
    following = following_pose(clip)
    if following is None:
        return None
    ends = [_going_on(clip), clip.sample(np.array([float(clip.last)]))]
    gaps = [_distance(clip, following, end) for end in ends]
    end = ends[int(np.argmin(gaps))]
    turns = multiply(following.turns, end.turns * CONJUGATE)  # in the parents' axes, as for all keys
    places = following.places - end.places
    until = float(end.frames[0])
    begin = max(until - ticks, 0.0) if ticks else 0.0
    part = np.clip((clip.poses.frames - begin) / max(until - begin, 1.0), 0.0, 1.0)
    part = part if ticks else part - at_start
    write_clip(clip, turned(clip.poses, turns, places, part))
    return min(gaps)


def _distance(clip: Clip, a: KeyPoses, b: KeyPoses) -> float:
    """Return how far the joint that moves most moves between two poses, in units."""
    heads = [clip.rest.pose(each.turns, each.places)[1] for each in (a, b)]
    return float(np.linalg.norm(heads[0] - heads[1], axis=-1).max() / space_of(clip.armature).scale)


def _going_on(clip: Clip) -> KeyPoses:
    """Return the pose after the last tick if the animation went on as it moves at its end."""
    tick = np.array([float(clip.ticks)])
    if clip.poses.frames[-1] >= clip.ticks or clip.last < 1:
        return clip.sample(np.minimum(tick, clip.poses.frames[-1])).moved(tick)
    last = clip.sample(np.array([clip.last - 1.0, clip.last]))
    step = multiply(last.turns[1:], last.turns[:1] * CONJUGATE)
    return KeyPoses(tick, multiply(step, last.turns[1:]), 2 * last.places[1:] - last.places[:1])


def turned(poses: KeyPoses, turns: Floats, places: Floats, part: Floats) -> KeyPoses:
    """Return poses with a part of one turn multiplied onto each, and of one offset added.

    Args:
        poses: n poses of m bones.
        turns: (1, m, 4).
        places: (1, 3).
        part: (n,), from -1 to 1.
    """
    upright = np.broadcast_to(np.array([1.0, 0.0, 0.0, 0.0]), poses.turns.shape)
    whole = np.broadcast_to(turns, poses.turns.shape)
    whole = np.where((part < 0)[:, None, None], whole * CONJUGATE, whole)
    some = slerp(upright, whole, np.abs(part)[:, None])
    return KeyPoses(poses.frames, multiply(some, poses.turns), poses.places + part[:, None] * places)
