"""Commands of animations (documentation, chapter 6.2.6): effects at its end, or at a frame.

Sounds and effects are pose markers, which users move, copy and delete with Blender's own tools. A table of
the action, keyed by the marker's name, has the meaning of a marker, because Blender loses track of typed
properties of markers when it frees an action. All other commands are a list with typed arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from bpy.types import Action

from ....catalogue import Catalogue
from ....formats.base import T
from ....formats.levels.animations import (
    EMPTY_HANDS,
    EVENT_FLAGS,
    EVENT_NUMBER,
    FLIP_EFFECT,
    FRAME_COMMANDS,
    JUMP_DISTANCE,
    KILL,
    PLAY_SOUND,
    SET_POSITION,
    AnimationCommand,
    decode_commands,
)
from ...core.reporting.report import Report
from ...core.stored import within
from .keys.ranges import first_frame, last_frame
from .names import event_label, rename_event, unused_label

if TYPE_CHECKING:
    from ....formats import Level

_EVENTS = {"SOUND": PLAY_SOUND, "EFFECT": FLIP_EFFECT}
_LABELS = {command: label for label, command in _EVENTS.items()}
# The numbers of the items of Any.command are those of the file.
_PLAIN = {"NOTHING": 0, "POSITION": SET_POSITION, "JUMP": JUMP_DISTANCE, "HANDS": EMPTY_HANDS, "KILL": KILL}
_NAMES = {number: name for name, number in _PLAIN.items()}

# Frame from the start of the animation, "SOUND" or "EFFECT", number, flags.
Event = tuple[int, str, int, int]


def commands_of(level: Level, index: int) -> tuple[AnimationCommand, ...]:
    """Return the commands of an animation, with frames counted from its start."""
    record = level.animations[index]
    count = int(record["commands"])
    if not count:
        return ()
    first, start = int(record["first_command"]), int(record["first_frame"])
    return decode_commands(level.animation_commands, first, count, first_frame=start)


def add_event(action: Action, command: str, number: int, flags: int) -> Any:
    """Return the row of a sound ("SOUND") or effect ("EFFECT"), which is added if there is none."""
    rows = action.tomb_raider.events
    for row in rows:
        if (row.command, row.number, row.flags) == (command, number, flags):
            return row
    row = rows.add()
    row.command, row.number, row.flags = command, number, flags
    rename_event(row)
    return row


# --- Import ----------------------------------------


def import_commands(action: Action, names: Catalogue, commands: Sequence[AnimationCommand]) -> None:
    """Add pose markers for the sounds and effects of an action, and a list of all other commands."""
    labels: dict[tuple[str, int, int], str] = {}
    for command in commands:
        if command.type not in FRAME_COMMANDS:
            _add_row(action.tomb_raider.commands, command)
            continue
        frame, kind, number, flags = _event(command)
        label = labels.get((kind, number, flags))
        if label is None:
            label = unused_label(event_label(names, kind, number, flags), kind, number, labels.values())
            labels[kind, number, flags] = label
            event = action.tomb_raider.events.add()
            event.name = label
            # Without the callbacks, which would search for markers to rename.
            event["command"], event["number"], event["flags"] = command.type, number, flags
        action.pose_markers.new(label).frame = frame


def _event(command: AnimationCommand) -> Event:
    frame, operand = command.operands
    return frame, _LABELS[command.type], EVENT_NUMBER.of(operand), EVENT_FLAGS.of(operand)


def _add_row(rows: Any, command: AnimationCommand) -> None:
    row = rows.add()
    row.command = _NAMES.get(command.type, "OTHER")
    if command.type == SET_POSITION:
        x, y, z = command.operands
        row.position = x, z, -y
    elif command.type == JUMP_DISTANCE:
        row.vertical, row.horizontal = -command.operands[0], command.operands[1]
    elif row.command == "OTHER":
        row.number = command.type


# --- Export ----------------------------------------


def read_row(row: Any, name: str) -> AnimationCommand:
    """Return the command of a row of an action's list, as the inverse of `import_commands`.

    Raises:
        ExportError: if users cannot choose this command.
    """
    if within(row, "command", name) == "OTHER":
        return AnimationCommand(row.number)
    if row.command == "POSITION":
        right, forward, up = row.position
        return AnimationCommand(SET_POSITION, (right, -up, forward))
    if row.command == "JUMP":
        return AnimationCommand(JUMP_DISTANCE, (-row.vertical, row.horizontal))
    return AnimationCommand(_PLAIN[row.command])


def read_commands(
    action: Action, old: tuple[AnimationCommand, ...], report: Report, *, rebuild: bool = False
) -> tuple[AnimationCommand, ...] | None:
    """Return the commands of an action, or None if they are unchanged.

    Commands that remain of the old ones, which it was imported or copied with, keep their place among the
    others. Commands without a frame are in the user's order; new sounds and effects are last, in the order of
    their frames. A rebuild returns unchanged ones too, unless there are none.
    """
    events = sorted(_read_markers(action, report))
    plain = [read_row(row, action.name) for row in action.tomb_raider.commands]
    old_plain = [command for command in old if command.type not in FRAME_COMMANDS]
    old_events = sorted(_event(command) for command in old if command.type in FRAME_COMMANDS)
    if events == old_events and plain == old_plain and not (rebuild and old):
        return None
    _warn_of_odd_frames(action, [event for event in events if event not in old_events], report)
    commands: list[AnimationCommand] = []
    before = _aligned(old_plain, plain)
    position = 0
    for command in old:
        if command.type not in FRAME_COMMANDS:
            commands += before[position]
            position += 1
        elif _event(command) in events:
            events.remove(_event(command))
            commands.append(command)
    commands += before[position]
    for frame, label, number, flags in events:
        commands.append(AnimationCommand(_EVENTS[label], (frame, EVENT_FLAGS.put(number, flags))))
    return tuple(commands)


def _aligned(old: list[AnimationCommand], new: list[AnimationCommand]) -> list[list[AnimationCommand]]:
    """Return the new commands at the place of each old command, and finally those after all of them."""
    groups: list[list[AnimationCommand]] = [[] for _ in range(len(old) + 1)]
    for kind, start, stop, new_start, new_stop in SequenceMatcher(None, old, new, False).get_opcodes():
        if kind == "equal":
            for number in range(stop - start):
                groups[start + number].append(new[new_start + number])
        else:
            groups[start] += new[new_start:new_stop]
    return groups


def _read_markers(action: Action, report: Report) -> list[Event]:
    events = action.tomb_raider.events
    result: list[Event] = []
    if not len(events):
        return result
    kinds = {
        event.name: (within(event, "command", action.name), event.number, event.flags) for event in events
    }
    found_names: set[str] = set()
    start = first_frame(action)
    for marker in action.pose_markers:
        if marker.name in kinds:
            found_names.add(marker.name)
            result.append((marker.frame - start, *kinds[marker.name]))
    for name in kinds.keys() - found_names:
        text = T("it has no marker named {name}, so this event never happens", name=name)
        report.warn(action.name, text)
    return result


def _warn_of_odd_frames(action: Action, events: list[Event], report: Report) -> None:
    """Warn of the user's markers outside the animation's frames."""
    start, length = first_frame(action), last_frame(action) - first_frame(action)
    for frame, *_ in events:
        if not 0 <= frame <= length:
            text = T(
                "the marker at frame {frame} is outside of the animation, so its event never happens",
                frame=frame + start,
            )
            report.warn(action.name, text)
