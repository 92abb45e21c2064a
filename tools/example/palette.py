"""The common palette of the example level: ramps of colors from dark to light."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats.base.arrays.typing import Floats

# Key colors of each ramp, from dark to light.
RAMPS: dict[str, tuple[tuple[int, int, int], ...]] = {
    "sand": ((24, 18, 17), (60, 46, 36), (106, 84, 60), (152, 126, 90), (196, 170, 126), (232, 212, 168)),
    "ochre": ((40, 20, 12), (98, 54, 26), (150, 92, 44), (196, 136, 70), (226, 180, 112)),
    "stone": ((16, 18, 20), (44, 48, 48), (80, 84, 78), (120, 120, 106), (162, 158, 138), (202, 196, 172)),
    "shadow": ((8, 14, 20), (18, 34, 42), (34, 60, 66), (58, 92, 92), (96, 132, 122)),
    "moss": ((12, 18, 10), (32, 44, 18), (58, 76, 28), (92, 110, 42), (134, 148, 66), (176, 182, 104)),
    "rock": ((18, 14, 14), (44, 36, 32), (76, 64, 54), (108, 94, 78), (144, 126, 104), (182, 164, 136)),
    "red": ((28, 8, 8), (78, 22, 18), (128, 42, 30), (172, 70, 46), (206, 116, 82)),
    "blue": ((8, 16, 32), (16, 44, 70), (28, 78, 106), (58, 118, 138), (112, 164, 170), (176, 208, 204)),
    "gold": ((44, 22, 4), (110, 62, 10), (178, 116, 20), (228, 172, 46), (252, 222, 110), (255, 248, 200)),
    "wood": ((20, 12, 8), (50, 30, 18), (86, 54, 30), (122, 82, 46), (158, 114, 68)),
    "sky": ((92, 134, 168), (142, 180, 200), (190, 212, 214), (232, 234, 220), (255, 250, 236)),
    "fire": ((60, 8, 0), (160, 34, 4), (236, 94, 10), (255, 168, 40), (255, 228, 120), (255, 255, 224)),
}
_SHADES = {"sand": 18, "stone": 15, "rock": 16, "moss": 13, "ochre": 12, "shadow": 10, "blue": 14}
_OTHER_SHADES = 9


def ramp(name: str, values: Floats) -> Floats:
    """Return the colors (..., 3) of a ramp at values from 0 to 1."""
    keys = np.array(RAMPS[name], np.float64)
    places = np.linspace(0, 1, len(keys))
    values = np.clip(values, 0, 1)
    return np.stack([np.interp(values, places, channel) for channel in keys.T], axis=-1)


def palette() -> NDArray[np.uint8]:
    """Return the colors of all tiles, (n, 3); fewer than 256."""
    parts = [ramp(name, np.linspace(0, 1, _SHADES.get(name, _OTHER_SHADES))) for name in RAMPS]
    return np.unique(np.rint(np.concatenate(parts)).astype(np.uint8), axis=0)


def quantized(colors: Floats) -> NDArray[np.uint8]:
    """Return the nearest colors of the palette, with a slight ordered dither, (h, w, 3)."""
    height, width = colors.shape[:2]
    rows, columns = np.indices((height, width))
    order = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) / 16 - 0.47
    wanted = colors + 2.5 * order[rows % 4, columns % 4][..., None]
    known = palette().astype(np.float64)
    weights = np.array((0.55, 0.75, 0.45))
    apart = ((wanted[:, :, None] - known) * weights) ** 2
    nearest = apart.sum(axis=-1).argmin(axis=-1)
    return palette()[nearest]


def reduced(pixels: NDArray[np.uint8], count: int = 24) -> NDArray[np.uint8]:
    """Return a tile (h, w, 4) with a few colors of its own, so that files stay small."""
    visible = pixels[..., 3] > 0
    colors = pixels[visible][:, :3].astype(np.float64)
    if len(np.unique(colors, axis=0)) <= count:
        return pixels
    order = np.argsort(colors @ (0.3, 0.6, 0.1), kind="stable")
    centers = colors[order[np.linspace(0, len(order) - 1, count).astype(int)]]
    for _ in range(10):
        nearest = ((colors[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
        for number in range(count):
            own = colors[nearest == number]
            # A center that no color is near to moves to the color that is the farthest from its own.
            far = ((colors - centers[nearest]) ** 2).sum(axis=1).argmax()
            centers[number] = own.mean(axis=0) if len(own) else colors[far]
    nearest = ((colors[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    result = pixels.copy()
    result[visible, :3] = np.rint(centers[nearest]).astype(np.uint8)
    return result
