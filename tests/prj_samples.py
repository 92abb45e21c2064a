"""Projects of the old room editor, packed by hand.

Nothing here uses the reader's tables. Names of axes are those of the converted project.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from struct import pack

FLOOR, WALL, BORDER = 1, 0x0E, 0x1E
TILES = ((0, 0, 64, 64), (64, 0, 64, 64), (128, 640, 64, 32), (10, 20, 30, 40))  # x, y, width, height
PICTURE, WAD = "C:\\MAPS\\CITY\\CITY.TGA", "C:\\WADS\\CITY.SWD"
SLOTS = 500
MODEL_SLOT, SPRITE_SLOT, STATIC_SLOT = 35, 463, 470  # the static mesh 5
LOW_STATIC_SLOT, HIGH_MODEL_SLOT = 400, 480  # where the game has the other kind
_KINDS = {MODEL_SLOT: 16, LOW_STATIC_SLOT: 272, SPRITE_SLOT: 8, STATIC_SLOT: 272, HIGH_MODEL_SLOT: 16}


def face(tile: int = 0, *, kind: int = 7, flags: int = 0, rotation: int = 0, triangle: int = 0) -> bytes:
    """Pack a textured face."""
    return pack("<hBBBBh", kind, tile & 0xFF, flags | tile >> 8, rotation, triangle, 0)


@dataclass
class Sector:
    """A sector; heights in clicks, those of corners and splits in the order of the file."""

    kind: int = FLOOR
    flags: int = 0
    floor: int = 0
    ceiling: int = 12
    floor_corners: Sequence[int] = (0, 0, 0, 0)
    ceiling_corners: Sequence[int] = (0, 0, 0, 0)
    floor_split: Sequence[int] = (0, 0, 0, 0)
    ceiling_split: Sequence[int] = (0, 0, 0, 0)
    faces: Mapping[int, bytes] = field(default_factory=dict)
    flags2: int = 0
    flags3: int = 0

    def to_bytes(self) -> bytes:
        faces = b"".join(self.faces.get(number, bytes(8)) for number in range(14))
        head = pack("<hHhh", self.kind, self.flags, self.floor, self.ceiling)
        corners = (*self.floor_corners, *self.ceiling_corners, *self.floor_split, *self.ceiling_split)
        return head + pack("<16b", *corners) + faces + pack("<HH", self.flags2, self.flags3)


def record(
    kind: int = 8,
    position: tuple[int, int, int] = (1536, 0, 1536),
    *,
    area: tuple[int, int, int, int] = (1, 1, 1, 1),
    slot: int = 0,
    a: int = 0,
    b: int = 0,
    facing: int = 0,
    roll: int = 0,
    c: int = 0,
    d: int = 0,
) -> bytes:
    """Pack an object; the area is x, z, and the numbers of sectors along x and z."""
    x, z, x_sectors, z_sectors = area
    head = pack("<8hHhh", kind, z, x, z_sectors, x_sectors, 0, 0, 0, 0, 0, 0)[:14]
    return head + pack("<Hhh3i3hHh", slot, a, 0, *position, b, facing, roll, c, d)


def trigger(
    kind: int,
    target_type: int,
    target: int,
    timer: int = 0,
    flags: int = 0,
    area: tuple[int, ...] = (1, 1, 1, 1),
) -> bytes:
    """Pack a trigger."""
    return record(16, area=(area[0], area[1], area[2], area[3])) + pack(
        "<hHHHh", kind, target, timer, flags, target_type
    )


def light(
    kind: int,
    position: tuple[int, int, int],
    *,
    intensity: int = 4096,
    ranges: tuple[float, float] = (1024.0, 2048.0),
    direction: tuple[float, float] = (0.0, 0.0),
    lengths: tuple[float, float] = (0.0, 0.0),
    color: tuple[int, int, int] = (128, 128, 128),
    on: int = 1,
) -> bytes:
    """Pack a light."""
    return record(kind, position) + pack("<h6f4B", intensity, *ranges, *direction, *lengths, *color, on)


def portal(direction: int, area: tuple[int, int, int, int], room: int, opposite: int) -> bytes:
    """Pack a portal; the area as for :func:`record`."""
    x, z, x_sectors, z_sectors = area
    return pack("<H7h", direction, z, x, z_sectors, x_sectors, 0, room, opposite) + bytes(26)


@dataclass
class PackedRoom:
    """A room; records with their numbers, sectors by x and z."""

    name: str = "Room"
    x: int = 0
    z: int = 0
    x_sectors: int = 4
    z_sectors: int = 4
    portals: Sequence[tuple[int, bytes]] = ()
    objects: Sequence[tuple[int, bytes]] = ()
    effects: Sequence[tuple[int, bytes]] = ()
    ambient: tuple[int, int, int] = (64, 32, 16)
    alternate: int = -1
    flags: int = 0
    strength: int = 0
    effect_strength: int = 0
    reverb: int = 0
    group: int = 0
    floor: int = 0
    ceiling: int = 12
    sectors: Mapping[tuple[int, int], Sector] = field(default_factory=dict)

    def sector(self, x: int, z: int) -> Sector:
        default = BORDER if x in (0, self.x_sectors - 1) or z in (0, self.z_sectors - 1) else FLOOR
        return self.sectors.get((x, z), Sector(default, floor=self.floor, ceiling=self.ceiling))

    def to_bytes(self) -> bytes:
        head = self.name.encode("cp1252").ljust(80, b"\0") + pack("<4i3h", 1, 0, 2, 0, 3, 4, 5)
        place = pack("<5h", self.z_sectors, self.x_sectors, self.z, self.x, 9)
        end = pack(
            "<hH3BH", self.alternate, self.flags, self.strength, self.effect_strength, self.reverb, self.group
        )
        grid = [self.sector(x, z).to_bytes() for x in range(self.x_sectors) for z in range(self.z_sectors)]
        return b"".join(
            (
                *(pack("<h", 0), head, place, _listed(self.portals), _listed(self.objects)),
                *(pack("<4B", *self.ambient, 0), _listed(self.effects), end, *grid),
            )
        )


def _listed(records: Sequence[tuple[int, bytes]]) -> bytes:
    numbers = pack(f"<{len(records) + 1}h", len(records), *(number for number, _ in records))
    return numbers + b"".join(record for _, record in records)


def chunk(number: int, words: Sequence[int]) -> bytes:
    """Pack a chunk of TRNG."""
    return pack(f"<{2 + len(words)}H", 2 + len(words), number, *words)


def ranges_chunk(words: Sequence[int]) -> bytes:
    """Pack the chunk of TRNG with the kinds of animated ranges."""
    return chunk(0x8002, [0, len(words), *words, *[0] * (40 - len(words)), *[0] * 82])


@dataclass
class PackedPrj:
    """A project. `ranges`: first and last tiles of animated textures; `ng`: chunks of TRNG."""

    rooms: Sequence[PackedRoom | None]
    big: bool = False
    picture: str = PICTURE
    wad: str = WAD
    ranges: Sequence[tuple[int, int]] = ()
    footsteps: bytes = bytes(range(256))
    bumps: bytes | None = bytes([0, 1, 2, 0]) * 64
    ng: Sequence[bytes] | None = None

    def to_bytes(self) -> bytes:
        signature = b"PROJFILE" + (b"2" if self.big else b"1") + bytes(3)
        return b"".join((signature, self._rooms(), self._tables(), *self._end()))

    def _rooms(self) -> bytes:
        rooms = (pack("<h", 1) if room is None else room.to_bytes() for room in self.rooms)
        return pack("<i", len(self.rooms)) + b"".join(rooms)

    def _tables(self) -> bytes:
        return b"".join(pack("<i", count) + bytes(size) for count, size in ((3, 8004), (1, 3072), (2, 2048)))

    def _end(self) -> Iterable[bytes]:
        if self.picture:
            yield _path(self.picture) + pack("<i", len(TILES))
            for x, y, width, height in TILES:
                yield pack("<BhHBBB", x, y, 0, width - 1, 0, height - 1)
        else:
            yield b"NA "
        if self.wad:
            yield _path(self.wad) + pack("<i", SLOTS)
            yield from (_slot(number) for number in range(SLOTS))
        else:
            yield b"NA "
        yield pack("<i", len(self.ranges)) + bytes(4 * 296)
        for first, last in self.ranges:
            yield pack("<3i", 1, first, last)
        yield bytes(12 * (40 - len(self.ranges)))
        yield self.footsteps
        yield self.bumps or b""
        if self.ng is not None:
            chunks = b"NG" + b"".join(self.ng) + bytes(4) + b"NGLE"
            yield chunks + pack("<I", len(chunks) + 4)


def _path(path: str) -> bytes:
    return path.encode("cp1252") + b"\0 "


def _slot(number: int) -> bytes:
    kind = _KINDS.get(number, 0)
    return pack("<h", kind) + (b"SLOT_%d " % number + pack("<I", number) + bytes(108) if kind else b"")


# --- A level -----------------------------------------------------------------------------------

# Directions of portals in the file.
LOW_Z, LOW_X, DOWN, HIGH_Z, HIGH_X, UP = 1, 2, 4, 0xFFFE, 0xFFFD, 0xFFFB


def sample_prj(*, ng: bool = False) -> PackedPrj:
    """Return a project with a hall, its flip map, a pool below, a yard behind its wall, and empty slots."""
    down, up, out, back = 10, 11, 12, 13
    hall = PackedRoom(
        "Hall",
        *(20, 10, 6, 5),
        portals=[
            (down, portal(DOWN, (2, 1, 2, 2), 1, up)),
            (out, portal(HIGH_X, (5, 1, 1, 3), 1, back)),
        ],
        objects=[
            (
                1,
                record(
                    position=(1536, 256, 1600), slot=MODEL_SLOT, a=0x80 | 21 << 1 | 1, facing=0x4000, d=-7
                ),
            ),
            (2, record(position=(1024, 0, 2048), slot=STATIC_SLOT, facing=-0x4000, c=0x4210, d=3)),
            (3, record(slot=SPRITE_SLOT)),
            (4, record(0x4200)),
            (20, trigger(0, 0, 1, timer=5, flags=1 | 31 << 1, area=(0, 1, 3, 9))),
            (21, trigger(5, 0, 8, area=(1, 1, 1, 1))),
            (22, trigger(0, 0, 7, area=(4, 1, 1, 1))),
            (23, trigger(9, 3, 2, area=(1, 2, 1, 1))),
            (24, trigger(0, 0, 99, area=(1, 3, 1, 1))),
            (25, trigger(0, 9, 60, 0x0307, area=(1, 3, 1, 1))),
            (26, trigger(0, 9, 12, 0x0307, area=(1, 3, 1, 1))),
            (27, trigger(5, 11, 1, 0x040E, area=(1, 3, 1, 1))),
            (28, trigger(12, 13, 1, 5, 29 << 1, area=(1, 3, 1, 1))),
            (29, trigger(0, 9, 310, area=(1, 3, 1, 1))),
        ],
        effects=[
            (5, light(0x4000, (1536, -512, 1536), color=(128, 64, 0), on=0)),
            (
                6,
                light(
                    0x4100,
                    (1024, 0, 1024),
                    ranges=(10.0, 20.0),
                    direction=(119.0, 300.0),
                    lengths=(512.0, 4096.0),
                ),
            ),
            (9, light(0x4020, (0, 0, 0), color=(64, 0, 0))),
            (7, record(0x4080, (2048, -256, 1024))),
            (8, record(0x4040, slot=3 << 13 | 5 << 8 | 75, a=30, b=10, facing=90, roll=4, c=1310, d=9)),
            (14, record(0x4C00, slot=120)),
            (15, record(0x4400, a=13)),
        ],
        flags=8 | 0x20 | 0x80,
        reverb=2,
        alternate=4,
        group=0x0106,
        sectors={
            (1, 1): Sector(
                *(
                    FLOOR,
                    0x10 | 0x40 | 0x4000,
                    -1,
                    12,
                    (0, 1, 2, 3),
                    (-1, -2, -3, -4),
                    (-5, -6, -7, -8),
                    (1, 2, 3, 4),
                ),
                faces={0: face(0, rotation=1), 8: face(1, triangle=2)},
                flags2=0x20 | 0x40,
                flags3=1,
            ),
            (4, 1): Sector(faces={0: face(3, rotation=1), 1: face(2, flags=0x80 | 4 | 8), 5: face(1)}),
            (4, 2): Sector(faces={0: face(kind=3), 1: face(99)}),
            (4, 3): Sector(WALL, faces={4: face(2, rotation=1), 7: face(1)}),
            **{(x, z): Sector(flags=2 | 0x800 * (x == 2)) for x in (2, 3) for z in (1, 2)},
            **{(5, z): Sector(6, flags=8) for z in (1, 2, 3)},
        },
    )
    flipped = PackedRoom(
        "Flipped Hall",
        *(40, 40, 6, 5),
        portals=[(out, portal(HIGH_X, (5, 1, 1, 3), 1, back))],
        ambient=(2, 4, 132),
    )
    pool = PackedRoom(
        "Pool",
        *(21, 10, 4, 4),
        portals=[(up, portal(UP, (1, 1, 2, 2), 3, down))],
        flags=1 | 0x200,
        strength=2,
        effect_strength=1,
        floor=-8,
        ceiling=0,
        sectors={(x, z): Sector(flags=4, floor=-8, ceiling=0) for x in (1, 2) for z in (1, 2)},
    )
    yard = PackedRoom(
        "Yard", *(24, 10, 5, 5), portals=[(back, portal(LOW_X, (0, 1, 1, 3), 5, out))], flags=0x800
    )
    chunks = [chunk(0x8024, [1, 3]), ranges_chunk([40, 0xBE00 | 0xFE, 0x4000])] if ng else None
    rooms = [None, hall, None, pool, flipped, yard]
    return PackedPrj(rooms, ranges=[(5, 7), (2, 2), (8, 9)], ng=chunks)
