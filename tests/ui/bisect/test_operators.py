"""Tests of cutting faces in object mode and edit mode."""

from __future__ import annotations

from typing import Any

import bmesh
import bpy
import pytest

from ...scene.subjects.bisect.textured_floors import brick_material, quad
from ..user_actions import select


def test_selected_meshes_are_cut_each_once(level: Any, capfd: pytest.CaptureFixture[str]) -> None:
    one, other = quad(2, 2, 0.5, 1, brick_material()), quad(1, 1, 2.5, 1, brick_material())
    copy = one.copy()
    bpy.context.scene.collection.objects.link(copy)
    select(one, other, copy)
    assert bpy.ops.tomb_raider.cut_to_sectors() == {"FINISHED"}
    assert "New faces: 3 along sectors, 2 where pictures repeat" in capfd.readouterr().out
    assert (len(one.data.polygons), len(other.data.polygons)) == (4, 3)


def test_in_edit_mode_selected_faces_are_cut(level: Any) -> None:
    obj = quad(4, 1, 0.5, 1, brick_material())
    select(obj)
    assert bpy.ops.tomb_raider.cut_to_sectors(repeats=False) == {"FINISHED"}
    obj.location.x = 1.0
    bpy.context.view_layer.update()
    bpy.ops.object.mode_set(mode="EDIT")
    bm = bmesh.from_edit_mesh(obj.data)
    bpy.ops.mesh.select_mode(type="FACE")
    for face in bm.faces:
        face.select_set(face.calc_center_median().x < 4)
    bmesh.update_edit_mesh(obj.data)
    assert bpy.ops.tomb_raider.cut_to_sectors() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert len(obj.data.polygons) == 6


def test_objects_that_cannot_be_cut_are_refused(level: Any) -> None:
    obj = quad(2, 2, 0.5, 1, brick_material())
    obj.shape_key_add(name="Basis")
    select(obj)
    with pytest.raises(RuntimeError, match="it has shape keys"):
        bpy.ops.tomb_raider.cut_to_sectors()
    select(next(each for each in level.all_objects if each.tomb_raider.kind == "ENTITY"))
    assert not bpy.ops.tomb_raider.cut_to_sectors.poll()
