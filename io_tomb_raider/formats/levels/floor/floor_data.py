"""Decoding floor data, the functions of sectors, and encoding it again.

Documentation, chapter 4. Floor data is one array of 16-bit words. A sector's ``floor_data`` is the index of
the first word of its list of functions; index 0 means no list. :func:`parse` finds the lists and the role of
every word, once for the whole array, using their :mod:`.grammar`. :func:`decode` converts one list to the
functions of :mod:`.functions`, which :func:`encode` converts back to the same words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.bytes.bits import signed, unsigned
from ...base.errors import ExportError
from ...base.messages import T, as_message
from .functions import (
    Action,
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
)
from .grammar import END, RETAIL_RULES, Grammar, Rules, WordRole, list_error

Functions = tuple[Function, ...]

PARAMETER_LIMIT = 0x3FF  # the highest number that an action can refer to
INDEX_LIMIT = 0xFFFF  # the highest index that a sector can hold


_MARKS: dict[int, type[Death] | type[MonkeySwing] | type[Deferred] | type[Beetle]] = {
    FunctionType.DEATH: Death,
    FunctionType.MONKEY_SWING: MonkeySwing,
    FunctionType.DEFERRED: Deferred,
    FunctionType.BEETLE: Beetle,
}
MARK_FUNCTIONS: dict[type, int] = {kind: function for function, kind in _MARKS.items()}


class ListRow(NamedTuple):
    """Concatenated lists."""

    words: NDArray[np.uint16]  #: (k,) uint16.
    roles: NDArray[np.uint8]  #: (k,) uint8, a :class:`.grammar.WordRole` per word.
    places: NDArray[np.int64]  #: (lists,) int64, ascending: the index in these words of each list's first.


class FloorData(NamedTuple):
    """The lists of a level's floor data."""

    words: NDArray[np.uint16]  #: (n,) uint16, the array of the file.
    rules: Rules  #: the rules by which it was parsed.
    #: whether the lists follow one another from word 1 to the end without gap or overlap, and every sector's
    #: index is the start of one. Word 0 belongs to none.
    tiles: bool
    starts: NDArray[np.int64]  #: (lists,) int64, ascending: the index of each list's first word.
    #: (lists,) int64: one past its last word. An unreadable list ends where it starts.
    ends: NDArray[np.int64]
    #: (n,) uint8, a :class:`.grammar.WordRole` per word; all unknown if the lists do not tile.
    roles: NDArray[np.uint8]
    row: ListRow  #: the lists concatenated: the array itself if they tile.


def parse(words: ArrayLike, sectors: Sequence[NDArray[np.uint16]] = (), *, trng: bool = False) -> FloorData:
    """Find all lists of a level's floor data.

    Args:
        words: (n,) uint16, the level's floor data.
        sectors: per room an array of any shape of its sectors' ``floor_data`` indices.

    Returns:
        The lists. If the lists do not tile the array, only those that sectors refer to.

    Raises:
        FormatError: if a sector's index is beyond the array, or lists share so many words that reading all of
            them would take too long.
    """
    array = np.ascontiguousarray(words, dtype=np.uint16)
    used = _used_starts(sectors)
    if used.size and used[-1] >= len(array):
        raise list_error(int(used[-1]), f"an index below {len(array)}", str(int(used[-1])))
    for rules in (Rules(trng), Rules(trng, always_extra=True)):
        grammar = Grammar(array, rules)
        functions = grammar.tiling(used)
        if functions is not None:
            starts, roles = grammar.list_starts(functions), grammar.roles(functions)
            ends = np.append(starts[1:], len(array))[: len(starts)]
            return FloorData(array, rules, True, starts, ends, roles, ListRow(array, roles, starts))
    rules = Rules(trng)
    ends = _ends(Grammar(array, rules), used)
    return FloorData(
        array, rules, False, used, ends, np.zeros(len(array), np.uint8), _in_a_row(array, used, ends, rules)
    )


# Tools that pack lists make some end within others: the limit of their words, as a multiple of the array.
_MOST_SHARING = 4
# If lists do not tile, one that has not ended after so many words is unreadable; after so many words without
# any list, the array is not floor data.
_LONGEST = 4096
_MOST_IN_VAIN = 1 << 20


def _ends(grammar: Grammar, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ends of the lists with these starts; an unreadable list ends where it starts."""
    count = len(grammar.words)
    ends = grammar.list_ends(starts)
    ends = np.where(ends - starts > _LONGEST, starts, ends)
    remaining = _MOST_SHARING * count - np.cumsum(ends - starts)
    unreadable = np.cumsum(np.where(ends == starts, np.minimum(count - starts, _LONGEST), 0))
    for start in starts[(remaining < 0) | (unreadable > _MOST_IN_VAIN)][:1].tolist():
        raise list_error(start, f"lists that share the {count} words more sparingly", "too many words")
    return ends


def _in_a_row(
    words: NDArray[np.uint16], starts: NDArray[np.int64], ends: NDArray[np.int64], rules: Rules
) -> ListRow:
    """Concatenate lists with these starts and ends; empty lists share the position of the next."""
    sizes = ends - starts
    row_starts = np.cumsum(sizes) - sizes
    row_words = words[np.repeat(starts - row_starts, sizes) + np.arange(sizes.sum())]
    grammar = Grammar(row_words, rules)
    return ListRow(row_words, grammar.roles(grammar.functions(row_starts[sizes > 0])), row_starts)


def _used_starts(sectors: Sequence[NDArray[np.uint16]]) -> NDArray[np.int64]:
    if not sectors:
        return np.zeros(0, dtype=np.int64)
    indices = np.concatenate([np.asarray(room_indices).ravel() for room_indices in sectors])
    is_used = np.zeros(int(indices.max(initial=0)) + 1, bool)
    is_used[indices] = True
    is_used[0] = False
    return np.flatnonzero(is_used)


def list_roles(data: FloorData, number: int) -> NDArray[np.uint8]:
    """Return the role of each word of one list by its index; none if it is unreadable."""
    start = data.row.places[number]
    return data.row.roles[start : start + data.ends[number] - data.starts[number]]


def word_roles(words: Sequence[int], rules: Rules = RETAIL_RULES) -> NDArray[np.uint8]:
    """Return the role of each word of one list that :func:`encode` made, (n,).

    Raises FormatError if it cannot be read again.
    """
    array = np.array(words, np.uint16)
    start = np.zeros(min(len(array), 1), np.int64)
    grammar = Grammar(array, rules)
    if (grammar.list_ends(start) == start).any():
        raise grammar.error(0)
    return grammar.roles(grammar.functions(start))


def decode(words: ArrayLike, start: int, rules: Rules = RETAIL_RULES) -> Functions:
    """Return the functions of the list that begins at a sector's index (chapter 4.4).

    Args:
        words: (n,) uint16, the level's floor data.
        start: the sector's ``floor_data``; 0 has no functions.
        rules: the rules from :func:`parse`.

    Raises:
        FormatError: if the list extends beyond the array or has an unknown function. Its ``offset`` counts
            from the start of the array.
    """
    if start == 0:
        return ()
    array = np.asarray(words, dtype=np.uint16)
    if not 0 < start < len(array):
        raise list_error(start, f"an index below {len(array)}", str(start))
    first = np.zeros(1, np.int64)
    for length in (_USUAL_LENGTH, len(array)):
        grammar = Grammar(array[start : start + length], rules)
        end = int(grammar.list_ends(first)[0])
        if end:
            roles = grammar.roles(grammar.functions(first))
            return tuple(_functions(grammar.words[:end].tolist(), roles[:end].tolist()))
    failure = grammar.error(0)
    raise list_error(start, failure.expected, failure.found)


_USUAL_LENGTH = 256  # so that decoding one list reads the rest of the array for giants only


def decode_all(data: FloorData) -> list[Functions]:
    """Return the functions of every list of ``data.starts``; none for unreadable lists."""
    return decode_lists(data, np.arange(len(data.starts)), {})


def decode_lists(
    data: FloorData, numbers: NDArray[np.int64], cache: dict[tuple[int, ...], Functions]
) -> list[Functions]:
    """Return the functions of some lists by index; none for unreadable lists.

    Args:
        numbers: (n,).
        cache: functions by words, which is extended. Equal words always have equal functions.
    """
    if not len(numbers):
        return []
    starts = data.row.places[numbers]
    ends = starts + data.ends[numbers] - data.starts[numbers]
    low, high = int(starts.min()), int(ends.max())
    words, roles = data.row.words[low:high].tolist(), data.row.roles[low:high].tolist()
    result: list[Functions] = []
    cache[()] = ()
    for first, end in zip((starts - low).tolist(), (ends - low).tolist(), strict=True):
        key = tuple(words[first:end])
        functions = cache.get(key)
        if functions is None:
            functions = cache[key] = tuple(_functions(key, roles[first:end]))
        result.append(functions)
    return result


def _functions(words: Sequence[int], roles: Sequence[int]) -> Iterator[Function]:
    firsts = [index for index, role in enumerate(roles[: len(words)]) if role == WordRole.FUNCTION]
    for first, end in zip(firsts, [*firsts[1:], len(words)], strict=True):
        yield _function(words[first:end], roles[first:end])


def _function(words: Sequence[int], roles: Sequence[int]) -> Function:
    word = words[0]
    function = word & 0x1F
    rest = word & 0x7FE0
    if function == FunctionType.PORTAL:
        return Portal(words[1], rest)
    if function in (FunctionType.FLOOR_SLANT, FunctionType.CEILING_SLANT):
        x, z = signed(words[1], 8), signed(words[1] >> 8, 8)
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
        signed(word >> 5, 5),
        signed(word >> 10, 5),
        (corners & 0xF, corners >> 4 & 0xF, corners >> 8 & 0xF, corners >> 12),
    )


def _trigger(words: Sequence[int], roles: Sequence[int]) -> Trigger:
    setup = words[1]
    reference = words[2] if roles[2] == WordRole.REFERENCE else None
    actions: list[Action] = []
    index = 2 if reference is None else 3
    while index < len(words):
        word = words[index]
        extra = index + 1 < len(words) and roles[index + 1] == WordRole.EXTRA
        actions.append(
            Action(
                word >> 10 & 0x1F,
                word & 0x3FF,
                words[index + 1] & 0x7FFF if extra else None,
                bool(extra and word & END),
            )
        )
        index += 2 if extra else 1
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
    """Return functions as the words of one list; no functions give no words.

    An action whose type requires an extra word but lacks one gets a zero word, unless it is the last of its
    trigger. Raises ExportError if a number does not fit its bits, or a trigger has no actions.
    """
    words: list[int] = []
    for index, function in enumerate(functions):
        first = len(words)
        _encode_function(function, rules, words)
        if index == len(functions) - 1:
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
            raise ExportError(T("floor data"), T("no such triangulation"), count=function.function)
        shift_x = _signed_bits(function.height_x, 5, "the height of a triangle")
        shift_other = _signed_bits(function.height_other, 5, "the height of a triangle")
        nibbles = [_bits(corner, 4, "the height of a corner") for corner in function.corners]
        words.append(function.function | shift_x << 5 | shift_other << 10)
        words.append(nibbles[0] | nibbles[1] << 4 | nibbles[2] << 8 | nibbles[3] << 12)
    elif isinstance(function, Climb):
        directions = _bits(function.directions, 4, "the directions of a climbable wall")
        words.append(function.rest | directions << 8 | FunctionType.CLIMB)
    else:
        words.append(function.rest | MARK_FUNCTIONS[type(function)])


def _encode_trigger(trigger: Trigger, rules: Rules, words: list[int]) -> None:
    if trigger.reference is None and not trigger.actions:
        raise ExportError(T("floor data"), T("a trigger has no actions"))
    rest = _bits(trigger.rest >> 5, 3, "the rest of a trigger") << 5
    words.append(_bits(trigger.type, 7, "the type of a trigger") << 8 | rest | FunctionType.TRIGGER)
    setup = _bits(trigger.timer, 8, "the timer of a trigger") | int(trigger.one_shot) << 8
    setup |= _bits(trigger.mask, 5, "the mask of a trigger") << 9
    setup |= _bits(trigger.setup_rest, 2, "the rest of a trigger's setup") << 14
    words.append(setup)
    if trigger.reference is not None:
        rest = _bits(trigger.reference_rest, 5, "the rest of a trigger's entity") << 10
        words.append(_bits(trigger.reference, 10, "the entity of a trigger") | rest)
    for index, action in enumerate(trigger.actions):
        kind = _bits(action.type, 5, "the type of an action")
        word = _bits(action.parameter, 10, "the parameter of an action") | kind << 10
        extra = action.extra
        if extra is None and kind in rules.extra_types:
            extra = 0 if rules.always_extra or index < len(trigger.actions) - 1 else None
        words.append(word | END if action.stray_end and extra is not None else word)
        if extra is not None:
            words.append(_bits(extra, 15, "the extra word of an action"))
    words[-1] |= END


def _bits(value: int, bits: int, what: str) -> int:
    return _fit(value, 0, (1 << bits) - 1, what)


def _signed_bits(value: int, bits: int, what: str) -> int:
    half = 1 << bits - 1
    return unsigned(_fit(value, -half, half - 1, what), bits)


def _fit(value: int, low: int, high: int, what: str) -> int:
    if not low <= value <= high:
        problem = T("{what} is out of range", what=as_message(what))
        raise ExportError(T("floor data"), problem, count=value, limit=high)
    return int(value)
