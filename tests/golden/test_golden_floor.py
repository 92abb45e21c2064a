"""Sectors of the golden files: floor data, heights of corners, boxes, overlaps and zones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.levels.collision.grid import SIDE_BITS, SectorGrid
from io_tomb_raider.formats.levels.collision.sectors import (
    Sectors,
    decode_sectors,
    encode_sectors,
    join_boxes,
    split_boxes,
)
from io_tomb_raider.formats.levels.floor.extra import EXTRA_MOVE, EXTRA_ONCE, EXTRA_TIMER
from io_tomb_raider.formats.levels.floor.floor_data import decode, decode_all, encode, parse
from io_tomb_raider.formats.levels.floor.functions import Triangulation, Trigger
from io_tomb_raider.formats.levels.floor.grammar import Rules
from io_tomb_raider.formats.levels.pathfinding.overlaps import (
    JUMP,
    MONKEY,
    blockable_bits,
    decode_overlaps,
    encode_overlaps,
)

from . import floor, tr1, tr4
from .levels import GOLDEN, each_game

_LISTS = {
    "tr1": floor.TR1_LISTS,
    "tr2": floor.TR2_LISTS,
    "tr3": floor.TR3_LISTS,
    "tr4": floor.TR4_LISTS,
    "tr5": floor.TR5_LISTS,
    "tr4-trng": floor.TRNG_LISTS,
}
each_floor = pytest.mark.parametrize("name", _LISTS)
# Corners of a sector are in the order (-x, -z), (-x, +z), (+x, -z), (+x, +z).
_CLICK = 256


def _parsed(name: str) -> Any:
    level = GOLDEN[name].level
    sectors = [level.rooms[0].sectors["floor_data"]] if name in ("tr1", "tr2", "tr3", "tr4", "tr5") else []
    return parse(level.floor_data, sectors, trng=level.has_trng_footer)


@each_floor
def test_lists_follow_one_another_from_the_first_word_on(name: str) -> None:
    data = _parsed(name)
    assert data.tiles
    assert data.starts.tolist() == [each.start for each in _LISTS[name]]
    assert data.rules == Rules(trng=name == "tr4-trng")


@each_floor
def test_functions_are_decoded_from_their_words(name: str) -> None:
    level, data = GOLDEN[name].level, _parsed(name)
    assert decode_all(data) == [each.functions for each in _LISTS[name]]
    for each in _LISTS[name]:
        assert decode(level.floor_data, each.start, data.rules) == each.functions


@each_floor
def test_every_function_gives_its_words(name: str) -> None:
    rules = _parsed(name).rules
    for each in _LISTS[name]:
        assert encode(each.functions, rules) == list(each.words)


def test_the_second_word_of_a_camera_holds_three_numbers() -> None:
    """0x1307 is a timer of 7 seconds, once, and a move of 9."""
    (trigger,) = decode(GOLDEN["tr1"].level.floor_data, 8)
    assert isinstance(trigger, Trigger)
    extra = trigger.actions[1].extra
    assert extra is not None
    assert (EXTRA_TIMER.of(extra), EXTRA_ONCE.of(extra), EXTRA_MOVE.of(extra)) == (7, 1, 9)


def test_triangulations_know_their_surface_and_split() -> None:
    shapes = [each for one in floor.TR3_LISTS for each in one.functions if isinstance(each, Triangulation)]
    found = {each.function: (each.ceiling, each.rising) for each in shapes}
    assert found == {
        0x07: (False, False),
        0x0B: (False, False),
        0x0C: (False, False),
        0x08: (False, True),
        0x0D: (False, True),
        0x0E: (False, True),
        0x09: (True, False),
        0x0F: (True, False),
        0x10: (True, False),
        0x0A: (True, True),
        0x11: (True, True),
        0x12: (True, True),
    }


# --- Sectors ------------------------------------------------------------------------------------


def _functions(level: Level) -> list[Any]:
    return [decode(level.floor_data, index) for index in level.rooms[0].sectors["floor_data"].tolist()]


def _sectors(level: Level) -> Sectors:
    return decode_sectors(level.rooms[0].sectors, _functions(level), level.game)


def _clicks(surface: Any, place: int) -> list[list[int]]:
    heights = surface.heights[place]
    assert not (heights % _CLICK).any()
    return (heights // _CLICK).tolist()


@each_game
def test_slants_lower_the_floor_and_raise_the_ceiling(name: str) -> None:
    """The first sector has floor 5 with x -3 and z 2, and ceiling -9 with x 4 and z -5."""
    sectors = _sectors(GOLDEN[name].level)
    assert _clicks(sectors.floor, 0) == [[7, 5, 10, 8]] * 2
    assert _clicks(sectors.ceiling, 0) == [[-9, -14, -13, -18]] * 2


@pytest.mark.parametrize("name", ["tr3", "tr4", "tr5"])
def test_triangulations_give_each_triangle_a_plane(name: str) -> None:
    """The triangle on the -x side is the first; its plane also has the corner that it lacks."""
    sectors = _sectors(GOLDEN[name].level)
    assert _clicks(sectors.floor, 1) == [[0, -1, 1, 0], [-5, -8, -6, -9]]
    assert _clicks(sectors.ceiling, 1) == [[-26, -25, -27, -26], [-21, -18, -20, -17]]
    assert _clicks(sectors.floor, 3) == [[41, 40, 40, 39], [45, 42, 46, 43]]
    assert _clicks(sectors.ceiling, 3) == [[-27, -26, -26, -25], [-59, -56, -60, -57]]


@pytest.mark.parametrize("name", ["tr1", "tr2"])
def test_sectors_of_the_first_games(name: str) -> None:
    sectors = _sectors(GOLDEN[name].level)
    assert sectors.box.tolist() == [1, -1, 0, 2, 0x8001, 3]
    assert sectors.material.tolist() == [0] * 6
    assert sectors.wall.tolist() == [False, True, False, False, False, False]
    assert sectors.room_below.tolist() == [-1, -1, 2, -1, 4, 129]
    assert sectors.room_above.tolist() == [254, -1, -1, 3, 5, 130]
    assert sectors.portal.tolist() == [-1, -1, 0x102, -1, -1, -1]
    assert sectors.death.tolist() == [False, False, False, False, True, False]


@pytest.mark.parametrize("name", ["tr3", "tr4", "tr5"])
def test_sectors_of_the_later_games(name: str) -> None:
    sectors = _sectors(GOLDEN[name].level)
    assert sectors.box.tolist() == [1, -1, 0, 2, 1030, 3]
    assert sectors.material.tolist() == [7, 6, 2, 13, 0, 15]
    assert sectors.stopper.tolist() == [False, False, False, True, False, False]
    assert sectors.room_below.tolist() == [-1, -1, 2, -1, 4, 129]
    assert sectors.room_above.tolist() == [254, 253, -1, 3, 5, 130]
    assert sectors.portal.tolist() == [-1, -1, 0x102, -1, -1, -1]
    assert sectors.monkey_swing.tolist() == [False, False, False, False, True, False]
    assert sectors.deferred.tolist() == sectors.beetle.tolist() == [False] * 5 + [True]


@each_game
def test_sectors_give_their_records_and_functions_again(name: str) -> None:
    level = GOLDEN[name].level
    room, functions = level.rooms[0], _functions(level)
    encoded = encode_sectors(_sectors(level), np.zeros_like(room.sectors), [()] * 6, level.game, str)
    for field in ("room_below", "room_above", "box"):
        assert encoded.records[field].tolist() == room.sectors[field].tolist()
    kept = [[each for each in every if not isinstance(each, Trigger)] for every in functions]
    shapes = [1, 3] if level.game >= Game.TR3 else []  # there, shifts and base can be split differently
    for place in set(range(6)) - set(shapes):
        assert list(encoded.functions[place]) == kept[place]
        assert encoded.records["floor"][place] == room.sectors["floor"][place]
        assert encoded.records["ceiling"][place] == room.sectors["ceiling"][place]


def test_sectors_are_in_rows_along_z() -> None:
    """A room of 3 sectors along x and 2 along z, and one of a single sector; sides as in climbable walls."""
    grid = SectorGrid([(3, 2), (1, 1)])
    assert list(zip(grid.room.tolist(), grid.x.tolist(), grid.z.tolist(), strict=True)) == [
        (0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 2, 0), (0, 2, 1), (1, 0, 0),
    ]  # fmt: skip
    beside = {bit: int(grid.neighbors(side)[2]) for side, bit in enumerate(SIDE_BITS)}
    assert beside == {1: 3, 2: 4, 4: -1, 8: 0}  # +z, +x, -z, -x


@each_game
def test_the_field_of_a_box_is_joined_as_it_was_split(name: str) -> None:
    level = GOLDEN[name].level
    words = level.rooms[0].sectors["box"]
    assert join_boxes(*split_boxes(words, level.game), level.game).tolist() == words.tolist()


# --- Boxes, overlaps, zones -----------------------------------------------------------------------


@each_game
def test_overlap_lists_contain_adjacent_boxes(name: str) -> None:
    level = GOLDEN[name].level
    assert decode_overlaps(level.game, level.boxes, level.overlaps).tolist() == [[0, 1], [0, 2], [1, 0]]


_PAIRS, _FLAGS = np.array([[0, 1], [0, 2], [1, 0]]), np.array([JUMP, MONKEY, 0])


@each_game
def test_overlaps_are_encoded_to_their_words(name: str) -> None:
    level = GOLDEN[name].level
    bits = np.array([0, 2 if level.game is Game.TR1 else 3, 0])
    flags = _FLAGS if level.game >= Game.TR4 else 0 * _FLAGS
    indices, words = encode_overlaps(level.game, _PAIRS, flags, 3, bits)
    assert indices.tolist() == level.boxes["overlap"].tolist()
    assert words.tolist() == (tr4.OVERLAPS if level.game >= Game.TR4 else tr1.OVERLAPS)


@each_game
def test_blockable_bits_of_boxes_are_those_of_the_game(name: str) -> None:
    level = GOLDEN[name].level
    expected = [0, 2 if level.game is Game.TR1 else 3, 0]
    assert blockable_bits(np.array([0, 1, -1], np.int32), level.boxes).tolist() == expected


@each_game
def test_zones_are_ordered_by_state_and_kind(name: str) -> None:
    zones = GOLDEN[name].level.zones
    kinds = 3 if name == "tr1" else 5
    assert zones.shape == (2, kinds, 3)
    assert zones[0, 0].tolist() == [0x0101, 0x0102, 0x0103]  # the first ground zone of all boxes
    assert zones[0, kinds - 1, 1] == (0x0302 if name == "tr1" else 0x0502)  # flyers, in the second box
    assert zones[1, 1, 2] == 0x8203  # the second ground zone of the third box, flipped
