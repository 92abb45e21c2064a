"""Animations played backwards, smoothed, and with keys at another rate."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....formats.base import Floats
from ...subjects.animations.keys.key_poses import KeyPoses, slerp
from .clip import Clip, end_offset, grid, loop_of, move_boxes, nearest, shifted, space_of, write_clip


def reverse(clip: Clip, *, is_new: bool) -> None:
    """Play an animation backwards: keys, boxes, markers, ranges of state changes, and speeds.

    Where commands at its end move the model, it then ends where it began before, and moves the other way.

    Args:
        clip: the animation.
        is_new: whether it is a copy, so that it has no boxes of the file.
    """
    action, last_key = clip.action, clip.poses.frames[-1]
    offset = end_offset(action, space_of(clip.armature))
    places = shifted(clip.poses.places[::-1], -offset, clip.rest)
    frames = last_key - clip.poses.frames[::-1]
    write_clip(clip, KeyPoses(frames, clip.poses.turns[::-1], places))
    keys = np.rint(clip.poses.frames).astype(np.int64)
    sources = zip(np.rint(frames).astype(np.int64).tolist(), keys[::-1].tolist(), strict=True)
    move_boxes(clip, dict(sources), is_new=is_new)
    settings: Any = action.tomb_raider
    for row in settings.commands:
        if row.command == "POSITION":
            row.position = [-value for value in row.position]
    for prefix in ("", "lateral_"):
        speed, growth = getattr(settings, f"{prefix}speed"), getattr(settings, f"{prefix}acceleration")
        if speed or growth:
            setattr(settings, f"{prefix}speed", -(speed + growth * clip.last))
    for marker in action.pose_markers:
        marker.frame = 2 * clip.start + clip.last - marker.frame
    for row in settings.dispatches:
        if not row.is_empty:
            row.low, row.high = clip.last - row.high, clip.last - row.low


def smooth(clip: Clip, strength: float, repeat: int, bones: Container[str] | None, *, wraps: bool) -> None:
    """Move each key towards the middle of those beside it; the first and the last one stay.

    Args:
        clip: the animation.
        strength: how far, 0 to 1.
        repeat: how often.
        bones: names of the bones, None for all.
        wraps: whether a loop goes on at its ends.
    """
    rest = clip.rest
    chosen = np.array([bones is None or name in bones for name in rest.names])
    loop = loop_of(clip) if wraps else None
    poses, own = (clip.poses, slice(None)) if loop is None else _looped(clip.poses, *loop)
    for _ in range(repeat):
        poses = _smoothed(poses, strength, chosen)
        if loop is not None:
            poses, own = _looped(_part(poses, own), *loop)
    write_clip(clip, _part(poses, own))


def _part(poses: KeyPoses, own: Any) -> KeyPoses:
    return KeyPoses(poses.frames[own], poses.turns[own], poses.places[own])


def _smoothed(poses: KeyPoses, strength: float, chosen: NDArray[np.bool_]) -> KeyPoses:
    if len(poses.frames) < 3:
        return poses
    turns, places, frames = poses.turns.copy(), poses.places.copy(), poses.frames
    part = ((frames[1:-1] - frames[:-2]) / (frames[2:] - frames[:-2]))[:, None]
    middle = slerp(turns[:-2], turns[2:], part)
    how_far = np.full((len(middle), 1), strength)
    turns[1:-1, chosen] = slerp(poses.turns[1:-1], middle, how_far)[:, chosen]
    if chosen[0]:
        line = poses.places[:-2] * (1 - part) + poses.places[2:] * part
        places[1:-1] += strength * (line - poses.places[1:-1])
    return KeyPoses(frames, turns, places)


def _looped(poses: KeyPoses, first: int, period: int) -> tuple[KeyPoses, slice]:
    """Return the poses of a loop with those before and after it, and where its own are.

    Keys at or after the end of the loop are those of its start.
    """
    frames = poses.frames
    own = np.flatnonzero((frames >= first) & (frames < first + period))
    count = len(own)
    before = np.flatnonzero(frames < first)
    after = np.flatnonzero(frames >= first + period)
    copies = own[nearest(frames[own], frames[after] - period)] if count else after
    rows = np.concatenate([before, own, copies])
    lead = own[-1:] if not len(before) else own[:0]
    follow = own[:1] if not len(after) else own[:0]
    order = np.concatenate([lead, rows, follow])
    times = np.concatenate([frames[lead] - period, frames, frames[follow] + period])
    found = KeyPoses(times, poses.turns[order], poses.places[order])
    return found, slice(len(lead), len(lead) + len(frames))


class Deviation(NamedTuple):
    """The largest distance of new poses from the old ones, at the old keys."""

    degrees: float  #: of a bone's rotation relative to its parent.
    units: float  #: of the first bone.
    #: before, after: the numbers of keys.
    before: int
    after: int


def resample(clip: Clip, rate: int) -> Deviation:
    """Replace the keys of an animation by keys at another rate, in ticks per key."""
    last_key = round(float(clip.poses.frames[-1]))
    wanted = grid(max(clip.last, min(last_key, clip.last + clip.rate - 1)), rate)
    poses = clip.sample(wanted)
    write_clip(clip, poses, rate=rate)
    sources = clip.poses.frames[nearest(clip.poses.frames, wanted)]
    pairs = zip(wanted.tolist(), np.rint(sources).tolist(), strict=True)
    move_boxes(clip, {int(frame): int(source) for frame, source in pairs})
    shown = clip.poses.frames <= clip.last
    old, new = _part(clip.poses, shown), poses.at(clip.poses.frames[shown])
    units = 1 / space_of(clip.armature).scale
    return Deviation(
        degrees=float(np.degrees(angles_between(old.turns, new.turns)).max(initial=0.0)),
        units=float(np.linalg.norm(old.places - new.places, axis=-1).max(initial=0.0) * units),
        before=len(clip.poses.frames),
        after=len(wanted),
    )


def angles_between(a: Floats, b: Floats) -> Floats:
    """Return the angles in radians between rotations (…, 4)."""
    apart = np.minimum(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1))
    return np.asarray(4 * np.arcsin(np.clip(apart / 2, 0.0, 1.0)), float)
