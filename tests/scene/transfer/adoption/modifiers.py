"""Modifiers of each type, set up with an effect on a small mesh."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from typing import Any

import bmesh
import bpy
import numpy as np

from ...scenes import edit_bmesh

_FRAME = 5
_USD = """#usda 1.0
(
    startTimeCode = 0
    endTimeCode = 1
    upAxis = "Z"
)
def Mesh "Cache"
{{
    int[] faceVertexCounts = [{counts}]
    int[] faceVertexIndices = [{corners}]
    point3f[] points.timeSamples = {{ 0: [{points}], 1: [{points}] }}
}}
"""


def block(name: str, material: Any) -> Any:
    """Make a mesh of 26 vertices and 24 faces, which all show the same square of a picture."""
    mesh = bpy.data.meshes.new(name)

    def build(bm: bmesh.types.BMesh) -> None:
        bmesh.ops.create_cube(bm, size=2.0)
        bmesh.ops.subdivide_edges(bm, edges=bm.edges[:], cuts=1, use_grid_fill=True)
        layer = bm.loops.layers.uv.new("UVMap")
        for face in bm.faces:
            for loop, uv in zip(face.loops, ((0, 0), (0.25, 0), (0.25, 0.25), (0, 0.25)), strict=True):
                loop[layer].uv = uv
        bm.verts.ensure_lookup_table()
        bm.verts[0].co *= 1.25  # irregular, so that all modifiers have an effect

    edit_bmesh(mesh, build)
    mesh.materials.append(material)
    return mesh


class Bench:
    """The scene of the user outside the level, in which modifiers are set up."""

    def __init__(self, material: Any) -> None:
        self.material = material
        self.scene = bpy.context.scene
        self.scene.frame_set(_FRAME)

    def add(self, name: str, data: Any, place: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Any:
        obj: Any = bpy.data.objects.new(name, data)
        obj.location = place
        self.scene.collection.objects.link(obj)
        return obj

    def block(self, name: str, place: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Any:
        return self.add(name, block(name, self.material), place)

    def run(self, operator: Any, obj: Any, modifier: Any, **options: Any) -> None:
        bpy.context.view_layer.update()
        bpy.context.view_layer.objects.active = obj
        with bpy.context.temp_override(object=obj, active_object=obj):
            assert operator(modifier=modifier.name, **options) == {"FINISHED"}

    def shown(self, obj: Any) -> tuple[Any, list[int]]:
        """Return the evaluated vertices and face sizes of an object."""
        mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        points = np.empty((len(mesh.vertices), 3), np.float32)
        mesh.vertices.foreach_get("co", points.ravel())
        return points, [len(face.vertices) for face in mesh.polygons]


def _set(**values: Any) -> Callable[[Bench, Any, Any], None]:
    def apply(_bench: Bench, _obj: Any, modifier: Any) -> None:
        for name, value in values.items():
            setattr(modifier, name, value)

    return apply


def weigh(obj: Any, value: float = 0.5) -> Any:
    """Give half of the vertices a weight."""
    group = obj.vertex_groups.new(name="Weights")
    group.add(list(range(len(obj.data.vertices) // 2)), value, "REPLACE")
    return group


def _weights(**values: Any) -> Callable[[Bench, Any, Any], None]:
    """Return a setup of a weight modifier, and a second modifier that makes its effect visible."""

    def apply(bench: Bench, obj: Any, modifier: Any) -> None:
        weigh(obj)
        for name, value in values.items():
            setattr(modifier, name, value)
        if modifier.type == "VERTEX_WEIGHT_PROXIMITY":
            modifier.vertex_group, modifier.target = "Weights", bench.block("Near", (3, 0, 0))
        behind = obj.modifiers.new("Behind", "DISPLACE")
        behind.vertex_group, behind.strength, behind.direction = "Weights", 1.0, "Z"

    return apply


def _armature(bench: Bench, obj: Any, modifier: Any) -> None:
    rig = bench.add("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = rig.data.edit_bones.new("Bone")
    bone.tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    weigh(obj, 1.0).name = "Bone"
    rig.pose.bones["Bone"].location = (0.5, 0, 0)
    modifier.object = rig


def _boolean(bench: Bench, _obj: Any, modifier: Any) -> None:
    modifier.object = bench.block("Operand", (1, 1, 1))


def _curve(bench: Bench, _obj: Any, modifier: Any) -> None:
    curve: Any = bpy.data.curves.new("Curve", "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(2)
    for point, place in zip(spline.points, ((0, 0, 0, 1), (1, 0, 0, 1), (3, 2, 0, 1)), strict=True):
        point.co = place
    modifier.object = bench.add("Curve", curve)


def _transfer(bench: Bench, _obj: Any, modifier: Any) -> None:
    source = bench.block("Source")
    for corner in source.data.uv_layers[0].uv:
        corner.vector = [value + 0.5 for value in corner.vector]
    modifier.object, modifier.use_loop_data = source, True
    modifier.data_types_loops, modifier.loop_mapping = {"UV"}, "TOPOLOGY"


def _hook(bench: Bench, obj: Any, modifier: Any) -> None:
    weigh(obj)
    modifier.object, modifier.vertex_group = bench.add("Hook", None, (0, 0, 1)), "Weights"


def _laplacian(bench: Bench, obj: Any, modifier: Any) -> None:
    weigh(obj, 1.0)
    modifier.vertex_group = "Weights"
    bench.run(bpy.ops.object.laplaciandeform_bind, obj, modifier)
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Key")
    key.value = 1.0
    for number in range(6):
        key.data[number].co.z += 0.5


def _lattice(bench: Bench, _obj: Any, modifier: Any) -> None:
    lattice: Any = bpy.data.lattices.new("Lattice")
    lattice.points[0].co_deform.x += 0.5
    modifier.object = bench.add("Lattice", lattice)


def _mask(_bench: Bench, obj: Any, modifier: Any) -> None:
    weigh(obj, 1.0)
    modifier.vertex_group = "Weights"


def _mesh_cache(_bench: Bench, obj: Any, modifier: Any) -> None:
    points = np.empty((len(obj.data.vertices), 3), np.float32)
    obj.data.vertices.foreach_get("co", points.ravel())
    path = f"{os.environ['BLENDER_USER_RESOURCES']}/cache.pc2"
    with open(path, "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(points), 0.0, 1.0, 1))
        file.write((points * 0.5).astype("<f4").tobytes())
    modifier.cache_format, modifier.filepath = "PC2", path


def _mesh_sequence(_bench: Bench, obj: Any, modifier: Any) -> None:
    path = f"{os.environ['BLENDER_USER_RESOURCES']}/cache.usda"
    corners = [vertex for face in obj.data.polygons for vertex in face.vertices]
    text = _USD.format(
        counts=", ".join("4" for _ in obj.data.polygons),
        corners=", ".join(map(str, corners)),
        points=", ".join(str(tuple(vertex.co * 0.5)) for vertex in obj.data.vertices),
    )
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    before = set(bpy.data.cache_files)
    bpy.ops.cachefile.open(filepath=path)
    modifier.cache_file = next(each for each in bpy.data.cache_files if each not in before)
    modifier.object_path, modifier.read_data = "/Cache", {"VERT"}


def _mesh_deform(bench: Bench, obj: Any, modifier: Any) -> None:
    cage = bench.block("Cage")
    for vertex in cage.data.vertices:
        vertex.co *= 1.5
    modifier.object, modifier.precision = cage, 3
    bench.run(bpy.ops.object.meshdeform_bind, obj, modifier)
    cage.data.vertices[1].co.x += 1.0


def _multires(bench: Bench, obj: Any, modifier: Any) -> None:
    bench.run(bpy.ops.object.multires_subdivide, obj, modifier)


def _nodes(_bench: Bench, _obj: Any, modifier: Any) -> None:
    tree: Any = bpy.data.node_groups.new("Mine", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    first, move, last = map(tree.nodes.new, ("NodeGroupInput", "GeometryNodeTransform", "NodeGroupOutput"))
    move.inputs["Translation"].default_value = (0, 0, 1)
    tree.links.new(first.outputs[0], move.inputs[0])
    tree.links.new(move.outputs[0], last.inputs[0])
    modifier.node_group = tree


def _target(bench: Bench, _obj: Any, modifier: Any) -> None:
    modifier.target = bench.block("Target", (2, 0, 0))


def _surface_deform(bench: Bench, obj: Any, modifier: Any) -> None:
    modifier.target = bench.block("Surface")
    bench.run(bpy.ops.object.surfacedeform_bind, obj, modifier)
    modifier.target.data.vertices[1].co.x += 0.5


def _uv_project(bench: Bench, obj: Any, modifier: Any) -> None:
    modifier.projector_count, modifier.uv_layer = 1, obj.data.uv_layers[0].name
    modifier.projectors[0].object = bench.add("Projector", None, (0, 0, 3))


def _volume(bench: Bench, obj: Any, modifier: Any) -> None:
    volume = bench.add("Volume", bpy.data.volumes.new("Volume"))
    maker = volume.modifiers.new("Maker", "MESH_TO_VOLUME")
    maker.object, maker.resolution_mode, maker.voxel_size = bench.block("Inside"), "VOXEL_SIZE", 0.5
    modifier.object, modifier.resolution_mode, modifier.voxel_size = volume, "VOXEL_SIZE", 1.0


def _warp(bench: Bench, _obj: Any, modifier: Any) -> None:
    modifier.object_from, modifier.object_to = bench.add("From", None), bench.add("To", None, (0, 0, 2))
    modifier.falloff_radius = 3.0


def _particles_of(bench: Bench, _obj: Any, modifier: Any) -> None:
    source = bench.block("Dusty")
    source.modifiers.new("Dust", "PARTICLE_SYSTEM")
    modifier.object = source


def _exploding(_bench: Bench, obj: Any, modifier: Any) -> None:
    obj.modifiers.new("Dust", "PARTICLE_SYSTEM")
    obj.modifiers.move(len(obj.modifiers) - 1, 0)
    assert modifier == obj.modifiers[1]


def _liquid(_bench: Bench, _obj: Any, modifier: Any) -> None:
    modifier.fluid_type = "DOMAIN"


def _painted(bench: Bench, obj: Any, modifier: Any) -> None:
    modifier.ui_type = "CANVAS"
    bench.run(lambda **_: bpy.ops.dpaint.type_toggle(type="CANVAS"), obj, modifier)


SETUPS: dict[str, Callable[[Bench, Any, Any], None]] = {
    "ARMATURE": _armature,
    "ARRAY": _set(count=3),
    "BEVEL": _set(width=0.1),
    "BOOLEAN": _boolean,
    "BUILD": _set(frame_start=1, frame_duration=8),
    "CAST": _set(factor=0.5),
    "CORRECTIVE_SMOOTH": _set(use_only_smooth=True, factor=1.0),
    "CURVE": _curve,
    "DATA_TRANSFER": _transfer,
    "DECIMATE": _set(ratio=0.5),
    "DISPLACE": _set(strength=0.5),
    "EDGE_SPLIT": _set(split_angle=0.5),
    "HOOK": _hook,
    "LAPLACIANDEFORM": _laplacian,
    "LAPLACIANSMOOTH": _set(lambda_factor=1.0),
    "LATTICE": _lattice,
    "MASK": _mask,
    "MESH_CACHE": _mesh_cache,
    "MESH_DEFORM": _mesh_deform,
    "MESH_SEQUENCE_CACHE": _mesh_sequence,
    "MIRROR": _set(use_bisect_axis=(True, False, False)),
    "MULTIRES": _multires,
    "NODES": _nodes,
    "NORMAL_EDIT": _set(),
    "OCEAN": _set(geometry_mode="DISPLACE"),
    "REMESH": _set(mode="BLOCKS", octree_depth=2),
    "SCREW": _set(steps=3, render_steps=3),
    "SHRINKWRAP": _target,
    "SIMPLE_DEFORM": _set(deform_method="TWIST", deform_axis="Z"),
    "SKIN": _set(),
    "SMOOTH": _set(factor=0.5),
    "SOLIDIFY": _set(thickness=0.25),
    "SUBSURF": _set(levels=1),
    "SURFACE_DEFORM": _surface_deform,
    "TRIANGULATE": _set(),
    "UV_PROJECT": _uv_project,
    "UV_WARP": _set(offset=(0.5, 0.5)),
    "VERTEX_WEIGHT_EDIT": _weights(
        vertex_group="Weights", use_add=True, add_threshold=0.0, default_weight=0.3
    ),
    "VERTEX_WEIGHT_MIX": _weights(
        vertex_group_a="Weights", default_weight_b=0.3, mix_set="ALL", mix_mode="ADD"
    ),
    "VERTEX_WEIGHT_PROXIMITY": _weights(max_dist=4.0),
    "VOLUME_TO_MESH": _volume,
    "WARP": _warp,
    "WAVE": _set(height=1.0, time_offset=-20.0),
    "WEIGHTED_NORMAL": _set(),
    "WELD": _set(merge_threshold=1.1),
    "WIREFRAME": _set(),
    "CLOTH": _set(),
    "COLLISION": _set(),
    "DYNAMIC_PAINT": _painted,
    "EXPLODE": _exploding,
    "FLUID": _liquid,
    "PARTICLE_INSTANCE": _particles_of,
    "PARTICLE_SYSTEM": _set(),
    "SOFT_BODY": _set(),
    "SURFACE": _set(),
}
