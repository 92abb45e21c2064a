"""Smoke test of each game: from file to scene and back."""

from __future__ import annotations

from types import ModuleType

import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game, read_level
from tests.compare import differences
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level
from tests.scene.scenes import changes, export_scene, import_anew, objects

pytestmark = pytest.mark.everywhere


@each_game
def test_an_untouched_level_comes_back_byte_for_byte_and_rebuilt_with_the_same_elements(
    blender: ModuleType, game: Game
) -> None:
    data = sample_bytes(game)
    root = import_anew(data)
    assert export_level(root)[0].to_bytes() == data
    rebuilt = export_scene(root, rebuild=True)
    assert differences(read_level(data), rebuilt, rebuilt=True) == []


@each_game
def test_only_edited_values_differ(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        objects(root, "ENTITY")[1].location.x += 1
        objects(root, "ROOM")[0].data.vertices[3].co.z -= 2 / 512

    assert changes(sample_bytes(game), edit) == [("entities", 1, "x"), ("rooms", 0, "vertices", 3, "y")]
