"""Rules of engines and editors: whatever is done to a level, it keeps those that it kept before."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.scene.transfer.append.appending import append
from io_tomb_raider.scene.transfer.convert.convert import convert_level
from io_tomb_raider.scene.transfer.engine.choice import PieceSelection
from tests.games import each_game
from tests.level_rules.compare import newly_broken
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes

from .scenes import export_scene, import_scene

_PAIRS = [(source, target) for source in Game for target in Game if source is not target]
# Only a kit of the game has these; reports say so.
_OF_KITS = {
    "menu model",
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
    convert_level(root, target)
    after = exported(export_scene(root))
    assert newly_broken(read_level(data), after) <= _OF_KITS


def assert_appending_keeps_all_rules(data: bytes, source: Path) -> None:
    """Append a door, the static meshes and a room of another level."""
    root = import_scene(data)
    wanted = PieceSelection(models="Door*", static_meshes="*", rooms="0")
    append(root, source, wanted, on_conflict="FREE_ID")
    after = exported(export_scene(root))
    assert len(after.rooms) > len(read_level(data).rooms)
    assert newly_broken(read_level(data), after) <= _OF_KITS


@pytest.mark.parametrize(("source", "target"), [*_PAIRS, *((game, game) for game in Game)])
def test_appended_pieces_keep_all_rules(
    blender: ModuleType, tmp_path: Path, source: Game, target: Game
) -> None:
    path = tmp_path / f"there{'.trc' if source is Game.TR5 else '.lev'}"
    path.write_bytes(sample_bytes(source))
    assert_appending_keeps_all_rules(sample_bytes(target), path)
