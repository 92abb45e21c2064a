"""Text search in a picture of the screen, by comparison with text drawn like Blender's interface."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import blf
import bpy
import gpu
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

_FONT = 0  # font of the interface
# Empty pixels around words: wider than a space, so that neither "Rooms" nor "Room 1" matches "Room". Icons
# are nearer on the left.
_LEFT, _RIGHT, _ABOVE = 6, 10, 3
_GOOD = 0.82
_CERTAIN = 0.95  # where thousands of texts are compared


def read_picture(path: Path, width: int, height: int) -> NDArray[np.float32]:
    """Return the brightness of a raw RGB picture, (height, width) from the top, 0 to 1."""
    pixels = np.fromfile(path, np.uint8).reshape(height, width, 3)
    return (pixels @ np.array([0.3, 0.6, 0.1]) / 255).astype(np.float32)


def find_words(picture: NDArray[np.float32], text: str) -> list[tuple[float, int, int]]:
    """Return the matches of a text: correlation (1 is identical), x and y of the middle from the top left.

    The best match is first.
    """
    style = bpy.context.preferences.ui_styles[0]
    sizes = {style.widget.points, style.panel_title.points}
    found: list[tuple[float, int, int]] = []
    searched = Searched(picture)
    for points in sizes:
        drawn = _draw(text, points * bpy.context.preferences.system.ui_scale)
        found += places(likeness(searched, drawn), *drawn.shape)
    return sorted(found, reverse=True)


def texts_in(picture: NDArray[np.float32], texts: Iterable[str]) -> list[str]:
    """Return which of many texts are on a picture. Short ones resemble others: do not ask for them."""
    style = bpy.context.preferences.ui_styles[0]
    sizes = {style.widget.points, style.panel_title.points}
    scale = bpy.context.preferences.system.ui_scale
    searched = Searched(picture)

    def is_there(text: str) -> bool:
        drawn = (_draw(text, points * scale) for points in sizes)
        fitting = (each for each in drawn if all(np.less(each.shape, picture.shape)))
        return any(likeness(searched, each).max() > _CERTAIN for each in fitting)

    return [text for text in texts if is_there(text)]


def _draw(text: str, size: float) -> NDArray[np.float32]:
    """Return a text as drawn by the interface, (height, width) from the top, 0 to 1."""
    blf.size(_FONT, size)
    wide, high = blf.dimensions(_FONT, text)
    width, height = int(np.ceil(wide)) + _LEFT + _RIGHT, int(np.ceil(high)) + 2 * _ABOVE
    target = gpu.types.GPUOffScreen(width, height)
    try:
        with target.bind():
            framebuffer = gpu.state.active_framebuffer_get()
            framebuffer.clear(color=(0.0, 0.0, 0.0, 1.0))
            with gpu.matrix.push_pop():
                gpu.matrix.load_matrix(Matrix.Identity(4))
                scale = Matrix.Diagonal((2 / width, 2 / height, 1, 1))
                gpu.matrix.load_projection_matrix(Matrix.Translation((-1, -1, 0)) @ scale)
                blf.color(_FONT, 1, 1, 1, 1)
                # Letters with descenders are moved up into the picture.
                below = high - blf.dimensions(_FONT, _above_line(text))[1]
                blf.position(_FONT, _LEFT, _ABOVE + round(max(below, 0)), 0)
                blf.draw(_FONT, text)
            buffer = framebuffer.read_color(0, 0, width, height, 4, 0, "FLOAT")
            pixels = np.array(buffer.to_list(), dtype=np.float32)
    finally:
        target.free()
    return pixels[::-1, :, :3].max(axis=2)


def _above_line(text: str) -> str:
    """Return a text without descenders, to measure its height."""
    return "".join(letter for letter in text if letter not in "gjpqy,;()[]/|Q") or "x"


class Searched:
    """A picture in which texts are looked for, with what does not depend on the text.

    Args:
        picture: (height, width), 0 to 1.
    """

    def __init__(self, picture: NDArray[np.float32]) -> None:
        self.shape = picture.shape
        self.spectrum = np.fft.rfft2(picture)
        self._totals = [_total(each.astype(np.float64)) for each in (picture, picture**2)]

    def sums(self, height: int, width: int) -> list[NDArray[np.float64]]:
        """Return the sums of the pixels and of their squares in every part of a size."""
        return [
            each[height:, width:] - each[:-height, width:] - each[height:, :-width] + each[:-height, :-width]
            for each in self._totals
        ]


def likeness(picture: NDArray[np.float32] | Searched, drawn: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the correlation of each part of a picture with drawn text, in either polarity."""
    searched = picture if isinstance(picture, Searched) else Searched(picture)
    height, width = drawn.shape
    drawn = drawn - drawn.mean()
    shape = searched.shape
    product = np.fft.irfft2(searched.spectrum * np.conj(np.fft.rfft2(drawn, shape)), shape)
    sums, squares = searched.sums(height, width)
    spread = np.sqrt(np.maximum(squares - sums**2 / drawn.size, 0.05))
    inner = product[: shape[0] - height + 1, : shape[1] - width + 1]
    return (np.abs(inner) / (spread * np.sqrt((drawn**2).sum()))).astype(np.float32)


def _total(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of all values above and to the left of each place."""
    return np.pad(values, ((1, 0), (1, 0))).cumsum(axis=0).cumsum(axis=1)


def places(alike: NDArray[np.float32], height: int, width: int) -> list[tuple[float, int, int]]:
    """Return the peaks, without overlaps."""
    found: list[tuple[float, int, int]] = []
    while alike.size and alike.max() > _GOOD and len(found) < 50:
        y, x = (int(each) for each in np.unravel_index(alike.argmax(), alike.shape))
        found.append((float(alike[y, x]), x + (width - _RIGHT + _LEFT) // 2, y + height // 2))
        alike[max(y - height, 0) : y + height, max(x - width, 0) : x + width] = 0
    return found
