"""Edits of an injection after edits of its level: numbers follow, and replaced edits are removed."""

from __future__ import annotations

import copy
import struct
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.edits.injections.correspondence import ElementNumbers
from io_tomb_raider.formats.edits.injections.following import Followed, follow
from io_tomb_raider.formats.levels.floor.floor_data import decode, encode
from io_tomb_raider.formats.levels.floor.functions import Action, ActionType, Trigger
from io_tomb_raider.formats.levels.injections.kinds import BlockId, FloorEdit
from io_tomb_raider.formats.levels.injections.trxj import Injection, read_trxj
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests.sample_levels import sample_bytes

from .samples import sector, trxj

pytestmark = pytest.mark.once

each_game = pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3])


def numbering(level: Level, **gone: int) -> ElementNumbers:
    """Return the numbers of a level after one element of some kinds was deleted, the kinds by name."""
    maps: dict[str, Any] = {}
    for kind, count in (
        ("rooms", len(level.rooms)),
        ("entities", len(level.entities)),
        ("cameras", len(level.cameras)),
    ):
        numbers = np.arange(count)
        if kind in gone:
            numbers = np.where(numbers == gone[kind], -1, numbers - (numbers > gone[kind]))
        maps[kind] = numbers
    sources = [old for old in range(len(level.rooms)) if maps["rooms"][old] >= 0]
    return ElementNumbers(sources, maps["rooms"], maps["entities"], maps["cameras"])


def followed(before: Level, after: Level, injection: Injection, **gone: int) -> Followed:
    return follow(injection, Decoded(before), Decoded(after), numbering(before, **gone), {}, {})


def levels(game: Game) -> tuple[Level, Level]:
    before = read_level(sample_bytes(game))
    return before, before.copy()


def without_entity(level: Level, number: int) -> None:
    level.entities = np.delete(level.entities, number)


def block(game: Game, *blocks: tuple[int, int, bytes], tests: tuple[int, bytes] = (0, b"")) -> Injection:
    return read_trxj(trxj(11, blocks, tests=tests), game)


@each_game
def test_triggers_of_edits_follow_their_targets(game: Game) -> None:
    before, after = levels(game)
    without_entity(after, 1)
    count = len(before.entities)
    actions = [Action(ActionType.OBJECT, each) for each in (0, 1, 3, count)]  # the last is a new item
    words = encode([Trigger(0, actions=tuple(actions))])
    new_item = struct.pack("<2ih3i2hHi", 0, 5, 0, 1, 2, 3, 0, 0, 0, 0)
    data = struct.pack(f"<i{len(words)}H", len(words), *words)
    parameter = struct.pack("<B2h", ActionType.OBJECT, 3, 2)
    gone = struct.pack("<B2h", ActionType.OBJECT, 1, 2)
    edits = (4, new_item), (2, data), (0, parameter), (0, gone)
    made = followed(before, after, block(game, (17, 1, sector(0, 3, 3, *edits))), entities=1)
    (record,) = made.injection.records(BlockId.FLOOR)
    assert [each["type"] for each in record["edits"]] == [4, 2, 0]
    (trigger,) = decode(np.array([0, *record["edits"][1]["words"]], np.uint16), 1)
    assert isinstance(trigger, Trigger)
    assert [each.parameter for each in trigger.actions] == [0, 2, count - 1]
    assert (record["edits"][2]["old"], record["edits"][2]["new"]) == (2, 1)
    assert made.removed == {"targets of triggers": 1}


@each_game
def test_moved_items_and_cameras_are_not_moved_back(game: Game) -> None:
    before, after = levels(game)
    after.entities = after.entities.copy()
    after.entities["x"][1] += 1024
    after.cameras = after.cameras.copy()
    after.cameras["flags"][0] += 1
    items = b"".join(struct.pack("<2h3ih", number, 0, 1, 2, 3, 0) for number in (0, 1, 2))
    cameras = b"".join(struct.pack("<h3ihH", number, 1, 2, 3, 0, 0) for number in (0, 1))
    made = followed(before, after, block(game, (18, 3, items), (24, 2, cameras)))
    assert [each["item"] for each in made.injection.records(18)] == [0, 2]
    assert [each["camera"] for each in made.injection.records(24)] == [1]


@each_game
def test_edits_of_deleted_objects_are_removed(game: Game) -> None:
    before, after = levels(game)
    model, other = before.models["id"][:2].tolist()
    after.models = after.models[1:]
    links = b"".join(struct.pack("<4i", 0, each, 0, other) for each in (model, other, 3000))
    made = followed(before, after, block(game, (36, 3, links)))
    assert [each["object"]["id"] for each in made.injection.records(36)] == [other, 3000]


@each_game
def test_tests_follow_too(game: Game) -> None:
    before, after = levels(game)
    after.rooms = [room for number, room in enumerate(after.rooms) if number != 1]
    count = len(before.rooms)
    tests = struct.pack("<2i", 1, count) + struct.pack("<6i2H", 2, 1, 0, 0, 0, 0, 4, 4)
    made = followed(
        before, after, block(game, (36, 1, struct.pack("<4i", 0, 1, 0, 2)), tests=(2, tests)), rooms=1
    )
    assert made.injection.tests == [{"type": 1, "rooms": count - 1}]
    assert made.removed == {"tests": 1}


@each_game
def test_edits_of_faces_are_dropped_with_a_changed_mesh(game: Game) -> None:
    before, after = levels(game)
    after.rooms[1].vertices = after.rooms[1].vertices[:-1]
    turns = b"".join(struct.pack("<ihihB", 3, room, 0, 0, 1) for room in (0, 1))
    portals = b"".join(struct.pack("<3h12h", room, 1, 0, *range(12)) for room in (0, 2))
    made = followed(before, after, block(game, (22, 2, turns), (23, 2, portals)))
    assert [each["room"] for each in made.injection.records(22)] == [0]
    assert len(made.injection.records(23)) == 2


@each_game
def test_sectors_follow_a_room_that_grows_at_its_corner(game: Game) -> None:
    before, after = levels(game)
    room = after.rooms[0]
    grid = room.sectors.reshape(room.x_sectors, room.z_sectors)
    grown = np.concatenate([grid[:1], grid])
    room.x, room.x_sectors, room.sectors = room.x - 1024, room.x_sectors + 1, grown.ravel()
    climb = (11, struct.pack("<i", 4))
    item = struct.pack("<2h3ih", 0, 0, 5000, 2, 3, 0)
    made = followed(before, after, block(game, (17, 1, sector(0, 5, 4, climb)), (18, 1, item)))
    (record,) = made.injection.records(BlockId.FLOOR)
    assert (record["x"], record["z"]) == (6, 4)
    assert made.injection.records(18)[0]["x"] == 5000


@each_game
def test_pages_and_textures_that_are_gone_or_changed(game: Game) -> None:
    before, after = levels(game)
    after.object_textures = after.object_textures.copy()
    after.object_textures[1]["attribute"] ^= 1
    page = struct.pack("<H2B2H", 99, 0, 0, 1, 1) + bytes(4)
    ranges = b"".join(struct.pack("<2iH", 0, 1, texture) for texture in (0, 1))
    made = followed(before, after, block(game, (20, 1, page), (35, 2, ranges)))
    assert not made.injection.records(20)
    assert [each["textures"] for each in made.injection.records(35)] == [[0]]


@each_game
def test_an_unchanged_level_keeps_everything(game: Game) -> None:
    before, after = levels(game)
    room = before.rooms[0]
    edits = [(11, struct.pack("<i", 4)), (5, struct.pack("<HBB", room.flags, 0, 255)), (15, b"\x03")]
    original = block(game, (17, 1, sector(0, 5, 4, *edits)), (18, 1, struct.pack("<2h3ih", 0, 0, 1, 2, 3, 0)))
    made = followed(before, after, copy.deepcopy(original))
    assert made.injection.to_bytes() == original.original
    assert not made.removed and not made.openings


@each_game
def test_records_of_older_versions_get_the_fields_of_newer_ones(game: Game) -> None:
    data = trxj(7, [(17, 1, sector(0, 0, 0, (5, struct.pack("<H", 1))))])
    injection = read_trxj(data, game)
    injection.upgrade(10)
    edit: dict[str, Any] = injection.records(BlockId.FLOOR)[0]["edits"][0]
    assert edit == {"type": FloorEdit.ROOM_PROPERTIES, "flags": 1, "reverb": 0, "flip_group": 255}
    assert read_trxj(injection.to_bytes(), game).records(BlockId.FLOOR)[0]["edits"] == [edit]
