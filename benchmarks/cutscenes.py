"""Times to decode, import and encode a long cutscene."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.cutscenes.cutscenes import Actor, Cutscene, read_cutscene
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.cutscenes.build import import_cutscene
from io_tomb_raider.scene.subjects.cutscenes.read import export_cutscene
from tests.sample_levels import sample_bytes

from .timing import Times

FRAMES, ACTORS, MESHES = 1500, 4, 15


def long_cutscene() -> bytes:
    """Return a cutscene whose actors and camera always move."""
    random = np.random.default_rng(1)

    def walk(*shape: int, step: int) -> Any:
        return np.cumsum(random.integers(-step, step + 1, (FRAMES, *shape)), axis=0)

    actors = [
        Actor(0, walk(3, step=5).astype(np.int16), (walk(MESHES, 3, step=12) % 1024).astype(np.uint16))
        for _ in range(ACTORS)
    ]
    target, camera = (walk(3, step=20).astype(np.int16) for _ in range(2))
    return Cutscene((0, 0, 0), -1, target, camera, actors).to_bytes()


def measure_cutscene(runs: int) -> dict[str, float]:
    """Measure, each run in a new file with the generated level.

    Returns:
        Medians in seconds: ``decode``; ``import``, including decoding; ``export``, unedited; ``rebuild``,
            with all tracks packed again.
    """
    data = long_cutscene()
    level = sample_bytes(Game.TR4)
    times = Times()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "level.tr4"
        path.write_bytes(level)
        for _ in range(runs):
            _measure_once(path, data, times)
    return times.medians()


def _measure_once(path: Path, data: bytes, times: Times) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    root = import_level(path).root
    scale = root.tomb_raider.scale
    times.take("decode", lambda: read_cutscene(data))
    collection, _ = times.take("import", lambda: import_cutscene(root, data, 1))
    times.take("export", lambda: export_cutscene(collection, scale))
    times.take("rebuild", lambda: export_cutscene(collection, scale, rebuild=True))
