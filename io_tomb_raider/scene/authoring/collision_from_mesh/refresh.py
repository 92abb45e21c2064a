"""Update of collision from an edited mesh, which keeps manual edits, and comparison of both."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from bpy.types import Collection, Mesh, Object
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from ....formats import ExportError, FormatError, Game, Room
from ....formats.base import SECTOR_SIZE, T
from ....formats.levels.collision import SectorFit, fit_sectors
from ....formats.levels.views import Decoded, Gaps, find_gaps, room_gaps, room_triangles
from ...core import original
from ...core.membership import collision_of, members_of
from ...core.space import Space
from ...core.subjects import Kind
from ...subjects.collision.edit import CollisionEdit
from ...subjects.collision.record import CollisionRecord, mark_rounding
from ...subjects.collision.size import resize
from .extruded import texture_extruded
from .make import SECTORS_FOLLOW, CollisionReport, fit_room, mesh_digest, read_beside, size_of

_FLOOR, _CEILING = slice(1, 6), slice(6, 11)  # columns of a record


def refresh_from_mesh(
    root: Collection,
    room: Object,
    decoded: Decoded | None,
    storey: int | None = None,
    cells: NDArray[np.int64] | None = None,
) -> CollisionReport:
    """Update the collision of a room from its mesh.

    Sectors change where the mesh gives other floors, ceilings or walls than last time. All other sectors keep
    manual edits, and changed ones keep everything but their heights. A floor or ceiling that leads to another
    room needs no faces. The room grows to where its mesh has floors, in all directions. The mesh no longer
    follows the collision.

    Args:
        storey: the number of the space to use in sectors with several from now on, None for the current one.
        cells: (n, 2) the only sectors to change, along x and z, whatever they were last time.

    Raises:
        ExportError: if the mesh cannot be read, has no floor, or is too large.
    """
    obj, mesh = _collision_mesh(room)
    space, game = Space.of(root), Game[root.tomb_raider.game]
    points, triangles = read_beside(room, obj, space)
    edit = CollisionEdit(obj, game, space)
    settings = obj.tomb_raider.collision
    chosen = settings.storey if storey is None else storey
    imported = _imported_room(decoded, room)
    added = _new_sectors_before(points, triangles, imported, game, chosen, room.name)
    points = points + np.array([added[0], 0, added[1]]) * SECTOR_SIZE
    needed_by_mesh, before_size = size_of(points, room.name), (edit.size.x_sectors, edit.size.z_sectors)
    size = (
        max(needed_by_mesh[0], before_size[0] + added[0]),
        max(needed_by_mesh[1], before_size[1] + added[1]),
    )
    fit = fit_room(points, triangles, size, game, chosen, room.name)
    if imported is not None and size != before_size and not any(added):
        imported_fit = fit_sectors(*room_triangles(game, imported), size, game)
        needed = _needed_size(fit, size, before_size, imported_fit)
        if needed != size:
            size, fit = needed, fit_room(points, triangles, needed, game, chosen, room.name)
    last_record = CollisionRecord.load(mesh) or _imported(decoded, room, game)
    last_record = last_record and last_record.resized(size, added)
    if size != before_size:
        resize(edit, *size, added)
    record = CollisionRecord.of(size, fit.wall, fit.floor, fit.ceiling, fit.error)
    only = None if cells is None else (cells + added) @ np.array([size[1], 1])
    changed, kept = _apply(edit, fit, record, last_record, only)
    settings.storey = chosen
    _stop_drawing(room, obj)
    record.store(mesh)
    if any(added):
        move_corner(room, obj, (-added[0] * SECTOR_SIZE * space.scale, -added[1] * SECTOR_SIZE * space.scale))
        points, _ = read_beside(room, obj, space)
    settings.read = mesh_digest(points, triangles, chosen)
    if changed.any() or size != before_size:
        edit.write()
    else:
        mark_rounding(mesh, record, edit.faces.face)
    return CollisionReport.of(fit, size, changed=int(changed.sum()), kept=kept)


def _collision_mesh(room: Object) -> tuple[Object, Mesh]:
    obj = collision_of(room)
    if obj is None or not isinstance(obj.data, Mesh):
        raise ExportError(room.name, T("it has no collision mesh: use Add Collision"))
    return obj, obj.data


def _stop_drawing(room: Object, collision: Object) -> None:
    """Make a room's mesh independent of its sectors, which would replace the edited mesh."""
    if room.tomb_raider.room.mesh_and_sectors == "MESH":
        room.tomb_raider.room.mesh_and_sectors = "INDEPENDENT"
    collision.tomb_raider.collision.drawing.digest = ""


def _new_sectors_before(
    points: NDArray[Any], triangles: NDArray[Any], imported: Room | None, game: Game, storey: int, name: str
) -> tuple[int, int]:
    """Return how many sectors a room grows before its corner, along x and z."""
    added = _sectors_before(points, triangles, game, storey, name)
    if any(added) and imported is not None:
        # Floors that the imported mesh had there had no sectors.
        x, z = _sectors_before(*room_triangles(game, imported), game, storey, name)
        added = added[0] if added[0] > x else 0, added[1] if added[1] > z else 0
    return added


def read_changed(root: Collection) -> list[Object]:
    """Read the sectors of a level's rooms that follow their meshes, if these have changed.

    Extruded faces get textures.

    Returns:
        The rooms that changed.
    """
    changed = []
    space, decoded = Space.of(root), None
    for obj in members_of(root, Kind.COLLISION):
        room = obj.parent
        if room is None or room.tomb_raider.room.mesh_and_sectors != SECTORS_FOLLOW:
            continue
        if not (obj.is_editable and room.is_editable) or not isinstance(room.data, Mesh):
            continue
        settings = obj.tomb_raider.collision
        # Checks report what cannot be read; it is tried again after the next edit.
        with suppress(ExportError, FormatError):
            digest = mesh_digest(*read_beside(room, obj, space), settings.storey)
            if settings.read == digest:
                continue
            settings.read = digest
            if texture_extruded(room.data, is_new=room.tomb_raider.index < 0):
                changed.append(room)
            decoded = decoded or original.load(root)
            size = settings.x_sectors, settings.z_sectors
            report = refresh_from_mesh(root, room, decoded)
            if room not in changed and (report.changed or size != (settings.x_sectors, settings.z_sectors)):
                changed.append(room)
    return changed


def _sectors_before(
    points: NDArray[np.float64], triangles: NDArray[np.int32], game: Game, storey: int, name: str
) -> tuple[int, int]:
    """Return how many sectors a room needs before its first along x and z, as its mesh has floors there."""
    lowest = np.floor(points[:, [0, 2]].min(axis=0).round() / SECTOR_SIZE).astype(np.int64)
    low = np.maximum(0, 1 - lowest)
    if not low.any():
        return 0, 0
    points = points + np.array([low[0], 0, low[1]]) * SECTOR_SIZE
    size = size_of(points, name)
    is_open = ~fit_sectors(points, triangles, size, game, storey).wall
    if not is_open.any():
        return 0, 0
    first_open = np.argwhere(is_open.reshape(size)).min(axis=0)
    x, z = np.clip(low + 1 - first_open, 0, low).tolist()
    return x, z


def _needed_size(
    fit: SectorFit, size: tuple[int, int], before_size: tuple[int, int], imported: SectorFit
) -> tuple[int, int]:
    """Return how many sectors a room needs for its mesh: walls of imported rooms reach over its border."""
    opened = (~fit.wall & imported.wall).reshape(size)
    opened[: before_size[0], : before_size[1]] = False
    if not opened.any():
        return before_size
    x, z = (np.argwhere(opened).max(axis=0) + 2).tolist()  # and a sector of wall behind the last one
    return max(x, before_size[0]), max(z, before_size[1])


def _apply(
    edit: CollisionEdit,
    fit: SectorFit,
    record: CollisionRecord,
    last_record: CollisionRecord | None,
    only: NDArray[np.int64] | None,
) -> tuple[NDArray[np.bool_], int]:
    """Give changed sectors their new shapes, and set the record of kept sectors to their old shapes.

    Args:
        last_record: the last record, None to compare with the current sectors.
        only: (n,) the only sectors to change, compared with the current ones; None for all.

    Returns:
        The changed sectors, and the number of sectors kept as they lead to other rooms.
    """
    sectors = edit.sectors
    current = CollisionRecord.of(
        record.size, sectors.wall, sectors.floor, sectors.ceiling, record.errors
    ).shapes
    previous = CollisionRecord(record.size, current.copy(), record.errors)
    if only is not None:
        is_other = np.ones(len(record.shapes), bool)
        is_other[only] = False
        previous.shapes[is_other] = record.shapes[is_other]
    elif last_record is not None:
        previous = last_record
    differs = (record.shapes != previous.shapes).any(axis=1)
    # Openings to other rooms have no faces, so the mesh does not have the sector's shape.
    leads = (sectors.room_below >= 0) | (sectors.portal >= 0)
    kept = differs & fit.wall & leads
    held = differs & fit.without_ceiling & (sectors.room_above >= 0)
    record.shapes[kept] = previous.shapes[kept]
    record.shapes[held, _CEILING] = previous.shapes[held, _CEILING]
    differs = (record.shapes != previous.shapes).any(axis=1)
    becomes_wall = differs & fit.wall
    for surface, fitted, columns in (
        (sectors.floor, fit.floor, _FLOOR),
        (sectors.ceiling, fit.ceiling, _CEILING),
    ):
        moved = (record.shapes[:, columns] != previous.shapes[:, columns]).any(axis=1) | (
            differs & sectors.wall
        )
        moved &= differs
        surface.open_triangle[moved & (fitted.split != surface.split)] = -1
        surface.heights[moved], surface.split[moved] = fitted.heights[moved], fitted.split[moved]
    sectors.wall[differs] = fit.wall[differs]
    for name in ("room_below", "room_above", "portal", "box"):
        getattr(sectors, name)[becomes_wall] = -1
    # Tools that move the mesh along have changed the sectors already.
    return differs & (record.shapes != current).any(axis=1), int(kept.sum())


def _imported_room(decoded: Decoded | None, room: Object) -> Room | None:
    """Return an imported room as it was, None for other rooms and those without a mesh."""
    number = room.tomb_raider.index
    if decoded is None or not 0 <= number < len(decoded.level.rooms):
        return None
    record = decoded.level.rooms[number]
    return record if len(record.vertices) else None


def _imported(decoded: Decoded | None, room: Object, game: Game) -> CollisionRecord | None:
    """Return the record of an imported room's original mesh, None for other rooms."""
    record = _imported_room(decoded, room)
    if record is None:
        return None
    size = record.x_sectors, record.z_sectors
    fit = fit_sectors(*room_triangles(game, record), size, game)
    return CollisionRecord.of(size, fit.wall, fit.floor, fit.ceiling, fit.error)


def move_corner(room: Object, collision: Object, offset: tuple[float, float]) -> None:
    """Move the corner of a room along Blender's X and Y. All stays where it is in the world.

    Args:
        room: the room, which is not turned.
        collision: its collision mesh, whose sectors are counted from the new corner already.
        offset: in Blender's units.
    """
    assert isinstance(room.data, Mesh)
    if room.data.users > 1 or not room.data.is_editable:
        room.data = room.data.copy()
    mesh: Any = room.data
    step = Vector((*offset, 0.0))
    mesh.transform(Matrix.Translation((-step).to_tuple()), shape_keys=True)
    mesh.update()
    room.location += step
    for child in room.children:
        if child != collision:
            child.location -= step


def gaps_of(root: Collection, room: Object, decoded: Decoded | None) -> tuple[Gaps, Gaps]:
    """Return where the mesh of a room and its sectors are apart, and where they are so only since its import.

    Raises:
        ExportError: if the mesh or the sectors cannot be read.
    """
    obj, _ = _collision_mesh(room)
    space, game = Space.of(root), Game[root.tomb_raider.game]
    edit = CollisionEdit(obj, game, space)
    size = edit.size.x_sectors, edit.size.z_sectors
    storey = obj.tomb_raider.collision.storey
    gaps = find_gaps(*read_beside(room, obj, space), size, edit.sectors, game, storey)
    number = room.tomb_raider.index
    if decoded is None or not 0 <= number < len(decoded.level.rooms):
        return gaps, gaps
    before = decoded.level.rooms[number]
    x, _, z = space.to_file_int(np.array(space.matrix_of(room).translation), room.name).tolist()
    offset = (x - before.x) // SECTOR_SIZE, (z - before.z) // SECTOR_SIZE
    return gaps, gaps.without(room_gaps(decoded, number), offset)
