"""The sequences of commands in the script of TR2 and TR3, chapter 11.5 of the documentation.

A sequence consists of 16-bit words: an opcode, then its operands. The first sequence is the front end's, the
others belong to the levels. Sequences are decoded to :class:`GameflowCommand` and encoded again; sequences
that are not consecutive are kept as bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.bytes.records import U8, U16
from ....base.errors import ExportError
from ....base.games import Game
from ....base.messages import T

END = 9
BONUS = 1000  # items from here on are given for all secrets, not at the start


class GameflowOpcode(NamedTuple):
    """A command."""

    name: str
    operands: int  #: their number.
    refers_to: str = ""  #: the list that its operand refers to.


# From 23 on: additions of an engine rebuilt from TR3, of which scripts exist.
OPCODES: dict[int, GameflowOpcode] = {
    0: GameflowOpcode("Picture", 1),
    1: GameflowOpcode("ListStart", 0),
    2: GameflowOpcode("ListEnd", 0),
    3: GameflowOpcode("FMV", 1, "fmvs"),
    4: GameflowOpcode("Level", 1, "level_paths"),
    5: GameflowOpcode("Cine", 1, "cutscenes"),
    6: GameflowOpcode("Complete", 0),
    7: GameflowOpcode("Demo", 1, "level_paths"),
    8: GameflowOpcode("JumpToSequence", 1),
    9: GameflowOpcode("End", 0),
    10: GameflowOpcode("Track", 1),
    11: GameflowOpcode("Sunset", 0),
    12: GameflowOpcode("LoadPic", 1, "chapter_screens"),
    13: GameflowOpcode("DeadlyWater", 0),
    14: GameflowOpcode("RemoveWeapons", 0),
    15: GameflowOpcode("GameComplete", 0),
    16: GameflowOpcode("CutAngle", 1),
    17: GameflowOpcode("NoFloor", 1),
    18: GameflowOpcode("StartInv", 1, "items"),
    19: GameflowOpcode("StartAnim", 1),
    20: GameflowOpcode("Secrets", 1),
    21: GameflowOpcode("KillToComplete", 0),
    22: GameflowOpcode("RemoveAmmo", 0),
    23: GameflowOpcode("Rain", 0),
    24: GameflowOpcode("Snow", 0),
    25: GameflowOpcode("WaterParts", 0),
    26: GameflowOpcode("Cold", 0),
    27: GameflowOpcode("DeathTile", 1),
    28: GameflowOpcode("WaterColour", 2),
}
CODES: dict[str, int] = {opcode.name.lower(): code for code, opcode in OPCODES.items()}

# The items of StartInv, by game (chapter 11.5.2).
ITEMS: dict[Game, tuple[str, ...]] = {
    Game.TR2: (
        "Pistols", "Shotgun", "AutomaticPistols", "Uzis", "HarpoonGun", "M16", "GrenadeLauncher",
        "PistolClips", "ShotgunShells", "AutomaticPistolClips", "UziClips", "Harpoons", "M16Clips",
        "Grenades", "Flares", "SmallMedipack", "LargeMedipack", "Pickup1", "Pickup2",
        "Puzzle1", "Puzzle2", "Puzzle3", "Puzzle4", "Key1", "Key2", "Key3", "Key4",
    ),
    Game.TR3: (
        "Pistols", "Shotgun", "DesertEagle", "Uzis", "HarpoonGun", "MP5", "RocketLauncher",
        "GrenadeLauncher", "PistolClips", "ShotgunShells", "DesertEagleClips", "UziClips", "Harpoons",
        "MP5Clips", "Rockets", "Grenades", "Flares", "SmallMedipack", "LargeMedipack", "Pickup1", "Pickup2",
        "Puzzle1", "Puzzle2", "Puzzle3", "Puzzle4", "Key1", "Key2", "Key3", "Key4", "SaveCrystal",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class GameflowCommand:
    """One command. An unknown opcode has all words up to the end of its sequence as operands."""

    opcode: int
    operands: tuple[int, ...] = ()


def decode_sequences(
    offsets: NDArray[np.uint16], data: NDArray[np.uint8]
) -> list[list[GameflowCommand]] | None:
    """Return the commands of all sequences, or None if they are not consecutive in ``data``.

    :func:`encode_sequences` returns the same bytes again. Offsets are in bytes.
    """
    ends = [*offsets.tolist()[1:], len(data)]
    starts = offsets.tolist()
    if len(data) % 2 or not starts or starts[0] or any(start % 2 for start in starts):
        return None
    if any(start > end for start, end in zip(starts, ends, strict=True)):
        return None
    words = data.view(U16).tolist()
    return [_decode_words(words[start // 2 : end // 2]) for start, end in zip(starts, ends, strict=True)]


def _decode_words(words: list[int]) -> list[GameflowCommand]:
    commands: list[GameflowCommand] = []
    position = 0
    while position < len(words):
        code = words[position]
        opcode = OPCODES.get(code)
        end = len(words) if opcode is None else position + 1 + opcode.operands
        commands.append(GameflowCommand(code, tuple(words[position + 1 : end])))
        position = end
    return commands


def encode_sequences(
    sequences: Sequence[Sequence[GameflowCommand]],
) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """Return the offsets and the bytes of consecutive sequences.

    Raises ExportError if they are too long for 16-bit offsets.
    """
    words: list[int] = []
    offsets: list[int] = []
    for commands in sequences:
        offsets.append(2 * len(words))
        for command in commands:
            words += (command.opcode, *command.operands)
    if 2 * len(words) > 0xFFFF:
        raise ExportError("sequences", T("too many bytes of commands"), count=2 * len(words), limit=0xFFFF)
    return np.array(offsets, U16), np.array(words, U16).view(U8)
