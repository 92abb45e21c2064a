"""From the faces of a collision mesh, whatever the user has made of them, to sectors.

A floor is the floor of the sector that it lies over: a face that was copied or newly drawn counts like one
that was imported. Only the corners of sectors have heights in the games, so other vertices do not count.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.base.units import CLICK, SECTOR_SIZE
from ....formats.collision.sectors import STONE, Sectors, sector_name
from ....formats.collision.surfaces import WALL, Split, Surface, settle
from ....formats.floor.functions import CLIMB_SIDES
from ...core.collision_faces import PART, FacePart
from ...mesh.poly_mesh import PolyMesh
from .build import BOX, CLIMB, LEADS, MARK_BITS, MARKS, MATERIAL, NOWHERE, PORTAL, ROOM, ROOM_ABOVE

_NO_AREA = 1024  # units²: what covers less stands upright, like the sides of what was extruded
_NEAR_CORNER = 0.25  # sectors
_ASIDE, _OFF_STEP = 24, 2  # units that a corner may be off without a word
# Of a triangle without the corner: how the sector is divided, and which triangle it is.
_MISSING = np.array([(Split.FALLING, 1), (Split.RISING, 1), (Split.RISING, 0), (Split.FALLING, 0)])
_WORDS = {FacePart.FLOOR: "floor", FacePart.CEILING: "ceiling"}


class RoomSize(NamedTuple):
    """A room whose sectors are read: its number, for errors, and its size in sectors."""

    number: int
    x_sectors: int
    z_sectors: int


class SectorsRead(NamedTuple):
    """What a mesh says.

    Attributes:
        sectors: with heights as they are, not rounded.
        notes: by what there is to say, the places of the sectors that it is to be said of.
    """

    sectors: Sectors
    notes: dict[str, NDArray[np.int64]]


def sector_places(
    faces: PolyMesh, points: NDArray[np.float64], size: RoomSize
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return of every face the :class:`.build.FacePart` and the sector over which it lies, or -1.

    Args:
        faces: of the mesh.
        points: (v, 3) the vertices in units of the file from the room's corner.
        size: of the room.
    """
    if not len(faces.sizes):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    middle = faces.means(points)
    # What is no number, or too far for whole ones, lies over no sector.
    cell = np.floor(np.nan_to_num(middle[:, [0, 2]] / SECTOR_SIZE, nan=-1.0))
    cell = cell.clip(-1, max(size.x_sectors, size.z_sectors)).astype(np.int64)
    inside = (cell >= 0).all(axis=1) & (cell[:, 0] < size.x_sectors) & (cell[:, 1] < size.z_sectors)
    place = np.where(inside, cell[:, 0] * size.z_sectors + cell[:, 1], -1)
    part = faces.face[PART].astype(np.int64)
    area = _areas(points[faces.corners], faces.starts)
    drawn = np.where(area > 0, FacePart.FLOOR, FacePart.CEILING)
    part = np.where((part < FacePart.FLOOR) | (part > FacePart.SOLID), drawn, part)
    upright = (np.abs(area) < _NO_AREA) & (part != FacePart.SOLID)
    return np.where(upright, FacePart.WALL, part), place


def _areas(at: NDArray[np.float64], starts: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the area of faces as seen from above, negative for those that face down."""
    after = np.arange(1, len(at) + 1)
    after[np.append(starts[1:], len(at)) - 1] = starts
    x, z = at[:, 0], at[:, 2]
    return np.asarray(np.add.reduceat(x * z[after] - x[after] * z, starts) / 2)


def read_sectors(
    faces: PolyMesh, points: NDArray[np.float64], rooms: NDArray[np.int64], size: RoomSize, game: Game
) -> SectorsRead:
    """Read the sectors of a room.

    Args:
        faces: of its mesh.
        points: (v, 3) its vertices in units of the file from the room's corner.
        rooms: the numbers of the rooms that the mesh names, -1 where there is none any more.
        size: of the room.
        game: of the level.

    Raises:
        ExportError: naming room and sector, where a floor or ceiling is missing or has no clear corners.
    """
    return _Reading(faces, points, rooms, size, game).read()


class _Reading:
    def __init__(
        self,
        faces: PolyMesh,
        points: NDArray[np.float64],
        rooms: NDArray[np.int64],
        size: RoomSize,
        game: Game,
    ) -> None:
        self.faces, self.points, self.size, self.game = faces, points, size, game
        self.count = size.x_sectors * size.z_sectors
        self.part, self.place = sector_places(faces, points, size)
        self.lead = {name: self._numbers(faces.face[name], rooms) for name in LEADS}
        self.notes: dict[str, NDArray[np.int64]] = {}

    @staticmethod
    def _numbers(values: NDArray[np.int32], rooms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of rooms that faces name, -1 for none."""
        table = np.concatenate([[-1], rooms])
        known = np.where(values < len(table), np.maximum(values, 0), 0)
        return np.where(values < 0, -1 - values.astype(np.int64), table[known])

    def read(self) -> SectorsRead:
        reads = (
            (self.part == FacePart.FLOOR) | (self.part == FacePart.CEILING) | (self.part == FacePart.SOLID)
        )
        outside = int((reads & (self.place < 0)).sum())
        if outside:
            problem = f"{outside} faces of its collision lie outside of its sectors"
            raise ExportError(f"Room {self.size.number}", problem)
        has = {part: self._counted(part) > 0 for part in (FacePart.FLOOR, FacePart.CEILING)}
        for part, other in ((FacePart.FLOOR, FacePart.CEILING), (FacePart.CEILING, FacePart.FLOOR)):
            for place in np.flatnonzero(has[other] & ~has[part])[:1].tolist():
                raise self._error(place, f"it has a {_WORDS[other]}, but its {_WORDS[part]} is missing")
        wall = ~has[FacePart.FLOOR]
        floor, below = self._surface(FacePart.FLOOR)
        ceiling, above = self._surface(FacePart.CEILING)
        solid = (self.part == FacePart.SOLID) & wall[np.maximum(self.place, 0)]
        carriers = np.flatnonzero((self.part == FacePart.FLOOR) | solid)
        solids = np.flatnonzero(solid)
        below = self._gathered(self.lead[ROOM], solids, below)
        above = self._gathered(self.lead[ROOM_ABOVE], solids, above)
        marks = self._carried(MARKS, carriers)
        flags = {name: (marks & bit) != 0 for name, bit in MARK_BITS.items()}
        portal = self._gathered(self.lead[PORTAL], carriers, np.full(self.count, -1))
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

    def _error(self, place: int, problem: str) -> ExportError:
        return ExportError(sector_name(self.size.number, place, self.size.z_sectors), problem)

    def _counted(self, part: FacePart) -> NDArray[np.int64]:
        return np.bincount(self.place[self.part == part], minlength=self.count)

    def _note(self, text: str, places: NDArray[Any]) -> None:
        if len(places):
            old = self.notes.get(text, np.zeros(0, np.int64))
            self.notes[text] = np.union1d(old, places)

    def _gathered(
        self, values: NDArray[Any], faces: NDArray[np.int64], into: NDArray[Any]
    ) -> NDArray[np.int64]:
        """Give sectors the values of their faces; where these differ, the first face counts."""
        into = into.astype(np.int64)
        into[self.place[faces][::-1]] = values[faces][::-1]
        unlike = into[self.place[faces]] != values[faces]
        self._note(
            "its triangles differ in what they say of it, and the first one counts", self.place[faces][unlike]
        )
        return into

    def _carried(self, name: str, carriers: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._gathered(self.faces.face[name], carriers, np.zeros(self.count))

    def _material(self, carriers: NDArray[np.int64]) -> NDArray[np.uint8]:
        usual = STONE if self.game.traits.has_materials else 0
        material = self._gathered(self.faces.face[MATERIAL], carriers, np.full(self.count, usual))
        # What no material has room for is a material that does not exist: the encoder says so.
        return np.clip(material, 0, 255).astype(np.uint8)

    # --- Floors and ceilings ----------------------------------------

    def _surface(self, part: FacePart) -> tuple[Surface, NDArray[np.int64]]:
        """Return all floors or ceilings, and the rooms that they lead to."""
        heights = np.full((self.count, 2, 4), np.nan)
        split = np.zeros(self.count, np.uint8)
        faces = np.flatnonzero(self.part == part)
        loops, owner, corner = self._corners(faces)
        height = self.points[self.faces.corners[loops], 1]
        seen = np.zeros((len(self.part), 4), bool)
        seen[owner, corner] = True
        corners = seen.sum(axis=1)
        found = np.bincount(owner, minlength=len(self.part))
        sizes = self.faces.sizes
        is_quad = (sizes == 4) & (found == 4) & (corners == 4)
        is_triangle = (sizes == 3) & (found == 3) & (corners == 3)
        missing = np.where(is_triangle, seen.argmin(axis=1), 0)
        face_split, face_triangle = _MISSING[missing].T
        total = np.bincount(self.place[faces], minlength=self.count)
        quads = self._count_where(faces, is_quad)
        halves = [
            self._count_where(faces, is_triangle & (face_split == kind) & (face_triangle == triangle))
            for kind in (Split.FALLING, Split.RISING)
            for triangle in (0, 1)
        ]
        whole = (total == 1) & (quads == 1)
        for kind, pair in ((Split.FALLING, halves[:2]), (Split.RISING, halves[2:])):
            split[(total == 2) & (pair[0] == 1) & (pair[1] == 1)] = kind
        other = (total > 0) & ~whole & (split == Split.NONE)
        place = self.place[owner]
        triangle = np.where(split[place] != Split.NONE, face_triangle[owner], 0)
        heights[place, triangle, corner] = height
        self._check_clear(
            part, place[other[place]], corner[other[place]], height[other[place]], heights, other
        )
        self._note(
            f"its {_WORDS[part]} has more vertices than its corners, which do not count",
            np.flatnonzero(other & (quads == 0)),
        )
        opened, lead = self._openings(part, faces, face_triangle, split, total)
        return Surface(self._filled(heights, split), split, opened), lead

    def _corners(
        self, faces: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the loops of faces that are at corners of their sectors, their faces, and which corners."""
        starts, sizes = self.faces.starts, self.faces.sizes
        owner = np.repeat(faces, sizes[faces])
        first = np.cumsum(sizes[faces]) - sizes[faces]
        loops = np.arange(len(owner)) - np.repeat(first, sizes[faces]) + starts[owner]
        cell = np.stack(np.divmod(self.place[owner], max(self.size.z_sectors, 1)), axis=1)
        within = self.points[self.faces.corners[loops]][:, [0, 2]] / SECTOR_SIZE - cell
        nearest = np.rint(within)
        off = np.abs(within - nearest).max(axis=1, initial=0)
        at_corner = (off < _NEAR_CORNER) & (nearest >= 0).all(axis=1) & (nearest <= 1).all(axis=1)
        aside = at_corner & (off * SECTOR_SIZE > _ASIDE)
        self._note("its corners were moved aside, but only heights count", self.place[owner[aside]])
        corner = (2 * nearest[:, 0] + nearest[:, 1]).astype(np.int64)
        return loops[at_corner], owner[at_corner], corner[at_corner]

    def _count_where(self, faces: NDArray[np.int64], where: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(self.place[faces[where[faces]]], minlength=self.count)

    def _check_clear(
        self,
        part: FacePart,
        place: NDArray[np.int64],
        corner: NDArray[np.int64],
        height: NDArray[np.float64],
        heights: NDArray[np.float64],
        other: NDArray[np.bool_],
    ) -> None:
        """Refuse sectors of unusual faces whose corners are missing, or have several heights."""
        for lost in np.flatnonzero(other & np.isnan(heights[:, 0]).any(axis=1))[:1].tolist():
            raise self._error(lost, f"its {_WORDS[part]} does not reach all of its corners")
        unclear = np.abs(heights[place, 0, corner] - height) > _OFF_STEP
        for lost in place[unclear][:1].tolist():
            raise self._error(lost, f"its {_WORDS[part]} has several heights at one corner")

    def _openings(
        self,
        part: FacePart,
        faces: NDArray[np.int64],
        face_triangle: NDArray[np.int64],
        split: NDArray[np.uint8],
        total: NDArray[np.int64],
    ) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
        """Return which triangle is open, -1 for none or both, and the rooms that surfaces lead to."""
        number = self.lead[ROOM][faces]
        leading = faces[number >= 0]
        lead = np.full(self.count, -1, np.int64)
        lead[self.place[leading][::-1]] = self.lead[ROOM][leading][::-1]
        for place in self.place[leading][lead[self.place[leading]] != self.lead[ROOM][leading]][:1].tolist():
            raise self._error(place, f"its {_WORDS[part]} leads to more than one room")
        count = np.bincount(self.place[leading], minlength=self.count)
        single = leading[(count[self.place[leading]] == 1) & (split[self.place[leading]] != Split.NONE)]
        opened = np.full(self.count, -1, np.int8)
        opened[self.place[single]] = face_triangle[single]
        return opened, lead

    def _filled(self, heights: NDArray[np.float64], split: NDArray[np.uint8]) -> NDArray[np.int32]:
        """Return heights where sectors have a surface, and those of walls elsewhere."""
        whole = split == Split.NONE
        heights[whole, 1] = heights[whole, 0]
        none = np.isnan(heights).all(axis=(1, 2))
        heights[none] = WALL * CLICK
        return np.rint(np.nan_to_num(heights)).clip(-(1 << 24), 1 << 24).astype(np.int32)


def settled(sectors: Sectors, game: Game) -> tuple[Sectors, NDArray[np.int64]]:
    """Return sectors whose heights are whole steps, and the places of those that were not."""
    off = np.zeros(len(sectors.wall), bool)
    for surface in (sectors.floor, sectors.ceiling):
        corners = surface.corners()
        off |= (np.abs(corners - np.rint(corners / CLICK) * CLICK) > _OFF_STEP).any(axis=(1, 2))
    sectors.floor, sectors.ceiling = settle(sectors.floor, game), settle(sectors.ceiling, game)
    return sectors, np.flatnonzero(off & ~sectors.wall)
