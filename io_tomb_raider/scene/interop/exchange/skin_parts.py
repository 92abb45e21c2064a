"""Split Skin: a skin becomes rigid meshes on the bones of its model, for games that do not bend meshes."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object
from numpy.typing import NDArray

from ....catalogue import JOINTS, SKINS, WELDED
from ....formats import Game
from ....formats.base import LARA
from ...core.membership import members_of
from ...core.subjects import Kind
from ...mesh.blender_mesh import read_all, rewrite_mesh
from ...mesh.poly_mesh import PolyMesh, transformed
from ...mesh.vertex_weights import read_weights
from ...subjects.meshes.shown import shown_mesh
from ...subjects.models.bones import own_bones
from ...subjects.models.seams import MOST_FREE, MOST_PAIRS, MOST_VERTICES
from ...subjects.skins.skins import show_skin
from ...transfer.append.replace import parts_of, put_mesh

_BLENDED = (0.2, 0.3, 0.4, 0.45)  # the least weight of both limbs on faces of a joint, until these are few


def split_skin(root: Collection, skin: Object, *, keep: bool = False) -> list[Object]:
    """Replace the meshes on the bones of a model by the parts of its skin; return their objects.

    Each face goes to the bone with the most weight on it. In a game that draws joints between Lara's limbs,
    faces that two limbs bend become her joints, as far as the engine can hold them.

    Args:
        keep: keep the skin.
    """
    armature: Any = skin.parent
    bones, parts = own_bones(armature), parts_of(armature)
    with shown_mesh(skin) as mesh:
        shape = read_all(mesh)
        weights = read_weights(skin, mesh, [bone.name for bone in bones])
    shape.positions = transformed(shape.positions, skin.matrix_local).astype(np.float32)
    on_faces = np.zeros((len(shape.sizes), len(bones)))
    np.add.at(on_faces, shape.face_of_corner, weights[shape.corners])
    on_faces /= np.maximum(on_faces.sum(axis=1, keepdims=True), 1e-12)
    bone_of = on_faces.argmax(axis=1)
    changed = []
    for number, joint in _joints(root, armature, len(bones)).items():
        above, below = WELDED[number]
        faces = _joint_faces(shape, on_faces, bone_of, above, below)
        bone_of[faces] = -1
        changed += [_put(joint, skin, shape, faces, bones[number].head_local)]
    for number, bone in enumerate(bones):
        if bone.name in parts:
            changed.append(_put(parts[bone.name], skin, shape, bone_of == number, bone.head_local))
    if not keep:
        data: Any = skin.data
        bpy.data.objects.remove(skin)
        if not data.users:
            bpy.data.meshes.remove(data)
    show_skin(armature)
    return changed


def _joints(root: Collection, armature: Object, bones: int) -> dict[int, Object]:
    """Return the meshes of the joints that the game draws between the limbs of a model, by number."""
    game = Game[root.tomb_raider.game]
    if game not in JOINTS or armature.tomb_raider.model.id not in (SKINS.get(game, LARA), LARA):
        return {}
    for model in members_of(root, Kind.MODEL):
        joints = own_bones(model) if model.tomb_raider.model.id == JOINTS[game] else []
        if len(joints) == bones:
            parts = parts_of(model)
            numbers = enumerate(bone.name for bone in joints)
            return {number: parts[name] for number, name in numbers if number in WELDED and name in parts}
    return {}


def _joint_faces(
    shape: PolyMesh, on_faces: NDArray[np.float64], bone_of: NDArray[np.int64], above: int, below: int
) -> NDArray[np.bool_]:
    """Return the faces of a joint, (f,): those that both limbs bend, if the engine's tables can hold them."""
    is_between = (bone_of == above) | (bone_of == below)
    for least in _BLENDED:
        faces = is_between & (on_faces[:, [above, below]].min(axis=1) >= least)
        vertices = _vertices(shape, faces)
        limbs = [_vertices(shape, (bone_of == limb) & ~faces) & vertices for limb in (above, below)]
        free = vertices - limbs[0] - limbs[1]
        fits = len(vertices) <= MOST_VERTICES and len(free) <= MOST_FREE
        if fits and max(map(len, limbs)) <= MOST_PAIRS:
            return faces
    return np.zeros(len(bone_of), np.bool_)


def _vertices(shape: PolyMesh, faces: NDArray[np.bool_]) -> set[int]:
    return set(shape.corners[faces[shape.face_of_corner]].tolist())


def _put(part: Object, skin: Object, shape: PolyMesh, faces: NDArray[np.bool_], head: Any) -> Object:
    """Give a part of a model some faces of a skin, relative to the head of its bone."""
    before: Any = part.data
    piece = shape.take_faces(faces).without_loose()
    piece.positions = (piece.positions - np.array(head)).astype(np.float32)
    mesh: Any = skin.data.copy()
    assert isinstance(mesh, Mesh)
    rewrite_mesh(mesh, piece)
    mesh.name = before.name
    settings = mesh.tomb_raider
    settings.flags, settings.radius = before.tomb_raider.flags, 0  # exports compute the sphere
    settings.is_hidden = before.tomb_raider.is_hidden
    put_mesh(part, mesh)
    if not before.users:
        bpy.data.meshes.remove(before)
    return part
