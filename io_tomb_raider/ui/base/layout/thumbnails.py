"""Pixels of Blender previews."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ICON = 32  # size in pixels of a preview in a row


def fill_preview(preview: Any, pixels: NDArray[np.float32], *, with_icon: bool = True) -> None:
    """Set the image of a preview from pixels, (height, width, 4), bottom row first.

    With an icon, it can be shown in rows, too.
    """
    preview.image_size = pixels.shape[1], pixels.shape[0]
    preview.image_pixels_float.foreach_set(np.ascontiguousarray(pixels).ravel())
    if not with_icon:
        return
    rows, columns = (np.arange(_ICON) * size // _ICON for size in pixels.shape[:2])
    small = pixels[np.ix_(rows, columns)]
    if min(pixels.shape[:2]) % _ICON == 0:  # the mean of the pixels of each block
        blocks = pixels.reshape(_ICON, pixels.shape[0] // _ICON, _ICON, pixels.shape[1] // _ICON, 4)
        alpha = blocks[..., 3:].sum(axis=(1, 3))
        color = (blocks[..., :3] * blocks[..., 3:]).sum(axis=(1, 3)) / np.maximum(alpha, 1e-6)
        small = np.concatenate([color, blocks[..., 3:].mean(axis=(1, 3))], axis=2)
    preview.icon_size = _ICON, _ICON
    preview.icon_pixels_float.foreach_set(np.ascontiguousarray(small, np.float32).ravel())
