"""Tests that what authors set in a project stays when a scene is saved, where a level does not say it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats.editors.projects.model.objects import (
    Camera,
    Moveable,
    Parameter,
    ParameterKind,
    PlacedObject,
    Positioned,
    ProjectPortal,
    ProjectTrigger,
    Sink,
    SoundSource,
)
from io_tomb_raider.formats.editors.projects.model.project import Project, read_project
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.shape import SectorFlag
from tests.formats.editors.projects.portal_rules import portal_faults
from tests.project_files import write_castle
from tests.scene.scenes import UNIT, copy_of, objects

from ..user_actions import levels, select

HERE = (1500.0, 0.0, 1500.0)
SECTOR = 1024
MARK = int(SectorFlag.NOT_WALKABLE)
BOX = int(SectorFlag.BOX)


def _castle(folder: Path, change: Callable[[Project], None]) -> Path:
    path = write_castle(folder / "made")
    project = read_project(path)
    texture = "$(LevelDirectory)\\..\\textures\\stone.png"
    project.settings.textures[0] = replace(project.settings.textures[0], path=texture)
    change(project)
    path.write_bytes(project.to_bytes())
    return path


def _open(path: Path) -> Collection:
    assert bpy.ops.import_scene.tomb_raider_project(filepath=str(path)) == {"FINISHED"}
    return levels()[-1]


def _save(path: Path) -> Project:
    assert bpy.ops.export_scene.tomb_raider_project(filepath=str(path)) == {"FINISHED"}
    return read_project(path)


def _with(room: int, obj: PlacedObject) -> Callable[[Project], None]:
    return lambda project: project.rooms[room].objects.append(obj)


def _without_pathfinding(project: Project) -> None:
    project.rooms[0].no_pathfinding = True
    project.rooms[0].objects.append(Sink(600, HERE, strength=4))


@pytest.mark.parametrize(
    "change",
    [
        _with(0, Sink(600, HERE, strength=0)),
        _with(1, Sink(600, HERE, strength=1)),
        _without_pathfinding,
        _with(0, Sink(600, (1.0, 0.0, 1.0), strength=4)),
        _with(0, Camera(600, (-600.0, 0.0, 1500.0))),
    ],
    ids=["of its room's number", "of strength 1", "without boxes", "in a wall", "beside its room"],
)
def test_sinks_and_cameras_without_triggers_keep_their_kind(
    blender: ModuleType, tmp_path: Path, change: Callable[[Project], None]
) -> None:
    path = _castle(tmp_path, change)
    root = _open(path)
    _save(tmp_path / "out.prj2")
    assert (tmp_path / "out.prj2").read_bytes() == path.read_bytes()
    compiled = tmp_path / "out.tr4"
    assert bpy.ops.export_scene.tomb_raider_compiled(filepath=str(compiled)) == {"FINISHED"}
    (obj,) = (*objects(root, "SINK"), *objects(root, "CAMERA"))
    obj.location.x += 256 * UNIT
    before = next(each for _, each in read_project(path).objects() if each.number == 600)
    after = next(each for _, each in _save(tmp_path / "moved.prj2").objects() if each.number == 600)
    assert isinstance(before, Positioned)
    x, y, z = before.position
    assert after == replace(before, position=(x + 256, y, z))


def test_a_sound_stays_in_its_room_while_it_is_moved_there(blender: ModuleType, tmp_path: Path) -> None:
    """The level does not store its room, and by its place it could be in the cellar, too."""
    where = (7.5 * SECTOR, 0.0, 3.5 * SECTOR)
    path = _castle(tmp_path, _with(0, SoundSource(600, where, sound=1)))
    root = _open(path)
    (speaker,) = objects(root, "SOUND_SOURCE")
    speaker.location.z += 256 * UNIT
    room, source = next(
        (room, each) for room, each in _save(tmp_path / "out.prj2").objects() if each.number == 600
    )
    assert isinstance(source, SoundSource)
    assert room.number == 0 and source.position == (where[0], 256.0, where[2])


def _marked(project: Project) -> None:
    hall, cellar = project.rooms
    hall.shape.flags[1:4, 2] |= MARK
    hall.shape.flags[6, 1:3] |= BOX
    cellar.shape.flags[1, 1:4] |= MARK
    hall.shape.floor.heights[4, 5] += 9 * 256  # enemies cannot step up there


def test_other_edits_keep_marks_for_enemies(blender: ModuleType, tmp_path: Path) -> None:
    path = _castle(tmp_path, _marked)
    before = read_project(path)
    root = _open(path)
    bpy.context.scene.cursor.location = (200.0, 100.0, 0.0)
    assert bpy.ops.tomb_raider.add_room(size=(4, 4, 2)) == {"FINISHED"}
    collision = objects(root, "COLLISION")[1]
    for vertex in collision.data.vertices:
        if vertex.co.z < 0.1:
            vertex.co.z += 256 * UNIT
    after = _save(tmp_path / "out.prj2")
    assert len(after.rooms) == 3
    for was, now in zip(before.rooms, after.rooms, strict=False):
        assert np.array_equal(was.shape.flags, now.shape.flags)
    assert not after.rooms[2].shape.flags.any()


def test_a_box_that_becomes_blockable_is_marked(blender: ModuleType, tmp_path: Path) -> None:
    path = _castle(tmp_path, _marked)
    before = read_project(path)
    root = _open(path)
    (overlay,) = objects(root, "BOXES")
    layer = overlay.data.attributes["tr_blockable"].data
    face = max(overlay.data.polygons, key=lambda each: each.area)
    assert layer[face.index].value == 0
    layer[face.index].value = 2
    after = _save(tmp_path / "out.prj2")
    changed = [was.shape.flags ^ now.shape.flags for was, now in zip(before.rooms, after.rooms, strict=True)]
    assert {int(each) for flags in changed for each in flags.ravel()} == {0, BOX}
    sectors = sum(int((flags == BOX).sum()) for flags in changed)
    assert 0 < sectors <= round(face.area / (SECTOR * UNIT) ** 2)  # a part of it may be behind a portal


def test_a_copied_room_has_the_marks_of_its_original(blender: ModuleType, tmp_path: Path) -> None:
    path = _castle(tmp_path, _marked)
    root = _open(path)
    select(objects(root, "ROOM")[0])
    assert bpy.ops.tomb_raider.duplicate_room(as_alternate=True) == {"FINISHED"}
    hall, cellar, other = _save(tmp_path / "out.prj2").rooms
    assert hall.alternate == (0, other.number) and cellar.alternate is None and other.alternate is None
    assert np.array_equal(other.shape.flags, hall.shape.flags)


def test_swapped_objects_keep_their_values_of_the_project(blender: ModuleType, tmp_path: Path) -> None:
    """Two monsters of one kind change places: each keeps what only the project knows of it."""

    def change(project: Project) -> None:
        for number, x in ((600, 2.5), (601, 4.5)):
            monster = next(each for _, each in project.objects() if each.number == 101)
            assert isinstance(monster, Moveable)
            made = replace(monster, number=number, position=(x * SECTOR, 0.0, 1536.0), script_id=number)
            project.rooms[0].objects.append(made)

    path = _castle(tmp_path, change)
    root = _open(path)
    one, other = objects(root, "ENTITY")[-2:]
    one.location.x, other.location.x = other.location.x, one.location.x
    copy_of(objects(root, "ENTITY")[1]).location.y += 2
    found = {each.number: each for _, each in _save(tmp_path / "out.prj2").objects()}
    swapped = [found[number] for number in (600, 601)]
    assert [each.position[0] / SECTOR for each in swapped if isinstance(each, Moveable)] == [4.5, 2.5]
    assert [each.script_id for each in swapped if isinstance(each, Moveable)] == [600, 601]


def _trigger(project: Project) -> tuple[int, ProjectTrigger]:
    """Return the only trigger of a project, and the number of its room."""
    ((room, trigger),) = (
        (room, each) for room, each in project.objects() if isinstance(each, ProjectTrigger)
    )
    return room.number, trigger


def test_a_moved_trigger_stays_the_same_trigger(blender: ModuleType, tmp_path: Path) -> None:
    path = _castle(tmp_path, lambda project: None)
    _, before = _trigger(read_project(path))
    root = _open(path)
    (obj,) = objects(root, "TRIGGER")
    obj.location.x += SECTOR * UNIT
    x0, z0, x1, z1 = before.area
    moved = replace(before, area=(x0 + 1, z0, x1 + 1, z1))
    assert _trigger(_save(tmp_path / "moved.prj2")) == (0, moved)
    obj.tomb_raider.trigger.timer = 3
    edited = replace(moved, timer=Parameter(ParameterKind.NUMBER, 3))
    assert _trigger(_save(tmp_path / "edited.prj2")) == (0, edited)


def test_a_trigger_moved_to_another_room_stays_the_same(blender: ModuleType, tmp_path: Path) -> None:
    path = _castle(tmp_path, lambda project: None)
    _, before = _trigger(read_project(path))
    root = _open(path)
    (obj,) = objects(root, "TRIGGER")
    hall, cellar = objects(root, "ROOM")
    obj.tomb_raider.trigger.room = cellar
    obj.parent = cellar
    obj.matrix_parent_inverse.identity()
    obj.location = (2.5 * SECTOR * UNIT, 2 * SECTOR * UNIT, obj.location.z)
    room, after = _trigger(_save(tmp_path / "moved.prj2"))
    assert room == 1 and replace(after, area=before.area) == before
    assert after.area != before.area and hall != cellar


def test_a_copied_trigger_is_a_new_one(blender: ModuleType, tmp_path: Path) -> None:
    path = _castle(tmp_path, lambda project: None)
    _, before = _trigger(read_project(path))
    root = _open(path)
    made = copy_of(objects(root, "TRIGGER")[0])
    made.location.x += 2 * SECTOR * UNIT
    found = [each for _, each in _save(tmp_path / "out.prj2").objects() if isinstance(each, ProjectTrigger)]
    x0, z0, x1, z1 = before.area
    assert found[0] == before
    assert [each.area for each in found] == [before.area, (x0 + 2, z0, x1 + 2, z1)]
    assert found[1].number != before.number


def test_a_project_saved_elsewhere_names_the_files_that_it_does_not_find(
    blender: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = _castle(tmp_path, lambda project: None)
    _open(path)
    _save(path.with_name("copy.prj2"))
    assert "new folder" not in capfd.readouterr().out
    copy = tmp_path / "elsewhere" / "deep" / "copy.prj2"
    copy.parent.mkdir(parents=True)
    _save(copy)
    told = [line for line in capfd.readouterr().out.splitlines() if "new folder" in line]
    assert any("objects.tr4" in line for line in told) and any("stone.png" in line for line in told)
    assert copy.read_bytes() == path.read_bytes()


def _separate(room: Any, border: float) -> Any:
    """Separate the faces of a room beyond a border along x, and make them a room; return it."""
    select(room)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.tool_settings.mesh_select_mode = (False, False, True)
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    for face in room.data.polygons:
        face.select = face.center.x > border
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.separate(type="SELECTED")
    bpy.ops.object.mode_set(mode="OBJECT")
    part = next(each for each in bpy.context.selected_objects if each != room)
    select(part)
    assert bpy.ops.tomb_raider.connect_part() == {"FINISHED"}
    return part


def test_a_split_room_shrinks_and_a_portal_joins_both(blender: ModuleType, tmp_path: Path) -> None:
    path = _castle(tmp_path, lambda project: None)
    before = read_project(path)
    room = objects(_open(path), "ROOM")[0]
    _separate(room, 4 * SECTOR * UNIT)
    after = _save(tmp_path / "out.prj2")
    assert portal_faults(after.rooms) == []
    hall, cellar, new = after.rooms
    assert (hall.x, hall.z, *hall.shape.wall.shape) == (10, 10, 8, 5)
    assert (new.x, new.z, *new.shape.wall.shape) == (13, 10, 8, 5)
    ways = {(room.number, portal.room) for room in after.rooms for portal in room.each(ProjectPortal)}
    assert ways == {(0, new.number), (new.number, 0), (1, new.number), (new.number, 1)}
    places = [
        {each.number: _place(room, each) for room, each in project.objects()} for project in (before, after)
    ]
    kept = {number: place for number, place in places[0].items() if place is not None}
    assert {number: places[1][number] for number in kept} == kept
    floor = hall.shape.floor.heights[4:6, 2:4] + hall.y
    assert (floor == before.rooms[0].shape.floor.heights[4:6, 2:4] + before.rooms[0].y).all()
    assert cellar.x == before.rooms[1].x


def _place(room: ProjectRoom, each: PlacedObject) -> tuple[float, ...] | None:
    """Return where an object is in the world; None for triggers and portals."""
    if not isinstance(each, Positioned):
        return None
    x, y, z = each.position
    return x + room.x * SECTOR, y + room.y, z + room.z * SECTOR
