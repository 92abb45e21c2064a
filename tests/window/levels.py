"""Script that writes a generated level of each game, `red.png`, and a tile set:

`blender --background --python FILE -- FOLDER`.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import numpy as np

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.textures.png import encode_png
from tests.animation_samples import anim_file
from tests.sample_levels import sample_bytes
from tests.window.levels_of_games import ANIMATION, NAMES, SHADES, TILE, TILE_COLORS, TILES


def write_tiles(path: Path) -> None:
    """Write the tile set: its quarters have different shades, so that they show how a tile is turned."""
    colors = np.array([*TILE_COLORS.values()])[:, None] * np.array(SHADES)[:, None]
    row, column = np.indices((TILE, TILE * len(TILE_COLORS)))
    pixels = column // TILE * len(SHADES) + row * 2 // TILE * 2 + column % TILE * 2 // TILE
    path.write_bytes(encode_png(pixels.astype(np.uint8), np.rint(colors).reshape(-1, 3).astype(np.uint8)))


if __name__ == "__main__":
    folder = Path(sys.argv[sys.argv.index("--") + 1])
    for game, name in NAMES.items():
        (folder / name).write_bytes(sample_bytes(Game[game]))
    red = np.zeros((64, 64), np.uint8)
    (folder / "red.png").write_bytes(encode_png(red, np.array([[240, 16, 16]], np.uint8)))
    (folder / ANIMATION).write_bytes(anim_file(bones=15, name="WAVE", following=(11, 0)))
    write_tiles(folder / TILES)
