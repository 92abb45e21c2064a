"""Distance fog and fog bulbs, with the constants of the games' PC programs.

Brightness is as in :mod:`.shading`, lengths are in file units. Distant objects darken, or fade into a color
in some levels of TR4 and TR5. Fog bulbs are spheres (TR4, TR5; documentation, chapter 3.2.4).
"""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

from ...base.games import Game
from ...base.units import SECTOR_SIZE
from .lights import FOG, Values, kind_of
from .shading import Triple

_FULL = 255
_START = 12 * SECTOR_SIZE
_DENSITY_STEP = 1024.0  # of TR5's densities
_LEAST_DEPTH = 14.0  # TR5: units of depth in which the densest bulb absorbs 1/255


class Bulb(NamedTuple):
    """A fog bulb."""

    radius: float  #: of its sphere.
    #: TR4: the fraction of the color in the view through its center, 1 full. TR5: the light absorbed per unit
    #: of depth, 1 full.
    strength: float
    #: (3,), TR5: the light added, relative to the light absorbed. None in TR4, where levels have one color.
    color: Triple | None


def distance_range(game: Game) -> tuple[int, int]:
    """Return the distances at which darkening begins and ends."""
    return _START, (24 if game.traits.has_light_ranges else 20) * SECTOR_SIZE


def bulb_of(game: Game, values: Values) -> Bulb | None:
    """Return the fog bulb for a light's values, None if it is no fog bulb or invisible."""
    if kind_of(game, values) != FOG:
        return None
    radius, color = float(values["outer"]), values["color"]
    if not (isfinite(radius) and radius > 0 and all(map(isfinite, color))):
        return None
    if not game.traits.has_fog_bulb_list:
        return Bulb(radius, float(color[0]), None)
    if not isfinite(values["density"]):
        return None
    depth = (90 - values["density"] / _DENSITY_STEP) * 0.8 + 0.2
    return Bulb(radius, 1 / (max(depth, _LEAST_DEPTH) * _FULL), (color[0], color[1], color[2]))
