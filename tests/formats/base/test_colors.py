"""Conversion of the games' light and colors to screen colors, and back (documentation, 3.2.1 and 3.2.5)."""

from __future__ import annotations

import numpy as np

from io_tomb_raider.formats.base.bytes import colors

RGB = np.array([[0x12, 0x34, 0x56], [0xFF, 0, 0x80], [0, 0xFF, 0xFF]], np.uint8)


def test_colors_of_tr5_have_alpha_red_green_and_blue_from_the_highest_bits() -> None:
    assert colors.bytes_to_argb(RGB).tolist() == [0xFF123456, 0xFFFF0080, 0xFF00FFFF]
    words = colors.bytes_to_argb(RGB, np.array([0x80, 0, 1]))
    assert words.tolist() == [0x80123456, 0x00FF0080, 0x0100FFFF]
    assert colors.argb_to_bytes(words.astype(np.uint32)).tolist() == RGB.tolist()
    assert colors.alpha_of(words.astype(np.uint32)).tolist() == [0x80, 0, 1]


def test_colors_of_15_bits_have_red_in_the_high_ones_and_tints_in_the_low() -> None:
    words = np.array([1 << 10 | 2 << 5 | 3, 31 << 10, 31], np.uint16)
    assert colors.rgb555_to_bytes(words).tolist() == [[8, 16, 24], [248, 0, 0], [0, 0, 248]]
    # The nearest one; white is 31, and no overflow into the next component.
    shown = np.array([[8, 16, 24], [11, 12, 3], [255, 252, 251]], np.uint8)
    assert colors.bytes_to_rgb555(shown).tolist() == [0x0443, 1 << 10 | 2 << 5, 0x7FFF]
    assert colors.split_tint(0x8000 | 3 << 10 | 2 << 5 | 1) == (1, 2, 3)
    assert colors.put_tint(0xFFFF, (1, 2, 3)) == 0x8000 | 3 << 10 | 2 << 5 | 1


def test_light_is_brightest_at_0_and_every_gray_round_trips() -> None:
    assert colors.light_to_gray(np.array([-5, 0, 4096, 8191, 9000])).tolist() == [255, 255, 127, 0, 0]
    grays = np.arange(256, dtype=np.uint8)
    light = colors.gray_to_light(grays)
    assert (light[0], light[255]) == (8191, 0)
    assert colors.light_to_gray(light).tolist() == grays.tolist()
