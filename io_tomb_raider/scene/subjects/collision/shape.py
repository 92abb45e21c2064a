"""Construction of collision: vertices and faces from the sectors of many rooms at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....formats.base import CLICK, SECTOR_SIZE
from ....formats.levels.collision import SIDE_BITS, TRIANGLES, SectorGrid, Sectors, Split, Surface
from ...core.collision_faces import PART, FacePart
from ...mesh.poly_mesh import MATERIAL_INDEX
from .build import (
    BOX,
    CLIMB,
    MARK_BITS,
    MARKS,
    MATERIAL,
    NOWHERE,
    PORTAL,
    ROOM,
    ROOM_ABOVE,
    SECTOR_PLACE,
    SIDE,
    FaceColor,
    RoomsCollision,
)

_TOO_STEEP = 2  # clicks per sector that are still walkable
_MARK_INSET = SECTOR_SIZE // 4

# By split, the triangles' corners counterclockwise from above.
FROM_ABOVE = np.array([[[0, 2, 1], [3, 1, 2]], [[0, 2, 1], [3, 1, 2]], [[1, 0, 3], [2, 3, 0]]])
QUAD = (0, 2, 3, 1)
# By side: its left and right corners, seen from within the sector; by split, its triangle.
LEFT, RIGHT = (1, 3, 2, 0), (3, 2, 0, 1)
OPPOSITE = (1, 2, 1, 2)  # exclusive or with a corner gives the neighbor's corner at the same place
SIDE_TRIANGLE = np.array([[0, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0]])
# By split and whether the triangles are torn: the vertex of each triangle's corners, within the surface. Torn
# means that the triangles do not meet; then the second one has the separate vertices 4 and 5 on the split.
_VERTICES = np.broadcast_to(np.arange(4, dtype=np.int32), (3, 2, 2, 4)).copy()
for _split in (Split.FALLING, Split.RISING):
    _VERTICES[_split, 1, 1, TRIANGLES[_split, 1, 1:]] = (4, 5)
# By side, split and whether it is torn: the left and right vertices of the edge.
_EDGES = np.array(
    [
        [_VERTICES[split, :, SIDE_TRIANGLE[split, side]][:, (LEFT[side], RIGHT[side])] for split in range(3)]
        for side in range(4)
    ],
    np.int32,
)
_FLOOR, _CEILING = 0, 1
# Slots of vertices in a sector, in pairs along z: three for the floor and three for the ceiling, the last of
# which only torn surfaces have, and two for the mark. Then the positions of the two vertices of each pair
# within the sector; those of the last pairs are set later.
_PAIRS, _FLOOR_PAIRS, _CEILING_PAIRS, _MARK_PAIRS = 8, slice(0, 3), slice(3, 6), slice(6, 8)
_MARK_ENDS = _MARK_INSET, SECTOR_SIZE - _MARK_INSET
_PAIR_X = np.array([0, SECTOR_SIZE, 0, 0, SECTOR_SIZE, 0, *_MARK_ENDS], np.int32)
_PAIR_Z = np.array([[0] * 6 + [_MARK_ENDS[0]] * 2, [SECTOR_SIZE] * 6 + [_MARK_ENDS[1]] * 2], np.int32)


def collision_shape(sectors: Sectors, grid: SectorGrid) -> RoomsCollision:
    """Return the collision of every room of the grid."""
    return _Shape(sectors, grid).rooms()


class _Faces(NamedTuple):
    """Faces of sectors, at most one per sector; all other values are per face, or common to all."""

    sector: NDArray[np.int64]  #: (k,) int64.
    corners: NDArray[Any]  #: (k, 4), vertices, counted within the room; the last is -1 for triangles.
    part: int  #: a :class:`FacePart`.
    side: int  #: the bit of a side, 0 for none.
    target: NDArray[Any] | int  #: the value of the attribute for the room below.
    kind: NDArray[Any] | int  #: a :class:`FaceColor`.


class _Half:
    """All floors, or all ceilings."""

    def __init__(self, surface: Surface, is_open: NDArray[np.bool_]) -> None:
        self.surface = surface
        # Columns, because operations on short rows are several times slower.
        #: (8, n) int32: of both triangles, the height at each corner.
        self.heights = np.ascontiguousarray(surface.heights.reshape(-1, 8).T, np.int32)
        split = surface.split
        divided = np.flatnonzero(split != Split.NONE)
        # If the triangles do not meet, the second has two separate vertices.
        shared = TRIANGLES[split[divided], 1, 1:]
        planes = surface.heights[divided]
        meet = np.take_along_axis(planes, shared[:, None], axis=2)
        self.torn = np.zeros(len(split), bool)  #: (n,) bool, where these do not meet.
        self.torn[divided] = (meet[:, 0] != meet[:, 1]).any(axis=1) & is_open[divided]
        self.divided = divided[is_open[divided]]  #: (k,), the open sectors with two triangles.
        self.vertices = np.zeros(0, np.int32)  #: (n,) int32, the first vertex of each.
        self._form = split * np.uint8(2) + self.torn  # selects its numbering of vertices
        #: by side the left and right heights of its edges, (n,) each.
        self.edges = [self._edge(side, divided) for side in range(4)]

    def _edge(self, side: int, divided: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        left, right = self.heights[LEFT[side]], self.heights[RIGHT[side]]
        if not len(divided):
            return left, right
        triangle = SIDE_TRIANGLE[self.surface.split[divided], side]
        left, right = left.copy(), right.copy()
        for heights, corner in ((left, LEFT[side]), (right, RIGHT[side])):
            heights[divided] = self.heights[4 * triangle + corner, divided]
        return left, right

    def set_heights(self, tops: NDArray[np.int32]) -> None:
        """Set the heights of the six slots of vertices, (n, 6), except unused ones."""
        split, heights = self.surface.split, self.heights
        # The last is the corner that only the second triangle has.
        for slot, column in enumerate((0, 1, 2, 7)):
            tops[:, slot] = heights[column]
        separate = np.flatnonzero(TRIANGLES[:, 1, 0][split] != 3)
        apex = TRIANGLES[split[separate], 1, 0]
        tops[separate, 3] = heights[3, separate]
        tops[separate, apex] = heights[4 + apex, separate]
        torn = np.flatnonzero(self.torn)
        tops[torn, 4:] = heights[4 + TRIANGLES[split[torn], 1, 1:], torn[:, None]]

    def edge_of(self, sector: NDArray[np.int64], side: int) -> NDArray[np.int32]:
        """Return the left and right vertices along a side of some sectors, (k, 2)."""
        edges = _EDGES[side].reshape(-1, 2).take(self._form[sector], axis=0)
        edges += self.vertices[sector, None]
        return edges

    def triangle_of(self, sector: NDArray[np.int64], triangle: int) -> NDArray[np.int32]:
        """Return the vertices of a triangle of some sectors by corner, (k, 4)."""
        vertices = _VERTICES[self.surface.split[sector], self.torn[sector].view(np.int8), triangle]
        return np.asarray(self.vertices[sector, None] + vertices)


class _Shape:
    """Vertices and faces of all sectors at once.

    Levels have tens of thousands of sectors, so each step only processes the relevant sectors, with 32-bit
    integers, and steps between two sectors are searched for once for both of them.
    """

    def __init__(self, sectors: Sectors, grid: SectorGrid) -> None:
        self.sectors, self.grid = sectors, grid
        self.open = ~sectors.wall
        self._climbed = int(np.bitwise_or.reduce(sectors.climb))  # the sides that are climbable anywhere
        self.halves = tuple(_Half(surface, self.open) for surface in (sectors.floor, sectors.ceiling))
        floor, ceiling = self.halves
        spare = 2 * floor.torn.astype(np.int32)
        counts = np.where(self.open, 8 + spare + 2 * ceiling.torn, 4).astype(np.int32)
        ends = np.append(np.int32(0), np.cumsum(counts, dtype=np.int32))
        self.points = ends[grid.starts]
        self.first = ends[:-1] - np.repeat(self.points[:-1], np.diff(grid.starts))
        floor.vertices, ceiling.vertices = self.first, self.first + 4 + spare
        self.positions = self._vertex_positions()
        self._faces: list[_Faces] = []
        self._ends = [0]  # the end of each of them, in faces

    def _vertex_positions(self) -> NDArray[np.int32]:
        """Return the positions of all vertices, (n, 3)."""
        grid = self.grid
        floor, ceiling = self.halves
        wall = self.sectors.wall
        exists = np.empty((len(grid), _PAIRS), bool)
        used = (self.open, self.open, floor.torn, self.open, self.open, ceiling.torn, wall, wall)
        for pair, has in enumerate(used):
            exists[:, pair] = has
        heights = np.empty((len(grid), _PAIRS, 2), np.int32)
        floor.set_heights(heights[:, _FLOOR_PAIRS].reshape(-1, 6))
        ceiling.set_heights(heights[:, _CEILING_PAIRS].reshape(-1, 6))
        walls = np.flatnonzero(wall)
        heights[walls, _MARK_PAIRS] = self._tops()[grid.room[walls], None, None]
        existing = np.flatnonzero(exists)
        ends = np.empty((len(existing), 2, 3), np.int32)
        sector = existing // _PAIRS
        pairs = existing - sector * _PAIRS  # faster than the modulo operation
        x, z = ((column * SECTOR_SIZE).astype(np.int32)[sector] for column in (grid.x, grid.z))
        x += _PAIR_X[pairs]
        y = heights.reshape(-1, 2).take(existing, axis=0)
        for end in (0, 1):
            ends[:, end, 0], ends[:, end, 1] = x, y[:, end]
            np.add(z, _PAIR_Z[end][pairs], out=ends[:, end, 2])
        points = ends.reshape(-1, 3)
        self._set_spare_positions(points)
        return points

    def _set_spare_positions(self, points: NDArray[np.int32]) -> None:
        """Set the positions of the separate vertices of second triangles."""
        grid = self.grid
        for half in self.halves:
            torn = np.flatnonzero(half.torn)
            if not len(torn):
                continue
            shared = TRIANGLES[half.surface.split[torn], 1, 1:]
            rows = (self.points[grid.room[torn]] + half.vertices[torn])[:, None] + (4, 5)
            points[rows, 0] = (grid.x[torn, None] + shared // 2) * SECTOR_SIZE
            points[rows, 2] = (grid.z[torn, None] + shared % 2) * SECTOR_SIZE

    def _tops(self) -> NDArray[np.int32]:
        """Return by room the height of its highest ceiling, where the marks of its walls are."""
        tops = np.zeros(self.grid.rooms, np.int32)
        open_sectors = np.flatnonzero(self.open)
        room = self.grid.room[open_sectors]
        if len(open_sectors):
            starts = np.flatnonzero(np.diff(room, prepend=-1))
            ceilings = self.halves[_CEILING].heights.min(axis=0)[open_sectors]
            tops[room[starts]] = np.minimum.reduceat(ceilings, starts)
        return tops

    def rooms(self) -> RoomsCollision:
        """Return the collision of every room."""
        self._add_surfaces()
        self._add_marks()
        self._add_sides()
        self._add_tears()
        sectors = np.concatenate([faces.sector for faces in self._faces])
        counts = np.bincount(sectors, minlength=len(self.grid))
        ends = np.append(0, np.cumsum(counts))
        # The faces of a sector are consecutive, in the order in which they were added. Sorting is much faster
        # with 16-bit numbers, which are sufficient for most levels.
        order = np.argsort(sectors.astype(np.min_scalar_type(len(self.grid))), kind="stable")
        corners = np.concatenate([faces.corners for faces in self._faces], dtype=np.int32)
        corners = corners.take(order, axis=0)
        names = ("part", "side", "target", "kind")
        part, side, target, kinds = (self._column(name)[order] for name in names)
        has_fourth = corners[:, 3] >= 0
        flat = corners.ravel()
        return RoomsCollision(
            positions=self.positions,
            corners=flat if has_fourth.all() else flat[flat >= 0],
            sizes=3 + has_fourth.astype(np.int32),
            face=self._attributes(sectors[order], part, side, target) | {MATERIAL_INDEX: kinds},
            points=self.points.astype(np.int64),
            faces=ends[self.grid.starts],
        )

    def _column(self, name: str) -> NDArray[np.int32]:
        """Return a value of all faces, in the order in which they were added, (f,)."""
        column = np.empty(self._ends[-1], np.int32)
        for faces, start, end in zip(self._faces, self._ends, self._ends[1:], strict=False):
            column[start:end] = getattr(faces, name)
        return column

    def _attributes(
        self, sector: NDArray[Any], part: NDArray[Any], side: NDArray[Any], target: NDArray[Any]
    ) -> dict[str, NDArray[np.int32]]:
        sectors = self.sectors
        marks = sum(
            (getattr(sectors, name).astype(np.int32) * bit for name, bit in MARK_BITS.items()),
            np.zeros(len(self.grid), np.int32),
        )
        solid = np.flatnonzero(part == FacePart.SOLID)
        carries = np.flatnonzero((part == FacePart.FLOOR) | (part == FacePart.SOLID))
        on_solid, carried = sector[solid], sector[carries]
        nothing = np.zeros(len(sector), np.int32)

        def on(
            faces: NDArray[np.int64], which: NDArray[np.int64], values: NDArray[Any], more: int = 0
        ) -> NDArray[np.int32]:
            sector_values = values.astype(np.int32) + np.int32(more)
            if not sector_values.any():
                return nothing
            face_values = nothing.copy()
            face_values[faces] = sector_values[which]
            return face_values

        return {
            PART: part,
            SECTOR_PLACE: self.grid.place.astype(np.int32)[sector],
            SIDE: side,
            ROOM: target,
            ROOM_ABOVE: on(solid, on_solid, sectors.room_above, 1),
            PORTAL: on(carries, carried, sectors.portal, 1),
            BOX: on(carries, carried, sectors.box, 1),
            MATERIAL: on(carries, carried, sectors.material),
            CLIMB: on(carries, carried, sectors.climb),
            MARKS: on(carries, carried, marks),
        }

    def _add(
        self, sector: NDArray[np.int64], corners: NDArray[Any], part: int, side: int, target: Any, kind: Any
    ) -> None:
        """Add a face to each of some sectors, after their previous faces."""
        self._faces.append(_Faces(sector, corners, part, side, target, kind))
        self._ends.append(self._ends[-1] + len(sector))

    def _add_surfaces(self) -> None:
        sectors = self.sectors
        rooms = (sectors.room_below, sectors.room_above)
        for surface, part in ((_FLOOR, FacePart.FLOOR), (_CEILING, FacePart.CEILING)):
            half, room = self.halves[surface], rooms[surface]
            split, opened = half.surface.split, half.surface.open_triangle
            turn = slice(None) if surface == _FLOOR else slice(None, None, -1)
            whole = np.flatnonzero(self.open & (split == Split.NONE))
            kind = self._surface_kinds(surface, 0, whole, room[whole] >= 0)
            corners = _quads(half.vertices[whole], QUAD if surface == _FLOOR else QUAD[::-1])
            self._add(whole, corners, part, 0, room[whole] + 1, kind)
            halved = half.divided
            to = room[halved]
            for triangle in (0, 1) if len(halved) else ():
                corners = np.full((len(halved), 4), -1, np.int32)
                vertices, order = half.triangle_of(halved, triangle), FROM_ABOVE[split[halved], triangle]
                corners[:, :3] = np.take_along_axis(vertices, order, axis=1)[:, turn]
                is_open = np.where(opened[halved] < 0, to >= 0, opened[halved] == triangle)
                target = np.where(is_open, np.where(to < 0, NOWHERE, to) + 1, 0)
                kind = self._surface_kinds(surface, triangle, halved, is_open)
                self._add(halved, corners, part, 0, target, kind)

    def _surface_kinds(
        self, surface: int, triangle: int, sector: NDArray[np.int64], is_open: NDArray[np.bool_]
    ) -> NDArray[np.int32]:
        sectors = self.sectors
        kind = np.full(len(sector), FaceColor.FLOOR if surface == _FLOOR else FaceColor.CEILING, np.int32)
        if surface == _CEILING:
            kind[sectors.monkey_swing[sector]] = FaceColor.MONKEY_SWING
        else:
            first, along_z, along_x = (
                self.halves[_FLOOR].heights[4 * triangle + corner][sector] for corner in (0, 1, 2)
            )
            steep = _TOO_STEEP * CLICK
            kind[(np.abs(first - along_x) > steep) | (np.abs(first - along_z) > steep)] = FaceColor.SLOPE
            kind[sectors.death[sector]] = FaceColor.DEATH
        kind[is_open | (sectors.portal[sector] >= 0)] = FaceColor.OPENING
        return kind

    def _add_marks(self) -> None:
        sectors = self.sectors
        walls = np.flatnonzero(sectors.wall)
        corners = _quads(self.first[walls], QUAD)
        kind = np.where(sectors.portal[walls] >= 0, FaceColor.OPENING, FaceColor.WALL)
        self._add(walls, corners, FacePart.SOLID, 0, sectors.room_below[walls] + 1, kind)

    def _add_sides(self) -> None:
        """Add the faces along the sides of all sectors: walls, steps and openings."""
        is_portal = self.sectors.portal >= 0
        has_sides = self.open & ~is_portal
        neighbors = [self.grid.neighbors(side) for side in range(4)]
        # Steps are common to a sector and its neighbor towards +z or +x.
        steps = [self._steps(neighbor, has_sides, side) for side, neighbor in enumerate(neighbors[:2])]
        for side, neighbor in enumerate(neighbors):
            is_step, seen = steps[side % 2][side // 2]
            through = has_sides & (neighbor >= 0)
            through[through] = is_portal[neighbor[through]]
            self._add_full_walls(has_sides & ~is_step, through, neighbor, side)
            self._add_steps(seen, neighbor, side)

    def _steps(
        self, neighbor: NDArray[np.int64], has_sides: NDArray[np.bool_], side: int
    ) -> list[tuple[NDArray[np.bool_], list[NDArray[np.int64]]]]:
        """Return the steps between sectors and their neighbors on a side.

        Returns:
            For the sectors, then for their neighbors: (n,) bool, whether both sectors are open; and by
                surface the sectors that face a step.
        """
        sector = np.flatnonzero(has_sides & (neighbor >= 0))
        sector = sector[has_sides[neighbor[sector]]]
        neighbors = neighbor[sector]
        masks = []
        for sectors in (sector, neighbors):
            is_step = np.zeros(len(has_sides), bool)
            is_step[sectors] = True
            masks.append(is_step)
        seen: tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]] = ([], [])
        for half, sign in zip(self.halves, (1, -1), strict=True):
            # Left for one sector is right for the other.
            (left, right), (far_right, far_left) = half.edges[side], half.edges[side + 2]
            drops = [
                (heights[sector] - far_heights[neighbors]) * sign
                for heights, far_heights in ((left, far_left), (right, far_right))
            ]
            uneven = np.flatnonzero((drops[0] != 0) | (drops[1] != 0))
            total = drops[0][uneven] + drops[1][uneven]
            # The sector with the lower floor, or with the higher ceiling, faces the step.
            seen[0].append(sector[uneven[total >= 0]])
            seen[1].append(neighbors[uneven[total < 0]])
        return list(zip(masks, seen, strict=True))

    def _add_full_walls(
        self, mask: NDArray[np.bool_], through: NDArray[np.bool_], neighbor: NDArray[np.int64], side: int
    ) -> None:
        """Add the walls from floor to ceiling on a side of the sectors of a mask."""
        floor, ceiling = self.halves
        (low_left, low_right), (high_left, high_right) = floor.edges[side], ceiling.edges[side]
        full = np.flatnonzero(mask & ((low_left != high_left) | (low_right != high_right)))
        target = np.where(through[full], self.sectors.portal[np.maximum(neighbor[full], 0)] + 1, 0)
        kind = np.where(through[full], FaceColor.OPENING, self._wall_kinds(full, side))
        corners = _upright(floor.edge_of(full, side), ceiling.edge_of(full, side))
        self._add(full, corners, FacePart.WALL, SIDE_BITS[side], target, kind)

    def _add_steps(self, seen: list[NDArray[np.int64]], neighbor: NDArray[np.int64], side: int) -> None:
        for surface, (half, sector) in enumerate(zip(self.halves, seen, strict=True)):
            edge = half.edge_of(sector, side)
            neighbor_edge = half.edge_of(neighbor[sector], (side + 2) % 4)[:, ::-1]
            corners = _upright(edge, neighbor_edge) if surface == _FLOOR else _upright(neighbor_edge, edge)
            self._add(sector, corners, FacePart.WALL, SIDE_BITS[side], 0, self._wall_kinds(sector, side))

    def _wall_kinds(self, sector: NDArray[np.int64], side: int) -> NDArray[Any] | int:
        """Return the :class:`FaceColor` of the walls on a side of some sectors, (k,), or one for all."""
        if not self._climbed & SIDE_BITS[side]:
            return FaceColor.WALL
        return np.where(self.sectors.climbs(side)[sector], FaceColor.CLIMB, FaceColor.WALL)

    def _add_tears(self) -> None:
        """Add walls along splits whose triangles do not meet."""
        for surface, half in enumerate(self.halves):
            torn = np.flatnonzero(half.torn)
            if not len(torn):
                continue
            split, rows = half.surface.split[torn], torn[:, None]
            line = TRIANGLES[split][:, 1, 1:]
            # Left and right, seen from triangle 0.
            line = np.where((split == Split.RISING)[:, None], line[:, ::-1], line)
            first, second = (
                np.take_along_axis(half.triangle_of(torn, each), line, axis=1) for each in (0, 1)
            )
            heights = [half.heights[4 * each + line, rows].sum(axis=1) for each in (0, 1)]
            from_first = heights[0] >= heights[1] if surface == _FLOOR else heights[0] <= heights[1]
            if surface == _CEILING:
                first, second = second, first
            seen_from_first = _upright(first, second)
            seen_from_second = _upright(second[:, ::-1], first[:, ::-1])
            corners = np.where(from_first[:, None], seen_from_first, seen_from_second)
            self._add(torn, corners, FacePart.WALL, 0, 0, FaceColor.WALL)


def _quads(first: NDArray[np.int32], corners: Sequence[int]) -> NDArray[np.int32]:
    """Return quads (n, 4) from their first vertices, (n,), and the offset of each corner."""
    result = np.empty((len(first), 4), np.int32)
    for column, corner in enumerate(corners):
        np.add(first, np.int32(corner), out=result[:, column])
    return result


def _upright(lower: NDArray[Any], upper: NDArray[Any]) -> NDArray[Any]:
    """Return quads (n, 4) from their lower and upper edges (n, 2), left and right."""
    return np.concatenate([lower, upper[:, ::-1]], axis=1)
