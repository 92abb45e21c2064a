"""PRJ files: projects of the old room editor, record by record.

Records keep the file's values: heights in clicks, angles and colors as stored. Names of axes are those of
:mod:`..model.shape`, since the old editor's own x is z here, and the other way round. :mod:`.prj_convert`
converts the records to a :class:`~..model.project.Project`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Records
from ....base.bytes.cursor import Cursor
from ....base.bytes.files import file_content
from ....base.bytes.records import F32, I8, I16, I32, U8, U16, U32

_SIGNATURE = b"PROJFILE"
_BIG = ord("2")

_NO_ROOM = 1
_MOST_TEXT = 4096  # bytes
_TEXT = "cp1252"
_NO_PATH = b"NA "
LEAST_SECTORS = 3  # of a room along an axis, with the border

# --- Rooms -------------------------------------------------------------------------------------

ROOM = np.dtype(
    [
        ("name", "S80"),
        ("plan", I32, (4,)),
        ("plan_offset", I16, (3,)),
        ("z_sectors", I16),
        ("x_sectors", I16),
        ("z", I16),
        ("x", I16),
        ("link", I16),
    ]
)
_SIZE_OFFSET = 80 + 4 * 4 + 3 * 2  # of z_sectors
# After the objects and triggers, and after the lights.
AMBIENT = np.dtype((U8, (4,)))
ROOM_END = np.dtype(
    [
        ("alternate", I16),
        ("flags", U16),
        ("strength", U8),  # of water, rain and snow
        ("effect_strength", U8),  # of mist and reflection
        ("reverb", U8),
        ("group", U16),
    ]
)

FACES = 14
INVISIBLE, TEXTURED = 3, 7  # types of faces
FACE = np.dtype(
    [
        ("type", I16),
        ("tile", U8),
        ("flags", U8),
        ("rotation", U8),
        ("triangle", U8),
        ("unused", I16),
    ]
)
SECTOR = np.dtype(
    [
        ("type", I16),
        ("flags", U16),
        ("floor", I16),
        ("ceiling", I16),
        ("floor_corners", I8, (4,)),  # XpZn, XnZn, XnZp, XpZp
        ("ceiling_corners", I8, (4,)),  # XpZp, XnZp, XnZn, XpZn
        ("floor_split", I8, (4,)),
        ("ceiling_split", I8, (4,)),
        ("faces", FACE, (FACES,)),
        ("flags2", U16),
        ("flags3", U16),
    ]
)

# --- Records with numbers ----------------------------------------------------------------------

OBJECT, TRIGGER = 8, 16
POINT, SHADOW, SUN, EFFECT, SPOT, FOG_BULB = 0x4000, 0x6000, 0x4200, 0x5000, 0x4100, 0x4020
SOUND, SINK, CAMERA, FIXED_CAMERA, FLYBY = 0x4C00, 0x4400, 0x4800, 0x4080, 0x4040
LIGHTS = frozenset({POINT, SHADOW, SUN, EFFECT, SPOT, FOG_BULB})
EFFECTS = LIGHTS | {SOUND, SINK, CAMERA, FIXED_CAMERA, FLYBY}

_FIELDS = [
    ("type", I16),
    ("z", I16),
    ("x", I16),
    ("z_sectors", I16),
    ("x_sectors", I16),
    ("clicks", I16),
    ("room", I16),
    ("slot", U16),
    ("a", I16),
    ("orientation", I16),
    ("position", I32, (3,)),  # x, y, z: relative to the room's corner; y in the world, downwards
    ("b", I16),
    ("facing", I16),
    ("roll", I16),
    ("c", U16),
    ("d", I16),
]
RECORD = np.dtype(_FIELDS)
TRIGGER_RECORD = np.dtype(
    [
        *_FIELDS,
        ("trigger", I16),
        ("target", U16),
        ("timer", U16),
        ("trigger_flags", U16),
        ("target_type", I16),
    ]
)
LIGHT_RECORD = np.dtype(
    [
        *_FIELDS,
        ("intensity", I16),
        ("inner", F32),
        ("outer", F32),
        ("pitch", F32),
        ("yaw", F32),
        ("length", F32),
        ("cutoff", F32),
        ("color", U8, (3,)),
        ("on", U8),
    ]
)
PORTAL_RECORD = np.dtype(
    [
        ("direction", U16),
        ("z", I16),
        ("x", I16),
        ("z_sectors", I16),
        ("x_sectors", I16),
        ("clicks", I16),
        ("room", I16),
        ("opposite", I16),
        ("unused", U8, (26,)),
    ]
)

# --- Tables after the rooms --------------------------------------------------------------------

_EDITOR_TABLES = {"numbers": (I32, 2002), "lights": (I32, 769), "triggers": (I32, 513)}
TILE = np.dtype(
    [
        ("x", U8),
        ("y", I16),
        ("unused", U16),
        ("width", U8),  # pixels - 1
        ("unused2", U8),
        ("height", U8),
    ]
)
MOVEABLE, STATIC, SPRITE = 16, 272, 8  # kinds of slots
_SLOT_END = np.dtype([("number", U32), ("unused", U8, (108,))])

MOST_RANGES = 40
RANGES = np.dtype(
    [
        ("count", I32),
        ("unused", I32, (MOST_RANGES,)),
        ("unused2", I32, (256,)),
        ("ranges", [("defined", I32), ("first", I32), ("last", I32)], (MOST_RANGES,)),
    ]
)
TILES = 256  # squares of 64 by 64 pixels
_NG, _NG_END = b"NG", b"NGLE"
NG_RANGES = 0x8002

_COUNT16, _COUNT32 = Struct("<h"), Struct("<i")
_WORDS2 = Struct("<HH")


@dataclass(frozen=True)
class ObjectSlot:
    """A slot of the object file that the project names; `kind` 0 for empty ones."""

    kind: int
    name: str = ""


_EMPTY = ObjectSlot(0)


@dataclass(eq=False)
class PrjRoom:
    """A room of the file."""

    number: int  #: its slot.
    head: np.void  #: a record :data:`ROOM`.
    portals: list[tuple[int, np.void]]  #: by their numbers, :data:`PORTAL_RECORD`.
    objects: list[tuple[int, np.void]]  #: :data:`RECORD` or :data:`TRIGGER_RECORD`, with their numbers.
    ambient: NDArray[np.uint8]  #: (4,) uint8.
    #: lights (:data:`LIGHT_RECORD`), sounds, sinks, cameras (:data:`RECORD`), with their numbers.
    effects: list[tuple[int, np.void]]
    end: np.void  #: a record :data:`ROOM_END`.
    sectors: Records  #: (z, x) :data:`SECTOR`.

    @property
    def name(self) -> str:
        """Its name."""
        return bytes(self.head["name"]).split(b"\0")[0].decode(_TEXT, "replace")


@dataclass(eq=False)
class Prj:
    """A project of the old room editor."""

    big: bool  #: footsteps are those of squares of 128 pixels, not of 64.
    room_slots: int  #: the number of slots.
    rooms: list[PrjRoom]  #: in the order of their slots, without empty ones.
    picture: str  #: the path of the texture picture, "" for none.
    tiles: Records  #: (n,) :data:`TILE`.
    wad: str  #: the path of the object file, "" for none.
    slots: list[ObjectSlot]  #: the slots of that file.
    ranges: np.void  #: a record :data:`RANGES` of animated textures.
    footsteps: NDArray[np.uint8]  #: (256,) uint8.
    bumps: NDArray[np.uint8]  #: (256,) uint8.
    #: the chunks of TRNG by their ids, without their heads; None for projects without TRNG.
    chunks: dict[int, bytes] | None = field(default=None)


def is_prj(data: bytes) -> bool:
    """Return whether bytes begin as a project of the old room editor."""
    return data.startswith(_SIGNATURE)


def read_prj_records(source: str | os.PathLike[str] | bytes) -> Prj:
    """Read the records of a `.prj` from a file or from its bytes.

    Raises:
        FormatError: if it is none, or damaged.
        OSError: if the file cannot be read.
    """
    cursor = Cursor(file_content(source))
    cursor.section = "signature"
    start = cursor.take(12)
    signature = bytes(cursor.data[start : start + 12])
    if not signature.startswith(_SIGNATURE):
        raise cursor.error(repr(_SIGNATURE), repr(signature), offset=start)
    big = signature[len(_SIGNATURE)] == _BIG
    cursor.section = "rooms"
    slots = _count(cursor, 2, _COUNT32)
    rooms = []
    for number in range(slots):
        cursor.inside, cursor.element = "rooms", number
        room = _read_room(cursor, number)
        if room is not None:
            rooms.append(room)
    cursor.inside, cursor.element = "", None
    for cursor.section, (dtype, count) in _EDITOR_TABLES.items():
        cursor.array(dtype, count)
    cursor.section = "picture"
    picture = _read_path(cursor)
    cursor.section = "tiles"
    tiles = cursor.array(TILE, _count(cursor, TILE.itemsize, _COUNT32) if picture else 0)
    cursor.section = "objects"
    wad = _read_path(cursor)
    table = _read_slots(cursor) if wad else []
    cursor.section = "animated textures"
    ranges = cursor.array(RANGES, 1)[0]
    cursor.section = "footsteps"
    footsteps = cursor.array(U8, TILES)
    cursor.section = "bumps"
    has_bumps = cursor.remaining and _following(cursor, len(_NG)) != _NG  # a few old files lack them
    bumps = cursor.array(U8, TILES) if has_bumps else np.zeros(TILES, np.uint8)
    chunks = _read_chunks(cursor)
    return Prj(big, slots, rooms, picture, tiles, wad, table, ranges, footsteps, bumps, chunks)


def _count(cursor: Cursor, size: int, layout: Struct = _COUNT16) -> int:
    """Read the number of elements of at least a size."""
    start = cursor.offset
    (count,) = cursor.fields(layout)
    if count < 0:
        raise cursor.error("a number of elements", str(count), offset=start)
    if count * size > cursor.remaining:
        raise cursor.too_short(count * size, f"{count} elements of {size} bytes")
    return int(count)


def _read_room(cursor: Cursor, number: int) -> PrjRoom | None:
    cursor.section = "head"
    start = cursor.offset
    (state,) = cursor.fields(_COUNT16)
    if state == _NO_ROOM:
        return None
    if state:
        raise cursor.error("0 or 1", str(state), offset=start)
    start = cursor.offset
    head = cursor.array(ROOM, 1)[0]
    z_sectors, x_sectors = int(head["z_sectors"]), int(head["x_sectors"])
    if min(z_sectors, x_sectors) < LEAST_SECTORS:
        raise cursor.error(
            f"at least {LEAST_SECTORS} sectors along each axis",
            f"{z_sectors} x {x_sectors}",
            offset=start + _SIZE_OFFSET,
        )
    cursor.section = "portals"
    numbers = _numbers(cursor, PORTAL_RECORD.itemsize)
    portals = list(zip(numbers, cursor.array(PORTAL_RECORD, len(numbers)), strict=True))
    cursor.section = "objects"
    objects = _read_records(cursor, effects=False)
    cursor.section = "ambient"
    ambient = cursor.array(AMBIENT, 1)[0]
    cursor.section = "lights"
    effects = _read_records(cursor, effects=True)
    cursor.section = "end"
    end = cursor.array(ROOM_END, 1)[0]
    cursor.section = "sectors"
    sectors = cursor.array(SECTOR, z_sectors * x_sectors).reshape(x_sectors, z_sectors).T
    return PrjRoom(number, head, portals, objects, ambient, effects, end, sectors)


def _numbers(cursor: Cursor, size: int) -> list[int]:
    """Read the number of records of at least a size, and their numbers."""
    numbers: list[int] = cursor.array(I16, _count(cursor, size + I16.itemsize)).tolist()
    return numbers


def _read_records(cursor: Cursor, *, effects: bool) -> list[tuple[int, np.void]]:
    """Read objects and triggers, or lights and other effects."""
    records = []
    for number in _numbers(cursor, RECORD.itemsize):
        start = cursor.offset
        (kind,) = cursor.fields(_COUNT16)
        cursor.offset = start
        if kind not in EFFECTS and (effects or kind not in (OBJECT, TRIGGER)):
            expected = "the type of an effect" if effects else f"{OBJECT} (object) or {TRIGGER} (trigger)"
            raise cursor.error(expected, f"{kind:#x} (number {number})", offset=start)
        dtype = RECORD
        if kind == TRIGGER:
            dtype = TRIGGER_RECORD
        elif effects and kind in LIGHTS:
            dtype = LIGHT_RECORD
        records.append((number, cursor.array(dtype, 1)[0]))
    return records


def _following(cursor: Cursor, size: int) -> bytes:
    """Return up to a number of the next bytes, without reading them."""
    return bytes(memoryview(cursor.data)[cursor.offset : cursor.offset + size])


def _read_until_blank(cursor: Cursor, *, after_dot: bool) -> bytes:
    """Read a text up to the next blank, or the next one after a dot."""
    rest = _following(cursor, _MOST_TEXT)
    start = rest.find(b".") if after_dot else 0
    end = rest.find(b" ", max(start, 0)) if start >= 0 else -1
    if end < 0:
        raise cursor.error("a text that ends with a blank", repr(rest[:16]))
    cursor.take(end + 1)
    return rest[:end]


def _read_path(cursor: Cursor) -> str:
    """Read a path, "" for none."""
    is_none = _following(cursor, len(_NO_PATH)) == _NO_PATH
    text = _read_until_blank(cursor, after_dot=not is_none)
    return "" if is_none else text.replace(b"\0", b"").decode(_TEXT, "replace")


def _read_slots(cursor: Cursor) -> list[ObjectSlot]:
    count = _count(cursor, I16.itemsize, _COUNT32)
    slots = []
    for cursor.element in range(count):
        (kind,) = cursor.fields(_COUNT16)
        if not kind:
            slots.append(_EMPTY)
            continue
        name = _read_until_blank(cursor, after_dot=False)
        start = cursor.offset
        number = int(cursor.array(_SLOT_END, 1)[0]["number"])
        if number != cursor.element:
            raise cursor.error(f"slot {cursor.element}", f"slot {number}", offset=start)
        slots.append(ObjectSlot(kind, name.replace(b"\0", b"").decode(_TEXT, "replace")))
    cursor.element = None
    return slots


def _read_chunks(cursor: Cursor) -> dict[int, bytes] | None:
    """Read the chunks of TRNG up to the end of the file."""
    cursor.section = "NG"
    if cursor.remaining < len(_NG):
        return None
    begin = cursor.offset
    start = cursor.take(len(_NG))
    mark = bytes(cursor.data[start : cursor.offset])
    if mark != _NG:
        raise cursor.error("the end of the file, or NG", repr(mark), offset=start)
    chunks: dict[int, bytes] = {}
    while True:
        start = cursor.offset
        words, number = cursor.fields(_WORDS2)
        if not words:
            break
        if words < 2:
            raise cursor.error("the size of a chunk in words", str(words), offset=start)
        content = cursor.take(2 * words - _WORDS2.size)
        chunks.setdefault(number, bytes(cursor.data[content : cursor.offset]))
    start = cursor.take(len(_NG_END))
    mark = bytes(cursor.data[start : cursor.offset])
    if mark != _NG_END:
        raise cursor.error(repr(_NG_END), repr(mark), offset=start)
    start = cursor.offset
    size = int(cursor.array(U32, 1)[0])
    if size != cursor.offset - begin:
        raise cursor.error(f"a size of {cursor.offset - begin} bytes", str(size), offset=start)
    if cursor.remaining:
        raise cursor.error("the end of the file", f"{cursor.remaining} more bytes")
    return chunks
