"""Collision that follows the mesh of its room once that was edited; what was set by hand stays."""

from __future__ import annotations

import numpy as np
from bpy.types import Collection, Mesh, Object
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.collision.surfaces import Surface
from ....formats.level.decoded import Decoded
from ....formats.rooms.geometry import decode_faces
from ...core.members import collision_of
from ...core.space import Space, world_matrix
from ...subjects.collision.edit import CollisionEdit
from ...subjects.collision.record import CollisionRecord, mark_rounding
from ...subjects.collision.size import resize
from ...subjects.meshes.arrays import holdable
from .make import CastReport, cast_room, read_room, size_of
from .sector_fit import SectorFit, cast

_FLOOR, _CEILING = slice(1, 6), slice(6, 11)  # columns of a record


def refresh_from_mesh(
    root: Collection, room: Object, decoded: Decoded | None, storey: int | None = None
) -> CastReport:
    """Read the collision of a room from its mesh again.

    Sectors are changed where the mesh gives other floors, ceilings or walls than when it was read last. All
    others stay, also where they were edited by hand; and so does what sectors say but for their heights. A
    floor or ceiling that leads to another room needs no faces. What is drawn follows the collision no more.

    Args:
        root: the level.
        room: a room with collision.
        decoded: the level as it was imported, which says what an imported room was like.
        storey: which space counts from now on where several lie above one another, or None for the same.

    Raises:
        ExportError: where the mesh cannot be read, or has no floor, or is too large.
    """
    obj = collision_of(room)
    if obj is None or not isinstance(obj.data, Mesh):
        raise ExportError(room.name, "it has no collision mesh: use Add Collision")
    space, game = Space.of(root), Game[root.tomb_raider.game]
    points, triangles = read_room(room, space, world_matrix(obj).inverted_safe() @ world_matrix(room))
    edit = CollisionEdit(obj, game, space)
    settings = obj.tomb_raider.collision
    wanted = size_of(points, room.name)
    size = max(wanted[0], edit.size.x_sectors), max(wanted[1], edit.size.z_sectors)
    chosen = settings.storey if storey is None else storey
    found = cast_room(points, triangles, size, game, chosen, room.name)
    before = CollisionRecord.load(obj.data) or _imported(decoded, room, game)
    before_size = edit.size.x_sectors, edit.size.z_sectors
    if size != before_size:
        resize(edit, *size)
    now = CollisionRecord.of(size, found.wall, found.floor, found.ceiling, found.error)
    changed, kept = _apply(edit, found, now, before)
    settings.storey = chosen
    settings.drawing.follows = False  # else what was modeled would be drawn over
    now.store(obj.data)
    if changed.any() or size != before_size:
        edit.write()
    else:
        mark_rounding(obj.data, now, edit.faces.face)
    return CastReport.of(found, size, changed=int(changed.sum()), kept=kept)


def _apply(
    edit: CollisionEdit, found: SectorFit, now: CollisionRecord, before: CollisionRecord | None
) -> tuple[NDArray[np.bool_], int]:
    """Give sectors that differ from those before their new shapes, and note in the record what stays.

    Returns:
        Which sectors were changed, and how many others stayed since they lead to other rooms.
    """
    sectors = edit.sectors
    # Without a record what counts is what the sectors are.
    old = CollisionRecord.of(now.size, sectors.wall, sectors.floor, sectors.ceiling, now.errors)
    old = old if before is None else before.resized(now.size)
    differs = (now.shapes != old.shapes).any(axis=1)
    # Faces that were opened to another room are gone, and what they were is not known to the mesh.
    leads = (sectors.room_below >= 0) | (sectors.portal >= 0)
    kept = differs & found.wall & leads
    held = differs & found.without_ceiling & (sectors.room_above >= 0)
    now.shapes[kept] = old.shapes[kept]
    now.shapes[held, _CEILING] = old.shapes[held, _CEILING]
    differs = (now.shapes != old.shapes).any(axis=1)
    turned = differs & found.wall
    for surface, new, columns in (
        (sectors.floor, found.floor, _FLOOR),
        (sectors.ceiling, found.ceiling, _CEILING),
    ):
        moved = (now.shapes[:, columns] != old.shapes[:, columns]).any(axis=1) | (differs & sectors.wall)
        _put(surface, new, moved & differs)
    sectors.wall[differs] = found.wall[differs]
    for name in ("room_below", "room_above", "portal", "box"):
        getattr(sectors, name)[turned] = -1
    return differs, int(kept.sum())


def _put(surface: Surface, new: Surface, where: NDArray[np.bool_]) -> None:
    surface.open_triangle[where & (new.split != surface.split)] = -1
    surface.heights[where], surface.split[where] = new.heights[where], new.split[where]


def _imported(decoded: Decoded | None, room: Object, game: Game) -> CollisionRecord | None:
    """Return what the mesh of an imported room gave when it was imported, or None for others."""
    number = room.tomb_raider.index
    if decoded is None or not 0 <= number < len(decoded.level.rooms):
        return None
    record = decoded.level.rooms[number]
    if not len(record.vertices):
        return None
    points = np.stack([record.vertices[name] for name in "xyz"], axis=1).astype(np.float64)
    triangles = []
    for faces in decode_faces(game, record):
        corners = faces.corners[holdable(faces.corners, len(points))]
        # The other way round, as Blender shows them.
        triangles += [corners[:, [0, 2, 1]]] + ([corners[:, [0, 3, 2]]] if corners.shape[1] == 4 else [])
    size = record.x_sectors, record.z_sectors
    found = cast(points, np.concatenate(triangles), size, game)
    return CollisionRecord.of(size, found.wall, found.floor, found.ceiling, found.error)
