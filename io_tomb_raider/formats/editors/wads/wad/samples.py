"""Texture samples of a WAD for the object textures of a level."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Bools, Floats, Ints
from ....base.errors import ExportError
from ....base.messages import T
from ....levels.textures.object_textures import PAGE_MASK, TRIANGLE_BIT
from ....levels.textures.textiles import PAGE_SIZE
from .textures import MIRROR, QUAD_CORNERS, TRIANGLE_CORNERS
from .wad import TEXTURE_SAMPLE

_RAW = 256
_LAST = _RAW - 1
_NEAR = 0.75  # pixels within which a corner is that of its rectangle
_MOST = 0x7FFF
_MOST_OF_TRIANGLES = 0x0FFF


class SampleUses(NamedTuple):
    """The use of texture samples by faces, a row for each object texture."""

    samples: NDArray[np.void]  #: all samples, new ones last.
    #: sample, mirrored, orientation: as in :class:`~.textures.TextureUses`.
    sample: Ints
    mirrored: Bools
    orientation: Ints
    turn: Ints  #: the corner with which a face must begin.
    exact: Bools  #: whether the sample is equal to the object texture.


def find_uses(
    records: NDArray[np.void], samples: NDArray[np.void], in_wad: Callable[[int], int]
) -> SampleUses:
    """Return the use of a sample for each object texture; missing samples are added.

    Args:
        records: (n,) OBJECT_TEXTURE_TR4.
        samples: those of the WAD.
        in_wad: returns the number in the WAD of a page of the level.

    Raises:
        ExportError: if there are more than a face can refer to.
    """
    count = len(records)
    triangle = records["page"] & TRIANGLE_BIT != 0
    raw = records["uv"].astype(np.int64)
    raw[triangle, 3] = raw[triangle, 2]
    corners = (raw + (raw % _RAW == _LAST)) / _RAW
    low = np.floor(corners.min(axis=1) + 1e-6).astype(np.int64).clip(0, PAGE_SIZE - 1)
    high = np.ceil(corners.max(axis=1) - 1e-6).astype(np.int64).clip(1, PAGE_SIZE)
    high = np.maximum(high, low + 1)
    mirrored, orientation, turn, exact = _orientations(corners, low, high, triangle)
    pages = [in_wad(int(page)) for page in (records["page"] & PAGE_MASK).tolist()]
    known_samples = {
        _rectangle(sample): number for number, sample in reversed(list(enumerate(samples))) if number
    }
    number, added = np.zeros(count, np.int64), []
    if not len(samples):
        added.append((0, 0, 0, 0, 0))  # every file begins with an empty one
    for row, page in enumerate(pages):
        key = (page, *low[row].tolist(), *(high[row] - low[row] - 1).tolist())
        if key not in known_samples:
            known_samples[key] = len(samples) + len(added)
            added.append(key)
        number[row] = known_samples[key]
    for rows, most in ((triangle, _MOST_OF_TRIANGLES), (~triangle, _MOST)):
        largest = int(number[rows].max(initial=0))
        if largest > most:
            problem = T("a WAD has too many pieces of texture")
            raise ExportError("textures", problem, count=largest, limit=most)
    return SampleUses(_with_added(samples, added), number, mirrored, orientation, turn, exact)


def _rectangle(sample: np.void) -> tuple[int, int, int, int, int]:
    page, x, y, width, height = (int(sample[name]) for name in ("page", "x", "y", "width", "height"))
    return page, x, y, width, height


def _with_added(samples: NDArray[np.void], added: list[tuple[int, int, int, int, int]]) -> NDArray[np.void]:
    if not added:
        return samples
    added_samples = np.zeros(len(added), TEXTURE_SAMPLE)
    rows = np.array(added, np.int64)
    for column, name in enumerate(("page", "x", "y", "width", "height")):
        added_samples[name] = rows[:, column]
    added_samples["flip_x"] = added_samples["flip_y"] = -1
    if not len(samples):
        added_samples["flip_x"][0] = added_samples["flip_y"][0] = 0
    return np.concatenate([samples, added_samples])


def _orientations(corners: Floats, low: Ints, high: Ints, triangle: Bools) -> tuple[Bools, Ints, Ints, Bools]:
    """Return mirrored, orientation and first corner of each rectangle, and whether they are exact."""
    count = len(corners)
    (left, top), (right, bottom) = low.T, high.T
    ends = [(left, top), (right, top), (right, bottom), (left, bottom)]
    rectangle = np.stack([np.column_stack(end) for end in ends], axis=1).astype(np.float64)
    mirrored, exact = np.zeros((2, count), np.bool_)
    orientation, turn = np.zeros((2, count), np.int64)
    for is_triangle, patterns in ((False, QUAD_CORNERS[None]), (True, TRIANGLE_CORNERS)):
        rows = np.flatnonzero(triangle == is_triangle)
        corner_count = 3 if is_triangle else 4
        best = np.full(len(rows), np.inf)
        for number, pattern in enumerate(patterns):
            for flip in (False, True):
                expected = rectangle[rows][:, (MIRROR[pattern] if flip else pattern)[:corner_count]]
                for first in range(corner_count):
                    turned = corners[rows][:, (np.arange(corner_count) + first) % corner_count]
                    distance = np.abs(turned - expected).max(axis=(1, 2))
                    is_better = distance < best - 1e-9
                    best = np.where(is_better, distance, best)
                    better_rows = rows[is_better]
                    mirrored[better_rows], orientation[better_rows], turn[better_rows] = flip, number, first
        exact[rows] = best <= _NEAR
    return mirrored, orientation, turn, exact
