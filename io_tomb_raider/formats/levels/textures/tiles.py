"""Cutting pictures of any size into tiles for texture pages.

Users texture with their own images, the games only have pages of 256 by 256 pixels. Only the bounding boxes
of the faces' UVs are needed: each becomes a tile, which `packing` places. Faces with overlapping boxes share
a tile if that saves space.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Bools, Ints
from ...base.errors import ExportError
from ...base.messages import T
from .packing import Placements
from .textiles import PAGE_SIZE

U8Array = NDArray[np.uint8]

Beyond = Literal["REPEAT", "EXTEND", "CLIP", "MIRROR"]
_PERIODS: dict[Beyond, int] = {"REPEAT": 1, "EXTEND": 0, "CLIP": 0, "MIRROR": 2}  # in sizes of the image

_SHARED_SIZE = PAGE_SIZE - 2  # boxes are joined up to this size, which leaves room for a border
_NEAR = 1 / 64  # UVs this near to a pixel border, in pixels, are on the border
_ROWS = 32  # rows of a shrunk tile computed at once: bounds the memory for large images
_CROWD = 2048  # boxes compared at once: 2048 x 2048 are 32 MB


@dataclass(frozen=True)
class CutImage:
    """The tiles of one image, and the faces on them."""

    #: RGBA ``(height, width, 4)`` u8 each, top row first, 1 to 256 pixels wide and high.
    tiles: list[U8Array]
    tile: Ints  #: ``(n,)`` the tile of each face.
    #: ``(n, 4, 2)`` float64, each corner in pixels from the top left of its tile. The fourth corner of
    #: triangles equals the third.
    corners: NDArray[np.float64]
    #: ``(t, 2)`` the shrink factor of each tile, horizontally and vertically; usually 1.
    scale: NDArray[np.float64]

    @property
    def sizes(self) -> Ints:
        """``(t, 2)`` width and height of the tiles, for `packing.pack`."""
        return np.array([tile.shape[1::-1] for tile in self.tiles], np.int64).reshape(-1, 2)


_PIXEL = np.array([(0, 0), (255, 0), (255, 255), (0, 255)], np.uint16)  # its corners in raw coordinates


def cut_image(
    image: U8Array,
    uv: NDArray[np.floating],
    triangle: Bools,
    subject: str = "image",
    beyond: Beyond = "REPEAT",
) -> CutImage:
    """Cut the parts that faces use out of an image.

    Boxes of more than 256 pixels are shrunk to 256, by averaging, along the axis that is too long.

    Args:
        image: RGBA ``(height, width, 4)`` u8, any size, top row first.
        uv: ``(n, 4, 2)`` Blender's UVs, u to the right, v up, 0 to 1 over the image. A tile includes the area
            beyond the image that its faces show.
        triangle: ``(n,)``; the fourth corner of triangles is ignored.
        beyond: the area outside of the image: repeated, its edge extended, transparent, or mirrored.

    Raises:
        ExportError: if a coordinate is not finite, or the image is empty.
    """
    height, width = image.shape[:2]
    if not height or not width:
        raise ExportError(subject, T("the image has no pixels"))
    pixels = np.asarray(uv, np.float64) * (width, -height) + (0, height)
    pixels[triangle, 3] = pixels[triangle, 2]
    if not np.isfinite(pixels).all():
        count = int((~np.isfinite(pixels)).any(axis=(1, 2)).sum())
        raise ExportError(subject, T("texture coordinates are not numbers"), count=count)
    rounded = np.rint(pixels)
    pixels = np.where(abs(pixels - rounded) < _NEAR, rounded, pixels)
    low = np.floor(pixels.min(axis=1))
    # Equal boxes of different repetitions are one box.
    period = np.array((width, height)) * _PERIODS[beyond]
    repeat = np.floor(low / np.maximum(period, 1)) * period
    pixels -= repeat[:, None]
    boxes = np.concatenate([low - repeat, np.ceil(pixels.max(axis=1))], axis=1).astype(np.int64)
    boxes[:, 2:] = np.maximum(boxes[:, 2:], boxes[:, :2] + 1)
    shared, tile = share_boxes(boxes)
    size = shared[:, 2:] - shared[:, :2]
    scale = np.minimum(size, PAGE_SIZE) / size
    if beyond == "CLIP":
        image = np.pad(image, ((0, 1), (0, 1), (0, 0)))
    tiles = [cut_box(image, box, beyond) for box in shared]
    corners = (pixels - shared[tile, None, :2]) * scale[tile, None]
    return CutImage(tiles, tile, corners, scale)


# --- Sharing -------------------------------------------------------------------------------------


def share_boxes(boxes: Ints) -> tuple[Ints, Ints]:
    """Join overlapping boxes if the box around them is not larger than their total.

    Boxes are ``(n, 4)``: left, top, right, bottom.

    Returns:
        The joined boxes ``(m, 4)``, and for each given box its joined box ``(n,)``.
    """
    unique, owner = np.unique(boxes.reshape(-1, 4), axis=0, return_inverse=True)
    owner = owner.reshape(-1)
    joined: list[Ints] = []
    parent = np.zeros(len(unique), np.int64)
    for start in range(0, len(unique), _CROWD):  # mostly neighbors, since they are sorted from left to right
        group, member = _join(unique[start : start + _CROWD])
        parent[start : start + _CROWD] = member + sum(len(each) for each in joined)
        joined.append(group)
    return (np.concatenate(joined) if joined else unique), parent[owner]


def _join(boxes: Ints) -> tuple[Ints, Ints]:
    """Join pairs of boxes, always the pair that saves most, until nothing more is saved."""
    boxes = boxes.copy()
    is_alive = np.ones(len(boxes), np.bool_)
    parent = np.arange(len(boxes))
    saved = _savings(boxes, boxes, is_alive)
    np.fill_diagonal(saved, -1)
    best = saved.argmax(axis=1)
    best_saved = saved[np.arange(len(boxes)), best] if len(boxes) else np.zeros(0, np.int64)
    while len(boxes) and best_saved.max() >= 0:  # each join depends on those before it
        kept = int(best_saved.argmax())
        removed = int(best[kept])
        kept, removed = min(kept, removed), max(kept, removed)
        boxes[kept, :2] = np.minimum(boxes[kept, :2], boxes[removed, :2])
        boxes[kept, 2:] = np.maximum(boxes[kept, 2:], boxes[removed, 2:])
        parent[parent == removed] = kept
        is_alive[removed] = False
        saved[removed], saved[:, removed] = -1, -1
        row = _savings(boxes[kept : kept + 1], boxes, is_alive)[0]
        row[kept] = -1
        saved[kept], saved[:, kept] = row, row
        # Only rows whose best partner was one of the two, or is now the joined box, have a new one.
        stale = np.flatnonzero((best == kept) | (best == removed) | (row > best_saved))
        stale = np.union1d(stale, [kept, removed])
        best[stale] = saved[stale].argmax(axis=1)
        best_saved[stale] = saved[stale, best[stale]]
    number = np.cumsum(is_alive) - 1
    return boxes[is_alive], number[parent]


def _savings(candidates: Ints, boxes: Ints, is_alive: Bools) -> Ints:
    """Return the pixels saved by joining ``candidates`` with ``boxes``: ``(s, n)``, -1 if not allowed."""
    size, sizes, touch, inside, fits = [], [], [], [], []
    for low, high in ((0, 2), (1, 3)):  # axis by axis: half the memory at a time
        a_low, a_high = candidates[:, low, None], candidates[:, high, None]
        b_low, b_high = boxes[:, low], boxes[:, high]
        length = np.maximum(a_high, b_high) - np.minimum(a_low, b_low)
        size.append(length)
        sizes.append((a_high - a_low, b_high - b_low))
        touch.append(np.minimum(a_high, b_high) >= np.maximum(a_low, b_low))
        inside.append((length == sizes[-1][0], length == sizes[-1][1]))
        fits.append(length <= _SHARED_SIZE)
    result = sizes[0][0] * sizes[1][0] + sizes[0][1] * sizes[1][1] - size[0] * size[1]
    # A box inside the other costs nothing, whatever the size of the other.
    free = (inside[0][0] & inside[1][0]) | (inside[0][1] & inside[1][1])
    may = touch[0] & touch[1] & (free | (fits[0] & fits[1])) & is_alive
    return np.where(may, result, -1)


# --- Cutting -------------------------------------------------------------------------------------


def cut_box(image: U8Array, box: Ints, beyond: Beyond = "EXTEND") -> U8Array:
    """Return one tile: a box that may extend beyond the image, reduced to at most 256 pixels.

    Args:
        box: ``(4,)`` left, top, right, bottom.
        beyond: see :func:`cut_image`. For CLIP the image ends with a transparent row and column.
    """
    height, width = (length - (beyond == "CLIP") for length in image.shape[:2])
    left, top, right, bottom = box.tolist()
    columns, rows = (
        _inside(np.arange(left, right), width, beyond),
        _inside(np.arange(top, bottom), height, beyond),
    )
    if len(columns) <= PAGE_SIZE and len(rows) <= PAGE_SIZE:
        tile: U8Array = image[rows[:, None], columns]
        return tile
    height, width = min(len(rows), PAGE_SIZE), min(len(columns), PAGE_SIZE)
    edges, column_edges = np.linspace(0, len(rows), height + 1), np.linspace(0, len(columns), width + 1)
    parts = []
    for start in range(0, height, _ROWS):
        part = edges[start : min(start + _ROWS, height) + 1]
        first, last = int(part[0]), int(np.ceil(part[-1]))
        strip = image[rows[first:last, None], columns].astype(np.float32)
        # Transparent pixels must not add their color to the average.
        strip[..., :3] *= strip[..., 3:] / np.float32(255)
        parts.append(_average(_average(strip, part - first), column_edges, axis=1))
    mean = np.concatenate(parts)
    alpha = mean[..., 3:]
    mean[..., :3] *= 255 / np.maximum(alpha, 1e-6)
    return np.rint(mean).clip(0, 255).astype(np.uint8)


def _inside(positions: Ints, size: int, beyond: Beyond) -> Ints:
    """Return the source columns or rows for positions, also beyond an image; one more is transparent."""
    if beyond == "REPEAT":
        return positions % size
    if beyond == "MIRROR":
        turned = positions % (2 * size)
        return np.minimum(turned, 2 * size - 1 - turned)
    if beyond == "EXTEND":
        return positions.clip(0, size - 1)
    return np.where((positions >= 0) & (positions < size), positions, size)


def _average(values: NDArray[np.float32], edges: NDArray[np.float64], axis: int = 0) -> NDArray[np.float32]:
    """Return the mean of ``values`` between neighboring ``edges`` along an axis.

    Edges are in samples and at least one sample apart, the last one within the last sample.
    """
    values = np.moveaxis(values, axis, 0)
    whole = np.minimum(edges.astype(np.int64), len(values) - 1)
    part = (edges - whole).astype(np.float32).reshape(-1, *[1] * (values.ndim - 1))
    sums = np.add.reduceat(values, whole[:-1], axis=0)
    sums[-1] -= values[-1]  # the last sum continues to the end of the values
    edge = values[whole] * part
    width = np.diff(edges).astype(np.float32).reshape(part[1:].shape)
    return np.moveaxis((sums + edge[1:] - edge[:-1]) / width, 0, axis)


# --- Drawing -------------------------------------------------------------------------------------


def draw_tiles(pages: U8Array, tiles: list[U8Array], placements: Placements) -> U8Array:
    """Draw tiles with their replicated borders; return all pages ``(m, 256, 256, 4)``, including new ones.

    Args:
        tiles: those whose sizes were given to `packing.pack`.
        placements: its result.
    """
    result = np.zeros((placements.pages, PAGE_SIZE, PAGE_SIZE, 4), np.uint8)
    result[: len(pages)] = pages
    for tile, page, (x, y), (bx, by) in zip(
        tiles, placements.page.tolist(), placements.position.tolist(), placements.border.tolist(), strict=True
    ):
        framed = np.pad(tile, ((by, by), (bx, bx), (0, 0)), mode="edge")
        height, width = framed.shape[:2]
        result[page, y - by : y - by + height, x - bx : x - bx + width] = framed
    return result


def place_corners(cut: CutImage, placements: Placements, first: int = 0) -> tuple[Ints, NDArray[np.uint16]]:
    """Return the positions of an image's faces on pages.

    Faces of one color, whose corners are at one point, get its pixel: readers omit textures without a size.

    Args:
        placements: of the tiles of one or more images.
        first: the row of the image's first tile in the placements.

    Returns:
        The page of each face ``(n,)``, and its raw texture coordinates ``(n, 4, 2)`` u16.
    """
    row = cut.tile + first
    raw = np.rint((cut.corners + placements.position[row, None]) * 256).clip(0, 0xFFFF).astype(np.uint16)
    flat = (raw == raw[:, :1]).all(axis=(1, 2))
    raw[flat] = (raw[flat] & 0xFF00) + _PIXEL
    return placements.page[row], raw
