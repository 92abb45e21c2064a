"""Conversion of room sectors to another game (documentation, chapters 3.2.3 and 4.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.units import CLICK
from ..collision.sectors import STONE, Sectors, supports
from ..collision.surfaces import TRIANGLES, Split, Surface
from ..games import Game

_WALKABLE = 2  # clicks by which a walkable floor may rise over a sector


@dataclass(frozen=True)
class Flattened:
    """Converted sectors.

    Attributes:
        sectors: the sectors for the target game.
        bent: (k,) indices of those whose floor or ceiling was reduced from two planes to one.
        lost: by unsupported attribute, the indices of the sectors that had it.
    """

    sectors: Sectors
    bent: NDArray[np.int64]
    lost: dict[str, NDArray[np.int64]]


def converted_sectors(sectors: Sectors, source: Game, target: Game) -> Flattened:
    """Return the sectors of a room for another game. Boxes are omitted: they are recomputed.

    Args:
        sectors: of the room, rounded by ``round_surface``; modified in place.
        source, target: the games.
    """
    lost: dict[str, NDArray[np.int64]] = {}
    for name in ("climb", "monkey_swing", "deferred", "beetle", "stopper"):
        values: NDArray[Any] = getattr(sectors, name)
        means_other = name in ("deferred", "beetle") and _has_carts(source) != _has_carts(target)
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
            bent |= _flatten(surface, room) & ~sectors.wall
    return Flattened(sectors, np.flatnonzero(bent), lost)


def _has_carts(game: Game) -> bool:
    """Return whether two marks of sectors turn mine carts instead of deferring triggers."""
    return game is Game.TR3


def _flatten(surface: Surface, room: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Replace divided floors or ceilings by planes; return which were not one plane.

    If one triangle is open, the whole sector opens to the room. Otherwise the plane is that of the walkable
    triangle, or of the higher one if both are.
    """
    divided = surface.split != Split.NONE
    clicks = surface.heights // CLICK
    bent = divided & (clicks[:, 0] != clicks[:, 1]).any(axis=1)
    slopes = np.abs(np.stack([clicks[..., 0] - clicks[..., 2], clicks[..., 0] - clicks[..., 1]], axis=-1))
    steep = slopes.max(axis=-1) > _WALKABLE
    corners = np.take_along_axis(clicks, TRIANGLES[surface.split], axis=2)
    higher = corners.mean(axis=2)
    chosen = np.where(steep[:, 0] == steep[:, 1], higher[:, 1] < higher[:, 0], steep[:, 0]).astype(np.int64)
    half_open = divided & (surface.open_triangle >= 0) & (room >= 0)
    chosen = np.where(half_open, np.maximum(surface.open_triangle, 0), chosen)
    plane = surface.heights[np.arange(len(chosen)), chosen]
    surface.heights = np.where(divided[:, None, None], plane[:, None, :], surface.heights)
    closed = divided & ~half_open & (surface.open_triangle >= 0)
    surface.split = np.zeros_like(surface.split)
    surface.open_triangle = np.full_like(surface.open_triangle, -1)
    return bent | half_open | closed
