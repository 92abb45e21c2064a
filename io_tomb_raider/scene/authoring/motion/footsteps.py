"""Sounds and footprints of an animation, where feet come down."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bpy.types import Action, Object

from ....formats import ExportError, Game
from ....formats.base import T
from ...subjects.animations.commands import add_event
from ...subjects.animations.keys.ranges import first_frame
from ...subjects.animations.names import game_of_action
from ...subjects.animations.showing import own_animations
from .feet import Footstep, footsteps
from .ticks import Ticks

_SOUND, _EFFECT = "SOUND", "EFFECT"
_STEPS = re.compile(r"\b(feet|footsteps?)\b(?<!with feet)", re.IGNORECASE)
_PRINTS = re.compile(r"footprint", re.IGNORECASE)
_FEET = {"L": 1, "R": 2}  # flags of effects
_PLACES = (1, 2)  # flags of sounds: on land, in water
AS_OTHERS = -1


class Mark(NamedTuple):
    """A sound or effect."""

    command: str  #: "SOUND" or "EFFECT".
    number: int  #: of the sound or effect.
    flags: int  #: where it is heard, or the foot.


def usual_marks(action: Action, model: Object) -> dict[str, list[Mark]]:
    """Return what a model's other animations do at footsteps, by the side of the foot.

    Of each kind it is the most frequent: a sound, or one on land and one in water, and a footprint.
    """
    counts: Counter[Mark] = Counter()
    for each in own_animations(model):
        if each != action:
            counts.update(_marks(each))
    game = game_of_action(action, model)
    sounds = [mark for mark, _ in counts.most_common() if mark.command == _SOUND]
    found = [mark for place in _PLACES for mark in [_first(sounds, place)] if mark is not None]
    found = found or sounds[:1]
    effects = [mark for mark, _ in counts.most_common() if mark.command == _EFFECT]
    both: dict[str, list[Mark]] = {side: list(found) for side in _FEET}
    for side, flags in _FEET.items():
        if effects:
            has_feet = game is None or Game(game).traits.has_foot_conditions
            both[side].append(Mark(_EFFECT, effects[0].number, flags if has_feet else 0))
    return both


def _first(marks: Sequence[Mark], flags: int) -> Mark | None:
    return next((mark for mark in marks if mark.flags == flags), None)


def _marks(action: Action) -> Iterator[Mark]:
    """Yield the marks of footsteps of an animation, as often as they happen."""
    shown = Counter(marker.name for marker in action.pose_markers)
    for event in action.tomb_raider.events:
        wanted = _STEPS if event.command == _SOUND else _PRINTS
        if wanted.search(event.name):
            for _ in range(shown[event.name]):
                yield Mark(event.command, event.number, event.flags)


def set_footsteps(
    action: Action, model: Object, sound: int = AS_OTHERS, *, prints: bool = True
) -> list[Footstep]:
    """Set sounds and footprints where feet come down, in place of those that the animation has.

    Args:
        action: an animation of the model.
        model: the model's armature.
        sound: the number of the sound; by default what the model's other animations play.
        prints: whether footprints are set, too, in games that have them.

    Returns:
        The footsteps.

    Raises:
        ExportError: if the model has no known feet, or no other animation has footsteps.
    """
    ticks = Ticks.of(action, model)
    ticks.require_feet()
    marks = usual_marks(action, model)
    for found in marks.values():
        if sound != AS_OTHERS:
            found[:] = [Mark(_SOUND, sound, 0), *(each for each in found if each.command == _EFFECT)]
        if not prints:
            found[:] = [each for each in found if each.command == _SOUND]
    if not any(marks.values()):
        text = T("none of its other animations has sounds of footsteps: choose the number of a sound")
        raise ExportError(model.name, text)
    steps = footsteps(ticks)
    _clear(action, {mark for found in marks.values() for mark in found} | set(_marks(action)))
    start = first_frame(action)
    for step in steps:
        for mark in marks[step.side]:
            action.pose_markers.new(add_event(action, *mark).name).frame = start + step.tick
    return steps


def _clear(action: Action, marks: set[Mark]) -> None:
    """Remove the sounds and effects of an animation that are among some."""
    rows = action.tomb_raider.events
    for place in reversed(range(len(rows))):
        row = rows[place]
        if Mark(row.command, row.number, row.flags) in marks:
            for marker in [each for each in action.pose_markers if each.name == row.name]:
                action.pose_markers.remove(marker)
            rows.remove(place)
