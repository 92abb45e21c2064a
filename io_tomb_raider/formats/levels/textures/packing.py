"""Free space on texture pages, and placement of new tiles.

A tile is a rectangle of a picture that faces use (see `tiles`). It is placed in a free rectangle of an
existing page, or on a new page. Pixels of object textures or sprites are never overwritten.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Bools, Ints
from ...base.errors import ExportError
from ...base.games import Game
from ...base.messages import T
from .object_textures import decode_object_textures
from .sprites import decode_sprites
from .textiles import PAGE_SIZE

MOST_PAGES = 0x7FFF  # the bits of an object texture's page


# --- Used pixels ---------------------------------------------------------------------------------


def used_pixels(
    pages: int,
    object_textures: NDArray[np.void],
    sprite_textures: NDArray[np.void],
    game: Game,
    reserved: Ints | None = None,
) -> Bools:
    """Return the used pixels, ``(pages, 256, 256)`` bool, row by row from the top.

    Args:
        pages: the number of pages; rectangles on other pages are ignored.
        object_textures: records; the bounding box of each one is used.
        reserved: more rectangles, ``(k, 5)``: page, left, top, width, height in pixels.
    """
    sprites = decode_sprites(sprite_textures, game)
    rects = [object_texture_rects(object_textures, game), np.column_stack([sprites.page, sprites.rect])]
    if reserved is not None:
        rects.append(np.asarray(reserved, np.int64).reshape(-1, 5))
    used = np.zeros((pages, PAGE_SIZE, PAGE_SIZE), np.bool_)
    _paint(used, np.concatenate(rects), True)
    return used


def opaque_only_pixels(
    pages: int, object_textures: NDArray[np.void], sprite_textures: NDArray[np.void], game: Game
) -> Bools:
    """Return the pixels that only opaque faces use, ``(pages, 256, 256)`` bool.

    Opaque faces ignore the key color: they show even transparent pixels. The test uses bounding boxes, so a
    pixel in the box of a color-keyed or additive texture, or of a sprite, is excluded. Arguments as for
    `used_pixels`.
    """
    textures, sprites = object_texture_rects(object_textures, game), decode_sprites(sprite_textures, game)
    is_opaque = object_textures["attribute"] == 0
    result = np.zeros((pages, PAGE_SIZE, PAGE_SIZE), np.bool_)
    _paint(result, textures[is_opaque], True)
    _paint(result, textures[~is_opaque], False)
    _paint(result, np.column_stack([sprites.page, sprites.rect]), False)
    return result


def object_texture_rects(records: NDArray[np.void], game: Game) -> Ints:
    """Return the bounding box of each object texture: ``(n, 5)`` page, left, top, width, height."""
    decoded = decode_object_textures(records, game)
    raw = records["uv"].astype(np.int64)
    raw = np.where(decoded.triangle[:, None, None], raw[:, [0, 1, 2, 2]], raw)
    low, high = raw.min(axis=1), raw.max(axis=1)
    first = low >> 8
    # Some writers put the last corner on the far border of the last pixel, others on its near border: include
    # it, one pixel too many does no harm.
    last = high >> 8
    return np.column_stack([decoded.page, first, last - first + 1])


def _paint(pixels: Bools, rects: Ints, value: bool) -> None:
    """Set the pixels ``(pages, 256, 256)`` in rectangles ``(n, 5)``, clipped to the pages."""
    rects = rects[(rects[:, 0] >= 0) & (rects[:, 0] < len(pixels))]
    ends = rects[:, 1:3] + rects[:, 3:]
    # Sprites of damaged files may end before they begin.
    sides = np.concatenate([np.minimum(rects[:, 1:3], ends), np.maximum(rects[:, 1:3], ends)], axis=1)
    left, top, right, bottom = sides.clip(0, PAGE_SIZE).T
    # One by one, since running sums over all pages take four times as long. Duplicates, such as mirrored
    # textures, are removed first, as numbers, which is fast.
    bits = PAGE_SIZE.bit_length()
    boxes = ((((rects[:, 0] << bits | top) << bits | bottom) << bits) | left) << bits | right
    _, first = np.unique(boxes, return_index=True)
    for page, y, y_end, x, x_end in np.stack([rects[:, 0], top, bottom, left, right], axis=1)[first].tolist():
        pixels[page, y:y_end, x:x_end] = value


# --- Placement -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Placements:
    """The positions of rectangles, one row each."""

    page: Ints  #: ``(n,)``; pages from ``first_new`` on are new.
    position: Ints  #: ``(n, 2)`` left and top pixel of the rectangle, without its border.
    border: Ints  #: ``(n, 2)`` width of the border to the left and right, and above and below.
    pages: int  #: the new number of pages.
    first_new: int  #: the old number of pages.


def pack(
    sizes: Ints,
    used: Bools,
    *,
    pages: Iterable[int] | None = None,
    border: int = 1,
    subject: str = "texture pages",
) -> Placements:
    """Find places for rectangles. The result is deterministic.

    Args:
        sizes: ``(n, 2)`` width and height in pixels, each 1 to 256.
        used: ``(m, 256, 256)`` from `used_pixels`; not changed.
        pages: the existing pages that may be filled, all by default.
        border: pixels around each rectangle for its replicated edge, against bleeding. The engines do not
            need it: it is omitted if a page is too small for it, and everywhere if it would require another
            page.

    Raises:
        ExportError: if there are not enough pages, or a rectangle is larger than a page.
    """
    sizes = np.asarray(sizes, np.int64).reshape(-1, 2)
    if len(sizes) and (sizes.max() > PAGE_SIZE or sizes.min() < 1):
        problem = T("a texture does not fit on a page")
        raise ExportError(subject, problem, count=int(sizes.max()), limit=PAGE_SIZE)
    allowed = list(range(len(used))) if pages is None else sorted(set(pages))
    limit = max(MOST_PAGES, len(used))
    packed: list[tuple[int, Placements]] = []
    for width in (0, border):
        borders = np.where(sizes + 2 * width <= PAGE_SIZE, width, 0)
        packer = _Packer(used, allowed)
        placed = packer.place_all(sizes + 2 * borders)
        placements = Placements(placed[:, 0], placed[:, 1:] + borders, borders, packer.count, len(used))
        packed.append((packer.count, placements))
        if packer.count > limit or not border:
            break
    count, best = packed[0]
    if count > limit:
        problem = T("the textures need more pages than a level holds")
        raise ExportError(subject, problem, count=count, limit=limit)
    return packed[-1][1] if packed[-1][0] == count else best


def page_numbers(pages: int, added: int, at: int, bumped: int = 0, between: int = 0) -> Ints:
    """Return the new numbers of pages after an insertion: ``(pages + added + 2 * bumped,)``.

    In TR4-5 the bumped pages stay last, followed by their height maps.

    Args:
        pages: the old number of pages.
        added: the number of new pages after these: they are inserted before page ``at``.
        at: pages from there on move up.
        bumped: the number of new bumped pages after those, followed by as many height maps.
        between: the number of old pages from ``at`` to the end of the old bumped ones.
    """
    new = pages + added
    parts = [
        np.arange(at),
        np.arange(pages, new),
        np.arange(at, at + between),
        np.arange(new, new + bumped),
        np.arange(at + between, pages),
        np.arange(new + bumped, new + 2 * bumped),
    ]
    number = np.empty(new + 2 * bumped, np.int64)
    number[np.concatenate(parts)] = np.arange(len(number))
    return number


class _Packer:
    """Places rectangles, the largest first, each where it touches the most used pixels."""

    def __init__(self, used: Bools, allowed: list[int]) -> None:
        self.count = len(used)  # of all pages, including new ones
        self._pages = {page: _Page(used[page]) for page in allowed}

    def place_all(self, sizes: Ints) -> Ints:
        """Return ``(n, 3)`` page, left, top."""
        result = np.zeros((len(sizes), 3), np.int64)
        # By the longer side, then by area; lexsort is stable, so equal ones stay in order.
        order = np.lexsort((-sizes.prod(axis=1), -sizes.max(axis=1)))
        for row in order.tolist():  # each place depends on all before it
            result[row] = self._place(*sizes[row].tolist())
        return result

    def _place(self, width: int, height: int) -> tuple[int, int, int]:
        # The fullest page with enough room: large gaps stay free for large rectangles.
        for number, page in sorted(self._pages.items(), key=lambda item: (item[1].free, item[0])):
            position = page.place(width, height)
            if position is not None:
                return number, *position
        number, self.count = self.count, self.count + 1
        page = self._pages[number] = _Page(np.zeros((PAGE_SIZE, PAGE_SIZE), np.bool_))
        position = page.place(width, height)
        assert position is not None, "an empty page takes every rectangle that fits on a page"
        return number, *position


class _Page:
    """One page during packing."""

    def __init__(self, used: Bools) -> None:
        # Pixels outside the page count as used, so a place at the edge touches them.
        self._used = np.pad(used, 1, constant_values=True)
        self._too_large: list[tuple[int, int]] = []
        self._sums = self._summed()

    @property
    def free(self) -> int:
        """The number of free pixels."""
        return int(self._used.size - self._sums[-1, -1])

    def _summed(self) -> NDArray[np.int32]:
        """Return the number of used pixels above and to the left of each, with a row and a column of 0."""
        sums = np.zeros((PAGE_SIZE + 3, PAGE_SIZE + 3), np.int32)
        sums[1:, 1:] = self._used.cumsum(axis=0, dtype=np.int32).cumsum(axis=1, dtype=np.int32)
        return sums

    def place(self, width: int, height: int) -> tuple[int, int] | None:
        """Use the best place and return its left and top, or None if there is none."""
        if width * height > self.free or any(width >= w and height >= h for w, h in self._too_large):
            return None
        rows, columns = PAGE_SIZE + 1 - height, PAGE_SIZE + 1 - width  # of the corner
        free = self._counts(1, height, width, rows, columns) == 0
        if not free.any():
            self._too_large.append((width, height))
            return None
        # Used pixels around each candidate; the topmost of the best is chosen.
        touching = self._counts(0, height + 2, width + 2, rows, columns)
        y, x = divmod(int(np.where(free, touching, -1).argmax()), columns)
        self._used[1 + y : 1 + y + height, 1 + x : 1 + x + width] = True
        self._sums = self._summed()
        return x, y

    def _counts(self, margin: int, height: int, width: int, rows: int, columns: int) -> NDArray[np.int32]:
        """Return the used pixels in windows of a size; the first begins ``margin`` pixels into the frame."""
        top, bottom = slice(margin, margin + rows), slice(margin + height, margin + height + rows)
        left, right = slice(margin, margin + columns), slice(margin + width, margin + width + columns)
        s = self._sums
        result: NDArray[np.int32] = s[bottom, right] - s[top, right] - s[bottom, left] + s[top, left]
        return result
