"""Conversion of one command of a TR2 or TR3 script to a line of text, and back.

``FMV= fmv\\logo.rpl`` gives an operand that is unique in the script's list, ``FMV= #2`` the index, from 0, of
one that is not. Words that are not a command of the game are ``Words= $0063``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ....base.games import Game
from ..strings.text import PLAIN, Line, show_pair
from .gameflow import Gameflow
from .gameflow_sequences import BONUS, CODES, ITEMS, OPCODES, GameflowCommand, GameflowOpcode

_WORDS = "Words"
_START_ITEM, _BONUS_ITEM = "StartInv", "Bonus"
_WORD = (0, 0xFFFF)


@dataclass(frozen=True)
class CommandTexts:
    """Commands as text, using the lists of one script."""

    #: the lists that operands refer to, by their name in :class:`.GameflowOpcode`.
    lists: dict[str, list[str]]
    #: the index of each unique entry in its list, by its name in lower case.
    numbers: dict[str, dict[str, int]]

    @classmethod
    def of(cls, gameflow: Gameflow, game: Game | None = None) -> CommandTexts:
        """Use the lists of a script; ``game`` overrides the script's game for the names of items."""
        lists = {
            opcode.refers_to: _shown_list(gameflow, opcode.refers_to)
            for opcode in OPCODES.values()
            if opcode.refers_to not in ("", "items")
        }
        lists["items"] = list(ITEMS[game or gameflow.game])
        numbers: dict[str, dict[str, int]] = {}
        for name, entries in lists.items():
            counts = Counter(entry.lower() for entry in entries)
            indices = {entry.lower(): index for index, entry in enumerate(entries)}
            numbers[name] = {entry: index for entry, index in indices.items() if counts[entry] == 1}
        return cls(lists, numbers)

    def show(self, command: GameflowCommand) -> str:
        """Return the line of a command."""
        opcode = OPCODES.get(command.opcode)
        if opcode is None or len(command.operands) != opcode.operands:
            words = (command.opcode, *command.operands)
            return show_pair(_WORDS, ", ".join(f"${word:04X}" for word in words))
        if not opcode.operands:
            return opcode.name
        if not opcode.refers_to:
            return show_pair(opcode.name, ", ".join(map(str, command.operands)))
        return self._show_reference(opcode, command.operands[0])

    def _show_reference(self, opcode: GameflowOpcode, number: int) -> str:
        key = opcode.name
        if key == _START_ITEM and number >= BONUS:
            key, number = _BONUS_ITEM, number - BONUS
        entries = self.lists[opcode.refers_to]
        if number >= len(entries):
            return show_pair(key, f"#{number}")
        entry = entries[number]
        if self.numbers[opcode.refers_to].get(entry.lower()) == number and entry[:1] not in ("", "#"):
            return show_pair(key, entry)
        return show_pair(key, f"#{number}", entry)

    def read(self, line: Line) -> GameflowCommand:
        """Return the command on a line.

        Raises TextError if it is not a command of the game, or its operand is not in the script's list.
        """
        key, value = line.pair()
        if key.lower() == _WORDS.lower():
            words = [line.integer(word, *_WORD) for word in value.split(",")]
            return GameflowCommand(words[0], tuple(words[1:]))
        is_bonus = key.lower() == _BONUS_ITEM.lower()
        code = CODES.get(_START_ITEM.lower() if is_bonus else key.lower())
        if code is None:
            raise line.error(f"{key!r} is not known here")
        opcode = OPCODES[code]
        if not opcode.refers_to:
            return GameflowCommand(code, tuple(line.integers(value, [_WORD] * opcode.operands)))
        number = self._number(line, opcode, value) + (BONUS if is_bonus else 0)
        if number > _WORD[1]:
            raise line.error(f"{number} is too much for this command")
        return GameflowCommand(code, (number,))

    def _number(self, line: Line, opcode: GameflowOpcode, value: str) -> int:
        if value.startswith("#"):
            return line.integer(value[1:], *_WORD)
        number = self.numbers[opcode.refers_to].get(value.lower())
        if number is not None:
            return number
        count = [entry.lower() for entry in self.lists[opcode.refers_to]].count(value.lower())
        if count:
            raise line.error(f"{value!r} is there {count} times; write #0, #1, … for its place in the list")
        raise line.error(f"{value!r} is not in the list that {opcode.name} takes from")


def _shown_list(gameflow: Gameflow, attribute: str) -> list[str]:
    """Return a list of strings as shown in texts; a list whose bytes are in [Raw] is empty."""
    table = getattr(gameflow, attribute)
    return [PLAIN.show(text) for text in table.texts] if table.is_tight else []
