"""The meshes of a model as one rigid body per bone, posed as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from bpy.types import Mesh, Object
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats.base import Floats
from ....formats.levels.animations import matrices_from_quaternions
from ...core.subjects import Kind
from ...subjects.animations.keys.key_poses import RestPose


@dataclass(frozen=True, eq=False)
class Body:
    """The n vertices and t triangles of all meshes of a model."""

    points: Floats  #: (n, 3), relative to the pose of their bone, in Blender's units.
    #: for each bone with a mesh, its number and its first vertex and the one after its last.
    parts: list[tuple[int, int, int]]
    triangles: NDArray[np.int64]  #: (t, 3), numbers of vertices.

    @classmethod
    def of(cls, armature: Object, rest: RestPose) -> Body:
        """Return the body of a model. Modifiers and meshes on no bone of it are left out."""
        points: list[Floats] = []
        triangles: list[NDArray[np.int64]] = []
        parts: list[tuple[int, int, int]] = []
        count = 0
        for obj in meshes_of(armature):
            bone = rest.number(obj.parent_bone) if obj.parent_type == "BONE" else -1
            mesh: Any = obj.data
            if bone < 0 or not len(mesh.vertices):
                continue
            flat = np.empty(3 * len(mesh.vertices), np.float32)
            mesh.attributes["position"].data.foreach_get("vector", flat)
            matrix = np.array(_on_bone(armature, obj))
            points.append(flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3])
            mesh.calc_loop_triangles()
            corners = np.empty(3 * len(mesh.loop_triangles), np.int32)
            mesh.loop_triangles.foreach_get("vertices", corners)
            triangles.append(corners.reshape(-1, 3) + np.int64(count))
            parts.append((bone, count, count + len(mesh.vertices)))
            count += len(mesh.vertices)
        return cls(
            np.concatenate(points) if points else np.zeros((0, 3)),
            parts,
            np.concatenate(triangles) if triangles else np.zeros((0, 3), np.int64),
        )

    def posed(self, whole: Floats, heads: Floats) -> Floats:
        """Return the vertices in k poses, (k, n, 3) in the space of the armature.

        Args:
            whole: (k, m, 4), orientations of the m bones.
            heads: (k, m, 3), their joints.
        """
        turns = matrices_from_quaternions(whole)
        result = np.empty((len(whole), len(self.points), 3))
        for bone, first, end in self.parts:
            result[:, first:end] = self.points[first:end] @ turns[:, bone].swapaxes(-1, -2)
            result[:, first:end] += heads[:, bone, None]
        return result


def meshes_of(armature: Object) -> list[Object]:
    """Return the mesh objects of a model."""
    # Object.children walks over all objects of the file.
    homes = armature.users_collection
    found = {obj: None for home in homes for obj in home.objects if obj.parent == armature}
    return [obj for obj in found if isinstance(obj.data, Mesh)]


def _on_bone(armature: Any, obj: Object) -> Matrix:
    """Return the matrix from a mesh to its bone's pose. Blender parents objects to the tail of a bone."""
    tail = Matrix.Translation((0.0, armature.data.bones[obj.parent_bone].length, 0.0))
    return tail @ obj.matrix_parent_inverse @ obj.matrix_basis


def seen_armature(model: Object) -> Object:
    """Return the armature that shows a model: itself, or the model that the game draws in its place."""
    for figure in bpy.data.collections:
        if figure.tomb_raider.kind == Kind.MODEL and figure.tomb_raider.model == model:
            for child in figure.children:
                skin = child.tomb_raider.model
                if skin is not None and skin != model and child.tomb_raider.kind == Kind.MODEL:
                    return skin
    return model
