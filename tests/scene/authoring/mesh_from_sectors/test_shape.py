"""Faces of sectors: places, directions, cuts, and collision computed from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.collision.grid import SectorGrid
from io_tomb_raider.formats.levels.collision.sector_fit import fit_sectors
from io_tomb_raider.formats.levels.collision.sectors import Sectors, wall_sectors
from io_tomb_raider.formats.levels.collision.surfaces import Split, round_surface
from io_tomb_raider.scene.authoring.mesh_from_sectors.shape import DrawnFaces, DrawnRole, draw_sectors
from tests.compare import same_sectors

from ..collision_from_mesh.landscapes import landscapes

STEP = 256


def draw(sectors: Sectors, size: tuple[int, int]) -> DrawnFaces:
    grid = SectorGrid([size])
    return draw_sectors(sectors, grid, np.zeros(len(grid), bool))


def two_sectors(floors: Any, ceilings: Any, game: Game = Game.TR4) -> Sectors:
    """Return two sectors along x, at 1, 1 and 2, 1 of four by three, with heights of corners in steps."""
    sectors = wall_sectors(12, game)
    for place, floor, ceiling in zip((4, 7), floors, ceilings, strict=True):
        sectors.wall[place] = False
        for surface, heights in ((sectors.floor, floor), (sectors.ceiling, ceiling)):
            surface.heights[place] = -np.broadcast_to(np.array(heights), 4) * STEP
    sectors.floor, sectors.ceiling = round_surface(sectors.floor, game), round_surface(sectors.ceiling, game)
    return sectors


def triangles(drawn: DrawnFaces) -> NDArray[Any]:
    """Return the corners of all triangles, (t, 3, 3), in Blender's winding order."""
    quads = drawn.points[drawn.sizes == 4]
    return np.concatenate([drawn.points[:, :3], quads[:, [0, 2, 3]]])


def volume(drawn: DrawnFaces, origin: tuple[float, float, float] = (0, 0, 0)) -> float:
    """Return the volume that faces enclose, in sectors of a step's height; positive if they face inward.

    With holes it differs for each origin.
    """
    a, b, c = (triangles(drawn) - origin).transpose(1, 0, 2)
    return float(-np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6 / (1024 * 1024 * STEP))


def walls(drawn: DrawnFaces, role: DrawnRole, side: int | None = None) -> list[tuple[float, float]]:
    """Return the lowest and highest corner of each face of a role, in steps upward, by key."""
    found = []
    for at in np.argsort(drawn.keys):
        if drawn.roles[at] == role and side in (None, drawn.keys[at] >> 25 & 7):
            heights = -drawn.points[at, : drawn.sizes[at], 1] / STEP
            found.append((float(heights.min()), float(heights.max())))
    return found


@settings(max_examples=25, deadline=None)
@given(landscapes())
def test_drawn_landscapes_are_closed_and_give_their_sectors(
    landscape: tuple[Game, tuple[int, int], Sectors],
) -> None:
    game, size, sectors = landscape
    drawn = draw(sectors, size)
    corners = triangles(drawn)
    found = fit_sectors(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3), size, game)
    assert same_sectors(found.sectors(game), sectors)
    assert not found.spaces.inside_out
    heights = [each.corners()[~sectors.wall].mean(axis=(1, 2)) for each in (sectors.floor, sectors.ceiling)]
    space = float((heights[0] - heights[1]).sum()) / STEP
    # The ends of walls where floors intersect are rounded to whole units.
    for origin in ((0, 0, 0), (5000, 0, 0), (0, 9000, 0), (0, 0, 7000)):
        assert volume(drawn, origin) == pytest.approx(space, rel=0.002)
    assert len(np.unique(drawn.keys)) == len(drawn)
    # Texture regions fit: as high as wide, from the bottom left to the top right.
    assert drawn.places.min() > -1e-6
    assert drawn.places.max() < 1 + 1e-6


def test_a_box_is_cut_into_rows_from_the_top() -> None:
    drawn = draw(two_sectors((0, 0), (10, 10)), (4, 3))
    assert (volume(drawn), volume(drawn, (999, 999, 999))) == (20, 20)
    # Six sides of sectors, in rows of 4, 4 and the remaining 2.
    assert sorted(set(walls(drawn, DrawnRole.WALL))) == [(0, 2), (2, 6), (6, 10)]
    assert len(walls(drawn, DrawnRole.WALL)) == 18
    lowest = drawn.points[:, :, 1].max(axis=1) == 0
    rest = drawn.places[lowest & (drawn.roles == DrawnRole.WALL)]
    assert rest[..., 1].min() == 0.5  # the upper half of the texture region
    assert rest[..., 1].max() == 1
    assert not walls(drawn, DrawnRole.STEP)


def test_pieces_stand_upright_as_seen_from_within() -> None:
    drawn = draw(two_sectors((0, 0), (4, 4)), (4, 3))
    upright = drawn.roles == DrawnRole.WALL
    assert (drawn.places[upright] == [(0, 0), (1, 0), (1, 1), (0, 1)]).all()
    # Counterclockwise on the image and on the face: nothing is mirrored, not even on ceilings.
    way = np.diff(drawn.places[:, [0, 1, 2]], axis=1)
    assert (way[:, 0, 0] * way[:, 1, 1] - way[:, 0, 1] * way[:, 1, 0] > 0).all()


def test_steps_begin_at_their_upper_edge_and_walls_above_openings_at_the_ceiling() -> None:
    drawn = draw(two_sectors((0, 5), (14, 12)), (4, 3))
    assert walls(drawn, DrawnRole.STEP) == [(1, 5), (0, 1)]
    assert walls(drawn, DrawnRole.WALL, side=1)[:1] == [(12, 14)]
    assert volume(drawn) == 14 + 7


def test_crossing_floors_have_a_triangle_on_each_side() -> None:
    drawn = draw(two_sectors(((0, 0, 0, 4), (2, 2, 2, 2)), (12, 12), Game.TR1), (4, 3))
    steps = drawn.points[drawn.roles == DrawnRole.STEP]
    assert len(steps) == 2
    assert (drawn.sizes[drawn.roles == DrawnRole.STEP] == 3).all()
    assert {tuple(each) for face in steps for each in face[:3]} == {
        (2048, 0, 1024), (2048, -512, 1024), (2048, -512, 1536), (2048, -512, 2048), (2048, -1024, 2048)
    }  # fmt: skip


def test_openings_to_other_rooms_have_no_faces() -> None:
    sectors = two_sectors((0, 0), (8, 8))
    sectors.room_below[4] = 1
    sectors.room_above[7] = 1
    sectors.portal[10] = 1  # a wall next to the second sector
    drawn = draw(sectors, (4, 3))
    at = {(role, x) for role, x in zip(drawn.roles.tolist(), (drawn.keys >> 17 & 255).tolist(), strict=True)}
    assert at == {(DrawnRole.FLOOR, 2), (DrawnRole.CEILING, 1), (DrawnRole.WALL, 1), (DrawnRole.WALL, 2)}
    assert not walls(drawn, DrawnRole.WALL, side=1)
    # With the adjoining room's heights, there are a step and a wall above the opening.
    sectors.wall[10] = False
    for surface, height in ((sectors.floor, 2), (sectors.ceiling, 7)):
        surface.heights[10] = -height * STEP
    beyond = np.zeros(12, bool)
    beyond[10] = True
    drawn = draw_sectors(sectors, SectorGrid([(4, 3)]), beyond)
    assert (walls(drawn, DrawnRole.STEP), walls(drawn, DrawnRole.WALL, side=1)) == ([(0, 2)], [(7, 8)])


def test_of_a_divided_floor_only_the_closed_triangle_is_drawn_and_a_tear_is_a_step() -> None:
    sectors = two_sectors((0, 0), (8, 8))
    sectors.floor.split[4] = Split.RISING
    sectors.floor.heights[4, 1] = -3 * STEP
    drawn = draw(sectors, (4, 3))
    assert volume(drawn) == 16 - 1.5
    assert walls(drawn, DrawnRole.STEP, side=4) == [(0, 3)]
    sectors.room_below[4], sectors.floor.open_triangle[4] = 1, 0
    floors = draw(sectors, (4, 3))
    assert walls(floors, DrawnRole.FLOOR) == [(3, 3), (0, 0)]
