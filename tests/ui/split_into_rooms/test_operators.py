"""Tests of Split into Rooms, with and without an existing level."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.subjects.rooms.location.scene_rooms import SceneRooms
from tests.scene.authoring.split_into_rooms.air_meshes import add_mesh, air_mesh

from ..user_actions import export_file, levels


def test_a_mesh_becomes_a_level(
    blender: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert not bpy.ops.tomb_raider.split_into_rooms.poll()
    hall: Any = add_mesh(air_mesh(np.ones((14, 6, 2), bool)))
    hall.name = "Hall"
    hall.select_set(True)
    bpy.context.view_layer.objects.active = hall
    assert bpy.ops.tomb_raider.split_into_rooms(game="TR2", sectors=5) == {"FINISHED"}
    said = capfd.readouterr().out
    assert "Rooms: 6. Pairs connected: 7. Portals: 14" in said
    assert "Faces without a material received a plain one: Hall" in said
    (root,) = levels()
    selected = set(bpy.context.selected_objects)
    assert {obj.tomb_raider.kind for obj in selected} == {"ROOM"} and len(selected) == 6
    # A new level is framed like an imported one.
    stands = SceneRooms(root).find(bpy.context.scene.cursor.location)
    assert stands is not None and stands in selected
    views = [area.spaces.active for screen in bpy.data.screens for area in screen.areas]
    assert all(view.shading.show_backface_culling for view in views if view.type == "VIEW_3D")
    assert hall.hide_viewport and hall.tomb_raider.kind == "NONE"
    level = read_level(export_file(tmp_path / "out", collection=root.name))
    assert level.game is Game.TR2 and len(level.rooms) == 6

    # Rooms are no longer users' meshes; too many rooms are an error.
    assert not bpy.ops.tomb_raider.split_into_rooms.poll()
    wide: Any = add_mesh(air_mesh(np.ones((34, 34, 1), bool), (40, 0, 0)))
    wide.select_set(True)
    with pytest.raises(RuntimeError, match=r"too many rooms: choose larger rooms.*295.*255"):
        bpy.ops.tomb_raider.split_into_rooms(sectors=2)
    assert not wide.hide_viewport and len(levels()) == 1
