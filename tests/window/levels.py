"""Script that writes a generated level of each game, and `red.png`:

`blender --background --python FILE -- FOLDER`.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import numpy as np

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.textures.png import encode_png
from tests.sample_levels import sample_bytes
from tests.window.levels_of_games import NAMES

if __name__ == "__main__":
    folder = Path(sys.argv[sys.argv.index("--") + 1])
    for game, name in NAMES.items():
        (folder / name).write_bytes(sample_bytes(Game[game]))
    red = np.zeros((64, 64), np.uint8)
    (folder / "red.png").write_bytes(encode_png(red, np.array([[240, 16, 16]], np.uint8)))
