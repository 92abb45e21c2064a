"""Tools for rooms: make, duplicate and delete them, and make portals between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.base import T, gray_to_light
from ...core.membership import home_of, members, members_of, parent_as
from ...core.new_names import name_new
from ...core.space import Space, world_matrix
from ...core.subjects import OF_ROOMS, Kind
from ...mesh.blender_mesh import vertices_of
from ..meshes.layers import add_light
from ..meshes.placed import world_vertices
from ..meshes.read import read_mesh
from ..rooms.location.inhabitants import INHABITANTS, inhabitants
from ..rooms.new import sector_origin
from .portals import add_portal
from .states import RoomStates

_OWN_DATA = (*OF_ROOMS, Kind.PORTAL, Kind.COLLISION, Kind.LIGHT)  # kinds whose copies need their own data
_NEAR = 1.5  # units: tolerated distance of vertices from a plane


def new_room_collection(root: Collection, name: str) -> Collection:
    """Make a collection for a new room of a level."""
    collection = bpy.data.collections.new(name)
    collection.tomb_raider.kind = Kind.ROOM
    home_of(root, Kind.ROOMS).children.link(collection)
    return collection


def check_loose_mesh(obj: Object) -> None:
    """Raise an ExportError if an object is no mesh, already part of a level, or has no vertices."""
    if not isinstance(obj.data, Mesh) or obj.tomb_raider.kind != Kind.NONE:
        raise ExportError(obj.name, T("only a mesh outside of levels can become a room"))
    if not len(obj.data.vertices):
        raise ExportError(obj.name, T("a room needs vertices"))


def make_room(root: Collection, obj: Object, origin: NDArray[np.int64] | None = None) -> None:
    """Make a mesh object a room of a level; without collision an export gives it sectors as high as the mesh.

    The object's origin moves to the corner of its sectors; its vertices keep their positions in the world.

    Args:
        origin: (2,) x and z of that corner in world units; by default the sector corner of the mesh.

    Raises:
        ExportError: where it is no mesh, or already part of a level, or has no vertices.
    """
    check_loose_mesh(obj)
    space = Space.of(root)
    if obj.data.users > 1:
        obj.data = obj.data.copy()
    mesh: Any = obj.data
    matrix = world_matrix(obj)
    mesh.transform(matrix)
    if matrix.is_negative:
        mesh.flip_normals()
    if origin is None:
        low = space.to_file(vertices_of(mesh), obj.name, "a vertex").min(axis=0)
        origin = sector_origin(low[[0, 2]])
    x, z = origin.tolist()
    corner = np.array(space.to_blender([x, 0, z]), np.float64)
    mesh.transform(Matrix.Translation((-corner).tolist()))
    mesh.update()
    obj.parent = None
    obj.matrix_basis = Matrix.Translation(corner.tolist())
    for collection in list(obj.users_collection):
        collection.objects.unlink(obj)
    new_room_collection(root, obj.name).objects.link(obj)
    settings = obj.tomb_raider
    settings.kind, settings.index = Kind.ROOM, -1
    add_light(mesh)
    _light_room(obj, Game[root.tomb_raider.game])


def _light_room(obj: Object, game: Game) -> None:
    """Set the ambient light of a room to the average color of its vertices."""
    assert isinstance(obj.data, Mesh)
    settings = obj.tomb_raider.room
    mean = np.rint(read_mesh(obj.data).colors[:, :3].mean(axis=0))
    if game.traits.has_room_color:
        settings.color = (*(mean / 255).tolist(), 0.0)
    if game.traits.has_ambient:
        settings.ambient = int(gray_to_light(np.rint(mean.mean(keepdims=True)).astype(np.uint8))[0])
    if game.traits.has_second_light:
        settings.ambient2 = settings.ambient


def duplicate_room(root: Collection, room: Object) -> Object:
    """Duplicate a room and its parts into a new collection, and return the new room."""
    objects = [room, *(each for each in room.children_recursive if each.tomb_raider.kind not in INHABITANTS)]
    copies: dict[Object, Any] = {obj: obj.copy() for obj in objects}
    new_room: Object = copies[room]
    name_new(root, new_room, room.name, Kind.ROOM)
    room_collection = new_room_collection(root, new_room.name)
    for obj, duplicate in copies.items():
        if obj.data is not None and obj.tomb_raider.kind in _OWN_DATA:
            duplicate.data = obj.data.copy()
        if obj.parent in copies:
            parent_as(duplicate, obj, copies[obj.parent])
        for collection in obj.users_collection:
            target = room_collection if collection.tomb_raider.kind == Kind.ROOM else collection
            target.objects.link(duplicate)
        if duplicate.tomb_raider.kind == Kind.TRIGGER and duplicate.tomb_raider.trigger.room == room:
            duplicate.tomb_raider.trigger.room = new_room
        if duplicate.tomb_raider.kind == Kind.COLLISION:
            duplicate.name = f"{new_room.name} Collision"
    return new_room


class Deleted(NamedTuple):
    """The inhabitants of a deleted room."""

    deleted: list[str]  #: the names of deleted ones.
    kept: list[str]  #: the names of those that belonged to the room, but are in another one.


def delete_room(root: Collection, room: Object, *, with_inhabitants: bool) -> Deleted:
    """Delete a room and its parts, optionally with its inhabitants, and return what became of these.

    Inhabitants are entities, AI objects, cameras, sinks and sound sources. Kept ones keep their positions.
    """
    inside, outside = inhabitants(root, room)
    kept = outside if with_inhabitants else [*inside, *outside]
    names = Deleted([obj.name for obj in inside] if with_inhabitants else [], [obj.name for obj in outside])
    for obj in kept:
        matrix = world_matrix(obj)
        obj.parent = None
        obj.matrix_basis = matrix
        group = INHABITANTS[obj.tomb_raider.kind]
        if group and getattr(obj.tomb_raider, group).room == room:
            getattr(obj.tomb_raider, group).room = None
    collections = [each for each in room.users_collection if each.tomb_raider.kind == Kind.ROOM]
    parts = [obj for obj in room.children_recursive if obj.tomb_raider.kind not in INHABITANTS]
    bpy.data.batch_remove([room, *parts, *(inside if with_inhabitants else ())])
    bpy.data.batch_remove([each for each in collections if not members(each) and not each.children])
    return names


# --- Portals ----------------------------------------


def open_portals(root: Collection, first: Object, second: Object) -> list[Object]:
    """Make the portals between two rooms whose meshes meet in a plane, and return them.

    Their alternate rooms get portals, too. Portals refer to base rooms instead of alternate ones, as in real
    levels.

    Raises:
        ExportError: where the rooms do not meet, or all portals exist.
    """
    states = RoomStates(root)
    existing: dict[tuple[Object | None, Object], Object] = {}
    for obj in members_of(root, Kind.PORTAL):
        target = obj.tomb_raider.portal.room
        if target is not None:
            existing.setdefault((obj.parent, states.named(target)), obj)
    space = Space.of(root)
    quads = _quads(space, states, first, second)
    old_portal = next((existing[pair] for pair in quads if pair in existing), None)
    new_quads = {pair: corners for pair, corners in quads.items() if pair not in existing}
    if not new_quads and old_portal is not None:
        raise ExportError(old_portal.name, T("there is already a portal between these rooms"))
    collection = home_of(root, Kind.PORTALS)
    result = [add_portal(*pair, corners, collection) for pair, corners in new_quads.items()]
    root.tomb_raider.imported |= {"PORTALS"}
    return result


def _quads(
    space: Space, states: RoomStates, first: Object, second: Object
) -> dict[tuple[Object, Object], NDArray[np.float64]]:
    """Return the portals that two rooms and their alternates should have, by owner and target.

    These are corners, (4, 3) in Blender units, counterclockwise seen from the owner.
    """
    result: dict[tuple[Object, Object], NDArray[np.float64]] = {}
    points = {room: world_points(space, room) for room in (first, second)}
    for owner in states.at(first):
        for neighbor in states.at(second):
            if not states.can_meet(owner, neighbor):
                continue
            ends = [points.get(room, _points_if_any(space, room)) for room in (owner, neighbor)]
            opening = find_opening(ends) if all(len(each) for each in ends) else None
            if opening is None:
                continue
            corners, is_below = space.to_blender(opening[0]).astype(np.float64), opening[1]
            result.setdefault((owner, states.named(neighbor)), corners[::-1] if is_below else corners)
            result.setdefault((neighbor, states.named(owner)), corners if is_below else corners[::-1])
    if not result:
        problem = T("it does not meet {other} in a plane along the axes", other=second.name)
        raise ExportError(first.name, problem)
    return result


def _points_if_any(space: Space, room: Object) -> NDArray[np.float64]:
    has_any = isinstance(room.data, Mesh) and len(room.data.vertices)
    return world_points(space, room) if has_any else np.zeros((0, 3))


def find_opening(points: Sequence[NDArray[np.float64]]) -> tuple[NDArray[np.float64], bool] | None:
    """Find the largest rectangle in which two rooms with vertices (n, 3), in world units, meet.

    Return its corners, (4, 3), counterclockwise seen from the side of greater coordinates, and whether the
    first room is on the side of smaller ones; or None.
    """
    best: tuple[float, NDArray[np.float64], bool] | None = None
    for axis in range(3):
        axes = [axis - 2, axis - 1]  # the next two axes, for a right-handed system
        for plane, is_below in _planes(points, axis):
            vertices = [each[np.abs(each[:, axis] - plane) <= _NEAR][:, axes] for each in points]
            if not all(len(each) for each in vertices):
                continue
            low = np.max([each.min(axis=0) for each in vertices], axis=0)
            high = np.min([each.max(axis=0) for each in vertices], axis=0)
            area = float(np.prod(high - low)) if (high - low > _NEAR).all() else 0.0
            if area and (best is None or area > best[0]):
                corners = np.full((4, 3), plane)
                corners[:, axes] = [low, (high[0], low[1]), high, (low[0], high[1])]
                best = area, corners, is_below
    return None if best is None else best[1:]


def _planes(points: Sequence[NDArray[np.float64]], axis: int) -> list[tuple[float, bool]]:
    """Return candidate planes between two rooms, and whether the first room is below each."""
    (low, high), (low2, high2) = ((each[:, axis].min(), each[:, axis].max()) for each in points)
    return [(high, True), (low2, True), (low, False), (high2, False)]


def world_points(space: Space, room: Object) -> NDArray[np.float64]:
    """Return the positions of a room's vertices, (n, 3), in whole world units.

    Raises:
        ExportError: where it has none.
    """
    if not isinstance(room.data, Mesh) or not len(room.data.vertices):
        raise ExportError(room.name, T("it has no vertices"))
    return np.rint(space.to_file(world_vertices(room, room.data), room.name, "a vertex"))
