"""Areas of images on the texture pages of a level: their pixels, places, and the corners of faces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...converting.pages import nearest_entries
from ...converting.palette import best_palette
from ...games import Game
from ...level.level import Level
from ...meshes.meshes import decode_meshes, encode_block, encode_mesh
from ...textures.coordinates import QUAD_MOVES, TRIANGLE_MOVES
from ...textures.level_pages import page_count, pages_of
from ...textures.light_map import make_light_map
from ...textures.object_textures import PAGE_MASK
from ...textures.packing import pack, used_pixels
from ...textures.textiles import (
    MAGENTA,
    PAGE_SIZE,
    U8Array,
    decode_pages,
    encode_pages,
    encode_pages8,
    encode_pages16,
    expand_palette,
    is_magenta_keyed,
)
from .areas import Bools, Floats, Ints

_MOST = PAGE_SIZE - 1 / 255  # of coordinates
_FRACTION = 255  # of coordinates in files
_OPAQUE = 255
_BUMPS = {1: (-2, 2), 2: (-2, 3), 3: (-1, 2)}  # by level: weight and size of the effect


# --- Pixels ------------------------------------------------------------------------------------


def cut(image: U8Array, box: Ints) -> U8Array:
    """Return a rectangle of an image; beyond its border, that is continued."""
    left, top, right, bottom = box.tolist()
    rows = np.arange(top, bottom).clip(0, image.shape[0] - 1)
    columns = np.arange(left, right).clip(0, image.shape[1] - 1)
    return image[rows[:, None], columns]


def squeezed(tile: U8Array) -> U8Array:
    """Return a tile at half its height, twice: rotating textures scroll from the upper to the lower half."""
    half = tile.shape[0] // 2
    if not half:
        return tile
    pairs = tile[: 2 * half].reshape(half, 2, *tile.shape[1:]).astype(np.float64)
    alpha = pairs[..., 3:]
    weights = alpha.sum(axis=1)
    mean = np.zeros((half, *tile.shape[1:]))
    mean[..., :3] = (pairs[..., :3] * alpha).sum(axis=1) / np.maximum(weights, 1)
    mean[..., 3] = alpha.mean(axis=1)[..., 0]
    small = np.rint(mean).astype(np.uint8)
    return np.concatenate([small, small, tile[2 * half :]])


def has_transparency(tile: U8Array) -> bool:
    """Return whether any pixel of a tile is not opaque."""
    return bool((tile[..., 3] != _OPAQUE).any())


def height_map(tile: U8Array, level: int) -> U8Array:
    """Return the height map of a bumped tile: its relief, lit from the upper left."""
    weight, size = _BUMPS[level]
    gray = tile[..., :3].astype(np.float64) @ (0.3, 0.59, 0.11)
    # The borders are continued, so that tiles have no rims.
    framed = np.pad(gray, size, mode="edge")
    behind = framed[: gray.shape[0], : gray.shape[1]]
    ahead = framed[2 * size :, 2 * size :]
    relief = np.clip(128 + (ahead - behind) * weight / -2, 0, 255)
    result = np.full_like(tile, _OPAQUE)
    result[..., :3] = np.rint(relief)[..., None].astype(np.uint8)
    return result


# --- Places ------------------------------------------------------------------------------------


class Layout(NamedTuple):
    """The places of tiles on the pages of a level.

    Attributes:
        page: (t,) the page of each tile.
        place: (t, 2) its left and top pixel, without its padding.
        padded: (t,) whether it has any padding.
    """

    page: Ints
    place: Ints
    padded: Bools


class Tile(NamedTuple):
    """A tile for a page.

    Attributes:
        pixels: (h, w, 4) RGBA.
        heights: its height map, or None.
    """

    pixels: U8Array
    heights: U8Array | None = None


def add_tiles(level: Level, tiles: Sequence[Tile], padding: int, *, dither: bool = False) -> Layout:
    """Add tiles to the pages of rooms of a level, and bumped ones to those of bumps.

    Object textures and sprites of the level follow their pages. In games with a palette it is made for all
    pages, and flat-colored faces of meshes follow it.

    Args:
        level: changed.
        tiles: the tiles.
        padding: the pixels around each tile, as far as a page has room.
        dither: whether 16-bit pages are dithered.

    Raises:
        ExportError: if there are too many pages.
    """
    bumped = np.array([tile.heights is not None for tile in tiles], np.bool_)
    sizes = np.array([tile.pixels.shape[1::-1] for tile in tiles], np.int64).reshape(-1, 2)
    first = np.minimum(padding, (PAGE_SIZE - sizes) // 2)
    last = np.minimum(padding, PAGE_SIZE - sizes - first)
    count = page_count(level)
    used = used_pixels(count, level.object_textures, level.sprite_textures, level.game)
    plain, rough = np.flatnonzero(~bumped), np.flatnonzero(bumped)
    outer = sizes + first + last
    # Only pages of rooms are filled, in games that separate them.
    fillable = range(level.room_textiles if level.game.traits.has_32bit_pages else count)
    placed = pack(outer[plain], used, pages=fillable, border=0)
    bumps = pack(outer[rough], np.zeros((0, PAGE_SIZE, PAGE_SIZE), np.bool_), border=0)
    number = _insert_pages(level, placed.pages - count, bumps.pages)
    page, place = np.zeros(len(tiles), np.int64), np.zeros((len(tiles), 2), np.int64)
    page[plain], place[plain] = number[placed.page], placed.position + first[plain]
    page[rough], place[rough] = number[placed.pages + bumps.page], bumps.position + first[rough]
    heights = np.full(len(tiles), -1)
    heights[rough] = number[placed.pages + bumps.pages + bumps.page]
    _paint(level, tiles, np.column_stack([page, place, first, last, heights]), dither=dither)
    return Layout(page, place, (first + last).any(axis=1))


def _insert_pages(level: Level, rooms: int, bumps: int) -> Ints:
    """Insert blank pages after those of rooms and of bumps.

    Returns:
        The new numbers of the old pages, of new pages of rooms, of new bumped pages and of their height maps.
    """
    count = page_count(level)
    total = count + rooms + 2 * bumps
    old, new = np.arange(count), np.arange(count, total)
    order = np.concatenate([old, new])
    if level.game.traits.has_32bit_pages:
        had = level.bump_textiles // 2
        at, end = level.room_textiles, count - 2 * had
        order = np.concatenate(
            [
                old[:at],
                new[:rooms],
                old[at : end + had],
                new[rooms : rooms + bumps],
                old[end + had :],
                new[rooms + bumps :],
            ]
        )
        level.room_textiles += rooms
        level.bump_textiles += 2 * bumps
    number = np.empty(total, np.int64)
    number[order] = np.arange(total)
    for name in ("textiles8", "textiles16", "textiles32"):
        before = level.__dict__.get(name)
        if before is None:
            continue
        blank = np.zeros((total - count, *before.shape[1:]), before.dtype)
        if name == "textiles32" and is_magenta_keyed(before):
            blank[...] = (*MAGENTA, before[0, 0, 0, 3])
        setattr(level, name, np.concatenate([before, blank])[order])
    if (number[:count] != old).any():
        level.object_textures = renumbered(level.object_textures, number[:count], PAGE_MASK)
        level.sprite_textures = renumbered(level.sprite_textures, number[:count], 0xFFFF)
    return number


def renumbered(records: NDArray[np.void], number: Ints, mask: int) -> NDArray[np.void]:
    """Return object textures or sprites with other numbers of pages; unknown pages stay.

    Args:
        records: the records.
        number: the new number of each page.
        mask: the bits of the page.
    """
    out = records.copy()
    words = records["page"].astype(np.int64)
    page = words & mask
    inside = page < len(number)
    moved = number[np.where(inside, page, 0)]
    out["page"] = np.where(inside, moved | (words & ~mask), words)
    return out


def _paint(level: Level, tiles: Sequence[Tile], places: Ints, *, dither: bool) -> None:
    """Draw tiles on pages.

    Args:
        level: changed.
        tiles: t of them.
        places: (t, 8): page, left, top, padding before (x, y) and after (x, y), page of the height map.
        dither: whether 16-bit pages are dithered.
    """
    original = pages_of(level)._replace(opaque=None)
    before = decode_pages(original)
    picture, is_new = before.copy(), np.zeros(before.shape[:3], np.bool_)
    for tile, (page, left, top, *frame, heights) in zip(tiles, places.tolist(), strict=True):
        sides = ((frame[1], frame[3]), (frame[0], frame[2]), (0, 0))
        for pixels, at in ((tile.pixels, page), (tile.heights, heights)):
            if pixels is None:
                continue
            framed = np.pad(pixels, sides, mode="edge")
            rows = slice(top - frame[1], top - frame[1] + framed.shape[0])
            columns = slice(left - frame[0], left - frame[0] + framed.shape[1])
            picture[at, rows, columns] = framed
            is_new[at, rows, columns] = True
    if level.game.traits.has_palette:
        _choose_palette(level, picture)
    original = original._replace(textiles8=None)
    if original.textiles16 is None and original.textiles32 is None:
        return
    encoded = encode_pages(picture, original)
    if encoded.textiles16 is not None:
        level.textiles16 = encoded.textiles16
        if dither:
            level.textiles16 = encode_pages16(_dithered(picture, is_new), original.textiles16, before)
    if encoded.textiles32 is not None:
        level.textiles32 = encoded.textiles32


def _dithered(picture: U8Array, where: Bools) -> U8Array:
    """Return pages whose pixels are prepared for 5 bits, by a regular pattern."""
    rows = np.arange(8)
    steps = rows[:, None] ^ rows
    pattern = np.zeros((8, 8), np.int64)
    for bit in range(3):  # an ordered pattern: neighbors differ most
        pattern |= ((steps >> bit & 1) << 1 | (rows[:, None] >> bit & 1)) << 2 * (2 - bit)
    tiled = np.tile(pattern >> 3, (PAGE_SIZE // 8, PAGE_SIZE // 8))
    result = picture.copy()
    lighter = np.minimum(picture[..., :3] + tiled[..., None].astype(np.uint16), 255)
    result[where, :3] = lighter[where]
    return result


# --- The palette -------------------------------------------------------------------------------


def _choose_palette(level: Level, picture: U8Array) -> None:
    """Make a palette for all pages of a level and for the flat-colored faces of its meshes."""
    used = _flat_colors(level)
    colors = expand_palette(level.palette)
    level.palette = best_palette(picture, colors[used])
    level.light_map = make_light_map(level.palette)
    level.textiles8 = encode_pages8(picture, level.palette)
    if len(used):
        entries = np.arange(256)
        entries[used] = nearest_entries(colors[used], level.palette)
        _recolor(level, entries)


def _flat_colors(level: Level) -> Ints:
    """Return the entries of the 8-bit palette that faces of meshes use."""
    meshes = decode_meshes(level.game, level.mesh_data, level.mesh_pointers).meshes
    words = [part["texture"] for mesh in meshes for part in (mesh.colored_quads, mesh.colored_triangles)]
    return np.unique(np.concatenate([np.zeros(0, np.uint16), *words]) & 0xFF).astype(np.int64)


def _recolor(level: Level, entries: Ints) -> None:
    """Replace the entries (256,) of the 8-bit palette in faces of meshes."""
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    encoded = []
    for mesh in block.meshes:
        if not len(mesh.colored_quads) and not len(mesh.colored_triangles):
            encoded.append(mesh.raw)
            continue
        mesh.colored_quads = _recolored(mesh.colored_quads, entries)
        mesh.colored_triangles = _recolored(mesh.colored_triangles, entries)
        encoded.append(encode_mesh(level.game, mesh))
    level.mesh_data, level.mesh_pointers = encode_block(encoded, block.pointers)


def _recolored(faces: NDArray[np.void], entries: Ints) -> NDArray[np.void]:
    out = faces.copy()
    out["texture"] = faces["texture"] & 0xFF00 | entries[faces["texture"] & 0xFF]
    return out


# --- Coordinates -------------------------------------------------------------------------------


def shape_numbers(corners: Floats, triangle: Bools) -> Ints:
    """Return the shape of textures (n, 4, 2) as TR4 and TR5 number it, (n,).

    Quads are 0 clockwise or 1 counterclockwise; triangles by the place of the corner at their middle: upper
    left 0 or 5, upper right 1 or 4, lower right 2 or 7, lower left 3 or 6.
    """
    four = np.where(triangle[:, None, None], corners[:, [0, 1, 2, 2]], corners)
    after = np.roll(four, -1, axis=1)
    area = ((after[..., 0] - four[..., 0]) * (after[..., 1] + four[..., 1])).sum(axis=1)
    other_way = area > 0
    three = corners[:, :3]
    away = three - three.mean(axis=1, keepdims=True)
    distance = (away**2).sum(axis=2)
    nearest = np.where(distance[:, 1] < distance[:, [0, 2]].min(axis=1), 1, 0)
    nearest = np.where(distance[:, 2] < distance[:, [0, 1]].min(axis=1), 2, nearest)
    right, below = (away[np.arange(len(away)), nearest] >= 0).T
    numbers = np.array([[[0, 5], [3, 6]], [[1, 4], [2, 7]]])
    kinds = numbers[right.astype(np.int64), below.astype(np.int64), other_way.astype(np.int64)]
    return np.where(triangle, kinds, other_way)


def stored_corners(game: Game, corners: Floats, triangle: Bools, padded: Bools, shapes: Ints) -> Ints:
    """Return corners as object textures store them, (n, 4, 2); the fourth one of triangles is 0.

    Args:
        game: the game.
        corners: (n, 4, 2) in pixels of the page.
        triangle: (n,).
        padded: (n,) whether there is any padding around the area.
        shapes: (n,), see :func:`shape_numbers`.
    """
    corners = corners.copy()
    if game.traits.has_texture_flags:
        # The engines move corners inwards by half a pixel.
        quads = QUAD_MOVES[np.where(triangle, 0, shapes)]
        triangles = np.pad(TRIANGLE_MOVES, ((0, 0), (0, 1), (0, 0)))[shapes]
        corners -= np.where(triangle[:, None, None], triangles, quads) / 2
    if game is Game.TR3:
        corners -= 0.5
    else:
        tight = ~padded
        corners[tight] -= np.sign(corners[tight] - _middles(corners[tight], triangle[tight])) / 2
    corners = corners.clip(0, _MOST)
    pixels = np.floor(corners)
    stored = (pixels * PAGE_SIZE + np.floor((corners - pixels) * _FRACTION)).astype(np.int64)
    stored[triangle, 3] = 0
    return stored


def _middles(corners: Floats, triangle: Bools) -> Floats:
    """Return the centers of gravity of faces (n, 4, 2), (n, 1, 2)."""
    four = np.where(triangle[:, None, None], corners[:, [0, 1, 2, 2]], corners)
    after = np.roll(four, -1, axis=1)
    cross = four[..., 0] * after[..., 1] - after[..., 0] * four[..., 1]
    area = 3 * cross.sum(axis=1)
    sums = ((four + after) * cross[..., None]).sum(axis=1)
    middle = sums / np.where(np.abs(area) < 1e-7, np.inf, area)[:, None]
    return middle[:, None]
