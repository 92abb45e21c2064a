"""Parts of rooms: separated meshes (P), imported geometry of projects, and meshes that join a room.

Imported geometry has a kind of its own, and belongs to the room that is its parent. A separated part has all
properties of the room, like a copy of it. The mesh distinguishes them: a copy has the same faces as the
room, a part has faces that the room lost.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from itertools import compress
from typing import Any

import bmesh
import bpy
import numpy as np
from bmesh.types import BMesh, BMVert
from bpy.types import Collection, Mesh, Object
from mathutils import Vector
from numpy.typing import NDArray

from ....formats import ExportError, Game, Room
from ....formats.base import T
from ....formats.levels.rooms import decode_faces
from ...core import original
from ...core.membership import members_of
from ...core.order import ordered
from ...core.space import world_matrix
from ...core.subjects import Kind
from ..meshes.arrays import PARKED, VERTEX
from ..meshes.layers import shown_color, shown_uv_map
from ..meshes.placed import world_vertices
from ..meshes.read import read_mesh
from ..object_textures.tools import slot_of
from .location.scene_rooms import SceneRooms
from .location.where import parents_of

_SAME_PLACE = 1e-5  # of a room's size: less than a unit of the file
_SHARED = 0.25  # of the fewer faces: a selection seen from one side may omit the opposite face of a pair


def find_parts(rooms: Iterable[Object], originals: Sequence[Room], game: Game) -> dict[Object, Object]:
    """Return the rooms of separated parts and of imported geometry, by object.

    ``rooms`` are all room objects of a level, and its imported geometry.
    """
    groups: dict[int, list[Object]] = {}
    objects = list(rooms)
    imported = [obj for obj in objects if obj.tomb_raider.kind == Kind.IMPORTED_GEOMETRY]
    room_objects = set(objects).difference(imported)
    for obj, _ in ordered(room_objects):
        if 0 <= obj.tomb_raider.index < len(originals):
            groups.setdefault(obj.tomb_raider.index, []).append(obj)
    result: dict[Object, Object] = {}
    for index, objects in groups.items():
        if len(objects) > 1:
            result |= _parts_of(objects, _file_faces(game, originals[index]))
    for obj in imported:
        room = _room_around(obj, room_objects)
        if room is not None:
            result[obj] = result.get(room, room)
    return result


def _room_around(obj: Object, rooms: Container[Object]) -> Object | None:
    """Return the nearest room among the parents of an object, else that of its collection, or None."""
    parent = next((parent for parent in parents_of(obj) if parent in rooms), None)
    if parent is not None:
        return parent
    homes = (home for home in obj.users_collection if home.tomb_raider.kind == Kind.ROOM)
    return next((room for home in homes for room, _ in ordered(home.objects) if room in rooms), None)


def _parts_of(objects: Sequence[Object], file_faces: set[bytes]) -> dict[Object, Object]:
    """Return the parts among objects with the same original room, with their rooms."""
    faces = {obj: _faces(obj) for obj in objects}
    result: dict[Object, Object] = {}
    # The first object is the room; others with collision are copies.
    rooms = [obj for index, obj in enumerate(objects) if not index or _has_collision(obj)]
    for obj in objects:
        own_faces = faces[obj]
        if _has_collision(obj) or 2 * len(own_faces & file_faces) <= len(own_faces):
            continue
        for room in rooms:
            fewer = min(len(own_faces), len(faces[room]))
            if room != obj and len(own_faces & faces[room]) <= _SHARED * fewer and room not in result:
                result[obj] = room
                break
    return result


def _has_collision(obj: Object) -> bool:
    return any(child.tomb_raider.kind == Kind.COLLISION for child in obj.children)


def _faces(obj: Object) -> set[bytes]:
    """Return the faces of a room as sorted original vertex numbers."""
    if not isinstance(obj.data, Mesh):
        return set()
    arrays = read_mesh(obj.data)
    numbers = arrays.point.get(VERTEX)
    return set() if numbers is None else _sets(arrays.vertex_rows(numbers))


def _file_faces(game: Game, room: Room) -> set[bytes]:
    result: set[bytes] = set()
    for faces in decode_faces(game, room):
        rows = np.full((len(faces.corners), 4), -1, np.int32)
        rows[:, : faces.corners.shape[1]] = faces.corners
        result |= _sets(rows)
    return result


def _sets(rows: NDArray[Any]) -> set[bytes]:
    return {row.tobytes() for row in np.sort(rows, axis=1)}


def room_of_part(root: Collection, part: Object) -> Object:
    """Return the room from which an object was separated.

    Raises:
        ExportError: where it was not separated from a room.
    """
    decoded = original.load(root)
    rooms = [*members_of(root, Kind.ROOM), *members_of(root, Kind.IMPORTED_GEOMETRY)]
    parts = {} if decoded is None else find_parts(rooms, decoded.level.rooms, decoded.level.game)
    if part not in parts:
        raise ExportError(part.name, T("it is no part of a room"))
    return parts[part]


def join_back(root: Collection, part: Object) -> Object:
    """Join a separated part to its room, weld the seam, and return the room.

    Raises:
        ExportError: where it was not separated from a room.
    """
    room = room_of_part(root, part)
    join(room, part)
    return room


def join(room: Object, part: Object) -> None:
    """Join a mesh object to a room's mesh in place, and remove the object.

    Vertices that separating duplicated are welded; children of the object become children of the room.
    """
    mesh, part_mesh = room.data, part.data
    assert isinstance(mesh, Mesh)
    assert isinstance(part_mesh, Mesh)
    slots = [slot_of(mesh, material) for material in part_mesh.materials]
    edited = bmesh.new()
    try:
        edited.from_mesh(mesh)
        vertices, faces = len(edited.verts), len(edited.faces)
        edited.from_mesh(part_mesh)
        edited.verts.ensure_lookup_table()
        edited.faces.ensure_lookup_table()
        added = edited.verts[vertices:]
        matrix = world_matrix(room).inverted_safe() @ world_matrix(part)
        bmesh.ops.transform(edited, matrix=matrix, verts=added)
        # Only bmesh keeps all layers, including users' own.
        for face in edited.faces[faces:]:
            face.material_index = slots[min(face.material_index, len(slots) - 1)] if slots else 0
        if matrix.is_negative:
            bmesh.ops.reverse_faces(edited, faces=edited.faces[faces:])
        _weld(edited, edited.verts[:vertices], added)
        edited.to_mesh(mesh)
    finally:
        edited.free()
    mesh.update()
    if part.tomb_raider.kind == Kind.IMPORTED_GEOMETRY and part_mesh.get(PARKED) is not None:
        mesh[PARKED] = [*(mesh.get(PARKED) or ()), *part_mesh[PARKED]]
    for child in part.children:
        child_matrix = world_matrix(child)
        child.parent, child.matrix_parent_inverse = room, world_matrix(room).inverted_safe()
        child.matrix_basis = child_matrix
    bpy.data.objects.remove(part)
    if not part_mesh.users:
        bpy.data.meshes.remove(part_mesh)


def move_faces(source: Object, target: Object, mask: NDArray[np.bool_]) -> None:
    """Move faces from one mesh object to another; they keep their positions in the world."""
    mesh = source.data
    assert isinstance(mesh, Mesh)
    moved: Any = mesh.copy()
    _delete(moved, ~mask)
    _delete(mesh, mask)
    carrier = bpy.data.objects.new("Carrier", moved)
    carrier.matrix_world = world_matrix(source)
    join(target, carrier)


def _delete(mesh: Mesh, mask: NDArray[np.bool_]) -> None:
    edited = bmesh.new()
    try:
        edited.from_mesh(mesh)
        # Only bmesh keeps all layers, including users' own.
        faces: list[Any] = list(compress(edited.faces, mask.tolist()))
        bmesh.ops.delete(edited, geom=faces, context="FACES")
        edited.to_mesh(mesh)
    finally:
        edited.free()
    mesh.update()


def _weld(edited: BMesh, verts: Sequence[BMVert], added: Sequence[BMVert]) -> None:
    """Weld added vertices to those with the same original number and position."""
    layer = edited.verts.layers.int.get(VERTEX)
    if layer is None:
        return
    tolerance = _SAME_PLACE * max((abs(part) for vertex in verts for part in vertex.co), default=0.0)
    before = {vertex[layer]: vertex for vertex in reversed(verts)}
    pairs: dict[Any, Any] = {
        vertex: before[vertex[layer]]
        for vertex in added
        if vertex[layer] in before and (vertex.co - before[vertex[layer]].co).length <= tolerance
    }
    bmesh.ops.weld_verts(edited, targetmap=pairs)


# --- Meshes of the user ----------------------------------------


def join_to_room(root: Collection, obj: Object) -> Object:
    """Join a user's mesh to the room that it is in or nearest to, and return the room.

    Vertices without light get the average light of the room.

    Raises:
        ExportError: where it is no mesh, or already part of a level, or the level has no rooms.
    """
    if not isinstance(obj.data, Mesh) or obj.tomb_raider.kind != Kind.NONE:
        raise ExportError(obj.name, T("only a mesh outside of levels can become a part of a room"))
    if not len(obj.data.vertices):
        raise ExportError(obj.name, T("it has no vertices"))
    points = world_vertices(obj, obj.data)
    room = SceneRooms(root).nearest(Vector((points.min(axis=0) + points.max(axis=0)) / 2))
    if room is None or not isinstance(room.data, Mesh):
        raise ExportError(root.name, T("it has no room with vertices"))
    mesh = room.data
    if obj.data.users > 1 or not obj.data.is_editable:
        obj.data = obj.data.copy()
    _fit_layers(obj.data, mesh)
    join(room, obj)
    return room


def _fit_layers(mesh: Any, room: Any) -> None:
    """Rename the UV map and color attribute of a mesh to those of its room; add light if missing."""
    uv_map, room_uv_map = shown_uv_map(mesh), shown_uv_map(room)
    if uv_map is not None and room_uv_map is not None:
        uv_map.name = room_uv_map.name
    if VERTEX in mesh.attributes:
        mesh.attributes.remove(mesh.attributes[VERTEX])  # numbers of another room's vertices
    light, color = shown_color(room), shown_color(mesh)
    if light is None:
        return
    if color is not None:
        color.name = light.name
        return
    new_light = mesh.color_attributes.new(light.name, light.data_type, light.domain)
    colors = np.empty((len(light.data), 4), np.float32)
    light.data.foreach_get("color", colors.ravel())
    new_light.data.foreach_set("color", np.tile(colors.mean(axis=0), (len(new_light.data), 1)).ravel())
