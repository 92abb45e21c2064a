"""Boxes, overlaps and zones of projects, against the judge and in small rooms."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.pathfinding.boxes import Pathfinding
from io_tomb_raider.formats.projects.compile.boxes import project_paths
from io_tomb_raider.formats.projects.compile.log import Log
from io_tomb_raider.formats.projects.compile.plan import CompileTarget, Plan, in_order
from io_tomb_raider.formats.projects.files import read_any_project
from io_tomb_raider.formats.projects.objects import Direction, GhostBlock, Opacity, Portal
from io_tomb_raider.formats.projects.openings import ProjectRooms
from io_tomb_raider.formats.projects.repair import repaired_rooms
from io_tomb_raider.formats.projects.rooms import Room, RoomType
from io_tomb_raider.formats.projects.shape import RoomShape, SectorFlag
from tests.formats.projects.box_reference import Judge
from tests.formats.projects.compile.compile_samples import connect, plain_room
from tests.real_levels import real_projects

JUMP, END = 0x800, 0x8000
CLICK = 256
NO_WORDS = 0x3FFF
GAMES = (Game.TR1, Game.TR3, Game.TR4)
SEEDS = 30


def paths_of(rooms: list[Room], game: Game = Game.TR4) -> Pathfinding:
    """Return the boxes of rooms."""
    return project_paths(Plan(CompileTarget(game), rooms, Log()), ProjectRooms(rooms))


def check(rooms: list[Room], game: Game) -> None:
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


# --- Random projects ---------------------------------------------------------------------------


def random_rooms(seed: int) -> list[Room]:
    """Return a grid of rooms with rooms below some of them, flip maps, water, slopes and marks."""
    random = np.random.default_rng(seed)
    size, along = int(random.integers(5, 9)), 3
    corner = 0 if seed % 5 == 0 else 12  # near the origin, the editor does something else
    rooms: dict[tuple[int, int, int], Room] = {}
    for column in range(along):
        for row in range(2):
            for story in (0, -1) if random.random() < 0.6 else (0,):
                number = len(rooms)
                room = Room(
                    number, f"Room {number}", corner + column * (size - 2), story * 1024,
                    corner + row * (size - 2), random_shape(random, size, random.random() < 0.6),
                )  # fmt: skip
                wet = 0.7 if story else 0.2
                room.kind = RoomType.WATER if random.random() < wet else RoomType.NORMAL
                room.no_pathfinding = bool(random.random() < 0.05)
                rooms[column, row, story] = room
    counter = iter(range(1000, 9000))

    def portal(room: Room, area: tuple[int, int, int, int], to: Room, way: Direction) -> None:
        opacity = int(random.choice([Opacity.NONE] * 8 + [Opacity.SOLID_FACES, Opacity.TRAVERSABLE_FACES]))
        room.objects.append(Portal(next(counter), area, to.number, way, opacity))

    end = size - 1
    for (column, row, story), room in rooms.items():
        for step_x, step_z, ways in (
            (1, 0, (Direction.POSITIVE_X, Direction.NEGATIVE_X)),
            (0, 1, (Direction.POSITIVE_Z, Direction.NEGATIVE_Z)),
        ):
            other = rooms.get((column + step_x, row + step_z, story))
            if other is None or random.random() < 0.2:
                continue
            low = int(random.integers(1, end))
            high = end - 1 if random.random() < 0.7 else int(random.integers(low, end))
            low = 1 if random.random() < 0.7 else low
            own = (end, low, end, high) if step_x else (low, end, high, end)
            theirs = (0, low, 0, high) if step_x else (low, 0, high, 0)
            portal(room, own, other, ways[0])
            if random.random() < 0.95:
                portal(other, theirs, room, ways[1])
        below = rooms.get((column, row, -1))
        if story == 0 and below is not None:
            x, z = random.integers(1, end, 2).tolist()
            area = (x, z, int(random.integers(x, end)), int(random.integers(z, end)))
            portal(room, area, below, Direction.FLOOR)
            portal(below, area, room, Direction.CEILING)
            room.shape.floor.heights[area[1] : area[3] + 1, area[0] : area[2] + 1] = 0
            room.shape.floor.diagonal[area[1] : area[3] + 1, area[0] : area[2] + 1] = 0
            below.shape.ceiling.heights[area[1] : area[3] + 1, area[0] : area[2] + 1] = 1024
            below.shape.ceiling.diagonal[area[1] : area[3] + 1, area[0] : area[2] + 1] = 0
    result = list(rooms.values())
    for base in list(result):
        if random.random() < 0.2:
            alternate = Room(
                len(result), "flipped", base.x, base.y, base.z, random_shape(random, size, True)
            )  # fmt: skip
            alternate.kind = base.kind if random.random() < 0.6 else RoomType.WATER
            alternate.objects = [
                Portal(next(counter), each.area, each.room, each.direction, each.opacity)
                for each in base.each(Portal)
            ]
            base.alternate = int(random.integers(0, 2)), alternate.number
            result.append(alternate)
    for room in result:
        if random.random() < 0.2:
            offsets = random.integers(-2, 3, 4) * CLICK
            ghost = tuple(offsets.tolist())
            room.objects.append(GhostBlock(next(counter), 2, 2, ghost, (0, 0, 0, 0)))
    return result


def random_shape(random: np.random.Generator, size: int, flat: bool) -> RoomShape:
    """Return sectors with steps, slopes and marks."""
    shape = RoomShape.empty(size, size)
    shape.ceiling.heights[:] = 1024

    def patch(values: NDArray[np.int64]) -> None:
        x, z = random.integers(0, size, 2).tolist()
        wide, deep = random.integers(1, 4, 2).tolist()
        shape.floor.heights[z : z + deep, x : x + wide] = values

    for _ in range(1 if flat else 4):
        patch(random.choice([0, 256, 512, -256, -768]) * np.ones(4, np.int64))
    for _ in range(1 if flat else 3):
        patch(random.choice([0, 256, 768, -768, 1024], 4))
    shape.wall |= random.random((size, size)) < (0.03 if flat else 0.1)
    cut = shape.wall & (random.random((size, size)) < 0.3)
    shape.floor.diagonal[cut], shape.ceiling.diagonal[cut] = 1, 1
    marks = [SectorFlag.MONKEY, SectorFlag.BOX, SectorFlag.NOT_WALKABLE]
    for mark, chance in zip(marks, random.choice([0.0, 0.05, 0.3], 3), strict=True):
        shape.flags[random.random((size, size)) < chance] |= mark
    return shape


@pytest.mark.parametrize("seed", range(SEEDS))
def test_boxes_are_those_of_the_judge(seed: int) -> None:
    check(random_rooms(seed), GAMES[seed % len(GAMES)])


def test_samples_have_the_boxes_of_the_judge() -> None:
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


def test_a_start_below_a_step_makes_another_box_than_one_beside_it() -> None:
    """Boxes overlap: in an L-shaped floor, each sector grows the rectangle that it finds."""
    room = plain_room(0, 1, 1, size=(6, 6))
    room.shape.wall[3:5, 3:5] = True
    found = paths_of([room])
    sides = {tuple(int(row[name]) for name in ("x_min", "z_min", "x_max", "z_max")) for row in found.boxes}
    assert sides == {(2, 2, 6, 4), (2, 2, 4, 6)}


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
