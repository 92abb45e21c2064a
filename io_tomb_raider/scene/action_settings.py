"""What animations do besides moving meshes: states, speeds, what follows, and what happens at which frame.

Sounds and effects are pose markers, which users move, copy and delete with Blender's own tools. What a marker
means stands in a table of the action, under the marker's name; of the markers themselves Blender loses track
of typed properties when it frees an action.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from bpy.types import Action
from numpy.typing import NDArray

from ..catalogue import Catalogue
from ..formats import ExportError, Level
from ..formats.animation import (
    FLIP_EFFECT,
    FRAME_COMMANDS,
    PLAY_SOUND,
    AnimationReference,
    Command,
    decode_commands,
    decode_state_changes,
)
from .report import Report

_FIXED = 65536  # speeds are 16.16 fixed point numbers
_SPEEDS = ("speed", "acceleration", "lateral_speed", "lateral_acceleration")
_COMMANDS = {"SOUND": PLAY_SOUND, "EFFECT": FLIP_EFFECT}
_LABELS = {command: label for label, command in _COMMANDS.items()}
_NUMBER_BITS = 14
_NAME = 40  # of the 63 bytes that Blender has for a marker's, with room for more
_WHERE = {
    "SOUND": ("", "on land", "in water", "always"),
    "EFFECT": ("", "left foot", "right foot", "both feet"),
}

# A frame from the start of its animation, "SOUND" or "EFFECT", its number, its flags.
Event = tuple[int, str, int, int]


class AnimationSettings:
    """The settings of all animations of a level as Blender shows them.

    Attributes:
        values: by index of the animation: state, next frame, and the four speeds.
        following: by index of the animation: which one comes next; -1 for itself, and for what is none.
    """

    def __init__(self, level: Level) -> None:
        self._level = level
        animations = level.animations
        count = len(animations)
        target = animations["next_animation"].astype(np.int64)
        known = target < count
        start = np.where(known, animations["first_frame"][np.where(known, target, 0)], 0) if count else target
        columns: list[NDArray[Any]] = [
            animations["state"],
            animations["next_frame"].astype(np.int64) - start,
        ]
        names = animations.dtype.names or ()
        for name in _SPEEDS:
            fixed = animations[name] if name in names else np.zeros(count)
            columns.append((fixed / _FIXED).astype(np.float32))
        self.values = list(zip(*[column.tolist() for column in columns], strict=True))
        self.following = np.where(known & (target != np.arange(count)), target, -1).tolist()

    def commands(self, index: int) -> tuple[Command, ...]:
        """Return the commands of an animation, their frames counted from its start."""
        record = self._level.animations[index]
        count = int(record["commands"])
        if not count:
            return ()
        first = int(record["first_command"])
        start = int(record["first_frame"])
        return decode_commands(self._level.animation_commands, first, count, first_frame=start)

    def events(self, index: int) -> list[Event]:
        """Return the sounds and effects of an animation."""
        return [_event(command) for command in self.commands(index) if command.type in FRAME_COMMANDS]


def _event(command: Command) -> Event:
    frame, operand = command.operands
    number, flags = operand & ((1 << _NUMBER_BITS) - 1), (operand & 0xFFFF) >> _NUMBER_BITS
    return frame, _LABELS[command.type], number, flags


def import_settings(level: Level, names: Catalogue, actions: Mapping[int, Action]) -> None:
    """Give actions, by index of their animation, their settings, and pose markers for sounds and effects."""
    settings = AnimationSettings(level)
    for index, action in actions.items():
        group = action.tomb_raider
        group.state, group.next_frame, *speeds = settings.values[index]
        for name, value in zip(_SPEEDS, speeds, strict=True):
            if value:
                setattr(group, name, value)
        following = actions.get(settings.following[index])
        if following is not None:
            group.next_action = following
        _make_markers(action, names, settings.events(index))


def _make_markers(action: Action, names: Catalogue, events: list[Event]) -> None:
    labels: dict[tuple[str, int, int], str] = {}
    for frame, command, number, flags in events:
        kind = command, number, flags
        if kind not in labels:
            label = names.sound(number) if command == "SOUND" else names.flipeffect(number)
            if flags:
                label = f"{label[:_NAME]}, {_WHERE[command][flags]}"
            if label in labels.values():
                label = f"{label[:_NAME]} {command.lower()} {number}"
            labels[kind] = label
            event = action.tomb_raider.events.add()
            event.name = label
            event.command, event.number, event.flags = kind
        action.pose_markers.new(labels[kind]).frame = frame


class SettingsExport:
    """Finds what differs about the settings of actions."""

    def __init__(self, level: Level, references: Mapping[Action, AnimationReference], report: Report) -> None:
        """Compare with a level.

        Args:
            level: the original.
            references: what every action is written as.
            report: where warnings go.
        """
        self._level = level
        self._report = report
        self._original = AnimationSettings(level)
        self._references = references
        self._olds = {index: action for action, index in references.items() if isinstance(index, int)}

    def changes(self, action: Action, index: int) -> dict[str, Any]:
        """Return what differs from an animation of the original, as fields of an ``AnimationEdit``."""
        group = action.tomb_raider
        changed: dict[str, Any] = {}
        speeds = tuple(getattr(group, name) for name in _SPEEDS)
        state, next_frame, *old_speeds = self._original.values[index]
        if group.state != state:
            changed["state"] = group.state
        for name, value, old in zip(_SPEEDS, speeds, old_speeds, strict=True):
            if value != old:
                changed[name] = round(value * _FIXED)
        following = group.next_action
        if following != self._olds.get(self._original.following[index]):
            changed["next_animation"] = index if following is None else self._reference(action, following)
            changed["next_frame"] = group.next_frame
        elif group.next_frame != next_frame:
            changed["next_frame"] = group.next_frame
        commands = self._commands(action, index)
        if commands is not None:
            changed["commands"] = commands
        return changed

    def of_new(self, action: Action, source: int | None, first: int | None) -> dict[str, Any]:
        """Return all settings of a new animation.

        Args:
            source: the animation that its action was copied from.
            first: the first animation of its model, whose state it has where the user has said none.
        """
        group = action.tomb_raider
        values: dict[str, Any] = {name: round(getattr(group, name) * _FIXED) for name in _SPEEDS}
        values["state"], values["next_frame"] = group.state, group.next_frame
        if source is None and first is not None and not group.is_property_set("state"):
            values["state"] = int(self._level.animations["state"][first])
        if group.next_action is not None:
            values["next_animation"] = self._reference(action, group.next_action)
        commands = self._commands(action, source)
        if source is not None:
            level = self._level
            values["commands"] = self._original.commands(source) if commands is None else commands
            values["state_changes"] = decode_state_changes(
                level.animations, level.state_changes, level.animation_dispatches, source
            )
        elif commands:
            values["commands"] = commands
        return values

    def _reference(self, action: Action, following: Action) -> AnimationReference:
        if following not in self._references:
            raise ExportError(action.name, f"what follows it, {following.name}, is no animation of the level")
        return self._references[following]

    def _commands(self, action: Action, index: int | None) -> tuple[Command, ...] | None:
        """Return the commands of an action, or None where they are those of an animation of the original.

        Those at frames are the markers; all others stay, as do the places of those that are still there.
        """
        wanted: list[Event] = []
        events = action.tomb_raider.events
        if len(events):
            shown: set[str] = set()
            kinds = {event.name: (event.command, event.number, event.flags) for event in events}
            for marker in action.pose_markers:
                if marker.name in kinds:
                    shown.add(marker.name)
                    wanted.append((marker.frame, *kinds[marker.name]))
            for name in kinds.keys() - shown:
                text = f"it has no marker that is called {name} any more, so that this does not happen"
                self._report.warn(action.name, text)
        old = () if index is None else self._original.commands(index)
        if sorted(wanted) == sorted(_event(command) for command in old if command.type in FRAME_COMMANDS):
            return None
        commands = []
        for command in old:
            if command.type not in FRAME_COMMANDS:
                commands.append(command)
            elif _event(command) in wanted:
                wanted.remove(_event(command))
                commands.append(command)
        for frame, label, number, flags in sorted(wanted):
            commands.append(Command(_COMMANDS[label], (frame, flags << _NUMBER_BITS | number)))
        return tuple(commands)
