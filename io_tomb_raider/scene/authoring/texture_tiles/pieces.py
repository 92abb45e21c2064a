"""Pieces of pictures: the rectangles that faces of a level show, and those that users choose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Collection, Image, Mesh
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import OBJECT_TEXTURE_RECORD, distinct_rows
from ....formats.levels.textures import RAW_PER_PIXEL, BlendMode, decode_object_textures
from ...core import original
from ...mesh.blender_mesh import material_slots, read_shape
from ...subjects.meshes.layers import read_uvs, shown_uv_map
from ...subjects.textures.materials import MaterialKeys, user_image
from ...subjects.textures.pixels import read_pixels
from ..texture_regions.regions import level_meshes
from .tile import Area, Tile, has_holes

_NEAR = 1 / 512  # pixels


class TexturePiece(NamedTuple):
    """A rectangle that faces of a level show."""

    image: Image  #: the picture.
    area: Area  #: see :class:`~.tile.Tile`.
    attribute: int  #: blend mode of most of the faces.
    bump: int  #: bump level of most of the faces.


def level_pieces(root: Collection) -> list[TexturePiece]:
    """Return the rectangles that a level shows, each once: by picture, from the top, from the left.

    These are the object textures of the imported file, and what faces show now. Meshes in edit mode are
    left out.

    Raises:
        FormatError: if the stored file is damaged.
    """
    images: dict[Image, int] = {}
    parts = [*_of_file(root, images), *_of_faces(root, images)]
    rows = np.concatenate([np.zeros((0, 7), np.int64), *parts])
    first, group = distinct_rows(rows.T, is_sorted=True)
    counts = np.bincount(group, minlength=len(first))
    best: dict[tuple[int, ...], tuple[int, int, int]] = {}
    for row, count in zip(rows[first].tolist(), counts.tolist(), strict=True):
        rectangle, look = tuple(row[:5]), (count, -row[5], -row[6])
        best[rectangle] = max(best.get(rectangle, look), look)
    pictures = list(images)
    names = sorted(range(len(pictures)), key=lambda number: _natural(pictures[number]))
    order = {number: rank for rank, number in enumerate(names)}
    result = []
    for rectangle in sorted(best, key=lambda key: (order[key[0]], key[2], key[1], key[4], key[3])):
        left, top, right, bottom = (value / RAW_PER_PIXEL for value in rectangle[1:])
        _, attribute, bump = best[rectangle]
        area = (left, top, right - left, bottom - top)
        result.append(TexturePiece(pictures[rectangle[0]], area, -attribute, -bump))
    return result


def _natural(image: Image) -> tuple[bool, int, str]:
    """Return the key of pictures in order: pages by number, then others by name."""
    settings = image.tomb_raider
    is_page = settings.kind == "PAGE"
    return not is_page, settings.page if is_page else 0, image.name


# Rows of both: number of the picture, left, top, right and bottom in units of the file, blend mode, bump.


def _of_file(root: Collection, images: dict[Image, int]) -> Iterator[NDArray[np.int64]]:
    decoded = original.load(root)
    if decoded is None or not decoded.level.has("object_textures"):
        return
    game = decoded.level.game
    records: NDArray[Any] = decoded.level.object_textures.astype(OBJECT_TEXTURE_RECORD[game])
    textures = decode_object_textures(records, game)
    raw = records["uv"].astype(np.int64)
    raw[textures.triangle, 3] = raw[textures.triangle, 2]
    numbers = np.full(int(textures.page.max(initial=0)) + 1, -1, np.int64)
    for entry in root.tomb_raider.images:
        if entry.kind == "PAGE" and entry.image is not None and 0 <= entry.page < len(numbers):
            numbers[entry.page] = images.setdefault(entry.image, len(images))
    picture = numbers[textures.page]
    rows = np.column_stack([picture, raw.min(axis=1), raw.max(axis=1), textures.attribute, textures.bump])
    yield rows[(picture >= 0) & _is_wide(rows)]


def _of_faces(root: Collection, images: dict[Image, int]) -> Iterator[NDArray[np.int64]]:
    keys = MaterialKeys(root)
    for mesh, _ in level_meshes(root):
        layer = None if mesh.is_editmode else shown_uv_map(mesh)
        if layer is not None and len(mesh.polygons):
            rows = _of_mesh(mesh, layer, keys, images)
            yield rows[_is_wide(rows)]


def _of_mesh(mesh: Mesh, layer: Any, keys: MaterialKeys, images: dict[Image, int]) -> NDArray[np.int64]:
    looks = np.full((max(len(mesh.materials), 1), 5), -1, np.int64)
    for slot, material in enumerate(mesh.materials):
        image = None if material is None else user_image(material)
        if material is None or image is None or not all(image.size):
            continue
        key, settings = keys[material], material.tomb_raider
        if key is not None and key.kind != "PAGE":
            continue
        attribute = settings.attribute if settings.is_property_set("attribute") else int(BlendMode.OPAQUE)
        look = (attribute, settings.bump) if key is None else (key.attribute, key.bump)
        looks[slot] = images.setdefault(image, len(images)), *image.size, *look
    shape = read_shape(mesh)
    slots = material_slots(mesh)
    of_face = looks[np.where(slots < len(looks), slots, 0)]
    of_face[slots >= len(looks)] = -1
    uvs = read_uvs(layer, len(mesh.loops)).astype(np.float64)
    with np.errstate(invalid="ignore"):
        uvs[:, 1] = 1 - uvs[:, 1]
        uvs *= of_face[shape.face_of_corner, 1:3] * RAW_PER_PIXEL
        uvs = np.where(np.isfinite(uvs), uvs, -1.0).clip(-1.0, 1e9)
    low = np.rint(np.minimum.reduceat(uvs, shape.starts)).astype(np.int64)
    high = np.rint(np.maximum.reduceat(uvs, shape.starts)).astype(np.int64)
    rows = np.column_stack([of_face[:, 0], low, high, of_face[:, 3:]])
    # Faces that repeat a picture show all of it.
    inside = (low >= 0).all(axis=1) & (high <= of_face[:, 1:3] * RAW_PER_PIXEL).all(axis=1)
    return rows[inside & (of_face[:, 0] >= 0)]


def _is_wide(rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which rectangles are not only lines."""
    return np.asarray((rows[:, 3:5] - rows[:, 1:3] >= RAW_PER_PIXEL // 2).all(axis=1))


# --- Choosing --------------------------------------------------------------------------------------


def whole_pixels(area: Area) -> tuple[int, int, int, int]:
    """Return the left, top, width and height of the pixels that an area reaches."""
    left, top, width, height = area
    low = floor(left + _NEAR), floor(top + _NEAR)
    return (*low, ceil(left + width - _NEAR) - low[0], ceil(top + height - _NEAR) - low[1])


def chosen_area(
    size: tuple[int, int], start: tuple[float, float], end: tuple[float, float], grid: int
) -> tuple[int, int, int, int]:
    """Return the rectangle of cells between two points of a picture, in whole pixels and within it.

    Args:
        size: of the picture, in pixels, none of them 0.
        start: a point in pixels from the top left, also beyond the picture.
        end: the other one.
        grid: the width and height of cells.
    """
    spans = []
    for axis in (0, 1):
        ends = [min(max(floor(point[axis]), 0), size[axis] - 1) // grid for point in (start, end)]
        low = min(ends) * grid
        spans.append((low, min((max(ends) + 1) * grid, size[axis]) - low))
    return spans[0][0], spans[1][0], spans[0][1], spans[1][1]


def piece_at(pieces: Iterable[TexturePiece], image: Image, point: tuple[float, float]) -> TexturePiece | None:
    """Return the smallest piece at a point of a picture, in pixels from the top left."""
    x, y = point
    hits = [
        (width * height, number, piece)
        for number, piece in enumerate(pieces)
        for left, top, width, height in [whole_pixels(piece.area)]
        if piece.image == image and left <= x < left + width and top <= y < top + height
    ]
    return min(hits)[2] if hits else None


def chosen_tile(
    pieces: Iterable[TexturePiece], image: Image, area: tuple[int, int, int, int], *, is_double_sided: bool
) -> Tile:
    """Return the tile of a rectangle of whole pixels.

    Where faces of the level show these pixels, they may begin and end within pixels: the tile has the same
    area and look, so that it needs no other object texture. Elsewhere, transparent pixels are cut out.
    """
    for piece in pieces:
        if piece.image == image and whole_pixels(piece.area) == area:
            return Tile(image, piece.area, 0, False, piece.attribute, is_double_sided, piece.bump)
    attribute = BlendMode.COLOR_KEYED if has_holes(image, area) else BlendMode.OPAQUE
    return Tile(image, area, attribute=attribute, is_double_sided=is_double_sided)


# --- Thumbnails ----------------------------------------


class TileThumbnails:
    """Pictures of tiles. Valid while the pixels of their images do not change.

    Args:
        size: width and height in pixels.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._pixels: dict[Image, NDArray[np.uint8] | None] = {}

    def crop(self, tile: Tile) -> NDArray[np.uint8] | None:
        """Return the pixels of a tile, turned as faces show it, (h, w, 4), top row first; None without."""
        pixels = self._image(tile.image)
        left, top, width, height = whole_pixels(tile.area)
        if pixels is None or left < 0 or top < 0:
            return None
        crop = pixels[top : top + height, left : left + width]
        if not crop.size:
            return None
        if tile.is_mirrored:
            crop = crop[:, ::-1]
        return np.rot90(crop, -tile.turns)

    def picture(self, crop: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return a picture with the pixels in its middle, square, bottom row first."""
        size, (height, width) = self._size, crop.shape[:2]
        scale = size / max(height, width)
        rows, columns = max(int(height * scale), 1), max(int(width * scale), 1)
        result = np.zeros((size, size, 4), np.float32)
        below, left = (size - rows) // 2, (size - columns) // 2
        taken = crop[::-1][np.ix_(np.arange(rows) * height // rows, np.arange(columns) * width // columns)]
        result[below : below + rows, left : left + columns] = taken.astype(np.float32) / 255
        return result

    def digest_of(self, image: Image) -> str:
        """Return a name for the pixels of an image, empty without."""
        pixels = self._image(image)
        return "" if pixels is None else digest(pixels)

    def _image(self, image: Image) -> NDArray[np.uint8] | None:
        if image not in self._pixels:
            try:
                self._pixels[image] = read_pixels(image)
            except ExportError:
                self._pixels[image] = None
        return self._pixels[image]


def digest(crop: NDArray[np.uint8]) -> str:
    """Return a name for pixels, equal only for equal ones."""
    return f"{crop.shape} {blake2b(np.ascontiguousarray(crop).tobytes(), digest_size=12).hexdigest()}"
