"""Replacement of a model, its meshes or its animations by those of another model of the scene."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object

from ....formats import ExportError, Game
from ....formats.base import Floats, T
from ...authoring.placeholder_textures import gray_material
from ...core.blender import compat
from ...core.membership import Places, level_of, members_of
from ...core.reporting.report import Report, first_few
from ...core.space import Space, world_matrix
from ...core.subjects import Kind
from ...core.transfer import Transfer
from ...mesh.blender_mesh import vertices_of
from ...subjects.animations.showing import own_animations
from ...subjects.models.bones import (
    ANIMATED_JOINTS,
    SKIN_JOINTS,
    own_bones,
    own_parent,
    rest_joints,
    store_joints,
)
from ...subjects.textures.transfer import adopt_materials
from ..adoption.adoption import adopt
from ..adoption.remap_foreign import Source, remap_objects, source_of
from ..engine import move
from ..engine.copies import copy_actions, copy_model, mark_as_new
from ..engine.engine import prepare, remap
from ..engine.motion import pair_bones, retarget_actions

ALL, MESHES, ANIMATIONS = "ALL", "MESHES", "ANIMATIONS"
_SAME = 0.5  # units
_NAMED = 4


def replace_model(root: Collection, old: Object, new: Object, part: str, report: Report) -> Object:
    """Replace a model of a level by a copy of another model of the scene, which stays as it is.

    Args:
        new: the armature of the other model, of this level or of another.
        part: ALL; MESHES, which keeps skeleton and animations; ANIMATIONS, which keeps skeleton and meshes.

    Returns:
        The armature of the replaced model.

    Raises:
        ExportError: both are the same model.
    """
    if old == new:
        raise ExportError(old.name, T("a model cannot replace itself: choose another"))
    game, armature = Game[root.tomb_raider.game], old
    source = Source(game, root) if level_of(new) == root else source_of(root, new, new.children)
    if part == ALL:
        copy = copy_model(new)
        armature = copy.tomb_raider.model
        mark_as_new(copy.objects)
        if source.level != root:
            remap_objects(root, source, copy.objects, report)
        move.move_model(root, copy, int(old.tomb_raider.model.id), old, Places(root, Kind.MODEL))
    elif part == MESHES:
        parts = put_meshes(old, new, report)
        transfer = Transfer(root, source.game, game, report, parts)
        adopt_materials(transfer, source.level, parts, copies=True)
        remap(transfer, prepare(transfer))
    else:
        _put_animations(root, old, new, report)
        if source.level != root:
            remap_objects(root, source, [old], report)
    adopt(root, report)
    return armature


# --- Meshes ----------------------------------------


def parts_of(armature: Object) -> dict[str, Object]:
    """Return the mesh objects of a model by bone name."""
    parts = (each for each in armature.children if each.tomb_raider.kind == Kind.MODEL_MESH)
    return {each.parent_bone: each for each in sorted(parts, key=lambda each: each.name) if each.parent_bone}


def put_meshes(old: Object, new: Object, report: Report) -> list[Object]:
    """Replace the meshes of a model by copies of those of another one; return the changed objects."""
    pairs = pair_bones(old, new)
    ours, theirs = parts_of(old), parts_of(new)
    changed = []
    for bone, part in ours.items():
        other = theirs.get(pairs.names.get(bone, ""))
        if other is not None and isinstance(other.data, Mesh):
            mesh: Any = other.data.copy()
            put_mesh(part, mesh)
            changed.append(part)
    space = _space_of(old)
    joints = _joints_for(old, new, pairs.names, space)
    is_other = np.abs(joints - rest_joints(old, space)).max(initial=0.0) > _SAME
    store_joints(old, SKIN_JOINTS, joints if is_other else None)
    kept = [bone for bone, part in ours.items() if part not in changed]
    if kept:
        text = T("{new} has no mesh for these bones, which keep theirs", new=new.name)
        report.warn(old.name, T("{text}: {kept}", text=text, kept=first_few(kept, _NAMED)))
    unused = [bone for bone in pairs.other_unpaired if bone in theirs]
    if unused:
        text = T("it has no bones for these meshes of {new}", new=new.name)
        report.warn(old.name, T("{text}: {left}", text=text, left=first_few(unused, _NAMED)))
    return changed


def _joints_for(old: Object, new: Object, names: Mapping[str, str], space: Space) -> Floats:
    """Return the joints of a model with the bones of another one at the places of theirs.

    Args:
        names: bones of the other model by those of the model.
    """
    others = {bone.name: bone for bone in own_bones(new)}
    heads: dict[str, Any] = {}
    for bone in own_bones(old):
        up = own_parent(bone)
        if up is None:
            heads[bone.name] = np.zeros(3)
            continue
        other, above = (others.get(names.get(each.name, "")) for each in (bone, up))
        way = np.array(bone.head_local - up.head_local)
        if other is not None and above is not None:
            way = np.array(other.head_local - above.head_local) * (space.scale / _space_of(new).scale)
        heads[bone.name] = heads[up.name] + way
    joints = space.to_file(np.array(list(heads.values())).reshape(-1, 3), old.name, "a bone")
    return np.asarray(np.rint(joints), float)


def _space_of(armature: Object) -> Space:
    level = level_of(armature)
    return Space() if level is None else Space.of(level)


def put_mesh(part: Object, mesh: Mesh) -> None:
    """Replace the mesh of a part of a model, also on the figures that show the part."""
    old_mesh = part.data
    mesh.tomb_raider.index = -1
    figures = [
        each for each in bpy.data.objects if each.tomb_raider.kind == Kind.FIGURE and each.data == old_mesh
    ]
    named = [each for each in figures if each.name.startswith(part.name)]
    part.data = mesh
    shared = any(
        each.data == old_mesh and each.tomb_raider.kind == Kind.MODEL_MESH for each in bpy.data.objects
    )
    for each in named if shared else figures:
        each.data = mesh


# --- Animations ----------------------------------------


def _put_animations(root: Collection, old: Object, new: Object, report: Report) -> None:
    """Replace the animations of a model by copies of those of another one, by index."""
    pairs = pair_bones(new, old)
    if not pairs.names:
        raise ExportError(old.name, T("it has no bone that {new} has", new=new.name))
    actions = own_animations(new)
    if not actions:
        raise ExportError(new.name, T("it has no animations"))
    before = [each for each in bpy.data.actions if each.tomb_raider.model == old]
    copies = copy_actions(actions, new, old)
    retarget_actions(copies, new, old, pairs)
    space = _space_of(old)
    store_joints(old, ANIMATED_JOINTS, _joints_for(old, new, pair_bones(old, new).names, space))
    for each in copies:
        each.tomb_raider.index = -1
    move.replace_actions(root, copies, before)
    compat.assign_action(old, copies[0])
    for bones, text in (
        (pairs.unpaired, T("it has no bones for these that {new} moves", new=new.name)),
        (pairs.other_unpaired, T("{new} has no bones for these, which stay at rest", new=new.name)),
    ):
        if bones:
            report.warn(old.name, T("{text}: {bones}", text=text, bones=first_few(bones, _NAMED)))


def models_of(root: Collection) -> dict[int, Object]:
    """Return the models of a level by id."""
    models = members_of(root, Kind.MODEL)
    return {each.tomb_raider.model.id: each for each in reversed(models)}


def fit_mesh(part: Object, other: Object, *, fits: bool) -> None:
    """Replace the mesh of a bone by a copy of any mesh of the scene.

    Faces without a material get a gray one.

    Args:
        other: an object whose evaluated mesh is copied.
        fits: whether to scale and center the copy to the replaced mesh; else it keeps its world matrix.

    Raises:
        ExportError: the mesh has no faces.
    """
    depsgraph = bpy.context.evaluated_depsgraph_get()
    mesh = bpy.data.meshes.new_from_object(other.evaluated_get(depsgraph), depsgraph=depsgraph)
    if not len(mesh.polygons):
        bpy.data.meshes.remove(mesh)
        raise ExportError(other.name, T("it has no faces that a bone could show"))
    level = level_of(part)
    if level is not None and not (len(mesh.materials) and all(mesh.materials)):
        gray = gray_material(level)
        for slot in (each for each, material in enumerate(mesh.materials) if material is None):
            mesh.materials[slot] = gray
        if not len(mesh.materials):
            mesh.materials.append(gray)
    matrix = np.array(world_matrix(part).inverted_safe() @ world_matrix(other), np.float64)
    points = vertices_of(mesh).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    before = vertices_of(part.data) if isinstance(part.data, Mesh) else points[:0]
    if fits and len(before):
        sizes = [np.ptp(each, axis=0).max() for each in (before, points)]
        middles = [(each.min(axis=0) + each.max(axis=0)) / 2 for each in (before, points)]
        points = (points - middles[1]) * (sizes[0] / max(sizes[1], 1e-9)) + middles[0]
    mesh.vertices.foreach_set("co", np.ascontiguousarray(points, np.float32).ravel())
    if np.linalg.det(matrix[:3, :3]) < 0:
        mesh.flip_normals()
    mesh.tomb_raider.flags = part.data.tomb_raider.flags  # exports compute the bounding sphere
    mesh.update()
    put_mesh(part, mesh)
