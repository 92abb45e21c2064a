"""Texture coordinates of face corners (chapter 9.3): conversion between files and Blender, and engine rules.

The file stores 1/256 pixels from the top left of the page, in 16 bits ("raw"). Blender has u = raw / 65536
and v = 1 - raw / 65536; both are exact in 32-bit floats, so the conversion is lossless.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Bools, Ints
from ...base.errors import ExportError
from ...base.games import Game
from ...base.messages import T

RawUVs = NDArray[np.uint16]

RAW_PER_PIXEL = 256  # units of raw coordinates per pixel
_MIDDLES = (0x7F, 0x80)  # fractions


def raw_to_uv(raw: NDArray[np.integer]) -> NDArray[np.float32]:
    """Convert raw coordinates ``(..., 2)`` to Blender's UVs, float32 of the same shape. Exact."""
    uv = np.asarray(raw, np.float32) / np.float32(65536.0)
    uv[..., 1] = np.float32(1.0) - uv[..., 1]
    return uv


def uv_to_raw(uv: NDArray[np.floating], subject: str = "UV map") -> RawUVs:
    """Convert Blender's UVs ``(..., 2)`` to the nearest raw coordinates, clipped to the page.

    The inverse of `raw_to_uv`.

    Raises:
        ExportError: with ``subject``, if a coordinate is not finite.
    """
    scaled = np.asarray(uv, np.float64) * 65536.0
    if not np.isfinite(scaled).all():
        count = int((~np.isfinite(scaled)).any(axis=-1).sum())
        raise ExportError(subject, T("texture coordinates are not numbers"), count=count)
    scaled[..., 1] = 65536.0 - scaled[..., 1]
    return np.rint(scaled).clip(0, 0xFFFF).astype(np.uint16)


def outside_page(uv: NDArray[np.floating], triangle: Bools) -> Bools:
    """Return which faces ``(n, 4, 2)`` extend beyond their page, where `uv_to_raw` clips them: ``(n,)``."""
    distance: NDArray[np.float64] = np.abs(np.asarray(uv, np.float64) - 0.5).max(axis=2)
    distance[triangle, 3] = 0
    result: Bools = distance.max(axis=1) > 0.5 + 1 / 65536
    return result


def snap_to_pixels(raw: RawUVs, triangle: Bools, game: Game) -> RawUVs:
    """Move corners on pixel borders to the positions that the games' own levels use.

    The engines move each corner half a pixel inwards; TR1-3 derive the direction from the fraction. So the
    right and lower border of a face is the last fraction of the pixel before it (255), and the left and upper
    border the first one: 1 in TR1-3, 0 in TR4-5. Corners within a pixel stay.

    Args:
        raw: ``(n, 4, 2)``; the fourth corner of triangles is ignored and stays.
        triangle: ``(n,)``.
    """
    used = np.ones(raw.shape, np.bool_)
    used[triangle, 3] = False
    low = np.where(used, raw, 0xFFFF).min(axis=1, keepdims=True)
    high = np.where(used, raw, 0).max(axis=1, keepdims=True)
    # TR5 reads whole pixels only: a width of one pixel leaves no room to move inwards.
    narrow = (high.astype(np.int64) - low) <= (256 if game.traits.has_pixel_corners else 0)
    on_border = used & (raw & 0xFF == 0)
    result = raw.copy()
    result[on_border & (raw == high) & ~narrow] -= 1
    if not game.traits.has_texture_flags:
        result[on_border & (raw == low) & (low < high)] += 1
    if game.traits.has_16bit_pages and game.traits.has_palette:
        # TR2 and TR3 move a corner by the highest bit of its fraction. Tomb Editor's corners are in the
        # middle of pixels, which moves the right and lower ones outwards.
        wide = used & (high.astype(np.int64) - low > RAW_PER_PIXEL)
        in_middle = wide & np.isin(raw & (RAW_PER_PIXEL - 1), _MIDDLES)
        result[in_middle & (raw == high)] |= RAW_PER_PIXEL - 1
        result[in_middle & (raw == low)] &= ~np.uint16(RAW_PER_PIXEL - 1)
    return result


# --- Mapping correction (TR4-5) ------------------------------------------------------------------

# The engine's move of each corner of a quad, or of a triangle, by type 0, 1, ...: half a pixel to the right
# and down for +1. A type fits if all corners move inwards.
QUAD_MOVES = np.array(
    [
        [(1, 1), (-1, 1), (-1, -1), (1, -1)],
        [(-1, 1), (1, 1), (1, -1), (-1, -1)],
    ]
)
TRIANGLE_MOVES = np.array(
    [
        [(1, 1), (-1, 1), (1, -1)],
        [(-1, 1), (-1, -1), (1, 1)],
        [(-1, -1), (1, -1), (-1, 1)],
        [(1, -1), (1, 1), (-1, -1)],
        [(-1, 1), (1, 1), (-1, -1)],
        [(1, 1), (1, -1), (-1, 1)],
        [(1, -1), (-1, -1), (1, 1)],
        [(-1, -1), (-1, 1), (1, -1)],
    ]
)


class Mapping(NamedTuple):
    """The mapping correction of each face, and the corner with which the face must begin."""

    kind: Ints  #: ``(n,)`` 0 to 7, bits 0 to 2 of ``flags``.
    rotation: Ints  #: ``(n,)`` the first corner: new corner k is old corner ``(k + rotation) % corners``.


def mapping_correction(raw: RawUVs, triangle: Bools, *, turn: bool = True) -> Mapping:
    """Return the mapping correction that moves the corners of textures ``(n, 4, 2)`` inwards (chapter 9.3.3).

    The engine supports quads that begin at the upper left clockwise (0), or at the upper right
    counterclockwise (1), and triangles that begin at their right angle: 0 to 3 clockwise, 4 to 7
    counterclockwise. Other faces must be rotated, otherwise their corners move outwards into other textures.
    """
    kind = np.zeros(len(raw), np.int64)
    rotation = np.zeros(len(raw), np.int64)
    for moves, mask in ((QUAD_MOVES, ~triangle), (TRIANGLE_MOVES, triangle)):
        if not mask.any():
            continue
        corners = moves.shape[1]
        uv = raw[mask, :corners].astype(np.float64)
        low, high = uv.min(axis=1, keepdims=True), uv.max(axis=1, keepdims=True)
        inwards = (low + high - 2 * uv) / np.maximum(high - low, 1)  # +1 on the low side, -1 on the high side
        turns = np.array([0, 2, 1, 3] if corners == 4 else [0, 1, 2])[: None if turn else 1]
        order = (turns[:, None] + np.arange(corners)) % corners
        score = np.einsum("nrcx,tcx->nrt", inwards[:, order], moves.astype(np.float64))
        # Rounding makes ties of nearly equal scores, and the first of a tie has the smallest rotation.
        best = score.round(6).reshape(len(uv), -1).argmax(axis=1)
        kind[mask] = best % len(moves)
        rotation[mask] = turns[best // len(moves)]
    return Mapping(kind, rotation)


def engine_moves(kind: Ints, triangle: Bools) -> NDArray[np.float64]:
    """Return how far the engine of TR4 and TR5 moves the corners of textures, in pixels, (n, 4, 2).

    Args:
        kind: ``(n,)`` the mapping correction, 0 to 7; the fourth corner of triangles stays.
        triangle: ``(n,)``.
    """
    moves = np.zeros((len(kind), 4, 2))
    moves[~triangle] = QUAD_MOVES[kind[~triangle] & 1]
    moves[triangle, :3] = TRIANGLE_MOVES[kind[triangle]]
    return moves / 2


def turn_corners(corners: NDArray[Any], triangle: Bools, rotation: Ints) -> NDArray[Any]:
    """Rotate faces ``(n, 4, ...)`` to begin with another corner; the fourth one of triangles stays."""
    count = np.where(triangle, 3, 4)[:, None]
    order = np.arange(4)[None]
    source = np.where(order < count, (order + rotation[:, None]) % count, order)
    return corners[np.arange(len(corners))[:, None], source]
