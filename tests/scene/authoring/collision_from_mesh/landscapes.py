"""Random sectors of a room that the games can express."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.collision.grid import SectorGrid
from io_tomb_raider.formats.levels.collision.sectors import Sectors, wall_sectors
from io_tomb_raider.formats.levels.collision.surfaces import WALL, Split, round_surface

STEP = 256


@st.composite
def landscapes(draw: Any) -> tuple[Game, tuple[int, int], Sectors]:
    """Return random walls, and floors and ceilings with slopes, or divided if the game supports that."""
    game = draw(st.sampled_from([Game.TR1, Game.TR3]))
    size = draw(st.tuples(st.integers(3, 6), st.integers(3, 6)))
    numbers = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    grid = SectorGrid([size])
    sectors = wall_sectors(len(grid), game)
    inner = (grid.x > 0) & (grid.z > 0) & (grid.x < size[0] - 1) & (grid.z < size[1] - 1)
    is_open = inner & (numbers.random(len(grid)) < 0.8)
    is_open[size[1] + 1] = True
    sectors.wall = ~is_open
    for surface, level in ((sectors.floor, 0), (sectors.ceiling, -20)):
        base = numbers.integers(-4, 5, len(grid)) + level
        x, z = numbers.integers(-2, 3, (2, len(grid)))
        corners = np.stack([base, base + z, base + x, base + x + z], axis=1)
        if game.traits.has_triangulated_floors:
            bent = numbers.random(len(grid)) < 0.4
            count = int(bent.sum())
            corners[bent, numbers.integers(0, 4, count)] += numbers.integers(-3, 4, count)
            surface.split[bent] = numbers.integers(1, 3, len(grid))[bent]
        surface.heights = np.where(is_open[:, None, None], corners[:, None] * STEP, WALL * STEP).repeat(
            2, axis=1
        )
        surface.heights = surface.heights.astype(np.int32)
        surface.split[~is_open] = Split.NONE
    sectors.floor, sectors.ceiling = round_surface(sectors.floor, game), round_surface(sectors.ceiling, game)
    for surface in (sectors.floor, sectors.ceiling):
        # An unnecessary dividing line is not visible in a mesh.
        surface.split[(surface.heights[:, 0] == surface.heights[:, 1]).all(axis=1)] = Split.NONE
    return game, size, sectors
