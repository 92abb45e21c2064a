"""Warnings of object settings that Blender shows and that no game supports.

Settings of lights, speakers, materials, modifiers and actions are left to their subjects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from bpy.types import Armature, Camera, Collection, Mesh, Object

from ...formats.base import T, as_message, joined, plural
from ..core.context import ExportContext
from ..core.reporting.report import first_few
from ..core.subjects import OF_ROOMS, Kind
from ..subjects.cameras.looking import DEFAULT_FOV, read_fov
from ..subjects.models.bones import own_bones

_NOT_WRITTEN = T("is not exported, since the game has no counterpart")
_SHAPED = frozenset({*OF_ROOMS, Kind.MODEL_MESH, Kind.SKIN, Kind.STATIC_MESH})
_SHOOTING = frozenset({Kind.CAMERA, Kind.FLYBY, Kind.CINEMATIC})
_NAMED = 5  # bones in one warning
_NEAR = 1e-4


def warn_of_settings(context: ExportContext) -> None:
    """Warn of settings of a level's objects that are lost in the file, once per object."""
    meshes: dict[Mesh, Object] = {}
    for obj, kind in context.level_objects.kinds.items():
        if kind == Kind.NONE:
            continue
        lost = [*_simulated(obj)]
        if kind in _SHOOTING and isinstance(obj.data, Camera):
            lost += _shot(obj.data, is_fixed=kind == Kind.CAMERA)
        if lost:
            context.report.warn(obj.name, T("{names} {rest}", names=joined(", ", lost), rest=_NOT_WRITTEN))
        if kind == Kind.MODEL and isinstance(obj.data, Armature):
            context.report.warn_all(obj.name, _of_bones(obj))
        if kind in _SHAPED and isinstance(obj.data, Mesh):
            meshes.setdefault(obj.data, obj)
    for mesh, obj in meshes.items():
        context.report.warn_all(obj.name, _of_edges(mesh))
    for collection in context.root.children_recursive:
        context.report.warn_all(collection.name, _of_collection(collection))


def _simulated(obj: Object) -> Iterator[str]:
    """Yield settings that duplicate or move an object, or change its light."""
    if obj.instance_type in ("VERTS", "FACES"):
        yield T("its instancing on vertices or faces (Object > Apply > Make Instances Real)")
    force = obj.field
    if force is not None and force.type != "NONE":
        yield T("its force field")
    if obj.rigid_body is not None or obj.rigid_body_constraint is not None:
        yield T("its rigid body")
    linking = obj.light_linking
    if linking is not None and (linking.receiver_collection or linking.blocker_collection):
        yield T("its light linking")


def _shot(camera: Camera, *, is_fixed: bool) -> Iterator[str]:
    """Yield settings of a camera that no game has."""
    if camera.type != "PERSP":
        yield T("its type ({type})", type=as_message(camera.type.lower()))
    elif is_fixed and read_fov(camera, DEFAULT_FOV) != DEFAULT_FOV:
        yield T("its field of view, which is 80 degrees for all fixed cameras,")
    if camera.shift_x or camera.shift_y:
        yield T("its shift")
    if camera.dof.use_dof:
        yield T("its depth of field")


def _of_bones(armature: Object) -> Iterator[str]:
    """Yield settings of bones that the games' limbs cannot follow."""
    bones = own_bones(armature)
    free = [bone.name for bone in bones if not bone.use_inherit_rotation or not bone.use_local_location]
    if free:
        text = T("bones of the games rotate with their parents, but not {free}", free=_listing(free))
        yield T("{text}: set Inherit Rotation and Local Location of bones, or bake the animations", text=text)
    scaled = [bone.name for bone in bones if bone.inherit_scale != "FULL"]
    if scaled:
        yield T("Inherit Scale of {scaled} {not_written}", scaled=_listing(scaled), not_written=_NOT_WRITTEN)


def _listing(names: list[str]) -> str:
    return plural("the bone {bones}", "the bones {bones}", len(names), bones=first_few(names, _NAMED))


def _of_edges(mesh: Mesh) -> Iterable[str]:
    # Reading the layer is ten times as fast as asking each edge.
    edges, has_face = np.empty(len(mesh.loops), np.int32), np.zeros(len(mesh.edges), np.bool_)
    if len(edges):
        layer: Any = mesh.attributes[".corner_edge"]
        layer.data.foreach_get("value", edges)
    has_face[edges[(edges >= 0) & (edges < len(has_face))]] = True  # scripts may leave invalid values
    count = len(has_face) - int(np.count_nonzero(has_face))
    if not count:
        return []
    return [T("{count} edges without a face are not exported: the game draws only faces", count=count)]


def _of_collection(collection: Collection) -> Iterable[str]:
    """Return a warning if a model's instances are offset from its armature, so entities are displaced."""
    armature = collection.tomb_raider.model if collection.tomb_raider.kind == Kind.MODEL else None
    if armature is None or armature.name not in collection.objects:  # as for Lara's figures
        return []
    if (collection.instance_offset - armature.location).length <= _NEAR:
        return []
    return [
        T(
            "its instance offset {not_written}: entities are placed elsewhere than shown",
            not_written=_NOT_WRITTEN,
        )
    ]
