"""Tests of Prepare for Exchange, Export to Other Programs and Split by Bones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import Game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level
from tests.scene.interop.exchange.characters import character
from tests.scene.interop.exchange.glb import Glb
from tests.scene.rig_tools import actions, armature
from tests.scene.scenes import export_scene, import_scene, objects

# After glTF exports, Blender 4.2 as a module sometimes crashes in a long run.
pytestmark = [pytest.mark.usefixtures("blender"), pytest.mark.once]


def select_in_order(*objects: Any) -> None:
    layer: Any = bpy.context.view_layer
    for each in bpy.context.selected_objects:
        each.select_set(False)
    for obj in objects:
        obj.select_set(True)
        layer.objects.active = obj


def lara(root: Any) -> Any:
    return next(e for e in objects(root, "ENTITY") if e.name.startswith("Lara"))


def test_an_entity_is_prepared_and_selected_then() -> None:
    root = import_scene(sample_bytes(Game.TR4))
    select_in_order(lara(root))
    assert bpy.ops.tomb_raider.prepare_for_exchange() == {"FINISHED"}
    names = {each.name for each in bpy.context.selected_objects}
    assert len(names) == 2 and all(each.type in ("ARMATURE", "MESH") for each in bpy.context.selected_objects)
    home = bpy.context.object.users_collection[0]
    assert home.name.endswith("for Exchange") and home not in root.children_recursive
    assert export_scene(root).to_bytes() == sample_bytes(Game.TR4)


def test_a_prepared_collection_has_exporters_that_write_it_alone(tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    select_in_order(lara(root))
    bpy.ops.tomb_raider.prepare_for_exchange()
    home: Any = bpy.context.selected_objects[0].users_collection[0]
    assert [each.name for each in home.exporters] == ["glTF 2.0", "FBX", "Wavefront OBJ"]
    for exporter, suffix in zip(home.exporters, (".glb", ".fbx", ".obj"), strict=True):
        exporter.export_properties.filepath = str(tmp_path / f"lara{suffix}")
    with bpy.context.temp_override(collection=home):
        assert bpy.ops.collection.export_all() == {"FINISHED"}
    assert sorted(each.suffix for each in tmp_path.iterdir()) == [".fbx", ".glb", ".mtl", ".obj"]
    glb = Glb(next(tmp_path.glob("*.glb")))
    assert sorted(glb.names("animations")) == sorted(each.name for each in actions(root))
    assert len(glb.json["skins"]) == 1


def test_files_are_written_by_the_end_of_their_name(tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    room = objects(root, "ROOM")[0]
    select_in_order(room)
    for name in ("room.glb", "room.gltf", "room.fbx", "room.obj"):
        assert bpy.ops.tomb_raider.export_exchange(filepath=str(tmp_path / name)) == {"FINISHED"}
        assert (tmp_path / name).stat().st_size
    assert Glb(tmp_path / "room.glb").json["meshes"]
    assert bpy.context.object == room and len(bpy.data.scenes) == 1
    with pytest.raises(RuntimeError, match=r"room\.xyz was not exported"):
        bpy.ops.tomb_raider.export_exchange(filepath=str(tmp_path / "room.xyz"))
    with pytest.raises(RuntimeError, match="No file was chosen"):
        bpy.ops.tomb_raider.export_exchange(filepath="")


def test_a_character_becomes_a_model_and_undo_takes_it_back() -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    _, body = character(root)
    select_in_order(body)
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.tomb_raider.split_by_bones(model=armature(root).name) == {"FINISHED"}
    bpy.ops.ed.undo_push(message="after")
    root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    assert export_scene(root).to_bytes() != data
    bpy.ops.ed.undo()
    root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    assert export_scene(root).to_bytes() == data
    select_in_order(bpy.data.objects["Body"])
    assert bpy.ops.tomb_raider.split_by_bones() == {"FINISHED"}
    model = next(each for each in objects(root, "MODEL") if each.name.startswith("Hero"))
    assert model.tomb_raider.model.id in export_scene(root).models["id"]


@pytest.mark.parametrize("game", [Game.TR1, Game.TR4])
def test_a_model_that_comes_back_as_gltf_is_exported_without_warnings(tmp_path: Path, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    select_in_order(lara(root))
    assert bpy.ops.tomb_raider.export_exchange(filepath=str(tmp_path / "lara.glb")) == {"FINISHED"}
    before = set(bpy.data.objects)
    bpy.ops.import_scene.gltf(filepath=str(tmp_path / "lara.glb"))
    came = set(bpy.data.objects) - before
    rig = next(obj for obj in came if obj.type == "ARMATURE")
    select_in_order(rig)
    assert bpy.ops.tomb_raider.split_by_bones.poll()
    select_in_order(lara(root))
    found = {"source": "RIG", "model": rig.name, "part": "MESHES"}
    assert bpy.ops.tomb_raider.replace_model(**found) == {"FINISHED"}
    for obj in came:
        bpy.data.objects.remove(obj)
    _, report = export_level(root)
    assert [text for text in report.warnings if "left out" in text] == []


def test_meshes_that_cannot_be_split_are_refused() -> None:
    root = import_scene(sample_bytes(Game.TR1))
    _, body = character(root)
    body.vertex_groups.clear()
    select_in_order(body)
    with pytest.raises(RuntimeError, match="Nothing was split: Body: none of its vertex groups"):
        bpy.ops.tomb_raider.split_by_bones()
    with pytest.raises(RuntimeError, match="the scene has no model of this name"):
        bpy.ops.tomb_raider.split_by_bones(model="Nobody")
    select_in_order(lara(root))
    assert not bpy.ops.tomb_raider.split_by_bones.poll()
    select_in_order()
    bpy.context.view_layer.objects.active = None
    assert not bpy.ops.tomb_raider.prepare_for_exchange.poll()
