"""Sectors and floor data of projects as the editor makes them, one sector at a time, without triggers.

A judge for the compiler: slow, and written apart from it.
"""

from __future__ import annotations

from typing import NamedTuple

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.projects.geometry.openings import Opening, ProjectRooms
from io_tomb_raider.formats.editors.projects.geometry.portal_sectors import UNLINKED
from io_tomb_raider.formats.editors.projects.model.objects import GhostBlock, Opacity, ProjectPortal
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.shape import XNZN, XNZP, XPZN, XPZP, Diagonal, SectorFlag

NO_ROOM, WALL, END = 255, -127, 0x8000
_KINDS = {
    (False, 0): (0x07, 0x08), (False, 1): (0x0B, 0x0D), (False, 2): (0x0C, 0x0E),
    (True, 0): (0x09, 0x0A), (True, 1): (0x0F, 0x11), (True, 2): (0x10, 0x12),
}  # fmt: skip
_CLIMB = (
    (SectorFlag.CLIMB_POSITIVE_Z, 0x100), (SectorFlag.CLIMB_POSITIVE_X, 0x200),
    (SectorFlag.CLIMB_NEGATIVE_Z, 0x400), (SectorFlag.CLIMB_NEGATIVE_X, 0x800),
)  # fmt: skip


class Sector(NamedTuple):
    """A sector of a level: heights in clicks, rooms, and the words of its floor data."""

    floor: int
    ceiling: int
    below: int
    above: int
    words: list[int]


def _limited(height: int) -> int:
    return max(min(height, 127), -127)


class Shape:
    """A floor or ceiling of a sector."""

    def __init__(self, room: ProjectRoom, x: int, z: int, opening: int, *, ceiling: bool) -> None:
        surface = room.shape.ceiling if ceiling else room.shape.floor
        bare = [round(int(each) / 256) for each in surface.heights[z, x]]
        corners, wall = list(bare), bool(room.shape.wall[z, x])
        ghosts = [each for each in room.each(GhostBlock) if (each.x, each.z) == (x, z)]
        if ghosts and not wall:
            offsets = ghosts[-1].ceiling if ceiling else ghosts[-1].floor
            corners = [one + round(other / 256) for one, other in zip(corners, offsets, strict=True)]
        cut = int(surface.diagonal[z, x])
        self.x_equals_z = cut in (1, 3) if cut else bool(surface.x_equals_z[z, x])
        self.open = 0
        if opening in (1, 2, 3, 4):
            self.open = 1 if opening in (Diagonal.XNZN, Diagonal.XNZP) else 2
            self.x_equals_z = opening in (1, 3)
        self.step = 0
        self.wall_first = self.wall_second = wall
        if cut:
            self.wall_first = wall and cut in (Diagonal.XNZN, Diagonal.XNZP)
            self.wall_second = wall and not self.wall_first
        if cut == Diagonal.XNZN:
            self.step = bare[XPZP] - bare[XNZP]
        elif cut == Diagonal.XNZP:
            self.step = bare[XPZN] - bare[XPZP]
        elif cut == Diagonal.XPZN:
            self.step = bare[XNZN] - bare[XNZP]
            corners[XNZN] -= self.step
            corners[XPZP] -= self.step
        elif cut == Diagonal.XPZP:
            self.step = bare[XPZN] - bare[XNZN]
            corners[XPZN] -= self.step
            corners[XNZP] -= self.step
        self.corners = corners
        self.lowered = list(corners)
        self.lowered[XPZN if self.x_equals_z else XPZP] -= self.step

    @property
    def divided(self) -> bool:
        """Whether both triangles differ in more than their slopes."""
        return bool(self.step or self.open or self.wall_first != self.wall_second)

    @property
    def split(self) -> bool:
        a, b, c, d = self.corners
        return a + c != b + d or self.divided

    @property
    def flat(self) -> bool:
        return len(set(self.corners)) == 1 and not self.divided

    def words(self, opposite: int, *, ceiling: bool, modern: bool) -> list[int]:
        if not (self.split and modern):
            if self.flat:
                return []
            along_z = self.corners[XNZP] - self.corners[XNZN]
            along_x = self.corners[XPZN] - self.corners[XNZN]
            along_x, along_z = _limited(along_x), _limited(along_z)
            return [
                0x03 if ceiling else 0x02,
                along_x & 0xFF | ((-along_z if ceiling else along_z) & 0xFF) << 8,
            ]
        sign = 1 if ceiling else -1
        a, b, c, d = (each * sign for each in self.lowered)  # XnZp, XpZp, XpZn, XnZn
        top = min(a, b, c, d)
        if self.x_equals_z:
            t00, t01 = min(d, b, c, d + b - c) - top, min(d, b, a, d + b - a) - top
        else:
            t00, t01 = min(a, c, b, a + c - b) - top, min(a, c, d, a + c - d) - top
        t00 += sign * self.step
        away = max(abs(min(self.corners) - opposite), abs(max(self.corners) - opposite)) // 2 + 1
        if self.wall_first:
            t01 = t00 - away
        elif self.wall_second:
            t00 = t01 - away
        if ceiling:
            t00, t01 = -t00, -t01
        low = max(a, b, c, d)
        order = (b, a, d, c) if ceiling else (c, d, a, b)
        depths = [min(low - each, 15) for each in order]
        first = _KINDS[ceiling, self.open][self.x_equals_z]
        for value, place in ((t00, 5), (t01, 10)):
            first |= (max(min(value, 15), -16) & 31) << place
        return [first, sum(depth << 4 * place for place, depth in enumerate(depths))]


class SectorJudge:
    """The sectors of a project: `sectors` by room number and (x, z)."""

    def __init__(self, rooms: list[ProjectRoom], game: Game) -> None:
        self.rooms, self.game = rooms, game
        self.index = {room.number: place for place, room in enumerate(rooms)}
        self.world = ProjectRooms(rooms)
        self.sectors = {
            room.number: {
                (x, z): self._sector(room, x, z)
                for x in range(room.shape.x_sectors)
                for z in range(room.shape.z_sectors)
            }
            for room in rooms
        }

    def _portal(self, room: ProjectRoom, x: int, z: int, way: str) -> ProjectPortal | None:
        links = self.world.links(room)
        index = getattr(links, way)[z, x]
        return None if index == UNLINKED else links.portals[index]

    def _wall(self, room: ProjectRoom, x: int, z: int) -> bool:
        return bool(room.shape.wall[z, x]) or self._border(room, x, z)

    @staticmethod
    def _border(room: ProjectRoom, x: int, z: int) -> bool:
        return x in (0, room.shape.x_sectors - 1) or z in (0, room.shape.z_sectors - 1)

    def _sector(self, room: ProjectRoom, x: int, z: int) -> Sector:
        y = round(room.y / 256)
        border = self._border(room, x, z)
        if border or (room.shape.wall[z, x] and not room.shape.floor.diagonal[z, x]):
            portal = self._portal(room, x, z, "wall")
            if portal is not None:
                solid = portal.opacity == Opacity.SOLID_FACES
                words = [] if solid else [0x8001, self.index[portal.room]]
                return Sector(WALL, WALL, NO_ROOM, NO_ROOM, words)
            ladder = self._ladder(room, x, z)
            if ladder is None:
                return Sector(WALL, WALL, NO_ROOM, NO_ROOM, [])
            height = _limited(-y - round(int(min(room.shape.ceiling.heights[z, x])) / 256))
            return Sector(height, height, NO_ROOM, NO_ROOM, [0x8001, ladder])
        openings = self.world.collision_openings(room)
        floor = Shape(room, x, z, int(openings.floor[z, x]), ceiling=False)
        ceiling = Shape(room, x, z, int(openings.ceiling[z, x]), ceiling=True)
        modern = self.game not in (Game.TR1, Game.TR2)
        lists = [
            floor.words(max(ceiling.corners), ceiling=False, modern=modern),
            ceiling.words(min(floor.corners), ceiling=True, modern=modern),
        ]
        flags = int(room.shape.flags[z, x])
        lists.append([0x05] if flags & SectorFlag.DEATH else [])
        sides = sum(bit for mark, bit in _CLIMB if flags & mark)
        lists.append([0x06 | sides] if sides and self.game is not Game.TR1 else [])
        for mark, word in (
            (SectorFlag.MONKEY, 0x13), (SectorFlag.TRIGGER_TRIGGERER, 0x14), (SectorFlag.BEETLE, 0x15),
        ):  # fmt: skip
            lists.append([word] if flags & mark and modern else [])
        used = [each for each in lists if each]
        if used:
            used[-1][0] |= END
        rooms = []
        for way, opening in (("floor", openings.floor), ("ceiling", openings.ceiling)):
            portal = self._portal(room, x, z, way)
            is_open = opening[z, x] != Opening.CLOSED
            rooms.append(self.index[portal.room] if is_open and portal is not None else NO_ROOM)
        low, high = _limited(-y - max(floor.lowered)), _limited(-y - min(ceiling.lowered))
        return Sector(low, high, rooms[0], rooms[1], [word for each in used for word in each])

    def _ladder(self, room: ProjectRoom, x: int, z: int) -> int | None:
        sides = ((x - 1, z), (x + 1, z), (x, z - 1), (x, z + 1))
        shape = room.shape
        near = [each for each in sides if 0 <= each[0] < shape.x_sectors and 0 <= each[1] < shape.z_sectors]
        if all(self._wall(room, *each) for each in near):
            return None
        portals: list[ProjectPortal] = []
        for other_z in range(shape.z_sectors):
            for other_x in range(shape.x_sectors):
                portal = self._portal(room, other_x, other_z, "ceiling")
                if portal is not None and portal not in portals:
                    portals.append(portal)
        for portal in portals:
            x0, z0, x1, z1 = portal.area
            if not (x0 - 1 <= x <= x1 + 1 and z0 - 1 <= z <= z1 + 1):
                continue
            if not self._border(room, x, z):
                own = self._portal(room, x, z, "ceiling") or portal
                over = self._over(room, own.room, x, z)
                if over is None or self._wall(*over):
                    continue
            found = self._over(room, portal.room, x, z)
            if found is None:
                continue
            if not self._wall(*found):
                return self.index[portal.room]
            beside = self._portal(*found, "wall")
            if self._border(room, x, z) and self._border(*found) and beside is not None:
                return self.index[beside.room]
        return None

    def _over(self, room: ProjectRoom, number: int, x: int, z: int) -> tuple[ProjectRoom, int, int] | None:
        other = self.world.by_number[number]
        x, z = x + room.x - other.x, z + room.z - other.z
        inside = 0 <= x < other.shape.x_sectors and 0 <= z < other.shape.z_sectors
        return (other, x, z) if inside else None
