"""Property-based test of projects that are compiled, made from that level again, and compiled once more."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats.editors.projects.compile.compile import compile_project
from io_tomb_raider.formats.editors.projects.compile.plan.resources import Resources, paths_of
from io_tomb_raider.formats.editors.projects.from_level.from_level import project_of
from io_tomb_raider.formats.editors.projects.from_level.rooms.faces import faces_of
from io_tomb_raider.formats.editors.projects.from_level.rooms.textures import textures_of
from io_tomb_raider.formats.editors.projects.geometry.geometry import room_faces
from io_tomb_raider.formats.editors.projects.geometry.openings import ProjectRooms
from io_tomb_raider.formats.editors.projects.model.objects import (
    Light,
    Moveable,
    Parameter,
    ParameterKind,
    ProjectTrigger,
)
from io_tomb_raider.formats.editors.projects.model.project import Project
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.settings import GameVersion, LevelTexture, Settings
from io_tomb_raider.formats.editors.projects.model.shape import FACE, RoomShape
from io_tomb_raider.formats.levels.textures.png import encode_png
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests.formats.editors.projects.compiling import load_png, write_files
from tests.formats.editors.projects.random_rooms import worlds

_TILE = 32
_SIDE = 256
_SAME_TEXELS = 0.999


def _project(rooms: Sequence[ProjectRoom], seed: int, version: int) -> Project:
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
            trigger = ProjectTrigger(
                next(numbers), (x, z, x, z), target=Parameter(ParameterKind.OBJECT, entity.number)
            )
            room.objects += [entity, light, trigger]
    made = Settings(game_version=version, dither=False)
    made.textures = [LevelTexture(0, "$(LevelDirectory)\\tiles.png", magenta=False)]
    return Project(made, list(rooms))


def _compiled(project: Project, folder: Path) -> Decoded:
    resources = Resources(paths_of(project.settings, folder / "made.prj2"), load_png)
    return Decoded(compile_project(project, resources, keep_missing=True).level)


class _Triangles(NamedTuple):
    """The n triangles of a room's faces: (n, 3, 3) points, (n, 3, 2) corners in pixels, (n, 3) normals."""

    points: NDArray[np.float64]
    corners: NDArray[np.float64]
    normals: NDArray[np.float64]


def _triangles(decoded: Decoded, index: int) -> _Triangles:
    """Return the faces of a room as triangles, with corners in the image of all pages."""
    game, room = decoded.level.game, decoded.level.rooms[index]
    faces = faces_of(game, room, 0)
    textures = textures_of(decoded, faces)
    shown = textures.exists & (faces.areas > 0)
    quads, rows = np.flatnonzero(shown & ~faces.triangle), np.flatnonzero(shown)
    face = np.concatenate([rows, quads])
    corner = np.concatenate([np.tile([0, 1, 2], (len(rows), 1)), np.tile([0, 2, 3], (len(quads), 1))])
    points = faces.points[face[:, None], corner]
    return _Triangles(points, textures.corners[face[:, None], corner], faces.normals[face])


# None is on the border of a pixel of a tile.
_SAMPLES = np.array([[0.61, 0.24, 0.15], [0.15, 0.61, 0.24], [0.24, 0.15, 0.61], [0.34, 0.33, 0.33]])


def _same_texels(before: Decoded, after: Decoded, index: int) -> tuple[int, int]:
    """Return the number of places on the faces of a room, and of those that show the same texel."""
    one, other = _triangles(before, index), _triangles(after, index)
    places = np.einsum("sc,ncx->nsx", _SAMPLES, one.points).reshape(-1, 3)
    if not len(other.points):
        return len(places), 0
    shown = np.einsum("sc,ncx->nsx", _SAMPLES, one.corners).reshape(-1, 2)
    facing = np.repeat(one.normals, len(_SAMPLES), axis=0) @ other.normals.T > 0.99
    start, first, second = other.points[:, 0], *(other.points[:, at] - other.points[:, 0] for at in (1, 2))
    offset = places[:, None] - start[None]
    on_plane = np.abs((offset * other.normals[None]).sum(axis=2)) < 2
    a, b, c = (first * first).sum(axis=1), (first * second).sum(axis=1), (second * second).sum(axis=1)
    d, e = (offset * first).sum(axis=2), (offset * second).sum(axis=2)
    size = a * c - b * b
    v, w = (c * d - b * e) / size, (a * e - b * d) / size
    inside = facing & on_plane & (v >= -1e-6) & (w >= -1e-6) & (v + w <= 1 + 1e-6)
    found, triangle = inside.any(axis=1), inside.argmax(axis=1)
    rows = np.arange(len(places))
    weights = np.stack([1 - v - w, v, w], axis=2)[rows, triangle]
    there = np.einsum("nc,ncx->nx", weights, other.corners[triangle])
    texels = [_texels(decoded, pixels) for decoded, pixels in ((before, shown), (after, there))]
    return len(places), int((found & (texels[0] == texels[1]).all(axis=1)).sum())


def _texels(decoded: Decoded, pixels: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the texels at places in the image of all pages, (n, 4)."""
    image = decoded.texels.reshape(-1, _SIDE, 4)
    at = np.floor(pixels + 1e-6).astype(int).clip(0, [_SIDE - 1, len(image) - 1])
    return image[at[:, 1], at[:, 0]]


@settings(max_examples=25, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(
    worlds(wild=False),
    st.integers(0, 1 << 16),
    st.sampled_from([GameVersion.TR3, GameVersion.TR4, GameVersion.TRNG]),
)
def test_a_project_made_of_a_compiled_level_compiles_to_the_same_level(
    rooms: list[ProjectRoom], seed: int, version: int
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tiles = (np.random.default_rng(seed).integers(0, 32, (_SIDE, _SIDE, 4)) << 3).astype(np.uint8)
        tiles[..., 3] = 255
        (folder / "tiles.png").write_bytes(encode_png(tiles))
        before = _compiled(_project(rooms, seed, version), folder)
        made = project_of(before, "again")
        write_files(made, folder)
        after = _compiled(made.project, folder)
    _compare(before, after)


def _compare(before: Decoded, after: Decoded) -> None:
    levels = before.level, after.level
    for was, now in zip(levels[0].rooms, levels[1].rooms, strict=True):
        for name in ("x", "z", "y_bottom", "y_top", "flags", "alternate_room"):
            assert getattr(was, name) == getattr(now, name), name
        for name in ("floor", "ceiling", "room_below", "room_above"):
            assert np.array_equal(was.sectors[name], now.sectors[name]), name
        assert np.array_equal(was.lights, now.lights)
        assert _portals(was) == _portals(now)
    assert np.array_equal(levels[0].entities, levels[1].entities)
    assert _functions(before) == _functions(after)
    total = same = 0
    for index in range(len(levels[0].rooms)):
        count, equal = _same_texels(before, after, index)
        total, same = total + count, same + equal
    assert same >= _SAME_TEXELS * total


def _functions(decoded: Decoded) -> list[Any]:
    """Return the functions of all sectors."""
    lists = decoded.floor_lists.lists
    return [tuple(lists[at]) if at else () for at in decoded.indices.tolist()]


def _portals(room: Any) -> list[Any]:
    """Return the portals of a room, in any order."""
    return sorted(
        (int(each["room"]), each["normal"].tolist(), each["vertices"].tolist()) for each in room.portals
    )


def test_the_comparison_sees_a_difference() -> None:
    room = ProjectRoom(0, "Room", 4, 0, 4, RoomShape.empty(5, 5))
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
