"""Light baked by the compilers' formulas, as exported."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.formats.base.bytes.colors import argb_to_bytes, rgb555_to_bytes
from io_tomb_raider.scene.authoring.bake.bake import bake_light
from io_tomb_raider.scene.authoring.bake.subject import BakeOptions
from tests.games import each_game
from tests.sample_levels import sample_bytes

from ...scenes import changes, export_scene, import_scene, objects
from .rooms import divided_room, exported_light

HALL, CORRIDOR, WATER, FLOODED = range(4)
_LIGHT = {"light", "light2", "color"}
_PLACED = {"intensity", "intensity2", "color"}


@each_game
def test_baking_changes_only_light(blender: ModuleType, game: Game) -> None:
    done: list[Any] = []

    found = changes(sample_bytes(game), lambda root: done.append(bake_light(root, BakeOptions())))

    assert found
    for path in found:
        assert (path[0], path[2]) in (("rooms", "vertices"), ("rooms", "static_meshes"))
        assert path[-1] in (_LIGHT if path[2] == "vertices" else _PLACED)
    assert {path[1] for path in found} >= {HALL, CORRIDOR, WATER, FLOODED}
    assert done[0].static_meshes == 4


@each_game
def test_walls_cast_shadows(blender: ModuleType, game: Game) -> None:
    root, room, light = divided_room(game)
    settings = room.tomb_raider.room
    settings.ambient, settings.color = 8160, (0, 0, 0, 0)
    light.tomb_raider.light.intensity = 8191
    light.tomb_raider.light.color = (128 / 255,) * 3
    for name in ("falloff", "inner", "outer"):
        setattr(light.tomb_raider.light, name, {"falloff": 4096, "inner": 1024, "outer": 8192}[name])

    bake_light(root, BakeOptions())

    ((places, raw),) = exported_light(root)
    floor = places[:, 1] == places[:, 1].max()
    at = np.rint(np.array(light.matrix_world.translation) * 512)[[0, 2, 1]] * (1, -1, 1)
    distance = np.linalg.norm(places - at, axis=1)
    expected = np.clip((8192 - distance) / (8192 - 1024), 0, 1)
    behind = places[:, 2] > at[2] + 1024
    lit = floor & ~behind & (places[:, 2] < at[2] + 1000)
    shown = _brightness(game, raw)
    assert lit.any() and (floor & behind).any()
    assert shown[lit] == pytest.approx(expected[lit], abs=0.04)
    assert (shown[floor & behind] == 0).all()
    # Light reaches the upper part of the far side over the wall.
    high = behind & (places[:, 1] < places[:, 1].max() - 2048)
    assert shown[high] == pytest.approx(expected[high], abs=0.04)


def _brightness(game: Game, raw: Any) -> Any:
    """Return light of files, (n,), as brightness, 1 is normal."""
    if not game.traits.has_color_light:
        return 2 * (1 - raw / 8160)
    parts = argb_to_bytes(raw) if game.traits.has_room_layers else rgb555_to_bytes(raw)
    return parts[:, 0] / 128


@each_game
def test_static_meshes_have_the_light_at_their_middle(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    room, placed = objects(root, "ROOM")[HALL], objects(root, "PLACEMENT")[0]
    room.tomb_raider.room.ambient, room.tomb_raider.room.color = 8160, (0, 0, 0, 0)
    light, *others = objects(root, "LIGHT")  # the first one is a point light of the hall
    for other in others:
        bpy.data.objects.remove(other)
    # A tall mesh, whose origin and most vertices are on the floor.
    placed.data.clear_geometry()
    placed.data.from_pydata([(0, 0, 0), (0, 0, 0.1), (0, 0, 0.2), (0, 0, 4)], [], [])
    light.matrix_world.translation = placed.matrix_world.translation + Vector((0, 0, 2))
    settings = light.tomb_raider.light
    settings.intensity, settings.color = 8191, (128 / 255, 0, 0)
    settings.falloff, settings.inner, settings.outer = 512, 256, 768
    bpy.context.view_layer.update()

    bake_light(root, BakeOptions())

    (found, *_) = export_scene(root).rooms[HALL].static_meshes
    if game.traits.has_color_light:
        assert [int(found["color"]) >> 5 * part & 31 for part in range(3)] == [16, 0, 0]  # red is normal
    else:
        assert found["intensity"] < 5000


def test_soft_shadows_have_edges_between_light_and_dark(blender: ModuleType) -> None:
    root, room, light = divided_room(Game.TR5, height=1024)
    room.tomb_raider.room.color = (0, 0, 0, 0)
    light.tomb_raider.light.outer = 16384
    found = []
    for rays in (1, 9, 25):
        bake_light(root, BakeOptions(rays=rays))
        found.append(exported_light(root)[0][1])
    black = [set(np.flatnonzero(argb_to_bytes(each).max(axis=1) == 0).tolist()) for each in found]

    assert black[0] > black[1] >= black[2]
    assert (found[1] != found[2]).any()


def test_light_in_portals_is_the_mean_of_both_rooms_unless_one_is_water(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR5))
    bake_light(root, BakeOptions())
    baked = exported_light(root)
    for room in objects(root, "PORTAL"):
        room.tomb_raider.portal.room = None
    bake_light(root, BakeOptions())
    alone = exported_light(root)

    shared = _shared(baked, HALL, CORRIDOR)
    assert len(shared) == 4
    for one, other in shared:
        colors = [argb_to_bytes(alone[room][1][[row]])[0] for room, row in ((HALL, one), (CORRIDOR, other))]
        assert (colors[0] != colors[1]).any()
        mean = (colors[0].astype(int) + colors[1]) >> 1
        assert argb_to_bytes(baked[HALL][1][[one]])[0].tolist() == mean.tolist()
        assert baked[HALL][1][one] == baked[CORRIDOR][1][other]
    for one, other in _shared(baked, HALL, WATER):
        assert baked[HALL][1][one] == alone[HALL][1][one]
        assert baked[WATER][1][other] == alone[WATER][1][other]
    others = np.setdiff1d(np.arange(len(alone[CORRIDOR][1])), [other for _, other in shared])
    assert (baked[CORRIDOR][1][others] == alone[CORRIDOR][1][others]).all()


def test_alternate_rooms_have_their_own_light_and_take_that_of_neighbors(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    rooms = objects(root, "ROOM")
    rooms[FLOODED].tomb_raider.room.has_water = False
    before = rooms[FLOODED].tomb_raider.room.color[:]
    bake_light(root, BakeOptions())
    first = exported_light(root)
    rooms[FLOODED].tomb_raider.room.color = (1, 0, 0, before[3])

    bake_light(root, BakeOptions())

    second = exported_light(root)
    for room in (HALL, CORRIDOR, WATER):
        assert (first[room][1] == second[room][1]).all()
    assert (first[FLOODED][1] != second[FLOODED][1]).any()
    shared = _shared(second, HALL, FLOODED)
    assert len(shared) == 4
    assert all(second[HALL][1][one] == second[FLOODED][1][other] for one, other in shared)


def _shared(rooms: Any, one: int, other: int) -> list[tuple[int, int]]:
    """Return pairs of vertices of two rooms at the same place."""
    there = {tuple(place): row for row, place in enumerate(rooms[other][0].tolist())}
    found = [(row, there.get(tuple(place))) for row, place in enumerate(rooms[one][0].tolist())]
    return [(row, match) for row, match in found if match is not None]


@pytest.mark.parametrize("game", [Game.TR1, Game.TR3])
def test_only_selected_rooms_are_baked_and_match_their_neighbors(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    before = exported_light(root)

    bake_light(root, BakeOptions(only=frozenset({objects(root, "ROOM")[CORRIDOR]})))

    after = exported_light(root)
    changed = [(old[1] != new[1]).any() for old, new in zip(before, after, strict=True)]
    assert changed == [False, True, False, False]
    assert _shared(after, HALL, CORRIDOR)
    for one, other in _shared(after, HALL, CORRIDOR):
        assert after[CORRIDOR][1][other] == before[HALL][1][one]


@each_game
def test_ambient_light_of_the_mean_is_the_same_after_each_bake(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    options = BakeOptions(targets=frozenset({"AMBIENT", "ROOMS"}), exposure=0.5)
    found = []
    for _ in range(2):
        bake_light(root, options)
        settings = objects(root, "ROOM")[HALL].tomb_raider.room
        found.append((settings.ambient, settings.ambient2, tuple(settings.color)))
    assert found[0] == found[1]
    raw = exported_light(root)[HALL][1]
    shown = _brightness(game, raw).mean()
    ambient = (
        settings.color[0] * 255 / 128 if game.traits.has_room_color else 2 * (1 - settings.ambient / 8160)
    )
    assert ambient == pytest.approx(shown, abs=0.1)


def test_light_painted_per_corner_and_copies_of_meshes(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    rooms = objects(root, "ROOM")
    bake_light(root, BakeOptions())
    expected = exported_light(root)
    mesh = rooms[CORRIDOR].data
    mesh.color_attributes.remove(mesh.color_attributes["Color"])
    painted = mesh.color_attributes.new("Painted", "BYTE_COLOR", "CORNER")
    mesh.attributes.default_color_name = painted.name
    hall = rooms[HALL].data
    hall.color_attributes.remove(hall.color_attributes["Color"])

    bake_light(root, BakeOptions())

    for (_, light), (_, other) in zip(exported_light(root), expected, strict=True):
        assert light.tolist() == other.tolist()


def test_baking_needs_targets_and_rooms(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    with pytest.raises(ExportError, match="choose what to bake"):
        bake_light(root, BakeOptions(targets=frozenset()))
    for room in objects(root, "ROOM"):
        bpy.data.objects.remove(room)
    with pytest.raises(ExportError, match="no rooms"):
        bake_light(root, BakeOptions())
