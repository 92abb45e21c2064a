"""Which types of entities are pickups, by what the catalogue calls them."""

from __future__ import annotations

import re

from ..formats.games import Game
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


def is_pickup(game: Game, number: int) -> bool:
    """Tell whether entities of a type are there to be picked up, as far as their names say it."""
    name = names(game).entity(number)
    return _PICKUP.search(name) is not None and _NONE.search(name) is None
