"""What distance and fog bulbs do to what is seen, by the numbers of the games' PC programs.

Brightness is as in :mod:`.shading`, lengths are in the units of files. What is far away gets dark, or fades
into a color in some levels of TR4 and TR5. Fog bulbs are spheres (TR4, TR5; documentation, chapter 3.2.4).
"""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

from ..base.units import SECTOR_SIZE
from ..games import Game
from .lights import FOG, Values, kind_of
from .shading import Triple

_FULL = 255
_START = 12 * SECTOR_SIZE
_DENSITY_STEP = 1024.0  # of TR5's densities
_LEAST_DEPTH = 14.0  # TR5: units through which the densest bulb takes one of 255


class Bulb(NamedTuple):
    """A fog bulb.

    Attributes:
        radius: of its sphere.
        strength: TR4: how much of what is seen through its middle gives way to the color, 1 all. TR5: how
            much a unit of the way through the sphere takes of the light, 1 full.
        color: (3,), TR5: what is added, in parts of what is taken. None in TR4, where levels have one color.
    """

    radius: float
    strength: float
    color: Triple | None


def distance_range(game: Game) -> tuple[int, int]:
    """Return where objects begin to get dark, and where nothing is left of full light."""
    return _START, (24 if game.traits.has_light_ranges else 20) * SECTOR_SIZE


def bulb_of(game: Game, values: Values) -> Bulb | None:
    """Return the fog bulb that a light is by its values, None where it is no such light or not to be seen."""
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
