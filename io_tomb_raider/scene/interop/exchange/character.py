"""Characters: meshes that follow any armature, in rest pose, with their weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Material, Mesh, Object
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import T
from ...core.blender.material_slots import shown_materials
from ...core.space import world_matrix
from ...core.subjects import Kind
from ...mesh.vertex_weights import read_weights
from ...subjects.meshes.arrays import MeshArrays
from ...subjects.meshes.placed import transform
from ...subjects.meshes.read import read_mesh
from ...subjects.meshes.shown import shown_mesh
from ...subjects.textures.coordinates import Coordinates
from ...subjects.textures.keys import MaterialKey
from ...subjects.textures.materials import MaterialKeys
from .skinned import at_rest


class Character(NamedTuple):
    """An armature and the meshes that follow it."""

    armature: Object
    objects: list[Object]  #: the mesh objects.


class Skin(NamedTuple):
    """A mesh of a character in rest pose."""

    name: str  #: of its object.
    arrays: MeshArrays  #: the mesh, relative to the armature's origin, along the axes of Blender's world.
    weights: NDArray[np.float32]  #: (n, b) float32, of n vertices for the b bones of the armature.


def character_of(objects: Iterable[Object], *, needs_meshes: bool = True) -> Character:
    """Return the armature that some objects follow, or are, and the meshes among them.

    If there are no meshes, all meshes that follow the armature count.

    Args:
        objects: the character's meshes, or its armature.
        needs_meshes: whether there must be a mesh; animations need none.

    Raises:
        ExportError: if there is no armature, several, or one of a level.
    """
    selected = list(objects)
    meshes = [each for each in selected if isinstance(each.data, Mesh)]
    armatures = dict.fromkeys(each for each in selected if each.type == "ARMATURE")
    for mesh in meshes:
        armature = _armature_of(mesh)
        if armature is None:
            text = T("it follows no armature: give it the modifier Armature, or make it a child of a bone")
            raise ExportError(mesh.name, text)
        armatures[armature] = None
    if not armatures:
        raise ExportError("Exchange", T("select a mesh that follows an armature"))
    if len(armatures) > 1:
        names = ", ".join(each.name for each in armatures)
        raise ExportError(names, T("select the meshes of one armature alone"))
    (armature,) = armatures
    if armature.tomb_raider.kind == Kind.MODEL:
        raise ExportError(armature.name, T("it is already a model of a level"))
    meshes = meshes or [each for each in bpy.data.objects if _armature_of(each) == armature and each.users]
    if needs_meshes and not meshes:
        raise ExportError(armature.name, T("no mesh follows it"))
    return Character(armature, sorted(meshes, key=lambda each: each.name))


def _armature_of(obj: Object) -> Object | None:
    if not isinstance(obj.data, Mesh):
        return None
    modifiers: list[Any] = [each for each in obj.modifiers if each.type == "ARMATURE"]
    result = next((each.object for each in modifiers if each.object is not None), None)
    if result is None and obj.parent is not None and obj.parent.type == "ARMATURE":
        result = obj.parent
    return result


def bones_in_order(armature: Object) -> list[Any]:
    """Return the bones of an armature, parents before children."""
    result: list[Any] = []
    waiting = [bone for bone in armature.data.bones if bone.parent is None][::-1]
    while waiting:
        bone = waiting.pop()
        result.append(bone)
        waiting += list(bone.children)[::-1]
    return result


def linear_matrix(armature: Object) -> NDArray[np.float64]:
    """Return the (3, 3) matrix from an armature's space to the axes of Blender's world."""
    return np.array(world_matrix(armature), np.float64)[:3, :3]


class _UnchangedMaterials(MaterialKeys):
    """Keeps all materials as the user's own, and ignores their mappings."""

    def __getitem__(self, material: Material) -> MaterialKey | None:
        return None

    def coordinates(self, material: Material) -> Coordinates:
        """Return only the UV map that a material names."""
        return Coordinates(uv_map=super().coordinates(material).uv_map)


def read_skins(character: Character) -> list[Skin]:
    """Read the meshes of a character in rest pose, with all modifiers except the armature.

    Raises:
        ExportError: if a mesh has no faces, or faces without weights.
    """
    names = [bone.name for bone in bones_in_order(character.armature)]
    return [_read(character.armature, obj, names) for obj in character.objects]


def _read(armature: Object, obj: Object, names: list[str]) -> Skin:
    with _without_armature(obj) as plain, shown_mesh(plain) as mesh:
        arrays = read_mesh(mesh, _UnchangedMaterials(), shown_materials(obj))
        weights = _weights(obj, mesh, names)
    if not len(arrays.sizes):
        raise ExportError(obj.name, T("it has no faces"))
    matrix = np.array(_at_rest(armature, obj), np.float64)
    matrix[:3, 3] -= np.array(world_matrix(armature).translation)
    arrays = transform(arrays, matrix)
    arrays.point, arrays.face, arrays.normals = {}, {}, None
    loose = int((_on_faces(arrays, weights).sum(axis=1) <= 0).sum())
    if loose:
        text = T("no bone moves these faces: give their vertices weights (Weight Paint > Assign Automatic)")
        raise ExportError(obj.name, text, count=loose, limit=0)
    return Skin(obj.name, arrays, weights)


def _on_faces(arrays: MeshArrays, weights: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the summed weights of the corners of each face, (f, b)."""
    result = np.zeros((len(arrays.sizes), weights.shape[1]))
    np.add.at(result, arrays.face_of_corner, weights[arrays.corners])
    return result


def bone_of_faces(skin: Skin, targets: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return the target bone with the most weight on each face, (f,).

    Args:
        targets: (b,) the target bone of each bone of the armature.
    """
    weights = np.zeros((len(skin.weights), count), np.float32)
    np.add.at(weights.T, targets, skin.weights.T)
    return np.asarray(_on_faces(skin.arrays, weights).argmax(axis=1), np.int64)


def _weights(obj: Object, mesh: Mesh, names: list[str]) -> NDArray[np.float32]:
    if obj.parent_type == "BONE":
        weights = np.zeros((len(mesh.vertices), len(names)), np.float32)
        weights[:, names.index(obj.parent_bone)] = 1.0
        return weights
    if not any(group.name in names for group in obj.vertex_groups):
        raise ExportError(obj.name, T("none of its vertex groups has the name of a bone"))
    return read_weights(obj, mesh, names)


def _at_rest(armature: Object, obj: Object) -> Any:
    """Return the matrix of an object in Blender's world while the armature is in rest pose."""
    if obj.parent_type != "BONE" or obj.parent != armature:
        return world_matrix(obj)
    return world_matrix(armature) @ at_rest(obj, armature.data.bones[obj.parent_bone])


@contextmanager
def _without_armature(obj: Object) -> Iterator[Object]:
    """Yield a temporary copy of an object without armature modifiers."""
    copy: Any = obj.copy()
    try:
        for modifier in [each for each in copy.modifiers if each.type == "ARMATURE"]:
            copy.modifiers.remove(modifier)
        yield copy
    finally:
        bpy.data.objects.remove(copy)
