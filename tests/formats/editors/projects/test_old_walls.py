"""Walls of projects from before January 2024."""

from __future__ import annotations

import numpy as np
import pytest

from io_tomb_raider.formats.editors.projects.geometry.repair import repaired_rooms
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.shape import FACE, Face, RoomShape, SectorSide

from ....sample_projects import face

pytestmark = pytest.mark.once

SECTOR = 1 + 1 * 5  # of a room with 5 x 3 sectors: its neighbor is at + 1


def _room(*, old: bool, faces: list[np.void], split: int = 4000) -> ProjectRoom:
    shape = RoomShape.empty(5, 3)
    shape.floor.splits[1, 1, 0] = split
    shape.floor.split_count[1, 1] = 1
    shape.faces = np.array(faces, FACE)
    shape.old_walls = old
    return ProjectRoom(0, "Old", 0, 0, 0, shape)


def _pairs(room: ProjectRoom) -> list[tuple[int, int]]:
    found = room.shape.faces[np.lexsort((room.shape.faces["face"], room.shape.faces["sector"]))]
    return [(int(each["face"]), int(each["texture"])) for each in found]


def test_the_texture_at_the_edge_is_copied_to_the_part_below_a_split_that_is_too_high() -> None:
    edge = face(SECTOR, Face.QA + SectorSide.POSITIVE_X, 3)
    room = _room(old=True, faces=[edge])
    (repaired,) = repaired_rooms([room])
    assert _pairs(repaired) == [
        (Face.QA + SectorSide.POSITIVE_X, 3),
        (Face.FLOOR_2 + SectorSide.POSITIVE_X, 3),
    ]
    assert _pairs(room) == [(Face.QA + SectorSide.POSITIVE_X, 3)]


def test_the_part_below_loses_its_texture_if_the_edge_has_none() -> None:
    second = face(SECTOR, Face.FLOOR_2 + SectorSide.POSITIVE_X, 3)
    assert _pairs(repaired_rooms([_room(old=True, faces=[second])])[0]) == []


def test_splits_in_the_space_and_newer_projects_stay() -> None:
    edge = face(SECTOR, Face.QA + SectorSide.POSITIVE_X, 3)
    assert len(_pairs(repaired_rooms([_room(old=True, faces=[edge], split=2000)])[0])) == 1
    room = _room(old=False, faces=[edge])
    assert repaired_rooms([room])[0] is room
