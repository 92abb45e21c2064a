"""All rules, and the check of a level by them."""

from __future__ import annotations

from collections.abc import Iterator

from ..checks.findings import Finding
from ..level.decoded import Decoded
from . import animations, boxes, files, floor, meshes, models, objects, rooms, sounds, textures
from .rule import Rule

RULES: tuple[Rule, ...] = (
    *files.RULES,
    *rooms.RULES,
    *floor.RULES,
    *meshes.RULES,
    *models.RULES,
    *animations.RULES,
    *textures.RULES,
    *boxes.RULES,
    *objects.RULES,
    *sounds.RULES,
)


def check_readers(checked: Decoded) -> Iterator[Finding]:
    """Find what engines and editors do not accept, by the rules of the level's game and target.

    What does the most harm is first.
    """
    for rule in sorted(RULES, key=lambda rule: -rule.harm):
        yield from rule.findings(checked)
