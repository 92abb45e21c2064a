"""Parts of rooms: what the user separated (P) into objects, and imported geometry of projects.

Imported geometry has a kind of its own, and belongs to the room that is its parent. A separated part has all
properties of the room, like a copy of it. The mesh distinguishes them: a copy has the same faces as the
room, a part has faces that the room lost.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any

import bmesh
import bpy
import numpy as np
from bmesh.types import BMesh, BMVert
from bpy.types import Collection, Mesh, Object
from numpy.typing import NDArray

from ....formats import ExportError, Game, Room
from ....formats.base import T
from ....formats.levels.rooms import decode_faces
from ...core import original
from ...core.membership import members_of
from ...core.order import ordered
from ...core.space import world_matrix
from ...core.subjects import Kind
from ..meshes.arrays import PARKED, VERTEX, read_mesh

_SAME_PLACE = 1e-5  # of a room's size: less than a unit of the file
_SHARED = 0.25  # of the fewer faces: a selection seen from one side may omit the opposite face of a pair


def find_parts(rooms: Iterable[Object], originals: Sequence[Room], game: Game) -> dict[Object, Object]:
    """Return the rooms of separated parts and of imported geometry, by object.

    Args:
        rooms: all room objects of a level, and its imported geometry.
        originals: the rooms of its file.
    """
    groups: dict[int, list[Object]] = {}
    objects = list(rooms)
    imported = [obj for obj in objects if obj.tomb_raider.kind == Kind.IMPORTED_GEOMETRY]
    whole = set(objects).difference(imported)
    for obj, _ in ordered(whole):
        if 0 <= obj.tomb_raider.index < len(originals):
            groups.setdefault(obj.tomb_raider.index, []).append(obj)
    result: dict[Object, Object] = {}
    for index, objects in groups.items():
        if len(objects) > 1:
            result |= _parts_of(objects, _file_faces(game, originals[index]))
    for obj in imported:
        room = _room_around(obj, whole)
        if room is not None:
            result[obj] = result.get(room, room)
    return result


def _room_around(obj: Object, rooms: Container[Object]) -> Object | None:
    """Return the nearest room among the parents of an object, else that of its collection, or None."""
    parent = obj.parent
    while parent is not None and parent not in rooms:
        parent = parent.parent
    homes = (home for home in obj.users_collection if home.tomb_raider.kind == Kind.ROOM)
    inside = (each for home in homes for each, _ in ordered(home.objects) if each in rooms)
    return next(inside, None) if parent is None else parent


def _parts_of(objects: Sequence[Object], known: set[bytes]) -> dict[Object, Object]:
    """Return the parts among objects with the same original room, with their rooms."""
    faces = {obj: _faces(obj) for obj in objects}
    result: dict[Object, Object] = {}
    # The first object is the room; others with collision are copies.
    whole = [obj for place, obj in enumerate(objects) if not place or _has_collision(obj)]
    for obj in objects:
        own = faces[obj]
        if _has_collision(obj) or 2 * len(own & known) <= len(own):
            continue
        for room in whole:
            fewer = min(len(own), len(faces[room]))
            if room != obj and len(own & faces[room]) <= _SHARED * fewer and room not in result:
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
    found = {} if decoded is None else find_parts(rooms, decoded.level.rooms, decoded.level.game)
    if part not in found:
        raise ExportError(part.name, T("it is no part of a room"))
    return found[part]


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
    mesh, other = room.data, part.data
    assert isinstance(mesh, Mesh)
    assert isinstance(other, Mesh)
    slots = _slots(mesh, other)
    edited = bmesh.new()
    try:
        edited.from_mesh(mesh)
        vertices, faces = len(edited.verts), len(edited.faces)
        edited.from_mesh(other)
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
    if part.tomb_raider.kind == Kind.IMPORTED_GEOMETRY and other.get(PARKED) is not None:
        mesh[PARKED] = [*(mesh.get(PARKED) or ()), *other[PARKED]]
    for child in part.children:
        place = world_matrix(child)
        child.parent, child.matrix_parent_inverse = room, world_matrix(room).inverted_safe()
        child.matrix_basis = place
    bpy.data.objects.remove(part)
    if not other.users:
        bpy.data.meshes.remove(other)


def move_faces(source: Object, target: Object, which: NDArray[np.bool_]) -> None:
    """Move faces from one mesh object to another; they keep their positions in the world.

    Args:
        source: the object that loses them.
        target: the object that gets them.
        which: (faces,), the faces to move.
    """
    mesh = source.data
    assert isinstance(mesh, Mesh)
    moved: Any = mesh.copy()
    _delete(moved, ~which)
    _delete(mesh, which)
    carrier = bpy.data.objects.new("Carrier", moved)
    carrier.matrix_world = world_matrix(source)
    join(target, carrier)


def _delete(mesh: Mesh, which: NDArray[np.bool_]) -> None:
    edited = bmesh.new()
    try:
        edited.from_mesh(mesh)
        # Only bmesh keeps all layers, including users' own.
        faces: list[Any] = [face for face, chosen in zip(edited.faces, which.tolist(), strict=True) if chosen]
        bmesh.ops.delete(edited, geom=faces, context="FACES")
        edited.to_mesh(mesh)
    finally:
        edited.free()
    mesh.update()


def _slots(mesh: Mesh, other: Mesh) -> list[int]:
    """Return the slots of a mesh with the materials of another one; append missing materials."""
    result = []
    for material in other.materials:
        if material not in list(mesh.materials):
            mesh.materials.append(material)
        result.append(list(mesh.materials).index(material))
    return result


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
