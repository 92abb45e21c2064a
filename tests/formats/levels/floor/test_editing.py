"""Renumbering, replacing and rewriting floor data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, Level, read_level
from io_tomb_raider.formats.levels.floor.editing import EditedFloor, edit, find_references, in_order, rebuild
from io_tomb_raider.formats.levels.floor.floor_data import FloorData, decode, encode, parse
from io_tomb_raider.formats.levels.floor.functions import (
    Action,
    ActionType,
    Climb,
    Death,
    Function,
    MonkeySwing,
    Portal,
    Slant,
    Triangulation,
    Trigger,
    TriggerType,
)
from io_tomb_raider.formats.levels.floor.remapping import remap

from ....real_levels import each_real_level
from .samples import lists

Sectors = list[NDArray[np.uint16]]
ENTITIES = 6  # the number in the levels of these tests
CAMERAS = 4

small_actions = st.one_of(
    st.builds(Action, st.sampled_from([0, 6, 8, 13]), st.integers(0, 7)),
    st.builds(Action, st.sampled_from([1, 12]), st.integers(0, 5), st.integers(0, 0x1FF)),
    st.builds(Action, st.just(2), st.integers(0, 5)),
)


@st.composite
def small_triggers(draw: st.DrawFn) -> Trigger:
    kind = draw(st.sampled_from([0, 1, 2, 3, 4, 5]))
    refers = kind in (2, 3, 4)
    return Trigger(
        kind,
        reference=draw(st.integers(0, 7)) if refers else None,
        actions=tuple(draw(st.lists(small_actions, min_size=0 if refers else 1, max_size=4))),
    )


small_lists = st.lists(
    st.one_of(small_triggers(), st.builds(Death), st.builds(Portal, st.integers(0, 9))),
    min_size=1,
    max_size=3,
)


@st.composite
def levels(draw: st.DrawFn, gaps: bool | None = None) -> tuple[FloorData, Sectors]:
    """Return floor data whose lists tile or leave gaps, some unused, some shared, and three rooms."""
    words, starts = [draw(st.integers(0, 0xFFFF))], []
    gap = draw(st.booleans()) if gaps is None else gaps
    for one in draw(st.lists(small_lists, max_size=6)):
        starts.append(len(words))
        words += encode(one)
        words += [0] * gap
    shapes = [(2, 3), (1, 1), (3, 2)]
    choice = st.sampled_from([0, *starts])
    sectors = [
        np.array([draw(choice) for _ in range(x * z)], dtype=np.uint16).reshape(x, z) for x, z in shapes
    ]
    data = parse(words, sectors)
    assert data.tiles == (not gap or not starts)
    return data, sectors


def each_sector(data: FloorData, sectors: Sectors) -> dict[tuple[int, int, int], tuple[Function, ...]]:
    """Return the game's view of every sector."""
    return {
        (room, x, z): decode(data.words, int(index), data.rules)
        for room, indices in enumerate(sectors)
        for (x, z), index in np.ndenumerate(indices)
    }


def edited_functions(
    edited: EditedFloor, data: FloorData
) -> dict[tuple[int, int, int], tuple[Function, ...]]:
    return each_sector(data._replace(words=edited.words), edited.sectors)


def as_expected(
    functions: tuple[Function, ...], entities: list[int], cameras: list[int]
) -> tuple[Function, ...]:
    """Apply remap to a level in a slow, simple way."""

    def new(number: int, numbers: list[int]) -> int:
        return numbers[number] if number < len(numbers) else number

    kept: list[Function] = []
    for function in functions:
        if not isinstance(function, Trigger):
            kept.append(function)
            continue
        actions = []
        for action in function.actions:
            numbers = {0: entities, 6: entities, 1: cameras, 2: cameras}.get(action.type)
            number = action.parameter if numbers is None else new(action.parameter, numbers)
            if number >= 0:
                actions.append(replace(action, parameter=number))
        reference = None if function.reference is None else new(function.reference, entities)
        if (reference is None or reference >= 0) and (actions or not function.actions):
            kept.append(replace(function, reference=reference, actions=tuple(actions)))
    return tuple(kept)


maps = st.tuples(
    st.lists(st.integers(-1, 9), min_size=ENTITIES, max_size=ENTITIES),
    st.lists(st.integers(-1, 9), min_size=CAMERAS, max_size=CAMERAS),
)


@given(levels(), maps)
def test_renumbering_changes_references_and_nothing_else(
    level: tuple[FloorData, Sectors], numbers: tuple[list[int], list[int]]
) -> None:
    data, sectors = level
    edited = remap(data, sectors, *numbers)
    before = each_sector(data, sectors)
    assert edited_functions(edited, data) == {place: as_expected(f, *numbers) for place, f in before.items()}
    assert [s.shape for s in edited.sectors] == [s.shape for s in sectors]
    assert edited.words[0] == data.words[0]
    if data.tiles:
        assert parse(edited.words, edited.sectors).tiles
    else:
        assert edited.words[: len(data.words)].tolist() == data.words.tolist()


@given(levels(), maps)
def test_origins_of_edited_words_are_known(
    level: tuple[FloorData, Sectors], numbers: tuple[list[int], list[int]]
) -> None:
    data, sectors = level
    edited = remap(data, sectors, *numbers)
    assert len(edited.origins) == len(edited.words)
    assert edited.origins.min() >= 0
    # Words differ from their origins only in numbers, which are 10 bits, and the end bit.
    assert ((data.words[edited.origins] ^ edited.words) & 0x7C00 == 0).all()


@given(levels())
def test_remapping_to_the_same_numbers_changes_nothing(level: tuple[FloorData, Sectors]) -> None:
    data, sectors = level
    edited = remap(data, sectors, np.arange(ENTITIES), np.arange(CAMERAS))
    assert edited.words.tobytes() == data.words.tobytes()
    assert [s.tolist() for s in edited.sectors] == [s.tolist() for s in sectors]
    assert edited.warnings == []
    assert edited.origins.tolist() == list(range(len(data.words)))


@given(levels(), st.data())
def test_edited_sectors_get_their_functions_and_the_others_keep_theirs(
    level: tuple[FloorData, Sectors], data: st.DataObject
) -> None:
    floor, sectors = level
    before = each_sector(floor, sectors)
    changes = data.draw(st.dictionaries(st.sampled_from(sorted(before)), lists() | st.just([])))
    edited = edit(floor, sectors, changes)
    assert edited_functions(edited, floor) == before | {place: tuple(f) for place, f in changes.items()}
    unchanged = edit(floor, sectors, before)
    assert unchanged.words.tobytes() == floor.words.tobytes()
    assert [s.tolist() for s in unchanged.sectors] == [s.tolist() for s in sectors]


@given(levels())
def test_rebuilt_lists_have_the_same_functions(level: tuple[FloorData, Sectors]) -> None:
    data, sectors = level
    edited = rebuild(data, sectors)
    assert edited_functions(edited, data) == each_sector(data, sectors)
    assert parse(edited.words, edited.sectors).tiles
    assert (data.words[edited.origins] == edited.words).all()
    again = rebuild(parse(edited.words, edited.sectors), edited.sectors)
    assert again.words.tobytes() == edited.words.tobytes()


def one_room(*all_lists: list[Function]) -> tuple[FloorData, Sectors]:
    words, starts = [0], []
    for one in all_lists:
        starts.append(len(words))
        words += encode(one)
    sectors = [np.array([starts], dtype=np.uint16)]
    return parse(words, sectors), sectors


def test_actions_on_a_deleted_entity_are_removed_with_a_warning() -> None:
    opening = Trigger(0, actions=(Action(0, 1), Action(0, 2)))
    data, sectors = one_room([Death()], [opening])
    edited = remap(data, sectors, [0, 1, -1, 2], [])
    assert edited_functions(edited, data)[0, 0, 1] == (Trigger(0, actions=(Action(0, 1),)),)
    assert [str(w) for w in edited.warnings] == [
        "Room 000, sector (0, 1): the action on entity 2 was removed with it"
    ]


def test_a_trigger_without_actions_goes_and_leaves_the_rest_of_its_list() -> None:
    data, sectors = one_room([Slant(False, 1, 0), Trigger(0, actions=(Action(0, 0),))], [Death()])
    edited = remap(data, sectors, [-1], [])
    assert edited.words.tolist() == [0, 0x8002, 0x0001, 0x8005]
    assert edited.sectors[0].tolist() == [[1, 3]]
    assert "removed, because it has no actions left" in edited.warnings[-1].text


def test_a_list_that_empties_is_index_zero() -> None:
    data, sectors = one_room([Trigger(0, actions=(Action(0, 0),))], [Death()])
    edited = remap(data, sectors, [-1], [])
    assert edited.words.tolist() == [0, 0x8005]
    assert edited.sectors[0].tolist() == [[0, 1]]


@pytest.mark.parametrize("kind", [TriggerType.SWITCH, TriggerType.KEY, TriggerType.PICKUP])
def test_the_trigger_of_a_deleted_switch_is_removed(kind: TriggerType) -> None:
    data, sectors = one_room([Trigger(kind, reference=1, actions=(Action(0, 0),))])
    edited = remap(data, sectors, [0, -1], [])
    assert edited.sectors[0].tolist() == [[0]]
    assert edited.warnings[0].text == f"the {kind.name.lower()} trigger was removed with entity 1"
    kept = remap(data, sectors, [1, 0], [])
    assert edited_functions(kept, data)[0, 0, 0] == (Trigger(kind, reference=0, actions=(Action(0, 1),)),)


def test_a_camera_action_is_removed_with_its_extra_word() -> None:
    camera = Action(ActionType.CAMERA, 0, extra=0x102)
    data, sectors = one_room([Trigger(0, actions=(Action(0, 0), camera, Action(ActionType.SINK, 1)))])
    edited = remap(data, sectors, [0], [-1, 0])
    expected = Trigger(0, actions=(Action(0, 0), Action(ActionType.SINK, 0)))
    assert edited_functions(edited, data)[0, 0, 0] == (expected,)
    alone = remap(data, sectors, [-1], [0, -1])
    assert edited_functions(alone, data)[0, 0, 0] == (Trigger(0, actions=(camera,)),)


def test_flybys_name_sequences_not_cameras() -> None:
    data, sectors = one_room([Trigger(0, actions=(Action(ActionType.FLYBY, 0, extra=0),))])
    assert remap(data, sectors, [], [-1]).words.tolist() == data.words.tolist()


def test_numbers_without_an_entity_are_kept_with_a_warning() -> None:
    data, sectors = one_room([Trigger(0, actions=(Action(0, 900), Action(0, 0)))])
    assert remap(data, sectors, [0, 1], []).warnings == []
    edited = remap(data, sectors, [1, 0], [])
    assert edited_functions(edited, data)[0, 0, 0] == (Trigger(0, actions=(Action(0, 900), Action(0, 1))),)
    assert "entity 900" in edited.warnings[0].text


def test_numbers_of_trng_conditions_are_kept_with_a_warning() -> None:
    words = [0, 0x8C04, 0x3E00, 0x8001]
    sectors = [np.array([[1]], dtype=np.uint16)]
    data = parse(words, sectors, trng=True)
    edited = remap(data, sectors, [1, 0], [])
    assert edited.words.tolist() == words
    assert "TRNG" in edited.warnings[0].text
    assert remap(data, sectors, [0, 1], []).warnings == []


def test_entity_numbers_too_high_for_actions_are_an_error() -> None:
    data, sectors = one_room([Death()], [Trigger(0, actions=(Action(0, 3),))])
    with pytest.raises(ExportError, match=r"Room 000, sector \(0, 1\).*entity 1024") as caught:
        remap(data, sectors, [0, 1, 2, 1024], [])
    assert (caught.value.count, caught.value.limit) == (1024, 1023)


def test_too_much_floor_data_is_an_error() -> None:
    data = parse([0])
    sectors = [np.zeros((400, 400), dtype=np.uint16)]
    changes = {(0, x, z): [Death()] for x in range(400) for z in range(400)}
    with pytest.raises(ExportError) as caught:
        edit(data, sectors, changes)
    assert caught.value.limit == 65535


def test_warnings_on_a_shared_list_are_joined_by_room() -> None:
    words = [0, *encode([Trigger(0, actions=(Action(0, 0),))])]
    sectors = [np.array([[0, 1]], dtype=np.uint16), np.array([[1]], dtype=np.uint16)]
    edited = remap(parse(words, sectors), sectors, [-1], [])
    assert [w[:3] for w in edited.warnings] == [(0, 0, 1), (0, 0, 1)]
    assert edited.warnings[0].text.endswith("(and on 1 more sector)")


def test_references_to_entities_and_cameras_are_found() -> None:
    actions = (Action(0, 1), Action(6, 2), Action(1, 3, 0), Action(2, 4), Action(12, 5, 0), Action(8, 6))
    data, _ = one_room([Trigger(2, reference=7, actions=actions)])
    found = find_references(data.words, data.roles)
    assert (data.words[found.entities] & 0x3FF).tolist() == [7, 1, 2]
    assert (data.words[found.cameras] & 0x3FF).tolist() == [3, 4]
    assert found.uncertain.tolist() == []


def test_a_new_level_can_be_made_from_nothing() -> None:
    sectors = [np.zeros((1, 2), dtype=np.uint16)]
    for empty in (parse([0]), parse([])):
        edited = edit(empty, sectors, {(0, 0, 1): [Death()]})
        assert edited.words.tolist() == [0, 0x8005]
        assert edited.sectors[0].tolist() == [[0, 1]]


def test_editing_one_sector_of_a_shared_list_keeps_the_list() -> None:
    words = [0, *encode([Death()]), *encode([Climb(1)])]
    sectors = [np.array([[1, 1, 2]], dtype=np.uint16)]
    edited = edit(parse(words, sectors), sectors, {(0, 0, 1): [MonkeySwing()]})
    assert edited.words.tolist() == [*words, *encode([MonkeySwing()])]
    assert edited.sectors[0].tolist() == [[1, 3, 2]]


def test_a_list_is_replaced_in_place() -> None:
    words = [0, *encode([Death()]), *encode([Climb(1)])]
    sectors = [np.array([[1, 2]], dtype=np.uint16)]
    edited = edit(parse(words, sectors), sectors, {(0, 0, 0): [Portal(3), Death()]})
    assert edited.words.tolist() == [0, *encode([Portal(3), Death()]), *encode([Climb(1)])]
    assert edited.sectors[0].tolist() == [[1, 4]]
    assert edited.origins.tolist() == [0, -1, -1, 1, 2]


def test_words_are_followed_through_a_change_of_their_trigger() -> None:
    actions = Action(0, 4), Action(1, 2, 7), Action(6, 5)
    words = [0, *encode([Death(), Trigger(0, mask=31, actions=actions)])]
    sectors = [np.array([[1, 0]], dtype=np.uint16)]
    edits: dict[tuple[Action, ...], list[int]] = {
        actions: [0, 1, 2, 3, 4, 5, 6, 7],
        actions[1:]: [0, 1, 2, 3, 5, 6, 7],
        actions[:2]: [0, 1, 2, 3, 4, 5, 6],
        (*actions, Action(4, 1)): [0, 1, 2, 3, 4, 5, 6, 7, -1],
        (actions[0], Action(1, 3, 7), actions[2]): [0, 1, 2, 3, 4, 5, 6, 7],
    }
    for changed, origins in edits.items():
        functions: list[Function] = [Death(), Trigger(0, timer=3, mask=31, actions=changed)]
        edited = edit(parse(words, sectors), sectors, {(0, 0, 0): functions})
        assert edited.words.tolist() == [0, *encode(functions)]
        assert edited.origins.tolist() == origins


def test_shapes_of_floor_and_ceiling_come_first() -> None:
    ceiling, floor = Triangulation(9, 0, 0, (0, 0, 0, 0)), Slant(False, 1, 1)
    assert in_order([Death(), ceiling, Portal(1), floor]) == (floor, ceiling, Death(), Portal(1))


def of_level(level: Level) -> tuple[FloorData, Sectors]:
    sectors = [r.sectors["floor_data"].reshape(r.x_sectors, r.z_sectors) for r in level.rooms]
    return parse(level.floor_data, sectors, trng=level.has_trng_footer), sectors


@each_real_level
def test_real_levels_keep_every_bit(level_path: Path) -> None:
    level = read_level(level_path)
    data, sectors = of_level(level)
    same = remap(data, sectors, np.arange(len(level.entities)), np.arange(len(level.cameras)))
    assert same.words.tobytes() == level.floor_data.tobytes()
    assert all(np.array_equal(new, old) for new, old in zip(same.sectors, sectors, strict=True))
    assert same.warnings == []
    unedited = edit(data, sectors, each_sector(data, sectors))
    assert unedited.words.tobytes() == level.floor_data.tobytes()
    rebuilt = rebuild(data, sectors)
    assert edited_functions(rebuilt, data) == each_sector(data, sectors)


@each_real_level
def test_real_levels_lose_only_functions_of_deleted_entities(level_path: Path) -> None:
    level = read_level(level_path)
    data, sectors = of_level(level)
    count, cameras = len(level.entities), len(level.cameras)
    numbers = [number // 2 if number % 2 else -1 for number in range(count)]
    edited = remap(data, sectors, numbers, range(cameras))
    expected = {
        place: as_expected(functions, numbers, list(range(cameras)))
        for place, functions in each_sector(data, sectors).items()
    }
    assert edited_functions(edited, data) == expected
