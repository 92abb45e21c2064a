"""The tiles of the explorer."""

from __future__ import annotations

import numpy as np

from ..solids import Tiles
from .paint import Canvas, Color

SKIN: Color = (206, 152, 108)
KHAKI: Color = (168, 140, 92)
TROUSERS: Color = (92, 74, 54)
LEATHER: Color = (108, 66, 36)
BOOTS: Color = (84, 50, 30)
FELT: Color = (112, 92, 64)
HAIR: Color = (46, 30, 24)
SCARF: Color = (158, 46, 34)
DARK: Color = (30, 20, 16)
BRASS: Color = (214, 168, 74)


def _face() -> Canvas:
    canvas = Canvas(SKIN)
    return canvas


def _cloth(color: Color, seed: int) -> Canvas:
    return Canvas(color).weave(seed)


def tiles() -> Tiles:
    """Return all tiles by name."""
    plain = {
        "hips": KHAKI, "jacket_front": KHAKI, "jacket_back": KHAKI, "sleeve": KHAKI, "trousers": TROUSERS,
        "boot": BOOTS, "foot": BOOTS, "sole": DARK, "satchel": LEATHER, "leather": LEATHER, "scarf": SCARF,
        "forearm": SKIN, "hand": SKIN, "neck": SKIN, "hair": HAIR, "hat": FELT, "brim": FELT, "face": SKIN,
    }  # fmt: skip
    return {name: _cloth(color, seed).tile() for seed, (name, color) in enumerate(plain.items())}
