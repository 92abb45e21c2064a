"""Exported UV maps and painted light of meshes, and reports of unsupported layers."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from bpy.types import Collection
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from io_tomb_raider.scene.pipeline.checks.check import check_scene
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...scenes import (
    changes,
    export_scene,
    exported,
    import_scene,
    mesh_of,
    meshes_of,
    objects,
    room_object,
)


def corner_light(mesh: Any, name: str = "Light") -> NDArray[np.float32]:
    """Return the light of a room's corners, with a new rendered attribute per corner for it."""
    shown = mesh.color_attributes[0]
    values = np.empty((len(shown.data), 4), np.float32)
    shown.data.foreach_get("color", values.ravel())
    corners = np.array([loop.vertex_index for loop in mesh.loops])
    mesh.color_attributes.new(name, "FLOAT_COLOR", "CORNER")
    mesh.attributes.default_color_name = mesh.attributes.active_color_name = name
    return values[corners]


def set_colors(mesh: Any, values: NDArray[np.float32], name: str = "Light") -> None:
    mesh.color_attributes[name].data.foreach_set("color", values.ravel())


def light_of(level: Level, room: int = 0) -> NDArray[Any]:
    """Return the light of the vertices of a room's quads, (n, 4)."""
    found = level.rooms[room]
    light = found.vertices["color" if level.game >= Game.TR3 else "light"]
    return light[decode_faces(level.game, found)[0].corners]


@each_game
def test_the_rendered_uv_map_is_written(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)

    def edit(root: Collection) -> None:
        mesh = mesh_of(root, 2)
        mesh.uv_layers.new(name="Mine")
        for corner in mesh.polygons[0].loop_indices:
            mesh.uv_layers["Mine"].uv[corner].vector *= 0.5
        mesh.uv_layers["Mine"].active_render = True

    assert ("meshes", 2, "quads", "texture", 0) in {path[:5] for path in changes(data, edit)}


def test_a_uv_map_that_is_edited_but_not_rendered_is_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    obj = room_object(root, 0)
    obj.data.uv_layers.new(name="Mine")
    obj.data.uv_layers["Mine"].active = True
    assert [text.split(":")[0] for text in exported(root)[1]] == [obj.name]
    assert "Mine is left out" in exported(root)[1][0]
    obj.data.uv_layers["Mine"].active_render = True
    assert exported(root)[1] == []


@each_game
def test_the_rendered_color_attribute_is_written(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    mesh: Any = room_object(root, 0).data
    mesh.color_attributes.new("Mine", "BYTE_COLOR", "POINT")
    mesh.color_attributes["Mine"].data.foreach_set("color", np.ones(4 * len(mesh.vertices), np.float32))
    assert np.array_equal(light_of(export_scene(root)), light_of(read_level(data)))
    mesh.attributes.default_color_name = mesh.attributes.active_color_name = "Mine"
    brightest = {Game.TR3: 0x7FFF, Game.TR4: 0x7FFF, Game.TR5: 0xFFFFFFFF}.get(game, 0)
    light = export_scene(root).rooms[0].vertices["color" if game >= Game.TR3 else "light"]
    assert (light & (0xFFFFFFFF if game is Game.TR5 else 0x7FFF) == brightest).all()


def test_a_color_attribute_that_is_painted_but_not_rendered_is_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    obj = room_object(root, 0)
    obj.data.color_attributes.new("Mine", "BYTE_COLOR", "CORNER")
    obj.data.attributes.active_color_name = "Mine"
    (text,) = exported(root)[1]
    assert text.startswith(f"{obj.name}: its color attribute Color is the rendered one") and "Mine" in text


@each_game
def test_a_removed_uv_map_is_reported_with_the_number_of_faces(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    static = objects(root, "STATIC_MESH")[0]
    part = next(obj for obj in objects(root, "MODEL_MESH") if obj.data not in (None, static.data))
    edited = [room_object(root, 0), static, part]
    for obj in edited:
        obj.data.uv_layers.remove(obj.data.uv_layers[0])
    told = [text for text in exported(root)[1] if "UV map" in text]
    assert sorted(text.split(":")[0] for text in told) == sorted(obj.name for obj in edited)
    for obj in edited:
        (text,) = [each for each in told if each.startswith(f"{obj.name}:")]
        assert f"so {len(obj.data.polygons)} of its faces" in text
    assert {note.subject for note in check_scene(root) if "UV map" in note.text} == {
        obj.name for obj in edited
    }


def test_a_removed_color_attribute_is_reported_once(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    obj = room_object(root, 0)
    obj.data.color_attributes.remove(obj.data.color_attributes["Color"])
    (text,) = exported(root)[1]
    assert text.startswith(f"{obj.name}: it has no color attribute, so it gets half light")


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2])
def test_colored_light_is_reported_in_games_without_it(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = room_object(root, 0)
    layer = obj.data.color_attributes["Color"].data
    for vertex in range(3):
        layer[vertex].color_srgb = (1, 0, 0, 1)
    (text,) = exported(root)[1]
    assert text.startswith(f"{obj.name}: its light is colored at 3 vertices")
    for vertex in range(3):
        layer[vertex].color_srgb = (0.5, 0.5, 0.5, 1)
    assert exported(root)[1] == []


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
def test_colored_light_gives_no_warning_in_games_with_it(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    room_object(root, 0).data.color_attributes["Color"].data[0].color_srgb = (1, 0, 0, 1)
    assert exported(root)[1] == []


@each_game
def test_paint_on_corners_of_a_face_lights_only_this_face(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    mesh = room_object(root, 0).data
    values = corner_light(mesh)
    face = next(face for face in mesh.polygons if face.loop_total == 4)
    values[list(face.loop_indices)] = 1
    set_colors(mesh, values)
    old, new = read_level(data), export_scene(root)
    before, after = light_of(old), light_of(new)
    assert np.array_equal(np.flatnonzero((before != after).any(axis=1)), [0])
    brightest = {Game.TR3: 0x7FFF, Game.TR4: 0x7FFF}.get(game, 0xFFFFFF if game is Game.TR5 else 0)
    assert (after[0] & (0xFFFFFF if game is Game.TR5 else 0x7FFF) == brightest).all()
    # Corners are unchanged; the other faces keep their vertices, and sprites theirs.
    assert len(new.rooms[0].vertices) <= len(old.rooms[0].vertices) + 4
    quads = [decode_faces(game, level.rooms[0])[0].corners for level in (old, new)]
    points = [level.rooms[0].vertices[["x", "y", "z"]] for level in (old, new)]
    assert np.array_equal(points[0][quads[0]], points[1][quads[1]])
    assert np.array_equal(new.rooms[0].sprites, old.rooms[0].sprites)


@each_game
def test_light_per_corner_that_is_the_same_around_changes_nothing(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        mesh = room_object(root, 0).data
        set_colors(mesh, corner_light(mesh))

    assert changes(sample_bytes(game), edit) == []


def test_light_that_needs_too_many_vertices_is_averaged_with_a_warning(
    blender: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    obj = room_object(root, 0)
    mesh = obj.data
    values = corner_light(mesh)
    values[list(mesh.polygons[0].loop_indices)] = 0
    set_colors(mesh, values)
    count = len(read_level(data).rooms[0].vertices)
    monkeypatch.setattr("io_tomb_raider.scene.subjects.meshes.read.MOST_SPLIT", count)
    level, report = export_level(root)
    assert len(level.rooms[0].vertices) == count
    (text,) = report.warnings
    assert text.startswith(f"{obj.name}: light painted per corner is averaged at")


def test_static_light_painted_per_corner_is_written(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR3)
    lit = next(i for i, mesh in enumerate(meshes_of(read_level(data))) if mesh.normals is None)
    root = import_scene(data)
    mesh = mesh_of(root, lit)
    values = corner_light(mesh)
    values[list(mesh.polygons[0].loop_indices)] = 1
    set_colors(mesh, values)
    old, new = meshes_of(read_level(data))[lit], meshes_of(export_scene(root))[lit]
    lights = [each.lights[each.quads["vertices"]] for each in (old, new)]
    assert not lights[1][0].any() and lights[0][0].any()
    assert np.array_equal(lights[1][1:], lights[0][1:])
