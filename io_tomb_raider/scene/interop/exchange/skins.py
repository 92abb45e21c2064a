"""Skins made of the rigid meshes of a model, or of any mesh that follows an armature."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object
from mathutils.kdtree import KDTree
from numpy.typing import NDArray

from ....catalogue import WELDED
from ....formats import ExportError
from ....formats.base import T
from ....formats.editors.wads import pairs_of, weights_of
from ...core.blender.cleanup import undone_on_failure
from ...mesh.blender_mesh import read_all, rewrite_mesh
from ...mesh.poly_mesh import MATERIAL_INDEX, PolyMesh, join, transformed
from ...mesh.vertex_weights import write_weights
from ...subjects.meshes.arrays import LIGHT, NORMAL
from ...subjects.models.bones import own_bones, own_parent
from ...subjects.models.welds import limbs_of
from ...subjects.skins.skins import PART, new_skin, show_skin, skins_of
from ...transfer.adoption.adoption import adopt
from ...transfer.append.replace import parts_of
from ...transfer.engine.motion import bones_of
from .character import character_of, read_skins
from .gather import Placed
from .matching import fit_of, match_skin
from .pieces import welded
from .skinned import at_rest, attachments_of
from .split import joined_part, mesh_of_part, pivots_of

_NEAR = 1.5  # units, as the engines of TR4 and TR5 weld vertices
_SAME = 0.01  # units
_SAME_SKELETON = 0.05  # of its size


class _Piece(NamedTuple):
    """A part of a skin: a mesh in the space of the armature, and the weights of its vertices."""

    shape: PolyMesh
    materials: Sequence[Any]
    weights: NDArray[np.float64]  #: (n, bones).
    part: int  #: as `PART`.


def make_skin(root: Collection, armature: Object, *, joints: bool = True, smoothing: int = 2) -> Object:
    """Make the meshes on the bones of a model its skin, and hide them below it.

    Vertices of neighboring bones that are near each other are merged, and weights are smoothed there.

    Args:
        joints: include the joints that TR4 and TR5 draw between the limbs.
        smoothing: how often weights are averaged along edges.

    Raises:
        ExportError: if no bone has a mesh.
    """
    pieces, parents = _pieces(root, armature, joints=joints)
    near = _NEAR * root.tomb_raider.scale
    shape, weights = _merged(pieces, parents, near)
    for _ in range(smoothing):
        weights = _smoothed(shape, weights)
    written = weights_of(pairs_of(weights.astype(np.float32)), len(parents))
    parts = parts_of(armature)
    mesh: Any = next(iter(parts.values())).data.copy()
    mesh.name = f"{armature.name} Skin"
    mesh.materials.clear()
    for material in _slots(pieces):
        mesh.materials.append(material)
    rewrite_mesh(mesh, shape)
    for key, _ in [*mesh.items()]:
        if key.startswith("tr_"):
            del mesh[key]  # faces of the first part that Blender cannot hold
    skin = _put(armature, mesh, written)
    for part in parts.values():
        part.data.tomb_raider.is_hidden = True
    show_skin(armature)
    return skin


def _pieces(root: Collection, armature: Object, *, joints: bool) -> tuple[list[_Piece], list[int]]:
    """Return the parts of a model, and the parents of its bones."""
    bones, parts = own_bones(armature), parts_of(armature)
    names = [bone.name for bone in bones]
    limbs = [
        (bone.name, Placed(parts[bone.name], at_rest(parts[bone.name], bone)))
        for bone in bones
        if bone.name in parts and len(parts[bone.name].data.polygons)
    ]
    if not limbs:
        raise ExportError(armature.name, T("its bones have no meshes"))
    pieces = [
        _piece(placed, {name: np.ones(len(placed.obj.data.vertices))}, names, names.index(name) + 1)
        for name, placed in limbs
    ]
    if joints:
        shown = [
            obj
            for figure in root.children_recursive
            if any(child.tomb_raider.model == armature for child in figure.children)
            for obj in figure.objects
            if not any(each.type == "CHILD_OF" for each in obj.constraints)
        ]
        attached = attachments_of(armature, shown, limbs, root.tomb_raider.scale)
        pieces += [_piece(each.placed, each.weights, names, -_joint_of(each.placed.obj)) for each in attached]
    above = [own_parent(bone) for bone in bones]
    return pieces, [-1 if each is None else names.index(each.name) for each in above]


def _joint_of(obj: Object) -> int:
    """Return the number of the joint that an object of a figure shows, 0 for none."""
    sides = tuple(-1 if limb is None else int(limb.tomb_raider.index) for limb in limbs_of(obj))
    return next((number for number, each in WELDED.items() if each == sides), 0)


def _piece(
    placed: Placed, weights: dict[str, NDArray[np.float64]], names: Sequence[str], part: int
) -> _Piece:
    mesh: Any = placed.obj.data
    shape = read_all(mesh)
    shape.positions = transformed(shape.positions, placed.matrix).astype(np.float32)
    columns = [weights.get(name, np.zeros(len(shape.positions))) for name in names]
    return _Piece(shape, list(mesh.materials), np.stack(columns, axis=1), part)


def _slots(pieces: Iterable[_Piece]) -> list[Any]:
    return list(dict.fromkeys(material for piece in pieces for material in piece.materials))


def _merged(
    pieces: Sequence[_Piece], parents: Sequence[int], near: float
) -> tuple[PolyMesh, NDArray[np.float64]]:
    """Join pieces; vertices near one of an earlier piece of a neighboring bone become that one."""
    slots = _slots(pieces)
    for piece in pieces:
        numbers = np.array([slots.index(each) for each in piece.materials] or [0], np.int32)
        index = piece.shape.face[MATERIAL_INDEX].clip(0, len(numbers) - 1)
        piece.shape.face[MATERIAL_INDEX] = numbers[index]
        piece.shape.face[PART] = np.full(len(index), piece.part, np.int32)
        for name in (NORMAL, LIGHT):
            if not all(name in each.shape.point for each in pieces):
                piece.shape.point.pop(name, None)
    joined = join([piece.shape for piece in pieces])
    weights = np.concatenate([piece.weights for piece in pieces])
    ends = np.cumsum([len(piece.weights) for piece in pieces]).tolist()
    used = [set(np.flatnonzero(piece.weights.any(axis=0)).tolist()) for piece in pieces]
    target = np.arange(len(weights))
    for number, (piece, end) in enumerate(zip(pieces, ends, strict=True)):
        touched = used[number] | {parents[bone] for bone in used[number]}
        touched |= {bone for bone, parent in enumerate(parents) if parent in used[number]}
        others = [each for each in range(number) if used[each] & touched]
        rows = [row for each in others for row in range(ends[each] - len(pieces[each].weights), ends[each])]
        _merge(joined.positions, rows, range(end - len(piece.weights), end), target, near)
    kept, numbers = np.unique(target, return_inverse=True)
    numbers = numbers.reshape(-1)
    summed = np.zeros((len(kept), weights.shape[1]))
    np.add.at(summed, numbers, weights)
    return joined.merge(kept, numbers), summed / summed.sum(axis=1, keepdims=True)


def _merge(
    points: NDArray[Any], rows: Sequence[int], new: Iterable[int], target: NDArray[np.int64], near: float
) -> None:
    """Set the targets of vertices near others, at most one for each, so that no face loses a corner."""
    if not rows:
        return
    tree = KDTree(len(rows))
    for row in rows:
        tree.insert(points[row].tolist(), row)
    tree.balance()
    taken: set[int] = set()
    for vertex in new:
        nearest: Any = tree.find(points[vertex].tolist())
        _, row, distance = nearest
        if distance < near and int(target[row]) not in taken:
            target[vertex] = target[row]
            taken.add(int(target[row]))


def _smoothed(shape: PolyMesh, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each vertex's weights and of the mean of those at the other ends of its edges."""
    last = shape.starts + shape.sizes - 1
    following = np.arange(1, len(shape.corners) + 1)
    following[last] = shape.starts
    ends = shape.corners, shape.corners[following]
    total, count = np.zeros_like(weights), np.zeros(len(weights))
    for first, second in (ends, ends[::-1]):
        np.add.at(total, first, weights[second])
        np.add.at(count, first, 1)
    mean = np.where(count[:, None] > 0, total / np.maximum(count, 1)[:, None], weights)
    return np.asarray((weights + mean) / 2)


def _put(armature: Object, mesh: Mesh, weights: NDArray[np.floating]) -> Object:
    """Make a mesh the skin of a model, also in place of another one."""
    settings = mesh.tomb_raider
    settings.index, settings.radius, settings.is_hidden = -1, 0, False  # exports compute the sphere
    for old in skins_of(armature):
        before: Any = old.data
        bpy.data.objects.remove(old)
        if not before.users:
            bpy.data.meshes.remove(before)
    skin = new_skin(armature, mesh)
    write_weights(skin, [bone.name for bone in own_bones(armature)], weights)
    return skin


def use_as_skin(root: Collection, objects: Iterable[Object], armature: Object) -> Object:
    """Make meshes that follow another armature the skin of a model, in its pose at rest.

    If their joints are those of the model at another size, the meshes get the size of the model. Vertices at
    one place with equal weights are merged.

    Args:
        objects: the meshes, or their armature.

    Raises:
        ExportError: if there is no such mesh, or a face without weights.
    """
    character = character_of(objects)
    sources = read_skins(character)
    moving = np.any([source.weights.any(axis=0) for source in sources], axis=0)
    matches, names = match_skin(character.armature, armature, moving), bones_of(armature)
    fit = fit_of(character.armature, armature, matches)
    pivots = pivots_of(character.armature, armature, names, matches)
    heads = np.array([armature.data.bones[name].head_local for name in names], np.float64)
    turns = np.array([fit.to_target_rest(fit.target.names.index(name)) for name in names])
    turns *= _size(pivots @ fit.rest_turn.T, heads, matches.pivots >= 0)
    pieces, weights = [], []
    for source in sources:
        values = np.zeros((len(source.weights), len(names)))
        np.add.at(values.T, matches.targets, source.weights.T)
        values /= np.maximum(values.sum(axis=1, keepdims=True), 1e-12)
        apart = source.arrays.positions[:, None].astype(np.float64) - pivots
        places = np.einsum("bij,nbj->nbi", turns, apart) + heads
        source.arrays.positions = (places * values[:, :, None]).sum(axis=1).astype(np.float32)
        rows = np.hstack((source.arrays.positions / (_SAME * root.tomb_raider.scale), values * 1000))
        piece, kept = welded(source.arrays, np.rint(rows))
        pieces.append(piece)
        weights.append(values[kept])
    with undone_on_failure():
        mesh = mesh_of_part(joined_part("", pieces), f"{armature.name} Skin")
        skin = _put(armature, mesh, np.concatenate(weights))
        for part in parts_of(armature).values():
            part.data.tomb_raider.is_hidden = True
        show_skin(armature)
    adopt(root)
    return skin


def _size(joints: NDArray[np.float64], heads: NDArray[np.float64], is_matched: NDArray[np.bool_]) -> float:
    """Return the size of a model by that of a skeleton, from their joints, (m, 3); 1 if these are unlike."""
    joints, heads = (each[is_matched] - each[is_matched].mean(axis=0) for each in (joints, heads))
    if not joints.any() or not heads.any():
        return 1.0
    size = np.linalg.norm(heads) / np.linalg.norm(joints)
    is_same = np.abs(joints * size - heads).max() < _SAME_SKELETON * np.abs(heads).max()
    return float(size) if is_same else 1.0
