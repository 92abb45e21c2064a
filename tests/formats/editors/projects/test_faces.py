"""Tests of the faces of a compiled room."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats.editors.projects.geometry.faces import (
    CompiledFaces,
    textured_faces_of,
    vertex_table,
)
from io_tomb_raider.formats.editors.projects.geometry.geometry import room_faces
from io_tomb_raider.formats.editors.projects.geometry.openings import ProjectRooms
from io_tomb_raider.formats.editors.projects.model.project import read_project
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.shape import FACE, Face, RoomShape, SectorSide

from ....real_levels import real_projects

Points = list[tuple[int, int, int]]

# Real projects of versions that write only faces that exist, in which all of them have a texture.
TEXTURED_THROUGHOUT = ("ten_2025_level.prj2", "ten_2025_water.prj2")
CORNERS = [(0, 64), (0, 0), (64, 0), (64, 64)]


def records(*faces: tuple[int, int], texture: int = 0) -> NDArray[np.void]:
    """Return textured faces; the corners of the first begin at 0, of the next at 100, ..."""
    result = np.zeros(len(faces), FACE)
    for index, (sector, face) in enumerate(faces):
        result[index]["sector"], result[index]["face"], result[index]["texture"] = sector, face, texture
        result[index]["corners"] = np.array(CORNERS) + 100 * index
    return result


def compiled(room: ProjectRoom) -> CompiledFaces:
    """Return the faces of the compiled room."""
    return textured_faces_of([room], [room_faces(ProjectRooms([room]), room)])


def room_of(*faces: tuple[int, int]) -> ProjectRoom:
    """Return a room with one inner row of sectors, 6 to 8, 1024 high, at a height of 512."""
    shape = RoomShape.empty(5, 3, 1024)
    shape.faces = records(*faces)
    return ProjectRoom(0, "Room", 3, 512, 4, shape)


def test_floors_walls_and_ceilings_have_the_levels_vertex_order() -> None:
    room = room_of((6, Face.FLOOR), (6, Face.CEILING), (5, Face.MIDDLE + SectorSide.POSITIVE_X))
    made = compiled(room)
    assert made.record.tolist() == [2, 0, 1] and made.count.tolist() == [4, 4, 4]
    wall, floor, ceiling = made.positions.tolist()
    assert wall == [[1024, -512, 1024], [1024, -1536, 1024], [1024, -1536, 2048], [1024, -512, 2048]]
    assert floor == [[1024, -512, 1024], [1024, -512, 2048], [2048, -512, 2048], [2048, -512, 1024]]
    assert ceiling == [[2048, -1536, 1024], [2048, -1536, 2048], [1024, -1536, 2048], [1024, -1536, 1024]]
    assert made.corners[1].tolist() == [list(corner) for corner in CORNERS]
    assert made.corners[2].tolist() == [[x + 100, y + 100] for x, y in reversed(CORNERS)]


def test_triangles_repeat_the_third_vertex_and_ceilings_are_reversed() -> None:
    room = room_of((6, Face.FLOOR), (6, Face.CEILING))
    room.shape.floor.heights[1, 1, 0] = room.shape.ceiling.heights[1, 1, 0] = 768
    made = compiled(room)
    assert made.count.tolist() == [3, 3]
    # Without "X equals Z" the first triangle is XnZp XpZp XpZn.
    assert made.positions[0].tolist() == [
        [1024, -1280, 2048], [2048, -512, 2048], [2048, -512, 1024], [2048, -512, 1024],
    ]  # fmt: skip
    assert made.positions[1].tolist() == [
        [2048, -1536, 1024], [2048, -1536, 2048], [1024, -1280, 2048], [1024, -1280, 2048],
    ]  # fmt: skip
    assert made.corners[0].tolist() == [[0, 64], [0, 0], [64, 0], [64, 0]]
    assert made.corners[1].tolist() == [[164, 100], [100, 100], [100, 164], [100, 164]]


def test_faces_are_in_the_order_of_sectors_then_of_the_file() -> None:
    room = room_of((8, Face.FLOOR), (6, Face.CEILING), (7, Face.FLOOR), (6, Face.FLOOR))
    assert compiled(room).record.tolist() == [1, 3, 2, 0]


def test_faces_that_do_not_exist_or_are_invisible_are_left_out() -> None:
    room = room_of((6, Face.FLOOR), (6, Face.FLOOR_TRIANGLE_2), (1, Face.FLOOR), (7, 99), (6, Face.CEILING))
    room.shape.faces["texture"][4] = -1
    assert compiled(room).record.tolist() == [0]


def test_the_last_of_duplicate_faces_replaces_the_first() -> None:
    room = room_of((6, Face.FLOOR), (6, Face.CEILING), (6, Face.FLOOR))
    assert compiled(room).record.tolist() == [2, 1]


def test_room_without_faces() -> None:
    made = compiled(room_of())
    assert len(made.face) == 0 and made.positions.shape == (0, 4, 3) and made.corners.shape == (0, 4, 2)


def test_face_and_record_indices_refer_to_the_same_face() -> None:
    room = room_of((8, Face.FLOOR), (6, Face.MIDDLE), (11, Face.MIDDLE + SectorSide.NEGATIVE_Z))
    faces = room_faces(ProjectRooms([room]), room)
    made = textured_faces_of([room], [faces])
    for face, record in zip(made.face, made.record, strict=True):
        assert faces.sector[face] == room.shape.faces["sector"][record]
        assert faces.face[face] == room.shape.faces["face"][record]


# --- Vertices --------------------------------------------------------------------------------------


def test_vertices_are_distinct_in_order_of_first_use() -> None:
    room = room_of((6, Face.FLOOR), (7, Face.FLOOR))
    made = compiled(room)
    shades = np.zeros((2, 4), np.int64)
    vertices, found, indices = vertex_table(made.positions, made.count, shades)
    assert indices.tolist() == [[0, 1, 2, 3], [3, 2, 4, 5]]
    assert vertices[indices].tolist() == made.positions.tolist()
    assert found.shape == (6,)
    shades[1, 0] = 9  # another shade at the same place
    vertices, found, indices = vertex_table(made.positions, made.count, shades)
    assert indices.tolist() == [[0, 1, 2, 3], [4, 2, 5, 6]]
    assert found.tolist() == [0, 0, 0, 0, 9, 0, 0]


@given(st.data())
def test_vertex_tables_restore_all_corners(data: st.DataObject) -> None:
    count = data.draw(st.integers(0, 6))
    number = st.integers(-1, 1)
    positions = np.array(data.draw(st.lists(number, min_size=count * 12, max_size=count * 12)), np.int64)
    positions = positions.reshape(count, 4, 3)
    shades = np.array(data.draw(st.lists(number, min_size=count * 8, max_size=count * 8)), np.int64)
    shades = shades.reshape(count, 4, 2)
    counts = np.array(data.draw(st.lists(st.sampled_from((3, 4)), min_size=count, max_size=count)), np.int64)
    vertices, found, indices = vertex_table(positions, counts, shades)
    used = np.arange(4) < counts[:, None]
    assert np.array_equal(vertices[indices][used], positions[used])
    assert np.array_equal(found[indices][used], shades[used])
    assert (indices[:, 3] == indices[:, 2])[counts == 3].all()
    both = np.concatenate([vertices, found], axis=1)
    assert len(np.unique(both, axis=0)) == len(both)
    first = [indices[used].tolist().index(vertex) for vertex in range(len(vertices))]
    assert first == sorted(first)


# --- Real projects ---------------------------------------------------------------------------------


def test_real_projects_store_exactly_the_faces_that_exist() -> None:
    for path in real_projects(".prj2"):
        if path.name not in TEXTURED_THROUGHOUT:
            continue
        rooms = read_project(path).rooms
        project = ProjectRooms(rooms)
        for room in rooms:
            faces, stored = room_faces(project, room), room.shape.faces
            found = set(zip(faces.sector.tolist(), faces.face.tolist(), strict=True))
            assert found == set(zip(stored["sector"].tolist(), stored["face"].tolist(), strict=True))
