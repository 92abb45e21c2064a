"""Times of an action's key frames: at a fixed rate that preserves the motion between keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import Action
from numpy.typing import NDArray

from .....formats.base import Floats, T, plural
from .....formats.levels.animations import fit_ticks
from ....core.reporting.report import Report
from ....core.space import Space, checked
from ....core.stored import within
from .action_curves import ActionCurves
from .curves import ON_KEY
from .key_poses import continuous
from .ranges import has_automatic_range, has_other_end

# Tolerated deviation of a pose from the interpolation between two key frames, in parts of quaternions and in
# units: at the user's keys, and on curves between keys.
_KEYED = (4e-4, 0.5)
_SHAPED = (1e-2, 4.0)


@dataclass(frozen=True)
class Timing:
    """Times of an action's key frames."""

    start: float  #: the frame of the first key.
    rate: int  #: ticks per key.
    keys: int  #: the number of keys.
    ticks: int  #: the length.

    @classmethod
    def over(cls, start: float, rate: int, ticks: int) -> Timing:
        """Return the key frames for a length; the last one is at its end or later."""
        return cls(start, rate, -(-ticks // rate) + 1, ticks)

    @property
    def times(self) -> NDArray[np.float64]:
        return np.asarray(self.start + np.arange(self.keys) * self.rate, np.float64)


def timing_of(action: Action, span: tuple[float, float] | None, imported: Timing | None) -> Timing:
    """Return the key frames of an action.

    Its Manual Frame Range sets the start and the end, if a user has set it. Else its keys set them, if their
    span, from the first to the last, has changed. Else the length is that of the file, unless it is new.
    """
    rate = int(within(action.tomb_raider, "frame_rate", action.name))
    start, end = checked(np.array(span or (0.0, 0.0)), action.name, T("the frame of a key")).tolist()
    has_range = action.use_frame_range
    if imported is None or (has_range and (action.frame_start, action.frame_end) != (0, imported.ticks)):
        if has_range:
            start = action.frame_start
            follows_keys = span is not None and has_automatic_range(action) and has_other_end(action)
            end = end if follows_keys else action.frame_end
        return Timing.over(start, rate, _ticks_between(action, start, end))
    last = (imported.keys - 1) * imported.rate
    reaches_as_before = span is None or (abs(end - last) < 0.5 and (has_range or abs(start) < 0.5))
    if rate != imported.rate and has_range:
        return Timing.over(0.0, rate, imported.ticks)
    if reaches_as_before:
        return imported if rate == imported.rate else Timing.over(0.0, rate, imported.ticks)
    start = 0.0 if has_range else start
    return Timing.over(start, rate, _ticks_between(action, start, end))


def warn_of_keys_outside(timing: Timing, action: Action, curves: ActionCurves, report: Report) -> None:
    """Warn of keys outside of the frame range that a user has set."""
    if not action.use_frame_range or has_automatic_range(action):
        return
    keys = curves.key_frames()
    outside = keys[(keys < timing.start - ON_KEY) | (keys > timing.times[-1] + ON_KEY)]
    if len(outside):
        text = plural(
            "its key at frame {frame:g} is outside of its Manual Frame Range",
            "{count} frames with keys, such as {frame:g}, are outside of its Manual Frame Range",
            len(outside),
            frame=outside[0],
        )
        hint = T("extend the range, or turn it off, so that the keys set the length")
        report.warn(action.name, T("{text}, and not exported: {hint}", text=text, hint=hint))


def _ticks_between(action: Action, start: float, end: float) -> int:
    return fit_ticks(max(round(end - start), 0), action.name)


def refined(timing: Timing, action: Action, curves: ActionCurves, report: Report, space: Space) -> Timing:
    """Return key frames that are close enough to preserve the motion between them.

    Games interpolate between key frames linearly. Key frames are added for the user's keys between them, and
    where curves bend noticeably. Both cause a warning.
    """
    keyed = curves.key_frames() - timing.start
    keyed = keyed[(keyed > ON_KEY) & (keyed < timing.ticks - ON_KEY)]
    between = keyed[np.abs(np.rint(keyed / timing.rate) * timing.rate - keyed) > ON_KEY]
    if not len(between) and (timing.rate == 1 or curves.are_straight()):
        return timing
    result = timing
    if timing.rate > 1:
        result = _closer(timing, between, curves, space)
        if result.rate != timing.rate:
            ticks = "tick" if result.rate == 1 else T("{count} ticks", count=result.rate)
            text = T("poses between key frames, {rate} ticks apart, are exported", rate=timing.rate)
            report.warn(
                action.name,
                T(
                    "{text} with a key frame every {ticks}: lower its Frame Rate, or use Resample",
                    text=text,
                    ticks=ticks,
                ),
            )
    off = between[np.abs(np.rint(between) - between) > ON_KEY]
    if len(off) and _is_bent_at(off, curves, timing.start, space):
        text = T(
            "its key at frame {frame:.2f} is between two ticks, where games have no pose",
            frame=off[0] + timing.start,
        )
        report.warn(action.name, T("{text}, and is not exported: move it to a whole frame", text=text))
    return result


def _closer(timing: Timing, between: NDArray[np.float64], curves: ActionCurves, space: Space) -> Timing:
    """Return key frames at the highest rate within the tolerance."""
    ticks = np.arange(-(-timing.ticks // timing.rate) * timing.rate + 1).astype(np.float64)
    rotations, locations = curves.poses(np.asarray(timing.start + ticks, np.float64))
    poses = _comparable(rotations, locations, space)
    limits = np.tile(_SHAPED, (len(ticks), 1))
    limits[np.rint(between).astype(np.int64)] = _KEYED
    limits[timing.ticks + 1 :] = np.inf  # the end hides later frames
    rates = (rate for rate in range(timing.rate, 1, -1) if timing.rate % rate == 0)
    for rate in rates:
        last = -(-timing.ticks // rate) * rate
        if (_bends(*poses, ticks[: last + 1], np.arange(0, last + 1, rate)) <= limits[: last + 1]).all():
            return timing if rate == timing.rate else Timing.over(timing.start, rate, timing.ticks)
    return Timing.over(timing.start, 1, timing.ticks)


def _comparable(rotations: NDArray[Any], locations: NDArray[Any], space: Space) -> tuple[Floats, Floats]:
    """Return unit quaternions with continuous signs, and locations in the file's units."""
    unit = np.array(rotations, np.float64)
    unit /= np.maximum(np.linalg.norm(unit, axis=-1, keepdims=True), 1e-12)
    return continuous(unit), np.asarray(locations, np.float64) / space.scale


def _bends(
    unit: Floats, locations: Floats, times: NDArray[np.float64], keys: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the deviations of n poses from interpolated ones, (n, 2): rotations and locations.

    Args:
        unit: (n, m, 4) unit quaternions of the m bones.
        locations: (n, 3).
        times: (n,), ascending.
        keys: indices of the poses that are key frames, including the first and the last.
    """
    after = np.searchsorted(keys, np.arange(len(times)))
    low, high = keys[np.maximum(after - 1, 0)], keys[after]
    fraction = (times - times[low]) / np.maximum(times[high] - times[low], 1e-12)
    unit, locations = unit[: len(times)], locations[: len(times)]
    straight = unit[low] + (unit[high] - unit[low]) * fraction[:, None, None]
    straight /= np.maximum(np.linalg.norm(straight, axis=-1, keepdims=True), 1e-12)
    line = locations[low] + (locations[high] - locations[low]) * fraction[:, None]
    return np.stack([np.abs(straight - unit).max(axis=(1, 2)), np.abs(line - locations).max(axis=1)], axis=1)


def _is_bent_at(off: NDArray[np.float64], curves: ActionCurves, start: float, space: Space) -> bool:
    """Return whether poses between two ticks deviate from the interpolation between ticks."""
    times = np.unique(np.concatenate([off, np.floor(off), np.ceil(off)]))
    poses = _comparable(*curves.poses(start + times), space)
    bends = _bends(*poses, times, np.flatnonzero(times == np.rint(times)))
    return bool((bends > _KEYED).any())
