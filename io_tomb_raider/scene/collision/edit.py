"""A collision mesh while a tool works on it: read as sectors, with what is selected, and built anew.

Rooms go by their places in the mesh object's list of pointers, above all numbers of damaged files.
"""

from __future__ import annotations

from typing import Any

import bmesh
import bpy
import numpy as np
from bpy.types import Mesh, Object
from numpy.typing import NDArray

from ...formats import ExportError, Game
from ...formats.collision.sectors import Sectors
from ...formats.collision.surfaces import Split
from ..base.space import Space
from .build import LEADS, PART, SECTOR_PLACE, SIDE, CollisionArrays, Part, collision_shape
from .grid import SECTOR, SIDE_BITS, SectorGrid
from .mesh import CollisionFaces, add_layers, fill_mesh, read_faces
from .read import RoomSize, read_sectors, sector_places, settled

_FIRST_PLACE = 1 << 20
_SELECTED = ".select_poly"


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

    def surface(self, part: Part) -> NDArray[np.bool_]:
        """Return what is selected of floors or ceilings."""
        return self.floor if part == Part.FLOOR else self.ceiling


class CollisionEdit:
    """One room's collision, from its mesh and back into it.

    Args:
        thing: the mesh object, in edit mode or not.
        game: of its level.
        space: of its level.

    Attributes:
        sectors: what tools change. Rooms are numbers from :meth:`place_of`.
        selection: what was selected, and will be again.
        grid: of the room.

    Raises:
        ExportError: naming the sector, where the mesh cannot be read.
    """

    def __init__(self, thing: Object, game: Game, space: Space) -> None:
        if not isinstance(thing.data, Mesh):
            raise ExportError(thing.name, "collision has to be a mesh")
        self.thing, self.mesh, self.game, self.space = thing, thing.data, game, space
        settings = thing.tomb_raider.collision
        self.size = RoomSize(max(thing.tomb_raider.index, 0), settings.x_sectors, settings.z_sectors)
        self.grid = SectorGrid([(self.size.x_sectors, self.size.z_sectors)])
        self.faces, self._selected = self._read()
        self.points = space.to_file(self.faces.positions)
        rooms = np.arange(len(settings.rooms)) + _FIRST_PLACE
        read = read_sectors(self.faces, self.points, rooms, self.size, game)
        self.sectors: Sectors = settled(read.sectors, game)[0]
        self.selection = self._read_selection()

    def place_of(self, room: Object) -> int:
        """Return the number by which sectors lead to a room, which joins the list if it is not on it."""
        entries = self.thing.tomb_raider.collision.rooms
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
        selected = self._selected
        part, place = sector_places(self.faces, self.points, self.size)
        for kind, surface in ((Part.FLOOR, self.sectors.floor), (Part.CEILING, self.sectors.ceiling)):
            faces = np.flatnonzero(selected & (part == kind) & (place >= 0))
            at, mask = place[faces], found.surface(kind)
            mask[at, self._triangles(faces, surface.split[at])] = True
            mask[surface.split == Split.NONE] = mask[surface.split == Split.NONE].any(axis=1)[:, None]
        found.solid[place[selected & (part == Part.SOLID) & (place >= 0)]] = True
        before = self.faces.face[SECTOR_PLACE]
        walls = selected & (part == Part.WALL) & (before >= 0) & (before < count)
        for side, bit in enumerate(SIDE_BITS):
            found.walls[before[walls & (self.faces.face[SIDE] == bit)], side] = True
        return found

    def _read(self) -> tuple[CollisionFaces, NDArray[np.bool_]]:
        """Return the faces of the mesh, and which of them are selected."""
        if not self.mesh.is_editmode:
            return read_faces(self.mesh), _selected_faces(self.mesh)
        # In edit mode a mesh has no attributes that could be read at once.
        scratch = bpy.data.meshes.new("Collision")
        try:
            bmesh.from_edit_mesh(self.mesh).to_mesh(scratch)
            return read_faces(scratch), _selected_faces(scratch)
        finally:
            bpy.data.meshes.remove(scratch)

    def _triangles(self, faces: NDArray[np.int64], split: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return which triangle of its sector each face is."""
        counts = np.diff(np.append(self.faces.starts, len(self.faces.corners)))
        if not len(faces):
            return np.zeros(0, np.int64)
        middle = np.add.reduceat(self.points[self.faces.corners], self.faces.starts) / counts[:, None]
        x, z = (middle[faces, axis] / SECTOR % 1 for axis in (0, 2))
        return np.where(split == Split.RISING, x > z, x + z > 1).astype(np.int64)

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
        settings = self.thing.tomb_raider.collision
        settings.x_sectors, settings.z_sectors = x_sectors, z_sectors

    # --- Back into the mesh ----------------------------------------

    def write(self) -> None:
        """Build the mesh anew from the sectors: floors, ceilings, walls and colors."""
        self.sectors = settled(self.sectors, self.game)[0]
        (arrays,) = collision_shape(self.sectors, self.grid)
        for name in LEADS:
            lead = arrays.face[name]
            place = lead - _FIRST_PLACE
            arrays.face[name] = np.where(lead == 0, 0, np.where(place > 0, place, -lead)).astype(np.int32)
        selected = self._wanted(arrays)
        if self.mesh.is_editmode:
            self._write_edit_mode(arrays, selected)
        else:
            self.mesh.clear_geometry()
            self._fill(self.mesh, arrays, selected)

    def _wanted(self, arrays: CollisionArrays) -> NDArray[np.bool_]:
        """Return which of the new faces are selected: those of what was selected before."""
        chosen, face = self.selection, arrays.face
        place, part, side = face[SECTOR_PLACE], face[PART], face[SIDE]
        ground: NDArray[np.bool_] = np.asarray(chosen.floor.any(axis=1) | chosen.solid)
        above: NDArray[np.bool_] = np.asarray(chosen.ceiling.any(axis=1))
        wanted = ((part == Part.FLOOR) | (part == Part.SOLID)) & ground[place]
        wanted |= (part == Part.CEILING) & above[place]
        for number, bit in enumerate(SIDE_BITS):
            wanted |= (part == Part.WALL) & (side == bit) & chosen.walls[place, number]
        for kind, mask, split in (
            (Part.FLOOR, chosen.floor, self.sectors.floor.split),
            (Part.CEILING, chosen.ceiling, self.sectors.ceiling.split),
        ):
            # Of divided surfaces the triangles come in their order, one after the other.
            faces = np.flatnonzero((part == kind) & (split[place] != Split.NONE))
            triangle = np.arange(len(faces)) % 2
            partly = mask[place[faces]].any(axis=1)
            wanted[faces[partly]] = mask[place[faces], triangle][partly]
        return np.asarray(wanted)

    def _fill(self, mesh: Mesh, arrays: CollisionArrays, selected: NDArray[np.bool_]) -> None:
        add_layers(mesh)
        mesh.attributes.new(_SELECTED, "BOOLEAN", "FACE")
        mesh.attributes.new(".select_vert", "BOOLEAN", "POINT")
        fill_mesh(mesh, arrays, self.space)
        if not len(selected):
            return
        layers: Any = mesh.attributes
        layers[_SELECTED].data.foreach_set("value", selected)
        vertices = np.zeros(len(arrays.positions), bool)
        vertices[arrays.corners[np.repeat(selected, arrays.sizes)]] = True
        layers[".select_vert"].data.foreach_set("value", vertices)

    def _write_edit_mode(self, arrays: CollisionArrays, selected: NDArray[np.bool_]) -> None:
        scratch = bpy.data.meshes.new("Collision")
        try:
            self._fill(scratch, arrays, selected)
            edited = bmesh.from_edit_mesh(self.mesh)
            edited.clear()
            edited.from_mesh(scratch)
            edited.select_flush_mode()
            bmesh.update_edit_mesh(self.mesh)
        finally:
            bpy.data.meshes.remove(scratch)


def _selected_faces(mesh: Mesh) -> NDArray[np.bool_]:
    selected = np.zeros(len(mesh.polygons), bool)
    layer: Any = mesh.attributes.get(_SELECTED)
    if layer is not None and len(selected):
        layer.data.foreach_get("value", selected)
    return selected
