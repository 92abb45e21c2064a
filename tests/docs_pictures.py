"""The pictures of the pages in docs/, drawn of generated levels: `python -m tests.docs_pictures [PAGE ...]`.

One function per page; its name is the page's. It gets the path of the picture to write.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from math import cos, pi, sin
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.cutscenes import Actor, Cutscene
from io_tomb_raider.formats.png import encode_png

from . import pictures
from .sample_levels import sample_bytes

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
_SIZE = 320, 240


def _empty() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def save(path: Path, pixels: NDArray[np.uint8]) -> None:
    """Write a picture, (height, width, 4), in the 256 colors that show it best, so that it is small."""
    flat = pixels[..., :3].reshape(-1, 3)
    coarse = (flat >> 3).astype(np.int64) @ (1 << np.array([10, 5, 0]))
    codes, inverse, counts = np.unique(coarse, return_inverse=True, return_counts=True)
    colors = np.stack([codes >> 10, codes >> 5 & 31, codes & 31], axis=1) * 255 // 31
    palette = colors[np.argsort(-counts, kind="stable")[:256]]
    nearest = np.abs(colors[:, None] - palette).sum(axis=2).argmin(axis=1).astype(np.uint8)
    indices = nearest[inverse.ravel()].reshape(pixels.shape[:2])
    path.write_bytes(encode_png(indices, palette.astype(np.uint8), level=9))


# --- Cutscenes -------------------------------------------------------------------------------------------


def cutscenes(path: Path) -> None:
    """Three moments of a cutscene as its camera sees them."""
    from io_tomb_raider.scene.cutscenes import import_cutscene
    from io_tomb_raider.scene.importer import import_level

    _empty()
    root = import_level(sample_bytes(Game.TR4)).root
    lara = next(
        thing
        for thing in root.all_objects
        if thing.tomb_raider.kind == "ENTITY" and thing.tomb_raider.entity.type == 0
    )
    x, y, z = (np.array(lara.matrix_world.translation) * 512).tolist()
    lara.hide_render = True
    collection, _ = import_cutscene(root, _greeting((round(x), -round(z), round(y))), 1)
    camera = next(thing for thing in collection.objects if thing.type == "CAMERA")
    scene = bpy.context.scene
    pictures.set_up(scene, _SIZE)
    shots = []
    with tempfile.TemporaryDirectory() as folder:
        for frame in (0, 20, 39):
            scene.frame_set(frame)
            matrix = camera.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.copy()
            shot = pictures.render(scene, pictures.View(matrix, lens=29.0), Path(folder) / "shot.png")
            shots.append(pictures.load(shot))
    save(path, pictures.side_by_side(shots))


def _greeting(origin: tuple[int, int, int], frames: int = 40) -> bytes:
    """A cutscene of forty frames: Lara raises an arm while the camera goes around her."""
    time = np.linspace(0, 1, frames)
    rotations: Any = np.zeros((frames, 15, 3), np.int64)
    rotations[:, 8, 0] = np.rint(time * 430)  # right upper arm
    rotations[:, 11, 2] = np.rint(-time * 60)  # left upper arm
    rotations[:, 14, 1] = np.rint(time * 90)  # head
    rotations[:, 7, 0] = np.rint(np.sin(time * pi) * 40)  # torso
    root = np.tile(np.array([0, -430 // 3, 0]), (frames, 1))
    angles = 0.5 + time * 1.6
    camera = [(sin(angle) * 750, -380, cos(angle) * 750) for angle in angles.tolist()]
    target = np.tile(np.array([0, -260, 0]), (frames, 1))
    actor = Actor(0, root.astype(np.int16), (rotations % 1024).astype(np.uint16))
    track = np.rint(camera).astype(np.int16)
    return Cutscene(origin, -1, target.astype(np.int16), track, [actor]).to_bytes()


PAGES: dict[str, Callable[[Path], None]] = {"cutscenes": cutscenes}


def main(names: list[str]) -> None:
    """Draw the pictures of some pages, or of all."""
    import io_tomb_raider

    io_tomb_raider.register()
    try:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for name in names or PAGES:
            PAGES[name](FOLDER / f"{name}.png")
    finally:
        io_tomb_raider.unregister()


if __name__ == "__main__":
    main(sys.argv[1:])
