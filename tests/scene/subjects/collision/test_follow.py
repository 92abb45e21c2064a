"""Faces of rooms follow collision that is raised, flattened or lowered; the rest of the room is unchanged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.edits.checks.check import check_level
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from tests.games import each_game
from tests.sample_levels import sample_bytes

from .collision_meshes import (
    CEILING,
    FLOOR,
    HALL,
    PLAIN,
    Corner,
    EditMode,
    collision,
    export_scene,
    import_collision,
    objects,
)

SIDES = [(-1, 0), (1, 0), (0, -1), (0, 1)]
Faces = Counter[tuple[tuple[Any, ...], ...]]


def drawn(level: Level, room: int = HALL) -> Faces:
    """Return the faces of a room by the positions of their corners, and the words of their textures."""
    it = level.rooms[room]
    places = np.stack([it.vertices[axis].astype(np.int64) for axis in "xyz"], axis=1)
    found: Faces = Counter()
    for faces in decode_faces(level.game, it):
        for corners, word in zip(places[faces.corners].tolist(), faces.texture.tolist(), strict=True):
            # Independent of the first corner of the face.
            turns = [tuple(map(tuple, corners[at:] + corners[:at])) for at in range(len(corners))]
            found[(*min(turns), (word,))] += 1
    return found


def heights_at(faces: Faces, at: Corner) -> set[int]:
    """Return the heights of flat faces over a sector, y down."""
    found = set()
    for *corners, _ in faces:
        middle = np.mean(corners, axis=0)
        if (int(middle[0] // 1024), int(middle[2] // 1024)) == at and len({y for _, y, _ in corners}) == 1:
            found.add(int(middle[1]))
    return found


def open_edges(faces: Faces) -> Counter[tuple[Any, ...]]:
    """Return the horizontal edges of faces that have a face on one side only."""
    counts: Counter[tuple[Any, ...]] = Counter()
    for *corners, _ in faces:
        for one, other in zip(corners, [*corners[1:], corners[0]], strict=True):
            if one[1] == other[1]:
                counts[min(one, other), max(one, other)] += 1
    return Counter(edge for edge, count in counts.items() if count == 1)


def doubled_faces(mesh: Any) -> int:
    """Return the number of faces that duplicate others, and check that no face repeats a vertex."""
    faces = [tuple(polygon.vertices) for polygon in mesh.polygons]
    assert all(len(set(face)) == len(face) for face in faces)
    return len(faces) - len(set(map(frozenset, faces)))


def use(data: bytes, faces: Sequence[tuple[int, Corner]], steps: Sequence[int], **options: Any) -> Level:
    root = import_collision(data)
    mesh = objects(root, "ROOM")[HALL].data
    doubled = doubled_faces(mesh)
    with EditMode(root, HALL, *faces):
        for clicks in steps:
            bpy.ops.tomb_raider.raise_sectors(clicks=clicks, **options)
    assert doubled_faces(mesh) == doubled
    return export_scene(root)


@each_game
@pytest.mark.parametrize("clicks", [2, -3])
def test_a_drawn_floor_follows_and_walls_close_the_gap(blender: ModuleType, game: Game, clicks: int) -> None:
    data = sample_bytes(game)
    before, after = drawn(read_level(data)), drawn(use(data, [(FLOOR, PLAIN)], [clicks]))
    (floor,) = heights_at(before, PLAIN) & {0}
    assert heights_at(after, PLAIN) == heights_at(before, PLAIN) - {floor} | {-256 * clicks}
    assert len(before - after) == 1, "all other faces stay as they are, with their textures"
    walls = [face for face in after - before if len({y for _, y, _ in face[:-1]}) > 1]
    assert len(walls) == 4 and open_edges(after) == open_edges(before)
    for *corners, _ in walls:
        normal = np.cross(np.subtract(corners[1], corners[0]), np.subtract(corners[2], corners[0]))
        to_middle = np.array([PLAIN[0] * 1024 + 512, 0, PLAIN[1] * 1024 + 512]) - np.mean(corners, axis=0)
        # Walls of a block face outward, those of a pit inward. Faces in files have the opposite winding.
        assert (normal @ to_middle > 0) == (clicks > 0)


def test_walls_become_longer_and_vanish_again(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR3)
    before = drawn(read_level(data))
    assert drawn(use(data, [(FLOOR, PLAIN)], [4, 2, -6])) == before
    assert len(drawn(use(data, [(FLOOR, PLAIN)], [1, 2])) - before) == 5


def test_neighbors_that_rise_together_have_no_wall_between_them(blender: ModuleType) -> None:
    data, beside = sample_bytes(Game.TR1), (PLAIN[0] + 1, PLAIN[1])
    before, after = drawn(read_level(data)), drawn(use(data, [(FLOOR, PLAIN), (FLOOR, beside)], [2]))
    assert len(after - before) == 2 + 6 and open_edges(after) == open_edges(before)


@pytest.mark.parametrize(("part", "at"), [(FLOOR, (1, 3)), (CEILING, (5, 1))])
def test_walls_of_the_room_follow_the_floor_and_the_ceiling_at_their_foot(
    blender: ModuleType, part: int, at: Corner
) -> None:
    data = sample_bytes(Game.TR3)
    before, after = drawn(read_level(data)), drawn(use(data, [(part, at)], [1]))
    assert open_edges(after) == open_edges(before)
    assert len(before - after) == 2, "the surface, and the wall that ends at it"
    assert len(after - before) == 2 + 3


@each_game
def test_edited_sectors_give_a_finding_only_if_the_room_does_not_follow(
    blender: ModuleType, game: Game
) -> None:
    data = sample_bytes(game)

    def apart(level: Level) -> int:
        return sum(each.check == "floor apart" for each in check_level(level))

    before = apart(read_level(data))
    assert apart(use(data, [(FLOOR, PLAIN)], [3])) == before
    stays = use(data, [(FLOOR, PLAIN)], [3], with_room=False)
    assert apart(stays) == before + 1 and drawn(stays) == drawn(read_level(data))


def test_floors_that_are_drawn_elsewhere_stay(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR4))
    room = objects(root, "ROOM")[HALL]
    for vertex in room.data.vertices:
        vertex.co.z += 0.25
    places = [tuple(vertex.co) for vertex in room.data.vertices]
    with EditMode(root, HALL, (FLOOR, PLAIN)):
        bpy.ops.tomb_raider.raise_sectors(clicks=2)
    assert [tuple(vertex.co) for vertex in room.data.vertices] == places


def test_flattening_a_slope_adds_no_faces_to_the_room(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR4))
    obj, room = collision(root, HALL), objects(root, "ROOM")[HALL]
    with EditMode(root, HALL, (FLOOR, PLAIN)):
        bpy.ops.tomb_raider.raise_sectors(clicks=1)
    faces = len(room.data.polygons)
    with EditMode(root, HALL, (FLOOR, PLAIN), (FLOOR, (PLAIN[0] + 1, PLAIN[1]))):
        bpy.ops.tomb_raider.flatten_sectors()
    assert obj.data and len(room.data.polygons) == faces
