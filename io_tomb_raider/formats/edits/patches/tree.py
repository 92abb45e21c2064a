"""A level as named sections and fields, which patches address."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from functools import cache
from struct import Struct
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.cursor import Cursor
from ...base.bytes.inflate import inflate_whole
from ...base.errors import ExportError, FormatError
from ...base.games import Variant
from ...base.messages import T
from ...base.schema.fields import Field
from ...base.schema.sections import Compressed, Sized, join_sections, read_sections
from ...levels.injections.trxj import MAGICS
from ...levels.level.level import Level
from ...levels.rooms.rooms import Room, Rooms
from ...levels.rooms.rooms_tr5 import RoomsTR5, decode_room, encode_room
from ..references.references import FLOOR_DATA_TARGETS, REFERENCES, Reference

VERSION = 2  # of patches
# Exports calculate these as a whole, or they keep their size; vertices are those of the same room or mesh.
_NOT_FOLLOWED = frozenset({"boxes", "overlaps", "sound_map", "vertices"})
# The references that patches of version 1 followed.
_VERSION_1 = {
    "mesh_pointers": {""},
    "sample_indices": {""},
    "sound_details": {"sample"},
    "sound_map": {""},
    "sprite_sequences": {"first"},
    "state_changes": {"first_dispatch"},
    "animations": {"frame_offset", "first_state_change", "first_command"},
    "models": {"first_mesh", "mesh_tree", "frame_offset", "animation"},
    "static_meshes": {"mesh"},
    "ai_objects": {"room"},
    "cameras": {"room"},
    "entities": {"room"},
    "flyby_cameras": {"room"},
    "rooms.portals": {"room"},
    "rooms.sectors": {"floor_data", "room_below", "room_above"},
    "rooms.alternate_room": {""},
}
INJECTION = "injection"  # a section of its own while patches are made and applied
# Plain numbers whose places are found by their surroundings; those of other lists are indices.
STREAMS = frozenset(
    {
        "floor_data",
        "mesh_data",
        "mesh_trees",
        "animation_commands",
        "frames",
        "sample_data",
        "samples",
        "demo_data",
        "footer",
        INJECTION,
    }
)
# Lists to whose elements no other part refers by index: two patches may both append to them.
UNREFERENCED = frozenset(
    {
        "sound_sources",
        "ai_objects",
        "rooms.lights",
        "rooms.static_meshes",
        "rooms.sprites",
        "rooms.portals",
        "rooms.fog_bulbs",
    }
)
_HEAD = Struct("<4sii")
_SIZES = Struct("<ii")
_BLOCK = Struct("<4siiii")
_NO_SECTIONS = frozenset({"game", "variant", "layout", "streams", "rooms"})
_DERIVED_OF_ROOMS = frozenset({"block", "header", "geometry_words"})
_WHOLE_FILE = "file"  # the stream of an early demo


@cache
def follows(path: str, version: int = VERSION) -> tuple[Reference, ...]:
    """Return the references of a section, or of a field of rooms, that follow their targets.

    A patch holds only what it inserts into the targets, not the numbers that move.
    """
    references = REFERENCES.get(path.replace("rooms.", "room."), ())
    if path.startswith("rooms."):
        of_field = (each for each in REFERENCES["rooms"] if path == f"rooms.{each.field}")
        references = (*references, *(each._replace(field="") for each in of_field))
    if version == 1:
        fields_followed = _VERSION_1.get(path, ())
        return tuple(
            each._replace(none=(), rows=None) for each in references if each.field in fields_followed
        )
    if path == "animated_textures":  # in a part of the list, its references cannot be recognized
        return ()
    return tuple(each for each in references if not each.by_id and each.target not in _NOT_FOLLOWED)


@cache
def is_movable(path: str, version: int = VERSION) -> bool:
    """Return whether patches follow all references to the records of a section.

    Records can then be inserted into a level in which others were inserted, too.
    """
    paths = {name: name.replace("room.", "rooms.") for name in REFERENCES}
    is_followed = [
        each in follows(paths[name], version)
        for name, references in REFERENCES.items()
        for each in references
        if section_of(each.target) == path
    ]
    return version > 1 and path not in FLOOR_DATA_TARGETS and bool(is_followed) and all(is_followed)


def section_of(target: str, level: Level | None = None) -> str:
    """Return the section that holds the targets of references."""
    if target == "pages" and level is not None:
        return "textiles8" if level.game.traits.has_palette else "textiles32"
    return "sample_indices" if target == "samples" else target


def sections(level: Level, version: int = VERSION) -> list[str]:
    """Return the names of all sections but the rooms: targets before references, except for circles."""
    result: list[str] = []
    visited = {"rooms"}

    def visit(name: str) -> None:
        visited.add(name)
        for reference in follows(name, version):
            target = section_of(reference.target, level)
            if target in vars(level) and target not in visited:
                visit(target)
        result.append(name)

    for name in vars(level):
        if name not in _NO_SECTIONS and name not in visited:
            visit(name)
    return result


def fields(room: Room) -> list[str]:
    """Return the names of the fields of a room that patches compare one by one."""
    return [name for name in vars(room) if name not in _DERIVED_OF_ROOMS]


def get(owner: Level | Room, name: str) -> Any:
    """Return a section or a field. Zones are returned by box, (boxes, 2 * kinds)."""
    value = getattr(owner, name)
    return np.ascontiguousarray(value.reshape(2 * value.shape[1], -1).T) if name == "zones" else value


def put(owner: Level | Room, name: str, value: Any) -> None:
    """Replace a section or a field, as :func:`get` returns it."""
    if name == "zones":
        kinds = getattr(owner, name).shape[1]
        value = np.ascontiguousarray(value.T).reshape(2, kinds, len(value))
    setattr(owner, name, value)


def parts(level: Level) -> Iterator[Field]:
    """Yield all sections of a level's layout, also those in chunks."""
    for section in level.layout:
        yield section
        if isinstance(section, Compressed | Sized):
            yield from section.sections


def room_bytes(level: Level, room: Room) -> bytes:
    """Return a room as its level's file holds it. Raises ExportError if it does not fit the file."""
    rooms = _rooms(level)
    return join_sections(rooms.layout, room) if isinstance(rooms, Rooms) else encode_room(room)


def read_room(level: Level, data: bytes) -> Room:
    """Decode a room. Raises FormatError if it is damaged, or followed by other bytes."""
    cursor = Cursor(data, inside="rooms")
    rooms = _rooms(level)
    if isinstance(rooms, Rooms):
        room = Room()
        read_sections(rooms.layout, cursor, room)
    else:
        room = decode_room(cursor)
    if cursor.remaining:
        cursor.section = "end"
        raise cursor.error("the end of the room", f"{cursor.remaining} more bytes")
    return room


def _rooms(level: Level) -> Rooms | RoomsTR5:
    return next(each for each in parts(level) if isinstance(each, Rooms | RoomsTR5))


def digest(data: bytes | NDArray[Any]) -> str:
    """Return the SHA-256 of bytes or of an array, as hexadecimal digits."""
    content = data if isinstance(data, bytes) else np.ascontiguousarray(data).tobytes()
    return hashlib.sha256(content).hexdigest()


def content_digest(level: Level) -> str:
    """Return a digest of a level that does not depend on how its chunks are compressed.

    Raises:
        ExportError: if a section does not fit the file.
    """
    plain = level.copy()
    plain.streams = {}
    block = block_of(level)
    if block is not None:
        plain.footer = np.frombuffer(block.head + block.payload + block.rest, np.uint8)
    for part in level.layout:
        if isinstance(part, Compressed):
            content = join_sections(part.sections, level)
            plain.streams[part.name] = (content, memoryview(content))
    if level.variant is Variant.EARLY_DEMO:
        plain.variant = Variant.RETAIL  # without the stream around it
    return digest(plain.to_bytes())


class TreeBlock(NamedTuple):
    """An injection after the last section of a level: its header and payload, and the bytes behind it."""

    head: bytes
    payload: bytes
    stream: bytes
    rest: bytes


def block_of(level: Level) -> TreeBlock | None:
    """Return the injection of TRX in the footer of a level, None without one or if it is damaged."""
    footer = level.footer.tobytes() if level.has("footer") else b""
    if footer[:4] not in MAGICS or len(footer) < _BLOCK.size:
        return None
    _, _, _, size, packed = _BLOCK.unpack_from(footer)
    start, stop = _BLOCK.size, _BLOCK.size + packed
    if packed < 0 or stop > len(footer):
        return None
    try:
        payload = inflate_whole(footer[start:stop], "footer")
    except FormatError:
        return None
    if len(payload) != size:
        return None
    return TreeBlock(footer[: _HEAD.size], payload, footer[start:stop], footer[stop:])


def opened(level: Level, block: TreeBlock) -> Level:
    """Return a level whose injection is unpacked: a section of its own, without its sizes."""
    level = level.copy()
    level.footer = np.frombuffer(block.head + block.rest, np.uint8)
    vars(level)[INJECTION] = np.frombuffer(block.payload, np.uint8)
    return level


def closed(level: Level, stream: bytes) -> Level:
    """Return a level whose injection, see :func:`opened`, is packed as a stream."""
    level = level.copy()
    payload, footer = vars(level).pop(INJECTION), level.footer.tobytes()
    head = footer[: _HEAD.size]
    if len(head) < _HEAD.size:
        raise ExportError(INJECTION, T("wrong number of elements"), count=len(head), limit=_HEAD.size)
    sizes = _SIZES.pack(len(payload), len(stream))
    level.footer = np.frombuffer(head + sizes + stream + footer[_HEAD.size :], np.uint8)
    return level


def chunks(level: Level) -> dict[str, bytes]:
    """Return the content of all compressed chunks by name; the whole file of an early demo is the last.

    Raises:
        ExportError: if a section does not fit the file.
    """
    result = {
        part.name: join_sections(part.sections, level)
        for part in level.layout
        if isinstance(part, Compressed)
    }
    if level.variant is Variant.EARLY_DEMO:
        plain = level.copy()
        plain.variant = Variant.RETAIL
        result[_WHOLE_FILE] = plain.to_bytes()
    return result


def compression(content: bytes, stream: bytes) -> int | None:
    """Return the level of zlib that gives a stream, None if none does."""
    by_mark = {0x01: (1, 0), 0x5E: (2, 3, 4, 5), 0x9C: (6,), 0xDA: (9, 8, 7)}
    for level in by_mark.get(stream[1] if len(stream) > 1 else -1, ()):
        if zlib.compress(content, level) == stream:
            return level
    return None
