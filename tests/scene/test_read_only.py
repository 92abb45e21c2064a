"""Exports do not change the file: no data-block is made, removed or changed."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.scene.authoring.mesh_from_sectors.room import draw_room
from io_tomb_raider.scene.core.blender.handler_suspension import handlers_suspended
from io_tomb_raider.scene.core.membership import collision_of
from io_tomb_raider.scene.pipeline.exporter import export_level
from io_tomb_raider.scene.transfer.adoption.reconciling import reconcile
from tests.data_blocks import changed, data_blocks
from tests.games import each_game
from tests.sample_levels import sample_bytes

from .page_levels import textured, user_image
from .scenes import collection_of, copy_of, import_anew, objects, room_object
from .subjects.textures.face_pictures import show
from .transfer.adoption.dragging import drag

OTHER = {Game.TR1: Game.TR4, Game.TR2: Game.TR1, Game.TR3: Game.TR5, Game.TR4: Game.TR1, Game.TR5: Game.TR2}


def _copy(root: Collection) -> None:
    for kind in ("ENTITY", "LIGHT", "PLACEMENT", "STATIC_MESH", "ROOM"):
        for obj in objects(root, kind)[:1]:
            copy_of(obj)


def _add(root: Collection) -> None:
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    speaker = bpy.data.objects.new("Speaker", bpy.data.speakers.new("Speaker"))
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    speaker.data.sound = next(iter(bpy.data.sounds), None)
    for obj, kind in ((lamp, "ROOM"), (speaker, "ROOM"), (camera, "CAMERAS")):
        collection_of(root, kind).objects.link(obj)
    model: Any = objects(root, "ENTITY")[0].instance_collection
    instance = bpy.data.objects.new("Instance", None)
    instance.instance_type, instance.instance_collection = "COLLECTION", model
    root.objects.link(instance)


def _drag_from_another_level(root: Collection, other: Collection, *kinds: str) -> None:
    for kind in kinds:
        home = collection_of(root, "STATIC_MESHES" if kind == "STATIC_MESH" else "ROOM")
        for obj in objects(other, kind)[:1]:
            drag(obj, home)


def _drag_a_model(root: Collection, other: Collection) -> None:
    model: Any = objects(other, "MODEL")[-1].users_collection[0]
    collection_of(other, "MODELS").children.unlink(model)
    collection_of(root, "MODELS").children.link(model)


def _change_sectors(root: Collection) -> None:
    room = room_object(root, 0)
    draw_room(root, room)
    mesh: Any = collision_of(room).data
    for vertex in mesh.vertices:
        if vertex.co.z < 0.01:
            vertex.co.z -= 0.5


def _animate(root: Collection) -> None:
    rig: Any = next(each for each in objects(root, "MODEL") if each.animation_data)
    action = rig.animation_data.action.copy()
    action.tomb_raider.index = -1
    rig.animation_data.action = action
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = (1, 2, 3)
    rig.pose.bones[0].constraints.new("TRACK_TO").target = target
    entity = objects(root, "ENTITY")[1]
    entity.constraints.new("COPY_LOCATION").target = target
    layer = bpy.context.view_layer.layer_collection.children[root.name]
    next(each for each in layer.children if each.collection == collection_of(root, "ENTITIES")).exclude = True


def _shape(root: Collection) -> None:
    room: Any = room_object(root, 1)
    room.modifiers.new("Mine", "SUBSURF").subdivision_type = "SIMPLE"
    static: Any = objects(root, "STATIC_MESH")[-1]
    for name in ("Basis", "Wide"):
        static.shape_key_add(name=name)
    static.data.shape_keys.key_blocks[1].data[0].co.x += 0.1
    static.data.shape_keys.key_blocks[1].value = 1


def _paint(root: Collection) -> None:
    texels = np.full((40, 100, 4), 255, np.uint8)
    mesh: Any = objects(root, "MODEL_MESH")[0].data
    face = next(each.index for each in mesh.polygons if len(each.vertices) == 4)
    show(
        mesh,
        face,
        textured(user_image(texels, "Bricks")),
        np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * (5, 1),
    )
    objects(root, "ROOM")[0].data.vertices[0].co.x += 0.25


EDITS: list[Callable[[Collection], None]] = [_copy, _add, _change_sectors, _animate, _shape, _paint]


def _export(root: Collection) -> None:
    for rebuild in (False, True):
        export_level(root, rebuild=rebuild)


def _export_reconciled(root: Collection) -> None:
    assert not reconcile(root).is_changed
    _export(root)


def _assert_read_only(root: Collection, work: Callable[[Collection], None]) -> None:
    bpy.context.view_layer.update()
    before = data_blocks()
    work(root)
    assert changed(before, data_blocks()) == []


@each_game
def test_an_export_changes_nothing_in_the_file(blender: ModuleType, game: Game) -> None:
    root, other = import_anew(sample_bytes(game)), import_anew(sample_bytes(OTHER[game]))
    assert not reconcile(root).is_changed
    with handlers_suspended():
        for edit in EDITS:
            edit(root)
        _drag_from_another_level(root, other, "PLACEMENT", "SPRITE", "STATIC_MESH")
        _drag_a_model(root, other)
        _assert_read_only(root, _export)
        # Before they are claimed, an export refuses these.
        _drag_from_another_level(root, other, "ENTITY", "LIGHT")
        with pytest.raises(ExportError):
            export_level(root)
        assert reconcile(root).is_changed
        _assert_read_only(root, _export_reconciled)
