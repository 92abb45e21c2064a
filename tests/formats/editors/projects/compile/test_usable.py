"""Projects with any number in any field: they compile, or are refused in words, and keep their bytes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import fields, is_dataclass
from pathlib import Path
from time import monotonic, process_time
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.formats.editors.projects.geometry.repair import repaired_rooms
from io_tomb_raider.formats.editors.projects.model.objects import (
    Camera,
    Flyby,
    Light,
    PlacedObject,
    ProjectPortal,
    Sink,
    Static,
)
from io_tomb_raider.formats.editors.projects.model.project import Project, read_project
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.settings import (
    AnimatedSet,
    AnimationFrame,
    EventNode,
    GameVersion,
)
from io_tomb_raider.formats.editors.projects.model.shape import FACE, Diagonal, RoomShape
from io_tomb_raider.formats.editors.projects.model.usable import usable_project
from io_tomb_raider.formats.editors.projects.update.update import update_project
from io_tomb_raider.formats.levels.views.decoded import Decoded

from .....sample_projects import sample_project
from .compile_samples import compiled, lara, plain_room, project_of, texture_all, written

_INTEGERS = (-1, 1 << 8, 1 << 15, -(1 << 31), (1 << 63) - 1, -(1 << 69))
_FLOATS = (float("nan"), float("inf"), float("-inf"), -3.5, 1e12, -3e38)
_SECONDS = 10.0
_UNREAD = ("source", "content", "problems")

_Path = tuple[str | int, ...]


def numbers(value: Any, path: _Path = ()) -> Iterator[tuple[_Path, float]]:
    """Yield the path of each number of a project, except those of its arrays."""
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        yield path, value
    elif is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            if each.name not in _UNREAD:
                yield from numbers(getattr(value, each.name), (*path, each.name))
    elif isinstance(value, list | tuple):
        for number, each in enumerate(value):
            yield from numbers(each, (*path, number))


def changed(value: Any, path: _Path, number: float) -> Any:
    """Return a project or a part of it with another number."""
    if not path:
        return number
    first, *rest = path
    if isinstance(value, tuple):
        found = [*value]
        found[int(first)] = changed(value[int(first)], tuple(rest), number)
        return type(value)(*found) if hasattr(value, "_fields") else tuple(found)
    if isinstance(value, list):
        value[int(first)] = changed(value[int(first)], tuple(rest), number)
    else:
        object.__setattr__(value, str(first), changed(getattr(value, str(first)), tuple(rest), number))
    return value


def attempt(project: Project, folder: Path, description: object) -> None:
    """Compile a project; it may be refused."""
    start = monotonic()
    try:
        with warnings.catch_warnings(action="error"):
            compiled(project, folder, keep=True).level.to_bytes()
    except ExportError as error:
        assert error.subject and error.problem, description
    except Exception as error:
        raise AssertionError(f"{description}: {error!r}") from error
    assert monotonic() - start < _SECONDS, description


def _sample(target: int, folder: Path) -> Project:
    """Return a project with an object of every kind, and the files that it names."""
    project = sample_project(target)
    files = project_of(project.rooms, Game.TR4, folder, target).settings
    project.settings.wads = files.wads
    project.settings.textures[0] = files.textures[0]
    return project


@pytest.mark.fuzz
@pytest.mark.parametrize("target", [GameVersion.TR1, GameVersion.TR3, GameVersion.TRNG, GameVersion.TR5])
def test_any_number_of_a_project_compiles(target: GameVersion, tmp_path: Path) -> None:
    project = _sample(target, tmp_path)
    attempt(project, tmp_path, "the sample")
    rows = [*numbers(project)]
    assert len(rows) > 400
    # Each number gets one of the values; together, the targets try all.
    for place, (path, value) in enumerate(rows[target % 4 :: 4]):
        choices = _FLOATS if isinstance(value, float) else _INTEGERS
        number = choices[(place + target) % len(choices)]
        attempt(changed(deepcopy(project), path, number), tmp_path, (path, number))


def _arrays(shape: RoomShape) -> Iterator[tuple[str, Any]]:
    """Yield the arrays of a room's sectors and faces."""
    yield "flags", shape.flags
    for name in ("floor", "ceiling"):
        surface = getattr(shape, name)
        yield from ((f"{name}.{each}", getattr(surface, each)) for each in ("heights", "diagonal", "splits"))
    yield from ((f"faces.{name}", shape.faces[name]) for name in FACE.names or () if name != "sector")


@pytest.mark.fuzz
@pytest.mark.parametrize("target", [GameVersion.TR1, GameVersion.TRNG])
def test_any_number_of_a_room_compiles(target: GameVersion, tmp_path: Path) -> None:
    project = _sample(target, tmp_path)
    random = np.random.default_rng(1)
    for name, array in list(_arrays(project.rooms[0].shape)):
        values = _FLOATS if array.dtype.kind == "f" else (-1, 18, 255, -(1 << 15), (1 << 31) - 1, (1 << 62))
        for value in values:
            damaged = deepcopy(project)
            found = dict(_arrays(damaged.rooms[0].shape))[name]
            place = tuple(int(random.integers(size)) for size in found.shape)
            with np.errstate(all="ignore"):
                found[place] = np.array(value).astype(found.dtype)
            attempt(damaged, tmp_path, (name, place, value))


# --- Single numbers ----------------------------------------------------------------------------

_HERE, _NAN = (1536.0, 0.0, 1536.0), float("nan")


@pytest.mark.parametrize(
    ("obj", "text"),
    [
        (Light(5, _HERE, intensity=_NAN), "a light has numbers that no level can have"),
        (Light(5, (1e12, 0.0, 0.0)), "a light is omitted, since its position is no place"),
        (Sink(5, (float("inf"), 0.0, 0.0)), "a sink is omitted"),
        (Flyby(5, _HERE, y=_NAN, speed=_NAN), "a flyby camera has numbers"),
        (ProjectPortal(5, (0, 1, 0, 1), direction=9), "a portal is omitted, since it has no direction"),
    ],
)
def test_objects_with_unusable_values_are_reported(obj: PlacedObject, text: str, tmp_path: Path) -> None:
    room = plain_room(0)
    room.objects = [lara(), obj]
    project = project_of([room], Game.TR4, tmp_path)
    before = project.to_bytes()
    made = compiled(project, tmp_path)
    assert [each for each in made.log.warnings if text in each], made.log.warnings
    assert project.to_bytes() == before
    assert len(written(made.level).entities) == 1


def _untouched(project: Project, folder: Path) -> bytes:
    """Return a project after an export of its level without edits."""
    data = project.to_bytes()
    made = compiled(read_project(data), folder, keep=True)
    again = read_project(data)
    updated = update_project(again, made, Decoded(written(made.level)), "edited")
    assert not updated.files and not updated.notes
    return again.to_bytes()


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (2, 3), (3, 2)])
def test_rooms_that_the_editor_refuses_keep_their_bytes(size: tuple[int, int], tmp_path: Path) -> None:
    small = ProjectRoom(1, "Small", 40, 0, 40, RoomShape.empty(*size, 2048))
    project = project_of([plain_room(0), small], Game.TR4, tmp_path)
    assert _untouched(project, tmp_path) == project.to_bytes()


@pytest.mark.parametrize("target", [GameVersion.TR2, GameVersion.TRNG])
def test_objects_with_unusable_values_keep_their_bytes(target: GameVersion, tmp_path: Path) -> None:
    room = plain_room(0)
    room.ambient = (_NAN, 1.0, 1.0)
    room.objects = [
        lara(),
        *(Light(5 + each, _HERE, intensity=_NAN, outer_range=1e20, kind=each) for each in range(6)),
        Light(20, (1e12, _NAN, 0.0)),
        Sink(21, (float("inf"), 0.0, 0.0)),
        Static(22, _HERE, slot=1, color=(_NAN, 1e20, -1.0), y=_NAN),
        Camera(23, (0.0, 1e30, 0.0), mode=9),
        Flyby(24, _HERE, y=_NAN, speed=_NAN, sequence=1 << 14),
    ]
    project = project_of([room], Game.TR4, tmp_path, target)
    assert _untouched(project, tmp_path) == project.to_bytes()


def test_usual_projects_stay_the_same_object() -> None:
    project = sample_project()
    assert usable_project(project) is project


@pytest.mark.parametrize(
    "corners", [((0, 0),) * 4, ((0, 0), (0, 64), (0, 64), (0, 0)), ((0, 64), (64, 64), (64, 64), (0, 64))]
)
def test_a_flat_area_of_a_texture_gets_a_pixel(corners: Any, tmp_path: Path) -> None:
    room = plain_room(0)
    texture_all([room])
    room.shape.faces["corners"][0] = corners
    project = project_of([room], Game.TR4, tmp_path)
    made = compiled(project, tmp_path)
    width, height = made.origin.areas[:, 3:5].T
    assert (width > 0).all() and (height > 0).all()
    assert len(made.origin.quads[0]) + len(made.origin.triangles[0]) == len(room.shape.faces)


def test_frames_with_nan_corners_are_omitted(tmp_path: Path) -> None:
    room = plain_room(0)
    texture_all([room])
    project = project_of([room], Game.TR4, tmp_path)
    frames = [AnimationFrame(0, ((_NAN, 0.0), (0.0, 64.0), (64.0, 64.0), (64.0, 0.0)))] * 2
    project.settings.animated_sets = [AnimatedSet("Water", frames=frames)]
    assert any(each.startswith("Water: ") for each in compiled(project, tmp_path).log.warnings)


@pytest.mark.parametrize("diagonal", [0, 4, 18])
def test_walls_of_unknown_diagonals_are_repaired_as_without(diagonal: int) -> None:
    shape = RoomShape.empty(5, 3)
    shape.floor.splits[1, 1, 0], shape.floor.split_count[1, 1] = 4000, 1
    shape.floor.diagonal[1, 1], shape.old_walls = diagonal, True
    assert len(repaired_rooms([ProjectRoom(0, "Old", 0, 0, 0, shape)])) == 1
    usable = usable_project(Project(rooms=[ProjectRoom(0, "Old", 0, 0, 0, shape)]))
    assert usable.rooms[0].shape.floor.diagonal[1, 1] in list(Diagonal)


def test_long_chains_of_nodes_are_read_and_written_in_linear_time() -> None:
    project = sample_project(GameVersion.TOMB_ENGINE)
    sizes = 500, 8000
    seconds = []
    for count in sizes:
        nodes = [EventNode(name=str(number)) for number in range(count)]
        project.settings.volume_event_sets[0].events[0].chains = [nodes]
        start = process_time()
        data = project.to_bytes()
        again = read_project(data)
        seconds.append(process_time() - start)
        assert again.settings.volume_event_sets[0].events[0].chains == [nodes]
        assert again.to_bytes() == data
    # Copies of all that is nested would take 256 times as long.
    assert seconds[1] < 60 * seconds[0]
