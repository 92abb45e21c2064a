"""What a level has on its texture pages: whole pages, the pieces that faces show, and animated textures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..level.level import Level
from ..textures.animated import decode_animated
from ..textures.coordinates import RAW_PER_PIXEL
from ..textures.level_pages import page_count
from ..textures.object_textures import decode_object_textures
from ..textures.textiles import PAGE_SIZE

_BLENDING = {0: "", 1: " Alpha", 2: " Additive"}
_FIRST_ANIMATED = -1000  # numbers of pages are above, of which files have some hundred at most


class Box(NamedTuple):
    """A rectangle of a page in whole pixels, from its top left corner; the last ones are beyond it."""

    page: int
    left: int
    top: int
    right: int
    bottom: int


class Frame(NamedTuple):
    """A picture of a texture.

    Attributes:
        box: what it is of a page.
        corners: (4, 2) of the object texture in pixels from the box's top left corner.
        is_triangle: whether only three of them count.
        attribute: how it blends; None where each of its texels decides.
        bump: how strongly its height map is shown, 0 to 3.
    """

    box: Box
    corners: NDArray[np.float64]
    is_triangle: bool
    attribute: int | None
    bump: int = 0


class Texture(NamedTuple):
    """Something that faces can show.

    Attributes:
        number: of the first object texture that shows it; below 0 for pages and animated textures.
        name: what to call it.
        frames: its picture, or those that follow each other.
        is_animated: whether they do.
        scrolls: whether they move over their faces.
    """

    number: int
    name: str
    frames: tuple[Frame, ...]
    is_animated: bool = False
    scrolls: bool = False


def textures_of(level: Level) -> list[Texture]:
    """Return what a level has on its pages, each rectangle once for every way of blending.

    Animated textures come first, then whole pages, then pieces by the page and by their places there.
    """
    pages = page_count(level)
    pictures = _frames(level, pages)
    found = []
    words = level.animated_textures if level.has("animated_textures") else np.zeros(0, np.uint16)
    for number, group in enumerate(decode_animated(words).groups):
        frames = tuple(pictures[each] for each in group if each in pictures)
        if frames:
            scrolls = number < level.uv_rotates
            found.append(
                Texture(_FIRST_ANIMATED - number, f"Animated Texture {number}", frames, True, scrolls)
            )
    found += [Texture(-1 - page, f"Page {page:02}", (_whole(page),)) for page in range(pages)]
    pieces: dict[tuple[Box, int | None, int], Texture] = {}
    for number, frame in pictures.items():
        key = frame.box, frame.attribute, frame.bump
        pieces.setdefault(key, Texture(number, _name(frame), (frame,)))
    return found + [pieces[key] for key in sorted(pieces, key=lambda key: (key[0], key[1] or 0, key[2]))]


def _whole(page: int) -> Frame:
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float64) * PAGE_SIZE
    return Frame(Box(page, 0, 0, PAGE_SIZE, PAGE_SIZE), corners, False, None)


def _name(frame: Frame) -> str:
    page, left, top, right, bottom = frame.box
    blending = _BLENDING.get(frame.attribute or 0, f" Blending {frame.attribute}")
    bump = f" Bump {frame.bump}" if frame.bump else ""
    return f"Page {page:02} {right - left} x {bottom - top} at {left} {top}{blending}{bump}"


def _frames(level: Level, pages: int) -> dict[int, Frame]:
    """Return what each object texture shows, by its number, where its page is there."""
    if not level.has("object_textures") or not len(level.object_textures):
        return {}
    decoded = decode_object_textures(level.object_textures, level.game)
    corners = level.object_textures["uv"].astype(np.float64) / RAW_PER_PIXEL
    used = corners.copy()
    used[decoded.triangle, 3] = used[decoded.triangle, 2]
    low = np.floor(used.min(axis=1)).astype(np.int64)
    high = np.maximum(np.ceil(used.max(axis=1)).astype(np.int64), low + 1)
    counts = np.ones(corners.shape[:2], np.bool_)
    counts[decoded.triangle, 3] = False
    boxes = np.column_stack([decoded.page, low, high])
    inside = (decoded.page >= 0) & (decoded.page < pages)
    return {
        number: Frame(
            Box(*boxes[number].tolist()),
            np.where(counts[number, :, None], corners[number] - low[number], 0.0),
            bool(decoded.triangle[number]),
            int(decoded.attribute[number]),
            int(decoded.bump[number]),
        )
        for number in np.flatnonzero(inside).tolist()
    }
