"""Images that Blender does not read as images: GIF, and run-length encoded BMP."""

from __future__ import annotations

from struct import Struct

import numpy as np

from ...base.arrays.typing import Pixels
from ...base.bytes.cursor import Cursor
from ...base.errors import FormatError
from ...base.messages import T

OLD_IMAGES = (b"GI", b"BM")  # the first bytes of files that may be one
_MOST_PIXELS = 1 << 26
_TOO_LARGE = T("the image has far too many pixels: scale it down")


def decode_old_image(data: bytes) -> Pixels | None:
    """Return the image of a GIF or of a BMP with RLE, None for other files. Of animations, the first frame.

    Raises FormatError if it is damaged.
    """
    if data[:6] in (b"GIF87a", b"GIF89a"):
        return _gif(data)
    if data[:2] == b"BM" and data[30:31] in (b"\1", b"\2") and int.from_bytes(data[14:18], "little") >= 40:
        return _bmp(data)
    return None


def _check_size(section: str, width: int, height: int) -> None:
    if not 0 < width * height <= _MOST_PIXELS:
        actual = f"{width} x {height}"
        raise FormatError(section, f"at most {_MOST_PIXELS} pixels", actual, problem=_TOO_LARGE)


# --- GIF ---------------------------------------------------------------------------------------

_SCREEN, _FRAME = Struct("<6s2H3B"), Struct("<4HB")
_BYTE = Struct("<B")
_TABLE, _INTERLACED, _TABLE_BITS = 0x80, 0x40, 7
_EXTENSION, _SEPARATOR, _CONTROL = 0x21, 0x2C, 0xF9
_MOST_CODES = 1 << 12


def _gif(data: bytes) -> Pixels:
    cursor = Cursor(data)
    cursor.section = "gif"
    _, width, height, flags, _, _ = cursor.fields(_SCREEN)
    _check_size("gif", width, height)
    colors = _gif_colors(cursor, flags)
    transparent = -1
    while True:
        (kind,) = cursor.fields(_BYTE)
        if kind == _SEPARATOR:
            break
        if kind != _EXTENSION:
            raise cursor.error("a frame", hex(kind))
        (label,) = cursor.fields(_BYTE)
        content = _gif_blocks(cursor)
        if label == _CONTROL and len(content) >= 4:
            transparent = content[3] if content[0] & 1 else -1
    left, top, columns, rows, flags = cursor.fields(_FRAME)
    _check_size("gif", columns, rows)
    colors = _gif_colors(cursor, flags) if flags & _TABLE else colors
    (bits,) = cursor.fields(_BYTE)
    if not 1 <= bits <= 8:
        raise cursor.error("1 to 8 bits", str(bits))
    frame_bytes = _inflated(_gif_blocks(cursor), bits, columns * rows)
    indices = np.zeros(columns * rows, np.uint8)
    indices[: len(frame_bytes)] = np.frombuffer(frame_bytes, np.uint8)
    frame = indices.reshape(rows, columns)
    if flags & _INTERLACED:
        order = [row for start, step in ((0, 8), (4, 8), (2, 4), (1, 2)) for row in range(start, rows, step)]
        frame = frame[np.argsort(order)]
    pixels = np.zeros((rows, columns, 4), np.uint8)
    table = np.zeros((256, 3), np.uint8)
    table[: len(colors)] = colors
    pixels[..., :3], pixels[..., 3] = table[frame], 255
    pixels[frame == transparent] = 0
    result = np.zeros((height, width, 4), np.uint8)
    visible = pixels[: max(height - top, 0), : max(width - left, 0)]
    result[top : top + visible.shape[0], left : left + visible.shape[1]] = visible
    return result


def _gif_colors(cursor: Cursor, flags: int) -> Pixels:
    if not flags & _TABLE:
        return np.zeros((0, 3), np.uint8)
    return cursor.array(np.dtype(np.uint8), 3 << (flags & _TABLE_BITS) + 1).reshape(-1, 3)


def _gif_blocks(cursor: Cursor) -> bytes:
    parts: list[bytes] = []
    while True:
        (size,) = cursor.fields(_BYTE)
        if not size:
            return b"".join(parts)
        start = cursor.take(size)
        parts.append(bytes(cursor.data[start : start + size]))


def _inflated(data: bytes, bits: int, most: int) -> bytes:
    """Return at most a number of bytes that LZW stores, fewer if the file ends before."""
    clear, end = 1 << bits, (1 << bits) + 1
    start = [bytes((number,)) for number in range(clear)] + [b"", b""]
    table, width, before = [*start], bits + 1, b""
    parts: list[bytes] = []
    size = buffer = filled = 0
    for byte in data:
        buffer |= byte << filled
        filled += 8
        while filled >= width:
            code = buffer & ((1 << width) - 1)
            buffer >>= width
            filled -= width
            if code == clear:
                table, width, before = [*start], bits + 1, b""
                continue
            if code == end or size >= most or (code >= len(table) and not before) or code > len(table):
                return b"".join(parts)[:most]
            text = table[code] if code < len(table) else before + before[:1]
            parts.append(text)
            size += len(text)
            if before and len(table) < _MOST_CODES:
                table.append(before + text[:1])
                if len(table) == 1 << width and width < 12:
                    width += 1
            before = text
    return b"".join(parts)[:most]


# --- BMP ---------------------------------------------------------------------------------------

_HEAD = Struct("<2s4I2i2H6I")
_END_OF_LINE, _END_OF_IMAGE, _MOVE = range(3)


def _bmp(data: bytes) -> Pixels:
    cursor = Cursor(data)
    cursor.section = "bmp"
    values = cursor.fields(_HEAD)
    start, header, width, height, form, used = (values[index] for index in (3, 4, 5, 6, 9, 13))
    is_flipped, height = height < 0, abs(height)
    _check_size("bmp", max(width, 0), height)
    bits = 8 if form == 1 else 4
    cursor.offset = 14 + header
    count = min(used or 1 << bits, 1 << bits)
    colors = np.zeros((256, 3), np.uint8)
    colors[:count] = cursor.array(np.dtype(np.uint8), 4 * count).reshape(-1, 4)[:, 2::-1]
    rows = np.zeros((height, width), np.uint8)
    x = y = 0
    cursor.offset = start
    while cursor.remaining >= 2 and y < height:
        first, second = data[cursor.offset], data[cursor.offset + 1]
        cursor.offset += 2
        if first:
            run = [second] * first if bits == 8 else ([second >> 4, second & 15] * 128)[:first]
        elif second == _END_OF_LINE:
            x, y = 0, y + 1
            continue
        elif second == _END_OF_IMAGE:
            break
        elif second == _MOVE:
            offset = cursor.take(2)
            x, y = x + data[offset], y + data[offset + 1]
            continue
        else:
            size = second if bits == 8 else (second + 1) // 2
            offset = cursor.take(size)
            cursor.offset += min(size & 1, cursor.remaining)
            raw = data[offset : offset + size]
            run = [*raw] if bits == 8 else [half for byte in raw for half in (byte >> 4, byte & 15)][:second]
        room = max(min(len(run), width - x), 0)
        rows[y, x : x + room] = run[:room]
        x += len(run)
    result = np.full((height, width, 4), 255, np.uint8)
    result[..., :3] = colors[rows if is_flipped else rows[::-1]]
    return result
