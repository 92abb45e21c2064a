"""Export of an edited level's textures to the images of its WAD2, and to new images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Bools, Ints
from ....base.bytes.chunks import Chunk
from ....levels.level.level import Level
from ....levels.textures.object_textures import PAGE_MASK, TRIANGLE_BIT
from ....levels.textures.textiles import PAGE_SIZE
from .level import Wad2Level
from .skins import TexturePath
from .textures import encode_image, new_texture, with_path

_RAW = 256
_LAST = _RAW - 1  # of a pixel: the raw coordinate of its far border
_RGBA = [2, 1, 0, 3]


_Item = TypeVar("_Item", bound=np.generic)


class ShownArea(NamedTuple):
    """The part of an image that an object texture shows."""

    texture: int  #: the number of the image in the file.
    uv: NDArray[np.float32]  #: (4, 2) float32, its corners in pixels.
    attribute: int  #: the blend mode of levels.


class TextureEdits:
    """The textures of an edited level."""

    def __init__(self, library: Wad2Level, level: Level, paths: Mapping[int, TexturePath]) -> None:
        self._library, self._paths = library, paths
        self._records = level.object_textures
        self.pages = level.textiles32[..., _RGBA]  #: (n, 256, 256, 4) RGBA of the edited level.
        #: (object textures,) the equal one of the original level, -1 for none.
        self.before = _same_records(library.level.object_textures, level.object_textures)
        self.added: list[NDArray[np.uint8]] = []  #: new images.
        self._boxes: dict[int, list[tuple[int, int, int, int, int]]] = {}  # by page: number, rectangle
        self._known: dict[int, ShownArea] = {}
        sheet = library.sheet
        numbers = [number for number, tile in enumerate(sheet.tiles) if tile.image < library.textures]
        self._tiles = np.array(numbers, np.int64)
        rows = [(*sheet.places[number].tolist(), *sheet.tiles[number].size) for number in numbers]
        self._places = np.array(rows, np.int64).reshape(-1, 5)

    def shown(self, number: int) -> ShownArea:
        """Return the part of an image, of the file or new, that an object texture shows."""
        if number not in self._known:
            self._known[number] = self._find(number)
        return self._known[number]

    def _find(self, texture_number: int) -> ShownArea:
        record = self._records[texture_number]
        raw = record["uv"].astype(np.int64)
        page = int(record["page"]) & PAGE_MASK
        if record["page"] & TRIANGLE_BIT:
            raw[3] = raw[2]
        corners = (raw + (raw % _RAW == _LAST)) / _RAW
        low = np.floor(corners.min(axis=0)).astype(int)
        high = np.ceil(corners.max(axis=0)).astype(int)
        high = np.minimum(np.maximum(high, low + 1), PAGE_SIZE)
        attribute = int(record["attribute"])
        if page >= len(self.pages):
            return ShownArea(0, np.zeros((4, 2), np.float32), attribute)
        number = self._tile_around(page, low, high)
        if number is None:
            texture, start = self._new(page, low.tolist(), high.tolist())
            return ShownArea(texture, (corners - start).astype(np.float32), attribute)
        tile = self._library.sheet.tiles[number]
        position = self._library.sheet.places[number, 1:]
        uv = (corners - position) * tile.step + (tile.left, tile.top)
        return ShownArea(tile.image, uv.astype(np.float32), attribute)

    def _tile_around(self, page: int, low: Ints, high: Ints) -> int | None:
        rectangles = self._places
        start, end = rectangles[:, 1:3], rectangles[:, 1:3] + rectangles[:, 3:]
        fits = (rectangles[:, 0] == page) & (start <= low).all(axis=1) & (high <= end).all(axis=1)
        return int(self._tiles[fits][0]) if fits.any() else None

    def _new(self, page: int, low: list[int], high: list[int]) -> tuple[int, list[int]]:
        """Return an image around a rectangle of a page, and its position there."""
        (left, top), (right, bottom) = low, high
        count = self._library.textures
        boxes = self._boxes.setdefault(page, [])
        for number, x0, y0, x1, y1 in boxes:
            if x0 <= left and y0 <= top and right <= x1 and bottom <= y1:
                return count + number, [x0, y0]
        boxes.append((len(self.added), left, top, right, bottom))
        self.added.append(self.pages[page, top:bottom, left:right])
        return count + len(self.added) - 1, low

    def textures(self) -> list[Chunk]:
        """Return the textures of the file, with painted ones updated, followed by new ones."""
        images = self.images()[: self._library.textures]
        images = [
            with_path(chunk, self._paths[number]) if number in self._paths else chunk
            for number, chunk in enumerate(images)
        ]
        return [*images, *(new_texture(pixels) for pixels in self.added)]

    def images(self) -> list[Chunk]:
        """Return the original images, updated from painted pages; unused ones are kept."""
        library, sheet = self._library, self._library.sheet
        pixels: dict[int, NDArray[np.uint8]] = {}
        masks: dict[int, Bools] = {}
        for at, tile in enumerate(sheet.tiles):  # each is compared with its rectangle
            if sheet.places[at, 0] >= len(self.pages):
                continue
            new, old = sheet.shown(at, self.pages), sheet.shown(at, sheet.pages)
            differs = (new != old).any(axis=-1)
            if not differs.any():
                continue
            image = library.images[tile.image].pixels
            target = pixels.setdefault(tile.image, image.copy())
            mask = masks.setdefault(tile.image, np.zeros(image.shape[:2], np.bool_))
            part = (slice(tile.top, tile.top + tile.height), slice(tile.left, tile.left + tile.width))
            is_painted = _enlarged(differs, tile.step)[: tile.height, : tile.width]
            target[part][is_painted] = _enlarged(new, tile.step)[: tile.height, : tile.width][is_painted]
            mask[part] |= is_painted
        return [
            encode_image(replace(image, pixels=pixels[number]), masks[number])
            if number in pixels
            else image.chunk
            for number, image in enumerate(library.images)
        ]


def _enlarged(values: NDArray[_Item], step: int) -> NDArray[_Item]:
    return values.repeat(step, axis=0).repeat(step, axis=1) if step > 1 else values


def _keys(records: NDArray[np.void]) -> Ints:
    columns = (records["page"], records["attribute"], *records["uv"].reshape(len(records), 8).T)
    return np.column_stack(columns).astype(np.int64)


def _same_records(before: NDArray[np.void], after: NDArray[np.void]) -> Ints:
    """Return the equal original of each object texture, (n,), -1 for none."""
    keys = np.concatenate([_keys(before), _keys(after)])
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    rows = first[inverse.reshape(-1)][len(before) :]
    return np.where(rows < len(before), rows, -1)
