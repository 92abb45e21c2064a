"""The entry of a level in the game flow of TRX, in the scene."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.formats.levels.game_files.trx.trx_gameflow import TrxGameflow, read_trx_gameflow
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.interop.game_files.gameflow import read_entry, write_entry
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.entities.drops import parse_drops, show_drops
from io_tomb_raider.scene.subjects.level.names import relations_in
from io_tomb_raider.scene.transfer.convert.convert import convert_level
from io_tomb_raider.ui.entities.panels import OBJECT_PT_tomb_raider_entity
from io_tomb_raider.ui.game_files.gameflow import _pickups
from tests.sample_levels import sample_bytes

from ....formats.levels.game_files.trx_samples import FLOW, NAMES
from ....ui.recorder import shown
from ....ui.user_actions import select
from ...scenes import exported, objects

each_game = pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3])


def level_next_to(folder: Path, game: Game = Game.TR1, flow: str = FLOW) -> Any:
    """Import a level next to a game flow."""
    path = folder / "cave.phd"
    path.write_bytes(sample_bytes(game))
    (folder / "gameflow.json5").write_text(flow)
    (folder / "strings.json5").write_text(NAMES)
    root: Any = import_level(path, ImportOptions(beside=False)).root
    root.tomb_raider.engine = "TRX"
    return root


def written(root: Collection, folder: Path) -> tuple[str, list[str]]:
    report = Report()
    write_entry(root, folder / "gameflow.json5", "cave.phd", report)
    return (folder / "gameflow.json5").read_text(), report.warnings


def entities(root: Collection) -> list[Any]:
    return sorted(objects(root, "ENTITY"), key=lambda obj: obj.tomb_raider.index)


@each_game
def test_an_entry_is_shown_and_written_unchanged(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = level_next_to(tmp_path, game)
    settings = root.tomb_raider.gameflow
    assert (settings.title, root.tomb_raider.title) == ("Cave", "Cave")
    assert settings.track == 57 and settings.has_water_color and settings.has_fog
    assert [step.kind for step in settings.steps] == ["loop_game", "setup_bacon_lara", "play_fmv"]
    assert settings.steps[1].room.tomb_raider.index == 1
    assert settings.steps[2].parameters == '"fmv_id": 99'
    assert [obj.tomb_raider.entity.drops for obj in entities(root)[:3]] == ["", '93, "93", "key_1"', "86"]
    assert written(root, tmp_path) == (FLOW, [])
    assert exported(root)[1] == []


def test_edited_fields_are_written(blender: ModuleType, tmp_path: Path) -> None:
    root = level_next_to(tmp_path)
    settings = root.tomb_raider.gameflow
    settings.title, settings.track = "Höhle", 3
    settings.water_color = (0.25, 1, 1)
    settings.fog_start = 10
    settings.steps.remove(2)
    entities(root)[3].tomb_raider.entity.drops_name = "Magnums, small medipack, Entity 12, scion_1"
    text, warnings = written(root, tmp_path)
    assert warnings == []
    assert text == (
        FLOW.replace("57", "3")
        .replace("0.45", "0.25")
        .replace('                {"type": "play_fmv", "fmv_id": 99},\n', "")
        .replace("[84]},", '[84]},\n                {"enemy_num": 3, "object_ids": [86, 93, 12, "scion_1"]},')
        .replace(
            "            ],\n        },\n    ],",
            '            ],\n            "fog_start": 10.0,\n        },\n    ],',
        )
    )
    names = (tmp_path / "strings.json5").read_text("utf-8")
    assert names == NAMES.replace("Cave", "Höhle")
    assert root.tomb_raider.title == "Höhle"
    assert written(root, tmp_path)[0] == text


def test_drops_and_rooms_follow_deleted_and_new_objects(blender: ModuleType, tmp_path: Path) -> None:
    root = level_next_to(tmp_path)
    all_entities = entities(root)
    bpy.data.objects.remove(all_entities[0])
    _, warnings = exported(root)
    assert any("Item Drops" in each and all_entities[1].name in each for each in warnings)
    text, _ = written(root, tmp_path)
    assert text == FLOW.replace('"enemy_num": 2', '"enemy_num": 1', 1).replace(
        '"enemy_num": 1, "object_ids": [93', '"enemy_num": 0, "object_ids": [93'
    )
    assert not any("Item Drops" in each for each in exported(root)[1])
    copy = all_entities[2].copy()
    all_entities[2].users_collection[0].objects.link(copy)
    bpy.data.objects.remove(all_entities[1])
    warnings = exported(root)[1]
    assert any("deleted (numbers 0)" in each for each in warnings)
    found = read_trx_gameflow_drops(written(root, tmp_path)[0])
    assert found == {0: (86,), len(entities(root)) - 1: (86,), 900: (84,)}
    room = root.tomb_raider.gameflow.steps[1].room
    room.tomb_raider.index = 99  # now the last
    assert f'"anchor_room": {len(objects(root, "ROOM")) - 1}' in written(root, tmp_path)[0]


def read_trx_gameflow_drops(text: str) -> dict[int, tuple[Any, ...]]:
    flow = TrxGameflow(text).find("cave")
    assert flow is not None
    return {drop.number: drop.items for drop in flow.drops}


def test_reading_the_game_flow_after_edits_finds_the_same_entities(
    blender: ModuleType, tmp_path: Path
) -> None:
    root = level_next_to(tmp_path)
    _, second, third = entities(root)[:3]
    bpy.data.objects.remove(entities(root)[0])
    assert read_entry(root, tmp_path / "gameflow.json5", "cave.phd")
    assert (second.tomb_raider.entity.drops, third.tomb_raider.entity.drops) == ('93, "93", "key_1"', "86")


def test_a_new_level_gets_an_entry(blender: ModuleType, tmp_path: Path) -> None:
    root = level_next_to(tmp_path, flow='{\n    "levels": [],\n}\n')
    assert root.tomb_raider.gameflow.path == str(tmp_path / "gameflow.json5")
    assert [each.kind for each in root.tomb_raider.gameflow.steps] == [
        "loop_game",
        "level_stats",
        "level_complete",
    ]
    root.tomb_raider.gameflow.title = "New"
    assert write_entry(root, tmp_path / "gameflow.json5", "cave.phd", Report()).is_new
    flow = read_trx_gameflow(tmp_path / "gameflow.json5").find("cave.phd")
    assert flow is not None and flow.title == "New" and len(flow.steps) == 3


def test_wrong_parameters_and_missing_strings_are_named(blender: ModuleType, tmp_path: Path) -> None:
    root = level_next_to(tmp_path)
    (tmp_path / "strings.json5").unlink()
    settings = root.tomb_raider.gameflow
    _, warnings = written(root, tmp_path)
    assert len(warnings) == 1 and "strings.json5" in warnings[0]
    settings.steps[2].parameters = "fmv_id 3"
    with pytest.raises(ExportError, match=r"Step 3 \(play_fmv\)"):
        written(root, tmp_path)
    assert (tmp_path / "gameflow.json5").read_text() == FLOW


def test_a_damaged_game_flow_is_a_warning(blender: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "cave.phd"
    path.write_bytes(sample_bytes(Game.TR1))
    (tmp_path / "gameflow.json5").write_text("{\n'levels' []}")
    context = import_level(path, ImportOptions(beside=False))
    assert any("gameflow.json5" in each and "line 2" in each for each in context.report.warnings)
    assert not context.root.tomb_raider.gameflow.path


def test_slots_are_named_by_the_catalog(blender: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "catalog_objects.csv").write_text("0, O_LARA\n9999, O_SNOW_MAN,\n")
    root = level_next_to(tmp_path)
    obj: Any = entities(root)[1]
    obj.tomb_raider.entity.type = 9999
    assert obj.tomb_raider.entity.type_name == "Snow man"
    obj.tomb_raider.entity.type_name = "Lara"
    obj.tomb_raider.entity.type_name = "snow man"
    assert obj.tomb_raider.entity.type == 9999
    obj.tomb_raider.entity.drops = "9999"
    assert obj.tomb_raider.entity.drops_name == "Snow man"


def test_slots_that_belong_together_are_known(blender: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "catalog_objects.csv").write_text("9998, snow_key\n9999, snow_hole\n")
    (tmp_path / "object_links.json5").write_text('{"a": [["snow_key", "snow_hole"]]}')
    (tmp_path / "object_families.json5").write_text('{"pickup": ["snow_key"]}')
    root = level_next_to(tmp_path)
    pickups, links = relations_in(root.tomb_raider.gameflow.relations)
    assert pickups == {9998} and links == {9998: [9999], 9999: [9998]}
    obj: Any = entities(root)[1]
    obj.instance_collection, obj.tomb_raider.entity.type = None, 9999
    select(obj)
    assert "Belongs to Snow key" in shown(OBJECT_PT_tomb_raider_entity, object=obj).texts
    assert ("9998", "Snow key", "", 9998) in _pickups(None, bpy.context)
    (tmp_path / "object_links.json5").write_text("{")
    root = level_next_to(tmp_path)
    assert relations_in(root.tomb_raider.gameflow.relations) == (frozenset(), {})
    assert relations_in('{"a": 1}') == relations_in("[") == relations_in("[1, 2]") == (frozenset(), {})


def test_models_in_slots_of_a_catalog_or_of_trx_are_named(blender: ModuleType, tmp_path: Path) -> None:
    level = read_level(sample_bytes(Game.TR1))
    models = level.models.copy()
    models["id"][models["id"] == 7] = 9999
    level.models = models
    (tmp_path / "catalog_objects.csv").write_text("9999, O_SNOW_MAN\n")
    path = tmp_path / "cave.phd"
    path.write_bytes(level.to_bytes())
    root: Any = import_level(path, ImportOptions(beside=False)).root
    assert any(each.name.startswith("Snow man") for each in root.children_recursive)
    obj: Any = entities(root)[1]
    obj.tomb_raider.entity.type = 250
    assert obj.tomb_raider.entity.type_name == "Entity 250"
    root.tomb_raider.engine = "TRX"
    assert obj.tomb_raider.entity.type_name == "Snowflake"


def test_conversions_remap_dropped_items(blender: ModuleType, tmp_path: Path) -> None:
    root = level_next_to(tmp_path)
    door = entities(root)[4]
    door.tomb_raider.entity.drops_name = "Magnums, small medipack, Skateboard, key_1"
    name = door.name
    lines = convert_level(root, Game.TR2).lines
    settings = root.tomb_raider.gameflow
    assert not settings.path and not settings.dropping and settings.track == 57
    found = {obj.tomb_raider.entity.drops_name for obj in objects(root, "ENTITY")} - {""}
    assert found == {"Automatic pistols, Small medipack, key_1"}
    assert all(obj.tomb_raider.entity.drop_number == -1 for obj in objects(root, "ENTITY"))
    assert f"Entities: items that these drop are lost: {name}" in lines
    convert_level(root, Game.TR4)
    assert not any(obj.tomb_raider.entity.drops for obj in objects(root, "ENTITY"))


@pytest.mark.parametrize("items", [(), (1,), (0, -5, 93), ("a, b", "93", 93, '"', "ü")])
def test_items_are_texts(items: tuple[int | str, ...]) -> None:
    assert parse_drops(show_drops(items)) == items


def test_typed_items() -> None:
    assert parse_drops(" 86 ,key_1,, 5") == (86, "key_1", 5)
    assert parse_drops("true, 1.5, null") == ()
