"""The settings of a level: its number, TR5's Lara and weather, and the demo."""

from __future__ import annotations

from math import pi
from types import ModuleType
from typing import Any

import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.levels.level.demo import demo_start
from tests.games import each_game
from tests.sample_levels import sample_bytes

from ...scenes import UNIT, changes, export_scene, import_scene, objects

EDITS: dict[str, tuple[str, Any, str]] = {
    "lara": ("lara", "CATSUIT", "lara_type"),
    "lara type": ("lara_type", 1, "lara_type"),
    "weather": ("weather", "SNOW", "weather"),
    "weather type": ("weather_type", 9, "weather"),
}


@each_game
def test_the_number_of_a_level_can_be_changed(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        root.tomb_raider.level.number = 7

    assert changes(sample_bytes(game), edit) == [("level_number",)]


@each_game
def test_a_number_of_32_bits_survives(blender: ModuleType, game: Game) -> None:
    level = read_level(sample_bytes(game))
    level.level_number = 0xFFFFFFFE
    data = level.to_bytes()
    root = import_scene(data)
    assert root.tomb_raider.level.number == -2
    assert export_scene(root).to_bytes() == data


@pytest.mark.parametrize("name", EDITS)
def test_lara_and_weather_of_the_fifth_game_can_be_changed(blender: ModuleType, name: str) -> None:
    field, value, changed = EDITS[name]

    def edit(root: Collection) -> None:
        setattr(root.tomb_raider.level, field, value)

    assert changes(sample_bytes(Game.TR5), edit) == [(changed,)]


def test_names_of_settings_have_the_documented_numbers(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR5))
    settings = root.tomb_raider.level
    assert (settings.lara, settings.weather) == ("NORMAL", "RAIN")
    settings.lara, settings.weather = "INVISIBLE", "SNOW"
    new = export_scene(root)
    assert (new.lara_type, new.weather) == (6, 2)
    settings.lara_type = 5
    assert settings.lara == "OTHER"
    settings.lara = "OTHER"
    assert settings.lara_type == 5


def test_unknown_numbers_survive(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR5))
    level.lara_type, level.weather = 0xFFFF, 77
    data = level.to_bytes()
    root = import_scene(data)
    assert (root.tomb_raider.level.lara, root.tomb_raider.level.weather) == ("OTHER", "OTHER")
    assert export_scene(root).to_bytes() == data


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3])
def test_the_length_of_a_demo_is_shown(blender: ModuleType, game: Game) -> None:
    assert import_scene(sample_bytes(game)).tomb_raider.level.demo_frames == 30


WITH_DEMOS = [Game.TR1, Game.TR2, Game.TR3]


@pytest.mark.parametrize("game", WITH_DEMOS)
def test_the_start_of_a_demo_can_be_moved(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    settings, old = root.tomb_raider.level, demo_start(read_level(data))
    assert old is not None
    assert export_scene(root).to_bytes() == data
    settings.demo_place[2] += 512 * UNIT
    settings.demo_angle -= pi / 2
    settings.demo_room = next(each for each in objects(root, "ROOM") if each != settings.demo_room)
    level = export_scene(root)
    new = demo_start(level)
    assert new is not None
    assert (new.position - old.position).tolist() == [0, -512, 0]
    assert (new.angle - old.angle) % 0x10000 == 0x4000
    assert new.room == settings.demo_room.tomb_raider.index
    before = read_level(data).demo_data
    assert level.demo_data[28:].tobytes() == before[28:].tobytes()


@pytest.mark.parametrize("game", WITH_DEMOS)
def test_a_demo_can_be_removed(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    root.tomb_raider.level.has_demo = False
    level = export_scene(root)
    assert not len(level.demo_data)
    assert import_scene(level.to_bytes()).tomb_raider.level.demo_frames == 0
