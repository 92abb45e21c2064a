"""The light on objects in rooms: numbers computed by hand from the engines' sources."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.lights.shading import (
    LAMPS,
    Shading,
    absorbed,
    highlight,
    room_brightness,
    shade_by_value,
    shade_entity,
    source_of,
    texture_factor,
)

POINT, SUN, SPOT, SHADOW, FOG = 1, 0, 2, 3, 4  # types of TR4 and TR5
_AHEAD, _ASIDE, _ORIGIN = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)


def lit(game: Game, ambient: Any, *lights: tuple[dict[str, Any], float], number: int = 20) -> Shading:
    """Return the light of a room, whose lights are some distance in front of the lit object."""
    sources = [source_of(game, values, (0.0, 0.0, away)) for values, away in lights]
    assert None not in sources
    return shade_entity(game, ambient, [each for each in sources if each], _ORIGIN, number)


def between(cosine: float) -> tuple[float, float, float]:
    """Return a normal that has a cosine with the forward direction."""
    return (float(np.sqrt(1 - cosine**2)), 0.0, cosine)


def test_lights_from_all_sides_light_an_object_as_their_average_does() -> None:
    """More lamps than are kept, opposite to each other: their average over all directions."""
    ahead = source_of(Game.TR4, late(Game.TR4, SUN, 0.2) | {"direction": _AHEAD}, _ORIGIN)
    assert ahead is not None
    ways = [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]
    found = shade_entity(Game.TR4, (0.5,) * 3, [ahead._replace(direction=way) for way in ways], _ORIGIN, 20)
    alone = shade_entity(Game.TR4, (0.5,) * 3, [], _ORIGIN, 20)
    assert len(found.lamps) == LAMPS[Game.TR4]
    one = shade_entity(Game.TR4, (0.5,) * 3, [ahead._replace(direction=ways[0])], _ORIGIN, 20)
    brightness = np.array(one.lamps[0].color)
    # Two opposite lamps became ambient light: a quarter of each, the mean of max(0, x) over all directions.
    lost = np.sum([lamp.color for lamp in found.lamps], axis=0)
    expected = (4 * brightness - lost) / 4
    assert np.subtract(found.ambient, alone.ambient) == pytest.approx(expected, abs=1e-6)


def old(intensity: int, falloff: int) -> dict[str, Any]:
    return {"intensity": intensity, "falloff": falloff}


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2])
@pytest.mark.parametrize(
    ("ambient", "lights", "cosine", "factor"),
    [
        (6000, [], 1, 0.535),
        (6000, [(old(4096, 2048), 2048)], 1, 1.035),
        (6000, [(old(4096, 2048), 2048)], 0, 0.785),
        (6000, [(old(4096, 2048), 2048)], -1, 0.535),
        (2000, [(old(8191, 4096), 1024)], 1, 2.0),
        (7136, [(old(4096, 1024), 2048), (old(3000, 4096), 4096)], 0.5, 0.532),
        (6000, [(old(0xFFFF, 2048), 2048)], 1, 0.535),  # -1: negative
    ],
)
def test_the_strongest_light_counts(
    game: Game, ambient: int, lights: list[Any], cosine: float, factor: float
) -> None:
    found = lit(game, ambient, *lights)
    assert texture_factor(game, found.at(game, between(cosine))) == pytest.approx([factor] * 3, abs=1.5e-3)


def point(intensity: int, falloff: int, *color: int) -> dict[str, Any]:
    return old(intensity, falloff) | {"type": 0, "color": tuple(part / 255 for part in color)}


def sun(length: float, *color: int) -> dict[str, Any]:
    color_of = tuple(part / 255 for part in color)
    return old(0, 0) | {"type": 1, "color": color_of, "direction": (0.0, 0.0, length)}


@pytest.mark.parametrize(
    ("ambient", "lights", "cosine", "channels"),
    [
        (6000, [], 1, (69, 69, 69)),
        (6000, [(point(4096, 1024, 255, 128, 64), 2048)], 1, (148, 117, 101)),
        (6000, [(point(4096, 1024, 255, 128, 64), 2048)], 0, (85, 85, 85)),
        (6000, [(point(4096, 1024, 255, 128, 64), 4097)], 1, (69, 69, 69)),
        (4096, [(point(8191, 2048, 255, 255, 255), 4096)], 0.5, (223, 223, 223)),
        (7000, [(sun(4096, 200, 180, 160), 0)], 1, (238, 218, 198)),
        (7000, [(sun(2048, 200, 180, 160), 0)], 1, (138, 128, 118)),
    ],
)
def test_in_tr3_the_brightest_point_and_the_sun_count(
    ambient: int, lights: list[Any], cosine: float, channels: tuple[int, ...]
) -> None:
    found = lit(Game.TR3, ambient, *lights).at(Game.TR3, between(cosine)) * 255
    assert found == pytest.approx(channels, abs=1.01)
    assert texture_factor(Game.TR3, np.array((69, 148)) / 255) == pytest.approx((0.333, 0.635), abs=5e-3)


def late(game: Game, kind: int, strength: float, **values: float) -> dict[str, Any]:
    """Return a white light of TR4 or TR5; TR5's color includes the strength."""
    found: dict[str, Any] = {"type": kind, "inner": 1024.0, "outer": 4096.0, "cutoff": 8192.0}
    found |= {"range": 8192.0, "color": (strength,) * 3, "shadow": round(strength * 255), **values}
    if game is Game.TR4:
        found |= {"color": (1.0,) * 3, "intensity": round(strength * 8191)}
    found["direction"] = (0.0, 0.0, 1.0 if game is Game.TR4 else -1.0)
    return found


@pytest.mark.parametrize(
    ("ambient", "kind", "strength", "cosine", "tr4", "tr5"),
    [
        (64, POINT, 0.0, 1, 64, 64),
        (32, POINT, 1.0, 1, 287, 159),
        (32, POINT, 0.5, 0.5, 95, 67),
        (32, POINT, 0.5, 0, 32, 47),
        (32, SUN, 101 / 255, 1, 107, 107),
        (40, SPOT, 201 / 255, 0.8, 160, 160),
        (100, SHADOW, 0.5, 1, 69, 69),
    ],
)
def test_in_tr4_and_tr5_all_lights_count(
    ambient: int, kind: int, strength: float, cosine: float, tr4: int, tr5: int
) -> None:
    for game, expected in ((Game.TR4, tr4), (Game.TR5, tr5)):
        cone = {"outer": 0.9} if kind == SPOT else {"outer": 3072.0} if kind == SHADOW else {}
        light = late(game, kind, strength, **cone)
        found = lit(game, (ambient / 255,) * 3, (light, 2048)).at(game, between(cosine)) * 255
        assert found == pytest.approx([expected] * 3, abs=1.0), game


def test_lights_affect_nothing_beyond_their_range_or_outside_of_their_cone() -> None:
    dark = (0.1,) * 3
    for light, away in ((late(Game.TR4, POINT, 1.0), 4097.0), (late(Game.TR4, SPOT, 1.0, outer=0.9), 9000.0)):
        assert lit(Game.TR4, dark, (light, away)).at(Game.TR4, _AHEAD) == pytest.approx(dark)
    turned = late(Game.TR4, SPOT, 1.0, outer=0.9) | {"direction": _ASIDE}
    assert lit(Game.TR4, dark, (turned, 2048)).at(Game.TR4, _AHEAD) == pytest.approx(dark)
    assert source_of(Game.TR4, late(Game.TR4, FOG, 1.0), _ORIGIN) is None


def test_points_light_items_of_tr4_from_all_sides() -> None:
    light = (late(Game.TR4, POINT, 0.5), 2048)
    found = lit(Game.TR4, (32 / 255,) * 3, light, number=108)
    assert found.at(Game.TR4, _ASIDE) * 255 == pytest.approx([32 + 63.75] * 3, abs=1)
    assert found.at(Game.TR4, _AHEAD) * 255 == pytest.approx([32 + 127.5] * 3, abs=1)


def test_many_lights_become_few_that_shine_alike() -> None:
    """Excess lights are merged: the sum is similar for all normals."""
    game = Game.TR4
    ways = [(np.cos(turn), 0.3, np.sin(turn)) for turn in (0.0, 0.3, 0.6, 2.0, 2.2)]
    sources = []
    for number, way in enumerate(ways):
        values = late(game, SUN, 0.2 - 0.02 * number) | {"direction": way}
        sources.append(source_of(game, values, _ORIGIN))
    known = [each for each in sources if each is not None]
    few = shade_entity(game, (0.1,) * 3, known, _ORIGIN)
    assert len(few.lamps) == LAMPS[game]
    for normal in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (-0.6, 0.0, 0.8), (0.0, -1.0, 0.0)):
        exact = 0.1
        for each in known:
            exact += (
                0.75 * float(each.color[0]) * each.strength * max(float(np.dot(each.direction, normal)), 0)
            )
        assert few.at(game, normal)[0] == pytest.approx(exact, abs=0.04)


def test_thousands_of_lights_light_an_object_as_their_average_does() -> None:
    """The weaker of so many become ambient light; merging all pairs would take hours."""
    game, sources = Game.TR4, []
    for number in range(5000):
        turn = number * 2.4
        values = late(game, SUN, 0.001) | {"direction": (np.cos(turn), 0.0, np.sin(turn))}
        source = source_of(game, values, _ORIGIN)
        assert source is not None
        sources.append(source)
    found = shade_entity(game, (0.1,) * 3, sources, _ORIGIN)
    assert len(found.lamps) == LAMPS[game]
    exact = 0.1 + sum(0.75 * each.strength * float(each.color[0]) for each in sources) / 4
    assert found.at(game, (0.0, -1.0, 0.0))[0] == pytest.approx(exact, rel=0.01)


def test_objects_with_light_values_are_shaded_by_them() -> None:
    for game in (Game.TR1, Game.TR2):
        # Meshes with light add it: shade 4344 under 4096, and 5000 under 6000.
        for mesh, value, factor in ((4344, 4096, 0.939), (5000, 6000, 0.314)):
            found = (8191 - mesh) / 8191 + np.array(shade_by_value(game, value).ambient) - 1
            assert texture_factor(game, found) == pytest.approx([factor] * 3, abs=1.5e-3)
    for game in (Game.TR3, Game.TR4, Game.TR5):
        assert np.multiply(shade_by_value(game, 16 << 10 | 8 << 5 | 4).ambient, 255) == pytest.approx(
            (32, 64, 128)
        )


def test_brightness_above_128_is_added_in_tr4_and_tr5() -> None:
    brightness = np.array((64, 128, 287)) / 255
    assert texture_factor(Game.TR4, brightness) == pytest.approx((0.5, 1, 1), abs=3e-3)
    assert highlight(Game.TR5, brightness) == pytest.approx((0, 0, 0.31), abs=3e-3)
    assert not highlight(Game.TR3, brightness).any()


def test_a_room_is_brightest_at_0_and_dark_from_8191_on() -> None:
    values = [room_brightness(ambient) for ambient in (-1, 0, 4095, 8190, 8191, 0x7FFF)]
    assert values == [1.0, 1.0, 4096 / 8191, 1 / 8191, 0.0, 0.0]


def test_water_takes_red_first() -> None:
    for game in (Game.TR1, Game.TR2, Game.TR3):
        red, green, blue = absorbed(game, is_water=True)
        assert red >= green >= blue == 0.0 < red
    assert absorbed(Game.TR4, is_water=True) == absorbed(Game.TR1, is_water=False) == (0.0, 0.0, 0.0)
