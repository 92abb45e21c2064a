"""Tests of the effects of vertices in compiled rooms."""

from __future__ import annotations

import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.projects.compile.plan.log import Log
from io_tomb_raider.formats.editors.projects.compile.plan.plan import CompileTarget, Plan
from io_tomb_raider.formats.editors.projects.compile.rooms.effects import vertex_effects
from io_tomb_raider.formats.editors.projects.compile.rooms.rooms import water_scheme
from io_tomb_raider.formats.editors.projects.geometry.openings import ProjectRooms
from io_tomb_raider.formats.editors.projects.model.objects import Direction, ProjectPortal
from io_tomb_raider.formats.editors.projects.model.rooms import LightEffect, ProjectRoom, RoomType

from .compile_samples import connect, plain_room

MOVES, GLOWS, STILL = 0x2000, 0x4000, 0x8000
RIM, INNER, HIGH, MIDDLE = (1, 0, 2), (2, 0, 2), (2, -3072, 2), (2.5, 0, 2.5)


def effects(
    game: Game, rooms: list[ProjectRoom], *places: tuple[float, float, float], own: int = 0, number: int = 0
) -> list[int]:
    """Return the effects of vertices of a room; x and z are in sectors."""
    plan = Plan(CompileTarget(game), rooms, Log())
    points = np.array([(x * 1024, y, z * 1024) for x, y, z in places], np.int64)
    every = np.full(len(points), own)
    return vertex_effects(plan, ProjectRooms(rooms), rooms[number], points, every).tolist()


def above(kind: int = RoomType.WATER, opacity: int = 2) -> list[ProjectRoom]:
    """Return a room above another one of a kind, with a textured surface between them."""
    rooms = [plain_room(0), plain_room(1, y=-3072)]
    connect(rooms[0], rooms[1], Direction.FLOOR, (10, 11), opacity)
    rooms[1].kind = kind
    return rooms


@pytest.mark.parametrize("kind", [RoomType.WATER, RoomType.QUICKSAND])
def test_a_surface_moves_inside(kind: int) -> None:
    assert effects(Game.TR4, above(kind), RIM, INNER, HIGH, MIDDLE) == [0, MOVES, 0, MOVES]
    assert effects(Game.TR4, above(RoomType.NORMAL), INNER) == [0]
    # One that cannot be passed is a floor.
    assert effects(Game.TR4, above(kind, opacity=1), INNER) == [0]


def test_a_surface_moves_between_four_open_sectors() -> None:
    rooms = above()
    rooms[0].shape.solid_floor[2, 2] = True
    assert effects(Game.TR4, rooms, INNER, (4, 0, 4)) == [0, MOVES]


def test_a_surface_moves_next_to_a_triangle_that_points_to_the_vertex() -> None:
    rooms = above()
    # The triangle at the corner (4, 4) is open, the other one is a slope.
    floor, ceiling = rooms[0].shape.floor, rooms[1].shape.ceiling
    for surface in (floor, ceiling):
        surface.x_equals_z[4, 4] = False
    floor.heights[4, 4] = (0, 512, 0, 0)
    assert effects(Game.TR4, rooms, (4, 0, 4)) == [MOVES]
    floor.heights[4, 4] = (0, 0, 0, 512)
    assert effects(Game.TR4, rooms, (4, 0, 4)) == [0]


def test_water_glows_up_to_its_surface_unless_its_light_meets_that_above() -> None:
    rooms = above()
    surface = (1, 0, 2)
    assert effects(Game.TR4, rooms, surface, (2, 3072, 2), number=1) == [GLOWS, GLOWS]
    rooms[1].interpolation = 1
    assert effects(Game.TR4, rooms, surface, (2, 3072, 2), number=1) == [0, GLOWS]
    rooms[0].effect = LightEffect.BOTH
    assert effects(Game.TR4, rooms, surface, number=1) == [GLOWS]
    rooms[0].effect_strength = 3
    assert effects(Game.TR4, rooms, surface, number=1) == [0]


def test_movement_stops_where_another_effect_begins() -> None:
    rooms = [plain_room(0), plain_room(1, x=5)]
    connect(rooms[0], rooms[1], Direction.POSITIVE_X, (10, 11))
    rooms[0].effect = LightEffect.MOVEMENT
    wall, beside = (5, 0, 2), (4, 0, 2)
    assert effects(Game.TR4, rooms, wall, beside) == [0, MOVES]
    rooms[1].effect = LightEffect.MOVEMENT
    assert effects(Game.TR4, rooms, wall, beside) == [MOVES, MOVES]
    rooms[0].effect = rooms[1].effect = LightEffect.DEFAULT
    assert effects(Game.TR3, rooms, wall, beside) == [0, 0]
    rooms[1].effect = LightEffect.GLOW
    assert effects(Game.TR3, rooms, wall, beside) == [STILL, 0]
    assert effects(Game.TR4, rooms, wall, beside) == [0, 0]


def test_mist_and_reflection_are_seen_in_portals() -> None:
    rooms = above()
    rooms[0].effect = LightEffect.MIST
    assert effects(Game.TR4, rooms, RIM, INNER, HIGH) == [0, MOVES | GLOWS, 0]
    rooms[0].effect = LightEffect.REFLECTION
    assert effects(Game.TR4, rooms, RIM, INNER, HIGH) == [GLOWS, MOVES | GLOWS, 0]
    rooms[1].kind = RoomType.NORMAL
    assert effects(Game.TR4, rooms, RIM, INNER) == [0, 0]


def test_effects_of_tr2_have_strengths() -> None:
    rooms = above()
    assert effects(Game.TR2, rooms, HIGH, RIM) == [16, 16 | STILL]
    # The surface flickers by the strength of the room above it.
    assert effects(Game.TR2, rooms, INNER) == [16 - 3 | STILL]
    rooms[0].effect_strength, rooms[0].effect = 4, LightEffect.BOTH
    assert effects(Game.TR2, rooms, HIGH, RIM) == [17 + 13, 16 | STILL]
    rooms[0].effect = LightEffect.MOVEMENT
    assert effects(Game.TR2, rooms, HIGH, RIM) == [16 - 12, 16 | STILL]
    rooms[0].effect = LightEffect.NONE
    assert effects(Game.TR2, rooms, HIGH, RIM) == [0, STILL]
    assert effects(Game.TR1, rooms, HIGH, RIM) == [0, 0]


def test_effects_of_merged_meshes_count_in_rooms_without() -> None:
    rooms = above()
    assert effects(Game.TR4, rooms, HIGH, own=GLOWS) == [GLOWS]
    rooms[0].effect = LightEffect.MOVEMENT
    assert effects(Game.TR4, rooms, HIGH, own=GLOWS) == [MOVES]


def test_the_water_scheme_is_that_of_the_first_water_by_x() -> None:
    rooms = [plain_room(0), plain_room(1, y=-3072), plain_room(2, y=-3072)]
    for number, area in ((1, (3, 1, 4, 4)), (2, (1, 2, 2, 4))):
        rooms[0].objects.append(ProjectPortal(10 + number, area, number, Direction.FLOOR))
        rooms[number].kind, rooms[number].effect_strength = RoomType.WATER, number
    assert water_scheme(Plan(CompileTarget(Game.TR4), rooms, Log()), rooms[0]) == 4 * 2 + 1
