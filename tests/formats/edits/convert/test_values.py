"""Conversion of values between games: light, sectors and triggers, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from io_tomb_raider.catalogue.equivalents import equivalent
from io_tomb_raider.formats import Game
from io_tomb_raider.formats.edits.convert.lights import NeutralLight, light_values_of, neutral_light
from io_tomb_raider.formats.edits.convert.palette import best_palette
from io_tomb_raider.formats.edits.convert.rooms import (
    brightness_of,
    entity_light,
    intensity_of,
    mesh_light,
    placed_light,
    room_flags,
    shade_of,
    tint_parts,
)
from io_tomb_raider.formats.edits.convert.sectors import converted_sectors
from io_tomb_raider.formats.edits.convert.triggers import supports_action, timer_of, trigger_type
from io_tomb_raider.formats.levels.collision.sectors import decode_sectors, new_sectors
from io_tomb_raider.formats.levels.collision.surfaces import Split
from io_tomb_raider.formats.levels.floor.functions import ActionType, TriggerType
from io_tomb_raider.formats.levels.lights.lights import FOG, POINT, SPOT, SUN
from io_tomb_raider.formats.levels.textures.textiles import expand_palette

LIGHT = NeutralLight(POINT, (0.5, 1.0, 0.25), 0.75, 512.0, 4096.0)


def test_half_of_full_light_is_neutral_in_all_games() -> None:
    assert shade_of(128) == 4096 and brightness_of(4096) == 128
    assert tint_parts(4096) == (16, 16, 16) and intensity_of((16, 16, 16)) == 4096
    for shade in range(0, 8192, 256):
        assert abs(shade_of(brightness_of(shade)) - shade) <= 32
        assert abs(intensity_of(tint_parts(shade)) - shade) <= 256
    assert entity_light(-1, Game.TR1, Game.TR4) == -1 == entity_light(0xFFFF, Game.TR4, Game.TR1)
    assert entity_light(4096, Game.TR2, Game.TR3) == 0x4210
    assert entity_light(0x4210, Game.TR5, Game.TR1) == 4096


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_points_shine_as_far_and_as_bright(game: Game) -> None:
    values = light_values_of(game, LIGHT)
    assert values is not None
    again = neutral_light(game, values)
    shines = [part * again.intensity for part in again.color]
    assert np.allclose(shines, [part * LIGHT.intensity for part in LIGHT.color], atol=1e-3)
    assert (again.kind, again.inner, again.outer) == (POINT, 512.0, 4096.0)


def test_older_games_have_a_falloff_and_no_color() -> None:
    third = light_values_of(Game.TR3, LIGHT)
    first = light_values_of(Game.TR1, LIGHT)
    assert third is not None and first is not None
    assert (third["falloff"], third["intensity"], third["color"]) == (2048, 6143, LIGHT.color)
    assert (first["falloff"], first["intensity"]) == (2048, round(6143 * 0.765))
    assert neutral_light(Game.TR1, first).outer == LIGHT.outer


def test_lights_without_a_counterpart_are_lost() -> None:
    kinds = {kind: NeutralLight(kind, direction=(0.6, 0.0, 0.8)) for kind in (SUN, SPOT, FOG)}
    known = {game: {kind for kind, each in kinds.items() if light_values_of(game, each)} for game in Game}
    everything = {SUN, SPOT, FOG}
    assert list(known.values()) == [set(), set(), {SUN}, everything, everything]
    fifth = light_values_of(Game.TR5, kinds[SUN])
    assert fifth is not None and np.allclose(fifth["direction"], (-0.6, 0.0, -0.8))
    assert np.allclose(neutral_light(Game.TR5, fifth).direction, (0.6, 0.0, 0.8))


def test_flags_of_rooms_are_converted_by_meaning() -> None:
    assert room_flags(0x29, Game.TR2, Game.TR4) == (0x29, [])
    assert room_flags(0x29, Game.TR4, Game.TR1) == (0x01, ["sky", "wind"])
    # One bit is quicksand in TR3, and no lens flare in TR4.
    assert room_flags(0x81, Game.TR3, Game.TR4) == (0x01, ["quicksand"])
    assert room_flags(0x81, Game.TR4, Game.TR3) == (0x01, [])
    assert room_flags(0x80, Game.TR4, Game.TR5) == (0x80, [])


def test_triangles_become_the_plane_that_can_be_stood_on() -> None:
    sectors = decode_sectors(new_sectors(3, Game.TR3), [()] * 3, Game.TR3)
    sectors.wall[:] = False
    floor = sectors.floor
    floor.split[:] = Split.FALLING, Split.NONE, Split.RISING
    floor.heights[0] = [[0, 0, 0, 0], [0, 1024, 0, 1024]]  # level, and too steep
    floor.heights[1] = [[0, 256, 0, 256]] * 2
    floor.heights[2] = [[512, 512, 512, 512], [256, 256, 256, 256]]  # the higher one
    sectors.monkey_swing[1] = True
    found = converted_sectors(sectors, Game.TR3, Game.TR2)
    assert found.bent.tolist() == [0, 2]
    assert not found.sectors.floor.split.any()
    assert found.sectors.floor.heights[:, 0].tolist() == [[0] * 4, [0, 256, 0, 256], [256] * 4]
    assert found.lost["monkey_swing"].tolist() == [1]
    assert (found.sectors.material == 0).all()
    again = converted_sectors(found.sectors, Game.TR2, Game.TR4)
    assert (again.sectors.material == 6).all() and not again.lost and not len(again.bent)


def test_a_floor_half_open_is_open() -> None:
    sectors = decode_sectors(new_sectors(1, Game.TR4), [()], Game.TR4)
    sectors.wall[:] = False
    sectors.floor.split[0], sectors.floor.open_triangle[0] = Split.FALLING, 1
    sectors.floor.heights[0] = [[0] * 4, [512] * 4]
    sectors.room_below[0] = 3
    found = converted_sectors(sectors, Game.TR4, Game.TR1).sectors
    assert found.room_below[0] == 3 and found.floor.open_triangle[0] == -1
    assert (found.floor.heights[0] == 512).all()


def _shown(game: Game, light: NDArray[Any], value: int, tint: int) -> NDArray[Any]:
    """Return how much of a texture a placed mesh with light shows, as the games compute it."""
    if not game.traits.has_color_light:
        return (12288 - light.astype(float) - value) / 4096  # s = light + value - 4096, and 1 for s = 4096
    return (255 - (light >> 5)) * tint / 16 / 255  # and twice that, with 128 as 1


def test_light_of_static_meshes_shows_the_same_part_of_textures() -> None:
    light = np.array([0, 1000, 2400, 4096, 6000, 8191])
    in_tr1 = mesh_light(light, Game.TR4, Game.TR1)
    assert in_tr1.tolist() == [4096, 4596, 5296, 6144, 7096, 8191]
    assert np.abs(_shown(Game.TR1, in_tr1, 4096, 0) - _shown(Game.TR4, light, 0, 16)).max() < 0.01
    assert np.abs(mesh_light(in_tr1, Game.TR1, Game.TR4) - light).max() <= 1
    # Brighter than the texture is shown by TR1 only.
    assert mesh_light(np.array([0, 4096]), Game.TR2, Game.TR5).tolist() == [0, 0]
    assert mesh_light(light, Game.TR3, Game.TR5).tolist() == light.tolist()
    assert mesh_light(light, Game.TR1, Game.TR2).tolist() == light.tolist()


def test_tints_of_static_meshes_show_the_same_part_on_average() -> None:
    light = np.array([2000, 4000, 6000])
    in_tr1 = mesh_light(light, Game.TR4, Game.TR1)
    for tint in (4, 10, 16, 24):
        value, second, _ = placed_light(0, 0, (tint,) * 3, Game.TR4, Game.TR1, float(in_tr1.mean()))
        assert value == second
        shown = _shown(Game.TR1, in_tr1, value, 0).mean()
        assert abs(shown - _shown(Game.TR4, light, 0, tint).mean()) < 0.01, tint
        _, _, back = placed_light(value, 0, (0, 0, 0), Game.TR1, Game.TR4, float(in_tr1.mean()))
        assert back == (tint,) * 3
    dark = placed_light(0, 0, (4, 4, 4), Game.TR4, Game.TR1, 8191.0)[0]
    assert placed_light(0, 0, (4, 4, 4), Game.TR4, Game.TR1)[0] == 7168 and 4096 < dark < 4300


def test_triggers_become_the_closest_type_or_none() -> None:
    assert trigger_type(TriggerType.ANTITRIGGER, Game.TR1).type == TriggerType.ANTIPAD
    assert trigger_type(TriggerType.ANTITRIGGER, Game.TR2) == (TriggerType.ANTITRIGGER, "")
    assert trigger_type(TriggerType.HEAVY_ANTITRIGGER, Game.TR3).type is None
    assert trigger_type(TriggerType.CRAWL, Game.TR4).type is None
    flyby = [supports_action(ActionType.FLYBY, game) for game in Game]
    assert flyby == [False, False, False, True, True]
    assert [supports_action(ActionType.CLEAR_BODIES, game) for game in Game] == [
        False,
        True,
        True,
        True,
        True,
    ]
    assert timer_of(200, Game.TR1, Game.TR4) == 127
    assert timer_of(-5, Game.TR4, Game.TR2) == 0 and timer_of(200, Game.TR2, Game.TR1) == 200


def test_palettes_contain_few_colors_exactly_and_approximate_many() -> None:
    few = np.zeros((1, 256, 256, 4), np.uint8)
    few[..., 3] = 255
    few[0, :8, :8, :3] = (252, 4, 8)
    colors = {tuple(each) for each in expand_palette(best_palette(few, np.array([[0, 255, 0]], np.uint8)))}
    assert {(0, 0, 0), (255, 4, 8), (0, 255, 0)} <= colors
    many = np.full((1, 256, 256, 4), 255, np.uint8)
    many[0, ..., 0], many[0, ..., 1] = np.arange(256)[:, None], np.arange(256)
    palette = best_palette(many, np.zeros((0, 3), np.uint8))
    entries = expand_palette(palette)[1:].astype(float)
    shown = many[0, ::8, ::8, :3].reshape(-1, 1, 3).astype(float)
    assert np.abs(shown - entries).max(axis=2).min(axis=1).max() <= 20
    assert palette.max() <= 63 and not palette[0].any()


def test_equivalent_objects_are_found_by_name_and_list() -> None:
    assert equivalent("model", 0, Game.TR1, Game.TR5) == (0, True)
    assert equivalent("sound", 0, Game.TR1, Game.TR4) == (0, True)  # another name, the same sound
    magnums = equivalent("model", 3, Game.TR1, Game.TR4)
    assert magnums is not None and not magnums.is_exact and magnums.number == 6
    assert equivalent("model", 7, Game.TR1, Game.TR4) is None  # a wolf
    assert equivalent("model", 7, Game.TR1, Game.TR1) == (7, True)
