"""Floors, ceilings and walls computed from a mesh."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.collision.grid import SectorGrid
from io_tomb_raider.formats.levels.collision.sector_fit import SectorFit, fit_sectors, storeys
from io_tomb_raider.formats.levels.collision.sectors import Sectors
from io_tomb_raider.formats.levels.collision.spaces import find_spaces
from io_tomb_raider.formats.levels.collision.surfaces import Split
from io_tomb_raider.scene.core.collision_faces import PART, FacePart
from io_tomb_raider.scene.subjects.collision.shape import collision_shape
from tests.compare import same_sectors

from .landscapes import landscapes

STEP = 256
BOTH = pytest.mark.parametrize("game", [Game.TR1, Game.TR4])


class Drawn:
    """Faces of a user's mesh: vertices in sectors along x and z, and in steps upward."""

    def __init__(self) -> None:
        self.points: list[tuple[float, float, float]] = []
        self.triangles: list[list[int]] = []

    def quad(
        self, low: tuple[float, float], high: tuple[float, float], heights: Any, up: bool = True
    ) -> None:
        """Add a floor, or a ceiling, with one height or those of its corners: -x-z, -x+z, +x-z, +x+z."""
        first = len(self.points)
        corners = [(low[0], low[1]), (low[0], high[1]), (high[0], low[1]), (high[0], high[1])]
        levels = [heights] * 4 if isinstance(heights, (int, float)) else heights
        self.points += [(x * 1024, -y * STEP, z * 1024) for (x, z), y in zip(corners, levels, strict=True)]
        for face in ((0, 2, 1), (1, 2, 3)):
            self.triangles.append([first + each for each in (face if up else face[::-1])])

    def cast(self, size: tuple[int, int] = (3, 3), game: Game = Game.TR4, storey: int = 0) -> SectorFit:
        return fit_sectors(np.array(self.points, float), np.array(self.triangles), size, game, storey)


def box(floor: Any = 0, ceiling: Any = 8) -> Drawn:
    """Return one sector in the middle of three by three."""
    drawn = Drawn()
    drawn.quad((1, 1), (2, 2), floor)
    drawn.quad((1, 1), (2, 2), ceiling, up=False)
    return drawn


def heights(surface: Any, place: int = 4) -> list[int]:
    """Return the corner heights of an undivided surface in steps, upward."""
    return [-int(each) // STEP for each in surface.span()[0][place]]


# --- Landscapes ----------------------------------------


@settings(max_examples=25, deadline=None)
@given(landscapes())
def test_the_mesh_of_a_landscape_gives_its_sectors(landscape: tuple[Game, tuple[int, int], Sectors]) -> None:
    game, size, sectors = landscape
    (arrays,) = collision_shape(sectors, SectorGrid([size]))
    triangles = []
    for start, count, part in zip(arrays.starts, arrays.sizes, arrays.face[PART], strict=True):
        corners = arrays.corners[start : start + count]
        if part != FacePart.SOLID:
            triangles += [corners[[0, each, each + 1]] for each in range(1, count - 1)]
    found = fit_sectors(arrays.positions.astype(np.float64), np.array(triangles), size, game)
    assert same_sectors(found.sectors(game), sectors)
    assert not found.error.any()
    assert not found.spaces.inside_out
    # The same mesh from outside.
    turned = fit_sectors(arrays.positions.astype(np.float64), np.array(triangles)[:, ::-1], size, game)
    assert turned.spaces.inside_out
    assert same_sectors(turned.sectors(game), sectors)


# --- Rounding ----------------------------------------


@BOTH
def test_heights_between_steps_are_rounded_and_reported(game: Game) -> None:
    found = box(0.25, 8).cast(game=game)
    assert heights(found.floor) == [0, 0, 0, 0]
    assert found.error[4] == 64
    assert found.error.sum() == 64
    assert list(np.flatnonzero(~found.wall)) == [4]


def test_smooth_ground_has_no_gaps_in_games_with_triangulated_floors() -> None:
    drawn = Drawn()
    rise = np.random.default_rng(2).uniform(0, 3, (7, 7))
    rise[2:4, 2:4] = 0.5
    for x, z in np.ndindex(6, 6):
        corners = rise[x : x + 2, z : z + 2].ravel() + np.random.default_rng(x).uniform(-1, 1, 4) * 1e-4
        drawn.quad((x + 1, z + 1), (x + 2, z + 2), corners.tolist())
        drawn.quad((x + 1, z + 1), (x + 2, z + 2), 12, up=False)
    found = drawn.cast((8, 8), Game.TR3).floor.span()[0].reshape(8, 8, 2, 2)[1:-1, 1:-1]
    assert np.array_equal(found[:-1, :, 1], found[1:, :, 0])
    assert np.array_equal(found[:, :-1, :, 1], found[:, 1:, :, 0])
    assert np.unique(found).size > 3


def test_a_bent_floor_is_a_plane_where_the_game_knows_no_triangles() -> None:
    bent = (0, 0, 0, 4)
    assert heights(box(bent).cast(game=Game.TR1).floor) == [-1, 1, 1, 3]
    found = box(bent).cast(game=Game.TR3)
    assert heights(found.floor) == [0, 0, 0, 4]
    assert found.floor.split[4] == Split.FALLING
    assert not found.error.any()


def test_the_heights_inside_a_sector_decide_its_diagonal() -> None:
    drawn = Drawn()
    drawn.quad((1, 1), (2, 2), 12, up=False)
    middle = [(1024, 0, 1024), (1024, -512, 2048), (2048, -512, 1024), (2048, 0, 2048)]
    drawn.points += middle
    drawn.triangles += [[4, 7, 5], [4, 6, 7]]  # along -x-z to +x+z, although the other line is as level
    found = drawn.cast()
    assert found.floor.split[4] == Split.RISING
    assert heights(found.floor) == [0, 2, 2, 0]


def test_corners_too_far_apart_for_triangles_are_as_low_as_the_lowest() -> None:
    found = box((0, 0, 0, 17), 40).cast(game=Game.TR3)
    assert heights(found.floor) == [0, 0, 0, 0]
    assert found.error[4] == 17 * STEP


# --- Walls, storeys ----------------------------------------


@BOTH
def test_sectors_too_low_for_lara_or_without_a_floor_are_walls(game: Game) -> None:
    assert box(0, 2.9).cast(game=game).wall[4]
    assert not box(0, 3).cast(game=game).wall[4]
    assert not box((0, 0, 2, 2), 3).cast(game=game).wall[4]  # she can stand on one side of it
    only_ceiling = Drawn()
    only_ceiling.quad((1, 1), (2, 2), 8, up=False)
    assert only_ceiling.cast(game=game).wall.all()


def test_a_floor_under_half_a_sector_is_no_floor_and_one_under_its_middle_is() -> None:
    for width, is_wall in ((0.45, True), (0.55, False)):
        drawn = Drawn()
        drawn.quad((1, 1), (1 + width, 2), 1)
        drawn.quad((1, 1), (1 + width, 2), 9, up=False)
        found = drawn.cast()
        assert found.wall[4] == is_wall
    assert heights(found.floor) == [1, 1, 1, 1]


def test_without_a_ceiling_it_is_as_high_as_the_mesh() -> None:
    drawn = Drawn()
    drawn.quad((1, 1), (2, 2), 0)
    drawn.quad((2, 1), (3, 2), 6)
    drawn.quad((2, 1), (3, 2), 12, up=False)
    found = drawn.cast((4, 3))
    assert heights(found.ceiling, 4) == [12] * 4
    assert list(np.flatnonzero(found.without_ceiling)) == [4]
    flat = Drawn()
    flat.quad((1, 1), (2, 2), 0)
    assert heights(flat.cast().ceiling) == [4] * 4  # Lara has enough height


def test_the_lowest_of_several_storeys_is_used_by_default() -> None:
    drawn = box(0, 8)
    drawn.quad((1, 1), (2, 2), 10)
    drawn.quad((1, 1), (2, 2), 15, up=False)
    drawn.quad((2, 1), (3, 2), 1)
    drawn.quad((2, 1), (3, 2), 15, up=False)
    found = drawn.cast((4, 3))
    assert list(found.storeys[[4, 7]]) == [2, 1]
    assert (heights(found.floor), heights(found.ceiling)) == ([0] * 4, [8] * 4)
    upper = drawn.cast((4, 3), storey=1)
    assert (heights(upper.floor), heights(upper.ceiling)) == ([10] * 4, [15] * 4)
    assert heights(upper.floor, 7) == [1] * 4  # the only one
    # One cut is enough, at the upper floor.
    assert list(storeys(found.spaces)) == [-10 * STEP]


def test_storeys_are_separated_by_few_cuts() -> None:
    drawn = Drawn()
    for x, levels in enumerate(((0, 5, 8, 14), (0, 6, 7, 14), (0, 4, 5, 10, 12, 16)), start=1):
        for number, level in enumerate(levels):
            drawn.quad((x, 1), (x + 1, 2), level, up=number % 2 == 0)
    found = find_spaces(np.array(drawn.points, float), np.array(drawn.triangles), (5, 3))
    assert [each // -STEP for each in storeys(found)] == [5, 7, 12]


def test_faces_close_together_are_no_storeys() -> None:
    drawn = box(0, 8)
    drawn.quad((1, 1), (2, 2), 0.05)
    found = drawn.cast()
    assert found.storeys[4] == 1
    bridge = box(0, 12)
    bridge.quad((1, 1), (2, 2), 6)
    bridge.quad((1, 1), (2, 2), 6, up=False)
    found = bridge.cast()
    assert found.storeys[4] == 2
    assert heights(found.ceiling) == [6] * 4


def test_many_rooms_are_read_fast() -> None:
    """Both large faces over many sectors and many small ones over few are fast."""
    drawn = Drawn()
    drawn.quad((1, 1), (200, 200), 0)
    drawn.quad((1, 1), (200, 200), 8, up=False)
    found = drawn.cast((201, 201))
    assert int((~found.wall).sum()) == 199 * 199
    points: NDArray[Any] = np.array(drawn.points, float)
    none = fit_sectors(points, np.zeros((0, 3), np.int64), (3, 3), Game.TR1)
    assert none.wall.all()
