"""Types of entities that are pickups, by their names in the catalogue."""

from __future__ import annotations

import re

from ..formats.base import Game
from .names import names

_PICKUP = re.compile(
    r"medipack|ammo|pistols|shotgun|magnums|uzis|desert eagle|\bm16\b|\bmp5\b|grenade|rocket launcher"
    r"|harpoon|crossbow|revolver|hk gun|clips|shells|flares?\b|laser ?sight|crowbar|binoculars|torch"
    r"|save crystal|key item|puzzle item|pickup item|examine|secret|scion piece|lead bar|waterskin",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"animation|\(menu\)|hole|flash|filled|^lara |goon|guard|monkey|mutant|gun flare|sparkles|lens|chaff"
    r"|burning flare|flame|switch|shell\b|bolt|^grenade$|^harpoon( \d)?$|frogman|laser$",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(Key|Puzzle|Pickup) item (\d+)(?: \((?!menu)(.+)\))?$")


def is_pickup(game: Game, number: int) -> bool:
    """Return whether entities of a type are pickups, by their name."""
    name = names(game).entity(number)
    return _PICKUP.search(name) is not None and _NONE.search(name) is None


def named_item(game: Game, number: int) -> tuple[str, int, str] | None:
    """Return kind, such as ``Key``, number and name of an item that scripts name; else None."""
    match = _NAMED.match(names(game).entity(number))
    return None if match is None else (match[1], int(match[2]), match[3] or f"{match[1]} {match[2]}")
