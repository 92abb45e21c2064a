"""Tests of the light of levels that become projects."""

from __future__ import annotations

import numpy as np

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.bytes.records import ROOM_QUAD, ROOM_TRIANGLE, ROOM_VERTEX
from io_tomb_raider.formats.editors.projects.from_level.rooms.faces import faces_of
from io_tomb_raider.formats.editors.projects.from_level.rooms.light import has_seams
from io_tomb_raider.formats.levels.rooms.rooms import Room


def strip(shades: tuple[int, int]) -> Room:
    """Return a room with three squares in a row; the last two have their own vertices at their edge."""
    room = Room()
    room.x = room.z = 0
    places = [(x, z) for x in (0, 1, 2, 2, 3) for z in (0, 1)]
    room.vertices = np.zeros(10, ROOM_VERTEX[Game.TR4])
    for vertex, (x, z) in zip(room.vertices, places, strict=True):
        vertex["x"], vertex["z"] = x * 1024, z * 1024
    room.vertices["color"] = np.repeat(shades, [6, 4])
    room.quads, room.triangles = np.zeros(3, ROOM_QUAD[Game.TR4]), np.zeros(0, ROOM_TRIANGLE[Game.TR4])
    room.quads["vertices"] = [(0, 1, 3, 2), (2, 3, 5, 4), (6, 7, 9, 8)]
    return room


def seams(shades: tuple[int, int]) -> list[bool]:
    room = strip(shades)
    faces = faces_of(Game.TR4, room, 0)
    return [has_seams(Game.TR4, room, faces, np.arange(3) == face) for face in range(3)]


def test_faces_at_a_change_of_light_need_their_own_vertices() -> None:
    assert seams((5, 5)) == [False, False, False]
    assert seams((5, 9)) == [False, True, True]
