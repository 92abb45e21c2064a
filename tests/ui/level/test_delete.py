"""Tests that deleting a level removes all of its data, and keeps data that others use."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game
from io_tomb_raider.ui import level_panels as panels
from io_tomb_raider.ui import menus, tool_menus
from io_tomb_raider.ui.level import tools
from tests.games import each_game
from tests.scene.exporting import export_level
from tests.scene.scenes import objects

from ..everything import draw_menu
from ..recorder import Layout, draw
from ..user_actions import (
    add_cube,
    all_datablocks,
    export_file,
    import_file,
    import_sample,
    levels,
    sample_file,
)

# Data that an import sets up for any level, and Blender's own data.
_SHARED = {"screens", "workspaces", "window_managers", "palettes", "brushes", "worlds", "libraries", "scenes"}
_SHARED |= {"all_ids"}  # from 5.2 on


def datablocks() -> dict[str, list[str]]:
    return {kind: names for kind, names in all_datablocks().items() if kind not in _SHARED and names}


def delete(root: Collection) -> None:
    assert bpy.ops.tomb_raider.delete_level(collection=root.name) == {"FINISHED"}


def test_the_question_names_the_level(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = import_sample(tmp_path, "tr1")
    asked: dict[str, Any] = {}
    manager = SimpleNamespace(invoke_confirm=lambda *_, **texts: asked.update(texts))
    operator: Any = SimpleNamespace(level=lambda _: root, collection="")
    tools.TOMB_RAIDER_OT_delete_level.invoke(operator, SimpleNamespace(window_manager=manager), None)  # type: ignore[arg-type]
    assert asked["title"] == f"Delete {root.name}?" and operator.collection == root.name
    known = bpy.types.WindowManager.bl_rna.functions["invoke_confirm"].parameters.keys()
    assert set(asked) <= set(known)


@each_game
def test_deleting_a_level_removes_all_its_data_blocks(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    add_cube()
    before = datablocks()
    delete(import_sample(tmp_path, game))
    assert datablocks() == before


def test_another_level_stays_whole(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path, "tr1")
    first = import_file(path)
    before = datablocks()
    delete(import_sample(tmp_path, "tr4"))
    assert datablocks() == before
    assert levels() == [first]
    assert export_file(tmp_path / "out") == path.read_bytes()


def test_the_same_level_twice_is_two_levels(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path, "tr1")
    first, second = import_file(path), import_file(path)
    delete(first)
    assert levels() == [second]
    assert export_file(tmp_path / "out") == path.read_bytes()


def test_data_that_users_objects_refer_to_is_kept(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    cube: Any = add_cube()
    material = next(slot.material for slot in objects(root, "ROOM")[0].material_slots if slot.material)
    cube.data.materials.append(material)
    statue: Any = bpy.data.objects.new("Statue", None)
    bpy.context.scene.collection.objects.link(statue)
    enemy = objects(root, "MODEL")[2]
    statue.instance_type, statue.instance_collection = "COLLECTION", enemy.users_collection[0]
    mine = [action.name for action in bpy.data.actions if action.tomb_raider.model == enemy]
    names = material.name, enemy.name, len(enemy.users_collection[0].objects)
    delete(root)
    assert cube.data.materials[0].name == names[0]
    images = [node.image for node in cube.data.materials[0].node_tree.nodes if node.type == "TEX_IMAGE"]
    assert images and all(image is not None and image.size[0] for image in images)
    assert statue.instance_collection.objects[names[1]].animation_data.action is not None
    assert len(statue.instance_collection.objects) == names[2]
    assert sorted(action.name for action in bpy.data.actions) == sorted(mine)
    assert not levels()


def test_actions_of_its_models_go_and_others_stay(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    first = next(action for action in bpy.data.actions if action.tomb_raider.model is not None)
    copy = first.copy()  # a new animation of the model
    copy.use_fake_user = True
    shared, own = first.copy(), bpy.data.actions.new("Mine")
    own.use_fake_user = True
    cube: Any = add_cube()
    cube.animation_data_create().action = shared
    names = {shared.name, own.name}
    delete(root)
    assert {action.name for action in bpy.data.actions} == names
    assert shared.tomb_raider.model is None


def test_deleting_can_be_undone(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path, "tr4")
    name = import_file(path).name
    before = datablocks()
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.tomb_raider.delete_level("EXEC_DEFAULT", True, collection=name)
    assert not levels()
    bpy.ops.ed.undo()
    assert datablocks() == before
    assert export_level(bpy.data.collections[name])[0].to_bytes() == path.read_bytes()


def test_nothing_survives_a_deletion_by_hand_and_a_purge(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    for collection in [*root.children_recursive, root]:
        for obj in list(collection.objects):
            bpy.data.objects.remove(obj)
        bpy.data.collections.remove(collection)
    bpy.ops.outliner.orphans_purge(do_local_ids=True, do_recursive=True)
    assert not len(bpy.data.actions)
    assert datablocks() == {}


def test_unlinked_models_and_their_actions_are_purged(blender: ModuleType, tmp_path: Path) -> None:
    """Armatures and actions hold each other, which keeps neither."""
    root = import_sample(tmp_path)
    bpy.data.collections.remove(root)
    bpy.ops.outliner.orphans_purge(do_local_ids=True, do_recursive=True)
    assert not len(bpy.data.actions)
    assert not len(bpy.data.objects)


@pytest.mark.parametrize("sample", ["tr1", "tr5"])
def test_all_actions_are_saved(blender: ModuleType, tmp_path: Path, sample: str) -> None:
    path = sample_file(tmp_path, sample)
    import_file(path)
    before = sorted(action.name for action in bpy.data.actions)
    blend = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=blend)
    bpy.ops.wm.open_mainfile(filepath=blend)
    assert sorted(action.name for action in bpy.data.actions) == before
    assert export_file(tmp_path / "out") == path.read_bytes()


def test_the_button_is_where_levels_are(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    layout = draw(panels.COLLECTION_PT_tomb_raider_level, collection=root)
    assert layout is not None
    assert "tomb_raider.delete_level" in [name for name, _ in layout.operators]
    sidebar = draw(panels.VIEW3D_PT_tomb_raider_level)
    assert sidebar is not None and sidebar.menus == ["VIEW3D_MT_tomb_raider_level"]
    menu_of_level = draw_menu(tool_menus.VIEW3D_MT_tomb_raider_level)
    assert "tomb_raider.delete_level" in [name for name, _ in menu_of_level.operators]
    for collection, count in ((root, 1), (root.children[0], 0)):
        menu: Any = SimpleNamespace(layout=Layout())
        context: Any = SimpleNamespace(collection=collection)
        menus._draw_collection(menu, context)
        assert len(menu.layout.operators) == count


def test_without_a_level_there_is_no_panel(blender: ModuleType) -> None:
    assert not panels.VIEW3D_PT_tomb_raider_level.poll(bpy.context)
