"""Tests of the portals of a project's room in the level."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from io_tomb_raider.formats.editors.projects.geometry.level_portals import LevelPortal, level_portals
from io_tomb_raider.formats.editors.projects.geometry.openings import ANY, Opening, ProjectRooms
from io_tomb_raider.formats.editors.projects.model.objects import (
    Direction,
    GhostBlock,
    Opacity,
    ProjectPortal,
)
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.shape import RoomShape

from .random_rooms import connect, worlds

S = 1024


def portals(room: ProjectRoom, *others: ProjectRoom) -> list[LevelPortal]:
    """Return the level's portals of a room."""
    return level_portals(ProjectRooms([room, *others]), [room])[0]


def beside(direction: Direction) -> tuple[ProjectRoom, ProjectRoom]:
    """Return two rooms of 3 x 3 inner sectors with a wall portal; both are 1024 high, one 256 higher."""
    step = {
        Direction.POSITIVE_Z: (0, 3),
        Direction.NEGATIVE_Z: (0, -3),
        Direction.POSITIVE_X: (3, 0),
        Direction.NEGATIVE_X: (-3, 0),
    }[direction]
    room = ProjectRoom(0, "Room", 10, 512, 10, RoomShape.empty(5, 5, 1024))
    other = ProjectRoom(7, "Other", 10 + step[0], 768, 10 + step[1], RoomShape.empty(5, 5, 1024))
    connect(room, other, direction, (0, 0), 0)
    for portal in room.each(ProjectPortal):  # without the corners
        x0, z0, x1, z1 = portal.area
        portal.area = (x0, 1, x1, 3) if step[0] else (1, z0, 3, z1)
    return room, other


LOW, HIGH = -512, -(768 + 1024)  # from the lowest floor to the highest ceiling of both rooms


@pytest.mark.parametrize(
    ("direction", "normal", "vertices"),
    [
        (
            Direction.POSITIVE_Z,
            [0, 0, -1],
            [(S, HIGH, 4 * S), (4 * S, HIGH, 4 * S), (4 * S, LOW, 4 * S), (S, LOW, 4 * S)],
        ),
        (
            Direction.NEGATIVE_Z,
            [0, 0, 1],
            [(4 * S, HIGH, 1023), (S, HIGH, 1023), (S, LOW, 1023), (4 * S, LOW, 1023)],
        ),
        (
            Direction.POSITIVE_X,
            [-1, 0, 0],
            [(4 * S, LOW, 4 * S), (4 * S, HIGH, 4 * S), (4 * S, HIGH, S), (4 * S, LOW, S)],
        ),
        (
            Direction.NEGATIVE_X,
            [1, 0, 0],
            [(1023, LOW, S), (1023, HIGH, S), (1023, HIGH, 4 * S), (1023, LOW, 4 * S)],
        ),
    ],
)
def test_wall_portals(direction: Direction, normal: list[int], vertices: list[tuple[int, int, int]]) -> None:
    (portal,) = portals(*beside(direction))
    assert portal.room == 7 and portal.index == 0
    assert portal.normal.tolist() == normal
    assert [tuple(vertex) for vertex in portal.vertices.tolist()] == vertices


def test_wall_portals_ignore_ceilings_below_those_behind() -> None:
    """Walls keep heights of any kind: per corner, the higher ceiling and the lower floor count."""
    room, other = beside(Direction.POSITIVE_X)
    room.shape.wall[2, 3] = True
    room.shape.ceiling.heights[2, 3], other.shape.floor.heights[2, 1] = -4096, 2048
    (portal,) = portals(room, other)
    assert sorted(set(portal.vertices[:, 1].tolist())) == [HIGH, LOW]


@pytest.mark.parametrize(
    "direction",
    [Direction.POSITIVE_Z, Direction.NEGATIVE_Z, Direction.POSITIVE_X, Direction.NEGATIVE_X],
)
def test_wall_portals_look_at_the_corners_on_the_wall(direction: Direction) -> None:
    """A slope away from the wall does not count, one on it does."""
    room, other = beside(direction)
    z, x = {
        Direction.POSITIVE_Z: (3, 2),
        Direction.NEGATIVE_Z: (1, 2),
        Direction.POSITIVE_X: (2, 3),
        Direction.NEGATIVE_X: (2, 1),
    }[direction]
    on_wall = {
        Direction.POSITIVE_Z: (0, 1),
        Direction.NEGATIVE_Z: (2, 3),
        Direction.POSITIVE_X: (1, 2),
        Direction.NEGATIVE_X: (0, 3),
    }[direction]
    away = [corner for corner in range(4) if corner not in on_wall]
    room.shape.floor.heights[z, x, away] = -2048
    (portal,) = portals(room, other)
    assert portal.vertices[:, 1].max() == LOW
    room.shape.floor.heights[z, x, on_wall[0]] = -1024
    (portal,) = portals(room, other)
    assert portal.vertices[:, 1].max() == LOW + 1024
    # The other room's sectors are those next to its border, with the corners of the same wall.
    other.shape.ceiling.heights[4 - z if x == 2 else z, 4 - x if z == 2 else x, away] = 4096
    (portal,) = portals(room, other)
    assert portal.vertices[:, 1].min() == -(768 + 4096)


def above_each_other() -> tuple[ProjectRoom, ProjectRoom]:
    """Return a room of 3 x 2 inner sectors and one below it."""
    upper = ProjectRoom(0, "Upper", 10, 1024, 10, RoomShape.empty(5, 4, 1024))
    lower = ProjectRoom(1, "Lower", 10, 0, 10, RoomShape.empty(5, 4, 1024))
    connect(upper, lower, Direction.FLOOR, (0, 0), 0)
    return upper, lower


def set_both(upper: ProjectRoom, lower: ProjectRoom, z: int, x: int, *heights: int) -> None:
    """Set the floor of the upper and the ceiling of the lower room."""
    upper.shape.floor.heights[z, x] = heights
    lower.shape.ceiling.heights[z, x] = np.array(heights) + 1024


def test_level_portals_of_floor_and_ceiling() -> None:
    upper, lower = above_each_other()
    (portal,) = portals(upper, lower)
    assert portal.normal.tolist() == [0, -1, 0]
    assert portal.vertices.tolist() == [
        [S, -1024, S], [S, -1024, 3 * S], [4 * S, -1024, 3 * S], [4 * S, -1024, S],
    ]  # fmt: skip
    (portal,) = portals(lower, upper)
    assert portal.normal.tolist() == [0, 1, 0]
    assert portal.vertices.tolist() == [
        [S, -1025, S], [4 * S, -1025, S], [4 * S, -1025, 3 * S], [S, -1025, 3 * S],
    ]  # fmt: skip


def test_closed_sectors_do_not_count() -> None:
    upper, lower = above_each_other()
    upper.shape.solid_floor[1, :] = upper.shape.solid_floor[:, 3] = True
    (portal,) = portals(upper, lower)
    assert portal.vertices[:, ::2].min(axis=0).tolist() == [S, 2 * S]
    assert portal.vertices[:, ::2].max(axis=0).tolist() == [3 * S, 3 * S]
    upper.shape.solid_floor[:] = True
    assert portals(upper, lower) == []


def test_opacity_and_ghost_blocks_do_not_count() -> None:
    upper, lower = above_each_other()
    for portal in upper.each(ProjectPortal):
        portal.opacity = Opacity.SOLID_FACES
    upper.objects.append(GhostBlock(9, 1, 1, floor=(256, 256, 256, 256)))
    (found,) = portals(upper, lower)
    assert found.vertices[:, 0].min() == S


def test_each_slope_is_a_portal() -> None:
    upper, lower = above_each_other()
    set_both(upper, lower, 1, 2, 0, 512, 512, 0)  # rises along x
    set_both(upper, lower, 2, 3, 256, 256, 0, 0)  # rises along z
    flat, along_x, along_z = portals(upper, lower)
    assert flat.normal.tolist() == [0, -1, 0]
    assert along_x.normal.tolist() == [-1, -2, 0]
    assert along_x.vertices.tolist() == [
        [2 * S, -1024, S], [2 * S, -1024, 2 * S], [3 * S, -1536, 2 * S], [3 * S, -1536, S],
    ]  # fmt: skip
    assert along_z.normal.tolist() == [0, -4, -1]
    assert along_z.vertices[:, 1].tolist() == [-1024, -1280, -1280, -1024]
    ceiling = portals(lower, upper)
    assert [portal.normal.tolist() for portal in ceiling] == [[0, 1, 0], [-1, 2, 0], [0, 4, -1]]
    assert ceiling[1].vertices[:, 1].tolist() == [-1025, -1537, -1537, -1025]


def test_steps_of_one_slope_are_one_portal_at_the_first_height() -> None:
    upper, lower = above_each_other()
    set_both(upper, lower, 2, 3, 256, 256, 256, 256)
    (portal,) = portals(upper, lower)
    assert portal.vertices[:, 1].tolist() == [-1024] * 4
    assert portal.vertices[:, ::2].max(axis=0).tolist() == [4 * S, 3 * S]


def test_triangles_are_two_portals() -> None:
    upper, lower = above_each_other()
    upper.shape.solid_floor[:] = True
    upper.shape.solid_floor[1, 1] = False
    for split, planes in (
        (True, [([-1, -4, 0], [0, 0, 256, 256]), ([0, -4, -1], [0, 256, 256, 0])]),
        (False, [([0, -1, 0], [0, 0, 0, 0]), ([-1, -4, -1], [-256, 0, 256, 0])]),
    ):
        set_both(upper, lower, 1, 1, 0, 256, 0, 0)
        upper.shape.floor.x_equals_z[1, 1] = lower.shape.ceiling.x_equals_z[1, 1] = split
        found = portals(upper, lower)
        assert [(p.normal.tolist(), (-1024 - p.vertices[:, 1]).tolist()) for p in found] == planes


def test_an_open_triangle_gives_a_horizontal_portal() -> None:
    upper, lower = above_each_other()
    upper.shape.solid_floor[:] = True
    upper.shape.solid_floor[1, 1] = False
    set_both(upper, lower, 1, 1, 0, 256, 0, 0)
    lower.shape.ceiling.heights[1, 1, 1] = 1024
    rooms = ProjectRooms([upper, lower])
    assert rooms.openings(upper, ANY).floor[1, 1] == Opening.XNZN
    (portal,) = level_portals(rooms, [upper])[0]
    assert portal.normal.tolist() == [0, -1, 0]


def test_diagonals_are_flat_portals_at_the_flat_height() -> None:
    upper, lower = above_each_other()
    upper.shape.solid_floor[:] = True
    upper.shape.solid_floor[1, 1] = False
    upper.shape.floor.diagonal[1, 1] = 1
    upper.shape.floor.heights[1, 1] = 512, 512, 0, 512
    (portal,) = portals(upper, lower)
    assert portal.normal.tolist() == [0, -1, 0]
    assert portal.vertices[:, 1].tolist() == [-1024] * 4


def test_portals_are_ordered_by_sector_then_wall_floor_ceiling() -> None:
    room = ProjectRoom(0, "Room", 10, 512, 10, RoomShape.empty(5, 5, 1024))
    rooms = [room]
    ways = (
        Direction.CEILING,
        Direction.POSITIVE_Z,
        Direction.FLOOR,
        Direction.NEGATIVE_X,
        Direction.NEGATIVE_Z,
    )
    moves = {
        Direction.CEILING: (0, 1024, 0),
        Direction.FLOOR: (0, -1024, 0),
        Direction.POSITIVE_Z: (0, 0, 3),
        Direction.NEGATIVE_Z: (0, 0, -3),
        Direction.NEGATIVE_X: (-3, 0, 0),
    }
    for way in ways:
        x, y, z = moves[way]
        other = ProjectRoom(len(rooms), "Other", 10 + x, 512 + y, 10 + z, RoomShape.empty(5, 5, 1024))
        connect(room, other, way, (0, 0), 10 * len(rooms))
        rooms.append(other)
    found = level_portals(ProjectRooms(rooms), [room])[0]
    assert [ways[portal.index] for portal in found] == [
        Direction.NEGATIVE_Z,
        Direction.NEGATIVE_X,
        Direction.FLOOR,
        Direction.CEILING,
        Direction.POSITIVE_Z,
    ]


def test_wall_portal_of_an_alternate_room_uses_the_base_room_behind() -> None:
    room, other = beside(Direction.POSITIVE_Z)
    alternates = []
    for base, number in ((room, 20), (other, 21)):
        shape = RoomShape.empty(5, 5, 1024)
        alternates.append(ProjectRoom(number, "", base.x, base.y, base.z, shape, objects=list(base.objects)))
        base.alternate = 0, number
    alternates[1].shape.ceiling.heights[:] = 4096
    rooms = ProjectRooms([room, other, *alternates])
    (portal,) = level_portals(rooms, [alternates[0]])[0]
    assert portal.room == 7 and portal.vertices[:, 1].min() == HIGH


@given(worlds())
def test_random_portals_cover_the_open_sectors(rooms: list[ProjectRoom]) -> None:
    project = ProjectRooms(rooms)
    for room in rooms:
        open_ = project.openings(room, ANY)
        found = level_portals(project, [room])[0]
        for index, portal in enumerate(project.links(room).portals):
            if portal.direction not in (Direction.FLOOR, Direction.CEILING):
                assert [each.index for each in found].count(index) <= 1
                continue
            surface = open_.floor if portal.direction == Direction.FLOOR else open_.ceiling
            covered = np.zeros_like(surface)
            for each in found:
                if each.index == index:
                    (x0, z0), (x1, z1) = (
                        each.vertices[:, ::2].min(axis=0) // S,
                        each.vertices[:, ::2].max(axis=0) // S,
                    )
                    covered[z0:z1, x0:x1] = 1
            assert covered[surface != Opening.CLOSED].all()
            assert bool(covered.any()) == bool((surface != Opening.CLOSED).any())
