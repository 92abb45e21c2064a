"""Joints of models, moved to where the meshes of a skin join, in all models that share them.

Joints are (m, 3), in whole units and along the axes of the file, relative to the first one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object
from mathutils import Matrix

from ....catalogue import HOLSTER_MESHES, HOLSTERS, JOINTS, outfit
from ....formats import ExportError, Game
from ....formats.base import LARA, Floats, T
from ....formats.levels.meshes import Mesh as FileMesh
from ...authoring.control_rig.parts import has_rig
from ...core import original
from ...core.membership import level_of
from ...core.space import Space
from ...core.subjects import Kind
from ...mesh.blender_mesh import read_shape, vertices_of
from ...subjects.models.bones import (
    ANIMATED_JOINTS,
    SKIN_JOINTS,
    own_bones,
    own_parent,
    rest_joints,
    store_joints,
    stored_joints,
)
from ...subjects.models.figures import drawn_models, refresh_figures
from ...subjects.models.models import move_bones
from ..append.replace import models_of, parts_of, put_mesh
from ..engine.motion import bones_of
from .rings import MeshRing, Shape, joint_in, ring_between

_SAME = 0.5  # units
_EMPTY = Shape(np.zeros((0, 3)), np.zeros((0, 3), np.int64))


class Joints(StrEnum):
    """Where the joints of a model move to."""

    AUTO = "AUTO"
    MEETING = "MEETING"
    MODEL = "MODEL"


@dataclass(frozen=True)
class FittedJoints:
    """The result of fitting joints."""

    models: list[Object]  #: all models that share the joints.
    count: int  #: how many joints moved.
    farthest: float  #: the longest way of a joint, in units.


def refuse_rig(armature: Object) -> None:
    """Raise ExportError if a model has a control rig, whose controls are at its joints."""
    if has_rig(armature):
        text = T("it has a control rig: bake and remove it first, in the panel Control Rig")
        raise ExportError(armature.name, text)


def parents_of(armature: Object) -> list[int]:
    """Return the number of the parent of each bone of a model, -1 for none."""
    bones = own_bones(armature)
    numbers = {bone.name: number for number, bone in enumerate(bones)}
    return [numbers[up.name] if (up := own_parent(bone)) else -1 for bone in bones]


def original_joints(root: Collection, armature: Object) -> Floats | None:
    """Return the joints of a model in the file of its level, None for new models."""
    decoded, index = original.load(root), int(armature.tomb_raider.index)
    if decoded is None or not 0 <= index < len(decoded.mesh_trees):
        return None
    joints = decoded.mesh_trees[index].origins().astype(float)
    is_same = int(decoded.level.models["id"][index]) == int(armature.tomb_raider.model.id)
    return joints if is_same and len(joints) == len(bones_of(armature)) else None


def skin_of(root: Collection, armature: Object) -> Object:
    """Return the model that is drawn in place of a model: Lara's skin, else itself."""
    return next((skin for model, skin in drawn_models(root) if model == armature), armature)


def fit_joints(
    root: Collection, armature: Object, joints: Joints = Joints.AUTO, other: Object | None = None
) -> FittedJoints:
    """Move the joints of a model, and of all models that share them.

    The joints of an outfit from another level, and those of a skin with other joints than its model, are
    known. Else the meshes of the skin are as they should be at rest: their vertices stay there, and joints
    move to where neighboring meshes meet.

    Args:
        root: the level.
        armature: the armature of the model with the animations.
        joints: where they move to.
        other: a model with the joints, for :attr:`Joints.MODEL`.

    Raises:
        ExportError: if a model has a control rig, or the other model has other bones.
    """
    space = Space.of(root)
    skin = skin_of(root, armature)
    before = rest_joints(armature, space)
    target = _known(root, armature, skin, other) if joints is not Joints.MEETING else None
    if joints is Joints.MODEL and target is None:
        raise ExportError(armature.name, T("choose a model with the same bones"))
    stays = target is None
    if target is None:
        target = _meeting(root, armature, skin, space)
    shift = np.rint(target - before)
    shift[np.abs(target - before).max(axis=1) < _SAME] = 0.0
    models = sharing_models(root, armature, before)
    moves = {each: np.zeros_like(shift) if _has(each, target, space) else shift for each in models}
    moves = {each: way for each, way in moves.items() if way.any()}
    for each in moves:
        refuse_rig(each)
    if stays and shift.any():
        _hold_vertices([*_drawn_parts(models, shift), *_holsters(root, shift)], space)
    for each, way in moves.items():
        if stored_joints(each, ANIMATED_JOINTS) is None:
            known = original_joints(root, each)
            store_joints(each, ANIMATED_JOINTS, rest_joints(each, space) if known is None else known)
        old = {bone.name: np.array(bone.head_local) for bone in own_bones(each)}
        ways = space.to_blender(way)
        move_bones(each, {name: head + ways[number] for number, (name, head) in enumerate(old.items())})
    for each in models:
        store_joints(each, SKIN_JOINTS, None)
    refresh_figures(root, -space.to_blender(shift) if stays else None)
    lengths = np.linalg.norm(shift, axis=1) if moves else np.zeros(1)
    return FittedJoints(models, int((lengths > 0).sum()), float(lengths.max()))


def _has(armature: Object, joints: Floats, space: Space) -> bool:
    return float(np.abs(rest_joints(armature, space) - joints).max()) < _SAME


def _known(root: Collection, armature: Object, skin: Object, other: Object | None) -> Floats | None:
    """Return joints that are known: of a chosen model, of the outfit, or of a skin with other ones."""
    parents, space = parents_of(armature), Space.of(root)
    if other is not None:
        level_space = _space_of(other, space)
        return rest_joints(other, level_space) if parents_of(other) == parents else None
    stored = stored_joints(skin, SKIN_JOINTS)
    if stored is not None and not _has(armature, stored, space):
        return stored
    is_other = skin != armature and parents_of(skin) == parents
    found = rest_joints(skin, space)
    return found if is_other and not _has(armature, found, space) else None


def _space_of(armature: Object, default: Space) -> Space:
    level = level_of(armature)
    return default if level is None else Space.of(level)


def sharing_models(root: Collection, armature: Object, joints: Floats) -> list[Object]:
    """Return the models of a level that share the joints of a model, that model first.

    These have the same bones at the same places; the games draw all models of Lara's outfit at her joints.

    Args:
        joints: of the model, before they moved.
    """
    parents, space, models = parents_of(armature), Space.of(root), models_of(root)
    figure = skin_of(root, armature)
    is_lara = LARA in (int(armature.tomb_raider.model.id), int(figure.tomb_raider.model.id))
    parts = {LARA, *outfit(Game[root.tomb_raider.game], set(models)).values()} if is_lara else set()
    result = [armature]
    for number, each in sorted(models.items()):
        if each not in result and parents_of(each) == parents:
            apart = np.abs(rest_joints(each, space) - joints).max()
            if number in parts or each == figure or apart <= 1.0 + _SAME:
                result.append(each)
    return result


def models_with_joints_of(root: Collection, armature: Object) -> list[Object]:
    """Return the models that share the joints of a model as they are now, that model first."""
    return sharing_models(root, armature, rest_joints(armature, Space.of(root)))


# --- Meshes ----------------------------------------


def _meeting(root: Collection, armature: Object, skin: Object, space: Space) -> Floats:
    """Return the joints where the meshes of a skin meet."""
    now, parents = rest_joints(skin, space), parents_of(skin)
    old = original_joints(root, skin)
    between = _joint_model(root, armature, skin)
    shapes, joint_shapes = _shapes(skin, now, space), _shapes(between, now, space)
    old_shapes, old_joint_shapes = _original_shapes(root, skin), _original_shapes(root, between)
    result = now.copy()
    for bone, parent in enumerate(parents):
        if parent < 0:
            continue
        pair = (shapes[parent], shapes[bone])
        before: MeshRing | None = None
        if old is not None and old_shapes:
            old_pair = (old_shapes[parent], old_shapes[bone])
            if all(map(_is_same, pair, old_pair)):
                result[bone] = old[bone]
                continue
            before = ring_between(*old_pair, old_joint_shapes[bone] if old_joint_shapes else None)
        ring = ring_between(*pair, joint_shapes[bone] if joint_shapes else None)
        if ring is not None:
            result[bone] = joint_in(ring, before, now[bone] if old is None else old[bone])
    return np.rint(result)


def _joint_model(root: Collection, armature: Object, skin: Object) -> Object | None:
    """Return the model of the joints between the limbs of Lara's skin, None for other models."""
    found = models_of(root).get(JOINTS.get(Game[root.tomb_raider.game], -1))
    is_of_skin = found is not None and skin != armature and parents_of(found) == parents_of(skin)
    return found if is_of_skin else None


def _is_same(one: Shape, other: Shape) -> bool:
    """Return whether two meshes have vertices at the same places, in any order."""
    a, b = (np.unique(np.rint(each.points), axis=0) for each in (one, other))
    return a.shape == b.shape and bool((a == b).all())


def _shapes(armature: Object | None, joints: Floats, space: Space) -> list[Shape]:
    """Return the meshes on the bones of a model at rest; [] without a model."""
    if armature is None:
        return []
    parts = parts_of(armature)
    meshes: Iterable[Any] = (parts[name].data if name in parts else None for name in bones_of(armature))
    shapes = (_shape(each, space) if isinstance(each, Mesh) else _EMPTY for each in meshes)
    return [shape.moved(joint) for shape, joint in zip(shapes, joints, strict=True)]


def _shape(mesh: Mesh, space: Space) -> Shape:
    poly = read_shape(mesh)
    sizes = np.asarray(poly.sizes, np.int64)
    rows = np.full((len(sizes), int(sizes.max(initial=3))), -1, np.int64)
    rows[np.arange(rows.shape[1]) < sizes[:, None]] = poly.corners
    return Shape(space.to_file(vertices_of(mesh), mesh.name, "a vertex"), rows)


def _original_shapes(root: Collection, armature: Object | None) -> list[Shape]:
    """Return the meshes of a model in the file of its level; [] if they are unknown."""
    joints = None if armature is None else original_joints(root, armature)
    decoded = original.load(root)
    if armature is None or joints is None or decoded is None:
        return []
    record, block = decoded.level.models[int(armature.tomb_raider.index)], decoded.meshes
    first, count = int(record["first_mesh"]), int(record["meshes"])
    numbers = block.pointers[first : first + count].tolist()
    return [_file_shape(block.meshes[each]).moved(joint) for each, joint in zip(numbers, joints, strict=True)]


def _file_shape(mesh: FileMesh) -> Shape:
    kinds = (mesh.quads, mesh.triangles, mesh.colored_quads, mesh.colored_triangles)
    faces = [np.asarray(each["vertices"], np.int64) for each in kinds if len(each)]
    rows = [np.pad(each, ((0, 0), (0, 4 - each.shape[1])), constant_values=-1) for each in faces]
    points = np.asarray(mesh.vertices, float)
    return Shape(points, np.concatenate(rows) if rows else np.zeros((0, 4), np.int64))


def _drawn_parts(models: Iterable[Object], shift: Floats) -> Iterator[tuple[Object, Floats]]:
    """Yield the parts of models with the way of their joints."""
    for each in models:
        parts = parts_of(each)
        for name, way in zip(bones_of(each), shift, strict=True):
            if name in parts:
                yield parts[name], way


def _holsters(root: Collection, shift: Floats) -> Iterator[tuple[Object, Floats]]:
    """Yield the holsters, which games draw on the thighs of Lara, with the way of those joints."""
    models = models_of(root)
    for number in HOLSTERS.get(Game[root.tomb_raider.game], {}).values():
        holster = models.get(number)
        if holster is None or len(shift) <= max(HOLSTER_MESHES):
            continue
        parts, names = parts_of(holster), bones_of(holster)
        for limb, mesh in HOLSTER_MESHES.items():
            if mesh < len(names) and names[mesh] in parts:
                yield parts[names[mesh]], shift[limb]


def _hold_vertices(parts: Sequence[tuple[Object, Floats]], space: Space) -> None:
    """Move the vertices of meshes against their joints, so that they stay where they are at rest.

    A mesh that moves in several ways, or that other objects show, is copied.
    """
    ways: dict[Mesh, dict[tuple[float, ...], list[Object]]] = {}
    chosen = {part for part, _ in parts}
    for part, way in dict(parts).items():
        if isinstance(part.data, Mesh):
            ways.setdefault(part.data, {}).setdefault(tuple(way.tolist()), []).append(part)
    others = {
        obj.data for obj in bpy.data.objects if obj not in chosen and obj.tomb_raider.kind != Kind.FIGURE
    }
    for mesh, by_way in ways.items():
        is_single = len(by_way) == 1 and mesh not in others
        for units, objects in by_way.items():
            if not any(units):
                continue
            moved: Any = mesh if is_single else mesh.copy()
            moved.transform(Matrix.Translation((-space.to_blender(units)).tolist()), shape_keys=True)
            moved.update()
            moved.tomb_raider.center = [
                round(a - b) for a, b in zip(moved.tomb_raider.center, way, strict=True)
            ]
            if moved is not mesh:
                for part in objects:
                    put_mesh(part, moved)
