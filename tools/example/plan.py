"""The rooms of the example: their sectors, portals, objects and triggers, as a project of a level editor.

In sectors from above, north (+z) is up; heights in clicks of 256 units above the floor of the hall.

    z 39..47  sanctum with the idol (x 21..26), a stair west of it that leads from the crypt to the gallery
    z 23..38  the pillared hall (x 18..29); west of it a gallery above, east of it the pool (z 26..35)
    z 18..22  vestibule
    z 10..17  the passage through the rock
    z  2..9   the gorge under the open sky, where one starts
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from io_tomb_raider.formats.editors.projects.model.objects import (
    Direction,
    Light,
    LightKind,
    Moveable,
    Parameter,
    ParameterKind,
    ProjectPortal,
    ProjectTrigger,
    Static,
)
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom, RoomType
from io_tomb_raider.formats.editors.projects.model.shape import Diagonal, RoomShape

CLICK, SECTOR = 256, 1024
Place = tuple[float, float, float]  # x and z in sectors, the height in clicks: (x, height, z)
WARM, FIRE, COOL, DAY, DEEP = (
    (1.0, 0.74, 0.44),
    (1.0, 0.64, 0.32),
    (0.55, 0.78, 0.85),
    (1.0, 0.97, 0.86),
    (0.45, 0.8, 0.95),
)
GOLD = (1.0, 0.78, 0.35)
# Directions to the sun: into the deep rooms it shines from above, into the gorge over its eastern wall.
HIGH_SUN, LOW_SUN = (0.2, 0.95, -0.22), (0.62, 0.66, -0.2)

# The numbers of moveables in TR4, and our static meshes.
SLOTS = {"lara": 0, "bat": 90, "switch": 306, "door": 322, "trapdoor": 348, "idol": 175}
STATICS = {
    name: 10 + number
    for number, name in enumerate(
        (
            "pillar",
            "broken_pillar",
            "brazier",
            "torch",
            "vines",
            "jar",
            "jar_broken",
            "statue",
            "pedestal",
            "grass",
            "web",
            "rubble",
            "stump",
        )
    )
}


# Static meshes that one walks through.
WADED = ("grass", "web", "vines", "torch")


@dataclass
class Lamp:
    """A light for the vertices: in all rooms that its rays reach."""

    place: Place
    color: tuple[float, float, float]
    intensity: float
    inner: float
    outer: float


@dataclass
class Site:
    """A room under construction; all places are in sectors of the level.

    Attributes:
        look: the name of its surfaces, see `surfaces.py`.
        open_sky: its ceiling is sky.
        sky: the part of the light of the sky that it gets.
        sun: the direction (x, height, z) to the sun.
        sunlight: the strength of the sun.
    """

    room: ProjectRoom
    x0: int
    z0: int
    x1: int
    z1: int
    base: int
    look: str
    open_sky: bool = False
    sky: float = 1.0
    sun: Place = HIGH_SUN
    sunlight: float = 1.0
    lamps: list[Lamp] = field(default_factory=list)

    def part(self, x0: int, z0: int, x1: int = -1, z1: int = -1) -> tuple[slice, slice]:
        """Return the sectors of a rectangle as an index of the shape's arrays."""
        x1, z1 = (x0 if x1 < 0 else x1), (z0 if z1 < 0 else z1)
        return slice(z0 - self.room.z, z1 - self.room.z + 1), slice(x0 - self.room.x, x1 - self.room.x + 1)

    def floor(self, height: float, x0: int, z0: int, x1: int = -1, z1: int = -1) -> None:
        """Set the floor of a rectangle, in clicks of the level."""
        self.room.shape.floor.heights[self.part(x0, z0, x1, z1)] = round((height - self.base) * CLICK)

    def ceiling(self, height: float, x0: int, z0: int, x1: int = -1, z1: int = -1) -> None:
        """Set the ceiling of a rectangle, in clicks of the level."""
        self.room.shape.ceiling.heights[self.part(x0, z0, x1, z1)] = round((height - self.base) * CLICK)

    def wall(self, x0: int, z0: int, x1: int = -1, z1: int = -1, *, solid: bool = True) -> None:
        """Fill a rectangle with wall, or clear it."""
        self.room.shape.wall[self.part(x0, z0, x1, z1)] = solid

    def corners(self, heights: Mapping[tuple[int, int], float], *, ceiling: bool = False) -> None:
        """Set the height of corners (x, z) of the level's grid in all sectors of the room that meet there."""
        surface = self.room.shape.ceiling if ceiling else self.room.shape.floor
        # XnZp, XpZp, XpZn, XnZn
        for number, (dx, dz) in enumerate(((0, 1), (1, 1), (1, 0), (0, 0))):
            for (x, z), height in heights.items():
                row, column = z - dz - self.room.z, x - dx - self.room.x
                if 0 <= row < surface.heights.shape[0] and 0 <= column < surface.heights.shape[1]:
                    surface.heights[row, column, number] = round((height - self.base) * CLICK)

    def ramp(
        self, low: float, high: float, x0: int, z0: int, x1: int, z1: int, axis: str, *, ceiling: bool = False
    ) -> None:
        """Make a slope along an axis over a rectangle of sectors."""
        length = (x1 - x0 if axis == "x" else z1 - z0) + 1
        surface = self.room.shape.ceiling if ceiling else self.room.shape.floor
        for x in range(x0, x1 + 1):
            for z in range(z0, z1 + 1):
                step = (x - x0) if axis == "x" else (z - z0)
                ends = [low + (high - low) * (step + each) / length for each in (0, 1)]
                for number, (dx, dz) in enumerate(((0, 1), (1, 1), (1, 0), (0, 0))):
                    height = ends[dx if axis == "x" else dz]
                    surface.heights[z - self.room.z, x - self.room.x, number] = round(
                        (height - self.base) * CLICK
                    )


class Plan:
    """All rooms of the example."""

    def __init__(self) -> None:
        self.sites: dict[str, Site] = {}
        self.numbers: Iterator[int] = count(1000)
        self.lara = 0
        self._gorge()
        self._passage()
        self._vestibule()
        self._hall()
        self._lantern()
        self._pool()
        self._cascade()
        self._sanctum()
        self._crypt()
        self._stair()
        self._gallery()
        self._join()
        self._story()

    @property
    def rooms(self) -> list[ProjectRoom]:
        """The rooms in order."""
        return [site.room for site in self.sites.values()]

    @property
    def lamps(self) -> list[Lamp]:
        """All lights."""
        return [lamp for site in self.sites.values() for lamp in site.lamps]

    # --- Making

    def site(
        self,
        name: str,
        x: tuple[int, int],
        z: tuple[int, int],
        base: int,
        top: int,
        look: str,
        ambient: float = 0.2,
        *,
        open_sky: bool = False,
    ) -> Site:
        """Add a room: the first and last sector inside along x and z, and its heights in clicks."""
        shape = RoomShape.empty(x[1] - x[0] + 3, z[1] - z[0] + 3, (top - base) * CLICK)
        room = ProjectRoom(
            len(self.sites), name, x[0] - 1, base * CLICK, z[0] - 1, shape, ambient=(ambient,) * 3
        )
        made = Site(room, x[0], z[0], x[1], z[1], base, look, open_sky=open_sky)
        self.sites[name] = made
        return made

    def portal(
        self, one: str, other: str, x: tuple[int, int], z: tuple[int, int], direction: Direction
    ) -> None:
        """Join two rooms: the sectors of the portal are those of the first room's border, or inside of it."""
        a, b = self.sites[one], self.sites[other]
        back = {
            Direction.POSITIVE_X: (Direction.NEGATIVE_X, -1, 0),
            Direction.NEGATIVE_X: (Direction.POSITIVE_X, 1, 0),
            Direction.POSITIVE_Z: (Direction.NEGATIVE_Z, 0, -1),
            Direction.NEGATIVE_Z: (Direction.POSITIVE_Z, 0, 1),
            Direction.FLOOR: (Direction.CEILING, 0, 0),
        }[direction]
        for site, target, way, dx, dz in ((a, b, direction, 0, 0), (b, a, *back)):
            area = (
                x[0] + dx - site.room.x,
                z[0] + dz - site.room.z,
                x[1] + dx - site.room.x,
                z[1] + dz - site.room.z,
            )
            site.room.objects.append(ProjectPortal(next(self.numbers), area, target.room.number, way))

    def static(
        self,
        site: str,
        name: str,
        x: float,
        z: float,
        height: float = 0.0,
        turn: float = 0.0,
        color: float = 1.0,
    ) -> None:
        """Place a static mesh; 0 degrees look north."""
        room = self.sites[site].room
        place = ((x - room.x) * SECTOR, height * CLICK - room.y, (z - room.z) * SECTOR)
        if name not in WADED:
            turn = round(turn / 90) * 90.0  # collision boxes follow no other turns
        room.objects.append(Static(next(self.numbers), place, slot=STATICS[name], y=turn, color=(color,) * 3))

    def moveable(
        self,
        site: str,
        name: str,
        x: float,
        z: float,
        height: float = 0.0,
        turn: float = 0.0,
    ) -> int:
        """Place a moveable and return its number."""
        room, number = self.sites[site].room, next(self.numbers)
        place = ((x - room.x) * SECTOR, height * CLICK - room.y, (z - room.z) * SECTOR)
        room.objects.append(Moveable(number, place, slot=SLOTS[name], y=turn))
        return number

    def lamp(
        self,
        site: str,
        x: float,
        height: float,
        z: float,
        color: tuple[float, float, float],
        intensity: float,
        inner: float,
        outer: float,
    ) -> None:
        """Add a light for vertices, and for objects in its room."""
        own = self.sites[site]
        own.lamps.append(Lamp((x, height, z), color, intensity, inner, outer))
        place = ((x - own.room.x) * SECTOR, height * CLICK - own.room.y, (z - own.room.z) * SECTOR)
        own.room.objects.append(
            Light(
                next(self.numbers),
                place,
                kind=LightKind.POINT,
                intensity=min(intensity, 1.0),
                color=color,
                inner_range=inner,
                outer_range=outer,
            )
        )

    def torch(self, site: str, x: float, z: float, height: float, turn: float, strength: float = 1.0) -> None:
        """Add a torch on a wall, with its light before it. The torch looks in the direction of its turn."""
        self.static(site, "torch", x, z, height, turn, 1.3)
        dx, dz = np.sin(np.radians(turn)), np.cos(np.radians(turn))
        self.lamp(site, x + 0.3 * dx, height + 1.6, z + 0.3 * dz, WARM, 1.75 * strength, 0.4, 5.2)

    def trigger(
        self,
        site: str,
        x: int,
        z: int,
        target: int,
        kind: int = 0,
        *,
        target_type: int = 0,
        once: bool = False,
    ) -> None:
        """Add a trigger to a sector."""
        room = self.sites[site].room
        at = (x - room.x, z - room.z, x - room.x, z - room.z)
        parameter = Parameter(ParameterKind.OBJECT if target_type in (0,) else ParameterKind.NUMBER, target)
        room.objects.append(
            ProjectTrigger(
                next(self.numbers), at, type=kind, target_type=target_type, target=parameter, one_shot=once
            )
        )

    # --- Rooms

    def _gorge(self) -> None:
        site = self.site("Gorge", (19, 28), (1, 9), 8, 27, "gorge", 0.5, open_sky=True)
        site.sky, site.sun, site.sunlight = 0.42, LOW_SUN, 1.5
        site.floor(8, 19, 1, 28, 9)
        random = np.random.default_rng(3)
        # The bottom of the gorge rises to its sides.
        heights = {}
        for x in range(19, 30):
            for z in range(1, 11):
                away = max(abs(x - 24) - 2, 0)
                rise = away * 1.1 + random.random() * 1.2 * (away > 0) + max(3 - z, 0) * 0.9
                heights[x, z] = 8 + round(rise)
        for x in (23, 24, 25):
            heights[x, 10] = heights[x, 9] = 8
        site.corners(heights)
        # Ledges of rock at both sides.
        site.floor(16, 19, 1, 19, 6)
        site.floor(18, 28, 3, 28, 9)
        site.floor(13, 27, 7, 27, 9)
        site.floor(14, 20, 1, 20, 3)
        site.wall(19, 8, 20, 9)
        site.wall(28, 9)

    def _passage(self) -> None:
        site = self.site("Cave Mouth", (21, 26), (10, 17), 2, 18, "cave", 0.22)
        site.wall(21, 10, 22, 11)
        site.wall(25, 10, 26, 12)
        site.wall(26, 13)
        site.wall(21, 12, 21, 13)
        site.wall(21, 16, 22, 17)
        site.wall(26, 15, 26, 17)
        site.wall(21, 14, 21, 15)
        site.ramp(8, 6, 21, 10, 26, 12, "z")
        site.floor(5, 21, 13, 26, 14)
        site.ramp(5, 2, 21, 15, 26, 17, "z")
        site.floor(7, 22, 13, 22, 14)
        site.floor(8, 25, 14, 25, 14)
        site.ramp(17, 15, 21, 10, 26, 12, "z", ceiling=True)
        site.ceiling(14, 21, 13, 26, 14)
        site.ramp(13, 10, 21, 15, 26, 17, "z", ceiling=True)

    def _vestibule(self) -> None:
        site = self.site("Vestibule", (21, 26), (18, 22), 0, 10, "temple_low", 0.2)
        site.floor(2, 21, 18, 26, 19)
        site.floor(1, 21, 20, 26, 20)
        site.floor(0, 21, 21, 26, 22)
        site.wall(21, 18)
        site.wall(26, 18)
        site.wall(21, 22, 22, 22)
        site.wall(25, 22, 26, 22)
        site.ceiling(8, 23, 22, 24, 22)

    def _hall(self) -> None:
        # Two rooms, as TR5 has no memory for one.
        site = self.site("Pillared Hall", (18, 29), (23, 30), 0, 20, "temple", 0.17)
        north = self.site("Pillared Hall North", (18, 29), (31, 38), 0, 20, "temple", 0.17)
        # Raised aisles, a dais in the north with steps, and a fallen part of the ceiling.
        for half, z0, z1 in ((site, 23, 30), (north, 31, 38)):
            for x in (18, 28):
                half.floor(1, x, z0, x + 1, z1)
                half.ceiling(15, x, z0, x + 1, z1)
        site.floor(0, 28, 30, 29, 30)
        north.floor(0, 28, 31, 29, 31)
        north.floor(1, 18, 36, 29, 36)
        north.floor(2, 18, 37, 29, 37)
        north.floor(4, 18, 38, 29, 38)
        north.floor(3, 21, 38, 26, 38)
        north.floor(4, 23, 38, 24, 38)
        north.floor(3, 23, 37, 24, 37)
        north.floor(2, 23, 36, 24, 36)
        # Rubble where the aisle fell in.
        site.corners(
            {(18, 24): 4, (18, 25): 5, (18, 26): 3, (19, 24): 2, (19, 25): 3, (18, 23): 3, (19, 23): 2}
        )
        # The ceiling steps down over the aisles and over beams.
        for half, places in ((site, (25, 28)), (north, (33, 36))):
            for z in places:
                half.ceiling(19, 20, z, 27, z)
        north.wall(18, 37, 19, 38)
        north.wall(28, 37, 29, 38)

    def _lantern(self) -> None:
        site = self.site("Lantern", (22, 25), (29, 32), 20, 30, "lantern", 0.5, open_sky=True)
        site.floor(24, 22, 29)
        site.floor(23, 25, 32)
        site.floor(22, 22, 32)

    def _pool(self) -> None:
        site = self.site("Pool Chamber", (30, 41), (26, 36), -1, 17, "grotto", 0.14)
        site.floor(0, 30, 26, 41, 36)
        site.wall(30, 26, 30, 29)
        site.wall(30, 32, 30, 36)
        site.ceiling(8, 30, 30, 30, 31)
        site.floor(-1, 33, 28, 39, 33)
        site.floor(1, 31, 35, 34, 36)
        site.floor(3, 38, 35, 40, 36)
        site.floor(2, 37, 35, 37, 36)
        site.floor(1, 36, 35, 36, 36)
        site.floor(4, 40, 26, 41, 27)
        site.floor(2, 38, 26, 39, 26)
        site.floor(6, 40, 28, 41, 29)
        site.floor(5, 40, 32, 41, 34)
        site.wall(31, 26)
        site.wall(41, 35, 41, 36)
        site.wall(41, 26)
        # Under the fall: a bay of the pool.
        site.floor(-1, 40, 30, 40, 31)
        site.wall(41, 28, 41, 29)
        site.wall(41, 32, 41, 34)
        site.floor(10, 41, 30, 41, 31)
        site.ramp(13, 17, 31, 26, 34, 36, "x", ceiling=True)
        site.ceiling(16, 39, 26, 41, 36)
        site.ceiling(8, 30, 30, 30, 31)
        water = self.site("Pool", (33, 40), (28, 33), -14, -1, "underwater", 0.35)
        water.room.kind = RoomType.WATER
        water.room.effect_strength = 2
        water.wall(40, 28, 40, 29)
        water.wall(40, 32, 40, 33)
        water.floor(-14, 33, 28, 40, 33)
        water.ramp(-6, -11, 33, 28, 35, 28, "x")
        water.floor(-9, 33, 33, 34, 33)
        water.floor(-11, 35, 33, 36, 33)
        water.floor(-12, 38, 28, 40, 29)
        water.floor(-10, 39, 32, 39, 33)

    def _cascade(self) -> None:
        site = self.site("Cascade", (42, 46), (29, 32), 10, 20, "grotto", 0.25, open_sky=False)
        site.floor(12, 42, 29, 46, 29)
        site.floor(12, 42, 32, 46, 32)
        site.floor(11, 45, 30, 46, 31)
        site.floor(13, 46, 29)
        site.ramp(16, 20, 42, 29, 46, 32, "x", ceiling=True)
        shaft = self.site("Shaft", (44, 45), (30, 31), 20, 30, "lantern", 0.5, open_sky=True)
        shaft.floor(20, 44, 30, 45, 31)
        site.ceiling(20, 44, 30, 45, 31)

    def _sanctum(self) -> None:
        site = self.site("Sanctum", (19, 28), (39, 48), 4, 24, "sanctum", 0.16)
        site.wall(19, 39, 22, 39)
        site.wall(25, 39, 28, 39)
        site.wall(19, 40)
        site.wall(28, 40)
        site.wall(19, 48, 20, 48)
        site.wall(27, 48, 28, 48)
        site.wall(19, 47)
        site.wall(28, 47)
        site.ceiling(9, 23, 39, 24, 39)
        site.floor(4, 19, 39, 28, 48)
        # Three steps up to the idol.
        site.floor(5, 21, 44, 26, 47)
        site.floor(6, 22, 45, 25, 47)
        site.floor(7, 23, 45, 24, 47)
        site.floor(10, 22, 48, 25, 48)
        # A stepped dome.
        site.ceiling(15, 19, 40, 28, 48)
        site.ceiling(19, 21, 41, 26, 47)
        site.ceiling(23, 22, 42, 25, 46)
        site.ceiling(9, 23, 39, 24, 39)
        site.floor(6, 19, 43, 19, 45)
        site.floor(6, 28, 43, 28, 45)

        oculus = self.site("Oculus", (23, 24), (45, 46), 23, 30, "lantern", 0.5, open_sky=True)
        oculus.floor(23, 23, 45, 24, 46)

    def _crypt(self) -> None:
        site = self.site("Crypt", (21, 26), (40, 45), -4, 4, "crypt", 0.14)
        site.floor(-4, 21, 40, 26, 45)
        site.floor(-3, 21, 45, 26, 45)
        site.floor(-2, 26, 43, 26, 44)
        site.ceiling(2, 21, 40, 26, 45)
        site.ceiling(4, 23, 42, 24, 42)
        site.ceiling(3, 22, 41, 25, 43)
        site.ceiling(4, 23, 42, 24, 42)
        site.wall(21, 45)
        site.wall(26, 40)

    def _stair(self) -> None:
        site = self.site("Stair", (14, 20), (41, 43), -4, 18, "crypt", 0.16)
        for step, x in enumerate(range(20, 13, -1)):
            site.floor(-4 + 2 * step, x, 41, x, 42)
            site.ceiling(min(4 + 2.0 * step, 18), x, 41, x, 42)
        site.ramp(8, 10, 14, 41, 14, 42, "x")
        site.floor(10, 14, 41, 14, 42)
        site.wall(14, 43, 20, 43)

    def _gallery(self) -> None:
        site = self.site("Gallery", (14, 17), (24, 40), 8, 18, "temple_low", 0.17)
        site.floor(8, 14, 24, 17, 40)
        site.floor(9, 14, 37, 15, 37)
        site.floor(10, 14, 38, 15, 40)
        site.wall(16, 37, 17, 40)
        site.ceiling(14, 17, 24, 17, 36)
        for z in (24, 27, 30, 33, 36):
            site.wall(17, z)
        site.ceiling(17, 14, 37, 15, 40)
        site.corners({(14, 24): 12, (15, 24): 11, (14, 25): 11, (16, 24): 9})

    def _join(self) -> None:
        north, east, west, down = (
            Direction.POSITIVE_Z,
            Direction.POSITIVE_X,
            Direction.NEGATIVE_X,
            Direction.FLOOR,
        )
        self.portal("Gorge", "Cave Mouth", (23, 24), (10, 10), north)
        self.portal("Cave Mouth", "Vestibule", (23, 25), (18, 18), north)
        self.portal("Vestibule", "Pillared Hall", (23, 24), (23, 23), north)
        self.portal("Pillared Hall", "Pillared Hall North", (18, 29), (31, 31), north)
        self.portal("Lantern", "Pillared Hall", (22, 25), (29, 30), down)
        self.portal("Lantern", "Pillared Hall North", (22, 25), (31, 32), down)
        self.portal("Pillared Hall", "Pool Chamber", (30, 30), (30, 30), east)
        self.portal("Pillared Hall North", "Pool Chamber", (30, 30), (31, 31), east)
        self.portal("Pool Chamber", "Pool", (33, 40), (28, 33), down)
        self.portal("Pool Chamber", "Cascade", (42, 42), (30, 31), east)
        self.portal("Shaft", "Cascade", (44, 45), (30, 31), down)
        self.portal("Pillared Hall North", "Sanctum", (23, 24), (39, 39), north)
        self.portal("Oculus", "Sanctum", (23, 24), (45, 46), down)
        self.portal("Sanctum", "Crypt", (23, 24), (42, 42), down)
        self.portal("Crypt", "Stair", (20, 20), (41, 42), west)
        self.portal("Stair", "Gallery", (14, 15), (40, 40), Direction.NEGATIVE_Z)
        for name, z in (
            ("Pillared Hall", 25),
            ("Pillared Hall", 28),
            ("Pillared Hall North", 31),
            ("Pillared Hall North", 34),
        ):
            self.portal("Gallery", name, (18, 18), (z, z + 1), east)

    # --- What is in them

    def _story(self) -> None:
        self.lara = self.moveable("Gorge", "lara", 24.0, 4.6, 8, 0)
        self._light()
        self._furniture()
        doors = [self.moveable("Pillared Hall North", "door", x, 38.5, 4, 0) for x in (23.5, 24.5)]
        switch = self.moveable("Pool Chamber", "switch", 36.5, 36.5, 1, 0)
        trap = self.moveable("Sanctum", "trapdoor", 23.5, 42.5, 4, 0)
        trap_2 = self.moveable("Sanctum", "trapdoor", 24.5, 42.5, 4, 0)
        idol = self.moveable("Sanctum", "idol", 24.0, 46.0, 10.1, 180)
        bat = self.moveable("Pillared Hall", "bat", 26.5, 28.5, 12, 200)
        self.trigger("Pillared Hall", 23, 26, bat, once=True)
        self.trigger("Pillared Hall", 24, 26, bat, once=True)
        # The switch opens the door; whoever comes to the idol finds the way back open below.
        self.trigger("Pool Chamber", 36, 36, switch, 2)
        for door in doors:
            self.trigger("Pool Chamber", 36, 36, door, 2)
        for x in (23, 24):
            self.trigger("Sanctum", x, 45, trap, once=True)
            self.trigger("Sanctum", x, 45, trap_2, once=True)
        self.trigger("Gallery", 14, 30, 0, target_type=7, once=True)
        del idol

    def _light(self) -> None:
        for x, turn in ((21.06, 90.0), (26.94, 270.0)):
            self.torch("Vestibule", x, 20.5, 4, turn, 0.75)
        for x in (20.5, 27.5):
            self.torch("Pillared Hall", x, 23.06, 5, 0, 0.7)
        for name, z in (("Pillared Hall", 27.5), ("Pillared Hall North", 34.5)):
            self.torch(name, 18.06, z, 5, 90)
            self.torch(name, 29.94, z, 5, 270)
        for x in (21.5, 26.5):
            self.static("Pillared Hall North", "brazier", x, 36.5, 1, 0, 1.3)
            self.lamp("Pillared Hall North", x, 6.2, 36.4, FIRE, 1.7, 0.7, 5.6)
        self.lamp("Pool Chamber", 37.0, 1.2, 31.0, COOL, 1.0, 1.5, 8.0)
        self.lamp("Pool Chamber", 40.0, 7, 31.0, COOL, 1.2, 1, 5.5)
        self.torch("Pool Chamber", 33.5, 36.94, 5, 180, 0.9)
        self.torch("Pool Chamber", 32.5, 26.06, 4, 0, 0.8)
        self.lamp("Pool", 36.5, -4.5, 31.0, DEEP, 0.7, 1.5, 6.0)
        self.lamp("Pool", 39.5, -5, 31.0, DEEP, 0.7, 1.0, 4.0)
        self.lamp("Cascade", 43.2, 15, 31.0, COOL, 1.5, 1.0, 4.5)
        self.lamp("Cave Mouth", 24.0, 12, 11.4, DAY, 0.4, 0.5, 5.0)
        for x in (21.5, 26.5):
            self.static("Sanctum", "brazier", x, 44.5, 5, 0, 1.3)
            self.lamp("Sanctum", x, 9.0, 44.5, FIRE, 1.35, 0.5, 4.4)
        self.lamp("Sanctum", 24, 12.5, 45.6, GOLD, 1.0, 0.4, 3.2)
        self.torch("Stair", 17.5, 41.06, 4, 0, 0.8)
        self.lamp("Crypt", 23.0, 1, 43.5, COOL, 0.8, 0.5, 4.5)
        self.torch("Crypt", 25.0, 40.06, -1, 0, 0.9)
        self.torch("Gallery", 14.06, 27.5, 11, 90, 0.9)
        self.torch("Gallery", 14.06, 33.5, 11, 90, 0.9)
        self.torch("Cave Mouth", 23.12, 16.5, 5, 90, 0.9)
        self.torch("Cave Mouth", 25.88, 16.5, 5, 270, 0.9)

    def _furniture(self) -> None:
        for z in (25.0, 28.0, 31.0, 34.0):
            for x in (20.0, 28.0):
                name = "broken_pillar" if (x, z) == (20.0, 25.0) else "pillar"
                self.static(
                    "Pillared Hall" if z < 31 else "Pillared Hall North", name, x, z, 0, 0 if x < 24 else 180
                )
        self.static("Pillared Hall", "stump", 21.6, 24.2, 0, 64)
        for x, z, turn in ((18.4, 24.4, 10), (19.1, 25.5, 130)):
            self.static("Pillared Hall", "rubble", x, z, 2, turn)
        for x, z in ((29.5, 24.4), (29.3, 25.1), (28.8, 24.3)):
            self.static("Pillared Hall", "jar", x, z, 1, 35 * z)
        self.static("Pillared Hall", "jar_broken", 28.6, 25.2, 1, 80)
        self.static("Vestibule", "jar", 21.5, 21.4, 0, 20)
        self.static("Vestibule", "jar", 26.4, 21.5, 0, 77)
        self.static("Vestibule", "jar_broken", 25.9, 21.7, 0, 150)
        for at in (22.3, 25.7):
            self.static("Gorge", "statue", at, 8.5, 8.0, 180, 1.25)
        for x, z, height, turn in (
            (21.0, 9.95, 18, 180),
            (26.3, 9.95, 17, 180),
            (23.2, 9.9, 18.2, 180),
            (24.9, 9.9, 18.4, 180),
            (19.05, 5, 23, 90),
            (28.95, 5.0, 24, 270),
        ):
            self.static("Gorge", "vines", x, z, height, turn)
        for x, z, h in (
            (22.3, 6.5, 8),
            (26.2, 7.2, 9),
            (21.6, 4.0, 9),
            (25.4, 8.4, 8),
            (22.2, 8.7, 8),
            (26.7, 4.6, 9),
            (23.4, 6.9, 8),
            (24.8, 5.8, 8),
        ):
            self.static("Gorge", "grass", x, z, h, 40 * x)
        self.static("Gorge", "stump", 26.1, 5.8, 8.4, 20)
        self.static("Gorge", "rubble", 22.3, 7.9, 8, 60)
        for x, z, turn in (
            (22.4, 29.0, 0),
            (24.6, 29.0, 0),
            (22.0, 31.2, 90),
            (25.98, 30.4, 270),
            (23.6, 32.98, 180),
        ):
            self.static("Lantern", "vines", x, z, 24 + (x * 7 % 2), turn)
        self.static("Pool Chamber", "broken_pillar", 32.0, 34.6, 0, 20)
        self.static("Pool Chamber", "broken_pillar", 32.0, 27.4, 0, 100)
        self.static("Pool Chamber", "statue", 38.6, 36.3, 3, 180)
        self.static("Pool Chamber", "jar", 31.4, 35.6, 1, 0)
        self.static("Pool Chamber", "jar", 32.0, 36.3, 1, 50)
        for x, z, turn, height in (
            (36.2, 26.05, 0, 14),
            (34.4, 26.05, 0, 13),
            (40.9, 29.5, 270, 15),
            (40.9, 32.6, 270, 15.4),
        ):
            self.static("Pool Chamber", "vines", x, z, height, turn)
        self.static("Pool", "statue", 35.6, 31.2, -14, 130)
        self.static("Pool", "jar", 38.4, 30.2, -14, 30)
        self.static("Pool", "stump", 37.0, 32.2, -14, 120)
        self.static("Sanctum", "pedestal", 24.0, 46.0, 7, 0, 1.2)
        for at, turn in ((19.5, 90), (28.5, 270)):
            self.static("Sanctum", "statue", at, 44.5, 6, turn)
        for x, z in ((21.4, 40.5), (21.9, 40.9), (25.6, 45.3), (22.4, 45.5)):
            self.static("Crypt", "jar", x, z, -4 if z < 45 else -3, 90 * x)
        self.static("Crypt", "web", 25.9, 44.95, 1.8, 225)
        self.static("Crypt", "rubble", 25.2, 40.9, -4, 15)
        self.static("Gallery", "jar", 16.4, 36.4, 8, 0)
        self.static("Gallery", "rubble", 14.7, 24.7, 10, 75)


__all__ = ["CLICK", "SECTOR", "SLOTS", "STATICS", "Diagonal", "Lamp", "Plan", "Site"]
