"""Attributes of vertices that Blender's tools create, mix, copy or drop, as exports write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any, cast

import bmesh
import bpy
import numpy as np
import pytest
from bpy.types import Collection, Object
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.base.bytes.colors import argb_to_bytes, light_to_gray, rgb555_to_bytes
from io_tomb_raider.formats.levels.rooms.effects import UNSET
from io_tomb_raider.scene.mesh.blender_mesh import read_values
from io_tomb_raider.scene.subjects.meshes.arrays import ATTRIBUTES, VERTEX, MeshArrays
from io_tomb_raider.scene.subjects.meshes.read import read_mesh
from io_tomb_raider.scene.subjects.meshes.shown import shown_by
from io_tomb_raider.scene.subjects.rooms.parts import join_to_room
from tests.games import each_game
from tests.sample_levels import sample_bytes

from ...scenes import edit_bmesh, exported, import_scene, meshes_of, room_object

_CAUSTICS, _WAVES = 0x4000, 0x2000


def cube_at(obj: Object, material: Any, size: float = 0.4) -> Object:
    """Return a new cube without color around a vertex of an object."""
    mesh: Any = obj.data
    made = bpy.data.objects.new("Cube", bpy.data.meshes.new("Cube"))
    edit_bmesh(made.data, lambda edited: bmesh.ops.create_cube(edited, size=size))
    made.data.uv_layers.new(name="UVMap")
    made.data.materials.append(material)
    made.location = obj.matrix_world @ mesh.vertices[0].co
    bpy.context.scene.collection.objects.link(made)
    bpy.context.view_layer.update()
    return made


def select(*chosen: Object) -> None:
    for obj in bpy.context.selected_objects:
        obj.select_set(False)
    for obj in chosen:
        obj.select_set(True)
    bpy.context.view_layer.objects.active = chosen[-1]


def join(obj: Object) -> None:
    """Join a new cube to an object, as Ctrl+J does."""
    mesh: Any = obj.data
    select(cube_at(obj, mesh.materials[0]), obj)
    bpy.ops.object.join()


def in_edit_mode(edit: Callable[[], object]) -> Callable[[Object], None]:
    def operate(obj: Object) -> None:
        select(obj)
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        edit()
        bpy.ops.object.mode_set(mode="OBJECT")

    return operate


def modified(kind: str, **settings: Any) -> Callable[[Object], None]:
    def operate(obj: Object) -> None:
        modifier: Any = obj.modifiers.new(kind, cast(Any, kind))
        for name, value in settings.items():
            setattr(modifier, name, value)

    return operate


def boolean(obj: Object) -> None:
    mesh: Any = obj.data
    modified("BOOLEAN", operation="UNION", solver="EXACT", object=cube_at(obj, mesh.materials[0]))(obj)


def transfer_colors(obj: Object) -> None:
    other: Any = obj.copy()
    bpy.context.scene.collection.objects.link(other)
    settings = {"use_vert_data": True, "data_types_verts": {"COLOR_VERTEX"}}
    modified("DATA_TRANSFER", object=other, **settings)(obj)


def geometry_node(name: str) -> Callable[[Object], None]:
    """Return an edit that adds a modifier with one geometry node."""

    def operate(obj: Object) -> None:
        tree: Any = bpy.data.node_groups.new(name, "GeometryNodeTree")
        for direction in ("INPUT", "OUTPUT"):
            tree.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
        made, start, end = (
            tree.nodes.new(each) for each in (f"GeometryNode{name}", "NodeGroupInput", "NodeGroupOutput")
        )
        if "Distance" in made.inputs:
            made.inputs["Distance"].default_value = 0.5
        tree.links.new(start.outputs[0], made.inputs[0])
        tree.links.new(made.outputs[0], end.inputs[0])
        modified("NODES", node_group=tree)(obj)

    return operate


def subdivide_thrice(obj: Object) -> None:
    for _ in range(3):
        in_edit_mode(lambda: bpy.ops.mesh.subdivide())(obj)


def bevel_a_face(obj: Object) -> None:
    mesh: Any = obj.data
    select(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    mesh.polygons[0].select = True
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.bevel(offset=0.02)
    bpy.ops.object.mode_set(mode="OBJECT")


def bisect(obj: Object) -> None:
    """Cut an object through its middle, as *Cut to Sectors* does along the grid."""
    points = np.array(obj.bound_box)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2 + 0.1

    def cut(edited: bmesh.types.BMesh) -> None:
        geometry = [*edited.verts, *edited.edges, *edited.faces]
        bmesh.ops.bisect_plane(edited, geom=geometry, plane_co=middle.tolist(), plane_no=(1, 0.2, 0.1))

    edit_bmesh(obj.data, cut)


_OPERATIONS: dict[str, Callable[[Object], None]] = {
    "subdivide": in_edit_mode(lambda: bpy.ops.mesh.subdivide()),
    "subdivide thrice": subdivide_thrice,
    "bisect": bisect,
    "poke": in_edit_mode(lambda: bpy.ops.mesh.poke()),
    "bevel": bevel_a_face,
    "extrude": in_edit_mode(lambda: bpy.ops.mesh.extrude_region_move()),
    "primitive": in_edit_mode(lambda: bpy.ops.mesh.primitive_cube_add(size=0.2)),
    "merge by distance": in_edit_mode(lambda: bpy.ops.mesh.remove_doubles(threshold=0.5)),
    "join": join,
    "boolean": boolean,
    "mirror modifier": modified("MIRROR"),
    "solidify modifier": modified("SOLIDIFY"),
    "subdivision modifier": modified("SUBSURF", levels=1, subdivision_type="SIMPLE"),
    "weld modifier": modified("WELD", merge_threshold=0.5),
    "data transfer": transfer_colors,
    "node subdivide": geometry_node("SubdivideMesh"),
    "node merge": geometry_node("MergeByDistance"),
    "node extrude": geometry_node("ExtrudeMesh"),
}


def paint(obj: Object) -> None:
    """Set different light for the vertices of a room."""
    mesh: Any = obj.data
    count = len(mesh.vertices)
    colors = np.ones((count, 4), np.float32)
    colors[:, :3] = np.linspace(0.1, 0.4, count)[:, None]
    mesh.color_attributes[0].data.foreach_set("color", colors.ravel())


def mark(obj: Object) -> None:
    """Set different effects and layers for the vertices of a room, and layers for its faces."""
    mesh: Any = obj.data
    count = len(mesh.vertices)
    marks = np.array([0, _CAUSTICS, _WAVES | 3, _CAUSTICS | _WAVES], np.int32)[np.arange(count) % 4]
    layers = (np.arange(count) % 4 // 3 * 2).astype(np.int32)
    for name, values in (("tr_attributes", marks), ("tr_layer", layers)):
        if name in mesh.attributes:
            mesh.attributes[name].data.foreach_set("value", values)
    if "tr_layer_face" in mesh.attributes:
        of_faces = (np.arange(len(mesh.polygons)) % 2 * 2).astype(np.int32)
        mesh.attributes["tr_layer_face"].data.foreach_set("value", of_faces)


def shown_arrays(obj: Object) -> MeshArrays:
    with shown_by([obj]) as shown:
        mesh: Any = shown.of(obj)
        return read_mesh(mesh)


@pytest.mark.parametrize("operation", _OPERATIONS)
@each_game
def test_numbers_with_a_meaning_are_those_of_one_vertex(
    blender: ModuleType, game: Game, operation: str
) -> None:
    root = import_scene(sample_bytes(game))
    room = room_object(root, 0)
    paint(room)
    mark(room)
    before = shown_arrays(room)
    _OPERATIONS[operation](room)
    after = shown_arrays(room)
    assert {each.name for each in ATTRIBUTES if each.domain == "POINT"} >= set(after.point)
    for name in {"tr_attributes", "tr_layer", "tr_color"} & set(before.point):
        unset = {0, UNSET} if name == "tr_attributes" else {0}
        assert set(after.point[name].tolist()) <= {*before.point[name].tolist(), *unset}, name
    for name, values in before.face.items():
        assert set(after.face[name].tolist()) <= {*values.tolist(), 0}, name
    assert before.colors[:, :3].min() <= after.colors[:, :3].min()
    assert after.colors[:, :3].max() <= before.colors[:, :3].max()
    if before.normals is not None and after.normals is not None:
        lengths = np.linalg.norm(before.normals, axis=1)
        assert np.linalg.norm(after.normals, axis=1) == pytest.approx(lengths.mean(), rel=0.01)


@pytest.mark.parametrize("operation", ["subdivide", "bisect", "poke", "primitive", "join", "node subdivide"])
def test_numbers_of_the_file_stay_with_their_vertices(blender: ModuleType, operation: str) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    room = room_object(root, 0)
    before = shown_arrays(room)
    _OPERATIONS[operation](room)
    after = shown_arrays(room)
    numbers = after.point[VERTEX]
    known = np.flatnonzero(numbers >= 0)
    assert sorted(numbers[known]) == list(range(len(before.positions)))
    assert after.positions[known] == pytest.approx(before.positions[numbers[known]])


def test_effects_that_were_set_after_a_cut_are_written(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    room = room_object(root, 0)
    _OPERATIONS["subdivide"](room)
    layer = room.data.attributes["tr_attributes"]
    values = np.zeros(len(layer.data), np.int32)
    values[-1] = _CAUSTICS
    layer.data.foreach_set("value", values)
    written = exported(root)[0].rooms[0].vertices["attributes"]
    assert np.count_nonzero(written == _CAUSTICS) == 1 == np.count_nonzero(written)


def shown_light(level: Level) -> NDArray[Any]:
    """Return the light of the vertices of room 0 as displayed, (n, 3)."""
    vertices = level.rooms[0].vertices
    if level.game >= Game.TR3:
        return (argb_to_bytes if level.game is Game.TR5 else rgb555_to_bytes)(vertices["color"])
    return light_to_gray(vertices["light"])[:, None].repeat(3, axis=1)


def added_light(game: Game, add: Callable[[Collection, Object], object]) -> dict[tuple[int, ...], int]:
    """Return how many vertices of each light an edit adds to room 0."""
    root = import_scene(sample_bytes(game))
    room = room_object(root, 0)
    paint(room)
    before = Counter(map(tuple, shown_light(exported(root)[0]).tolist()))
    add(root, room)
    return dict(Counter(map(tuple, shown_light(exported(root)[0]).tolist())) - before)


@pytest.mark.parametrize("add", [join, _OPERATIONS["primitive"]])
@each_game
def test_an_unpainted_mesh_gets_the_light_of_its_room(
    blender: ModuleType, game: Game, add: Callable[[Object], None]
) -> None:
    by_tool = added_light(game, lambda root, room: join_to_room(root, cube_at(room, room.data.materials[0])))
    assert list(by_tool.values()) == [8] and min(min(by_tool)) > 0
    assert added_light(game, lambda _, room: add(room)) == by_tool


def test_unpainted_light_is_reported_and_painted_light_is_kept(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    room = room_object(root, 0)
    join(room)
    assert [text for text in exported(root)[1] if "8 of its vertices have no painted light" in text]
    layer = room.data.color_attributes[0]
    colors = read_values(layer, len(layer.data))
    colors[-8:] = (0.0, 0.0, 0.0, 1.0)
    layer.data.foreach_set("color", colors.ravel())
    level, warnings = exported(root)
    assert not [text for text in warnings if "no light" in text]
    assert (shown_light(level)[-8:] == 0).all()


def test_unpainted_light_per_corner_is_that_of_the_room(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    room = room_object(root, 0)
    mesh: Any = room.data
    mesh.color_attributes.remove(mesh.color_attributes[0])
    mesh.color_attributes.new("Color", "FLOAT_COLOR", "CORNER")
    mesh.color_attributes[0].data.foreach_set("color", np.full(4 * len(mesh.loops), 0.2, np.float32))
    count = len(mesh.vertices)
    join(room)
    light = shown_light(exported(root)[0])
    assert (light[count:] == light[0]).all()


def test_light_mixed_with_unpainted_light_is_not_darker(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    room = room_object(root, 0)
    mesh: Any = room.data
    count = len(mesh.vertices)
    mesh.color_attributes[0].data.foreach_set("color", np.tile([0.3, 0.3, 0.3, 1], count).astype(np.float32))
    join(room)
    layer = mesh.color_attributes[0]
    colors = read_values(layer, len(layer.data))
    colors[count:] = 0
    layer.data.foreach_set("color", colors.ravel())

    def bridge(edited: bmesh.types.BMesh) -> None:
        edge = edited.edges.new([edited.verts[0], edited.verts[count]])
        bmesh.ops.subdivide_edges(edited, edges=[edge], cuts=1)

    edit_bmesh(mesh, bridge)
    assert len(np.unique(shown_light(exported(root)[0]), axis=0)) == 1


@each_game
def test_meshes_joined_to_a_mesh_are_lit_like_it(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    for obj in [each for each in root.all_objects if each.tomb_raider.kind == "STATIC_MESH"]:
        original = meshes_of(read_level(sample_bytes(game)))[obj.data.tomb_raider.index]
        bpy.context.scene.collection.objects.link(obj)
        bpy.context.view_layer.update()
        obj.hide_set(False)
        join(obj)
        written = meshes_of(exported(root)[0])[obj.data.tomb_raider.index]
        assert len(written.vertices) == len(original.vertices) + 8
        if original.lights is not None:
            low, high = original.lights.min(), original.lights.max()
            assert ((low - 64 <= written.lights) & (written.lights <= high + 64)).all()
        else:
            lengths = np.linalg.norm(written.normals[-8:].astype(float), axis=1)
            usual = np.median(np.linalg.norm(original.normals.astype(float), axis=1))
            assert lengths == pytest.approx(usual or 16300, rel=0.01)
