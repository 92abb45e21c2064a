"""A second opinion on the rules whose break ends a reader, from the facts about readers alone.

Every rule of :mod:`io_tomb_raider.formats.edits.rules` that says so is here again under the same name,
written without its code: sections and records as the layouts read them, and plain walks over raw words.
"""

from __future__ import annotations

from io_tomb_raider.formats import Level

from . import of_animations, of_floor, of_meshes, of_models, of_rest, of_rooms, of_textures
from .raw import CRASHES, Raw

__all__ = ["CRASHES", "PARTS", "crashes"]
PARTS = (of_rooms, of_floor, of_meshes, of_models, of_animations, of_textures, of_rest)


def crashes(level: Level) -> dict[str, set[int]]:
    """Return the elements that break each rule, by its name; of rules of the whole level {0}."""
    raw = Raw(level)
    result: dict[str, set[int]] = {}
    for name, rule in CRASHES.items():
        if rule.holds(level.game, level.has_trng_footer) and (places := set(rule.check(raw))):
            result[name] = places
    return result
