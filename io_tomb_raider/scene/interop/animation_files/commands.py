"""Commands of animations between games: the numbers of sounds and effects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bpy.types import Collection

from ....formats import Game
from ....formats.levels.animations import (
    EVENT_FLAGS,
    EVENT_NUMBER,
    FRAME_COMMANDS,
    PLAY_SOUND,
    AnimationCommand,
)
from ...core.transfer import Transfer
from ...subjects.animations.transfer import event_name, remapped_event


class MappedCommands(NamedTuple):
    """Commands in another game."""

    commands: list[AnimationCommand | None]  #: for each command of the source the one of the target, or None.
    lost: list[str]  #: the names of sounds and effects that the target has not.


def map_commands(
    root: Collection, commands: Iterable[AnimationCommand | None], source: Game, target: Game
) -> MappedCommands:
    """Return commands with the numbers of another game.

    Args:
        source, target: the games; even if both are the same, conditions that it does not know are dropped.
    """
    transfer = Transfer(root, source, target)
    mapped_commands: list[AnimationCommand | None] = []
    lost: dict[str, None] = {}
    for command in commands:
        if command is None or command.type not in FRAME_COMMANDS:
            mapped_commands.append(command)
            continue
        frame, operand = command.operands
        is_sound = command.type == PLAY_SOUND
        number, flags = EVENT_NUMBER.of(operand), EVENT_FLAGS.of(operand)
        mapped = remapped_event(transfer, number, flags, is_sound=is_sound)
        if mapped is None:
            lost[event_name(transfer, number, is_sound=is_sound)] = None
            mapped_commands.append(None)
        else:
            word = EVENT_FLAGS.put(*mapped)
            mapped_commands.append(
                AnimationCommand(command.type, (frame, (word + 0x8000) % 0x10000 - 0x8000))
            )
    return MappedCommands(mapped_commands, list(lost))
