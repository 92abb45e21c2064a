"""Tests of the extension's automatic changes during undo and redo."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.transfer.adoption import reconciling as reconciling
from tests.sample_levels import sample_bytes

from .user_actions import after_events


def test_undo_and_redo_search_each_level_once_for_new_objects(
    blender: ModuleType, extension: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for game in (Game.TR1, Game.TR4):
        import_level(sample_bytes(game), name=game.name)
    layer = bpy.context.view_layer
    layer.update()
    layer.active_layer_collection = layer.layer_collection.children["TR1"]
    bpy.ops.ed.undo_push(message="Imported")
    bpy.ops.object.light_add(type="POINT", location=(1, 1, 1))
    name = bpy.context.object.name
    bpy.ops.ed.undo_push(message="Added")
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.ed.undo_push(message="Selected")

    looked: list[str] = []
    reconcile = reconciling.reconcile

    def counted(root: Any, *others: Any) -> Any:
        looked.append(root.name)
        return reconcile(root, *others)

    monkeypatch.setattr(reconciling, "reconcile", counted)
    # Redo must have no steps, since a claim would discard them.
    for step in (bpy.ops.ed.undo, bpy.ops.ed.undo, bpy.ops.ed.redo):
        step()
        after_events()
        assert looked == []
    bpy.ops.ed.redo()
    after_events()
    assert sorted(looked) == ["TR1", "TR4"]
    assert bpy.data.objects[name].tomb_raider.kind == "LIGHT"
