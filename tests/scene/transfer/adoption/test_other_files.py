"""Objects of the .blend of another level, pasted or appended with Blender's own tools."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.catalogue import names
from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.levels.animations.animations import decode_commands, model_animations
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.sounds.details import flags_of, most_volume, run_of
from io_tomb_raider.formats.levels.sounds.samples import sample_waves
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.transfer.adoption.adoption import adopt
from tests.empty_scene import start_empty
from tests.sample_levels import sample_bytes
from tests.sample_levels.models import model_id

from ...scenes import collection_of, exported, import_anew, objects
from ..append.judging import other_looks, other_poses
from ..sources import enemy_of
from .dragging import GAMES, add_instance, appended, other_file


def copied(folder: Path, source: Game, kind: str, number: int = -1) -> Any:
    """Copy an object of a level (Ctrl+C); return the file that pasting appends from, and its name."""
    start_empty()
    root = import_anew(sample_bytes(source))
    obj = objects(root, kind)[number]
    path, name = folder / "copybuffer.blend", obj.name
    bpy.data.libraries.write(str(path), {obj})
    start_empty()
    return path, name


@GAMES
def test_a_models_collection_is_a_model(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game
) -> None:
    enemy = model_id(source, "enemy")
    path, name = other_file(tmp_path, source, lambda _: names(source).model(enemy))
    root = import_anew(sample_bytes(game))
    enemy_of(root, game).tomb_raider.model.id = 200
    collection = appended(path, "collections", name)
    collection_of(root, "MODELS").children.link(collection)
    report = Report()
    adopt(root, report)
    there, (new, told) = read_level(sample_bytes(source)), exported(root)
    number = int(collection.tomb_raider.model.tomb_raider.model.id)
    assert other_poses(there, enemy, new, number) == [] and other_looks(there, enemy, new, number) == []
    assert len(new.models) == len(read_level(sample_bytes(game)).models) + 1
    assert not [text for text in told if "not exported" in text]
    assert [each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL"] == [root]


@GAMES
def test_a_pasted_entity_is_copied_with_its_model(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game
) -> None:
    enemy = model_id(source, "enemy")
    start_empty()
    entities = objects(import_anew(sample_bytes(source)), "ENTITY")
    place = [each.tomb_raider.entity.type for each in entities].index(enemy)
    path, name = copied(tmp_path, source, "ENTITY", place)
    root = import_anew(sample_bytes(game))
    gone = enemy_of(root, game)
    gone.tomb_raider.model.id = 200
    obj = appended(path, "objects", name)
    collection_of(root, "ENTITIES").objects.link(obj)
    old, level, (new, _) = read_level(sample_bytes(game)), read_level(sample_bytes(source)), exported(root)
    number = int(new.entities[-1]["type"])
    assert len(new.entities) == len(old.entities) + 1
    assert other_poses(level, enemy, new, number) == [] and other_looks(level, enemy, new, number) == []


@GAMES
def test_a_linked_model_is_written_as_its_file_has_it(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game
) -> None:
    enemy = model_id(source, "enemy")
    path, name = other_file(tmp_path, source, lambda _: names(source).model(enemy))
    root = import_anew(sample_bytes(game))
    enemy_of(root, game).tomb_raider.model.id = 200
    add_instance(root, appended(path, "collections", name, link=True))
    adopt(root, Report())
    there, (new, _) = read_level(sample_bytes(source)), exported(root)
    number = int(new.entities[-1]["type"])
    assert len(new.entities) == len(read_level(sample_bytes(game)).entities) + 1
    assert other_poses(there, enemy, new, number) == [] and other_looks(there, enemy, new, number) == []
    again, _ = exported(root)
    assert again.to_bytes() == new.to_bytes()


def sound_values(level: Level, number: int) -> tuple[list[bytes], float, float, int]:
    """Return the samples of a sound, its volume and chance as parts of the whole, and its flags."""
    record, waves = level.sound_details[int(level.sound_map[number])], sample_waves(level)
    most = most_volume(level.game)
    return (
        [waves[each] for each in run_of(record)],
        int(record["volume"]) / most,
        int(record["chance"]) / most,
        flags_of(record),
    )


def played_by(level: Level, model: int) -> list[int]:
    """Return the sounds of the animations of a model, in their order."""
    first, count = model_animations(level.models, level.animations)
    row = int(np.flatnonzero(level.models["id"] == model)[0])
    found: list[int] = []
    for number in range(first[row], first[row] + count[row]):
        record = level.animations[number]
        commands = decode_commands(
            level.animation_commands, int(record["first_command"]), int(record["commands"])
        )
        found += [each.operands[1] & 0x3FFF for each in commands if each.type == 5]
    return found


def noisy_enemy(root: Collection, game: Game, number: int) -> str:
    """Play a unique sound in the second animation of the enemy; return the name of its collection."""
    enemy = enemy_of(root, game)
    item = root.tomb_raider.sounds.details[0]
    item.volume, item.chance, item.ids[0].number = item.volume // 2, item.volume // 4, number
    event = enemy.tomb_raider.model.animations[1].action.tomb_raider.events[0]
    assert event.command == "SOUND"
    event.number = number
    bpy.ops.wm.save_as_mainfile(filepath=str(Path(bpy.app.tempdir) / "noted.blend"), copy=True)
    return str(enemy.users_collection[0].name)


@pytest.mark.parametrize("link", [False, True])
@pytest.mark.parametrize(
    ("source", "game"), [(Game.TR4, Game.TR4), (Game.TR1, Game.TR4), (Game.TR5, Game.TR1)]
)
def test_a_model_is_copied_with_its_sounds(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game, link: bool
) -> None:
    alone = 150  # not in the sample levels
    there: list[Level] = []

    def prepared(root: Collection) -> str:
        name = noisy_enemy(root, source, alone)
        there.append(exported(root)[0])
        return name

    path, name = other_file(tmp_path, source, prepared)
    root = import_anew(sample_bytes(game))
    before = read_level(sample_bytes(game))
    enemy_of(root, game).tomb_raider.model.id = 200
    add_instance(root, appended(path, "collections", name, link=link))
    adopt(root, Report())
    new, told = exported(root)
    model = int(new.entities[-1]["type"])
    played = played_by(new, model)
    assert len(played) == len(played_by(there[0], model_id(source, "enemy"))) > 0
    place = played_by(there[0], model_id(source, "enemy")).index(alone)
    assert (new.sound_map >= 0).sum() == (before.sound_map >= 0).sum() + 1
    number = played[place]
    assert before.sound_map[number] < 0 and (number == alone or source is not game)
    old_sound, new_sound = sound_values(there[0], alone), sound_values(new, number)
    assert new_sound[1:3] == pytest.approx(old_sound[1:3], abs=0.01)
    if source is game:
        assert new_sound == old_sound
    assert len(new_sound[0]) == len(old_sound[0]) and all(new_sound[0])
    assert not [text for text in told if "none of the sounds" in text]
    again, _ = exported(root)
    assert again.to_bytes() == new.to_bytes()


def test_sounds_of_a_model_are_found_when_it_is_copied_again(blender: ModuleType, tmp_path: Path) -> None:
    """Paste from TR1 to TR4, and from there to another level of TR4."""
    path, name = other_file(tmp_path, Game.TR1, lambda root: noisy_enemy(root, Game.TR1, 150))

    def second(root: Collection) -> str:
        enemy_of(root, Game.TR4).tomb_raider.model.id = 200
        collection = appended(path, "collections", name)
        collection_of(root, "MODELS").children.link(collection)
        adopt(root, Report())
        return str(collection.name)

    folder = tmp_path / "second"
    folder.mkdir()
    other, name = other_file(folder, Game.TR4, second)
    root = import_anew(sample_bytes(Game.TR4))
    enemy_of(root, Game.TR4).tomb_raider.model.id = 200
    collection = appended(other, "collections", name)
    collection_of(root, "MODELS").children.link(collection)
    adopt(root, Report())
    new, _ = exported(root)
    model = int(collection.tomb_raider.model.tomb_raider.model.id)
    assert all(new.sound_map[each] >= 0 for each in played_by(new, model))
    assert (new.sound_map >= 0).sum() == (read_level(sample_bytes(Game.TR4)).sound_map >= 0).sum() + 1


@pytest.mark.parametrize("sample", [Game.TR1, Game.TR4])
def test_imported_models_refer_to_their_sounds(blender: ModuleType, sample: Game) -> None:
    root = import_anew(sample_bytes(sample))
    level = read_level(sample_bytes(sample))
    noted = 0
    for obj in objects(root, "MODEL"):
        details = obj.tomb_raider.sounds.details
        played = set(played_by(level, int(obj.tomb_raider.model.id)))
        assert {each.number for item in details for each in item.ids} == played
        assert all(slot.sound is not None for item in details for slot in item.samples)
        noted += len(details)
    assert noted


def _in_a_view() -> Any:
    window = bpy.context.window_manager.windows[0]
    area = next(each for each in window.screen.areas if each.type == "VIEW_3D")
    region = next(each for each in area.regions if each.type == "WINDOW")
    return bpy.context.temp_override(window=window, area=area, region=region)


def _select(obj: Any) -> None:
    for each in bpy.data.objects:
        if each.name in bpy.context.view_layer.objects:
            each.select_set(each == obj)
    bpy.context.view_layer.objects.active = obj


@GAMES
def test_pasting_an_entity_adds_no_room(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game
) -> None:
    """Blender also pastes its room and the meshes of its model."""
    start_empty()
    bpy.context.preferences.filepaths.temporary_directory = str(tmp_path)
    entities = objects(import_anew(sample_bytes(source)), "ENTITY")
    enemy = model_id(source, "enemy")
    _select(next(each for each in entities if each.tomb_raider.entity.type == enemy))
    with _in_a_view():
        assert bpy.ops.view3d.copybuffer() == {"FINISHED"}
    start_empty()
    bpy.context.preferences.filepaths.temporary_directory = str(tmp_path)
    root = import_anew(sample_bytes(game))
    enemy_of(root, game).tomb_raider.model.id = 200
    # The number of the enemy in its own game has another meaning here.
    if source is not game:
        next(
            each for each in objects(root, "MODEL") if each.tomb_raider.model.id != 0
        ).tomb_raider.model.id = enemy
    bpy.context.view_layer.active_layer_collection = bpy.context.view_layer.layer_collection.children[
        root.name
    ]
    with _in_a_view():
        assert bpy.ops.view3d.pastebuffer() == {"FINISHED"}
    old, level, (new, warnings) = (
        read_level(sample_bytes(game)),
        read_level(sample_bytes(source)),
        exported(root),
    )
    text = "Room 000.001: it was added with its contents, but without its collision"
    assert any(text in each for each in warnings)
    assert len(new.entities) == len(old.entities) + 1 and len(new.rooms) == len(old.rooms)
    assert len(new.models) == len(old.models) + 1
    number = int(new.entities[-1]["type"])
    assert other_poses(level, enemy, new, number) == [] and other_looks(level, enemy, new, number) == []


@GAMES
@pytest.mark.parametrize(
    ("kind", "where", "count"),
    [
        ("STATIC_MESH", "STATIC_MESHES", lambda level: len(level.static_meshes)),
        ("PLACEMENT", "ROOM", lambda level: len(level.rooms[0].static_meshes)),
        ("SPRITE_TEXTURE", "SPRITES", lambda level: len(level.sprite_textures)),
        ("SPRITE", "ROOM", lambda level: len(level.sprite_textures)),
        ("LIGHT", "ROOM", lambda level: len(level.rooms[0].lights)),
        ("SOUND_SOURCE", "SOUNDS", lambda level: len(level.sound_sources)),
        ("TRIGGER", "TRIGGERS", lambda level: len(level.rooms)),
    ],
)
def test_a_pasted_object_is_the_levels(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game, kind: str, where: str, count: Any
) -> None:
    path, name = copied(tmp_path, source, kind, 0)
    root = import_anew(sample_bytes(game))
    if kind == "SOUND_SOURCE":
        root.tomb_raider.sounds.details.clear()
    obj = appended(path, "objects", name)
    before = obj.tomb_raider.kind
    collection_of(root, where).objects.link(obj)
    new, told = exported(root)
    old = read_level(sample_bytes(game))
    assert before == kind
    has_one = not (kind == "SPRITE" and game.traits.has_room_layers)
    assert count(new) == count(old) + (kind != "TRIGGER" and has_one)
    assert not [text for text in told if "not in the library" in text or "room was deleted" in text]
    if kind == "SOUND_SOURCE":
        assert new.sound_map[int(new.sound_sources["sound"][-1])] >= 0
        assert not [text for text in told if obj.name in text]


@GAMES
def test_a_material_shows_its_page(blender: ModuleType, tmp_path: Path, source: Game, game: Game) -> None:
    path, name = other_file(tmp_path, source, lambda root: objects(root, "ROOM")[0].data.materials[0].name)
    root = import_anew(sample_bytes(game))
    material = appended(path, "materials", name)
    mesh: Any = objects(root, "ROOM")[0].data
    mesh.materials.append(material)
    mesh.polygons[0].material_index = len(mesh.materials) - 1
    old, (new, told) = read_level(sample_bytes(game)), exported(root)
    texels = [np.count_nonzero(decode_pages(pages_of(level))) for level in (old, new)]
    assert texels[1] >= texels[0] and told == []


def test_an_action_of_another_file_is_one_more_of_the_model_that_plays_it(
    blender: ModuleType, tmp_path: Path
) -> None:
    enemy = model_id(Game.TR4, "enemy")
    path, name = other_file(
        tmp_path, Game.TR4, lambda root: enemy_of(root, Game.TR4).tomb_raider.model.animations[1].action.name
    )
    root = import_anew(sample_bytes(Game.TR4))
    armature = enemy_of(root, Game.TR4)
    compat.assign_action(armature, appended(path, "actions", name))
    there, (new, told) = read_level(sample_bytes(Game.TR4)), exported(root)
    assert len(new.animations) == len(there.animations) + 1 and told == []
    assert other_poses(there, enemy, new, enemy) == []
