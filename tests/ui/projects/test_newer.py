"""Tests of projects of newer editors: properties in Lua, unknown objects, and targets."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest
from bpy.types import Collection, Object
from pytest import approx

from io_tomb_raider.formats import ExportError, read_level
from io_tomb_raider.formats.editors.projects.model.objects import (
    Flyby,
    Moveable,
    Parameter,
    ParameterKind,
    ProjectTrigger,
    Static,
    UnknownObject,
)
from io_tomb_raider.formats.editors.projects.model.project import Project, read_project
from io_tomb_raider.formats.editors.projects.model.settings import GameVersion
from io_tomb_raider.formats.editors.wads.wad2.lua import lua_properties, put_lua_properties
from io_tomb_raider.formats.editors.wads.wad2.wad2 import read_wad2
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.ui.command_line.compiling import compile_file
from io_tomb_raider.ui.entities.panels import OBJECT_PT_tomb_raider_properties
from io_tomb_raider.ui.projects import opening, operators
from tests.project_files import write_castle
from tests.scene.exporting import export_level
from tests.scene.scenes import UNIT, objects
from tests.wad2_samples import sample_wad2

from ..recorder import draw
from ..user_actions import export_file, fails, levels, select

LUA = (("hp", "5"), ("name", '"Größe"'))


def _castle(folder: Path, version: int = GameVersion.TOMB_ENGINE) -> tuple[Path, Project]:
    """Write a project with properties of two objects."""
    path = write_castle(folder)
    project = read_project(path)
    project.settings.game_version = version
    hall = project.rooms[0]
    monster = next(each for each in hall.each(Moveable) if each.slot)
    monster.properties = LUA
    hall.objects.append(Static(200, monster.position, slot=1, properties=(("a", "true"),)))
    path.write_bytes(Project(project.settings, project.rooms).to_bytes())
    return path, read_project(path)


def _import(path: Path, **options: Any) -> Collection:
    before = set(levels())
    assert bpy.ops.import_scene.tomb_raider_project(filepath=str(path), **options) == {"FINISHED"}
    (root,) = set(levels()) - before
    return root


def _export(path: Path) -> Project:
    assert bpy.ops.export_scene.tomb_raider_project(filepath=str(path)) == {"FINISHED"}
    return read_project(path)


def _rows(obj: Object) -> list[tuple[str, str, str]]:
    return [(item.name, item.type, item.text) for item in obj.tomb_raider.properties]


def _with_rows(root: Collection, kind: str) -> Object:
    (obj,) = [each for each in objects(root, kind) if len(each.tomb_raider.properties)]
    return obj


# --- Properties in Lua -------------------------------------------------------------------------


def test_properties_of_objects_are_shown_edited_and_written(blender: ModuleType, tmp_path: Path) -> None:
    path, project = _castle(tmp_path)
    root = _import(path)
    monster, arch = _with_rows(root, "ENTITY"), _with_rows(root, "PLACEMENT")
    assert _rows(monster) == [(*LUA[0][:1], "LUA", "5"), ("name", "LUA", '"Größe"')]
    assert _rows(arch) == [("a", "LUA", "true")]
    assert _export(tmp_path / "same.prj2").to_bytes() == path.read_bytes()
    select(monster)
    panel = draw(OBJECT_PT_tomb_raider_properties, object=monster)
    assert panel is not None and [item.name for _, item in panel.rows] == ["hp", "name"]
    monster.tomb_raider.properties[0].text = "6"
    assert bpy.ops.tomb_raider.edit_properties(action="ADD") == {"FINISHED"}
    added = monster.tomb_raider.properties[-1]
    assert added.type == "LUA"
    added.name, added.text = "fast", "true"
    edited = _export(tmp_path / "edited.prj2")
    after = {each.number: each for _, each in edited.objects()}
    differing = [each.number for _, each in project.objects() if after[each.number] != each]
    (number,) = differing
    assert after[number].properties == (("hp", "6"), LUA[1], ("fast", "true"))


def test_a_copied_object_has_the_properties_too(blender: ModuleType, tmp_path: Path) -> None:
    path, _ = _castle(tmp_path)
    monster = _with_rows(_import(path), "ENTITY")
    select(monster)
    assert bpy.ops.object.duplicate() == {"FINISHED"}
    bpy.context.object.tomb_raider.properties[0].text = "7"
    copies = [each for _, each in _export(tmp_path / "out.prj2").objects() if getattr(each, "properties", ())]
    texts = sorted(each.properties[0][1] for each in copies)
    assert texts == ["5", "7", "true"]


def test_properties_of_object_files_are_shown_edited_and_written(blender: ModuleType, tmp_path: Path) -> None:
    wad2 = read_wad2(sample_wad2())
    put_lua_properties(wad2, {("model", 0): LUA, ("static", 50): (("a", "1"),)})
    path = tmp_path / "a.wad2"
    path.write_bytes(wad2.to_bytes())
    assert bpy.ops.import_scene.tomb_raider(filepath=str(path)) == {"FINISHED"}
    (root,) = levels()
    lara, arch = _with_rows(root, "MODEL"), _with_rows(root, "STATIC_MESH")
    assert [item.text for item in lara.tomb_raider.properties] == ["5", '"Größe"']
    assert export_file(tmp_path / "out.wad2") == path.read_bytes()
    arch.tomb_raider.properties[0].text = "2"
    lara.tomb_raider.properties.clear()
    assert lua_properties(read_wad2(export_file(tmp_path / "out.wad2"))) == {("static", 50): (("a", "2"),)}


# --- Unknown objects ---------------------------------------------------------------------------


def test_unknown_objects_are_empties_that_can_be_moved(blender: ModuleType, tmp_path: Path) -> None:
    path, _ = _castle(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"TeStaTn3", b"TeLantrn"))
    root = _import(path)
    (lantern,) = [each for each in root.all_objects if each.get("tr_project_object") is not None]
    assert lantern.name == "TeLantrn 200" and lantern.type == "EMPTY"
    assert lantern.parent and lantern.parent.tomb_raider.kind == "ROOM"
    monster = _with_rows(root, "ENTITY")
    assert tuple(lantern.matrix_world.translation) == approx(tuple(monster.matrix_world.translation))
    assert bpy.ops.tomb_raider.check_level(collection=root.name) == {"FINISHED"}
    assert [each.severity for each in root.tomb_raider.findings if "TeLantrn" in each.text] == ["INFO"]
    assert _export(tmp_path / "same.prj2").to_bytes() == path.read_bytes()
    assert not [text for text in export_level(root)[1].warnings if lantern.name in text]
    lantern.location.z += 8 * UNIT
    edited = _export(tmp_path / "edited.prj2")
    (after,) = [each for _, each in edited.objects() if isinstance(each, UnknownObject)]
    (before,) = [each for _, each in read_project(path).objects() if isinstance(each, UnknownObject)]
    assert after.position == approx((before.position[0], before.position[1] + 8, before.position[2]))
    bpy.data.objects.remove(lantern)
    assert _export(tmp_path / "kept.prj2").to_bytes() == path.read_bytes()


def test_entities_of_an_unknown_form_are_shown_with_their_triggers(
    blender: ModuleType, tmp_path: Path
) -> None:
    path, _ = _castle(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"TeMovTn3", b"TeMovTn4"))
    root = _import(path)
    assert len(objects(root, "ENTITY")) == 2 and len(objects(root, "TRIGGER")) == 1
    assert _export(tmp_path / "same.prj2").to_bytes() == path.read_bytes()


# --- Targets -----------------------------------------------------------------------------------


def _newer(folder: Path) -> Path:
    """Write a project for a target with an unknown number, with a flyby and its trigger."""
    path = write_castle(folder)
    project = read_project(path)
    project.settings.game_version = 13
    hall = project.rooms[0]
    lara = next(hall.each(Moveable))
    hall.objects += [Flyby(300, lara.position), Flyby(301, (3000.0, 512.0, 3000.0), index=1)]
    target = Parameter(ParameterKind.OBJECT, 300)
    hall.objects.append(ProjectTrigger(302, (5, 5, 5, 5), target_type=12, target=target))
    path.write_bytes(Project(project.settings, project.rooms).to_bytes())
    return path


def test_a_project_with_an_unknown_target_asks_for_it(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _newer(tmp_path)
    assert "number 13, is not known" in fails(bpy.ops.import_scene.tomb_raider_project, filepath=str(path))
    assert not levels()
    root = _import(path, target="TR3X")
    assert (root.tomb_raider.game, root.tomb_raider.engine) == ("TR3", "TRX")
    assert _export(tmp_path / "same.prj2").to_bytes() == path.read_bytes()
    level = tmp_path / "out.tr2"
    assert bpy.ops.export_scene.tomb_raider_compiled(filepath=str(level)) == {"FINISHED"}
    assert level.read_bytes()[:4] in (b"\x38\x00\x18\xff", b"\x38\x00\x08\xff")


@pytest.mark.parametrize("target", ["TR1X", "TR3X"])
def test_flybys_of_trx_stay_or_become_a_cutscene(blender: ModuleType, tmp_path: Path, target: str) -> None:
    path = _newer(tmp_path)
    root = _import(path, target=target)
    assert len(objects(root, "FLYBY")) == 2
    assert _export(tmp_path / "same.prj2").to_bytes() == path.read_bytes()
    objects(root, "FLYBY")[1].location.x += 2 * UNIT
    moved = [each for _, each in _export(tmp_path / "moved.prj2").objects() if isinstance(each, Flyby)]
    assert [each.position[0] for each in moved][1:] == approx([3002.0])
    actions = [each.kind for obj in objects(root, "TRIGGER") for each in obj.tomb_raider.trigger.actions]
    assert "FLYBY" in actions
    root = _import(path, target=target, cinematic=True)
    assert not objects(root, "FLYBY") and objects(root, "CINEMATIC")
    actions = [each.kind for obj in objects(root, "TRIGGER") for each in obj.tomb_raider.trigger.actions]
    assert "FLYBY" not in actions
    assert bpy.ops.export_scene.tomb_raider_compiled(
        collection=root.name, filepath=str(tmp_path / "out.tr2" if target == "TR3X" else tmp_path / "out.phd")
    ) == {"FINISHED"}


def test_the_command_line_needs_an_argument_for_an_unknown_target(
    blender: ModuleType, tmp_path: Path
) -> None:
    path, level = _newer(tmp_path), tmp_path / "out.tr2"
    run = partial(compile_file, str(path), str(level))
    with pytest.raises(ExportError, match=r"number 13, is not known.*--game"):
        run()
    assert not level.exists()
    assert run(game="TR3X").data["game"] == "TR3"
    assert len(Decoded(read_level(level)).flybys) == 2
    run(game="TR3X", cinematic=True)
    compiled = read_level(level)
    assert len(Decoded(compiled).flybys) == 0 < len(compiled.cinematic_frames)


@pytest.mark.parametrize(("chosen", "offered"), [("PROJECT", "TR3X"), ("TR1X", "TR1X")])
def test_the_dialog_offers_a_target_for_unknown_numbers(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chosen: str, offered: str
) -> None:
    monkeypatch.setattr(operators, "apply_defaults", lambda *_: None)
    asking = operators.IMPORT_SCENE_OT_tomb_raider_project
    for path, wanted in ((_newer(tmp_path), offered), (write_castle(tmp_path / "other"), chosen)):
        tool: Any = SimpleNamespace(filepath=str(path), target=chosen, invoke_popup=lambda _: {"FINISHED"})
        assert asking.invoke(tool, bpy.context, None) == {"FINISHED"}  # type: ignore[arg-type]
        assert tool.target == wanted


def test_the_dialog_of_a_dropped_project_offers_a_target(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where users are, the operator opens its dialog instead of failing."""

    class Asking:
        is_invoke = True

    asked: list[dict[str, Any]] = []

    class Operators:
        class import_scene:  # noqa: N801
            @staticmethod
            def tomb_raider_project(mode: str, **options: Any) -> set[str]:
                asked.append({"mode": mode, **options})
                return {"RUNNING_MODAL"}

    class Tool:
        options = Asking()

    class Window:
        ops = Operators
        app = type("app", (), {"background": False})

    monkeypatch.setattr(opening, "bpy", Window)
    path = _newer(tmp_path)
    steps = opening.open_project(Tool(), bpy.context, str(path))
    with pytest.raises(StopIteration) as end:
        next(steps)
    assert end.value.value is False
    assert asked == [{"mode": "INVOKE_DEFAULT", "filepath": str(path)}]
