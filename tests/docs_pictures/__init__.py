"""Pictures of the pages in docs/, rendered from generated levels: `python -m tests.docs_pictures [PAGE ...]`.

Each page has a module of the same name, whose function `draw` gets the path of the picture to write.
"""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats.textures.png import encode_png

FOLDER = Path(__file__).parent.parent.parent / "docs" / "pictures"


def empty_file() -> None:
    """Open a new, empty file."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def save(path: Path, pixels: NDArray[np.uint8]) -> None:
    """Write a picture, (height, width, 4), with the best 256 colors, so that the file is small."""
    flat = pixels[..., :3].reshape(-1, 3)
    coarse = (flat >> 3).astype(np.int64) @ (1 << np.array([10, 5, 0]))
    codes, inverse, counts = np.unique(coarse, return_inverse=True, return_counts=True)
    colors = np.stack([codes >> 10, codes >> 5 & 31, codes & 31], axis=1) * 255 // 31
    palette = colors[np.argsort(-counts, kind="stable")[:256]]
    nearest = np.abs(colors[:, None] - palette).sum(axis=2).argmin(axis=1).astype(np.uint8)
    indices = nearest[inverse.ravel()].reshape(pixels.shape[:2])
    path.write_bytes(encode_png(indices, palette.astype(np.uint8), level=9))
