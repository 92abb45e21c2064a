"""Models of files, joined from their parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..plan.resources import ModelArrays


def join_models(parts: Sequence[ModelArrays]) -> ModelArrays:
    """Return one model of several, at least one.

    Parts without colors are of normal light, and those without normals take away the normals of all.
    """
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(len(each.positions) for each in parts)]).tolist()
    slots = np.cumsum([0, *(len(each.images) for each in parts)]).tolist()
    images: list[Path | None] = [image for each in parts for image in each.images]
    normals = [each.normals for each in parts]
    colors = [each.colors for each in parts]
    return ModelArrays(
        np.concatenate([each.positions for each in parts]),
        np.concatenate([each.triangles + start for each, start in zip(parts, starts, strict=False)]),
        np.concatenate([each.uv for each in parts]),
        None
        if all(each is None for each in colors)
        else np.concatenate(
            [
                np.ones((len(part.positions), 3)) if own is None else own
                for part, own in zip(parts, colors, strict=True)
            ]
        ),
        None
        if any(each is None for each in normals)
        else np.concatenate([each for each in normals if each is not None]),
        np.concatenate([each.material + slot for each, slot in zip(parts, slots, strict=False)]),
        images,
        [value for each in parts for value in each.double_sided],
        [value for each in parts for value in each.additive],
    )
