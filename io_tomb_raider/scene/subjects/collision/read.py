"""Conversion of the faces of an edited collision mesh to sectors.

A floor belongs to the sector in which it is: copied or new faces are read like imported ones. Games store
only the heights of sectors' corners, so other vertices are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.base import CLICK, SECTOR_SIZE, T
from ....formats.levels.collision import STONE, WALL, Sectors, Split, Surface, round_surface, sector_name
from ....formats.levels.floor import CLIMB_SIDES
from ...core.collision_faces import PART, FacePart
from ...mesh.poly_mesh import PolyMesh, join
from .build import BOX, CLIMB, MARK_BITS, MARKS, MATERIAL, NOWHERE, PORTAL, ROOM, ROOM_ABOVE, ROOM_ATTRIBUTES

_NO_AREA = 1024  # units²: faces with less area are vertical, like the sides of an extrusion
_NEAR_CORNER = 0.25  # sectors
_MAX_SHIFT, _MAX_ROUNDING = 24, 2  # units that a corner may be off without a warning
# By the missing corner of a triangle: the split of the sector, and the index of the triangle.
_MISSING = np.array([(Split.FALLING, 1), (Split.RISING, 1), (Split.RISING, 0), (Split.FALLING, 0)])
_Sizes = int | NDArray[np.int64]
_NAMES = {FacePart.FLOOR: T("floor"), FacePart.CEILING: T("ceiling")}


class RoomSize(NamedTuple):
    """A room whose sectors are read: its number, for errors, and its size in sectors."""

    number: int
    x_sectors: int
    z_sectors: int


def _unchanged(error: ExportError) -> ExportError:
    return error


class CollisionMesh(NamedTuple):
    """The collision mesh of a room."""

    faces: PolyMesh
    points: NDArray[np.float64]  #: (v, 3) its vertices in units of the file from the room's corner.
    rooms: NDArray[np.int64]  #: the numbers of the rooms in the mesh object's list, -1 for missing rooms.
    size: RoomSize
    #: returns an error of the room with its cause.
    explain: Callable[[ExportError], ExportError] = _unchanged


class SectorsRead(NamedTuple):
    """The sectors of meshes, those of one room after the other."""

    sectors: Sectors  #: with unrounded heights.
    notes: dict[str, NDArray[np.int64]]  #: by warning, the indices of the sectors that it applies to.


def sector_places(
    faces: PolyMesh, points: NDArray[np.float64], x_sectors: _Sizes, z_sectors: _Sizes
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the :class:`FacePart` and the sector of each face, or -1.

    Args:
        points: (v, 3) the vertices in units of the file from the room's corner.
        x_sectors, z_sectors: the size of the room, or (f,) that of the room of each face.
    """
    if not len(faces.sizes):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    middle = faces.means(points)
    # Faces that are not finite, or too far for integers, are in no sector.
    cell = np.floor(np.nan_to_num(middle[:, [0, 2]] / SECTOR_SIZE, nan=-1.0))
    cell = cell.clip(-1, max(np.max(x_sectors), np.max(z_sectors))).astype(np.int64)
    inside = (cell >= 0).all(axis=1) & (cell[:, 0] < x_sectors) & (cell[:, 1] < z_sectors)
    sector = np.where(inside, cell[:, 0] * z_sectors + cell[:, 1], -1)
    part = faces.face[PART].astype(np.int64)
    area = _areas(points[faces.corners], faces.starts)
    drawn = np.where(area > 0, FacePart.FLOOR, FacePart.CEILING)
    part = np.where((part < FacePart.FLOOR) | (part > FacePart.SOLID), drawn, part)
    upright = (np.abs(area) < _NO_AREA) & (part != FacePart.SOLID)
    return np.where(upright, FacePart.WALL, part), sector


def _areas(at: NDArray[np.float64], starts: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the signed area of faces as seen from above, negative if they face down."""
    after = np.arange(1, len(at) + 1)
    after[np.append(starts[1:], len(at)) - 1] = starts
    x, z = at[:, 0], at[:, 2]
    return np.asarray(np.add.reduceat(x * z[after] - x[after] * z, starts) / 2)


def read_sectors(meshes: Sequence[CollisionMesh], game: Game) -> SectorsRead:
    """Read the sectors of rooms, at least one, all at once.

    Raises:
        ExportError: if a floor or ceiling is missing or its corners are ambiguous; names room and sector.
    """
    return _Reading(meshes, game).read()


class _Reading:
    def __init__(self, meshes: Sequence[CollisionMesh], game: Game) -> None:
        self.meshes, self.game = meshes, game
        self.faces = join([mesh.faces for mesh in meshes])
        self.points = np.concatenate([mesh.points for mesh in meshes])
        sizes = np.array([mesh.size for mesh in meshes], np.int64)
        counts = sizes[:, 1] * sizes[:, 2]
        self.count = int(counts.sum())
        self.first = np.cumsum(counts) - counts  # the first sector of each room
        room = np.repeat(np.arange(len(meshes)), [len(mesh.faces.sizes) for mesh in meshes])
        _, self.x_sectors, self.z_sectors = sizes[room].T  # of the room of each face
        self.part, self.sector = sector_places(self.faces, self.points, self.x_sectors, self.z_sectors)
        self.sector = np.where(self.sector < 0, -1, self.sector + self.first[room])
        self.room = room
        self.target = {name: self._numbers(self.faces.face[name]) for name in ROOM_ATTRIBUTES}
        self.notes: dict[str, NDArray[np.int64]] = {}

    def _numbers(self, values: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the numbers of the rooms that faces open to, -1 for none."""
        lengths = np.array([1 + len(mesh.rooms) for mesh in self.meshes])
        table = np.concatenate([part for mesh in self.meshes for part in ([-1], mesh.rooms)])
        indices = np.where(values < lengths[self.room], np.maximum(values, 0), 0)
        starts = np.cumsum(lengths) - lengths
        return np.where(values < 0, -1 - values.astype(np.int64), table[starts[self.room] + indices])

    def read(self) -> SectorsRead:
        reads = np.isin(self.part, (FacePart.FLOOR, FacePart.CEILING, FacePart.SOLID))
        outside = np.bincount(self.room[reads & (self.sector < 0)], minlength=len(self.meshes))
        for number in np.flatnonzero(outside)[:1].tolist():
            mesh = self.meshes[number]
            problem = T(
                "{outside} faces of its collision are outside of its sectors", outside=int(outside[number])
            )
            raise mesh.explain(ExportError(T("Room {number:03}", number=mesh.size.number), problem))
        has = {
            part: np.bincount(self.sector[self.part == part], minlength=self.count) > 0
            for part in (FacePart.FLOOR, FacePart.CEILING)
        }
        for part, opposite in ((FacePart.FLOOR, FacePart.CEILING), (FacePart.CEILING, FacePart.FLOOR)):
            for sector in np.flatnonzero(has[opposite] & ~has[part])[:1].tolist():
                raise self._error(
                    sector,
                    T(
                        "it has a {present}, but its {missing} is missing",
                        present=_NAMES[opposite],
                        missing=_NAMES[part],
                    ),
                )
        wall = ~has[FacePart.FLOOR]
        floor, below = self._surface(FacePart.FLOOR)
        ceiling, above = self._surface(FacePart.CEILING)
        solid = (self.part == FacePart.SOLID) & wall[np.maximum(self.sector, 0)]
        carriers = np.flatnonzero((self.part == FacePart.FLOOR) | solid)
        solids = np.flatnonzero(solid)
        below = self._gathered(self.target[ROOM], solids, below)
        above = self._gathered(self.target[ROOM_ABOVE], solids, above)
        marks = self._carried(MARKS, carriers)
        flags = {name: (marks & bit) != 0 for name, bit in MARK_BITS.items()}
        portal = self._gathered(self.target[PORTAL], carriers, np.full(self.count, -1))
        sectors = Sectors(
            floor=floor,
            ceiling=ceiling,
            wall=wall,
            room_below=np.where(below == NOWHERE, -1, below).astype(np.int32),
            room_above=np.where(above == NOWHERE, -1, above).astype(np.int32),
            portal=portal.astype(np.int32),
            box=(self._carried(BOX, carriers) - 1).astype(np.int32),
            material=self._material(carriers),
            climb=CLIMB_SIDES.fit(self._carried(CLIMB, carriers)).astype(np.uint8),
            **flags,
        )
        return SectorsRead(sectors, self.notes)

    def _error(self, sector: int, problem: str) -> ExportError:
        number = int(np.searchsorted(self.first, sector, side="right")) - 1
        mesh = self.meshes[number]
        name = sector_name(mesh.size.number, sector - int(self.first[number]), mesh.size.z_sectors)
        return mesh.explain(ExportError(name, problem))

    def _add_note(self, text: str, sectors: NDArray[Any]) -> None:
        if len(sectors):
            old = self.notes.get(text, np.zeros(0, np.int64))
            self.notes[text] = np.union1d(old, sectors)

    def _gathered(
        self, values: NDArray[Any], faces: NDArray[np.int64], into: NDArray[Any]
    ) -> NDArray[np.int64]:
        """Return an array with the values of faces set for their sectors; the first face has precedence."""
        into, sectors, own_values = into.astype(np.int64), self.sector[faces], values[faces]
        into[sectors[::-1]] = own_values[::-1]
        text = T("its triangles have different settings; those of the first are used")
        self._add_note(text, sectors[into[sectors] != own_values])
        return into

    def _carried(self, name: str, carriers: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._gathered(self.faces.face[name], carriers, np.zeros(self.count))

    def _material(self, carriers: NDArray[np.int64]) -> NDArray[np.uint8]:
        default = STONE if self.game.traits.has_materials else 0
        material = self._gathered(self.faces.face[MATERIAL], carriers, np.full(self.count, default))
        # Larger values are invalid materials too: the encoder reports them.
        return np.clip(material, 0, 255).astype(np.uint8)

    # --- Floors and ceilings ----------------------------------------

    def _surface(self, part: FacePart) -> tuple[Surface, NDArray[np.int64]]:
        """Return all floors or ceilings, and the rooms that they are open to."""
        heights = np.full((self.count, 2, 4), np.nan)
        split = np.zeros(self.count, np.uint8)
        faces = np.flatnonzero(self.part == part)
        loops, owner, corner = self._corners(faces)
        height = self.points[self.faces.corners[loops], 1]
        seen = np.zeros((len(self.part), 4), bool)
        seen[owner, corner] = True
        corners = seen.sum(axis=1)
        corner_counts = np.bincount(owner, minlength=len(self.part))
        sizes = self.faces.sizes
        is_quad = (sizes == 4) & (corner_counts == 4) & (corners == 4)
        is_triangle = (sizes == 3) & (corner_counts == 3) & (corners == 3)
        missing = np.where(is_triangle, seen.argmin(axis=1), 0)
        face_split, face_triangle = _MISSING[missing].T
        total = np.bincount(self.sector[faces], minlength=self.count)
        quads = self._count_where(faces, is_quad)
        halves = [
            self._count_where(faces, is_triangle & (face_split == kind) & (face_triangle == triangle))
            for kind in (Split.FALLING, Split.RISING)
            for triangle in (0, 1)
        ]
        is_undivided = (total == 1) & (quads == 1)
        for kind, pair in ((Split.FALLING, halves[:2]), (Split.RISING, halves[2:])):
            split[(total == 2) & (pair[0] == 1) & (pair[1] == 1)] = kind
        irregular = (total > 0) & ~is_undivided & (split == Split.NONE)
        sector = self.sector[owner]
        triangle = np.where(split[sector] != Split.NONE, face_triangle[owner], 0)
        heights[sector, triangle, corner] = height
        checked = irregular[sector]
        self._check_clear(part, sector[checked], corner[checked], height[checked], heights, irregular)
        self._add_note(
            T("its {names} has more vertices than its corners; they are ignored", names=_NAMES[part]),
            np.flatnonzero(irregular & (quads == 0)),
        )
        opened, target = self._openings(part, faces, face_triangle, split)
        return Surface(self._filled(heights, split), split, opened), target

    def _corners(
        self, faces: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the loops of faces at corners of their sectors, with their faces and corners."""
        starts, sizes = self.faces.starts, self.faces.sizes
        owner = np.repeat(faces, sizes[faces])
        first = np.cumsum(sizes[faces]) - sizes[faces]
        loops = np.arange(len(owner)) - np.repeat(first, sizes[faces]) + starts[owner]
        sector = self.sector[owner] - self.first[self.room[owner]]
        cell = np.stack(np.divmod(sector, self.z_sectors[owner]), axis=1)
        within = self.points[self.faces.corners[loops]][:, [0, 2]] / SECTOR_SIZE - cell
        nearest = np.rint(within)
        off = np.abs(within - nearest).max(axis=1, initial=0)
        at_corner = (off < _NEAR_CORNER) & (nearest >= 0).all(axis=1) & (nearest <= 1).all(axis=1)
        aside = at_corner & (off * SECTOR_SIZE > _MAX_SHIFT)
        self._add_note(
            T("its corners were moved sideways; only their heights are used"), self.sector[owner[aside]]
        )
        corner = (2 * nearest[:, 0] + nearest[:, 1]).astype(np.int64)
        return loops[at_corner], owner[at_corner], corner[at_corner]

    def _count_where(self, faces: NDArray[np.int64], where: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(self.sector[faces[where[faces]]], minlength=self.count)

    def _check_clear(
        self,
        part: FacePart,
        sector: NDArray[np.int64],
        corner: NDArray[np.int64],
        height: NDArray[np.float64],
        heights: NDArray[np.float64],
        irregular: NDArray[np.bool_],
    ) -> None:
        """Raise an error for sectors of irregular faces whose corners are missing or have several heights."""
        for bad in np.flatnonzero(irregular & np.isnan(heights[:, 0]).any(axis=1))[:1].tolist():
            raise self._error(bad, T("its {names} does not reach all of its corners", names=_NAMES[part]))
        unclear = np.abs(heights[sector, 0, corner] - height) > _MAX_ROUNDING
        for bad in sector[unclear][:1].tolist():
            raise self._error(bad, T("its {names} has several heights at one corner", names=_NAMES[part]))

    def _openings(
        self,
        part: FacePart,
        faces: NDArray[np.int64],
        face_triangle: NDArray[np.int64],
        split: NDArray[np.uint8],
    ) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
        """Return the index of the open triangle, -1 for none or both, and the rooms behind openings."""
        faces = faces[self.target[ROOM][faces] >= 0]
        sectors, rooms = self.sector[faces], self.target[ROOM][faces]
        target = np.full(self.count, -1, np.int64)
        target[sectors[::-1]] = rooms[::-1]
        for sector in sectors[target[sectors] != rooms][:1].tolist():
            raise self._error(sector, T("its {names} opens to more than one room", names=_NAMES[part]))
        count = np.bincount(sectors, minlength=self.count)
        is_single = (count[sectors] == 1) & (split[sectors] != Split.NONE)
        opened = np.full(self.count, -1, np.int8)
        opened[sectors[is_single]] = face_triangle[faces[is_single]]
        return opened, target

    def _filled(self, heights: NDArray[np.float64], split: NDArray[np.uint8]) -> NDArray[np.int32]:
        """Return heights of surfaces, and those of walls elsewhere."""
        whole = split == Split.NONE
        heights[whole, 1] = heights[whole, 0]
        none = np.isnan(heights).all(axis=(1, 2))
        heights[none] = WALL * CLICK
        return np.rint(np.nan_to_num(heights)).clip(-(1 << 24), 1 << 24).astype(np.int32)


def rounded_sectors(sectors: Sectors, game: Game) -> tuple[Sectors, NDArray[np.int64]]:
    """Return sectors with heights rounded to steps, and the indices of those that changed."""
    off = np.zeros(len(sectors.wall), bool)
    for surface in (sectors.floor, sectors.ceiling):
        corners = surface.corners()
        off |= (np.abs(corners - np.rint(corners / CLICK) * CLICK) > _MAX_ROUNDING).any(axis=(1, 2))
    sectors.floor, sectors.ceiling = round_surface(sectors.floor, game), round_surface(sectors.ceiling, game)
    return sectors, np.flatnonzero(off & ~sectors.wall)
