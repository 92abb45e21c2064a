"""Rooms of TR5 (documentation, chapter 3.4.5): reading and writing memory images with a header of offsets.

An unchanged room is written as the block that was read, since stale pointers and fillers of original levels
follow no rule. An edited room is rebuilt, tightly packed.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.bytes import records
from ...base.bytes.cursor import Cursor
from ...base.bytes.records import PORTAL, QUAD_EFFECTS, ROOM_HEADER_TR5, ROOM_SPRITE, SECTOR, TRIANGLE_EFFECTS
from ...base.errors import ExportError
from ...base.messages import T, as_message
from ...base.schema.fields import Field, Out, Values
from ...base.schema.sections import check_number
from .rooms import Room, read_each

_COUNT = Struct("<I")
_PORTALS = Struct("<H")
_HEAD = Struct("<4sI")
_HEADER_SIZE = ROOM_HEADER_TR5.itemsize
_UNSET = 0xCDCDCDCD
_DRAWN = 0xFFFF

# The parts that an edit can replace; all others are derived or kept in the header.
_PARTS = (
    ("vertices", records.ROOM_VERTEX_TR5),
    ("quads", QUAD_EFFECTS),
    ("triangles", TRIANGLE_EFFECTS),
    ("layers", records.LAYER_TR5),
    ("portals", PORTAL),
    ("sectors", SECTOR),
    ("lights", records.ROOM_LIGHT_TR5),
    ("fog_bulbs", records.FOG_BULB_TR5),
    ("static_meshes", records.ROOM_STATIC_TR3),
)
# Attributes of the room that are fields of its header under the same name.
_FIELDS = (
    "x",
    "y",
    "z",
    "y_bottom",
    "y_top",
    "z_sectors",
    "x_sectors",
    "color",
    "reverb",
    "alternate_group",
    "water_scheme",
    "alternate_room",
    "flags",
)


def decode_room(cursor: Cursor) -> Room:
    """Read one room; the cursor is at its "XELA" mark.

    Faces keep the vertex indices of the file, which count from the first vertex of their layer; see
    :mod:`.geometry` for faces with indices of the whole room. Raises FormatError if the mark is missing or a
    part is outside the room.
    """
    cursor.section = "header"
    start = cursor.offset
    mark, size = cursor.fields(_HEAD)
    if mark != b"XELA":
        raise cursor.error("the mark b'XELA'", repr(mark), offset=start)
    data_start = cursor.take(size)
    inner = Cursor(memoryview(cursor.data)[: cursor.offset], data_start, cursor.inside)
    inner.element = cursor.element

    room = Room()
    room.block = memoryview(cursor.data)[start : cursor.offset]
    inner.section = "header"
    room.header = inner.array(ROOM_HEADER_TR5, 1)
    header = dict(zip(ROOM_HEADER_TR5.names or (), room.header[0].tolist(), strict=True))
    room.__dict__.update((name, header[name]) for name in _FIELDS)
    room.sprites = np.zeros(0, ROOM_SPRITE)

    base = inner.offset

    def part(name: str, dtype: np.dtype, count: int, offset: int) -> NDArray[Any]:
        # Rooms without a mesh have no valid offsets.
        inner.section, inner.offset = name, base + (offset if count else 0)
        return inner.array(dtype, count)

    room.lights = part("lights", records.ROOM_LIGHT_TR5, header["lights"], header["lights_offset"])
    room.fog_bulbs = part("fog_bulbs", records.FOG_BULB_TR5, header["fog_bulbs"], header["fog_bulbs_offset"])
    inner.section, inner.offset = "sectors", base + header["sectors_offset"]
    room.sectors = inner.array(SECTOR, room.z_sectors * room.x_sectors)
    inner.section = "portals"
    (portals,) = inner.fields(_PORTALS)
    room.portals = inner.array(PORTAL, portals)
    statics = header["static_meshes"]
    room.static_meshes = part("static_meshes", records.ROOM_STATIC_TR3, statics, header["statics_offset"])
    room.layers = part("layers", records.LAYER_TR5, header["layers"], header["layers_offset"])
    _decode_faces(room, inner, base, header)
    return room


def _decode_faces(room: Room, inner: Cursor, base: int, header: dict[str, Any]) -> None:
    quads, triangles = [], []
    inner.section, inner.offset = "faces", base + (header["faces_offset"] if len(room.layers) else 0)
    counts = (room.layers[name].tolist() for name in ("quads", "triangles"))
    for quad_count, triangle_count in zip(*counts, strict=True):
        quads.append(inner.array(QUAD_EFFECTS, quad_count))
        triangles.append(inner.array(TRIANGLE_EFFECTS, triangle_count))
    room.quads = _joined(quads, QUAD_EFFECTS)
    room.triangles = _joined(triangles, TRIANGLE_EFFECTS)
    inner.section, inner.offset = "vertices", base + (header["vertices_offset"] if len(room.layers) else 0)
    total = int(room.layers["vertices"].sum(dtype=np.int64))
    room.vertices = inner.array(records.ROOM_VERTEX_TR5, total)


def _joined(parts: list[NDArray[Any]], dtype: np.dtype) -> NDArray[Any]:
    if len(parts) == 1:
        return parts[0]
    joined = np.concatenate(parts) if parts else np.zeros(0, dtype)
    joined.flags.writeable = False  # like all arrays that were read
    return joined


def encode_room(room: Room) -> bytes:
    """Return the block of a room: the original block if the room is unchanged.

    Raises ExportError if the layers do not match the room's vertices and faces.
    """
    if room.block is not None and is_unchanged(room):
        return bytes(room.block)
    return _build(room)


def is_unchanged(room: Room) -> bool:
    """Return whether a room is as in its original block, so that its header is written as it is."""
    if room.block is None:
        return False
    original = decode_room(Cursor(room.block))
    return all(getattr(room, name) == getattr(original, name) for name in _FIELDS) and all(
        np.array_equal(
            np.ascontiguousarray(getattr(room, name), dtype).view(np.uint8),
            getattr(original, name).view(np.uint8),
        )
        for name, dtype in _PARTS
    )


def _build(room: Room) -> bytes:
    parts = {name: np.ascontiguousarray(getattr(room, name), dtype) for name, dtype in _PARTS}
    layers = parts["layers"]
    for name in ("vertices", "quads", "triangles"):
        total = int(layers[name].sum(dtype=np.int64))
        if total != len(parts[name]):
            problem = T("layers do not add up to its {name}", name=as_message(name))
            raise ExportError(T("room"), problem, count=len(parts[name]), limit=total)
    check_number(parts["sectors"], room.z_sectors * room.x_sectors, "sectors")
    for name in ("portals", "lights", "static_meshes"):
        if len(parts[name]) > 0xFFFF:
            raise ExportError(name, T("too many elements"), count=len(parts[name]), limit=0xFFFF)

    faces = bytearray()
    quad = triangle = 0
    for quads, triangles in zip(layers["quads"].tolist(), layers["triangles"].tolist(), strict=True):
        faces += parts["quads"][quad : quad + quads].tobytes()
        faces += parts["triangles"][triangle : triangle + triangles].tobytes()
        quad, triangle = quad + quads, triangle + triangles
    if len(faces) & 2:
        faces += b"\xcd\xcd"

    pieces = {
        "lights_offset": parts["lights"].tobytes(),
        "fog_bulbs_offset": parts["fog_bulbs"].tobytes(),
        "sectors_offset": parts["sectors"].tobytes(),
        "portals_offset": _PORTALS.pack(len(parts["portals"])) + parts["portals"].tobytes() + b"\xcd\xcd",
        "statics_offset": parts["static_meshes"].tobytes(),
        "layers_offset": layers.tobytes(),
        "faces_offset": bytes(faces),
        "vertices_offset": parts["vertices"].tobytes(),
    }
    header = _header(room, parts)
    offset = 0
    for name, piece in pieces.items():
        header[name] = offset
        offset += len(piece)
    header["faces_offset2"] = header["faces_offset"]
    header["vertex_bytes"] = len(pieces["vertices_offset"])
    content = b"".join((header.tobytes(), *pieces.values()))
    return _HEAD.pack(b"XELA", len(content)) + content


def _header(room: Room, parts: dict[str, NDArray[Any]]) -> NDArray[np.void]:
    header = np.array(room.header) if room.has("header") else new_header()
    for name in _FIELDS:
        limits, value = np.iinfo(header.dtype[name]), int(getattr(room, name))
        if not limits.min <= value <= limits.max:
            label = as_message(name)
            problem = T("a number does not fit the file ({name} = {value})", name=label, value=value)
            raise ExportError(T("room"), problem)
        header[name] = value
    header["lights"] = header["lights2"] = len(parts["lights"])
    header["fog_bulbs"] = len(parts["fog_bulbs"])
    header["static_meshes"] = len(parts["static_meshes"])
    layers = parts["layers"]
    header["layers"] = len(layers)
    if not header["vertices"][0] and (len(parts["quads"]) or len(parts["triangles"])):
        # The original game draws only rooms with a number here; Tomb Editor writes the same one.
        header["vertices"] = _DRAWN
    if header["triangles"][0] != _UNSET or len(parts["triangles"]) or len(parts["quads"]):
        header["triangles"], header["quads"] = len(parts["triangles"]), len(parts["quads"])
        header["position"] = (room.x, room.y, room.z)
        header["y_top2"], header["y_bottom2"] = room.y_top, room.y_bottom
    return header


def new_header() -> NDArray[np.void]:
    """Return the header, shape (1,), of a new room."""
    header = np.frombuffer(b"\xcd" * _HEADER_SIZE, ROOM_HEADER_TR5).copy()
    header["lights_pointer"] = header["bounds_active"] = header["fog_bulbs"] = 0
    header["vertices"] = header["water_vertices"] = header["shore_vertices"] = 0
    header["triangles"] = header["quads"] = 0
    header["screen_bounds"] = (0x7FFF, 0, 0x7FFF, 0)
    header["items"] = -1
    header["pointers"][:, 4] = 0
    return header


@dataclass(frozen=True)
class RoomsTR5(Field):
    """All rooms of a TR5 level, after a 32-bit count."""

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = "rooms"
        (count,) = cursor.fields(_COUNT)
        if count * (_HEAD.size + _HEADER_SIZE) > cursor.remaining:
            raise cursor.too_short(count * (_HEAD.size + _HEADER_SIZE), f"{count} rooms")
        record["rooms"] = read_each(cursor, count, decode_room)

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        out.append(_COUNT.pack(len(record["rooms"])))
        out += (encode_room(room) for room in record["rooms"])
