"""Fixes of seams: gaps between faces, and textures turned against their neighbors."""

from __future__ import annotations

from typing import Any

import numpy as np
from bpy.types import Collection, Mesh, Object
from mathutils import Vector

from ....formats import ExportError
from ....formats.base import Floats, T
from ....formats.edits.checks import WIDEST
from ...core.membership import members_of
from ...core.space import world_matrix
from ...core.subjects import Kind
from ...mesh.blender_mesh import material_slots
from ...pipeline.checks.fixes import Fix, Place, meshes_of_note
from ...subjects.meshes.layers import shown_uv_map
from ...subjects.meshes.placed import world_vertices
from ..texture_tiles.shown import turn_shown

_HERE = 0.75  # units around the place of a note
_SAME = 0.9  # cosine of directions
_PARALLEL = 0.99
_NOTHING = T("the seam no longer exists. Check the level again")


def _weld(root: Collection, subject: str, place: Place | None = None) -> None:
    """Move the vertices of a room at a place to the nearest vertex that no edge connects with them."""
    room, mesh = next(meshes_of_note(root, subject, Kind.ROOM))
    if place is None:
        raise ExportError(subject, _NOTHING)
    scale = root.tomb_raider.scale
    points = world_vertices(room, mesh)
    distances = np.linalg.norm(points - np.array(place), axis=1)
    moved = np.flatnonzero(distances <= _HERE * scale)
    others = np.concatenate([points, *_others(root, room)])
    free = np.ones(len(others), bool)
    edges = np.empty(len(mesh.edges) * 2, np.int32)
    mesh.edges.foreach_get("vertices", edges)
    pairs = edges.reshape(-1, 2)
    free[pairs[np.isin(pairs, moved).any(axis=1)]] = False
    reach = np.linalg.norm(others - np.array(place), axis=1)
    near = np.flatnonzero(free & (reach > _HERE * scale) & (reach <= (WIDEST + 1) * scale))
    if not len(moved) or not len(near):
        raise ExportError(subject, _NOTHING)
    target = others[near[reach[near].argmin()]]
    position = world_matrix(room).inverted_safe() @ Vector(target.tolist())
    for row in moved.tolist():
        mesh.vertices[row].co = position
    mesh.update()


def _others(root: Collection, room: Object) -> list[Floats]:
    rooms = (each for each in members_of(root, Kind.ROOM) if each != room)
    return [world_vertices(each, each.data) for each in rooms if isinstance(each.data, Mesh)]


def _align(root: Collection, subject: str, place: Place | None = None) -> None:
    """Turn the texture of the face at a place until it is as on its neighbors with the same texture."""
    room, mesh = next(meshes_of_note(root, subject, Kind.ROOM))
    if place is None or not len(mesh.polygons):
        raise ExportError(subject, _NOTHING)
    points = world_vertices(room, mesh)
    centers = np.array([points[list(each.vertices)].mean(axis=0) for each in mesh.polygons])
    face = int(np.linalg.norm(centers - np.array(place), axis=1).argmin())
    neighbors = _neighbors(mesh, points, face)
    if not neighbors:
        raise ExportError(subject, _NOTHING)
    for _ in range(3):
        turn_shown(root, room, np.array([face]), quarters=1)
        right = _right(mesh, points, face)
        if all(float(right @ _right(mesh, points, each)) > _SAME for each in neighbors):
            return
    turn_shown(root, room, np.array([face]), quarters=1)  # as it was
    raise ExportError(subject, T("its neighbors do not agree. Turn the texture yourself"))


def _neighbors(mesh: Mesh, points: Floats, face: int) -> list[int]:
    """Return the faces in the plane of a face that share an edge with it, and show the same rectangle."""
    slots = material_slots(mesh)
    polygons: Any = mesh.polygons
    own_corners = {tuple(row) for row in np.rint(points[list(polygons[face].vertices)] * 1e4).tolist()}
    normal, rectangle = polygons[face].normal, _rectangle(mesh, face)
    result = []
    for index, polygon in enumerate(polygons):
        if index == face or slots[index] != slots[face] or polygon.normal.dot(normal) < _PARALLEL:
            continue
        corners = {tuple(row) for row in np.rint(points[list(polygon.vertices)] * 1e4).tolist()}
        if len(own_corners & corners) == 2 and np.abs(_rectangle(mesh, index) - rectangle).max() < 1 / 256:
            result.append(index)
    return result


def _uvs(mesh: Mesh, face: int) -> Floats:
    layer: Any = shown_uv_map(mesh)
    return np.array([layer.uv[loop].vector for loop in mesh.polygons[face].loop_indices], np.float64)


def _rectangle(mesh: Mesh, face: int) -> Floats:
    uvs = _uvs(mesh, face)
    return np.concatenate([uvs.min(axis=0), uvs.max(axis=0)])


def _right(mesh: Mesh, points: Floats, face: int) -> Floats:
    """Return the direction to the right on the texture of a face, in the world."""
    places, uvs = points[list(mesh.polygons[face].vertices)], _uvs(mesh, face)
    slope = np.linalg.pinv(places - places.mean(axis=0)) @ (uvs - uvs.mean(axis=0))[:, 0]
    return np.asarray(slope / max(float(np.linalg.norm(slope)), 1e-12))


FIXES = {
    "weld_gap": Fix("Weld", T("its vertices were moved to the nearest one there"), _weld),
    "align_texture": Fix("Turn Texture", T("the texture of the face there is as on its neighbors"), _align),
}
