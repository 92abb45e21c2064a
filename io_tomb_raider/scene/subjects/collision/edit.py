"""Editing of a collision mesh by tools: reading its sectors and its selection, and rebuilding it.

Rooms are represented by their index in the mesh object's list of pointers, plus an offset above all numbers
of damaged files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import bmesh
import bpy
import numpy as np
from bmesh.types import BMesh
from bpy.types import Mesh, Object
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.base import SECTOR_SIZE, T
from ....formats.levels.collision import SIDE_BITS, SectorGrid, Sectors, Split, triangles_at
from ...core.collision_faces import PART, FacePart
from ...core.membership import level_of
from ...core.space import Space
from ...core.targets import sector_game_of_level
from ...mesh.blender_mesh import readable
from ...mesh.poly_mesh import PolyMesh
from .build import ROOM_ATTRIBUTES, SECTOR_PLACE, SIDE
from .mesh import add_layers, fill_mesh, read_faces
from .read import CollisionMesh, RoomSize, read_sectors, rounded_sectors, sector_places
from .record import CollisionRecord, mark_rounding
from .shape import collision_shape

_FIRST_ROOM = 1 << 20


class Selection:
    """Selection within a room's n sectors."""

    def __init__(self, count: int) -> None:
        self.floor = np.zeros((count, 2), bool)  #: by triangle; both for an undivided floor.
        self.ceiling = np.zeros((count, 2), bool)  #: the same for ceilings.
        self.solid = np.zeros(count, bool)  #: the marks of sectors that are walls.
        self.walls = np.zeros((count, 4), bool)  #: the faces along each side, seen from within the sector.

    @property
    def sectors(self) -> NDArray[np.bool_]:
        """Selected sectors (n,): those of floors, ceilings and marks, else those in front of walls."""
        chosen = self.floor.any(axis=1) | self.ceiling.any(axis=1) | self.solid
        return np.asarray(chosen if chosen.any() else self.walls.any(axis=1))

    def surface(self, part: FacePart) -> NDArray[np.bool_]:
        """Return the selection of floors or of ceilings."""
        return self.floor if part == FacePart.FLOOR else self.ceiling


class CollisionEdit:
    """Collision of one room, read from its mesh, in edit mode or not, and written back.

    Raises:
        ExportError: if the mesh cannot be read; names the sector.
    """

    #: the game whose shapes and marks of sectors the level can have.
    sector_game: Game
    #: the sectors, which tools change. Rooms are numbers from :meth:`place_of`.
    sectors: Sectors
    selection: Selection  #: the selection, which is restored in the rebuilt mesh.

    def __init__(self, obj: Object, game: Game, space: Space, *, alone: bool = True) -> None:
        """Read the mesh, and its sectors if it is ``alone``: :func:`read_edits` reads those of many rooms."""
        if not isinstance(obj.data, Mesh):
            raise ExportError(obj.name, T("collision must be a mesh"))
        self.obj, self.mesh, self.game, self.space = obj, obj.data, game, space
        settings = obj.tomb_raider.collision
        self.size = RoomSize(max(obj.tomb_raider.index, 0), settings.x_sectors, settings.z_sectors)
        self.grid = SectorGrid([(self.size.x_sectors, self.size.z_sectors)])  #: the sector grid of the room.
        self.faces, self._before, self._hidden = self._read()
        self.points = space.to_file(self.faces.positions, obj.name, "a vertex")
        if alone:
            _read_sectors([self])

    def place_of(self, room: Object) -> int:
        """Return the number of a room as a target of sectors; adds it to the list if it is missing."""
        entries = self.obj.tomb_raider.collision.rooms
        for index, entry in enumerate(entries):
            if entry.room == room:
                return index + _FIRST_ROOM
        entries.add().room = room
        return len(entries) - 1 + _FIRST_ROOM

    def read_selection(self) -> Selection:
        """Return the user's selection in the mesh, by the sectors that were just read."""
        count = len(self.grid)
        result = Selection(count)
        selected = self._before.faces(len(self.faces.sizes))
        part, sector = sector_places(self.faces, self.points, self.size.x_sectors, self.size.z_sectors)
        for kind, surface in ((FacePart.FLOOR, self.sectors.floor), (FacePart.CEILING, self.sectors.ceiling)):
            faces = np.flatnonzero(selected & (part == kind) & (sector >= 0))
            surface_sectors, mask = sector[faces], result.surface(kind)
            mask[surface_sectors, self._triangles(faces, surface.split[surface_sectors])] = True
            mask[surface.split == Split.NONE] = mask[surface.split == Split.NONE].any(axis=1)[:, None]
        result.solid[sector[selected & (part == FacePart.SOLID) & (sector >= 0)]] = True
        before = self.faces.face[SECTOR_PLACE]
        walls = selected & (part == FacePart.WALL) & (before >= 0) & (before < count)
        for side, bit in enumerate(SIDE_BITS):
            result.walls[before[walls & (self.faces.face[SIDE] == bit)], side] = True
        return result

    def _read(self) -> tuple[PolyMesh, _SavedSelection, _HiddenFaces]:
        """Return the faces of the mesh, the user's selection, and the hidden faces."""
        active = self.mesh.polygons.active or 0
        if self.mesh.is_editmode:
            edited = bmesh.from_edit_mesh(self.mesh)
            edited.faces.index_update()
            active = -1 if edited.faces.active is None else edited.faces.active.index
        with readable(self.mesh) as mesh:
            faces = read_faces(mesh)
            return faces, _SavedSelection.read(mesh, active), _HiddenFaces.read(mesh, faces)

    def _triangles(self, faces: NDArray[np.int64], split: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the index of the triangle of its sector for each face."""
        if not len(faces):
            return np.zeros(0, np.int64)
        middle = self.faces.means(self.points)
        x, z = (middle[faces, axis] / SECTOR_SIZE % 1 for axis in (0, 2))
        return triangles_at(split, x, z)

    def regrid(self, x_sectors: int, z_sectors: int, sectors: Sectors, source: NDArray[np.int64]) -> None:
        """Replace all sectors; ``source``, (n,), is their previous index, an invalid one for new sectors."""
        before, count = self.selection, len(self.grid)
        self.size = RoomSize(self.size.number, x_sectors, z_sectors)
        self.grid, self.sectors = SectorGrid([(x_sectors, z_sectors)]), sectors
        self.selection = Selection(len(self.grid))
        old_sectors = np.flatnonzero(source < count)
        for name in ("floor", "ceiling", "solid", "walls"):
            getattr(self.selection, name)[old_sectors] = getattr(before, name)[source[old_sectors]]
        settings = self.obj.tomb_raider.collision
        settings.x_sectors, settings.z_sectors = x_sectors, z_sectors

    # --- Writing ----------------------------------------

    def write(self) -> None:
        """Rebuild the mesh from the sectors: floors, ceilings, walls and colors."""
        write_all([self])

    def rebuild(self, arrays: PolyMesh) -> None:
        """Replace the mesh by the result of :func:`.shape.collision_shape` for its sectors."""
        for name in ROOM_ATTRIBUTES:
            number = arrays.face[name]
            index = number - _FIRST_ROOM
            arrays.face[name] = np.where(number == 0, 0, np.where(index > 0, index, -number)).astype(np.int32)
        selected = self._selected(arrays)
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

    def _selected(self, arrays: PolyMesh) -> NDArray[np.bool_]:
        """Return whether each new face is selected, according to the previous selection."""
        chosen, face = self.selection, arrays.face
        sector, part, side = face[SECTOR_PLACE], face[PART], face[SIDE]
        ground: NDArray[np.bool_] = np.asarray(chosen.floor.any(axis=1) | chosen.solid)
        above: NDArray[np.bool_] = np.asarray(chosen.ceiling.any(axis=1))
        result = ((part == FacePart.FLOOR) | (part == FacePart.SOLID)) & ground[sector]
        result |= (part == FacePart.CEILING) & above[sector]
        for number, bit in enumerate(SIDE_BITS):
            result |= (part == FacePart.WALL) & (side == bit) & chosen.walls[sector, number]
        for kind, mask, split in (
            (FacePart.FLOOR, chosen.floor, self.sectors.floor.split),
            (FacePart.CEILING, chosen.ceiling, self.sectors.ceiling.split),
        ):
            # The two triangles of a divided surface are consecutive.
            faces = np.flatnonzero((part == kind) & (split[sector] != Split.NONE))
            triangle = np.arange(len(faces)) % 2
            partly = mask[sector[faces]].any(axis=1)
            result[faces[partly]] = mask[sector[faces], triangle][partly]
        return np.asarray(result)

    def _active(self, arrays: PolyMesh) -> int:
        """Return the new face that corresponds to the active face, -1 for none."""
        old = self._before.active
        if not 0 <= old < len(self.faces.sizes):
            return -1
        keys = _face_keys(self.faces)
        before = int((keys[:old] == keys[old]).all(axis=1).sum())
        faces = np.flatnonzero((_face_keys(arrays) == keys[old]).all(axis=1))
        # The same triangle of a divided floor.
        return int(faces[min(before, len(faces) - 1)]) if len(faces) else -1

    def _write_mesh(self, edited: BMesh, arrays: PolyMesh, selected: NDArray[np.bool_]) -> None:
        """Fill an empty bmesh with the new faces, and restore the selection."""
        scratch = bpy.data.meshes.new("Collision")
        try:
            add_layers(scratch)
            fill_mesh(scratch, arrays, self.space)
            mark_rounding(scratch, CollisionRecord.load(self.mesh), arrays.face)
            edited.from_mesh(scratch)
        finally:
            bpy.data.meshes.remove(scratch)
        if not self._before.fits(edited, self.faces, arrays):
            self._before = _SavedSelection({"faces": np.flatnonzero(selected)}, self._active(arrays))
        self._before.select(edited)
        edited.faces.ensure_lookup_table()
        for index in np.flatnonzero(self._hidden.of(_face_keys(arrays))).tolist():
            edited.faces[index].hide_set(True)


def _face_keys(faces: PolyMesh) -> NDArray[np.int32]:
    """Return the part, sector and side of each face, (f, 3)."""
    return np.stack([faces.face[name] for name in (PART, SECTOR_PLACE, SIDE)], axis=1)


def read_edits(objects: Iterable[Object], game: Game, space: Space) -> list[CollisionEdit]:
    """Read the collision of rooms of one level, like :class:`CollisionEdit` of each, but faster."""
    edits = [CollisionEdit(each, game, space, alone=False) for each in objects]
    _read_sectors(edits)
    return edits


def _read_sectors(edits: Sequence[CollisionEdit]) -> None:
    if not edits:
        return
    game, level = edits[0].game, level_of(edits[0].obj)
    sector_game = game if level is None else sector_game_of_level(level)
    meshes = [
        CollisionMesh(
            edit.faces,
            edit.points,
            np.arange(len(edit.obj.tomb_raider.collision.rooms)) + _FIRST_ROOM,
            edit.size,
        )
        for edit in edits
    ]
    sectors = rounded_sectors(read_sectors(meshes, game).sectors, sector_game)[0]
    first = 0
    for edit in edits:
        edit.sector_game = sector_game
        edit.sectors = sectors.take(slice(first, first + len(edit.grid)))
        edit.selection = edit.read_selection()
        first += len(edit.grid)


def write_all(edits: Sequence[CollisionEdit]) -> None:
    """Rebuild meshes from their sectors, like :meth:`CollisionEdit.write` for each, but faster."""
    if not edits:
        return
    for edit in edits:
        edit.sectors = rounded_sectors(edit.sectors, edit.sector_game)[0]
    grid = SectorGrid([(edit.size.x_sectors, edit.size.z_sectors) for edit in edits])
    shapes = collision_shape(Sectors.join([edit.sectors for edit in edits]), grid)
    for edit, arrays in zip(edits, shapes, strict=True):
        edit.rebuild(arrays)


class _HiddenFaces:
    """The floors, ceilings and walls that the user has hidden, by part, sector and side."""

    def __init__(self, keys: NDArray[np.int32]) -> None:
        """Store the keys, (n, 3), of those of which all faces are hidden."""
        self._keys = {tuple(key) for key in keys.tolist()}

    @classmethod
    def read(cls, mesh: Mesh, faces: PolyMesh) -> _HiddenFaces:
        """Return those of a mesh that is not in edit mode, or of a copy of one that is."""
        hidden = np.zeros(len(mesh.polygons), bool)
        mesh.polygons.foreach_get("hide", hidden)
        keys = _face_keys(faces)
        result = cls(keys[hidden])
        result._keys -= {tuple(key) for key in keys[~hidden].tolist()} if hidden.any() else set()
        return result

    def of(self, keys: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return whether each face is hidden, by its part, sector and side, (n, 3)."""
        if not self._keys:
            return np.zeros(len(keys), bool)
        return np.array([tuple(key) in self._keys for key in keys.tolist()], bool)


@dataclass(eq=False)
class _SavedSelection:
    """The user's selection in a mesh.

    Blender's selection layers cannot be written reliably in meshes with edges (5.0 crashes), so the selection
    is set by bmesh, element by element: a room's collision is small.
    """

    chosen: dict[str, NDArray[np.int64]]  #: the indices of the selected ``verts``, ``edges`` and ``faces``.
    active: int = -1  #: the active face, -1 for none.
    counts: tuple[int, ...] = ()  #: the number of elements of each kind.

    @classmethod
    def read(cls, mesh: Mesh, active: int) -> _SavedSelection:
        """Return the selection of a mesh that is not in edit mode, or of a copy of one that is."""
        chosen, counts = {}, []
        for name, elements in (("verts", mesh.vertices), ("edges", mesh.edges), ("faces", mesh.polygons)):
            flags = np.zeros(len(elements), bool)
            elements.foreach_get("select", flags)
            chosen[name] = np.flatnonzero(flags)
            counts.append(len(flags))
        return cls(chosen, active, tuple(counts))

    def faces(self, count: int) -> NDArray[np.bool_]:
        """Return whether each face is selected, (count,)."""
        flags = np.zeros(count, bool)
        flags[self.chosen["faces"]] = True
        return flags

    def select(self, edited: BMesh) -> None:
        """Select the same elements in a mesh with the same topology."""
        # In this order, because selecting or deselecting a face also changes its edges and vertices.
        groups = {name: getattr(edited, name) for name in ("faces", "edges", "verts")}
        for group in groups.values():
            group.ensure_lookup_table()
            for element in group:
                element.select = False
        for name in reversed(groups):
            for index in self.chosen.get(name, ()):
                groups[name][index].select = True
        if self.active >= 0:
            edited.faces.active = edited.faces[self.active]

    def fits(self, edited: BMesh, before: PolyMesh, after: PolyMesh) -> bool:
        """Return whether a new mesh equals the old one apart from the positions of vertices."""
        return (
            self.counts == (len(edited.verts), len(edited.edges), len(edited.faces))
            and np.array_equal(before.corners, after.corners)
            and np.array_equal(before.sizes, after.sizes)
            and np.array_equal(_face_keys(before), _face_keys(after))
        )
