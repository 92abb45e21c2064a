"""Boxes, overlaps and zones, recomputed (documentation, chapter 7.3)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.base.bytes.records import BOX, SECTOR
from io_tomb_raider.formats.levels.collision.sectors import decode_sectors
from io_tomb_raider.formats.levels.floor.floor_data import decode, parse
from io_tomb_raider.formats.levels.floor.functions import MonkeySwing, Portal, Slant
from io_tomb_raider.formats.levels.pathfinding.boxes import (
    Pathfinding,
    RoomGround,
    find_paths,
    room_ground,
)
from io_tomb_raider.formats.levels.pathfinding.overlaps import (
    JUMP,
    MONKEY,
    blockable_bits,
    components,
    decode_overlaps,
    encode_overlaps,
)
from tests.games import each_game
from tests.level_rules import reachable

from ....real_levels import each_real_level, skip_without
from ....sample_levels import SAMPLES, sample_bytes

WALL = -127


def ground(
    floors: Any,
    functions: Any = None,
    x: int = 0,
    water: bool = False,
    alternate: int = -1,
    below: int = 255,
    above: int = 255,
    ceiling: int = -100,
) -> RoomGround:
    """Return a room given its floors in steps, [x][z]; those of walls are -127."""
    grid = np.array(floors)
    record = np.zeros(grid.size, SECTOR)
    record["floor"] = grid.ravel()
    record["ceiling"] = np.where(record["floor"] == WALL, WALL, ceiling)
    record["room_below"], record["room_above"], record["box"] = below, above, 0xFFFF
    lists: list[tuple[Any, ...]] = [()] * grid.size
    for place, found in (functions or {}).items():
        lists[place] = found
    return RoomGround(decode_sectors(record, lists, Game.TR4), x, 0, grid.shape[1], water, alternate)


def groups(game: Game, paths: Pathfinding, kind: int, state: int = 0) -> list[int]:
    """Return the zone of each sector's box; -1 without a box."""
    found = reachable(game, paths.boxes, paths.overlaps, paths.zones[state, kind])
    boxes = np.concatenate(paths.sector_boxes)
    return np.where(boxes >= 0, found[boxes], -1).tolist()


@each_game
def test_level_rectangles_are_boxes(game: Game) -> None:
    room = ground([[WALL] * 5, [WALL, 0, 0, 2, WALL], [WALL, 0, 0, 2, WALL], [WALL] * 5], x=3)
    paths = find_paths(game, [room])
    unit, last = (1024, 1) if game == Game.TR1 else (1, 0)
    assert [tuple(box)[:5] for box in paths.boxes.tolist()] == [
        (1 * unit, 3 * unit - last, 4 * unit, 6 * unit - last, 0),
        (3 * unit, 4 * unit - last, 4 * unit, 6 * unit - last, 512),
    ]
    assert paths.sector_boxes[0].reshape(4, 5)[1].tolist() == [-1, 0, 0, 1, -1]
    assert decode_overlaps(game, paths.boxes, paths.overlaps).tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("game", "highest"),
    [
        (Game.TR1, [1, 2, 99]),
        *((game, [1, 2, 3, 4, 99]) for game in (Game.TR2, Game.TR3)),
        *((game, [1, 1, 1, 4, 99]) for game in (Game.TR4, Game.TR5)),
    ],
)
def test_each_kind_of_zone_has_its_step(game: Game, highest: list[int]) -> None:
    for step in (1, 2, 3, 4, 5, 60):
        paths = find_paths(game, [ground([[0, step]])])
        for kind, limit in enumerate(highest):
            a, b = groups(game, paths, kind)
            assert (a == b) == (step <= limit)


@each_game
def test_paths_connect_through_portals_but_not_from_land_to_water(game: Game) -> None:
    left = ground([[0], [0], [WALL]], {2: (Portal(1),)})
    for water in (False, True):
        right = ground([[WALL], [0], [0]], {0: (Portal(0),)}, x=1, water=water)
        paths = find_paths(game, [left, right])
        assert groups(game, paths, 0) == [0, 0, -1, -1, int(water), int(water)]


@each_game
def test_walkers_enter_water_of_one_click(game: Game) -> None:
    for depth, above, is_entered in ((1, 2, True), (2, 2, False), (1, 3, False), (1, 255, False)):
        left = ground([[0], [WALL]], {1: (Portal(1),)})
        water = ground([[WALL], [0]], {0: (Portal(0),)}, water=True, above=above, ceiling=-depth)
        air = ground([[WALL], [-depth]], below=1)
        paths = find_paths(game, [left, water, air, ground([[WALL], [-depth]], below=1, water=True)])
        assert groups(game, paths, 0)[:4] == [0, -1, -1, 0 if is_entered else 1], (depth, above)


@each_game
def test_only_crocodiles_and_fliers_of_later_games_cross_the_shore(game: Game) -> None:
    land = ground([[0], [WALL]], {1: (Portal(1),)})
    lake = ground([[WALL], [2], [12]], {0: (Portal(0),)}, water=True)
    paths = find_paths(game, [land, lake])
    for kind in range(paths.zones.shape[1]):
        shore, _, _, shallow, deep = groups(game, paths, kind)
        is_later = game in (Game.TR4, Game.TR5)
        assert (shore == shallow) == (is_later and kind in (2, 4))
        assert (shallow == deep) == (kind == paths.zones.shape[1] - 1 or (is_later and kind == 2))


@pytest.mark.parametrize(("game", "kinds"), [(Game.TR3, [4]), (Game.TR4, [3, 4]), (Game.TR5, [3, 4])])
def test_climbers_of_later_games_use_monkey_swings(game: Game, kinds: list[int]) -> None:
    swing = (MonkeySwing(),)
    paths = find_paths(game, [ground([[0, 9]], {0: swing, 1: swing})])
    assert [kind for kind in range(5) if len(set(groups(game, paths, kind))) == 1] == kinds


@each_game
def test_shallow_water_is_deep_while_the_room_above_is_flooded(game: Game) -> None:
    left = ground([[0], [WALL]], {1: (Portal(1),)})
    pool = ground([[WALL], [0]], {0: (Portal(0),)}, water=True, above=2, ceiling=-1)
    dry = ground([[WALL], [-1]], below=1, alternate=3)
    flooded = ground([[WALL], [-1]], below=1, water=True)
    paths = find_paths(game, [left, pool, dry, flooded])
    for state in (0, 1):
        assert groups(game, paths, 0, state)[:4] == [0, -1, -1, state]


@each_game
def test_an_opening_in_the_floor_belongs_to_the_box_at_the_bottom(game: Game) -> None:
    paths = find_paths(game, [ground([[0, 0]], below=1), ground([[3, 3]])])
    assert [boxes.tolist() for boxes in paths.sector_boxes] == [[0, 0], [0, 0]]
    assert paths.boxes["floor"].tolist() == [768]


@each_game
def test_a_flipped_room_takes_part_in_the_flipped_zones_only(game: Game) -> None:
    neighbor = ground([[0], [0], [WALL]], {2: (Portal(1),)})
    normal = ground([[WALL], [0], [0]], {0: (Portal(0),)}, x=1, alternate=2)
    high = ground([[WALL], [-9], [-9]], {0: (Portal(0),)}, x=1)
    paths = find_paths(game, [neighbor, normal, high])
    before, after = groups(game, paths, 0), groups(game, paths, 0, 1)
    assert before[0] == before[4] != before[7]
    fliers = groups(game, paths, -1)
    assert fliers[0] == fliers[4] != fliers[7]
    assert after[0] != after[4]
    assert after[0] != after[7]
    assert groups(game, paths, -1, 1)[0] == groups(game, paths, -1, 1)[7]


def test_steep_floors_have_no_box_from_tr3_on() -> None:
    for slope, game, boxes in ((2, Game.TR3, 1), (3, Game.TR3, 0), (3, Game.TR1, 1), (-3, Game.TR5, 0)):
        room = ground([[0]], {0: (Slant(False, slope, 0),)})
        assert len(find_paths(game, [room]).boxes) == boxes


@pytest.mark.parametrize(("game", "flags"), [(Game.TR3, [0, 0]), (Game.TR4, [MONKEY, MONKEY])])
def test_monkey_swings_are_marked(game: Game, flags: list[int]) -> None:
    swing = (MonkeySwing(),)
    overlaps = find_paths(game, [ground([[0, 9]], {0: swing, 1: swing})]).overlaps
    assert (overlaps & MONKEY).tolist() == flags


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
def test_gaps_of_one_or_two_sectors_can_be_jumped(game: Game) -> None:
    for gap in (1, 2, 3):
        paths = find_paths(game, [ground([[0, *[9] * gap, 0]])])
        jumps = paths.overlaps[paths.overlaps & JUMP != 0] & 0x7FF
        assert jumps.tolist() == ([2, 0] if gap < 3 and game > Game.TR3 else [])


@each_game
def test_blockable_sectors_have_boxes_of_their_own(game: Game) -> None:
    bits = np.array([0, 2, 0], np.uint8)
    paths = find_paths(game, [ground([[0, 0, 0]])], [bits])
    assert (paths.boxes["overlap"] >> 14).tolist() == [0, 2, 0]
    assert blockable_bits(paths.sector_boxes[0], paths.boxes).tolist() == [0, 2, 0]


def test_boxes_that_cannot_be_named_are_left_out_and_counted() -> None:
    paths = find_paths(Game.TR2, [ground([[0], [0]], x=-1), ground([[0], [0]], x=254)])
    assert [boxes.tolist() for boxes in paths.sector_boxes] == [[-1, 0], [1, -1]]
    assert paths.outside == 2


def test_too_many_boxes_are_refused() -> None:
    checkered = np.indices((60, 60)).sum(axis=0) % 2
    with pytest.raises(ExportError, match="too many boxes: 3600"):
        find_paths(Game.TR3, [ground(checkered)])


@each_game
@given(data=st.data())
def test_lists_of_overlaps_are_read_back(game: Game, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 12))
    number = st.integers(0, count - 1)
    pairs = np.array(data.draw(st.lists(st.tuples(number, number), max_size=40)), np.int64).reshape(-1, 2)
    boxes = np.zeros(count, BOX[game])
    flags, bits = np.zeros(len(pairs), np.int64), np.zeros(count, np.int64)
    boxes["overlap"], words = encode_overlaps(game, pairs, flags, count, bits)
    found = decode_overlaps(game, boxes, words)
    assert found.tolist() == sorted(map(list, {tuple(pair) for pair in pairs.tolist()}))


@pytest.mark.parametrize(
    ("game", "overlaps"),
    [(Game.TR2, [0xFFFF, 0xFFFF]), (Game.TR3, [0x7FF, 0xC7FF]), (Game.TR5, [0x7FF, 0xC7FF])],
)
def test_boxes_without_a_list_keep_their_bits_from_tr3_on(game: Game, overlaps: list[int]) -> None:
    none = np.zeros((0, 2), np.int64)
    index, words = encode_overlaps(game, none, none[:, 0], 2, np.array([0, 3]))
    assert index.tolist() == overlaps and not len(words)


def test_no_list_begins_where_later_games_see_none() -> None:
    pairs = np.stack([np.arange(2060) % 2046, (np.arange(2060) * 7 + 1) % 2046], axis=1)
    pairs = np.unique(np.concatenate([pairs, [[0, 2000]]]), axis=0)
    index, words = encode_overlaps(
        Game.TR4, pairs, np.zeros(len(pairs), np.int64), 2046, np.zeros(2046, np.int64)
    )
    assert 0x7FF not in (index & 0x3FFF)[np.isin(np.arange(2046), pairs[:, 0])]
    boxes = np.zeros(2046, BOX[Game.TR4])
    boxes["overlap"] = index
    assert decode_overlaps(Game.TR4, boxes, words).tolist() == pairs.tolist()


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=30))
def test_components_are_connected(pairs: list[tuple[int, int]]) -> None:
    label = list(range(20))
    for a, b in pairs:
        label = [min(label[a], label[b]) if each in (label[a], label[b]) else each for each in label]
    found = components(np.array(pairs, np.int64).reshape(-1, 2), 20).tolist()
    assert len(set(zip(label, found, strict=True))) == len(set(label)) == len(set(found))


def recomputed(level: Level) -> tuple[Pathfinding, NDArray[np.int64], NDArray[np.bool_]]:
    """Return a level's recomputed boxes, its sectors' old boxes, and which exist when not flipped."""
    rules = parse(
        level.floor_data, [room.sectors["floor_data"] for room in level.rooms], trng=level.has_trng_footer
    ).rules
    rooms = []
    for room in level.rooms:
        lists = [decode(level.floor_data, start, rules) for start in room.sectors["floor_data"].tolist()]
        rooms.append(room_ground(room, lists, level.game))
    paths = find_paths(level.game, rooms, [blockable_bits(room.sectors.box, level.boxes) for room in rooms])
    hidden = {room.alternate for room in rooms}
    there = [np.full(len(room.sectors.wall), n not in hidden) for n, room in enumerate(rooms)]
    return paths, np.concatenate([room.sectors.box for room in rooms]).astype(np.int64), np.concatenate(there)


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "tr3-textiles"])
def test_paths_of_generated_levels_can_be_recomputed(name: str) -> None:
    game, variant, options = SAMPLES[name]
    level = read_level(sample_bytes(game, variant, **options))
    paths, _, _ = recomputed(level)
    assert paths.zones.shape == (2, level.zones.shape[1], len(paths.boxes))
    boxes = np.concatenate(paths.sector_boxes)
    assert set(boxes[boxes >= 0].tolist()) == set(range(len(paths.boxes)))


@each_real_level
def test_walkers_reach_the_same_sectors_as_before(level_path: Path) -> None:
    """tr1_test1 is an exception: it is from an editor that gives the surface of water its own boxes."""
    level = read_level(level_path)
    skip_without(level.rooms)
    paths, old, there = recomputed(level)
    new = np.concatenate(paths.sector_boxes).astype(np.int64)
    both = (old >= 0) & (new >= 0) & there
    assert ((old >= 0) != (new >= 0)).sum() <= max(paths.outside, len(old) // 50)
    for kind in range(level.zones.shape[1] - 1):
        before = reachable(level.game, level.boxes, level.overlaps, level.zones[0, kind])[old[both]]
        after = reachable(level.game, paths.boxes, paths.overlaps, paths.zones[0, kind])[new[both]]
        same_before, same_after = (groups[:, None] == groups[None] for groups in (before, after))
        assert (same_before == same_after).mean() > 0.995
        assert (same_before & ~same_after).sum() <= len(before)


@each_game
def test_levels_without_rooms_have_no_boxes(game: Game) -> None:
    paths = find_paths(game, [])
    assert (len(paths.boxes), len(paths.overlaps), paths.sector_boxes) == (0, 0, [])
    assert paths.zones.shape == (2, 3 if game == Game.TR1 else 5, 0)
