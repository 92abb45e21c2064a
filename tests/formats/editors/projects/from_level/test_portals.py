"""Tests of the portals of a level as those of a project, of which each sector can have one of a kind."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from io_tomb_raider.formats import read_level
from io_tomb_raider.formats.editors.projects.from_level.rooms.parts import LevelParts
from io_tomb_raider.formats.editors.projects.from_level.rooms.portals import add_portals
from io_tomb_raider.formats.editors.projects.from_level.rooms.ways import Way, Ways
from io_tomb_raider.formats.editors.projects.model.objects import Direction, ProjectPortal
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests.formats.editors.projects.compile.compile_samples import plain_room
from tests.formats.editors.projects.portal_rules import portal_faults
from tests.real_levels import each_real_level
from tests.sample_levels import SAMPLES, named_sample

LOWER, UPPER = Way(0, Direction.POSITIVE_X, 1), Way(0, Direction.POSITIVE_X, 2)
ALONG = range(2, 6)  # sectors of the world along the border
X = 6


def _rooms() -> list[ProjectRoom]:
    """Return a high room, and two rooms above each other next to it."""
    return [plain_room(0), plain_room(1, 5), plain_room(2, 5, y=3072)]


def _cells(*along: int) -> set[tuple[int, int]]:
    return {(X, z) for z in along}


def _areas(rooms: list[ProjectRoom]) -> list[list[tuple[int, tuple[int, ...]]]]:
    return [[(each.room, each.area) for each in room.each(ProjectPortal)] for room in rooms]


def _added(rooms: list[ProjectRoom], ways: Ways) -> list[str]:
    lost = add_portals(rooms, ways, {}, count(100).__next__)
    assert portal_faults(rooms) == []
    return [each.text(rooms[each.room], [room.name for room in rooms]) for each in lost]


def test_of_overlapping_portals_those_that_match_the_sectors_are_kept() -> None:
    rooms = _rooms()
    ways = Ways(
        {LOWER: _cells(*ALONG), UPPER: _cells(3, 4, 5)},
        {
            (LOWER, 0): _cells(2, 3),
            (LOWER, 1): _cells(2, 3),
            (UPPER, 0): _cells(4, 5),
            (UPPER, 2): _cells(3, 4, 5),
        },
        {LOWER: [_cells(*ALONG)], UPPER: [_cells(3, 4, 5)]},
        {},
    )
    texts = _added(rooms, ways)
    assert _areas(rooms) == [
        [(1, (5, 1, 5, 2)), (2, (5, 3, 5, 4))],
        [(0, (0, 1, 0, 2))],
        [(0, (0, 3, 0, 4))],
    ]
    assert texts == [
        "its portal to Room1 is left out in 2 sectors, (5, 3), (5, 4), where the editor can have only that "
        "to Room2",
        "its portal to Room2 is left out in one sector, (5, 2), where the editor can have only that to Room1",
    ]


def test_portals_of_the_project_stay() -> None:
    rooms = _rooms()
    first = Ways({LOWER: _cells(2, 3)}, {}, {LOWER: [_cells(2, 3)]}, {})
    assert _added(rooms, first) == []
    second = Ways({UPPER: _cells(*ALONG)}, {(UPPER, 0): _cells(*ALONG)}, {UPPER: [_cells(*ALONG)]}, {})
    assert len(_added(rooms, second)) == 1
    assert _areas(rooms)[0] == [(1, (5, 1, 5, 2)), (2, (5, 3, 5, 4))]


def test_a_portal_from_a_room_to_itself_is_reported() -> None:
    rooms = _rooms()
    way = Way(0, Direction.FLOOR, 0)
    assert _added(rooms, Ways({way: {(3, 3)}}, {}, {way: [{(3, 3)}]}, {})) == [
        "its portal to Room0 is not at the border of both rooms"
    ]


def _faults(content: bytes, name: str) -> list[str]:
    parts = LevelParts(Decoded(read_level(content, name=name)))
    rooms = [parts.room(number) for number in range(len(parts.level.rooms))]
    add_portals(rooms, parts.ways, parts.alternates, count().__next__)
    return portal_faults(rooms)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_editor_loads_all_portals(name: str) -> None:
    assert _faults(named_sample(name), "level.trc" if name == "tr5" else "") == []


@each_real_level
def test_the_editor_loads_all_portals_of_real_levels(level_path: Path) -> None:
    assert _faults(level_path.read_bytes(), level_path.name) == []
