"""Tests of hooks: other add-ons take part in imports and exports, and their errors lose neither."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import addon_utils
import bpy
import numpy as np
import pytest
from bpy.types import Object

from io_tomb_raider.formats import Game, Level, Room, read_level, write_level
from io_tomb_raider.scene.core.context import ImportContext
from io_tomb_raider.scene.core.membership import levels
from io_tomb_raider.scene.core.reporting.results import ExportResult
from io_tomb_raider.scene.pipeline.checks.check import check_scene
from io_tomb_raider.scene.pipeline.exporter import export_level
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.ui.command_line.converting import convert_to_game
from io_tomb_raider.ui.command_line.exporting import export_from_blend
from io_tomb_raider.ui.command_line.importing import import_to_blend
from tests.compare import differences
from tests.games import each_game
from tests.other_add_on import add_on
from tests.sample_levels import sample_bytes

DOCS = Path(__file__).parents[3] / "docs"
EXAMPLE = DOCS / "examples/tomb_raider_invisible"
INVISIBLE = 0x100
METHODS = (
    "before_import",
    "import_object",
    "after_import",
    "before_export",
    "export_object",
    "after_export",
)
SAMPLE = sample_bytes(Game.TR4)


def imported(data: bytes = SAMPLE) -> ImportContext:
    return import_level(data, with_hooks=True)


def exported(context: ImportContext) -> ExportResult:
    return export_level(context.root, with_hooks=True)


def words(record: Room | np.void | None) -> object:
    """Return the content of a record to compare."""
    if isinstance(record, Room):
        return record.x, record.z, record.flags, record.vertices.tobytes()
    return None if record is None else record.tobytes()


@each_game
def test_both_directions_get_every_object_with_its_record(blender: ModuleType, game: Game) -> None:
    before: dict[Object, object] = {}
    after: dict[Object, object] = {}

    class Hooks:
        def import_object(self, context: Any, obj: Object, record: Any) -> None:
            before[obj] = words(record)

        def export_object(self, context: Any, obj: Object, record: Any) -> None:
            after[obj] = words(record)

    with add_on(Hooks):
        context = imported(sample_bytes(game))
        result = exported(context)
    assert result.level.to_bytes() == sample_bytes(game)
    assert result.report.warnings == []
    assert after == before
    kinds = {obj.tomb_raider.kind for obj, record in after.items() if record is not None}
    expected = {"ROOM", "MODEL", "STATIC_MESH", "ENTITY", "CAMERA", "SINK", "LIGHT", "PORTAL", "PLACEMENT"}
    assert kinds >= expected | {"SPRITE_TEXTURE", "SOUND_SOURCE"}
    assert ("FLYBY" in kinds) == ("AI_OBJECT" in kinds) == (game in (Game.TR4, Game.TR5))
    assert ("SPRITE" in kinds) == (game is not Game.TR5)
    light = next(obj for obj in after if obj.tomb_raider.kind == "LIGHT")
    lists = [each.tobytes() for room in context.level.rooms for each in (*room.lights, *room.fog_bulbs)]
    assert before[light] == lists[light.tomb_raider.index]


def test_records_of_moved_and_new_objects_are_those_that_are_written(blender: ModuleType) -> None:
    context = import_level(SAMPLE)
    rooms = [obj for obj in bpy.data.objects if obj.tomb_raider.kind == "ROOM"]
    light = next(obj for obj in bpy.data.objects if obj.tomb_raider.kind == "LIGHT")
    first = rooms[0] if light.parent != rooms[0] else rooms[1]
    light.parent = first
    copy: Any = next(obj for obj in bpy.data.objects if obj.tomb_raider.kind == "ENTITY").copy()
    context.root.objects.link(copy)
    bpy.context.view_layer.update()

    class Hooks:
        def export_object(self, context: Any, obj: Object, record: Any) -> None:
            if obj == light:
                assert any(np.shares_memory(each, record) for each in _room(context.level, first).lights)
            if obj == copy:
                record["flags"] = 0x3E00

    def _room(level: Level, obj: Object) -> Room:
        return level.rooms[obj.tomb_raider.index]

    with add_on(Hooks):
        result = exported(context)
    assert not result.report.tracebacks
    entities = read_level(result.level.to_bytes()).entities
    assert len(entities) == len(context.level.entities) + 1
    assert np.flatnonzero(entities["flags"] == 0x3E00).tolist() == [len(entities) - 1]


def test_a_change_of_the_level_is_exported_and_reported_as_changed(blender: ModuleType) -> None:
    class Hooks:
        def after_export(self, context: Any) -> None:
            context.level.entities["flags"][1] ^= INVISIBLE
            context.level.rooms[0].reverb = 3

    context = import_level(SAMPLE)
    plain = export_level(context.root)
    assert plain.level.to_bytes() == SAMPLE
    with add_on(Hooks):
        result = exported(context)
    changed = differences(read_level(SAMPLE), read_level(result.level.to_bytes()))
    assert sorted(changed) == [("entities", 1, "flags"), ("rooms", 0, "reverb")]
    assert result.rebuilt == {"rooms": 1, "entities": 1}


@pytest.mark.parametrize("failing", ("__init__", *METHODS))
def test_an_error_is_reported_with_add_on_and_line_and_loses_nothing(
    blender: ModuleType, failing: str
) -> None:
    calls: list[str] = []

    class Hooks:
        pass

    def fail(self: Any, context: Any = None, obj: Any = None, record: Any = None) -> None:
        calls.append(failing)
        bpy.data.meshes.new("made by the hook")
        if failing.endswith("export") and failing != "before_export":
            context.level.entities["flags"] = 0
        elif failing == "export_object" and obj.tomb_raider.kind == "ENTITY":
            record["flags"] = 1
        raise KeyError("missing")

    setattr(Hooks, failing, fail)
    kinds_of_all = _kinds(imported())
    with add_on(Hooks):
        context = imported()
        result = exported(context)
    assert _kinds(context) == kinds_of_all
    assert result.level.to_bytes() == SAMPLE
    assert "made by the hook" not in bpy.data.meshes
    reports = [*context.report.warnings, *result.report.warnings]
    # The class itself is tried by the import and by the export.
    assert len(calls) == len(reports) == (2 if failing == "__init__" else 1)
    line = fail.__code__.co_firstlineno + 7
    assert reports[0].startswith("Other Add-on: an error in this add-on, KeyError: 'missing'")
    assert f"line {line} of test_hooks.py" in reports[0]
    assert str(Path(__file__).parent) not in reports[0]
    found = context.report if failing == "__init__" or "import" in failing else result.report
    assert "KeyError: 'missing'" in "".join(found.tracebacks.values())


def test_a_conversion_on_the_command_line_reports_its_losses_and_failed_hooks(
    blender: ModuleType, tmp_path: Path
) -> None:
    """Warnings of its export are about what the level had before."""

    class Failing:
        def after_export(self, context: Any) -> None:
            raise KeyError("missing")

    level = read_level(SAMPLE)
    level.rooms[0].sectors = level.rooms[0].sectors.copy()
    level.rooms[0].portals = level.rooms[0].portals[:0]  # the room behind it has a portal to it
    path = tmp_path / "a.tr4"
    write_level(level, path)
    with add_on(Failing):
        result = convert_to_game(str(path), str(tmp_path / "b.phd"), Game.TR1)
    (root,) = levels()
    warnings = export_level(root).report.warnings
    *losses, last = result.data["warnings"]
    assert losses and warnings and not {*losses} & {*warnings}
    assert "KeyError: 'missing'" in last


def _kinds(context: ImportContext) -> list[str]:
    return sorted(obj.tomb_raider.kind for obj in context.root.all_objects)


def test_an_export_has_all_changes_of_an_add_on_or_none(blender: ModuleType) -> None:
    class Good:
        def export_object(self, context: Any, obj: Object, record: Any) -> None:
            if obj.tomb_raider.kind == "CAMERA":
                record["flags"] = 7

    class Bad:
        def export_object(self, context: Any, obj: Object, record: Any) -> None:
            if obj.tomb_raider.kind == "ENTITY":
                record["flags"] = 1
            if obj.tomb_raider.kind == "ROOM":
                record.flags ^= 1
                record.lights["x"] += 1

        def after_export(self, context: Any) -> None:
            raise RuntimeError("too late")

    context = import_level(SAMPLE)
    with add_on(Bad, "bad"), add_on(Good, "good"):
        result = exported(context)
    changed = differences(read_level(SAMPLE), read_level(result.level.to_bytes()))
    assert {path[0] for path in changed} == {"cameras"}
    assert len(result.report.warnings) == 1


@pytest.mark.parametrize(
    "breaks",
    (
        lambda level: setattr(level, "entities", np.zeros(3, np.uint8)),
        lambda level: setattr(level, "rooms", None),
        lambda level: level.__dict__.pop("entities"),
        lambda level: setattr(level.rooms[0], "x_sectors", 70000),
    ),
)
def test_a_level_that_cannot_be_written_is_discarded(
    blender: ModuleType, breaks: Callable[[Any], None]
) -> None:
    class Hooks:
        def after_export(self, context: Any) -> None:
            breaks(context.level)

    context = import_level(SAMPLE)
    with add_on(Hooks):
        result = exported(context)
    assert result.level.to_bytes() == SAMPLE
    assert [each.partition(":")[0] for each in result.report.warnings] == ["Other Add-on"]


def test_a_hook_may_remove_objects_of_an_import(blender: ModuleType) -> None:
    class Hooks:
        def import_object(self, context: Any, obj: Object, record: Any) -> None:
            if obj.tomb_raider.kind == "ROOM":
                for light in [each for each in obj.children if each.tomb_raider.kind == "LIGHT"]:
                    bpy.data.objects.remove(light)

    with add_on(Hooks):
        context = imported()
    assert context.report.warnings == []
    assert "LIGHT" not in _kinds(context)


def test_levels_are_not_copied_without_hooks(blender: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    noted: list[object] = []
    from io_tomb_raider.scene.core import hooks

    monkeypatch.setattr(hooks, "_copy", noted.append)
    made = imported()
    assert exported(made).level.to_bytes() == SAMPLE
    assert noted == []


def test_checks_call_no_hooks(blender: ModuleType) -> None:
    calls: list[object] = []

    class Hooks:
        def before_export(self, context: Any) -> None:
            calls.append(context)

    context = import_level(SAMPLE)
    with add_on(Hooks):
        check_scene(context.root)
    assert calls == []


def test_operators_and_the_command_line_call_hooks(blender: ModuleType, tmp_path: Path) -> None:
    calls: list[str] = []

    class Hooks:
        def after_import(self, context: Any) -> None:
            calls.append("import")

        def after_export(self, context: Any) -> None:
            calls.append("export")

    path = tmp_path / "level.tr4"
    path.write_bytes(SAMPLE)
    with add_on(Hooks):
        bpy.ops.import_scene.tomb_raider(filepath=str(path))
        bpy.ops.export_scene.tomb_raider(filepath=str(tmp_path / "new.tr4"))
        assert calls == ["import", "export"]
        import_to_blend(str(path), str(tmp_path / "level.blend"))
        export_from_blend(str(tmp_path / "level.blend"), str(tmp_path / "new.tr4"))
    assert calls == ["import", "export"] * 2


def test_the_example_works_as_an_installed_extension(blender: ModuleType, tmp_path: Path) -> None:
    package = tmp_path / "example.zip"
    with zipfile.ZipFile(package, "w") as archive:
        for each in sorted(EXAMPLE.glob("*.*")):
            archive.write(each, each.name)
    addon_utils.enable("bl_pkg", default_set=True)
    bpy.ops.extensions.package_install_files(repo="user_default", filepath=str(package))
    name = f"bl_ext.user_default.{EXAMPLE.name}"
    assert name in bpy.context.preferences.addons
    try:
        path = tmp_path / "level.tr4"
        path.write_bytes(SAMPLE)
        bpy.ops.import_scene.tomb_raider(filepath=str(path))
        entities = [obj for obj in bpy.data.objects if obj.tomb_raider.kind == "ENTITY"]
        assert [obj["invisible"] for obj in entities] == [
            bool(obj.tomb_raider.entity.flags & INVISIBLE) for obj in entities
        ]
        target = str(tmp_path / "new.tr4")
        bpy.ops.export_scene.tomb_raider(filepath=target)
        assert Path(target).read_bytes() == SAMPLE
        changed = entities[2]
        changed["invisible"] = not changed["invisible"]
        bpy.ops.export_scene.tomb_raider(filepath=target)
        number = changed.tomb_raider.index
        assert differences(read_level(SAMPLE), read_level(target)) == [("entities", number, "flags")]
    finally:
        addon_utils.disable(name, default_set=True)
        repositories = [each.module for each in bpy.context.preferences.extensions.repos]
        bpy.ops.extensions.package_uninstall(
            repo_index=repositories.index("user_default"), pkg_id=EXAMPLE.name
        )


def test_the_page_shows_the_example() -> None:
    page = (DOCS / "python-hooks.md").read_text(encoding="utf-8")
    assert (EXAMPLE / "__init__.py").read_text(encoding="utf-8") in page
    assert all(f"`{name}(" in page for name in METHODS)
