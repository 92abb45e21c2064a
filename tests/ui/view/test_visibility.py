"""Tests of visibility toggles: they show the state, change only their part, and no byte of the export."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.ui import level_panels as panels
from io_tomb_raider.ui.base.selecting import select_only
from io_tomb_raider.ui.rooms.numbers import labels_of
from io_tomb_raider.ui.view.visibility import PARTS, objects_in
from tests.scene.scenes import objects

from ..recorder import Layout, draw
from ..user_actions import after_events, export_file, import_file, import_sample, in_view, sample_file, select

KIND_OF = {"ROOMS": "ROOM", "PLACEMENTS": "PLACEMENT", "ROOM_SPRITES": "SPRITE", "LIGHTS": "LIGHT"}
KIND_OF |= {"ENTITIES": "ENTITY", "TRIGGERS": "TRIGGER", "CAMERAS": "CAMERA", "SOUNDS": "SOUND_SOURCE"}
KIND_OF |= {"COLLISION": "COLLISION", "PORTALS": "PORTAL", "PATHFINDING": "BOXES", "MODELS": "MODEL_MESH"}
KIND_OF |= {
    "STATIC_MESHES": "STATIC_MESH",
    "SPRITES": "SPRITE_TEXTURE",
    "SKY": "SKY",
    "LIGHT_RANGES": "RANGE",
}


def visibility_kind(obj: Any) -> str:
    """Return the kind of an object; of lights, those that do not shine have ranges."""
    kind = obj.tomb_raider.kind
    return "RANGE" if kind == "LIGHT" and obj.data is None else kind


def visible_kinds(root: Any) -> set[str]:
    """Return the kinds of which something can be seen."""
    bpy.context.view_layer.update()
    return {visibility_kind(obj) for obj in root.all_objects if obj.visible_get()}


def shown_of(panel: Any) -> Layout:
    """Return what a panel draws."""
    layout = draw(panel)
    assert layout is not None
    return layout


def eyes(root: Any) -> dict[str, bool]:
    """Return the toggles in the sidebar: whether each part is shown."""
    layout = shown_of(panels.VIEW3D_PT_tomb_raider_visibility)
    found = [(each, on) for (_, each), on in zip(layout.operators, layout.pressed, strict=True)]
    return {each.kind: on for each, on in found if hasattr(each, "kind")}


def test_each_part_is_shown_and_hidden_alone(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path, "tr4")
    root = import_file(path)
    assert set(eyes(root)) == {each[0] for each in PARTS}
    for part, kind in KIND_OF.items():
        before, said = visible_kinds(root), eyes(root)
        assert said[part] == (kind in before), part
        assert bpy.ops.tomb_raider.toggle_library(collection=root.name, kind=part) == {"FINISHED"}
        assert eyes(root) == said | {part: not said[part]}
        # AI objects, sinks and flybys go with those that share their collection.
        assert (kind in visible_kinds(root)) != said[part]
        assert {k for k in KIND_OF.values() if k != kind} & (visible_kinds(root) ^ before) == set()
    assert export_file(tmp_path / "out") == path.read_bytes()


def test_boxes_ranges_and_sky_are_hidden_by_default(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr4")
    assert {"ROOM", "ENTITY", "PLACEMENT"} <= visible_kinds(root)
    assert not {"LIGHT", "CAMERA", "TRIGGER", "RANGE", "SKY", "COLLISION"} & visible_kinds(root)
    trigger = objects(root, "TRIGGER")[0]
    select_only(bpy.context, [trigger])
    assert trigger.visible_get() and bpy.context.selected_objects == [trigger]
    assert eyes(root)["TRIGGERS"] and not eyes(root)["LIGHT_RANGES"]


def test_hiding_and_showing_rooms_keeps_flipped_rooms(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    rooms = objects(root, "ROOM")
    before = {room.name for room in rooms if room.visible_get()}
    bpy.ops.tomb_raider.flip_level()
    flipped = {room.name for room in rooms if room.visible_get()}
    assert before != flipped
    for _ in range(2):
        bpy.ops.tomb_raider.toggle_library(kind="ROOMS")
    assert {room.name for room in rooms if room.visible_get()} == flipped
    bpy.ops.tomb_raider.flip_level()
    assert {room.name for room in rooms if room.visible_get()} == before


def test_hiding_ceilings_toggles_backface_culling(blender: ModuleType, tmp_path: Path) -> None:
    import_sample(tmp_path, "tr1")
    views = [area.spaces.active for area in bpy.context.screen.areas if area.type == "VIEW_3D"]
    assert views and all(view.shading.show_backface_culling for view in views)
    for culls in (False, True):
        bpy.ops.tomb_raider.toggle_ceilings()
        assert {view.shading.show_backface_culling for view in views} == {culls}


@pytest.mark.parametrize("perspective", ["PERSP", "ORTHO"])
def test_hidden_back_faces_cannot_be_clicked(blender: ModuleType, tmp_path: Path, perspective: str) -> None:
    root = import_sample(tmp_path, "tr3")
    room: Any = objects(root, "ROOM")[0]
    select(room)
    bpy.ops.object.mode_set(mode="EDIT")
    with in_view() as view:
        view.region_3d.view_perspective = perspective
        view.region_3d.view_rotation = (1.0, 0.0, 0.0, 0.0)  # from above
        view.region_3d.view_location, view.region_3d.view_distance = room.location, 200.0
        assert bpy.ops.tomb_raider.hide_backs() == {"FINISHED"}
    import bmesh  # importable only after bpy

    edited = bmesh.from_edit_mesh(room.data)
    upward = {face.normal.z > 0.5: face.hide for face in edited.faces if abs(face.normal.z) > 0.5}
    assert upward == {True: False, False: True}
    assert {face.hide for face in edited.faces if abs(face.normal.z) > 0.5 and face.normal.z < 0} == {True}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert export_file(tmp_path / "out") == (tmp_path / "JUNGLE.TR2").read_bytes()


def test_a_room_is_isolated_with_its_contents(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr4")
    room, other = objects(root, "ROOM")[:2]
    inside = set(objects_in({room}))
    assert room in inside and other not in inside
    kinds = {obj.tomb_raider.kind for obj in inside}
    assert {"LIGHT", "PORTAL", "COLLISION", "TRIGGER", "ENTITY"} <= kinds
    assert not inside & set(objects_in({other}))
    window = bpy.context.window_manager.windows[0]
    area: Any = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(each for each in area.regions if each.type == "WINDOW")
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.object.select_all(action="DESELECT")
        assert not bpy.ops.tomb_raider.isolate_room.poll()
        room.select_set(True)
        assert bpy.ops.tomb_raider.isolate_room() == {"FINISHED"}
        local = set(bpy.context.visible_objects)
        assert room in local and local <= inside and other not in local
        assert bpy.context.selected_objects == [room]
        assert bpy.ops.tomb_raider.isolate_room() == {"FINISHED"}
        assert area.spaces.active.local_view is None
    assert not bpy.ops.tomb_raider.isolate_room.poll()


def test_numbers_are_those_of_the_file(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr2")
    room: Any = objects(root, "ROOM")[2]
    copy = room.copy()
    room.users_collection[0].objects.link(copy)
    after_events()
    entity = objects(root, "ENTITY")[1]
    found = labels_of([room, copy, entity, objects(root, "LIGHT")[0]], ["ROOM", "ENTITY"])
    assert [(kind, text) for kind, text, _ in found] == [("ROOM", "2"), ("ROOM", "new"), ("ENTITY", "1")]
    corners = [room.matrix_world @ vertex.co for vertex in room.data.vertices]
    for axis in range(3):
        assert min(c[axis] for c in corners) <= found[0][2][axis] <= max(c[axis] for c in corners)
    assert found[2][2] == entity.matrix_world.translation
    assert labels_of([room, entity], []) == []


def test_the_level_panel_has_import_and_export(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    root.name = "CAVE"
    layout = draw(panels.VIEW3D_PT_tomb_raider_level)
    assert layout is not None
    names = [name for name, _ in layout.operators]
    assert names[:2] == ["import_scene.tomb_raider", "export_scene.tomb_raider"]
    assert "tomb_raider.play_level" in names and "CAVE (TR1)" in layout.labels
    assert not any(text for text, _ in layout.lines[-1])  # icons
    root.tomb_raider.engine = "TRX"
    layout = draw(panels.VIEW3D_PT_tomb_raider_level)
    assert layout is not None and any(label.endswith(" (TR1, TRX)") for label in layout.labels)


def test_a_button_in_the_header_shows_the_eyes_where_there_is_a_level(
    blender: ModuleType, tmp_path: Path
) -> None:
    header: Any = SimpleNamespace(layout=Layout())
    panels.draw_visibility(header, bpy.context)
    assert header.layout.popovers == []
    root = import_sample(tmp_path, "tr1")
    select(objects(root, "ROOM")[0])
    for mode in ("OBJECT", "EDIT"):
        bpy.ops.object.mode_set(mode=mode)
        header.layout = Layout()
        panels.draw_visibility(header, bpy.context)
        assert header.layout.popovers == ["VIEW3D_PT_tomb_raider_visibility"]
    # Blender shows panels of a header in popovers only.
    assert panels.VIEW3D_PT_tomb_raider_visibility.bl_region_type == "HEADER"


def test_edits_of_trx_and_the_game_flow_are_behind_buttons(blender: ModuleType, tmp_path: Path) -> None:
    settings = import_sample(tmp_path, "tr1").tomb_raider
    popovers = []
    for engine, count in (("ORIGINAL", 0), ("ORIGINAL", 1), ("TRX", 2)):
        settings.engine = engine
        while len(settings.edits) < count:
            settings.edits.add()
        layout = draw(panels.VIEW3D_PT_tomb_raider_level)
        assert layout is not None
        popovers.append((*layout.popovers, *(text for text in layout.texts if "Edit" in text)))
    eyes, edits = "VIEW3D_PT_tomb_raider_visibility", "VIEW3D_PT_tomb_raider_edits"
    assert popovers == [
        (eyes,),
        (eyes, edits, "One Edit"),
        (eyes, edits, "VIEW3D_PT_tomb_raider_gameflow", "2 Edits"),
    ]


def test_kinds_without_objects_have_no_eye(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1", lights=False, collision=False)
    assert not {"LIGHTS", "COLLISION"} & set(eyes(root))
    with pytest.raises(RuntimeError, match="has none of these in this view layer"):
        bpy.ops.tomb_raider.toggle_library(collection=root.name, kind="LIGHTS")


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_the_panel_has_a_hint_if_clouds_are_hidden(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    hint = "Open the eye of Sky to see the clouds"
    assert hint not in shown_of(panels.VIEW3D_PT_tomb_raider_overlays).labels
    root.tomb_raider.level.sky_layer2.shown = True
    assert hint in shown_of(panels.VIEW3D_PT_tomb_raider_overlays).labels
    assert bpy.ops.tomb_raider.toggle_library(collection=root.name, kind="SKY") == {"FINISHED"}
    assert hint not in shown_of(panels.VIEW3D_PT_tomb_raider_overlays).labels


@pytest.mark.parametrize("mode", ["EDIT", "VERTEX_PAINT", "TEXTURE_PAINT", "SCULPT"])
def test_the_level_panel_has_the_export_in_edit_and_paint_modes(
    blender: ModuleType, tmp_path: Path, mode: Any
) -> None:
    root = import_sample(tmp_path, "tr1")
    select(objects(root, "ROOM")[0])
    bpy.ops.object.mode_set(mode=mode)
    shown = {name for name, _ in shown_of(panels.VIEW3D_PT_tomb_raider_level).operators}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert {"export_scene.tomb_raider", "tomb_raider.play_level"} < shown
