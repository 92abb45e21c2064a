"""PAK files and the pictures in them."""

from __future__ import annotations

import zlib
from pathlib import Path
from struct import pack

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, FormatError
from io_tomb_raider.formats.levels.cutscenes.pak import (
    LOGO,
    SCREEN,
    Pak,
    decode_picture,
    encode_picture,
    picture_kind,
    read_pak,
)

from ..real_levels import real_files

each_real_pak = pytest.mark.parametrize("path", real_files(".pak"), ids=lambda path: path.name)


@each_real_pak
def test_real_pictures_come_back_byte_for_byte(path: Path) -> None:
    data = path.read_bytes()
    pak = read_pak(data)
    assert pak.to_bytes() == data
    pixels = decode_picture(pak.content)
    assert pixels.shape == (256, 512, 3)
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 100
    assert encode_picture(pixels) == pak.content
    assert pak.with_content(encode_picture(pixels)).to_bytes() == data


@each_real_pak
def test_an_edited_real_picture_differs_where_it_was_edited(path: Path) -> None:
    pak = read_pak(path.read_bytes())
    pixels = decode_picture(pak.content).copy()
    pixels[10, 20] = 1, 2, 3
    again = read_pak(pak.with_content(encode_picture(pixels)).to_bytes()).content
    differing = [place for place in range(len(again)) if again[place] != pak.content[place]]
    assert set(differing) <= {3 * (10 * 512 + 20) + channel for channel in range(3)}
    assert decode_picture(again)[10, 20].tolist() == [1, 2, 3]


@given(st.binary(max_size=300), st.integers(0, 9))
def test_any_content_keeps_its_stream_while_it_is_unchanged(content: bytes, level: int) -> None:
    data = pack("<I", len(content)) + zlib.compress(content, level)
    pak = read_pak(data)
    assert pak.content == content
    assert pak.to_bytes() == data
    changed = read_pak(pak.with_content(content + b"x").to_bytes())
    assert changed.content == content + b"x"
    assert pak.with_content(bytes(content)) is pak


def test_bytes_behind_the_stream_are_kept() -> None:
    data = pack("<I", 3) + zlib.compress(b"abc") + b"trailing"
    assert read_pak(data).to_bytes() == data


def test_logos_are_red_green_blue() -> None:
    pixels = np.zeros((256, 512, 3), np.uint8)
    pixels[0, 1] = 1, 2, 3
    content = encode_picture(pixels)
    assert picture_kind(content) is LOGO
    assert content[:7] == bytes([0, 0, 0, 1, 2, 3, 0])
    assert decode_picture(content)[0, 1].tolist() == [1, 2, 3]


def test_screens_have_five_bits_for_each_color() -> None:
    words = np.arange(640 * 480, dtype="<u2")
    content = words.tobytes()
    assert picture_kind(content) is SCREEN
    pixels = decode_picture(content)
    assert pixels.shape == (480, 640, 3)
    assert pixels[0, 31].tolist() == [0, 0, 255]
    assert pixels.reshape(-1, 3)[0x7C00].tolist() == [255, 0, 0]
    assert encode_picture(pixels, content) == content  # the unused bit is kept
    assert encode_picture(pixels) == (words & 0x7FFF).tobytes()
    painted = pixels.copy()
    painted[2, 3] = 8, 16, 248
    changed = np.frombuffer(encode_picture(painted, content), "<u2")
    assert np.flatnonzero(changed != words).tolist() == [2 * 640 + 3]
    assert changed[2 * 640 + 3] == 1 << 10 | 2 << 5 | 31


def test_other_sizes_are_errors() -> None:
    with pytest.raises(FormatError, match=r"393216 bytes \(512 by 256\) or 614400 bytes \(640 by 480\)"):
        decode_picture(bytes(100))
    with pytest.raises(ExportError, match="is 5 by 4 pixels"):
        encode_picture(np.zeros((4, 5, 3), np.uint8))


@pytest.mark.fuzz
@given(st.binary(max_size=40))
def test_random_bytes_end_in_an_error_or_come_back(data: bytes) -> None:
    for each in (data, pack("<I", 3) + data, Pak.of(b"abc").to_bytes()[: len(data)]):
        try:
            assert read_pak(each).to_bytes() == each
        except FormatError as error:
            assert error.offset is not None


@pytest.mark.parametrize("size", [0, 1, 1 << 20, 0xFFFFFFFF])
def test_a_wrong_size_is_an_error(size: int) -> None:
    with pytest.raises(FormatError):
        read_pak(pack("<I", size) + zlib.compress(b"abc"))


def test_a_stream_that_inflates_without_end_is_an_error() -> None:
    with pytest.raises(FormatError, match="at most"):
        read_pak(pack("<I", 1 << 30) + zlib.compress(bytes(1 << 24)))
    with pytest.raises(FormatError):
        read_pak(pack("<I", 1 << 10) + zlib.compress(bytes(1 << 24)))
