"""Tests of the openings of portals between the rooms of a project."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats.editors.projects.geometry.geometry import room_faces
from io_tomb_raider.formats.editors.projects.geometry.openings import (
    ANY,
    PASSABLE,
    Opening,
    ProjectRooms,
    clicks,
)
from io_tomb_raider.formats.editors.projects.model.objects import (
    Direction,
    GhostBlock,
    Opacity,
    ProjectPortal,
)
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.shape import Face, RoomShape

from .geometry_reference import FULL, Reference
from .random_rooms import connect, worlds

NAMES = {None: 0, "XnZp": 1, "XpZp": 2, "XpZn": 3, "XnZn": 4, FULL: 5}
XNZP, XPZP, XPZN, XNZN = 1, 2, 3, 4


def pair(opacity: int = Opacity.NONE) -> tuple[ProjectRoom, ProjectRoom]:
    """Return a room and another above it, each with one inner sector; both are 1024 high."""
    below = ProjectRoom(0, "Below", 0, 0, 0, RoomShape.empty(3, 3, 1024))
    above = ProjectRoom(1, "Above", 0, 1024, 0, RoomShape.empty(3, 3, 1024))
    connect(below, above, Direction.CEILING, (opacity, opacity), 0)
    return below, above


def opening(below: ProjectRoom, above: ProjectRoom, *others: ProjectRoom) -> int:
    """Return what is open without ghost blocks; it is the same from both rooms."""
    rooms = ProjectRooms([below, above, *others])
    found = rooms.openings(below, ANY).ceiling
    assert np.array_equal(found, rooms.openings(above, ANY).floor)
    assert not found[0].any() and not found[:, 0].any()
    return int(found[1, 1])


@given(worlds(), st.sampled_from([(0,), PASSABLE, ANY]))
def test_openings_are_those_of_the_reference(rooms: list[ProjectRoom], opacities: tuple[int, ...]) -> None:
    project, reference = ProjectRooms(rooms), Reference(rooms)
    for room in rooms:
        for ghosts in (False, True):
            found = project.openings(room, opacities, ghosts)
            for surface, floor in ((found.floor, True), (found.ceiling, False)):
                for z, x in np.ndindex(surface.shape):
                    wanted = reference.opening(room, int(x), int(z), floor, opacities, ghosts)
                    assert surface[z, x] == NAMES[wanted]


def test_equal_surfaces_are_open() -> None:
    assert opening(*pair()) == Opening.FULL


def test_force_floor_solid_closes() -> None:
    below, above = pair()
    below.shape.solid_floor[1, 1] = True
    assert opening(below, above) == Opening.FULL  # only the floor's own mark counts
    above.shape.solid_floor[1, 1] = True
    assert opening(below, above) == Opening.CLOSED


@pytest.mark.parametrize("which", [0, 1])
def test_walls_close(which: int) -> None:
    rooms = pair()
    rooms[which].shape.wall[1, 1] = True
    assert opening(*rooms) == Opening.CLOSED


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("corner", [XNZP, XPZP, XPZN, XNZN])
def test_diagonal_walls_are_open_opposite_their_corner(which: int, corner: int) -> None:
    rooms = pair()
    shape = rooms[which].shape
    shape.wall[1, 1] = True
    shape.floor.diagonal[1, 1] = shape.ceiling.diagonal[1, 1] = corner
    assert opening(*rooms) == (corner + 1) % 4 + 1


def test_walls_with_different_diagonals_close() -> None:
    rooms = pair()
    for room, corner in zip(rooms, (XNZP, XPZN), strict=True):
        room.shape.wall[1, 1] = True
        room.shape.floor.diagonal[1, 1] = room.shape.ceiling.diagonal[1, 1] = corner
    assert opening(*rooms) == Opening.CLOSED


@pytest.mark.parametrize(
    ("raised", "x_equals_z", "open_"),
    [
        (XPZN, True, Opening.XNZP),
        (XNZP, True, Opening.XPZN),
        (XNZN, False, Opening.XPZP),
        (XPZP, False, Opening.XNZN),
        # The split has to run along the triangle.
        (XPZN, False, Opening.CLOSED),
        (XNZN, True, Opening.CLOSED),
    ],
)
@pytest.mark.parametrize("which", [0, 1])
def test_three_equal_corners_open_a_triangle(
    which: int, raised: int, x_equals_z: bool, open_: Opening
) -> None:
    rooms = pair()
    surface = rooms[which].shape.floor if which else rooms[which].shape.ceiling
    surface.heights[1, 1, raised - 1] += 256
    surface.x_equals_z[1, 1] = x_equals_z
    assert opening(*rooms) == open_


def test_different_splits_close_even_where_corners_match() -> None:
    below, above = pair()
    below.shape.ceiling.heights[1, 1, 0] += 256
    above.shape.floor.heights[1, 1, 0] += 256
    above.shape.floor.x_equals_z[1, 1] = True
    assert opening(below, above) == Opening.CLOSED
    below.shape.ceiling.x_equals_z[1, 1] = True
    assert opening(below, above) == Opening.FULL


def test_corners_on_the_cut_count_with_the_nearer_height() -> None:
    below, above = pair()
    above.shape.floor.diagonal[1, 1] = XNZP
    above.shape.floor.heights[1, 1] = 512, 512, 0, 512  # the flat triangle, at XpZn, is at 0
    assert opening(below, above) == Opening.XPZN
    above.shape.floor.heights[1, 1] = 0, 512, 0, 512
    assert opening(below, above) == Opening.FULL


def test_room_heights_and_positions_count() -> None:
    below, above = pair()
    above.y += 256
    assert opening(below, above) == Opening.CLOSED
    above.shape.floor.heights[:] = -256
    assert opening(below, above) == Opening.FULL


def test_portal_without_counterpart_is_closed() -> None:
    below, above = pair()
    above.objects.clear()
    assert not ProjectRooms([below, above]).openings(below, ANY).ceiling.any()


def test_portal_to_a_missing_room_is_closed() -> None:
    below, _ = pair()
    assert not ProjectRooms([below]).openings(below, ANY).ceiling.any()


@pytest.mark.parametrize(
    ("opacity", "no_face", "passable"),
    [
        (Opacity.NONE, True, True),
        (Opacity.SOLID_FACES, False, False),
        (Opacity.TRAVERSABLE_FACES, False, True),
    ],
)
def test_opacity_decides_on_faces_and_collision(opacity: int, no_face: bool, passable: bool) -> None:
    below, above = pair(opacity)
    rooms = ProjectRooms([below, above])
    assert (rooms.openings(below).ceiling[1, 1] == Opening.FULL) == no_face
    assert (rooms.collision_openings(below).ceiling[1, 1] == Opening.FULL) == passable
    numbers = set(room_faces(rooms, above).face.tolist())
    assert (Face.FLOOR in numbers) != no_face


def test_open_triangles_have_no_face() -> None:
    below, above = pair()
    above.shape.floor.heights[1, 1, 2] = 256
    above.shape.floor.x_equals_z[1, 1] = True
    rooms = ProjectRooms([below, above])
    faces = room_faces(rooms, above)
    assert Face.FLOOR in faces.face and Face.FLOOR_TRIANGLE_2 not in faces.face
    # The plane below is split along the opening: the triangle at XpZn stays.
    ceiling = room_faces(rooms, below)
    chosen = np.flatnonzero(np.isin(ceiling.face, (Face.CEILING, Face.CEILING_TRIANGLE_2)))
    assert ceiling.face[chosen].tolist() == [Face.CEILING]
    assert ceiling.corners[chosen[0], :3, ::2].tolist() == [[2048, 2048], [2048, 1024], [1024, 1024]]


def test_ghost_blocks_count_for_collision_only() -> None:
    below, above = pair()
    above.objects.append(GhostBlock(9, 1, 1, floor=(256, 256, 256, 256)))
    rooms = ProjectRooms([below, above])
    assert rooms.collision_openings(below).ceiling[1, 1] == Opening.CLOSED
    assert rooms.openings(below).ceiling[1, 1] == Opening.FULL
    above.shape.floor.heights[:] -= 256
    rooms = ProjectRooms([below, above])
    assert rooms.collision_openings(below).ceiling[1, 1] == Opening.FULL
    assert rooms.openings(below).ceiling[1, 1] == Opening.CLOSED


# --- Flip maps -------------------------------------------------------------------------------------


def alternate(room: ProjectRoom, number: int, group: int) -> ProjectRoom:
    """Return a new alternate room of a room."""
    shape = RoomShape.empty(3, 3, 1024)
    room.alternate = group, number
    return ProjectRoom(number, "Alternate", room.x, room.y, room.z, shape, objects=list(room.objects))


def test_an_opening_is_closed_if_it_is_closed_in_an_alternate_room() -> None:
    below, above = pair()
    other = alternate(above, 2, 0)
    assert opening(below, above, other) == Opening.FULL
    other.shape.solid_floor[1, 1] = True
    rooms = ProjectRooms([below, above, other])
    for room in (above, other):
        assert rooms.openings(room).floor[1, 1] == Opening.CLOSED
    assert rooms.openings(below).ceiling[1, 1] == Opening.CLOSED


@pytest.mark.parametrize(("group", "open_"), [(0, Opening.FULL), (1, Opening.CLOSED)])
def test_pairs_of_one_flip_map_change_together(group: int, open_: Opening) -> None:
    below, above = pair()
    others = alternate(below, 2, 0), alternate(above, 3, group)
    others[0].shape.ceiling.heights[1, 1] = 768
    rooms = ProjectRooms([below, above, *others])
    assert rooms.openings(above).floor[1, 1] == rooms.openings(below).ceiling[1, 1] == open_
    assert rooms.openings(others[1]).floor[1, 1] == Opening.CLOSED
    assert rooms.partner(below) is others[0] and rooms.partner(others[0]) is below
    assert rooms.is_alternate(others[0]) and not rooms.is_alternate(below)
    assert rooms.group(others[1]) == group


def test_triangle_after_a_full_opening_stays() -> None:
    """The other way round, the sector is closed."""
    below, above = pair()
    other = alternate(above, 2, 0)
    other.shape.floor.heights[1, 1, 2] = 256
    other.shape.floor.x_equals_z[1, 1] = True
    assert opening(below, above, other) == Opening.XNZP
    above.shape, other.shape = other.shape, above.shape
    assert opening(below, above, other) == Opening.CLOSED


# --- Sectors behind wall portals -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("direction", "move", "sectors", "others"),
    [
        (Direction.POSITIVE_Z, (1, 3), [22, 23], [6, 7]),
        (Direction.NEGATIVE_Z, (1, -3), [2, 3], [16, 17]),
        (Direction.POSITIVE_X, (3, 1), [14, 19], [6, 11]),
        (Direction.NEGATIVE_X, (-3, 1), [10, 15], [8, 13]),
    ],
)
def test_sectors_behind(
    direction: Direction, move: tuple[int, int], sectors: list[int], others: list[int]
) -> None:
    room = ProjectRoom(0, "Room", 10, 0, 10, RoomShape.empty(5, 5))
    other = ProjectRoom(1, "Other", 10 + move[0], 0, 10 + move[1], RoomShape.empty(5, 5))
    connect(room, other, direction, (0, 0), 0)
    rooms = ProjectRooms([room, other])
    (behind,) = rooms.behind(room)
    inner = [index for index, sector in enumerate(behind.sectors.tolist()) if sector in sectors]
    assert len(inner) == len(sectors)
    assert behind.others[inner].tolist() == others
    assert behind.room is other
    # Both are at the same place of the world.
    for own, far in zip(behind.sectors.tolist(), behind.others.tolist(), strict=True):
        assert (room.x + own % 5, room.z + own // 5) == (other.x + far % 5, other.z + far // 5)


def test_sector_behind_can_be_missing() -> None:
    room = ProjectRoom(0, "Room", 0, 0, 0, RoomShape.empty(5, 5))
    other = ProjectRoom(1, "Other", 2, 0, 3, RoomShape.empty(3, 5))
    room.objects.append(ProjectPortal(0, (1, 4, 3, 4), 1, Direction.POSITIVE_Z))
    (behind,) = ProjectRooms([room, other]).behind(room)
    assert behind.others.tolist() == [-1, 3, 4]
    (behind,) = ProjectRooms([room]).behind(room)
    assert behind.room is None and behind.others.tolist() == [-1, -1, -1]


def test_portal_area_beyond_the_room_is_limited() -> None:
    room = ProjectRoom(0, "Room", 0, 0, 0, RoomShape.empty(3, 3))
    room.objects.append(ProjectPortal(0, (-5, -5, 900, 900), 0, Direction.FLOOR))
    room.objects.append(ProjectPortal(1, (7, 7, 2, 2), 0, Direction.POSITIVE_X))
    rooms = ProjectRooms([room])
    assert (rooms.links(room).floor == 0).all() and (rooms.links(room).wall == -1).all()
    room_faces(rooms, room)


def test_clicks_are_rounded_to_even() -> None:
    assert clicks(np.array([128, 384, -128, 300, -300])).tolist() == [0, 2, 0, 1, -1]
