"""The sectors of rooms, in chunks.

The sectors of all rooms are decoded at once: chunk by chunk in a sector, but by array operations over all
sectors. The names of a sector's chunks are single bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ....base.arrays.ragged import Ragged, joined, leb_rows, read_lebs, stacked
from ....base.arrays.typing import Bools, Ints, Records
from ....base.bytes.chunks import END, Chunk, leb_bytes, read_chunks
from ....base.bytes.cursor import Cursor
from ....base.errors import FormatError
from ....base.units import CLICK
from .shape import FACE, MOST_SPLITS, RoomShape, SectorSurface

NAME, SECTOR = "TeSecs", "TeS"

# The chunks of a sector. Floors and ceilings: the split direction and diagonal, then heights; the oldest form
# has the first split after them. Splits: their number, then heights.
FLAGS = 0
FACE_INVISIBLE, FACE_OLD, FACE_TEXTURED = 17, 16, 18
WALL, SOLID_FLOOR, FLAG_SHIFT = 1, 2, 2


@dataclass(frozen=True)
class SurfaceForm:
    """A form of a floor (side 0) or ceiling (side 1)."""

    heights: tuple[int, int]  #: the names of the chunks with heights.
    #: the names of the chunks with splits, or None: the first split is after the heights.
    splits: tuple[int, int] | None
    unit: int  #: the unit of heights.


SURFACE_FORMS = (
    SurfaceForm((1, 2), None, CLICK),
    SurfaceForm((3, 4), (5, 6), CLICK),
    SurfaceForm((7, 8), (9, 10), 1),
)
TODAY = SURFACE_FORMS[-1]
FACES = (FACE_OLD, FACE_INVISIBLE, FACE_TEXTURED)
SPLITS = (9, 10)  # of today's form

# The bytes of the sizes of chunks.
_WIDTHS = {FLAGS: 0, 7: 1, 8: 1, 9: 2, 10: 2, FACE_INVISIBLE: 0, FACE_TEXTURED: 1}
SECTOR_WIDTH = 2
HEAD = leb_bytes(len(SECTOR)) + SECTOR.encode()  # without the size
_SMALLEST = 10  # bytes of a sector
_PADDING = bytes(512)  # more than a chunk's numbers can have
_MOST_CHUNKS = 10_000  # of a sector
_DEFAULT_HEIGHT = 3072
_CORNERS, _PARENT = 32, 16  # bytes


# --- Reading -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Chunks:
    """The chunks of several sectors, in the order of the file."""

    owner: Ints  #: (n,) the index of the sector.
    name: NDArray[np.int16]  #: (n,) the name, -1 for one that is no single byte.
    #: at, end: (n,) the bounds of the content.
    at: Ints
    end: Ints

    def named(self, *names: int) -> _Chunks:
        matches = self.name == names[0]
        for name in names[1:]:
            matches |= self.name == name
        rows = np.flatnonzero(matches)
        return _Chunks(self.owner[rows], self.name[rows], self.at[rows], self.end[rows])


@dataclass
class ProjectSectors:
    """The sectors of a room to be decoded: its name for errors, its size, and the content of the list."""

    room: str
    x_sectors: int
    z_sectors: int
    body: bytes

    def chunks(self) -> list[Chunk]:
        """Return the chunks of the list. Raises FormatError if it is damaged."""
        cursor = Cursor(self.body, inside=self.room)
        cursor.section = NAME
        return read_chunks(cursor)

    def sectors(self) -> tuple[bytes, Ints]:
        """Return the contents of the sectors: bytes, and where each begins and ends in them, (n, 2).

        Raises:
            FormatError: if the list is damaged.
        """
        data, width, last = np.frombuffer(self.body, np.uint8), len(HEAD), len(self.body) - 1
        # Nearly all lists have only sectors with sizes of one or two bytes, which are found by their names at
        # once. They do not follow each other if there is anything else.
        at = np.flatnonzero(data[width - 1 : max(last - 1, 0)] == HEAD[-1])
        for offset, byte in enumerate(HEAD[:-1]):
            at = at[data[at + offset] == byte]
        low, high = data[at + width].astype(np.int64), data[at + width + 1].astype(np.int64)
        is_wide = (low >= 0x80) & (high < 0x40)
        starts = at + width + 1 + is_wide
        ends = starts + np.where(is_wide, low & 0x7F | high << 7, low)
        is_whole = bool((is_wide | (low < 0x40)).all()) and np.array_equal(
            np.append(0, ends), np.append(at, last)
        )
        if is_whole and data[last] == 0:
            return self.body, np.stack([starts, ends], axis=1)
        bodies = [part.body for part in self.chunks() if part.name == SECTOR]
        bounds = list(pairwise(accumulate(map(len, bodies), initial=0)))
        return b"".join(bodies), np.array(bounds, np.int64).reshape(-1, 2)


def read_shapes(rooms: Sequence[ProjectSectors]) -> list[RoomShape]:
    """Decode the sectors of rooms.

    Raises:
        FormatError: if they are damaged, or a room has fewer sectors than its size needs.
    """
    bodies: list[bytes] = []
    bounds: list[Ints] = []
    counts: list[int] = []
    for room in rooms:
        amount = room.x_sectors * room.z_sectors
        if room.x_sectors < 1 or room.z_sectors < 1 or amount * _SMALLEST > len(room.body):
            size = f"{room.x_sectors} x {room.z_sectors} sectors in {len(room.body)} bytes"
            raise FormatError(f"{room.room}/{NAME}", "a room with all its sectors", size)
        body, room_bounds = room.sectors()
        bodies.append(body)
        bounds.append(room_bounds)
        counts.append(len(room_bounds))
    owners = np.repeat(np.arange(len(rooms)), counts)
    sizes = np.array([room.x_sectors * room.z_sectors for room in rooms], np.int64)
    firsts = np.cumsum(sizes) - sizes
    lengths = np.array([len(body) for body in bodies], np.int64)
    data = np.frombuffer(b"".join([*bodies, _PADDING]), np.uint8)
    starts, ends = (
        np.concatenate([np.zeros((0, 2), np.int64), *bounds]).T + (np.cumsum(lengths) - lengths)[owners]
    )
    reader = _Reader(data, starts, ends, lambda index: rooms[owners[index]].room)
    numbers = reader.numbers(sizes[owners])
    chunks = reader.chunks()
    sectors = _decoded(reader, chunks, firsts[owners] + numbers, int(sizes.sum()))
    shapes = []
    old = set(owners[chunks.named(*SURFACE_FORMS[0].heights).owner].tolist())
    rows = np.searchsorted(sectors.faces["sector"], np.append(firsts, sizes.sum()))
    # Rooms are parts of the same arrays, which is faster than copies.
    sectors.faces["sector"] -= np.repeat(firsts, np.diff(rows)).astype(sectors.faces["sector"].dtype)
    for index, room in enumerate(rooms):
        part = slice(firsts[index], firsts[index] + sizes[index])
        shape = sectors.part(part, room.z_sectors, room.x_sectors)
        shape.faces = sectors.faces[rows[index] : rows[index + 1]]
        shape.old_walls = index in old
        shapes.append(shape)
    return shapes


class _Reader:
    """Reading from many sectors at once."""

    def __init__(
        self, data: NDArray[np.uint8], starts: Ints, ends: Ints, room_of: Callable[[int], str]
    ) -> None:
        self.data = data  #: the contents of all sectors, with padding.
        #: starts, ends: (n,) the bounds of each.
        self.starts = starts
        self.ends = ends
        self._room_of = room_of

    def check(self, valid: Bools, owner: Ints, at: Ints, expected: str) -> None:
        """Raise FormatError for the first place that is not valid."""
        if not valid.all():
            row = int(np.flatnonzero(~valid)[0])
            index = int(owner[row])
            offset = int(at[row] - self.starts[index])
            room = self._room_of(index)
            raise FormatError(f"{room}/{SECTOR}", expected, "less or others", element=index, offset=offset)

    def numbers(self, sizes: Ints) -> Ints:
        """Return the number of each sector in its room, (n,)."""
        owner = np.arange(len(self.starts))
        self.check(self.ends - self.starts >= 4, owner, self.starts, "the number of a sector")
        raw = sliding_window_view(self.data, 4)[self.starts]
        numbers = np.ascontiguousarray(raw).view("<i4")[:, 0].astype(np.int64)
        self.check(
            (numbers >= 0) & (numbers < sizes), owner, self.starts, "the number of a sector of the room"
        )
        return numbers

    def chunks(self) -> _Chunks:
        """Return the chunks of all sectors."""
        owner = np.arange(len(self.starts))
        at = self.starts + 4
        steps = []
        for _ in range(_MOST_CHUNKS):
            owner, at = _rows(at < self.ends[owner], owner, at)
            lengths = self.data[at]
            is_named, rows = lengths != 0, np.flatnonzero(lengths >= 0x80)
            is_named[rows] = read_lebs(self.data, at[rows], 1)[0][:, 0] != 0
            owner, at = _rows(is_named, owner, at)
            if not len(owner):
                break
            names, body, end = self._heads(owner, at)
            steps.append((owner, names, body, end))
            at = end
        else:
            self.check(np.zeros(1, np.bool_), owner, at, f"at most {_MOST_CHUNKS} chunks")
        if not steps:
            return _Chunks(owner, owner, at, at)
        counts = np.bincount(np.concatenate([each[0] for each in steps]), minlength=len(self.starts))
        first = np.cumsum(counts) - counts
        total = int(counts.sum())
        result = _Chunks(
            np.empty(total, np.int64),
            np.empty(total, np.int16),
            np.empty(total, np.int64),
            np.empty(total, np.int64),
        )
        for step, (owner, names, body, end) in enumerate(steps):
            rows = first[owner] + step
            result.owner[rows], result.name[rows] = owner, names
            result.at[rows], result.end[rows] = body, end
        return result

    def _heads(self, owner: Ints, at: Ints) -> tuple[NDArray[np.int16], Ints, Ints]:
        """Return the names of the chunks at some places, and where their contents begin and end."""
        # Nearly all names have one byte, and sizes one or two.
        low, high = self.data[at + 2].astype(np.int64), self.data[at + 3].astype(np.int64)
        is_wide = (low >= 0x80) & (high < 0x40)
        names = self.data[at + 1].astype(np.int16)
        body = at + 3 + is_wide
        ends = body + np.where(is_wide, low & 0x7F | high << 7, low)
        usual = (self.data[at] == 1) & (is_wide | (low < 0x40))
        rows = np.flatnonzero(~usual | (ends > self.ends[owner]))
        if len(rows):
            owner, at = owner[rows], at[rows]
            length, name = read_lebs(self.data, at, 1)
            length, rest = length[:, 0], self.ends[owner] - name
            self.check((length > 0) & (length < rest), owner, at, "the name of a chunk")
            names[rows] = np.where(length == 1, self.data[name], -1)
            size, body[rows] = read_lebs(self.data, name + length, 1)
            rest = self.ends[owner] - body[rows]
            self.check((size[:, 0] >= 0) & (size[:, 0] <= rest), owner, at, "the size of a chunk")
            ends[rows] = body[rows] + size[:, 0]
        return names, body, ends

    def lebs(self, chunks: _Chunks, at: Ints, count: int) -> tuple[Ints, Ints]:
        """Read numbers in each chunk, as :func:`read_lebs`. Raises FormatError beyond the chunk."""
        values, after = read_lebs(self.data, at, count)
        self.check(after <= chunks.end, chunks.owner, at, f"{count} numbers")
        return values, after

    def floats(self, chunks: _Chunks, at: Ints, size: int) -> tuple[NDArray[np.uint8], Ints]:
        """Read some bytes in each chunk, (n, size)."""
        self.check(at + size <= chunks.end, chunks.owner, at, f"{size} bytes")
        # As one value for each row, which is much faster than a row of bytes.
        rows = sliding_window_view(self.data, size).view(f"V{size}")[at]
        return rows.view(np.uint8).reshape(len(at), size), at + size


def _rows(rows: Bools, *arrays: Ints) -> tuple[Ints, ...]:
    return arrays if rows.all() else tuple(each[rows] for each in arrays)


@dataclass
class _Sectors:
    """Sectors of all rooms: arrays with one axis for the sectors, as in :class:`RoomShape`."""

    flags: Ints
    surfaces: tuple[SectorSurface, SectorSurface]
    faces: Records

    def part(self, rows: slice, z_sectors: int, x_sectors: int) -> RoomShape:
        """Return a room without faces."""

        def of_room(values: NDArray[Any]) -> NDArray[Any]:
            return values[rows].reshape(z_sectors, x_sectors, *values.shape[1:])

        floor, ceiling = (
            SectorSurface(
                of_room(each.heights),
                of_room(each.x_equals_z),
                of_room(each.diagonal),
                of_room(each.splits),
                of_room(each.split_count),
            )
            for each in self.surfaces
        )
        flags = of_room(self.flags)
        return RoomShape(
            (flags & WALL).astype(np.bool_),
            (flags & SOLID_FLOOR).astype(np.bool_),
            flags >> FLAG_SHIFT,
            floor,
            ceiling,
        )


def _decoded(reader: _Reader, chunks: _Chunks, owners: Ints, amount: int) -> _Sectors:
    """Return all sectors. `owners`: (n,) the indices of the chunks' owners among them."""
    flags = np.zeros(amount, np.int64)
    chunks_of_flags = chunks.named(FLAGS)
    flags[owners[chunks_of_flags.owner]] = reader.lebs(chunks_of_flags, chunks_of_flags.at, 1)[0][:, 0]
    surfaces = SectorSurface.flat((amount,), 0), SectorSurface.flat((amount,), _DEFAULT_HEIGHT)
    for form in SURFACE_FORMS:
        for side, surface in enumerate(surfaces):
            _read_surface(reader, chunks, form, side, surface, owners)
    return _Sectors(flags, surfaces, _read_faces(reader, chunks, owners))


def _read_surface(
    reader: _Reader, chunks: _Chunks, form: SurfaceForm, side: int, surface: SectorSurface, owners: Ints
) -> None:
    named = chunks.named(form.heights[side])
    rows = owners[named.owner]
    values, at = reader.lebs(named, named.at, 5)
    surface.x_equals_z[rows] = values[:, 0] & 1
    surface.diagonal[rows] = values[:, 0] >> 1
    surface.heights[rows] = values[:, 1:] * form.unit
    if form.splits is None:
        surface.splits[rows, 0] = reader.lebs(named, at, 4)[0] * form.unit
        surface.split_count[rows] = 1
        return
    named = chunks.named(form.splits[side])
    rows = owners[named.owner]
    counts, at = reader.lebs(named, named.at, 1)
    reader.check(
        (counts[:, 0] >= 0) & (counts[:, 0] <= MOST_SPLITS),
        named.owner,
        named.at,
        f"at most {MOST_SPLITS} splits",
    )
    surface.split_count[rows] = counts[:, 0]
    for index in range(MOST_SPLITS):
        has_split = counts[:, 0] > index
        if not has_split.any():
            break
        part = _Chunks(
            named.owner[has_split], named.name[has_split], named.at[has_split], named.end[has_split]
        )
        values, at[has_split] = reader.lebs(part, at[has_split], 4)
        surface.splits[rows[has_split], index] = values * form.unit


def _read_faces(reader: _Reader, chunks: _Chunks, owners: Ints) -> Records:
    named = chunks.named(*FACES)
    faces = np.zeros(len(named.owner), FACE)
    faces["sector"] = owners[named.owner]
    values, at = reader.lebs(named, named.at, 1)
    faces["face"] = values[:, 0]
    faces["texture"] = -1
    textured = named.name != FACE_INVISIBLE
    with_parent = named.name == FACE_TEXTURED
    part = named.named(FACE_TEXTURED, FACE_OLD)
    raw, at = reader.floats(part, at[textured], _CORNERS)
    faces["corners"][textured] = np.ascontiguousarray(raw).view("<f4").reshape(-1, 4, 2)
    inner = with_parent[textured]
    raw, at[inner] = reader.floats(part.named(FACE_TEXTURED), at[inner], _PARENT)
    faces["parent"][with_parent] = np.ascontiguousarray(raw).view("<f4").reshape(-1, 2, 2)
    values, _ = reader.lebs(part, at, 2)
    faces["double_sided"][textured] = values[:, 0] & 1
    faces["blend"][textured] = (values[:, 0] >> 1) & 0xFF
    faces["texture"][textured] = values[:, 1]
    if (np.diff(faces["sector"]) >= 0).all():  # as the editor writes them
        return faces
    return faces[np.argsort(faces["sector"], kind="stable")]


# --- Writing -----------------------------------------------------------------------------------


def _chunk_rows(name: int, bodies: Ragged) -> Ragged:
    """Return chunks with a name and contents."""
    head = Ragged.repeated(bytes((1, name)), len(bodies.lengths))
    return joined(head, leb_rows(bodies.lengths, _WIDTHS[name]), bodies)


def _numbers(values: Ints) -> Ragged:
    """Return the numbers (n, count) of each row."""
    return leb_rows(values.reshape(-1)).merged(np.full(len(values), values.shape[1]))


def flag_values(shape: RoomShape) -> Ints:
    """Return the number in the chunk of flags of each sector."""
    return shape.wall * WALL | shape.solid_floor * SOLID_FLOOR | shape.flags << FLAG_SHIFT


def _surface_rows(surface: SectorSurface, side: int) -> tuple[Ragged, Ragged]:
    """Return the chunks of the heights and of the splits of all sectors."""
    first = surface.x_equals_z | surface.diagonal << 1
    heights = _numbers(np.column_stack([first.reshape(-1), surface.heights.reshape(-1, 4)]))
    counts = surface.split_count.reshape(-1)
    values = np.column_stack([counts, surface.splits.reshape(len(counts), -1)])
    used = np.arange(values.shape[1]) < 1 + 4 * counts[:, None]
    splits = leb_rows(values[used]).merged(1 + 4 * counts)
    return _chunk_rows(TODAY.heights[side], heights), _chunk_rows(SPLITS[side], splits)


def face_rows(faces: Records) -> Ragged:
    """Return the chunks of faces (n,) :data:`FACE`."""
    textured = faces["texture"] >= 0
    with_image = faces[textured]
    raw = np.column_stack([with_image["corners"].reshape(-1, 8), with_image["parent"].reshape(-1, 4)]).astype(
        "<f4"
    )
    raw = np.ascontiguousarray(raw).view(np.uint8).reshape(len(with_image), _CORNERS + _PARENT)
    mode = with_image["double_sided"].astype(np.int64) | with_image["blend"].astype(np.int64) << 1
    ends = _numbers(np.column_stack([mode, with_image["texture"].astype(np.int64)]))
    with_texture = joined(leb_rows(with_image["face"].astype(np.int64)), Ragged.matrix(raw), ends)
    rest = _numbers(faces["face"][~textured].astype(np.int64)[:, None])
    rows = stacked(_chunk_rows(FACE_TEXTURED, with_texture), _chunk_rows(FACE_INVISIBLE, rest))
    return rows.take(np.argsort(np.argsort(~textured, kind="stable"), kind="stable"))


def by_sector(faces: Records) -> Records:
    """Return faces sorted by sector."""
    return faces[np.argsort(faces["sector"], kind="stable")]


def sector_bodies(shape: RoomShape) -> Ragged:
    """Return the contents of the chunks of all sectors."""
    count = shape.wall.size
    flags = _chunk_rows(FLAGS, _numbers(flag_values(shape).reshape(-1, 1)))
    surfaces = [_surface_rows(each, side) for side, each in enumerate((shape.floor, shape.ceiling))]
    numbers = np.arange(count).astype("<i4").view(np.uint8).reshape(count, 4)
    heights, splits = zip(*surfaces, strict=True)
    faces = by_sector(shape.faces)
    amounts = np.bincount(faces["sector"], minlength=count)
    end = Ragged.repeated(END, count)
    return joined(Ragged.matrix(numbers), flags, *heights, *splits, face_rows(faces).merged(amounts), end)


def sector_list(shape: RoomShape) -> bytes:
    """Return the content of the list of a room's sectors, in the form of today's Tomb Editor."""
    bodies = sector_bodies(shape)
    head = Ragged.repeated(HEAD, len(bodies.lengths))
    return joined(head, leb_rows(bodies.lengths, SECTOR_WIDTH), bodies).data.tobytes() + END
