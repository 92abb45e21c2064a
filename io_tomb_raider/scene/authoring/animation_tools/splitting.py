"""An animation split into two, of which the first one leads to the second one."""

from __future__ import annotations

from dataclasses import replace
from math import gcd
from typing import Any

from bpy.types import Action

from ...subjects.animations.changes.transitions import Transitions, set_next, set_target
from ...subjects.animations.keys.boxes import replace_boxes
from .clip import Clip, boxes_of, follows_itself, grid, write_clip
from .copies import actions_leading_to, copy_animation


def split(clip: Clip, frame: int) -> Action:
    """Split an animation, and return the new one of what was after a frame.

    Commands at the end, and what follows, belong to the second one. Ranges of state changes, sounds and
    effects go to the half in which they are, and frames of other animations lead to it.

    Args:
        clip: the animation; the first half keeps its action.
        frame: the first frame of the second half, from the start, after 0 and not after the last tick.
    """
    first, start = clip.action, clip.start
    second = copy_animation(first, clip.armature, "end")
    if follows_itself(first):
        set_next(second, first)
    _cut_keys(clip, second, frame)
    _cut_speeds(first, second, frame)
    for action, shift, last in ((first, 0, frame - 1), (second, frame, clip.last - frame)):
        _cut_ranges(action, shift, last)
        _cut_markers(action, start + shift, start + shift + last, -shift)
    set_next(first, second)
    first.tomb_raider.next_frame = 0
    first.tomb_raider.commands.clear()
    _redirect(first, second, frame)
    return second


def _cut_keys(clip: Clip, action: Action, frame: int) -> None:
    """Divide the keys, with their boxes, between a clip's action and that of the second half."""
    start, boxes = clip.start, {at - clip.start: box for at, box in boxes_of(clip).items()}
    last, rate = clip.last - frame, gcd(frame, clip.rate)  # at this rate, all keys stay
    kept, moved = grid(frame - 1, clip.rate), grid(last, rate)
    first, second = clip.sample(kept), clip.sample(moved + frame).moved(moved)
    write_clip(clip, first, last=frame - 1)
    write_clip(replace(clip, action=action), second, last=last, rate=rate)
    replace_boxes(clip.action, {int(at) + start: boxes[int(at)] for at in kept if int(at) in boxes})
    before = {int(at): max((each for each in boxes if each <= at + frame), default=None) for at in moved}
    found = {at + start: boxes[key] for at, key in before.items() if key is not None}
    replace_boxes(action, found, is_new=True)


def _cut_speeds(first: Action, second: Action, frame: int) -> None:
    """Begin the second half at the speed that the first one has reached."""
    for prefix in ("", "lateral_"):
        growth = getattr(first.tomb_raider, f"{prefix}acceleration")
        if growth:
            speed = getattr(first.tomb_raider, f"{prefix}speed") + growth * frame
            setattr(second.tomb_raider, f"{prefix}speed", speed)


def _cut_ranges(action: Action, shift: int, last: int) -> None:
    """Keep the state changes that are possible in a half, which begins at a frame."""
    rows: Any = action.tomb_raider.dispatches
    for place in reversed(range(len(rows))):
        row = rows[place]
        if row.is_empty:
            continue
        row.low, row.high = row.low - shift, row.high - shift
        if row.low > last or row.high < 0:
            rows.remove(place)
        else:
            row.low, row.high = max(row.low, 0), min(row.high, last)
    action.tomb_raider.active_dispatch = min(action.tomb_raider.active_dispatch, max(len(rows) - 1, 0))


def _cut_markers(action: Action, low: int, high: int, shift: int) -> None:
    """Keep the markers of a half, and the sounds and effects that they mean."""
    removed: set[str] = set()
    for marker in list(action.pose_markers):
        if low <= marker.frame <= high:
            marker.frame += shift
        else:
            removed.add(marker.name)
            action.pose_markers.remove(marker)
    removed -= {marker.name for marker in action.pose_markers}
    events: Any = action.tomb_raider.events
    for place in reversed(range(len(events))):
        if events[place].name in removed:
            events.remove(place)
    action.tomb_raider.active_event = min(action.tomb_raider.active_event, max(len(events) - 1, 0))


def _redirect(first: Action, second: Action, frame: int) -> None:
    """Change what led to frames of the second half, so that it leads to it."""
    transitions = Transitions()
    for each in [*actions_leading_to(first), second]:
        settings: Any = each.tomb_raider
        if transitions.next(each) == first and settings.next_frame >= frame:
            set_next(each, second)
            settings.next_frame -= frame
        for row, target in zip(settings.dispatches, transitions.targets(each), strict=True):
            if target == first and not row.is_empty and row.frame >= frame:
                set_target(row, second)
                row.frame -= frame
