"""The engine that a level is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Collection

from ...formats import Game
from ...formats.base import Limits, Target, limits_of, sector_game

if TYPE_CHECKING:
    from ...formats.levels.views import Decoded


def target_of_level(root: Collection, original: Decoded) -> Target:
    """Return the target of a level; of scenes that store none, what the original shows."""
    from ...formats.edits.rules import target_of  # properties load this module at start-up

    settings = root.tomb_raider
    return Target[settings.engine] if settings.is_property_set("engine") else target_of(original)


def chosen_target(root: Collection | None) -> Target:
    """Return the target that a level's panel shows, the original game without a level."""
    return Target.ORIGINAL if root is None else Target[root.tomb_raider.engine]


def limits_of_level(root: Collection, game: Game) -> Limits:
    """Return the limits of a level's target, were it a level of a game."""
    return limits_of(Target[root.tomb_raider.engine], game)


def sector_game_of_level(root: Collection) -> Game:
    """Return the game whose shapes and marks of sectors a level can have."""
    settings = root.tomb_raider
    return sector_game(Game[settings.game], Target[settings.engine])
