"""Floor data: reading of whole arrays compared with reading word by word (documentation, chapter 4)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import FormatError
from io_tomb_raider.formats.levels.floor.columns import columns_of, columns_of_row
from io_tomb_raider.formats.levels.floor.floor_data import decode, decode_all, encode, list_roles, parse
from io_tomb_raider.formats.levels.floor.functions import Function, Portal, Trigger
from io_tomb_raider.formats.levels.floor.grammar import Grammar, Rules, WordRole
from io_tomb_raider.formats.levels.floor.lists import FloorLists

from .reference import Walked, walk, walk_all
from .samples import lists

ALL_RULES = [Rules(trng, always) for trng in (False, True) for always in (False, True)]
# Typical words of lists: existing functions, triggers of all kinds, actions with extra words, ends.
TYPICAL = st.builds(
    lambda end, kind, low: end | kind | low,
    st.sampled_from([0, 0, 0x8000]),
    st.integers(0, 0x7F).map(lambda kind: kind << 8),
    st.sampled_from([0x04, 0x04, 0x01, 0x02, 0x05, 0x07, 0x12, 0x15, 0x16, 0x00]),
)
ACTIONS = st.sampled_from([kind << 10 | end for kind in (0, 1, 2, 9, 11, 12) for end in (0, 0x8000)])
WORDS = st.lists(st.integers(0, 0xFFFF) | TYPICAL | ACTIONS, max_size=40)


@st.composite
def arrays(draw: st.DrawFn) -> tuple[list[int], list[int], bool]:
    """Draw words, sectors' indices and whether the level is of TRNG: whole lists, some damaged."""
    rules = draw(st.sampled_from(ALL_RULES))
    words, starts = [0], [0]
    for one in draw(st.lists(lists(rules), max_size=6)):
        starts.append(len(words))
        words += encode(one, rules)
        if not draw(st.integers(0, 7)):
            words += draw(WORDS)  # a gap
    for place in draw(st.lists(st.integers(0, len(words) - 1), max_size=2)):
        words[place] ^= draw(st.sampled_from([0x8000, 0x0001, 0x0400, 0x0004, 0xFFFF]))
    words = words[: draw(st.sampled_from([None, None, -1, -2]))]
    sectors = draw(st.lists(st.sampled_from(starts) | st.integers(0, len(words) + 1), max_size=8))
    return words, sectors, rules.trng


def outcome(read: Callable[[], object]) -> object:
    """Return the result of a reading, or the text of its error."""
    try:
        return read()
    except FormatError as error:
        return error.section, error.element, error.offset, error.expected, error.found


def parsed(words: list[int], sectors: list[int], trng: bool) -> Walked:
    data = parse(words, [np.array(sectors, np.uint16)], trng=trng)
    roles = [list_roles(data, number).tolist() for number in range(len(data.starts))]
    assert len(data.roles) == len(words)
    assert data.roles.tolist()[1:] == (list(chain(*roles)) if data.tiles else [0] * (len(words) - 1))
    assert not data.roles[:1].any()
    return Walked(data.rules, data.tiles, data.starts.tolist(), data.ends.tolist(), roles)


@given(arrays())
def test_lists_are_those_of_a_walk(array: tuple[list[int], list[int], bool]) -> None:
    assert outcome(lambda: parsed(*array)) == outcome(lambda: walk_all(*array))


@given(WORDS, st.lists(st.integers(0, 40), max_size=12), st.booleans())
def test_lists_of_any_words_are_those_of_a_walk(words: list[int], sectors: list[int], trng: bool) -> None:
    assert outcome(lambda: parsed(words, sectors, trng)) == outcome(lambda: walk_all(words, sectors, trng))


@given(WORDS, st.sampled_from(ALL_RULES))
def test_lists_from_any_word_equal_those_of_a_reference_decoder(words: list[int], rules: Rules) -> None:
    array = np.array(words, np.uint16)
    grammar = Grammar(array, rules)
    ends = grammar.list_ends(np.arange(len(words)))
    for start in range(len(words)):
        found = outcome(lambda start=start: walk(words, start, rules))  # type: ignore[misc]
        if isinstance(found, list):
            assert ends[start] == start + len(found)
            roles = grammar.roles(grammar.functions(np.array([start])))
            assert roles[start : ends[start]].tolist() == found
        else:
            assert ends[start] == start
            assert outcome(lambda start=start: decode(array, start, rules)) in (found, ())  # type: ignore[misc]


@given(arrays())
def test_lists_are_the_same_together_and_one_by_one(array: tuple[list[int], list[int], bool]) -> None:
    words, sectors, trng = array
    try:
        data = parse(words, [np.array(sectors, np.uint16)], trng=trng)
    except FormatError:
        return
    floor, together = FloorLists(data), decode_all(data)
    for number, (start, end) in enumerate(zip(data.starts.tolist(), data.ends.tolist(), strict=True)):
        alone = decode(data.words[:end], start, data.rules) if end > start else ()
        assert together[number] == floor.lists[start] == alone
    assert dict(floor.lists) == {0: (), **dict(zip(data.starts.tolist(), together, strict=True))}


@given(arrays())
def test_columns_equal_the_values_of_functions(array: tuple[list[int], list[int], bool]) -> None:
    words, sectors, trng = array
    try:
        data = parse(words, [np.array(sectors, np.uint16)], trng=trng)
    except FormatError:
        return
    found, wanted = columns_of_row(data.row), columns_of(decode_all(data))
    for name in vars(found):
        one, other = getattr(found, name), getattr(wanted, name)
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert np.array_equal(one, other)


@given(st.lists(lists(), max_size=6))
def test_triggers_and_walls_of_lists_equal_those_of_functions(all_lists: list[list[Function]]) -> None:
    words, starts = [0], [0]
    for one in all_lists:
        starts.append(len(words))
        words += encode(one)
    indices = np.array(starts * 2, np.uint16)
    floor = FloorLists(parse(words, [indices]))
    has_triggers = [any(isinstance(function, Trigger) for function in one) for one in all_lists]
    assert floor.has_triggers(indices).tolist() == [False, *has_triggers] * 2
    assert floor.with_triggers() == [
        tuple(one) for one, has in zip(all_lists, has_triggers, strict=True) if has
    ]
    leads = [[-1, *(each.room for each in one if isinstance(each, Portal))][-1] for one in all_lists]
    assert floor.walls(indices).tolist() == [-1, *leads] * 2


def test_an_index_of_no_list_is_refused() -> None:
    floor = FloorLists(parse([0, 0x8005, 0x8013]))
    assert len(floor.lists) == 3
    with pytest.raises(KeyError, match="3"):
        floor.lists[3]
    with pytest.raises(KeyError, match="7"):
        floor.numbered(np.array([1, 7], np.uint16))


def test_equal_lists_are_the_same_object() -> None:
    floor = FloorLists(parse([0, 0x8005, 0x8013, 0x8005]))
    first, other, again = floor.of(np.array([1, 2, 3], np.uint16))
    assert first is again
    assert other is not first


@pytest.mark.parametrize("rules", ALL_RULES)
@pytest.mark.parametrize(("function", "size"), [(0x0005, 1), (0x0001, 2), (0x0004, 0)])
def test_chains_as_long_as_the_array_are_followed_at_once(rules: Rules, function: int, size: int) -> None:
    count = 1 << 18
    words = np.full(count, function, np.uint16)  # marks, portals, or a trigger with all the rest as actions
    words[-2:] = 0x8005
    grammar = Grammar(words, rules)
    wanted = [count - 1 + place % size if size else count for place in range(100)]
    assert grammar.list_ends(np.arange(100)).tolist() == wanted
    functions = grammar.functions(np.zeros(1, np.int64))
    assert len(functions) == ((count - 2) // size + 1 if size else 2)
    roles, counts = np.unique(grammar.roles(functions), return_counts=True)
    wanted_roles = {
        1: {WordRole.UNKNOWN: 1, WordRole.FUNCTION: count - 1},
        2: {WordRole.UNKNOWN: 1, WordRole.FUNCTION: count // 2, WordRole.OPERAND: count // 2 - 1},
        0: {WordRole.FUNCTION: 2, WordRole.SETUP: 1, WordRole.ACTION: count - 3},
    }
    assert dict(zip(roles.tolist(), counts.tolist(), strict=True)) == wanted_roles[size]
