"""The eye of the first view: what it shows of Lara and her surroundings, in windows of several shapes."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.games import LARA
from io_tomb_raider.scene.authoring.new.room import add_room
from io_tomb_raider.scene.core.membership import LevelObjects
from io_tomb_raider.scene.subjects.cameras.first_eye import first_sight
from tests.games import each_game
from tests.real_levels import each_real_level, skip_without
from tests.sample_levels import sample_bytes

from ...scenes import drawn_vertices, import_scene, objects

_LENS = 50.0
# Width, height, and the share of the width that the sidebar covers.
SHAPES = {
    "16:10 with sidebar": (1600, 1000, 0.17),
    "wide": (2560, 1080, 0.0),
    "square": (900, 900, 0.0),
    "square with sidebar": (900, 900, 0.3),
}


def reaches_of(shape: tuple[int, int, float]) -> Any:
    """Return what a view shows per unit of depth: left, right, down, up; (4,)."""
    width, height, covered = shape
    wide, high = np.array((width, height)) / max(width, height) * 36 / _LENS
    return np.array((wide, wide * (1 - 2 * covered), high, high))


def front_hit(eye: Any, ray: Any) -> Any:
    """Return the place of the first face that a ray hits from its front, or None; backs are culled."""
    graph, start = bpy.context.evaluated_depsgraph_get(), eye
    for _ in range(20):
        hit, place, normal, _, obj, _ = bpy.context.scene.ray_cast(graph, start, ray)
        if not hit:
            return None
        if normal.dot(ray) < 0 and obj.tomb_raider.kind != "SKY":
            return place
        start = place + ray.normalized() * 0.002
    return None


def assert_is_postcard(
    root: Any, lara: Any, shape: tuple[int, int, float], *, filled: float = 0.5, is_tiny: bool = False
) -> Matrix:
    """Assert that the first view shows Lara whole, large enough, off the middle, uncovered, before a room.

    Args:
        root: the level.
        lara: her entity.
        shape: one of `SHAPES`.
        filled: the least share of the picture that faces fill.
        is_tiny: her room is smaller than the distance of the eye, which may be outside of its walls.
    """
    bpy.context.view_layer.update()
    graph, reaches = bpy.context.evaluated_depsgraph_get(), reaches_of(shape)
    sight = first_sight(LevelObjects(root), lara, reaches, root.tomb_raider.scale)
    eye, distance = sight.matrix(reaches)
    left, right, down, up = reaches
    body = drawn_vertices(lara)
    ends = np.array(list(product(*zip(body.min(axis=0), body.max(axis=0), strict=True))))
    seen = (np.hstack([ends, np.ones((8, 1))]) @ np.array(eye.inverted()).T)[:, :3]
    assert (seen[:, 2] < 0).all() and distance > 0
    places = seen[:, :2] / -seen[:, 2:]
    assert (places > (-left, -down)).all() and (places < (right, up)).all(), "outside of the frame"
    points = (np.hstack([body, np.ones((len(body), 1))]) @ np.array(eye.inverted()).T)[:, :3]
    share = np.ptp(points[:, 1] / -points[:, 2]) / (down + up)
    assert 0.2 < share < 0.6
    middle = (places[:, 0].mean() - (right - left) / 2) / ((left + right) / 2)
    width = np.ptp(places[:, 0]) / (left + right)
    assert abs(middle) > min(0.15, 0.8 * max(0.9 - width, 0.0))
    place, turn = eye.translation, eye.to_3x3()
    low, high, center = body.min(axis=0), body.max(axis=0), body.mean(axis=0)
    for end in ends:
        ray = Vector(center + (end - center) * 0.6) - place
        hit, spot, normal, _, obj, _ = bpy.context.scene.ray_cast(graph, place, ray, distance=ray.length)
        if is_tiny and hit and normal.dot(ray) > 0:
            continue  # a wall seen from outside, which is culled
        inside = hit and (low - 0.1 < np.array(spot)).all() and (np.array(spot) < high + 0.1).all()
        assert not hit or inside, f"{obj.name} covers her"
    rays = [
        turn @ Vector((x, y, -1.0))
        for x in np.linspace(-left * 0.95, right * 0.95, 12)
        for y in np.linspace(-down * 0.95, up * 0.95, 8)
    ]
    assert np.mean([front_hit(place, ray) is not None for ray in rays]) >= filled
    return eye


@each_game
def test_lara_is_whole_in_windows_of_all_shapes(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    for shape in SHAPES.values():
        assert_is_postcard(root, objects(root, "ENTITY")[0], shape)


@each_real_level
def test_lara_is_whole_in_real_levels(blender: ModuleType, level_path: Path) -> None:
    root = import_scene(level_path.read_bytes())
    lara = [each for each in objects(root, "ENTITY") if each.tomb_raider.entity.type == LARA]
    skip_without(lara)
    for shape in SHAPES.values():
        assert_is_postcard(root, lara[0], shape)


def test_lara_is_whole_in_passages_in_water_and_outside_of_rooms(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    lara: Any = objects(root, "ENTITY")[0]
    water = next(room for room in objects(root, "ROOM") if room.tomb_raider.room.has_water)
    corners = np.array([water.matrix_world @ Vector(corner) for corner in water.bound_box])
    passage = Vector((201.0, 200.0, 0.0))
    add_room(root, passage, (1, 6, 1))
    add_room(root, passage + Vector((0, 0, 20)), (1, 1, 1))
    for place, filled, is_tiny in (
        ((*corners.mean(axis=0)[:2], corners[:, 2].min()), 0.5, False),
        (passage, 0.5, False),
        (passage + Vector((0, 0, 20)), 0.0, True),
        ((-300.0, 0.0, 50.0), 0.0, False),
    ):
        lara.location = place
        for shape in SHAPES.values():
            assert_is_postcard(root, lara, shape, filled=filled, is_tiny=is_tiny)


def test_the_eye_is_where_light_shines_on_lara(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    lara: Any = objects(root, "ENTITY")[0]
    lara.location = (-300.0, 0.0, 50.0)  # nothing else chooses a side there
    lit, shape = lara.tomb_raider.lit, SHAPES["wide"]
    lit.ambient, lit.color_1 = (0.0,) * 4, (0.8, 0.8, 0.8, 0.0)
    right = lara.matrix_world.to_3x3() @ Vector((1, 0, 0))
    for side in (1, -1):
        lit.place_1 = (*(side * right), 0.0)
        eye = assert_is_postcard(root, lara, shape, filled=0.0)
        assert side * (eye.translation - lara.matrix_world.translation).dot(right) > 1


def test_the_first_model_of_a_library_is_seen_from_its_front(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    model: Any = objects(root, "MODEL")[0]
    reaches = reaches_of(SHAPES["wide"])
    sight = first_sight(LevelObjects(root), model, reaches, root.tomb_raider.scale)
    eye, _ = sight.matrix(reaches)
    ahead = model.matrix_world.to_3x3() @ Vector((0, 1, 0))
    assert (eye.translation - model.matrix_world.translation).dot(ahead) > 0
