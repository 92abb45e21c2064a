"""Textures and sprites of a WAD2: images of any size, and their places on pages of 256 by 256 pixels.

A polygon refers to an image and the pixels of its corners. Levels have pages: images are packed onto them,
large ones in pieces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.finite import slot_number
from ....base.arrays.typing import Bools, Ints
from ....base.bytes.chunks import Chunk, children, find, inside, lebs, read_chunks, replaced
from ....base.bytes.records import I32
from ....base.errors import FormatError
from ....base.schema.chunks import NUMBER, TEXT
from ....levels.textures.packing import pack
from ....levels.textures.textiles import PAGE_SIZE, clear_magenta
from .chunks import CONTEXT, leaf, parent, value_in
from .skins import TexturePath

_MOST_SIDE = 1 << 14
_MOST_PAGES = 1024  # that tiles may fill: polygons can refer to pieces of large images repeatedly
_PATHS = ("W2TxtName", "W2TxtRelPath")
_BYTES = 4  # of a pixel: B, G, R, A
_BGRA = [2, 1, 0, 3]


@dataclass(frozen=True, eq=False)
class Image:
    """An image."""

    chunk: Chunk  #: its original chunk.
    pixels: NDArray[np.uint8]  #: (height, width, 4) R, G, B, A, the top row first.


def decode_image(chunk: Chunk, element: int = 0) -> Image:
    """Decode a ``W2Txt`` or a ``W2Spr``; magenta is transparent.

    Raises:
        FormatError: if it is damaged.
    """
    cursor = inside(chunk)
    cursor.element = element
    width, height = lebs(cursor, 2)
    if not (0 <= width <= _MOST_SIDE and 0 <= height <= _MOST_SIDE):
        raise cursor.error(f"an image of at most {_MOST_SIDE} pixels to a side", f"{width} by {height}")
    data = find(read_chunks(cursor), "W2TxtData")
    size = width * height * _BYTES
    if data is None or len(data.body) < size:
        found = "none" if data is None else f"{len(data.body)} bytes"
        raise cursor.error(f"{size} bytes of pixels", found)
    pixels = np.frombuffer(data.body, np.uint8, size).reshape(height, width, _BYTES)[..., _BGRA]
    return Image(chunk, clear_magenta(pixels))


def encode_image(image: Image, changed: Bools) -> Chunk:
    """Encode an image, given the mask (height, width) of its changed pixels."""
    (width, height), parts = children(image.chunk, 2)
    data = find(parts, "W2TxtData")
    assert data is not None  # it was decoded
    body = np.frombuffer(data.body, np.uint8).copy()
    pixels = body[: width * height * _BYTES].reshape(height, width, _BYTES)
    pixels[changed] = image.pixels[..., _BGRA][changed]
    return parent(image.chunk.name, replaced(parts, leaf("W2TxtData", body.tobytes())), (width, height))


def texture_path(chunk: Chunk) -> TexturePath:
    """Return the name of a texture, and the path of its image."""
    _, parts = children(chunk, 2)
    return TexturePath(*(value_in(parts, name, TEXT, "") for name in _PATHS))


def with_path(chunk: Chunk, path: TexturePath) -> Chunk:
    """Return a texture with another name or path; equal ones stay as they are."""
    numbers, parts = children(chunk, 2)
    for name, new, old in zip(_PATHS, path, texture_path(chunk), strict=True):
        if new != old:
            parts = replaced(parts, TEXT.new_chunk(name, new, CONTEXT), ["W2TxtRelPath", "W2TxtData"])
    return parent(chunk.name, parts, numbers) if path != texture_path(chunk) else chunk


def new_texture(pixels: NDArray[np.uint8]) -> Chunk:
    """Return a texture with an embedded image (height, width, 4) RGBA."""
    parts = (leaf("W2TxtName", b""), leaf("W2TxtRelPath", b""), _new_pixels(pixels))
    return parent("W2Txt", parts, pixels.shape[1::-1])


def new_sprite(pixels: NDArray[np.uint8], number: int) -> Chunk:
    """Return a sprite with an image (height, width, 4) RGBA."""
    sides = leaf("W2SprSides", np.zeros(4, I32).tobytes())
    parts = (NUMBER.new_chunk("W2Index", number, CONTEXT), _new_pixels(pixels), sides)
    return parent("W2Spr", parts, pixels.shape[1::-1])


def _new_pixels(pixels: NDArray[np.uint8]) -> Chunk:
    return leaf("W2TxtData", pixels[..., _BGRA].tobytes())


def sprite_numbers(chunk: Chunk) -> tuple[int, list[int]]:
    """Return the slot of a sprite sequence, and the sprites in it."""
    (slot,), parts = children(chunk, 1)
    return slot_number(slot), [NUMBER.read(part, CONTEXT) for part in parts if part.name == "W2SpritePtr"]


def encode_sequence(slot: int, sprites: Sequence[int]) -> Chunk:
    """Return a sprite sequence."""
    pointers = (NUMBER.new_chunk("W2SpritePtr", number, CONTEXT) for number in sprites)
    return parent("W2SpriteSeq", pointers, [slot])


# --- Pages -------------------------------------------------------------------------------------


class Wad2Tile(NamedTuple):
    """A rectangle of an image on a page."""

    image: int  #: the number of the image.
    #: left, top, width, height: pixels of the image.
    left: int
    top: int
    width: int
    height: int
    step: int  #: image pixels per page pixel: 1 unless it is larger than a page.

    @property
    def size(self) -> tuple[int, int]:
        """Its size on the page in pixels."""
        return -(-self.width // self.step), -(-self.height // self.step)


@dataclass(frozen=True, eq=False)
class Sheet:
    """Images on pages."""

    tiles: Sequence[Wad2Tile]  #: the rectangles on them.
    places: Ints  #: (t, 3) page, left and top of each.
    pages: NDArray[np.uint8]  #: (n, 256, 256, 4) RGBA.

    def shown(self, number: int, pages: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the pixels of pages in the place of a tile, a view of (height, width, 4)."""
        page, left, top = self.places[number].tolist()
        width, height = self.tiles[number].size
        return pages[page, top : top + height, left : left + width]

    def drawn(self, images: Mapping[int, NDArray[np.uint8]], color: Sequence[int]) -> NDArray[np.uint8]:
        """Return pages of a color, (n, 256, 256, 4), with images (height, width, 4), by number, on tiles."""
        pages = np.full(self.pages.shape, color, np.uint8)
        for number, tile in enumerate(self.tiles):  # each is a copy of a rectangle
            if tile.image in images:
                self.shown(number, pages)[:] = _cut(images[tile.image], tile)
        return pages


def lay_out(images: Sequence[Image], tiles: Sequence[Wad2Tile]) -> Sheet:
    """Pack tiles onto pages. The result is deterministic.

    Raises:
        FormatError: if there are too many pages.
    """
    sizes = np.array([tile.size for tile in tiles], np.int64).reshape(-1, 2)
    if int(sizes.prod(axis=1).sum()) > _MOST_PAGES * PAGE_SIZE * PAGE_SIZE:
        raise FormatError("W2Textures", f"textures that fit on {_MOST_PAGES} pages", "more")
    no_pages = np.zeros((0, PAGE_SIZE, PAGE_SIZE), np.bool_)
    placed = pack(sizes, no_pages, border=0, subject="W2Textures")
    places = np.column_stack([placed.page, placed.position]).astype(np.int64)
    sheet = Sheet(tiles, places, np.zeros((placed.pages, PAGE_SIZE, PAGE_SIZE, _BYTES), np.uint8))
    return replace(sheet, pages=sheet.drawn({n: image.pixels for n, image in enumerate(images)}, (0,)))


def _cut(pixels: NDArray[np.uint8], tile: Wad2Tile) -> NDArray[np.uint8]:
    bottom, right = tile.top + tile.height, tile.left + tile.width
    return pixels[tile.top : bottom : tile.step, tile.left : right : tile.step]


def tiles_of(images: Sequence[Image], texture: Ints, low: Ints, high: Ints) -> tuple[list[Wad2Tile], Ints]:
    """Return the tiles of polygons, and the tile of each: (n,), -1 if there is no such image.

    An image that fits on a page is one tile. In larger ones, polygons within a square of a page's size share
    a tile; others have their own, shrunk if they are larger than a page.

    Args:
        texture: (n,) the image of each polygon.
        low, high: (n, 2) its pixels, within the image.
    """
    sizes = np.array([image.pixels.shape[1::-1] for image in images], np.int64).reshape(-1, 2)
    exists = (texture >= 0) & (texture < len(images))
    exists[exists] &= (sizes[texture[exists]] > 0).all(axis=1)
    which = np.where(exists, texture, 0)
    size = sizes[which] if len(sizes) else np.ones((len(texture), 2), np.int64)
    square = low // PAGE_SIZE * PAGE_SIZE
    is_small = (size <= PAGE_SIZE).all(axis=1, keepdims=True)
    in_square = (high <= square + PAGE_SIZE).all(axis=1, keepdims=True)
    start = np.where(is_small, 0, np.where(in_square, square, low))
    end = np.where(is_small, size, np.where(in_square, square + PAGE_SIZE, high))
    end = np.minimum(end, size)
    extent = np.maximum(end - start, 1)
    step = -(-extent.max(axis=1) // PAGE_SIZE)
    rows = np.column_stack([which, start, extent, step])
    unique, inverse = np.unique(rows[exists], axis=0, return_inverse=True)
    result = np.full(len(texture), -1, np.int64)
    result[exists] = inverse.reshape(-1)
    return [Wad2Tile(*row) for row in unique.tolist()], result


def image_tile(number: int, image: Image) -> Wad2Tile:
    """Return an image as one tile, shrunk if it is larger than a page.

    Raises:
        FormatError: if it has no pixels.
    """
    height, width = image.pixels.shape[:2]
    if not width or not height:
        raise FormatError("W2Spr", "a sprite with pixels", f"{width} by {height}", element=number)
    return Wad2Tile(number, 0, 0, width, height, -(-max(width, height) // PAGE_SIZE))
