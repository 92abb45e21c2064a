"""The face of a level under a ray, in object mode and edit mode."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import bmesh
import numpy as np
from bpy.types import Context, Mesh, Object
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ...scene.core import world_matrix
from ...scene.mesh import read_shape
from ..base.levels import level_of
from ..textures.operators import TEXTURED, edited_objects

_BEYOND = 1e-4  # how far behind a back that is not shown a ray goes on, in parts of its length


class FaceHit(NamedTuple):
    """A face under a ray."""

    obj: Object
    face: int  #: number of the face.
    distance: float  #: from the ray's origin.


def paintable_objects(context: Context) -> list[Object]:
    """Return the objects that the brush can paint: the edited ones, or all shown ones."""
    if context.mode == "EDIT_MESH":
        return edited_objects(context)
    return [
        obj
        for obj in context.visible_objects
        if obj.tomb_raider.kind in TEXTURED and isinstance(obj.data, Mesh) and level_of(obj) is not None
    ]


def hides_backs(context: Context) -> bool:
    """Return whether the view does not show the backs of one-sided faces."""
    space: Any = context.space_data
    shading = getattr(space, "shading", None)
    if shading is None:
        return True
    return shading.type in {"MATERIAL", "RENDERED"} or bool(shading.show_backface_culling)


class FacePicker:
    """Finds faces under rays. Valid while nothing but textures of the meshes changes.

    With ``skips_backs``, rays pass through the backs of one-sided faces.
    """

    def __init__(self, objects: Iterable[Object], *, skips_backs: bool) -> None:
        self._objects = list(objects)
        self._skips_backs = skips_backs
        self._boxes = np.array([_box(obj) for obj in self._objects]).reshape(-1, 2, 3)
        self._trees: dict[Mesh, BVHTree | None] = {}
        # Kept, since Blender adds layers to all elements for the first Python object of a BMesh.
        meshes: set[Any] = {obj.data for obj in self._objects}
        self._edited = {mesh: bmesh.from_edit_mesh(mesh) for mesh in meshes if mesh.is_editmode}

    def forget(self, obj: Object) -> None:
        """Read a mesh again, whose faces have changed."""
        mesh: Any = obj.data
        self._trees.pop(mesh, None)

    def find(self, origin: Vector, direction: Vector) -> FaceHit | None:
        """Return the first face that a ray meets, in the world."""
        ahead = direction.normalized()
        reached = np.flatnonzero(_meets(self._boxes, origin, ahead)).tolist()
        hits = [hit for number in reached for hit in self._hits(self._objects[number], origin, ahead)]
        return min(hits, key=lambda hit: hit.distance, default=None)

    def _hits(self, obj: Object, origin: Vector, ahead: Vector) -> Iterator[FaceHit]:
        mesh: Any = obj.data
        if mesh not in self._trees:
            self._trees[mesh] = _tree(mesh)
        tree, matrix = self._trees[mesh], world_matrix(obj)
        if tree is None or abs(matrix.determinant()) < 1e-12:
            return
        inverse = matrix.inverted()
        start, along = inverse @ origin, (inverse.to_3x3() @ ahead).normalized()
        for _ in range(64):
            position, normal, face, distance = tree.ray_cast(start, along)
            if position is None or normal is None or face is None or distance is None:
                return
            if self._is_shown(mesh, face, is_back=normal.dot(along) > 0):
                yield FaceHit(obj, face, (matrix @ position - origin).length)
                return
            start = position + along * max(distance * _BEYOND, 1e-5)

    def _is_shown(self, mesh: Any, number: int, *, is_back: bool) -> bool:
        edited = self._edited.get(mesh)
        if edited is not None:
            edited.faces.ensure_lookup_table()
            face: Any = edited.faces[number]
            if face.hide:
                return False
        else:
            face = mesh.polygons[number]
        if not (is_back and self._skips_backs):
            return True
        slot = face.material_index
        material = mesh.materials[slot] if slot < len(mesh.materials) else None
        return material is None or not material.use_backface_culling


def _tree(mesh: Any) -> BVHTree | None:
    if mesh.is_editmode:
        return BVHTree.FromBMesh(bmesh.from_edit_mesh(mesh))
    shape = read_shape(mesh)
    if not len(shape.sizes):
        return None
    corners = np.split(shape.corners, shape.starts[1:])
    return BVHTree.FromPolygons(shape.positions.tolist(), [face.tolist() for face in corners])


def _box(obj: Object) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the least and the greatest corner of an object's bounds in the world, (3,) each."""
    matrix = np.array(world_matrix(obj))
    mesh: Any = obj.data
    if mesh.is_editmode:
        points = np.array([vertex.co[:] for vertex in bmesh.from_edit_mesh(mesh).verts]).reshape(-1, 3)
    else:
        points = read_shape(mesh).positions.astype(np.float64)
    if not len(points):
        return np.full(3, np.inf), np.full(3, -np.inf)
    corners = points @ matrix[:3, :3].T + matrix[:3, 3]
    return corners.min(axis=0), corners.max(axis=0)


def _meets(boxes: np.ndarray[Any, Any], origin: Vector, ahead: Vector) -> np.ndarray[Any, Any]:
    """Return whether a ray meets boxes, (n,). `boxes`: (n, 2, 3), the least and the greatest corners."""
    distances = (boxes - origin[:]) / [each if abs(each) >= 1e-9 else 1e-9 for each in ahead]
    near, far = distances.min(axis=1).max(axis=1), distances.max(axis=1).min(axis=1)
    return np.asarray((near <= far + 1e-6) & (far >= 0))
