"""Conversion of the commands of one level of TR4 or TR5 to lines of text, and back.

The lines have the form of the level editor's SCRIPT.TXT. Strings are given by number, ``#12``, with the text
of the language file as a comment; if a language is given, their text is accepted, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ....base.games import Game
from ..strings.language import Language
from ..strings.text import PATHS, Line, TextSection, show_bytes, show_pair, show_switch
from .tr4_commands import (
    CODES,
    END,
    LEVEL,
    OPCODES,
    OPTIONS,
    TITLE,
    ScriptCommand,
    ScriptOpcode,
    encode_level,
    misread_byte,
)

_RANGES = {"B": (0, 0xFF), "b": (-0x80, 0x7F), "H": (0, 0xFFFF), "h": (-0x8000, 0x7FFF),
           "i": (-0x80000000, 0x7FFFFFFF)}  # fmt: skip
_ITEM_VALUE = (-0x8000, 0xFFFF)
_BYTE, _NIBBLE = (0, 0xFF), (0, 0xF)
_COMMAND_OPTIONS = 0x2C18  # the options that commands imply


@dataclass
class Files:
    """The paths of level files, referred to by name if it is unique, else by number."""

    names: list[str] = field(default_factory=list)  #: the paths as shown in a text.
    is_open: bool = True  #: whether unknown paths are added.

    def show(self, number: int) -> str:
        """Return the text for a path."""
        if number >= len(self.names):
            return f"#{number}"
        name = self.names[number]
        is_plain = name[:1] not in ("", "#") and "," not in name
        return name if is_plain and Counter(self.names)[name] == 1 else f"#{number}"

    def number(self, line: Line, text: str) -> int:
        """Return the number of the path that is written so."""
        if text.startswith("#"):
            return line.integer(text[1:], *_BYTE)
        if text not in self.names:
            if not self.is_open:
                raise line.error(f"{text!r} is not in [Files]")
            PATHS.read(line.number, text)
            self.names.append(text)
        if self.names.index(text) > _BYTE[1]:
            raise line.error("there are more than 256 paths")
        return self.names.index(text)


@dataclass(frozen=True)
class LevelTexts:
    """The context for converting the levels of one script."""

    game: Game  #: the game, which determines opcodes.
    files: Files  #: the script's paths.
    language: Language | None = None  #: the strings, or None.
    #: the number of each string, by its readable text.
    numbers: Mapping[str, int] = field(default_factory=dict)

    def show(self, commands: Sequence[ScriptCommand] | None, data: bytes) -> Iterator[str]:
        """Yield the lines of a level with its heading: its commands, or else its bytes."""
        if commands is None:
            yield "[Level]"
            yield from show_bytes("Hex", data) if data else ("Hex=",)
            return
        yield "[Title]" if any(command.opcode == TITLE for command in commands) else "[Level]"
        implied = _implied_options(commands, self.game)
        for command in commands:
            if command.opcode in (LEVEL, TITLE):
                yield from self._show_heading(command, implied)
            elif command.opcode != END:
                yield self._show_command(OPCODES[self.game][command.opcode], command.operands)

    def _show_heading(self, command: ScriptCommand, implied: int) -> Iterator[str]:
        *string, options, path, track = command.operands
        if string:
            yield show_pair("Name", *self._string(string[0]))
        yield show_pair("Level", f"{self.files.show(path)}, {track}")
        if options & _COMMAND_OPTIONS != implied:
            yield show_pair("LevelOptions", f"${options:04X}")
            return
        yield from (show_pair(key, show_switch(True)) for key, bit in OPTIONS.items() if options & bit)

    def _string(self, number: int) -> tuple[str, str]:
        return f"#{number}", (self.language and self.language.text(number)) or ""

    def _show_command(self, opcode: ScriptOpcode, operands: tuple[int, ...]) -> str:
        values: list[str] = [str(number) for number in opcode.numbers]
        comment = ""
        if opcode.is_item:
            string, comment = self._string(operands[0])
            values += (string, *(f"${value:04X}" for value in operands[1:]))
        elif opcode.name == "Legend":
            string, comment = self._string(operands[0])
            values.append(string)
        elif opcode.name == "FMV":
            values += (str(operands[0] & 15), str(operands[0] >> 4))
        elif opcode.name == "AnimatingMIP":
            values += (str((operands[0] & 15) + 1), str(operands[0] >> 4))
        else:
            values += map(str, operands)
        return show_pair(opcode.name, ", ".join(values), comment)

    # --- Compilation ----------------------------------------

    def read(self, part: TextSection) -> bytes:
        """Return the bytes of a level.

        Raises TextError if a line is invalid, or the game would misread it.
        """
        if any(line.pair()[0].lower() == "hex" for line in part.lines):
            return self._read_bytes(part)
        is_title = part.name.lower() == "title"
        commands: list[ScriptCommand | None] = []
        heading: tuple[int, int] | None = None
        name: int | None = None
        options = 0
        fixed_options: int | None = None
        for line in part.lines:
            key, value = line.pair()
            flag = _FLAGS.get(key.lower())
            if flag:
                options |= flag if line.switch(value) else 0
            elif key.lower() == "leveloptions":
                fixed_options = line.integer(value, 0, 0xFFFF)
            elif key.lower() == "name" and not is_title:
                if name is not None:
                    raise line.error("Name is here twice")
                name = self._read_string(line, value, 0xFF)
            elif key.lower() == "level":
                if heading is not None:
                    raise line.error("Level is here twice")
                path, _, track = value.rpartition(",")
                heading = self.files.number(line, path.strip()), line.integer(track, *_BYTE)
                commands.append(None)  # filled in when all options are known
            else:
                commands.append(self._read_command(line, key, value))
        if heading is None or (name is None and not is_title):
            raise part.error("a level needs Level=" if heading is None else "a level needs Name=")
        plain = [command for command in commands if command is not None]
        if fixed_options is None:
            fixed_options = options | _implied_options(plain, self.game)
        first = (TITLE,) if is_title else (LEVEL, name or 0)
        heading_command = ScriptCommand(first[0], (*first[1:], fixed_options, *heading))
        all_commands = [heading_command if command is None else command for command in commands]
        return encode_level([*all_commands, ScriptCommand(END)], self.game)

    def _read_bytes(self, part: TextSection) -> bytes:
        for line in part.lines:
            if line.pair()[0].lower() != "hex":
                raise line.error("a level is either lines of Hex= or of commands")
        return b"".join(line.hexadecimal(line.pair()[1]) for line in part.lines)

    def _read_string(self, line: Line, text: str, limit: int) -> int:
        if text.startswith("#"):
            return line.integer(text[1:], 0, limit)
        if self.language is None:
            raise line.error(f"without the language file {text!r} must be given by its number, as #12")
        number = self.numbers.get(text)
        if number is None:
            raise line.error(f"the language file has no string {text!r}")
        if number > limit:
            raise line.error(f"{text!r} is string {number}, and only those up to {limit} can stand here")
        return number

    def _read_command(self, line: Line, key: str, value: str) -> ScriptCommand:
        fields = [text.strip() for text in value.split(",")] if value else []
        count = _NUMBERED_COMMANDS.get(key.lower(), 0)
        numbers = line.integers(",".join(fields[:count]), [_BYTE] * count)
        code = _NAMES[self.game].get((key.lower(), tuple(numbers)))
        if code is None:
            is_known = any(name == key.lower() for name, _ in _NAMES[self.game])
            suffix = f" {', '.join(map(str, numbers))}" if numbers else ""
            raise line.error(f"there is no {key}{suffix}" if is_known else f"{key!r} is not known here")
        opcode = OPCODES[self.game][code]
        command = ScriptCommand(code, self._read_operands(line, opcode, fields[count:]))
        misread = misread_byte(command, self.game)
        if misread:
            name, byte = misread
            raise line.error(f"{name} has the byte ${byte:02X}, which the game would take for a command")
        return command

    def _read_operands(self, line: Line, opcode: ScriptOpcode, fields: list[str]) -> tuple[int, ...]:
        text = ",".join(fields)
        if opcode.is_item:
            string, _, rest = text.partition(",")
            values = line.integers(rest, [_ITEM_VALUE] * 6)
            return (self._read_string(line, string, 0xFFFF), *(value & 0xFFFF for value in values))
        if opcode.name == "Legend":
            return (self._read_string(line, text, 0xFF),)
        if opcode.name == "FMV":
            low, high = line.integers(text, [_NIBBLE, _NIBBLE])
            return (low | high << 4,)
        if opcode.name == "AnimatingMIP":
            low, high = line.integers(text, [(1, 16), _NIBBLE])
            return (low - 1 | high << 4,)
        codes = opcode.layout.format.removeprefix("<")
        expanded = "i" * 6 + codes[-1] if codes.startswith("6i") else codes
        return tuple(line.integers(text, [_RANGES[code] for code in expanded]))


_FLAGS = {key.lower(): bit for key, bit in OPTIONS.items()}
# LEVEL, TITLE and END are not written as plain commands.
_NAMES = {
    game: {(name.lower(), numbers): code for (name, numbers), code in codes.items()
           if code not in (LEVEL, TITLE, END)}
    for game, codes in CODES.items()
}  # fmt: skip
_NUMBERED_COMMANDS = {
    opcode.name.lower(): len(opcode.numbers) for opcodes in OPCODES.values() for opcode in opcodes.values()
}


def _implied_options(commands: Sequence[ScriptCommand], game: Game) -> int:
    options = 0
    for command in commands:
        options |= OPCODES[game][command.opcode].option
    return options
