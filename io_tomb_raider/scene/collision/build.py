"""What the collision of rooms looks like: from sectors to vertices and faces, for many rooms at once.

Every sector has vertices of its own, so that dragging one of its corners moves nothing but that corner.
Walls have none: they hang on the corners of the floors and ceilings between which they stand, and follow
them. What the file says of a sector is kept on its floor, or, where it is a wall, on the mark above it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...formats.base.units import CLICK, SECTOR_SIZE
from ...formats.collision.grid import SIDE_BITS, SectorGrid
from ...formats.collision.sectors import Sectors
from ...formats.collision.surfaces import TRIANGLES, Split, Surface

PART, SECTOR_PLACE, SIDE = "tr_part", "tr_sector", "tr_side"
ROOM, ROOM_ABOVE, PORTAL = "tr_room", "tr_room_above", "tr_portal"
BOX, MATERIAL, CLIMB, MARKS = "tr_box", "tr_material", "tr_climb", "tr_marks"
ATTRIBUTES = (PART, SECTOR_PLACE, SIDE, ROOM, ROOM_ABOVE, PORTAL, BOX, MATERIAL, CLIMB, MARKS)
LEADS = (ROOM, ROOM_ABOVE, PORTAL)  # those that name rooms

NOWHERE = 1 << 16  # the number of the room that a triangle is open to, where there is none
_TOO_STEEP = 2  # clicks per sector that can still be stood on
_MARK_INSET = SECTOR_SIZE // 4


class Part(IntEnum):
    """What a face is a part of; the values of the attribute ``tr_part``."""

    OTHER = 0
    FLOOR = 1
    CEILING = 2
    WALL = 3  # derived from floors and ceilings, not read back
    SOLID = 4  # the mark above a sector that is a wall


class Kind(IntEnum):
    """How a face is colored: the places of its materials."""

    FLOOR = 0
    SLOPE = 1
    CEILING = 2
    WALL = 3
    DEATH = 4
    OPENING = 5
    CLIMB = 6
    MONKEY_SWING = 7


MARK_BITS = {"death": 1, "deferred": 2, "beetle": 4, "monkey_swing": 8, "stopper": 16}

# By split, the triangle's corners counterclockwise from above.
FROM_ABOVE = np.array([[[0, 2, 1], [3, 1, 2]], [[0, 2, 1], [3, 1, 2]], [[1, 0, 3], [2, 3, 0]]])
QUAD = (0, 2, 3, 1)
# By side: its corners, left and right as one looks at it from within the sector; by split, its triangle.
LEFT, RIGHT = (1, 3, 2, 0), (3, 2, 0, 1)
OPPOSITE = (1, 2, 1, 2)  # turns a corner into the neighbor's at the same place, by exclusive or
SIDE_TRIANGLE = np.array([[0, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0]])


@dataclass(eq=False)
class CollisionArrays:
    """The collision of one room, as Blender shows it.

    Attributes:
        positions: (v, 3) float64, in units of the file from the room's corner, y down.
        corners: (k,) int32, the vertex of every corner, face after face.
        sizes: (f,) int32, corners per face.
        face: by name, (f,) int32: what :data:`ATTRIBUTES` say. Rooms and boxes are one more than their
            number, 0 for none.
        kinds: (f,) int32, a :class:`Kind` each.
    """

    positions: NDArray[np.float64]
    corners: NDArray[np.int32]
    sizes: NDArray[np.int32]
    face: dict[str, NDArray[np.int32]]
    kinds: NDArray[np.int32]

    @property
    def starts(self) -> NDArray[np.int32]:
        """The first corner of every face, (f,) int32."""
        return (np.cumsum(self.sizes) - self.sizes).astype(np.int32)


def join_sectors(parts: list[Sectors]) -> Sectors:
    """Return the sectors of several rooms in a row."""
    joined: dict[str, Any] = {}
    for field in fields(Sectors):
        columns = [getattr(part, field.name) for part in parts]
        if field.name in ("floor", "ceiling"):
            names = [each.name for each in fields(Surface)]
            arrays = [np.concatenate([getattr(column, name) for column in columns]) for name in names]
            joined[field.name] = Surface(*arrays)
        else:
            joined[field.name] = np.concatenate(columns)
    return Sectors(**joined)


def take_sectors(sectors: Sectors, which: Any) -> Sectors:
    """Return some of the sectors, by anything that indexes an array; a copy unless it is a slice."""
    taken: dict[str, Any] = {}
    for field in fields(Sectors):
        column = getattr(sectors, field.name)
        if isinstance(column, Surface):
            taken[field.name] = Surface(
                column.heights[which], column.split[which], column.open_triangle[which]
            )
        else:
            taken[field.name] = column[which]
    return Sectors(**taken)


def collision_shape(sectors: Sectors, grid: SectorGrid) -> list[CollisionArrays]:
    """Return what the collision of every room of the grid looks like."""
    if not len(grid):
        return [_nothing() for _ in range(grid.rooms)]
    return _Shape(sectors, grid).rooms()


def _nothing() -> CollisionArrays:
    none = np.zeros(0, np.int32)
    return CollisionArrays(np.zeros((0, 3)), none, none, {name: none for name in ATTRIBUTES}, none)


class _Shape:
    """Vertices and faces of all sectors at once."""

    def __init__(self, sectors: Sectors, grid: SectorGrid) -> None:
        self.sectors, self.grid = sectors, grid
        self.open = ~sectors.wall
        surfaces = (sectors.floor, sectors.ceiling)
        # By sector, floor or ceiling, triangle, corner.
        self.heights = np.stack([surface.heights for surface in surfaces], axis=1)
        self.split = np.stack([surface.split for surface in surfaces], axis=1)
        self.opened = np.stack([surface.open_triangle for surface in surfaces], axis=1)
        triangles = TRIANGLES[self.split]
        # Of both triangles, the corners on the dividing line: by sector, surface, corner.
        shared = triangles[:, :, 1, 1:]
        planes = [np.take_along_axis(self.heights[:, :, each], shared, axis=2) for each in (0, 1)]
        # Where the triangles do not meet, the second has two vertices of its own.
        self.torn = (self.split != Split.NONE) & (planes[0] != planes[1]).any(axis=2) & self.open[:, None]
        exists = self._existing()
        # By sector and place: the number of a vertex.
        self.numbers = np.cumsum(exists.ravel(), dtype=np.int32).reshape(exists.shape) - 1
        # By sector, surface, triangle, corner.
        self.vertices = self._vertices(shared)
        self.points = self._places(triangles, shared, planes[1], np.flatnonzero(exists))
        self.point_room = np.repeat(grid.room, exists.sum(axis=1))
        self._faces: list[tuple[NDArray[Any], ...]] = []

    def _existing(self) -> NDArray[np.bool_]:
        """Tell which of a sector's sixteen places have a vertex, (sectors, 16).

        Of the floor four corners, and two for the second triangle where it is torn from the first; of the
        ceiling likewise; and four of the mark, which walls have instead.
        """
        exists = np.zeros((len(self.grid), 16), bool)
        for surface in (0, 1):
            exists[:, 6 * surface : 6 * surface + 4] = self.open[:, None]
            exists[:, 6 * surface + 4 : 6 * surface + 6] = self.torn[:, surface, None]
        exists[:, 12:] = ~self.open[:, None]
        return exists

    def _vertices(self, shared: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the vertices of all triangles' corners."""
        count = len(self.grid)
        places = np.broadcast_to(np.arange(4), (count, 2, 2, 4)).copy()
        for place in (0, 1):
            second = np.where(self.torn, 4 + place, shared[:, :, place])[..., None]
            np.put_along_axis(places[:, :, 1], shared[:, :, place, None], second, axis=2)
        places += np.array([0, 6])[:, None, None]
        return np.take_along_axis(self.numbers, places.reshape(count, 16), axis=1).reshape(places.shape)

    def _places(
        self,
        triangles: NDArray[np.int64],
        shared: NDArray[np.int64],
        second: NDArray[Any],
        which: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Return where those are that exist of the sixteen vertices of each sector, (n, 3)."""
        grid, count = self.grid, len(self.grid)
        heights = np.concatenate([self.heights[:, :, 0], second], axis=2)
        apex = triangles[:, :, 1, :1]
        at_apex = np.take_along_axis(self.heights[:, :, 1], apex, axis=2)
        np.put_along_axis(heights, apex, at_apex, axis=2)
        corner = np.concatenate([np.broadcast_to(np.arange(4), (count, 2, 4)), shared], axis=2)
        x, y, z = np.empty((3, count, 16), np.int32)
        x[:, :12] = (grid.x[:, None] + (corner // 2).reshape(count, 12)) * SECTOR_SIZE
        y[:, :12] = heights.reshape(count, 12)
        z[:, :12] = (grid.z[:, None] + (corner % 2).reshape(count, 12)) * SECTOR_SIZE
        near, far = _MARK_INSET, SECTOR_SIZE - _MARK_INSET
        inset = np.array([(x, z) for x in (near, far) for z in (near, far)])
        x[:, 12:] = grid.x[:, None] * SECTOR_SIZE + inset[:, 0]
        y[:, 12:] = self._tops()[grid.room][:, None]
        z[:, 12:] = grid.z[:, None] * SECTOR_SIZE + inset[:, 1]
        return np.stack([axis.reshape(-1).take(which) for axis in (x, y, z)], axis=1).astype(np.float64)

    def _tops(self) -> NDArray[np.float64]:
        """Return by room the height of its highest ceiling, where its walls' marks lie."""
        tops = np.full(self.grid.rooms, np.inf)
        highest = self.heights[:, 1].min(axis=(1, 2))
        np.minimum.at(tops, self.grid.room[self.open], highest[self.open])
        return np.where(np.isinf(tops), 0, tops)

    def rooms(self) -> list[CollisionArrays]:
        """Return the arrays of every room."""
        self._add_surfaces()
        self._add_marks()
        for side in range(4):
            self._add_side(side)
        self._add_tears()
        columns = [np.concatenate(each) for each in zip(*self._faces, strict=True)]
        order = np.argsort(columns[0], kind="stable")
        sector, corners, part, side_bit, lead, kind = (column[order] for column in columns)
        grid = self.grid
        face_room = grid.room[sector]
        first_point = np.searchsorted(self.point_room, np.arange(grid.rooms + 1))
        first_face = np.searchsorted(face_room, np.arange(grid.rooms + 1))
        local = np.where(corners >= 0, corners - first_point[face_room][:, None], -1).astype(np.int32)
        face = self._attributes(sector, part, side_bit, lead)
        sizes = (local >= 0).sum(axis=1).astype(np.int32)
        made = []
        for room in range(grid.rooms):
            points = slice(first_point[room], first_point[room + 1])
            faces = slice(first_face[room], first_face[room + 1])
            own = local[faces]
            made.append(
                CollisionArrays(
                    positions=self.points[points],
                    corners=own[own >= 0],
                    sizes=sizes[faces],
                    face={name: values[faces] for name, values in face.items()},
                    kinds=kind[faces].astype(np.int32),
                )
            )
        return made

    def _attributes(
        self, sector: NDArray[Any], part: NDArray[Any], side: NDArray[Any], lead: NDArray[Any]
    ) -> dict[str, NDArray[np.int32]]:
        sectors = self.sectors
        marks = sum(
            (getattr(sectors, name).astype(np.int32) * bit for name, bit in MARK_BITS.items()),
            np.zeros(len(self.grid), np.int32),
        )
        carries = (part == Part.FLOOR) | (part == Part.SOLID)
        solid = part == Part.SOLID
        columns = {
            PART: part,
            SECTOR_PLACE: self.grid.place[sector],
            SIDE: side,
            ROOM: lead,
            ROOM_ABOVE: np.where(solid, sectors.room_above[sector] + 1, 0),
            PORTAL: np.where(carries, sectors.portal[sector] + 1, 0),
            BOX: np.where(carries, sectors.box[sector] + 1, 0),
            MATERIAL: np.where(carries, sectors.material[sector], 0),
            CLIMB: np.where(carries, sectors.climb[sector], 0),
            MARKS: np.where(carries, marks[sector], 0),
        }
        return {name: values.astype(np.int32) for name, values in columns.items()}

    def _add(
        self, where: NDArray[np.bool_], corners: Any, part: Any, side: int, lead: Any, kind: Any
    ) -> None:
        """Add faces to the sectors where there are some; all else is per sector or one for all."""
        sector = np.flatnonzero(where)
        columns = [np.broadcast_to(each, len(where))[sector] for each in (part, side, lead, kind)]
        self._add_at(sector, corners[sector], *columns)

    def _add_at(
        self, sector: NDArray[np.int64], corners: Any, part: Any, side: Any, lead: Any, kind: Any
    ) -> None:
        """Add faces to sectors; all else is per face or one for all."""
        columns = [np.broadcast_to(each, len(sector)) for each in (part, side, lead, kind)]
        self._faces.append((sector, corners, *columns))

    def _add_surfaces(self) -> None:
        sectors = self.sectors
        rooms = (sectors.room_below, sectors.room_above)
        for surface, part in ((0, Part.FLOOR), (1, Part.CEILING)):
            split, opened, room = self.split[:, surface], self.opened[:, surface], rooms[surface]
            vertices = self.vertices[:, surface]
            turn = slice(None) if surface == 0 else slice(None, None, -1)
            whole = self.open & (split == Split.NONE)
            kind = self._surface_kinds(surface, 0, room >= 0)
            self._add(whole, vertices[:, 0][:, QUAD][:, turn], part, 0, room + 1, kind)
            divided = self.open & (split != Split.NONE)
            for triangle in (0, 1):
                corners = np.full((len(split), 4), -1, np.int64)
                order = FROM_ABOVE[split, triangle]
                corners[:, :3] = np.take_along_axis(vertices[:, triangle], order, axis=1)[:, turn]
                is_open = np.where(opened < 0, room >= 0, opened == triangle)
                lead = np.where(is_open, np.where(room < 0, NOWHERE, room) + 1, 0)
                kind = self._surface_kinds(surface, triangle, is_open)
                self._add(divided, corners, part, 0, lead, kind)

    def _surface_kinds(self, surface: int, triangle: int, is_open: NDArray[np.bool_]) -> NDArray[np.int64]:
        sectors = self.sectors
        leads = is_open | (sectors.portal >= 0)
        if surface == 1:
            kind = np.where(sectors.monkey_swing, Kind.MONKEY_SWING, Kind.CEILING)
        else:
            plane = self.heights[:, 0, triangle]
            slopes = np.abs(np.stack([plane[:, 0] - plane[:, 2], plane[:, 0] - plane[:, 1]]))
            kind = np.where((slopes > _TOO_STEEP * CLICK).any(axis=0), Kind.SLOPE, Kind.FLOOR)
            kind = np.where(sectors.death, Kind.DEATH, kind)
        return np.where(leads, Kind.OPENING, kind)

    def _add_marks(self) -> None:
        sectors = self.sectors
        corners = self.numbers[:, [12 + corner for corner in QUAD]]
        kind = np.where(sectors.portal >= 0, Kind.OPENING, Kind.WALL)
        self._add(sectors.wall, corners, Part.SOLID, 0, sectors.room_below + 1, kind)

    def _edge(self, surface: int, sector: Any, side: int, flip: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return vertices and heights (n, 2), left and right, of surfaces along a side of sectors.

        With ``flip`` they are those of the neighbors, at the same corners.
        """
        sides = (side + 2) % 4 if flip else side
        triangle = SIDE_TRIANGLE[:, sides][self.split[sector, surface]]
        corners = np.array([LEFT[side] ^ flip, RIGHT[side] ^ flip])
        # By plain places: indices by four axes take three times as long.
        first = np.arange(0, 16 * len(self.grid), 16)[sector] + 8 * surface + 4 * triangle
        places = first[:, None] + corners
        return self.vertices.reshape(-1).take(places), self.heights.reshape(-1).take(places)

    def _add_side(self, side: int) -> None:
        """Add what stands along one side of all sectors: walls, steps and openings."""
        sectors = self.sectors
        neighbor = self.grid.neighbors(side)
        beside = np.maximum(neighbor, 0)
        leads = sectors.portal >= 0
        own = self.open & ~leads
        is_through = (neighbor >= 0) & leads[beside]
        is_step = own & (neighbor >= 0) & self.open[beside] & ~is_through
        kind = np.where(sectors.climbs(side), Kind.CLIMB, Kind.WALL)
        everything = slice(None)
        floor, floor_heights = self._edge(0, everything, side)
        ceiling, ceiling_heights = self._edge(1, everything, side)
        tall = own & ~is_step & (floor_heights != ceiling_heights).any(axis=1)
        lead = np.where(is_through, sectors.portal[beside] + 1, 0)
        through = np.where(is_through, Kind.OPENING, kind)
        self._add(tall, _upright(floor, ceiling), Part.WALL, SIDE_BITS[side], lead, through)
        for surface, edge, heights in ((0, floor, floor_heights), (1, ceiling, ceiling_heights)):
            other, other_heights = self._edge(surface, beside, side, OPPOSITE[side])
            # The one whose floor is lower, or whose ceiling is higher, sees the step.
            drop = (heights - other_heights) * (1 if surface == 0 else -1)
            total = drop.sum(axis=1)
            seen = (total > 0) | ((total == 0) & (drop != 0).any(axis=1) & (side < 2))
            corners = _upright(edge, other) if surface == 0 else _upright(other, edge)
            self._add(is_step & seen, corners, Part.WALL, SIDE_BITS[side], 0, kind)

    def _add_tears(self) -> None:
        """Add walls along dividing lines whose triangles do not meet."""
        for surface in (0, 1):
            torn = np.flatnonzero(self.torn[:, surface])
            split, rows = self.split[torn, surface], torn[:, None]
            rising = split == Split.RISING
            line = TRIANGLES[split][:, 1, 1:]
            line = np.where(rising[:, None], line[:, ::-1], line)  # left and right, seen from triangle 0
            first, second = (self.vertices[rows, surface, each, line] for each in (0, 1))
            heights = [self.heights[rows, surface, each, line].sum(axis=1) for each in (0, 1)]
            from_first = heights[0] >= heights[1] if surface == 0 else heights[0] <= heights[1]
            if surface == 1:
                first, second = second, first
            seen_from_first = _upright(first, second)
            seen_from_second = _upright(second[:, ::-1], first[:, ::-1])
            corners = np.where(from_first[:, None], seen_from_first, seen_from_second)
            self._add_at(torn, corners, Part.WALL, 0, 0, Kind.WALL)


def _upright(lower: NDArray[Any], upper: NDArray[Any]) -> NDArray[Any]:
    """Return quads (n, 4) from their lower and upper edges (n, 2), left and right."""
    return np.stack([lower[:, 0], lower[:, 1], upper[:, 1], upper[:, 0]], axis=1)
