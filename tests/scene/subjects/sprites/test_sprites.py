"""Sprites: the quads of the library, and sprites at vertices of rooms."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Vector

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.textures.sprites import decode_sprites
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.compare import differences
from tests.empty_scene import start_empty
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level, export_result

from ...page_levels import textured
from ...page_levels import user_image as picture
from ...scenes import UNIT, changes, copy_of, edit_bmesh, export_scene, import_scene, matrix_of, objects

each_sprite_game = pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3, Game.TR4])


def sprite_places(level: Level, number: int = 0) -> list[list[int]]:
    """Return where a game draws the sprites of a room: (n, 3) in the room."""
    room = level.rooms[number]
    return np.stack([room.vertices[axis][room.sprites["vertex"]] for axis in "xyz"], 1).astype(int).tolist()


@each_game
def test_the_library_shows_the_pixels_of_every_sprite_texture(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level, root = read_level(data), import_scene(data)
    sprites, objs = decode_sprites(level.sprite_textures, game), objects(root, "SPRITE_TEXTURE")
    assert len(objs) == len(sprites)
    for row, obj in enumerate(objs):
        uv = np.array([each.uv for each in obj.data.uv_layers.active.data]) * 256
        left, top, width, height = sprites.rect[row].tolist()
        assert (uv.min(0).tolist(), uv.max(0).tolist()) == (
            [left, 256 - top - height],
            [left + width, 256 - top],
        )
        assert obj.data.materials[0].tomb_raider.page == sprites.page[row]
        # Seen from the front the picture is upright.
        points = np.array([vertex.co for vertex in obj.data.vertices])
        assert np.array_equal(np.argsort(uv[:, 0], kind="stable"), np.argsort(points[:, 0], kind="stable"))
        assert np.array_equal(np.argsort(uv[:, 1], kind="stable"), np.argsort(points[:, 2], kind="stable"))
        assert obj.data.polygons[0].normal == Vector((0, -1, 0))
        if sprites.sides is not None:
            least_x, least_y, most_x, most_y = sprites.sides[row].tolist()
            assert (points.min(0) / UNIT).tolist() == [least_x, 0, -most_y]
            assert (points.max(0) / UNIT).tolist() == [most_x, 0, -least_y]


@each_game
def test_every_picture_has_bounds_of_its_own(blender: ModuleType, game: Game) -> None:
    root = import_level(sample_bytes(game)).root  # files do not store bounds
    bpy.context.view_layer.update()
    for obj in objects(root, "SPRITE_TEXTURE"):
        points, bounds = np.array([vertex.co for vertex in obj.data.vertices]), np.array(obj.bound_box)
        assert bounds.min(0).tolist() == points.min(0).tolist()
        assert bounds.max(0).tolist() == points.max(0).tolist()


@each_sprite_game
def test_sprites_of_rooms_stand_at_their_vertices(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level, root = read_level(data), import_scene(data)
    bpy.context.view_layer.update()
    objs, index = objects(root, "SPRITE"), 0
    for number, room in enumerate(level.rooms):
        for (x, y, z), texture in zip(sprite_places(level, number), room.sprites["texture"], strict=True):
            world = matrix_of(objs[index]).translation
            assert tuple(world) == ((x + room.x) * UNIT, (z + room.z) * UNIT, -y * UNIT)
            assert objs[index].data == objects(root, "SPRITE_TEXTURE")[texture].data
            index += 1
    assert index == len(objs) > 0


@each_sprite_game
def test_a_moved_sprite_gets_a_vertex_of_its_own(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    objects(root, "SPRITE")[0].location += Vector((16, 24, 8)) * UNIT
    old, new = read_level(data), export_scene(root)
    x, y, z = sprite_places(old)[0]
    assert sprite_places(new) == [[x + 16, y - 8, z + 24], *sprite_places(old)[1:]]
    assert np.array_equal(new.rooms[0].vertices[:-1], old.rooms[0].vertices)
    assert np.array_equal(new.rooms[0].sprites[1:], old.rooms[0].sprites[1:])
    assert new.rooms[0].vertices["light"][-1] in old.rooms[0].vertices["light"]


@each_sprite_game
def test_a_sprite_moved_to_a_vertex_stands_at_that_one(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    obj, room = objects(root, "SPRITE")[0], objects(root, "ROOM")[0]
    obj.location = room.data.vertices[5].co
    old, new = read_level(data), export_scene(root)
    assert np.array_equal(new.rooms[0].vertices, old.rooms[0].vertices)
    vertex = old.rooms[0].vertices[5]
    assert sprite_places(new)[0] == [int(vertex[axis]) for axis in "xyz"]


@each_sprite_game
def test_sprites_stay_in_place_when_vertices_before_theirs_are_deleted(
    blender: ModuleType, game: Game
) -> None:
    data = sample_bytes(game)
    root = import_scene(data)

    def edit(bm: Any) -> None:
        for vertex in [bm.verts[0], bm.verts[1]]:
            bm.verts.remove(vertex)

    edit_bmesh(objects(root, "ROOM")[0].data, edit)
    old, new = read_level(data), export_scene(root)
    assert len(new.rooms[0].vertices) == len(old.rooms[0].vertices) - 2
    assert sprite_places(new) == sprite_places(old)
    assert np.array_equal(new.rooms[0].sprites["texture"], old.rooms[0].sprites["texture"])


@each_sprite_game
@pytest.mark.parametrize("imported", [True, False])
def test_a_sprite_stays_when_its_vertex_is_deleted(blender: ModuleType, game: Game, imported: bool) -> None:
    data = sample_bytes(game)
    root = import_level(data, ImportOptions(sprites=imported)).root
    old = read_level(data)
    gone = {int(old.rooms[0].sprites["vertex"][0]), 3}

    def edit(bm: Any) -> None:
        for vertex in [bm.verts[number] for number in gone]:
            bm.verts.remove(vertex)

    edit_bmesh(objects(root, "ROOM")[0].data, edit)
    new = export_scene(root)
    assert sprite_places(new) == sprite_places(old)
    assert new.rooms[0].sprites["texture"].tolist() == old.rooms[0].sprites["texture"].tolist()
    assert len(new.rooms[0].vertices) == len(old.rooms[0].vertices) - len(gone) + 1


@each_sprite_game
def test_a_sprite_stays_where_it_is_when_its_vertex_is_moved(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    old = read_level(data)
    vertex = int(old.rooms[0].sprites["vertex"][0])
    objects(root, "ROOM")[0].data.vertices[vertex].co.z += 64 * UNIT
    assert sprite_places(export_scene(root)) == sprite_places(old)


@each_sprite_game
def test_a_copy_is_added_behind_the_others_and_a_deleted_one_is_gone(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    objs = objects(root, "SPRITE")
    copy_of(objs[0]).location.x += 40 * UNIT
    bpy.data.objects.remove(objs[1])
    old, new = read_level(data), export_scene(root)
    before = sprite_places(old)
    assert sprite_places(new) == [before[0], *before[2:], [before[0][0] + 40, *before[0][1:]]]
    textures = old.rooms[0].sprites["texture"].tolist()
    assert new.rooms[0].sprites["texture"].tolist() == [textures[0], *textures[2:], textures[0]]


@each_sprite_game
def test_two_new_sprites_at_one_place_share_a_vertex(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    for _ in range(2):
        copy_of(objects(root, "SPRITE")[0]).location.x += 40 * UNIT
    new = export_scene(root).rooms[0]
    assert new.sprites["vertex"][-1] == new.sprites["vertex"][-2]
    assert len(new.vertices) == len(read_level(data).rooms[0].vertices) + 1


@each_sprite_game
def test_a_sprite_shows_another_texture_by_its_mesh_or_its_property(blender: ModuleType, game: Game) -> None:
    def by_mesh(root: Collection) -> None:
        objects(root, "SPRITE")[0].data = objects(root, "SPRITE_TEXTURE")[1].data

    def by_property(root: Collection) -> None:
        obj = objects(root, "SPRITE")[0]
        obj.tomb_raider.sprite.texture = 1
        assert obj.data == objects(root, "SPRITE_TEXTURE")[1].data  # seen at once

    for edit in (by_mesh, by_property):
        start_empty()
        assert changes(sample_bytes(game), edit) == [("rooms", 0, "sprites", 0, "texture")]


def test_a_sprite_beyond_the_rooms_range_is_left_out_and_named(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    obj = objects(root, "SPRITE")[0]
    obj.location.x += 100
    level, report = export_level(root)
    text = "it is too far from all rooms, so it is left out: move it into one"
    assert f"{obj.name}: {text}" in report.warnings
    old = read_level(sample_bytes(Game.TR2))
    assert sum(len(room.sprites) for room in level.rooms) == sum(len(room.sprites) for room in old.rooms) - 1


def test_sprites_with_invalid_vertices_and_textures_are_kept(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR3))
    level.rooms[0].sprites = level.rooms[0].sprites.copy()
    level.rooms[0].sprites["vertex"][0] = 60000
    level.rooms[0].sprites["texture"][1] = 5000
    data = level.to_bytes()
    assert export_scene(import_scene(data)).to_bytes() == data


@each_game
def test_odd_sprite_textures_survive(blender: ModuleType, game: Game) -> None:
    level = read_level(sample_bytes(game))
    records = level.sprite_textures.copy()
    records["page"][0] = 500
    records["left"][1], records["right"][1] = 300, -300
    level.sprite_textures = records
    level.sprite_sequences = level.sprite_sequences.copy()
    level.sprite_sequences["first"][0], level.sprite_sequences["negative_length"][-1] = -5, -999
    data = level.to_bytes()
    root = import_scene(data)
    assert export_scene(root).to_bytes() == data
    assert np.array_equal(export_scene(root, rebuild=True).sprite_textures, records)


def test_tr5_has_no_sprites_in_rooms(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR5))
    obj = copy_of(objects(root, "SPRITE_TEXTURE")[0])
    obj.tomb_raider.kind = "SPRITE"
    objects(root, "ROOM")[0].users_collection[0].objects.link(obj)
    level, report = export_level(root)
    assert [text for text in report.warnings if text.startswith(obj.name)]
    assert level.to_bytes() == sample_bytes(Game.TR5)


@each_game
def test_moved_uvs_move_the_pixels_of_a_sprite_texture(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    layer = objects(root, "SPRITE_TEXTURE")[1].data.uv_layers.active.data
    for corner in layer:
        corner.uv += Vector((8.4, -15.6)) / 256  # between two pixels: all sides go to the nearest
    old, new = (
        decode_sprites(level.sprite_textures, game) for level in (read_level(data), export_scene(root))
    )
    left, top, width, height = old.rect[1].tolist()
    assert new.rect[1].tolist() == [left + 8, top + 16, width, height]
    assert np.array_equal(np.delete(new.rect, 1, 0), np.delete(old.rect, 1, 0))
    assert np.array_equal(new.page, old.page)
    assert np.array_equal(np.array(new.sides), np.array(old.sides))


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3])
def test_a_scaled_quad_scales_the_sprite_in_the_world(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)

    def edit(root: Collection) -> None:
        for vertex in objects(root, "SPRITE_TEXTURE")[0].data.vertices:
            vertex.co *= 2

    assert {path[:2] for path in changes(data, edit)} == {("sprite_textures", 0)}
    start_empty()
    root = import_scene(data)
    edit(root)
    old, new = (
        decode_sprites(level.sprite_textures, game) for level in (read_level(data), export_scene(root))
    )
    assert old.sides is not None
    assert new.sides is not None
    assert np.array_equal(new.sides[0], old.sides[0] * 2)
    assert np.array_equal(new.rect, old.rect)


def test_a_quad_that_is_no_upright_rectangle_is_an_error(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    obj = objects(root, "SPRITE_TEXTURE")[0]
    corners = obj.data.uv_layers.active.data
    turned = [corners[(place + 1) % 4].uv.copy() for place in range(4)]
    for corner, uv in zip(corners, turned, strict=True):
        corner.uv = uv
    with pytest.raises(ExportError, match="upright") as caught:
        export_scene(root)
    assert caught.value.subject == obj.name


def test_a_sprite_texture_without_a_picture_is_an_error(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    obj = objects(root, "SPRITE_TEXTURE")[0]
    obj.data.materials.clear()
    with pytest.raises(ExportError, match="no picture") as caught:
        export_scene(root)
    assert caught.value.subject == obj.name


@each_game
def test_a_picture_of_the_users_own_becomes_a_sprite_texture(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    texels = np.random.default_rng(5).integers(0, 255, (24, 40, 4), np.uint8)
    texels[..., 3] = np.where(np.arange(40) < 10, 0, 255)
    obj = objects(root, "SPRITE_TEXTURE")[1]
    obj.data.materials[0] = textured(picture(texels, "Mine"))
    for corner, uv in zip(obj.data.uv_layers.active.data, ((0, 0), (1, 0), (1, 1), (0, 1)), strict=True):
        corner.uv = uv
    old, new = read_level(data), export_scene(root)
    before, after = (decode_sprites(level.sprite_textures, game) for level in (old, new))
    left, top, width, height = after.rect[1].tolist()
    assert (width, height) == (40, 24)
    assert np.array_equal(np.delete(after.rect, 1, 0), np.delete(before.rect, 1, 0))
    assert np.array_equal(np.array(after.sides), np.array(before.sides))
    assert np.array_equal(new.sprite_sequences, old.sprite_sequences)
    # The picture was drawn over unused pixels.
    drawn = decode_pages(pages_of(new))[after.page[1], top : top + height, left : left + width]
    assert np.array_equal(drawn[..., 3], texels[..., 3])
    if game >= Game.TR4:
        assert np.array_equal(drawn[:, 10:], texels[:, 10:])
    assert {path[0] for path in differences(old, new)} <= {
        "sprite_textures",
        "textiles8",
        "textiles16",
        "textiles32",
        "object_textiles",
    }
    assert len(new.object_textures) == len(old.object_textures)


# --- Sequences ----------------------------------------


def sequences(level: Level) -> dict[int, list[list[int]]]:
    """Return page and rectangle of each picture of every sequence."""
    sprites = decode_sprites(level.sprite_textures, level.game)
    return {
        identity: [
            [int(sprites.page[row]), *sprites.rect[row].tolist()] for row in range(first, first - negative)
        ]
        for identity, negative, first in level.sprite_sequences.tolist()
    }


def shown_in_rooms(level: Level) -> list[list[list[int]]]:
    """Return the pictures of the sprites of every room."""
    sprites = decode_sprites(level.sprite_textures, level.game)
    return [
        [[int(sprites.page[row]), *sprites.rect[row].tolist()] for row in room.sprites["texture"].tolist()]
        for room in level.rooms
    ]


def halved_copy(root: Collection, number: int) -> Any:
    """Duplicate a picture of the library; the copy shows a quarter of it."""
    added = copy_of(objects(root, "SPRITE_TEXTURE")[number])
    added.data = added.data.copy()
    corners = added.data.uv_layers.active.data
    low = Vector((min(corner.uv.x for corner in corners), min(corner.uv.y for corner in corners)))
    for corner in corners:
        corner.uv = low + (corner.uv - low) * 0.5
    return added


@each_game
def test_a_duplicated_picture_joins_its_sequence(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    halved_copy(root, 0)
    old, new = read_level(data), export_scene(root)
    before, after = sequences(old), sequences(new)
    identity = objects(root, "SPRITE_TEXTURE")[0].tomb_raider.sprite.sequence
    assert {each: after[each] for each in after if each != identity} == {
        each: before[each] for each in before if each != identity
    }
    assert after[identity][0] == before[identity][0]
    assert after[identity][1][3:] == [32, 32]
    assert len(after[identity]) == len(before[identity]) + 1
    # Sprites after it have other numbers now, in rooms, too.
    assert shown_in_rooms(new) == shown_in_rooms(old)
    assert np.array_equal(new.entities, old.entities)


@each_game
def test_pictures_change_places_and_sequences(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    objs = objects(root, "SPRITE_TEXTURE")
    flames = [
        each for each in objs if each.tomb_raider.sprite.sequence == objs[-1].tomb_raider.sprite.sequence
    ]
    assert len(flames) == 2
    flames[0].tomb_raider.sprite.place = 5
    old, new = read_level(data), export_scene(root)
    before, after = sequences(old), sequences(new)
    identity = flames[0].tomb_raider.sprite.sequence
    assert after == before | {identity: before[identity][::-1]}
    assert shown_in_rooms(new) == shown_in_rooms(old)
    flames[1].tomb_raider.sprite.sequence = 3000
    after = sequences(export_scene(root))
    assert after == before | {identity: before[identity][:1], 3000: before[identity][1:]}
    assert list(after) == sorted(after)


@each_game
def test_a_deleted_picture_is_gone(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    obj = objects(root, "SPRITE_TEXTURE")[-1]
    identity = obj.tomb_raider.sprite.sequence
    bpy.data.objects.remove(obj)
    old = read_level(data)
    if any(3 in room.sprites["texture"] for room in old.rooms):
        with pytest.raises(ExportError, match="deleted"):
            export_scene(root)
        return
    before, after = sequences(old), sequences(export_scene(root))
    assert after == before | {identity: before[identity][:-1]}


def test_entities_without_their_pictures_are_named(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR2)
    root = import_scene(data)
    named = {obj.name for obj in objects(root, "ENTITY") if obj.data is not None}
    assert named
    shown = {obj.data for obj in objects(root, "ENTITY")}
    for obj in objects(root, "SPRITE_TEXTURE"):
        if obj.data in shown:
            bpy.data.objects.remove(obj)
    _, report = export_level(root)
    assert [text for text in report.warnings if any(text.startswith(name) for name in named)]


def test_overlapping_sequences_cannot_be_changed(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR3))
    level.sprite_sequences = level.sprite_sequences.copy()
    level.sprite_sequences["first"][1] = 0
    root = import_scene(level.to_bytes())
    halved_copy(root, 0)
    with pytest.raises(ExportError, match="overlap"):
        export_scene(root)


def test_a_picture_in_no_sequence_is_added_behind_the_others(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR2)
    root = import_scene(data)
    halved_copy(root, 0).tomb_raider.sprite.sequence = -1
    old, new = read_level(data), export_scene(root)
    assert np.array_equal(new.sprite_textures[:-1], old.sprite_textures)
    assert new.sprite_textures["width"][-1] == (int(old.sprite_textures["width"][0]) + 1) // 2 - 1
    assert np.array_equal(new.sprite_sequences, old.sprite_sequences)


def test_entities_show_new_sequences(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR3)
    root = import_scene(data)
    added = halved_copy(root, 1)
    added.tomb_raider.sprite.sequence, added.tomb_raider.sprite.place = 3000, 0
    entity = next(obj for obj in objects(root, "ENTITY") if obj.data is not None)
    entity.data = added.data
    row = entity.tomb_raider.index
    assert export_scene(root).entities["type"][row] == 3000


@each_real_level
def test_real_sprites_come_back_when_rebuilt(blender: ModuleType, level_path: Path) -> None:
    data = level_path.read_bytes()
    level = read_level(data)
    root = import_level(data).root
    result = export_result(root)
    assert np.array_equal(result.level.sprite_textures, level.sprite_textures)
    assert not {"sprite_textures", "room_sprites"} & set(result.rebuilt)
    rebuilt, _ = export_level(root, rebuild=True)
    assert np.array_equal(rebuilt.sprite_textures, level.sprite_textures)
    for old, new in zip(level.rooms, rebuilt.rooms, strict=True):
        assert np.array_equal(new.sprites, old.sprites)
        assert len(new.vertices) == len(old.vertices)
