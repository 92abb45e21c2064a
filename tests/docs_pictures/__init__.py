"""Pictures of the pages in docs/, rendered from generated levels: `python -m tests.docs_pictures [PAGE ...]`.

Each page has a module of the same name, whose function `draw` gets the path of the picture to write.
"""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray
from PIL import Image

FOLDER = Path(__file__).parent.parent.parent / "docs" / "pictures"


def empty_file() -> None:
    """Open a new, empty file."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def save(path: Path, pixels: NDArray[np.uint8]) -> None:
    """Write a picture, (height, width, 4), with the best 256 colors, so that the file is small."""
    image = Image.fromarray(np.ascontiguousarray(pixels[..., :3]))
    best = image.quantize(256, Image.Quantize.MEDIANCUT, kmeans=1, dither=Image.Dither.NONE)
    best.save(path, optimize=True)
