"""Connect as Room: a separated part becomes a room, with its sectors, openings and portals at the cut."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from bpy.types import Collection, Mesh, Object
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.base import SECTOR_SIZE, T
from ....formats.levels.collision import WALL, Sectors
from ...core.membership import collision_of, home_of, members
from ...core.space import Space, world_matrix
from ...core.subjects import Kind
from ...mesh.poly_mesh import transformed
from ...subjects.collision.edit import CollisionEdit
from ...subjects.meshes.read import read_mesh
from ...subjects.portals.portals import add_portal
from ...subjects.portals.room_tools import new_room_collection
from ...subjects.rooms.location.inhabitants import INHABITANTS, own_room
from ...subjects.rooms.parts import move_faces, room_of_part

_UPRIGHT = 1024  # units²: faces that cover less are vertical, and ignored
_SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0))
_ASIDE = SECTOR_SIZE // 2
_INWARDS = 16  # units: faces on borders of sectors belong to the sector that they face


def connect_part(root: Collection, part: Object) -> tuple[Object, int]:
    """Make a part that was separated from a room a room of its own.

    Its sectors and the objects on them become the new room's; walls at the cut lead to the other room. A
    sector that the cut goes through belongs to the side with more of its floor, with all faces over it.

    Returns:
        The old room, and the number of sectors that the cut goes through.

    Raises:
        ExportError: if it is no such part, its room has no collision, or one of both would have no sectors.
    """
    room = room_of_part(root, part)
    if part.tomb_raider.kind == Kind.IMPORTED_GEOMETRY:
        text = T("imported geometry has no sectors: join it back to its room, and separate faces of that (P)")
        raise ExportError(part.name, text)
    cut = _Cut(root, room, part)
    cut.share_faces()
    cut.share_objects()
    cut.share_collision()
    cut.add_portals()
    settings = part.tomb_raider
    settings.index, settings.is_copy = -1, False
    settings.room.alternate_room = None  # a room can be the alternate of one other room only
    home = new_room_collection(root, part.name)
    for collection in list(part.users_collection):
        collection.objects.unlink(part)
    home.objects.link(part)
    return room, int(cut.shared.sum())


class _Faces(NamedTuple):
    """The faces of an object over the sectors of a room."""

    #: (f, 2), the sector of each face along x and z, which it faces; it may be outside.
    cells: NDArray[np.int64]
    #: (x, z) float64, the area of each sector covered by upward faces, in units².
    floors: NDArray[np.float64]
    ceilings: NDArray[np.float64]  #: likewise by downward faces. Vertical faces count for neither.

    @property
    def over(self) -> NDArray[np.bool_]:
        """Which sectors have floors or ceilings."""
        return (self.floors > 0) | (self.ceilings > 0)


def _faces_over(space: Space, room: Object, obj: Object, size: tuple[int, int]) -> _Faces:
    floors, ceilings = np.zeros(size), np.zeros(size)
    if not isinstance(obj.data, Mesh) or not len(obj.data.polygons):
        return _Faces(np.zeros((0, 2), np.int64), floors, ceilings)
    arrays = read_mesh(obj.data)
    matrix = np.array(world_matrix(room).inverted_safe() @ world_matrix(obj), np.float64)
    arrays.positions = space.to_file(transformed(arrays.positions, matrix), obj.name, "a vertex")
    normals = arrays.normals_by_area
    area = -normals[:, 1] / 2  # y of the file points down
    lengths = np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    middle = arrays.means(arrays.positions) + normals / lengths * _INWARDS
    cells = np.floor(middle[:, [0, 2]] / SECTOR_SIZE).astype(np.int64)
    inside = ((cells >= 0) & (cells < size)).all(axis=1)
    for sums, mask in ((floors, inside & (area > _UPRIGHT)), (ceilings, inside & (area < -_UPRIGHT))):
        np.add.at(sums, tuple(cells[mask].T), np.abs(area[mask]))
    return _Faces(cells, floors, ceilings)


class _Cut:
    """The division of a room's sectors between the room and a separated part."""

    def __init__(self, root: Collection, room: Object, part: Object) -> None:
        self.root, self.room, self.part = root, room, part
        self.space, self.game = Space.of(root), Game[root.tomb_raider.game]
        collision = collision_of(room)
        if collision is None:
            raise ExportError(room.name, T("it has no collision mesh to share: use Add Collision first"))
        self.collision = collision
        self.corner = self.space.to_file(np.array(world_matrix(room).translation, np.float64), room.name)[
            [0, 2]
        ]
        edit = CollisionEdit(collision, self.game, self.space)
        size = (edit.size.x_sectors, edit.size.z_sectors)
        is_open = ~edit.sectors.wall.reshape(size)
        ours, theirs = (_faces_over(self.space, room, obj, size) for obj in (part, room))
        shared = ours.over & theirs.over & is_open
        has_floor = (ours.floors > 0) | (theirs.floors > 0)
        has_more = np.where(has_floor, ours.floors > theirs.floors, ours.ceilings > theirs.ceilings)
        part_sectors = ours.over & is_open & (~shared | has_more)
        if not part_sectors.any() or not (is_open & ~part_sectors).any():
            text = T("it has no floor or ceiling of its own")
            if shared.any():
                text = T(
                    "{count} sectors have faces of both, and all of them would be of one room",
                    count=int(shared.sum()),
                )
            raise ExportError(
                part.name, T("{text}: separate floors and ceilings of whole sectors", text=text)
            )
        self.size, self.shared = size, shared
        self.part_sectors, self.rest = part_sectors, is_open & ~part_sectors
        self._part_faces, self._room_faces = ours, theirs

    def share_faces(self) -> None:
        """Move the faces of divided sectors to the side that gets the sector."""
        for source, target, faces, lost in (
            (self.part, self.room, self._part_faces, self.shared & ~self.part_sectors),
            (self.room, self.part, self._room_faces, self.shared & self.part_sectors),
        ):
            inside = np.flatnonzero(((faces.cells >= 0) & (faces.cells < self.size)).all(axis=1))
            mask = np.zeros(len(faces.cells), np.bool_)
            mask[inside] = lost[tuple(faces.cells[inside].T)]
            if mask.any():
                move_faces(source, target, mask)

    # --- Objects

    def _is_over_part(self, point: NDArray[np.float64]) -> bool:
        """Return whether a point in world units is over a sector of the part."""
        x, z = np.floor((point[[0, 2]] - self.corner) / SECTOR_SIZE).astype(int).tolist()
        return 0 <= x < self.size[0] and 0 <= z < self.size[1] and bool(self.part_sectors[x, z])

    def share_objects(self) -> None:
        """Move objects over the part's sectors to it, and adjust portals."""
        for obj in members(self.root):
            kind = obj.tomb_raider.kind
            if kind == Kind.PORTAL:
                self._share_portal(obj)
            elif kind in INHABITANTS:
                self._share_inhabitant(obj)
            elif (
                obj.parent == self.room and kind != Kind.COLLISION and self._is_over_part(self._position(obj))
            ):
                self._reparent(obj)

    def _position(self, obj: Object) -> NDArray[np.float64]:
        return self.space.to_file(np.array(world_matrix(obj).translation, np.float64), obj.name)

    def _reparent(self, obj: Object) -> None:
        matrix = world_matrix(obj)
        obj.parent, obj.matrix_parent_inverse = self.part, world_matrix(self.part).inverted_safe()
        obj.matrix_basis = matrix
        if obj.tomb_raider.kind == Kind.TRIGGER and obj.tomb_raider.trigger.room == self.room:
            obj.tomb_raider.trigger.room = self.part

    def _share_inhabitant(self, obj: Object) -> None:
        if own_room(obj) != self.room or not self._is_over_part(self._position(obj)):
            return
        group = INHABITANTS[obj.tomb_raider.kind]
        if group and getattr(obj.tomb_raider, group).room == self.room:
            getattr(obj.tomb_raider, group).room = self.part
        if obj.parent == self.room:
            self._reparent(obj)

    def _share_portal(self, obj: Object) -> None:
        mesh, settings = obj.data, obj.tomb_raider.portal
        if self.room not in (obj.parent, settings.room) or not isinstance(mesh, Mesh) or not mesh.polygons:
            return
        matrix = world_matrix(obj)
        middle = self.space.to_file(np.array(matrix @ mesh.polygons[0].center, np.float64), obj.name)
        normal = (matrix.to_3x3() @ mesh.polygons[0].normal).normalized()
        inwards = np.array([normal.x, -normal.z, normal.y]) * _ASIDE
        if obj.parent == self.room and self._is_over_part(middle + inwards):
            self._reparent(obj)
        if settings.room == self.room and self._is_over_part(middle - inwards):
            settings.room = self.part

    # --- Sectors

    def share_collision(self) -> None:
        """Divide the sectors, and redirect sectors of other rooms to the part."""
        collision: Any = self.collision
        copy = collision.copy()
        copy.data = collision.data.copy()
        copy.name = copy.data.name = f"{self.part.name} Collision"
        copy.tomb_raider.index = -1
        copy.parent, copy.matrix_parent_inverse = self.part, world_matrix(self.part).inverted_safe()
        copy.matrix_basis = world_matrix(collision)
        for home in collision.users_collection:
            home.objects.link(copy)
        self._keep(collision, self.rest, self.part_sectors, self.part)
        self._keep(copy, self.part_sectors, self.rest, self.room)
        for obj in members(self.root):
            rooms = [entry.room for entry in obj.tomb_raider.collision.rooms]
            if obj.tomb_raider.kind == Kind.COLLISION and obj not in (collision, copy) and self.room in rooms:
                self._redirect(obj)

    def _keep(self, obj: Object, cells: NDArray[np.bool_], removed: NDArray[np.bool_], other: Object) -> None:
        """Make all sectors of a mesh but its own walls; those at the cut lead to the other room."""
        edit = CollisionEdit(obj, self.game, self.space)
        neighbors = np.zeros(self.size, bool)
        for side in _SIDES:
            neighbors |= _shifted(cells, side)
        sectors = edit.sectors.take(np.arange(cells.size))
        keeps = cells | (~removed & neighbors)  # keep reachable openings to third rooms
        sectors.portal[~keeps.ravel()] = -1
        self._wall(sectors, ~cells.ravel())
        sectors.portal[(removed & neighbors).ravel()] = edit.place_of(other)
        edit.sectors = sectors
        edit.write()

    @staticmethod
    def _wall(sectors: Sectors, mask: NDArray[np.bool_]) -> None:
        """Make sectors walls, which may still lead to a room."""
        solid = mask & ~sectors.wall
        sectors.wall[solid] = True
        for surface in (sectors.floor, sectors.ceiling):
            surface.heights[solid], surface.split[solid], surface.open_triangle[solid] = WALL, 0, -1
        for name in ("room_below", "room_above"):
            getattr(sectors, name)[solid] = -1
        for name in ("climb", "monkey_swing", "death", "deferred", "beetle"):
            getattr(sectors, name)[solid] = 0
        sectors.box[solid] = -1

    def _redirect(self, obj: Object) -> None:
        edit = CollisionEdit(obj, self.game, self.space)
        corner = self.space.to_file(np.array(world_matrix(obj).translation, np.float64), obj.name)[[0, 2]]
        offset = np.rint((corner - self.corner) / SECTOR_SIZE).astype(np.int64)
        x, z = edit.grid.x + offset[0], edit.grid.z + offset[1]
        inside = (x >= 0) & (z >= 0) & (x < self.size[0]) & (z < self.size[1])
        redirected = np.zeros(len(x), bool)
        redirected[inside] = self.part_sectors[x[inside], z[inside]]
        old_number, changed = edit.place_of(self.room), False
        for column in (edit.sectors.room_below, edit.sectors.room_above, edit.sectors.portal):
            rows = redirected & (column == old_number)
            if rows.any():
                column[rows], changed = edit.place_of(self.part), True
        if changed:
            edit.write()

    # --- Portals

    def add_portals(self) -> None:
        """Add portals at the cut in both directions, one for each straight run of sector borders."""
        collisions = (collision_of(self.part), self.collision)
        edits = [CollisionEdit(each, self.game, self.space) for each in collisions if each is not None]
        spans = [_spans(edit.sectors, self.size) for edit in edits]
        home = home_of(self.root, Kind.PORTALS)
        for side in _SIDES:
            edges = self.part_sectors & _shifted(self.rest, (-side[0], -side[1]))
            for run in _runs(edges, along=1 if side[0] else 0):
                beyond = [(x + side[0], z + side[1]) for x, z in run]
                heights = [spans[0][x, z] for x, z in run] + [spans[1][x, z] for x, z in beyond]
                top, bottom = min(each[0] for each in heights), max(each[1] for each in heights)
                corners = self._quad(run, side, float(top), float(bottom))
                add_portal(self.part, self.room, corners, home)
                add_portal(self.room, self.part, corners[::-1], home)
        self.root.tomb_raider.imported |= {"PORTALS"}

    def _quad(
        self, run: list[tuple[int, int]], side: tuple[int, int], top: float, bottom: float
    ) -> NDArray[np.float64]:
        """Return a quad on a side of a run of sectors, facing them, (4, 3) in the world."""
        (x0, z0), (x1, z1) = run[0], run[-1]
        if side[0]:
            plane = x0 + (side[0] > 0)
            ends = [(plane, z0), (plane, z1 + 1)]
        else:
            plane = z0 + (side[1] > 0)
            ends = [(x0, plane), (x1 + 1, plane)]
        low, high = (self.corner + np.array(end) * SECTOR_SIZE for end in ends)
        points = [(low, bottom), (high, bottom), (high, top), (low, top)]
        corners = self.space.to_blender(np.array([(at[0], y, at[1]) for at, y in points])).astype(np.float64)
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[1])
        # Blender's y is the file's z.
        return np.asarray(corners if normal[:2] @ side < 0 else corners[::-1])


def _shifted(cells: NDArray[np.bool_], step: tuple[int, int]) -> NDArray[np.bool_]:
    """Return a mask of sectors shifted by a step, without wrapping."""
    result = np.zeros_like(cells)
    (x, z), (width, depth) = step, cells.shape
    result[max(x, 0) : width + min(x, 0), max(z, 0) : depth + min(z, 0)] = cells[
        max(-x, 0) : width + min(-x, 0), max(-z, 0) : depth + min(-z, 0)
    ]
    return result


def _runs(edges: NDArray[np.bool_], along: int) -> list[list[tuple[int, int]]]:
    """Return the sectors of a mask as runs without gaps along an axis."""
    cells = sorted(zip(*(each.tolist() for each in np.nonzero(edges)), strict=True), key=lambda c: c[::-1])
    if along == 1:
        cells.sort()
    runs: list[list[tuple[int, int]]] = []
    for cell in cells:
        last = runs[-1][-1] if runs else None
        if last is not None and last[1 - along] == cell[1 - along] and last[along] + 1 == cell[along]:
            runs[-1].append(cell)
        else:
            runs.append([cell])
    return runs


def _spans(sectors: Sectors, size: tuple[int, int]) -> NDArray[np.int32]:
    """Return the highest ceiling and the lowest floor of each sector, (x, z, 2), y down."""
    highest, lowest = sectors.ceiling.span()[0].min(axis=1), sectors.floor.span()[1].max(axis=1)
    return np.stack([highest, lowest], axis=1).reshape(*size, 2)
