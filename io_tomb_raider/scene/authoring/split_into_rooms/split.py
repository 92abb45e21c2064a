"""Split into Rooms: mesh objects of any size become connected rooms of a level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import bmesh
import bpy
import numpy as np
from bpy.types import Collection, Material, Mesh, Object
from mathutils import Vector

from ....formats import ExportError, Game
from ....formats.base import CLICK, SECTOR_SIZE, T
from ....formats.levels.collision import NO_ROOM, wall_sectors
from ...core.blender.cleanup import undone_on_failure
from ...core.context import ImportOptions
from ...core.membership import members_of
from ...core.reporting.progress import Listener
from ...core.space import Space
from ...core.subjects import Kind
from ...mesh.blender_mesh import edited_mesh, vertices_of, write_mesh
from ...mesh.poly_mesh import MATERIAL_INDEX, PolyMesh
from ...pipeline.importer import hide_libraries, start_level
from ...subjects.collision.record import CollisionRecord
from ...subjects.collision.size import add_collision
from ...subjects.meshes.arrays import COLOR, UV_MAP
from ...subjects.portals.room_tools import make_room
from ..collision_from_mesh.make import room_from_mesh, size_of
from ..placeholder_textures import gray_material
from ..portals.openings import connect_all
from .gather import GatheredFaces, gather
from .plan import RoomLimits, drawn_vertices, find_pieces
from .soup import CAP, some_faces

_HEIGHTS = 126  # clicks above and below the origin, the range of sectors
_MARGIN = 10  # sectors from the world's corner to the first room of a new level


class SplitResult(NamedTuple):
    """The result of a split."""

    root: Collection
    rooms: list[Object]  #: the new rooms.
    pairs: int  #: the number of connected pairs of rooms.
    portals: int  #: the number of new portals.
    alone: tuple[str, ...]  #: the names of rooms without connections.
    crowded: tuple[str, ...]  #: the names of rooms with more vertices than the limit.
    #: the names of objects with faces without a material, which got a plain one.
    without_material: tuple[str, ...]


def split_into_rooms(
    root: Collection | Game,
    objects: Sequence[Object],
    limits: RoomLimits,
    *,
    listener: Listener | None = None,
) -> SplitResult:
    """Create rooms from mesh objects, which are kept and hidden.

    Args:
        root: the level, or the game of a new one.
        objects: mesh objects that are no part of a level.

    Raises:
        ExportError: if there are no faces, or too many for a level. The scene is then unchanged.
    """
    report = listener or (lambda step, share: None)
    report("Reading", 0.0)
    space = Space() if isinstance(root, Game) else Space.of(root)
    with undone_on_failure():
        gathered = gather(objects, space)
        _check(gathered.soup, objects)
        # Most time is spent on cuts, next to none on a new level.
        pieces = find_pieces(gathered.soup, limits, lambda step, share: report(step, 0.1 + share * 0.5))
        is_new = isinstance(root, Game)
        if isinstance(root, Game):
            root = _new_level(root, gathered.soup)
        _check_count(root, pieces)
        imported = set(root.tomb_raider.imported)
        try:
            name = objects[0].name if len(objects) == 1 else "Room"
            rooms = _make(root, pieces, _named(root, gathered), space, name, report)
            report("Portals", 0.9)
            connected = connect_all(root, rooms, clear=False, through=False)
        except BaseException:
            root.tomb_raider.imported = imported
            raise
        if is_new:
            hide_libraries(root)  # a level without rooms shows them
    for obj in objects:
        obj.hide_viewport = obj.hide_render = True
    crowded = [
        room.name
        for room, piece in zip(rooms, pieces, strict=True)
        if drawn_vertices(piece) > limits.vertices
    ]
    names = tuple(gathered.without_material)
    return SplitResult(
        root, rooms, connected.pairs, connected.portals, connected.alone, tuple(crowded), names
    )


def _check(soup: PolyMesh, objects: Sequence[Object]) -> None:
    """Check that there are faces, and that they fit the height range of sectors.

    Raises:
        ExportError: if not.
    """
    name = objects[0].name if objects else "Split into Rooms"
    if not len(soup.sizes):
        raise ExportError(name, T("there are no faces to make rooms from: select meshes with faces"))
    top, bottom = soup.positions[:, 1].min(), soup.positions[:, 1].max()
    most = _HEIGHTS * CLICK
    if bottom - top > 2 * most:
        high = int(-(-(bottom - top) // SECTOR_SIZE))
        raise ExportError(
            name, T("a level cannot be so high: scale it down"), count=high, limit=2 * most // SECTOR_SIZE
        )
    if top < -most or bottom > most:
        text = T(
            "it reaches too high or too low: move it to within {count} sectors of the origin",
            count=most // SECTOR_SIZE,
        )
        raise ExportError(name, text)


def _check_count(root: Collection, pieces: Sequence[PolyMesh]) -> None:
    count = len(members_of(root, Kind.ROOM)) + len(pieces)
    if count > NO_ROOM:
        text = T("there would be too many rooms: choose larger rooms, or scale the meshes down")
        raise ExportError(root.name, text, count=count, limit=NO_ROOM)


def _new_level(game: Game, soup: PolyMesh) -> Collection:
    """Create a level without rooms, with an offset that puts the faces within its world."""
    root = start_level(game, "New Level", options=ImportOptions()).root
    lowest = np.floor(soup.positions[:, [0, 2]].min(axis=0) / SECTOR_SIZE)
    if (lowest < 1).any():
        side = SECTOR_SIZE * root.tomb_raider.scale
        x, z = ((lowest - _MARGIN) * side).tolist()
        root.tomb_raider.offset += Vector((x, z, 0.0))
    root.tomb_raider.imported |= {"COLLISION"}
    return root


def _named(root: Collection, gathered: GatheredFaces) -> list[Material]:
    """Return the materials by their numbers, with a plain one for faces without one."""
    named = [material for material in gathered.materials if material is not None]
    if len(named) == len(gathered.materials):
        return named
    plain = gray_material(root)
    return [plain if material is None else material for material in gathered.materials]


def _make(
    root: Collection,
    pieces: Sequence[PolyMesh],
    materials: Sequence[Material],
    space: Space,
    name: str,
    report: Listener,
) -> list[Object]:
    rooms = []
    for index, piece in enumerate(pieces):
        report("Rooms", 0.6 + 0.3 * index / len(pieces))
        room = new_object(name, piece, materials, space)
        root.objects.link(room)
        try:
            room_from_mesh(root, room)
            # Floors at cuts are removed again, and openings are there instead.
            room.tomb_raider.room.mesh_and_sectors = "INDEPENDENT"
        except ExportError:
            # Nobody can stand in it, for example in a backdrop: keep it visible.
            make_room(root, room)
            if "COLLISION" in root.tomb_raider.imported:
                _fill(root, room, space)
        remove_caps(room, int((piece.face[MATERIAL_INDEX] == CAP).sum()))
        rooms.append(room)
    return rooms


def _fill(root: Collection, room: Object, space: Space) -> None:
    """Add collision of walls only, for a room in which nobody can stand."""
    assert isinstance(room.data, Mesh)
    size = size_of(space.to_file(vertices_of(room.data), room.name, "a vertex"), room.name)
    sectors = wall_sectors(size[0] * size[1], Game[root.tomb_raider.game])
    errors = np.zeros(size[0] * size[1])
    record = CollisionRecord.of(size, sectors.wall, sectors.floor, sectors.ceiling, errors)
    add_collision(root, room, sectors, size, record)


_SHARP = "sharp_face"


def new_object(name: str, piece: PolyMesh, materials: Sequence[Material], space: Space) -> Object:
    """Create an object of a piece, in no collection yet. Caps are the last faces and have no material."""
    piece = some_faces(piece, np.argsort(piece.face[MATERIAL_INDEX] == CAP, kind="stable"))
    mesh = bpy.data.meshes.new(name)
    numbers = piece.face[MATERIAL_INDEX]
    is_drawn = numbers != CAP
    used, slots = np.unique(numbers[is_drawn], return_inverse=True)
    for number in used.tolist():
        mesh.materials.append(materials[number])
    indices = np.zeros(len(numbers), np.int32)
    indices[is_drawn] = slots.ravel()
    names = sorted(piece.corner, key=lambda each: (each != UV_MAP, each == COLOR))
    corner = {each: piece.corner[each] for each in names}
    face = {MATERIAL_INDEX: indices, _SHARP: np.ones(len(numbers), np.bool_)}
    points = space.to_blender(piece.positions)
    write_mesh(mesh, PolyMesh(points, piece.corners, piece.sizes, corner=corner, face=face))
    mesh.uv_layers.active_index = 0
    mesh.uv_layers[UV_MAP].active_render = True
    return bpy.data.objects.new(name, mesh)


def remove_caps(room: Object, caps: int) -> None:
    """Delete the last faces of a room, which cap its cuts."""
    mesh = room.data
    if not caps or not isinstance(mesh, Mesh):
        return
    with edited_mesh(mesh) as edited:
        edited.faces.ensure_lookup_table()
        faces: list[Any] = edited.faces[-caps:]
        bmesh.ops.delete(edited, geom=faces, context="FACES")
