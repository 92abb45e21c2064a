"""Tests of the sectors of compiled projects."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, Game, Level
from io_tomb_raider.formats.editors.projects.compile.rooms.floor_data import FloorWriter
from io_tomb_raider.formats.editors.projects.compile.rooms.sectors import CompiledSectors
from io_tomb_raider.formats.editors.projects.model.objects import Direction, GhostBlock, ProjectPortal, Sink
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.shape import (
    XNZN,
    XNZP,
    XPZN,
    XPZP,
    Diagonal,
    RoomShape,
    SectorFlag,
)
from io_tomb_raider.formats.levels.collision.sectors import Sectors
from io_tomb_raider.formats.levels.collision.surfaces import TRIANGLES, Split
from io_tomb_raider.formats.levels.floor.grammar import Rules
from io_tomb_raider.formats.levels.floor.lists import FloorLists
from io_tomb_raider.formats.levels.views.decoded import Decoded

from .compile_samples import compiled, connect, lara, plain_room, project_of, written

# The corner of levels, 2 * (+x) + (+z), of each corner of projects.
LEVEL_CORNER = {XNZN: 0, XNZP: 1, XPZN: 2, XPZP: 3}
# The corners of the triangle on the side -x, then of the other, by "X equals Z".
SIDES = {False: ((XNZN, XNZP, XPZN), (XPZP, XNZP, XPZN)), True: ((XNZP, XNZN, XPZP), (XPZN, XNZN, XPZP))}
SPLITS = {False: Split.FALLING, True: Split.RISING}


def level_of(rooms: list[ProjectRoom], folder: Path, game: Game = Game.TR4) -> Level:
    rooms[0].objects.append(lara(99_999))
    return written(compiled(project_of(rooms, game, folder), folder).level)


def place(room: ProjectRoom, z: int, x: int) -> int:
    return x * room.shape.z_sectors + z


def seen(level: Level) -> Sectors:
    return Decoded(level).sectors


def heights_of(surface: object, row: int, triangle: int, corners: tuple[int, ...]) -> list[int]:
    """Return the height of corners, upwards, in a triangle of a level's surface."""
    heights: NDArray[np.int32] = surface.heights
    return [-int(heights[row, triangle, LEVEL_CORNER[corner]]) for corner in corners]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(st.integers(-2, 2), min_size=8, max_size=8),
    x_equals_z=st.booleans(),
    y=st.sampled_from((0, 1024, -2560)),
)
def test_floors_and_ceilings_keep_their_heights(
    steps: list[int], x_equals_z: bool, y: int, tmp_path: Path
) -> None:
    room = plain_room(0, y=y, size=(3, 3))
    shape = room.shape
    shape.floor.heights[1, 1] = np.array(steps[:4]) * 256
    shape.ceiling.heights[1, 1] = 2048 + np.array(steps[4:]) * 256
    shape.floor.x_equals_z[:] = shape.ceiling.x_equals_z[:] = x_equals_z
    sectors = seen(level_of([room], tmp_path))
    row = place(room, 1, 1)
    for surface, own in ((sectors.floor, shape.floor), (sectors.ceiling, shape.ceiling)):
        four = own.heights[1, 1]
        for triangle, corners in enumerate(SIDES[x_equals_z]):
            assert heights_of(surface, row, triangle, corners) == [y + int(four[each]) for each in corners]
        if int(four[XPZP] - four[XPZN]) != int(four[XNZP] - four[XNZN]):
            assert surface.split[row] == SPLITS[x_equals_z]


@pytest.mark.parametrize("corner", [each for each in Diagonal if each])
@pytest.mark.parametrize("rise", [3, -3])
def test_diagonal_steps_have_two_levels(corner: int, rise: int, tmp_path: Path) -> None:
    room = plain_room(0, size=(3, 3))
    floor, ceiling = room.shape.floor, room.shape.ceiling
    opposite = (corner + 1) % 4
    floor.diagonal[1, 1] = ceiling.diagonal[1, 1] = corner
    floor.heights[1, 1] = rise * 256
    floor.heights[1, 1, opposite] = 0
    floor.heights[1, 1, corner - 1] += 256  # a slope in the upper triangle
    ceiling.heights[1, 1] = 3072 + rise * 256
    ceiling.heights[1, 1, opposite] = 3072
    sectors = seen(level_of([room], tmp_path))
    row, x_equals_z = place(room, 1, 1), corner % 2 == 1
    for triangle, corners in enumerate(SIDES[x_equals_z]):
        flat = opposite in corners
        expected = [0] * 3 if flat else [int(floor.heights[1, 1, each]) for each in corners]
        assert heights_of(sectors.floor, row, triangle, corners) == expected
        level = 3072 + (0 if flat else rise * 256)
        assert heights_of(sectors.ceiling, row, triangle, corners) == [level] * 3
    assert sectors.floor.split[row] == sectors.ceiling.split[row] == SPLITS[x_equals_z]


@pytest.mark.parametrize("corner", [each for each in Diagonal if each])
def test_diagonal_walls_are_solid_in_one_triangle(corner: int, tmp_path: Path) -> None:
    room = plain_room(0, size=(3, 3))
    room.shape.wall[1, 1] = True
    room.shape.floor.diagonal[1, 1] = room.shape.ceiling.diagonal[1, 1] = corner
    sectors = seen(level_of([room], tmp_path))
    row, x_equals_z = place(room, 1, 1), corner % 2 == 1
    assert not sectors.wall[row]
    for triangle, corners in enumerate(SIDES[x_equals_z]):
        floor = heights_of(sectors.floor, row, triangle, corners)
        ceiling = heights_of(sectors.ceiling, row, triangle, corners)
        if corner - 1 in corners:
            assert all(one > other for one, other in zip(floor, ceiling, strict=True))
        else:
            assert floor == [0] * 3 and ceiling == [3072] * 3


def test_ghost_blocks_move_collision_only(tmp_path: Path) -> None:
    room = plain_room(0)
    room.objects.append(GhostBlock(1, 2, 3, (256,) * 4, (-512,) * 4))
    level = level_of([room], tmp_path)
    record = level.rooms[0].sectors[place(room, 3, 2)]
    assert (int(record["floor"]), int(record["ceiling"])) == (-1, -10)
    assert level.rooms[0].y_bottom == 0


def test_portals_open_sectors(tmp_path: Path) -> None:
    rooms = [plain_room(0), plain_room(1, x=5), plain_room(2, y=-3072), plain_room(3, x=5, y=-3072)]
    connect(rooms[0], rooms[1], Direction.POSITIVE_X, (10, 11))
    connect(rooms[0], rooms[2], Direction.FLOOR, (12, 13))
    connect(rooms[1], rooms[3], Direction.FLOOR, (14, 15), opacity=1)
    rooms[0].shape.solid_floor[2, 2] = True
    level = level_of(rooms, tmp_path)
    sectors = seen(level)
    first = rooms[0]
    assert sectors.portal[place(first, 1, 5)] == 1 and sectors.wall[place(first, 1, 5)]
    assert sectors.room_below[place(first, 1, 1)] == 2 and sectors.room_below[place(first, 2, 2)] == -1
    above = level.rooms[2].sectors[place(rooms[2], 1, 1)]
    assert int(above["room_above"]) == 0
    assert int(level.rooms[1].sectors[place(rooms[1], 1, 1)]["room_below"]) == 0xFF  # solid faces


def test_triangles_can_be_open(tmp_path: Path) -> None:
    rooms = [plain_room(0), plain_room(1, y=-3072)]
    connect(rooms[0], rooms[1], Direction.FLOOR, (12, 13))
    rooms[0].shape.floor.heights[1, 1, XPZN] = 512
    rooms[0].shape.floor.x_equals_z[1, 1] = True
    sectors = seen(level_of(rooms, tmp_path))
    row = place(rooms[0], 1, 1)
    assert sectors.room_below[row] == 1 and sectors.floor.split[row] == Split.RISING
    assert sectors.floor.open_triangle[row] == 0  # the triangle at XnZp is on the side -x
    assert TRIANGLES[Split.RISING, 0, 0] == LEVEL_CORNER[XNZP]
    over = 36 + place(rooms[1], 1, 1)
    assert sectors.room_above[over] == 0 and sectors.ceiling.open_triangle[over] == 0


def test_walls_next_to_a_portal_open_into_the_room_above(tmp_path: Path) -> None:
    below, above = plain_room(0), plain_room(1, y=3072)
    below.objects.append(ProjectPortal(10, (1, 1, 2, 2), 1, Direction.CEILING))
    above.objects.append(ProjectPortal(11, (1, 1, 2, 2), 0, Direction.FLOOR))
    below.shape.wall[2, 3] = True  # next to the portal; the room above is free there
    level = level_of([below, above], tmp_path)
    record = level.rooms[0].sectors[place(below, 2, 3)]
    assert (int(record["floor"]), int(record["ceiling"])) == (-12, -12)
    assert seen(level).portal[place(below, 2, 3)] == 1
    # A wall that is not next to it.
    assert int(level.rooms[0].sectors[place(below, 4, 5)]["floor"]) == -127


def test_marks_of_sectors(tmp_path: Path) -> None:
    room = plain_room(0)
    room.shape.flags[1, 2] = SectorFlag.DEATH | SectorFlag.MONKEY | SectorFlag.CLIMB_NEGATIVE_Z
    room.shape.flags[2, 2] = SectorFlag.TRIGGER_TRIGGERER | SectorFlag.BEETLE | SectorFlag.CLIMB_POSITIVE_X
    sectors = seen(level_of([room], tmp_path))
    one, other = place(room, 1, 2), place(room, 2, 2)
    assert sectors.death[one] and sectors.monkey_swing[one] and sectors.climb[one] == 4
    assert sectors.deferred[other] and sectors.beetle[other] and sectors.climb[other] == 2
    old = seen(level_of([plain_with(room)], tmp_path, Game.TR1))
    assert old.death[one] and not old.monkey_swing[one] and not old.climb[one]


def plain_with(room: ProjectRoom) -> ProjectRoom:
    made = plain_room(0)
    made.shape.flags[:] = room.shape.flags
    return made


def test_sectors_for_boxes_have_boxes_of_their_own(tmp_path: Path) -> None:
    room = plain_room(0)
    room.shape.flags[2, 2] = SectorFlag.BOX
    room.shape.flags[1, 1] = SectorFlag.NOT_WALKABLE
    level = level_of([room], tmp_path)
    boxes = seen(level).box
    own = boxes[place(room, 2, 2)]
    assert (boxes == own).sum() == 1 and boxes[place(room, 1, 1)] == -1
    assert level.boxes["overlap"][own] & 0x8000


def test_rooms_without_pathfinding_have_no_boxes(tmp_path: Path) -> None:
    room = plain_room(0)
    room.no_pathfinding = True
    assert (seen(level_of([room], tmp_path)).box == -1).all()


def test_sinks_name_the_box_around_them(tmp_path: Path) -> None:
    room, dry = plain_room(0), plain_room(1, 20)
    room.shape.floor.heights[:, 3:] = -256
    dry.no_pathfinding = True
    room.objects += [lara(9), Sink(10, (3.5 * 1024, 0, 1536), strength=2)]
    dry.objects.append(Sink(11, (1536, 0, 1536)))
    result = compiled(project_of([room, dry], Game.TR4, tmp_path), tmp_path)
    own = int(Decoded(result.level).sectors.box[place(room, 1, 3)])
    assert result.level.cameras["flags"].tolist() == [own, 0x7FF] and own > 0
    assert [each for each in result.log.warnings if "sink" in each] == [
        "Room1: a sink is outside of all boxes, so its current has no target"
    ]


def test_floors_of_old_games_are_planes(tmp_path: Path) -> None:
    room = plain_room(0)
    room.shape.floor.heights[2, 2] = (0, 0, 256, 256)  # XnZp, XpZp, XpZn, XnZn: lower to the north
    level = level_of([room], tmp_path, Game.TR1)
    sectors = seen(level)
    row = place(room, 2, 2)
    assert sectors.floor.split[row] == Split.NONE
    assert heights_of(sectors.floor, row, 0, (XNZN, XNZP, XPZN, XPZP)) == [256, 0, 256, 0]


def test_equal_lists_are_shared_if_needed(tmp_path: Path) -> None:
    room = plain_room(0)
    room.shape.flags[1:5, 1:5] = SectorFlag.DEATH
    project = project_of([room], Game.TR4, tmp_path)
    assert len(compiled(project, tmp_path).level.floor_data) == 1 + 16
    project.settings.aggressive_floor_data_packing = True
    level = compiled(project, tmp_path).level
    assert len(level.floor_data) == 2 and len(FloorLists.read(level).data.starts) == 1


def test_too_many_lists_are_an_error() -> None:
    count = 40_000
    words = np.zeros((count, 4), np.uint16)
    words[:, 0], words[:, 1] = 2, np.arange(count)
    none = np.zeros(count, np.int32)
    records = np.zeros(count, [("floor_data", "<u2")])
    rooms = [CompiledSectors(records, words, np.full(count, 2), np.zeros(count, np.int64), none, none)]
    with pytest.raises(ExportError, match="position"):
        FloorWriter(Rules(), shared=False).write(rooms, [{}], [1])
    words[:, 1] = 7
    assert len(FloorWriter(Rules(), shared=False).write(rooms, [{}], [1])) == 3
    assert RoomShape.empty(3, 3).x_sectors == 3
