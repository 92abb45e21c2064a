"""Signed and unsigned bit fields of words."""

from __future__ import annotations

import numpy as np
import pytest

from io_tomb_raider.formats.base.bytes.bits import Bits, signed, unsigned


@pytest.mark.parametrize(
    ("bits", "with_sign", "without"),
    [
        (1, -1, 1),
        (5, -16, 16),
        (5, 15, 15),
        (8, -1, 0xFF),
        (16, -1, 0xFFFF),
        (16, -0x8000, 0x8000),
        (16, 0x7FFF, 0x7FFF),
        (32, -2, 0xFFFFFFFE),
    ],
)
def test_negative_numbers_are_their_twos_complement(bits: int, with_sign: int, without: int) -> None:
    assert unsigned(with_sign, bits) == unsigned(without, bits) == without
    assert signed(without, bits) == signed(with_sign, bits) == with_sign
    # Bits above the field are not part of it.
    assert unsigned(without | 5 << bits, bits) == without
    assert signed(without | 5 << bits, bits) == with_sign


def test_a_bit_field_is_read_and_set_without_changing_other_bits() -> None:
    bits = Bits(5, 3)
    words = np.array([0b1010_1010_0101, 0xFFFF, 0], np.uint16)
    assert (bits.largest, bits.mask) == (7, 0b1110_0000)
    assert bits.of(words).tolist() == [0b101, 7, 0] and bits.of(0b1010_1010_0101) == 0b101
    assert bits.only(words).tolist() == [0b1010_0000, 0b1110_0000, 0]
    put = bits.put(words, np.array([0b010, 0, 7]))
    assert put.dtype == np.uint16 and put.tolist() == [0b1010_0100_0101, 0xFF1F, 0b1110_0000]
    assert bits.put(0b1010_1010_0101, 0b010) == 0b1010_0100_0101
    assert (bits.fit(-1), bits.fit(12)) == (7, 4)
