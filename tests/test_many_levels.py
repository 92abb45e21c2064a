"""Test of a whole game in one file: twenty levels are imported, edited and exported separately."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import bpy
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.compare import differences
from tests.sample_levels import sample_bytes
from tests.scene.scenes import export_scene, objects

LEVELS = 20
GAMES = [list(Game)[number % len(Game)] for number in range(LEVELS)]


def levels_in_order() -> list[Collection]:
    roots = [each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL"]
    return sorted(roots, key=lambda root: int(root.name.split()[1]))


@pytest.mark.once
def test_a_file_of_twenty_levels_is_opened_edited_and_exported(blender: ModuleType, tmp_path: Path) -> None:
    for number, game in enumerate(GAMES):
        import_level(sample_bytes(game), name=f"Level {number}")
    places = [tuple(root.tomb_raider.offset) for root in levels_in_order()]
    assert len(set(places)) == LEVELS
    path = str(tmp_path / "game.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)

    roots = levels_in_order()
    assert len(roots) == LEVELS
    edited = {0, 7, LEVELS - 1}
    for number in edited:
        objects(roots[number], "ENTITY")[1].location.x += 1
        objects(roots[number], "ROOM")[0].data.vertices[3].co.z -= 2 / 512
    bpy.context.view_layer.update()
    for number, (root, game) in enumerate(zip(roots, GAMES, strict=True)):
        found = differences(read_level(sample_bytes(game)), export_scene(root))
        expected = [("entities", 1, "x"), ("rooms", 0, "vertices", 3, "y")] if number in edited else []
        assert found == expected, f"level {number}"
