"""Tests of Room from Sectors: updates in edit mode, undo, and reports."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import pytest
from bpy.types import Object

from io_tomb_raider.formats import Game
from io_tomb_raider.ui import handlers
from io_tomb_raider.ui.mesh_from_sectors.panels import VIEW3D_PT_tomb_raider_drawing
from tests.sample_levels import sample_bytes

from ...scene.scenes import room_object
from ...scene.subjects.collision.collision_meshes import (
    CEILING,
    FLOOR,
    HALL,
    PLAIN,
    EditMode,
    import_collision,
)
from ..recorder import draw
from ..user_actions import after_events


@pytest.fixture
def hall(blender: ModuleType) -> Object:
    """The hall of a sample level, drawn from its sectors."""
    root = import_collision(sample_bytes(Game.TR4))
    room: Object = room_object(root, HALL)
    bpy.context.view_layer.objects.active = room
    assert bpy.ops.tomb_raider.room_from_sectors() == {"FINISHED"}
    return room


def floor_heights(room: Any) -> list[float]:
    """Return the heights of the drawn floor of the plain sector, in steps."""
    mesh = room.data
    keys = [each.value for each in mesh.attributes["tr_drawn"].data]
    place = 1 << 11 | 0  # floors
    found = [
        vertex
        for key, face in zip(keys, mesh.polygons, strict=True)
        if key >> 25 << 8 == place and (key >> 17 & 255, key >> 9 & 255) == PLAIN
        for vertex in face.vertices
    ]
    return sorted({round(mesh.vertices[each].co.z * 2, 3) for each in found})


def level_of(room: Object) -> Any:
    return next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")


def test_dragged_sectors_are_drawn_after_edit_mode(hall: Object) -> None:
    with EditMode(level_of(hall), HALL, (FLOOR, PLAIN)):
        bpy.context.view_layer.update()
        bpy.ops.transform.translate(value=(0, 0, 1.5))
        assert floor_heights(hall) == [0]
    after_events()
    assert floor_heights(hall) == [3]


def test_dragged_sectors_are_drawn_during_edit_mode(hall: Object) -> None:
    level = level_of(hall)
    (beside,) = {
        entry.room
        for child in hall.children
        for entry in child.tomb_raider.collision.rooms
        if entry.room is not None and entry.room.name.endswith("001")
    }
    bpy.context.view_layer.objects.active = beside
    assert bpy.ops.tomb_raider.room_from_sectors() == {"FINISHED"}
    seen = len(beside.data.polygons)
    mine: Any = bpy.data.materials.new("Mine")
    mesh: Any = hall.data
    mesh.materials.append(mine)
    keys = [each.value for each in mesh.attributes["tr_drawn"].data]
    floor = next(
        face
        for key, face in zip(keys, mesh.polygons, strict=True)
        if key >> 25 == 8 and (key >> 17 & 255, key >> 9 & 255) == PLAIN
    )
    floor.material_index = len(mesh.materials) - 1
    with EditMode(level, HALL, (FLOOR, PLAIN)) as mode:
        bpy.context.view_layer.update()
        for steps, shown in ((1, [1]), (2, [3]), (-3, [0])):  # up, and down again, as Escape does
            bpy.ops.transform.translate(value=(0, 0, steps / 2))
            bpy.context.view_layer.update()
            assert bpy.app.timers.is_registered(handlers._draw_shaped)
            handlers._draw_shaped()  # called by a timer, which needs a window
            assert floor_heights(hall) == shown
            assert [face.material_index for face in mesh.polygons].count(len(mesh.materials) - 1) == 1
        # Faces of another room are updated later.
        mode.select((FLOOR, (9, 4)))
        bpy.ops.transform.translate(value=(0, 0, 1))
        handlers._draw_shaped()
        assert len(beside.data.polygons) == seen
    after_events()
    assert len(beside.data.polygons) > seen


def test_a_room_that_is_in_edit_mode_too_is_drawn_afterwards(hall: Object) -> None:
    import bmesh  # importable only after bpy

    mode = EditMode(level_of(hall), HALL, (FLOOR, PLAIN))
    hall.select_set(True)
    with mode:
        mesh: Any = hall.data
        assert mesh.is_editmode
        edited = bmesh.from_edit_mesh(mesh)
        edited.faces.ensure_lookup_table()
        kept = edited.faces[0]
        bpy.context.view_layer.update()
        bpy.ops.transform.translate(value=(0, 0, 1))
        handlers._draw_shaped()
        assert kept.is_valid  # a drag still refers to them
    after_events()
    assert floor_heights(hall) == [2]


def test_the_drawn_mesh_follows_tools_and_undo_immediately(hall: Object) -> None:
    bpy.ops.ed.undo_push(message="drawn")
    count = len(hall.data.polygons)
    name = hall.name
    with EditMode(level_of(hall), HALL, (FLOOR, PLAIN), (CEILING, PLAIN)):
        bpy.ops.ed.undo_push(message="edit mode")
        bpy.ops.tomb_raider.raise_sectors("EXEC_DEFAULT", True, clicks=2)
        assert floor_heights(hall) == [2]
        # Four sides of the block, and four of the shaft in the ceiling.
        assert len(hall.data.polygons) >= count + 8
        bpy.ops.tomb_raider.make_walls("EXEC_DEFAULT", True)
        assert floor_heights(hall) == []
        bpy.ops.ed.undo()
        assert floor_heights(bpy.data.objects[name]) == [2]
        bpy.ops.ed.undo()
        assert floor_heights(bpy.data.objects[name]) == [0]
        assert len(bpy.data.objects[name].data.polygons) == count


def test_the_active_face_gives_a_role_its_piece(hall: Object) -> None:
    mesh: Any = hall.data
    drawing = next(child for child in hall.children if child.tomb_raider.kind == "COLLISION")
    settings = drawing.tomb_raider.collision.drawing
    mine = bpy.data.materials.new("Mine")
    mesh.materials.append(mine)
    face = next(each for each in mesh.polygons if len(each.vertices) == 4 and each.normal.z > 0.9)
    mesh.polygons.active = face.index
    face.material_index = len(mesh.materials) - 1
    assert bpy.ops.tomb_raider.take_drawn_piece(role="STEP") == {"FINISHED"}
    assert settings.step.material == mine
    slots = {each.material_index for each in mesh.polygons if abs(each.normal.z) < 0.1}
    assert len(mesh.materials) - 1 in slots
    # Only quads have texture regions.
    triangle = next(each for each in mesh.polygons if len(each.vertices) == 3)
    mesh.polygons.active = triangle.index
    with pytest.raises(RuntimeError, match="four corners"):
        bpy.ops.tomb_raider.take_drawn_piece(role="WALL")


def test_the_panel_shows_tools_for_the_active_room(hall: Object) -> None:
    bpy.context.view_layer.objects.active = hall
    hall.select_set(True)
    shown = draw(VIEW3D_PT_tomb_raider_drawing, object=hall)
    assert shown is not None
    names = [name for name, _ in shown.operators]
    assert names == ["tomb_raider.room_from_sectors", *["tomb_raider.take_drawn_piece"] * 4]
    assert {"mesh_and_sectors", "tomb_raider_gaps"} <= {name for _, name in shown.shown}
    bpy.context.view_layer.objects.active = None
    assert not VIEW3D_PT_tomb_raider_drawing.poll(bpy.context)
    with pytest.raises(RuntimeError, match="Make a room with collision active"):
        bpy.ops.tomb_raider.room_from_sectors()
