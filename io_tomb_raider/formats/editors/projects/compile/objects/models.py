"""Models of files, joined from their parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..plan.resources import ModelArrays


def join_models(parts: Sequence[ModelArrays]) -> ModelArrays:
    """Join one or more models.

    Parts without colors get normal light. The result has no normals if any part has none.
    """
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(len(part.positions) for part in parts)]).tolist()
    slots = np.cumsum([0, *(len(part.images) for part in parts)]).tolist()
    images: list[Path | None] = [image for part in parts for image in part.images]
    normals = [part.normals for part in parts]
    colors = [part.colors for part in parts]
    return ModelArrays(
        np.concatenate([part.positions for part in parts]),
        np.concatenate([part.triangles + start for part, start in zip(parts, starts, strict=False)]),
        np.concatenate([part.uv for part in parts]),
        None
        if all(each is None for each in colors)
        else np.concatenate(
            [
                np.ones((len(part.positions), 3)) if part_colors is None else part_colors
                for part, part_colors in zip(parts, colors, strict=True)
            ]
        ),
        None
        if any(each is None for each in normals)
        else np.concatenate([each for each in normals if each is not None]),
        np.concatenate([part.material + slot for part, slot in zip(parts, slots, strict=False)]),
        images,
        [value for part in parts for value in part.double_sided],
        [value for part in parts for value in part.additive],
    )
