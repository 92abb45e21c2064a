"""Round trips of levels: untouched ones are byte for byte the same, rebuilt ones have the same elements."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import read_level
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.compare import differences
from tests.empty_scene import start_empty
from tests.real_levels import each_real_level, each_real_level_everywhere
from tests.sample_levels import SAMPLES, named_sample
from tests.scene.exporting import export_level, export_result

from .scenes import export_scene, import_anew

_ROOT = Path(__file__).parents[2]


each_sample = pytest.mark.parametrize("name", SAMPLES)


@each_sample
def test_an_untouched_sample_comes_back_byte_for_byte(blender: ModuleType, name: str) -> None:
    result = export_result(import_anew(named_sample(name)))
    assert result.level.to_bytes() == named_sample(name)
    assert not result.rebuilt
    assert not result.report.warnings


@each_real_level_everywhere
def test_an_untouched_real_level_comes_back_byte_for_byte(blender: ModuleType, level_path: Path) -> None:
    result = export_result(import_level(level_path).root)
    assert result.level.to_bytes() == level_path.read_bytes()
    assert not result.rebuilt


@each_sample
def test_a_rebuilt_sample_holds_the_same_elements(blender: ModuleType, name: str) -> None:
    root = import_anew(named_sample(name))
    assert differences(read_level(named_sample(name)), export_scene(root, rebuild=True), rebuilt=True) == []


@each_real_level_everywhere
def test_a_rebuilt_real_level_holds_the_same_elements(blender: ModuleType, level_path: Path) -> None:
    data = level_path.read_bytes()
    root = import_anew(data)
    assert differences(read_level(data), export_scene(root, rebuild=True), rebuilt=True) == []


@each_sample
def test_an_import_leaves_nothing_for_blender_to_work_out(blender: ModuleType, name: str) -> None:
    """Changes after the last update would make Blender evaluate the whole level again."""
    told: list[int] = []

    def tell(_scene: object, depsgraph: bpy.types.Depsgraph) -> None:
        told.append(len(depsgraph.updates))

    import_anew(named_sample(name))
    bpy.app.handlers.depsgraph_update_post.append(tell)
    try:
        view_layer = bpy.context.view_layer
        assert view_layer is not None
        view_layer.update()
        assert told == []
        bpy.context.scene.collection.objects.link(
            bpy.data.objects.new("Seen", None)
        )  # as a check of the test
        view_layer.update()
        assert told
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(tell)


_EXPORT = """
import sys, bpy, io_tomb_raider
io_tomb_raider.register()
from io_tomb_raider.scene.pipeline.exporter import export_level
for blend, exported in zip(sys.argv[2::2], sys.argv[3::2], strict=True):
    bpy.ops.wm.open_mainfile(filepath=blend)
    root = next(c for c in bpy.data.collections if c.tomb_raider.kind == "LEVEL")
    level = export_level(root, rebuild=sys.argv[1] == "rebuild").level
    open(exported, "wb").write(level.to_bytes())
io_tomb_raider.unregister()
"""


def export_in_fresh_process(levels: list[bytes], folder: Path, how: str = "as it is") -> list[bytes]:
    """Save each imported level as a .blend, and export all of them in a new process."""
    paths = []
    for number, data in enumerate(levels):
        start_empty()
        import_anew(data)
        paths += [folder / f"{number}.blend", folder / f"{number}.out"]
        bpy.ops.wm.save_as_mainfile(filepath=str(paths[-2]))
    command = [sys.executable, "-c", _EXPORT, how, *map(str, paths)]
    subprocess.run(command, cwd=_ROOT, check=True, capture_output=True, timeout=300)
    return [path.read_bytes() for path in paths[1::2]]


def test_saved_scenes_are_exported_by_a_fresh_blender(blender: ModuleType, tmp_path: Path) -> None:
    exported = export_in_fresh_process([named_sample(name) for name in SAMPLES], tmp_path)
    same = {name: made == named_sample(name) for name, made in zip(SAMPLES, exported, strict=True)}
    assert same == dict.fromkeys(SAMPLES, True)


@each_real_level
def test_a_saved_real_level_is_exported_by_a_fresh_blender(
    blender: ModuleType, level_path: Path, tmp_path: Path
) -> None:
    data = level_path.read_bytes()
    assert export_in_fresh_process([data], tmp_path) == [data]


def test_a_saved_scene_is_rebuilt_by_a_fresh_blender(blender: ModuleType, tmp_path: Path) -> None:
    data = named_sample("tr4")
    (rebuilt,) = export_in_fresh_process([data], tmp_path, "rebuild")
    assert differences(read_level(data), read_level(rebuilt), rebuilt=True) == []


@each_sample
@pytest.mark.parametrize(
    "options",
    [
        {"rooms": False},
        {"models": False},
        {"animations": False},
        {"static_meshes": False},
        {"entities": False},
        {"lights": False, "sprites": False},
        {"scale": 0.001},
        {"scale": 1.0},
    ],
    ids=str,
)
def test_export_is_unchanged_if_subjects_are_left_out_or_scaled(
    blender: ModuleType, name: str, options: dict[str, Any]
) -> None:
    root = import_level(named_sample(name), ImportOptions(**options)).root
    assert export_level(root)[0].to_bytes() == named_sample(name)


@pytest.mark.parametrize("name", ["tr1", "tr5"])
@pytest.mark.parametrize(
    "options", [{"rooms": False}, {"models": False}, {"static_meshes": False}, {"scale": 0.001}], ids=str
)
def test_subjects_that_are_left_out_survive_a_rebuild(
    blender: ModuleType, name: str, options: dict[str, Any]
) -> None:
    root = import_level(named_sample(name), ImportOptions(**options)).root
    assert differences(read_level(named_sample(name)), export_scene(root, rebuild=True), rebuilt=True) == []


def test_two_levels_in_one_scene_are_exported_each_as_it_was(blender: ModuleType) -> None:
    roots = {name: import_level(named_sample(name), name=name).root for name in ("tr1", "tr3", "tr5")}
    again = import_level(named_sample("tr3"), name="tr3").root
    for name, root in roots.items():
        assert export_level(root)[0].to_bytes() == named_sample(name)
    assert export_level(again)[0].to_bytes() == named_sample("tr3")


def test_an_edit_of_one_level_leaves_its_twin_alone(blender: ModuleType) -> None:
    one, two = (import_level(named_sample("tr2"), name="twin").root for _ in range(2))
    room = next(obj for obj in one.all_objects if obj.tomb_raider.kind == "ROOM")
    room.data.vertices[0].co.z += 1 / 512
    assert export_level(one)[0].to_bytes() != named_sample("tr2")
    assert export_level(two)[0].to_bytes() == named_sample("tr2")
