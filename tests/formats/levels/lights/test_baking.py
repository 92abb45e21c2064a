"""Baked light compared with independently computed numbers."""

from __future__ import annotations

from math import cos, radians, sin, sqrt
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.lights.baking import (
    BakedLight,
    ambient_brightness,
    bake,
    baked_light,
    brightness_for,
    pack_gray,
    pack_light,
    shown_light,
)
from io_tomb_raider.formats.levels.lights.lights import POINT, SHADOW, SPOT, SUN, decode_light, new_light
from io_tomb_raider.formats.levels.lights.shading import texture_factor
from tests.games import each_game

_ORIGIN = np.zeros((1, 3))
_FAR = np.array((0.0, 1.0, 0.0))


def light(
    kind: str,
    intensity: float,
    color: tuple[float, float, float] = (1, 1, 1),
    reach: tuple[float, float] = (1024, 5120),
    distance: float = 0,
    angles: tuple[float, float, float] = (0, 0, 0),
) -> BakedLight:
    """Return a light directly below the origin in the file's axes; a spot misses it by the last angle."""
    inner, outer, aside = map(radians, angles)
    way = np.array((sin(aside), cos(aside), 0.0))
    return BakedLight(kind, _FAR * distance, np.array(color), intensity, *reach, way, cos(inner), cos(outer))


def normal_at(cosine: float, way: Any = _FAR) -> Any:
    """A normal, (1, 3), at some cosine to a way in the plane of x and y."""
    across = np.array((way[1], -way[0], 0.0))
    return (cosine * way + sqrt(1 - cosine**2) * across)[None]


_POINT = light(POINT, 0.5, distance=2048)
_SPOT = light(SPOT, 1, distance=3072, angles=(20, 25, 22))
_ROWS = [
    (0.5, _POINT, normal_at(0.3), 1, 0.875, 4576, 14, 112),
    (
        0.25,
        light(POINT, 1, (2, 0.5, 0.25), (1024, 4096), 512),
        normal_at(0.3),
        1,
        (2.25, 0.75, 0.5),
        3872,
        (31, 12, 8),
        (255, 96, 64),
    ),
    (0.5, light(POINT, 1, reach=(1024, 4096), distance=4040), normal_at(0.3), 1, 0.5, 6112, 8, 64),
    (1, light(SHADOW, -0.5, reach=(1024, 4096), distance=2560), normal_at(0.3), 1, 0.75, 5088, 12, 96),
    (
        (0.3, 0.3, 0.4),
        light(SUN, 0.6, (1, 1, 0.8)),
        normal_at(0.5),
        1,
        (0.6, 0.6, 0.64),
        5696,
        10,
        (77, 77, 82),
    ),
    (0.25, _SPOT, normal_at(0.9, _SPOT.direction), 1, 0.531, 5984, 9, 68),
    (0.5, _POINT, normal_at(0.3), 4 / 9, 0.667, 5440, 11, 85),
]


@pytest.mark.parametrize(("ambient", "lamp", "normal", "free", "brightness", "gray", "small", "large"), _ROWS)
def test_baked_light_equals_that_of_compilers(
    ambient: Any,
    lamp: BakedLight,
    normal: Any,
    free: float,
    brightness: Any,
    gray: int,
    small: Any,
    large: Any,
) -> None:
    found = bake(
        _ORIGIN, np.zeros(1, np.int64), normal, [lamp], np.array([[free]]), np.full(3, ambient, np.float64)
    )

    assert found[0] == pytest.approx(np.full(3, brightness, np.float64), abs=5e-4)
    assert pack_light(Game.TR1, found)[0].tolist() == [gray]
    assert pack_light(Game.TR3, found)[0].tolist() == np.full(3, small).tolist()
    assert pack_light(Game.TR5, found)[0].tolist() == np.full(3, large).tolist()


def test_a_place_has_the_mean_of_its_corners_and_none_is_darker_than_black() -> None:
    sun, shade = light(SUN, 1), light(SHADOW, -1.5, reach=(1024, 4096))
    places = np.array([(0, 0, 0), (0, 9000, 0), (0, 8000, 0)], float)
    # Two corners at the first place, of which one looks away from the sun; none at the last.
    rows, normals = np.array([0, 0, 1]), np.concatenate([normal_at(1), normal_at(-1), normal_at(0.25)])
    free = np.ones((3, 2))

    found = bake(places, rows, normals, [sun, shade], free, np.full(3, 0.5))

    # In the shadow, each corner is clipped to black separately: (0.5 + 1 - 1.5), (0.5 - 1.5).
    assert found[:, 0].tolist() == pytest.approx([0, 0.75, 1])
    free[0, 1] = 0
    assert bake(places, rows, normals, [sun, shade], free, np.full(3, 0.5))[0, 0] == pytest.approx(1)


@each_game
def test_decoded_lights_have_the_values_for_baking(game: Game) -> None:
    values = decode_light(new_light(game, POINT))
    if "type" in values:
        values["type"] = 1 if game.traits.has_light_ranges else 0
    if "color" in values:
        values["color"] = (128 / 255, 64 / 255, 1.0)
    ranges = {"inner": 512.0, "outer": 4096.0} if game.traits.has_light_ranges else {"falloff": 2048}
    values |= ranges | ({"intensity": 4096} if "intensity" in values else {})

    found = baked_light(game, values, np.array((1.0, 2, 3)))

    assert found is not None
    assert (found.kind, found.outer) == (POINT, 4096)
    assert found.inner == (512 if game.traits.has_light_ranges else 1024)
    assert found.intensity == pytest.approx(1 if game is Game.TR5 else 0.5, abs=1e-4)
    color = (1, 0.5, 255 / 128) if game.traits.has_light_types else (1, 1, 1)
    assert found.color == pytest.approx(color)


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_shadows_and_spots_of_files(game: Game) -> None:
    shadow = decode_light(new_light(game, SHADOW)) | {"type": 3, "intensity": 8191, "shadow": 255}
    spot = decode_light(new_light(game, SPOT)) | {
        **{"type": 2, "inner": cos(0.3), "outer": cos(0.5), "direction": (0.0, 2.0, 0.0)},
        **{"cutoff": 9216.0, "range": 9216.0, "length": 2048.0},
    }
    if game is Game.TR5:
        del spot["length"]

    dark, bright = (baked_light(game, values, np.zeros(3)) for values in (shadow, spot))

    assert dark is not None
    assert bright is not None
    assert dark.intensity == pytest.approx(-1)
    assert (bright.outer, bright.inner) == (9216, 2048 if game is Game.TR4 else 1024)
    assert (bright.inner_cosine, bright.outer_cosine) == pytest.approx((cos(0.3), cos(0.5)))
    assert bright.direction.tolist() == [0, 1 if game is Game.TR4 else -1, 0]


@each_game
def test_ambient_light_converts_to_the_same_vertex_light(game: Game) -> None:
    if game.traits.has_room_color:
        found = ambient_brightness(game, (0.5, 0.25, 1.0))
        assert found * 128 == pytest.approx((127.5, 63.75, 255))
        return
    for light in range(0, 8161, 32):
        assert pack_gray(ambient_brightness(game, light)[None]).tolist() == [light]
    assert ambient_brightness(game, 8191).tolist() == [0, 0, 0]


@each_game
def test_converted_light_is_shown_by_the_game(game: Game) -> None:
    factors = np.array([[0.2, 0.5, 0.9]])

    shown = shown_light(game, pack_light(game, brightness_for(game, factors)))

    if game.traits.has_color_light:
        assert texture_factor(game, shown / 255) == pytest.approx(factors, abs=0.04)
    else:
        gray = factors @ (0.2126, 0.7152, 0.0722)
        assert texture_factor(game, shown / 255) == pytest.approx(np.repeat(gray, 3)[None], abs=0.02)
