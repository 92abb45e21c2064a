"""Construction of many meshes together."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.subjects.meshes import arrays
from io_tomb_raider.scene.subjects.meshes.arrays import build_meshes
from tests.empty_scene import start_empty
from tests.sample_levels import sample_bytes

from ...scenes import export_scene, import_anew, objects


@pytest.mark.parametrize("game", list(Game), ids=lambda game: game.name)
def test_in_files_of_many_objects_meshes_are_the_same(
    blender: ModuleType, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = sample_bytes(game)

    def made(many: int) -> dict[str, object]:
        start_empty()
        monkeypatch.setattr(arrays, "_MANY", many)
        root = import_anew(data)
        assert export_scene(root).to_bytes() == data
        found: dict[str, object] = {}
        for mesh in bpy.data.meshes:
            slots = [material.name for material in mesh.materials]
            faces = [(*face.vertices, face.material_index) for face in mesh.polygons]
            layers = sorted((each.name, each.domain, each.data_type) for each in mesh.attributes)
            found[mesh.name] = slots, faces, layers, len(mesh.vertices), sorted(mesh.keys())
        assert objects(root, "ROOM")
        return found

    few, many = made(1 << 30), made(0)
    assert few == many


def test_copies_of_slots_are_separate(blender: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "_MANY", -1)
    import_anew(sample_bytes(Game.TR1))
    materials: Any = {("a",): bpy.data.materials.new("A"), ("b",): bpy.data.materials.new("B")}
    slots: Any = [[("a",)], [("a",), ("b",)], [("a",), ("b",)], [("b",)], []]
    names = ["One", "Two", "Three", "Four", "Five"]
    made = arrays._with_slots(names, slots, materials)
    assert [mesh.name for mesh in made] == names
    wanted = [["A"], ["A", "B"], ["A", "B"], ["B"], []]
    assert [[material.name for material in mesh.materials] for mesh in made] == wanted
    assert build_meshes([], [], {}) == []
