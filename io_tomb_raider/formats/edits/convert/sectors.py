"""Conversion of room sectors to another game (documentation, chapters 3.2.3 and 4.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Ints
from ...base.games import Game
from ...levels.collision.sectors import STONE, Sectors, supports
from ...levels.collision.surfaces import flatten


@dataclass(frozen=True)
class Flattened:
    """Converted sectors."""

    sectors: Sectors  #: the sectors for the target game.
    #: (k,) indices of those whose floor or ceiling was reduced from two planes to one.
    bent: Ints
    lost: dict[str, Ints]  #: by unsupported attribute, the indices of the sectors that had it.


def converted_sectors(sectors: Sectors, source: Game, target: Game) -> Flattened:
    """Return the sectors of a room for another game. Boxes are omitted: they are recomputed.

    Args:
        sectors: of the room, rounded by ``round_surface``; modified in place.
    """
    lost: dict[str, Ints] = {}
    for name in ("climb", "monkey_swing", "deferred", "beetle", "stopper"):
        values: NDArray[Any] = getattr(sectors, name)
        means_other = (
            name in ("deferred", "beetle") and source.traits.has_mine_carts != target.traits.has_mine_carts
        )
        if values.any() and (means_other or not supports(target, name)):
            lost[name] = np.flatnonzero(values)
            setattr(sectors, name, np.zeros_like(values))
    if target.traits.has_materials and not source.traits.has_materials:
        sectors.material = np.full(len(sectors.wall), STONE, np.uint8)
    elif not target.traits.has_materials:
        sectors.material = np.zeros(len(sectors.wall), np.uint8)
    sectors.box = np.full(len(sectors.wall), -1, np.int32)
    bent = np.zeros(len(sectors.wall), bool)
    if not target.traits.has_triangulated_floors:
        for surface, room in ((sectors.floor, sectors.room_below), (sectors.ceiling, sectors.room_above)):
            bent |= flatten(surface, room) & ~sectors.wall
    return Flattened(sectors, np.flatnonzero(bent), lost)
