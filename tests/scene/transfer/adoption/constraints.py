"""Constraints of each type, set up with an effect on an object or a bone."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import bpy
from mathutils import Matrix

_USD = """#usda 1.0
(
    startTimeCode = 0
    endTimeCode = 1
    upAxis = "Z"
)
def Xform "Cache"
{
    double3 xformOp:translate.timeSamples = { 0: (1, 2, 3), 1: (1, 2, 3) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
"""


class Targets:
    """Targets of constraints: objects outside the level, around the constrained object."""

    def __init__(self, place: Any) -> None:
        self.place = place

    def _add(self, name: str, data: Any) -> Any:
        obj: Any = bpy.data.objects.new(name, data)
        obj.matrix_world = Matrix.Translation(self.place)
        bpy.context.scene.collection.objects.link(obj)
        return obj

    def empty(self) -> Any:
        obj = self._add("Target", None)
        obj.location.x += 1.0
        obj.location.y += 0.5
        obj.rotation_euler.z = 0.7
        return obj

    def curve(self) -> Any:
        data: Any = bpy.data.curves.new("Curve", "CURVE")
        data.dimensions, data.use_path = "3D", True
        spline = data.splines.new("POLY")
        spline.points.add(1)
        spline.points[0].co, spline.points[1].co = (0.2, 0.0, 0.0, 1.0), (1.0, 2.0, 0.5, 1.0)
        return self._add("Curve", data)

    def surface(self) -> Any:
        mesh = bpy.data.meshes.new("Surface")
        mesh.from_pydata([(2, -9, -9), (2, 9, -9), (2, 9, 9), (2, -9, 9)], [], [(0, 1, 2, 3)])
        values = mesh.attributes.new("Where", "FLOAT_VECTOR", "POINT")
        for value in values.data:
            value.vector = (1.0, 2.0, 0.5)
        return self._add("Surface", mesh)

    def rig(self) -> Any:
        obj = self._add("Rig", bpy.data.armatures.new("Rig"))
        bpy.context.view_layer.objects.active = obj
        bpy.ops.object.mode_set(mode="EDIT")
        obj.data.edit_bones.new("Bone").tail = (0, 0, 1)
        bpy.ops.object.mode_set(mode="OBJECT")
        obj.pose.bones["Bone"].rotation_quaternion = (0.8, 0, 0.6, 0)
        return obj


Setup = Callable[[Targets, Any], None]


def _follow(**values: Any) -> Setup:
    def apply(targets: Targets, constraint: Any) -> None:
        constraint.target = targets.empty()
        for name, value in values.items():
            setattr(constraint, name, value)

    return apply


def _limit(*names: str, least: float, space: str = "LOCAL") -> Setup:
    def apply(_targets: Targets, constraint: Any) -> None:
        constraint.owner_space = space
        for name in names:
            setattr(constraint, f"use_{name}", True)
            for end in ("min", "max"):
                setattr(constraint, f"{end}_{name[-1]}", least)
        if hasattr(constraint, "use_max_x") and "min_x" in names:
            constraint.use_max_x = True

    return apply


def _action(targets: Targets, constraint: Any) -> None:
    source = targets.empty()
    owner = constraint.id_data
    path = "" if owner.type == "EMPTY" or owner.pose is None else f'pose.bones["{_bone(constraint)}"].'
    keyed = bpy.data.objects.new("Keyed", None) if not path else owner
    before = None if keyed.animation_data is None else keyed.animation_data.action
    action = bpy.data.actions.new("Pose")
    keyed.animation_data_create().action = action
    if not path:
        keyed.rotation_euler.z = 0.5
        keyed.keyframe_insert("rotation_euler", frame=1)
    else:
        bone = keyed.pose.bones[_bone(constraint)]
        bone.rotation_quaternion = (0.8, 0.6, 0, 0)
        bone.keyframe_insert("rotation_quaternion", frame=1)
    keyed.animation_data.action = before
    constraint.target, constraint.action = source, action
    constraint.transform_channel, constraint.max = "LOCATION_X", 1.0
    constraint.frame_start, constraint.frame_end = 1, 1


def _bone(constraint: Any) -> str:
    name: str = constraint.path_from_id().split('"')[1]
    return name


def _armature(targets: Targets, constraint: Any) -> None:
    target = constraint.targets.new()
    target.target, target.subtarget = targets.rig(), "Bone"


def _child(targets: Targets, constraint: Any) -> None:
    constraint.target, constraint.set_inverse_pending = targets.empty(), False
    constraint.inverse_matrix = Matrix()


def _size(targets: Targets, constraint: Any) -> None:
    constraint.target = targets.empty()
    constraint.target.scale = (1.5, 1.5, 1.5)


def _curve(targets: Targets, constraint: Any) -> None:
    constraint.target = targets.curve()
    if hasattr(constraint, "offset_factor"):
        constraint.use_fixed_location, constraint.offset_factor = True, 0.5


def _spline(targets: Targets, constraint: Any) -> None:
    constraint.target, constraint.chain_count = targets.curve(), 1


def _attribute(targets: Targets, constraint: Any) -> None:
    constraint.target, constraint.attribute_name = targets.surface(), "Where"


def _shrink(targets: Targets, constraint: Any) -> None:
    constraint.target = targets.surface()


def _cache(_targets: Targets, constraint: Any) -> None:
    path = f"{os.environ['BLENDER_USER_RESOURCES']}/places.usda"
    with open(path, "w", encoding="utf-8") as file:
        file.write(_USD)
    before = set(bpy.data.cache_files)
    bpy.ops.cachefile.open(filepath=path)
    constraint.cache_file = next(each for each in bpy.data.cache_files if each not in before)
    constraint.object_path = "/Cache"


def _transform(targets: Targets, constraint: Any) -> None:
    constraint.target, constraint.map_to = targets.empty(), "ROTATION"
    constraint.from_max_x, constraint.to_max_z_rot = 1.0, 0.5
    constraint.map_to_z_from = "X"


def _floor(targets: Targets, constraint: Any) -> None:
    constraint.target = targets.empty()
    constraint.offset, constraint.floor_location = 2.0, "FLOOR_Z"


def _nothing(_targets: Targets, _constraint: Any) -> None:
    """Keep the defaults of a constraint that needs a movie with a solved camera."""


SETUPS: dict[str, Setup] = {
    "ACTION": _action,
    "ARMATURE": _armature,
    "CAMERA_SOLVER": _nothing,
    "CHILD_OF": _child,
    "CLAMP_TO": _curve,
    "COPY_LOCATION": _follow(),
    "COPY_ROTATION": _follow(),
    "COPY_SCALE": _size,
    "COPY_TRANSFORMS": _follow(),
    "DAMPED_TRACK": _follow(),
    "FLOOR": _floor,
    "FOLLOW_PATH": _curve,
    "FOLLOW_TRACK": _nothing,
    "GEOMETRY_ATTRIBUTE": _attribute,
    "IK": _follow(chain_count=1),
    "LIMIT_DISTANCE": _follow(limit_mode="LIMITDIST_ONSURFACE", distance=3.0),
    "LIMIT_LOCATION": _limit("min_x", least=2.0),
    "LIMIT_ROTATION": _limit("limit_z", least=0.5),
    "LIMIT_SCALE": _limit("min_x", least=2.0),
    "LOCKED_TRACK": _follow(track_axis="TRACK_X", lock_axis="LOCK_Z"),
    "MAINTAIN_VOLUME": lambda _targets, constraint: setattr(constraint, "volume", 3.0),
    "OBJECT_SOLVER": _nothing,
    "PIVOT": _follow(rotation_range="ALWAYS_ACTIVE"),
    "SHRINKWRAP": _shrink,
    "SPLINE_IK": _spline,
    "STRETCH_TO": _follow(rest_length=0.5),
    "TRACK_TO": _follow(track_axis="TRACK_X", up_axis="UP_Z"),
    "TRANSFORM": _transform,
    "TRANSFORM_CACHE": _cache,
}
