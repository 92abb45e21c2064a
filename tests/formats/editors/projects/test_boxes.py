"""Boxes, overlaps and zones of projects, against the judge and in small rooms."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.projects.compile.boxes.boxes import project_paths
from io_tomb_raider.formats.editors.projects.compile.plan.log import Log
from io_tomb_raider.formats.editors.projects.compile.plan.plan import CompileTarget, Plan, in_order
from io_tomb_raider.formats.editors.projects.files import read_any_project
from io_tomb_raider.formats.editors.projects.geometry.openings import ProjectRooms
from io_tomb_raider.formats.editors.projects.geometry.repair import repaired_rooms
from io_tomb_raider.formats.editors.projects.model.objects import Direction, ProjectPortal
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.levels.pathfinding.boxes import Pathfinding
from tests.formats.editors.projects.box_reference import Judge
from tests.formats.editors.projects.compile.compile_samples import connect, plain_room
from tests.formats.editors.projects.random_grids import random_rooms
from tests.real_levels import real_projects

JUMP, END = 0x800, 0x8000
CLICK = 256
NO_WORDS = 0x3FFF
GAMES = (Game.TR1, Game.TR3, Game.TR4)
SEEDS = 30


def paths_of(rooms: list[ProjectRoom], game: Game = Game.TR4) -> Pathfinding:
    """Return the boxes of rooms."""
    return project_paths(Plan(CompileTarget(game), rooms, Log()), ProjectRooms(rooms))


def check(rooms: list[ProjectRoom], game: Game) -> None:
    """Compare boxes with those of the judge."""
    found, judge = paths_of(rooms, game), Judge(rooms, game)
    scale = 1024 if game is Game.TR1 else 1
    sides = [
        [row[name] // scale for name in ("x_min", "z_min", "x_max", "z_max", "floor")] for row in found.boxes
    ]
    assert sides == [
        [box.x0, box.z0, box.x1 + 1, box.z1 + 1, -CLICK * box.height // scale] for box in judge.boxes
    ]
    overlap = found.boxes["overlap"].astype(np.int64)
    assert (overlap & 0x3FFF).tolist() == judge.starts
    assert (overlap & 0x8000 != 0).tolist() == [box.alone for box in judge.boxes]
    assert found.overlaps.tolist() == judge.words
    for room, own in zip(rooms, found.sector_boxes, strict=True):
        expected = judge.sectors[room.number]
        np.testing.assert_array_equal(own.reshape(room.shape.x_sectors, -1).T, expected)
    kinds = (0, 1, 4) if game is Game.TR1 else range(5)
    assert found.zones.tolist() == [[judge.zones[state][kind] for kind in kinds] for state in (0, 1)]


@pytest.mark.parametrize("seed", range(SEEDS))
def test_boxes_are_those_of_the_judge(seed: int) -> None:
    check(random_rooms(seed), GAMES[seed % len(GAMES)])


def test_boxes_of_projects_equal_those_of_the_reference() -> None:
    for path in real_projects():
        if path.stat().st_size < 300_000:
            project = read_any_project(path)
            check(in_order(repaired_rooms(project.rooms), rearrange=False), Game.TR4)


# --- Small rooms, with numbers that are known without the judge ----------------------------------


def test_boxes_continue_in_the_next_room() -> None:
    one, other = plain_room(0, 1, 1, size=(5, 4)), plain_room(1, 4, 1, size=(6, 4))
    connect(one, other, Direction.POSITIVE_X, (2, 3))
    found = paths_of([one, other])
    assert len(found.boxes) == 1
    assert [int(found.boxes[0][name]) for name in ("x_min", "x_max", "z_min", "z_max")] == [2, 9, 2, 4]
    assert int(found.boxes[0]["overlap"]) == NO_WORDS


def test_sectors_of_an_l_shaped_floor_give_overlapping_boxes() -> None:
    """Boxes overlap: in an L-shaped floor, each sector grows the rectangle that it finds."""
    room = plain_room(0, 1, 1, size=(6, 6))
    room.shape.wall[3:5, 3:5] = True
    found = paths_of([room])
    sides = {tuple(int(row[name]) for name in ("x_min", "z_min", "x_max", "z_max")) for row in found.boxes}
    assert sides == {(2, 2, 6, 4), (2, 2, 4, 6)}


def test_rooms_without_floors_have_no_boxes() -> None:
    room = plain_room(0, 1, 1)
    room.shape.wall[:] = True
    for rooms in ([], [room]):
        found = paths_of(rooms)
        assert len(found.boxes) == len(found.overlaps) == 0 and found.zones.shape == (2, 5, 0)


def test_portals_in_a_circle_end() -> None:
    rooms = [plain_room(number, 9, 9, size=(5, 5)) for number in range(3)]
    for room in rooms:
        next_room = (room.number + 1) % 3
        room.objects = [ProjectPortal(10 + room.number, (4, 1, 4, 3), next_room, Direction.POSITIVE_X)]
        room.shape.floor.heights[2] = -3 * CLICK
    assert len(paths_of(rooms).boxes)


def test_gaps_are_jumped_over_in_new_games_only() -> None:
    room = plain_room(0, 1, 1, size=(7, 3))
    room.shape.floor.heights[1, 3] = -3 * CLICK
    found = paths_of([room])
    ends = found.boxes["overlap"].tolist()
    assert found.boxes["x_min"].tolist() == [2, 4, 5]
    # Beside the gap: down into it, and over it.
    assert [int(word) for word in found.overlaps[ends[0] : ends[1]]] == [1, JUMP | 2 | END]
    assert not (paths_of([room], Game.TR3).overlaps & JUMP).any()


def test_large_projects_take_a_moment() -> None:
    rooms = [plain_room(number, 1 + 18 * number, 1, size=(20, 20)) for number in range(12)]
    for one, other in pairwise(rooms):
        connect(one, other, Direction.POSITIVE_X, (1000 + 2 * one.number, 1001 + 2 * one.number))
    start = time.process_time()
    assert paths_of(rooms).sector_boxes[5].reshape(20, 20)[1:-1, 1:-1].min() >= 0
    assert time.process_time() - start < 1.0  # one sector after the other: minutes
