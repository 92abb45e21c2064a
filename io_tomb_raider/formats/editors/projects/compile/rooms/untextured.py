"""Faces whose texture cannot be shown: placeholders of missing images, and warnings of faces left out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .....base.arrays.typing import Ints
from .....base.messages import plural
from ...model.settings import AnimatedSet
from ..plan.log import Log
from ..textures.textures import Refusal
from .mesh import RoomMesh

_LARGEST_PLACEHOLDER, _TILE = 1 << 14, 32  # pixels
_GRAYS = (96, 128)


def add_placeholders(
    images: dict[int, NDArray[np.uint8]], meshes: Sequence[RoomMesh], sets: Sequence[AnimatedSet]
) -> None:
    """Add gray images in place of missing ones, large enough for the faces that show them."""
    frames = [frame for each in sets for frame in each.frames]
    areas = [(frame.texture, np.array(frame.corners)) for frame in frames if frame.texture >= 0]
    for mesh in meshes:
        areas += [(number, mesh.corners[mesh.image == number]) for number in np.unique(mesh.image).tolist()]
    sizes: dict[int, Ints] = {}
    for number, corners in areas:
        if number not in images:
            size = np.ceil(np.nan_to_num(corners).reshape(-1, 2).max(axis=0))
            size = size.clip(1, _LARGEST_PLACEHOLDER).astype(np.int64)
            sizes[number] = np.maximum(sizes.get(number, size), size)
    for number, (width, height) in sizes.items():
        image = np.full((height, width, 4), 255, np.uint8)
        tiles = np.add.outer(np.arange(height) // _TILE, np.arange(width) // _TILE) % 2
        image[..., :3] = np.where(tiles, *_GRAYS)[..., None]
        images[number] = image


def warn_of_refused(refused: Ints, log: Log) -> None:
    """Warn of faces that are left out, see :class:`.Refusal`."""
    counts = np.bincount(refused, minlength=len(Refusal)).tolist()
    texts = {
        Refusal.MISSING: plural(
            "one face is omitted, since its image is missing",
            "{count} faces are omitted, since their image is missing",
            counts[Refusal.MISSING],
        ),
        Refusal.OUTSIDE: plural(
            "one face is omitted, since its texture is outside of its image",
            "{count} faces are omitted, since their texture is outside of their image",
            counts[Refusal.OUTSIDE],
        ),
        Refusal.TOO_LARGE: plural(
            "one face is omitted, since its texture is larger than a page",
            "{count} faces are omitted, since their texture is larger than a page",
            counts[Refusal.TOO_LARGE],
        ),
    }
    for kind, text in texts.items():
        if counts[kind]:
            log.warn(text)
