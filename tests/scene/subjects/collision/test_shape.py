"""Construction of collision: vertices and faces from the sectors of many rooms at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.collision.grid import SectorGrid
from io_tomb_raider.formats.levels.collision.sectors import Sectors, wall_sectors
from io_tomb_raider.formats.levels.collision.surfaces import TRIANGLES, Split
from io_tomb_raider.scene.core.collision_faces import PART, FacePart
from io_tomb_raider.scene.mesh.poly_mesh import MATERIAL_INDEX, PolyMesh
from io_tomb_raider.scene.subjects.collision.build import ATTRIBUTES, SECTOR_PLACE
from io_tomb_raider.scene.subjects.collision.shape import collision_shape

SECTOR = 1024
Sizes = list[tuple[int, int]]


def random_sectors(count: int, seed: int) -> Sectors:
    """Return sectors of all kinds: walls, slopes, split surfaces with and without tears."""
    numbers = np.random.default_rng(seed)
    sectors = wall_sectors(count, Game.TR4)
    sectors.wall = numbers.random(count) < 0.3
    for surface in (sectors.floor, sectors.ceiling):
        surface.split = np.where(sectors.wall, Split.NONE, numbers.integers(0, 3, count)).astype(np.uint8)
        heights = numbers.integers(-3, 3, (count, 2, 4)).astype(np.int32) * 256
        is_whole = (surface.split == Split.NONE) | (numbers.random(count) < 0.3)
        heights[is_whole, 1] = heights[is_whole, 0]
        surface.heights = heights
        opened = numbers.integers(-1, 2, count)
        surface.open_triangle = np.where(surface.split == Split.NONE, -1, opened).astype(np.int8)
    for name in ("room_below", "room_above", "portal", "box"):
        setattr(sectors, name, numbers.integers(-1, 4, count).astype(np.int32))
    sectors.climb = numbers.integers(0, 16, count).astype(np.uint8)
    sectors.death = numbers.random(count) < 0.1
    return sectors


some_rooms = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=4)


@settings(deadline=None)
@given(some_rooms, st.integers(0, 2**32 - 1))
def test_shapes_of_several_rooms_equal_those_of_single_rooms(sizes: Sizes, seed: int) -> None:
    grid = SectorGrid(sizes)
    sectors = random_sectors(len(grid), seed)
    together = collision_shape(sectors, grid)
    assert len(together) == len(list(together)) == len(sizes)
    for number, size in enumerate(sizes):
        mine = sectors.take(slice(*grid.starts[number : number + 2]))
        (alone,) = collision_shape(mine, SectorGrid([size]))
        one = together[number]
        for name in ("positions", "corners", "sizes", "starts"):
            assert getattr(one, name).dtype == np.int32
            assert np.array_equal(getattr(one, name), getattr(alone, name))
        assert set(one.face) == {*ATTRIBUTES, MATERIAL_INDEX}
        assert all(np.array_equal(one.face[name], alone.face[name]) for name in one.face)
    with pytest.raises(IndexError):
        together[len(sizes)]


def corners_of_faces(arrays: PolyMesh, part: FacePart, place: int) -> list[set[tuple[int, int, int]]]:
    """Return where the corners of a sector's faces are, those of one part in their order."""
    which = np.flatnonzero((arrays.face[PART] == part) & (arrays.face[SECTOR_PLACE] == place))
    found = []
    for start, size in zip(arrays.starts[which].tolist(), arrays.sizes[which].tolist(), strict=True):
        corners = arrays.positions[arrays.corners[start : start + size]]
        found.append({(x, y, z) for x, y, z in corners.tolist()})
    return found


@settings(deadline=None)
@given(st.tuples(st.integers(1, 3), st.integers(1, 3)), st.integers(0, 2**32 - 1))
def test_faces_of_floors_and_ceilings_match_the_sectors(size: tuple[int, int], seed: int) -> None:
    grid = SectorGrid([size])
    sectors = random_sectors(len(grid), seed)
    (arrays,) = collision_shape(sectors, grid)
    for place in range(len(grid)):
        for part, surface in ((FacePart.FLOOR, sectors.floor), (FacePart.CEILING, sectors.ceiling)):
            split, heights = int(surface.split[place]), surface.heights[place]
            triangles = [range(4)] if split == Split.NONE else TRIANGLES[split].tolist()
            wanted = [
                {
                    (
                        int(grid.x[place] + corner // 2) * SECTOR,
                        int(heights[number, corner]),
                        int(grid.z[place] + corner % 2) * SECTOR,
                    )
                    for corner in corners
                }
                for number, corners in enumerate(triangles)
            ]
            assert corners_of_faces(arrays, part, place) == ([] if sectors.wall[place] else wanted)
        assert len(corners_of_faces(arrays, FacePart.SOLID, place)) == sectors.wall[place]
