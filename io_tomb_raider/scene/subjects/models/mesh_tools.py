"""Tools for meshes: what users may want computed again, and what is in the way of their clicks."""

from __future__ import annotations

from typing import Any

import bmesh
import numpy as np
from bpy.types import Mesh
from mathutils import Matrix, Vector

from ....formats.meshes.meshes import bounding_sphere
from ...core.space import Space
from ...mesh.read import read_shape, read_values, vertices_of
from ..meshes.arrays import NORMAL, NORMAL_LENGTH, automatic_normals
from .mesh_block import to_int16


def has_normals(mesh: Mesh) -> bool:
    """Tell whether a mesh carries the file's normals; meshes that do not move carry light instead."""
    layer: Any = mesh.attributes.get(NORMAL)
    return layer is not None and (layer.domain, layer.data_type) == ("POINT", "FLOAT_VECTOR")


def recalculate_normals(mesh: Mesh) -> int:
    """Set the file's normals upright on the faces around each vertex, and return how many changed.

    A vertex that no face uses, or whose faces look in opposite directions, keeps its normal. Custom normals
    of Blender's, which would count more, are not touched.
    """
    if not len(mesh.polygons):
        return 0
    before = read_values(mesh.attributes[NORMAL], len(mesh.vertices))
    unit = automatic_normals(read_shape(mesh))
    found = np.linalg.norm(unit, axis=1) > 0.5
    # Whole numbers, as the file will hold them.
    after = np.where(found[:, None], np.rint(unit * NORMAL_LENGTH), before).astype(np.float32)
    mesh.attributes[NORMAL].data.foreach_set("vector", after.ravel())
    mesh.update()
    return int((after != before).any(axis=1).sum())


def recalculate_sphere(mesh: Mesh, space: Space) -> None:
    """Fit the collision sphere around all vertices.

    Raises:
        ExportError: where a vertex is further from the origin than the file can say.
    """
    vertices = to_int16(space.to_file_int(vertices_of(mesh), mesh.name, "a vertex"), mesh.name, "a vertex")
    mesh.tomb_raider.center, mesh.tomb_raider.radius = bounding_sphere(vertices)


def hide_backs(mesh: Mesh, view: Matrix, *, is_perspective: bool) -> int:
    """Hide the faces of a mesh in edit mode that show a view their back, and return how many.

    Args:
        mesh: it.
        view: (4, 4), from the eye, which looks along -z, to the mesh's own space.
        is_perspective: else all of the view looks along one direction.
    """
    edited = bmesh.from_edit_mesh(mesh)
    eye, towards = view.translation, view.to_3x3() @ Vector((0.0, 0.0, 1.0))
    count = 0
    for face in edited.faces:  # BMesh has no other way in than face by face
        way = eye - face.calc_center_median() if is_perspective else towards
        if not face.hide and face.normal.dot(way) <= 0:
            face.hide_set(True)
            count += 1
    bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
    return count
