"""Adoption of objects that users add, copy, or drag from other levels."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.formats.levels.injections.block import read_block
from io_tomb_raider.formats.levels.injections.kinds import BlockId
from io_tomb_raider.scene.transfer.adoption import adoption
from io_tomb_raider.scene.transfer.adoption.adoption import adopt
from io_tomb_raider.ui import pending
from tests.compare import differences
from tests.level_rules import broken_indices
from tests.sample_levels import sample_bytes
from tests.sample_levels.models import model_id
from tests.scene.exporting import export_level

from ...scenes import collection_of, copy_of, export_scene, import_scene, objects
from ..append.reading import model_meshes, poses

GAMES = pytest.mark.parametrize("game", list(Game), ids=lambda game: game.name)


def _added(root: Collection, where: Any, data: Any, like: Any) -> Any:
    """Return a new Blender object without a kind, at the location of another object."""
    made = bpy.data.objects.new("Mine", data)
    made.matrix_world = like.matrix_world
    where.objects.link(made)
    return made


@GAMES
@pytest.mark.parametrize("place", ["level", "entities", "own collection"])
def test_an_instance_of_a_model_is_an_entity_in_any_collection(
    blender: ModuleType, game: Game, place: str
) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    like = next(each for each in objects(root, "ENTITY") if each.instance_collection is not None)
    where = {"level": root, "entities": collection_of(root, "ENTITIES")}.get(place)
    if where is None:
        where = bpy.data.collections.new("Wolves")
        root.children.link(where)
    obj = _added(root, where, None, like)
    obj.instance_type, obj.instance_collection = "COLLECTION", like.instance_collection
    bpy.context.view_layer.update()
    adopt(root)
    assert obj.tomb_raider.kind == "ENTITY"
    assert obj.tomb_raider.entity.type == like.tomb_raider.entity.type
    old, new = read_level(data), export_scene(root)
    assert len(new.entities) == len(old.entities) + 1
    twin = new.entities[like.tomb_raider.index]
    assert [int(new.entities[-1][name]) for name in ("type", "x", "y", "z", "room")] == [
        int(twin[name]) for name in ("type", "x", "y", "z", "room")
    ]
    assert int(new.entities[-1]["intensity"]) == -1


@GAMES
def test_an_object_that_shares_a_static_meshs_data_is_placed(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    placed = objects(root, "PLACEMENT")[0]
    obj = _added(root, root, placed.data, placed)
    bpy.context.view_layer.update()
    level = export_scene(root)
    assert obj.tomb_raider.kind == "PLACEMENT"
    old = read_level(data)
    counts = [[len(room.static_meshes) for room in each.rooms] for each in (old, level)]
    room = next(number for number, (one, two) in enumerate(zip(*counts, strict=True)) if one != two)
    assert counts[1][room] == counts[0][room] + 1
    record, twin = level.rooms[room].static_meshes[-1], old.rooms[room].static_meshes[0]
    assert record["static_mesh"] == twin["static_mesh"]
    assert {path[:3] for path in differences(old, level)} == {("rooms", room, "static_meshes")}


@GAMES
def test_a_library_static_mesh_that_is_duplicated_into_a_room_is_placed(
    blender: ModuleType, game: Game
) -> None:
    """Duplicate it with Alt+D and M, which used to add a static mesh."""
    data = sample_bytes(game)
    root = import_scene(data)
    library, placed = objects(root, "STATIC_MESH")[0], objects(root, "PLACEMENT")[0]
    made = library.copy()
    placed.users_collection[0].objects.link(made)
    made.matrix_world = placed.matrix_world
    bpy.context.view_layer.update()
    level = export_scene(root)
    assert len(level.static_meshes) == len(read_level(data).static_meshes)
    assert made.tomb_raider.kind == "PLACEMENT"
    assert sum(len(room.static_meshes) for room in level.rooms) == 1 + sum(
        len(room.static_meshes) for room in read_level(data).rooms
    )


@pytest.mark.parametrize("own_mesh", [False, True], ids=["Alt+D", "Shift+D"])
@pytest.mark.parametrize("game", [Game.TR1, Game.TR4])
def test_a_library_picture_that_is_duplicated_into_a_room_is_a_sprite_there(
    blender: ModuleType, game: Game, own_mesh: bool
) -> None:
    """The duplicate used to become a picture of the library."""
    data = sample_bytes(game)
    root = import_scene(data)
    picture, sprite = objects(root, "SPRITE_TEXTURE")[2], objects(root, "SPRITE")[0]
    made = picture.copy()
    if own_mesh:
        made.data = picture.data.copy()
    sprite.users_collection[0].objects.link(made)
    made.matrix_world = sprite.matrix_world
    bpy.context.view_layer.update()
    old, level = read_level(data), export_scene(root)
    assert made.tomb_raider.kind == "SPRITE"
    (room,) = [n for n, each in enumerate(level.rooms) if len(each.sprites) > len(old.rooms[n].sprites)]
    assert level.rooms[room].sprites["texture"][-1] == picture.tomb_raider.index
    assert {path[:2] for path in differences(old, level)} == {("rooms", room)}


@GAMES
def test_a_lamp_in_any_collection_is_a_light_of_the_room_around_it(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    like = next(each for each in objects(root, "LIGHT") if each.type == "LIGHT")
    number = int(like.parent.tomb_raider.index)
    obj = _added(root, root, bpy.data.lights.new("Mine", "POINT"), like)
    bpy.context.view_layer.update()
    level = export_scene(root)
    assert obj.tomb_raider.kind == "LIGHT"
    old = read_level(data)
    assert [len(room.lights) for room in level.rooms] == [
        len(room.lights) + (index == number) for index, room in enumerate(old.rooms)
    ]


def test_a_lamp_that_the_game_lacks_is_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    _added(root, root, bpy.data.lights.new("Mine", "AREA"), objects(root, "LIGHT")[0])
    _, report = export_level(root)
    assert report.warnings == ["Mine: it is left out: the game has no area lights: choose another type"]


@GAMES
def test_lights_and_placements_follow_into_another_room(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    old = read_level(data)
    for kind, section in (("LIGHT", "lights"), ("PLACEMENT", "static_meshes")):
        root = import_scene(data)
        obj = next(each for each in objects(root, kind) if each.parent is not None)
        home = int(obj.parent.tomb_raider.index)
        other = next(
            each
            for each in objects(root, "ENTITY")
            if int(old.entities[each.tomb_raider.index]["room"]) not in (home, 0xFFFF)
        )
        target = int(old.entities[other.tomb_raider.index]["room"])
        obj.matrix_world.translation = other.matrix_world.translation
        obj.matrix_world = obj.matrix_world.copy()
        matrix = obj.matrix_world.copy()
        matrix.translation = other.matrix_world.translation
        obj.matrix_world = matrix
        bpy.context.view_layer.update()
        level = export_scene(root)
        moved = [len(getattr(room, section)) for room in level.rooms]
        before = [len(getattr(room, section)) for room in old.rooms]
        assert moved[target] == before[target] + 1, kind
        assert sum(moved) == sum(before)


def test_a_copy_does_not_replace_its_original(blender: ModuleType) -> None:
    """A copy that sorts before the original by name must not replace it."""
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    obj = objects(root, "ENTITY")[0]
    obj.name = "Long name of the first one"
    copy = copy_of(obj)
    copy.name = "B"
    adopt(root)
    assert (obj.tomb_raider.is_copy, copy.tomb_raider.is_copy) == (False, True)
    copy.name = "A"
    copy.location.x += 2
    bpy.context.view_layer.update()
    level = export_scene(root)
    old = read_level(data)
    assert len(level.entities) == len(old.entities) + 1
    assert int(level.entities[0]["x"]) == int(old.entities[0]["x"])
    assert int(level.entities[-1]["x"]) == int(old.entities[0]["x"]) + 1024


# --- From other levels ----------------------------------------


@pytest.mark.parametrize("source", [Game.TR1, Game.TR2])
def test_an_entity_of_another_level_is_copied_with_its_model(blender: ModuleType, source: Game) -> None:
    """Drag a dog of TR2 to TR1, which has none, and a wolf of TR1 to TR1. Both levels are complete."""
    data, other_data = sample_bytes(Game.TR1), sample_bytes(source)
    root, other = import_scene(data), import_scene(other_data)
    enemy = model_id(source, "enemy")
    obj = next(each for each in objects(other, "ENTITY") if each.tomb_raider.entity.type == enemy)
    copy = obj.copy()
    copy.location = objects(root, "ENTITY")[1].location
    collection_of(root, "ENTITIES").objects.link(copy)
    old, there, written = read_level(data), read_level(other_data), export_scene(root)
    number = int(written.entities[-1]["type"])
    # A number with another meaning in the game is replaced by a free one, as in an append.
    assert (number == enemy) == (source is Game.TR1) and len(written.entities) == len(old.entities) + 1
    assert len(written.models) == len(old.models) + (source is Game.TR2)
    shown, wanted = model_meshes(written, number), model_meshes(there, enemy)
    assert [each.vertices.tolist() for each in shown] == [each.vertices.tolist() for each in wanted]
    both = ((there, enemy), (written, number))
    turns = [poses(level, model, 1, (0.0, 0.5))[..., :3] for level, model in both]
    assert np.abs(turns[0] - turns[1]).max() < 0.01
    assert export_scene(other).to_bytes() == other_data


@pytest.mark.parametrize("source", [Game.TR1, Game.TR2])
def test_properties_of_an_entity_name_no_rooms_of_another_level(blender: ModuleType, source: Game) -> None:
    root, other = import_scene(sample_bytes(Game.TR1)), import_scene(sample_bytes(source))
    level: Any = root
    level.tomb_raider.engine = "TRX"
    obj: Any = objects(other, "ENTITY")[0]
    item = obj.tomb_raider.properties.add()
    item.name, item.integer, item.room = "anchor_room", -1, objects(other, "ROOM")[1]
    copy: Any = obj.copy()
    copy.location = objects(root, "ENTITY")[1].location
    collection_of(root, "ENTITIES").objects.link(copy)
    assert objects(root, "ROOM")[1].name not in (item.room.name, "")
    block = read_block(export_scene(root))
    assert block is not None
    assert [each["value"] for each in block.records(BlockId.PROPERTIES)[0]["properties"]] == [-1]
    assert copy.tomb_raider.properties[0].room is None
    assert item.room == objects(other, "ROOM")[1]


def test_a_placement_of_another_level_is_copied_with_its_static_mesh(blender: ModuleType) -> None:
    """Another shape with the same id gets a free id; the same shape uses that of the level."""
    data = sample_bytes(Game.TR3)
    root, other = import_scene(data), import_scene(data)
    library = objects(other, "STATIC_MESH")[-1]
    room = objects(root, "ROOM")[0]
    for moved, count in ((False, 2), (True, 3)):
        if moved:
            library.data.vertices[0].co.z += 1
        obj = next(
            each for each in objects(other, "PLACEMENT") if each.tomb_raider.placement.static_mesh == library
        ).copy()
        room.users_collection[0].objects.link(obj)
        obj.parent = room
        written = export_scene(root)
        assert len(written.static_meshes) == count
    number = int(written.rooms[0].static_meshes["static_mesh"][-1])
    assert number not in read_level(data).static_meshes["id"]
    assert obj.tomb_raider.placement.static_mesh.tomb_raider.static_mesh.id == number


def test_a_room_that_was_dragged_to_another_level_is_gone_from_its_own(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR4)
    root, other = import_scene(data), import_scene(data)
    home = objects(other, "ROOM")[1].users_collection[0]
    collection_of(other, "ROOMS").children.unlink(home)
    collection_of(root, "ROOMS").children.link(home)
    for kind in ("COLLISION", "PORTALS"):
        for obj in list(collection_of(other, kind).objects):
            if obj.parent in home.objects[:]:
                collection_of(other, kind).objects.unlink(obj)
                collection_of(root, kind).objects.link(obj)
    for level, count in ((root, 1), (other, -1)):
        written = export_scene(level)
        assert len(written.rooms) == len(read_level(data).rooms) + count
        assert broken_indices(written) == broken_indices(read_level(data))


def test_an_entity_of_a_type_that_the_level_lacks_is_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    obj = objects(root, "ENTITY")[0]
    obj.instance_type, obj.instance_collection = "NONE", None
    obj.tomb_raider.entity.type = 187
    _, report = export_level(root)
    assert any(text.startswith(f"{obj.name}: the level has no model") for text in report.warnings)


@GAMES
def test_a_room_of_another_level_keeps_its_sectors(blender: ModuleType, game: Game) -> None:
    """Its number in the other level is not used."""
    root, other = import_scene(sample_bytes(game)), import_scene(sample_bytes(game))
    guest = objects(other, "ROOM")[1]
    bounds = next(each for each in objects(other, "COLLISION") if each.parent == guest)
    collection_of(root, "ROOMS").objects.link(guest)
    collection_of(root, "COLLISION").objects.link(bounds)
    for collection in (*guest.users_collection, *bounds.users_collection):
        if collection not in (collection_of(root, "ROOMS"), collection_of(root, "COLLISION")):
            collection.objects.unlink(guest if guest.name in collection.objects else bounds)
    guest.location.x += 200
    bpy.context.view_layer.update()
    level = export_scene(root)
    old = read_level(sample_bytes(game))
    assert len(level.rooms) == len(old.rooms) + 1
    new = level.rooms[-1]
    assert (new.x_sectors, new.z_sectors) == (old.rooms[1].x_sectors, old.rooms[1].z_sectors)
    inner = np.s_[1:-1, 1:-1]
    for name in ("floor", "ceiling"):
        before = old.rooms[1].sectors[name].reshape(new.x_sectors, new.z_sectors)
        after = new.sectors[name].reshape(new.x_sectors, new.z_sectors)
        assert np.array_equal(before[inner], after[inner])


def test_a_room_of_another_game_can_be_joined(blender: ModuleType) -> None:
    """Unsupported attributes used to raise a Python error."""
    root, other = (import_scene(sample_bytes(game)) for game in (Game.TR1, Game.TR3))
    mine, guest = objects(root, "ROOM")[0], objects(other, "ROOM")[0]
    for obj in bpy.context.selected_objects:
        obj.select_set(False)
    with bpy.context.temp_override(
        active_object=mine,
        object=mine,
        selected_objects=[mine, guest],
        selected_editable_objects=[mine, guest],
    ):
        bpy.ops.object.join()
    level = export_scene(root)
    assert len(level.rooms[0].vertices) > len(read_level(sample_bytes(Game.TR1)).rooms[0].vertices)


def test_a_blender_camera_is_adopted_only_in_the_camera_collection(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR3)
    root = import_scene(data)
    like = objects(root, "CAMERA")[0]
    kinds = [
        (_added(root, collection_of(root, home), bpy.data.cameras.new("Mine"), like), kind)
        for home, kind in (("CAMERAS", "CAMERA"), ("ENTITIES", "NONE"))
    ]
    level = export_scene(root)
    assert all(obj.tomb_raider.kind == kind for obj, kind in kinds)
    assert len(level.cameras) == len(read_level(data).cameras) + 1
    assert level.cameras[-1]["x"] == level.cameras[0]["x"]


# --- Reports ----------------------------------------


@GAMES
def test_an_untouched_level_gives_no_warning(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    assert not adopt(root).is_changed
    level, report = export_level(root)
    assert (report.warnings, level.to_bytes()) == ([], data)


@pytest.mark.parametrize("kind", ["ENTITY", "LIGHT", "PLACEMENT", "SPRITE", "TRIGGER", "PORTAL", "ROOM"])
def test_objects_moved_out_of_the_level_are_reported(blender: ModuleType, kind: str) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    obj = objects(root, kind)[0]
    for collection in obj.users_collection:
        collection.objects.unlink(obj)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.update()
    if kind == "ROOM":  # referenced by portals
        with pytest.raises(ExportError, match=f"{obj.name} is not a room of this level.*move it"):
            export_level(root)
        return
    _, report = export_level(root)
    assert any(text.startswith(f"{obj.name}: it is no longer in a collection") for text in report.warnings)


@pytest.mark.parametrize("place", ["within another one", "unlinked", "kept by a fake user", "beside a level"])
def test_objects_moved_to_any_other_collection_are_reported(blender: ModuleType, place: str) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    obj = objects(root, "PLACEMENT")[0]
    outer, home = bpy.data.collections.new("Outer"), bpy.data.collections.new("Sorted")
    outer.children.link(home)
    outer.use_fake_user = place == "kept by a fake user"
    if place in ("within another one", "beside a level"):
        bpy.context.scene.collection.children.link(outer)
    if place == "beside a level":
        bpy.context.scene.collection.children.unlink(root)
        outer.children.link(root)
    for collection in obj.users_collection:
        collection.objects.unlink(obj)
    home.objects.link(obj)
    _, report = export_level(root)
    assert [text for text in report.warnings if "it is no longer in a collection" in text] == report.warnings
    assert report.warnings[0].startswith(f"{obj.name}: ")


def test_objects_in_a_collection_of_two_levels_are_not_reported(blender: ModuleType) -> None:
    """A collection in a level belongs to it, even if it is also in another one."""
    root = import_scene(sample_bytes(Game.TR3))
    other = import_scene(sample_bytes(Game.TR3))
    obj = objects(root, "PLACEMENT")[0]
    home = bpy.data.collections.new("Shared")
    other.children.link(home)
    bpy.context.scene.collection.children.link(home)
    for collection in obj.users_collection:
        collection.objects.unlink(obj)
    home.objects.link(obj)
    _, report = export_level(root)
    assert not any("it is no longer in a collection" in text for text in report.warnings)


NEW_DATA: dict[str, Callable[[], Any]] = {
    "MESH": lambda: bpy.data.meshes.new("Mine"),
    "CURVE": lambda: bpy.data.curves.new("Mine", "CURVE"),
    "SURFACE": lambda: bpy.data.curves.new("Mine", "SURFACE"),
    "FONT": lambda: bpy.data.curves.new("Mine", "FONT"),
    "META": lambda: bpy.data.metaballs.new("Mine"),
    "ARMATURE": lambda: bpy.data.armatures.new("Mine"),
    "LATTICE": lambda: bpy.data.lattices.new("Mine"),
    "LIGHT": lambda: bpy.data.lights.new("Mine", "AREA"),
    "LIGHT_PROBE": lambda: bpy.data.lightprobes.new("Mine", "SPHERE"),
    "SPEAKER": lambda: bpy.data.speakers.new("Mine"),
    "VOLUME": lambda: bpy.data.volumes.new("Mine"),
    "EMPTY": lambda: None,
}


@pytest.mark.parametrize("kind", NEW_DATA)
def test_objects_that_the_game_does_not_know_are_named(blender: ModuleType, kind: str) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    _added(root, root, NEW_DATA[kind](), objects(root, "ENTITY")[0])
    _, report = export_level(root)
    assert [text for text in report.warnings if text.startswith("Mine: it is left out: ")] == report.warnings
    assert len(report.warnings) == 1


# --- Handlers ----------------------------------------


def test_added_objects_are_adopted_immediately(blender: ModuleType) -> None:
    """Its panel is shown, and triggers can refer to it."""
    root = import_scene(sample_bytes(Game.TR4))
    like = next(each for each in objects(root, "ENTITY") if each.instance_collection is not None)
    bpy.context.view_layer.update()
    obj = _added(root, root, None, like)
    obj.instance_type, obj.instance_collection = "COLLECTION", like.instance_collection
    bpy.context.view_layer.update()
    pending.work()
    assert obj.tomb_raider.kind == "ENTITY"
    copy = copy_of(obj)
    bpy.context.view_layer.update()
    pending.work()
    assert copy.tomb_raider.kind == "ENTITY"
    twin = copy_of(like)
    bpy.context.view_layer.update()
    pending.work()
    assert twin.tomb_raider.is_copy
    assert not like.tomb_raider.is_copy


def test_moving_objects_does_not_search_for_new_ones(
    blender: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, other = (import_scene(sample_bytes(game)) for game in (Game.TR1, Game.TR4))
    bpy.context.view_layer.update()
    looks: list[Any] = []

    def look(root: Collection) -> dict[Any, Any]:
        looks.append(root)
        return {}

    monkeypatch.setattr(adoption, "collection_kinds", look)
    for _ in range(3):
        objects(root, "ENTITY")[0].location.x += 1
        bpy.context.view_layer.update()
        pending.work()
    assert looks == []
    # Only the level with an added object is searched.
    for number, (place, expected) in enumerate(
        (
            (root, [root]),
            (collection_of(other, "ENTITIES"), [other]),
            (collection_of(other, "MODELS"), [other]),
            (bpy.context.scene.collection, []),
        )
    ):
        looks.clear()
        place.objects.link(bpy.data.objects.new(f"Mine {number}", None))
        bpy.context.view_layer.update()
        pending.work()
        assert looks == expected
