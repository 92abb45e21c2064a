"""Animations of a converted level: what they play and start is called by the numbers of the game."""

from __future__ import annotations

import bpy
from bpy.types import Action

from ....catalogue import names
from ....catalogue.equivalents import equivalent
from ....formats.base.records import SOUND_MAP_SIZE
from ...core.report import first_few
from ...subjects.animations.transitions import NOWHERE, drop_lost_ways
from .conversion import Conversion

_NAMED = 3


def convert_animations(conversion: Conversion, sounds: dict[int, int]) -> None:
    """Convert the animations of all models of the level.

    Args:
        conversion: of the level.
        sounds: the number that the game has for each sound.
    """
    for armature in conversion.things("MODEL"):
        lost: dict[str, None] = {}
        stopped: list[str] = []
        for action in bpy.data.actions:
            if action.tomb_raider.model == armature:
                for name in _convert_events(conversion, action, sounds):
                    lost[name] = None
                if _stop(conversion, action):
                    stopped.append(action.name)
                _forget_file(action)
        if lost:
            text = f"this game does not know what its animations start: {', '.join(lost)}"
            conversion.report.warn(armature.name, f"{text}. They go without")
        if stopped:
            text = f"this game knows no speeds to the side, lost in {first_few(stopped, _NAMED)}"
            conversion.report.warn(armature.name, text)


def _convert_events(conversion: Conversion, action: Action, sounds: dict[int, int]) -> list[str]:
    """Convert sounds and effects; return what the game does not know."""
    traits, events = conversion.target.traits, action.tomb_raider.events
    lost = []
    for place in reversed(range(len(events))):
        event = events[place]
        is_sound = event.command == "SOUND"
        number = _number(conversion, int(event.number), sounds, is_sound=is_sound)
        if number is None:
            called = names(conversion.source)
            lost.append(called.sound(event.number) if is_sound else called.flipeffect(event.number))
            for marker in [each for each in action.pose_markers if each.name == event.name]:
                action.pose_markers.remove(marker)
            events.remove(place)
            continue
        if event.flags and not (traits.has_sound_conditions if is_sound else traits.has_foot_conditions):
            event.flags = 0
        if event.number != number:
            event.number = number
    return lost


def _number(conversion: Conversion, number: int, sounds: dict[int, int], *, is_sound: bool) -> int | None:
    if is_sound and number in sounds:
        return sounds[number]
    kind = "sound" if is_sound else "flipeffect"
    known = equivalent(kind, number, conversion.source, conversion.target)
    if known is None:
        return None
    return known.number if not is_sound or known.number < SOUND_MAP_SIZE[conversion.target] else None


def _stop(conversion: Conversion, action: Action) -> bool:
    """Take the speed to the side from an animation where a game has none; tell whether it had one."""
    settings = action.tomb_raider
    if conversion.target.traits.has_lateral_speed or not (
        settings.lateral_speed or settings.lateral_acceleration
    ):
        return False
    settings.lateral_speed = settings.lateral_acceleration = 0.0
    return True


def _forget_file(action: Action) -> None:
    """Let an animation lead to actions only: other numbers were those of the file."""
    drop_lost_ways(action)
    for way in action.tomb_raider.dispatches:
        way.target = NOWHERE
