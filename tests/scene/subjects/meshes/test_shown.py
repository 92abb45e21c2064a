"""Exports of evaluated meshes: modifiers and shape keys."""

from __future__ import annotations

from collections import Counter
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Matrix

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.scene.subjects.meshes.shown import apply_shape
from tests.compare import differences
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...scenes import UNIT, copy_of, export_scene, import_scene, meshes_of, objects, room_object

_RAISED = 256
_KINDS = ("ROOM", "MODEL_MESH", "STATIC_MESH", "COLLISION", "PORTAL", "SPRITE_TEXTURE")


def raise_by(obj: Any, units: int) -> Any:
    """Add a modifier that moves all vertices of an object up, and return it."""
    modifier = obj.modifiers.new("Raise", "DISPLACE")
    modifier.direction, modifier.mid_level, modifier.strength = "Z", 0.0, units * UNIT
    return modifier


def alone(root: Collection, kind: str) -> list[Any]:
    """Return the objects of a kind whose meshes no other exported object shows."""
    shared = Counter(obj.data for kind in _KINDS for obj in objects(root, kind))
    return [obj for obj in objects(root, kind) if shared[obj.data] == 1]


def raised(level: Level, kind: str, mesh: int) -> Any:
    """Return the heights of the first object of a kind as a game reads them, y down."""
    match kind:
        case "ROOM":
            return level.rooms[0].vertices["y"].astype(float)
        case "COLLISION":
            sectors = level.rooms[0].sectors
            return sectors["floor"][sectors["floor"] != -127].astype(float) * 256
        case "PORTAL":
            return level.rooms[0].portals["vertices"][0, :, 1].astype(float)
        case "SPRITE_TEXTURE":
            return level.sprite_textures["top"][:1].astype(float)
    return meshes_of(level)[mesh].vertices[:, 1].astype(float)


@pytest.mark.parametrize("kind", _KINDS)
def test_a_modifier_is_written_as_it_is_shown(blender: ModuleType, kind: str) -> None:
    """In rooms and libraries, which Blender does not evaluate, because they are excluded or disabled."""
    data = sample_bytes(Game.TR3 if kind == "SPRITE_TEXTURE" else Game.TR1)
    root = import_scene(data)
    obj = alone(root, kind)[0]
    obj.hide_viewport = True
    raise_by(obj, _RAISED)
    mesh = obj.data.tomb_raider.index if kind in ("MODEL_MESH", "STATIC_MESH") else -1
    before, after = raised(read_level(data), kind, mesh), raised(export_scene(root), kind, mesh)
    assert kind == "ROOM" or len(after) == len(before)  # sprites keep their vertices
    assert (after[: len(before)] - before).tolist() == [-_RAISED] * len(before)


@each_game
def test_a_room_of_any_game_is_written_with_its_modifiers(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    raise_by(room_object(root, 1), _RAISED)
    changed = {path[:4] for path in differences(read_level(data), export_scene(root))}
    assert ("rooms", 1, "vertices", 0) in changed
    assert {path[:2] for path in changed} == {("rooms", 1)}


def test_an_export_leaves_nothing_behind(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    for kind in _KINDS[:4]:
        raise_by(objects(root, kind)[0], _RAISED)
    lists = ("scenes", "objects", "meshes", "materials", "images", "node_groups", "collections")
    before = {name: {each.name for each in getattr(bpy.data, name)} for name in lists}
    places = [tuple(obj.matrix_world.translation) for obj in root.all_objects]
    export_level(root)
    assert {name: {each.name for each in getattr(bpy.data, name)} for name in lists} == before
    assert [tuple(obj.matrix_world.translation) for obj in root.all_objects] == places


def test_modifiers_that_are_not_applied_are_reported(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR2)
    root = import_scene(data)
    room, part = room_object(root, 0), objects(root, "MODEL_MESH")[0]
    raise_by(room, _RAISED)
    raise_by(room, _RAISED).name = "Again"
    part.shape_key_add(name="Basis")
    part.shape_key_add(name="Key").value = 1
    level, report = export_level(root, apply_modifiers=False)
    assert level.to_bytes() == data
    told = "\n".join(report.warnings)
    assert f"{room.name}: 2 modifiers are not exported: Raise, Again" in told
    assert f"{part.name}: its shape keys are not exported" in told


def test_a_modifier_that_the_viewport_does_not_show_does_not_count(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    raise_by(room_object(root, 0), _RAISED).show_viewport = False
    level, report = export_level(root)
    assert level.to_bytes() == data and report.warnings == []


def test_a_modifier_that_the_viewport_does_not_show_stays_when_the_shape_is_applied(
    blender: ModuleType,
) -> None:
    room = room_object(import_scene(sample_bytes(Game.TR1)), 0)
    raise_by(room, _RAISED)
    room.modifiers.new("Hidden", "BEVEL").show_viewport = False
    with apply_shape(room) as apply:
        apply(Matrix())
    assert [each.name for each in room.modifiers] == ["Hidden"]


@pytest.mark.parametrize("value", [0.0, 0.5])
def test_shape_keys_are_applied(blender: ModuleType, value: float) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    obj = objects(root, "STATIC_MESH")[0]
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Up")
    key.value = value
    key.data[0].co.z += 100 * UNIT
    level = export_scene(root)
    number = obj.data.tomb_raider.index
    moved = meshes_of(level)[number].vertices.astype(int) - meshes_of(read_level(data))[number].vertices
    assert moved[0].tolist() == [0, -100 * value, 0]
    assert not moved[1:].any()
    assert (level.to_bytes() == data) == (value == 0)


def test_objects_that_share_a_mesh_may_show_it_differently(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    first, second = objects(root, "STATIC_MESH")[:2]
    second.data = first.data
    raise_by(second, _RAISED)
    level = export_scene(root)
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    one, other = (block.meshes[block.pointers[int(each)]] for each in level.static_meshes["mesh"][:2])
    assert np.array_equal(one.vertices, meshes_of(read_level(data))[first.data.tomb_raider.index].vertices)
    assert (other.vertices.astype(int) - one.vertices == [0, -_RAISED, 0]).all()


def test_objects_that_show_the_same_share_one_mesh_of_the_file(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    first, second = objects(root, "STATIC_MESH")[:2]
    second.data = first.data
    for obj in (first, second):
        raise_by(obj, _RAISED)
    level = export_scene(root)
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    one, other = (int(block.pointers[int(each)]) for each in level.static_meshes["mesh"][:2])
    assert one == other == first.data.tomb_raider.index
    assert len(block.meshes) <= len(meshes_of(read_level(data)))


def test_a_mirrored_half_has_mirrored_normals(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    obj = next(
        each
        for each in alone(root, "MODEL_MESH")
        if meshes_of(read_level(data))[each.data.tomb_raider.index].normals is not None
    )
    number, count = obj.data.tomb_raider.index, len(obj.data.vertices)
    modifier = obj.modifiers.new("Mirror", "MIRROR")
    modifier.use_mirror_merge = False
    before, after = meshes_of(read_level(data))[number], meshes_of(export_scene(root))[number]
    assert before.normals is not None and after.normals is not None
    assert np.array_equal(after.normals[:count], before.normals)
    mirrored = after.normals[count:].astype(float)
    faces = after.quads["vertices"][after.quads["vertices"].min(axis=1) >= count]
    points = after.vertices.astype(float)
    # Faces in files are clockwise from their visible side, in axes with y down.
    outward = np.cross(points[faces[:, 2]] - points[faces[:, 0]], points[faces[:, 1]] - points[faces[:, 3]])
    for corners, normal in zip(faces, outward, strict=True):
        assert (mirrored[corners - count] @ normal > 0).all()
    lengths = np.linalg.norm(before.normals.astype(float), axis=1)
    assert np.abs(np.linalg.norm(mirrored, axis=1) - lengths).max() < 3


def test_parts_of_models_do_not_bend_with_an_armature_modifier(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    part = alone(root, "MODEL_MESH")[0]
    part.modifiers.new("Armature", "ARMATURE").object = part.parent
    raise_by(part, _RAISED)
    _, report = export_level(root)
    number = part.data.tomb_raider.index
    after, before = (meshes_of(each)[number].vertices for each in (export_scene(root), read_level(data)))
    assert (after.astype(int) - before == [0, -_RAISED, 0]).all()
    assert [text for text in report.warnings if "its modifier Armature is not exported" in text]


def test_modifiers_of_placements_are_reported(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    placed = objects(root, "PLACEMENT")[0]
    raise_by(placed, _RAISED)
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert f"{placed.name}: 1 modifiers are not exported: Raise" in "\n".join(report.warnings)


def test_modifiers_of_a_library_mesh_are_applied_with_a_warning(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    library = objects(root, "PLACEMENT")[0].tomb_raider.placement.static_mesh
    raise_by(library, _RAISED)
    _, report = export_level(root)
    assert f"{library.name}: it is exported with its modifiers" in "\n".join(report.warnings)


def test_faces_that_blender_cannot_hold_survive_modifiers(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    before = meshes_of(read_level(data))
    root = import_scene(data)
    parts = (*objects(root, "MODEL_MESH"), *objects(root, "STATIC_MESH"))
    mesh = next(obj.data for obj in parts if "tr_parked_faces" in obj.data)
    number, faces = mesh.tomb_raider.index, len(mesh.polygons)
    for obj in parts:
        if obj.data == mesh:
            raise_by(obj, _RAISED)
    after = meshes_of(export_scene(root))[number]
    assert np.array_equal(after.quads, before[number].quads)
    assert len(after.quads) + len(after.triangles) > faces
    assert (after.vertices.astype(int) - before[number].vertices == [0, -_RAISED, 0]).all()


def instances(obj: Any) -> None:
    """Make an object show its points as instances, by geometry nodes."""
    tree: Any = bpy.data.node_groups.new("Instances", "GeometryNodeTree")
    for side in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=side, socket_type="NodeSocketGeometry")
    start, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    cube, on = tree.nodes.new("GeometryNodeMeshCube"), tree.nodes.new("GeometryNodeInstanceOnPoints")
    join = tree.nodes.new("GeometryNodeJoinGeometry")
    tree.links.new(start.outputs[0], on.inputs["Points"])
    tree.links.new(cube.outputs[0], on.inputs["Instance"])
    tree.links.new(on.outputs[0], join.inputs[0])
    tree.links.new(start.outputs[0], join.inputs[0])
    tree.links.new(join.outputs[0], end.inputs[0])
    obj.modifiers.new("Nodes", "NODES").node_group = tree


def test_instances_that_are_not_realized_are_reported(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    room = room_object(root, 0)
    instances(room)
    level, report = export_level(root)
    assert level.to_bytes() == data
    expected = (
        f"{room.name}: {len(room.data.vertices)} instances that it shows are not exported: realize them"
    )
    assert expected in report.warnings


def test_a_room_of_the_users_own_has_its_modifiers(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    room = room_object(root, 0)
    made = copy_of(room)
    made.data = room.data.copy()
    made.tomb_raider.index = -1
    made.modifiers.new("Array", "ARRAY").count = 2
    level = export_scene(root)
    assert len(level.rooms[-1].vertices) == 2 * len(level.rooms[0].vertices)
