"""The visible faces of a room, built from its map: floors, ceilings, and walls between different heights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game

from .plan import CLICK, SECTOR, Cell, Corners, RoomPlan
from .sectors import clicks, is_planar, neighbor
from .texture_records import WATER, TextureTable

Point = tuple[int, int, int]  # x, y, z in world units, relative to the room but for y
_DOUBLE_SIDED = 0x8000


@dataclass(frozen=True)
class Face:
    """A quad or triangle, with corners clockwise as seen from the front."""

    points: tuple[Point, ...]
    texture: int  # the texture word of the file

    @property
    def center(self) -> NDArray[np.float64]:
        return np.array(self.points, float).mean(0)


# For each direction of view: the step to the neighbor, then the corners of the cell's edge, left and right
# as seen from the cell, as indices of (south-west, south-east, north-east, north-west), and the neighbor's.
_VIEWS = {
    "n": ((0, 1), (3, 2), (0, 1)),
    "e": ((1, 0), (2, 1), (3, 0)),
    "s": ((0, -1), (1, 0), (2, 3)),
    "w": ((-1, 0), (0, 3), (1, 2)),
}
_CORNER_STEPS = ((0, 0), (1, 0), (1, 1), (0, 1))


class Surfaces:
    """The faces of one room under construction."""

    def __init__(
        self, game: Game, room: RoomPlan, plans: dict[str, RoomPlan], textures: TextureTable
    ) -> None:
        self.game = game
        self.room = room
        self.plans = plans
        self.textures = textures
        self.faces: list[Face] = []
        columns, rows = room.size
        for x, z in np.ndindex(columns, rows):
            cell = room.cell(x, z)
            if not cell.is_wall:
                self._add_floor(x, z, cell)
                self._add_ceiling(x, z, cell)
                for view in _VIEWS:
                    self._add_walls(x, z, cell, view)

    def _points(self, x: int, z: int, corners: Corners) -> list[Point]:
        heights = clicks(self.game, corners)
        return [
            ((x + dx) * SECTOR, height * CLICK, (z + dz) * SECTOR)
            for (dx, dz), height in zip(_CORNER_STEPS, heights, strict=True)
        ]

    def _add(self, points: list[Point], texture: int) -> None:
        self.faces.append(Face(tuple(points), texture))

    def _add_floor(self, x: int, z: int, cell: Cell) -> None:
        south_west, south_east, north_east, north_west = self._points(x, z, cell.floor)
        if cell.tile in WATER:
            self._add_water([north_west, north_east, south_east, south_west], cell.tile)
        elif cell.cut and is_planar(clicks(self.game, cell.floor)):
            self._add([north_west, north_east, south_west], self.textures.triangle(cell.tile, (0, 1, 3)))
            self._add([north_east, south_east, south_west], self.textures.triangle(cell.tile, (1, 2, 3)))
        elif cell.cut:
            self._add([north_west, north_east, south_east], self.textures.triangle(cell.tile, (0, 1, 2)))
            self._add([north_west, south_east, south_west], self.textures.triangle(cell.tile, (0, 2, 3)))
        elif cell.tile == "slope":  # its top is where the floor is highest: to the west
            points = [south_west, north_west, north_east, south_east]
            self._add(points, self.textures.quad(cell.tile))
        else:
            mirrored = cell.tile == "sign"
            self._add(
                [north_west, north_east, south_east, south_west],
                self.textures.quad(cell.tile, (0, 4), mirrored),
            )

    def _add_water(self, points: list[Point], tile: str) -> None:
        """Add water, visible from both sides: by its bit, or by a second face in games without the bit."""
        texture = self.textures.quad(tile)
        if self.game >= Game.TR3:
            self._add(points, texture | _DOUBLE_SIDED)
        else:
            self._add(points, texture)
            self._add(points[::-1], texture)

    def _add_ceiling(self, x: int, z: int, cell: Cell) -> None:
        if cell.above:
            return
        south_west, south_east, north_east, north_west = self._points(x, z, cell.ceiling)
        texture = self.textures.quad(self.room.ceiling)
        # The top of the tile is north, as on floors, so east is on the left as seen from below.
        self._add([north_east, north_west, south_west, south_east], texture)

    def _add_walls(self, x: int, z: int, cell: Cell, view: str) -> None:
        (dx, dz), edge, far_edge = _VIEWS[view]
        other = neighbor(self.plans, self.room, x + dx, z + dz)
        points = self._points(x, z, cell.floor)
        left, right = points[edge[0]], points[edge[1]]
        bottoms = [clicks(self.game, cell.floor)[corner] for corner in edge]
        tops = [clicks(self.game, cell.ceiling)[corner] for corner in edge]
        tile = self.room.walls or f"wall_{view}"
        if other.is_wall:
            self._add_panels(left, right, tops, bottoms, tile)
            return
        other_floor = [clicks(self.game, other.floor)[corner] for corner in far_edge]
        other_ceiling = [clicks(self.game, other.ceiling)[corner] for corner in far_edge]
        if sum(other_floor) < sum(bottoms):
            self._add_panels(left, right, other_floor, bottoms, "stone")
        if sum(other_ceiling) > sum(tops):
            self._add_panels(left, right, tops, other_ceiling, tile)

    def _add_panels(self, left: Point, right: Point, tops: list[int], bottoms: list[int], tile: str) -> None:
        """Fill a wall with panels of a sector's height from the top down; the last one may be lower."""
        level = min(tops)
        if tops[0] == tops[1]:
            while level + 4 <= min(bottoms):
                self._add_panel(left, right, (level, level), (level + 4, level + 4), tile)
                level += 4
        upper = (level, level) if tops[0] == tops[1] else (tops[0], tops[1])
        if upper != tuple(bottoms):
            self._add_panel(left, right, upper, (bottoms[0], bottoms[1]), tile)

    def _add_panel(
        self, left: Point, right: Point, tops: tuple[int, int], bottoms: tuple[int, int], tile: str
    ) -> None:
        def at(point: Point, height: int) -> Point:
            return point[0], height * CLICK, point[2]

        height = max(bottom - top for top, bottom in zip(tops, bottoms, strict=True))
        rows = (0, min(4, max(1, height)))
        corners = [at(left, tops[0]), at(right, tops[1]), at(right, bottoms[1]), at(left, bottoms[0])]
        if tops[0] == bottoms[0]:
            self._add(corners[:3], self.textures.triangle(tile, (0, 1, 2), rows))
        elif tops[1] == bottoms[1]:
            self._add([corners[0], corners[1], corners[3]], self.textures.triangle(tile, (0, 1, 3), rows))
        else:
            self._add(corners, self.textures.quad(tile, rows))

    def add_ornaments(self) -> None:
        """Add a mirrored sign, a grate and a glow a little in front of the walls of the room."""
        z = (self.room.size[1] - 1) * SECTOR - 16
        for x, tile, mirrored in ((6, "sign", False), (7, "sign", True), (5, "grate", False)):
            self._add_hanging(x * SECTOR + 192, z, 640, -6 * CLICK, tile, mirrored)
        self._add_hanging(9 * SECTOR + 192, z, 640, -6 * CLICK, "glow", False)

    def _add_hanging(self, x: int, z: int, size: int, y: int, tile: str, mirrored: bool) -> None:
        points = [(x, y - size, z), (x + size, y - size, z), (x + size, y, z), (x, y, z)]
        texture = self.textures.quad(tile, (0, 4), mirrored)
        both = _DOUBLE_SIDED if tile in ("grate", "glow") and self.game >= Game.TR3 else 0
        self._add(points, texture | both)
