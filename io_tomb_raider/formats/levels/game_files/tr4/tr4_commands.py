"""The commands of a level in SCRIPT.DAT of TR4 and TR5, chapter 12.1.6 of the documentation.

A command is an opcode byte and packed operands. TR5 lacks LoadCamera and renumbers all from there on. The
opcodes of both games are declared once. A level that does not consist of known commands is kept as bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct
from typing import NamedTuple

from ....base.games import Game

LEVEL, TITLE, END = 0x81, 0x82, 0x83

# The bytes of an item's record that the game's search for level names reads as commands: it assumes commands
# of two bytes from the first item's opcode on, so it reads every third byte.
_SEEN_BYTES = {2: "the y offset", 5: "the scale", 8: "the x rotation", 11: "the z rotation"}
_FIRST_COMMAND = 0x80


class ScriptOpcode(NamedTuple):
    """The name of a command and the packing of its operands."""

    name: str  #: its name in scripts.
    layout: Struct  #: its operands.
    #: its number among several: ``(2,)`` for the second key, ``(2, 1)`` for a part of it.
    numbers: tuple[int, ...] = ()
    option: int = 0  #: the bit that it implies in the level's options, or 0.

    @property
    def is_item(self) -> bool:
        """Whether this is the record of an inventory item: string, position, size, angles."""
        return self.layout is ITEM


ITEM = Struct("<7H")  # string, y offset, scale, rotations about y, x, z, flags
_BYTE = Struct("<B")
_COLOR_SPEED = Struct("<BBBb")


def _family(name: str, count: int, parts: int = 0) -> list[ScriptOpcode]:
    if not parts:
        return [ScriptOpcode(name, ITEM, (number,)) for number in range(1, count + 1)]
    return [
        ScriptOpcode(name, ITEM, (number, part))
        for number in range(1, count + 1)
        for part in range(1, parts + 1)
    ]


_COMMON = [
    ScriptOpcode("FMV", _BYTE),
    ScriptOpcode("Level", Struct("<BHBB")),  # string, options, path, track
    ScriptOpcode("Title", Struct("<HBB")),  # options, path, track
    ScriptOpcode("End", Struct("<")),
    ScriptOpcode("Cut", _BYTE),
    *(ScriptOpcode("ResidentCut", _BYTE, (number,)) for number in (1, 2, 3, 4)),
    ScriptOpcode("Layer1", _COLOR_SPEED, option=0x0008),
    ScriptOpcode("Layer2", _COLOR_SPEED, option=0x0010),
    ScriptOpcode("UVRotate", Struct("<b")),
    ScriptOpcode("Legend", _BYTE),
    ScriptOpcode("LensFlare", Struct("<HhHBBB"), option=0x0800),  # x, y, z in 256 units, color
    ScriptOpcode("Mirror", Struct("<Bi"), option=0x2000),
    ScriptOpcode("Fog", Struct("<BBB")),
    ScriptOpcode("AnimatingMIP", _BYTE),
]
_ITEMS = [
    *_family("Key", 12),
    *_family("Puzzle", 12),
    *_family("Pickup", 4),
    *_family("Examine", 3),
    *_family("KeyCombo", 8, 2),
    *_family("PuzzleCombo", 8, 2),
    *_family("PickupCombo", 4, 2),
]
_LOAD_CAMERA = ScriptOpcode("LoadCamera", Struct("<6iB"))  # source x, y, z, target x, y, z, room
_RESET_HUB = ScriptOpcode("ResetHUB", _BYTE, option=0x0400)
_TR5_OBJECTS = [ScriptOpcode("GiveObject", Struct("<BB")), ScriptOpcode("TakeObject", Struct("<BB"))]

OPCODES: dict[Game, dict[int, ScriptOpcode]] = {
    Game.TR4: dict(enumerate([*_COMMON, _LOAD_CAMERA, _RESET_HUB, *_ITEMS], _FIRST_COMMAND)),
    Game.TR5: dict(enumerate([*_COMMON, _RESET_HUB, *_ITEMS, *_TR5_OBJECTS], _FIRST_COMMAND)),
}
CODES: dict[Game, dict[tuple[str, tuple[int, ...]], int]] = {
    game: {(opcode.name, opcode.numbers): code for code, opcode in opcodes.items()}
    for game, opcodes in OPCODES.items()
}

# Options without a command.
OPTIONS = {
    "YoungLara": 0x0001,
    "Weather": 0x0002,
    "Horizon": 0x0004,
    "StarField": 0x0020,
    "Lightning": 0x0040,
    "Train": 0x0080,  # in TR5 the lights of the office
    "Pulse": 0x0100,
    "ColAddHorizon": 0x0200,
    "Timer": 0x1000,
    "RemoveAmulet": 0x4000,
    "NoLevel": 0x8000,
}


@dataclass(frozen=True)
class ScriptCommand:
    """One command: opcode and operands, in the order of its :class:`ScriptOpcode`."""

    opcode: int
    operands: tuple[int, ...] = ()


def decode_level(data: bytes, game: Game) -> list[ScriptCommand] | None:
    """Return the commands of a level, including ``End``, or None if its bytes are not commands.

    None also if the game would misread an item: see :func:`misread_byte`.
    """
    commands: list[ScriptCommand] = []
    position = 0
    while position < len(data):
        opcode = OPCODES[game].get(data[position])
        if opcode is None or len(data) - position - 1 < opcode.layout.size:
            return None
        command = ScriptCommand(data[position], opcode.layout.unpack_from(data, position + 1))
        if misread_byte(command, game):
            return None
        commands.append(command)
        position += 1 + opcode.layout.size
    is_closed = bool(commands) and commands[-1].opcode == END
    headings = sum(command.opcode in (LEVEL, TITLE) for command in commands)
    ends = sum(command.opcode == END for command in commands)
    return commands if is_closed and ends == 1 and headings == 1 else None


def encode_level(commands: Sequence[ScriptCommand], game: Game) -> bytes:
    """Return the bytes of a level's commands.

    Raises:
        struct.error: if an operand does not fit.
    """
    pieces: list[bytes] = []
    for command in commands:
        layout = OPCODES[game][command.opcode].layout
        pieces += (bytes([command.opcode]), layout.pack(*command.operands))
    return b"".join(pieces)


def misread_byte(command: ScriptCommand, game: Game) -> tuple[str, int] | None:
    """Return the value of an item that the game would misread as a command, and its byte, or None.

    When the game searches the names of levels, it does not know items: it reads every third byte of their
    records as an opcode, and fails if that is a valid one.
    """
    opcode = OPCODES[game][command.opcode]
    if not opcode.is_item:
        return None
    try:
        packed = opcode.layout.pack(*command.operands)
    except struct.error:
        return None
    first_item = CODES[game]["Key", (1,)]
    for offset, name in _SEEN_BYTES.items():
        if _FIRST_COMMAND <= packed[offset] < first_item:
            return name, packed[offset]
    return None
