"""The scene of all sample levels as maps: rooms, objects in them, and triggers.

Maps are seen from above with north (+z) at the top and east (+x) to the right; one character is one
sector of 1024 units. Heights are in clicks of 256 units with y pointing down, so floors are mostly above
ceilings in number: floor 0, ceiling -12.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

SECTOR = 1024
CLICK = 256

Corners = tuple[int, int, int, int]  # south-west, south-east, north-east, north-west
Color = tuple[float, float, float]


def flat(height: int) -> Corners:
    return (height,) * 4


@dataclass(frozen=True)
class Cell:
    """One sector.

    Attributes:
        floor, ceiling: heights of the corners in clicks.
        tile: the tile of the floor.
        below, above: the names of the rooms below and above.
        portal: the name of the adjoining room, for sectors of the border.
        cut: whether the floor is two triangles.
        functions: names of other floor data: "death", "climb", "monkey".
    """

    floor: Corners = (0, 0, 0, 0)
    ceiling: Corners = (-12, -12, -12, -12)
    tile: str = "floor"
    below: str = ""
    above: str = ""
    portal: str = ""
    is_wall: bool = False
    cut: bool = False
    functions: tuple[str, ...] = ()


WALL = Cell(is_wall=True)


@dataclass(frozen=True)
class Light:
    """A light. ``kind`` is sun, point, spot, shadow or fog; unsupported kinds are left out."""

    kind: str
    place: tuple[float, float, float]  # x and z in sectors of the room, y in clicks
    color: Color
    inner: int = 1024
    outer: int = 6144
    direction: tuple[float, float, float] = (0.0, 1.0, 0.0)


@dataclass(frozen=True)
class SampleObject:
    """A static mesh or a sprite in a room; x and z in sectors, y in clicks, angle in 65536ths of a turn."""

    name: str
    place: tuple[float, float, float]
    angle: int = 0


@dataclass(frozen=True)
class RoomPlan:
    name: str
    origin: tuple[int, int]  # x, z in sectors of the world
    rows: tuple[str, ...]  # from north to south
    legend: dict[str, Cell]
    ambient: Color
    lights: tuple[Light, ...] = ()
    statics: tuple[SampleObject, ...] = ()
    sprites: tuple[SampleObject, ...] = ()
    walls: str = ""  # one tile for all walls instead of one per direction
    ceiling: str = "ceiling"
    flags: int = 0x40
    alternate: str = ""
    layers: int = 1
    extra: dict[str, int] = field(default_factory=dict)

    @property
    def size(self) -> tuple[int, int]:
        """The number of sectors along x and along z."""
        return len(self.rows[0]), len(self.rows)

    def cell(self, x: int, z: int) -> Cell:
        character = self.rows[len(self.rows) - 1 - z][x]
        return WALL if character == "#" else self.legend[character]


_FLOOR = Cell()
_POOL = Cell(floor=flat(1), below="water", tile="water0")

HALL = RoomPlan(
    "hall",
    (20, 20),
    (
        "###########",
        "#1122ab..T#",
        "#1122ab...#",
        "#..g......#",
        "#..#......P",
        "#C.....~~.#",
        "#......~~.#",
        "#....*....#",
        "###########",
    ),
    {
        ".": _FLOOR,
        "1": replace(_FLOOR, floor=flat(-2), tile="planks"),
        "2": replace(_FLOOR, floor=flat(-4), tile="planks"),
        "a": replace(_FLOOR, floor=(-4, -2, -2, -4), tile="slope"),
        "b": replace(_FLOOR, floor=(-2, 0, 0, -2), tile="slope"),
        "T": replace(_FLOOR, floor=(0, 0, -2, 0), tile="rubble", cut=True),
        "C": replace(_FLOOR, ceiling=(-12, -10, -10, -12), functions=("climb",)),
        "g": replace(_FLOOR, tile="sign"),
        "*": replace(_FLOOR, tile="grate"),
        "~": _POOL,
        "P": replace(WALL, portal="corridor"),
    },
    (0.30, 0.28, 0.34),
    (
        Light("point", (4.0, 5.5, -8), (1.0, 0.78, 0.45)),
        Light("point", (8.0, 3.0, -1), (0.35, 0.75, 0.9), 512, 3072),
        Light("sun", (5.5, 4.5, -12), (0.25, 0.22, 0.3), direction=(0.36, 0.8, 0.48)),
        Light("spot", (2.0, 2.0, -11), (0.9, 0.9, 1.0), 512, 4096),
        Light("shadow", (9.5, 7.5, -4), (0.3, 0.3, 0.3), 512, 2048),
        Light("fog", (8.0, 3.0, 0), (0.4, 0.6, 0.7), 0, 2048),
    ),
    statics=(
        SampleObject("crate", (8.5, 5.5, 0)),
        SampleObject("crate", (9.4, 1.6, 0), 0x2000),
        SampleObject("lamp", (4.5, 4.5, 0)),
    ),
    sprites=(
        SampleObject("plant", (1.4, 1.4, 0)),
        SampleObject("plant", (9.6, 6.4, 0)),
        SampleObject("flame0", (4.5, 4.5, -4)),
    ),
    flags=0x48,
    layers=2,
)

_CORRIDOR_FLOOR = Cell(ceiling=flat(-5), tile="stone")
CORRIDOR = RoomPlan(
    "corridor",
    (29, 23),
    (
        "#######",
        "####..#",
        "####m.#",
        "P.....#",
        "#######",
    ),
    {
        ".": _CORRIDOR_FLOOR,
        "m": replace(_CORRIDOR_FLOOR, functions=("monkey",)),
        "P": replace(WALL, portal="hall"),
    },
    (0.16, 0.16, 0.22),
    (
        Light("point", (5.0, 2.5, -4), (0.9, 0.4, 0.25), 512, 3072),
        Light("spot", (2.0, 1.5, -5), (0.4, 0.7, 0.4)),
    ),
    statics=(SampleObject("lamp", (5.5, 3.6, 0), 0x8000),),
    alternate="flooded",
)

FLOODED = replace(
    CORRIDOR,
    name="flooded",
    rows=(*CORRIDOR.rows[:1], "####xx#", "####m.#", *CORRIDOR.rows[3:]),
    legend=CORRIDOR.legend
    | {"x": replace(_CORRIDOR_FLOOR, floor=flat(-1), tile="rubble", cut=True, functions=("death",))},
    ambient=(0.12, 0.3, 0.34),
    walls="stone",
    flags=0x41,
    alternate="",
    statics=(),
)

_BED = Cell(floor=flat(9), ceiling=flat(2), tile="sand", cut=True)
WATER = RoomPlan(
    "water",
    (25, 20),
    (
        "######",
        "#....#",
        "#.~~/#",
        "#.~~/#",
        "#....#",
        "######",
    ),
    {
        ".": _BED,
        "/": replace(_BED, floor=(9, 7, 7, 9)),
        "~": replace(_BED, ceiling=flat(1), above="hall"),
    },
    (0.14, 0.3, 0.36),
    (Light("point", (3.0, 3.0, 3), (0.5, 0.8, 0.8), 512, 4096),),
    sprites=(SampleObject("plant", (1.5, 1.4, 9)), SampleObject("plant", (1.6, 4.5, 9))),
    walls="stone",
    ceiling="stone",
    flags=0x41,
)

# A room without a mesh, as in TR5 levels.
VOID = RoomPlan("void", (60, 20), ("###", "###", "###"), {}, (0.0, 0.0, 0.0), layers=0, flags=0)

ROOMS = (HALL, CORRIDOR, WATER, FLOODED)


@dataclass(frozen=True)
class EntityPlan:
    """An entity: its name, the name of its model, its room and its position in sectors and clicks."""

    name: str
    model: str
    room: str
    place: tuple[float, float, float]  # x, z, y
    angle: int = 0
    flags: int = 0
    ocb: int = 0


ENTITIES = (
    EntityPlan("lara", "lara", "hall", (4.5, 3.5, 0)),
    EntityPlan("wolf", "enemy", "hall", (6.5, 5.5, 0), 0xA000),
    EntityPlan("guard", "enemy", "corridor", (4.5, 1.5, 0), 0xC000, ocb=1),
    EntityPlan("switch", "switch", "hall", (8.5, 7.5, 0)),
    EntityPlan("door", "door", "corridor", (1.5, 1.5, 0), 0xC000),
    EntityPlan("medikit", "medikit", "hall", (2.5, 6.5, -2), 0x1800),
    EntityPlan("pickup", "medikit_sprite", "hall", (6.5, 1.5, 0)),
    EntityPlan("target", "target", "hall", (8.0, 3.0, 1)),
)


@dataclass(frozen=True)
class TriggerPlan:
    """A trigger on a sector: its type, its setup word, and actions with parameters, named or numbers."""

    room: str
    sector: tuple[int, int]
    kind: int
    setup: int
    actions: tuple[tuple[int, str | int], ...]
    since: int = 1


# Types of triggers and actions, by the numbers of the documentation, chapters 4.5 and 4.6.
TRIGGER, PAD, SWITCH, ANTIPAD = 0, 1, 2, 6
OBJECT, CAMERA, FLIP_ON, TARGET, SECRET, FLYBY = 0, 1, 4, 6, 10, 12
ALL_BITS = 0x3E00

TRIGGERS = (
    TriggerPlan("hall", (8, 7), SWITCH, ALL_BITS | 5, ((OBJECT, "switch"), (OBJECT, "door"))),
    TriggerPlan("hall", (6, 3), PAD, ALL_BITS, ((CAMERA, 0), (TARGET, "target"), (OBJECT, "wolf"))),
    TriggerPlan("hall", (3, 2), TRIGGER, ALL_BITS | 0x100, ((SECRET, 0), (OBJECT, "guard"))),
    TriggerPlan("hall", (2, 2), ANTIPAD, ALL_BITS, ((OBJECT, "wolf"),)),
    TriggerPlan("corridor", (3, 1), PAD, ALL_BITS, ((FLIP_ON, 0),)),
    TriggerPlan("flooded", (3, 1), PAD, ALL_BITS, ((FLIP_ON, 0),)),
    TriggerPlan("hall", (5, 3), TRIGGER, ALL_BITS | 0x100, ((FLYBY, 0),), since=4),
)
