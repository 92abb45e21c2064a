"""Tests of what a project must have so that it compiles to the level that it was made of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from io_tomb_raider.formats.base.errors import ExportError
from io_tomb_raider.formats.base.games import Game
from io_tomb_raider.formats.editors.projects.compile.compile import compile_project
from io_tomb_raider.formats.editors.projects.compile.objects.placed import target_of_flyby
from io_tomb_raider.formats.editors.projects.compile.plan.resources import Resources, paths_of
from io_tomb_raider.formats.editors.projects.from_level.from_level import project_of
from io_tomb_raider.formats.editors.projects.from_level.rooms.parts import LevelParts
from io_tomb_raider.formats.editors.projects.from_level.rooms.placed import flyby, gray_of, light
from io_tomb_raider.formats.editors.projects.light.shades import pack_gray
from io_tomb_raider.formats.editors.projects.model.objects import (
    Direction,
    Flyby,
    Light,
    LightKind,
    Moveable,
    Parameter,
    ParameterKind,
    ProjectPortal,
    ProjectTrigger,
    Sink,
)
from io_tomb_raider.formats.editors.projects.model.project import Project, read_project
from io_tomb_raider.formats.editors.projects.model.rooms import LightEffect, ProjectRoom
from io_tomb_raider.formats.editors.projects.model.settings import GameVersion, Settings
from io_tomb_raider.formats.editors.projects.model.shape import RoomShape, SectorFlag
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests.formats.editors.projects.compiling import load_png, write_files


def _compiled(rooms: list[ProjectRoom], version: GameVersion = GameVersion.TR4) -> Decoded:
    project = Project(Settings(game_version=version), rooms)
    resources = Resources(paths_of(project.settings, Path("made.prj2")), load_png)
    return Decoded(compile_project(project, resources, keep_missing=True).level)


def _room(number: int = 0, y: int = 0) -> ProjectRoom:
    return ProjectRoom(number, f"Room {number}", 10, y, 10, RoomShape.empty(5, 5, 1024))


def _stacked(change: Callable[[ProjectRoom, ProjectRoom], None]) -> Decoded:
    """Return a level of two rooms, one above the other."""
    upper, lower = _room(0, 1024), _room(1, 0)
    upper.objects.append(ProjectPortal(10, (1, 1, 3, 3), 1, Direction.FLOOR, 0))
    lower.objects.append(ProjectPortal(11, (1, 1, 3, 3), 0, Direction.CEILING, 0))
    change(upper, lower)
    return _compiled([upper, lower])


def _again(level: Decoded, folder: Path) -> Decoded:
    """Return a level made of the project of a level."""
    made = project_of(level, "made")
    write_files(made, folder)
    project = read_project(made.project.to_bytes())
    resources = Resources(paths_of(project.settings, folder / "made.prj2"), load_png)
    return Decoded(compile_project(project, resources, keep_missing=True).level)


def test_a_wall_in_half_a_sector_keeps_its_heights() -> None:
    room = _room()
    shape = room.shape
    shape.wall[2, 2] = True
    shape.floor.diagonal[2, 2] = shape.ceiling.diagonal[2, 2] = 4
    shape.floor.heights[2, 2] = [512, 0, 512, 768]
    shape.ceiling.heights[2, 2] = [768, 1024, 768, 768]
    made = LevelParts(_compiled([room])).room(0)
    assert made.shape.wall[2, 2]
    assert made.shape.floor.diagonal[2, 2] == 4
    assert (made.shape.floor.heights[2, 2] + made.y).tolist() == [512, 0, 512, 768]
    assert (made.shape.ceiling.heights[2, 2] + made.y).tolist() == [768, 1024, 768, 768]


def test_a_portal_with_closed_sectors_stays_one_portal() -> None:
    def raise_floor(upper: ProjectRoom, _: ProjectRoom) -> None:
        upper.shape.floor.heights[1, 1] = 256

    project = project_of(_stacked(raise_floor), "made").project
    assert [each.area for each in project.rooms[0].each(ProjectPortal)] == [(1, 1, 3, 3)]


def test_a_portal_extends_to_the_ladder_next_to_it(tmp_path: Path) -> None:
    def add_ladder(upper: ProjectRoom, lower: ProjectRoom) -> None:
        lower.shape.wall[1, 1] = True
        upper.shape.floor.heights[1:4, 1:3] = 512

    level = _stacked(add_ladder)
    made = _again(level, tmp_path)
    ladder = 25 + 1 * 5 + 1
    assert level.sectors.portal[ladder] == made.sectors.portal[ladder] == 0
    assert np.array_equal(level.level.rooms[1].sectors["floor"], made.level.rooms[1].sectors["floor"])


def test_sectors_that_enemies_cannot_enter_are_marked() -> None:
    room = _room()
    room.shape.flags[2, 2] |= int(SectorFlag.NOT_WALKABLE)
    made = LevelParts(_compiled([room])).room(0)
    assert np.argwhere(made.shape.flags & SectorFlag.NOT_WALKABLE).tolist() == [[2, 2]]
    assert not made.no_pathfinding


def test_slopes_have_no_box_and_no_mark() -> None:
    room = _room()
    room.shape.floor.heights[2, 2] = [1280, 0, 768, 768]
    room.shape.floor.heights[1, 1] = [768, 768, 0, 0]
    decoded = _compiled([room])
    assert (decoded.sectors.box.reshape(5, 5)[[1, 2], [1, 2]] < 0).all()
    assert not (LevelParts(decoded).room(0).shape.flags & SectorFlag.NOT_WALKABLE).any()


def test_a_room_of_slopes_is_not_closed_to_enemies() -> None:
    room = _room()
    room.shape.floor.heights[1:4, 1:4] = [1024, 1024, 0, 0]

    def add_slopes(upper: ProjectRoom, _: ProjectRoom) -> None:
        upper.shape.floor.heights[1:4, 1:4] = [1024, 1024, 256, 256]
        upper.shape.ceiling.heights[:] = 4096

    parts = LevelParts(_stacked(add_slopes))
    assert len(parts.level.boxes)
    assert not parts.room(0).no_pathfinding


def test_only_one_trigger_of_a_sector_is_the_condition(tmp_path: Path) -> None:
    def number(value: int) -> Parameter:
        return Parameter(ParameterKind.NUMBER, value)

    room = _room()
    room.objects += [
        Moveable(20, (1536.0, 0.0, 1536.0), slot=35),
        ProjectTrigger(21, (1, 1, 1, 1), 0, 0, Parameter(ParameterKind.OBJECT, 20)),
        ProjectTrigger(22, (1, 1, 1, 1), 12, 13, number(7), timer=number(29), extra=number(2), code_bits=31),
        # A condition about an object.
        ProjectTrigger(23, (3, 3, 3, 3), 12, 13, Parameter(ParameterKind.OBJECT, 20), timer=number(31)),
        ProjectTrigger(24, (3, 3, 3, 3), 0, 9, number(5), timer=number(0)),
    ]
    level = _compiled([room], GameVersion.TRNG)
    rooms = project_of(level, "made").project.rooms
    found = [each for room in rooms for each in room.each(ProjectTrigger)]
    kinds = [(each.type, each.target_type, each.timer.value, each.extra.value) for each in found]
    assert kinds == [(12, 13, 29, 2), (0, 0, 0, 0), (12, 13, 31, 0), (0, 9, 0, 0)]
    assert found[2].target.kind == ParameterKind.OBJECT
    again = _again(level, tmp_path)
    assert again.floor_lists.lists == level.floor_lists.lists


def test_rooms_that_enemies_cannot_enter_are_marked() -> None:
    def exclude(upper: ProjectRoom, lower: ProjectRoom) -> None:
        upper.shape.floor.heights[:] = 256
        lower.no_pathfinding = True

    parts = LevelParts(_stacked(exclude))
    assert [parts.room(number).no_pathfinding for number in (0, 1)] == [False, True]


def test_effects_of_rooms_are_kept() -> None:
    room = _room()
    room.effect = LightEffect.REFLECTION
    assert LevelParts(_compiled([room])).room(0).effect == LightEffect.REFLECTION


def test_lights_and_flybys_have_the_same_direction() -> None:
    room = _room()
    room.objects += [
        Light(5, (2000.0, 500.0, 2000.0), kind=LightKind.SUN, y=270.0, x=72.39),
        Flyby(6, (2000.0, 500.0, 2000.0), y=123.4, x=-17.2),
    ]
    level = _compiled([room]).level
    sun = light(Game.TR4, room, level.rooms[0].lights[0], 1)
    assert (sun.y, round(sun.x, 2)) == (270.0, 72.39)
    view = flyby(room, level.flyby_cameras[0], 1)
    assert (
        np.rint(target_of_flyby(view)).tolist() == np.rint(target_of_flyby(next(room.each(Flyby)))).tolist()
    )


def test_currents_stay_in_the_order_of_rooms() -> None:
    def add_sinks(_: ProjectRoom, lower: ProjectRoom) -> None:
        lower.objects.append(Sink(20, (1536.0, 512.0, 1536.0), strength=1))
        lower.objects.append(Sink(21, (1536.0, 1024.0, 1536.0), strength=2))  # between both rooms

    parts = LevelParts(_stacked(add_sinks))
    assert parts.level.cameras["room"].tolist() == [1, 2]  # their strength
    assert parts.rooms_of(parts.level.cameras) == [1, 1]


def test_converted_shades_of_gray_compile_to_the_same_shades() -> None:
    shades = np.arange(0, 8192, 32)
    gray = np.array([gray_of(shade) for shade in shades.tolist()])
    assert np.array_equal(pack_gray(np.repeat(gray[:, None], 3, axis=1)), shades)


def test_small_rooms_get_walls_until_the_editor_opens_them(tmp_path: Path) -> None:
    level = _compiled([_room()]).level.copy()
    room = level.rooms[0]
    kept = room.sectors.reshape(5, 5)[1:3, 1:].copy()  # 2 sectors wide, 4 deep
    room.sectors, room.x_sectors, room.z_sectors = kept.reshape(-1), 2, 4
    made = project_of(Decoded(level), "made")
    assert made.project.rooms[0].shape.wall.shape == (4, 3)
    assert made.project.rooms[0].shape.wall[:, 2].all()
    assert level.rooms[0].x_sectors == 2
    again = _again(Decoded(level), tmp_path).level.rooms[0]
    assert (again.x_sectors, again.z_sectors, again.x) == (3, 4, room.x)


def test_projects_with_more_rooms_than_the_editor_opens_are_refused() -> None:
    project = Project(Settings(), [_room(number) for number in range(1024)])
    assert project.to_bytes()
    project.rooms.append(_room(1024))
    with pytest.raises(ExportError, match="too many rooms"):
        project.to_bytes()
