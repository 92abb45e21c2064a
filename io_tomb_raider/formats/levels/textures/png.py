"""PNG files from texture pages, for images that Blender packs and decodes on demand.

Rows are unfiltered: texture pages of these games are small and noisy, so filters gain little and take longer
than the compression itself.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.inflate import STORED_STREAMS

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGBA, _INDEXED = 6, 3
# A chunk of a file: its type and its content.
_Chunk = tuple[bytes, bytes]


def encode_png(
    pixels: NDArray[np.uint8], palette: NDArray[np.uint8] | None = None, *, level: int = 1
) -> bytes:
    """Return a PNG file.

    Args:
        pixels: ``(height, width, 4)`` u8 RGBA, or ``(height, width)`` u8 indices of a palette; top row first.
        palette: ``(k, 3)`` RGB or ``(k, 4)`` RGBA u8 with up to 256 entries, in 8-bit components.
        level: zlib's level, from 0 (stored) to 9.

    Raises:
        ValueError: if the shapes do not match.
    """
    if palette is None:
        if pixels.ndim != 3 or pixels.shape[2] != 4:
            raise ValueError(f"RGBA pixels have the shape (height, width, 4), not {pixels.shape}")
        color_type, chunks = _RGBA, list[_Chunk]()
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
    rows = np.zeros((height, 1 + pixels[0].size), np.uint8)  # each row begins with its filter: 0, none
    rows[:, 1:] = pixels.reshape(height, -1)
    data = zlib.compress(rows.data, level)
    return _file([(b"IHDR", header), *chunks, (b"IDAT", data), (b"IEND", b"")])


def compress_png(data: bytes) -> bytes:
    """Compress the pixels of a PNG file that :func:`encode_png` only stored.

    Returns:
        A file with the same pixels, or ``data`` itself if its pixels are compressed or truncated.
    """
    chunks = _split(data)
    stored = next((body for kind, body in chunks if kind == b"IDAT"), b"")
    if not stored.startswith(STORED_STREAMS) or chunks[-1] != (b"IEND", b""):
        return data
    inflated = zlib.decompressobj()
    try:
        rows = inflated.decompress(stored, len(stored))  # stored blocks are larger than their content
    except zlib.error:
        return data
    if not inflated.eof:
        return data
    smaller = [(kind, zlib.compress(rows, 1) if kind == b"IDAT" else body) for kind, body in chunks]
    return _file(smaller)


def _split(data: bytes) -> list[_Chunk]:
    """Return the complete chunks of a file."""
    result: list[_Chunk] = []
    position = len(_SIGNATURE)
    while data.startswith(_SIGNATURE) and position + 12 <= len(data):
        (size,) = struct.unpack_from(">I", data, position)
        if size > len(data) - position - 12:
            break
        result.append((data[position + 4 : position + 8], data[position + 8 : position + 8 + size]))
        position += 12 + size
    return result


def _palette_chunks(palette: NDArray[np.uint8]) -> list[_Chunk]:
    chunks = [(b"PLTE", palette[:, :3].tobytes())]
    if palette.shape[1] == 4 and (palette[:, 3] < 255).any():
        chunks.append((b"tRNS", palette[:, 3].tobytes()))
    return chunks


def _file(chunks: Iterable[_Chunk]) -> bytes:
    """Return the file, joined once so that its pixels are copied only here."""
    parts = [_SIGNATURE]
    for kind, body in chunks:
        crc = zlib.crc32(body, zlib.crc32(kind))
        parts += struct.pack(">I", len(body)), kind, body, struct.pack(">I", crc)
    return b"".join(parts)
