"""The room at a point, for exports, light and tools."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from types import ModuleType

import bpy
import numpy as np
import pytest
from bpy.types import Collection, Object
from mathutils import Vector

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.scene.authoring.new.triggers import add_trigger
from io_tomb_raider.scene.core.space import DEFAULT_SCALE, Space
from io_tomb_raider.scene.subjects.lights.object_lighting import LitLevel
from io_tomb_raider.scene.subjects.rooms.location.inhabitants import rooms_of_inhabitants
from io_tomb_raider.scene.subjects.rooms.location.locator import RoomLocator
from io_tomb_raider.scene.subjects.rooms.location.scene_rooms import SceneRooms
from io_tomb_raider.scene.subjects.rooms.parts import join_to_room
from tests.games import each_game

from ....real_levels import each_real_level, skip_without
from ....sample_levels import sample_bytes
from ...scenes import export_scene, import_scene, objects
from .sample_rooms import whereabouts

_WOLF = 2  # the entity that is moved

# --- The rule ----------------------------------------

_BOX = ((0, 0, 0), (4096, 1024, 4096))


def _locator(
    count: int, alternates: Sequence[int] = (), walls: Sequence[int] = (), lower: int = -1
) -> RoomLocator:
    """Return a locator of rooms at one place; the room ``lower`` is moved down by its height."""
    boxes = np.array([_BOX] * count)
    if lower >= 0:
        boxes[lower, :, 1] += 1024
    is_alternate = np.isin(np.arange(count), alternates)
    return RoomLocator(boxes, is_alternate, lambda room, _: room in walls)


@pytest.mark.parametrize(
    ("locator", "expected"),
    [
        (_locator(3), 0),
        (_locator(3, alternates=[0]), 1),
        (_locator(3, walls=[0]), 1),
        (_locator(3, lower=0), 1),
        (_locator(2, alternates=[0], walls=[1]), 1),
        (_locator(2, walls=[0], lower=1), 1),
        (_locator(2, alternates=[0, 1], walls=[0, 1]), 0),
    ],
)
def test_where_rooms_overlap_the_rule_decides(locator: RoomLocator, expected: int) -> None:
    assert locator.find((2048, 1024, 2048)) == expected


def test_boxes_include_their_sides_and_a_margin() -> None:
    locator = _locator(1)
    for low, high in product((0, 4096), repeat=2):
        assert locator.find((low, 1024, high)) == 0
        assert locator.holds(0, (low, 0, high))
    assert locator.find((4097, 0, 0)) is None
    assert not locator.holds(0, (4097, 0, 0)) and locator.holds(0, (4097, 0, 0), 1)
    assert not locator.holds(0, (0, -2, 0), 1) and not locator.holds(1, (0, 0, 0))


# --- Exports, light and tools agree ----------------------------------------


def _shared_points(level: Level, count: int) -> list[tuple[int, int, int]]:
    """Return points within several rooms, not on borders of sectors or rooms."""
    random = np.random.default_rng(7)
    boxes = np.array(
        [
            ((r.x, r.y_top, r.z), (r.x + r.x_sectors * 1024, r.y_bottom, r.z + r.z_sectors * 1024))
            for r in level.rooms
        ]
    )
    found: list[tuple[int, int, int]] = []
    for room in random.integers(len(boxes), size=40 * count).tolist():
        low, high = boxes[room]
        heights = np.unique(np.concatenate([boxes[:, 0, 1], boxes[:, 1, 1]]))
        x, z = (int(random.integers(low[axis] // 1024, high[axis] // 1024)) * 1024 + 500 for axis in (0, 2))
        y = int(random.integers(low[1], max(high[1], low[1] + 1)))
        point = np.array((x, y, z))
        inside = ((boxes[:, 0] < point) & (point < boxes[:, 1])).all(axis=1).sum()
        if inside > 1 and np.abs(heights - y).min() > 8:
            found.append((x, y, z))
    return found[:count]


def _place(point: Sequence[int]) -> Vector:
    return Vector(Space(DEFAULT_SCALE).to_blender(point).tolist())


@each_game
def test_the_scene_finds_the_rooms_that_exports_find(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level, root = read_level(data), import_scene(data)
    _compare(level, root, 100)


@each_real_level
def test_the_scene_finds_the_rooms_that_exports_find_in_real_levels(
    blender: ModuleType, level_path: Path
) -> None:
    level, root = read_level(level_path), import_scene(level_path.read_bytes())
    skip_without(level.rooms)
    _compare(level, root, 1000)


def _compare(level: Level, root: Collection, count: int) -> None:
    where, scene, rooms = whereabouts(level), SceneRooms(root), objects(root, "ROOM")
    points = _shared_points(level, count)
    if not points:
        pytest.skip("its rooms overlap at their sides only")
    differing = [
        point
        for point in points
        if scene.find(_place(point)) != (None if (found := where.find(point)) is None else rooms[found])
    ]
    # Rooms may be taller in the file than their meshes.
    assert len(differing) <= len(points) // 10, differing[:5]


def _entity_at(root: Collection, point: Sequence[int]) -> Object:
    obj = objects(root, "ENTITY")[_WOLF]
    obj.parent = None
    obj.location = _place(point)
    obj.tomb_raider.entity.room = None
    bpy.context.view_layer.update()
    return obj


@each_game
def test_light_tools_and_exports_agree_where_rooms_overlap(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level = read_level(data)
    where = whereabouts(level)
    for point in _shared_points(level, 4):
        expected = where.find(point)
        assert expected is not None
        root = import_scene(data)
        obj, rooms = _entity_at(root, point), objects(root, "ROOM")
        if SceneRooms(root).find(_place(point)) != rooms[expected]:
            continue
        assert LitLevel(root).room_of(obj) == rooms[expected]
        assert rooms_of_inhabitants(root)[obj] == rooms[expected]
        assert add_trigger(root, _place(point), []).parent == rooms[expected]
        assert export_scene(root).entities["room"][_WOLF] == expected
        mesh = bpy.data.meshes.new("Crate")
        mesh.from_pydata([_place([point[0] + x, *point[1:]]) for x in (-8, 8)], [], [])
        crate = bpy.data.objects.new("Crate", mesh)
        root.objects.link(crate)
        assert join_to_room(root, crate) == rooms[expected]
        break
    else:
        raise AssertionError("no point is in the same room by its mesh and by the file")
