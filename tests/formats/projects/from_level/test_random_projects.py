"""Property-based test of projects that are compiled, made from that level again, and compiled once more."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from io_tomb_raider.formats.level.decoded import Decoded
from io_tomb_raider.formats.projects.compile.compile import compile_project
from io_tomb_raider.formats.projects.compile.resources import Resources, paths_of
from io_tomb_raider.formats.projects.from_level.faces import faces_of
from io_tomb_raider.formats.projects.from_level.from_level import project_of
from io_tomb_raider.formats.projects.from_level.textures import textures_of
from io_tomb_raider.formats.projects.geometry import room_faces
from io_tomb_raider.formats.projects.objects import Light, Moveable, Parameter, ParameterKind, Trigger
from io_tomb_raider.formats.projects.openings import ProjectRooms
from io_tomb_raider.formats.projects.project import GameVersion, LevelTexture, Project, Settings
from io_tomb_raider.formats.projects.rooms import Room
from io_tomb_raider.formats.projects.shape import FACE
from io_tomb_raider.formats.textures.png import encode_png
from tests.formats.projects.compiling import load_png
from tests.formats.projects.random_rooms import worlds

_TILE = 32
_SIDE = 256
_SAME_TEXELS = 0.999


def _project(rooms: Sequence[Room], seed: int, version: int) -> Project:
    """Return a project with textures on all faces, an entity, a light and a trigger."""
    random = np.random.default_rng(seed)
    links = ProjectRooms(rooms)
    numbers = iter(range(10_000, 20_000))
    for room in rooms:
        built = room_faces(links, room)
        records = np.zeros(len(built.sector), FACE)
        records["sector"], records["face"] = built.sector, built.face
        start = random.integers(0, _SIDE // _TILE, (len(records), 1, 2)) * _TILE
        turn = random.integers(0, 4, len(records))
        corners = np.array([[0, 1], [0, 0], [1, 0], [1, 1]])[(np.arange(4) + turn[:, None]) % 4] * _TILE
        corners[built.count == 3, 3] = corners[built.count == 3, 2]
        records["corners"] = start + corners
        room.shape.faces = records
        for z, x in np.argwhere(~room.shape.wall)[:1].tolist():
            middle = (x + 0.5) * 1024, float(room.shape.floor.heights[z, x].max()), (z + 0.5) * 1024
            entity = Moveable(next(numbers), middle, slot=41, y=90.0, ocb=3, code_bits=5)
            light = Light(next(numbers), (middle[0], middle[1] + 512, middle[2]))
            trigger = Trigger(
                next(numbers), (x, z, x, z), target=Parameter(ParameterKind.OBJECT, entity.number)
            )
            room.objects += [entity, light, trigger]
    made = Settings(game_version=version, dither=False)
    made.textures = [LevelTexture(0, "$(LevelDirectory)\\tiles.png", magenta=False)]
    return Project(made, list(rooms))


def _compiled(project: Project, folder: Path) -> Decoded:
    resources = Resources(paths_of(project.settings, folder / "made.prj2"), load_png)
    return Decoded(compile_project(project, resources, keep_missing=True).level)


def _triangles(decoded: Decoded, index: int) -> set[Any]:
    """Return the triangles of a room with their texels: places, and pixels within the face's rectangle."""
    game, room = decoded.level.game, decoded.level.rooms[index]
    faces = faces_of(game, room, 0)
    textures, texels = textures_of(decoded, faces), decoded.texels
    found = set()
    for face in np.flatnonzero(textures.exists & (faces.areas > 0)).tolist():
        parts = [(0, 1, 2)] if faces.triangle[face] else [(0, 1, 2), (0, 2, 3)]
        for part in parts:
            corners = textures.corners[face, list(part)]
            low = np.floor(corners.min(axis=0) + 0.01).astype(int)
            high = np.ceil(corners.max(axis=0) - 0.01).astype(int)
            page, top = divmod(int(low[1]), _SIDE)
            shown = texels[page, top : top + high[1] - low[1], low[0] : high[0]].tobytes()
            places = [tuple(row) for row in np.rint(faces.points[face, list(part)]).astype(int).tolist()]
            rows = np.rint((corners - low) * 2).astype(int).tolist()
            first = min(range(3), key=places.__getitem__)
            order = [(first + step) % 3 for step in range(3)]
            found.add((tuple(places[at] for at in order), tuple(tuple(rows[at]) for at in order), shown))
    return found


@settings(max_examples=25, deadline=None)
@given(
    worlds(wild=False),
    st.integers(0, 1 << 16),
    st.sampled_from([GameVersion.TR3, GameVersion.TR4, GameVersion.TRNG]),
)
def test_a_project_made_of_a_compiled_level_compiles_to_the_same_level(
    rooms: list[Room], seed: int, version: int
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tiles = np.random.default_rng(seed).integers(0, 32, (_SIDE, _SIDE, 4)).astype(np.uint8) << 3
        tiles[..., 3] = 255
        (folder / "tiles.png").write_bytes(encode_png(tiles))
        before = _compiled(_project(rooms, seed, version), folder)
        made = project_of(before, "again")
        for each, content in made.files.items():
            (folder / each).write_bytes(content)
        after = _compiled(made.project, folder)
    _compare(before, after)


def _compare(before: Decoded, after: Decoded) -> None:
    one, other = before.sectors, after.sectors
    assert np.array_equal(one.wall, other.wall)
    for name in ("room_below", "room_above", "portal", "climb", "monkey_swing", "death"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    for name in ("floor", "ceiling"):
        was, now = getattr(one, name), getattr(other, name)
        assert (was.heights == now.heights)[~one.wall].all(), name
        assert (was.open_triangle == now.open_triangle)[~one.wall].all(), name
    levels = before.level, after.level
    assert np.array_equal(levels[0].entities, levels[1].entities)
    for was, now in zip(levels[0].rooms, levels[1].rooms, strict=True):
        assert np.array_equal(was.lights, now.lights)
        assert _portals(was) == _portals(now)
    lists = [
        [
            [each for each in decoded.floor_lists.lists[index]] if index else []
            for index in decoded.indices.tolist()
        ]
        for decoded in (before, after)
    ]
    assert lists[0] == lists[1]
    total = same = 0
    for index in range(len(levels[0].rooms)):
        was, now = _triangles(before, index), _triangles(after, index)
        total, same = total + len(was), same + len(was & now)
    assert same >= _SAME_TEXELS * total


def _portals(room: Any) -> list[Any]:
    """Return the portals of a room with their outlines, in any order."""
    return sorted((int(each["room"]), sorted(map(tuple, each["vertices"].tolist()))) for each in room.portals)


def test_the_comparison_sees_a_difference() -> None:
    room = Room(0, "Room", 4, 0, 4, replace_shape())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tiles.png").write_bytes(encode_png(np.full((_SIDE, _SIDE, 4), 255, np.uint8)))
        one = _compiled(_project([room], 1, GameVersion.TR4), folder)
        room.shape.floor.heights[2, 2] += 256
        other = _compiled(_project([replace(room, objects=[])], 1, GameVersion.TR4), folder)
    try:
        _compare(one, other)
    except AssertionError:
        return
    raise RuntimeError("a raised floor makes no difference")


def replace_shape() -> Any:
    """Return the sectors of a small room."""
    from io_tomb_raider.formats.projects.shape import RoomShape

    return RoomShape.empty(5, 5)
