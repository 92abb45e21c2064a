"""The mesh of a project's room follows its sectors: it shows what the level editor will build."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from bpy.types import Collection, Object
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.projects.geometry.geometry import room_faces
from io_tomb_raider.formats.editors.projects.geometry.openings import ProjectRooms
from io_tomb_raider.formats.editors.projects.model.objects import ProjectPortal
from io_tomb_raider.formats.editors.projects.model.project import Project, read_project
from io_tomb_raider.formats.editors.projects.model.settings import GameVersion
from io_tomb_raider.formats.editors.projects.model.shape import face_keys
from io_tomb_raider.formats.levels.textures.png import encode_png
from io_tomb_raider.scene.authoring.mesh_from_sectors.room import draw_changed, draw_room
from io_tomb_raider.scene.core.membership import collision_of, members_of
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.core.space import Space
from io_tomb_raider.scene.core.subjects import Kind
from io_tomb_raider.scene.interop.projects.imports import import_project
from io_tomb_raider.scene.interop.projects.project import export_project
from io_tomb_raider.scene.subjects.collision.edit import CollisionEdit
from tests.sample_projects import sample_project

Polygons = Counter[tuple[tuple[int, ...], ...]]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with its texture."""
    folder = tmp_path_factory.mktemp("project")
    project = sample_project(GameVersion.TR4)
    for each in project.settings.textures:
        if each.path:
            each.path = "$(LevelDirectory)\\texture.png"
    pixels = np.random.default_rng(1).integers(0, 255, (256, 256, 4)).astype(np.uint8)
    pixels[..., 3] = 255
    (folder / "texture.png").write_bytes(encode_png(pixels))
    (folder / "made.prj2").write_bytes(project.to_bytes())
    return folder / "made.prj2"


@pytest.fixture
def root(blender: ModuleType, path: Path) -> Iterator[Collection]:
    yield import_project(path).context.root


def _rooms(root: Collection) -> dict[str, Object]:
    return {room.name.split(".")[0]: room for room in members_of(root, Kind.ROOM)}


def _save(root: Collection, path: Path) -> Project:
    target = path.with_name("saved.prj2")
    export_project(root, target, report=Report())
    return read_project(target)


def _edit(root: Collection, room: Object) -> CollisionEdit:
    obj = collision_of(room)
    assert obj is not None
    return CollisionEdit(obj, Game[root.tomb_raider.game], Space.of(root))


def _shown(room: Object) -> Polygons:
    """Return the corners of a room's faces in units, height up."""
    mesh: Any = room.data
    points = np.rint(np.array([each.co for each in mesh.vertices]) * 512).astype(int)
    return Counter(
        tuple(sorted((int(x), int(z), int(y)) for x, y, z in points[list(face.vertices)]))
        for face in mesh.polygons
    )


def _built(project: Project, number: int, *, only: set[int] | None = None) -> Polygons:
    rooms = ProjectRooms(project.rooms)
    room = next(each for each in project.rooms if each.number == number)
    faces = room_faces(rooms, room)
    keys = face_keys(faces.sector, faces.face).tolist()
    return Counter(
        tuple(sorted({(int(x), int(y) + room.y, int(z)) for x, y, z in corners}))
        for key, corners in zip(keys, faces.corners.tolist(), strict=True)
        if only is None or key in only
    )


def test_drawing_unedited_rooms_changes_neither_rooms_nor_project(root: Collection, path: Path) -> None:
    for room in _rooms(root).values():
        before = _shown(room)
        draw_room(root, room)
        assert _shown(room) == before and sum(before.values()) > 30
    _save(root, path)
    assert path.with_name("saved.prj2").read_bytes() == path.read_bytes()


def test_a_raised_block_shows_the_walls_of_the_editor(root: Collection, path: Path) -> None:
    room = _rooms(root)["Room 2"]
    draw_room(root, room)
    before = _shown(room)
    edit = _edit(root, room)
    place = 3 * 6 + 2  # x 3, z 2
    edit.sectors.floor.heights[place] -= 1536
    edit.write()
    assert draw_changed(root) == [room]
    added = _shown(room) - before
    low, high = 0, 1536
    wall = ((3072, low, 2048), (3072, low, 3072), (3072, high, 2048), (3072, high, 3072))
    assert added[tuple(sorted(wall))] == 1, "one face up to the block, however high it is"
    assert sum(added.values()) == 5
    saved = _save(root, path)
    dry = next(each for each in saved.rooms if each.number == 2)
    assert (dry.shape.floor.heights[2, 3] == 1536).all()
    textured = face_keys(dry.shape.faces["sector"], dry.shape.faces["face"])
    assert {int(each) for each in face_keys(np.full(4, 2 * 6 + 3), np.arange(4))} <= set(textured.tolist())
    assert not [each for each in dry.objects if not isinstance(each, ProjectPortal)], "nothing is imported"


def test_a_wall_below_a_portal_leaves_the_portal_as_it_is(root: Collection, path: Path) -> None:
    before = {each.number: each for room in read_project(path).rooms for each in room.each(ProjectPortal)}
    edit = _edit(root, _rooms(root)["Room 0"])
    assert not edit.sectors.wall[7]
    edit.sectors.wall[7] = True
    edit.write()
    saved = _save(root, path)
    assert saved.rooms[0].shape.wall[1, 1]
    after = {each.number: each for room in saved.rooms for each in room.each(ProjectPortal)}
    assert after == before and any(each.opacity for each in after.values())


_HEIGHTS = st.integers(-4, 4).map(lambda each: 256 * each)
_EDITS = st.lists(
    st.tuples(
        st.integers(0, 35),
        st.sampled_from(["floor", "ceiling", "wall", "slope"]),
        _HEIGHTS,
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_EDITS, st.sampled_from(["Room 0", "Room 2"]))
@example([(14, "wall", 0)] * 2, "Room 0")  # a flat floor, in a room that is higher than its lowest floor
def test_meshes_of_edited_sectors_equal_those_of_the_saved_project(
    blender: ModuleType, path: Path, edits: list[tuple[int, str, int]], name: str
) -> None:
    root = import_project(path).context.root
    room = _rooms(root)[name]
    draw_room(root, room)
    edit = _edit(root, room)
    sectors = edit.sectors
    for place, kind, height in edits:
        x, z = divmod(place, 6)
        if not (0 < x < 5 and 0 < z < 5) or sectors.portal[place] >= 0:
            continue  # the border, or a wall that leads to the room above
        if kind == "wall":
            sectors.wall[place] = not sectors.wall[place]
            sectors.floor.heights[place], sectors.ceiling.heights[place] = 0, -2048
        elif sectors.wall[place] or (kind == "slope" and sectors.floor.split[place]):
            continue  # a project's step has one level half
        elif kind == "slope":
            sectors.floor.heights[place, :, :2] -= 256
        else:
            getattr(sectors, kind).heights[place] -= height
    edit.write()
    draw_changed(root)
    number = int(name[-1])
    project = read_project(path)
    source = next(each for each in project.rooms if each.number == number)
    rooms = ProjectRooms(project.rooms)
    before = room_faces(rooms, source)
    # Faces without a texture have that of the project.
    assert project.settings.default_texture.texture >= 0
    records = source.shape.faces[source.shape.faces["texture"] < 0]
    hidden = set(face_keys(before.sector, before.face).tolist()) & set(
        face_keys(records["sector"], records["face"]).tolist()
    )
    saved = _save(root, path)
    room_saved = next(each for each in saved.rooms if each.number == number)
    after = room_faces(ProjectRooms(saved.rooms), room_saved)
    shown = set(face_keys(after.sector, after.face).tolist()) - hidden
    assert _shown(room) == _built(saved, number, only=shown)
