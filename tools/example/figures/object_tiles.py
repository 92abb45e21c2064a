"""The tiles of the objects."""

from __future__ import annotations

from ..solids import Tiles
from .paint import Canvas, Color

STONE: Color = (150, 134, 106)
GOLD: Color = (216, 160, 44)
BRONZE: Color = (146, 100, 44)
WOOD: Color = (110, 74, 42)


def tiles() -> Tiles:
    """Return all tiles by name."""
    plain = {
        "door_top": STONE, "door_middle": STONE, "door_bottom": STONE, "door_side": STONE, "switch": STONE,
        "bronze": BRONZE, "trapdoor": WOOD, "gold": GOLD, "idol_base": STONE, "idol_body": GOLD,
        "idol_face": GOLD, "medikit": (180, 150, 104), "bandage": (220, 206, 176),
    }  # fmt: skip
    return {name: Canvas(color).weave(100 + seed).tile() for seed, (name, color) in enumerate(plain.items())}
