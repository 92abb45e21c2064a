"""Slow reference for the geometry of projects: sector by sector, side by side, in the words of the facts.

It shares nothing with the implementation but the declarations of rooms.
"""

from __future__ import annotations

from typing import NamedTuple

from io_tomb_raider.formats.editors.projects.model.objects import Direction, GhostBlock, ProjectPortal
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.shape import Face, SectorSide

Pair = tuple[int, int]
Corner = str
Point = tuple[int, int, int]

CORNERS = ("XnZp", "XpZp", "XpZn", "XnZn")
OPPOSITE = {"XnZp": "XpZn", "XpZp": "XnZn", "XpZn": "XnZp", "XnZn": "XpZp"}
FULL = "full"

# side: step, s, e, s', e'
SIDES = {
    SectorSide.POSITIVE_Z: ((0, 1), "XpZp", "XnZp", "XpZn", "XnZn"),
    SectorSide.NEGATIVE_Z: ((0, -1), "XnZn", "XpZn", "XnZp", "XpZp"),
    SectorSide.POSITIVE_X: ((1, 0), "XpZn", "XpZp", "XnZn", "XnZp"),
    SectorSide.NEGATIVE_X: ((-1, 0), "XnZp", "XnZn", "XpZp", "XpZn"),
}
FLAT_SIDES = {
    "XnZp": (SectorSide.NEGATIVE_Z, SectorSide.POSITIVE_X),
    "XpZn": (SectorSide.NEGATIVE_X, SectorSide.POSITIVE_Z),
    "XpZp": (SectorSide.NEGATIVE_Z, SectorSide.NEGATIVE_X),
    "XnZn": (SectorSide.POSITIVE_Z, SectorSide.POSITIVE_X),
}
CUTS = {
    "XnZp": ("XnZn", "XpZp"),
    "XpZp": ("XnZp", "XpZn"),
    "XpZn": ("XpZp", "XnZn"),
    "XnZn": ("XpZn", "XnZp"),
}


class Plate:
    """The floor or ceiling of one sector."""

    def __init__(self, room: ProjectRoom, x: int, z: int, floor: bool, ghosts: bool = False) -> None:
        """Read it from the room."""
        shape = room.shape
        surface = shape.floor if floor else shape.ceiling
        self.height = dict(zip(CORNERS, surface.heights[z, x].tolist(), strict=True))
        for ghost in room.each(GhostBlock) if ghosts else ():
            if (ghost.x, ghost.z) == (x, z):
                for corner, more in zip(CORNERS, ghost.floor if floor else ghost.ceiling, strict=True):
                    self.height[corner] += more
        number = 0 if on_border(room, x, z) else int(surface.diagonal[z, x])
        self.diagonal = CORNERS[number - 1] if number else None
        self.x_equals_z = bool(surface.x_equals_z[z, x])
        if self.diagonal:
            self.x_equals_z = self.diagonal in ("XnZp", "XpZn")
        count = int(surface.split_count[z, x])
        self.splits = [dict(zip(CORNERS, s, strict=True)) for s in surface.splits[z, x, :count].tolist()]

    @property
    def is_plane(self) -> bool:
        """Whether the four heights are in a plane."""
        h = self.height
        return h["XpZp"] - h["XpZn"] == h["XnZp"] - h["XnZn"]

    def edge(self, a: Corner, b: Corner) -> Pair:
        """Return the heights at two corners."""
        if self.diagonal and OPPOSITE[self.diagonal] in (a, b):
            return (self.height[OPPOSITE[self.diagonal]],) * 2
        return self.height[a], self.height[b]


def on_border(room: ProjectRoom, x: int, z: int) -> bool:
    """Return whether a sector is on the border."""
    return x in (0, room.shape.x_sectors - 1) or z in (0, room.shape.z_sectors - 1)


class Behind(NamedTuple):
    """A sector behind a wall portal, None outside of the other room, and how much higher that is."""

    opacity: int
    room: ProjectRoom | None
    x: int
    z: int
    drop: int


class Reference:
    """All rooms of a project."""

    def __init__(self, rooms: list[ProjectRoom]) -> None:
        """Find the pairs of flip rooms."""
        self.rooms = {room.number: room for room in rooms}
        self.alternate = {room.number: room.alternate[1] for room in rooms if room.alternate}
        self.base = {alternate: base for base, alternate in self.alternate.items()}
        self.group = {room.number: room.alternate[0] for room in rooms if room.alternate}
        self.group.update({room.alternate[1]: room.alternate[0] for room in rooms if room.alternate})

    def partner(self, room: ProjectRoom) -> ProjectRoom | None:
        """Return the other room of a pair."""
        number = self.alternate.get(room.number, self.base.get(room.number))
        return None if number is None else self.rooms[number]

    # --- Portals

    def portal(self, room: ProjectRoom, x: int, z: int, kinds: tuple[int, ...]) -> ProjectPortal | None:
        """Return the portal of a sector."""
        for portal in room.each(ProjectPortal):
            x0, z0, x1, z1 = portal.area
            if portal.direction in kinds and x0 <= x <= x1 and z0 <= z <= z1:
                return portal
        return None

    def behind(self, room: ProjectRoom, x: int, z: int) -> Behind | None:
        """Return the sector behind a wall portal."""
        kinds = (Direction.POSITIVE_Z, Direction.NEGATIVE_Z, Direction.POSITIVE_X, Direction.NEGATIVE_X)
        portal = self.portal(room, x, z, kinds)
        if portal is None:
            return None
        other = self.rooms[portal.room]
        if room.number in self.base and other.number in self.alternate:
            other = self.rooms[self.alternate[other.number]]
        if portal.direction == Direction.POSITIVE_Z:
            place = x + room.x - other.x, 1
        elif portal.direction == Direction.NEGATIVE_Z:
            place = x + room.x - other.x, other.shape.z_sectors - 2
        elif portal.direction == Direction.POSITIVE_X:
            place = 1, z + room.z - other.z
        else:
            place = other.shape.x_sectors - 2, z + room.z - other.z
        inside = 0 <= place[0] < other.shape.x_sectors and 0 <= place[1] < other.shape.z_sectors
        return Behind(portal.opacity, other if inside else None, *place, other.y - room.y)

    def opening(
        self, room: ProjectRoom, x: int, z: int, floor: bool, opacities: tuple[int, ...], ghosts: bool = False
    ) -> str | None:
        """Return what is open in a floor or ceiling: a corner's triangle, all, or nothing."""
        portal = self.portal(room, x, z, (Direction.FLOOR if floor else Direction.CEILING,))
        if portal is None or portal.opacity not in opacities:
            return None
        other = self.rooms[portal.room]
        there = x + room.x - other.x, z + room.z - other.z
        if not (0 <= there[0] < other.shape.x_sectors and 0 <= there[1] < other.shape.z_sectors):
            return None
        if self.portal(other, *there, (Direction.CEILING if floor else Direction.FLOOR,)) is None:
            return None
        below, above = (other, room) if floor else (room, other)
        pairs = [
            (b, a)
            for a in (above, self.partner(above))
            for b in (below, self.partner(below))
            if a is not None and b is not None
        ]
        if len(pairs) == 4 and self.group[below.number] == self.group[above.number]:
            state = room.number in self.base
            pairs = [(b, a) for b, a in pairs if (b.number in self.base) == (a.number in self.base) == state]
        place_below, place_above = (there, (x, z)) if floor else ((x, z), there)
        result: str | None = FULL
        for b, a in pairs:
            tested = self.tested(b, place_below, a, place_above, ghosts)
            result = tested if result in (tested, FULL) else None
        return result

    def tested(
        self,
        below: ProjectRoom,
        there: tuple[int, int],
        above: ProjectRoom,
        here: tuple[int, int],
        ghosts: bool,
    ) -> str | None:
        """Return what is open between two sectors."""
        ceiling = Plate(below, *there, floor=False, ghosts=ghosts)
        floor = Plate(above, *here, floor=True, ghosts=ghosts)
        wall_below, wall_above = self.wall(below, *there), self.wall(above, *here)
        if above.shape.solid_floor[here[1], here[0]]:
            return None
        if (wall_below and not ceiling.diagonal) or (wall_above and not floor.diagonal):
            return None
        if wall_below and wall_above and ceiling.diagonal != floor.diagonal:
            return None
        flat_below = ceiling.is_plane and not ceiling.diagonal
        flat_above = floor.is_plane and not floor.diagonal
        if not flat_below and not flat_above and ceiling.x_equals_z != floor.x_equals_z:
            return None

        def matches(corner: Corner) -> bool:
            low, high = ceiling.height[corner], floor.height[corner]
            if ceiling.diagonal and corner in CUTS[ceiling.diagonal]:
                low = max(low, ceiling.height[OPPOSITE[ceiling.diagonal]])
            if floor.diagonal and corner in CUTS[floor.diagonal]:
                high = min(high, floor.height[OPPOSITE[floor.diagonal]])
            return below.y + low == above.y + high

        match = {corner for corner in CORNERS if matches(corner)}
        wall = wall_below or wall_above
        if len(match) == 4 and not wall:
            return FULL
        diagonal = floor.diagonal or ceiling.diagonal
        for triangle, needed, at in (
            ("XnZp", {"XnZn", "XnZp", "XpZp"}, "XpZn"),
            ("XpZn", {"XnZn", "XpZn", "XpZp"}, "XnZp"),
            ("XpZp", {"XpZn", "XnZp", "XpZp"}, "XnZn"),
            ("XnZn", {"XnZn", "XpZn", "XnZp"}, "XpZp"),
        ):
            x_equals_z = triangle in ("XnZp", "XpZn")
            possible = (flat_below or ceiling.x_equals_z == x_equals_z) and (
                flat_above or floor.x_equals_z == x_equals_z
            )
            if possible and needed <= match and (not wall or diagonal == at):
                return triangle
        return None

    @staticmethod
    def wall(room: ProjectRoom, x: int, z: int) -> bool:
        """Return whether a sector is a wall or on the border."""
        return bool(room.shape.wall[z, x]) or on_border(room, x, z)

    # --- Faces

    def faces(self, room: ProjectRoom) -> dict[tuple[int, int], list[Point]]:
        """Return the corners of all faces by sector and face."""
        result: dict[tuple[int, int], list[Point]] = {}
        for z in range(room.shape.z_sectors):
            for x in range(room.shape.x_sectors):
                sector = x + z * room.shape.x_sectors
                for face, corners in self._sector(room, x, z):
                    assert (sector, face) not in result
                    result[sector, face] = corners
        return result

    def _sector(self, room: ProjectRoom, x: int, z: int) -> list[tuple[int, list[Point]]]:
        border, wall = on_border(room, x, z), bool(room.shape.wall[z, x])
        floor, ceiling = Plate(room, x, z, True), Plate(room, x, z, False)
        result: list[tuple[int, list[Point]]] = []
        if not border and not (wall and floor.diagonal is None):
            names = (Face.FLOOR, Face.FLOOR_TRIANGLE_2)
            result += self._plate(x, z, floor, wall, self.opening(room, x, z, True, (0,)), names)
        if not border and not (wall and ceiling.diagonal is None):
            names = (Face.CEILING, Face.CEILING_TRIANGLE_2)
            result += self._plate(x, z, ceiling, wall, self.opening(room, x, z, False, (0,)), names)
        for side in SIDES:
            result += self._side(room, x, z, side)
        if not border:
            result += self._diagonals(room, x, z, floor, ceiling, wall)
        return result

    def _plate(
        self, x: int, z: int, plate: Plate, wall: bool, opening: str | None, names: tuple[int, int]
    ) -> list[tuple[int, list[Point]]]:
        if opening == FULL:
            return []
        first, second = names

        def face(name: int, corners: str, level: str = "") -> tuple[int, list[Point]]:
            points = [point(x, z, c, plate.height[level or c]) for c in corners.split()]
            return name, points

        n = plate.diagonal
        table: list[tuple[str, tuple[int, list[Point]]]]  # the corner of each triangle, and it
        if n == "XpZn":
            table = [
                ("XnZp", face(first, "XnZn XnZp XpZp", "XnZp")),
                ("XpZn", face(second, "XpZp XpZn XnZn")),
            ]
        elif n == "XnZn":
            table = [
                ("XpZp", face(first, "XnZp XpZp XpZn", "XpZp")),
                ("XnZn", face(second, "XpZn XnZn XnZp")),
            ]
        elif n == "XnZp":
            table = [
                ("XpZn", face(second, "XpZp XpZn XnZn", "XpZn")),
                ("XnZp", face(first, "XnZn XnZp XpZp")),
            ]
        elif n == "XpZp":
            table = [
                ("XnZn", face(second, "XpZn XnZn XnZp", "XnZn")),
                ("XpZp", face(first, "XnZp XpZp XpZn")),
            ]
        elif opening is None and plate.is_plane:
            return [face(first, "XnZn XnZp XpZp XpZn")]
        elif opening in ("XnZp", "XpZn") or (opening is None and plate.x_equals_z):
            table = [("XnZp", face(second, "XnZn XnZp XpZp")), ("XpZn", face(first, "XpZp XpZn XnZn"))]
        else:
            table = [("XpZp", face(first, "XnZp XpZp XpZn")), ("XnZn", face(second, "XpZn XnZn XnZp"))]
        if n and wall:
            table = table[:1]
        return [each for corner, each in table if corner != opening]

    def _blocked(self, room: ProjectRoom, x: int, z: int, a: Corner, b: Corner) -> bool:
        if on_border(room, x, z) or not room.shape.wall[z, x]:
            return False
        return Plate(room, x, z, True).diagonal in (None, a, b)

    def _side(self, room: ProjectRoom, x: int, z: int, side: SectorSide) -> list[tuple[int, list[Point]]]:
        (dx, dz), s, e, s2, e2 = SIDES[side]
        nx, nz = x + dx, z + dz
        if not (0 <= nx < room.shape.x_sectors and 0 <= nz < room.shape.z_sectors) or on_border(room, nx, nz):
            return []
        if self._blocked(room, nx, nz, s2, e2):
            return []
        border, wall = on_border(room, x, z), bool(room.shape.wall[z, x])
        floor, ceiling = Plate(room, x, z, True), Plate(room, x, z, False)
        lo, hi = Plate(room, nx, nz, True).edge(s2, e2), Plate(room, nx, nz, False).edge(s2, e2)
        qa, ws = floor.edge(s, e), ceiling.edge(s, e)
        fs = [(split[s], split[e]) for split in floor.splits]
        cs = [(split[s], split[e]) for split in ceiling.splits]
        behind = self.behind(room, x, z)
        if behind is None:
            over = not wall and not border
            middle = border or (wall and (floor.diagonal is None or floor.diagonal in (s, e)))
        elif behind.room is None:
            over = False
            middle = behind.opacity != 0
            qa = ws = (behind.drop, behind.drop)
        else:
            drop = behind.drop
            far_floor = Plate(behind.room, behind.x, behind.z, True)
            far_ceiling = Plate(behind.room, behind.x, behind.z, False)
            far_border = on_border(behind.room, behind.x, behind.z)
            far_wall = bool(behind.room.shape.wall[behind.z, behind.x]) and not far_border
            qa, ws = (tuple(h + drop for h in p.edge(s, e)) for p in (far_floor, far_ceiling))  # type: ignore[assignment]
            for own, splits in ((fs, far_floor.splits), (cs, far_ceiling.splits)):
                far = [(split[s] + drop, split[e] + drop) for split in splits]
                own[: len(far)] = far
            over = behind.opacity == 0 and (not far_wall or far_floor.diagonal in (s2, e2))
            middle = behind.opacity != 0 or self._blocked(behind.room, behind.x, behind.z, s, e)
        flat_floor = floor.diagonal is not None and side in FLAT_SIDES[floor.diagonal]
        flat_ceiling = ceiling.diagonal is not None and side in FLAT_SIDES[ceiling.diagonal]
        return self._parts(
            x,
            z,
            side,
            s,
            e,
            Lines(qa, fs, lo, hi, over, flat_floor),
            Lines(ws, cs, lo, hi, over, flat_ceiling),
            middle,
        )

    def _diagonals(
        self, room: ProjectRoom, x: int, z: int, floor: Plate, ceiling: Plate, wall: bool
    ) -> list[tuple[int, list[Point]]]:
        result = []
        for plate, is_floor in ((floor, True), (ceiling, False)):
            n = plate.diagonal
            if n is None or (wall and not is_floor):
                continue
            s, e = CUTS[n]
            o = OPPOSITE[n]
            floors = [(split[s], split[e]) for split in floor.splits]
            ceilings = [(split[s], split[e]) for split in ceiling.splits]
            lo, hi = (floor.height[o],) * 2, (ceiling.height[o],) * 2
            own_floor, own_ceiling = (
                (floor.height[s], floor.height[e]),
                (ceiling.height[s], ceiling.height[e]),
            )
            floor_lines = Lines(own_floor, floors, lo, hi if wall else own_ceiling, False, False)
            ceiling_lines = Lines(own_ceiling, ceilings, lo if wall else own_floor, hi, False, False)
            result += self._parts(
                x,
                z,
                SectorSide.DIAGONAL,
                s,
                e,
                floor_lines if is_floor else None,
                ceiling_lines if wall or not is_floor else None,
                wall,
            )
        return result

    def _parts(
        self,
        x: int,
        z: int,
        side: SectorSide,
        s: Corner,
        e: Corner,
        floor: Lines | None,
        ceiling: Lines | None,
        middle: bool,
    ) -> list[tuple[int, list[Point]]]:
        result = []
        if floor is not None:
            for number, (upper, lower) in floor.normal().parts().items():
                base = (Face.QA, Face.FLOOR_2)[number] if number < 2 else 29 + 10 * (number - 2)
                result += [(base + side, wall_face(x, z, s, e, upper, lower))]
        if ceiling is not None:
            for number, (upper, lower) in ceiling.mirrored().normal().parts().items():
                base = (Face.WS, Face.CEILING_2)[number] if number < 2 else 34 + 10 * (number - 2)
                result += [(base + side, wall_face(x, z, s, e, negative(lower), negative(upper)))]
        if middle:
            assert floor is not None and ceiling is not None
            qa, ws, lo, hi = (
                floor.normal().top,
                negative(ceiling.mirrored().normal().top),
                floor.low,
                floor.high,
            )
            if not floor.over:
                if qa[0] < lo[0] or qa[1] < lo[1]:
                    qa = lo
                qa = max(qa[0], lo[0]), max(qa[1], lo[1])
                if ws[0] > hi[0] or ws[1] > hi[1]:
                    ws = hi
                ws = min(ws[0], hi[0]), min(ws[1], hi[1])
            if qa != ws:
                result += [(Face.MIDDLE + side, wall_face(x, z, s, e, ws, qa))]
        return result


def negative(pair: Pair) -> Pair:
    """Return a line upside down."""
    return -pair[0], -pair[1]


class Lines(NamedTuple):
    """The numbers of a floor side."""

    top: Pair
    splits: list[Pair]
    low: Pair
    high: Pair
    over: bool
    flat: bool

    def mirrored(self) -> Lines:
        """Return a ceiling side as a floor side."""
        splits = [negative(split) for split in self.splits]
        return Lines(
            negative(self.top), splits, negative(self.high), negative(self.low), self.over, self.flat
        )

    def normal(self) -> Lines:
        """Return the side with normal lines."""
        result: list[Pair] = []
        top, low, high = self.top, self.low, self.high
        for v in (top, *self.splits):
            below = v[0] < low[0] or v[1] < low[1] or v == low
            if below and not self.over and not self.flat:
                if not result:
                    result = [top]
                break
            either = v[0] > high[0] or v[1] > high[1]
            covers = top[0] >= high[0] and top[1] >= high[1]
            if (either and (not self.over or covers) and not self.flat) or (
                v[0] >= high[0] and v[1] >= high[1]
            ):
                result.append(high)
            elif v[0] > top[0] or v[1] > top[1]:
                result.append(top)
            else:
                result.append(v)
        return self._replace(top=result[0], splits=result[1:])

    def parts(self) -> dict[int, tuple[Pair, Pair]]:
        """Return the faces of a normal side: upper and lower lines by number from the top."""
        result = {}
        top = self.top
        lines = [top, *self.splits]
        for number, v in enumerate(lines):
            lower = self.low
            if number + 1 < len(lines):
                n = lines[number + 1]
                covers = top[0] >= self.high[0] and top[1] >= self.high[1]
                if (self.flat or covers) and (n[0] > top[0] or n[1] > top[1]):
                    continue
                if n[0] >= self.low[0] and n[1] >= self.low[1]:
                    lower = n
            if v[0] <= lower[0] and v[1] <= lower[1]:
                continue
            if v[0] >= lower[0] and v[1] >= lower[1]:
                result[number] = v, lower
            elif v == top and (self.over or self.flat):
                lowest = min(*v, *lower)
                result[number] = v, (lowest, lowest)
        return result


def point(x: int, z: int, corner: Corner, height: int) -> Point:
    """Return a corner of a sector at a height."""
    return (x + (corner[1] == "p")) * 1024, height, (z + (corner[3] == "p")) * 1024


def wall_face(x: int, z: int, s: Corner, e: Corner, upper: Pair, lower: Pair) -> list[Point]:
    """Return the corners of a wall face in the order of the texture."""
    start_top, end_top = point(x, z, s, upper[0]), point(x, z, e, upper[1])
    start_bottom, end_bottom = point(x, z, s, lower[0]), point(x, z, e, lower[1])
    if upper[0] == lower[0]:
        return [start_top, end_top, end_bottom]
    if upper[1] == lower[1]:
        return [start_top, end_top, start_bottom]
    return [start_bottom, start_top, end_top, end_bottom]
