"""A second level next to the first one, without effects on its file."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection
from mathutils import Vector

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.scene.authoring.new.cameras import add_object
from io_tomb_raider.scene.authoring.new.objects import add, choices
from io_tomb_raider.scene.authoring.new.room import add_room
from io_tomb_raider.scene.authoring.new.triggers import add_trigger
from io_tomb_raider.scene.core.space import Space, world_matrix
from io_tomb_raider.scene.pipeline.exporter import export_level
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.properties.base.kinds import camera_kinds
from io_tomb_raider.scene.subjects.bisect.tools import cut_mesh
from tests.compare import differences
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes

from ...rig_tools import with_joints
from ...scenes import UNIT, export_scene, import_anew, import_scene, objects

_SECTOR = 1024 * UNIT
_FREE = ("ENTITY", "CAMERA", "SINK", "FLYBY", "AI_OBJECT", "SOUND_SOURCE")


def import_beside(data: bytes) -> Collection:
    """Import a level as users do, into a scene that may have others."""
    return import_level(data, name="Beside").root


def corners(root: Collection) -> Any:
    """Return the corners of all rooms in the world."""
    bpy.context.view_layer.update()
    rooms = objects(root, "ROOM")
    return np.array([room.matrix_world @ vertex.co for room in rooms for vertex in room.data.vertices])


def move_objects(root: Collection) -> None:
    """Move an object of each kind by a step that its game can represent, and a room with its contents."""
    for kind in _FREE:
        for obj in objects(root, kind)[:1]:
            obj.location += Vector((512, 256, 256)) * UNIT
    for kind in ("LIGHT", "PLACEMENT", "SPRITE", "PORTAL"):
        for obj in objects(root, kind)[:1]:
            obj.location.z += 256 * UNIT
    objects(root, "TRIGGER")[0].location.x += _SECTOR
    objects(root, "ROOM")[-1].location.x += 3 * _SECTOR
    bpy.context.view_layer.update()


def edited(data: bytes, *, beside: bool) -> tuple[Level, Level]:
    """Return an exported level untouched and after edits, next to another one or alone."""
    roots = [import_scene(data)]
    if beside:
        roots.append(import_beside(data))
    before = export_scene(roots[-1])
    move_objects(roots[-1])
    return before, export_scene(roots[-1])


@each_game
def test_an_offset_level_is_exported_as_if_alone(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    alone, moved_alone = edited(data, beside=False)
    bpy.ops.wm.read_homefile(use_empty=True)
    beside, moved_beside = edited(data, beside=True)
    assert beside.to_bytes() == alone.to_bytes() == data
    assert differences(alone, moved_alone)
    assert moved_beside.to_bytes() == moved_alone.to_bytes()


def test_levels_are_placed_next_to_each_other(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR4)
    first, second, third = import_scene(data), import_beside(data), import_beside(data)
    places = [corners(root) for root in (first, second, third)]
    assert all(low.max(axis=0)[1] < high.min(axis=0)[1] for low, high in pairwise(places))
    lit: list[Any] = []
    for root, found in zip((first, second, third), places, strict=True):
        offset = np.array(root.tomb_raider.offset)
        assert np.allclose(found - offset, places[0], atol=1e-4)
        assert (offset % _SECTOR == 0).all()
        # Entities show their models at their place, and the light sources are as near as before.
        for one, other in zip(objects(first, "ENTITY"), objects(root, "ENTITY"), strict=True):
            assert np.allclose(
                np.array(other.matrix_world.translation) - offset, one.matrix_world.translation
            )
            lamps = [np.array(each.tomb_raider.lit.place_1) for each in (one, other)]
            if 0 < lamps[0][3] < 1000:
                assert np.allclose(lamps[0][:3] - one.location, lamps[1][:3] - other.location, atol=1e-3)
                lit.append(other)
        models = [each for each in root.children_recursive if each.tomb_raider.kind == "MODEL"]
        assert all(each.instance_offset == each.tomb_raider.model.location for each in models)
    assert len(lit) >= 3
    assert np.allclose(corners(import_anew(data)), places[0])


def test_models_of_laras_figures_move_once(blender: ModuleType) -> None:
    """Her figure in the game contains the collection of her skin, which is in the library, too."""
    data = with_joints()
    import_scene(data)
    root = import_beside(data)
    models = {each for each in root.children_recursive if each.tomb_raider.kind == "MODEL"}
    assert any(each in models for home in models for each in home.children)
    own = [each for each in models if each.tomb_raider.model.name in each.objects]
    assert len(own) > 2
    assert all(each.instance_offset == each.tomb_raider.model.location for each in own)


def test_a_level_stands_behind_rooms_that_hang_on_a_handle(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    first = import_scene(data)
    handle = bpy.data.objects.new("Handle", None)
    first.objects.link(handle)
    for room in objects(first, "ROOM"):
        room.parent = handle
        room.location.y += 300 * _SECTOR
    bpy.context.view_layer.update()
    second = import_beside(data)
    assert corners(first).max(axis=0)[1] < corners(second).min(axis=0)[1]


def test_a_level_is_placed_behind_distant_objects_of_another(blender: ModuleType) -> None:
    """Also if the first level is in a collection of the user's, and distant objects have parents."""
    data = sample_bytes(Game.TR1)
    first = import_scene(data)
    home = bpy.data.collections.new("Mine")
    bpy.context.scene.collection.children.unlink(first)
    bpy.context.scene.collection.children.link(home)
    home.children.link(first)
    behind, aside, hangs = objects(first, "ENTITY")[:3]
    behind.location.y += 300 * _SECTOR
    aside.location.x -= 200 * _SECTOR
    hangs.constraints.new("CHILD_OF").target = objects(first, "ROOM")[0]
    hangs.location += Vector((-500, 500, 0)) * _SECTOR
    bpy.context.view_layer.update()
    second = import_beside(data)
    low, high = corners(second).min(axis=0), corners(first).min(axis=0)
    assert behind.location.y < low[1] < behind.location.y + 100 * _SECTOR
    assert high[0] - 250 * _SECTOR < low[0] < high[0] - 150 * _SECTOR


def test_levels_of_all_games_stand_in_one_scene(blender: ModuleType) -> None:
    made = [(import_beside(sample_bytes(game)), sample_bytes(game)) for game in Game]
    for root, data in made:
        assert export_scene(root).to_bytes() == data


@each_real_level
def test_an_offset_real_level_is_exported_unchanged(
    blender: ModuleType, tmp_path: Path, level_path: Path
) -> None:
    import_scene(sample_bytes(Game.TR1))
    data = level_path.read_bytes()
    assert export_scene(import_beside(data)).to_bytes() == read_level(data).to_bytes() == data


def use_tools(root: Collection) -> None:
    """Add an object by each tool that uses a position, and cut a room along the sectors."""
    offset = Vector(root.tomb_raider.offset)
    entity = objects(root, "ENTITY")[0]
    bpy.context.view_layer.update()
    place = entity.matrix_world.translation + Vector((96, 32, 128)) * UNIT
    for kind in ("ENTITY", "PLACEMENT", "SPRITE", "LIGHT", "SOUND_SOURCE"):
        found = choices(root, kind)
        if found:
            add(root, kind, found[0].identifier, place)
    add_trigger(root, place, [entity])
    for kind in ("CAMERA", "SINK", "FLYBY"):
        if kind in camera_kinds(Game[root.tomb_raider.game].traits):
            add_object(root, kind, place)
    add_room(root, Vector((30, 40, 5)) * _SECTOR + offset, (2, 3, 2))
    room = objects(root, "ROOM")[0]
    room.location += Vector((300, 500, 0)) * UNIT
    bpy.context.view_layer.update()
    assert cut_mesh(root, room, grid=True, repeats=False).by_grid
    bpy.context.view_layer.update()


@each_game
def test_tools_work_in_an_offset_level_as_in_one_alone(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    use_tools(root)
    alone = export_scene(root)
    assert differences(read_level(data), alone)
    bpy.ops.wm.read_homefile(use_empty=True)
    import_scene(data)
    root = import_beside(data)
    assert Vector(root.tomb_raider.offset).length > 0
    use_tools(root)
    beside = export_scene(root)
    assert differences(alone, beside) == []
    assert beside.to_bytes() == alone.to_bytes()


def test_places_of_exports_count_from_the_level_and_those_of_tools_from_the_world(
    blender: ModuleType,
) -> None:
    data = sample_bytes(Game.TR2)
    import_scene(data)
    root = import_beside(data)
    bpy.context.view_layer.update()
    offset, space = Vector(root.tomb_raider.offset), Space.of(root)
    for obj in objects(root, "ROOM"):
        assert world_matrix(obj) == obj.matrix_world
        assert space.matrix_of(obj).translation == obj.matrix_world.translation - offset
        assert space.in_world(space.matrix_of(obj).translation) == obj.matrix_world.translation
    read: list[Vector] = []

    def listen(step: str, _done: float) -> None:
        read.append(world_matrix(objects(root, "ROOM")[0]).translation)

    export_level(root, listener=listen)
    assert len(read) > 5
    assert all(each == objects(root, "ROOM")[0].matrix_world.translation for each in read)
