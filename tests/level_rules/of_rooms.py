"""Rules of files and rooms."""

from __future__ import annotations

from collections import Counter

from .raw import NO_ROOM, SECTOR, WALL, Places, Raw, crash

_CELLS, _SECTORS_OF_CELL = 27, 4
_VERTEX_WORDS = {1: 4, 2: 6, 3: 6, 4: 6}
_MOST_VERTICES = {3: 12000, 4: 8192, 5: 1024}
_UNSET = 0xCDCDCDCD


@crash("room words", "1234")
def room_words(raw: Raw) -> Places:
    for number, room in enumerate(raw.level.rooms):
        stored = room.geometry_words[0]
        words = 4 + _VERTEX_WORDS[raw.game] * len(room.vertices)
        words += 5 * len(room.quads) + 4 * len(room.triangles) + 2 * len(room.sprites)
        if stored and stored != words:  # with 0 there are no lists
            yield number


@crash("demo data", "45", in_trng=False)
def demo_data(raw: Raw) -> Places:
    if len(raw.level.demo_data):
        yield 0


@crash("page counts", "45")
def page_counts(raw: Raw) -> Places:
    level = raw.level
    pages = level.room_textiles + level.object_textiles + level.bump_textiles
    misc = 2 if raw.game == 4 else 3
    if (len(level.textiles32), len(level.textiles16), len(level.misc_textiles32)) != (pages, pages, misc):
        yield 0


@crash("page limit", "5")
def page_limit(raw: Raw) -> Places:
    if raw.level.room_textiles + raw.level.object_textiles + raw.level.bump_textiles > 60:
        yield 0


@crash("level settings", "5")
def level_settings(raw: Raw) -> Places:
    if raw.level.weather not in range(3) or raw.level.lara_type not in range(8):
        yield 0


@crash("room number")
def room_number(raw: Raw) -> Places:
    yield from range(255, len(raw.level.rooms))


def _inner_columns(raw: Raw, number: int) -> tuple[range, range]:
    """Return the columns and rows of the world that the inside of a room covers."""
    room = raw.level.rooms[number]
    first_x, first_z = (room.x >> 10) + 1, (room.z >> 10) + 1
    return range(first_x, first_x + room.x_sectors - 2), range(first_z, first_z + room.z_sectors - 2)


@crash("world size", "345")
def world_size(raw: Raw) -> Places:
    for number in range(len(raw.level.rooms)):
        sides = _inner_columns(raw, number)
        if any(side.start < 0 or side.stop > _CELLS * _SECTORS_OF_CELL for side in sides):
            yield number


@crash("crowded place", "345")
def crowded_place(raw: Raw) -> Places:
    flips = {room.alternate_room for room in raw.level.rooms} if raw.game >= 4 else set()
    cells: Counter[tuple[int, int]] = Counter()
    for number in set(range(len(raw.level.rooms))) - flips:
        columns, rows = _inner_columns(raw, number)
        of_x, of_z = ({at // _SECTORS_OF_CELL for at in side} for side in (columns, rows))
        cells.update((x, z) for x in of_x for z in of_z)
    if any(count > 63 for (x, z), count in cells.items() if x in range(_CELLS) and z in range(_CELLS)):
        yield 0


@crash("room vertices", "345")
def room_vertices(raw: Raw) -> Places:
    for number, room in enumerate(raw.level.rooms):
        counts = room.layers["vertices"].tolist() if raw.game == 5 else [len(room.vertices)]
        if max(counts, default=0) > _MOST_VERTICES[raw.game]:
            yield number


@crash("closed border")
def closed_border(raw: Raw) -> Places:
    for number, room in enumerate(raw.level.rooms):
        for x, z, record in raw.sectors(number):
            is_border = x in (0, room.x_sectors - 1) or z in (0, room.z_sectors - 1)
            if is_border and record["floor"] != WALL and raw.wall_portal(record) is None:
                yield number


def _never_ends(raw: Raw, number: int, x: int, z: int, name: str) -> bool:
    """Return whether going on from room to room at one place comes back to a room."""
    seen = set()
    while (record := raw.at(number, x, z)) is not None:
        if number in seen:
            return True
        seen.add(number)
        further = raw.wall_portal(record) if name == "wall" else int(record[name])
        if further is None or (name != "wall" and further == NO_ROOM):
            return False
        number = further
    return False


def _endless(raw: Raw, name: str) -> Places:
    for number, room in enumerate(raw.level.rooms):
        for column, row, _ in raw.sectors(number):
            if _never_ends(raw, number, room.x + column * SECTOR, room.z + row * SECTOR, name):
                yield number
                break


@crash("endless column")
def endless_column(raw: Raw) -> Places:
    yield from _endless(raw, "room_below")
    yield from _endless(raw, "room_above")


@crash("endless walls")
def endless_walls(raw: Raw) -> Places:
    yield from _endless(raw, "wall")


@crash("static mesh outside", "45")
def static_mesh_outside(raw: Raw) -> Places:
    for number, room in enumerate(raw.level.rooms):
        for record in room.static_meshes:
            if raw.at(number, int(record["x"]), int(record["z"])) is None:
                yield number


@crash("flip group", "4")
def flip_group(raw: Raw) -> Places:
    for number, room in enumerate(raw.level.rooms):
        if room.alternate_group >= 10:
            yield number


@crash("alternate room")
def alternate_room(raw: Raw) -> Places:
    rooms = raw.level.rooms
    flips = [(number, room.alternate_room) for number, room in enumerate(rooms)]
    flips = [(number, flip) for number, flip in flips if 0 <= flip < len(rooms)]
    for number, flip in flips:
        one, other = rooms[number], rooms[flip]
        alike = all(
            getattr(one, name) == getattr(other, name) for name in ("x", "z", "x_sectors", "z_sectors")
        )
        is_shared = sum(each == flip for _, each in flips) > 1
        if number == flip or other.alternate_room >= 0 or is_shared or not alike:
            yield number


@crash("layer sums", "5")
def layer_sums(raw: Raw) -> Places:
    for number, room in enumerate(raw.level.rooms):
        if not room.has("header"):
            continue
        header = {name: int(room.header[name][0]) for name in ("quads", "triangles", "vertex_bytes")}
        header |= {name: int(room.header[name][0]) for name in ("faces_offset", "faces_offset2")}
        sums = {name: sum(room.layers[name].tolist()) for name in ("quads", "triangles", "vertices")}
        wrong = header["quads"] != sums["quads"] or header["triangles"] != sums["triangles"]
        wrong |= header["vertex_bytes"] != 28 * sums["vertices"]
        wrong |= header["faces_offset"] != header["faces_offset2"]
        # The fields of a room without a mesh are never read.
        if (len(room.layers) and wrong) or room.header["lights"][0] != room.header["lights2"][0]:
            yield number


@crash("placeholder lights", "5")
def placeholder_lights(raw: Raw) -> Places:
    for number, room in enumerate(raw.level.rooms):
        words = room.lights["x"].copy().view("<u4").tolist()
        if words.count(_UNSET) > len(room.fog_bulbs):
            yield number


@crash("column target")
def column_target(raw: Raw) -> Places:
    for number, room in enumerate(raw.level.rooms):
        for column, row, record in raw.sectors(number):
            for name in ("room_below", "room_above"):
                target = int(record[name])
                if target == NO_ROOM:
                    continue
                if target >= len(raw.level.rooms):
                    yield number
                    continue
                other = raw.level.rooms[target]
                x = (room.x + column * SECTOR - other.x) // SECTOR
                z = (room.z + row * SECTOR - other.z) // SECTOR
                if not (0 < x < other.x_sectors - 1 and 0 < z < other.z_sectors - 1):
                    yield number


@crash("water scheme", "345")
def water_scheme(raw: Raw) -> Places:
    for number, room in enumerate(raw.level.rooms):
        if room.water_scheme >= 22:
            yield number
