"""Lights and colors of the golden files, with the same names for all games."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.bytes.colors import alpha_of, argb_to_bytes, light_to_gray, rgb555_to_bytes
from io_tomb_raider.formats.levels.lights.lights import (
    FOG,
    POINT,
    SPOT,
    SUN,
    decode_light,
    encode_light,
    kind_of,
    put_integer_position,
)

from . import tr3
from .levels import GOLDEN

# A light of each game: the kind of record, its number, the kind of light, and its values.
_LIGHTS: list[tuple[str, str, int, str, dict[str, Any]]] = [
    ("tr1", "lights", 0, POINT, {"intensity": 0x1FFE, "falloff": 0x7FF5}),
    ("tr2", "lights", 0, POINT,
     {"intensity": 0x1FFE, "intensity2": 0x1FFD, "falloff": 0x7FF5, "falloff2": 0x7FF6}),
    ("tr3", "lights", 0, POINT,
     {"type": 0, "color": (0xC1 / 255, 0x82 / 255, 0xA3 / 255), "intensity": 0x00012345,
      "falloff": -0x00012344, "direction": (0.0, 0.0, 0.0)}),
    ("tr3", "lights", 1, SUN,
     {"type": 1, "color": (0x14 / 255, 0x15 / 255, 0x16 / 255), "intensity": 0, "falloff": 0,
      "direction": (-2017.0, 2018.0, -2019.0)}),
    ("tr4", "lights", 0, SPOT,
     {"type": 2, "color": (0xC1 / 255, 0x82 / 255, 0xA3 / 255), "intensity": 0x1FF6, "inner": 7.5,
      "outer": 8.25, "length": 9.125, "cutoff": 10.75, "direction": (0.5, -0.25, 0.125)}),
    ("tr5", "lights", 0, POINT,
     {"type": 1, "color": (0.25, 0.5, 0.75), "shadow": 0, "inner": 1024.5, "outer": 2048.25,
      "inner_angle": 0.125, "outer_angle": 0.375, "range": 3072.75, "direction": (0.625, -0.875, 0.0625)}),
    ("tr5", "fog_bulbs", 0, FOG,
     {"type": 4, "color": (0.015625, 0.03125, 0.046875), "density": 0.7265625, "outer": 64.5}),
]  # fmt: skip
each_light = pytest.mark.parametrize(
    ("name", "records", "number", "kind", "values"), _LIGHTS, ids=[f"{each[0]}-{each[3]}" for each in _LIGHTS]
)


@each_light
def test_lights_have_the_values_that_were_packed(
    name: str, records: str, number: int, kind: str, values: dict[str, Any]
) -> None:
    level = GOLDEN[name].level
    found = decode_light(getattr(level.rooms[0], records)[number])
    assert found == values
    assert kind_of(level.game, found) == kind


@each_light
def test_values_of_lights_give_the_bytes_that_were_packed(
    name: str, records: str, number: int, kind: str, values: dict[str, Any]
) -> None:
    packed = getattr(GOLDEN[name].level.rooms[0], records)[number : number + 1]
    made = np.zeros_like(packed)
    for field in ("x", "y", "z", "filler", "shadow"):  # not values of a light; filler of points
        if field in (packed.dtype.names or ()):
            made[field] = packed[field]
    if name == "tr3":
        made["parameters"][0, 3] = packed["parameters"][0, 3] if kind == SUN else 0
        made["type"] = values["type"]
    encode_light(made[0], values, set(values), "light")
    put_integer_position(made[0])
    assert made.tobytes() == packed.tobytes()


def test_a_point_light_of_tr3_ends_in_two_numbers_of_32_bits() -> None:
    assert GOLDEN["tr3"].level.rooms[0].lights[:1].tobytes() == tr3.POINT_LIGHT


# --- Light and colors of vertices ----------------------------------------------------------------


@pytest.mark.parametrize("name", ["tr1", "tr2"])
def test_light_of_the_first_games_is_bright_at_nought(name: str) -> None:
    vertices = GOLDEN[name].level.rooms[0].vertices
    assert light_to_gray(vertices["light"][:2]).tolist() == [251, 0]  # 104 and 8191, the darkest
    assert light_to_gray(np.array([0])).tolist() == [255]


@pytest.mark.parametrize("name", ["tr3", "tr4"])
def test_colors_of_15_bits_hold_red_in_the_highest(name: str) -> None:
    vertices = GOLDEN[name].level.rooms[0].vertices
    assert rgb555_to_bytes(vertices["color"][:4]).tolist() == [
        [31 * 8, 0, 8],  # 0x7C01
        [0, 31 * 8, 2 * 8],  # 0x03E2
        [0, 0, 31 * 8],  # 0x001F
        [4 * 8, 17 * 8, 20 * 8],  # 0x1234
    ]


def test_colors_of_32_bits_hold_alpha_red_green_blue() -> None:
    vertices = GOLDEN["tr5"].level.rooms[0].vertices
    assert argb_to_bytes(vertices["color"][:2]).tolist() == [[0x11, 0x22, 0x33], [0x44, 0x55, 0x66]]
    assert alpha_of(vertices["color"][:2]).tolist() == [0x80, 0x01]


def test_the_color_of_a_room_is_one_number() -> None:
    assert GOLDEN["tr4"].level.rooms[0].color == 0x11223344
    room = GOLDEN["tr5"].level.rooms[0]
    assert room.color == 0xFF223344
    assert GOLDEN["tr5"].level.game is Game.TR5
