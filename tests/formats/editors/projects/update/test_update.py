"""Tests of edits of a level that are written into its project: each changes what it edits, and no more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from io_tomb_raider.formats import FormatError, Level
from io_tomb_raider.formats.editors.projects.compile.compile import compile_project
from io_tomb_raider.formats.editors.projects.compile.plan.resources import Resources, paths_of
from io_tomb_raider.formats.editors.projects.model.objects import (
    ImportedGeometry,
    Light,
    Moveable,
    PlacedObject,
    Static,
)
from io_tomb_raider.formats.editors.projects.model.project import Project, read_project
from io_tomb_raider.formats.editors.projects.model.shape import FACE
from io_tomb_raider.formats.editors.projects.update.faces import changed_faces
from io_tomb_raider.formats.editors.projects.update.origin import pack_origin, unpack_origin
from io_tomb_raider.formats.editors.projects.update.shapes import raised
from io_tomb_raider.formats.editors.projects.update.state import Updated
from io_tomb_raider.formats.editors.projects.update.update import update_project
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests.formats.editors.projects.compiling import Round, load_png, round_trip
from tests.sample_levels import named_sample

_FLOOR = 25


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the project."""
    return tmp_path_factory.mktemp("update")


@pytest.fixture(scope="module")
def made(folder: Path) -> Round:
    """Return a level of TR4 as a project, compiled."""
    path = folder / "level.tr4"
    path.write_bytes(named_sample("tr4"))
    return round_trip(folder, path)


def _updated(made: Round, edit: Callable[[Level], None]) -> tuple[Project, Updated, bytes]:
    """Edit the compiled level, and return the project with the edit, and its file."""
    level = made.compiled.level.copy()
    edit(level)
    project = made.project()
    updated = update_project(project, made.compiled, Decoded(level), "edited")
    return project, updated, project.to_bytes()


def _objects(project: Project) -> dict[int, tuple[int, PlacedObject]]:
    return {each.number: (room.number, each) for room, each in project.objects()}


def _changed(made: Round, project: Project) -> set[int]:
    """Return the numbers of objects that were changed, added or removed."""
    before, after = _objects(made.project()), _objects(project)
    return {number for number in before.keys() | after.keys() if before.get(number) != after.get(number)}


def test_an_unedited_level_gives_the_same_bytes(made: Round) -> None:
    _, updated, content = _updated(made, lambda level: None)
    assert content == made.content
    assert updated.files == {} and updated.notes == []


def test_a_moved_entity_is_one_changed_object(made: Round) -> None:
    def move(level: Level) -> None:
        level.entities = level.entities.copy()
        level.entities["x"][1] += 512
        level.entities["angle"][1] = 0x2000

    project, updated, content = _updated(made, move)
    number = made.compiled.origin.entities[1]
    assert _changed(made, project) == {number}
    (_, before), (_, after) = _objects(made.project())[number], _objects(project)[number]
    assert isinstance(before, Moveable) and isinstance(after, Moveable)
    assert after.position == (before.position[0] + 512, *before.position[1:]) and after.y == 45.0
    assert len(content) == len(made.content) and updated.notes == []


def test_fractions_of_positions_stay_when_another_axis_moves(made: Round, folder: Path) -> None:
    project = made.project()
    number = made.compiled.origin.entities[1]
    (_, obj) = _objects(project)[number]
    assert isinstance(obj, Moveable)
    obj.position = (obj.position[0] + 0.25, *obj.position[1:])
    paths = paths_of(project.settings, folder / "made.prj2")
    compiled = compile_project(project, Resources(paths, load_png), keep_missing=True)
    level = compiled.level.copy()
    level.entities = level.entities.copy()
    level.entities["z"][compiled.origin.entities.index(number)] += 256
    update_project(project, compiled, Decoded(level), "edited")
    (_, after) = _objects(project)[number]
    assert isinstance(after, Moveable)
    assert after.position[0] % 1 == 0.25


def test_an_entity_is_added_and_removed(made: Round) -> None:
    def remove(level: Level) -> None:
        level.entities = level.entities[1:]

    def add(level: Level) -> None:
        extra = level.entities[:1].copy()
        extra["z"] += 1024
        level.entities = np.concatenate([level.entities, extra])

    project, _, _ = _updated(made, remove)
    assert made.compiled.origin.entities[0] not in _objects(project)
    project, _, _ = _updated(made, add)
    (new,) = _objects(project).keys() - _objects(made.project()).keys()
    room, obj = _objects(project)[new]
    assert isinstance(obj, Moveable) and obj.slot == int(made.compiled.level.entities["type"][0])
    assert room == made.compiled.origin.rooms[int(made.compiled.level.entities["room"][0])]


def test_an_entity_moves_to_another_room(made: Round) -> None:
    def move(level: Level) -> None:
        level.entities = level.entities.copy()
        other = (int(level.entities["room"][1]) + 1) % len(level.rooms)
        level.entities["room"][1] = other

    project, _, _ = _updated(made, move)
    number = made.compiled.origin.entities[1]
    before, after = _objects(made.project())[number][0], _objects(project)[number][0]
    assert before != after


def test_lights_and_static_meshes_change_value_by_value(made: Round) -> None:
    index = next(
        at
        for at, room in enumerate(made.compiled.level.rooms)
        if len(room.lights) and len(room.static_meshes)
    )

    def edit(level: Level) -> None:
        level.rooms = list(level.rooms)
        room = level.rooms[index] = level.rooms[index].copy()
        room.lights, room.static_meshes = room.lights.copy(), room.static_meshes.copy()
        room.lights["y"][0] -= 100
        room.static_meshes["angle"][0] = 0x4000

    project, _, _ = _updated(made, edit)
    light, static = made.compiled.origin.lights[index][0], made.compiled.origin.statics[index][0]
    assert _changed(made, project) == {light, static}
    (_, was), (_, now) = _objects(made.project())[light], _objects(project)[light]
    assert isinstance(was, Light) and isinstance(now, Light)
    assert now.position[1] == was.position[1] + 100 and now.color == was.color and now.static == was.static
    (_, moved) = _objects(project)[static]
    assert isinstance(moved, Static) and moved.y == 90


def _open_sector(made: Round) -> tuple[int, int]:
    """Return a room and a place among its sectors with a level floor and nothing else."""
    for index, room in enumerate(made.compiled.level.rooms):
        records = room.sectors
        free = (records["floor"] > -100) & (records["room_below"] == 255) & (records["floor_data"] == 0)
        for place in np.flatnonzero(free).tolist():
            x, z = divmod(place, room.z_sectors)
            if 0 < x < room.x_sectors - 1 and 0 < z < room.z_sectors - 1:
                return index, place
    raise AssertionError("the sample has no such sector")


def test_a_raised_floor_changes_one_sector(made: Round) -> None:
    index, place = _open_sector(made)

    def raise_floor(level: Level) -> None:
        level.rooms = list(level.rooms)
        room = level.rooms[index] = level.rooms[index].copy()
        room.sectors = room.sectors.copy()
        room.sectors["floor"][place] -= 1

    project, _, _ = _updated(made, raise_floor)
    number = made.compiled.origin.rooms[index]
    before, after = made.project().room(number), project.room(number)
    assert before is not None and after is not None
    step = (after.shape.floor.heights + after.y) - (before.shape.floor.heights + before.y)
    x, z = divmod(place, made.compiled.level.rooms[index].z_sectors)
    assert (step[z, x] == 256).all()
    step[z, x] = 0
    open_sectors = ~before.shape.wall
    assert not step[open_sectors].any()
    assert np.array_equal(before.shape.ceiling.heights + before.y, after.shape.ceiling.heights + after.y)
    assert len(before.shape.faces) == len(after.shape.faces)  # faces keep their textures


@pytest.mark.parametrize("height", [0, 512])
@pytest.mark.parametrize("has_grown", [False, True])
def test_a_new_sector_has_the_height_of_the_level(
    made: Round, folder: Path, height: int, *, has_grown: bool
) -> None:
    """A room of a project may begin at any height, not only at its lowest floor."""
    index, place = _open_sector(made)
    source = made.compiled.level.rooms[index]
    open_sector, (x, z) = source.sectors[place], divmod(place, source.z_sectors)
    number = made.compiled.origin.rooms[index]
    project = made.project()
    for room in project.rooms:
        room.y, room.shape = room.y - height, raised(room.shape, height)
        if room.number == number and not has_grown:
            room.shape.wall[z, x] = True
    content = project.to_bytes()
    project = read_project(content)
    resources = Resources(paths_of(project.settings, folder / "made.prj2"), load_png)
    compiled = compile_project(project, resources, keep_missing=True)
    level = compiled.level.copy()
    level.rooms = list(level.rooms)
    edited = level.rooms[index] = level.rooms[index].copy()
    edited.sectors = edited.sectors.copy()
    if has_grown:
        x, place = edited.x_sectors - 1, place + (edited.x_sectors - 1 - x) * edited.z_sectors
        edited.x_sectors += 1
        edited.sectors = np.concatenate([edited.sectors, edited.sectors[-edited.z_sectors :]])
    edited.sectors[place] = open_sector
    edited.sectors["floor"][place] -= 1
    saved = read_project(content)
    update_project(saved, compiled, Decoded(level), "edited")
    after = saved.room(number)
    assert after is not None and not after.shape.wall[z, x]
    for surface, name in ((after.shape.floor, "floor"), (after.shape.ceiling, "ceiling")):
        assert (surface.heights[z, x] + after.y == -256 * int(edited.sectors[name][place])).all()


def test_another_texture_of_a_face_is_written_with_corners_in_its_image(made: Round) -> None:
    origin = made.compiled.origin
    index, floors = next(
        (at, rows)
        for at, each in enumerate(origin.quads)
        if len(rows := np.flatnonzero(each[:, 1] == _FLOOR)) > 1
        and len(np.unique(made.compiled.level.rooms[at].quads["texture"][rows])) > 1
    )
    words = made.compiled.level.rooms[index].quads["texture"]
    first = int(floors[0])
    other = int(next(row for row in floors if words[row] != words[first]))

    def paint(level: Level) -> None:
        level.rooms = list(level.rooms)
        room = level.rooms[index] = level.rooms[index].copy()
        room.quads = room.quads.copy()
        room.quads["texture"][first] = words[other]

    project, updated, _ = _updated(made, paint)
    assert updated.files == {}  # the picture has it already
    room, was = project.room(origin.rooms[index]), made.project().room(origin.rooms[index])
    assert room is not None and was is not None
    changed = np.flatnonzero(room.shape.faces != was.shape.faces)
    assert len(changed) == 1
    face = room.shape.faces[changed[0]]
    assert (int(face["sector"]), int(face["face"])) == tuple(origin.quads[index][first].tolist())
    same = was.shape.faces[
        (was.shape.faces["sector"] == origin.quads[index][other][0]) & (was.shape.faces["face"] == _FLOOR)
    ]
    assert sorted(map(tuple, np.rint(face["corners"]).tolist())) == sorted(
        map(tuple, np.rint(same[0]["corners"]).tolist())
    )


def test_a_room_may_have_no_face_of_before() -> None:
    before, after = np.zeros(1, FACE), np.zeros(2, FACE)
    before["sector"], after["sector"] = 1, (2, 3)
    changed, removed = changed_faces(before, after)
    assert changed["sector"].tolist() == [2, 3] and len(removed) == 1


def test_a_face_with_a_painted_texture_gets_a_new_image(made: Round) -> None:
    areas, level = made.compiled.origin.areas, made.compiled.level
    page = int(areas[0][0])

    def paint(level: Level) -> None:
        level.textiles32 = level.textiles32.copy()
        level.textiles32[page] = (0, 0, 255, 255)

    project, updated, _ = _updated(made, paint)
    assert list(updated.files) == ["edited_edited.png"]
    new = project.settings.textures[-1]
    assert new.path.endswith("edited_edited.png")
    shown = [face for room in project.rooms for face in room.shape.faces if face["texture"] == new.number]
    assert shown and all(face["corners"][:, 1].max() <= len(level.textiles32) * 256 for face in shown)


def test_an_added_face_becomes_imported_geometry(made: Round) -> None:
    """A face that stands free in a room; it is there again in the level compiled from the project."""
    index = 0
    number = made.compiled.origin.rooms[index]

    def add(level: Level) -> None:
        level.rooms = list(level.rooms)
        room = level.rooms[index] = level.rooms[index].copy()
        corner = room.vertices[room.quads["vertices"][0]].copy()
        for name, values in (("x", (1500, 1500, 1700, 1700)), ("z", (1500, 1500, 1600, 1600))):
            corner[name] = values
        corner["y"] = np.array([-100, -600, -600, -100]) + int(room.y_bottom)
        quad = room.quads[:1].copy()
        quad["vertices"][0] = np.arange(4) + len(room.vertices)
        room.vertices = np.concatenate([room.vertices, corner])
        room.quads = np.concatenate([room.quads, quad])

    project, updated, _ = _updated(made, add)
    assert {Path(each).suffix for each in updated.files} == {".obj", ".mtl", ".png"} and updated.notes == []
    room, was = project.room(number), made.project().room(number)
    assert room is not None and was is not None
    (new,) = [
        each for each in room.each(ImportedGeometry) if each.number not in {old.number for old in was.objects}
    ]
    assert np.array_equal(room.shape.faces, was.shape.faces)
    model = next(each for each in project.settings.imported_geometries if each.number == new.model)
    lines = updated.files[model.path.split("\\")[-1]].decode().splitlines()
    heights = sorted(
        float(line.split()[2]) + new.position[1] + room.y for line in lines if line.startswith("v ")
    )
    assert heights == [100 - y for y in sorted([int(made.compiled.level.rooms[index].y_bottom)] * 2)] + [
        600 - y for y in sorted([int(made.compiled.level.rooms[index].y_bottom)] * 2)
    ]


def test_a_room_is_added_and_removed(made: Round) -> None:
    def remove(level: Level) -> None:
        level.rooms = level.rooms[:-1]
        level.entities = level.entities[level.entities["room"] < len(level.rooms)]

    project, _, _ = _updated(made, remove)
    assert {room.number for room in project.rooms} == set(made.compiled.origin.rooms[:-1])

    def add(level: Level) -> None:
        room = level.rooms[0].copy()
        room.x, room.z, room.portals = room.x + 65536, room.z + 65536, room.portals[:0]
        level.rooms = [*level.rooms, room]

    project, _, content = _updated(made, add)
    assert len(project.rooms) == len(made.compiled.origin.rooms) + 1
    new = project.rooms[-1]
    assert len(new.shape.faces) > 10 and new.number not in made.compiled.origin.rooms
    assert len(read_project(content).rooms) == len(project.rooms)


def test_the_origin_is_stored_and_read() -> None:
    with pytest.raises(FormatError):
        unpack_origin(b"nothing")


def test_a_stored_origin_is_the_same(made: Round) -> None:
    origin = made.compiled.origin
    again = unpack_origin(pack_origin(origin))
    for name in (
        "rooms",
        "entities",
        "ai_objects",
        "cameras",
        "flybys",
        "sounds",
        "animations",
        "statics",
        "lights",
        "triggers",
    ):
        assert getattr(again, name) == getattr(origin, name), name
    assert np.array_equal(again.areas, origin.areas)


def test_edited_vertex_light_is_reported(made: Round) -> None:
    def darken(level: Level) -> None:
        room = level.rooms[1]
        room.vertices = room.vertices.copy()
        room.vertices["color"] ^= 1

    _, updated, content = _updated(made, darken)
    (note,) = updated.notes
    assert "its vertex light is not saved" in note and content == made.content
