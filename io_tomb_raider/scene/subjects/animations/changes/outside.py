"""Transitions at frames that animations do not have: games then show frames of other animations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from bpy.types import Action

from .....formats.base import T
from .....formats.levels.animations import AnimationReference
from ....core.reporting.report import Report
from .state_changes import DispatchRow

AT_END = -1
LastFrame = Callable[[AnimationReference], "int | None"]


class Targets(NamedTuple):
    """What an animation leads to."""

    rows: list[DispatchRow]  #: its state changes.
    following: AnimationReference  #: the animation that follows it.
    frame: int  #: the frame at which that starts.

    def ranges_after(self, last: int) -> dict[tuple[int, int, int], None]:
        """Return the states and ranges of frames that an animation with a last frame does not have.

        Many ranges of the games end one frame later.
        """
        rows = (row for row in self.rows if not row.is_empty)
        return {
            (row.state, row.low, row.high): None for row in rows if not 0 <= row.low <= row.high <= last + 1
        }

    def frames_outside(self, last_frame: LastFrame) -> dict[tuple[int, AnimationReference, int], None]:
        """Return the states, -1 for the end, animations and frames where these do not have the frame."""
        targets = [(row.state, row.target, row.frame) for row in self.rows if not row.is_empty]
        targets.append((AT_END, self.following, self.frame))
        last_frames = ((each, last_frame(each[1])) for each in targets)
        return {each: None for each, last in last_frames if last is not None and not 0 <= each[2] <= last}

    def are_inside(self, reference: AnimationReference, last_frame: LastFrame) -> bool:
        """Return whether all frames exist."""
        return not self.ranges_after(last_frame(reference) or 0) and not self.frames_outside(last_frame)


class Frames(NamedTuple):
    """The frames of animations, now and in the original."""

    #: last, old_last: the last frame of an animation; None if there is none.
    last: LastFrame
    old_last: LastFrame
    names: Mapping[AnimationReference, str]


def warn_of_outside(
    action: Action,
    reference: AnimationReference,
    targets: Targets,
    originals: Iterable[tuple[int, Targets]],
    frames: Frames,
    report: Report,
) -> None:
    """Warn of transitions at frames that animations do not have, unless the original has the same.

    ``originals`` has the numbers and targets of the animations of the original that the action may be from.
    """
    last = frames.last(reference) or 0
    ranges, others = targets.ranges_after(last), targets.frames_outside(frames.last)
    for number, old in originals:
        for old_range in old.ranges_after(frames.old_last(number) or 0):
            ranges.pop(old_range, None)
        for old_target in old.frames_outside(frames.old_last):
            others.pop(old_target, None)
    for text in _texts(ranges, others, last, frames):
        report.warn(action.name, text)


def _texts(
    ranges: Mapping[tuple[int, int, int], None],
    others: Mapping[tuple[int, AnimationReference, int], None],
    last: int,
    frames: Frames,
) -> Iterator[str]:
    for state, low, high in ranges:
        text = T(
            "state {state} is possible at frames {low} to {high}, but it has frames 0 to {last}",
            state=state,
            low=low,
            high=high,
            last=last,
        )
        yield T("{text}: change the range of the state change", text=text)
    for state, target, frame in others:
        name, end = frames.names.get(target, str(target)), frames.last(target) or 0
        if state == AT_END:
            text = T(
                "it goes on at frame {frame} of {target}, which has frames 0 to {last}",
                frame=frame,
                target=name,
                last=end,
            )
        else:
            text = T(
                "state {state} goes on at frame {frame} of {target}, which has frames 0 to {last}",
                state=state,
                frame=frame,
                target=name,
                last=end,
            )
        yield T("{text}: choose another frame", text=text)
