"""Sample levels with a block of TRX's edits, packed by hand."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import bpy
from bpy.types import Collection

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.levels.injections.trxj import Injection, read_trxj
from tests.formats.levels.injections.samples import page, sector, trxj
from tests.sample_levels import sample_bytes

from ...scenes import room_object

GAMES = (Game.TR1, Game.TR2, Game.TR3)
CLIMB, SPLIT, ROOM, SECTOR, CART = 11, 13, 5, 7, 14  # types of floor edits
VERSION = 9


def climb(bits: int) -> tuple[int, bytes]:
    return CLIMB, struct.pack("<i", bits)


def split_floor(function: int = 7, heights: int = 0x4000) -> tuple[int, bytes]:
    return SPLIT, struct.pack("<i2H", 1, function, heights)


def properties(flags: int, reverb: int = 1) -> tuple[int, bytes]:
    return ROOM, struct.pack("<HB", flags, reverb)


def whole_sector(level: Level, room: int, at: tuple[int, int], below: int, above: int) -> tuple[int, bytes]:
    """Return edit 7 as Tomb Editor writes it: the sector of the level with other rooms."""
    record = level.rooms[room].sectors[at[0] * level.rooms[room].z_sectors + at[1]]
    values = (below, int(record["floor"]) * 256, above, int(record["ceiling"]) * 256)
    return SECTOR, struct.pack("<HH4h", record["floor_data"], record["box"], *values)


def sound(number: int) -> bytes:
    return struct.pack("<3hHib", number, 28672, 0, 4, 10240, -5) + struct.pack("<i", 4) + b"RIFF"


def name(item: int, text: str) -> bytes:
    data = text.encode()
    return struct.pack("<hi", item, len(data)) + data


def flyby(room: int, x: int, y: int, z: int) -> bytes:
    return struct.pack("<6i2BHhHHHI", x, y, z, x + 1024, y, z, 0, 0, 14560, 0, 0, 655, 0, room)


def floor(*records: bytes) -> tuple[int, int, bytes]:
    return 17, len(records), b"".join(records)


def with_block(data: bytes, *blocks: tuple[int, int, bytes], version: int = VERSION) -> bytes:
    """Return a level with a block of edits: (type, number of elements, bytes) each."""
    return data + trxj(version, blocks)


def block_of(level: Level) -> Injection:
    """Return the block of a level."""
    return read_trxj(level.footer.tobytes(), level.game)


def edits(level: Level, *, kind: int | None = None) -> list[tuple[int, int, int, dict[str, Any]]]:
    """Return room, x, z and values of the floor edits of a level, of one type or all."""
    if not len(level.footer):
        return []
    return [
        (record["room"], record["x"], record["z"], edit)
        for record in block_of(level).records(17)
        for edit in record["edits"]
        if kind in (None, edit["type"])
    ]


def sample(game: Game, *blocks: tuple[int, int, bytes]) -> bytes:
    return with_block(sample_bytes(game), *blocks)


def names_only_what_exists(level: Level) -> bool:
    """Return whether the edits of a level refer to existing rooms, items, cameras and pages."""
    if level.footer[:4].tobytes() != b"TRXJ":
        return True
    block = block_of(level)
    new_items = len(edits(level, kind=4))
    limits = {
        "room": len(level.rooms),
        "to_room": len(level.rooms),
        "room_below": len(level.rooms),
        "room_above": len(level.rooms),
        "item": len(level.entities) + new_items,
        "camera": len(level.cameras),
        "page": len(level.textiles8),
    }
    records: Sequence[dict[str, Any]] = [record for each in block.blocks for record in each.records]
    records = [*records, *(edit for record in block.records(17) for edit in record["edits"])]
    named = [(record[key], limit) for record in records for key, limit in limits.items() if key in record]
    return all(-1 <= number < limit for number, limit in named)


def block_of_all(level: Level) -> bytes:
    """Return a block with edits of all rooms and items of a level."""
    records = []
    for number, room in enumerate(level.rooms):
        last = len(level.rooms) - 1 - number
        at = room.x_sectors // 2, room.z_sectors // 2
        records.append(
            sector(number, *at, climb(5), split_floor(), whole_sector(level, number, at, last, -1))
        )
        records.append(sector(number, 0, 0, properties(room.flags)))
    names = [name(number, f"item {number}") for number in range(len(level.entities))]
    flybys = [flyby(number, room.x, 0, room.z) for number, room in enumerate(level.rooms)]
    blocks = [floor(*records), (37, len(names), b"".join(names)), (38, len(flybys), b"".join(flybys))]
    return trxj(VERSION, [*blocks, (20, 1, page(0))])


def delete_room(root: Collection, number: int) -> None:
    """Delete the object of a room."""
    bpy.data.objects.remove(room_object(root, number))
    bpy.context.view_layer.update()
