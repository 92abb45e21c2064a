"""PNG files from texture pages, for images that Blender packs and decodes on demand.

Rows are written unfiltered: texture pages of these games are small and full of noise, filters gain little
and cost more than the compression itself.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGBA, _INDEXED = 6, 3


def encode_png(
    pixels: NDArray[np.uint8], palette: NDArray[np.uint8] | None = None, *, level: int = 1
) -> bytes:
    """One PNG file.

    Args:
        pixels: ``(height, width, 4)`` u8 RGBA, or ``(height, width)`` u8 indices of a palette; top row first.
        palette: ``(k, 3)`` RGB or ``(k, 4)`` RGBA u8 with up to 256 entries, in 8-bit components.
        level: zlib's level, from 0 (stored) to 9.

    Raises:
        ValueError: if the shapes do not fit together.
    """
    if palette is None:
        if pixels.ndim != 3 or pixels.shape[2] != 4:
            raise ValueError(f"RGBA pixels have the shape (height, width, 4), not {pixels.shape}")
        color_type, chunks = _RGBA, b""
    else:
        if pixels.ndim != 2:
            raise ValueError(f"indices have the shape (height, width), not {pixels.shape}")
        if palette.ndim != 2 or palette.shape[1] not in (3, 4) or not 0 < len(palette) <= 256:
            raise ValueError(f"a palette has the shape (1 to 256, 3 or 4), not {palette.shape}")
        if pixels.size and int(pixels.max()) >= len(palette):
            raise ValueError(f"index {int(pixels.max())} in a palette of {len(palette)} entries")
        color_type, chunks = _INDEXED, _palette_chunks(palette)
    height, width = pixels.shape[:2]
    if not height or not width:
        raise ValueError("an image has at least one pixel")
    header = struct.pack(">IIBBBBB", width, height, 8, color_type, 0, 0, 0)
    rows = np.zeros((height, 1 + pixels[0].size), np.uint8)  # each row starts with its filter: 0, none
    rows[:, 1:] = pixels.reshape(height, -1)
    data = zlib.compress(rows.data, level)
    return _SIGNATURE + _chunk(b"IHDR", header) + chunks + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def encode_pngs(
    images: Sequence[NDArray[np.uint8]] | NDArray[np.uint8],
    palette: NDArray[np.uint8] | None = None,
    *,
    level: int = 1,
    workers: int = 2,
) -> list[bytes]:
    """Many PNG files at once; arguments as for `encode_png`. zlib runs outside the interpreter's lock."""
    if workers < 2 or len(images) < 2:
        return [encode_png(image, palette, level=level) for image in images]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda image: encode_png(image, palette, level=level), images))


def _palette_chunks(palette: NDArray[np.uint8]) -> bytes:
    chunks = _chunk(b"PLTE", palette[:, :3].tobytes())
    if palette.shape[1] == 4 and (palette[:, 3] < 255).any():
        chunks += _chunk(b"tRNS", palette[:, 3].tobytes())
    return chunks


def _chunk(kind: bytes, data: bytes) -> bytes:
    crc = zlib.crc32(data, zlib.crc32(kind))
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)
