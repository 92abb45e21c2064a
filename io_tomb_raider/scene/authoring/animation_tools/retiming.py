"""Animations of another length, with everything that counts in their ticks."""

from __future__ import annotations

from fractions import Fraction
from math import floor, gcd
from typing import Any

import numpy as np
from bpy.types import Action
from numpy.typing import NDArray

from ....formats.base import Floats
from ....formats.levels.animations import fit_ticks
from ...subjects.animations.changes.transitions import Transitions
from ...subjects.animations.keys.curves import stretch_keys
from ...subjects.animations.keys.key_poses import KeyPoses
from .clip import (
    MOST_RATE,
    Clip,
    following_pose,
    grid,
    is_on_tick,
    joined,
    key_count,
    loop_of,
    move_boxes,
    nearest,
    set_length,
    write_clip,
)
from .copies import actions_leading_to
from .loops import seam_of


class Retiming:
    """Frames of an animation whose number of ticks becomes another one."""

    def __init__(self, ticks: int, new_ticks: int) -> None:
        self.factor = Fraction(new_ticks, ticks)  #: new ticks by old ones.
        self._last, self._new_last = ticks - 1, new_ticks - 1

    def frame(self, frame: int) -> int:
        """Return where a frame is then; those of the animation stay in it."""
        found = floor(frame * self.factor + Fraction(1, 2))
        return min(found, self._new_last) if frame <= self._last else found

    def range(self, low: int, high: int) -> tuple[int, int]:
        """Return where a range of frames, inclusive, is then."""
        new_low = self.frame(low)
        new_high = floor((high + 1) * self.factor + Fraction(1, 2)) - 1
        if high <= self._last:
            new_high = min(new_high, self._new_last)
        return new_low, max(new_high, new_low) if high >= low else new_high


def retime(clip: Clip, ticks: int) -> int:
    """Change the length of an animation, and return how many frames elsewhere lead to it differently.

    Its keys, boxes, markers and ranges of state changes move; its speeds are divided by the factor, its
    accelerations by the square of it; frames of other animations that lead here move, too.

    Args:
        clip: the animation.
        ticks: how long it shall play.

    Raises:
        ExportError: if no game can play it that long.
    """
    fit_ticks(ticks - 1, clip.action.name)
    retiming = Retiming(clip.ticks, ticks)
    _move_keys(clip, retiming.factor, ticks - 1)
    retime_settings(clip.action, clip.start, retiming)
    return _retime_references(clip.action, retiming)


def _move_keys(clip: Clip, factor: Fraction, last: int) -> None:
    """Move the keys, or where they would not be at ticks, replace them by others."""
    exact = clip.rate * factor
    is_whole = exact.denominator == 1 and exact <= MOST_RATE
    rate = max(1, min(floor(exact), MOST_RATE))
    frames = _times(clip.poses.frames, factor)
    if is_on_tick(frames) and (is_whole or rate == 1):
        if not clip.is_straight:
            rate = gcd(clip.rate, rate)
        _scale_curves(clip, factor, last, rate)
        return
    wanted = grid(last, rate)
    write_clip(clip, _poses_at(clip, _times(wanted, 1 / factor), wanted), last=last, rate=rate)
    _finish(clip, wanted, factor)


def _times(frames: NDArray[np.floating[Any]], factor: Fraction) -> Floats:
    return np.asarray(frames * factor.numerator / factor.denominator, float)


def _scale_curves(clip: Clip, factor: Fraction, last: int, rate: int) -> None:
    """Move the keys of all curves of the action, and add or remove those at the end that games need."""
    action, frames = clip.action, np.rint(_times(clip.poses.frames, factor))
    count = max(key_count(last, rate) + clip.spare_keys, 1)
    is_in_step = np.array_equal(clip.poses.frames, np.arange(len(frames)) * float(clip.rate))
    other: KeyPoses | None = None
    if is_in_step and clip.is_straight and count != len(frames):
        frames = np.arange(count, dtype=np.float64) * rate
        other = _poses_at(clip, _times(frames, 1 / factor), frames)
    stretch_keys(action, clip.armature, factor, float(clip.start))
    if other is not None:
        write_clip(clip, other)
    set_length(action, clip.start, last)
    action.tomb_raider.frame_rate = rate
    _finish(clip, frames, factor)


def _finish(clip: Clip, frames: Floats, factor: Fraction) -> None:
    """Move the boxes to key frames at frames."""
    sources = clip.poses.frames[nearest(clip.poses.frames, _times(frames, 1 / factor))]
    pairs = zip(np.rint(frames).tolist(), np.rint(sources).tolist(), strict=True)
    move_boxes(clip, {int(frame): int(source) for frame, source in pairs})


def _poses_at(clip: Clip, sources: Floats, frames: Floats) -> KeyPoses:
    """Return the poses of some frames of the clip, at other frames.

    After its last key, a loop goes on to its first pose unless it jumps there; others keep the last pose.
    """
    poses, following = clip.poses, None
    if loop_of(clip) is not None and poses.frames[-1] < clip.ticks and not seam_of(clip).is_jump:
        following = following_pose(clip)
    if following is not None:
        poses = joined(poses, following)
    return poses.at(sources).moved(frames)


def retime_settings(action: Action, start: int, retiming: Retiming) -> None:
    """Change the speeds, markers and ranges of an action."""
    settings: Any = action.tomb_raider
    factor = float(retiming.factor)
    for name, divisor in (("speed", factor), ("acceleration", factor**2)):
        for each in (name, f"lateral_{name}"):
            value = getattr(settings, each)
            if value:
                setattr(settings, each, value / divisor)
    for marker in action.pose_markers:
        marker.frame = start + retiming.frame(marker.frame - start)
    for row in settings.dispatches:
        if not row.is_empty:
            row.low, row.high = retiming.range(row.low, row.high)


def _retime_references(action: Action, retiming: Retiming) -> int:
    """Change the frames at which animations lead to an action; return how many differ in others."""
    result, transitions = 0, Transitions()
    for each in actions_leading_to(action):
        settings: Any = each.tomb_raider
        is_other = each != action
        if (transitions.next(each) or each) == action:
            frame = retiming.frame(settings.next_frame)
            result += is_other and frame != settings.next_frame
            settings.next_frame = frame
        for row, target in zip(settings.dispatches, transitions.targets(each), strict=True):
            if target == action and not row.is_empty:
                frame = retiming.frame(row.frame)
                result += is_other and frame != row.frame
                row.frame = frame
    return result
