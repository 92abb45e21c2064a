"""Texture pages: conversion of the file's textiles to RGBA images, and back (chapters 2.3.3, 9.2 and 10).

A page is 256 by 256 pixels. An image of pages is ``(n, 256, 256, 4)`` u8 in the order R, G, B, A with the top
row first. The games store the same pages in up to two forms: 8-bit palette indices (TR1-3), 16-bit A1R5G5B5
(TR2-5) and 32-bit B, G, R, A (TR4-5). The forms match only roughly, because every compiler rounds
differently, so an encoder with an original changes only painted pixels.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Bools

PAGE_SIZE = 256
MAGENTA = (255, 0, 255)  # the transparent color of pages whose alpha is constant

U8Array = NDArray[np.uint8]
U16Array = NDArray[np.uint16]

_OPAQUE = 128  # images have soft edges, the games only opaque and transparent
_MANY = 1 << 16  # pixels: a page
# Unique colors per step of the nearest search: 256 x 256 distances are 0.5 MB, which the caches of processors
# hold; more would start threads of BLAS, which cost more than they save.
_CHUNK = 1 << 8


class PageEdit(NamedTuple):
    """Pixels that TRX paints over a page, in 32-bit color."""

    page: int  #: the number of the page.
    #: x, y: the upper left pixel.
    x: int
    y: int
    pixels: U8Array  #: ``(height, width, 4)`` u8, R, G, B, A.

    @property
    def part(self) -> tuple[int, slice, slice]:
        """The index of the edited part in an array of pages."""
        height, width = self.pixels.shape[:2]
        return self.page, slice(self.y, self.y + height), slice(self.x, self.x + width)


class Pages(NamedTuple):
    """The texture pages of a level in every form of its game; None for other forms."""

    textiles8: U8Array | None = None  #: ``(n, 256, 256)`` u8, palette indices (TR1-3).
    textiles16: U16Array | None = None  #: ``(n, 256, 256)`` u16, A1R5G5B5 (TR2-5).
    textiles32: U8Array | None = None  #: ``(n, 256, 256, 4)`` u8, B, G, R, A (TR4-5).
    palette: U8Array | None = None  #: ``(256, 3)`` u8 of the 8-bit pages.
    #: ``(k, 256, 256)`` bool, the pixels of the first ``k`` pages that only opaque faces use (see
    #: `level_pages`). The games ignore their alpha, so it is treated as 255. None for none.
    opaque: Bools | None = None
    edits: tuple[PageEdit, ...] = ()  #: pixels that TRX paints over the pages (TR1-3).


def decode_pages(pages: Pages) -> U8Array:
    """Return the pages as ``(n, 256, 256, 4)`` RGBA, from 32-bit, else 16-bit, else 8-bit pages, with edits.

    Transparent pixels among ``pages.opaque`` are as opaque faces show them: in the color of their word, or
    black for the key color of 8-bit pages, which the engines set to black. Raises ValueError if there is no
    form at all, or 8-bit pages without a palette.
    """
    if pages.textiles32 is not None:
        rgba = decode_pages32(pages.textiles32)
    elif pages.textiles16 is not None:
        rgba = decode_pages16(pages.textiles16)
    elif pages.textiles8 is None or pages.palette is None:
        raise ValueError("a level has 32-bit, 16-bit, or 8-bit textiles with a palette")
    else:
        rgba = decode_pages8(pages.textiles8, pages.palette)
        if pages.opaque is not None:
            rgba[: len(pages.opaque)][pages.opaque & (pages.textiles8[: len(pages.opaque)] == 0)] = 0
    for edit in pages.edits:
        rgba[edit.part] = edit.pixels
    if pages.opaque is not None:
        alpha = rgba[: len(pages.opaque), ..., 3]
        alpha |= pages.opaque * np.uint8(255)  # an eighth of the time of assignment by mask
    return rgba


def encode_pages(rgba: U8Array, original: Pages, palette: U8Array | None = None) -> Pages:
    """Encode edited images in every form of ``original``, changing only painted pixels.

    Args:
        rgba: ``(n, 256, 256, 4)`` u8. Pages beyond those of the original are new.
        original: the argument of `decode_pages`. An unchanged form is returned as the same array object.
        palette: for painted pixels of 8-bit pages, if the palette has changed.
    """
    before = decode_pages(original)
    t8, t16, t32 = original.textiles8, original.textiles16, original.textiles32
    if t8 is not None and original.palette is not None:
        t8 = encode_pages8(rgba, original.palette if palette is None else palette, t8, before)
    if t16 is not None:
        t16 = encode_pages16(rgba, t16, before)
    if t32 is not None:
        t32 = encode_pages32(rgba, t32, before)
    return original._replace(textiles8=t8, textiles16=t16, textiles32=t32)


def encode_edits(
    rgba: U8Array, original: Pages, encoded: Pages, *, is_true_color: bool
) -> tuple[PageEdit, ...]:
    """Return the edits that show edited images in 32-bit color; those of the original if they do.

    Args:
        original: the argument of `decode_pages`.
        encoded: the result of `encode_pages` with the palette of its 8-bit pages.
        is_true_color: whether painted pixels whose color the pages cannot hold get new edits.
    """
    painted = changed_pixels(rgba, decode_pages(original))
    if not painted.any():
        return original.edits
    without = encoded._replace(edits=(), opaque=None)
    missed = painted & changed_pixels(rgba, decode_pages(without))
    edits = []
    for edit in original.edits:
        mask = painted[edit.part]
        edits.append(edit._replace(pixels=np.where(mask[..., None], rgba[edit.part], edit.pixels)))
        missed[edit.part] = False
    if is_true_color:
        # Unpainted pixels keep their alpha, also where only opaque faces use them.
        unpainted = decode_pages(without._replace(edits=original.edits))
        for page in np.flatnonzero(missed.any(axis=(1, 2))).tolist():
            rows, columns = np.nonzero(missed[page])
            part = page, slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1)
            pixels = np.where(painted[part][..., None], rgba[part], unpainted[part])
            edits.append(PageEdit(page, int(columns.min()), int(rows.min()), pixels))
    return tuple(edits)


def changed_pixels(rgba: U8Array, original_rgba: U8Array) -> Bools:
    """Return which pixels look different, ``(n, 256, 256)`` bool, ignoring the color of transparent ones.

    Pages beyond those of ``original_rgba`` are changed completely.
    """
    count = min(len(rgba), len(original_rgba))
    changed = np.ones(rgba.shape[:3], np.bool_)
    new, old = np.ascontiguousarray(rgba[:count]), np.ascontiguousarray(original_rgba[:count])
    different = new.view(np.uint32)[..., 0] != old.view(np.uint32)[..., 0]
    changed[:count] = different & ((new[..., 3] != 0) | (old[..., 3] != 0))
    return changed


# --- The palette (chapter 9.2) -------------------------------------------------------------------


def expand_palette(palette: U8Array) -> U8Array:
    """Return the palette in 8-bit components, ``(256, 3)`` u8.

    Components are 6-bit (0 to 63). Editors also write 8-bit colors between 6-bit ones, so each entry is
    tested: one with a component above 63 is taken unchanged.
    """
    wide = ((palette << 2) | (palette >> 4)).astype(np.uint8)
    return np.where(_is_8bit(palette)[:, None], palette, wide)


def _is_8bit(palette: U8Array) -> Bools:
    result: Bools = palette.max(axis=1) > 63
    return result


# --- 8-bit pages ---------------------------------------------------------------------------------


def decode_pages8(textiles8: U8Array, palette: U8Array) -> U8Array:
    """Convert palette indices ``(n, 256, 256)`` to RGBA. Index 0, the color key, gets alpha 0."""
    # One 32-bit value per pixel: four times faster than gathering rows of four bytes.
    pixels = key_palette(palette).view(np.uint32)[:, 0].take(textiles8)
    return pixels.view(np.uint8).reshape(*textiles8.shape, 4)


def key_palette(palette: U8Array) -> U8Array:
    """Return the colors of 8-bit pages, ``(256, 4)`` RGBA: entry 0 is the color key."""
    colors = np.full((256, 4), 255, np.uint8)
    colors[:, :3] = expand_palette(palette)
    colors[0, 3] = 0
    return colors


def encode_pages8(
    rgba: U8Array, palette: U8Array, original: U8Array | None = None, original_rgba: U8Array | None = None
) -> U8Array:
    """Convert RGBA to palette indices ``(n, 256, 256)`` u8.

    Args:
        rgba: ``(n, 256, 256, 4)`` u8. Alpha below 128 becomes index 0; other pixels never do.
        palette: ``(256, 3)`` u8 as in the file; it is not changed.
        original: indices to keep where ``rgba`` equals ``original_rgba``; without it all pixels are new.
        original_rgba: the decoded image of ``original``, from any form.
    """
    pixels, changed = _pixels_to_encode(rgba, original, original_rgba)
    if original is not None and not changed.any() and len(original) == len(rgba):
        return original
    entries = np.where(pixels[:, 3] < _OPAQUE, 0, nearest_entries(pixels, palette))
    return _with_pixels(original, changed, entries, np.dtype(np.uint8))


def nearest_entries(colors: U8Array, palette: U8Array) -> U8Array:
    """Return the palette entries that look most like colors, ``(m,)`` u8, never 0.

    Args:
        colors: ``(m, 3)`` u8, 8 bits per component; more channels are ignored.
        palette: ``(256, 3)`` u8 as in the file.
    """
    numbers = colors[:, 0].astype(np.uint32) << 16 | colors[:, 1].astype(np.uint32) << 8 | colors[:, 2]
    unique, inverse = _unique_colors(numbers)
    rgb = np.stack([unique >> 16, (unique >> 8) & 255, unique & 255], axis=-1).astype(np.uint8)
    # The engines scale every entry as 6-bit, so 8-bit entries have other colors in the game.
    usable = np.flatnonzero(~_is_8bit(palette))
    usable = usable[usable > 0]
    if not len(usable):
        usable = np.arange(1, 256)
    targets = _oklab(expand_palette(palette)[usable])
    nearest = np.empty(len(rgb), np.uint8)
    for start in range(0, len(rgb), _CHUNK):
        chunk = _oklab(rgb[start : start + _CHUNK])
        distance = (targets**2).sum(axis=1) - 2.0 * (chunk @ targets.T)
        nearest[start : start + _CHUNK] = usable[distance.argmin(axis=1)]
    result: U8Array = nearest[inverse]
    return result


def _unique_colors(colors: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the distinct of ``(m,)`` 24-bit colors, ascending, and the index among them of each color."""
    if len(colors) < _MANY:
        unique, inverse = np.unique(colors, return_inverse=True)
        return unique, inverse.reshape(-1)
    # A table of all possible colors is faster than sorting whole pages.
    is_used = np.zeros(1 << 24, np.bool_)
    is_used[colors] = True
    blocks = np.flatnonzero(is_used.view(np.uint64))  # of eight colors: most are empty
    block, place = np.nonzero(is_used.reshape(-1, 8)[blocks])
    unique = 8 * blocks[block] + place
    number = np.empty(1 << 24, np.int32)
    number[unique] = np.arange(len(unique), dtype=np.int32)
    return unique, number[colors]


_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _oklab(rgb: U8Array) -> NDArray[np.float64]:
    """Convert sRGB to Oklab, where distances are roughly perceptual: ``(m, 3)``.

    In doubles, so that rounding cannot make a palette color nearest to a neighbor instead of itself.
    """
    c = rgb / 255.0
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    result: NDArray[np.float64] = np.cbrt(linear @ _TO_LMS.T) @ _TO_OKLAB.T
    return result


# --- 16-bit pages --------------------------------------------------------------------------------


def decode_pages16(textiles16: U16Array) -> U8Array:
    """Convert A1R5G5B5 ``(n, 256, 256)`` u16 to RGBA; a clear bit 15 is alpha 0."""
    rgba: U8Array = _words_rgba()[textiles16][..., None].view(np.uint8)
    return rgba


@cache
def _words_rgba() -> NDArray[np.uint32]:
    """Return the RGBA color of every word of a 16-bit page, ``(65536,)``, as one 32-bit number.

    A lookup takes a quarter of the time of the computation.
    """
    words = np.arange(1 << 16)
    rgba = np.empty((len(words), 4), np.uint8)
    for channel, shift in enumerate((10, 5, 0)):
        five = ((words >> shift) & 31).astype(np.uint8)
        rgba[:, channel] = (five << 3) | (five >> 2)
    rgba[:, 3] = np.where(words & 0x8000, 255, 0)
    return rgba.view(np.uint32)[:, 0]


def encode_pages16(
    rgba: U8Array, original: U16Array | None = None, original_rgba: U8Array | None = None
) -> U16Array:
    """Convert RGBA to A1R5G5B5 ``(n, 256, 256)`` u16. Arguments as for `encode_pages8`.

    Alpha below 128 becomes 0. Colors are truncated to five bits, as by the compilers of the original levels.
    """
    pixels, changed = _pixels_to_encode(rgba, original, original_rgba)
    if original is not None and not changed.any() and len(original) == len(rgba):
        return original
    five = pixels[:, :3].astype(np.uint16) >> 3
    color = 0x8000 | five[:, 0] << 10 | five[:, 1] << 5 | five[:, 2]
    return _with_pixels(original, changed, np.where(pixels[:, 3] < _OPAQUE, 0, color), np.dtype("<u2"))


# --- 32-bit pages --------------------------------------------------------------------------------


def is_magenta_keyed(textiles32: U8Array) -> bool:
    """Return whether pages mark transparency by magenta (255, 0, 255) and leave alpha unused.

    Compilers write alpha 0 or 255. If alpha is constant and there is magenta, magenta is the key. Test all
    pages of a level together.
    """
    alpha = textiles32[..., 3]
    if not alpha.size or alpha.min() != alpha.max():
        return False
    return bool(_is_magenta(textiles32).any())


def clear_magenta(image: U8Array) -> U8Array:
    """Return an image, (h, w, 4) RGBA, whose opaque magenta pixels are transparent black."""
    magenta = _is_magenta(image) & (image[..., 3] == 255)
    if not magenta.any():
        return image
    result = image.copy()
    result[magenta] = 0
    return result


def _is_magenta(color: U8Array) -> Bools:
    red, green, blue = MAGENTA
    return (color[..., 0] == red) & (color[..., 1] == green) & (color[..., 2] == blue)


def decode_pages32(textiles32: U8Array) -> U8Array:
    """Convert B, G, R, A pages ``(n, 256, 256, 4)`` to RGBA. See `is_magenta_keyed` for the exception."""
    rgba = _swapped(textiles32)
    if is_magenta_keyed(textiles32):
        rgba[..., 3] = np.where(_is_magenta(textiles32), 0, 255)
    return rgba


def encode_pages32(
    rgba: U8Array, original: U8Array | None = None, original_rgba: U8Array | None = None
) -> U8Array:
    """Convert RGBA to B, G, R, A ``(n, 256, 256, 4)`` u8. Arguments as for `encode_pages8`.

    Alpha is kept, and fully transparent pixels become 0, 0, 0, 0 as in original levels; pages with magenta as
    their key get magenta instead.
    """
    pixels, changed = _pixels_to_encode(rgba, original, original_rgba)
    if original is not None and not changed.any() and len(original) == len(rgba):
        return original
    encoded = _swapped(pixels)
    if original is not None and is_magenta_keyed(original):
        encoded[pixels[:, 3] < _OPAQUE, :3] = MAGENTA
        encoded[:, 3] = original[0, 0, 0, 3]
    else:
        encoded[pixels[:, 3] == 0] = 0
    return _with_pixels(original, changed, encoded, np.dtype(np.uint8))


def _swapped(colors: U8Array) -> U8Array:
    """Return colors, ``(…, 4)``, with red and blue exchanged. Two copies are faster than indices."""
    result = colors.copy()
    result[..., 0], result[..., 2] = colors[..., 2], colors[..., 0]
    return result


# --- Shared by the encoders ----------------------------------------------------------------------


def _pixels_to_encode(
    rgba: U8Array, original: NDArray[Any] | None, original_rgba: U8Array | None
) -> tuple[U8Array, Bools]:
    """Return the new or painted pixels, ``(m, 4)``, and their mask, ``(n, 256, 256)`` bool."""
    if original is None:
        return rgba.reshape(-1, 4), np.ones(rgba.shape[:3], np.bool_)
    if original_rgba is None or len(original_rgba) != len(original):
        raise ValueError("original pages come with the images that were decoded from them")
    if len(rgba) < len(original):
        raise ValueError(f"{len(rgba)} images for {len(original)} pages: pages are never removed")
    changed = changed_pixels(rgba, original_rgba)
    return rgba[changed], changed


def _with_pixels(
    original: NDArray[Any] | None, changed: Bools, pixels: NDArray[Any], dtype: np.dtype
) -> NDArray[Any]:
    """Return pages with the pixels of :func:`_pixels_to_encode`, encoded: ``(m, …)``."""
    shape = (*changed.shape, *pixels.shape[1:])
    if original is None:
        return pixels.astype(dtype).reshape(shape)  # a tenth of the time that masks take
    result = np.zeros(shape, dtype)
    result[: len(original)] = original
    result[changed] = pixels
    return result
