"""Tests of Import and Export Tomb Editor Project, as a user uses them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Vector

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.editors.projects.model.objects import (
    Light,
    Moveable,
    PlacedObject,
    ProjectPortal,
    ProjectTrigger,
)
from io_tomb_raider.formats.editors.projects.model.project import Project, read_project
from io_tomb_raider.formats.editors.projects.model.settings import GameVersion
from io_tomb_raider.scene.interop.projects import project as project_module
from io_tomb_raider.scene.interop.projects.status import details, is_project, parts_of
from io_tomb_raider.ui.level_panels import VIEW3D_PT_tomb_raider_level
from io_tomb_raider.ui.projects.panels import COLLECTION_PT_tomb_raider_project_parts
from tests.formats.editors.projects.compiling import round_trip
from tests.games import each_game
from tests.prj_samples import sample_prj
from tests.sample_levels import named_sample
from tests.sample_projects import sample_project
from tests.scene.scenes import UNIT, objects

from ..recorder import draw
from ..user_actions import FILE_NAMES, export_file, fails, import_sample, levels, select

_CLICK = 256


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a project of TR4, and all files that it names."""
    folder = tmp_path_factory.mktemp("project")
    level = folder / "level.tr4"
    level.write_bytes(named_sample("tr4"))
    (folder / "made.prj2").write_bytes(round_trip(folder, level).content)
    return folder


@pytest.fixture
def root(blender: ModuleType, kept: Path) -> Iterator[Collection]:
    """Return the level of the project, imported by the menu."""
    yield _import(kept / "made.prj2")


def _import(path: Path, **options: str) -> Collection:
    before = set(levels())
    assert bpy.ops.import_scene.tomb_raider_project(filepath=str(path), **options) == {"FINISHED"}
    (made,) = set(levels()) - before
    return made


def _export(path: Path, **options: str | bool) -> Project:
    assert bpy.ops.export_scene.tomb_raider_project(filepath=str(path), **options) == {"FINISHED"}
    return read_project(path)


def _objects(project: Project) -> dict[int, tuple[int, PlacedObject]]:
    return {each.number: (room.number, each) for room, each in project.objects()}


def _changed(kept: Path, project: Project) -> list[tuple[PlacedObject | None, PlacedObject | None]]:
    """Return the objects of a project that differ from those of the imported one, before and after."""
    before, after = _objects(read_project(kept / "made.prj2")), _objects(project)
    none = (0, None)
    pairs = [(before.get(key, none), after.get(key, none)) for key in sorted(before.keys() | after.keys())]
    return [(one[1], other[1]) for one, other in pairs if one != other]


def test_an_untouched_project_is_written_byte_for_byte(root: Collection, kept: Path, tmp_path: Path) -> None:
    assert is_project(root) and details(root)["Target"] == "TR4"
    _export(tmp_path / "out.prj2")
    assert (tmp_path / "out.prj2").read_bytes() == (kept / "made.prj2").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["out.prj2"]


def test_the_interface_distinguishes_projects_from_levels(
    root: Collection, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    layout = draw(VIEW3D_PT_tomb_raider_level)
    assert layout is not None and "Compile" in layout.texts and "Save Project" in layout.texts
    assert "export_scene.tomb_raider_project" in [name for name, _ in layout.operators]
    export_file(tmp_path / "out.tr4")
    assert "This is a level: Save Project writes the project" in capfd.readouterr().out
    level = import_sample(tmp_path, "tr4", "other.tr4")
    select(objects(level, "ENTITY")[0])
    layout = draw(VIEW3D_PT_tomb_raider_level)
    assert layout is not None and "Save Project" not in layout.texts
    capfd.readouterr()
    export_file(tmp_path / "other.tr4", collection=level.name)
    assert "Save Project" not in capfd.readouterr().out


def test_rooms_have_the_names_of_the_project(blender: ModuleType, kept: Path, tmp_path: Path) -> None:
    project = read_project(kept / "made.prj2")
    project.rooms[1].name = "Hall of columns"
    path = kept / "named.prj2"
    path.write_bytes(project.to_bytes())
    root = _import(path)
    assert "Hall of columns" in {obj.name for obj in objects(root, "ROOM")}
    _export(tmp_path / "out.prj2")
    assert (tmp_path / "out.prj2").read_bytes() == path.read_bytes()


def test_a_moved_entity_is_the_only_change(root: Collection, kept: Path, tmp_path: Path) -> None:
    objects(root, "ENTITY")[1].location.x += 512 * UNIT
    ((before, after),) = _changed(kept, _export(tmp_path / "out.prj2"))
    assert isinstance(before, Moveable) and isinstance(after, Moveable)
    assert after.position[0] == pytest.approx(before.position[0] + 512)
    assert after.position[1:] == before.position[1:] and after.slot == before.slot


def test_a_check_lists_objects_that_the_editor_drops(blender: ModuleType, kept: Path) -> None:
    project = read_project(kept / "made.prj2")
    room = next(room for room in project.rooms if any(room.each(ProjectPortal)))
    portal = next(room.each(ProjectPortal))
    room.objects.append(replace(portal, number=project.new_number(), source=None))
    path = kept / "overlapping.prj2"
    path.write_bytes(project.to_bytes())
    root = _import(path)
    assert bpy.ops.tomb_raider.check_level(collection=root.name) == {"FINISHED"}
    lines = {
        (each.severity, each.subject)
        for each in root.tomb_raider.findings
        if "Tomb Editor drops" in each.text
    }
    assert lines == {("INFO", room.name)}  # as in the file
    entity = objects(root, "ENTITY")[1]
    entity.location.x += 64 * 1024 * UNIT
    assert bpy.ops.tomb_raider.check_level(collection=root.name) == {"FINISHED"}
    texts = [each.text for each in root.tomb_raider.findings if each.severity == "WARNING"]
    assert any("outside of the room" in text for text in texts if text.startswith("Tomb Editor"))


def test_a_copied_and_a_deleted_entity(root: Collection, kept: Path, tmp_path: Path) -> None:
    source = objects(root, "ENTITY")[1]
    select(source)
    bpy.ops.object.duplicate()
    bpy.context.object.location.y += 1024 * UNIT
    ((before, after),) = _changed(kept, _export(tmp_path / "out.prj2"))
    assert before is None and isinstance(after, Moveable)
    bpy.ops.object.delete()
    assert _changed(kept, _export(tmp_path / "out.prj2")) == []


def test_a_moved_light(root: Collection, kept: Path, tmp_path: Path) -> None:
    light = objects(root, "LIGHT")[0]
    light.location.z += 256 * UNIT
    ((before, after),) = _changed(kept, _export(tmp_path / "out.prj2"))
    assert isinstance(before, Light) and isinstance(after, Light)
    assert after.position[1] == pytest.approx(before.position[1] + 256)
    assert (after.color, after.static, after.kind) == (before.color, before.static, before.kind)


def test_a_floor_raised_in_edit_mode_is_a_raised_sector(root: Collection, kept: Path, tmp_path: Path) -> None:
    collision = objects(root, "COLLISION")[0]
    select(collision)
    faces = [face for face in collision.data.polygons if face.normal.z > 0.99]
    middle = _middle(faces)
    flat = min(faces, key=lambda face: (face.center - middle).length)
    for vertex in flat.vertices:
        collision.data.vertices[vertex].co.z += _CLICK * UNIT
    project = _export(tmp_path / "out.prj2")
    before = read_project(kept / "made.prj2")
    steps = [
        (now.shape.floor.heights + now.y) - (was.shape.floor.heights + was.y)
        for was, now in zip(before.rooms, project.rooms, strict=True)
    ]
    raised = [step[~was.shape.wall] for was, step in zip(before.rooms, steps, strict=True)]
    assert any((each == _CLICK).any() for each in raised)
    assert all(((each == 0) | (each == _CLICK)).all() for each in raised)
    assert (
        sum(int((each == _CLICK).any(axis=1).sum()) for each in raised) <= 9
    )  # the sector and its neighbors


def _middle(faces: list[bpy.types.MeshPolygon]) -> Vector:
    """Return the middle of faces."""
    total = faces[0].center.copy()
    for face in faces[1:]:
        total += face.center
    return total / len(faces)


def test_an_edited_trigger(root: Collection, kept: Path, tmp_path: Path) -> None:
    trigger = objects(root, "TRIGGER")[0]
    trigger.tomb_raider.trigger.timer = 7
    pairs = _changed(kept, _export(tmp_path / "out.prj2"))
    assert pairs and all(
        isinstance(each, ProjectTrigger) for pair in pairs for each in pair if each is not None
    )
    after = [each for _, each in pairs if isinstance(each, ProjectTrigger)]
    assert any(each.timer.value == 7 for each in after)


def test_a_deleted_room_takes_its_portals_along(root: Collection, kept: Path, tmp_path: Path) -> None:
    before = read_project(kept / "made.prj2")
    room = next(each for each in objects(root, "ROOM")[1:] if each.visible_get())
    bpy.data.batch_remove([*room.children_recursive, room])
    project = _export(tmp_path / "out.prj2")
    assert len(project.rooms) == len(before.rooms) - 1
    numbers = {each.number for each in project.rooms}
    portals = [each for _, each in project.objects() if hasattr(each, "direction")]
    assert portals and all(each.room in numbers for each in portals)


@each_game
def test_any_level_becomes_a_project(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    folder = tmp_path / "projects"
    folder.mkdir()
    project = _export(folder / "castle.prj2", collection=root.name)
    names = {path.name for path in folder.iterdir()}
    assert {
        "castle.prj2",
        "castle_textures.png",
        f"castle_objects{Path(FILE_NAMES[game]).suffix.lower()}",
        "castle_sounds.xml",
    } <= names
    assert (folder / "castle_samples").is_dir() == (game not in (Game.TR2, Game.TR3))
    assert project.settings.game_version == int(game)
    assert len(project.rooms) == len(objects(root, "ROOM"))
    assert sum(len(room.shape.faces) for room in project.rooms) > 100
    assert root.tomb_raider.findings_of  # what became of each room is in the panel of checks
    again = _import(folder / "castle.prj2")
    level = read_level(export_file(tmp_path / f"again{_ending(again)}", collection=again.name))
    source = read_level(named_sample(game.name.lower()))
    assert len(level.rooms) == len(source.rooms) and len(level.entities) == len(source.entities)
    for one, other in zip(source.rooms, level.rooms, strict=True):
        assert (one.x, one.z, one.x_sectors, one.z_sectors) == (
            other.x,
            other.z,
            other.x_sectors,
            other.z_sectors,
        )


def test_an_image_too_large_for_imported_geometry_is_warned_of(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = import_sample(tmp_path, "tr4")
    for limit, is_warned in ((16384, False), (256, True)):
        monkeypatch.setattr(project_module, "_LARGEST_TEXTURE", limit)
        made = _export(tmp_path / "castle.prj2", collection=root.name)
        assert made.settings.imported_geometries
        texts = [each.text for each in root.tomb_raider.findings]
        assert any("imported geometry in red" in text for text in texts) == is_warned


def _ending(root: Collection) -> str:
    return Path(root.tomb_raider.source).suffix


def test_projects_of_the_old_editor_are_imported(blender: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "city.prj"
    path.write_bytes(sample_prj().to_bytes())
    root = _import(path)
    assert objects(root, "ROOM") and is_project(root)
    project = _export(tmp_path / "city.prj2")
    assert len(project.rooms) == len(objects(root, "ROOM"))


def test_missing_files_are_found_in_a_folder(
    blender: ModuleType, kept: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, other = tmp_path / "made.prj2", tmp_path / "elsewhere" / "deep"
    other.mkdir(parents=True)
    path.write_bytes((kept / "made.prj2").read_bytes())
    _import(path)
    lines = capfd.readouterr().out.splitlines()
    (line,) = [each for each in lines if "files are missing" in each]
    assert line.startswith("Warning: ") and line.endswith("in Missing Files")
    found = max(place for place, each in enumerate(lines) if "was not found" in each)
    assert lines.index(line) > found  # the last lines are shown
    layout = draw(VIEW3D_PT_tomb_raider_level)
    assert layout is not None and "VIEW3D_PT_tomb_raider_missing" in layout.popovers
    assert any(text.endswith(" files are missing") for text in layout.texts)
    shown = draw(bpy.types.VIEW3D_PT_tomb_raider_missing)
    assert shown is not None and any("(objects)" in label for label in shown.labels)
    ((_, again),) = shown.operators
    assert Path(again.filepath) == path
    shutil.copytree(kept, other, ignore=shutil.ignore_patterns("*.prj2"), dirs_exist_ok=True)
    root = _import(path, search=str(tmp_path / "elsewhere"))
    assert "missing" not in capfd.readouterr().out
    assert objects(root, "MODEL")
    select(objects(root, "ROOM")[0])
    layout = draw(VIEW3D_PT_tomb_raider_level)
    assert layout is not None and "VIEW3D_PT_tomb_raider_missing" not in layout.popovers


def test_parts_that_only_tombengine_supports_are_listed_and_kept(blender: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "engine.prj2"
    path.write_bytes(sample_project(GameVersion.TOMB_ENGINE).to_bytes())
    root = _import(path)
    assert details(root)["Target"] == "TombEngine"
    assert parts_of(root)["VolumeEvent Hall: LEAVE"] == "LevelFuncs.Left(1)"
    shown = draw(COLLECTION_PT_tomb_raider_project_parts, collection=root)
    assert shown is not None and "LevelFuncs.Left(1)" in shown.texts
    _export(tmp_path / "out.prj2")
    assert (tmp_path / "out.prj2").read_bytes() == path.read_bytes()


def test_levels_have_no_parts_of_projects(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    assert not is_project(root) and parts_of(root) == {}
    assert draw(COLLECTION_PT_tomb_raider_project_parts, collection=root) is None


def test_collections_own_exporters_save_their_projects(root: Collection, kept: Path, tmp_path: Path) -> None:
    layer = bpy.context.view_layer
    layer.active_layer_collection = layer.layer_collection.children[root.name]
    bpy.ops.collection.exporter_add(name="IO_FH_tomb_raider_project")
    added: Any = root.exporters[0]
    place = added if hasattr(added, "filepath") else added.export_properties
    place.filepath = str(tmp_path / "out.prj2")
    assert bpy.ops.wm.collection_export_all() == {"FINISHED"}
    assert (tmp_path / "out.prj2").read_bytes() == (kept / "made.prj2").read_bytes()


def test_files_that_are_no_project_are_refused(blender: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "bad.prj2"
    path.write_bytes(b"PRJ2" + bytes(5))
    assert "bad.prj2 was not imported" in fails(bpy.ops.import_scene.tomb_raider_project, filepath=str(path))
    path.write_bytes(named_sample("tr1"))
    fails(bpy.ops.import_scene.tomb_raider_project, filepath=str(path))


def test_exports_without_a_level_or_to_another_kind_of_file_are_refused(
    blender: ModuleType, tmp_path: Path
) -> None:
    fails(bpy.ops.export_scene.tomb_raider_project, filepath=str(tmp_path / "out.prj2"))
    import_sample(tmp_path)
    fails(bpy.ops.export_scene.tomb_raider_project, filepath=str(tmp_path / "out.prj"))
    assert not (tmp_path / "out.prj2").exists()


def test_a_damaged_stored_project_is_reported(root: Collection, tmp_path: Path) -> None:
    files = root["tr_files"].to_dict()
    root["tr_files"] = {**files, "origin": b"damaged"}
    assert "out.prj2 was not exported" in fails(
        bpy.ops.export_scene.tomb_raider_project, filepath=str(tmp_path / "out.prj2")
    )


def test_light_is_kept_or_left_to_the_editor(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr4")
    kept = _export(tmp_path / "kept.prj2", collection=root.name)
    lit = _export(tmp_path / "lit.prj2", collection=root.name, keep_light=False)
    effects = [
        sum(isinstance(each, Light) and each.kind == 3 for _, each in project.objects())
        for project in (kept, lit)
    ]
    assert effects[0] > 50 and effects[1] == 0
    assert np.isclose(kept.rooms[0].ambient, lit.rooms[0].ambient).all()


def test_a_project_is_compiled_in_the_light_of_its_edited_lights(blender: ModuleType, tmp_path: Path) -> None:
    def shades(path: Path) -> list[bytes]:
        return [room.vertices.tobytes() for room in read_level(path).rooms]

    folder = tmp_path / "project"
    folder.mkdir()
    level = folder / "level.tr4"
    level.write_bytes(named_sample("tr4"))
    (folder / "made.prj2").write_bytes(round_trip(folder, level, keep_light=False).content)
    root = _import(folder / "made.prj2")
    first, second = tmp_path / "first.tr4", tmp_path / "second.tr4"
    assert bpy.ops.export_scene.tomb_raider_compiled(filepath=str(first)) == {"FINISHED"}
    light: Any = objects(root, "LIGHT")[0]
    light.data.color = (0.0, 1.0, 0.0)
    light.location.x += 1.0
    assert bpy.ops.export_scene.tomb_raider_compiled(filepath=str(second)) == {"FINISHED"}
    before, after = read_level(first), read_level(second)
    assert sum(len(room.quads) for room in before.rooms) == sum(len(room.quads) for room in after.rooms) > 50
    assert [len(room.lights) for room in before.rooms] == [len(room.lights) for room in after.rooms]
    assert shades(first) != shades(second)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.tr4", "project", "second.tr4"]


def test_a_painted_texture_is_in_the_compiled_level(root: Collection, tmp_path: Path) -> None:
    page: Any = next(each for each in bpy.data.images if "Page" in each.name)
    pixels = np.array(page.pixels[:]).reshape(-1, 4)
    pixels[:, :3] = (1.0, 0.0, 1.0)
    page.pixels[:] = pixels.ravel()
    page.update()
    path = tmp_path / "painted.tr4"
    assert bpy.ops.export_scene.tomb_raider_compiled(filepath=str(path)) == {"FINISHED"}
    level = read_level(path)
    assert any((tile[..., :3] == (255, 0, 255)).all(axis=2).any() for tile in level.textiles32)


def test_only_projects_are_compiled(blender: ModuleType, tmp_path: Path) -> None:
    import_sample(tmp_path, "tr4")
    text = fails(bpy.ops.export_scene.tomb_raider_compiled, filepath=str(tmp_path / "a.tr4"))
    assert "it does not come from a project" in text
    assert not (tmp_path / "a.tr4").exists()
