"""Links to the .blend of another level (File > Link): the level gets copies, as if appended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.catalogue import names
from io_tomb_raider.catalogue.equivalents import equivalent
from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.transfer.adoption.adoption import adopt
from tests.compare import differences
from tests.empty_scene import start_empty
from tests.sample_levels import sample_bytes
from tests.sample_levels.models import model_id

from ...scenes import collection_of, exported, import_anew, objects
from ..append.judging import other_looks, other_poses
from ..sources import enemy_of
from .dragging import GAMES, appended, other_file


def linked(path: Path, kind: str, name: str) -> Any:
    """Link a data-block of a file, as File > Link does."""
    return appended(path, kind, name, link=True)


def is_own(root: Collection) -> bool:
    """Return whether no object or collection of a level is linked."""
    homes = [root, *root.children_recursive]
    return not any(each.library for home in homes for each in (home, *home.objects))


def _placed(level: Level) -> set[tuple[int, ...]]:
    """Return the positions and ids of the static meshes in the first room."""
    records = level.rooms[0].static_meshes
    return {tuple(int(each[name]) for name in ("x", "y", "z", "static_mesh")) for each in records}


@GAMES
@pytest.mark.parametrize(
    ("kind", "where", "count"),
    [
        ("STATIC_MESH", "STATIC_MESHES", lambda level: len(level.static_meshes)),
        ("PLACEMENT", "ROOM", lambda level: sum(len(room.static_meshes) for room in level.rooms)),
        ("SPRITE_TEXTURE", "SPRITES", lambda level: len(level.sprite_textures)),
        ("LIGHT", "ROOM", lambda level: sum(len(room.lights) for room in level.rooms)),
        ("SOUND_SOURCE", "SOUNDS", lambda level: len(level.sound_sources)),
        ("ENTITY", "ENTITIES", lambda level: len(level.entities)),
        ("CAMERA", "CAMERAS", lambda level: len(level.cameras)),
    ],
)
def test_a_linked_object_is_one_more_and_changes_no_other(
    blender: ModuleType,
    tmp_path: Path,
    source: Game,
    game: Game,
    kind: str,
    where: str,
    count: Callable[[Level], int],
) -> None:
    path, name = other_file(
        tmp_path, source, lambda root: objects(root, kind)[0 if kind == "LIGHT" else -1].name
    )
    root, old = import_anew(sample_bytes(game)), read_level(sample_bytes(game))
    own = set(root.children_recursive)
    obj = linked(path, "objects", name)
    collection_of(root, where).objects.link(obj)
    adopt(root, Report())
    new, _ = exported(root)
    assert is_own(root) and not obj.is_editable and own <= set(root.children_recursive)
    assert count(new) == count(old) + 1
    # Objects of the level are unchanged.
    before, after = (_placed(level) for level in (old, new))
    assert before <= after
    assert old.entities["type"].tolist() == new.entities["type"][: len(old.entities)].tolist()
    again, told = exported(root)
    assert again.to_bytes() == new.to_bytes() and not [text for text in told if "linked" in text]


@GAMES
def test_a_linked_placement_is_copied_with_its_static_mesh(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game
) -> None:
    """Link a placement of a shape that the level does not have."""

    def bent(root: Collection) -> str:
        obj = objects(root, "PLACEMENT")[0]
        mesh: Any = obj.data
        mesh.vertices[0].co.z += 0.5
        return str(obj.name)

    path, name = other_file(tmp_path, source, bent)
    root, old = import_anew(sample_bytes(game)), read_level(sample_bytes(game))
    collection_of(root, "ROOM").objects.link(linked(path, "objects", name))
    adopt(root, Report())
    new, told = exported(root)
    assert is_own(root) and len(new.static_meshes) == len(old.static_meshes) + 1
    (number,) = set(new.static_meshes["id"].tolist()) - set(old.static_meshes["id"].tolist())
    placed = np.concatenate([room.static_meshes["static_mesh"] for room in new.rooms])
    assert (placed == number).sum() == 1
    assert not [text for text in told if "not in the library" in text]


@GAMES
def test_a_linked_models_collection_is_a_model(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game
) -> None:
    enemy = model_id(source, "enemy")
    path, name = other_file(tmp_path, source, lambda _: names(source).model(enemy))
    root = import_anew(sample_bytes(game))
    enemy_of(root, game).tomb_raider.model.id = 200
    collection_of(root, "MODELS").children.link(linked(path, "collections", name))
    adopt(root, Report())
    there, (new, _) = read_level(sample_bytes(source)), exported(root)
    old = read_level(sample_bytes(game))
    others = set(old.models["id"].tolist()) - {model_id(game, "enemy")} | {200}
    (number,) = set(new.models["id"].tolist()) - others
    assert other_poses(there, enemy, new, number) == [] and other_looks(there, enemy, new, number) == []
    assert is_own(root)


def test_all_static_meshes_of_a_linked_collection_are_copied(blender: ModuleType, tmp_path: Path) -> None:
    path, name = other_file(
        tmp_path,
        Game.TR4,
        lambda root: next(each.name for each in root.children if each.tomb_raider.kind == "STATIC_MESHES"),
    )
    root, old = import_anew(sample_bytes(Game.TR4)), read_level(sample_bytes(Game.TR4))
    root.children.link(linked(path, "collections", name))
    adopt(root, Report())
    new, _ = exported(root)
    assert is_own(root) and len(new.static_meshes) == 2 * len(old.static_meshes)
    assert old.static_meshes["id"].tolist() == new.static_meshes["id"][: len(old.static_meshes)].tolist()


def test_a_linked_armature_without_meshes_and_objects_of_no_level_are_reported(
    blender: ModuleType, tmp_path: Path
) -> None:
    def with_lamp(root: Collection) -> str:
        lamp = bpy.data.objects.new("Reference", bpy.data.meshes.new("Reference"))
        lamp.use_fake_user = True
        return str(enemy_of(root, Game.TR4).name)

    path, name = other_file(tmp_path, Game.TR4, with_lamp)
    root, data = import_anew(sample_bytes(Game.TR4)), sample_bytes(Game.TR4)
    armature, lamp = linked(path, "objects", name), linked(path, "objects", "Reference")
    collection_of(root, "MODELS").objects.link(armature)
    collection_of(root, "ROOM").objects.link(lamp)
    report = Report()
    assert adopt(root, report).is_changed and not adopt(root).is_changed
    assert any("linked without its meshes" in text for text in report.warnings)
    new, told = exported(root)
    assert differences(read_level(data), new) == []
    assert any(text.startswith("Reference: it is left out, because it is linked") for text in told)
    assert not lamp.is_editable and lamp.users_collection


def test_a_linked_material_shows_its_page(blender: ModuleType, tmp_path: Path) -> None:
    path, name = other_file(
        tmp_path, Game.TR1, lambda root: str(objects(root, "ROOM")[0].data.materials[0].name)
    )
    root = import_anew(sample_bytes(Game.TR4))
    mesh: Any = objects(root, "ROOM")[0].data
    mesh.materials.append(linked(path, "materials", name))
    mesh.polygons[0].material_index = len(mesh.materials) - 1
    old, (new, told) = read_level(sample_bytes(Game.TR4)), exported(root)
    texels = [np.count_nonzero(decode_pages(pages_of(level))) for level in (old, new)]
    assert texels[1] >= texels[0] and told == []
    assert differences(old, new) != []


@GAMES
def test_a_linked_model_and_its_entity_are_copied_once(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game
) -> None:
    """Link it also in a game without such a model, where the id does not identify it."""
    start_empty()
    other = import_anew(sample_bytes(source))
    before = enemy_of(other, source)
    taken = {each.tomb_raider.model.id for each in objects(other, "MODEL")}
    number = next(
        each
        for each in names(source).known("model")
        if each not in taken and (source is game or equivalent("model", each, source, game) is None)
    )
    own = before.users_collection[0]
    shown = next(each for each in objects(other, "ENTITY") if each.instance_collection == own)
    before.tomb_raider.model.id = shown.tomb_raider.entity.type = number
    path, collection, entity = tmp_path / "other.blend", own.name, shown.name
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    start_empty()
    root, old = import_anew(sample_bytes(game)), read_level(sample_bytes(game))
    collection_of(root, "MODELS").children.link(linked(path, "collections", collection))
    collection_of(root, "ENTITIES").objects.link(linked(path, "objects", entity))
    adopt(root, Report())
    new, _ = exported(root)
    (added,) = set(new.models["id"].tolist()) - set(old.models["id"].tolist())
    assert len(new.models) == len(old.models) + 1
    assert new.entities["type"].tolist() == [*old.entities["type"].tolist(), added]
