"""A collision mesh while a tool works on it: read as sectors, with what is selected, and rebuilt.

Rooms go by their places in the mesh object's list of pointers, above all numbers of damaged files.
"""

from __future__ import annotations

from collections.abc import Sequence

import bmesh
import bpy
import numpy as np
from bmesh.types import BMesh
from bpy.types import Mesh, Object
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.base.units import SECTOR_SIZE
from ....formats.collision.grid import SIDE_BITS, SectorGrid
from ....formats.collision.sectors import Sectors
from ....formats.collision.surfaces import Split, triangles_at
from ...core.collision_faces import PART, FacePart
from ...core.space import Space
from ...mesh.poly_mesh import PolyMesh
from ...mesh.read import readable
from .build import LEADS, SECTOR_PLACE, SIDE, join_sectors
from .mesh import add_layers, fill_mesh, read_faces
from .read import RoomSize, read_sectors, sector_places, settled
from .record import CastRecord, mark_rounding
from .shape import collision_shape

_FIRST_PLACE = 1 << 20


class Selection:
    """What is selected of a room's n sectors.

    Attributes:
        floor: (n, 2) bool, by triangle; both where a floor is not divided.
        ceiling: likewise.
        solid: (n,) bool, the marks of sectors that are walls.
        walls: (n, 4) bool, what stands along each side, seen from within the sector.
    """

    def __init__(self, count: int) -> None:
        self.floor, self.ceiling = np.zeros((count, 2), bool), np.zeros((count, 2), bool)
        self.solid = np.zeros(count, bool)
        self.walls = np.zeros((count, 4), bool)

    @property
    def sectors(self) -> NDArray[np.bool_]:
        """Which sectors are meant (n,): those of floors, ceilings and marks, else those before walls."""
        meant = self.floor.any(axis=1) | self.ceiling.any(axis=1) | self.solid
        return np.asarray(meant if meant.any() else self.walls.any(axis=1))

    def surface(self, part: FacePart) -> NDArray[np.bool_]:
        """Return what is selected of floors or ceilings."""
        return self.floor if part == FacePart.FLOOR else self.ceiling


class CollisionEdit:
    """One room's collision, from its mesh and back into it.

    Args:
        object: the mesh object, in edit mode or not.
        game: of its level.
        space: of its level.

    Attributes:
        sectors: what tools change. Rooms are numbers from :meth:`place_of`.
        selection: what was selected, and will be again.
        grid: of the room.

    Raises:
        ExportError: naming the sector, where the mesh cannot be read.
    """

    def __init__(self, obj: Object, game: Game, space: Space) -> None:
        if not isinstance(obj.data, Mesh):
            raise ExportError(obj.name, "collision has to be a mesh")
        self.obj, self.mesh, self.game, self.space = obj, obj.data, game, space
        settings = obj.tomb_raider.collision
        self.size = RoomSize(max(obj.tomb_raider.index, 0), settings.x_sectors, settings.z_sectors)
        self.grid = SectorGrid([(self.size.x_sectors, self.size.z_sectors)])
        self.faces, self._before = self._read()
        self.points = space.to_file(self.faces.positions, obj.name, "a vertex")
        rooms = np.arange(len(settings.rooms)) + _FIRST_PLACE
        read = read_sectors(self.faces, self.points, rooms, self.size, game)
        self.sectors: Sectors = settled(read.sectors, game)[0]
        self.selection = self._read_selection()

    def place_of(self, room: Object) -> int:
        """Return the number by which sectors lead to a room, which joins the list if it is not on it."""
        entries = self.obj.tomb_raider.collision.rooms
        for place, entry in enumerate(entries):
            if entry.room == room:
                return place + _FIRST_PLACE
        entries.add().room = room
        return len(entries) - 1 + _FIRST_PLACE

    def beside(self, side: int) -> NDArray[np.int64]:
        """Return the sector on one side of each one, -1 beyond the room's border."""
        return self.grid.neighbors(side)

    def _read_selection(self) -> Selection:
        count = len(self.grid)
        found = Selection(count)
        selected = self._before.faces(len(self.faces.sizes))
        part, place = sector_places(self.faces, self.points, self.size)
        for kind, surface in ((FacePart.FLOOR, self.sectors.floor), (FacePart.CEILING, self.sectors.ceiling)):
            faces = np.flatnonzero(selected & (part == kind) & (place >= 0))
            at, mask = place[faces], found.surface(kind)
            mask[at, self._triangles(faces, surface.split[at])] = True
            mask[surface.split == Split.NONE] = mask[surface.split == Split.NONE].any(axis=1)[:, None]
        found.solid[place[selected & (part == FacePart.SOLID) & (place >= 0)]] = True
        before = self.faces.face[SECTOR_PLACE]
        walls = selected & (part == FacePart.WALL) & (before >= 0) & (before < count)
        for side, bit in enumerate(SIDE_BITS):
            found.walls[before[walls & (self.faces.face[SIDE] == bit)], side] = True
        return found

    def _read(self) -> tuple[PolyMesh, _Picked]:
        """Return the faces of the mesh, and what the user has selected."""
        active = self.mesh.polygons.active or 0
        if self.mesh.is_editmode:
            edited = bmesh.from_edit_mesh(self.mesh)
            edited.faces.index_update()
            active = -1 if edited.faces.active is None else edited.faces.active.index
        with readable(self.mesh) as mesh:
            return read_faces(mesh), _Picked.read(mesh, active)

    def _triangles(self, faces: NDArray[np.int64], split: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return which triangle of its sector each face is."""
        if not len(faces):
            return np.zeros(0, np.int64)
        middle = self.faces.means(self.points)
        x, z = (middle[faces, axis] / SECTOR_SIZE % 1 for axis in (0, 2))
        return triangles_at(split, x, z)

    def regrid(self, x_sectors: int, z_sectors: int, sectors: Sectors, source: NDArray[np.int64]) -> None:
        """Go on with other sectors.

        Args:
            x_sectors: the room's sectors along x.
            z_sectors: likewise along z.
            sectors: what they are.
            source: (n,) which sector each one was before; what is no sector's number is new.
        """
        before, count = self.selection, len(self.grid)
        self.size = RoomSize(self.size.number, x_sectors, z_sectors)
        self.grid, self.sectors = SectorGrid([(x_sectors, z_sectors)]), sectors
        self.selection = Selection(len(self.grid))
        kept = np.flatnonzero(source < count)
        for name in ("floor", "ceiling", "solid", "walls"):
            getattr(self.selection, name)[kept] = getattr(before, name)[source[kept]]
        settings = self.obj.tomb_raider.collision
        settings.x_sectors, settings.z_sectors = x_sectors, z_sectors

    # --- Back into the mesh ----------------------------------------

    def write(self) -> None:
        """Rebuild the mesh from the sectors: floors, ceilings, walls and colors."""
        write_all([self])

    def rebuild(self, arrays: PolyMesh) -> None:
        """Make the mesh show what :func:`.shape.collision_shape` gives for its sectors."""
        for name in LEADS:
            lead = arrays.face[name]
            place = lead - _FIRST_PLACE
            arrays.face[name] = np.where(lead == 0, 0, np.where(place > 0, place, -lead)).astype(np.int32)
        selected = self._wanted(arrays)
        if self.mesh.is_editmode:
            edited = bmesh.from_edit_mesh(self.mesh)
            edited.clear()
            self._write_mesh(edited, arrays, selected)
            edited.select_flush_mode()
            bmesh.update_edit_mesh(self.mesh)
            return
        edited = bmesh.new()
        try:
            self._write_mesh(edited, arrays, selected)
            edited.to_mesh(self.mesh)
        finally:
            edited.free()

    def _wanted(self, arrays: PolyMesh) -> NDArray[np.bool_]:
        """Return which of the new faces are selected: those of what was selected before."""
        chosen, face = self.selection, arrays.face
        place, part, side = face[SECTOR_PLACE], face[PART], face[SIDE]
        ground: NDArray[np.bool_] = np.asarray(chosen.floor.any(axis=1) | chosen.solid)
        above: NDArray[np.bool_] = np.asarray(chosen.ceiling.any(axis=1))
        wanted = ((part == FacePart.FLOOR) | (part == FacePart.SOLID)) & ground[place]
        wanted |= (part == FacePart.CEILING) & above[place]
        for number, bit in enumerate(SIDE_BITS):
            wanted |= (part == FacePart.WALL) & (side == bit) & chosen.walls[place, number]
        for kind, mask, split in (
            (FacePart.FLOOR, chosen.floor, self.sectors.floor.split),
            (FacePart.CEILING, chosen.ceiling, self.sectors.ceiling.split),
        ):
            # Of divided surfaces the triangles come in their order, one after the other.
            faces = np.flatnonzero((part == kind) & (split[place] != Split.NONE))
            triangle = np.arange(len(faces)) % 2
            partly = mask[place[faces]].any(axis=1)
            wanted[faces[partly]] = mask[place[faces], triangle][partly]
        return np.asarray(wanted)

    def _active(self, arrays: PolyMesh) -> int:
        """Return the new face that is what the active one was, -1 where there is none."""
        old, names = self._before.active, (PART, SECTOR_PLACE, SIDE)
        if not 0 <= old < len(self.faces.sizes):
            return -1
        same = np.logical_and.reduce([arrays.face[name] == self.faces.face[name][old] for name in names])
        before = np.logical_and.reduce(
            [self.faces.face[name][:old] == self.faces.face[name][old] for name in names]
        )
        found = np.flatnonzero(same)
        # Of a divided floor it is the same triangle.
        return int(found[min(int(before.sum()), len(found) - 1)]) if len(found) else -1

    def _write_mesh(self, edited: BMesh, arrays: PolyMesh, selected: NDArray[np.bool_]) -> None:
        """Fill an empty bmesh with the new faces, and select in it what was selected."""
        scratch = bpy.data.meshes.new("Collision")
        try:
            add_layers(scratch)
            fill_mesh(scratch, arrays, self.space)
            mark_rounding(scratch, CastRecord.load(self.mesh), arrays.face)
            edited.from_mesh(scratch)
        finally:
            bpy.data.meshes.remove(scratch)
        if not self._before.fits(edited, self.faces, arrays):
            self._before = _Picked({"faces": np.flatnonzero(selected)}, self._active(arrays))
        self._before.select(edited)


def write_all(edits: Sequence[CollisionEdit]) -> None:
    """Rebuild meshes from their sectors, as :meth:`CollisionEdit.write` does, but faster than one by one."""
    if not edits:
        return
    for edit in edits:
        edit.sectors = settled(edit.sectors, edit.game)[0]
    grid = SectorGrid([(edit.size.x_sectors, edit.size.z_sectors) for edit in edits])
    shapes = collision_shape(join_sectors([edit.sectors for edit in edits]), grid)
    for edit, arrays in zip(edits, shapes, strict=True):
        edit.rebuild(arrays)


class _Picked:
    """What the user has selected of a mesh.

    Blender's layers of selections cannot be written reliably once there are edges (5.0 crashes), so the
    selection goes through bmesh, element by element: collision of a room is small.

    Args:
        chosen: the indices of the selected ``verts``, ``edges`` and ``faces``.
        active: the active face, -1 for none.
        counts: how many elements of each there were.
    """

    def __init__(
        self, chosen: dict[str, NDArray[np.int64]], active: int = -1, counts: tuple[int, ...] = ()
    ) -> None:
        self.chosen, self.active, self.counts = chosen, active, counts

    @classmethod
    def read(cls, mesh: Mesh, active: int) -> _Picked:
        """Read it from a mesh that is not in edit mode, or from a copy of one that is."""
        chosen, counts = {}, []
        for name, elements in (("verts", mesh.vertices), ("edges", mesh.edges), ("faces", mesh.polygons)):
            flags = np.zeros(len(elements), bool)
            elements.foreach_get("select", flags)
            chosen[name] = np.flatnonzero(flags)
            counts.append(len(flags))
        return cls(chosen, active, tuple(counts))

    def faces(self, count: int) -> NDArray[np.bool_]:
        """Tell of all faces which are selected, (count,)."""
        flags = np.zeros(count, bool)
        flags[self.chosen["faces"]] = True
        return flags

    def select(self, edited: BMesh) -> None:
        """Select the same in a mesh that has the same elements."""
        # Faces last: to clear or select one clears or selects its edges and vertices, too.
        groups = {name: getattr(edited, name) for name in ("faces", "edges", "verts")}
        for group in groups.values():
            group.ensure_lookup_table()
            for each in group:
                each.select = False
        for name in reversed(groups):
            for index in self.chosen.get(name, ()):
                groups[name][index].select = True
        if self.active >= 0:
            edited.faces.active = edited.faces[self.active]

    def fits(self, edited: BMesh, before: PolyMesh, after: PolyMesh) -> bool:
        """Tell whether a new mesh has the very vertices and faces of the old one, but for their places."""
        return (
            self.counts == (len(edited.verts), len(edited.edges), len(edited.faces))
            and np.array_equal(before.corners, after.corners)
            and np.array_equal(before.sizes, after.sizes)
            and all(
                np.array_equal(before.face[name], after.face[name]) for name in (PART, SECTOR_PLACE, SIDE)
            )
        )
