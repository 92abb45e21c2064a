"""Tests that handlers note changes, and a timer claims them in its own undo step."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import bpy
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.authoring.mesh_from_sectors.room import draw_room
from io_tomb_raider.scene.core.membership import collision_of
from io_tomb_raider.ui import pending
from io_tomb_raider.ui.base import stepped
from tests.data_blocks import changed, data_blocks, every_id
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.scenes import copy_of, import_anew, objects, room_object


def _instance(root: Collection) -> Any:
    made = bpy.data.objects.new("Mine", None)
    made.instance_type = "COLLECTION"
    made.instance_collection = objects(root, "ENTITY")[0].instance_collection
    root.objects.link(made)
    return made


def _model_of(other: Collection, root: Collection) -> None:
    model = objects(other, "MODEL")[-1].users_collection[0]
    homes = [
        next(each for each in level.children if each.tomb_raider.kind == "MODELS") for level in (other, root)
    ]
    homes[0].children.unlink(model)
    homes[1].children.link(model)


def _count() -> int:
    return sum(1 for _ in every_id())


@each_game
def test_handlers_do_not_add_or_remove_data_blocks(blender: ModuleType, game: Game) -> None:
    root = import_anew(sample_bytes(game))
    other = import_anew(sample_bytes(Game.TR1 if game is Game.TR4 else Game.TR4))
    root.tomb_raider.level.shows_fog_bulbs = True
    _instance(root)
    _model_of(other, root)
    for kind in ("LIGHT", "PLACEMENT", "ROOM"):
        for obj in objects(root, kind)[:1]:
            copy_of(obj).location.x += 1
    for obj in objects(other, "ENTITY")[:1]:
        root.objects.link(obj)
        for home in obj.users_collection:
            if home != root:
                home.objects.unlink(obj)
    known = {each.session_uid for each in every_id()}
    meshes = {mesh.session_uid: mesh.users for mesh in bpy.data.meshes}
    bpy.context.view_layer.update()
    graph, scene = bpy.context.evaluated_depsgraph_get(), bpy.context.scene
    assert scene is not None
    for handler in [*bpy.app.handlers.depsgraph_update_post]:
        handler(scene, graph)
    assert {each.session_uid for each in every_id()} == known
    assert {mesh.session_uid: mesh.users for mesh in bpy.data.meshes} == meshes
    assert bpy.data.objects["Mine"].tomb_raider.kind == "NONE"
    assert bpy.app.timers.is_registered(pending.work)
    assert pending.work() is None
    assert bpy.data.objects["Mine"].tomb_raider.kind == "ENTITY"
    assert {each.session_uid for each in every_id()} - known
    # The claim itself is not noted as a change.
    bpy.context.view_layer.update()
    assert not pending.claim()


def test_a_claim_is_an_undo_step_of_its_own(blender: ModuleType) -> None:
    root = import_anew(sample_bytes(Game.TR1))
    other = import_anew(sample_bytes(Game.TR4))
    bpy.context.view_layer.update()
    pending.work()
    bpy.ops.ed.undo_push(message="Imported")
    _instance(root)
    _model_of(other, root)
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Added")
    counts = [_count()]
    pending.work()
    counts.append(_count())
    assert counts[0] < counts[1]
    assert _kind() == "ENTITY"
    for _ in range(2):
        bpy.ops.ed.undo()
        assert (_count(), _kind()) == (counts[0], "NONE")
        # Redo restores the claim; another claim would discard redo.
        bpy.context.view_layer.update()
        pending.work()
        assert (_count(), _kind()) == (counts[0], "NONE")
        bpy.ops.ed.redo()
        bpy.context.view_layer.update()
        assert (_count(), _kind()) == (counts[1], "ENTITY")
        assert not pending.claim()
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    assert "Mine" not in bpy.data.objects


def _kind() -> str:
    return str(bpy.data.objects["Mine"].tomb_raider.kind)


def test_an_undone_claim_is_repeated_after_the_next_step(blender: ModuleType) -> None:
    root = import_anew(sample_bytes(Game.TR1))
    bpy.ops.ed.undo_push(message="Imported")
    _instance(root)
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Added")
    pending.work()
    bpy.ops.ed.undo()
    bpy.context.view_layer.update()
    pending.work()
    assert _kind() == "NONE"
    bpy.data.objects["Mine"].location.x += 1
    bpy.ops.ed.undo_push(message="Moved")
    bpy.context.view_layer.update()
    pending.work()
    assert _kind() == "ENTITY"


def test_nothing_is_claimed_in_edit_mode(blender: ModuleType) -> None:
    root = import_anew(sample_bytes(Game.TR1))
    _instance(root)
    bpy.context.view_layer.objects.active = room_object(root, 0)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.view_layer.update()
    assert pending.work() is None
    assert _kind() == "NONE"
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    pending.work()
    assert _kind() == "ENTITY"


def test_the_timer_waits_for_operators_that_push_a_step(
    blender: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = import_anew(sample_bytes(Game.TR1))
    _instance(root)
    bpy.context.view_layer.update()
    monkeypatch.setattr(stepped, "is_operator_running", lambda: True)  # modal operators need a window
    assert pending.work() == stepped.OPERATOR_PAUSE
    assert _kind() == "NONE"
    monkeypatch.undo()
    assert pending.work() is None
    assert _kind() == "ENTITY"


def test_pending_objects_are_cleared_when_another_file_is_opened(blender: ModuleType) -> None:
    root = import_anew(sample_bytes(Game.TR1))
    _instance(root)
    bpy.context.view_layer.update()
    bpy.ops.wm.read_homefile(use_empty=True)
    other = import_anew(sample_bytes(Game.TR2))
    bpy.context.view_layer.update()
    before = data_blocks()
    assert not pending.claim()
    assert changed(before, data_blocks()) == []
    assert other.tomb_raider.game == "TR2"


def _drag_floor(root: Collection) -> None:
    mesh: Any = collision_of(room_object(root, 0)).data
    for vertex in mesh.vertices:
        if vertex.co.z < 0.01:
            vertex.co.z -= 0.5


def _add(root: Collection) -> None:
    _instance(root)


@pytest.mark.parametrize("edit", [_add, _drag_floor])
@pytest.mark.parametrize("operator", ["export", "check"])
def test_an_operator_pushes_a_step_where_it_has_claimed_anything(
    blender: ModuleType, tmp_path: Any, edit: Callable[[Collection], None], operator: str
) -> None:
    root = import_anew(sample_bytes(Game.TR1))
    draw_room(root, room_object(root, 0))
    bpy.ops.ed.undo_push(message="Imported")
    calls: dict[str, Callable[[], object]] = {
        "export": lambda: bpy.ops.export_scene.tomb_raider(filepath=str(tmp_path / "out.phd")),
        "check": lambda: bpy.ops.tomb_raider.check_level(),
    }
    edit(root)
    bpy.ops.ed.undo_push(message="Edited")
    before = _vertex_counts()
    assert calls[operator]() == {"FINISHED"}
    claimed = _vertex_counts()
    assert claimed != before
    bpy.ops.ed.undo()
    assert _vertex_counts() == before
    bpy.ops.ed.redo()
    assert _vertex_counts() == claimed


def _vertex_counts() -> list[tuple[str, str, int]]:
    """Return what claims and drawn rooms change."""
    return [
        (obj.name, obj.tomb_raider.kind, len(obj.data.vertices) if obj.type == "MESH" else 0)
        for obj in bpy.data.objects
    ]


def test_an_export_that_claims_nothing_pushes_no_step(blender: ModuleType, tmp_path: Any) -> None:
    import_anew(sample_bytes(Game.TR1))
    bpy.ops.ed.undo_push(message="Imported")
    bpy.data.objects.new("Mine", None)
    bpy.ops.ed.undo_push(message="Added")
    bpy.ops.export_scene.tomb_raider(filepath=str(tmp_path / "out.phd"))
    bpy.ops.ed.undo()
    assert "Mine" not in bpy.data.objects
