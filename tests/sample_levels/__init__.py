"""Small, complete, generated levels of the five games, for tests and for the project's pictures.

One scene, defined in :mod:`.plan`, is written to the files of each game: a hall with a pool, a corridor
that floods, the water below; a figure of fifteen meshes, an enemy, a switch with its door.
"""

from __future__ import annotations

from typing import Any

from io_tomb_raider.formats import Game, Variant

from .assemble import sample_bytes, sample_level

# All kinds of files: a name for test reports, the game, the variant, the options.
SAMPLES: dict[str, tuple[Game, Variant, dict[str, Any]]] = {
    "tr1": (Game.TR1, Variant.RETAIL, {}),
    "tr1-demo": (Game.TR1, Variant.DEMO, {}),
    "tr2": (Game.TR2, Variant.RETAIL, {}),
    "tr2-demo": (Game.TR2, Variant.DEMO, {}),
    "tr3": (Game.TR3, Variant.RETAIL, {}),
    "tr3-textiles": (Game.TR3, Variant.RETAIL, {"textiles_only": True}),
    "tr4": (Game.TR4, Variant.RETAIL, {}),
    "tr4-trng": (Game.TR4, Variant.RETAIL, {"trng": True}),
    "tr4-early": (Game.TR4, Variant.EARLY_DEMO, {"early_layout": 0}),
    "tr4-early-plain": (Game.TR4, Variant.EARLY_DEMO, {"early_layout": 1}),
    "tr4-early-bare": (Game.TR4, Variant.EARLY_DEMO, {"early_layout": 2}),
    "tr5": (Game.TR5, Variant.RETAIL, {}),
}

# Rules of readers that these levels break: their Lara has 12 animations, their enemy three meshes, and their
# effects one sprite. Nobody plays them.
BROKEN_RULES = frozenset(
    {
        "Lara's animations",
        "Lara's meshes",
        "Lara's states",
        "animation of menu models",
        "animations of a model",
        "effect sprites",
        "first corner of floor portals",
        "hair",
        "meshes of a model",
        "place of AI objects",
        "texture corners",
    }
)

__all__ = ["BROKEN_RULES", "SAMPLES", "named_sample", "sample_bytes", "sample_level"]


def named_sample(name: str) -> bytes:
    """Return the file of one of `SAMPLES`."""
    game, variant, options = SAMPLES[name]
    return sample_bytes(game, variant, **options)
