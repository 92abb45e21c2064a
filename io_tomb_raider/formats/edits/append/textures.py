"""Textures on the pages of a level: whole pages, rectangles of faces, and animated textures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.arrays.typing import Floats
from ...levels.level.level import Level
from ...levels.level.level_pages import page_count
from ...levels.textures.animated import decode_animated
from ...levels.textures.coordinates import RAW_PER_PIXEL
from ...levels.textures.object_textures import decode_object_textures
from ...levels.textures.textiles import PAGE_SIZE

_BLENDING = {0: "", 1: " Alpha", 2: " Additive"}
_FIRST_ANIMATED = -1000  # below all page numbers; files have some hundred pages at most


class Box(NamedTuple):
    """A rectangle of a page in whole pixels, from its top left corner; right and bottom are exclusive."""

    page: int
    left: int
    top: int
    right: int
    bottom: int


class Frame(NamedTuple):
    """A picture of a texture."""

    box: Box  #: its rectangle of a page.
    corners: Floats  #: (4, 2) of the object texture in pixels from the box's top left corner.
    is_triangle: bool  #: whether only three corners are used.
    attribute: int | None  #: the blend mode; None if the alpha of each texel decides.
    bump: int = 0  #: the strength of its height map, 0 to 3.


class Texture(NamedTuple):
    """A texture that faces can use."""

    number: int  #: of its first object texture; below 0 for pages and animated textures.
    name: str
    frames: tuple[Frame, ...]  #: its picture, or the frames of an animated texture.
    is_animated: bool = False  #: whether it is animated.
    scrolls: bool = False  #: whether it scrolls over its faces.


def textures_of(level: Level) -> list[Texture]:
    """Return the textures on the pages of a level, each rectangle once per blend mode.

    Animated textures are first, then whole pages, then rectangles sorted by page and position.
    """
    pages = page_count(level)
    pictures = _frames(level, pages)
    textures = []
    words = level.animated_textures if level.has("animated_textures") else np.zeros(0, np.uint16)
    for number, group in enumerate(decode_animated(words).groups):
        frames = tuple(pictures[each] for each in group if each in pictures)
        if frames:
            scrolls = number < level.uv_rotates
            textures.append(
                Texture(_FIRST_ANIMATED - number, f"Animated Texture {number}", frames, True, scrolls)
            )
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float64) * PAGE_SIZE
    for page in range(pages):
        whole = Frame(Box(page, 0, 0, PAGE_SIZE, PAGE_SIZE), corners, False, None)
        textures.append(Texture(-1 - page, f"Page {page:02}", (whole,)))
    pieces: dict[tuple[Box, int | None, int], Texture] = {}
    for number, frame in pictures.items():
        key = frame.box, frame.attribute, frame.bump
        pieces.setdefault(key, Texture(number, _name(frame), (frame,)))
    return textures + [pieces[key] for key in sorted(pieces, key=lambda key: (key[0], key[1] or 0, key[2]))]


def _name(frame: Frame) -> str:
    page, left, top, right, bottom = frame.box
    blending = _BLENDING.get(frame.attribute or 0, f" Blending {frame.attribute}")
    bump = f" Bump {frame.bump}" if frame.bump else ""
    return f"Page {page:02} {right - left} x {bottom - top} at {left} {top}{blending}{bump}"


def _frames(level: Level, pages: int) -> dict[int, Frame]:
    """Return the frame of each object texture whose page exists, by its number."""
    if not level.has("object_textures") or not len(level.object_textures):
        return {}
    decoded = decode_object_textures(level.object_textures, level.game)
    corners = level.object_textures["uv"].astype(np.float64) / RAW_PER_PIXEL
    is_corner = np.ones(corners.shape[:2], np.bool_)
    is_corner[decoded.triangle, 3] = False
    used = np.where(is_corner[..., None], corners, corners[:, 2:3])
    low = np.floor(used.min(axis=1)).astype(np.int64)
    high = np.maximum(np.ceil(used.max(axis=1)).astype(np.int64), low + 1)
    boxes = np.column_stack([decoded.page, low, high])
    inside = (decoded.page >= 0) & (decoded.page < pages)
    return {
        number: Frame(
            Box(*boxes[number].tolist()),
            np.where(is_corner[number, :, None], corners[number] - low[number], 0.0),
            bool(decoded.triangle[number]),
            int(decoded.attribute[number]),
            int(decoded.bump[number]),
        )
        for number in np.flatnonzero(inside).tolist()
    }
