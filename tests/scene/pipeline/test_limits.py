"""Exports and checks compare a level with the engine that it is for."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, Game, Level
from io_tomb_raider.formats.base import targets as tables
from io_tomb_raider.formats.base.targets import Target
from io_tomb_raider.formats.levels.level.level import PROTECTED_TR4
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.pipeline.checks.check import check_scene
from tests.games import each_game
from tests.sample_levels import sample_bytes, sample_level

from ..exporting import export_level
from ..scenes import copy_of, exported, import_scene, objects, room_object

each_trx_game = pytest.mark.parametrize("game", [game for game in Game if game.traits.has_trx])
# More than the array of the original game, in a level as TRX plays it.
TEXTURES = {Game.TR1: 2100, Game.TR2: 2100, Game.TR3: 4150}


def large_level(game: Game, textures: int) -> Level:
    level = sample_level(game)
    more = np.repeat(level.object_textures[-1:], textures - len(level.object_textures))
    level.object_textures = np.concatenate([level.object_textures, more])
    return level


def shrink_textures(root: Collection) -> None:
    """Show half of its texture on each face of rooms, in object textures of their own."""
    for obj in objects(root, "ROOM"):
        for loop in obj.data.uv_layers.active.data:
            loop.uv.x *= 0.5


def add_pictures(root: Collection, count: int) -> None:
    """Show a picture of its own, as large as a page, on each of the first faces of rooms."""
    rooms = [obj.data for obj in objects(root, "ROOM")]
    faces = [(mesh, face.index) for mesh in rooms for face in mesh.polygons if face.loop_total == 4]
    assert len(faces) >= count
    for number, (mesh, index) in enumerate(faces[:count]):
        image = bpy.data.images.new(f"Own {number}", 256, 256)
        image.pixels.foreach_set([(number + 1) / 64, 0.5, 0.25, 1.0] * 256**2)
        material: Any = bpy.data.materials.new(image.name)
        if material.node_tree is None:
            material.use_nodes = True
        node = material.node_tree.nodes.new("ShaderNodeTexImage")
        node.image = image
        shader = next(each for each in material.node_tree.nodes if each.type == "BSDF_PRINCIPLED")
        material.node_tree.links.new(node.outputs[0], shader.inputs[0])
        mesh.materials.append(material)
        face = mesh.polygons[index]
        face.material_index = len(mesh.materials) - 1
        for loop, corner in zip(face.loop_indices, ((0, 0), (1, 0), (1, 1), (0, 1)), strict=True):
            mesh.uv_layers.active.data[loop].uv = corner


def warnings_of(root: Collection) -> tuple[Level, list[str]]:
    """Return the exported level and the warnings about its size."""
    level, warnings = exported(root)
    return level, [text for text in warnings if " supports " in text]


@each_game
def test_more_entities_than_the_original_game_has_room_for(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    assert root.tomb_raider.engine == "ORIGINAL"
    for _ in range(300):
        copy_of(objects(root, "ENTITY")[-1])
    level, warnings = warnings_of(root)
    count = len(level.entities)
    assert count > 300
    assert warnings == [f"{root.name}: there are {count} entities, and the original game supports 256"]
    told = [note.text for note in check_scene(root) if " supports " in note.text]
    assert told == [warnings[0].removeprefix(f"{root.name}: ")]
    root.tomb_raider.engine = "TRX"
    level, warnings = warnings_of(root)
    assert len(level.entities) == count
    assert (warnings == []) == game.traits.is_in_trx  # other games have the original engine only
    assert any(" supports " in note.text for note in check_scene(root)) == bool(warnings)


def test_levels_of_tr4_for_trx_have_no_protection_and_no_edits(blender: ModuleType) -> None:
    """TRX opens files of one version, and reads nothing behind a level."""
    level = sample_level(Game.TR4)
    level.version = PROTECTED_TR4
    data = level.to_bytes()
    root = import_scene(data)
    assert root.tomb_raider.engine == "ORIGINAL" and export_level(root)[0].to_bytes() == data
    root.tomb_raider.engine = "TRX"
    assert export_level(root)[0].to_bytes() == sample_bytes(Game.TR4)
    entity = objects(root, "ENTITY")[0]
    entity.tomb_raider.entity.script_name = "A"
    assert export_level(root)[0].to_bytes() == sample_bytes(Game.TR4)


@pytest.mark.parametrize(("game", "most"), [(Game.TR1, 16), (Game.TR2, 32), (Game.TR3, 32)])
def test_more_pages_than_the_original_game_has_room_for(blender: ModuleType, game: Game, most: int) -> None:
    root = import_scene(sample_bytes(game))
    add_pictures(root, most + 1)
    level, warnings = warnings_of(root)
    count = len(level.textiles8)
    assert count > most
    text = f"there are {count} texture pages, and the original game supports {most}"
    assert warnings == [f"{root.name}: {text}"]
    root.tomb_raider.engine = "TRX"
    assert warnings_of(root)[1] == []


@each_trx_game
@pytest.mark.parametrize("rebuild", [False, True])
def test_more_object_textures_than_the_original_game_has_room_for(
    blender: ModuleType, game: Game, rebuild: bool
) -> None:
    data = large_level(game, TEXTURES[game]).to_bytes()
    root = import_scene(data)
    assert root.tomb_raider.engine == "TRX"
    level, report = export_level(root)
    assert level.to_bytes() == data and report.warnings == []
    shrink_textures(root)
    level, warnings = exported(root, rebuild=rebuild)
    assert rebuild or len(level.object_textures) > TEXTURES[game]
    assert not [text for text in warnings if " supports " in text]


@each_trx_game
def test_a_level_that_gets_more_object_textures_is_written(blender: ModuleType, game: Game) -> None:
    most = {Game.TR3: 4096}.get(game, 2048)
    root = import_scene(large_level(game, most).to_bytes())
    assert root.tomb_raider.engine == "ORIGINAL"
    shrink_textures(root)
    level, warnings = warnings_of(root)
    count = len(level.object_textures)
    assert count > most
    text = f"there are {count:,} object textures, and the original game supports {most:,}"
    assert warnings == [f"{root.name}: {text}"]
    assert [note.text for note in check_scene(root) if " supports " in note.text] == [text]


@each_trx_game
def test_a_level_for_trx_that_is_made_one_for_the_original_game(blender: ModuleType, game: Game) -> None:
    data = large_level(game, TEXTURES[game]).to_bytes()
    root = import_scene(data)
    root.tomb_raider.engine = "ORIGINAL"
    level, report = export_level(root)
    most = {Game.TR3: "4,096"}.get(game, "2,048")
    text = f"there are {TEXTURES[game]:,} object textures, and the original game supports {most}"
    assert level.to_bytes() == data and report.warnings == [f"{root.name}: {text}"]
    # Files from before the setting have none; their levels are as they were.
    root.tomb_raider.property_unset("engine")
    assert export_level(root)[1].warnings == []


@each_trx_game
def test_exceeded_limits_of_trx_are_an_error(
    blender: ModuleType, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = tables.limits_of(Target.TRX, game)
    root = import_scene(sample_bytes(game))
    root.tomb_raider.engine = "TRX"
    count = len(objects(root, "ENTITY"))
    monkeypatch.setitem(tables._LIMITS[Target.TRX], game, limits._replace(entities=count))
    assert export_level(root)[1].warnings == []
    copy_of(objects(root, "ENTITY")[-1])
    text = f"{root.name}: there are {count + 1} entities, and TRX supports {count}"
    with pytest.raises(ExportError) as caught:
        export_level(root)
    assert str(caught.value) == text
    assert [(note.severity, f"{note.subject}: {note.text}") for note in check_scene(root)] == [
        ("ERROR", text)
    ]
    # What the file had is written.
    for target in Target:
        limits = tables.limits_of(target, game)
        monkeypatch.setitem(tables._LIMITS[target], game, limits._replace(entities=1))
    with pytest.raises(ExportError, match=r"TRX supports 1$"):
        exported(root)
    bpy.data.objects.remove(objects(root, "ENTITY")[-1])
    assert warnings_of(root)[1] == []


@each_trx_game
def test_a_room_with_more_vertices_names_the_room(
    blender: ModuleType, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = import_scene(sample_bytes(game))
    room = room_object(root, 0)
    count = len(room.data.vertices)
    limits = tables.limits_of(Target.ORIGINAL, game)
    monkeypatch.setitem(tables._LIMITS[Target.ORIGINAL], game, limits._replace(vertices=count))
    bpy.data.objects.remove(objects(root, "ROOM")[-1])  # the numbers of the others stay
    room.data.vertices.add(1)
    _, warnings = warnings_of(root)
    assert [text for text in warnings if text.startswith(f"{room.name}:")] == [
        f"{room.name}: it has {count + 1} vertices, and the original game supports {count} in a room"
    ]


@each_trx_game
def test_static_meshes_of_trx_have_any_id(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    copy = copy_of(objects(root, "STATIC_MESH")[0])
    copy.tomb_raider.index, copy.tomb_raider.static_mesh.id = -1, 60
    report = Report()
    export_level(root, report=report)
    assert f"{copy.name}: its id is 60, but the original game supports only ids below 50" in report.warnings
    assert not [text for text in report.warnings if "up to the highest id" in text]
    root.tomb_raider.engine = "TRX"
    assert not [text for text in export_level(root)[1].warnings if "its id is 60" in text]
