"""Tools for meshes: recalculation of normals and spheres, and hiding of back faces."""

from __future__ import annotations

from typing import Any

import bmesh
import numpy as np
from bpy.types import Mesh
from mathutils import Matrix, Vector

from ....formats.levels.meshes import bounding_sphere
from ...core.space import Space
from ...mesh.blender_mesh import read_shape, read_values, vertices_of
from ..meshes.arrays import LIGHT, NORMAL
from ..meshes.layers import add_light, set_half_light
from ..meshes.normals import NORMAL_LENGTH, automatic_normals


def has_normals(mesh: Mesh) -> bool:
    """Return whether a mesh has the file's normals; meshes that do not move have light instead."""
    return _has(mesh, NORMAL, "FLOAT_VECTOR")


def has_own_light(mesh: Mesh) -> bool:
    """Return whether a mesh has light of its own; the game lights others by their normals."""
    return _has(mesh, LIGHT, "INT")


def _has(mesh: Mesh, name: str, data_type: str) -> bool:
    """Return whether a mesh has an attribute of vertices."""
    layer: Any = mesh.attributes.get(name)
    return layer is not None and (layer.domain, layer.data_type) == ("POINT", data_type)


def set_own_light(mesh: Mesh, on: bool) -> bool:
    """Give a mesh light of its own, or normals, and remove the other; return whether it changes.

    Its own light is the rendered color attribute, half light if there is none. Normals follow from the faces.
    """
    if has_own_light(mesh) == on and (on or has_normals(mesh)):
        return False
    for name in (NORMAL, LIGHT):
        if name in mesh.attributes:
            mesh.attributes.remove(mesh.attributes[name])
    if on:
        mesh.attributes.new(LIGHT, "INT", "POINT")
        add_light(mesh)
    else:
        mesh.attributes.new(NORMAL, "FLOAT_VECTOR", "POINT")
        recalculate_normals(mesh)
        set_half_light(mesh)
    mesh.update()
    return True


def recalculate_normals(mesh: Mesh) -> int:
    """Set the file's normals by the faces around each vertex; return the number of changed ones.

    A vertex without faces, or with faces in opposite directions, keeps its normal. Blender's custom normals,
    which have precedence, are not changed.
    """
    if not len(mesh.polygons):
        return 0
    before = read_values(mesh.attributes[NORMAL], len(mesh.vertices))
    unit = automatic_normals(read_shape(mesh))
    has_normal = np.linalg.norm(unit, axis=1) > 0.5
    # Integers, as in the file.
    after = np.where(has_normal[:, None], np.rint(unit * NORMAL_LENGTH), before).astype(np.float32)
    mesh.attributes[NORMAL].data.foreach_set("vector", after.ravel())
    mesh.update()
    return int((after != before).any(axis=1).sum())


def recalculate_sphere(mesh: Mesh, space: Space) -> None:
    """Fit the collision sphere to all vertices.

    Raises:
        ExportError: if a vertex is too far from the origin for the file.
    """
    vertices = space.to_file_int16(vertices_of(mesh), mesh.name, "a vertex")
    mesh.tomb_raider.center, mesh.tomb_raider.radius = bounding_sphere(vertices)


def hide_backs(mesh: Mesh, view: Matrix, *, is_perspective: bool) -> int:
    """Hide the faces of a mesh in edit mode that face away from a view, and return how many.

    Args:
        view: (4, 4), from the space of the viewer, who looks along -z, to the mesh's space.
        is_perspective: otherwise the view is orthographic.
    """
    edited = bmesh.from_edit_mesh(mesh)
    eye, towards = view.translation, view.to_3x3() @ Vector((0.0, 0.0, 1.0))
    count = 0
    for face in edited.faces:  # BMesh has no bulk access
        direction = eye - face.calc_center_median() if is_perspective else towards
        if not face.hide and face.normal.dot(direction) <= 0:
            face.hide_set(True)
            count += 1
    bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
    return count


def hide_only_backs(mesh: Mesh, view: Matrix, *, is_perspective: bool) -> int:
    """Hide the same faces as :func:`hide_backs` in the next edit mode, show others, and return how many.

    Edges and vertices are hidden with all their faces.
    """
    centers, normals = (np.empty(3 * len(mesh.polygons), np.float32) for _ in range(2))
    mesh.polygons.foreach_get("center", centers)
    mesh.polygons.foreach_get("normal", normals)
    eye, towards = np.array(view.translation), np.array(view.to_3x3() @ Vector((0.0, 0.0, 1.0)))
    directions = eye - centers.reshape(-1, 3) if is_perspective else towards
    hidden = (normals.reshape(-1, 3) * directions).sum(axis=1) <= 0
    sizes = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", sizes)
    is_corner_seen = np.repeat(~hidden, sizes)
    mesh.polygons.foreach_set("hide", hidden)
    for parts, name in ((mesh.vertices, "vertex_index"), (mesh.edges, "edge_index")):
        indices, is_hidden = np.empty(len(mesh.loops), np.int32), np.zeros(len(parts), np.bool_)
        mesh.loops.foreach_get(name, indices)
        is_hidden[indices] = True
        is_hidden[indices[is_corner_seen]] = False
        parts.foreach_set("hide", is_hidden)
    mesh.update()
    return int(hidden.sum())
