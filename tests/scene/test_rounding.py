"""Rounding of positions between whole game units: every subject is exported at the nearest one."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Vector

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.pipeline.importer import ImportOptions, import_level
from tests.compare import differences
from tests.games import each_game
from tests.sample_levels import sample_bytes

from .rig_tools import actions, armature, curve, edit_bones, model_keys
from .scenes import UNIT, export_scene, import_scene, mesh_of, meshes_of, objects, room_object
from .subjects.triggers.sample_triggers import FREE, PAD, SECTOR, box_at, sample_with, triggers_of

Point = tuple[float, float, float]

# Places in game units and axes, and the nearest to each: on both sides of zero, and far away.
NEAREST: dict[Point, tuple[int, int, int]] = {
    (0.4, -0.6, -0.4): (0, -1, 0),
    (0.6, 3.4, -3.6): (1, 3, -4),
    (-0.6, -3.4, 3.6): (-1, -3, 4),
    (-9999.6, 9999.6, -9999.4): (-10000, 10000, -9999),
}


class Subject(NamedTuple):
    """A kind of objects with a position.

    Attributes:
        put: moves an object of the kind to a position.
        read: returns the position in the file.
        games: the games with this kind.
    """

    put: Callable[[Collection, Point], None]
    read: Callable[[Level], Any]
    games: tuple[Game, ...] = tuple(Game)


def blender_place(point: Point) -> Vector:
    """Return a place in Blender's units and axes."""
    x, y, z = point
    return Vector((x, z, -y)) * UNIT


def put_object(kind: str) -> Callable[[Collection, Point], None]:
    """Return an edit that moves the first object of a kind, relative to its room."""

    def put(root: Collection, point: Point) -> None:
        obj = objects(root, kind)[0]
        obj.location = blender_place(point) - (obj.parent.location if obj.parent else Vector())

    return put


def place_of(record: Any) -> list[float]:
    return [record[axis].item() for axis in "xyz"]


def put_mesh_vertex(root: Collection, point: Point) -> None:
    mesh_of(root, 2).vertices[1].co = blender_place(point)


def put_room_vertex(root: Collection, point: Point) -> None:
    room_object(root, 1).data.vertices[2].co = blender_place(point)


def put_portal_corner(root: Collection, point: Point) -> None:
    """Move a corner of a portal, relative to its room."""
    portal = objects(root, "PORTAL")[0]
    portal.data.vertices[1].co = blender_place(point) - portal.location


def put_sprite(root: Collection, point: Point) -> None:
    """Sprites stand on vertices of their rooms, which count from these."""
    objects(root, "SPRITE")[0].location = blender_place(point)


def sprite_place(level: Level) -> list[int]:
    room = level.rooms[0]
    return [int(part) for part in place_of(room.vertices[room.sprites["vertex"][0]])]


def put_bone(root: Collection, point: Point) -> None:
    with edit_bones(root) as bones:
        bone = next(bone for bone in bones if bone.parent)
        bone.translate(blender_place(point) - (bone.head - bone.parent.head))


def bone_place(level: Level) -> list[int]:
    words = int(level.models["mesh_tree"][0])
    return level.mesh_trees[words + 1 : words + 4].tolist()


def put_key(root: Collection, point: Point) -> None:
    action = actions(root)[0]
    (bone,) = [bone for bone in armature(root).data.bones if bone.parent is None]
    location = bone.matrix_local.to_3x3().inverted() @ (blender_place(point) - bone.head_local)
    for index in range(3):
        channel = curve(action, bone.name, "location", index)
        channel.keyframe_points[1].co.y = location[index]
        channel.update()


BEFORE_TR4, BEFORE_TR5, FROM_TR4 = (Game.TR1, Game.TR2, Game.TR3), tuple(Game)[:4], (Game.TR4, Game.TR5)
SUBJECTS = {
    "vertex of a mesh": Subject(put_mesh_vertex, lambda level: meshes_of(level)[2].vertices[1].tolist()),
    "vertex of a room": Subject(put_room_vertex, lambda level: place_of(level.rooms[1].vertices[2])),
    "entity": Subject(put_object("ENTITY"), lambda level: place_of(level.entities[0])),
    "light": Subject(put_object("LIGHT"), lambda level: place_of(level.rooms[0].lights[0])),
    "placed static mesh": Subject(
        put_object("PLACEMENT"), lambda level: place_of(level.rooms[0].static_meshes[0])
    ),
    "sprite": Subject(put_sprite, sprite_place, BEFORE_TR5),
    "camera": Subject(put_object("CAMERA"), lambda level: place_of(level.cameras[0])),
    "sink": Subject(put_object("SINK"), lambda level: place_of(level.cameras[2])),
    "flyby camera": Subject(put_object("FLYBY"), lambda level: place_of(level.flyby_cameras[0]), FROM_TR4),
    "AI object": Subject(put_object("AI_OBJECT"), lambda level: place_of(level.ai_objects[0]), FROM_TR4),
    "sound source": Subject(put_object("SOUND_SOURCE"), lambda level: place_of(level.sound_sources[0])),
    "portal": Subject(put_portal_corner, lambda level: level.rooms[0].portals["vertices"][0, 1].tolist()),
    "bone": Subject(put_bone, bone_place),
    "root of a key frame": Subject(put_key, lambda level: model_keys(level).offsets[1].tolist()),
}
# These are floats in the file, and are not rounded.
FRACTIONS = {(Game.TR5, "vertex of a room"), (Game.TR5, "light")}


@each_game
@pytest.mark.parametrize("point", NEAREST, ids=str)
def test_every_subject_is_written_to_the_nearest_unit(blender: ModuleType, game: Game, point: Point) -> None:
    root = import_scene(sample_bytes(game))
    subjects = {name: subject for name, subject in SUBJECTS.items() if game in subject.games}
    for subject in subjects.values():
        subject.put(root, point)
    level = export_scene(root)
    found = {name: subject.read(level) for name, subject in subjects.items()}
    expected = {
        name: pytest.approx(point, abs=0.01) if (game, name) in FRACTIONS else list(NEAREST[point])
        for name in subjects
    }
    assert found == expected
    if game is Game.TR5:
        # The second copy in the file is in whole units.
        assert level.rooms[0].lights["position"][0].tolist() == list(NEAREST[point])


@each_game
def test_a_drag_of_less_than_half_a_unit_changes_nothing(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    old, root = read_level(data), import_scene(data)
    for name, subject in SUBJECTS.items():
        if game in subject.games and (game, name) not in FRACTIONS:
            x, y, z = subject.read(old)
            subject.put(root, (x + 0.4, y - 0.4, z + 0.4))
    # Children follow their parents: offsets between bones are the same.
    assert differences(old, export_scene(root)) == []


@pytest.mark.parametrize("game", FROM_TR4)
@pytest.mark.parametrize("point", NEAREST, ids=str)
def test_a_flyby_camera_moves_with_its_target(blender: ModuleType, game: Game, point: Point) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    put_object("FLYBY")(root, point)
    before, after = read_level(data).flyby_cameras[0], export_scene(root).flyby_cameras[0]
    assert (after["target"] - place_of(after)).tolist() == (before["target"] - place_of(before)).tolist()


@each_game
@pytest.mark.parametrize(("x", "z"), [(-0.4, 0.4), (0.6, -0.6), (-30000.4, -30000.6)])
def test_rooms_are_written_to_the_nearest_unit(blender: ModuleType, game: Game, x: float, z: float) -> None:
    """Their vertices are relative to the room."""
    data = sample_bytes(game)
    old, root = read_level(data), import_level(data, ImportOptions(collision=False)).root
    room_object(root, 1).location += blender_place((x, 0, z))
    new = export_scene(root)
    assert (new.rooms[1].x, new.rooms[1].z) == (old.rooms[1].x + round(x), old.rooms[1].z + round(z))
    assert np.array_equal(new.rooms[1].vertices, old.rooms[1].vertices)


# From TR4 on, sprites have no size of their own in the world.
@pytest.mark.parametrize("game", BEFORE_TR4)
def test_the_sides_of_sprites_are_written_to_the_nearest_unit(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    vertices = objects(root, "SPRITE_TEXTURE")[0].data.vertices
    middle = sum((vertex.co for vertex in vertices), Vector()) / 4
    left, top, right, bottom = -100.6, -60.4, 99.6, 0.4
    for vertex in vertices:
        x = left if vertex.co.x < middle.x else right
        vertex.co = blender_place((x, top if vertex.co.z > middle.z else bottom, 0))
    record = export_scene(root).sprite_textures[0]
    assert [record[side] for side in ("left", "top", "right", "bottom")] == [-101, -60, 100, 0]


@pytest.mark.parametrize("game", BEFORE_TR4)
@pytest.mark.parametrize("point", NEAREST, ids=str)
def test_keys_of_cutscenes_are_written_to_the_nearest_unit(
    blender: ModuleType, game: Game, point: Point
) -> None:
    root = import_scene(sample_bytes(game))
    camera = objects(root, "CINEMATIC")[0]
    for obj in (camera, camera.tomb_raider.cinematic.target):
        channels = compat.find_channels(obj.animation_data.action, obj)
        place = blender_place(point)
        for index in range(3):
            channels.fcurves.find("location", index=index).keyframe_points[7].co[1] = place[index]
    record = export_scene(root).cinematic_frames[7]
    assert record["position"].tolist() == record["target"].tolist() == list(NEAREST[point])


@each_game
@pytest.mark.parametrize(("by", "sectors"), [(0.4, 0), (0.6, 1), (-0.4, 0), (-0.6, -1)])
def test_triggers_stand_on_the_nearest_sectors(
    blender: ModuleType, game: Game, by: float, sectors: int
) -> None:
    room, x, z = FREE
    root = import_scene(sample_with(game))
    obj = box_at(root, FREE)
    obj.location.x += by * SECTOR
    obj.location.y -= by * SECTOR
    found = triggers_of(export_scene(root))
    assert found[room, x + sectors, z - sectors] == (PAD,)
    assert found.keys() == {
        *(triggers_of(read_level(sample_bytes(game)))),
        (room, x + sectors, z - sectors),
    }
