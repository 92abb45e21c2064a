"""Rooms of TR1 to TR4 (documentation, chapter 3): reading and writing the variable-length records.

The rooms of TR5 have another structure, see :mod:`.rooms_tr5`; both give :class:`Room` objects with the same
attribute names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.bytes import records
from ...base.bytes.cursor import Cursor
from ...base.bytes.records import FOG_BULB_TR5, PORTAL, ROOM_SPRITE, SECTOR, U16
from ...base.errors import ExportError
from ...base.messages import T
from ...base.schema.fields import Attributes, Field, Out, Values, read_fields, write_fields
from ...base.schema.sections import Counted, Fields, check_number, read_sections

WATER = 1  # of a room's flags


class Room:
    """One room of a level. Arrays that were read are read-only: replace them to edit.

    Positions of vertices, portals and sectors are relative to the room's (x, z); y is absolute and points
    down. Lights and static meshes are in world coordinates. ``sectors`` is an array of ``x_sectors *
    z_sectors`` elements, x-major. A game that lacks a field lacks the attribute, except that ``fog_bulbs`` is
    always present.
    """

    x: int
    z: int
    y_bottom: int
    y_top: int
    vertices: NDArray[np.void]
    quads: NDArray[np.void]
    triangles: NDArray[np.void]
    sprites: NDArray[np.void]
    portals: NDArray[np.void]
    z_sectors: int
    x_sectors: int
    sectors: NDArray[np.void]
    ambient: int  # TR1, TR2, TR3
    ambient2: int  # TR2
    light_mode: int  # TR2, TR3
    color: int  # TR4, TR5: ARGB value
    lights: NDArray[np.void]
    static_meshes: NDArray[np.void]
    alternate_room: int
    flags: int
    water_scheme: int  # TR3 to TR5
    reverb: int  # TR3 to TR5
    alternate_group: int  # TR4, TR5 (a filler in TR3)
    geometry_words: tuple[int, int]  # TR1 to TR4: the stored number of data words, and the true one
    y: int  # TR5
    layers: NDArray[np.void]  # TR5
    fog_bulbs: NDArray[np.void] = np.zeros(0, FOG_BULB_TR5)  # TR5
    header: NDArray[np.void]  # TR5: the original header, one record; a new room has none
    block: memoryview | None = None  # TR5: the whole original room

    def has(self, field: str) -> bool:
        """Return whether the room has a field. Games lack some."""
        return field in self.__dict__

    def copy(self) -> Room:
        """Return a copy that shares the arrays but can be edited independently."""
        twin = Room()
        twin.__dict__.update(self.__dict__)
        return twin


@dataclass(frozen=True)
class Geometry(Field):
    """The mesh of a room: the number of its 16-bit words, then vertices, quads, triangles and sprites.

    Some editors store only the low 16 bits of that number, and rooms with the number 0 have no lists, so the
    lists are used and the number is kept.
    """

    lists: tuple[Counted, ...]

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = "geometry"
        (stored,) = cursor.fields(_WORDS)
        start = cursor.offset
        if stored:
            read_fields(self.lists, cursor, record)
        else:
            for part in self.lists:
                record[part.name] = np.zeros(0, part.dtype)
        record["geometry_words"] = (stored, (cursor.offset - start) // 2)

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        stored, original = record["geometry_words"]
        if not stored and not any(len(record[part.name]) for part in self.lists):
            out.append(_WORDS.pack(0))
            return
        lists: Out = []
        write_fields(self.lists, record, lists)
        content = b"".join(lists)
        words = len(content) // 2
        out += (_WORDS.pack(stored if words == original else words), content)


_WORDS = Struct("<I")


@dataclass(frozen=True)
class RoomSectors(Field):
    """The grid of a room's sectors, after its two sizes."""

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = "sectors"
        record["z_sectors"], record["x_sectors"] = cursor.fields(_GRID)
        record["sectors"] = cursor.array(SECTOR, record["z_sectors"] * record["x_sectors"])

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        check_number(record["sectors"], record["z_sectors"] * record["x_sectors"], "sectors")
        out += (_GRID.pack(record["z_sectors"], record["x_sectors"]), record["sectors"].tobytes())


_GRID = Struct("<HH")


def _room(
    vertex: np.dtype, lighting: Fields, light: np.dtype, static_mesh: np.dtype, *tail: Field
) -> tuple[Field, ...]:
    return (
        Fields("iiii", ("x", "z", "y_bottom", "y_top")),
        Geometry(
            (
                Counted("vertices", vertex, U16),
                Counted("quads", records.QUAD, U16),
                Counted("triangles", records.TRIANGLE, U16),
                Counted("sprites", ROOM_SPRITE, U16),
            )
        ),
        Counted("portals", PORTAL, U16),
        RoomSectors(),
        lighting,
        Counted("lights", light, U16),
        Counted("static_meshes", static_mesh, U16),
        Fields("hH", ("alternate_room", "flags")),
        *tail,
    )


_TAIL = Fields("BBB", ("water_scheme", "reverb", "alternate_group"))

ROOM_TR1 = _room(
    records.ROOM_VERTEX_TR1, Fields("h", ("ambient",)), records.ROOM_LIGHT_TR1, records.ROOM_STATIC_TR1
)
ROOM_TR2 = _room(
    records.ROOM_VERTEX_TR2,
    Fields("hhh", ("ambient", "ambient2", "light_mode")),
    records.ROOM_LIGHT_TR2,
    records.ROOM_STATIC_TR2,
)
ROOM_TR3 = _room(
    records.ROOM_VERTEX_TR3,
    Fields("hh", ("ambient", "light_mode")),
    records.ROOM_LIGHT_TR3,
    records.ROOM_STATIC_TR3,
    _TAIL,
)
ROOM_TR4 = _room(
    records.ROOM_VERTEX_TR3, Fields("I", ("color",)), records.ROOM_LIGHT_TR4, records.ROOM_STATIC_TR3, _TAIL
)


def read_each(cursor: Cursor, count: int, read: Callable[[Cursor], Room]) -> list[Room]:
    """Read rooms one by one, so that errors name the room."""
    outside = cursor.inside
    cursor.inside = f"{outside}/rooms" if outside else "rooms"
    rooms = []
    for index in range(count):
        cursor.element = index
        rooms.append(read(cursor))
    cursor.inside, cursor.element = outside, None
    return rooms


# The minimum size of a room, to check a count of rooms before allocating memory.
_SMALLEST_ROOM = 32


@dataclass(frozen=True)
class Rooms(Field):
    """All rooms of a TR1 to TR4 level."""

    layout: tuple[Field, ...]

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = "rooms"
        (count,) = cursor.fields(_ROOMS)
        if count * _SMALLEST_ROOM > cursor.remaining:
            raise cursor.too_short(count * _SMALLEST_ROOM, f"{count} rooms")
        record["rooms"] = read_each(cursor, count, self._read_room)

    def _read_room(self, cursor: Cursor) -> Room:
        room = Room()
        read_sections(self.layout, cursor, room)
        return room

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        if len(record["rooms"]) > 0xFFFF:
            raise ExportError("level", T("too many rooms"), count=len(record["rooms"]), limit=0xFFFF)
        out.append(_ROOMS.pack(len(record["rooms"])))
        for room in record["rooms"]:
            write_fields(self.layout, Attributes(room), out)


_ROOMS = Struct("<H")
