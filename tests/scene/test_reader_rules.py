"""Rules of engines and editors: whatever is done to a level, it keeps those that it kept before."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.scene.transfer.convert.convert import convert
from tests.games import each_game
from tests.level_rules.compare import newly_broken
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes

from .scenes import export_scene, import_scene

_PAIRS = [(source, target) for source in Game for target in Game if source is not target]
# Only a kit of the game has these; reports say so.
_OF_KITS = {
    "Lara's animations",
    "Lara's states",
    "animation of menu models",
    "animations of a model",
    "effect sprites",
    "meshes of a model",
    "meshes of Lara",
}


def exported(level: Level) -> Level:
    """Return a level as a game reads it."""
    return read_level(level.to_bytes())


def assert_rebuilding_keeps_all_rules(data: bytes) -> None:
    after = exported(export_scene(import_scene(data), rebuild=True))
    assert newly_broken(read_level(data), after) == set()


@each_game
def test_rebuilt_levels_keep_all_rules(blender: ModuleType, game: Game) -> None:
    assert_rebuilding_keeps_all_rules(sample_bytes(game))


@each_real_level
def test_rebuilt_real_levels_keep_all_rules(blender: ModuleType, level_path: Path) -> None:
    assert_rebuilding_keeps_all_rules(level_path.read_bytes())


@pytest.mark.parametrize(("source", "target"), _PAIRS)
def test_conversions_keep_all_rules_that_need_no_kit(blender: ModuleType, source: Game, target: Game) -> None:
    data = sample_bytes(source)
    root = import_scene(data)
    convert(root, target)
    after = exported(export_scene(root))
    assert newly_broken(read_level(data), after) <= _OF_KITS
