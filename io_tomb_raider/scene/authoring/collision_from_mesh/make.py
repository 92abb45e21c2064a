"""Rooms from any mesh, with collision computed from it."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from bpy.types import Collection, Mesh, Object
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.base import CLICK, SECTOR_SIZE, T
from ....formats.levels.collision import SectorFit, fit_sectors
from ...core.blender.material_slots import shown_materials
from ...core.membership import collision_of
from ...core.space import Space, world_matrix
from ...mesh.blender_mesh import material_slots, readable, triangles_of, vertices_of
from ...mesh.poly_mesh import transformed
from ...subjects.collision.record import CollisionRecord
from ...subjects.collision.size import MOST_SECTORS, add_collision
from ...subjects.meshes.layers import shown_uv_map
from ...subjects.meshes.shown import apply_shape, shown_mesh
from ...subjects.portals.room_tools import check_loose_mesh, make_room
from ...subjects.rooms.new import SAFE_SECTORS, sector_origin
from ...subjects.textures.materials import image_node
from ..placeholder_textures import gray_material

SECTORS_FOLLOW = "SECTORS"
_HEIGHTS = -126, 126  # clicks: the range of sectors, except of walls
_MOVED = 0.05  # units: a vertex has moved


@dataclass(frozen=True)
class CollisionReport:
    """The result of computing collision from a mesh."""

    sectors: int  #: the number of sectors that are no walls.
    changed: int  #: the number of changed sectors.
    kept: int = 0  #: the number of sectors that lead to other rooms and stayed although the mesh has changed.
    rounded: int = 0  #: the number of sectors that deviate from the mesh.
    most: float = 0.0  #: the maximum deviation in units.
    mean: float = 0.0  #: the mean deviation of these in units.
    storeys: int = 0  #: the number of sectors with several spaces.
    place: tuple[int, int] = (0, 0)  #: the first of these, in sectors along x and z.
    without_ceiling: int = 0  #: the number of sectors without a ceiling.
    inside_out: bool = False  #: whether the faces look outward.
    turned: bool = False  #: whether they did, and were flipped.
    long: int = 0  #: the number of sectors along the longest side, if that is more than is safe; otherwise 0.
    applied: bool = False  #: whether modifiers were applied.

    @classmethod
    def of(cls, fit: SectorFit, size: tuple[int, int], **others: Any) -> CollisionReport:
        """Return the report of a fit."""
        errors = fit.error[fit.error > 0]
        several = np.flatnonzero(fit.storeys > 1)
        x, z = divmod(int(several[0]), size[1]) if len(several) else (0, 0)
        count = int((~fit.wall).sum())
        return cls(
            sectors=count,
            **{"changed": count, **others},
            rounded=len(errors),
            most=float(errors.max(initial=0)),
            mean=float(errors.mean()) if len(errors) else 0.0,
            storeys=len(several),
            place=(x, z),
            without_ceiling=int(fit.without_ceiling.sum()),
            inside_out=fit.spaces.inside_out and not others.get("turned"),
            long=max(size) if max(size) > SAFE_SECTORS else 0,
        )


# --- Computation ----------------------------------------


def size_of(points: NDArray[np.float64], name: str) -> tuple[int, int]:
    """Return the sectors along x and z that a room needs, with a border of walls.

    Args:
        points: (v, 3) its vertices in units from its corner, y down.

    Raises:
        ExportError: if it is too large.
    """
    sides = [max(-(-int(np.rint(points[:, axis].max())) // SECTOR_SIZE) + 1, 3) for axis in (0, 2)]
    if max(sides) > MOST_SECTORS:
        raise ExportError(name, T("it has too many sectors"), count=max(sides), limit=MOST_SECTORS)
    return sides[0], sides[1]


def fit_room(
    points: NDArray[np.float64],
    triangles: NDArray[np.int32],
    size: tuple[int, int],
    game: Game,
    storey: int,
    name: str,
) -> SectorFit:
    """Compute the collision of a room; see :func:`....formats.levels.collision.sector_fit.fit_sectors`.

    Raises:
        ExportError: if it has no floor, or is too high or too low for sectors.
    """
    result = fit_sectors(points, triangles, size, game, storey)
    if result.wall.all():
        text = T("it has no floor: a sector needs faces that point up, and 762 units of height")
        raise ExportError(name, text)
    for surface in (result.floor, result.ceiling):
        clicks = surface.heights[~result.wall] // CLICK
        if clicks.min() < _HEIGHTS[0] or clicks.max() > _HEIGHTS[1]:
            raise ExportError(name, T("it is too high or too low for sectors"))
    return result


def check_uvs(obj: Object, mesh: Mesh) -> None:
    """Check that faces that show an image have UVs. Raises ExportError if they have none."""
    if shown_uv_map(mesh) is not None or not len(mesh.polygons):
        return
    images = [material is not None and image_node(material) is not None for material in shown_materials(obj)]
    slots = material_slots(mesh)
    count = int(np.isin(slots, np.flatnonzero(images)).sum())
    if count:
        raise ExportError(
            obj.name,
            T("{count} faces show images, but have no UVs: unwrap the mesh (U in Edit Mode)", count=count),
        )


# --- Rooms ----------------------------------------


def room_from_mesh(root: Collection, obj: Object, storey: int = 0, *, turn: bool = True) -> CollisionReport:
    """Make a mesh a room of a level, and add collision from it if the level's collision was imported.

    The sectors follow the mesh from now on. Errors are raised before anything changes.

    Args:
        obj: a mesh that is no part of a level yet.
        storey: the number of the space to use in sectors with several, from below.
        turn: flip the faces if most look outward, as they would be invisible in the game.

    Raises:
        ExportError: if it cannot be a room.
    """
    check_loose_mesh(obj)
    space, game = Space.of(root), Game[root.tomb_raider.game]
    with shown_mesh(obj) as mesh:
        check_uvs(obj, mesh)
        matrix = world_matrix(obj)
        positions = transformed(vertices_of(mesh), matrix)
        points = space.to_file(positions, obj.name, "a vertex")
        triangles = triangles_of(mesh)
    if not len(points):
        raise ExportError(obj.name, T("a room needs vertices"))
    origin = sector_origin(points[:, [0, 2]].min(axis=0))
    points[:, [0, 2]] -= origin
    if matrix.is_negative:
        triangles = triangles[:, ::-1]
    size = size_of(points, obj.name)
    fit = fit_room(points, triangles, size, game, storey, obj.name)
    applied = _make(root, obj, positions, origin)
    turned = turn and fit.spaces.inside_out
    data = obj.data
    if turned:
        data.flip_normals()
    if not any(shown_materials(obj)):
        data.materials.clear()
        data.materials.append(gray_material(root))
    if "COLLISION" in root.tomb_raider.imported:
        _add(root, obj, fit, size, storey)
        follow_mesh(root, obj)
    return CollisionReport.of(fit, size, applied=applied, turned=turned)


def _make(root: Collection, obj: Object, positions: NDArray[np.float64], origin: NDArray[np.int64]) -> bool:
    """Make a mesh a room. Return whether its modifiers had to be applied to keep its shape."""
    mesh = obj.data
    if not obj.modifiers and mesh.shape_keys is None:
        make_room(root, obj, origin)
        return False
    with apply_shape(obj) as apply:
        before = world_matrix(obj)
        make_room(root, obj, origin)
        after = np.array(world_matrix(obj).translation)
        with shown_mesh(obj) as mesh:
            moved = vertices_of(mesh) + after
            if (
                moved.shape == positions.shape
                and np.abs(moved - positions).max(initial=0) < _MOVED * root.tomb_raider.scale
            ):
                return False
        apply(Matrix.Translation((-after).tolist()) @ before)
    return True


def _add(root: Collection, room: Object, fit: SectorFit, size: tuple[int, int], storey: int) -> None:
    record = CollisionRecord.of(size, fit.wall, fit.floor, fit.ceiling, fit.error)
    collision = add_collision(root, room, fit.sectors(Game[root.tomb_raider.game]), size, record)
    collision.tomb_raider.collision.storey = storey


def add_collision_from_mesh(root: Collection, room: Object, storey: int = 0) -> CollisionReport:
    """Add collision from mesh to a room that has none.

    Raises:
        ExportError: if the room's mesh is empty, too large, or has no floor.
    """
    space, game = Space.of(root), Game[root.tomb_raider.game]
    points, triangles = read_room(room, space)
    size = size_of(points, room.name)
    fit = fit_room(points, triangles, size, game, storey, room.name)
    _add(root, room, fit, size, storey)
    return CollisionReport.of(fit, size)


def follow_mesh(root: Collection, room: Object) -> None:
    """Make the sectors of a room, which were just read from its mesh, follow that from now on."""
    obj = collision_of(room)
    if obj is not None:
        room.tomb_raider.room.mesh_and_sectors = SECTORS_FOLLOW
        settings = obj.tomb_raider.collision
        settings.read = mesh_digest(*read_beside(room, obj, Space.of(root)), settings.storey)


def mesh_digest(points: NDArray[np.float64], triangles: NDArray[np.int32], storey: int) -> str:
    """Return a digest of a mesh and the space that is read from it."""
    hashed = blake2b(str(storey).encode(), digest_size=16)
    for values in (points, triangles):
        hashed.update(np.ascontiguousarray(values).tobytes())
    return hashed.hexdigest()


def read_beside(
    room: Object, collision: Object, space: Space
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return the vertices and triangles of a room in the space of its collision; see :func:`read_room`."""
    return read_room(room, space, world_matrix(collision).inverted_safe() @ world_matrix(room))


def read_room(
    room: Object, space: Space, matrix: Matrix | None = None
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return the vertices of a room, (v, 3) in units of the file, and its triangles, (t, 3).

    Modifiers count, except in edit mode.

    Raises:
        ExportError: if it has no vertices.
    """
    if not isinstance(room.data, Mesh):
        raise ExportError(room.name, T("a room must be a mesh"))
    with readable(room.data) if room.data.is_editmode else shown_mesh(room) as mesh:
        if not len(mesh.vertices):
            raise ExportError(room.name, T("a room needs vertices"))
        points, triangles = vertices_of(mesh).astype(np.float64), triangles_of(mesh)
    if matrix is not None:
        points = transformed(points, matrix)
        if matrix.is_negative:
            triangles = triangles[:, ::-1]
    return space.to_file(points, room.name, "a vertex"), triangles
