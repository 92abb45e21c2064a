"""Frame ranges of animations: those that imports and tools set, those of users, and those of keys.

Copies have the Manual Frame Range of their original. So the range that was set automatically is stored with
the action, together with its last key: as long as the Manual Frame Range is that one, the length follows the
keys.
"""

from __future__ import annotations

from typing import Any

from bpy.types import Action

_NONE = (0, -1, -1)  # no range was set automatically
_SAME = 0.5  # frames


def first_frame(action: Action) -> int:
    """Return the first frame of an action."""
    return round(action.frame_start if action.use_frame_range else action.curve_frame_range[0])


def last_frame(action: Action) -> int:
    """Return the last frame of an action."""
    follows_keys = not action.use_frame_range or (has_automatic_range(action) and has_other_end(action))
    return round(action.curve_frame_range[1] if follows_keys else action.frame_end)


def set_range(action: Any, first: int, last: int, last_key: int | None = None) -> None:
    """Set the Manual Frame Range of an action to what its keys are for, until they end elsewhere."""
    action.use_frame_range = True
    action.frame_start, action.frame_end = first, last
    if last_key is None:
        last_key = round(action.curve_frame_range[1])
    action.tomb_raider.automatic_range = first, last, last_key


def adopt_range(action: Any) -> None:
    """Make the Manual Frame Range of a copy one that was set automatically, since its user has not set it."""
    if action.use_frame_range and not has_automatic_range(action):
        set_range(action, round(action.frame_start), round(action.frame_end))


def has_automatic_range(action: Any) -> bool:
    """Return whether the Manual Frame Range of an action is the one that was set automatically."""
    first, last, _ = stored = tuple(action.tomb_raider.automatic_range)
    is_set = action.use_frame_range and stored != _NONE
    return bool(is_set and (action.frame_start, action.frame_end) == (first, last))


def has_other_end(action: Any) -> bool:
    """Return whether the last key of an action is no longer where it was when its range was set."""
    return bool(abs(action.curve_frame_range[1] - action.tomb_raider.automatic_range[2]) >= _SAME)
