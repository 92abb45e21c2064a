"""Textures of the level editor's WADs: pages, and the orientation of their rectangles on polygons.

A polygon refers to a rectangle of a page ("texture sample"). A quad shows all of it, its first corner at the
upper left, clockwise; a triangle shows one of its four halves. Both may be mirrored from left to right.
Levels have an object texture for each such use (documentation, chapter 9.3), which this module makes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Bools, Ints
from ....base.bytes.records import OBJECT_TEXTURE_TR4
from ....levels.textures.coordinates import mapping_correction
from ....levels.textures.object_textures import TRIANGLE_BIT
from ....levels.textures.textiles import MAGENTA, PAGE_SIZE

PAGE_BYTES = 3 * PAGE_SIZE * PAGE_SIZE
_SAMPLE_MASK = 0x0FFF
_ORIENTATION_SHIFT = 12
_MIRRORED = 0x8000
_NO_PAGE = 0x7FFF

# Corners of a rectangle: 0 upper left, 1 upper right, 2 lower right, 3 lower left.
MIRROR = np.array([1, 0, 3, 2])
QUAD_CORNERS = np.array([0, 1, 2, 3])
# Triangles by half their orientation: each begins at its right angle, clockwise.
TRIANGLE_CORNERS = np.array([[0, 1, 3, 3], [1, 2, 0, 0], [2, 3, 1, 1], [3, 0, 2, 2]])


def decode_wad_pages(page_data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the pages as (n, 256, 256, 4) RGBA, the top row first.

    Magenta is transparent: it becomes 0, 0, 0, 0 as in levels. A truncated last page is padded with
    transparency.
    """
    count = -(-len(page_data) // PAGE_BYTES)
    rgb = np.empty(count * PAGE_SIZE * PAGE_SIZE * 3, np.uint8)
    rgb[: len(page_data)] = page_data
    rgb[len(page_data) :] = 0
    pixels = rgb.reshape(count, PAGE_SIZE, PAGE_SIZE, 3)
    rgba = np.full((*pixels.shape[:3], 4), 255, np.uint8)
    rgba[..., :3] = pixels
    transparent = rgba.view(np.uint32)[..., 0] == np.array((*MAGENTA, 255), np.uint8).view(np.uint32)
    transparent.reshape(-1)[len(page_data) // 3 :] = True
    rgba[transparent] = 0
    return rgba


class TextureUses(NamedTuple):
    """The texturing of polygons."""

    sample: Ints  #: (n,) the texture sample of each.
    mirrored: Bools  #: (n,) whether it is mirrored from left to right.
    #: (n,) 0 to 3, the corner of the sample at the right angle of a triangle, clockwise from the upper left;
    #: 0 for quads.
    orientation: Ints


def decode_texture_words(words: NDArray[np.uint16], triangle: Bools) -> TextureUses:
    """Decode the texture words of polygons, (n,).

    Quads have the sample's number, negative if it is mirrored. Triangles have 12 bits of it, then twice the
    orientation, for which some tools write odd numbers, then the mirrored bit.
    """
    value = words.astype(np.int64)
    signed = np.where(value >= _MIRRORED, value - 0x10000, value)
    return TextureUses(
        sample=np.where(triangle, value & _SAMPLE_MASK, np.abs(signed)),
        mirrored=value & _MIRRORED != 0,
        orientation=np.where(triangle, value >> (_ORIENTATION_SHIFT + 1) & 3, 0),
    )


def encode_texture_words(uses: TextureUses, triangle: Bools) -> NDArray[np.uint16]:
    """Return the texture words of polygons, (n,), as the inverse of :func:`decode_texture_words`."""
    quads = np.where(uses.mirrored, -uses.sample, uses.sample)
    halves = uses.sample & _SAMPLE_MASK | uses.orientation << (_ORIENTATION_SHIFT + 1)
    halves |= np.where(uses.mirrored, _MIRRORED, 0)
    return (np.where(triangle, halves, quads) & 0xFFFF).astype(np.uint16)


def make_object_textures(
    uses: TextureUses, triangle: Bools, samples: NDArray[np.void], pages: NDArray[np.uint8]
) -> NDArray[np.void]:
    """Return the equivalent object textures of TR4, (n,) OBJECT_TEXTURE_TR4.

    They are color-keyed if their sample has a transparent pixel. If the file lacks the sample or its page,
    their page is out of range.

    Args:
        triangle: (n,) which of them are triangles.
        samples: (s,) TEXTURE_SAMPLE.
        pages: from :func:`decode_wad_pages`.
    """
    exists = uses.sample < len(samples)
    table = np.append(samples, np.zeros(1, samples.dtype))
    samples_used = table[np.where(exists, uses.sample, len(samples))]
    exists &= samples_used["page"] < len(pages)
    low = np.stack([samples_used["x"], samples_used["y"]], axis=-1).astype(np.int64)
    size = np.stack([samples_used["width"], samples_used["height"]], axis=-1).astype(np.int64)
    high = np.minimum(low + size + 1, PAGE_SIZE)
    corners = np.where(triangle[:, None], TRIANGLE_CORNERS[uses.orientation], QUAD_CORNERS)
    corners = np.where(uses.mirrored[:, None], MIRROR[corners], corners)
    right, lower = (corners == 1) | (corners == 2), corners >= 2
    pixels = np.where(np.stack([right, lower], axis=-1), high[:, None], low[:, None])
    # The far border of a page exceeds 16 bits by one, so far borders are always moved inwards.
    raw = np.where(pixels == high[:, None], pixels * 256 - 1, pixels * 256)
    raw[triangle, 3] = 0
    records = np.zeros(len(samples_used), OBJECT_TEXTURE_TR4)
    records["uv"] = raw
    records["attribute"] = has_holes(samples_used["page"].astype(np.int64), low, high, pages, exists)
    page = np.where(exists, samples_used["page"].astype(np.int64), _NO_PAGE)
    records["page"] = page | np.where(triangle, TRIANGLE_BIT, 0)
    records["flags"] = mapping_correction(records["uv"], triangle, turn=False).kind
    records["original_u"], records["original_v"] = low.T
    records["width"], records["height"] = (high - low - 1).T
    return records


def has_holes(pages_used: Ints, low: Ints, high: Ints, pages: NDArray[np.uint8], exists: Bools) -> Bools:
    """Return which rectangles have a transparent pixel, (n,).

    Args:
        pages_used: (n,) the page of each.
        low, high: (n, 2) its first pixel, and the first one after it.
        pages: (p, 256, 256, 4) RGBA.
        exists: (n,) which of them exist.
    """
    result = np.zeros(len(pages_used), np.bool_)
    sums = np.zeros((PAGE_SIZE + 1, PAGE_SIZE + 1), np.int64)
    for page in np.unique(pages_used[exists]).tolist():  # sums of all pages at once would take much memory
        rows = np.flatnonzero(exists & (pages_used == page))
        sums[1:, 1:] = (pages[page, ..., 3] == 0).cumsum(0).cumsum(1)
        (left, top), (right, bottom) = low[rows].T, high[rows].T
        inside = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
        result[rows] = inside > 0
    return result
