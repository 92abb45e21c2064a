"""Tests of the repair of textures of walls in old projects."""

from __future__ import annotations

import numpy as np
import pytest

from io_tomb_raider.formats.editors.projects.geometry.repair import repaired_rooms
from io_tomb_raider.formats.editors.projects.model.objects import Direction
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.shape import FACE, Face, RoomShape, SectorSide

from .random_rooms import connect

MIDDLE = 7
ROLES = {True: (Face.QA, Face.FLOOR_2), False: (Face.WS, Face.CEILING_2)}


def old_room(floor: bool, split: int, *textured: tuple[int, int, int]) -> ProjectRoom:
    """Return a room with inner sectors 4, 7 and 10 in a row along z, with a first split of the middle one.

    Args:
        floor: split the floor, which is at 2048, or the ceiling, which is at -1024. Neighbors are 0 to 1024.
        split: the height of the first split.
        textured: sectors, faces and textures.
    """
    shape = RoomShape.empty(3, 5, 1024)
    surface = shape.floor if floor else shape.ceiling
    surface.heights[2, 1] = 2048 if floor else -1024
    surface.split_count[2, 1] = 1
    surface.splits[2, 1, 0] = split
    shape.faces = np.zeros(len(textured), FACE)
    for index, (sector, face, texture) in enumerate(textured):
        shape.faces[index]["sector"], shape.faces[index]["face"] = sector, face
        shape.faces[index]["texture"] = texture
    shape.old_walls = True
    return ProjectRoom(0, "Old", 0, 0, 0, shape)


def repaired(room: ProjectRoom, *others: ProjectRoom) -> list[tuple[int, int, int]]:
    """Return sectors, faces and textures after the repair."""
    faces = repaired_rooms([room, *others])[0].shape.faces
    return list(zip(faces["sector"].tolist(), faces["face"].tolist(), faces["texture"].tolist(), strict=True))


@pytest.mark.parametrize(("floor", "beyond", "inside"), [(True, 1280, 1024), (False, -256, 0)])
def test_texture_at_the_edge_is_copied_to_the_second_part(floor: bool, beyond: int, inside: int) -> None:
    first, second = ROLES[floor]
    faces = [(4, Face.FLOOR, 3), (MIDDLE, first, 5), (MIDDLE, Face.MIDDLE, 6), (10, Face.FLOOR, 4)]
    assert repaired(old_room(floor, inside, *faces)) == faces
    found = repaired(old_room(floor, beyond, *faces))
    assert found == [*faces[:3], (MIDDLE, second, 5), faces[3]]


@pytest.mark.parametrize(("floor", "beyond"), [(True, 1280), (False, -256)])
def test_second_part_takes_or_loses_its_texture(floor: bool, beyond: int) -> None:
    first, second = ROLES[floor]
    both = [(MIDDLE, second, 1), (MIDDLE, first, 5)]
    assert repaired(old_room(floor, beyond, *both)) == [(MIDDLE, second, 5), (MIDDLE, first, 5)]
    assert repaired(old_room(floor, beyond, both[0])) == []
    # The other sides are separate.
    other_side = (MIDDLE, second + SectorSide.NEGATIVE_Z, 1)
    assert repaired(old_room(floor, beyond, both[1], other_side)) == [(MIDDLE, first, 5), (MIDDLE, second, 5)]


def test_one_corner_beyond_moves_the_texture() -> None:
    room = old_room(True, 0, (MIDDLE, Face.QA, 5), (MIDDLE, Face.QA + SectorSide.NEGATIVE_Z, 6))
    room.shape.floor.splits[2, 1, 0] = 1280, 0, 0, 0  # at XnZp, an end of the side +Z
    assert repaired(room)[2:] == [(MIDDLE, Face.FLOOR_2, 5)]


def test_sectors_without_split_stay() -> None:
    room = old_room(True, 4096, (MIDDLE, Face.QA, 5))
    room.shape.floor.split_count[:] = 0
    assert repaired(room) == [(MIDDLE, Face.QA, 5)]


def test_split_above_the_flat_triangle_of_a_diagonal() -> None:
    sides = (SectorSide.POSITIVE_Z, SectorSide.NEGATIVE_Z)
    room = old_room(True, 512, *((MIDDLE, Face.QA + side, 5) for side in sides))
    room.shape.floor.diagonal[2, 1] = 1  # XnZp; the flat triangle is at the sides -Z and +X
    room.shape.floor.heights[2, 1] = 768, 768, 512, 768
    assert len(repaired(room)) == 2
    room.shape.floor.heights[2, 1, 2] = 256
    assert repaired(room)[2:] == [(MIDDLE, Face.FLOOR_2 + SectorSide.NEGATIVE_Z, 5)]


def test_neighbors_are_found_through_wall_portals_without_the_rooms_heights() -> None:
    room = old_room(True, 0, (10, Face.QA, 5))
    room.shape.floor.split_count[3, 1] = 1
    room.shape.floor.splits[3, 1, 0] = 768
    room.shape.ceiling.heights[4] = 4096
    other = ProjectRoom(1, "Other", 0, 256, 3, RoomShape.empty(3, 5, 512))
    connect(room, other, Direction.POSITIVE_Z, (0, 0), 0)
    assert repaired(room, other) == [(10, Face.QA, 5), (10, Face.FLOOR_2, 5)]
    other.shape.ceiling.heights[:] = 768
    assert repaired(room, other) == [(10, Face.QA, 5)]


def test_only_old_rooms_are_repaired_and_the_file_stays() -> None:
    room = old_room(True, 1280, (MIDDLE, Face.QA, 5))
    (copy,) = repaired_rooms([room])
    assert len(copy.shape.faces) == 2 and len(room.shape.faces) == 1
    room.shape.old_walls = False
    assert repaired_rooms([room])[0] is room


def test_only_the_end_next_to_the_flat_triangle_counts() -> None:
    room = old_room(True, 0, (MIDDLE, Face.QA + SectorSide.NEGATIVE_Z, 5))
    room.shape.floor.diagonal[2, 1] = 1  # XnZp; its flat triangle is at XpZn
    room.shape.floor.heights[2, 1] = 512
    room.shape.floor.splits[2, 1, 0] = 0, 0, 768, 0
    assert len(repaired(room)) == 1
    room.shape.floor.splits[2, 1, 0] = 0, 0, 0, 768
    assert len(repaired(room)) == 2


def test_new_faces_are_in_the_order_of_the_editor() -> None:
    room = old_room(True, 1280, *((MIDDLE, Face.QA + side, 5) for side in range(4)))
    sides = [face - Face.FLOOR_2 for _, face, _ in repaired(room)[4:]]
    assert sides == [
        SectorSide.NEGATIVE_X,
        SectorSide.POSITIVE_X,
        SectorSide.NEGATIVE_Z,
        SectorSide.POSITIVE_Z,
    ]


def test_walls_on_portals_have_the_diagonal_behind() -> None:
    room = old_room(True, 0, (13, Face.QA + SectorSide.NEGATIVE_Z, 5))
    room.shape.floor.split_count[4, 1], room.shape.floor.splits[4, 1, 0] = 1, 512
    other = ProjectRoom(1, "Other", 0, 0, 3, RoomShape.empty(3, 5, 4096))
    connect(room, other, Direction.POSITIVE_Z, (0, 0), 0)
    assert len(repaired(room, other)) == 1
    other.shape.floor.diagonal[1, 1] = 1
    assert repaired(room, other)[1:] == [(13, Face.FLOOR_2 + SectorSide.NEGATIVE_Z, 5)]


def test_neighbors_of_alternate_rooms_are_base_rooms() -> None:
    room = old_room(True, 0, (10, Face.QA, 5))
    room.shape.floor.split_count[3, 1], room.shape.floor.splits[3, 1, 0] = 1, 768
    base = ProjectRoom(2, "Base", 0, 0, 0, RoomShape.empty(3, 5, 4096), alternate=(0, 0))
    low = ProjectRoom(1, "Low", 0, 0, 3, RoomShape.empty(3, 5, 512), alternate=(0, 3))
    high = ProjectRoom(3, "High", 0, 0, 3, RoomShape.empty(3, 5, 4096))
    connect(room, low, Direction.POSITIVE_Z, (0, 0), 0)
    assert len(repaired(room, base, low, high)) == 2
