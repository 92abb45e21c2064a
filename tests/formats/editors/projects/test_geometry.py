"""Tests of the geometry of a project's rooms."""

from __future__ import annotations

import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from io_tomb_raider.formats.editors.projects.geometry.faces import Faces
from io_tomb_raider.formats.editors.projects.geometry.geometry import room_faces
from io_tomb_raider.formats.editors.projects.geometry.openings import ProjectRooms
from io_tomb_raider.formats.editors.projects.model.objects import Direction, Opacity
from io_tomb_raider.formats.editors.projects.model.project import read_project
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.shape import Face, RoomShape, SectorSide

from ....real_levels import real_projects
from .geometry_reference import Reference
from .random_rooms import connect, worlds

Points = list[tuple[int, int, int]]

each_real_project = pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.name) for path in real_projects(".prj2")]
)
MIDDLE = 7  # the only inner sector of a room of 3 x 5 sectors that has inner neighbors on both sides


def by_face(faces: Faces) -> dict[tuple[int, int], Points]:
    """Return the corners by sector and face."""
    return {
        (sector, face): [tuple(point) for point in corners[:count]]
        for sector, face, count, corners in zip(
            faces.sector.tolist(),
            faces.face.tolist(),
            faces.count.tolist(),
            faces.corners.tolist(),
            strict=True,
        )
    }


def of_room(room: ProjectRoom, *others: ProjectRoom) -> dict[tuple[int, int], Points]:
    """Return the faces of a room."""
    return by_face(room_faces(ProjectRooms([room, *others]), room))


def long_room() -> ProjectRoom:
    """Return a room with three inner sectors, 4, 7 and 10, in a row along z; 1024 high."""
    return ProjectRoom(0, "Room", 0, 0, 0, RoomShape.empty(3, 5, 1024))


def set_floor(room: ProjectRoom, z: int, *heights: int) -> None:
    """Set the floor of an inner sector."""
    room.shape.floor.heights[z, 1] = heights


def set_splits(room: ProjectRoom, z: int, *splits: int) -> None:
    """Set level splits of the floor of an inner sector."""
    room.shape.floor.split_count[z, 1] = len(splits)
    room.shape.floor.splits[z, 1, : len(splits)] = np.array(splits)[:, None]


def heights(points: Points) -> list[int]:
    """Return the heights of corners."""
    return [y for _, y, _ in points]


# --- Against the reference -------------------------------------------------------------------------


@given(worlds())
def test_faces_are_those_of_the_reference(rooms: list[ProjectRoom]) -> None:
    project, reference = ProjectRooms(rooms), Reference(rooms)
    for room in rooms:
        faces = room_faces(project, room)
        found = by_face(faces)
        assert len(found) == len(faces)
        assert found == reference.faces(room)


@each_real_project
def test_faces_of_real_projects_are_those_of_the_reference(path: Path) -> None:
    rooms = read_project(path).rooms
    project, reference = ProjectRooms(rooms), Reference(rooms)
    for room in rooms[::8]:
        assert by_face(room_faces(project, room)) == reference.faces(room)


@given(worlds(wild=False))
def test_rooms_are_watertight(rooms: list[ProjectRoom]) -> None:
    """Each edge is shared by faces that run along it in opposite directions, also across portals.

    Upright edges need no check: they close where the others do.
    """
    project = ProjectRooms(rooms)
    edges: Counter[tuple[tuple[int, ...], tuple[int, ...]]] = Counter()
    for room in rooms:
        faces = room_faces(project, room)
        moved = faces.corners + np.array([room.x * 1024, room.y, room.z * 1024])
        for reverse, count, corners in zip(faces.is_ceiling, faces.count, moved.tolist(), strict=True):
            points = [tuple(point) for point in corners[:count]]
            if reverse:
                points.reverse()
            for start, end in pairwise([*points, points[0]]):
                if (start[0], start[2]) != (end[0], end[2]):
                    edges[min(start, end), max(start, end)] += 1 if start < end else -1
    assert not any(edges.values())


def test_triangles_repeat_their_third_corner() -> None:
    room = long_room()
    set_floor(room, 2, 256, 0, 0, 0)
    faces = room_faces(ProjectRooms([room]), room)
    triangles = faces.corners[faces.count == 3]
    assert len(triangles) and np.array_equal(triangles[:, 2], triangles[:, 3])


def test_faces_are_ordered_by_sector_and_number() -> None:
    room = long_room()
    set_floor(room, 2, 256, 0, 0, 0)
    faces = room_faces(ProjectRooms([room]), room)
    keys = list(zip(faces.sector.tolist(), faces.face.tolist(), strict=True))
    assert keys == sorted(keys)


# --- Floors and ceilings ---------------------------------------------------------------------------

P = {"XnZp": (1024, 3072), "XpZp": (2048, 3072), "XpZn": (2048, 2048), "XnZn": (1024, 2048)}


def corners_of(points: Points) -> str:
    """Return the names of corners of the middle sector."""
    names = {place: name for name, place in P.items()}
    return " ".join(names[x, z] for x, _, z in points)


FLOOR_TABLE = [
    # diagonal, "X equals Z", corners of Floor, its flat height, corners of Triangle 2, its flat height
    (3, False, "XnZn XnZp XpZp", "XnZp", "XpZp XpZn XnZn", None),
    (4, True, "XnZp XpZp XpZn", "XpZp", "XpZn XnZn XnZp", None),
    (1, False, "XnZn XnZp XpZp", None, "XpZp XpZn XnZn", "XpZn"),
    (2, True, "XnZp XpZp XpZn", None, "XpZn XnZn XnZp", "XnZn"),
    (0, True, "XpZp XpZn XnZn", None, "XnZn XnZp XpZp", None),
    (0, False, "XnZp XpZp XpZn", None, "XpZn XnZn XnZp", None),
]


@pytest.mark.parametrize(("diagonal", "split", "first", "first_flat", "second", "second_flat"), FLOOR_TABLE)
@pytest.mark.parametrize("floor", [True, False])
def test_triangles_of_floors_and_ceilings(
    floor: bool,
    diagonal: int,
    split: bool,
    first: str,
    first_flat: str | None,
    second: str,
    second_flat: str | None,
) -> None:
    room = long_room()
    surface = room.shape.floor if floor else room.shape.ceiling
    levels = {"XnZp": 512, "XpZp": 600, "XpZn": 700, "XnZn": 480}
    surface.heights[2, 1] = list(levels.values())
    surface.diagonal[2, 1] = diagonal
    surface.x_equals_z[2, 1] = split
    faces = of_room(room)
    names = (Face.FLOOR, Face.FLOOR_TRIANGLE_2) if floor else (Face.CEILING, Face.CEILING_TRIANGLE_2)
    for name, corners, flat in ((names[0], first, first_flat), (names[1], second, second_flat)):
        face = faces[MIDDLE, name]
        assert corners_of(face) == corners
        assert heights(face) == [levels[flat or corner] for corner in corners.split()]


def test_planes_are_quads() -> None:
    room = long_room()
    set_floor(room, 2, 512, 512, 256, 256)
    room.shape.floor.x_equals_z[2, 1] = True
    faces = of_room(room)
    assert corners_of(faces[MIDDLE, Face.FLOOR]) == "XnZn XnZp XpZp XpZn"
    assert heights(faces[MIDDLE, Face.FLOOR]) == [256, 512, 512, 256]
    assert (MIDDLE, Face.FLOOR_TRIANGLE_2) not in faces


def test_walls_have_no_floor_and_diagonal_walls_have_the_flat_triangle() -> None:
    room = long_room()
    room.shape.wall[2, 1] = True
    assert not [face for sector, face in of_room(room) if sector == MIDDLE and 25 <= face <= 28]
    room.shape.floor.diagonal[2, 1] = room.shape.ceiling.diagonal[2, 1] = 1
    flat = {face for sector, face in of_room(room) if sector == MIDDLE and 25 <= face <= 28}
    assert flat == {Face.FLOOR_TRIANGLE_2, Face.CEILING_TRIANGLE_2}


# --- Walls -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("side", "start", "end"),
    [
        (SectorSide.POSITIVE_Z, "XpZp", "XnZp"),
        (SectorSide.NEGATIVE_Z, "XnZn", "XpZn"),
        (SectorSide.POSITIVE_X, "XpZn", "XpZp"),
        (SectorSide.NEGATIVE_X, "XnZp", "XnZn"),
    ],
)
def test_sides_of_a_block(side: SectorSide, start: str, end: str) -> None:
    room = ProjectRoom(0, "Room", 0, 0, 0, RoomShape.empty(5, 5, 1024))
    room.shape.floor.heights[2, 2] = 256
    room.shape.ceiling.heights[2, 2] = 768
    faces = of_room(room)
    move = (1024, 0)
    for face, bottom, top in ((Face.QA, 0, 256), (Face.WS, 768, 1024)):
        points = faces[12, face + side]
        assert heights(points) == [bottom, top, top, bottom]
        (sx, sz), (ex, ez) = P[start], P[end]
        places = [(sx + move[0], sz), (sx + move[0], sz), (ex + move[0], ez), (ex + move[0], ez)]
        assert [(x, z) for x, _, z in points] == places
    assert (12, Face.MIDDLE + side) not in faces


def test_walls_have_a_middle_between_floor_and_ceiling_side() -> None:
    room = long_room()
    room.shape.wall[2, 1] = True
    set_floor(room, 2, 256, 256, 256, 256)
    room.shape.ceiling.heights[2, 1] = 768
    faces = of_room(room)
    for side in (SectorSide.POSITIVE_Z, SectorSide.NEGATIVE_Z):
        assert heights(faces[MIDDLE, Face.QA + side]) == [0, 256, 256, 0]
        assert heights(faces[MIDDLE, Face.MIDDLE + side]) == [256, 768, 768, 256]
        assert heights(faces[MIDDLE, Face.WS + side]) == [768, 1024, 1024, 768]
    assert (MIDDLE, Face.MIDDLE + SectorSide.POSITIVE_X) not in faces  # the border's wall looks in, not out


def test_border_walls_look_into_the_room() -> None:
    faces = of_room(long_room())
    middles = {key for key in faces if 10 <= key[1] <= 14}
    expected = {(1, SectorSide.POSITIVE_Z), (13, SectorSide.NEGATIVE_Z)}
    expected |= {(sector - 1, SectorSide.POSITIVE_X) for sector in (4, 7, 10)}
    expected |= {(sector + 1, SectorSide.NEGATIVE_X) for sector in (4, 7, 10)}
    assert middles == {(sector, Face.MIDDLE + side) for sector, side in expected}


def test_splits_divide_the_floor_side() -> None:
    room = long_room()
    set_floor(room, 2, 768, 768, 768, 768)
    set_splits(room, 2, 512, 256, 128)
    faces = of_room(room)
    lines = [heights(faces[MIDDLE, base])[:2] for base in (Face.QA, Face.FLOOR_2, Face.FLOOR_3, 39)]
    assert lines == [[512, 768], [256, 512], [128, 256], [0, 128]]


def test_splits_divide_the_ceiling_side() -> None:
    room = long_room()
    room.shape.ceiling.heights[2, 1] = 256
    room.shape.ceiling.split_count[2, 1] = 2
    room.shape.ceiling.splits[2, 1, 0], room.shape.ceiling.splits[2, 1, 1] = 512, 768
    faces = of_room(room)
    lines = [heights(faces[MIDDLE, base])[:2] for base in (Face.WS, Face.CEILING_2, Face.CEILING_3)]
    assert lines == [[256, 512], [512, 768], [768, 1024]]


def test_splits_below_the_neighbor_have_no_face() -> None:
    room = long_room()
    set_floor(room, 2, 768, 768, 768, 768)
    set_splits(room, 2, 512, -256)
    faces = of_room(room)
    assert heights(faces[MIDDLE, Face.FLOOR_2])[:2] == [0, 512]
    assert (MIDDLE, Face.FLOOR_3) not in faces


def test_floor_above_the_neighbors_ceiling_ends_there() -> None:
    room = long_room()
    set_floor(room, 2, 2048, 2048, 2048, 2048)
    room.shape.ceiling.heights[2, 1] = 3072
    faces = of_room(room)
    assert heights(faces[MIDDLE, Face.QA]) == [0, 1024, 1024, 0]
    # The neighbor's ceiling side ends at this floor.
    assert heights(faces[10, Face.WS + SectorSide.NEGATIVE_Z]) == [2048, 3072, 3072, 2048]


def test_splits_across_the_neighbors_ceiling_end_there_if_the_floor_is_above_it() -> None:
    room = long_room()
    set_floor(room, 2, 2048, 2048, 2048, 2048)
    room.shape.ceiling.heights[2, 1] = 3072
    room.shape.floor.split_count[2, 1] = 1
    room.shape.floor.splits[2, 1, 0] = 1280, 512, 512, 512
    faces = of_room(room)
    assert (MIDDLE, Face.QA) not in faces
    assert heights(faces[MIDDLE, Face.FLOOR_2]) == [0, 1024, 1024, 0]


@pytest.mark.parametrize(("low_at_start", "third"), [(True, "end"), (False, "start")])
def test_triangles_of_walls(low_at_start: bool, third: str) -> None:
    room = long_room()  # Side +Z: the start is XpZp, the end XnZp
    set_floor(room, 2, *((256, 0) if low_at_start else (0, 256)), 0, 0)
    points = of_room(room)[MIDDLE, Face.QA + SectorSide.POSITIVE_Z]
    assert [corners_of([point]) for point in points] == ["XpZp", "XnZp", "XnZp" if third == "end" else "XpZp"]
    assert heights(points) == ([0, 256, 0] if low_at_start else [256, 0, 0])


def test_crossing_floors_end_at_the_lowest_point() -> None:
    room = long_room()
    set_floor(room, 2, 256, -256, 0, 0)
    points = of_room(room)[MIDDLE, Face.QA + SectorSide.POSITIVE_Z]
    assert heights(points) == [-256, 256, -256]  # instead of ending at the neighbor's floor, 0
    assert corners_of(points) == "XpZp XnZp XnZp"


def test_diagonal_floor_has_a_wall_on_the_cut() -> None:
    room = long_room()
    room.shape.floor.diagonal[2, 1] = 1  # XnZp is separated; XpZn is the flat triangle
    set_floor(room, 2, 512, 512, 0, 512)
    faces = of_room(room)
    cut = faces[MIDDLE, Face.QA + SectorSide.DIAGONAL]
    assert corners_of(cut) == "XnZn XnZn XpZp XpZp"
    assert heights(cut) == [0, 512, 512, 0]
    assert (MIDDLE, Face.MIDDLE + SectorSide.DIAGONAL) not in faces
    assert (
        MIDDLE,
        Face.QA + SectorSide.NEGATIVE_Z,
    ) not in faces  # the flat triangle has the neighbor's height
    assert heights(faces[MIDDLE, Face.QA + SectorSide.POSITIVE_Z]) == [0, 512, 512, 0]


def test_diagonal_ceiling_has_a_wall_on_the_cut() -> None:
    room = long_room()
    room.shape.ceiling.diagonal[2, 1] = 4
    room.shape.ceiling.heights[2, 1] = 512, 1024, 512, 512
    cut = of_room(room)[MIDDLE, Face.WS + SectorSide.DIAGONAL]
    assert corners_of(cut) == "XpZn XpZn XnZp XnZp"
    assert heights(cut) == [512, 1024, 1024, 512]


def test_diagonal_wall_is_solid_only_at_its_corner() -> None:
    room = long_room()
    room.shape.wall[2, 1] = True
    room.shape.floor.diagonal[2, 1] = room.shape.ceiling.diagonal[2, 1] = 1
    faces = of_room(room)
    sides = {face - Face.MIDDLE for sector, face in faces if sector == MIDDLE and 10 <= face <= 14}
    assert sides == {SectorSide.POSITIVE_Z, SectorSide.DIAGONAL}
    # The border's wall is visible at the open side, not at the solid one.
    assert (8, Face.MIDDLE + SectorSide.NEGATIVE_X) in faces
    assert (6, Face.MIDDLE + SectorSide.POSITIVE_X) not in faces


def test_diagonal_wall_is_limited_by_its_flat_triangle() -> None:
    room = long_room()
    room.shape.wall[2, 1] = True
    room.shape.floor.diagonal[2, 1] = room.shape.ceiling.diagonal[2, 1] = 1
    set_floor(room, 2, 768, 768, 0, 768)
    room.shape.ceiling.heights[2, 1] = 1024, 1024, 512, 1024
    faces = of_room(room)
    assert heights(faces[MIDDLE, Face.QA + SectorSide.DIAGONAL]) == [0, 512, 512, 0]
    assert (MIDDLE, Face.MIDDLE + SectorSide.DIAGONAL) not in faces


# --- Wall portals ----------------------------------------------------------------------------------


def two_rooms(opacity: int = Opacity.NONE) -> tuple[ProjectRoom, ProjectRoom]:
    """Return two rooms with a wall portal along z; the second is 256 higher."""
    first, second = long_room(), ProjectRoom(1, "Second", 0, 256, 3, RoomShape.empty(3, 5, 1024))
    connect(first, second, Direction.POSITIVE_Z, (opacity, Opacity.NONE), 0)
    return first, second


def test_wall_portal_shows_the_step_to_the_other_room() -> None:
    first, second = two_rooms()
    faces = of_room(first, second)
    assert heights(faces[13, Face.QA + SectorSide.NEGATIVE_Z]) == [0, 256, 256, 0]
    assert (13, Face.MIDDLE + SectorSide.NEGATIVE_Z) not in faces
    assert (13, Face.WS + SectorSide.NEGATIVE_Z) not in faces
    back = of_room(second, first)
    assert heights(back[1, Face.WS + SectorSide.POSITIVE_Z]) == [768, 1024, 1024, 768]
    assert (1, Face.QA + SectorSide.POSITIVE_Z) not in back


@pytest.mark.parametrize("opacity", [Opacity.SOLID_FACES, Opacity.TRAVERSABLE_FACES])
def test_textured_wall_portal_has_a_middle(opacity: int) -> None:
    first, second = two_rooms(opacity)
    faces = of_room(first, second)
    assert heights(faces[13, Face.MIDDLE + SectorSide.NEGATIVE_Z]) == [256, 1024, 1024, 256]


def test_wall_behind_a_portal_has_a_middle() -> None:
    first, second = two_rooms()
    second.shape.wall[1, 1] = True
    assert heights(of_room(first, second)[13, Face.MIDDLE + SectorSide.NEGATIVE_Z]) == [256, 1024, 1024, 256]
    # A diagonal wall that is solid on the far side does not fill the portal.
    second.shape.floor.diagonal[1, 1] = second.shape.ceiling.diagonal[1, 1] = 1
    assert (13, Face.MIDDLE + SectorSide.NEGATIVE_Z) not in of_room(first, second)


def test_floor_behind_a_portal_can_cross_the_floor_before_it() -> None:
    first, second = two_rooms()
    second.shape.wall[1, 1] = True
    second.shape.floor.diagonal[1, 1] = second.shape.ceiling.diagonal[1, 1] = 1
    set_floor(first, 3, -256, 512, 0, 0)
    assert heights(of_room(first, second)[13, Face.QA + SectorSide.NEGATIVE_Z]) == [-256, 256, 256, -256]


def test_splits_behind_a_portal_replace_those_of_the_border() -> None:
    first, second = two_rooms()
    first.shape.floor.split_count[4, 1] = 2
    first.shape.floor.splits[4, 1, 0], first.shape.floor.splits[4, 1, 1] = 200, 64  # the second one stays
    second.shape.floor.split_count[1, 1] = 1
    second.shape.floor.splits[1, 1, 0] = -128
    faces = of_room(first, second)
    assert heights(faces[13, Face.QA + SectorSide.NEGATIVE_Z]) == [128, 256, 256, 128]
    assert heights(faces[13, Face.FLOOR_2 + SectorSide.NEGATIVE_Z]) == [64, 128, 128, 64]
    assert heights(faces[13, Face.FLOOR_3 + SectorSide.NEGATIVE_Z]) == [0, 64, 64, 0]


def test_alternate_room_shows_the_alternate_of_the_other_room() -> None:
    first, second = two_rooms()
    rooms = [first, second]
    for base, number in ((first, 2), (second, 3)):
        shape = RoomShape.empty(3, 5, 1024)
        rooms.append(
            ProjectRoom(number, "Alternate", base.x, base.y, base.z, shape, objects=list(base.objects))
        )
        base.alternate = 0, number
    rooms[3].shape.floor.heights[:] = 256
    project = ProjectRooms(rooms)
    key = 13, Face.QA + SectorSide.NEGATIVE_Z
    assert heights(by_face(room_faces(project, first))[key]) == [0, 256, 256, 0]
    assert heights(by_face(room_faces(project, rooms[2]))[key]) == [0, 512, 512, 0]


# --- Speed -----------------------------------------------------------------------------------------


def test_many_large_rooms_take_seconds() -> None:
    generator = np.random.default_rng(1)
    rooms = []
    for number in range(25):
        shape = RoomShape.empty(20, 20, 2048)
        shape.floor.heights[:] = generator.integers(0, 4, (20, 20, 4)) * 256
        shape.floor.split_count[:] = generator.integers(0, 3, (20, 20))
        shape.floor.splits[:] = 256
        shape.wall |= generator.random((20, 20)) < 0.1
        rooms.append(ProjectRoom(number, "", number * 20, 0, 0, shape))
    project = ProjectRooms(rooms)
    start = time.process_time()
    count = sum(len(room_faces(project, room)) for room in rooms)
    assert count > 25 * 400 * 2
    assert time.process_time() - start < 1.0  # 250 rooms: a few seconds


@pytest.mark.parametrize("opacity", [Opacity.NONE, Opacity.TRAVERSABLE_FACES])
def test_a_wall_portal_outside_of_the_other_room_has_the_height_of_that_room(opacity: int) -> None:
    room, other = two_rooms(opacity)
    other.x += 7
    other.y = 512
    project, reference = ProjectRooms([room, other]), Reference([room, other])
    faces = by_face(room_faces(project, room))
    assert faces == reference.faces(room)
    assert max(heights(faces[13, Face.QA + SectorSide.NEGATIVE_Z])) == 512


def test_wall_portal_to_a_room_that_does_not_exist_is_a_wall() -> None:
    room, _ = two_rooms()
    assert (13, Face.MIDDLE + SectorSide.NEGATIVE_Z) in by_face(room_faces(ProjectRooms([room]), room))
