"""The grid of a treadmill: the floor under a model, which runs back by the speed of the animation."""

from __future__ import annotations

import numpy as np

from ....formats.base import CLICK, SECTOR_SIZE, Floats

_FAR = 4096  # units around the model
_LINE, _SECTOR_LINE = 0.25, 0.7  # opacity


def grid_lines(place: Floats) -> tuple[Floats, Floats]:
    """Return the lines of the floor's grid around a model that has run to a place.

    Args:
        place: (3,), in units of the games, in the axes of the armature; only the floor's axes count.

    Returns:
        The ends of the lines, (2 n, 3) in units relative to the model, and their opacity, (2 n,).
    """
    points: list[Floats] = []
    opacity: list[Floats] = []
    for axis in (0, 1):
        across = 1 - axis
        marks = _marks(float(place[axis]))
        steps = _marks(float(place[across]))
        lines, begins = np.meshgrid(marks, steps[:-1], indexing="ij")
        lines, begins = lines.ravel(), begins.ravel()
        ends = np.zeros((len(lines), 2, 3))
        ends[:, :, axis] = lines[:, None]
        ends[:, 0, across], ends[:, 1, across] = begins, begins + CLICK
        is_sector = np.rint((lines + place[axis]) / CLICK) % (SECTOR_SIZE // CLICK) == 0
        distance = np.linalg.norm(ends, axis=2)
        shades = np.clip(1 - distance / _FAR, 0.0, 1.0) * np.where(is_sector, _SECTOR_LINE, _LINE)[:, None]
        seen = shades.max(axis=1) > 0
        points.append(ends[seen].reshape(-1, 3))
        opacity.append(shades[seen].ravel())
    return np.concatenate(points), np.concatenate(opacity)


def _marks(place: float) -> Floats:
    """Return the marks of an axis around a model, relative to it."""
    first = np.ceil((place - _FAR) / CLICK)
    return np.asarray((first + np.arange(2 * _FAR // CLICK)) * CLICK - place)
