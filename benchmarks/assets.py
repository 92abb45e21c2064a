"""Time of *Mark as Assets*: marks and previews of a whole level."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from io_tomb_raider.scene.assets.assets import KINDS, Asset, assets_of
from io_tomb_raider.scene.assets.marks import mark
from io_tomb_raider.scene.assets.previews import SIZE, draw_previews, put_preview
from io_tomb_raider.scene.pipeline.importer import import_level

from .scenes import empty_file
from .timing import Times, clock


def measure_assets(path: Path, runs: int) -> dict[str, float]:
    """Measure marks and previews of all assets of a level.

    Returns:
        The number of ``assets``; medians in seconds: ``floor``, the time of Blender itself for marks and
            ready pictures; ``mark`` and ``draw``; the ``longest`` step, during which the window waits;
            ``each``, the time per asset; and the ratio ``mark and draw/floor``.
    """
    times, count = Times(), 0
    for _ in range(runs):
        empty_file()
        root = import_level(path).root
        start = clock()
        assets = mark(root, assets_of(root, KINDS)).assets
        drawn = [clock()]
        drawn += [clock() for _ in draw_previews(assets)]
        drawn.append(clock())
        count = len(assets)
        times.note("mark", drawn[0] - start)
        times.note("draw", drawn[-1] - drawn[0])
        times.note("longest", float(np.diff(drawn).max()))
        times.note("whole", drawn[-1] - start)
        times.take("floor", partial(_floor, assets))
    medians = times.medians()
    return {
        "assets": count,
        **{name: medians[name] for name in ("floor", "mark", "draw", "longest")},
        "each": medians["whole"] / count,
        "mark and draw/floor": times.beside("floor")["whole"],
    }


def _floor(assets: list[Asset]) -> None:
    picture = np.ones((SIZE, SIZE, 4), np.float32)
    for asset in assets:
        if asset.block is not None:
            asset.block.asset_clear()
            asset.block.asset_mark()
            put_preview(asset.block, picture)
