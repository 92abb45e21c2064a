"""Tests of editing collision: what is hidden stays hidden, and what covers it is."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bmesh
import bpy
import numpy as np
from bpy.types import Collection
from mathutils import Vector

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.core.membership import collision_of
from io_tomb_raider.ui.collision import panels
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.scene.scenes import objects

from ..recorder import shown
from ..user_actions import export_file, import_file, import_sample, in_view, select


def faces_of(obj: Any) -> Any:
    """Return the faces of a mesh in edit mode."""
    return bmesh.from_edit_mesh(obj.data).faces


def keys_of(obj: Any, *, hidden: bool) -> set[tuple[int, ...]]:
    """Return part, sector and side of the hidden or visible faces of a mesh in edit mode."""
    edited = bmesh.from_edit_mesh(obj.data)
    layers = [edited.faces.layers.int[name] for name in ("tr_part", "tr_sector", "tr_side")]
    return {tuple(face[layer] for layer in layers) for face in edited.faces if face.hide == hidden}


def visible_collision() -> set[str]:
    """Return the names of the collision meshes that can be seen."""
    bpy.context.view_layer.update()
    return {obj.name for obj in bpy.context.visible_objects if obj.tomb_raider.kind == "COLLISION"}


@each_game
def test_hidden_back_faces_stay_hidden_when_sectors_are_raised(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    room = objects(import_sample(tmp_path, game), "ROOM")[0]
    bpy.ops.tomb_raider.overview()
    select(room)
    assert bpy.ops.tomb_raider.isolate_collision() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="EDIT")
    with in_view():
        assert bpy.ops.tomb_raider.hide_backs() == {"FINISHED"}
    obj: Any = bpy.context.edit_object
    assert obj == collision_of(room)
    hidden, seen = keys_of(obj, hidden=True), keys_of(obj, hidden=False)
    assert len(hidden - seen) > 3 and len(seen) > 3
    for face in faces_of(obj):
        face.select_set(not face.hide)
    for steps in (2, -1):
        assert bpy.ops.tomb_raider.raise_sectors(clicks=steps) == {"FINISHED"}
        # Parts of which something can be seen are seen whole; new walls appear.
        assert (hidden - seen) & keys_of(obj, hidden=False) == set()
        assert not any(face.hide and face.select for face in faces_of(obj))
    bpy.ops.object.mode_set(mode="OBJECT")


@each_game
def test_clicks_pick_visible_faces(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    """Blender picks the nearest face that is not hidden, even if backface culling does not draw it."""
    room = objects(import_sample(tmp_path, game), "ROOM")[0]
    for is_below, part in ((False, 1), (True, 2)):
        select(room)
        with in_view() as view:
            view.region_3d.view_perspective = "PERSP"
            view.region_3d.view_rotation = (0.0, 1.0, 0.0, 0.0) if is_below else (1.0, 0.0, 0.0, 0.0)
            view.region_3d.view_location = room.matrix_world @ Vector(room.bound_box[0])
            view.region_3d.view_distance = 300.0
            assert bpy.ops.tomb_raider.isolate_collision() == {"FINISHED"}
        bpy.ops.object.mode_set(mode="EDIT")
        obj: Any = bpy.context.edit_object
        edited = bmesh.from_edit_mesh(obj.data)
        parts = edited.faces.layers.int["tr_part"]
        assert {face[parts] for face in edited.faces if not face.hide} & {1, 2} == {part}
        assert not any(face.hide for face in edited.faces if face[parts] == part)
        assert all(vert.hide == all(face.hide for face in vert.link_faces) for vert in edited.verts)
        assert all(edge.hide == all(face.hide for face in edge.link_faces) for edge in edited.edges)
        bpy.ops.object.mode_set(mode="OBJECT")


def assert_displays_cover_no_selection(root: Collection) -> None:
    """Assert that Blender highlights selected faces, which it does on the cage, where they are drawn."""
    root.tomb_raider.level.sprites_face_camera = True
    if objects(root, "COLLISION"):
        bpy.ops.tomb_raider.show_rounding()
    displays = [each for obj in bpy.data.objects for each in obj.modifiers if each.type == "NODES"]
    assert all(each.show_on_cage or not each.show_in_editmode for each in displays)
    assert "Offset" in {each.name for each in displays} or not objects(root, "COLLISION")


@each_game
def test_displays_cover_no_selection(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    assert_displays_cover_no_selection(import_sample(tmp_path, game))


@each_real_level
def test_displays_cover_no_selection_in_real_levels(blender: ModuleType, level_path: Path) -> None:
    assert_displays_cover_no_selection(import_file(level_path))


def test_rooms_are_edited_without_the_collision_of_others(level: Collection, tmp_path: Path) -> None:
    first, second, third = objects(level, "ROOM")[:3]
    untouched = export_file(tmp_path / "before")
    select(first)
    second.select_set(True)
    own = {collision_of(first).name, collision_of(second).name}
    assert bpy.ops.tomb_raider.isolate_collision() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="EDIT")
    assert {obj.name for obj in bpy.context.objects_in_mode} == own == visible_collision()
    bpy.ops.object.mode_set(mode="OBJECT")
    for shows in (False, True):  # the eye shows all of them again
        bpy.ops.tomb_raider.toggle_library(kind="COLLISION")
        assert (collision_of(third).name in visible_collision()) == shows
    assert export_file(tmp_path / "after") == untouched


def test_isolated_rooms_show_their_own_collision_alone(level: Collection) -> None:
    room, other = objects(level, "ROOM")[:2]
    own = collision_of(room)
    assert own is not None
    with in_view() as view:
        bpy.ops.object.select_all(action="DESELECT")
        room.select_set(True)
        bpy.context.view_layer.objects.active = room
        assert bpy.ops.tomb_raider.isolate_room() == {"FINISHED"}
        before = {obj.name for obj in bpy.context.visible_objects}
        for kind in ("COLLISION", "PORTALS"):
            assert bpy.ops.tomb_raider.toggle_library(kind=kind) == {"FINISHED"}
        bpy.context.view_layer.update()
        after = set(bpy.context.visible_objects)
        assert before < {obj.name for obj in after} and other not in after
        assert {obj for obj in after if obj.tomb_raider.kind == "COLLISION"} == {own}
        assert {obj.parent for obj in after if obj.tomb_raider.kind == "PORTAL"} == {room}
        assert bpy.ops.tomb_raider.isolate_room() == {"FINISHED"}
        assert view.local_view is None


def test_only_closed_sectors_are_called_closed(level: Collection) -> None:
    """Exports compute the boxes of new rooms."""
    room = objects(level, "ROOM")[0]
    bpy.context.scene.cursor.location = np.array((500.0, 500.0, 0.0))
    assert bpy.ops.tomb_raider.add_room() == {"FINISHED"}
    made: Any = bpy.context.object
    for each, text in ((made, "Box: computed by the export"), (room, "No box: closed to creatures")):
        select(each)
        assert bpy.ops.tomb_raider.isolate_collision() == {"FINISHED"}
        bpy.ops.object.mode_set(mode="EDIT")
        obj: Any = bpy.context.edit_object
        edited = bmesh.from_edit_mesh(obj.data)
        part, box = (edited.faces.layers.int[name] for name in ("tr_part", "tr_box"))
        edited.faces.active = floor = next(face for face in edited.faces if face[part] == 1)
        floor[box] = 0
        layout = shown(panels.VIEW3D_PT_tomb_raider_collision, object=obj, edit_object=obj)
        bpy.ops.object.mode_set(mode="OBJECT")
        assert text in layout.labels


def test_footsteps_are_listed_in_the_order_of_the_file(blender: ModuleType) -> None:
    choices = bpy.ops.tomb_raider.set_sector_material.get_rna_type().properties["material"].enum_items
    assert [each.value for each in choices] == list(range(16))
