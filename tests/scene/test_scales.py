"""Scales of imports: untouched exports have the same bytes at every scale that the dialog allows."""

from __future__ import annotations

from math import log10
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from bpy.types import Collection
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.core import original
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.core.space import SCALES
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.compare import differences
from tests.empty_scene import start_empty
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes

from .exporting import export_level
from .scenes import exported, objects
from .subjects.triggers.sample_triggers import FREE, PAD, with_functions

LEAST, MOST = SCALES
SCALE = st.floats(log10(LEAST), log10(MOST)).map(lambda power: min(max(10.0**power, LEAST), MOST))
FEW = settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))


def scaled(data: bytes, scale: float) -> Collection:
    """Import a level at a scale into an empty file."""
    start_empty()
    return import_level(data, ImportOptions(scale=scale, beside=False), name="Level").root


def check_same_bytes(data: bytes, scale: float) -> None:
    root = scaled(data, scale)
    original.forget()
    level, report = export_level(root)
    assert report.warnings == []
    assert level.to_bytes() == data


def wide_trigger(game: Game) -> bytes:
    """Return a level with a trigger of two sectors."""
    room, x, z = FREE
    return with_functions(sample_bytes(game), {(room, x, z): [PAD], (room, x + 1, z): [PAD]})


@each_game
@FEW
@given(scale=SCALE)
@example(scale=LEAST)
@example(scale=MOST)
def test_an_untouched_level_comes_back_byte_for_byte_at_every_scale(
    blender: ModuleType, game: Game, scale: float
) -> None:
    check_same_bytes(wide_trigger(game), scale)


@each_real_level
@pytest.mark.parametrize("scale", [LEAST, 0.3, MOST])
def test_a_real_level_comes_back_byte_for_byte_at_every_scale(
    blender: ModuleType, level_path: Path, scale: float
) -> None:
    check_same_bytes(level_path.read_bytes(), scale)


@each_game
@FEW
@given(scale=SCALE)
@example(scale=MOST)
def test_a_rebuilt_level_has_the_same_elements_at_every_scale(
    blender: ModuleType, game: Game, scale: float
) -> None:
    data = wide_trigger(game)
    rebuilt = exported(scaled(data, scale), rebuild=True)[0]
    assert differences(read_level(data), rebuilt, rebuilt=True) == []


@pytest.mark.parametrize("scale", [LEAST, MOST])
def test_a_part_of_a_model_that_moved_by_some_units_is_reported_at_every_scale(
    blender: ModuleType, scale: float
) -> None:
    root = scaled(sample_bytes(Game.TR1), scale)
    part: Any = objects(root, "MODEL_MESH")[0]
    part.location.x += 4 * scale
    warnings = exported(root)[1]
    assert [warning.split(":")[0] for warning in warnings] == [part.name]


@pytest.mark.parametrize("scale", [1 / 512, MOST])
def test_a_fog_bulb_scaled_by_two_reaches_twice_as_far_at_every_scale(
    blender: ModuleType, scale: float
) -> None:
    root = scaled(sample_bytes(Game.TR4), scale)
    bulb: Any = next(obj for obj in objects(root, "LIGHT") if obj.type == "EMPTY")
    before = bulb.tomb_raider.light.outer
    bulb.scale = 2, 2, 2
    level = exported(root)[0]
    index = bulb.tomb_raider.index
    assert level.rooms[0].lights["outer"].tolist().count(2 * before) == 1, index
