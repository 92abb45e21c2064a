"""New levels are playable: their exports are complete, for every game, with and without a kit."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from io_tomb_raider.catalogue.roles import Role, role_of
from io_tomb_raider.formats import ExportError, FormatError, Game, Level, read_level
from io_tomb_raider.formats.edits.new_levels.kit import kit_of
from io_tomb_raider.formats.edits.new_levels.water import find_water
from io_tomb_raider.formats.edits.rules.needs import EFFECT_SPRITES
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.scene.authoring.new.room import add_room
from io_tomb_raider.scene.authoring.portals.openings import connect_all
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.new_levels.new import new_level
from io_tomb_raider.scene.pipeline.checks.check import check_scene
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.meshes.placed import rooms_with_vertices, world_corners
from io_tomb_raider.scene.transfer.engine.choice import PieceSelection
from tests.empty_scene import start_empty
from tests.games import each_game
from tests.level_rules import broken_indices, is_loaded_by_its_game, lonely_portals, lost_openings
from tests.sample_levels import sample_bytes, sample_level
from tests.scene.exporting import export_level

from ..scenes import export_scene, objects
from ..transfer.append.reading import model_meshes

_SUFFIX = {Game.TR4: ".tr4", Game.TR5: ".trc"}
_CLICK, _SECTOR = 256, 1024
_SKIN = 8  # model number
_FLOOR, _WALL, _CEILING = (146, 126, 100), (128, 134, 140), (92, 98, 112)


def _kit(folder: Path, game: Game) -> Path:
    path = folder / f"kit{_SUFFIX.get(game, '.phd')}"
    path.write_bytes(sample_bytes(game))
    return path


def _check_room(level: Level) -> None:
    """Check that the room is closed, with a floor at level 0, a box, a light, and textured faces."""
    (room,) = level.rooms
    assert broken_indices(level) == [] and lost_openings(level) == [] and lonely_portals(level) == set()
    grid = room.sectors.reshape(room.x_sectors, room.z_sectors)
    inner = grid[1:-1, 1:-1]
    assert inner.shape == (6, 6) and (inner["floor"] == 0).all() and (inner["ceiling"] == -16).all()
    assert (grid["floor"][[0, -1]] == -127).all() and (grid["floor"][:, [0, -1]] == -127).all()
    assert (room.y_bottom, room.y_top) == (0, -16 * _CLICK)
    assert len(level.boxes) == 1
    number = inner["box"] >> 4 if level.game.traits.has_materials else inner["box"]
    assert not (number & 0x7FF).any()
    assert len(room.lights) == 1 and len(room.quads) == 2 * 6 * 6 + 4 * 6 * 4


def _colors(level: Level, down: bool) -> Any:
    """Return the color in the middle of the lower left stone of the floor or the ceiling."""
    room = level.rooms[0]
    y = np.array(room.vertices["y"], float)[room.quads["vertices"].astype(int)]
    flat = np.ptp(y, axis=1) < 1
    chosen = flat & (y.mean(axis=1) > -_SECTOR if down else y.mean(axis=1) < -_SECTOR)
    assert chosen.sum() == 36
    index = set((room.quads["texture"][chosen] & 0x3FFF).tolist())
    assert len(index) == 1
    record = level.object_textures[index.pop()]
    page = decode_pages(pages_of(level))[int(record["page"]) & 0x7FFF]
    u, v = (record["uv"].astype(int)[:, axis] >> 8 for axis in (0, 1))
    assert np.ptp(u) in (63, 64) and np.ptp(v) in (63, 64)
    return page[(v.min() + v.max()) // 2 + 8, (u.min() + u.max()) // 2 - 8, :3].astype(int)


@pytest.mark.parametrize("with_kit", [False, True], ids=["nothing", "kit"])
@each_game
def test_a_new_level_is_whole(blender: ModuleType, tmp_path: Path, game: Game, with_kit: bool) -> None:
    kit = _kit(tmp_path, game) if with_kit else None
    root = new_level(game, "Home", kit).root
    # Without a kit there is no original: the level is its scene.
    assert bool(root.get("tr_original")) == with_kit
    level = export_scene(root)
    assert level.game is game and is_loaded_by_its_game(level)
    _check_room(level)
    # Larger faces repeat the image.
    pictures = [
        node.extension
        for material in objects(root, "ROOM")[0].data.materials
        for node in material.node_tree.nodes
        if node.type == "TEX_IMAGE"
    ]
    assert pictures == ["REPEAT"] * 3
    # The level has space around its first room.
    assert (level.rooms[0].x, level.rooms[0].z) == (47 * _SECTOR, 47 * _SECTOR)
    # TR1 has the nearest entries of its palette, TR2 and TR3 five bits.
    assert np.abs(_colors(level, down=True) - _FLOOR).max() < (40 if game is Game.TR1 else 9)
    assert np.abs(_colors(level, down=False) - _CEILING).max() < (40 if game is Game.TR1 else 9)
    laras = level.entities[level.entities["type"] == 0]
    assert len(laras) == len(level.entities) == int(with_kit)
    texts = [note.text for note in check_scene(root) if note.severity != "INFO"]
    if with_kit:
        assert texts == []
        assert [int(laras[0][axis]) for axis in "xyz"] == [51 * _SECTOR, 0, 51 * _SECTOR]
        library = kit_of(sample_level(game))
        for name in ("models", "static_meshes", "animations", "frames", "sound_details"):
            assert np.array_equal(getattr(level, name), getattr(library, name)), name
        # The effects of a game have more pictures than the sample: their sequence is completed.
        effects = EFFECT_SPRITES[game].sequences if game in EFFECT_SPRITES else ()
        kept, wanted = (
            each[~np.isin(each["id"], effects)] for each in (level.sprite_sequences, library.sprite_sequences)
        )
        assert np.array_equal(kept, wanted)
    else:
        assert len(level.models) == 0
        assert len(texts) == 2 and "no sounds" in texts[0] and "there is no Lara" in texts[1]

    content = level.to_bytes()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    again = import_level(content, ImportOptions(beside=False), name=f"Again{_SUFFIX.get(game, '')}").root
    assert export_level(again)[0].to_bytes() == content


@pytest.mark.parametrize("with_kit", [False, True])
def test_a_new_level_stands_next_to_the_others_of_its_scene(
    blender: ModuleType, tmp_path: Path, with_kit: bool
) -> None:
    kit = _kit(tmp_path, Game.TR2) if with_kit else None
    alone = export_scene(new_level(Game.TR2, kit=kit).root).to_bytes()
    start_empty()
    old = import_level(sample_bytes(Game.TR2)).root
    root = new_level(Game.TR2, kit=kit).root
    bpy.context.view_layer.update()
    corners = [
        world_corners(rooms_with_vertices(objects(each, "ROOM"))).reshape(-1, 3) for each in (old, root)
    ]
    assert corners[0][:, 1].max() < corners[1][:, 1].min()
    assert export_scene(root).to_bytes() == alone


def test_a_new_level_can_be_saved_opened_and_edited(blender: ModuleType, tmp_path: Path) -> None:
    root = new_level(Game.TR3, "Home").root
    content = export_scene(root).to_bytes()
    path = str(tmp_path / "home.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    root = bpy.data.collections["Home"]
    assert export_scene(root).to_bytes() == content
    (room,) = objects(root, "ROOM")
    room.data.vertices[0].co.z += 1
    moved = export_scene(root)
    assert len(moved.rooms) == 1 and moved.to_bytes() != content


def test_a_level_without_its_original_is_not_exported(blender: ModuleType) -> None:
    """A level from a file is not exported without its original."""
    root = import_level(sample_bytes(Game.TR1), name="Level").root
    del root["tr_original"]
    with pytest.raises(ExportError, match="is not a level"):
        export_level(root)


def test_a_damaged_kit_leaves_the_scene_unchanged(blender: ModuleType, tmp_path: Path) -> None:
    def names() -> list[list[str]]:
        kinds = ("collections", "objects", "meshes", "images", "materials", "node_groups", "armatures")
        return [sorted(each.name for each in getattr(bpy.data, kind)) for kind in kinds]

    before = names()
    kit = _kit(tmp_path, Game.TR2)
    kit.write_bytes(kit.read_bytes()[:9000])
    with pytest.raises(FormatError):
        new_level(Game.TR2, "Home", kit)
    assert names() == before


@pytest.mark.parametrize(
    ("source", "game"), [(Game.TR1, Game.TR4), (Game.TR5, Game.TR2), (Game.TR3, Game.TR1)]
)
def test_a_kit_of_another_game_is_converted(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game
) -> None:
    """Lara and objects of the same name are converted, others reported, and nothing else is in the scene."""
    context = new_level(game, "Home", _kit(tmp_path, source), wanted=PieceSelection("Door*", "", "-", "-"))
    root = context.root
    assert [each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL"] == [root]
    level = export_scene(root)
    _check_room(level)
    assert level.game is game and context.report.warnings
    there = sample_level(source)
    # The games from TR4 on draw her skin, and have dummies in her own model.
    has_skin = [_SKIN in each.models["id"] and each.game >= Game.TR4 for each in (level, there)]
    found, wanted = (
        model_meshes(each, _SKIN * skin) for each, skin in zip((level, there), has_skin, strict=True)
    )
    assert has_skin[0] == (game >= Game.TR4)
    assert [each.vertices.tolist() for each in found] == [each.vertices.tolist() for each in wanted]
    doors = {role_of(game, each) for each in level.models["id"].tolist()}
    assert Role.DOOR in doors and Role.ENEMY not in doors
    assert level.entities["type"].tolist() == [0]
    assert len(level.static_meshes) == len(there.static_meshes)


def test_libraries_are_hidden_behind_the_room(blender: ModuleType, tmp_path: Path) -> None:
    root = new_level(Game.TR1, "Home", _kit(tmp_path, Game.TR1)).root
    layer = bpy.context.view_layer.layer_collection.children[root.name]
    excluded = {child.collection.tomb_raider.kind for child in layer.children if child.exclude}
    assert {"MODELS", "STATIC_MESHES"} <= excluded
    assert "ROOMS" not in excluded
    read_level(export_level(root)[0].to_bytes())


@each_game
def test_water_looks_as_that_of_the_kit(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = new_level(game, "Home", _kit(tmp_path, game)).root
    (home,) = objects(root, "ROOM")
    x, y, z = home.matrix_world @ Vector(home.bound_box[0])
    pool = add_room(root, Vector((x + 6, y + 6, z - 4)), (2, 2, 2))
    pool.tomb_raider.room.has_water = True
    assert connect_all(root).surfaces == 8
    level, before = export_scene(root), find_water(sample_level(game))
    after = find_water(level)
    assert before is not None and after is not None and after.attribute == before.attribute
    # The games have 32 levels per color, or 256 colors in total.
    away = np.abs(after.pictures.astype(int) - before.pictures)
    assert away.shape[0] == 3 and away.max() <= (0 if game.traits.has_32bit_pages else 8)
    assert broken_indices(level) == []


@pytest.mark.parametrize(("kit", "game", "comes"), [(Game.TR1, Game.TR4, True), (Game.TR4, Game.TR1, False)])
def test_water_of_a_kit_is_used_if_translucent(
    blender: ModuleType, tmp_path: Path, kit: Game, game: Game, comes: bool
) -> None:
    root = new_level(game, "Home", _kit(tmp_path, kit)).root
    water: Any = root.tomb_raider.water_surface.material
    assert (water is not None) == comes
    assert water is None or water.tomb_raider.animation == root.tomb_raider.animated.groups[-1].uid
