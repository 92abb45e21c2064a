"""The game flow of TRX by its operators."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest
from bpy.types import Object

from io_tomb_raider.scene.properties.gameflow import _kinds
from io_tomb_raider.ui.game_files.gameflow import level_has_gameflow
from io_tomb_raider.ui.game_files.panels import VIEW3D_PT_tomb_raider_gameflow
from tests.scene.scenes import objects

from ...formats.levels.game_files.trx_samples import FLOW, NAMES, TR4_FLOW
from ..recorder import draw, shown
from ..user_actions import import_sample


@pytest.fixture
def level(blender: ModuleType, tmp_path: Path) -> Any:
    """A level that was imported before its game flow was there."""
    root = import_sample(tmp_path, "tr1", "cave.phd")
    root.tomb_raider.engine = "TRX"
    (tmp_path / "mod").mkdir()
    (tmp_path / "mod" / "gameflow.json5").write_text(FLOW)
    (tmp_path / "mod" / "strings.json5").write_text(NAMES)
    return root


def test_an_entry_is_read_edited_and_written(level: Any, tmp_path: Path) -> None:
    path = tmp_path / "mod" / "gameflow.json5"
    assert not level.tomb_raider.gameflow.path
    assert bpy.ops.tomb_raider.read_gameflow(filepath=str(path)) == {"FINISHED"}
    settings = level.tomb_raider.gameflow
    assert (settings.title, settings.path) == ("Cave", str(path))
    assert bpy.ops.tomb_raider.write_gameflow(filepath=str(path)) == {"FINISHED"}
    assert path.read_text() == FLOW
    settings.active_step = 0
    assert bpy.ops.tomb_raider.edit_steps(action="ADD") == {"FINISHED"}
    settings.steps[1].parameters = "music_track: 5"
    assert bpy.ops.tomb_raider.edit_steps(action="DOWN") == {"FINISHED"}
    assert settings.active_step == 2
    settings.active_step = 3
    assert bpy.ops.tomb_raider.edit_steps(action="DOWN") == {"CANCELLED"}
    assert bpy.ops.tomb_raider.edit_steps(action="REMOVE") == {"FINISHED"}
    bpy.ops.ed.undo_push(message="edited")
    assert bpy.ops.tomb_raider.write_gameflow(filepath=str(path)) == {"FINISHED"}
    assert path.read_text() == FLOW.replace(
        '{"type": "play_fmv", "fmv_id": 99}', '{"type": "play_music", "music_track": 5}'
    )


def kinds(level: Any) -> list[str]:
    settings: Any = level.tomb_raider.gameflow
    return _kinds(settings.steps[0], bpy.context, "e")


def test_a_mod_is_updated_for_the_newest_engine(level: Any, tmp_path: Path) -> None:
    folder = tmp_path / "mod"
    path, names = folder / "gameflow.json5", folder / "strings.json5"
    catalog = folder / "catalog_objects.csv"
    names.write_text('{"levels": [{"title": "Cave", "objects": {"key_1": {"name": "A"}}}]}')
    catalog.write_bytes(b"6, O_BACON_LARA\r\n")
    bpy.ops.tomb_raider.read_gameflow(filepath=str(path))
    settings = level.tomb_raider.gameflow
    assert settings.version == 9
    assert "setup_bacon_lara" in kinds(level) and "remove_binoculars" not in kinds(level)
    assert "Update Game Flow" in shown(VIEW3D_PT_tomb_raider_gameflow).texts
    settings.track = 3
    entity: Any = objects(level, "ENTITY")[3]
    entity.instance_collection, entity.tomb_raider.entity.type = None, 6
    bpy.ops.ed.undo_push(message="edited")
    assert bpy.ops.tomb_raider.update_gameflow(filepath=str(path)) == {"FINISHED"}
    wanted = FLOW.replace("57", "3").replace('"key_1"', '"key_item_1"')
    assert path.read_text() == wanted.replace(
        '                {"type": "setup_bacon_lara", "anchor_room": 1},\n', ""
    )
    assert '"key_item_1"' in names.read_text() and catalog.read_bytes() == b"6, bacon_lara\r\n"
    assert (settings.version, [step.kind for step in settings.steps]) == (11, ["loop_game", "play_fmv"])
    assert "setup_bacon_lara" not in kinds(level) and "remove_binoculars" in kinds(level)
    (item,) = entity.tomb_raider.properties
    assert (item.name, item.room.tomb_raider.index) == ("anchor_room", 1)
    before = path.read_bytes()
    assert bpy.ops.tomb_raider.update_gameflow(filepath=str(path)) == {"FINISHED"}
    assert "Update Game Flow" not in shown(VIEW3D_PT_tomb_raider_gameflow).texts
    assert path.read_bytes() == before and len(entity.tomb_raider.properties) == 1


def test_items_are_added_by_name(level: Any, tmp_path: Path) -> None:
    path = tmp_path / "mod" / "gameflow.json5"
    obj: Any = next(each for each in objects(level, "ENTITY") if each.tomb_raider.index == 3)
    entity: Object = obj
    bpy.context.view_layer.objects.active = entity
    for item in ("86", "93"):
        assert bpy.ops.tomb_raider.add_item_drop(item=item) == {"FINISHED"}
    assert obj.tomb_raider.entity.drops_name == "Magnums, Small medipack"
    assert bpy.ops.tomb_raider.write_gameflow(filepath=str(path)) == {"FINISHED"}
    assert '{"enemy_num": 3, "object_ids": [86, 93]},' in path.read_text()


def test_wrong_files_are_refused(level: Any, tmp_path: Path) -> None:
    path = tmp_path / "mod" / "gameflow.json5"
    for operator in (bpy.ops.tomb_raider.read_gameflow, bpy.ops.tomb_raider.write_gameflow):
        with pytest.raises(RuntimeError, match=r"Choose the game flow"):
            operator(filepath=str(tmp_path / "none.json5"))
        path.write_text("{")
        with pytest.raises(RuntimeError, match="line 1"):
            operator(filepath=str(path))
    path.write_text("{}")
    with pytest.raises(RuntimeError, match="has no entry of cave"):
        bpy.ops.tomb_raider.read_gameflow(filepath=str(path))
    level.tomb_raider.gameflow.steps.add().parameters = "["
    with pytest.raises(RuntimeError, match="Step 1"):
        bpy.ops.tomb_raider.write_gameflow(filepath=str(path))
    assert path.read_text() == "{}"


def test_fog_and_steps_of_tr4_are_edited(blender: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "gameflow.json5"
    path.write_text(TR4_FLOW)
    root = import_sample(tmp_path, "tr4", "train.tr4")
    settings = root.tomb_raider.gameflow
    assert settings.path == str(path) and settings.fog_bulbs == "OFF" and settings.has_fog_color
    root.tomb_raider.engine = "TRX"
    panel = draw(VIEW3D_PT_tomb_raider_gameflow, collection=root)
    assert panel is not None and {"fog_color", "fog_bulbs"} <= set(panel.names)
    settings.fog_bulbs, settings.has_fog_color = "ON", False
    settings.active_step = 1
    assert bpy.ops.tomb_raider.edit_steps(action="ADD") == {"FINISHED"}
    step = settings.steps[2]
    step.kind = "setup_uv_rotate"
    assert step.parameters == '"speed": 4'
    step.parameters = '"speed": 9'
    settings.steps[1].kind = "setup_lens_flare"
    assert settings.steps[1].parameters.startswith('"x": 0')
    bpy.ops.ed.undo_push(message="edited")
    assert bpy.ops.tomb_raider.write_gameflow(filepath=str(path)) == {"FINISHED"}
    text = path.read_text()
    assert '"fog_bulbs": true' in text and "fog_color" not in text
    assert '{"type": "setup_uv_rotate", "speed": 9}' in text
    assert '{"type": "setup_lens_flare", "x": 0, "y": 0, "z": 0, "color": "#FFFFFF"}' in text


def test_trx_plays_tr4_and_not_tr5(blender: ModuleType, tmp_path: Path) -> None:
    assert level_has_gameflow(import_sample(tmp_path, "tr4"))
    assert not level_has_gameflow(import_sample(tmp_path, "tr5"))


def test_the_panel_is_for_levels_of_trx(level: Any) -> None:
    assert VIEW3D_PT_tomb_raider_gameflow.poll(bpy.context)
    level.tomb_raider.engine = "ORIGINAL"
    assert not VIEW3D_PT_tomb_raider_gameflow.poll(bpy.context)
