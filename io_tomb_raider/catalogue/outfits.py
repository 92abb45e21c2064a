"""The models of Lara's outfit: her body, joints, hair, holsters, and her hands with weapons."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..formats.base import LARA, Game
from .names import names

BODY = "body"
# The model that draws Lara, if it is not the one with her animations.
SKINS = {Game.TR3: 315, Game.TR4: 8, Game.TR5: 8}
# The joints between her limbs, with the bones of her body. Earlier games draw none.
JOINTS = {Game.TR4: 9, Game.TR5: 9}
# Games that draw shine wrongly on joints: vertices of limbs replace theirs there, but not the normals.
DULL_JOINTS = frozenset({Game.TR4})
# The two meshes of her body that a joint is welded to: above and below.
WELDED = {
    1: (0, 1),
    2: (1, 2),
    3: (2, 3),
    4: (0, 4),
    5: (4, 5),
    6: (5, 6),
    7: (7, 0),
    8: (7, 8),
    9: (8, 9),
    10: (9, 10),
    11: (7, 11),
    12: (11, 12),
    13: (12, 13),
    14: (14, 7),
}
# Her hair, separate since TR2.
HAIR = {Game.TR2: 2, Game.TR3: 2, Game.TR4: 30, Game.TR5: 30}
# Models of holsters, of games with separate ones: by the model of the weapon, by her own id for empty ones.
HOLSTERS: Mapping[Game, Mapping[int, int]] = {
    game: {LARA: 13, 1: 14, 2: 15, 6: 16} for game in (Game.TR4, Game.TR5)
}
# The meshes of the models of holsters by the mesh of her body that they are drawn on.
HOLSTER_MESHES = {1: 4, 4: 8}

_TORSO, _RIGHT, _LEFT, HEAD = 7, 10, 13, 14
_THIGHS, _HANDS, _ALL = (1, 4), (_RIGHT, _LEFT), tuple(range(15))
_LATE = {
    **dict.fromkeys((1, 2), _HANDS),
    **dict.fromkeys((3, 4, 5), (_RIGHT, HEAD)),
    **dict.fromkeys((6, 11, 12, 28), (_RIGHT,)),
    **dict.fromkeys((7, 29), (_LEFT,)),
    **dict.fromkeys((10, 17, 18, 19, 20), (HEAD,)),
}
# The models whose mesh of the head is a weapon on her back.
ON_BACK: Mapping[Game, tuple[int, ...]] = {
    Game.TR1: (),
    Game.TR2: (3, 6, 7, 8),
    Game.TR3: (3, 6, 7, 8, 9),
    Game.TR4: (3, 4, 5),
    Game.TR5: (3, 4, 5),
}
# The meshes that a game draws in place of those of her body, by model. Others of these models are not drawn.
DRAWN: Mapping[Game, Mapping[int, tuple[int, ...]]] = {
    Game.TR1: {
        **dict.fromkeys((1, 3), (*_THIGHS, *_HANDS)),
        2: (_TORSO, *_HANDS),  # on her back, the shotgun is a part of the torso
        4: (*_THIGHS, *_HANDS, HEAD),
        5: _ALL,
    },
    Game.TR2: {
        **dict.fromkeys((1, 4), (*_THIGHS, *_HANDS)),
        3: (*_HANDS, HEAD),
        5: (*_THIGHS, *_HANDS, HEAD),
        **dict.fromkeys((6, 7, 8), (_RIGHT, HEAD)),
        9: (_LEFT,),
    },
    Game.TR3: {
        1: (*_THIGHS, *_HANDS),
        **dict.fromkeys((3, 6, 7, 8, 9), (_RIGHT, HEAD)),
        4: (*_THIGHS, _RIGHT),
        5: (*_THIGHS, *_HANDS, HEAD),
        10: (_LEFT,),
    },
    Game.TR4: {**_LATE, **dict.fromkeys((25, 26, 27), (_RIGHT,))},
    Game.TR5: _LATE,
}

_LARA = "Lara"
# The parts of her outfit with different names in the games.
_KNOWN = {"Lara skin": "skin", "Lara skin joints": "joints", "Lara's hair": "hair", "Lara's ponytail": "hair"}
_OTHERS = re.compile(r"photo|placement|position|laser|double", re.IGNORECASE)


def outfit(game: Game, models: set[int]) -> dict[str, int]:
    """Return the models of a level that are parts of Lara's outfit, by a name that is common to all games.

    Her body is :data:`BODY`: the model that is drawn, not the one that only has the animations.
    """
    parts: dict[str, int] = {}
    for number, name in names(game).known("model").items():
        if number in models and name.startswith(_LARA) and not _OTHERS.search(name):
            parts.setdefault(_KNOWN.get(name, name.casefold()), number)
    body = parts.pop("skin", None)
    if body is None:
        body = parts.pop(_LARA.casefold(), None)
    return parts if body is None else {BODY: body, **parts}
