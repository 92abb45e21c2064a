"""Floor data read word by word, as documented: the reference for reading whole arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from io_tomb_raider.formats import FormatError
from io_tomb_raider.formats.levels.floor.grammar import Rules, WordRole

_END = 0x8000
_ALONE = {0x05, 0x06, 0x13, 0x14, 0x15}  # functions without a second word
_SWITCH, _KEY, _PICKUP, _CONDITION = 2, 3, 4, 12
_OBJECT, _CLEAR_BODIES = 0, 11
_LONGEST, _MOST_SHARING, _MOST_IN_VAIN = 4096, 4, 1 << 20


class Walked(NamedTuple):
    """The content of :class:`FloorData` for an array."""

    rules: Rules
    tiles: bool
    starts: list[int]
    ends: list[int]
    roles: list[list[int]]  # of each list


def walk(words: Sequence[int], start: int, rules: Rules) -> list[int]:
    """Return the roles of a list's words.

    Raises:
        FormatError: as :func:`decode` does.
    """
    roles: list[int] = []
    try:
        while True:
            word = words[start + len(roles)]
            function = word & 0x1F
            roles.append(WordRole.FUNCTION)
            if function == 4:
                _walk_trigger(words, start, word >> 8 & 0x7F, rules, roles)
            elif not 1 <= function <= 0x15:
                raise _error(start, "functions of 1 to 21", str(function))
            elif function not in _ALONE:
                words[start + len(roles)]
                roles.append(WordRole.OPERAND)
            if word & _END:
                return roles
    except IndexError:
        raise _error(start, "a list that ends", "the end of the floor data") from None


def _walk_trigger(words: Sequence[int], start: int, kind: int, rules: Rules, roles: list[int]) -> None:
    words[start + len(roles)]
    roles.append(WordRole.SETUP)
    word = words[start + len(roles)]
    if kind in (_SWITCH, _KEY) or (kind == _PICKUP and not word >> 10 & 0x1F):
        roles.append(WordRole.REFERENCE)
        if word & _END:
            return
    carries = {1, 12, 9, 11} if rules.trng else {1, 12}
    while True:
        word = words[start + len(roles)]
        action = word >> 10 & 0x1F
        uncertain = action == _CLEAR_BODIES or (kind == _CONDITION and action == _OBJECT)
        roles.append(WordRole.UNCERTAIN_ACTION if rules.trng and uncertain else WordRole.ACTION)
        if action in carries and (rules.always_extra or not word & _END):
            word = words[start + len(roles)]
            roles.append(WordRole.EXTRA)
        if word & _END:
            return


def walk_all(words: Sequence[int], sectors: Sequence[int], trng: bool) -> Walked:
    """Find all lists of an array.

    Raises:
        FormatError: as :func:`parse` does.
    """
    used = sorted({index for index in sectors if index})
    if used and used[-1] >= len(words):
        raise _error(used[-1], f"an index below {len(words)}", str(used[-1]))
    for rules in (Rules(trng), Rules(trng, always_extra=True)):
        starts, ends, roles = [], [], []
        here = 1
        try:
            while here < len(words):
                roles.append(walk(words, here, rules))
                starts.append(here)
                here += len(roles[-1])
                ends.append(here)
        except FormatError:
            continue
        if set(used) <= set(starts):
            return Walked(rules, True, starts, ends, roles)
    return _walk_used(words, used, Rules(trng))


def _walk_used(words: Sequence[int], used: list[int], rules: Rules) -> Walked:
    all_roles: list[list[int]] = []
    left, in_vain = _MOST_SHARING * len(words), _MOST_IN_VAIN
    for start in used:
        window = words[start : start + _LONGEST]
        try:
            roles = walk(window, 0, rules)
        except FormatError:
            roles = []
            in_vain -= len(window)
        left -= len(roles)
        if left < 0 or in_vain < 0:
            raise _error(start, f"lists that share the {len(words)} words more sparingly", "too many words")
        all_roles.append(roles)
    ends = [start + len(roles) for start, roles in zip(used, all_roles, strict=True)]
    return Walked(rules, False, used, ends, all_roles)


def _error(start: int, expected: str, found: str) -> FormatError:
    return FormatError("floor_data", expected, found, element=start, offset=2 * start)
