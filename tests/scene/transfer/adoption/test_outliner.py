"""Edits in the Outliner: collections that are dragged elsewhere, linked twice, or copied."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import bpy
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...scenes import import_scene


def _home(root: Collection) -> Collection:
    made = bpy.data.collections.new("My Own")
    root.children.link(made)
    return made


def _all_into_one(root: Collection) -> None:
    """Drag every collection of the level into a new one."""
    children, home = list(root.children), _home(root)
    for each in children:
        root.children.unlink(each)
        home.children.link(each)


def _all_linked_twice(root: Collection) -> None:
    """Drag every collection with Ctrl, so that it is linked twice."""
    children, home = list(root.children), _home(root)
    for each in children:
        home.children.link(each)


def _objects_linked_into_one(root: Collection) -> None:
    """Drag all objects of the rooms with Ctrl into one collection."""
    objects, home = list(root.all_objects), _home(root)
    for obj in objects:
        if obj.tomb_raider.kind in ("ROOM", "LIGHT", "PLACEMENT", "ENTITY", "TRIGGER"):
            home.objects.link(obj)


def _collections_copied(root: Collection) -> None:
    """Duplicate collections with the same objects (Duplicate Linked)."""
    for each in list(root.children):
        copy: Any = each.copy()
        root.children.link(copy)


@pytest.mark.parametrize("game", [Game.TR1, Game.TR4])
@pytest.mark.parametrize(
    "drag", [_all_into_one, _all_linked_twice, _objects_linked_into_one, _collections_copied]
)
def test_moved_collections_of_a_level_change_nothing(
    blender: ModuleType, game: Game, drag: Callable[[Collection], None]
) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    drag(root)
    bpy.context.view_layer.update()
    level, report = export_level(root)
    assert (level.to_bytes() == data, report.warnings) == (True, [])
