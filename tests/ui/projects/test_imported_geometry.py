"""Tests of imported geometry of Tomb Editor projects as objects of the scene."""

from __future__ import annotations

from collections.abc import Iterator
from math import nan
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.editors.projects.model.objects import ImportedGeometry
from io_tomb_raider.formats.editors.projects.model.project import Project, read_project
from tests.formats.editors.projects.compile.compile_samples import SUFFIXES, compiled
from tests.games import each_game
from tests.scene.scenes import UNIT, objects

from ..user_actions import export_file, fails, levels
from .model_projects import ELSEWHERE, MODEL, PLAIN, TURNED, models_of, opened, read, write_project


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with imported geometry."""
    return write_project(tmp_path_factory.mktemp("models"))


@pytest.fixture
def root(blender: ModuleType, source: Path) -> Iterator[Collection]:
    """Return its level, imported by the menu."""
    yield opened(source)


def saved(path: Path) -> Project:
    assert bpy.ops.export_scene.tomb_raider_project(filepath=str(path)) == {"FINISHED"}
    return read_project(path.read_bytes())


def model(root: Collection, number: int) -> Any:
    (found,) = [each for each in objects(root, "IMPORTED_GEOMETRY") if each.tomb_raider.index == number]
    return found


def choose(*chosen: Any) -> None:
    """Select objects, and nothing else."""
    bpy.ops.object.select_all(action="DESELECT")
    for obj in chosen:
        obj.select_set(True)
    bpy.context.view_layer.objects.active = chosen[0]


def changed(source: Path, project: Project) -> dict[int, tuple[Any, Any]]:
    """Return the objects of a project that differ, before and after."""
    before, after = (
        {each.number: (room.number, each) for room, each in every.objects()}
        for every in (read(source), project)
    )
    numbers = sorted(before.keys() | after.keys())
    return {
        number: (before.get(number), after.get(number))
        for number in numbers
        if before.get(number) != after.get(number)
    }


@each_game
def test_untouched_projects_and_their_levels_are_the_same_bytes(
    blender: ModuleType, game: Game, tmp_path: Path
) -> None:
    source = write_project(tmp_path, game)
    root = opened(source)
    boxes = objects(root, "IMPORTED_GEOMETRY")
    assert [each.name.partition(".")[0] for each in boxes] == ["Box"] * 3
    assert {len(each.data.polygons) for each in boxes} == {12}
    saved(tmp_path / "out.prj2")
    assert (tmp_path / "out.prj2").read_bytes() == source.read_bytes()
    made = compiled(read(source), tmp_path, keep=True).level.to_bytes()
    assert export_file(tmp_path / f"out{SUFFIXES[game]}") == made


def test_models_are_where_the_project_has_them(root: Collection) -> None:
    turned, plain, elsewhere = (model(root, number) for number in (TURNED, PLAIN, ELSEWHERE))
    rooms = {each.name: each for each in objects(root, "ROOM")}
    assert [each.parent for each in (turned, plain, elsewhere)] == [
        rooms["Room0"],
        rooms["Room0"],
        rooms["Room1"],
    ]
    assert turned.location[:] == pytest.approx([v * UNIT for v in (2048.25, 2560, 512)])
    assert turned.scale[:] == pytest.approx([1.5] * 3)
    assert np.degrees(turned.rotation_euler[:]) == pytest.approx([10, -5, -30], abs=1e-4)
    corners = np.array([vertex.co[:] for vertex in plain.data.vertices]) / UNIT
    assert corners.min(axis=0).tolist() == [-256, -256, 0] and corners.max(axis=0).tolist() == [256, 256, 512]
    # The mesh of the room is without them.
    low = min(vertex.co.z for vertex in rooms["Room0"].data.vertices)
    assert low == pytest.approx(256 * UNIT) and len(rooms["Room0"].data.polygons) == 16 + 16 + 16 - 4


def test_a_moved_model_is_one_changed_object(root: Collection, source: Path, tmp_path: Path) -> None:
    choose(model(root, TURNED))
    bpy.ops.transform.translate(value=(512 * UNIT, 0, 128 * UNIT))
    project = saved(tmp_path / "out.prj2")
    ((number, ((_, before), (_, after))),) = changed(source, project).items()
    assert number == TURNED
    assert after.position == (before.position[0] + 512, before.position[1] + 128, before.position[2])
    after.position = before.position
    assert after == before
    assert [path.name for path in tmp_path.iterdir()] == ["out.prj2"]


def test_rotated_and_scaled_models(root: Collection, source: Path, tmp_path: Path) -> None:
    choose(model(root, TURNED))
    bpy.ops.transform.rotate(value=np.radians(45), orient_axis="Z")
    choose(model(root, PLAIN))
    bpy.ops.transform.resize(value=(2, 2, 2))
    found = changed(source, saved(tmp_path / "out.prj2"))
    assert found.keys() == {TURNED, PLAIN}
    (_, before), (_, after) = found[TURNED]
    assert (after.x, after.roll, after.scale, after.position) == (10.0, 5.0, 1.5, before.position)
    assert abs(after.y - before.y) % 360 in (pytest.approx(45), pytest.approx(315))
    assert found[PLAIN][1][1].scale == 2.0 and found[PLAIN][1][1].y == 0.0
    # The level that is compiled shows what the scene shows.
    export_file(tmp_path / "out.tr4")
    again = compiled(read(tmp_path / "out.prj2"), source.parent, keep=True).level
    for one, other in zip(read_level(tmp_path / "out.tr4").rooms, again.rooms, strict=True):
        assert np.abs(_middles(one) - _middles(other)).max() <= 1


def _middles(room: Any) -> NDArray[np.float64]:
    """Return the middles of the triangles of a room, (n, 3)."""
    places = np.stack([room.vertices[axis].astype(np.float64) for axis in "xyz"], axis=1)
    return np.asarray(places[room.triangles["vertices"]].mean(axis=1))


def test_a_copy_is_a_new_object_of_the_same_model(root: Collection, source: Path, tmp_path: Path) -> None:
    choose(model(root, PLAIN))
    bpy.ops.object.duplicate()
    bpy.context.object.location.x += 1024 * UNIT
    project = saved(tmp_path / "out.prj2")
    ((number, (before, (room, after))),) = changed(source, project).items()
    own = models_of(project)[PLAIN][1]
    assert before is None and room == 0 and number not in {each.number for _, each in read(source).objects()}
    assert after.position == (own.position[0] + 1024, *own.position[1:])
    assert (after.model, after.lighting, after.scale) == (MODEL, 0, 1.0)
    assert len(project.settings.imported_geometries) == 1


def test_a_deleted_model(root: Collection, source: Path, tmp_path: Path) -> None:
    choose(model(root, PLAIN))
    bpy.ops.object.delete()
    found = changed(source, saved(tmp_path / "out.prj2"))
    assert list(found) == [PLAIN] and found[PLAIN][1] is None


def test_a_model_in_another_room(root: Collection, source: Path, tmp_path: Path) -> None:
    box, room = model(root, PLAIN), next(each for each in objects(root, "ROOM") if each.name == "Room1")
    choose(box, room)
    bpy.context.view_layer.objects.active = room
    bpy.ops.object.parent_set(type="OBJECT", keep_transform=True)
    found = changed(source, saved(tmp_path / "out.prj2"))
    assert list(found) == [PLAIN]
    (_, before), (number, after) = found[PLAIN]
    assert number == 1 and after.position == (before.position[0] - 4 * 1024, *before.position[1:])
    assert after.scale == 1.0 and after.y == 0.0
    (tmp_path / "out.tr4").write_bytes(export_file(tmp_path / "out.tr4"))
    counts = [len(each.triangles) for each in read_level(tmp_path / "out.tr4").rooms]
    assert counts == [12, 24]


@pytest.mark.parametrize("number", [TURNED, PLAIN])
def test_an_edited_mesh_gets_a_model_of_its_own(
    root: Collection, source: Path, tmp_path: Path, number: int
) -> None:
    box = model(root, number)
    highest = max(box.data.vertices, key=lambda each: (round(each.co.z, 3), each.co.x, each.co.y))
    highest.co.z += 256 * UNIT
    project = saved(tmp_path / "out.prj2")
    (found,) = changed(source, project).items()
    (_, before), (_, after) = found[1]
    assert found[0] == number and after.model != before.model and after.lighting == 1
    new = project.settings.imported_geometries[-1]
    assert new.number == after.model and new.name == "Box" and new.path.endswith("out_edited_000.obj")
    assert {path.name for path in tmp_path.iterdir()} == {
        "out.prj2", "out_edited.mtl", "out_edited.png", "out_edited_000.obj",
    }  # fmt: skip
    shown, again = _levels(source, tmp_path)
    for one, other in zip(shown.rooms, again.rooms, strict=True):
        assert _triangles(one) == _triangles(other)


def _levels(source: Path, folder: Path) -> tuple[Any, Any]:
    """Return the exported level, and the saved project as it is imported again."""
    export_file(folder / "out.tr4")
    for path in source.parent.iterdir():
        if not (folder / path.name).exists():
            (folder / path.name).write_bytes(path.read_bytes())
    opened(folder / "out.prj2")
    export_file(folder / "again.tr4", collection=_newest().name)
    return read_level(folder / "out.tr4"), read_level(folder / "again.tr4")


def _newest() -> Collection:
    return max(levels(), key=lambda each: each.session_uid)


def _triangles(room: Any) -> list[list[tuple[int, ...]]]:
    """Return the corners of the triangles of a room, with their colors."""
    rows = np.stack([room.vertices[name].astype(int) for name in ("x", "y", "z", "color")], axis=1)
    return sorted(sorted(map(tuple, rows[face].tolist())) for face in room.triangles["vertices"])


def test_painted_vertices_are_saved(root: Collection, source: Path, tmp_path: Path) -> None:
    box = model(root, ELSEWHERE)
    colors = box.data.color_attributes.active_color
    for each in colors.data:
        each.color = (0.2, 0.0, 0.0, 1)
    project = saved(tmp_path / "out.prj2")
    assert list(changed(source, project)) == [ELSEWHERE]
    shown, again = _levels(source, tmp_path)
    assert _triangles(shown.rooms[1]) == _triangles(again.rooms[1])


def test_a_stretched_model_gets_a_model_of_its_own(root: Collection, source: Path, tmp_path: Path) -> None:
    choose(model(root, TURNED))
    bpy.ops.transform.resize(value=(1, 1, 3))
    project = saved(tmp_path / "out.prj2")
    assert list(changed(source, project)) == [TURNED] and len(project.settings.imported_geometries) == 2
    shown, again = _levels(source, tmp_path)
    assert _triangles(shown.rooms[0]) == _triangles(again.rooms[0])


def test_a_model_joined_into_its_room(root: Collection, source: Path, tmp_path: Path) -> None:
    box = model(root, PLAIN)
    choose(box)
    assert bpy.ops.tomb_raider.join_back() == {"FINISHED"}
    project = saved(tmp_path / "out.prj2")
    found = changed(source, project)
    assert found[PLAIN][1] is None and len(found) == 2
    (new,) = found.keys() - {PLAIN}
    assert isinstance(found[new][1][1], ImportedGeometry)
    made = project.settings.imported_geometries[-1]
    assert made.number == found[new][1][1].model
    text = (tmp_path / made.path.rpartition("\\")[2]).read_text()
    assert text.count("\nf ") == 12


def test_a_moved_room_takes_its_models_along(root: Collection, source: Path, tmp_path: Path) -> None:
    room = next(each for each in objects(root, "ROOM") if each.name == "Room1")
    room.location.y += 10 * 1024 * UNIT
    assert not [
        number for number, (_, each) in changed(source, saved(tmp_path / "out.prj2")).items()
        if each is not None and isinstance(each[1], ImportedGeometry)
    ]  # fmt: skip


def test_a_deleted_room_and_its_models(root: Collection, source: Path, tmp_path: Path) -> None:
    choose(next(each for each in objects(root, "ROOM") if each.name == "Room1"))
    assert bpy.ops.tomb_raider.delete_room() == {"FINISHED"}
    project = saved(tmp_path / "out.prj2")
    assert len(project.rooms) == 1 and models_of(project).keys() == {TURNED, PLAIN}


def test_a_duplicated_room_has_models(root: Collection, source: Path, tmp_path: Path) -> None:
    choose(next(each for each in objects(root, "ROOM") if each.name == "Room1"))
    assert bpy.ops.tomb_raider.duplicate_room() == {"FINISHED"}
    bpy.context.object.location.y += 20 * 1024 * UNIT
    project = saved(tmp_path / "out.prj2")
    own = [(room, each) for room, each in models_of(project).values() if each.model == MODEL]
    assert sorted(room for room, _ in own) == [0, 0, 1, 2]
    assert len({each.position for room, each in own if room}) == 1


def test_a_second_save_keeps_the_files_of_the_first(root: Collection, source: Path, tmp_path: Path) -> None:
    box = model(root, PLAIN)
    box.data.vertices[0].co.z += 256 * UNIT
    saved(tmp_path / "out.prj2")
    _levels(source, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.glob("out_edited*")}
    again = _newest()
    for number in (TURNED, ELSEWHERE):
        model(again, number).data.vertices[0].co.z += 128 * UNIT
    export = bpy.ops.export_scene.tomb_raider_project
    assert export(filepath=str(tmp_path / "out.prj2"), collection=again.name) == {"FINISHED"}
    assert all((tmp_path / name).read_bytes() == content for name, content in before.items())
    project = read(tmp_path / "out.prj2")
    assert len({each.path for each in project.settings.imported_geometries}) == 4


def test_modifiers_and_constraints_count(root: Collection, source: Path, tmp_path: Path) -> None:
    box = model(root, PLAIN)
    box.modifiers.new("Array", "ARRAY").count = 2
    project = saved(tmp_path / "out.prj2")
    assert list(changed(source, project)) == [PLAIN]
    text = (tmp_path / "out_edited_000.obj").read_text()
    assert text.count("\nf ") == 24


def test_models_in_no_room_are_named(root: Collection, tmp_path: Path) -> None:
    box = model(root, PLAIN)
    box.parent = None
    for home in list(box.users_collection):
        home.objects.unlink(box)
    root.objects.link(box)
    from tests.scene.scenes import exported

    level, warnings = exported(root)
    assert any("make a room its parent" in each for each in warnings)
    assert [len(each.triangles) for each in level.rooms] == [12, 12]


def test_a_model_joined_by_blender(root: Collection, source: Path, tmp_path: Path) -> None:
    box, room = model(root, PLAIN), next(each for each in objects(root, "ROOM") if each.name == "Room0")
    choose(room, box)
    bpy.ops.object.join()
    project = saved(tmp_path / "out.prj2")
    assert PLAIN not in models_of(project) and len(models_of(project)) == 3
    text = (tmp_path / "out_edited_000.obj").read_text()
    assert text.count("\nf ") == 12


def test_faces_separated_from_a_model_are_a_model(root: Collection, source: Path, tmp_path: Path) -> None:
    box = model(root, ELSEWHERE)
    choose(box)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    for face in list(box.data.polygons)[:4]:
        face.select = True
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.separate(type="SELECTED")
    bpy.ops.object.mode_set(mode="OBJECT")
    project = saved(tmp_path / "out.prj2")
    (number,) = changed(source, project).keys() - {ELSEWHERE}
    assert models_of(project)[number][1].position == models_of(project)[ELSEWHERE][1].position
    texts = [path.read_text() for path in sorted(tmp_path.glob("*.obj"))]
    assert sorted(text.count("\nf ") for text in texts) == [4, 8]
    shown, again = _levels(source, tmp_path)
    assert _triangles(shown.rooms[1]) == _triangles(again.rooms[1])


def test_a_saved_scene_still_knows_them(root: Collection, source: Path, tmp_path: Path) -> None:
    name = root.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    saved(tmp_path / "out.prj2")
    assert (tmp_path / "out.prj2").read_bytes() == source.read_bytes()
    model(bpy.data.collections[name], PLAIN).location.x += 2
    assert list(changed(source, saved(tmp_path / "out.prj2"))) == [PLAIN]


def test_rebuilt_and_converted_levels_have_them(root: Collection, tmp_path: Path) -> None:
    before = read_level(_export_to(tmp_path / "a.tr4"))
    rebuilt = read_level(_export_to(tmp_path / "b.tr4", rebuild=True))
    for one, other in zip(before.rooms, rebuilt.rooms, strict=True):
        assert _triangles(one) == _triangles(other)
    choose(model(root, PLAIN))
    assert bpy.ops.tomb_raider.convert(game="TR3") == {"FINISHED"}
    converted = read_level(_export_to(tmp_path / "c.tr2"))
    assert [len(each.triangles) for each in converted.rooms] == [len(each.triangles) for each in before.rooms]


def _export_to(path: Path, **options: Any) -> Path:
    export_file(path, **options)
    return path


@pytest.mark.parametrize("what", ["place", "size", "vertex"])
def test_a_value_that_is_not_a_number_is_refused_by_name(root: Collection, tmp_path: Path, what: str) -> None:
    obj = model(root, PLAIN)
    if what == "place":
        obj.location.x = nan
    elif what == "size":
        obj.scale.y = nan
    else:
        obj.data.vertices[0].co.y = nan
    for operator, name in (
        (bpy.ops.export_scene.tomb_raider, "a.tr4"),
        (bpy.ops.export_scene.tomb_raider_project, "a.prj2"),
    ):
        text = fails(operator, filepath=str(tmp_path / name))
        assert obj.name in text and "is not a number" in text
    assert not list(tmp_path.iterdir())
