"""Conversion of floor data lists to functions, and back (documentation, chapter 4)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, FormatError
from io_tomb_raider.formats.levels.floor.floor_data import decode, decode_all, encode, list_roles, parse
from io_tomb_raider.formats.levels.floor.functions import (
    Action,
    ActionType,
    Beetle,
    Climb,
    Death,
    Deferred,
    Function,
    MonkeySwing,
    Portal,
    Slant,
    Triangulation,
    Trigger,
    TriggerType,
)
from io_tomb_raider.formats.levels.floor.grammar import Rules, WordRole

from .samples import TRNG, lists


def packed_lists(all_lists: list[list[Function]], rules: Rules = Rules()) -> tuple[list[int], list[int]]:  # noqa: B008
    """Return an array of lists, and where they start."""
    words, starts = [0], []
    for one in all_lists:
        starts.append(len(words))
        words += encode(one, rules)
    return words, starts


@pytest.mark.parametrize("rules", [Rules(), TRNG, Rules(always_extra=True)])
@given(data=st.data())
def test_functions_round_trip(rules: Rules, data: st.DataObject) -> None:
    written = data.draw(lists(rules))
    words = [7, *encode(written, rules), 9]
    assert decode(words, 1, rules) == tuple(written)


@given(st.lists(lists(TRNG), max_size=6))
def test_lists_of_an_array_are_found_and_written_the_same(all_lists: list[list[Function]]) -> None:
    words, starts = packed_lists(all_lists, TRNG)
    data = parse(words, [np.array(starts, dtype=np.uint16)], trng=True)
    assert data.tiles
    assert data.starts.tolist() == starts
    assert decode_all(data) == [tuple(one) for one in all_lists]
    again = [0]
    for one in decode_all(data):
        again += encode(one, data.rules)
    assert again == words


@given(st.lists(st.integers(0, 0xFFFF), max_size=60), st.integers(0, 70), st.booleans())
def test_any_words_round_trip_or_are_refused(words: list[int], start: int, trng: bool) -> None:
    rules = Rules(trng)
    try:
        found = decode(words, start, rules)
    except FormatError as error:
        assert error.section == "floor_data"
        assert error.element == start
        assert error.offset == 2 * start
    else:
        again = encode(found, rules)
        assert again == (words[start : start + len(again)] if start else [])


@given(st.lists(st.integers(0, 0xFFFF), max_size=60), st.lists(st.integers(0, 59), max_size=4))
def test_any_array_is_parsed(words: list[int], used: list[int]) -> None:
    if max(used, default=0) >= len(words):
        if any(used):
            with pytest.raises(FormatError):
                parse(words, [np.array(used, dtype=np.uint16)])
        return
    data = parse(words, [np.array(used, dtype=np.uint16)])
    assert set(used) - {0} <= set(data.starts.tolist())
    if data.tiles:
        assert int((data.ends - data.starts).sum()) == max(len(words) - 1, 0)
        assert all(data.roles[1:])
    for number, (start, end) in enumerate(zip(data.starts.tolist(), data.ends.tolist(), strict=True)):
        assert len(list_roles(data, number)) == end - start
        if end > start:
            assert len(encode(decode(words, start, data.rules), data.rules)) == end - start


def test_every_function_of_the_documentation() -> None:
    words = [0, 0x0001, 0x0105, 0x0002, 0xFF02, 0x0003, 0x01FE, 0x0906, 0x0005, 0x0013, 0x0014, 0x8015]
    assert decode(words, 1) == (
        Portal(0x0105),
        Slant(ceiling=False, x=2, z=-1),
        Slant(ceiling=True, x=-2, z=1),
        Climb(9),
        Death(),
        MonkeySwing(),
        Deferred(),
        Beetle(),
    )


def test_shapes_of_triangulations_are_decoded() -> None:
    # A floor: +x triangle two steps up, the other one down; the corner (+x, -z) three steps.
    assert decode([0, 0x800B | 0x1E << 5 | 1 << 10, 0x0003], 1) == (Triangulation(11, -2, 1, (3, 0, 0, 0)),)
    shapes = {f: Triangulation(f, 0, 0, (0, 0, 0, 0)) for f in range(7, 19)}
    assert [f for f, shape in shapes.items() if shape.ceiling] == [0x09, 0x0A, 0x0F, 0x10, 0x11, 0x12]
    assert [f for f, shape in shapes.items() if shape.rising] == [0x08, 0x0A, 0x0D, 0x0E, 0x11, 0x12]


def test_triggers_of_a_switch_name_the_switch_first() -> None:
    # Switch 5 (timer 3, one shot, full mask) opens 17, looks at 2 with camera 1 for 4 seconds, once.
    words = [0, 0x8204, 0x3F03, 0x0005, 0x0011, 0x1802, 0x0401, 0x8104]
    (trigger,) = decode(words, 1)
    assert trigger == Trigger(
        TriggerType.SWITCH,
        timer=3,
        one_shot=True,
        mask=31,
        reference=5,
        actions=(
            Action(ActionType.OBJECT, 17),
            Action(ActionType.LOOK_AT, 2),
            Action(ActionType.CAMERA, 1, extra=0x0104),
        ),
    )
    assert encode([trigger]) == words[1:]


def test_the_reference_may_be_all_that_a_key_trigger_has() -> None:
    assert decode([0, 0x8304, 0x3E00, 0x8007], 1) == (Trigger(TriggerType.KEY, reference=7),)


def test_a_flyby_that_ends_its_list_has_no_extra_word() -> None:
    words = [0, 0x8004, 0x3E00, 0xB002, 0x8005]  # flyby 2, and directly after it the next sector's list
    data = parse(words, [np.array([1, 4])])
    assert data.tiles
    assert decode_all(data) == [(Trigger(0, actions=(Action(ActionType.FLYBY, 2),)),), (Death(),)]


def test_an_array_that_always_has_extra_words_is_recognized() -> None:
    words = [0, 0x8004, 0x3E00, 0xB002, 0x8100, 0x8005]
    data = parse(words, [np.array([1, 5])])
    assert data.tiles
    assert data.rules.always_extra
    assert decode(words, 1, data.rules) == (
        Trigger(0, actions=(Action(ActionType.FLYBY, 2, 0x100, stray_end=True),)),
    )


def test_trng_gives_flipeffects_an_extra_word() -> None:
    words = [0, 0x8504, 0x3F00, 0x2460, 0x8001]
    data = parse(words, trng=True)
    assert data.tiles
    effect = Action(ActionType.FLIPEFFECT, 96, extra=1)
    assert decode_all(data) == [(Trigger(TriggerType.HEAVY, one_shot=True, actions=(effect,)),)]
    plain = decode(words, 1)[0]
    assert isinstance(plain, Trigger)
    assert plain.actions == (Action(ActionType.FLIPEFFECT, 96), Action(ActionType.OBJECT, 1))


def test_trng_conditions_hold_numbers_that_may_be_anything() -> None:
    data = parse([0, 0x8C04, 0x3E00, 0x8011], trng=True)
    assert data.roles.tolist() == [
        WordRole.UNKNOWN,
        WordRole.FUNCTION,
        WordRole.SETUP,
        WordRole.UNCERTAIN_ACTION,
    ]


def test_arrays_with_gaps_keep_the_lists_that_sectors_use() -> None:
    words = [0, 0x8005, 0x0000, 0x8013]  # an invalid function between two lists
    data = parse(words, [np.array([[1, 0], [3, 3]])])
    assert not data.tiles
    assert data.starts.tolist() == [1, 3]
    assert decode_all(data) == [(Death(),), (MonkeySwing(),)]


def test_lists_that_overlap_do_not_tile_the_floor_data() -> None:
    words = [0, 0x0001, 0x8005]  # a portal to room 0x8005 for one sector, death for the other
    data = parse([*words, 0x8013], [np.array([1, 2, 3])])
    assert not data.tiles
    assert decode(words, 2) == (Death(),)


@pytest.mark.parametrize(
    ("words", "start"),
    [
        ([0], 1),  # beyond the end
        ([0, 0x0005], 1),  # the last function is missing
        ([0, 0x8001], 1),  # a portal without its room
        ([0, 0x8004, 0x3E00], 1),  # a trigger without actions
        ([0, 0x8004, 0x3E00, 0x0401], 1),  # a camera without its extra word
        ([0, 0x8016], 1),  # no such function
        ([0, 0x8000], 1),
    ],
)
def test_broken_lists_are_refused(words: list[int], start: int) -> None:
    with pytest.raises(FormatError) as caught:
        decode(words, start)
    assert (caught.value.section, caught.value.element) == ("floor_data", start)


def test_lists_longer_than_usual_decode() -> None:
    functions_ = [Death()] * 1000
    assert decode([0, *encode(functions_)], 1) == tuple(functions_)


def test_sectors_that_point_behind_the_end_are_refused() -> None:
    with pytest.raises(FormatError) as caught:
        parse([0, 0x8005], [np.array([1, 9])])
    assert caught.value.element == 9


@pytest.mark.parametrize(
    "function",
    [
        Trigger(0),
        Trigger(0, timer=256, actions=(Action(0, 1),)),
        Trigger(0, mask=32, actions=(Action(0, 1),)),
        Trigger(0, actions=(Action(0, 1024),)),
        Trigger(0, actions=(Action(32, 0),)),
        Trigger(2, reference=1024),
        Slant(False, 128, 0),
        Portal(65536),
        Climb(16),
        Triangulation(6, 0, 0, (0, 0, 0, 0)),
        Triangulation(7, 16, 0, (0, 0, 0, 0)),
        Triangulation(7, 0, 0, (0, 16, 0, 0)),
    ],
)
def test_values_that_do_not_fit_are_an_error(function: Function) -> None:
    with pytest.raises(ExportError):
        encode([function])


def test_a_camera_in_the_middle_gets_the_extra_word_that_games_read() -> None:
    trigger = Trigger(0, actions=(Action(ActionType.CAMERA, 3), Action(ActionType.OBJECT, 4)))
    assert encode([trigger]) == [0x8004, 0x3E00, 0x0403, 0x0000, 0x8004]
