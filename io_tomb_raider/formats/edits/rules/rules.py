"""All rules, and the check of a level by them."""

from __future__ import annotations

from collections.abc import Iterator

from ...levels.views.decoded import Decoded
from ...levels.views.findings import Finding
from . import animations, boxes, files, floor, meshes, models, objects, rooms, sounds, textures
from .rule import Rule

CHAPTERS: dict[str, tuple[Rule, ...]] = {
    "Files": files.RULES,
    "Rooms and portals": rooms.RULES,
    "Floor data and triggers": floor.RULES,
    "Meshes": meshes.RULES,
    "Models": models.RULES,
    "Animations": animations.RULES,
    "Textures and sprites": textures.RULES,
    "Boxes": boxes.RULES,
    "Entities and cameras": objects.RULES,
    "Sounds and cutscenes": sounds.RULES,
}
RULES: tuple[Rule, ...] = tuple(rule for chapter in CHAPTERS.values() for rule in chapter)


def check_readers(checked: Decoded) -> Iterator[Finding]:
    """Find what engines and editors do not accept, by the rules of the level's game and target.

    What does the most harm is first.
    """
    for rule in sorted(RULES, key=lambda rule: -rule.harm):
        yield from rule.findings(checked)
