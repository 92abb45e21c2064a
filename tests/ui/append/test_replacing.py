"""Tests of replacing models, Lara's outfit and meshes, from dialogs and from scripts."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.core.space import world_matrix
from io_tomb_raider.ui.models import panels
from io_tomb_raider.ui.rooms import operators
from tests.games import each_game
from tests.sample_levels.models import model_id
from tests.scene.interop.exchange.characters import character
from tests.scene.scenes import objects

from ...scene.transfer.append.reading import model_meshes
from ..recorder import Layout, draw
from ..user_actions import add_cube, export_file, import_file, import_sample, sample_file, select, state


def on(obj: Any, *others: Any) -> Any:
    """Return a context with an active object, which may be in the excluded library."""
    context: Any = bpy.context
    selected = [obj, *others] if others else []
    return context.temp_override(object=obj, active_object=obj, selected_objects=selected)


def test_the_model_of_an_entity_is_replaced_and_that_is_undone(blender: ModuleType, tmp_path: Path) -> None:
    path, source = sample_file(tmp_path, "tr1"), sample_file(tmp_path, "tr2")
    root = import_file(path)
    enemy = model_id(Game.TR1, "enemy")
    entity = next(each for each in objects(root, "ENTITY") if each.tomb_raider.entity.type == enemy)
    bpy.context.view_layer.objects.active = entity
    bpy.ops.ed.undo_push(message="before")
    wanted = {"part": "MESHES", "filepath": str(source), "model": str(model_id(Game.TR2, "enemy"))}
    assert bpy.ops.tomb_raider.replace_model("EXEC_DEFAULT", True, **wanted) == {"FINISHED"}
    new, there = read_level(export_file(tmp_path / "out")), read_level(source)
    pairs = zip(model_meshes(new, enemy), model_meshes(there, model_id(Game.TR2, "enemy")), strict=True)
    assert all(np.array_equal(one.vertices, other.vertices) for one, other in pairs)
    bpy.ops.ed.undo()
    assert export_file(tmp_path / "out") == path.read_bytes()


def test_by_a_model_of_the_scene(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr4")
    models = {each.tomb_raider.model.id: each for each in objects(root, "MODEL")}
    door, enemy = (model_id(Game.TR4, name) for name in ("door", "enemy"))
    before, model = state(), models[door]
    with (
        on(model),
        pytest.raises(RuntimeError, match="not replaced: Unicorn: the scene has no model"),
    ):
        bpy.ops.tomb_raider.replace_model(model="Unicorn")
    with (
        on(model),
        pytest.raises(RuntimeError, match=r"was not replaced: .*the file has none with this name"),
    ):
        bpy.ops.tomb_raider.replace_model(filepath=str(sample_file(tmp_path, "tr1")), model="Unicorn")
    assert state() == before
    with on(model):
        assert bpy.ops.tomb_raider.replace_model(model=models[enemy].name) == {"FINISHED"}
    new = read_level(export_file(tmp_path / "out"))
    assert [len(each.vertices) for each in model_meshes(new, door)] == [
        len(each.vertices) for each in model_meshes(new, enemy)
    ]


def test_lara_gets_the_outfit_of_a_file(
    blender: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = sample_file(tmp_path, "tr3")
    with pytest.raises(RuntimeError, match="there is no level in this file"):
        bpy.ops.tomb_raider.replace_outfit(filepath=str(source))
    import_sample(tmp_path, "tr1")
    with pytest.raises(RuntimeError, match=r"No file .*was chosen"):
        bpy.ops.tomb_raider.replace_outfit()
    with pytest.raises(RuntimeError, match="Lara looks as before: nowhere"):
        bpy.ops.tomb_raider.replace_outfit(filepath=str(tmp_path / "nowhere.tr2"))
    assert bpy.ops.tomb_raider.replace_outfit(filepath=str(source)) == {"FINISHED"}
    assert "30 meshes of Lara were replaced" in capfd.readouterr().out
    new, there = read_level(export_file(tmp_path / "out")), read_level(source)
    for one, other in zip(model_meshes(new, 0), model_meshes(there, 0), strict=True):
        assert np.array_equal(one.vertices, other.vertices)


@each_game
def test_a_mesh_without_a_material_gets_a_gray_one(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    bpy.ops.tomb_raider.toggle_library(kind="MODELS")
    part: Any = next(
        each for each in objects(root, "MODEL_MESH") if each.visible_get() and each.data.polygons
    )
    cube = add_cube("Mine")
    part.select_set(True)
    bpy.context.view_layer.objects.active = part
    assert bpy.ops.tomb_raider.replace_mesh() == {"FINISHED"}
    assert [material.name for material in part.data.materials] == [f"{root.name} Plain"]
    export_file(tmp_path / "out")
    # Removed by hand, the error says where and what to do.
    part.data.materials.clear()
    with pytest.raises(RuntimeError) as caught:
        export_file(tmp_path / "out")
    assert f"{part.name}: 6 faces have no material: assign one to them" in str(caught.value)
    bpy.data.objects.remove(cube)


def test_tools_that_replace_share_one_panel_and_the_menu(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    lara: Any = bpy.context.object
    assert lara.tomb_raider.kind == "ENTITY"
    shown: Any = draw(panels.OBJECT_PT_tomb_raider_replace, object=lara)
    assert [name for name, _ in shown.operators] == [
        "tomb_raider.replace_model",
        "tomb_raider.fit_outfit",
        "tomb_raider.export_for_wadtool",
    ]  # what fits an entity
    _, body = character(root)
    select(body)
    shown = draw(panels.OBJECT_PT_tomb_raider_replace, object=body)
    assert (
        "tomb_raider.split_by_bones" in [name for name, _ in shown.operators]
        and "Use This Imported Rig" in shown.texts
    )
    assert bpy.ops.tomb_raider.split_by_bones.poll()
    bpy.ops.object.select_all(action="DESELECT")
    assert draw(panels.OBJECT_PT_tomb_raider_replace, object=objects(root, "ROOM")[0]) is None
    menu: Any = SimpleNamespace(layout=Layout())
    in_menu: Any = operators.TOMB_RAIDER_MT_object.draw
    getattr(in_menu, "_draw_funcs", [in_menu])[0](menu, None)  # others append to it
    names = {f"tomb_raider.{name}" for name in ("replace_model", "replace_mesh", "split_by_bones")}
    assert names <= {name for name, _ in menu.layout.operators}


@pytest.mark.parametrize("part", ["ALL", "MESHES", "ANIMATIONS"])
def test_an_imported_rig_replaces_a_model(blender: ModuleType, tmp_path: Path, part: str) -> None:
    path = sample_file(tmp_path, "tr1")
    root = import_file(path)
    lara: Any = bpy.context.object
    hero, _ = character(root)
    select(lara)
    with pytest.raises(RuntimeError, match="choose an armature that is not part of a level"):
        bpy.ops.tomb_raider.replace_model(source="RIG", model="Lara", part=part)
    if part == "ANIMATIONS":
        hero.animation_data_create().action = bpy.data.actions.new("Dance")
        hero.pose.bones[0].keyframe_insert("location", frame=0)
    assert bpy.ops.tomb_raider.replace_model(source="RIG", model=hero.name, part=part) == {"FINISHED"}
    before = read_level(path.read_bytes())
    after = read_level(export_file(tmp_path / "out"))
    same = [
        np.array_equal(one.vertices, other.vertices)
        for one, other in zip(model_meshes(before, 0), model_meshes(after, 0), strict=True)
    ]
    assert all(same) if part == "ANIMATIONS" else not any(same)
    assert (len(after.animations) > len(before.animations)) == (part == "ANIMATIONS")


@pytest.mark.parametrize("fits", [True, False])
def test_a_bone_gets_any_mesh(blender: ModuleType, tmp_path: Path, fits: bool) -> None:
    root = import_sample(tmp_path, "tr1")
    part = next(each for each in objects(root, "MODEL_MESH") if each.name == "Lara Head")
    static = objects(root, "STATIC_MESH")[0]
    free = bpy.data.objects.new("Mine", static.data.copy())
    bpy.context.scene.collection.objects.link(free)
    free.location = world_matrix(part).translation + Vector((0.0, 0.0, 0.25))
    bpy.context.view_layer.update()
    with on(part):
        assert not bpy.ops.tomb_raider.replace_mesh.poll()
    with on(part, free):
        assert bpy.ops.tomb_raider.replace_mesh(fits=fits) == {"FINISHED"}
    new = read_level(export_file(tmp_path / "out"))
    before, after = model_meshes(read_level(sample_file(tmp_path, "tr1")), 0)[14], model_meshes(new, 0)[14]
    assert len(after.vertices) == len(static.data.vertices)
    found = [(each.vertices.min(axis=0), each.vertices.max(axis=0)) for each in (before, after)]
    middles = [(low.astype(int) + high) / 2 for low, high in found]
    if fits:
        sizes = [np.ptp(each.vertices, axis=0).max() for each in (before, after)]
        assert sizes[0] == pytest.approx(sizes[1], abs=1)
        assert np.abs(middles[0] - middles[1]).max() <= 1
    else:
        points = np.array([vertex.co for vertex in static.data.vertices]) * 512
        assert after.vertices[:, 1].max() == pytest.approx(-points[:, 2].min() - 128, abs=1)
