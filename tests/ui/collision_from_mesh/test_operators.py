"""Tests of the operators that read collision from meshes, and of their reports."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.ui.collision import panels
from tests.scene.scenes import objects

from ...scene.authoring.collision_from_mesh.chambers import STEP, add_chamber, collision_of
from ..recorder import draw
from ..user_actions import select


def shown_materials(obj: Any) -> list[str]:
    """Return the names of the materials of an object's evaluated faces."""
    bpy.context.view_layer.update()
    shown = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    names = [shown.materials[face.material_index].name for face in shown.polygons]
    obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh_clear()
    return names


def rounded(obj: Any) -> list[int]:
    """Return the numbers of faces that are shown as rounded a little, more, and much."""
    names = shown_materials(obj)
    return [names.count(f"Collision Rounded{each}") for each in (" a Little", "", " Much")]


def test_a_mesh_is_made_a_room_refreshed_and_its_rounding_shown(
    level: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    floor = np.zeros((3, 3, 4))
    floor[0, 0], floor[1, 1], floor[2, 2] = 0.1, 0.4, (0, 0, 0, 17)
    room = add_chamber(floor, 30)
    above = add_chamber(40, 50)
    bpy.context.view_layer.update()
    select(room, above)
    bpy.ops.object.join()
    assert bpy.ops.tomb_raider.make_room() == {"FINISHED"}
    reports = capfd.readouterr().out
    assert "Sectors with a floor: 9. Rounded: 3, by up to 4352 units, 1493 on average" in reports
    assert "Sectors with several storeys: 9, as at 1, 1" in reports
    obj = collision_of(room)
    plain = shown_materials(obj)
    assert not any("Rounded" in name for name in plain)
    assert bpy.ops.tomb_raider.show_rounding() == {"FINISHED"}
    assert rounded(obj) == [2, 2, 2]
    assert bpy.ops.tomb_raider.show_rounding() == {"FINISHED"}
    assert shown_materials(obj) == plain
    # Tools rebuild the mesh, and keep its rounding.
    bpy.ops.tomb_raider.show_rounding()
    select(obj)
    assert bpy.ops.tomb_raider.refresh_collision() == {"FINISHED"}
    assert rounded(obj) == [2, 2, 2]
    select(room)
    assert bpy.ops.tomb_raider.refresh_from_mesh() == {"FINISHED"}
    assert "of 9. Rounded: 3, by up to 4352 units, 1493 on average" in capfd.readouterr().out
    assert bpy.ops.tomb_raider.refresh_from_mesh(storey=1) == {"FINISHED"}
    assert "sectors changed: 9 of 9" in capfd.readouterr().out
    heights = {round(vertex.co.z / STEP) for vertex in obj.data.vertices}
    assert heights == {40, 50}
    assert obj.tomb_raider.collision.storey == 1


def test_rounding_is_shown_only_for_collision_from_a_mesh(
    level: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    room = objects(level, "ROOM")[0]
    select(room)
    assert bpy.ops.tomb_raider.show_rounding() == {"CANCELLED"}
    assert "was read from a mesh" in capfd.readouterr().out
    assert bpy.ops.tomb_raider.refresh_from_mesh() == {"FINISHED"}
    assert "sectors changed: 0 of" in capfd.readouterr().out
    assert bpy.ops.tomb_raider.show_rounding() == {"FINISHED"}
    panel = panels.VIEW3D_PT_tomb_raider_collision_object
    assert draw(panel, object=room) is None  # the panel of the room has Refresh from Mesh
    layout = draw(panel, object=collision_of(room))
    assert layout is not None
    assert "tomb_raider.refresh_from_mesh" in {name for name, _ in layout.operators}
    bpy.data.objects.remove(collision_of(room))
    assert not bpy.ops.tomb_raider.refresh_from_mesh.poll()


def test_a_mesh_without_a_floor_is_refused(level: Any) -> None:
    wall = add_chamber(0, 2)
    bpy.context.view_layer.update()
    select(wall)
    with pytest.raises(RuntimeError, match="it has no floor"):
        bpy.ops.tomb_raider.make_room()
    assert wall.tomb_raider.kind == "NONE"
