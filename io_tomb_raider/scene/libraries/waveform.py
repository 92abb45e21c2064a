"""A picture of a sound: how loud it is from its beginning to its end."""

from __future__ import annotations

import numpy as np
from bpy.types import Sound
from numpy.typing import NDArray

from ...formats import FormatError
from ..sounds.waves import bytes_of, decode_in_blender

_COLOR = (0.35, 0.7, 0.95, 1.0)


def waveform(sound: Sound, size: int) -> NDArray[np.float32] | None:
    """Return a picture of a sound, (size, size, 4) float32 from below; None where it cannot be heard.

    Args:
        sound: any of Blender's.
        size: in pixels, in both directions.
    """
    try:
        heard = decode_in_blender(bytes_of(sound))
    except (FormatError, OSError):
        return None
    if heard is None or not heard[0].size:
        return None
    waves = np.abs(heard[0].reshape(len(heard[0]), -1)).max(axis=1)
    edges = np.linspace(0, len(waves), size + 1).astype(np.int64)
    spans = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    loud = np.array([waves[low : max(high, low + 1)].max(initial=0) for low, high in spans])
    heights = np.maximum(loud / max(float(loud.max()), 1e-6) * size * 0.45, 1.0)
    rows = np.abs(np.arange(size) + 0.5 - size / 2)
    pixels = np.zeros((size, size, 4), np.float32)
    pixels[rows[:, None] <= heights[None, :]] = _COLOR
    return pixels
