"""Update of collision from an edited mesh, which keeps manual edits."""

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
from .make import CollisionReport, fit_room, read_room, size_of
from .sector_fit import SectorFit, fit_sectors

_FLOOR, _CEILING = slice(1, 6), slice(6, 11)  # columns of a record


def refresh_from_mesh(
    root: Collection, room: Object, decoded: Decoded | None, storey: int | None = None
) -> CollisionReport:
    """Update the collision of a room from its mesh.

    Sectors change where the mesh gives other floors, ceilings or walls than last time. All other sectors keep
    manual edits, and changed ones keep everything but their heights. A floor or ceiling that leads to another
    room needs no faces. The mesh no longer follows the collision.

    Args:
        root: the level.
        room: a room with collision.
        decoded: the imported level, with the original mesh of imported rooms.
        storey: the number of the space to use in sectors with several from now on, None for the current one.

    Raises:
        ExportError: if the mesh cannot be read, has no floor, or is too large.
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
    found = fit_room(points, triangles, size, game, chosen, room.name)
    before = CollisionRecord.load(obj.data) or _imported(decoded, room, game)
    before_size = edit.size.x_sectors, edit.size.z_sectors
    if size != before_size:
        resize(edit, *size)
    now = CollisionRecord.of(size, found.wall, found.floor, found.ceiling, found.error)
    changed, kept = _apply(edit, found, now, before)
    settings.storey = chosen
    settings.drawing.follows = False  # otherwise the drawing would replace the edited mesh
    now.store(obj.data)
    if changed.any() or size != before_size:
        edit.write()
    else:
        mark_rounding(obj.data, now, edit.faces.face)
    return CollisionReport.of(found, size, changed=int(changed.sum()), kept=kept)


def _apply(
    edit: CollisionEdit, found: SectorFit, now: CollisionRecord, before: CollisionRecord | None
) -> tuple[NDArray[np.bool_], int]:
    """Give changed sectors their new shapes, and set the record of kept sectors to their old shapes.

    Returns:
        The changed sectors, and the number of sectors kept as they lead to other rooms.
    """
    sectors = edit.sectors
    # Without a record, compare with the current sectors.
    old = CollisionRecord.of(now.size, sectors.wall, sectors.floor, sectors.ceiling, now.errors)
    old = old if before is None else before.resized(now.size)
    differs = (now.shapes != old.shapes).any(axis=1)
    # Openings to other rooms have no faces, so the mesh does not have the sector's shape.
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
    """Return the record of an imported room's original mesh, None for other rooms."""
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
        # Reversed, as in Blender.
        triangles += [corners[:, [0, 2, 1]]] + ([corners[:, [0, 3, 2]]] if corners.shape[1] == 4 else [])
    size = record.x_sectors, record.z_sectors
    found = fit_sectors(points, np.concatenate(triangles), size, game)
    return CollisionRecord.of(size, found.wall, found.floor, found.ceiling, found.error)
