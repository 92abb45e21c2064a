"""Tests of rooms that are computed at once: the results are those of the single rooms."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats.editors.projects.geometry import geometry
from io_tomb_raider.formats.editors.projects.geometry.faces import Faces, textured_faces_of
from io_tomb_raider.formats.editors.projects.geometry.geometry import faces_of_rooms, room_faces
from io_tomb_raider.formats.editors.projects.geometry.openings import ProjectRooms
from io_tomb_raider.formats.editors.projects.light import light
from io_tomb_raider.formats.editors.projects.light.light import room_shades
from io_tomb_raider.formats.editors.projects.model.objects import Light, LightKind
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.shape import FACE

from .random_rooms import worlds

pytestmark = pytest.mark.once

_FIELDS = ("sector", "face", "count", "corners")


@pytest.fixture(params=[0, 40, 1 << 14])
def at_once(request: pytest.FixtureRequest) -> Iterator[int]:
    """Return after how many sectors and faces a new group of rooms begins."""
    with (
        patch.object(geometry, "_MOST_SECTORS", request.param),
        patch.object(light, "_MOST_FACES", request.param),
    ):
        yield request.param


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("wild", [False, True])
def test_faces_and_light(wild: bool) -> None:
    @given(worlds(wild=wild))
    def check(rooms: list[ProjectRoom]) -> None:
        _compare(rooms)

    check()


def _compare(rooms: list[ProjectRoom]) -> None:
    for number, room in enumerate(rooms):
        room.objects += [
            Light(
                100 + index,
                (1800.0 + 700 * index, 600.0, 2100.0),
                kind=kind,
                quality=1 + (number + index) % 3,
            )
            for index, kind in enumerate((LightKind.POINT, LightKind.SUN)[: number % 3])
        ]
    project = ProjectRooms(rooms)
    single = [room_faces(project, room) for room in rooms]
    made = faces_of_rooms(project, rooms)
    assert len(made) == len(rooms)
    for one, other in zip(single, made, strict=True):
        assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in _FIELDS)
    shades = room_shades(rooms, made)
    for room, faces, found in zip(rooms, single, shades, strict=True):
        assert np.array_equal(room_shades([room], [faces])[0], found)


@given(worlds(wild=False), st.integers(0, 1 << 30))
def test_textured_faces(rooms: list[ProjectRoom], seed: int) -> None:
    random = np.random.default_rng(seed)
    faces = faces_of_rooms(ProjectRooms(rooms), rooms)
    for room, own in zip(rooms, faces, strict=True):
        _texture(room, own, random)
    found = textured_faces_of(rooms, faces)
    single = [textured_faces_of([room], [own]) for room, own in zip(rooms, faces, strict=True)]
    starts = np.cumsum([0, *map(len, faces)])
    records = np.cumsum([0, *(len(room.shape.faces) for room in rooms)])
    assert (
        found.face.tolist()
        == np.concatenate([one.face + start for one, start in zip(single, starts, strict=False)]).tolist()
    )
    assert (
        found.record.tolist()
        == np.concatenate([one.record + start for one, start in zip(single, records, strict=False)]).tolist()
    )
    for name in ("count", "positions", "corners"):
        assert np.array_equal(getattr(found, name), np.concatenate([getattr(one, name) for one in single]))


def _texture(room: ProjectRoom, faces: Faces, random: np.random.Generator) -> None:
    """Give faces textures in any order, some twice, some of sectors that do not exist."""
    rows = random.integers(0, max(len(faces), 1), len(faces))
    records = np.zeros(len(rows), FACE)
    records["sector"], records["face"] = faces.sector[rows], faces.face[rows]
    records["sector"][:2] += room.shape.wall.size
    records["texture"] = random.integers(-1, 3, len(rows))
    records["corners"] = random.integers(0, 64, (len(rows), 4, 2))
    room.shape.faces = records
