"""Boxes, overlaps and zones of projects as the editor makes them, one sector at a time.

A judge for the compiler: slow, and written apart from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.projects.geometry.openings import PASSABLE, Opening, ProjectRooms
from io_tomb_raider.formats.editors.projects.geometry.portal_sectors import UNLINKED
from io_tomb_raider.formats.editors.projects.model.objects import GhostBlock, Opacity, ProjectPortal
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom, RoomType
from io_tomb_raider.formats.editors.projects.model.shape import XNZN, XNZP, XPZN, XPZP, SectorFlag

NONE = 1 << 30
STEEP = 3


@dataclass(eq=False)
class Box:
    """A box: sectors from low to high, both included."""

    x0: int
    z0: int
    x1: int
    z1: int
    height: int
    room: ProjectRoom
    water: bool
    alone: bool
    slope: bool
    monkey: bool
    base: bool = False
    flipped: bool = False


class Judge:
    """The boxes of a project. `boxes`, `sectors` by room and (z, x), `words` and `starts`, `zones`."""

    def __init__(self, rooms: list[ProjectRoom], game: Game) -> None:
        self.game = game
        self.modern = game not in (Game.TR1, Game.TR2)
        self.jumps = game in (Game.TR4, Game.TR5)
        self.rooms = rooms
        self.world = ProjectRooms(rooms)
        self.plain = {room.number: self.world.openings(room, PASSABLE) for room in rooms}
        self.ghostly = {room.number: self.world.openings(room, PASSABLE, ghosts=True) for room in rooms}
        self.ghosts = {
            (room.number, each.z, each.x): each for room in rooms for each in room.each(GhostBlock)
        }
        self.room = rooms[0]
        self.gray = self.crossed = self.monkey = self.flip = self.slope = False
        self.wet = True
        self.boxes: list[Box] = []
        self.sectors = {room.number: np.full(room.shape.wall.shape, -1) for room in rooms}
        for flip in (False, True):
            self.flip = flip
            for room in rooms:
                if self.world.is_alternate(room) == flip and not room.no_pathfinding:
                    for z in range(1, room.shape.z_sectors - 1):
                        for x in range(1, room.shape.x_sectors - 1):
                            box = self._box(room, x, z)
                            if box is not None:
                                self.sectors[room.number][z, x] = self._number(box)
        self.starts: list[int] = []
        self.words: list[int] = []
        self._overlaps()
        self.zones = [[self._zone(kind, state) for kind in range(1, 6)] for state in (False, True)]

    # --- Looking at sectors --------------------------------------------------------------------

    def _portal(self, room: ProjectRoom, x: int, z: int, way: str = "wall") -> ProjectPortal | None:
        links = self.world.links(room)
        index = getattr(links, way)[z, x]
        return None if index == UNLINKED else links.portals[index]

    def _flips(self, room: ProjectRoom) -> bool:
        return self.world.partner(room) is not None

    @staticmethod
    def _inside(room: ProjectRoom, x: int, z: int) -> bool:
        return 0 <= x < room.shape.x_sectors and 0 <= z < room.shape.z_sectors

    def _needs_way(self, x: int, z: int) -> bool:
        return not self._inside(self.room, x, z)  # of the world, not of the room: a slip of the editor

    def reach(self, x: int, z: int) -> bool:
        if not self._needs_way(x, z):
            return True
        last: ProjectRoom | None = None
        while True:
            room = self.room
            rx = min(max(x - room.x, 0), room.shape.x_sectors - 1)
            rz = min(max(z - room.z, 0), room.shape.z_sectors - 1)
            if rx in (0, room.shape.x_sectors - 1) and rz in (0, room.shape.z_sectors - 1):
                return False
            portal = self._portal(room, rx, rz)
            if portal is None:
                break
            other = self.world.by_number[portal.room]
            if other is last:
                return False
            last, self.room = room, other
            if portal.opacity == Opacity.SOLID_FACES:
                return False
            if not self._needs_way(x, z):
                break
        room = self.room
        if not self._inside(room, x - room.x, z - room.z):
            return False
        while self.ghostly[room.number].floor[z - room.z, x - room.x] == Opening.FULL:
            other = self.world.by_number[self._portal(room, x - room.x, z - room.z, "floor").room]
            if (room.kind == RoomType.WATER) != (other.kind == RoomType.WATER):
                break
            room = self.room = other
        return True

    def height(self, x: int, z: int) -> int:
        self.slope = False
        room = self.room
        rx, rz = x - room.x, z - room.z
        if room.no_pathfinding or not self._inside(room, rx, rz):
            return NONE
        shape = room.shape
        portal = self._portal(room, rx, rz)
        passable = portal is not None and portal.opacity != Opacity.SOLID_FACES
        if (shape.wall | shape.border)[rz, rx] and not passable:
            return NONE
        if shape.flags[rz, rx] & SectorFlag.NOT_WALKABLE:
            return NONE
        if passable:
            room = self.room = self.world.by_number[portal.room]
            self.crossed = True
            rx, rz = x - room.x, z - room.z
            if not self._inside(room, rx, rz):
                return NONE
        while self.plain[room.number].floor[rz, rx] != Opening.CLOSED:
            room = self.world.by_number[self._portal(room, rx, rz, "floor").room]
            rx, rz = x - room.x, z - room.z
        flags = int(room.shape.flags[rz, rx])
        if flags & SectorFlag.NOT_WALKABLE:
            return NONE
        ghost = self.ghosts.get((room.number, rz, rx))
        floor = ghost.floor if ghost else room.shape.floor.heights[rz, rx]
        ceiling = ghost.ceiling if ghost else room.shape.ceiling.heights[rz, rx]
        a, b, c, d = (round(int(floor[corner]) / 256) for corner in (XNZP, XPZP, XPZN, XNZN))
        mean, own = (a + b + c + d) >> 2, round(room.y / 256)
        depth = round(int(max(ceiling)) / 256) + own - mean
        above = self._portal(room, rx, rz, "ceiling")
        if self.wet and room.kind == RoomType.WATER and depth <= 1 and above is not None:
            over = self.world.by_number[above.room]
            partner = self.world.partner(over)
            if self.flip and partner is not None and not self.world.is_alternate(over):
                over = partner
            if over.kind != RoomType.WATER:
                self.wet = False
        if self._steep(a, b, c, d):
            if not self.modern:
                self.slope = True
            elif self.wet and room.kind != RoomType.WATER:
                return NONE
        if flags & SectorFlag.BOX:
            if self.gray:
                return NONE
            self.gray = True
        self.monkey = self.modern and bool(flags & SectorFlag.MONKEY)
        return mean + own

    @staticmethod
    def _steep(a: int, b: int, c: int, d: int) -> bool:
        ab, bc, cd, da = (abs(one - two) >= STEEP for one, two in ((a, b), (b, c), (c, d), (d, a)))
        if ab + bc + cd + da >= 3 or (ab and cd) or (bc and da):
            return True
        if a == c:
            crosswise = False
        elif b == d:
            crosswise = True
        else:
            crosswise = any(one < min(b, d) or one > max(b, d) for one in (a, c))
        if crosswise:
            return (ab and bc) or (cd and da)
        return (ab and da) or (bc and cd)

    # --- Boxes ---------------------------------------------------------------------------------

    def _box(self, room: ProjectRoom, x: int, z: int) -> Box | None:
        if room.shape.flags[z, x] & SectorFlag.NOT_WALKABLE or room.shape.wall[z, x]:
            return None
        x, z = x + room.x, z + room.z
        self.room = room
        self.reach(x, z)
        self.gray, self.wet, self.monkey = False, True, False
        height = self.height(x, z)
        if height == NONE:
            return None
        water = room.kind == RoomType.WATER and self.wet
        box = Box(x, z, x, z, height, self.room, water, self.gray, self.slope, self.monkey)
        box.base, box.flipped = not self.flip, self.flip
        if not self.gray:
            self.gray = True
            self._grow(box, room)
        return box

    def _grow(self, box: Box, room: ProjectRoom) -> None:
        rooms = {"-z": room, "+x": room, "+z": room, "-x": room}
        left = list(rooms)
        while left:
            for way in list(left):
                if self._row(box, way, rooms):
                    name = {"-z": "z0", "+x": "x1", "+z": "z1", "-x": "x0"}[way]
                    setattr(box, name, getattr(box, name) + (1 if way[0] == "+" else -1))
                else:
                    left.remove(way)

    def _row(self, box: Box, way: str, rooms: dict[str, ProjectRoom]) -> bool:
        xs, zs = range(box.x0, box.x1 + 1), range(box.z0, box.z1 + 1)
        row: Iterator[tuple[int, int, int, int]] = {
            "-z": lambda: ((x, box.z0, x, box.z0 - 1) for x in xs),
            "+x": lambda: ((box.x1, z, box.x1 + 1, z) for z in zs),
            "+z": lambda: ((x, box.z1, x, box.z1 + 1) for x in reversed(xs)),
            "-x": lambda: ((box.x0, z, box.x0 - 1, z) for z in reversed(zs)),
        }[way]()
        start = self.room = rooms[way]
        self.crossed = False
        for place, (x, z, beyond_x, beyond_z) in enumerate(row):
            if self.height(x, z) != box.height or self.height(beyond_x, beyond_z) != box.height:
                return False
            if self.monkey != box.monkey:
                return False
            if place == 0:
                rooms[way] = self.room
            if self.crossed:
                if self.room is not start and (self._flips(self.room) or self._flips(start)):
                    return False
                self.room = start
                if self.height(beyond_x, beyond_z) != box.height:
                    return False
                self.crossed = False
        return True

    def _number(self, box: Box) -> int:
        for number, other in enumerate(self.boxes):
            same = (other.x0, other.z0, other.x1, other.z1) == (box.x0, box.z0, box.x1, box.z1)
            if same and (other.height, other.water) == (box.height, box.water):
                other.flipped |= self.flip
                if box.water:
                    other.room = box.room
                return number
        self.boxes.append(box)
        return len(self.boxes) - 1

    # --- Overlaps ------------------------------------------------------------------------------

    def _overlaps(self) -> None:
        for box in self.boxes:
            if not self._flips(box.room):
                box.base = box.flipped = True
        for number, one in enumerate(self.boxes):
            first = len(self.words)
            for self.flip in (False, True):
                for other_number, other in enumerate(self.boxes):
                    both = one.flipped and other.flipped if self.flip else one.base and other.base
                    if number == other_number or not both:
                        continue
                    if self.flip and one.base and other.base:
                        continue
                    word = self._overlap(one, other)
                    if word is not None:
                        self.words.append(word | other_number)
            self.starts.append(first if len(self.words) > first else 0x3FFF)
            if len(self.words) > first:
                self.words[-1] |= 0x8000
        self.flip = False

    def _overlap(self, one: Box, two: Box) -> int | None:
        self.monkey = False
        if two.height > one.height:
            one, two = two, one
        both = 0x2000 if self.modern and one.monkey and two.monkey else 0
        apart_x, apart_z = one.x1 < two.x0 or one.x0 > two.x1, one.z1 < two.z0 or one.z0 > two.z1
        if not apart_x and not apart_z:
            return both if one.height == two.height else None
        if apart_x and apart_z:
            return None
        if self._jump(one, two, along_x=apart_x):
            return 0x800 | (0x2000 if self.monkey else 0)
        if not self._edge(one, two, along_x=apart_x):
            return None
        return both or (0x2000 if self.modern and self.monkey else 0)

    def _jump(self, one: Box, two: Box, *, along_x: bool) -> bool:
        if not self.jumps or one.height != two.height:
            return False
        low, high = (one, two) if (one.x0 < two.x0 if along_x else one.z0 < two.z0) else (two, one)
        gap = low_end = 0
        if along_x:
            gap, low_end = high.x0 - low.x1 - 1, low.x1
            across = (max(one.z0, two.z0) + min(one.z1, two.z1) + 1) >> 1
        else:
            gap, low_end = high.z0 - low.z1 - 1, low.z1
            across = (max(one.x0, two.x0) + min(one.x1, two.x1) + 1) >> 1
        if gap not in (1, 2):
            return False

        def place(along: int) -> tuple[int, int]:
            return (along, across) if along_x else (across, along)

        self.room = low.room
        if not self.reach(*place(low_end)):
            return False
        for step in range(1, gap + 1):
            if not self.reach(*place(low_end + step)):
                return False
            height = self.height(*place(low_end + step))
            if height == NONE or height > one.height - 2:
                return False
        return True

    def _edge(self, one: Box, two: Box, *, along_x: bool) -> bool:
        if along_x:
            if one.x1 + 1 == two.x0:
                inside, beyond = one.x1, one.x1 + 1
            elif two.x1 + 1 == one.x0:
                inside, beyond = one.x0, one.x0 - 1
            else:
                return False
            common = range(max(one.z0, two.z0), min(one.z1, two.z1) + 1)
        else:
            if one.z1 + 1 == two.z0:
                inside, beyond = one.z1, one.z1 + 1
            elif two.z1 + 1 == one.z0:
                inside, beyond = one.z0, one.z0 - 1
            else:
                return False
            common = range(max(one.x0, two.x0), min(one.x1, two.x1) + 1)
        for each in common:
            self.room = one.room
            if not self.reach(*((inside, each) if along_x else (each, inside))):
                return False
            self.gray = False
            if self.height(*((beyond, each) if along_x else (each, beyond))) != two.height:
                return False
        return True

    # --- Zones ---------------------------------------------------------------------------------

    def _zone(self, kind: int, flipped: bool) -> list[int]:
        found = [0] * len(self.boxes)
        number = 0
        for first in range(len(self.boxes)):
            if found[first]:
                continue
            number += 1
            found[first] = number
            seen, stack = set(), [first]
            while stack:
                here = stack.pop()
                for there in self._next(here):
                    if there not in seen and self._passes(kind, first, here, there, flipped):
                        seen.add(there)
                        stack.append(there)
            for each in seen:
                found[each] = found[each] or number
        return found

    def _next(self, number: int) -> Iterator[int]:
        at = self.starts[number]
        while at < len(self.words):
            yield self.words[at] & 0x7FF
            if self.words[at] & 0x8000:
                return
            at += 1

    def _passes(self, kind: int, first: int, here: int, there: int, flipped: bool) -> bool:
        target = self.boxes[there]
        if not (target.flipped if flipped else target.base):
            return False
        if kind == 5:
            return True
        wet = target.room.kind == RoomType.WATER
        same = wet == (self.boxes[first].room.kind == RoomType.WATER)
        step = abs(self.boxes[here].height - target.height)
        if target.slope:
            return False
        if kind in (1, 2):
            return same and step <= 1
        if kind == 3:
            return wet or (same and step <= 1)
        return same and (step <= 4 or target.monkey)
