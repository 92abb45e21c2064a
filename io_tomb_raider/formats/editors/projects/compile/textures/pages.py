"""Areas of images on the texture pages of a level: their pixels, places, and the corners of faces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .....base.arrays.typing import Bools, Floats, Ints, Records
from .....base.errors import ExportError
from .....base.games import Game
from .....base.messages import T
from .....edits.convert.palette import best_palette
from .....edits.references.renumbering import forms, sort
from .....levels.level.level import Level
from .....levels.level.level_pages import page_count, pages_of
from .....levels.meshes.meshes import decode_meshes, encode_block, encode_mesh
from .....levels.textures.coordinates import QUAD_MOVES, TRIANGLE_MOVES, snap_to_pixels
from .....levels.textures.object_textures import TRIANGLE_BIT
from .....levels.textures.packing import MOST_PAGES, page_numbers
from .....levels.textures.textiles import (
    MAGENTA,
    PAGE_SIZE,
    U8Array,
    decode_pages,
    encode_pages8,
    encode_pages16,
    encode_pages32,
    expand_palette,
    is_magenta_keyed,
    nearest_entries,
)
from .areas import as_quads, signed_areas

# Coordinates are computed with 32 bits, as the editor does: their fractions are cut off in the file.
_MOST = np.float32(PAGE_SIZE - 1 / 255)
_FRACTION = np.float32(255)
_HALF = np.float32(0.5)
_OPAQUE = 255
_BUMPS = {1: (2, 2), 2: (2, 3), 3: (1, 2)}  # by level: divisor and size of the effect
_FLAT = 127  # of height maps
# Of dithering: the bits of a channel that 5 bits lose, and the part of them that a neighbor gets.
_LOST_BITS, _SHARE, _DIVISORS, _SEED = 7, 8, (28, 43), 31459
# The light strengths of a light map: row k has this minus k / 16, at most the next number.
_BRIGHTEST, _MOST_LIGHT, _FAR = 2.0, 1.5, 1000
_FIRST_ROWS = {Game.TR1: 1}  # of light maps; 0 in other games


# --- Pixels ------------------------------------------------------------------------------------


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
    """Return the height map of a bumped tile: the difference of each pixel to one to its lower right."""
    weight, size = _BUMPS[level]
    colors = tile[..., :3].astype(np.int64)
    rows = (np.arange(tile.shape[0]) + size - 1).clip(max=tile.shape[0] - 1)
    columns = (np.arange(tile.shape[1]) + size - 1).clip(max=tile.shape[1] - 1)
    change = colors[rows[:, None], columns] - colors
    steps = np.sign(change) * (np.abs(change) // weight)  # rounded towards 0
    result = tile.copy()
    result[..., :3] = (_FLAT - steps).clip(0, _OPAQUE)
    return result


# --- Placing ------------------------------------------------------------------------------------


_Rectangle = tuple[int, int, int, int]  # left, top, width, height


class TilePlaces(NamedTuple):
    """The places of tiles."""

    page: Ints  #: (n,) the page of each tile.
    position: Ints  #: (n, 2) its left and top pixel.
    pages: int  #: the number of pages.


class _Page:
    """The free rectangles of a page, in the order in which they are tried."""

    def __init__(self) -> None:
        self._free: list[_Rectangle] = [(0, 0, PAGE_SIZE, PAGE_SIZE)]
        self._refused: list[tuple[int, int]] = []

    def place(self, width: int, height: int) -> tuple[int, int] | None:
        """Return where a tile is placed, None if no free rectangle holds it."""
        # Space only shrinks: what is larger than a refused tile does not fit either.
        if any(width >= w and height >= h for w, h in self._refused):
            return None
        for number, (x, y, w, h) in enumerate(self._free):
            if width <= w and height <= h:
                right, below = w - width, h - height
                # The larger rest becomes one rectangle; the part next to the tile is tried before it.
                if right > below:
                    parts = [(x, y + height, width, below), (x + width, y, right, h)]
                else:
                    parts = [(x + width, y, right, height), (x, y + height, w, below)]
                self._free[number : number + 1] = [part for part in parts if part[2] and part[3]]
                return x, y
        self._refused.append((width, height))
        return None


def place_tiles(sizes: Ints) -> TilePlaces:
    """Place tiles (n, 2), width and height from 1 to 256, one by one on the first page that has space."""
    pages: list[_Page] = []
    page, position = np.zeros(len(sizes), np.int64), np.zeros((len(sizes), 2), np.int64)
    for row, (width, height) in enumerate(sizes.tolist()):
        for number in range(len(pages) + 1):
            if number == len(pages):
                pages.append(_Page())
            corner = pages[number].place(width, height)
            if corner is not None:
                page[row], position[row] = number, corner
                break
    return TilePlaces(page, position, len(pages))


class Layout(NamedTuple):
    """The places of tiles on the pages of a level."""

    page: Ints  #: (t,) the page of each tile.
    position: Ints  #: (t, 2) its left and top pixel, without its padding.
    padded: Bools  #: (t,) whether it has any padding.
    picture: U8Array  #: (n, 256, 256, 4) RGBA of all pages of the level, with the colors of the tiles.


class PageTile(NamedTuple):
    """A tile for a page."""

    pixels: U8Array  #: (h, w, 4) RGBA.
    heights: U8Array | None = None  #: its height map, or None.


def add_tiles(
    level: Level,
    tiles: Sequence[PageTile],
    padding: int,
    *,
    dither: bool = False,
    largest_first: bool = False,
) -> Layout:
    """Add tiles to new pages of rooms before the other pages of a level, and bumped ones to those of bumps.

    Object textures and sprites of the level follow their pages. In games with a palette it is made for all
    pages, and flat-colored faces of meshes follow it.

    Args:
        tiles: the tiles, which are placed in their order.
        padding: the pixels around each tile, as far as a page has room.
        dither: whether 16-bit pages are dithered.
        largest_first: place the largest tiles first.

    Raises:
        ExportError: if there are too many pages.
    """
    bumped = np.array([tile.heights is not None for tile in tiles], np.bool_)
    sizes = np.array([tile.pixels.shape[1::-1] for tile in tiles], np.int64).reshape(-1, 2)
    first = np.minimum(padding, (PAGE_SIZE - sizes) // 2)
    last = np.minimum(padding, PAGE_SIZE - sizes - first)
    plain, rough = np.flatnonzero(~bumped), np.flatnonzero(bumped)
    if largest_first:
        plain = plain[np.argsort(-sizes[plain].prod(axis=1), kind="stable")]
    outer = sizes + first + last
    placed, bumps = place_tiles(outer[plain]), place_tiles(outer[rough])
    count = page_count(level) + placed.pages + 2 * bumps.pages
    if count > MOST_PAGES:
        problem = T("the textures need more pages than a level holds")
        raise ExportError(T("texture pages"), problem, count=count, limit=MOST_PAGES)
    number = _insert_pages(level, placed.pages, bumps.pages)
    page, position = np.zeros(len(tiles), np.int64), np.zeros((len(tiles), 2), np.int64)
    page[plain], position[plain] = number[placed.page], placed.position + first[plain]
    page[rough], position[rough] = number[placed.pages + bumps.page], bumps.position + first[rough]
    heights = np.full(len(tiles), -1)
    heights[rough] = number[placed.pages + bumps.pages + bumps.page]
    picture = _paint(level, tiles, np.column_stack([page, position, first, last, heights]), dither=dither)
    return Layout(page, position, (first + last).any(axis=1), picture)


def _insert_pages(level: Level, rooms: int, bumps: int) -> Ints:
    """Insert blank pages before those of the level, and after those of bumps.

    Returns:
        The numbers of new pages of rooms, of new bumped pages and of their height maps.
    """
    count = page_count(level)
    old_bumps = level.bump_textiles // 2 if level.game.traits.has_32bit_pages else 0
    numbers = page_numbers(count, rooms, 0, bumps, count - old_bumps)
    if level.game.traits.has_32bit_pages:
        level.room_textiles += rooms
        level.bump_textiles += 2 * bumps
    for name in forms(level, "pages"):
        old_pages = getattr(level, name)
        blank = np.zeros((len(numbers) - count, *old_pages.shape[1:]), old_pages.dtype)
        if name == "textiles32" and is_magenta_keyed(old_pages):
            blank[...] = (*MAGENTA, old_pages[0, 0, 0, 3])
        setattr(level, name, np.concatenate([old_pages, blank]))
    sort(level, "pages", np.argsort(numbers))
    return numbers[count:]


def _paint(level: Level, tiles: Sequence[PageTile], placement: Ints, *, dither: bool) -> U8Array:
    """Draw tiles on pages; return the pages in full color, (n, 256, 256, 4) RGBA.

    `placement`: (t, 8): page, left, top, padding before (x, y) and after (x, y), page of the height map.
    """
    original = pages_of(level)._replace(opaque=None)
    before = decode_pages(original)
    picture, is_new = before.copy(), np.zeros(before.shape[:3], np.bool_)
    for tile, (page, left, top, *frame, heights) in zip(tiles, placement.tolist(), strict=True):
        sides = ((frame[1], frame[3]), (frame[0], frame[2]), (0, 0))
        for pixels, page_number in ((tile.pixels, page), (tile.heights, heights)):
            if pixels is None:
                continue
            framed = np.pad(pixels, sides, mode="edge")
            rows = slice(top - frame[1], top - frame[1] + framed.shape[0])
            columns = slice(left - frame[0], left - frame[0] + framed.shape[1])
            picture[page_number, rows, columns] = framed
            is_new[page_number, rows, columns] = True
    flat = without_alpha(picture, is_new)
    if level.game.traits.has_palette:
        _choose_palette(level, flat)
    if original.textiles16 is not None:
        prepared = dithered(flat, is_new) if dither else flat
        level.textiles16 = encode_pages16(prepared, original.textiles16, before)
    if original.textiles32 is not None:
        level.textiles32 = encode_pages32(picture, original.textiles32, before)
    return picture


def without_alpha(picture: U8Array, where: Bools | bool = True) -> U8Array:
    """Return pages whose pixels are opaque or transparent: others become darker, as in the editor.

    `picture`: (n, 256, 256, 4) uint8 RGBA. `where`: (n, 256, 256) bool, the pixels that may change.
    """
    alpha = picture[..., 3]
    rows = where & (alpha > 0) & (alpha < _OPAQUE)
    if not rows.any():
        return picture
    result = picture.copy()
    result[rows, :3] = picture[rows, :3].astype(np.int64) * alpha[rows][:, None] // _OPAQUE
    result[rows, 3] = _OPAQUE
    return result


def dithered(picture: U8Array, where: Bools) -> U8Array:
    """Return pages whose pixels are prepared for 5 bits as by the editor.

    A pixel gets a part of what its right neighbor loses, with some noise; green and blue are exchanged there.
    """
    low, high = _DIVISORS
    noise = np.random.default_rng(_SEED).integers(low, high, (PAGE_SIZE, PAGE_SIZE, 1))
    # Few numbers occur: a table is much faster than divisions.
    shares = np.arange(_LOST_BITS + 1)[:, None] * _SHARE // np.arange(low, high)
    lost = picture[:, :, 1:, [0, 2, 1]] & np.uint8(_LOST_BITS)
    given = shares.astype(np.uint8)[lost, (noise - low)[:, :-1]]
    lighter = picture[..., :3].copy()
    lighter[:, :, :-1] += np.minimum(given, _OPAQUE - lighter[:, :, :-1])
    result = picture.copy()
    np.copyto(result[..., :3], lighter, where=where[..., None])
    return result


# --- The palette -------------------------------------------------------------------------------

# The first entries of the palettes of Tomb Editor. TR1 draws the bars of health and air with them.
_RESERVED = {
    Game.TR1: bytes.fromhex(
        "020000 000000 060100 0c0301 120701 180a01 161100 1a1403 1c170b 22160b 281a0e 291e12"
        "2c2014 322416 372819 3a301c 3e341e 1d211d 161916 131413 101010 0c0c0c 090908 0e0b05"
        "140c05 161009 150508 0f0306 1f0808 280a07 2e0b08 231c0e 191d19 202421 242824 272c28"
        "2c312c 333333 393939 3f3f26 3f3b22 172827 162f31 213333 2f3737 2f2f23 2b1722 373d33"
    ),
    Game.TR2: bytes.fromhex(
        "000000 808080 ffffff ff0000 ffa500 ffff00 000000 000000 000000 000000 000000 000000"
        "008000 00ff00 00ffff 0000ff ff00ff"
    ),
}


def _choose_palette(level: Level, picture: U8Array) -> None:
    """Make a palette for all pages of a level and for the flat-colored faces of its meshes."""
    used = _flat_colors(level)
    colors = expand_palette(level.palette)
    reserved = _RESERVED.get(level.game)
    fixed = None if reserved is None else np.frombuffer(reserved, np.uint8).reshape(-1, 3)
    level.palette = best_palette(picture, colors[used], fixed)
    level.light_map = light_map_of(level.game, level.palette)
    level.textiles8 = encode_pages8(picture, level.palette)
    if len(used):
        entries = np.arange(256)
        entries[used] = nearest_entries(colors[used], level.palette)
        _recolor(level, entries)


def light_map_of(game: Game, palette: U8Array) -> U8Array:
    """Return the light map of a palette as the editor makes it, (32, 256) uint8.

    Each color is the first entry that is nearer than the whole part of the smallest distance before it.
    """
    rows = np.arange(32) + _FIRST_ROWS.get(game, 0)
    strengths = np.clip(_BRIGHTEST - rows / 16, 0, _MOST_LIGHT).astype(np.float32)
    shades = np.minimum(palette.astype(np.float32) * strengths[:, None, None], _OPAQUE).astype(np.int64)
    shades = shades.reshape(-1, 3)
    entries, nearest = np.zeros(len(shades), np.uint8), np.full(len(shades), _FAR)
    for entry, color in enumerate(palette.astype(np.int64)):
        distance = np.sqrt(((shades - color) ** 2).sum(axis=1))
        nearer = distance < nearest
        entries[nearer], nearest[nearer] = entry, distance[nearer].astype(np.int64)
    return entries.reshape(32, 256)


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


def _recolored(faces: Records, entries: Ints) -> Records:
    out = faces.copy()
    out["texture"] = faces["texture"] & 0xFF00 | entries[faces["texture"] & 0xFF]
    return out


# --- Coordinates -------------------------------------------------------------------------------


def shape_numbers(corners: Floats, triangle: Bools) -> Ints:
    """Return the shape of textures (n, 4, 2) as TR4 and TR5 number it, (n,).

    Quads are 0 clockwise or 1 counterclockwise; triangles by the place of the corner at their middle: upper
    left 0 or 5, upper right 1 or 4, lower right 2 or 7, lower left 3 or 6.
    """
    is_counterclockwise = signed_areas(as_quads(corners, triangle)) > 0
    triangles = corners[:, :3]
    offsets = triangles - triangles.mean(axis=1, keepdims=True)
    distance = (offsets**2).sum(axis=2)
    nearest = np.where(distance[:, 1] < distance[:, [0, 2]].min(axis=1), 1, 0)
    nearest = np.where(distance[:, 2] < distance[:, [0, 1]].min(axis=1), 2, nearest)
    right, below = (offsets[np.arange(len(offsets)), nearest] >= 0).T
    numbers = np.array([[[0, 5], [3, 6]], [[1, 4], [2, 7]]])
    kinds = numbers[right.astype(np.int64), below.astype(np.int64), is_counterclockwise.astype(np.int64)]
    return np.where(triangle, kinds, is_counterclockwise)


def stored_corners(
    game: Game, corners: NDArray[np.floating], triangle: Bools, padded: Bools, shapes: Ints
) -> Ints:
    """Return corners as object textures store them, (n, 4, 2); the fourth one of triangles is 0.

    TR2 and TR3 move corners by the fractions that the games' own levels have, not those of Tomb Editor.

    Args:
        corners: (n, 4, 2) in pixels of the page.
        padded: (n,) whether there is any padding around the area.
        shapes: (n,), see :func:`shape_numbers`.
    """
    corners = corners.astype(np.float32)
    if game.traits.has_texture_flags:
        # The engines move corners inwards by half a pixel.
        quads = QUAD_MOVES[np.where(triangle, 0, shapes)]
        triangles = np.pad(TRIANGLE_MOVES, ((0, 0), (0, 1), (0, 0)))[shapes]
        corners -= np.where(triangle[:, None, None], triangles, quads).astype(np.float32) * _HALF
    by_fraction = game.traits.has_16bit_pages and game.traits.has_palette
    if not by_fraction:
        tight = ~padded
        away = corners[tight] - _middles(corners[tight].astype(np.float64), triangle[tight])
        corners[tight] -= np.sign(away).astype(np.float32) * _HALF
    corners = corners.clip(0, _MOST)
    pixels = np.floor(corners)
    stored = pixels.astype(np.int64) * PAGE_SIZE + np.floor((corners - pixels) * _FRACTION).astype(np.int64)
    if by_fraction:
        stored = snap_to_pixels(stored.clip(0, 0xFFFF).astype(np.uint16), triangle, game).astype(np.int64)
    stored[triangle, 3] = 0
    return stored


def set_sizes(level: Level) -> None:
    """Set the width and height of all object textures (TR4, TR5) as the editor does: with fractions."""
    if not level.game.traits.has_texture_flags:
        return
    records = level.object_textures.copy()
    used = as_quads(records["uv"], records["page"] & TRIANGLE_BIT != 0).astype(np.int64)
    sizes = (np.ptp(used, axis=1) - 1).astype("<f4").view("<u4")
    records["width"], records["height"] = sizes.T
    level.object_textures = records


def _middles(corners: Floats, triangle: Bools) -> Floats:
    """Return the centers of gravity of faces (n, 4, 2), (n, 1, 2)."""
    four = as_quads(corners, triangle)
    after = np.roll(four, -1, axis=1)
    cross = four[..., 0] * after[..., 1] - after[..., 0] * four[..., 1]
    area = 3 * cross.sum(axis=1)
    sums = ((four + after) * cross[..., None]).sum(axis=1)
    middle = sums / np.where(np.abs(area) < 1e-7, np.inf, area)[:, None]
    return middle[:, None]
