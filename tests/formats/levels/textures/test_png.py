"""PNG files can be read by others, including Blender's own reader if it is available."""

import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats.levels.textures.png import compress_png, encode_png

U8Array = NDArray[np.uint8]


def read_png(data: bytes) -> U8Array:
    """Return ``(height, width, 4)`` RGBA, with all checks of a strict decoder."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks: list[tuple[bytes, bytes]] = []
    at = 8
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        assert struct.unpack_from(">I", data, at + 8 + size) == (zlib.crc32(kind + body),)
        chunks.append((kind, body))
        at += 12 + size
    assert chunks[0][0] == b"IHDR" and chunks[-1] == (b"IEND", b"")
    width, height, depth, color_type, *rest = struct.unpack(">IIBBBBB", chunks[0][1])
    assert depth == 8 and rest == [0, 0, 0]
    parts = dict(chunks)
    samples = 4 if color_type == 6 else 1
    rows = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(height, 1 + width * samples)
    assert (rows[:, 0] == 0).all()
    pixels = rows[:, 1:].reshape(height, width, samples)
    if color_type == 6:
        return pixels
    colors = np.frombuffer(parts[b"PLTE"], np.uint8).reshape(-1, 3)
    alpha = np.full((len(colors), 1), 255, np.uint8)
    transparent = np.frombuffer(parts.get(b"tRNS", b""), np.uint8)
    alpha[: len(transparent), 0] = transparent
    return np.concatenate([colors, alpha], axis=1)[pixels[..., 0]]


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 9), st.integers(0, 99))
def test_rgba(width: int, height: int, level: int, seed: int) -> None:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 4), np.uint8)
    assert (read_png(encode_png(pixels, level=level)) == pixels).all()


@given(st.integers(1, 256), st.sampled_from([3, 4]), st.integers(0, 99))
def test_indexed(colors: int, components: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    palette = random.integers(0, 256, (colors, components), np.uint8)
    indices = random.integers(0, colors, (9, 17), np.uint8)
    shown = read_png(encode_png(indices, palette))
    assert (shown[..., :components] == palette[indices]).all()
    if components == 3:
        assert (shown[..., 3] == 255).all()


@given(st.integers(1, 300), st.integers(1, 300), st.booleans(), st.integers(0, 99))
def test_stored_pixels_are_compressed_later(width: int, height: int, indexed: bool, seed: int) -> None:
    random = np.random.default_rng(seed)
    palette = random.integers(0, 256, (8, 4), np.uint8) if indexed else None
    pixels = random.integers(0, 8, (height, width) if indexed else (height, width, 4), np.uint8)
    stored = encode_png(pixels, palette, level=0)
    packed = compress_png(stored)
    assert packed == encode_png(pixels, palette)
    assert compress_png(packed) is packed
    assert (read_png(stored) == read_png(packed)).all()


@given(st.binary(max_size=80), st.integers(0, 400), st.integers(0, 255))
def test_truncated_and_damaged_files_are_not_compressed(start: bytes, place: int, value: int) -> None:
    assert compress_png(start) is start
    stored = encode_png(np.arange(256, dtype=np.uint8).reshape(8, 8, 4), level=0)
    cut = stored[:place]
    assert compress_png(cut) is cut or cut == stored
    damaged = bytearray(stored)
    damaged[place % len(stored)] = value
    found = compress_png(bytes(damaged))
    assert found == damaged or read_png_rows(found) == read_png_rows(bytes(damaged))


def read_png_rows(data: bytes) -> bytes:
    """Return the rows of a file with a single IDAT, whatever its header."""
    place = data.index(b"IDAT")
    (size,) = struct.unpack_from(">I", data, place - 4)
    return zlib.decompress(data[place + 4 : place + 4 + size])


def test_pixels_need_not_be_contiguous() -> None:
    pixels = np.random.default_rng(4).integers(0, 256, (20, 30, 4), np.uint8)[::-2, ::3]
    assert (read_png(encode_png(pixels)) == pixels).all()


@pytest.mark.parametrize(
    ("shape", "palette_shape"),
    [
        ((4, 4, 3), None),
        ((4, 4), None),
        ((4, 4, 4), (8, 4)),
        ((4, 4), (8, 2)),
        ((4, 4), (0, 3)),
        ((0, 4, 4), None),
    ],
)
def test_invalid_shapes_are_refused(shape: tuple[int, ...], palette_shape: tuple[int, int] | None) -> None:
    palette = None if palette_shape is None else np.zeros(palette_shape, np.uint8)
    with pytest.raises(ValueError, match=r"pixel|palette|indices"):
        encode_png(np.zeros(shape, np.uint8), palette)


def test_an_index_beyond_the_palette_is_refused() -> None:
    with pytest.raises(ValueError, match="index 9 in a palette of 8"):
        encode_png(np.full((2, 2), 9, np.uint8), np.zeros((8, 3), np.uint8))


def test_blender_shows_the_same_pixels() -> None:
    bpy = pytest.importorskip("bpy")
    pixels = np.random.default_rng(4).integers(0, 256, (256, 256, 4), np.uint8)
    data = encode_png(pixels)
    image = bpy.data.images.new("page", 1, 1)
    try:
        image.pack(data=data, data_len=len(data))
        image.source = "FILE"
        image.alpha_mode = "CHANNEL_PACKED"
        assert tuple(image.size) == (256, 256)
        shown = np.empty(256 * 256 * 4, np.float32)
        image.pixels.foreach_get(shown)
    finally:
        bpy.data.images.remove(image)
    assert (np.rint(shown * 255).reshape(256, 256, 4)[::-1] == pixels).all()  # Blender's rows go upwards
