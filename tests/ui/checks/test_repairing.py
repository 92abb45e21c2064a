"""Tests of Repair Level: a copy is written and listed, and the level stays."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import bpy
import pytest

from io_tomb_raider.formats import read_level
from io_tomb_raider.formats.edits.repair.kinds import DEFAULT, KINDS
from io_tomb_raider.formats.edits.repair.repair import repair_level
from tests.damaged_levels import damaged_level

from ..user_actions import import_sample, levels, sample_file


def test_a_copy_is_written_next_to_the_level_and_listed(blender: ModuleType, tmp_path: Path) -> None:
    level = damaged_level(tmp_path / "a.phd")
    before = level.read_bytes()
    for name in ("a_repaired.phd", "a_repaired_2.phd"):  # the first one is not replaced
        assert bpy.ops.tomb_raider.repair_level(filepath=str(level)) == {"FINISHED"}
        assert repair_level(read_level(tmp_path / name))[1] == []
    assert level.read_bytes() == before and levels() == []
    text = bpy.data.texts["Repair of a.phd"].as_string().splitlines()
    (portal, entity) = text
    assert portal.startswith("room 1: ") and "room 500" in portal and portal.endswith("It was removed")
    assert entity.startswith("entity 2: ") and "room 99" in entity


def test_kinds_can_be_left_out_and_the_result_can_be_imported(blender: ModuleType, tmp_path: Path) -> None:
    level, target = damaged_level(tmp_path / "a.phd"), tmp_path / "b.phd"
    options = {"filepath": str(level), "target": str(target), "import_result": True}
    repair = bpy.ops.tomb_raider.repair_level
    assert repair(**options, kinds=set(DEFAULT) - {"ENTITIES"}) == {"FINISHED"}
    assert [each.kind for each in repair_level(read_level(target))[1]] == ["ENTITIES"]
    (root,) = levels()
    assert root.tomb_raider.source == "b.phd"
    assert len(bpy.data.texts["Repair of a.phd"].lines) == 2  # the second one is empty


def test_nothing_is_written_if_there_is_nothing_to_repair(blender: ModuleType, tmp_path: Path) -> None:
    level = sample_file(tmp_path, "tr2", "a.tr2")
    assert bpy.ops.tomb_raider.repair_level(filepath=str(level)) == {"FINISHED"}
    assert list(tmp_path.iterdir()) == [level] and not bpy.data.texts
    assert bpy.ops.tomb_raider.repair_level(filepath=str(level), import_result=True) == {"FINISHED"}
    assert levels()[0].tomb_raider.source == "a.tr2"


def test_files_that_cannot_be_repaired_are_refused(blender: ModuleType, tmp_path: Path) -> None:
    level, bad = damaged_level(tmp_path / "a.phd"), tmp_path / "bad.phd"
    bad.write_bytes(level.read_bytes()[:3000])
    for options, problem in (
        ({"filepath": ""}, "No level was chosen"),
        ({"filepath": str(bad)}, "bad.phd was not repaired"),
        ({"filepath": str(level), "target": str(level)}, "would replace it"),
        ({"filepath": str(level), "target": str(tmp_path / "no" / "b.phd")}, "a.phd was not repaired"),
    ):
        with pytest.raises(RuntimeError, match=problem):
            bpy.ops.tomb_raider.repair_level(**options)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.phd", "bad.phd"] and not bpy.data.texts


def test_all_kinds_can_be_chosen(blender: ModuleType, tmp_path: Path) -> None:
    import_sample(tmp_path)
    properties = bpy.ops.tomb_raider.repair_level.get_rna_type().properties
    kinds = properties["kinds"]
    assert [each.identifier for each in kinds.enum_items] == list(KINDS) and kinds.default_flag == DEFAULT
