"""The grammar of floor data: the ends of functions and actions, and the role of each word.

Documentation, chapters 4.4 to 4.6. Lists are chains in which each link determines the next. The meaning of a
word as a link does not depend on the words before it, so :class:`Grammar` computes it for all words at once.
Chains are then followed by pointer doubling: no array takes long, however long its chains are and however
many share words.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...base.errors import FormatError
from .functions import ActionType, FunctionType, TriggerType

END = 0x8000  # ends a list of functions, and a trigger's list of actions

REFERRING_TRIGGERS = frozenset({TriggerType.SWITCH, TriggerType.KEY, TriggerType.PICKUP})


@dataclass(frozen=True, slots=True)
class Rules:
    """The parsing rules of a level, which differ between toolchains."""

    #: the level has a TRNG footer: flipeffects and actions of type 11 have an extra word, too.
    trng: bool = False
    #: the extra word of a camera follows even if the action's word has the end mark. Otherwise such a word
    #: has none, as in the flybys of the TRLE's converter.
    always_extra: bool = False

    @property
    def extra_types(self) -> frozenset[int]:
        """The types of actions that have an extra word."""
        return _EXTRA_TRNG if self.trng else _EXTRA


_EXTRA = frozenset({int(ActionType.CAMERA), int(ActionType.FLYBY)})
_EXTRA_TRNG = _EXTRA | {int(ActionType.FLIPEFFECT), int(ActionType.CLEAR_BODIES)}
RETAIL_RULES = Rules()


class WordRole(IntEnum):
    """The role of a word of floor data."""

    UNKNOWN = 0
    FUNCTION = 1
    OPERAND = 2
    SETUP = 3
    REFERENCE = 4
    ACTION = 5
    EXTRA = 6
    UNCERTAIN_ACTION = 7  # TRNG: a number that may name an entity, depending on plugins


_WITHOUT_OPERAND = (
    FunctionType.DEATH,
    FunctionType.CLIMB,
    FunctionType.MONKEY_SWING,
    FunctionType.DEFERRED,
    FunctionType.BEETLE,
)


def _sizes() -> NDArray[np.int64]:
    """Return the number of words by function; 0 for unknown functions. Triggers vary."""
    sizes = np.zeros(32, np.int64)
    sizes[FunctionType.PORTAL : FunctionType.TRIANGULATION_LAST + 1] = 2
    sizes[[int(function) for function in _WITHOUT_OPERAND]] = 1
    return sizes


_SIZES = _sizes()
_REFERS = np.isin(np.arange(0x80), [int(kind) for kind in REFERRING_TRIGGERS])


class Grammar:
    """The meaning of each word of an array if a function, or an action of a trigger, began there."""

    def __init__(self, words: NDArray[np.uint16], rules: Rules) -> None:
        count = len(words)
        self.words, self.rules = words, rules
        self.is_end = words >= END  #: (n,) bool: whether a word has the end mark of a list.
        self._function = (words & 0x1F).astype(np.uint8)
        #: (n + 2,) int64: the end of the function that begins at each word: the word itself if there is no
        #: such function, n + 1 if it extends beyond the array.
        self.after = np.arange(count + 2)
        self.after[:count] += _SIZES[self._function]
        self.after[count] = count + 1
        self._find_actions()
        triggers = np.flatnonzero(self._function == FunctionType.TRIGGER)
        self.after[triggers] = count + 1
        triggers = triggers[triggers < count - 2]  # with a setup and a word after it
        refers = self._refers(triggers)
        first = triggers + 2 + refers
        is_done = refers & self.is_end[first - 1]
        self.after[triggers] = np.where(is_done, first, self._actions_end(first))

    def _find_actions(self) -> None:
        """Compute for each word, as an action, whether an extra word follows, and the next action."""
        count = len(self.words)
        by_type = np.zeros(0x20, bool)
        by_type[list(self.rules.extra_types)] = True
        has_extra = np.zeros(count + 1, bool)
        has_extra[:count] = by_type[self.words >> 10 & 0x1F]
        if not self.rules.always_extra:
            has_extra[:count] &= ~self.is_end
        last = np.arange(count + 1) + has_extra
        is_end = np.append(self.is_end, (False, False))
        self._has_extra = has_extra
        # The last action of a trigger, and the end of the array, are followed by themselves.
        self._next = np.where(is_end[last], np.arange(count + 1), np.minimum(last + 1, count))

    def _refers(self, triggers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which triggers have a reference after their setup. They must have a word there."""
        kinds = self.words[triggers] >> 8 & 0x7F
        # A pickup's reference is an ordinary action word; the other two are never read as actions.
        is_plain = self.words[triggers + 2] & 0x7C00 == 0
        return _REFERS[kinds] & ((kinds != TriggerType.PICKUP) | is_plain)

    def _actions_end(self, first: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ends of triggers, given their first actions."""
        count = len(self.words)
        last = _chain_ends(first, self._next)
        return np.where(last < count, last + 1 + self._has_extra[last], count + 1)

    @cached_property
    def _next_in_list(self) -> NDArray[np.int64]:
        """Each word's next function in its list, (n + 2,): itself for the last and invalid ones."""
        count = len(self.words)
        following = self.after.copy()
        following[count] = count + 1
        last = np.flatnonzero(self.is_end & (self.after[:count] <= count))
        following[last] = last
        return following

    def list_ends(self, starts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ends of lists, given their starts; an unreadable list ends where it starts."""
        lasts = _chain_ends(starts, self._next_in_list)
        ends = self.after[lasts]
        return np.where(ends == lasts, starts, ends)

    def functions(self, starts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the first words of all functions of lists, ascending, given the starts of the lists.

        The result for unreadable or overlapping lists is not valid for :meth:`roles`.
        """
        return _reached(starts, self._next_in_list)

    def error(self, start: int) -> FormatError:
        """Return the error of an unreadable list."""
        last = int(_chain_ends(np.array([start]), self._next_in_list)[0])
        if last < len(self.words):
            return list_error(start, "functions of 1 to 21", str(self._function[last]))
        return list_error(start, "a list that ends", "the end of the floor data")

    def tiling(self, used: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Return the first words of all functions if lists tile the array from word 1 to the end.

        Returns:
            None if there are gaps or overlaps, or a required start (`used`, ascending) is within a list.
        """
        count = len(self.words)
        if count < 2:
            return np.zeros(0, np.int64)
        functions = _reached(np.append(used, 1), self.after)
        functions = functions[functions < count]
        ends = self.after[functions]
        if ends[-1] != count or (ends[:-1] != functions[1:]).any():
            return None
        starts = np.zeros(count, bool)
        starts[self.list_starts(functions)] = True
        return functions if self.is_end[functions[-1]] and starts[used].all() else None

    def list_starts(self, functions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return which functions, (f,), of tiling lists are the first of one."""
        return functions[np.append(True, self.is_end[functions[:-1]])[: len(functions)]]

    def roles(self, functions: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return the :class:`WordRole` of each word, (n,), given the functions' first words, ascending."""
        roles = np.zeros(len(self.words), np.uint8)
        roles[functions] = WordRole.FUNCTION
        kinds = self._function[functions]
        is_trigger = kinds == FunctionType.TRIGGER
        roles[functions[(_SIZES[kinds] == 2) & ~is_trigger] + 1] = WordRole.OPERAND
        triggers = functions[is_trigger]
        if len(triggers):
            self._put_triggers(triggers, roles)
        return roles

    def _put_triggers(self, triggers: NDArray[np.int64], roles: NDArray[np.uint8]) -> None:
        roles[triggers + 1] = WordRole.SETUP
        refers = self._refers(triggers)
        first = triggers + 2 + refers
        roles[first[refers] - 1] = WordRole.REFERENCE
        actions = _reached(first[first < self.after[triggers]], self._next)
        roles[actions] = WordRole.ACTION
        if self.rules.trng:
            kinds = self.words[actions] >> 10 & 0x1F
            owners = triggers[np.searchsorted(triggers, actions, side="right") - 1]
            condition = self.words[owners] >> 8 & 0x7F == TriggerType.MONKEY
            uncertain = (kinds == ActionType.CLEAR_BODIES) | (condition & (kinds == ActionType.OBJECT))
            roles[actions[uncertain]] = WordRole.UNCERTAIN_ACTION
        roles[actions[self._has_extra[actions]] + 1] = WordRole.EXTRA


def list_error(start: int, expected: str, found: str) -> FormatError:
    """Return the error of the list that starts at a word."""
    return FormatError("floor_data", expected, found, element=start, offset=2 * start)


def _chain_ends(starts: NDArray[np.int64], following: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ends of chains with these starts, given the successor of each word; an end is its own."""
    result = starts
    while True:
        following_ends = following[result]
        if np.array_equal(following_ends, result):
            return result
        result, following = following_ends, following[following]


def _reached(starts: NDArray[np.int64], following: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return all words on chains with these starts, ascending, given the successor of each word."""
    is_reached = np.zeros(len(following), bool)
    is_reached[starts] = True
    while True:
        result = np.flatnonzero(is_reached)
        is_reached[following[result]] = True
        if np.count_nonzero(is_reached) == len(result):
            return result
        following = following[following]
