"""Texture pages of a level whose textures are within squares of 64 pixels: equal squares are stored once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats.levels.level.level import Level
from io_tomb_raider.formats.levels.textures.textiles import encode_pages16

_SIDE, _PER_PAGE, _PAGE = 64, 16, 256
_COLORS = 8  # of a square: more are hardly visible, and half of the example's file
_WEIGHTS = np.array([2.0, 4.0, 1.0, 100.0])  # of red, green, blue and alpha in differences
_TRIANGLE = 0x8000


def repack(level: Level, *, coarse: bool = True) -> None:
    """Store equal squares once, first those of rooms.

    Args:
        level: of TR4, changed.
        coarse: reduce colors to the 5 bits per channel of the other form of pages, and their number.
    """
    pages = level.textiles32.copy()
    if coarse:
        five = pages[..., :3] >> 3
        pages[..., :3] = np.where(pages[..., 3:] > 0, five << 3 | five >> 2, 0)
    cells = pages.reshape(-1, 4, _SIDE, 4, _SIDE, 4).swapaxes(2, 3).reshape(-1, _SIDE, _SIDE, 4)
    if coarse:
        cells = np.stack([_with_few_colors(each) for each in cells])
    textures, sprites = level.object_textures.copy(), level.sprite_textures.copy()
    page = (textures["page"] & ~np.uint16(_TRIANGLE)).astype(np.int64)
    uv = textures["uv"].astype(np.int64)
    is_triangle = (textures["page"] & _TRIANGLE) != 0
    used = np.where(is_triangle[:, None, None], uv[:, [0, 1, 2, 2]], uv)
    # Corners at the far edge of a square, which thin faces have, stay in it.
    first = ((used.min(axis=1) + used.max(axis=1)) // 2 - (used.min(axis=1) == used.max(axis=1))) >> 14
    first = np.maximum(first, 0)
    if (used.max(axis=1) - (first << 14) > 1 << 14).any():
        raise ValueError("a texture is in two squares")
    low = (first << 14)[:, None]
    uv = np.clip(uv, low, low + (1 << 14) - 1)
    cell = page * _PER_PAGE + first[:, 1] * 4 + first[:, 0]
    sprite_cell = (
        sprites["page"].astype(np.int64) * _PER_PAGE + (sprites["y"] // _SIDE) * 4 + sprites["x"] // _SIDE
    )
    numbers: dict[bytes, int] = {}
    kept: list[NDArray[np.uint8]] = []
    place = {}
    for old in np.unique(np.concatenate([cell, sprite_cell])).tolist():
        key = cells[old].tobytes()
        if key not in numbers:
            numbers[key] = len(kept)
            kept.append(cells[old])
        place[old] = numbers[key]
    count = -(-len(kept) // _PER_PAGE)
    made = np.zeros((count * _PER_PAGE, _SIDE, _SIDE, 4), np.uint8)
    made[: len(kept)] = kept
    made = made.reshape(count, 4, 4, _SIDE, _SIDE, 4).swapaxes(2, 3).reshape(count, _PAGE, _PAGE, 4)
    new = np.array([place[each] for each in cell.tolist()])
    shift = np.stack([new % 4, new // 4 % 4], axis=1) - first
    moved = uv + (shift << 14)[:, None]
    moved[is_triangle, 3] = 0
    textures["uv"] = moved
    textures["page"] = (new // _PER_PAGE) | np.where(is_triangle, _TRIANGLE, 0)
    textures["original_u"], textures["original_v"] = (
        np.where(is_triangle[:, None, None], moved[:, [0, 1, 2, 2]], moved).min(axis=1) >> 8
    ).T
    new = np.array([place[each] for each in sprite_cell.tolist()], np.int64)
    sprites["page"] = new // _PER_PAGE
    sprites["x"] = new % 4 * _SIDE + sprites["x"] % _SIDE
    sprites["y"] = new // 4 % 4 * _SIDE + sprites["y"] % _SIDE
    level.object_textures, level.sprite_textures = textures, sprites
    level.textiles32 = made
    level.textiles16 = encode_pages16(made[..., [2, 1, 0, 3]])
    level.room_textiles, level.object_textiles, level.bump_textiles = count, 0, 0


def _with_few_colors(square: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a square, (64, 64, 4), with at most :data:`_COLORS`: those that differ least become one."""
    colors, numbers, uses = np.unique(square.reshape(-1, 4), axis=0, return_inverse=True, return_counts=True)
    weights, joined = uses.astype(np.float64), np.arange(len(colors))
    kept = [*range(len(colors))]
    while len(kept) > _COLORS:
        steps = colors[kept].astype(np.float64)[:, None] - colors[kept]
        both = weights[kept][:, None] * weights[kept] / (weights[kept][:, None] + weights[kept])
        cost = (steps**2 @ _WEIGHTS) * both
        np.fill_diagonal(cost, np.inf)
        first, second = (kept[each] for each in np.unravel_index(cost.argmin(), cost.shape))
        if weights[first] < weights[second]:
            first, second = second, first
        weights[first] += weights[second]
        joined[joined == second] = first
        kept.remove(second)
    return np.asarray(colors[joined[numbers.reshape(square.shape[:2])]], np.uint8)
