"""Library assets that are appended to or linked into a level: its export is complete."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection, Object
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from io_tomb_raider.formats.levels.rooms.rooms import Room
from io_tomb_raider.formats.levels.sounds.samples import sample_waves
from io_tomb_raider.formats.levels.textures.face_words import room_texture_mask, texture_index
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.scene.assets.assets import KINDS, assets_of
from io_tomb_raider.scene.assets.marks import mark
from io_tomb_raider.scene.transfer.adoption.adoption import adopt
from tests.empty_scene import start_empty
from tests.sample_levels import sample_bytes
from tests.sample_levels.models import model_id

from ..scenes import exported, import_scene, objects
from ..transfer.append.judging import other_looks
from ..transfer.append.reading import poses

PAIRS = [(Game.TR1, Game.TR1), (Game.TR2, Game.TR1), (Game.TR1, Game.TR4), (Game.TR5, Game.TR3)]
NEAR = 14  # 16-bit pages have 32 levels per color, and palettes 256 colors
LINKS = pytest.mark.parametrize("link", [False, True])


def library(folder: Path, game: Game) -> Path:
    """Create a library of the sample level of a game, and open an empty file."""
    root = import_scene(sample_bytes(game))
    mark(root, assets_of(root, KINDS))
    path = folder / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    start_empty()
    return path


def fetch(path: Path, kind: str, link: bool, number: int = -1, name: str = "") -> Any:
    """Append or link an asset, as the asset browser does."""
    libraries: Any = bpy.data.libraries
    with libraries.load(str(path), link=link, assets_only=True) as (there, target):
        names = [each for each in getattr(there, kind) if not name or each == name]
        setattr(target, kind, names)
    found = [each for each in getattr(target, kind) if each is not None]
    if number >= 0:
        found = [
            each
            for each in found
            if each.tomb_raider.model and each.tomb_raider.model.tomb_raider.model.id == number
        ]
    return found


def drop(root: Collection, kind: str, obj: Any, place: Any) -> Any:
    """Link an asset into a collection of the level: collections as instances."""
    home = next(each for each in root.children if each.tomb_raider.kind == kind)
    if isinstance(obj, Collection):
        shown = bpy.data.objects.new(obj.name, None)
        shown.instance_type, shown.instance_collection = "COLLECTION", obj
        obj = shown
    home.objects.link(obj)
    if obj.is_editable:
        obj.location = place
    bpy.context.view_layer.update()
    return obj


@LINKS
@pytest.mark.parametrize(("source", "game"), PAIRS)
def test_a_dropped_model_is_copied_whole(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game, link: bool
) -> None:
    path = library(tmp_path, source)
    data = sample_bytes(game)
    root, old = import_scene(data), read_level(data)
    enemy = model_id(source, "enemy")
    if source is game:
        # With one more, if the level has lost its own.
        home = next(
            each for each in objects(root, "MODEL") if each.tomb_raider.model.id == enemy
        ).users_collection[0]
        bpy.data.batch_remove([*home.objects, home])
    place = objects(root, "ENTITY")[1].location
    (model,) = fetch(path, "collections", link, enemy)
    obj = drop(root, "ENTITIES", model, place)
    written, _ = exported(root)
    number = int(written.entities["type"][-1])
    assert len(written.entities) == len(old.entities) + 1
    assert obj.tomb_raider.kind == "ENTITY" and obj.tomb_raider.entity.type == number
    assert number in written.models["id"] and int(written.entities[-1]["x"]) == int(old.entities[1]["x"])
    there = read_level(sample_bytes(source))
    for animation in (0, 1):
        before, after = (
            poses(level, each, animation, (0.0, 0.5, 1.0))
            for level, each in ((there, enemy), (written, number))
        )
        assert np.abs(before[..., :3] - after[..., :3]).max() < 0.01
    assert other_looks(there, enemy, written, number) == []
    # A second instance shares the model, and a second export is equal.
    drop(root, "ENTITIES", obj.instance_collection, place)
    again, _ = exported(root)
    assert len(again.models) == len(written.models) and len(again.entities) == len(written.entities) + 1
    assert not any(each.library for each in root.children_recursive)


@LINKS
def test_a_dropped_asset_uses_the_equal_model_of_the_level(
    blender: ModuleType, tmp_path: Path, link: bool
) -> None:
    path = library(tmp_path, Game.TR1)
    data = sample_bytes(Game.TR1)
    root, enemy = import_scene(data), model_id(Game.TR1, "enemy")
    (model,) = fetch(path, "collections", link, enemy)
    obj = drop(root, "ENTITIES", model, objects(root, "ENTITY")[1].location)
    written, _ = exported(root)
    old = read_level(data)
    assert len(written.models) == len(old.models) and written.mesh_data.tobytes() == old.mesh_data.tobytes()
    assert obj.instance_collection in root.children_recursive
    assert int(written.entities["type"][-1]) == enemy


def test_an_entity_that_shows_an_asset_from_now_on_changes_the_level(
    blender: ModuleType, tmp_path: Path
) -> None:
    path = library(tmp_path, Game.TR1)
    root, enemy = import_scene(sample_bytes(Game.TR1)), model_id(Game.TR1, "enemy")
    armature = next(each for each in objects(root, "MODEL") if each.tomb_raider.model.id == enemy)
    home = armature.users_collection[0]
    bpy.data.batch_remove([*home.objects, home])
    assert not adopt(root).is_changed
    (model,) = fetch(path, "collections", False, enemy)
    entity = next(each for each in objects(root, "ENTITY") if each.tomb_raider.entity.type == enemy)
    entity.instance_type, entity.instance_collection = "COLLECTION", model
    assert adopt(root).is_changed
    assert not adopt(root).is_changed
    assert enemy in exported(root)[0].models["id"]


def test_sounds_of_animations_are_copied(blender: ModuleType, tmp_path: Path) -> None:
    """From TR1 to TR4, which has lost all its own sounds: the samples are those of the library."""
    path = library(tmp_path, Game.TR1)
    root = import_scene(sample_bytes(Game.TR4))
    root.tomb_raider.sounds.details.clear()
    there = import_played(path)
    (model,) = fetch(path, "collections", False, there[0])
    carried = [
        each.number for item in model.tomb_raider.model.tomb_raider.sounds.details for each in item.ids
    ]
    assert carried == there[1]
    drop(root, "ENTITIES", model, objects(root, "ENTITY")[1].location)
    written, _ = exported(root)
    numbers = np.flatnonzero(written.sound_map >= 0).tolist()
    assert len(numbers) == len(carried)
    assert any(sample_waves(written))


def import_played(path: Path) -> tuple[int, list[int]]:
    """Return a model of a library that plays sounds, and these."""
    for each in fetch(path, "collections", False):
        armature = each.tomb_raider.model
        details = [] if armature is None else armature.tomb_raider.sounds.details
        if details:
            return int(armature.tomb_raider.model.id), [one.number for item in details for one in item.ids]
    raise AssertionError("no model plays any sound")


@LINKS
@pytest.mark.parametrize(("source", "game"), PAIRS)
def test_static_meshes_are_placed(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game, link: bool
) -> None:
    path = library(tmp_path, source)
    data = sample_bytes(game)
    root, old = import_scene(data), read_level(data)
    place = objects(root, "PLACEMENT")[0].matrix_world.translation.copy()
    found = [each for each in fetch(path, "objects", link) if each.tomb_raider.kind == "STATIC_MESH"]
    if not link:
        found[0].data.vertices[0].co.z += 1  # no static mesh of the level equals it
    drop(root, "ROOMS", found[0], place)
    written, _ = exported(root)
    count = sum(len(room.static_meshes) for room in old.rooms)
    assert sum(len(room.static_meshes) for room in written.rooms) == count + 1
    assert len(written.static_meshes) - len(old.static_meshes) in (0, 1)
    if not link:
        assert len(written.static_meshes) == len(old.static_meshes) + 1
    assert not any(each.library for each in all_of(root))


def all_of(root: Collection) -> list[Object]:
    return [each for home in (root, *root.children_recursive) for each in home.objects]


@LINKS
@pytest.mark.parametrize(("source", "game"), PAIRS[1:])
def test_a_dropped_sprite_is_copied_with_its_whole_sequence(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game, link: bool
) -> None:
    path = library(tmp_path, source)
    data = sample_bytes(game)
    root, old = import_scene(data), read_level(data)
    pictures = [each for each in fetch(path, "objects", link) if each.tomb_raider.kind == "SPRITE_TEXTURE"]
    picture = max(pictures, key=lambda each: len(each.tomb_raider.along))
    count = 1 + len(picture.tomb_raider.along)
    room = objects(root, "ROOM")[0]
    drop(root, "ROOMS", picture, room.matrix_world @ room.data.vertices[0].co)
    written, _ = exported(root)
    new = len(written.sprite_sequences) - len(old.sprite_sequences)
    assert len(written.sprite_textures) == len(old.sprite_textures) + count * new
    assert (
        sum(len(each.sprites) for each in written.rooms) == sum(len(each.sprites) for each in old.rooms) + 1
    )


@LINKS
@pytest.mark.parametrize("game", [Game.TR1, Game.TR4])
def test_a_sound_is_a_source(blender: ModuleType, tmp_path: Path, game: Game, link: bool) -> None:
    path = library(tmp_path, Game.TR1)
    root, old = import_scene(sample_bytes(game)), read_level(sample_bytes(game))
    root.tomb_raider.sounds.details.clear()
    speaker = next(each for each in fetch(path, "objects", link) if isinstance(each.data, bpy.types.Speaker))
    name = speaker.name
    drop(root, "SOUNDS", speaker, objects(root, "ENTITY")[1].location)
    written, _ = exported(root)
    assert len(written.sound_sources) == len(old.sound_sources) + 1
    number = int(written.sound_sources["sound"][-1])
    assert written.sound_map[number] >= 0 and len(written.sound_details) == 1, name


def test_sounds_need_a_main_sfx_that_the_level_knows(blender: ModuleType, tmp_path: Path) -> None:
    path = library(tmp_path, Game.TR1)
    root = import_scene(sample_bytes(Game.TR2))
    root.tomb_raider.sounds.details.clear()
    model, _ = import_played(path)
    (shown,) = fetch(path, "collections", False, model)
    drop(root, "ENTITIES", shown, objects(root, "ENTITY")[1].location)
    speakers = [each for each in fetch(path, "objects", False) if isinstance(each.data, bpy.types.Speaker)]
    for speaker in speakers:
        drop(root, "SOUNDS", speaker, (0, 0, 0))
    _, warnings = exported(root)
    assert not len(root.tomb_raider.sounds.details)
    assert any("before MAIN.SFX is chosen" in each for each in warnings)


@LINKS
@pytest.mark.parametrize("game", list(Game))
def test_a_dropped_room_is_placed_at_the_cursor(
    blender: ModuleType, tmp_path: Path, game: Game, link: bool
) -> None:
    path = library(tmp_path, game)
    data = sample_bytes(game)
    root, old = import_scene(data), read_level(data)
    (home,) = [each for each in fetch(path, "collections", link) if each.name.startswith("Room 001")]
    shown = drop(root, "ROOMS", home, (300.3, 100.2, 3.1))
    written, _ = exported(root)
    assert len(written.rooms) == len(old.rooms) + 1
    before, after = old.rooms[1], written.rooms[-1]
    assert (after.x_sectors, after.z_sectors) == (before.x_sectors, before.z_sectors)
    inner = np.s_[1:-1, 1:-1]
    for name in ("floor", "ceiling"):
        heights = [
            each.sectors[name].reshape(each.x_sectors, each.z_sectors)[inner].astype(int)
            for each in (before, after)
        ]
        is_open = heights[0] != -127
        assert len(np.unique((heights[1] - heights[0])[is_open])) == 1
        assert ((heights[1] == -127) == ~is_open).all()
    assert len(after.vertices) == len(before.vertices) and len(after.lights) == len(before.lights)
    assert len(after.static_meshes) == len(before.static_meshes)
    assert len(after.sprites) == len(before.sprites) and not len(after.portals)
    assert abs(after.x / 512 + after.x_sectors - 300) < 3
    assert shown.instance_collection is None and not shown.users_collection
    assert not any(each.library for each in all_of(root))
    # Written again it is the same.
    assert exported(root)[0].to_bytes() == written.to_bytes()


def sprite_ids(level: Level) -> Any:
    """Return the id of the sequence of each sprite texture."""
    found = np.full(len(level.sprite_textures), -1)
    for row in level.sprite_sequences:
        found[int(row["first"]) : int(row["first"]) - int(row["negative_length"])] = row["id"]
    return found


def test_sprites_of_a_dropped_room_are_copied_if_missing(blender: ModuleType, tmp_path: Path) -> None:
    path = library(tmp_path, Game.TR1)
    root, there = import_scene(sample_bytes(Game.TR2)), read_level(sample_bytes(Game.TR1))
    for each in objects(root, "SPRITE_TEXTURE"):
        each.tomb_raider.sprite.sequence += 1000
    old, _ = exported(root)
    number = next(number for number, room in enumerate(there.rooms) if len(room.sprites))
    homes = fetch(path, "collections", False)
    (home,) = [each for each in homes if each.name.startswith(f"Room {number:03}")]
    drop(root, "ROOMS", home, (300.3, 100.2, 3.1))
    written, _ = exported(root)
    after = written.rooms[-1]
    assert len(after.sprites) == len(there.rooms[number].sprites)
    count = len(set(there.rooms[number].sprites["texture"].tolist()))
    assert len(written.sprite_textures) == len(old.sprite_textures) + count
    shown = sprite_ids(written)[after.sprites["texture"]]
    assert not set(shown.tolist()) & set(old.sprite_sequences["id"].tolist())


@LINKS
def test_appended_collections_become_part_of_the_level(
    blender: ModuleType, tmp_path: Path, link: bool
) -> None:
    """File > Append creates no instances: a model and a room are linked to a collection of the level."""
    path = library(tmp_path, Game.TR1)
    data = sample_bytes(Game.TR1)
    root, old, enemy = import_scene(data), read_level(data), model_id(Game.TR1, "enemy")
    for each in objects(root, "ROOM"):
        each.tomb_raider.origin += 1  # not the import of the library
    root.tomb_raider.origin += 1
    home = next(each for each in root.children if each.tomb_raider.kind == "ENTITIES")
    found = fetch(path, "collections", link)
    model = next(
        each
        for each in found
        if each.tomb_raider.model and each.tomb_raider.model.tomb_raider.model.id == enemy
    )
    room = next(each for each in found if each.name.startswith("Room 001"))
    for each in (model, room):
        home.children.link(each)
    bpy.context.view_layer.update()
    written, _ = exported(root)
    assert len(written.models) == len(old.models) + 1 and len(written.rooms) == len(old.rooms) + 1
    (number,) = set(written.models["id"].tolist()) - set(old.models["id"].tolist())
    assert np.abs(poses(old, enemy, 1, (0.0, 1.0)) - poses(written, number, 1, (0.0, 1.0))).max() < 1
    assert (written.rooms[-1].x, written.rooms[-1].z) == (old.rooms[1].x, old.rooms[1].z)
    assert not home.children[:] and not any(each.library for each in all_of(root))


@LINKS
@pytest.mark.parametrize(
    ("source", "game"),
    [
        (Game.TR1, Game.TR4),
        (Game.TR2, Game.TR1),
        (Game.TR3, Game.TR5),
        (Game.TR4, Game.TR2),
        (Game.TR5, Game.TR3),
    ],
)
def test_a_room_of_another_game_is_converted(
    blender: ModuleType,
    tmp_path: Path,
    source: Game,
    game: Game,
    link: bool,
) -> None:
    path = library(tmp_path, source)
    root, old = import_scene(sample_bytes(game)), read_level(sample_bytes(game))
    (home,) = [each for each in fetch(path, "collections", link) if each.name.startswith("Room 001")]
    drop(root, "ROOMS", home, (300.3, 100.2, 3.1))
    written, warnings = exported(root)
    assert len(written.rooms) == len(old.rooms) + 1
    there = read_level(sample_bytes(source))
    before, after = there.rooms[1], written.rooms[-1]
    shapes = [
        {tuple(np.rint(each - points.min(axis=0)).astype(int).tolist()) for each in points}
        for points in (room_points(before), room_points(after))
    ]
    assert shapes[0] == shapes[1]
    shown, drawn = face_means(there, before), face_means(written, after)
    assert shown.keys() == drawn.keys()
    assert max(np.abs(shown[each] - drawn[each]).max() for each in shown) <= NEAR
    inner = np.s_[1:-1, 1:-1]
    floors = [
        each.sectors["floor"].reshape(each.x_sectors, each.z_sectors)[inner].astype(int)
        for each in (before, after)
    ]
    assert floors[0].shape == floors[1].shape
    is_open = floors[0] != -127
    assert len(np.unique((floors[1] - floors[0])[is_open])) == 1
    lost = "\n".join(warnings).count("this game has no spot lights: Spot")
    assert len(after.lights) == len(before.lights) - lost and lost == (source > Game.TR3 >= game)
    assert len(after.static_meshes) == len(before.static_meshes)
    if not (source.traits.has_room_layers or game.traits.has_room_layers):
        assert len(after.sprites) == len(before.sprites)
    assert not any("another game" in each for each in warnings)
    assert not any(each.library for each in all_of(root))
    assert exported(root)[0].to_bytes() == written.to_bytes()


def room_points(room: Room) -> NDArray[np.float64]:
    return np.stack([room.vertices[axis].astype(np.float64) for axis in "xyz"], axis=1)


def face_means(level: Level, room: Room) -> dict[frozenset[tuple[int, ...]], NDArray[np.float64]]:
    """Return the mean color of each face of a room, by its corners."""
    pages = decode_pages(pages_of(level)).astype(np.float64)
    points = room_points(room)
    points -= points.min(axis=0)
    found = {}
    for faces in decode_faces(level.game, room):
        numbers = texture_index(faces.texture, room_texture_mask(level.game))
        for corners, number in zip(faces.corners.tolist(), numbers.tolist(), strict=True):
            record = level.object_textures[number]
            uv = record["uv"][: len(corners)].astype(int) >> 8
            (left, top), (right, bottom) = uv.min(axis=0) + 1, uv.max(axis=0)
            page = pages[int(record["page"]) & 0x7FFF, top:bottom, left:right, :3]
            key = frozenset(tuple(np.rint(points[each]).astype(int).tolist()) for each in corners)
            found[key] = page.mean(axis=(0, 1))
    return found
