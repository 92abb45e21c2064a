"""Properties of sectors that a level stores in its injection, and an approximation of them in the level."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.collision.sectors import (
    Sectors,
    changed_sectors,
    decode_sectors,
    encode_sectors,
    new_sectors,
)
from io_tomb_raider.formats.levels.collision.surfaces import round_surface
from io_tomb_raider.formats.levels.floor.functions import (
    Beetle,
    Climb,
    Deferred,
    Function,
    MonkeySwing,
    Slant,
    Triangulation,
)
from io_tomb_raider.formats.levels.injections.kinds import FloorEdit
from io_tomb_raider.formats.levels.injections.sectors import edits_of, native_sectors, with_edits

pytestmark = pytest.mark.once

_GAMES = (Game.TR1, Game.TR2, Game.TR3)
_SHIFTS = st.integers(-16, 15)  # all that TR3 can store: the plane moves to reach both triangles
_CORNERS = st.tuples(*[st.integers(0, 6)] * 4)
_SHAPES = {
    False: st.builds(Triangulation, st.sampled_from([7, 8, 11, 12, 13, 14]), _SHIFTS, _SHIFTS, _CORNERS),
    True: st.builds(Triangulation, st.sampled_from([9, 10, 15, 16, 17, 18]), _SHIFTS, _SHIFTS, _CORNERS),
}


@st.composite
def _functions(draw: st.DrawFn) -> tuple[Function, ...]:
    made: list[Function] = []
    for ceiling in (False, True):
        slant = st.builds(Slant, st.just(ceiling), st.integers(-4, 4), st.integers(-4, 4))
        made += draw(st.lists(_SHAPES[ceiling] | slant, max_size=1))
    made += draw(st.lists(st.builds(Climb, st.integers(1, 15)), max_size=1))
    for mark in (MonkeySwing, Deferred, Beetle):
        made += draw(st.lists(st.builds(mark), max_size=1))
    return tuple(made)


@st.composite
def _sectors(draw: st.DrawFn) -> Sectors:
    """Return sectors of TR3, rounded, some of which open to rooms above 254."""
    lists = draw(st.lists(_functions(), min_size=1, max_size=4))
    records = new_sectors(len(lists), Game.TR3)
    records["floor"], records["ceiling"] = 0, -30
    sectors = decode_sectors(records, lists, Game.TR3)
    rooms = st.sampled_from([-1, 3, 254, 255, 700])
    for name in ("room_below", "room_above"):
        setattr(sectors, name, np.array([draw(rooms) for _ in lists], np.int32))
    sectors.floor = round_surface(sectors.floor, Game.TR3)
    sectors.ceiling = round_surface(sectors.ceiling, Game.TR3)
    return sectors


@given(_sectors(), st.sampled_from(_GAMES))
def test_exported_sectors_and_edits_give_the_same_sectors(sectors: Sectors, game: Game) -> None:
    count = len(sectors.wall)
    records = new_sectors(count, game)
    sectors.material[:] = 6 if game.traits.has_materials else 0
    native = native_sectors(sectors, game)
    encoded = encode_sectors(native, records, [()] * count, game, str)
    decoded = decode_sectors(encoded.records, encoded.functions, game)
    edits = {place: edits_of(sectors, native, encoded.records, place, "it") for place in range(count)}
    shown = with_edits(decoded, encoded.records, edits)
    assert not changed_sectors(shown, sectors).any()
    kinds = {each["type"] for place in edits.values() for each in place}
    if game is Game.TR3:
        assert kinds <= {FloorEdit.SECTOR}


def test_planes_and_near_rooms_need_no_edits() -> None:
    records = new_sectors(2, Game.TR1)
    records["floor"], records["ceiling"] = 0, -8
    sectors = decode_sectors(records, [(Slant(False, 2, 0),), ()], Game.TR1)
    sectors.room_below[:] = 254
    native = native_sectors(sectors, Game.TR1)
    assert not any(edits_of(sectors, native, records, place, "it") for place in range(2))


def test_words_that_are_no_split_are_ignored() -> None:
    records = new_sectors(1, Game.TR1)
    records["floor"], records["ceiling"] = 0, -8
    sectors = decode_sectors(records, [()], Game.TR1)
    for words in ([1, 0], [9, 0], [31, 5]):
        edit = {"type": FloorEdit.SPLIT, "floor": words, "ceiling": None}
        assert not changed_sectors(with_edits(sectors, records, {0: [edit]}), sectors).any()
