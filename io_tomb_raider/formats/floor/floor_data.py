"""Floor data: what happens on a sector, from slants to triggers, as typed functions and back.

Documentation, chapter 4. Floor data is one array of 16-bit words. A sector's ``floor_data`` is the index
of the first word of its list of functions; index 0 stands for no list. :func:`parse` finds the lists and
gives every word its role, once for the whole array; :func:`decode` turns one list into the functions of
:mod:`.functions`, which :func:`encode` turns back into the very same words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ExportError, FormatError
from .functions import (
    Action,
    ActionType,
    Beetle,
    Climb,
    Death,
    Deferred,
    Function,
    FunctionType,
    MonkeySwing,
    Portal,
    Slant,
    Triangulation,
    Trigger,
    TriggerType,
)

Functions = tuple[Function, ...]

END = 0x8000  # closes a list of functions, and a trigger's list of actions
PARAMETER_LIMIT = 0x3FF  # the highest entity, camera or number that an action can name
INDEX_LIMIT = 0xFFFF  # the highest index that a sector can hold


REFERRING_TRIGGERS = frozenset({TriggerType.SWITCH, TriggerType.KEY, TriggerType.PICKUP})


@dataclass(frozen=True, slots=True)
class Rules:
    """How the lists of a level are to be read, where toolchains differ.

    Attributes:
        trng: the level has a TRNG footer: flipeffects and actions of type 11 carry an extra word too.
        always_extra: the extra word of a camera follows even where the action's word is marked as the
            last one. Otherwise such a word stands alone, as in the flybys of the TRLE's converter.
    """

    trng: bool = False
    always_extra: bool = False

    @property
    def extra_types(self) -> frozenset[int]:
        """Return the types of actions that carry an extra word."""
        return _EXTRA_TRNG if self.trng else _EXTRA


_EXTRA = frozenset({int(ActionType.CAMERA), int(ActionType.FLYBY)})
_EXTRA_TRNG = _EXTRA | {int(ActionType.FLIPEFFECT), int(ActionType.CLEAR_BODIES)}
RETAIL_RULES = Rules()


_MARKS: dict[int, type[Death] | type[MonkeySwing] | type[Deferred] | type[Beetle]] = {
    FunctionType.DEATH: Death,
    FunctionType.MONKEY_SWING: MonkeySwing,
    FunctionType.DEFERRED: Deferred,
    FunctionType.BEETLE: Beetle,
}
_MARK_FUNCTIONS: dict[type, int] = {kind: function for function, kind in _MARKS.items()}
_WITHOUT_OPERAND = frozenset({int(FunctionType.CLIMB), *(int(f) for f in _MARKS)})


class Role(IntEnum):
    """What a word of floor data is."""

    UNKNOWN = 0
    FUNCTION = 1
    OPERAND = 2
    SETUP = 3
    REFERENCE = 4
    ACTION = 5
    EXTRA = 6
    UNCERTAIN_ACTION = 7  # TRNG: a number that may name an entity, depending on plugins


# As plain numbers, since there are tens of thousands of words.
_FUNCTION, _OPERAND, _TRIGGER = int(Role.FUNCTION), int(Role.OPERAND), int(FunctionType.TRIGGER)
_WITH_OPERAND = frozenset(range(1, FunctionType.TRIANGULATION_LAST + 1)) - _WITHOUT_OPERAND - {_TRIGGER}


def _scan(words: Sequence[int], start: int, rules: Rules, roles: list[int]) -> int:
    """Give the words of one list their roles and return where the list ends. This is the grammar.

    Lists are chains of which each link says where the next one is, hence a loop over their words.
    """
    here = start
    try:
        while True:
            word = words[here]
            roles[here] = _FUNCTION
            here += 1
            function = word & 0x1F
            if function == _TRIGGER:
                here = _scan_trigger(words, here, word >> 8 & 0x7F, rules, roles)
            elif function in _WITH_OPERAND:
                roles[here] = _OPERAND
                here += 1
            elif function not in _WITHOUT_OPERAND:
                raise _error(start, "functions of 1 to 21", str(function))
            if word & END:
                return here
    except IndexError:
        raise _error(start, "a list that ends", "the end of the floor data") from None


def _scan_trigger(words: Sequence[int], here: int, kind: int, rules: Rules, roles: list[int]) -> int:
    """Give the words of a trigger after its first their roles and return where they end."""
    roles[here] = Role.SETUP
    here += 1
    word = words[here]
    # A pickup's reference is an ordinary action word; the other two are never read as actions.
    if kind in REFERRING_TRIGGERS and (kind != TriggerType.PICKUP or not word & 0x7C00):
        roles[here] = Role.REFERENCE
        here += 1
        if word & END:
            return here
    extra_types = rules.extra_types
    condition = rules.trng and kind == TriggerType.MONKEY
    while True:
        word = words[here]
        action = word >> 10 & 0x1F
        uncertain = (condition and action == ActionType.OBJECT) or (
            rules.trng and action == ActionType.CLEAR_BODIES
        )
        roles[here] = Role.UNCERTAIN_ACTION if uncertain else Role.ACTION
        here += 1
        if action in extra_types and (rules.always_extra or not word & END):
            word = words[here]
            roles[here] = Role.EXTRA
            here += 1
        if word & END:
            return here


def _error(start: int, expected: str, found: str) -> FormatError:
    return FormatError("floor_data", expected, found, element=start, offset=2 * start)


class FloorData(NamedTuple):
    """The lists of a level's floor data.

    Attributes:
        words: (n,) uint16, the array as it stands in the file.
        rules: how it was read.
        tiles: whether the lists follow one another from word 1 to the end without gap or overlap, and
            every sector's index is the start of one. Word 0 belongs to none.
        starts: (lists,) int64, ascending: the index of each list's first word.
        ends: (lists,) int64: one past its last word. A list that cannot be read ends where it starts.
        roles: (n,) uint8, a :class:`Role` per word; all unknown where the lists do not tile.
    """

    words: NDArray[np.uint16]
    rules: Rules
    tiles: bool
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    roles: NDArray[np.uint8]


def parse(words: ArrayLike, sectors: Sequence[NDArray[np.uint16]] = (), *, trng: bool = False) -> FloorData:
    """Find all lists of a level's floor data.

    Args:
        words: (n,) uint16, the level's floor data.
        sectors: per room an array of any shape of its sectors' ``floor_data`` indices.
        trng: whether the level has a TRNG footer.

    Returns:
        The lists. Where the array is no gapless row of lists, those that sectors point at.

    Raises:
        FormatError: where a sector points behind the end of the array, or lists share so many words that
            reading all of them would not end.
    """
    array = np.ascontiguousarray(words, dtype=np.uint16)
    used = _used_starts(sectors)
    if used.size and used[-1] >= len(array):
        raise _error(int(used[-1]), f"an index below {len(array)}", str(int(used[-1])))
    numbers = array.tolist()
    for rules in (Rules(trng), Rules(trng, always_extra=True)):
        roles = [0] * len(numbers)
        starts = []
        here = 1
        try:
            while here < len(numbers):
                starts.append(here)
                here = _scan(numbers, here, rules, roles)
        except FormatError:
            continue
        found = np.array(starts, dtype=np.int64)
        if np.isin(used, found).all():
            ends = np.append(found[1:], len(array))[: len(found)]
            return FloorData(array, rules, True, found, ends, np.array(roles, dtype=np.uint8))
    rules = Rules(trng)
    roles = [0] * len(numbers)
    ends = np.array(_ends(numbers, used.tolist(), rules, roles), dtype=np.int64)
    return FloorData(array, rules, False, used, ends, np.zeros(len(array), dtype=np.uint8))


# Tools that pack lists let some end within others: their words may be so many times those that there are.
_MOST_SHARING = 4
# Where lists do not follow one another, one that has not ended after so many words is none; and after so
# many words that were read in vain, the array holds something else than lists.
_LONGEST = 4096
_MOST_IN_VAIN = 1 << 20


def _ends(numbers: list[int], starts: list[int], rules: Rules, roles: list[int]) -> list[int]:
    """Return where the lists end that begin at the starts; one that cannot be read ends where it starts."""
    ends = []
    left, in_vain = _MOST_SHARING * len(numbers), _MOST_IN_VAIN
    for start in starts:
        window = numbers[start : start + _LONGEST]
        end = start + _end_or_start(window, 0, rules, roles)
        left -= end - start
        if end == start:
            in_vain -= len(window)
        if left < 0 or in_vain < 0:
            raise _error(start, f"lists that share the {len(numbers)} words more sparingly", "too many words")
        ends.append(end)
    return ends


def _used_starts(sectors: Sequence[NDArray[np.uint16]]) -> NDArray[np.int64]:
    if not sectors:
        return np.zeros(0, dtype=np.int64)
    used = np.unique(np.concatenate([np.asarray(indices).ravel() for indices in sectors]).astype(np.int64))
    return used[used != 0]


def _end_or_start(words: Sequence[int], start: int, rules: Rules, roles: list[int]) -> int:
    try:
        return _scan(words, start, rules, roles)
    except FormatError:
        return start


def list_roles(data: FloorData, number: int) -> NDArray[np.uint8]:
    """Return the :class:`Role` of every word of one list, given its number; none where it is unreadable."""
    start, end = int(data.starts[number]), int(data.ends[number])
    roles = [0] * (end - start)
    if roles:
        _scan(data.words[start:end].tolist(), 0, data.rules, roles)
    return np.array(roles, dtype=np.uint8)


def word_roles(words: Sequence[int], rules: Rules = RETAIL_RULES) -> list[int]:
    """Return the :class:`Role` of every word of one list that :func:`encode` made."""
    roles = [0] * len(words)
    if words:
        _scan(words, 0, rules, roles)
    return roles


def decode(words: ArrayLike, start: int, rules: Rules = RETAIL_RULES) -> Functions:
    """Turn the list that begins at a sector's index into functions (chapter 4.4).

    Args:
        words: (n,) uint16, the level's floor data.
        start: the sector's ``floor_data``; 0 has no functions.
        rules: how to read it, from :func:`parse`.

    Raises:
        FormatError: where the list runs behind the end of the array or holds an unknown function. Its
            ``offset`` counts from the start of the array.
    """
    if start == 0:
        return ()
    array = np.asarray(words, dtype=np.uint16)
    if not 0 < start < len(array):
        raise _error(start, f"an index below {len(array)}", str(start))
    for length in (_USUAL_LENGTH, len(array)):
        numbers = array[start : start + length].tolist()
        roles = [0] * len(numbers)
        try:
            end = _scan(numbers, 0, rules, roles)
        except FormatError as error:
            failure = _error(start, error.expected, error.found)
        else:
            return tuple(_functions(numbers[:end], roles))
    raise failure


_USUAL_LENGTH = 256  # so that decoding one list copies the rest of the array for giants only


def decode_all(data: FloorData) -> list[Functions]:
    """Return the functions of every list of ``data.starts``; none for lists that cannot be read."""
    if data.tiles:  # the roles of all words are known already
        words, roles = data.words.tolist(), data.roles.tolist()
        found: list[Functions] = []
        # Many lists are alike, and so are what they say: the words alone decide about their roles.
        known: dict[tuple[int, ...], Functions] = {}
        for start, end in zip(data.starts.tolist(), data.ends.tolist(), strict=True):
            alike = tuple(words[start:end])
            functions = known.get(alike)
            if functions is None:
                functions = known[alike] = tuple(_functions(alike, roles[start:end]))
            found.append(functions)
        return found
    lists = []
    for start, end in zip(data.starts.tolist(), data.ends.tolist(), strict=True):
        lists.append(decode(data.words[:end], start, data.rules) if end > start else ())
    return lists


def _functions(words: Sequence[int], roles: Sequence[int]) -> Iterator[Function]:
    firsts = [place for place, role in enumerate(roles[: len(words)]) if role == Role.FUNCTION]
    for first, end in zip(firsts, [*firsts[1:], len(words)], strict=True):
        yield _function(words[first:end], roles[first:end])


def _function(words: Sequence[int], roles: Sequence[int]) -> Function:
    word = words[0]
    function = word & 0x1F
    rest = word & 0x7FE0
    if function == FunctionType.PORTAL:
        return Portal(words[1], rest)
    if function in (FunctionType.FLOOR_SLANT, FunctionType.CEILING_SLANT):
        x, z = _signed(words[1] & 0xFF, 8), _signed(words[1] >> 8, 8)
        return Slant(function == FunctionType.CEILING_SLANT, x, z, rest)
    if function == FunctionType.TRIGGER:
        return _trigger(words, roles)
    if function == FunctionType.CLIMB:
        return Climb(word >> 8 & 0xF, word & 0x70E0)
    if function in _MARKS:
        return _MARKS[function](rest)
    corners = words[1]
    return Triangulation(
        function,
        _signed(word >> 5 & 0x1F, 5),
        _signed(word >> 10 & 0x1F, 5),
        (corners & 0xF, corners >> 4 & 0xF, corners >> 8 & 0xF, corners >> 12),
    )


def _trigger(words: Sequence[int], roles: Sequence[int]) -> Trigger:
    setup = words[1]
    reference = words[2] if roles[2] == Role.REFERENCE else None
    actions: list[Action] = []
    here = 2 if reference is None else 3
    while here < len(words):
        word = words[here]
        extra = here + 1 < len(words) and roles[here + 1] == Role.EXTRA
        actions.append(
            Action(
                word >> 10 & 0x1F,
                word & 0x3FF,
                words[here + 1] & 0x7FFF if extra else None,
                bool(extra and word & END),
            )
        )
        here += 2 if extra else 1
    return Trigger(
        type=words[0] >> 8 & 0x7F,
        timer=setup & 0xFF,
        one_shot=bool(setup & 0x100),
        mask=setup >> 9 & 0x1F,
        reference=None if reference is None else reference & 0x3FF,
        actions=tuple(actions),
        rest=words[0] & 0x00E0,
        setup_rest=setup >> 14,
        reference_rest=0 if reference is None else reference >> 10 & 0x1F,
    )


def encode(functions: Sequence[Function], rules: Rules = RETAIL_RULES) -> list[int]:
    """Turn functions into the words of one list; no functions make no words.

    An extra word that an action of this type needs, but lacks, is made of zero bits unless the action is
    the last one of its trigger.

    Raises:
        ExportError: where a number does not fit its bits, or a trigger has nothing to do.
    """
    words: list[int] = []
    for place, function in enumerate(functions):
        first = len(words)
        _encode_function(function, rules, words)
        if place == len(functions) - 1:
            words[first] |= END
    return words


def _encode_function(function: Function, rules: Rules, words: list[int]) -> None:
    if isinstance(function, Trigger):
        _encode_trigger(function, rules, words)
    elif isinstance(function, Portal):
        words += (function.rest | FunctionType.PORTAL, _bits(function.room, 16, "the room of a portal"))
    elif isinstance(function, Slant):
        kind = FunctionType.CEILING_SLANT if function.ceiling else FunctionType.FLOOR_SLANT
        slopes = _signed_bits(function.x, 8, "the slope of a slant"), _signed_bits(function.z, 8, "a slope")
        words += (function.rest | kind, slopes[0] | slopes[1] << 8)
    elif isinstance(function, Triangulation):
        if not FunctionType.TRIANGULATION_FIRST <= function.function <= FunctionType.TRIANGULATION_LAST:
            raise ExportError("floor data", "no such triangulation", count=function.function)
        shift_x = _signed_bits(function.height_x, 5, "the height of a triangle")
        shift_other = _signed_bits(function.height_other, 5, "the height of a triangle")
        nibbles = [_bits(corner, 4, "the height of a corner") for corner in function.corners]
        words.append(function.function | shift_x << 5 | shift_other << 10)
        words.append(nibbles[0] | nibbles[1] << 4 | nibbles[2] << 8 | nibbles[3] << 12)
    elif isinstance(function, Climb):
        directions = _bits(function.directions, 4, "the directions of a climbable wall")
        words.append(function.rest | directions << 8 | FunctionType.CLIMB)
    else:
        words.append(function.rest | _MARK_FUNCTIONS[type(function)])


def _encode_trigger(trigger: Trigger, rules: Rules, words: list[int]) -> None:
    if trigger.reference is None and not trigger.actions:
        raise ExportError("floor data", "a trigger has no actions")
    words.append(_bits(trigger.type, 7, "the type of a trigger") << 8 | trigger.rest | FunctionType.TRIGGER)
    setup = _bits(trigger.timer, 8, "the timer of a trigger") | int(trigger.one_shot) << 8
    setup |= _bits(trigger.mask, 5, "the mask of a trigger") << 9 | trigger.setup_rest << 14
    words.append(setup)
    if trigger.reference is not None:
        words.append(_bits(trigger.reference, 10, "the entity of a trigger") | trigger.reference_rest << 10)
    for place, action in enumerate(trigger.actions):
        kind = _bits(action.type, 5, "the type of an action")
        word = _bits(action.parameter, 10, "the parameter of an action") | kind << 10
        extra = action.extra
        if extra is None and kind in rules.extra_types:
            extra = 0 if rules.always_extra or place < len(trigger.actions) - 1 else None
        words.append(word | END if action.stray_end and extra is not None else word)
        if extra is not None:
            words.append(_bits(extra, 15, "the extra word of an action"))
    words[-1] |= END


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 else value


def _bits(value: int, bits: int, what: str) -> int:
    limit = (1 << bits) - 1
    if not 0 <= value <= limit:
        raise ExportError("floor data", f"{what} is out of range", count=value, limit=limit)
    return int(value)


def _signed_bits(value: int, bits: int, what: str) -> int:
    limit = (1 << bits - 1) - 1
    if not -limit - 1 <= value <= limit:
        raise ExportError("floor data", f"{what} is out of range", count=value, limit=limit)
    return int(value) & (1 << bits) - 1
