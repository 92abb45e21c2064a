"""The models of Lara's outfit: her body, joints, hair, holsters, and her hands with weapons."""

from __future__ import annotations

import re

from ..formats.games import Game
from .names import names

BODY = "body"
# The model that draws Lara, if it is not the one with her animations.
SKINS = {Game.TR3: 315, Game.TR4: 8, Game.TR5: 8}
_LARA = "Lara"
# The parts of her outfit with different names in the games.
_KNOWN = {"Lara skin": "skin", "Lara skin joints": "joints", "Lara's hair": "hair", "Lara's ponytail": "hair"}
_OTHERS = re.compile(r"photo|placement|position|laser|double", re.IGNORECASE)


def outfit(game: Game, there: set[int]) -> dict[str, int]:
    """Return the models of a level that are parts of Lara's outfit, by a name that is common to all games.

    Her body is :data:`BODY`: the model that is drawn, not the one that only has the animations.

    Args:
        game: the game.
        there: the models that the level has.
    """
    found: dict[str, int] = {}
    for number, name in names(game).known("model").items():
        if number in there and name.startswith(_LARA) and not _OTHERS.search(name):
            found.setdefault(_KNOWN.get(name, name.casefold()), number)
    body = found.pop("skin", None)
    if body is not None:
        return {BODY: body, **found}
    own = found.pop(_LARA.casefold(), None)
    return found if own is None else {BODY: own, **found}
